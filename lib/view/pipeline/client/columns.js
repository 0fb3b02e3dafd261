/* The columns side by side: sources, the IR at each moment, the machine code. */

/**
 * @typedef {{ key: string, kind: "cuda" | "ptx" | "moment" | "sass", title: string, note: string, moment: number, rows: () => Row[], open: boolean,
 *   element: HTMLElement, list: List | null, shown: Row[], all: Row[] | null }} Column
 */

const app = {
  /** @type {FuncNote} */ func: page.functions[0],
  /** @type {Descent} */ descent: new Descent(page.functions[0] ?? { insts: [] }),
  /** @type {Chosen} */ selection: null,
  lit: { own: new Set(), kin: new Set(), ptx: new Set(), cuda: new Set() },
  /** @type {Column[]} */ columns: [],
  current: 0,
  query: "",
  filter: false,
  difference: false,
  tab: "figures",
  /** Block that was chosen in the panel of dependences, −1 for none. */
  block: -1,
  /** Register file of the live intervals. */
  file: "",
  /** Whose decisions are listed, "" for all. */
  decider: "",
  /** Place of the match that n and N go on from. */
  match: -1,
};

/** @param {string} kind @param {string} title @param {string} note @param {() => Row[]} rows @param {boolean} open @param {number} moment @returns {Column} */
function newColumn(kind, title, note, rows, open, moment = -1) {
  const element = make("section", `column ${kind === "cuda" || kind === "ptx" ? "source" : kind}`);
  element.dataset.column = `${kind}${moment >= 0 ? moment : ""}`;
  const key = element.dataset.column;
  return {
    key,
    kind: /** @type {Column["kind"]} */ (kind),
    title,
    note,
    moment,
    rows,
    open,
    element,
    list: null,
    shown: [],
    all: null,
  };
}

/** Makes the columns of the function. */
function makeColumns() {
  const { func, descent } = app;
  const last = func.moments.length - 1;
  app.columns = page.sources.map((s) =>
    newColumn(s.kind, s.kind === "cuda" ? "CUDA" : "PTX", s.name, () => sourceRows(s), true),
  );
  func.moments.forEach((m, k) => {
    const { instructions, liveR, warps, cycles } = m.figures;
    const note = `${instructions} instructions, ${liveR} live R, ${warps}/${func.mostWarps} warps, ${cycles} cycles`;
    const rows = () => momentRows(m, marks(k === 0 ? null : func.moments[k - 1], m), descent);
    app.columns.push(newColumn("moment", m.phase, note, rows, k === 0 || k === last, k));
  });
  if (func.sass !== null)
    app.columns.push(newColumn("sass", "SASS", `${func.sass.length} instructions`, () => sassRows(func), true));
  app.current = Math.max(
    0,
    app.columns.findIndex((c) => c.kind === "moment"),
  );
  byId("columns").replaceChildren(...app.columns.map((c) => c.element));
  app.columns.forEach(drawColumn);
}

/** @param {Source} s @returns {Row[]} */
const sourceRows = (s) => s.lines.map((text, i) => ({ kind: "line", id: -1, line: i + 1, text }));

/** All rows of a column, made when first asked for. @param {Column} c */
function rowsOf(c) {
  c.all ??= c.rows();
  return c.all;
}

/** @param {Column} c */
function drawColumn(c) {
  const at = app.columns.indexOf(c);
  c.element.classList.toggle("folded", !c.open);
  c.element.classList.toggle("current", at === app.current);
  if (!c.open) {
    c.list = null;
    const strip = make("button", "strip", c.title);
    strip.setAttribute("type", "button");
    strip.setAttribute("aria-expanded", "false");
    strip.title = `${c.title}: ${c.note}`;
    strip.addEventListener("click", () => setOpen(c, true));
    c.element.replaceChildren(strip);
    return;
  }
  const head = make("div", "head");
  const name = make("b", "", c.title);
  name.title = "fold this column";
  name.addEventListener("click", () => setOpen(c, false));
  head.append(name, document.createElement("br"), make("span", "faint", c.note));
  if (c.moment >= 0) head.title = app.func.moments[c.moment].does;
  c.list = new List((row) => rowElement(row, c.kind), c.title);
  c.list.element.addEventListener("click", (e) => clicked(e, c));
  c.list.element.addEventListener("focus", () => setCurrent(at));
  c.element.replaceChildren(head, c.list.element);
  fill(c);
}

/** The rows that the filter leaves. @param {Column} c */
function fill(c) {
  if (c.list === null) return;
  const rows = rowsOf(c);
  c.shown = app.filter ? rows.filter((r) => (app.query === "" ? isLit(r, c.kind) : matches(r))) : rows;
  c.list.show(c.shown);
}

/** @param {Row} row */
const matches = (row) => app.query !== "" && row.text.toLowerCase().includes(app.query);

/** @param {Row} row @param {string} kind */
function isLit(row, kind) {
  const { own, kin, ptx, cuda } = app.lit;
  if (row.kind === "line") return (kind === "cuda" ? cuda : ptx).has(row.line);
  return row.id >= 0 && (own.has(row.id) || kin.has(row.id));
}

/** @param {Row} row @param {string} kind */
function rowElement(row, kind) {
  const e = make("div", `row ${row.kind}${row.state ? ` ${row.state}` : ""}`);
  e.setAttribute("role", "listitem");
  if (row.id >= 0) e.dataset.id = String(row.id);
  if (row.tip !== undefined) e.addEventListener("mouseenter", () => setTitle(e, row));
  const own = row.id >= 0 ? app.lit.own.has(row.id) : isSelectedLine(row, kind);
  if (own) e.classList.add("self");
  else if (isLit(row, kind)) e.classList.add("kin");
  if (matches(row)) e.classList.add("hit");
  if (row.kind !== "block") e.append(make("span", "number", row.line > 0 ? String(row.line) : ""));
  if (row.mark !== undefined) e.append(make("span", "mark", row.mark));
  if (row.live !== undefined) e.append(liveElement(row.live));
  if (row.control !== undefined && row.control !== "") e.append(make("span", "control", row.control));
  e.append(textElement(row));
  return e;
}

/** The words under the pointer, made when it comes. @param {HTMLElement} e @param {Row} row */
function setTitle(e, row) {
  if (e.title === "" && row.tip !== undefined) e.title = row.tip();
}

/** @param {Row} row */
function textElement(row) {
  const text = make("span", "text", row.words === undefined ? row.text : undefined);
  row.words?.forEach((changed, k) => {
    const word = row.text.split(/(\s+|,)/)[k] ?? "";
    text.append(changed ? make("span", "word", word) : word);
  });
  return text;
}

/** @param {Row} row @param {string} kind */
function isSelectedLine(row, kind) {
  const s = app.selection;
  return row.kind === "line" && s !== null && "line" in s && s.source === kind && s.line === row.line;
}

/** The number of live registers with a bar. @param {number} live */
function liveElement(live) {
  const e = make("span", "live", String(live));
  const most = Math.max(1, ...app.func.moments.map((m) => m.figures.liveR));
  const box = svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  box.append(svg("rect", { class: "livebar", x: 0, y: 0, height: 10, width: (100 * live) / most }));
  e.append(box);
  return e;
}

/** @param {Column} c @param {boolean} open */
function setOpen(c, open) {
  c.open = open;
  drawColumn(c);
  if (open) setCurrent(app.columns.indexOf(c));
}

/** @param {number} at */
function setCurrent(at) {
  app.current = at;
  for (const [i, c] of app.columns.entries()) c.element.classList.toggle("current", i === at);
  const moment = app.columns[at]?.moment ?? -1;
  if (moment >= 0) drawPanel();
}

/** The moment that the panel shows: that of the current column, else the last one. */
function currentMoment() {
  const moment = app.columns[app.current]?.moment ?? -1;
  return moment >= 0 ? moment : app.func.moments.length - 1;
}

/** @param {Event} event @param {Column} c */
function clicked(event, c) {
  const element = event.target instanceof Element ? event.target.closest(".row") : null;
  if (!(element instanceof HTMLElement) || c.list === null) return;
  const row = c.shown[Number(element.dataset.index)];
  setCurrent(app.columns.indexOf(c));
  selectRow(row, c, Number(element.dataset.index));
}

/** Selects what a row stands for and brings its kin to the same height in the other columns. @param {Row} row @param {Column | null} c @param {number} index */
function selectRow(row, c, index) {
  if (row.kind === "line") select({ source: c?.kind ?? "ptx", line: row.line });
  else if (row.id >= 0) select({ id: row.id });
  else if (row.block !== undefined) return chooseBlock(row.block.id);
  else return;
  const offset = c?.list ? index * ROW - c.list.element.scrollTop : undefined;
  for (const other of app.columns) if (other !== c) bringTo(other, offset);
}

/** @param {Column} c @param {number} [offset] */
function bringTo(c, offset) {
  if (c.list === null) return;
  const exact = c.shown.findIndex((r) => r.id >= 0 && app.lit.own.has(r.id));
  const index = exact >= 0 ? exact : c.shown.findIndex((r) => isLit(r, c.kind));
  if (index >= 0) c.list.reveal(index, offset);
}

/** @param {Chosen} selection */
function select(selection) {
  app.selection = selection;
  app.lit = app.descent.lit(selection);
  refresh();
  drawPanel();
}

/** Draws the rows in sight again; with a filter the rows themselves may be others. */
function refresh() {
  for (const c of app.columns) {
    if (app.filter) fill(c);
    else c.list?.refresh();
  }
  refreshDifference();
}
