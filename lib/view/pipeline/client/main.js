/* What the controls and keys do. */

/** Matches in the order of the columns: column and index among all its rows. */
function allMatches() {
  return app.columns.flatMap((c, k) =>
    rowsOf(c).flatMap((r, i) => (matches(r) ? [{ column: k, row: r, index: i }] : [])),
  );
}

/** @param {string} text */
function search(text) {
  app.query = text.toLowerCase();
  app.match = -1;
  const found = app.query === "" ? [] : allMatches();
  const columns = new Set(found.map((m) => m.column)).size;
  byId("hits").textContent = app.query === "" ? "" : `${found.length} in ${columns} columns`;
  for (const c of app.columns) fill(c);
  refreshDifference();
  if (app.tab === "decisions") drawPanel();
}

/** The next match (`by` 1) or the one before (−1), from the current column on. @param {number} by */
function nextMatch(by) {
  const found = app.query === "" ? [] : allMatches();
  if (found.length === 0) return;
  const start = app.match >= 0 ? app.match : found.findIndex((m) => m.column >= app.current) - (by > 0 ? 1 : 0);
  app.match = (((start + by) % found.length) + found.length) % found.length;
  const { column, row } = found[app.match];
  const c = app.columns[column];
  if (!c.open) setOpen(c, true);
  setCurrent(column);
  c.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  const index = c.shown.indexOf(row);
  if (index >= 0) c.list?.keepInSight(index);
  selectRow(row, c, index);
  byId("hits").textContent = `${app.match + 1} of ${found.length}`;
}

/** Selects the row below (1) or above (−1) in the current column. @param {number} by */
function step(by) {
  const c = app.columns[app.current];
  if (c?.list == null) return;
  let index = c.shown.findIndex((r) =>
    r.kind === "line" ? isSelectedLine(r, c.kind) : r.id >= 0 && app.lit.own.has(r.id),
  );
  do index += by;
  while (index >= 0 && index < c.shown.length && c.shown[index].kind !== "line" && c.shown[index].id < 0);
  const row = c.shown[index];
  if (row === undefined) return;
  c.list.keepInSight(index);
  selectRow(row, c, index);
}

/** @param {number} by */
function sideways(by) {
  const at = Math.min(app.columns.length - 1, Math.max(0, app.current + by));
  setCurrent(at);
  app.columns[at].element.scrollIntoView({ block: "nearest", inline: "nearest" });
  app.columns[at].list?.element.focus({ preventScroll: true });
}

function toggleFilter() {
  app.filter = !app.filter;
  byId("filter").setAttribute("aria-pressed", String(app.filter));
  for (const c of app.columns) fill(c);
}

function toggleDifference() {
  app.difference = !app.difference;
  if (app.difference) {
    const now = Math.min(Math.max(1, currentMoment()), app.func.moments.length - 1);
    setChoice("before", Math.max(0, now - 1));
    setChoice("after", now);
  }
  drawDifference();
  if (!app.difference) for (const c of app.columns) c.list?.refresh();
}

/** @param {string} id @param {number} value */
function setChoice(id, value) {
  const choice = byId(id);
  if (choice instanceof HTMLSelectElement) choice.value = String(value);
}

function toggleTheme() {
  const root = document.documentElement;
  const dark =
    root.dataset.theme === undefined
      ? matchMedia("(prefers-color-scheme: dark)").matches
      : root.dataset.theme === "dark";
  root.dataset.theme = dark ? "light" : "dark";
}

function toggleHelp() {
  byId("help").hidden = !byId("help").hidden;
  byId("help-button").setAttribute("aria-expanded", String(!byId("help").hidden));
}

function togglePanel() {
  const tall = byId("panel").classList.toggle("tall");
  byId("panel").style.flexBasis = "";
  byId("tall").setAttribute("aria-pressed", String(tall));
  refresh();
  drawPanel();
}

/** The bar between columns and panel is dragged. @param {PointerEvent} down */
function dragPanel(down) {
  if (down.target !== byId("tabs")) return;
  const [panel, tabs] = [byId("panel"), byId("tabs")];
  const from = panel.offsetHeight + down.clientY;
  const move = (/** @type {PointerEvent} */ e) => {
    panel.style.flexBasis = `${Math.max(60, Math.min(innerHeight - 260, from - e.clientY))}px`;
    refresh();
  };
  tabs.setPointerCapture(down.pointerId);
  tabs.addEventListener("pointermove", move);
  tabs.addEventListener("pointerup", () => tabs.removeEventListener("pointermove", move), { once: true });
}

/** @param {number} index */
function showFunction(index) {
  app.func = page.functions[index];
  app.descent = new Descent(app.func);
  app.selection = null;
  app.lit = app.descent.lit(null);
  for (const id of ["before", "after"])
    byId(id).replaceChildren(
      ...app.func.moments.map((m, k) =>
        Object.assign(document.createElement("option"), { value: String(k), textContent: m.phase }),
      ),
    );
  app.difference = false;
  app.block = -1;
  app.file = "";
  makeColumns();
  drawDifference();
  drawPanel();
}

/** @type {Record<string, () => void>} */
const keys = {
  "/": () => byId("search").focus(),
  n: () => nextMatch(1),
  N: () => nextMatch(-1),
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  "[": () => sideways(-1),
  "]": () => sideways(1),
  o: () => setOpen(app.columns[app.current], !app.columns[app.current].open),
  f: toggleFilter,
  d: toggleDifference,
  t: toggleTheme,
  "?": toggleHelp,
  Escape: () => select(null),
  p: togglePanel,
  1: () => setTab("figures"),
  2: () => setTab("graph"),
  3: () => setTab("dependences"),
  4: () => setTab("intervals"),
  5: () => setTab("instruction"),
  6: () => setTab("decisions"),
  7: () => setTab("phases"),
};

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target instanceof HTMLInputElement) {
    if (e.key === "Escape") {
      // The browser would empty the field, too.
      e.preventDefault();
      e.target.blur();
    }
    if (e.key === "Enter") nextMatch(e.shiftKey ? -1 : 1);
    return;
  }
  if (e.target instanceof HTMLSelectElement || !Object.hasOwn(keys, e.key)) return;
  e.preventDefault();
  keys[e.key]();
});

byId("title").textContent = page.title;
byId("subtitle").textContent = page.subtitle;
const functions = byId("function");
page.functions.forEach((f, k) => {
  functions.append(Object.assign(document.createElement("option"), { value: String(k), textContent: f.name }));
});
functions.hidden = page.functions.length < 2;
functions.addEventListener("change", () => showFunction(Number(/** @type {HTMLSelectElement} */ (functions).value)));
byId("search").addEventListener("input", () => search(/** @type {HTMLInputElement} */ (byId("search")).value));
byId("filter").addEventListener("click", toggleFilter);
byId("difference-button").addEventListener("click", toggleDifference);
byId("before").addEventListener("change", drawDifference);
byId("after").addEventListener("change", drawDifference);
byId("theme").addEventListener("click", toggleTheme);
byId("help-button").addEventListener("click", toggleHelp);
byId("tabs").addEventListener("click", (e) => {
  if (e.target instanceof HTMLElement && e.target.dataset.tab !== undefined) setTab(e.target.dataset.tab);
});
byId("tall").addEventListener("click", togglePanel);
byId("tabs").addEventListener("pointerdown", dragPanel);
addEventListener("resize", refresh);
if (page.functions.length > 0) showFunction(0);
else byId("columns").append(make("p", "faint", "No function was reached."));
