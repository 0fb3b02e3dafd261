/**
 * Small bodies and single decisions of control flow with what ptxas -O3 makes of them, of which test/phases/bodies.jsonl keeps those that tell faults
 * apart: mnemonics (guards among them), registers, and what its code leaves in memory. A row a line; made by tools/faults/choose.ts.
 */
import { createHash } from "node:crypto";
import { readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";
import { Device } from "../../lib/sim/index.js";
import { bodyKernel, bytesPerLane } from "../bodies/generate.js";
import { bagOf, listings as codeOf } from "../flow/decisions.js";
import { kernelText, moduleText, stream } from "../flow/kernels.js";

export interface Row {
  readonly sm: number;
  /** Straight-line code (tools/bodies) or a decision of control flow (tools/flow). */
  readonly frame: "body" | "flow";
  /** PTX within the frame. */
  readonly body: string;
  /** Mnemonics, as many as there are, sorted. */
  readonly code: string;
  /** Registers of a thread; −1: ours are not ptxas's. */
  readonly registers: number;
  /** SHA-1 of the output, "" where it depends on the order of lanes. */
  readonly leaves: string;
}

const frames = { body: bodyKernel, flow: kernelText } as const;

/** The PTX module of a row. */
export const textOf = ({ sm, frame, body }: Pick<Row, "sm" | "frame" | "body">): string =>
  moduleText(sm, [frames[frame]("k", body)]);

/** Mnemonics of a cubin's kernel, sorted, `@` before guarded ones. */
export function codeIn(cubin: Uint8Array): string {
  const bag = bagOf(codeOf(cubin).get("k") ?? []);
  return Object.keys(bag)
    .sort()
    .map((m) => `${bag[m]} ${m}`)
    .join(", ");
}

/** Registers of a thread. */
export const registersIn = (cubin: Uint8Array): number =>
  unwrap(readCubin(cubin)).functions.find((f) => f.name === "k")?.registers ?? -1;

const THREADS = 64;
const SIZE = bytesPerLane * THREADS + 512;
const edges = [
  0, 1, 2, 31, 32, 0xffff_ffff, 0x7fff_ffff, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x3f80_0000, 0x0080_0000,
];

/** Small numbers, so that switches and bounds of loops are met, edges and others. */
function inputs(): Uint8Array {
  const r = stream(5);
  const words = Uint32Array.from({ length: SIZE / 4 }, (_, i) => {
    if (i % 4 === 1 && r() < 0.8) return Math.floor(r() * 12);
    const kind = r();
    if (kind < 0.3) return Math.floor(r() * 24);
    return kind < 0.5 ? (edges[Math.floor(r() * edges.length)] as number) : Math.floor(r() * 2 ** 32);
  });
  return new Uint8Array(words.buffer);
}

/** What the kernel leaves in memory, as a hash; a fault is told instead. */
export function leavesOf(cubin: Uint8Array, frame: Row["frame"]): string {
  const device = new Device();
  const module = unwrap(device.load(cubin));
  const [input, output] = [device.alloc(SIZE), device.alloc(SIZE)];
  device.write(input, inputs());
  const run = device.launch(module, {
    kernel: "k",
    block: THREADS,
    params: [{ u64: input }, { u64: output }, { u32: 5 }, ...(frame === "flow" ? [{ u32: 9 }] : [])],
    maxInstructions: 20_000_000,
  });
  if (!run.ok) return `refused: ${run.diagnostics[0]?.message}`;
  if (run.value.fault !== null) return `fault: ${run.value.fault.kind}`;
  return createHash("sha1").update(device.read(output, SIZE)).digest("hex");
}
