/** Relocatable objects of ptxas, many kernels in each, and what stands in them: words, capsules, sizes. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EIATTR } from "../../lib/elf/cubin/attributes.js";
import { type CapsuleUnit, readCapsule } from "../../lib/elf/cubin/capmerc.js";
import { decodeInfo, encodeInfo, infoWords, wordsRecord } from "../../lib/elf/cubin/info.js";
import { readElf, SHDR_SIZE, view } from "../../lib/elf/elf64.js";
import { tool } from "../../test/oracle/tools.js";
import { moduleText, refusals } from "../harvest/compile.js";
import type { Kernel } from "../harvest/kernels/index.js";

export const CAPSULE = ".nv.capmerc.text.";

export function sectionsOf(file: Uint8Array): Map<string, Uint8Array> {
  const elf = readElf(file);
  if (!elf.ok) throw new Error(elf.diagnostics[0]!.message);
  return new Map(elf.value.sections.map((s) => [s.name, s.data]));
}

export function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer);
}

/** One text as an object; null if ptxas refuses it. */
export function objectOf(dir: string, text: string, sm: string, level: number): Uint8Array | string {
  const ptx = join(dir, "k.ptx");
  const out = join(dir, "k.o");
  writeFileSync(ptx, text);
  rmSync(out, { force: true });
  const ran = tool("ptxas", ["-c", `-arch=sm_${sm}`, `-O${level}`, ptx, "-o", out]);
  return ran.status === 0 && existsSync(out) ? Uint8Array.from(readFileSync(out)) : ran.stderr || "died";
}

/** Objects of all kernels that ptxas does not refuse; those it refuses are taken out, and the rest compiled again. */
export function objectsOf(
  dir: string,
  kernels: readonly Kernel[],
  sm: string,
  level: number,
  take: (file: Uint8Array) => void,
): void {
  let left = kernels;
  while (left.length > 0) {
    const { text, starts } = moduleText(left, sm);
    const made = objectOf(dir, text, sm, level);
    if (typeof made !== "string") {
      take(made);
      return;
    }
    const bad = refusals(made, left, starts);
    if (bad.size === 0) {
      if (left.length === 1) return;
      const half = left.length >> 1;
      objectsOf(dir, left.slice(0, half), sm, level, take);
      objectsOf(dir, left.slice(half), sm, level, take);
      return;
    }
    left = left.filter((_, i) => !bad.has(i));
  }
}

export interface FunctionFacts {
  readonly name: string;
  readonly words: Uint32Array;
  readonly capsule: Uint8Array;
  readonly units: readonly CapsuleUnit[];
}

/** All functions with capsules of an object. */
export function functionsOf(file: ReadonlyMap<string, Uint8Array>): FunctionFacts[] {
  const out: FunctionFacts[] = [];
  for (const [section, capsule] of file) {
    if (!section.startsWith(CAPSULE)) continue;
    const name = section.slice(CAPSULE.length);
    const read = readCapsule(capsule);
    if (read === null) throw new Error(`${name}: unreadable capsule`);
    const words = wordsOf(file.get(`.text.${name}`)!);
    const covered = read.units.reduce((n, u) => n + u.words, 0);
    if (covered * 4 !== words.length) throw new Error(`${name}: ${covered} words of ${words.length / 4}`);
    out.push({ name, words, capsule, units: read.units });
  }
  return out;
}

/** The file with other bytes for some sections: they go to the end. */
export function replaced(file: Uint8Array, change: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const elf = readElf(file);
  if (!elf.ok) throw new Error(elf.diagnostics[0]!.message);
  let end = file.length;
  for (const bytes of change.values()) end = ((end + 15) & ~15) + bytes.length;
  const out = new Uint8Array(end);
  out.set(file);
  const v = view(out);
  const table = Number(v.getBigUint64(40, true));
  let at = file.length;
  elf.value.sections.forEach((s, i) => {
    const bytes = change.get(s.name);
    if (bytes === undefined) return;
    at = (at + 15) & ~15;
    out.set(bytes, at);
    v.setBigUint64(table + i * SHDR_SIZE + 24, BigInt(at), true);
    v.setBigUint64(table + i * SHDR_SIZE + 32, BigInt(bytes.length), true);
    at += bytes.length;
  });
  return out;
}

/** Nothing excuses the linker from going by the capsules (CAN_FASTPATH_FINALIZE is the last attribute). */
export function finalizing(sections: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> {
  const compat = sections.get(".nv.compat")!.slice();
  compat[compat.length - 8] = 0;
  return new Map([[".nv.compat", compat]]);
}

/** Milliseconds; some words that no compiler writes keep nvlink for ever. */
const LINK_TIME = 20_000;

/** What nvlink makes of an object, or what it says. */
export function linked(dir: string, file: Uint8Array, sm: string): Uint8Array | string {
  const path = join(dir, "l.o");
  const out = join(dir, "l.cubin");
  writeFileSync(path, file);
  rmSync(out, { force: true });
  const ran = tool("nvlink", [`-arch=sm_${sm}`, path, "-o", out], { timeout: LINK_TIME });
  const said = ran.stdout + ran.stderr;
  return ran.status === 0 && said === "" && existsSync(out) ? Uint8Array.from(readFileSync(out)) : said || "died";
}

const EXITS = EIATTR.EXIT_INSTR_OFFSETS;
/** Addresses that nvlink is asked about at once: of more it tells other things. */
export const MOST = 4000;

/**
 * Bytes of every Mercury instruction of every function, in order: nvlink says for every address that is asked as an EXIT's what becomes
 * of it in the text, zero if no instruction begins there.
 */
export function sizesOf(dir: string, file: Uint8Array, sm: string): Map<string, number[]> | string {
  const sections = sectionsOf(file);
  const change = finalizing(sections);
  const asked = new Map<string, number>();
  for (const { name, words } of functionsOf(sections)) {
    const records = decodeInfo(sections.get(`.nv.merc.nv.info.${name}`)!);
    if (!records.ok) return `${name}: unreadable`;
    const count = (words.length / 4) * 2;
    asked.set(name, count);
    const kept = records.value.filter((r) => r.code !== EXITS);
    for (let from = 0; from < count; from += MOST)
      kept.push(
        wordsRecord(
          EXITS,
          Array.from({ length: Math.min(MOST, count - from) }, (_, i) => (from + i) * 16),
        ),
      );
    change.set(`.nv.merc.nv.info.${name}`, encodeInfo(kept));
  }
  const made = linked(dir, replaced(file, change), sm);
  if (typeof made === "string") return made;
  const out = new Map<string, number[]>();
  const answers = sectionsOf(made);
  for (const [name, count] of asked) {
    const info = answers.get(`.nv.info.${name}`);
    const records = info === undefined ? null : decodeInfo(info);
    if (records === null || !records.ok) return `${name}: no answer`;
    const answer = records.value.filter((r) => r.code === EXITS).flatMap(infoWords);
    if (answer.length !== count) return `${name}: ${answer.length} answers to ${count}`;
    const starts = answer.flatMap((to, i) => (to !== 0 || i === 0 ? [i * 16] : []));
    out.set(
      name,
      starts.slice(1).map((s, i) => s - starts[i]!),
    );
  }
  return out;
}
