/* The panel of what the current moment's phase decided: how often each reason, and every decision with its instruction. */

/** What decisions are counted by: the rewrite, the rung, the cause. @param {Decision} d */
function reasonOf(d) {
  if (d.by === "rewrite" || d.by === "refusal") return d.what;
  if (d.by === "control") return d.what.replace(/ \d.*/, "");
  return d.why.split(/[,;:]/)[0];
}

/** @param {Decision[]} all */
function reasonCounts(all) {
  const counts = new Map();
  for (const d of all) {
    const key = `${d.by}\n${reasonOf(d)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const rows = [...counts].sort((a, b) => b[1] - a[1]).map(([key, n]) => [...key.split("\n"), n]);
  return tableOf(["who", "reason", "decisions"], rows);
}

/** @param {Decision[]} all */
function deciderChoice(all) {
  const choice = document.createElement("select");
  choice.setAttribute("aria-label", "Whose decisions");
  for (const by of ["", ...new Set(all.map((d) => d.by))])
    choice.append(Object.assign(document.createElement("option"), { value: by, textContent: by === "" ? "all" : by }));
  choice.value = app.decider;
  choice.addEventListener("change", () => {
    app.decider = choice.value;
    drawPanel();
  });
  return choice;
}

function decisionsPanel() {
  const moment = app.func.moments[currentMoment()];
  const all = moment.decisions.map(decisionOf);
  if (!all.some((d) => d.by === app.decider)) app.decider = "";
  const wanted = all.filter((d) => app.decider === "" || d.by === app.decider);
  const texts = new Map(moment.ids.map((id, i) => [id, page.texts[moment.texts[i]]]));
  const rows = wanted.map((d) => ({
    ...{ kind: /** @type {"inst"} */ ("inst"), id: d.inst, line: app.descent.line.get(d.inst) ?? 0 },
    text: `${d.inst < 0 ? "" : `${d.inst} `}${texts.get(d.inst) ?? (d.inst < 0 ? "" : textOfInst(d.inst))}: ${d.what}: ${d.why}`,
    decision: d,
  }));
  const found = app.query === "" ? rows : rows.filter((r) => r.text.toLowerCase().includes(app.query));
  const head = make("p", "faint", `${moment.phase}: ${all.length} decisions of `);
  head.append(deciderChoice(all), ` ${found.length === all.length ? "" : `${found.length} shown`}`);
  if (all.length === 0)
    return [
      head,
      make("p", "faint", "It tells of none; what it changed is marked + and ~ in its column."),
      momentLinks(),
    ];
  const list = new List((_, i) => decisionRow(found[i].decision, texts), "Decisions");
  list.element.classList.add("decisions");
  list.show(found);
  const sides = make("div", "sides");
  sides.append(list.element, reasonCounts(wanted));
  requestAnimationFrame(() => list.refresh());
  return [head, momentLinks(), sides];
}

/** Buttons for the moments whose phases tell what they decided. */
function momentLinks() {
  const line = make("p", "moments", "");
  app.func.moments.forEach((m, k) => {
    if (m.decisions.length === 0) return;
    const b = make("button", "", `${m.phase} ${m.decisions.length}`);
    b.setAttribute("type", "button");
    b.setAttribute("aria-pressed", String(k === currentMoment()));
    b.addEventListener("click", () => goTo(k));
    line.append(b);
  });
  return line;
}

/** @param {Decision} d @param {Map<number, string>} texts */
function decisionRow(d, texts) {
  const e = make("div", "row");
  if (d.inst >= 0 && app.lit.own.has(d.inst)) e.classList.add("self");
  if (d.inst >= 0) e.dataset.id = String(d.inst);
  e.append(make("span", "number", d.inst < 0 ? "" : String(d.inst)));
  e.append(make("span", "where", d.inst < 0 ? "" : (texts.get(d.inst) ?? textOfInst(d.inst))));
  e.append(decisionElement(d));
  e.addEventListener("click", (event) => {
    if (d.inst >= 0 && !(event.target instanceof HTMLButtonElement)) goToInst(d.inst);
  });
  return e;
}
