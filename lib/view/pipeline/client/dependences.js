/* The dependence graph of a block at the current moment: instructions by their earliest cycle, a critical path, what the selected one waits for. */

/** Blocks with more instructions are shown around the selected one and along the critical path. */
const MOST_DRAWN = 220;
/** Steps from the selected instruction that are drawn there. */
const STEPS = 2;
const BOX = { width: 196, height: 30, gapX: 14, gapY: 26, left: 64 };

/** @typedef {{ from: number, to: number, cycles: number, kind: string }} Edge */

/** @param {DagNote} dag @returns {Edge[]} */
function edgesOf(dag) {
  const edges = [];
  let from = 0;
  for (let e = 0; e < dag.edges.length; e += 4) {
    from += dag.edges[e];
    edges.push({ from, to: from + dag.edges[e + 1], cycles: dag.edges[e + 2], kind: KINDS[dag.edges[e + 3]] });
  }
  return edges;
}

/** The block that the panel shows: the chosen one, that of the selected instruction, else that in which most cycles pass. @param {Moment} m */
function shownBlock(m) {
  const chosen = m.blocks.findIndex((b) => b.id === app.block && b.dag >= 0);
  if (chosen >= 0) return chosen;
  const s = app.selection;
  const own = s !== null && "id" in s ? placeOf(m, s.id).block : -1;
  if (own >= 0) return own;
  const spent = m.blocks.map((b) => (b.dag < 0 ? -1 : b.frequency * b.cycles));
  return spent.indexOf(Math.max(...spent));
}

/** @param {number} id */
function chooseBlock(id) {
  app.block = id;
  setTab("dependences");
}

/** @param {Moment} m @param {number} block */
function blockChoice(m, block) {
  const choice = document.createElement("select");
  choice.setAttribute("aria-label", "Block");
  for (const [k, b] of m.blocks.entries())
    if (b.dag >= 0)
      choice.append(Object.assign(document.createElement("option"), { value: String(k), textContent: blockText(b) }));
  choice.value = String(block);
  choice.addEventListener("change", () => {
    app.block = m.blocks[Number(choice.value)].id;
    drawPanel();
  });
  return choice;
}

function dependencesPanel() {
  const m = app.func.moments[currentMoment()];
  const block = shownBlock(m);
  const note = m.blocks[block];
  if (note === undefined || note.dag < 0) return [make("p", "faint", "No block has instructions.")];
  const dag = page.dags[note.dag];
  const first = m.blocks.slice(0, block).reduce((n, b) => n + b.count, 0);
  const ids = m.ids.slice(first, first + note.count);
  const texts = m.texts.slice(first, first + note.count).map((t) => page.texts[t]);
  const edges = edgesOf(dag);
  const s = app.selection;
  const selected = s !== null && "id" in s ? ids.indexOf(s.id) : -1;
  const drawn = nodesToDraw(dag, edges, note.count, selected);
  const head = make("p", "faint", `${m.index < 0 ? "As lowered" : `After ${m.phase}`}: `);
  const longest = longestPath(dag);
  const some =
    drawn.size < note.count
      ? `; ${drawn.size} of them drawn: the critical path, and ${STEPS} steps around the selected one`
      : "";
  head.append(
    blockChoice(m, block),
    ` ${note.count} instructions, ${edges.length} dependences${some}. The longest path takes ${longest} cycles (red), this order ${note.cycles}. `,
    "Left: latest cycle that makes that path no longer. Lines: result read (solid), operand or result overwritten (thin), memory (dashed), order (dotted).",
  );
  const view = make("div", "dag");
  view.append(dagPicture(dag, edges, ids, texts, drawn, selected));
  return [head, view, selectedWaits(dag, edges, ids, texts, selected)];
}

/** @param {DagNote} dag @param {Edge[]} edges @param {number} count @param {number} selected */
function nodesToDraw(dag, edges, count, selected) {
  if (count <= MOST_DRAWN) return new Set(Array.from({ length: count }, (_, i) => i));
  const middle =
    selected < 0
      ? 0
      : Math.max(
          0,
          dag.critical.findIndex((n) => n >= selected),
        );
  const from = Math.max(0, Math.min(middle - MOST_DRAWN / 4, dag.critical.length - MOST_DRAWN / 2));
  const drawn = new Set(dag.critical.slice(from, from + MOST_DRAWN / 2));
  if (selected < 0) return drawn;
  drawn.add(selected);
  let rim = new Set([selected]);
  for (let step = 0; step < STEPS; step++) {
    const next = new Set();
    for (const { from, to } of edges) {
      if (rim.has(from)) next.add(to);
      if (rim.has(to)) next.add(from);
    }
    for (const n of next) if (n < count && drawn.size < MOST_DRAWN) drawn.add(n);
    rim = next;
  }
  return drawn;
}

/**
 * The cycle that a node is drawn at: as late as it may issue without making the longest path longer, so that it stands near what needs it; what
 * nothing in the block needs as early as it can.
 * @param {DagNote} dag @param {Edge[]} edges
 */
function cyclesOf(dag, edges) {
  const longest = longestPath(dag);
  const needed = new Set(edges.map((e) => e.from));
  return dag.earliest.map((e, n) => (needed.has(n) ? longest - dag.ahead[n] : e));
}

/** Cycles of a longest path. @param {DagNote} dag */
const longestPath = (dag) => dag.earliest.reduce((most, e, i) => Math.max(most, e + dag.ahead[i]), 0);

/** Rows by cycle, no wider than the panel; in a row each stands near to what it depends on. @param {DagNote} dag @param {number[]} cycle @param {Map<number, number[]>} parents @param {Set<number>} drawn */
function placesOf(dag, cycle, parents, drawn) {
  const critical = new Set(dag.critical);
  const [stepX, stepY] = [BOX.width + BOX.gapX, BOX.height + BOX.gapY];
  const columns = Math.max(3, Math.floor(((byId("panel").clientWidth || 1200) - BOX.left - 40) / stepX));
  /** @type {Map<number, [number, number]>} */
  const places = new Map();
  /** @type {number[]} */
  const rows = [];
  for (const c of [...new Set([...drawn].map((n) => cycle[n]))].sort((a, b) => a - b)) {
    const nodes = [...drawn].filter((n) => cycle[n] === c);
    const wanted = new Map(
      nodes.map((n) => [n, critical.has(n) ? -1 : meanColumn(parents.get(n) ?? [], places, stepX)]),
    );
    nodes.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0) || a - b);
    for (let from = 0; from < nodes.length; from += columns) {
      const row = nodes.slice(from, from + columns);
      let free = 0;
      for (const [k, n] of row.entries()) {
        // As near as it can be, and such that the rest of the row still has room.
        const want = Math.min(wanted.get(n) ?? 0, columns - (row.length - k));
        // The column at the left is that of the critical path.
        const least = critical.has(n) ? 0 : 1;
        const column = Math.max(free, least, Math.round(want));
        places.set(n, [BOX.left + column * stepX, 8 + rows.length * stepY]);
        free = column + 1;
      }
      rows.push(c);
    }
  }
  return { places, rows, stepY };
}

/** Mean column of the nodes that stand already; past all others where there is none. @param {number[]} nodes @param {Map<number, [number, number]>} places @param {number} stepX */
function meanColumn(nodes, places, stepX) {
  const columns = nodes.flatMap((p) => {
    const place = places.get(p);
    return place === undefined ? [] : [(place[0] - BOX.left) / stepX];
  });
  return columns.length === 0 ? 1 : columns.reduce((a, b) => a + b, 0) / columns.length;
}

/** Joins stand half a row below the last instruction that they stand for. @param {number} count @param {Map<number, number[]>} parents @param {Map<number, [number, number]>} places @param {number} stepY */
function placeJoins(count, parents, places, stepY) {
  for (const join of [...parents.keys()].filter((n) => n >= count).sort((a, b) => a - b)) {
    const from = (parents.get(join) ?? []).flatMap((p) => {
      const place = places.get(p);
      return place === undefined ? [] : [place];
    });
    if (from.length === 0) continue;
    const x = from.reduce((n, p) => n + p[0], 0) / from.length;
    places.set(join, [x, Math.max(...from.map((p) => p[1])) + stepY / 2 + BOX.height / 2]);
  }
}

/** @param {DagNote} dag @param {Edge[]} edges @param {number[]} ids @param {string[]} texts @param {Set<number>} drawn @param {number} selected */
function dagPicture(dag, edges, ids, texts, drawn, selected) {
  /** @type {Map<number, number[]>} */
  const parents = new Map();
  for (const { from, to } of edges) {
    const list = parents.get(to) ?? [];
    parents.set(to, list);
    list.push(from);
  }
  const { places, rows, stepY } = placesOf(dag, cyclesOf(dag, edges), parents, drawn);
  placeJoins(ids.length, parents, places, stepY);
  const width = Math.max(...[...places.values()].map(([x]) => x)) + BOX.width + 12;
  const height = rows.length * stepY + 12;
  const box = svg("svg", { width, height, role: "img", "aria-label": "dependence graph" });
  rows.forEach((c, row) => {
    if (c !== rows[row - 1]) box.append(svg("text", { x: 4, y: 8 + row * stepY + 19, class: "faint" }, String(c)));
  });
  const next = new Map(dag.critical.slice(1).map((n, k) => [dag.critical[k], n]));
  const plain = edges.filter((e) => !isCritical(e, next));
  for (const e of [...plain, ...edges.filter((e) => isCritical(e, next))]) {
    const line = edgeLine(e, places, ids.length, isCritical(e, next), selected);
    if (line !== null) box.append(line);
  }
  const critical = new Set(dag.critical);
  for (const n of drawn) box.append(dagNode(n, dag, ids, texts, places, critical.has(n)));
  for (const [n, [x, y]] of places)
    if (n >= ids.length) box.append(svg("circle", { cx: x + BOX.width / 2, cy: y, r: 3, class: "join" }));
  return box;
}

/** @param {Edge} e @param {Map<number, number>} next */
const isCritical = (e, next) => next.get(e.from) === e.to;

/** @param {Edge} e @param {Map<number, [number, number]>} places @param {number} count @param {boolean} critical @param {number} selected */
function edgeLine(e, places, count, critical, selected) {
  const [a, b] = [places.get(e.from), places.get(e.to)];
  if (a === undefined || b === undefined) return null;
  const [x1, y1] = [a[0] + BOX.width / 2, a[1] + (e.from < count ? BOX.height : 0)];
  const [x2, y2] = [b[0] + BOX.width / 2, b[1]];
  const bend = Math.max(12, Math.abs(y2 - y1) / 3);
  const own = e.from === selected || e.to === selected;
  const line = svg("path", {
    class: `dep ${e.kind}${critical ? " critical" : ""}${own ? " own" : ""}`,
    d: `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`,
  });
  line.append(svg("title", {}, `${e.kind}, ${e.cycles} cycles apart`));
  return line;
}

/** @param {number} n @param {DagNote} dag @param {number[]} ids @param {string[]} texts @param {Map<number, [number, number]>} places @param {boolean} critical */
function dagNode(n, dag, ids, texts, places, critical) {
  const [x, y] = places.get(n) ?? [0, 0];
  const id = ids[n];
  const lit = app.lit.own.has(id) ? " self" : app.lit.kin.has(id) ? " kin" : "";
  const g = svg("g", {
    class: `node dagnode${critical ? " critical" : ""}${lit}`,
    transform: `translate(${x} ${y})`,
    "data-id": id,
  });
  g.append(svg("rect", { width: BOX.width, height: BOX.height, rx: 4 }));
  const text = texts[n].length > 27 ? `${texts[n].slice(0, 26)}…` : texts[n];
  g.append(svg("text", { x: 6, y: 13, class: "code" }, text));
  const slack = longestPath(dag) - dag.earliest[n] - dag.ahead[n];
  const words = `${id} · issues at ${dag.issue[n]}${slack === 0 ? "" : ` · slack ${slack}`}`;
  g.append(svg("text", { x: 6, y: 25, class: "faint small" }, words));
  g.append(
    svg(
      "title",
      {},
      `${texts[n]}\nearliest cycle ${dag.earliest[n]}, ${dag.ahead[n]} cycles to the end, slack ${slack}`,
    ),
  );
  g.addEventListener("click", () => goToInst(id));
  return g;
}

/** What the selected instruction waits for and what waits for it, as a table. @param {DagNote} dag @param {Edge[]} edges @param {number[]} ids @param {string[]} texts @param {number} selected */
function selectedWaits(dag, edges, ids, texts, selected) {
  if (selected < 0) return make("p", "faint", "Select an instruction of the block to see what it waits for.");
  const of = (/** @type {number} */ n) => (n < ids.length ? texts[n] : "several (a join)");
  const rows = edges.flatMap((e) => {
    if (e.from !== selected && e.to !== selected) return [];
    const other = e.from === selected ? e.to : e.from;
    const binding =
      e.to === selected && e.from < ids.length && dag.earliest[e.from] + e.cycles === dag.earliest[selected];
    return [
      [
        e.to === selected ? "waits for" : "is waited for by",
        other < ids.length ? instLink(ids[other]) : "",
        of(other),
        e.kind,
        e.cycles,
        binding ? "sets its earliest cycle" : "",
      ],
    ];
  });
  return tableOf([`${ids[selected]}: ${texts[selected]}`, "", "instruction", "why", "cycles", ""], rows);
}
