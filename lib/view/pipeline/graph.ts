/** Pictures of control-flow graphs: where blocks and edges stand, worked out once per shape of graph. */
import type { PipelineBlock } from "./data.js";

/** Size of a block in CSS pixels. */
export const NODE = { width: 132, height: 34 } as const;
/** With more blocks than this they stand below one another in the order of the code (client/graph.js): a layout in layers would take seconds. */
const MOST_LAYERED = 120;
/** Room between layers. */
export const GAP = 26;

export interface GraphPicture {
  readonly width: number;
  readonly height: number;
  /** Centre of each block, in the order of the code. */
  readonly nodes: readonly (readonly [x: number, y: number])[];
  /** From, to (positions in the order of the code) and the points between: x, y, x, y … */
  readonly edges: readonly (readonly [from: number, to: number, points: readonly number[]])[];
}

type Edge = readonly [from: number, to: number];

function edgesOf(blocks: readonly PipelineBlock[]): Edge[] {
  const at = new Map(blocks.map((b, i) => [b.id, i]));
  return blocks.flatMap((b, i) => b.succs.flatMap((s) => (at.has(s) ? [[i, at.get(s) as number] as const] : [])));
}

/** Draws graphs; one of the same shape as an earlier one is not drawn again. */
export class Pictures {
  readonly pictures: GraphPicture[] = [];
  private readonly known = new Map<string, number>();

  /** Index into `pictures`, −1 where the page puts the blocks below one another. */
  async of(blocks: readonly PipelineBlock[]): Promise<number> {
    if (blocks.length > MOST_LAYERED) return -1;
    const key = JSON.stringify(blocks.map((b) => [b.id, b.succs, b.loops]));
    const index = this.known.get(key) ?? this.pictures.length;
    if (index === this.pictures.length) {
      this.known.set(key, index);
      this.pictures.push(await layered(blocks));
    }
    return index;
  }
}

const rounded = (n: number): number => Math.round(n);

/** In layers by dagre (Gansner et al., "A technique for drawing directed graphs", 1993); loops keep together. */
async function layered(blocks: readonly PipelineBlock[]): Promise<GraphPicture> {
  const { default: dagre } = await import("@dagrejs/dagre");
  const g = new dagre.graphlib.Graph({ compound: true });
  g.setGraph({ nodesep: 22, ranksep: GAP, marginx: 12, marginy: 12 });
  g.setDefaultEdgeLabel(() => ({}));
  blocks.forEach((b, i) => {
    g.setNode(`b${i}`, { width: NODE.width, height: NODE.height });
    b.loops.forEach((header, k) => {
      const name = `loop${header}`;
      if (!g.hasNode(name)) g.setNode(name, {});
      if (k > 0) g.setParent(name, `loop${b.loops[k - 1]}`);
    });
    if (b.loops.length > 0) g.setParent(`b${i}`, `loop${b.loops.at(-1)}`);
  });
  const edges = edgesOf(blocks);
  for (const [from, to] of edges) g.setEdge(`b${from}`, `b${to}`);
  dagre.layout(g);
  const { width = 0, height = 0 } = g.graph();
  return {
    width: rounded(width),
    height: rounded(height),
    nodes: blocks.map((_, i) => {
      const { x, y } = g.node(`b${i}`);
      return [rounded(x ?? 0), rounded(y ?? 0)];
    }),
    edges: edges.map(([from, to]) => {
      const { points = [] } = g.edge(`b${from}`, `b${to}`);
      return [from, to, points.flatMap((p: { x: number; y: number }) => [rounded(p.x), rounded(p.y)])];
    }),
  };
}
