/** Findings, each said once, with the texts of the instructions concerned. */
import { renderInst } from "../isa/text.js";
import { GROUP_SB, type Sites, unitName } from "./sites.js";
import { PENDING_READ, type State } from "./state.js";
import type { Finding, FindingKind, FindingSite } from "./types.js";

export class Report {
  private readonly found = new Map<string, Finding>();

  constructor(
    private readonly name: string,
    private readonly sites: Sites,
  ) {}

  sorted(): Finding[] {
    return [...this.found.values()].sort(
      (a, b) => a.at.address - b.at.address || (a.since?.address ?? -1) - (b.since?.address ?? -1),
    );
  }

  /** Too close together: `cycles` where `need` are needed. */
  distance(kind: "raw" | "waw" | "war", i: number, source: number, unit: number, need: number, cycles: number): void {
    const register = unitName(unit);
    const what = {
      raw: `reads ${register} ${cycles} cycles after its producer issued, ${need} are needed`,
      waw: `writes ${register} ${cycles} cycles after another writer issued, ${need} are needed to keep their order`,
      war: `writes ${register} ${cycles} cycles after a reader issued, ${need} are needed`,
    }[kind];
    this.add(kind, i, source >> 5, register, need, cycles, what);
  }

  /** Entry e of the state is still in flight. */
  pending(kind: "result" | "overwrite" | "operand" | "call", i: number, state: State, e: number, unit: number): void {
    const register = unitName(unit);
    const late = state.kind[e] === PENDING_READ ? `may still have to be read` : `may still have to be written`;
    const doing = kind === "result" ? "reads" : kind === "call" ? "leaves while" : "writes";
    const mask = state.mask[e]!;
    const waits = this.sites.wait[i]! & mask;
    const why =
      mask === 0
        ? "no scoreboard tells when"
        : waits !== 0
          ? `${scoreboards(waits)} was set too shortly before this wait to be seen by it`
          : `${scoreboards(mask)} tells when, and was not waited for`;
    const what = kind === "call" ? `${doing} ${register} ${late}` : `${doing} ${register}, which ${late}`;
    this.add(kind, i, state.source[e]! >> 5, register, null, null, `${what}: ${why}`);
  }

  reuse(i: number, source: number, register: number): void {
    const what = `takes R${register} from the reuse cache, which holds the value from before its last write`;
    this.add("reuse", i, source >> 5, `R${register}`, null, null, what);
  }

  group(i: number, state: State, e: number): void {
    const mask = state.mask[e]!;
    const where = mask === 0 ? "no scoreboard" : scoreboards(mask);
    const what = `does not see the group of copies that counts on ${where}`;
    this.add("group", i, state.source[e]! >> 5, "", null, null, what);
  }

  /** The cache is thrown away while an access that acquires may be in flight. */
  acquire(i: number, state: State, e: number): void {
    const mask = state.mask[e]!;
    const told = mask === 0 ? "nothing tells when it is done" : `${scoreboards(mask)} is not waited for`;
    this.add(
      "acquire",
      i,
      state.source[e]! >> 5,
      "",
      null,
      null,
      `empties the cache while a strong access is in flight: ${told}`,
    );
  }

  /** A product of a warp group reads what no WARPGROUP.ARRIVE has handed over. */
  unfenced(i: number, source: number, unit: number): void {
    const register = unitName(unit);
    const what = `takes ${register}, which was not there when WARPGROUP.ARRIVE last handed registers over`;
    this.add("arrive", i, source >> 5, register, null, null, what);
  }

  arrival(i: number, source: number, need: number, cycles: number): void {
    const what = `issues ${cycles} cycles after WARPGROUP.ARRIVE, ${need} are needed`;
    this.add("arrive", i, source >> 5, "", need, cycles, what);
  }

  /** What concerns one instruction alone. */
  alone(
    kind: FindingKind,
    i: number,
    reason: string,
    required: number | null = null,
    actual: number | null = null,
  ): void {
    this.add(kind, i, -1, "", required, actual, reason);
  }

  private add(
    kind: FindingKind,
    i: number,
    since: number,
    register: string,
    required: number | null,
    actual: number | null,
    reason: string,
  ): void {
    const key = `${kind} ${i} ${since} ${register}`;
    const old = this.found.get(key);
    if (old !== undefined && (old.actual ?? 0) <= (actual ?? 0)) return;
    this.found.set(key, {
      kind,
      function: this.name,
      at: this.site(i),
      since: since < 0 ? null : this.site(since),
      register,
      required,
      actual,
      reason,
    });
  }

  private site(i: number): FindingSite {
    const inst = this.sites.insts[i] ?? null;
    const label = (o: { value: number }): string => `0x${o.value.toString(16)}`;
    return { address: 16 * i, text: inst === null ? "?" : renderInst(inst, { isa: this.sites.target.isa, label }) };
  }
}

function scoreboards(mask: number): string {
  const names: string[] = [];
  for (let k = 0; k <= GROUP_SB; k++) if ((mask >> k) & 1) names.push(k === GROUP_SB ? "gsb0" : `SB${k}`);
  return names.join(" or ");
}

/** One line: `address: reason  [instruction]  <- address [instruction]`. */
export function findingText(f: Finding): string {
  const at = (s: FindingSite): string => `/*${s.address.toString(16).padStart(4, "0")}*/ ${s.text}`;
  const since = f.since === null ? "" : `; since ${at(f.since)}`;
  return `${f.function} ${at(f.at)}: ${f.kind}: ${f.reason}${since}`;
}
