/** The blocks of a launch: their clusters, numbers, order, and the indices of their threads. */
import type { Launch } from "./launched.js";
import { shuffled } from "./threads/order.js";

export class Grid {
  readonly clusters: number;

  constructor(private readonly launch: Launch) {
    const { grid, cluster } = launch;
    this.clusters = (grid[0] / cluster[0]) * (grid[1] / cluster[1]) * (grid[2] / cluster[2]);
  }

  /** Numbers of the clusters that this thread starts, in their order. */
  *inOrder(): Generator<number, void> {
    const { clusters } = this;
    const { order, share } = this.launch;
    const nth = order === undefined ? (k: number): number => k : shuffled(clusters, order);
    for (let k = 0; ; k++) {
      const i = share === undefined ? k : share.claim();
      if (i >= clusters) return;
      if (this.wanted(nth(i))) yield nth(i);
    }
  }

  blocksOf(cluster: number): [number, number, number][] {
    const [cx, cy, cz] = this.launch.cluster;
    const nx = this.launch.grid[0] / cx;
    const ny = this.launch.grid[1] / cy;
    const x0 = (cluster % nx) * cx;
    const y0 = (Math.floor(cluster / nx) % ny) * cy;
    const z0 = Math.floor(cluster / (nx * ny)) * cz;
    return Array.from({ length: cx * cy * cz }, (_, rank) => [
      x0 + (rank % cx),
      y0 + (Math.floor(rank / cx) % cy),
      z0 + Math.floor(rank / (cx * cy)),
    ]);
  }

  blockNumber([x, y, z]: readonly [number, number, number]): number {
    return x + this.launch.grid[0] * (y + this.launch.grid[1] * z);
  }

  private wanted(cluster: number): boolean {
    const { only } = this.launch;
    return only === undefined || this.blocksOf(cluster).some((at) => only.has(this.blockNumber(at)));
  }
}

/** x, y and z of a warp's threads, from the number of its first. */
export function threadIndices(
  first: number,
  block: readonly [number, number, number],
): readonly [Int32Array, Int32Array, Int32Array] {
  const x = new Int32Array(32);
  const y = new Int32Array(32);
  const z = new Int32Array(32);
  for (let l = 0; l < 32; l++) {
    const t = first + l;
    x[l] = t % block[0];
    y[l] = Math.floor(t / block[0]) % block[1];
    z[l] = Math.floor(t / (block[0] * block[1]));
  }
  return [x, y, z];
}
