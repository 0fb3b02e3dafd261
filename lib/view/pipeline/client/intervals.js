/* Live intervals as the allocator left them: registers downwards, program points to the right, one bar for each stretch of a value. */

const LANE = 15;

/** @param {IntervalNote} i */
const intervalOf = ([value, name, register, width, kind, why, points]) => ({
  value: page.texts[value],
  name: page.texts[name],
  ...{ register, width, points },
  kind: page.texts[kind],
  why: page.texts[why],
});

/** The moment after which registers are allocated. */
const allocatedMoment = () => app.func.moments.find((m) => m.phase === "AllocateRegisters");

function intervalsPanel() {
  const { allocation } = app.func;
  if (allocation === null || allocation.files.length === 0)
    return [make("p", "faint", "The registers of this function were not allocated.")];
  const file = allocation.files.find((f) => f.file === app.file) ?? allocation.files[0];
  const intervals = file.intervals.map(intervalOf);
  const insts = page.lists[file.insts];
  const used = Math.max(...intervals.map((i) => i.register + i.width));
  const head = make("p", "faint", "");
  const spilled = allocation.spills.length === 0 ? "" : `, ${allocation.spills.length} spilled`;
  head.append(
    fileChoice(allocation, file.file),
    ` ${intervals.length} values in ${used} registers${spilled}. To the right: instructions in order, as AllocateRegisters leaves them; grey lines: blocks. `,
    "A click on a bar selects the instruction that begins it; outlined: what is live at the selected instruction.",
  );
  const parts = [head, intervalPicture(file.file, intervals, insts, used)];
  const chosen = chosenIntervals(intervals, insts);
  if (chosen.length > 0)
    parts.push(
      tableOf(
        ["value", "PTX", "register", "", "live at instructions", "why"],
        chosen.map((i) => [
          i.value,
          i.name,
          registersOf(file.file, i),
          i.kind,
          stretchText(unionOf(i.points), insts),
          i.why,
        ]),
      ),
    );
  if (allocation.spills.length > 0)
    parts.push(
      tableOf(
        ["spilled", "PTX", "to", "why"],
        allocation.spills.map((s) => [s.value, s.name, s.home, s.why]),
      ),
    );
  return parts;
}

/** @param {AllocationNote} allocation @param {string} file */
function fileChoice(allocation, file) {
  const choice = document.createElement("select");
  choice.setAttribute("aria-label", "Register file");
  for (const f of allocation.files)
    choice.append(Object.assign(document.createElement("option"), { value: f.file, textContent: `file ${f.file}` }));
  choice.value = file;
  choice.addEventListener("change", () => {
    app.file = choice.value;
    drawPanel();
  });
  return choice;
}

/** @typedef {ReturnType<typeof intervalOf>} Interval */

/** @param {string} file @param {Interval} i */
const registersOf = (file, { register, width }) =>
  width === 1 ? `${file}${register}` : `${file}${register}–${file}${register + width - 1}`;

/** Stretches at which any register of a value is live. @param {number[][]} points */
function unionOf(points) {
  const all = points.flatMap((p) => p.flatMap((from, k) => (k % 2 === 0 ? [[from, p[k + 1]]] : [])));
  all.sort((a, b) => a[0] - b[0]);
  /** @type {number[]} */
  const out = [];
  for (const [from, to] of all) {
    const last = out.length - 1;
    if (last >= 0 && from <= out[last] + 1) out[last] = Math.max(out[last], to);
    else out.push(from, to);
  }
  return out;
}

/** Ids of first and last instruction of each stretch. @param {number[]} points @param {number[]} insts */
function stretchText(points, insts) {
  const parts = [];
  for (let k = 0; k < points.length; k += 2) {
    const [from, to] = [insts[points[k] >> 1], insts[points[k + 1] >> 1]];
    parts.push(from === to ? String(from) : `${from}–${to}`);
  }
  return parts.length > 6 ? `${parts.slice(0, 6).join(", ")} and ${parts.length - 6} more` : parts.join(", ");
}

/** Place of the selected instruction among the points' instructions, −1 for none. @param {number[]} insts */
function selectedPlace(insts) {
  const s = app.selection;
  return s !== null && "id" in s ? insts.indexOf(s.id) : -1;
}

/** Live at an instruction: at its reading or its writing point. @param {Interval} i @param {number} at */
function liveAt({ points }, at) {
  return points.some((p) => p.some((from, k) => k % 2 === 0 && from <= 2 * at + 1 && p[k + 1] >= 2 * at));
}

/** Values that begin or end at the selected instruction. @param {Interval[]} intervals @param {number[]} insts */
function chosenIntervals(intervals, insts) {
  const at = selectedPlace(insts);
  if (at < 0) return [];
  return intervals.filter((i) => i.points.flat().some((p) => p >> 1 === at));
}

/** @param {string} file @param {Interval[]} intervals @param {number[]} insts @param {number} used */
function intervalPicture(file, intervals, insts, used) {
  const room = Math.max(300, (byId("panel").clientWidth || 1200) - 110);
  const step = Math.max(1, Math.min(18, room / insts.length)) / 2;
  const [width, height] = [Math.ceil(insts.length * 2 * step) + 4, used * LANE + 22];
  const names = svg("svg", { width: 44, height, class: "lanes" });
  for (let r = 0; r < used; r++)
    names.append(svg("text", { x: 40, y: 20 + r * LANE + 11, "text-anchor": "end", class: "small" }, `${file}${r}`));
  const chart = svg("svg", { width, height, role: "img", "aria-label": `live intervals of file ${file}` });
  drawBlocks(chart, insts, step, height);
  const at = selectedPlace(insts);
  if (at >= 0)
    chart.append(
      svg("rect", { class: "cursor", x: 2 * at * step, y: 14, width: Math.max(1.5, 2 * step), height: height - 14 }),
    );
  intervals.forEach((i, k) => {
    const lit = at >= 0 && liveAt(i, at);
    for (const piece of piecesOf(i)) chart.append(bar(i, piece, k, step, insts, lit));
  });
  const box = make("div", "lifetimes");
  box.append(names, scroller(chart));
  return box;
}

/** @param {Element} content */
function scroller(content) {
  const box = make("div", "scroller");
  box.append(content);
  return box;
}

/**
 * Registers side by side that are live over the same stretch are one bar.
 * @param {Interval} i @returns {{ from: number, to: number, register: number, height: number }[]}
 */
function piecesOf({ points, register }) {
  const pieces = new Map();
  points.forEach((p, r) => {
    for (let k = 0; k < p.length; k += 2) {
      const key = `${p[k]} ${p[k + 1]}`;
      const last = pieces.get(key);
      if (last !== undefined && last.register + last.height === register + r) last.height++;
      else
        pieces.set(pieces.has(key) ? `${key} ${r}` : key, {
          from: p[k],
          to: p[k + 1],
          register: register + r,
          height: 1,
        });
    }
  });
  return [...pieces.values()];
}

/** @param {Interval} i @param {ReturnType<typeof piecesOf>[number]} piece @param {number} k @param {number} step @param {number[]} insts @param {boolean} lit */
function bar(i, { from, to, register, height }, k, step, insts, lit) {
  const width = Math.max(1, (to - from + 1) * step - 0.5);
  const g = svg("g", {
    class: `life t${k % TINTS}${lit ? " lit" : ""}${i.kind === "spill code" ? " spilled" : ""}`,
    transform: `translate(${from * step} ${20 + register * LANE})`,
  });
  g.append(svg("rect", { width, height: height * LANE - 2, rx: 2 }));
  if (width > 6.5 * i.value.length + 4) g.append(svg("text", { x: 3, y: 10, class: "small" }, i.value));
  const title = `${i.value}${i.name === "" ? "" : ` (${i.name})`}`;
  const words = [title, `instructions ${stretchText([from, to], insts)}`, i.why];
  g.append(svg("title", {}, words.filter((w) => w !== "").join("\n")));
  g.addEventListener("click", () => goToInst(insts[from >> 1]));
  return g;
}

/** Lines where blocks begin. @param {Element} chart @param {number[]} insts @param {number} step @param {number} height */
function drawBlocks(chart, insts, step, height) {
  const m = allocatedMoment();
  if (m === undefined) return;
  const at = new Map(insts.map((id, i) => [id, i]));
  let first = 0;
  let free = 0;
  for (const b of m.blocks) {
    const place = at.get(m.ids[first] ?? -1);
    first += b.count;
    if (place === undefined || b.count === 0) continue;
    const x = 2 * place * step;
    chart.append(svg("line", { class: "border", x1: x, x2: x, y1: 0, y2: height }));
    if (x < free) continue;
    const text = `b${b.id}${b.frequency === 1 ? "" : ` ×${Number(b.frequency.toPrecision(2))}`}`;
    chart.append(svg("text", { x: x + 3, y: 11, class: "faint small" }, text));
    free = x + 7 * text.length;
  }
}
