/** Kernels of loads, stores, atomics and reductions: each thread has 64 bytes of its own in every state space. */
import { bitsOfLetter, expand } from "../../tools/harvest/kernels/template.js";
import { BLOCK, columnOffset, type Pool } from "./instruction-inputs.js";
import { type GpuKernels, operands } from "./instruction-kernels.js";

interface Space {
  /** After the instruction's name. */
  readonly word: string;
  /** Register with the address of the thread's bytes. */
  readonly address: string;
  readonly declarations: string;
  /** Computes the address, and fills the bytes with those of the scratch memory. */
  readonly before: string;
  /** Copies the bytes back. */
  readonly after: string;
}

const copy = (from: string, source: string, to: string, target: string): string =>
  [0, 16, 32, 48]
    .map(
      (o) =>
        `ld.${from}.v4.b32 {%x20,%x21,%x22,%x23},[${source}+${o}];\nst.${to}.v4.b32 [${target}+${o}],{%x20,%x21,%x22,%x23};\n`,
    )
    .join("");

const SHARED = `.shared .align 16 .b8 sm@N[${BLOCK * 64}];\n`;
const sharedAddress = "mov.u32 %x5, sm@N;\nmad.lo.u32 %x5,%x0,64,%x5;\n";
const inShared = (word: string): Space => ({
  word,
  address: "%x5",
  declarations: SHARED,
  before: sharedAddress + copy("global", "%y4", "shared", "%x5"),
  after: copy("shared", "%x5", "global", "%y4"),
});
const LOCAL_ADDRESS = ".local .align 16 .b8 lc[64];\nmov.u32 %x6, lc;\n";
const spaces: Readonly<Record<string, Space>> = {
  global: { word: ".global", address: "%y4", declarations: "", before: "", after: "" },
  generic: { word: "", address: "%y4", declarations: "", before: "", after: "" },
  shared: inShared(".shared"),
  sharedCta: inShared(".shared::cta"),
  local: {
    word: ".local",
    address: "%x6",
    declarations: "",
    before: LOCAL_ADDRESS + copy("global", "%y4", "local", "%x6"),
    after: copy("local", "%x6", "global", "%y4"),
  },
  genericShared: {
    word: "",
    address: "%y5",
    declarations: SHARED,
    before: `${sharedAddress}${copy("global", "%y4", "shared", "%x5")}cvt.u64.u32 %y5,%x5;\ncvta.shared.u64 %y5,%y5;\n`,
    after: copy("shared", "%x5", "global", "%y4"),
  },
  genericLocal: {
    word: "",
    address: "%y5",
    declarations: "",
    before: `${LOCAL_ADDRESS}${copy("global", "%y4", "local", "%x6")}cvt.u64.u32 %y5,%x6;\ncvta.local.u64 %y5,%y5;\n`,
    after: copy("local", "%x6", "global", "%y4"),
  },
};

const LETTER: Readonly<Record<string, string>> = {
  b8: "h",
  u8: "h",
  s8: "h",
  b16: "h",
  u16: "h",
  s16: "h",
  f16: "h",
  bf16: "h",
  b32: "r",
  u32: "r",
  s32: "r",
  f16x2: "r",
  bf16x2: "r",
  b64: "l",
  u64: "l",
  s64: "l",
  f32: "f",
  f64: "d",
};
const BYTES: Readonly<Record<string, number>> = { "8": 1, "16": 2, "32": 4, "64": 8 };
const bytesOf = (type: string): number => (type.endsWith("x2") ? 4 : BYTES[/\d+$/.exec(type)![0]]!);

/** What loads may have before the state space, and after it. */
const LOADS = expand("<|.volatile|.relaxed.cta|.relaxed.gpu|.relaxed.sys|.acquire.cta|.acquire.gpu>");
const STORES = expand("<|.volatile|.relaxed.cta|.relaxed.gpu|.relaxed.sys|.release.cta|.release.gpu>");
const LOAD_HINTS = expand(
  "<.ca|.cg|.cs|.lu|.cv|.nc|.L1::evict_first|.L1::evict_last|.L1::no_allocate|.L1::evict_unchanged|.L2::64B|.L2::128B|.L2::256B>",
);
const STORE_HINTS = expand("<.wb|.cg|.cs|.wt|.L1::evict_first|.L1::evict_last|.L1::no_allocate>");

function load(
  k: GpuKernels,
  op: string,
  at: Space,
  vector: number,
  type: string,
  letter: string,
  offset: number,
): void {
  const regs = Array.from({ length: vector }, (_, i) => `%${letter}${20 + i}`);
  const to = vector === 1 ? regs[0]! : `{${regs.join(",")}}`;
  k.add(`${op}${vector === 1 ? "" : `.v${vector}`}.${type} ${to},[${at.address}+${offset}];`, {
    ...at,
    results: regs.map((r) => [letter, r] as const),
    scratch: true,
  });
}

function store(
  k: GpuKernels,
  op: string,
  at: Space,
  vector: number,
  type: string,
  letter: string,
  offset: number,
  constant = false,
): void {
  const pool: Pool =
    letter === "h" ? "i16" : letter === "r" ? "i32" : letter === "l" ? "i64" : letter === "f" ? "f32" : "f64";
  const regs = Array.from({ length: vector }, (_, i) =>
    constant && i === 0
      ? letter === "f"
        ? "0f40490FDB"
        : letter === "d"
          ? "0d400921FB54442D18"
          : "0x5b"
      : `%${letter}${1 + i}`,
  );
  const values = regs
    .map((r, i) =>
      r.startsWith("%") ? `ld.global.${bitsOfLetter(letter)} ${r},[%y2+${columnOffset(pool, i)}];\n` : "",
    )
    .join("");
  k.add(
    `${op}${vector === 1 ? "" : `.v${vector}`}.${type} [${at.address}+${offset}],${vector === 1 ? regs[0] : `{${regs.join(",")}}`};`,
    {
      ...at,
      before: at.before + values,
      results: [],
      scratch: true,
    },
  );
}

function accesses(k: GpuKernels): void {
  for (const at of Object.values(spaces))
    for (const type of ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "s64", "f64"])
      for (const vector of [1, 2, 4]) {
        if (bytesOf(type) * vector > 16) continue;
        // A narrow value into wider registers: its extension is part of the meaning.
        const wider =
          vector === 1 && bytesOf(type) < 8 && !type.startsWith("f") ? (bytesOf(type) < 4 ? ["r", "l"] : ["l"]) : [];
        for (const letter of [LETTER[type]!, ...wider]) {
          load(k, `ld${at.word}`, at, vector, type, letter, 16);
          store(k, `st${at.word}`, at, vector, type, letter, 32);
        }
        if (vector < 4) store(k, `st${at.word}`, at, vector, type, LETTER[type]!, 48, true);
      }
  for (const type of ["s8", "b32", "b64"]) {
    for (const at of [spaces.global!, spaces.shared!, spaces.generic!]) {
      for (const q of LOADS) load(k, `ld${q}${at.word}`, at, 1, type, LETTER[type]!, 0);
      for (const q of STORES) store(k, `st${q}${at.word}`, at, 1, type, LETTER[type]!, 8);
    }
    for (const vector of [1, 2]) {
      for (const q of LOAD_HINTS) load(k, `ld.global${q}`, spaces.global!, vector, type, LETTER[type]!, 0);
      for (const q of STORE_HINTS) store(k, `st.global${q}`, spaces.global!, vector, type, LETTER[type]!, 16);
    }
  }
  const table = Array.from({ length: 64 }, (_, i) => (i * 0x9e3779b1) >>> 0).join(",");
  for (const type of ["u8", "s8", "u16", "s16", "b32", "b64", "f32", "f64"])
    for (const vector of [1, 2])
      for (const where of ["%y5", "cc@N"]) {
        const letter = LETTER[type]!;
        const regs = Array.from({ length: vector }, (_, i) => `%${letter}${20 + i}`);
        k.add(
          `ld.const${vector === 1 ? "" : ".v2"}.${type} ${vector === 1 ? regs[0] : `{${regs.join(",")}}`},[${where === "%y5" ? where : "cc"}+16];`.replace(
            "[cc+",
            "[cc@N+",
          ),
          {
            declarations: `.const .align 16 .b32 cc@N[64] = {${table}};\n`,
            before: "and.b32 %x5,%x3,7;\nmul.wide.u32 %y6,%x5,16;\nmov.u64 %y5, cc@N;\nadd.u64 %y5,%y5,%y6;\n",
            results: regs.map((r) => [letter, r] as const),
          },
        );
      }
}

const OPERATIONS = expand(
  "<add.<u32|s32|u64|f32|f64|noftz.f16|noftz.bf16|noftz.f16x2|noftz.bf16x2>|<min|max>.<u32|s32|u64|s64>|<and|or|xor|exch>.<b32|b64>|<inc|dec>.u32>",
);
const ORDERS = expand("<.relaxed|.acquire|.release|.acq_rel><.cta|.gpu|.sys>");

function atomics(k: GpuKernels): void {
  const places = [spaces.global!, spaces.shared!, spaces.generic!, spaces.genericShared!];
  const one = (at: Space, order: string, o: string, kind: string): void => {
    const type = o.split(".").at(-1)!;
    const c = LETTER[type]!;
    const offset = 16;
    const v = operands(`atom.${o}`, c, kind);
    const body = { ...at, before: at.before + v.code, constants: v.constants, scratch: true };
    k.add(`atom${order}${at.word}.${o} %${c}20,[${at.address}+${offset}],${v.names[0]};`, {
      ...body,
      results: [[c, `%${c}20`]],
    });
    if (!o.startsWith("exch") && !order.includes("acq"))
      k.add(`red${order}${at.word}.${o} [${at.address}+${offset}],${v.names[0]};`, { ...body, results: [] });
  };
  for (const at of places) {
    for (const o of OPERATIONS) for (const kind of ["R", "I"]) one(at, "", o, kind);
    for (const order of ORDERS) for (const o of ["add.u32", "min.s32", "exch.b32"]) one(at, order, o, "R");
    for (const type of ["b16", "b32", "b64"]) {
      const c = LETTER[type]!;
      // Half of the comparisons succeed: the value that memory holds.
      const v = operands(`atom.cas.${type}`, c + c, "RR");
      const half = `ld${at.word}.${type} %${c}9,[${at.address}+8];\nand.b32 %x9,%x3,1;\nsetp.ne.u32 %q5,%x9,0;\n@%q5 mov.b${type.slice(1)} ${v.names[0]},%${c}9;\n`;
      k.add(`atom${at.word}.cas.${type} %${c}20,[${at.address}+8],${v.names.join(",")};`, {
        ...at,
        before: at.before + v.code + half,
        results: [[c, `%${c}20`]],
        scratch: true,
      });
    }
  }
  // All threads of the grid, or of a block, at one address: the sum does not depend on their order.
  for (const o of expand("<add.<u32|u64>|<min|max>.<u32|s32|u64|s64>|<and|or|xor>.<b32|b64>>")) {
    const type = o.split(".").at(-1)!;
    const c = LETTER[type]!;
    const v = operands(`red.${o}`, c, "R");
    k.add(`red.global.${o} [%y6],${v.names[0]};`, {
      before: `${v.code}add.u64 %y6,%y1,8;\n`,
      results: [],
      scratch: true,
    });
    k.add(`bar.sync 0; red.shared.${o} [sm@N+8],${v.names[0]}; bar.sync 0;`.replace("@N", "@N"), {
      ...spaces.shared!,
      before: spaces.shared!.before + v.code,
      results: [],
      scratch: true,
    });
  }
  for (const o of ["inc.u32", "dec.u32"])
    k.add(`red.global.${o} [%y6],77;`, { before: "add.u64 %y6,%y1,8;\n", results: [], scratch: true });
}

function addresses(k: GpuKernels): void {
  const before = `${spaces.genericShared!.before}${LOCAL_ADDRESS.replace("lc[64]", "lc[64]")}cvt.u64.u32 %y6,%x6;\ncvta.local.u64 %y6,%y6;\n`;
  for (const s of ["global", "shared", "local", "const", "shared::cta", "shared::cluster", "param"])
    for (const [y, what] of [
      ["%y4", "a global"],
      ["%y5", "a shared"],
      ["%y6", "a local"],
    ] as const)
      k.add(`isspacep.${s} %p1,${y}; // ${what} address`, {
        declarations: SHARED,
        before,
        results: [["p", "%p1"]],
        scratch: true,
      });
  for (const s of ["shared", "local"])
    k.add(
      `cvta.to.${s}.u64 %l20,%y${s === "shared" ? 5 : 6}; cvta.${s}.u64 %l21,%l20; sub.u64 %l21,%l21,%y${s === "shared" ? 5 : 6};`,
      {
        declarations: SHARED,
        before,
        results: [["l", "%l21"]],
        scratch: true,
      },
    );
  k.add("cvta.to.global.u64 %l20,%y4; cvta.global.u64 %l21,%l20; sub.u64 %l20,%l20,%y4; sub.u64 %l21,%l21,%y4;", {
    results: [
      ["l", "%l20"],
      ["l", "%l21"],
    ],
    scratch: true,
  });
}

export function addMemory(k: GpuKernels): void {
  accesses(k);
  atomics(k);
  addresses(k);
}
