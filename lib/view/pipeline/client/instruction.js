/* The panel of the selected instruction: what it was at each moment, what was decided there and why, its kin. */

/** Decisions shown before the rest is folded. */
const SHOWN = 6;

/** A button that selects an instruction. @param {number} id */
function instLink(id) {
  const b = make("button", "link", String(id));
  b.setAttribute("type", "button");
  b.title = textOfInst(id);
  b.addEventListener("click", () => goToInst(id));
  return b;
}

/** An instruction as the current moment has it, else as some other one has. @param {number} id */
function textOfInst(id) {
  for (const m of [app.func.moments[currentMoment()], ...app.func.moments]) {
    const at = m.ids.indexOf(id);
    if (at >= 0) return page.texts[m.texts[at]];
  }
  return "not there at any moment shown";
}

/** Selects an instruction and brings it into sight in all columns. @param {number} id */
function goToInst(id) {
  select({ id });
  for (const c of app.columns) bringTo(c);
}

/** @param {Decision} d */
function decisionElement(d) {
  const line = make("div", "decision");
  line.append(make("span", `by ${d.by}`, d.by), ` ${d.what}`);
  if (d.why !== "") line.append(make("span", "faint", `: ${d.why}`));
  if (d.others.length > 0) line.append(othersElement(d));
  return line;
}

/** The other instructions that a decision names. @param {Decision} d */
function othersElement(d) {
  const words = { scheduler: " over ", rewrite: " with " }[d.by] ?? " see ";
  const e = make("span", "faint", words);
  d.others.forEach((id, k) => {
    if (k > 0) e.append(" ");
    e.append(instLink(id));
  });
  return e;
}

/** @param {Decision[]} list */
function decisionList(list) {
  const box = make("div", "");
  box.append(...list.slice(0, SHOWN).map(decisionElement));
  if (list.length > SHOWN) {
    const more = make("details", "");
    more.append(make("summary", "faint", `${list.length - SHOWN} more`), ...list.slice(SHOWN).map(decisionElement));
    box.append(more);
  }
  return box;
}

function instructionPanel() {
  const s = app.selection;
  if (s === null) return [make("p", "faint", "Nothing is selected: click an instruction or a line of the source.")];
  const { moments } = app.func;
  if (!("id" in s)) {
    const count = moments.map((m) => [m.phase, m.ids.filter((id) => app.lit.kin.has(id)).length]);
    return [
      make("p", "", `Line ${s.line} of the ${s.source === "cuda" ? "CUDA" : "PTX"}: instructions made of it`),
      tableOf(["phase", "instructions"], count),
    ];
  }
  const ancestors = app.descent.ancestors(s.id);
  const line = app.descent.line.get(s.id) ?? 0;
  const words = [
    `Instruction ${s.id}`,
    line > 0 ? `of PTX line ${line}` : "without a PTX line",
    ancestors.length > 0 ? `made of ${ancestors.join(", made of ")}` : "made by lowering",
  ];
  const rows = moments.map((m) => {
    const at = m.ids.indexOf(s.id);
    const kin = m.ids.flatMap((id, i) =>
      id !== s.id && app.lit.kin.has(id) ? [`${id}: ${page.texts[m.texts[i]]}`] : [],
    );
    return [
      m.phase,
      at < 0 ? "–" : page.texts[m.texts[at]],
      decisionList([s.id, ...ancestors].flatMap((id) => decisionsAt(m, id))),
      kin.slice(0, 4).join("; ") + (kin.length > 4 ? ` and ${kin.length - 4} more` : ""),
    ];
  });
  return [
    make("p", "", `${words.join(", ")}.`),
    tableOf(["phase", "instruction", "what was decided there", "kin"], rows),
  ];
}
