/* The control-flow graph of the current moment: blocks with their frequency as heat, loops, convergence regions. */

function graphPanel() {
  const moment = app.func.moments[currentMoment()];
  const picture = moment.graph < 0 ? inOrder(moment.blocks) : page.graphs[moment.graph];
  const { width, height } = page.node;
  const box = svg("svg", {
    width: picture.width,
    height: picture.height,
    role: "img",
    "aria-label": `control flow after ${moment.phase}`,
  });
  for (const frame of loopFrames(moment, picture)) box.append(frame);
  for (const [from, to, points] of picture.edges) box.append(...edgeOf(from, to, points));
  const most = Math.max(...moment.blocks.map((b) => b.frequency));
  const regions = [...new Set(moment.blocks.flatMap((b) => b.regions))];
  let first = 0;
  moment.blocks.forEach((b, i) => {
    const ids = moment.ids.slice(first, first + b.count);
    first += b.count;
    const node = nodeOf(b, picture.nodes[i], ids, most, width, height);
    node.append(...regionStrips(b, regions, width, height));
    box.append(node);
  });
  const loops = new Set(moment.blocks.flatMap((b) => b.loops)).size;
  const words = [
    `${moment.index < 0 ? "As lowered" : `After ${moment.phase}`}: ${moment.blocks.length} block${moment.blocks.length === 1 ? "" : "s"}`,
    `${loops} loop${loops === 1 ? "" : "s"} (dashed)`,
    regions.length > 0
      ? `convergence regions ${regions.join(", ")}: a strip of its colour at the right of each block in which it is open`
      : "no convergence regions",
    "the bar at the left of a block is its frequency",
  ];
  return [make("p", "faint", `${words.join("; ")}.`), box];
}

/** Many blocks: below one another; edges forwards as arcs at the right, backwards at the left. @param {BlockNote[]} blocks @returns {Picture} */
function inOrder(blocks) {
  const { width, height, gap } = page.node;
  const step = height + gap;
  const reach = 60;
  const x = reach + 12 + width / 2;
  /** @param {number} i */
  const y = (i) => 12 + height / 2 + i * step;
  const at = new Map(blocks.map((b, i) => [b.id, i]));
  /** @param {number} from @param {number} to @returns {number[]} */
  const points = (from, to) => {
    if (to === from + 1) return [x, y(from) + height / 2, x, y(to) - height / 2];
    const side = to > from ? 1 : -1;
    const edge = x + (side * width) / 2;
    const out = edge + side * Math.min(reach, 8 + 3 * Math.abs(to - from));
    return [edge, y(from), out, y(from), out, y(to), edge, y(to)];
  };
  /** @type {Picture["edges"]} */
  const edges = [];
  for (const [from, b] of blocks.entries())
    for (const s of b.succs) {
      const to = at.get(s);
      if (to !== undefined) edges.push([from, to, points(from, to)]);
    }
  return {
    width: 2 * x,
    height: 24 + blocks.length * step,
    nodes: blocks.map((_, i) => [x, y(i)]),
    edges,
  };
}

/** @param {Moment} moment @param {Picture} picture */
function loopFrames(moment, picture) {
  const { width, height } = page.node;
  const headers = [...new Set(moment.blocks.flatMap((b) => b.loops))];
  return headers.map((header) => {
    const inside = moment.blocks.flatMap((b, i) => (b.loops.includes(header) ? [i] : []));
    // The deeper a loop lies, the closer its frame.
    const depth = Math.max(
      ...inside.map((i) => moment.blocks[i].loops.length - moment.blocks[i].loops.indexOf(header)),
    );
    const pad = 2 + 3 * depth;
    const xs = inside.map((i) => picture.nodes[i][0]);
    const ys = inside.map((i) => picture.nodes[i][1]);
    const [x, y] = [Math.min(...xs) - width / 2 - pad, Math.min(...ys) - height / 2 - pad];
    const frame = svg("rect", {
      class: "loop",
      x,
      y,
      rx: 6,
      width: Math.max(...xs) + width / 2 + pad - x,
      height: Math.max(...ys) + height / 2 + pad - y,
    });
    frame.append(svg("title", {}, `loop of b${header}`));
    return frame;
  });
}

/** @param {number} from @param {number} to @param {number[]} points */
function edgeOf(from, to, points) {
  const back = to <= from;
  const path = svg("path", {
    class: back ? "edge back" : "edge",
    d: `M${points.map((p, i) => `${i > 0 && i % 2 === 0 ? "L" : ""}${p}`).join(" ")}`,
  });
  const n = points.length;
  const [x, y] = [points[n - 2], points[n - 1]];
  const angle = (Math.atan2(y - points[n - 3], x - points[n - 4]) * 180) / Math.PI;
  const head = svg("path", {
    class: back ? "edge back" : "edge",
    d: "M-6 -3 L0 0 L-6 3",
    transform: `translate(${x} ${y}) rotate(${angle})`,
  });
  return [path, head];
}

/** @param {BlockNote} b @param {[number, number]} place @param {number[]} ids @param {number} most @param {number} width @param {number} height */
function nodeOf(b, [x, y], ids, most, width, height) {
  const g = svg("g", { class: "node", transform: `translate(${x - width / 2} ${y - height / 2})` });
  if (ids.some((id) => app.lit.own.has(id))) g.classList.add("self");
  else if (ids.some((id) => app.lit.kin.has(id))) g.classList.add("kin");
  g.append(svg("rect", { width, height, rx: 4 }));
  const share = most > 0 ? Math.log1p(b.frequency) / Math.log1p(most) : 0;
  g.append(
    svg("rect", {
      class: "heat",
      width: 4,
      height: Math.max(2, height * share),
      y: height - Math.max(2, height * share),
    }),
  );
  const times = b.frequency === 1 ? "" : ` ×${Number(b.frequency.toPrecision(2))}`;
  g.append(svg("text", { x: 9, y: 14 }, `b${b.id}${times}${b.regions.length > 0 ? ` ${b.regions.join(" ")}` : ""}`));
  g.append(svg("text", { x: 9, y: 28, class: "faint" }, `${b.count} instr, ${b.cycles} cyc`));
  g.append(svg("title", {}, blockText(b)));
  g.addEventListener("click", () => showBlock(b.id));
  return g;
}

/** A strip for each convergence region that is open in a block. @param {BlockNote} b @param {string[]} regions @param {number} width @param {number} height */
function regionStrips(b, regions, width, height) {
  return b.regions.map((name, k) => {
    const strip = svg("rect", {
      class: `region s${regions.indexOf(name) % TINTS}`,
      x: width - 7 * (k + 1),
      y: 2,
      width: 5,
      height: height - 4,
    });
    strip.append(svg("title", {}, `convergence region ${name}`));
    return strip;
  });
}

/** Brings a block into sight in the column of the moment. @param {number} id */
function showBlock(id) {
  const c = app.columns.find((x) => x.moment === currentMoment());
  if (c === undefined) return;
  if (!c.open) setOpen(c, true);
  const index = c.shown.findIndex((r) => r.block?.id === id);
  if (index >= 0) c.list?.reveal(index, 0);
}
