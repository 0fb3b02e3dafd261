/* Two moments side by side: rows of one instruction on one line, told by identity and not by place. */

/** @type {{ element: HTMLElement, list: List }[]} */
let sides = [];

/** Which words of a text are others than those at the same place of another; undefined where the texts are the same. @param {string} text @param {string} other */
function otherWords(text, other) {
  if (text === other) return undefined;
  const [mine, theirs] = [text.split(/(\s+|,)/), other.split(/(\s+|,)/)];
  return mine.map((w, k) => w !== theirs[k]);
}

/** @param {Row} row */
const keyOf = (row) => (row.kind === "block" ? -2 - (row.block?.id ?? 0) : row.id);

/** @returns {Row} */
const blank = () => ({ kind: "inst", id: -1, line: 0, text: "", state: "blank" });

/**
 * Both sides as lists of the same length. What kept its order stands on one line; what moved stands at both of its places;
 * what was made of something that is gone stands beside it where both lie in the same stretch.
 * @param {Row[]} before @param {Row[]} after @param {Descent} descent @returns {[Row[], Row[]]}
 */
function aligned(before, after, descent) {
  const at = new Map(before.map((r, i) => [keyOf(r), i]));
  const common = after.flatMap((r, i) => (at.has(keyOf(r)) ? [i] : []));
  const kept = longestIncreasing(common.map((i) => at.get(keyOf(after[i])) ?? 0));
  const anchors = common.filter((_, k) => kept.has(k));
  const there = new Set(after.map(keyOf));
  /** @type {Row[]} */ const left = [];
  /** @type {Row[]} */ const right = [];
  let [b, a] = [0, 0];
  const stretch = (/** @type {number} */ toB, /** @type {number} */ toA) => {
    const gone = before.slice(b, toB);
    const made = after.slice(a, toA);
    while (gone.length > 0 || made.length > 0) {
      const from = made[0] === undefined || made[0].id < 0 ? [] : descent.ancestors(made[0].id);
      const k = gone.findIndex((r) => from.includes(r.id));
      if (k > 0) {
        for (const r of gone.splice(0, k)) {
          left.push({ ...r, state: there.has(keyOf(r)) ? "moved" : "removed" });
          right.push(blank());
        }
      }
      if (made[0] === undefined) {
        const r = /** @type {Row} */ (gone.shift());
        left.push({ ...r, state: there.has(keyOf(r)) ? "moved" : "removed" });
        right.push(blank());
        continue;
      }
      const r = /** @type {Row} */ (made.shift());
      const beside = k >= 0 ? gone.shift() : undefined;
      left.push(beside === undefined ? blank() : { ...beside, state: there.has(keyOf(beside)) ? "moved" : "removed" });
      right.push({ ...r, state: at.has(keyOf(r)) ? "moved" : "added" });
    }
  };
  for (const i of anchors) {
    const k = at.get(keyOf(after[i])) ?? 0;
    stretch(k, i);
    const [x, y] = [before[k], after[i]];
    const state = x.text === y.text || x.kind === "block" ? "" : "changed";
    const changed = state === "changed";
    left.push({ ...x, state, ...(changed && { words: otherWords(x.text, y.text) }) });
    right.push({ ...y, state, ...(changed && { words: otherWords(y.text, x.text) }) });
    [b, a] = [k + 1, i + 1];
  }
  stretch(before.length, after.length);
  return [left, right];
}

/** Shows or hides the difference of the two moments chosen. */
function drawDifference() {
  const [host, columns] = [byId("difference"), byId("columns")];
  host.hidden = !app.difference;
  columns.hidden = app.difference;
  byId("pair").hidden = !app.difference;
  byId("difference-button").setAttribute("aria-pressed", String(app.difference));
  sides = [];
  if (!app.difference) return;
  const chosen = ["before", "after"].map((id) => Number(/** @type {HTMLSelectElement} */ (byId(id)).value));
  const moments = chosen.map((k) => app.func.moments[k]);
  const plain = moments.map((m) => momentRows(m, [], app.descent).map(({ mark, ...row }) => row));
  const both = aligned(plain[0], plain[1], app.descent);
  const count = (/** @type {string} */ state) => both[1].filter((r) => r.kind === "inst" && r.state === state).length;
  const removed = both[0].filter((r) => r.kind === "inst" && r.state === "removed").length;
  const notes = [`${removed} removed`, `${count("added")} added, ${count("changed")} changed, ${count("moved")} moved`];
  sides = moments.map((m, k) => {
    const element = make("section", "column");
    const head = make("div", "head");
    head.append(make("b", "", m.phase), document.createElement("br"), make("span", "faint", notes[k]));
    const list = new List((row) => rowElement(row, "moment"), m.phase);
    list.element.addEventListener("click", (e) => {
      const row = e.target instanceof Element ? e.target.closest(".row") : null;
      if (row instanceof HTMLElement) selectRow(list.rows[Number(row.dataset.index)], null, 0);
    });
    list.element.addEventListener("scroll", () => {
      const other = sides[1 - k]?.list.element;
      if (other !== undefined && other.scrollTop !== list.element.scrollTop) other.scrollTop = list.element.scrollTop;
    });
    element.append(head, list.element);
    return { element, list };
  });
  host.replaceChildren(...sides.map((s) => s.element));
  for (const [k, s] of sides.entries()) s.list.show(both[k]);
  const first = both[1].findIndex((r, i) => r.kind === "inst" && (r.state !== "" || both[0][i].state !== ""));
  if (first >= 0) sides[0].list.reveal(first);
}

function refreshDifference() {
  for (const s of sides) s.list.refresh();
}
