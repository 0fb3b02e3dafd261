/* The panel below: figures of each moment as charts and a table, all phases. */

/** @type {{ key: keyof Figures, title: string }[]} */
const FIGURES = [
  { key: "instructions", title: "instructions" },
  { key: "liveR", title: "live R, most at once" },
  { key: "warps", title: "warps per SM (occupancy)" },
  { key: "cycles", title: "static latency, cycles of one warp" },
  { key: "spills", title: "spill code, bytes" },
];

/** @param {Moment[]} moments @param {keyof Figures} key @param {string} title */
function chartOf(moments, key, title) {
  const values = moments.map((m) => m.figures[key]);
  const most = Math.max(1, ...values);
  const [step, height] = [Math.max(10, Math.min(26, 300 / values.length)), 64];
  const figure = make("figure", "");
  const box = svg("svg", {
    width: step * values.length + 46,
    height: height + 6,
    role: "img",
    "aria-label": `${title}: ${values.join(", ")}`,
  });
  values.forEach((v, k) => {
    const h = Math.max(v > 0 ? 1 : 0, (height * v) / most);
    const bar = svg("rect", {
      x: k * step,
      y: height - h + 3,
      width: step - 2,
      height: h,
      class: k === currentMoment() ? "bar current" : "bar",
    });
    bar.append(svg("title", {}, `${moments[k].phase}: ${v}`));
    bar.addEventListener("click", () => goTo(k));
    box.append(bar);
  });
  const last = values[values.length - 1] ?? 0;
  box.append(svg("text", { x: step * values.length + 3, y: height - (height * last) / most + 12 }, String(last)));
  figure.append(box, make("figcaption", "", title));
  return figure;
}

/** Opens the column of a moment. @param {number} moment */
function goTo(moment) {
  const c = app.columns.find((x) => x.moment === moment);
  if (c === undefined) return;
  setOpen(c, true);
  c.element.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** @param {string[]} heads @param {(string | number | Node)[][]} rows @param {(tr: HTMLElement, index: number) => void} [note] */
function tableOf(heads, rows, note) {
  const table = make("table", "");
  const head = make("tr", "");
  const right = heads.map((_, c) =>
    rows.every((r) => typeof r[c] === "number" || /^([\d,.]+( [+−][\d,]+)?)?$/.test(String(r[c]))),
  );
  head.append(...heads.map((h, c) => make("th", right[c] ? "n" : "", h)));
  const body = make("tbody", "");
  rows.forEach((r, k) => {
    const tr = make("tr", "");
    tr.append(
      ...r.map((cell, c) => {
        const td = make("td", right[c] ? "n" : "", cell instanceof Node ? undefined : String(cell));
        if (cell instanceof Node) td.append(cell);
        return td;
      }),
    );
    note?.(tr, k);
    body.append(tr);
  });
  const top = make("thead", "");
  top.append(head);
  table.append(top, body);
  return table;
}

function figuresPanel() {
  const { moments, mostWarps, threads, phases } = app.func;
  const times = new Map(phases.flatMap((p) => (p.milliseconds === null ? [] : [[p.phase, p.milliseconds]])));
  const timed = times.size > 0;
  const charts = make("div", "charts");
  for (const { key, title } of FIGURES)
    if (key !== "spills" || moments.some((m) => m.figures.spills > 0)) charts.append(chartOf(moments, key, title));
  const heads = [
    "phase",
    "category",
    "instructions",
    "blocks",
    "live R",
    "registers",
    `warps of ${mostWarps}`,
    "cycles",
    "spill bytes",
    ...(timed ? ["milliseconds"] : []),
    "what it is for",
  ];
  const change = (/** @type {number} */ k, /** @type {keyof Figures} */ key) => {
    const now = moments[k].figures[key];
    const by = k === 0 ? 0 : now - moments[k - 1].figures[key];
    return `${now}${by === 0 ? "" : ` ${by > 0 ? "+" : "−"}${Math.abs(by)}`}`;
  };
  const rows = moments.map((m, k) => [
    m.phase,
    m.category,
    change(k, "instructions"),
    m.figures.blocks,
    change(k, "liveR"),
    m.figures.registers,
    change(k, "warps"),
    change(k, "cycles"),
    m.figures.spills,
    ...(timed ? [times.get(m.phase)?.toFixed(2) ?? ""] : []),
    m.does,
  ]);
  const table = tableOf(heads, rows, (tr, k) => {
    tr.dataset.moment = String(k);
    tr.classList.toggle("current", k === currentMoment());
    tr.addEventListener("click", () => goTo(k));
  });
  const words = `Registers before allocation: the most live ones. Occupancy for blocks of ${threads} threads. Latency: one warp alone, loops ten trips.`;
  return [charts, table, make("p", "faint", words)];
}

function phasesPanel() {
  const ran = app.func.phases.filter((p) => p.ran).length;
  const timed = app.func.phases.some((p) => p.milliseconds !== null);
  const rows = app.func.phases.map((p) => [
    p.phase,
    p.ran ? "ran" : "–",
    p.ran ? p.edits : 0,
    ...(timed ? [p.milliseconds === null ? "" : p.milliseconds.toFixed(2)] : []),
    p.why,
  ]);
  const heads = ["phase", "", "edits", ...(timed ? ["milliseconds"] : []), "why not"];
  return [make("p", "", `${ran} of ${rows.length} phases ran.`), tableOf(heads, rows)];
}

function drawPanel() {
  const panels = {
    figures: figuresPanel,
    graph: graphPanel,
    dependences: dependencesPanel,
    intervals: intervalsPanel,
    instruction: instructionPanel,
    decisions: decisionsPanel,
    phases: phasesPanel,
  };
  const make = panels[/** @type {keyof typeof panels} */ (app.tab)];
  const panel = byId("panel");
  // What is drawn anew stays where it was scrolled to.
  const scrollers = () => [panel, ...panel.querySelectorAll(".list, .scroller, .dag")];
  const same = panel.dataset.tab === app.tab;
  const before = same ? scrollers().map((e) => [e.scrollLeft, e.scrollTop]) : [];
  panel.dataset.tab = app.tab;
  panel.replaceChildren(...make());
  for (const [k, e] of scrollers().entries()) [e.scrollLeft, e.scrollTop] = before[k] ?? [0, 0];
}

/** @param {string} tab */
function setTab(tab) {
  app.tab = tab;
  for (const b of document.querySelectorAll("#tabs button"))
    if (b instanceof HTMLElement) b.setAttribute("aria-selected", String(b.dataset.tab === tab));
  drawPanel();
}
