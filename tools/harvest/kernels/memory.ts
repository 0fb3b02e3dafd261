/** Kernels of loads, stores, atomics, reductions, and what they need before and after. */
import { bitsOfLetter, expand, type Kernels, keep, operands } from "./template.js";

interface Space {
  /** After the instruction's name. */
  readonly word: string;
  readonly address: string;
  readonly before: string;
  readonly declarations: string;
}

const SHARED = ".shared .align 16 .b8 sm@N[4096];\n";
export const SHARED_DECLARATION: string = SHARED;
export const SHARED_ADDRESS = " mov.u32 %x20, sm@N; mad.lo.u32 %x20,%x0,16,%x20;";

const space = (word: string, address: string, before = "", declarations = ""): Space => ({
  word,
  address,
  before,
  declarations,
});
const GLOBAL = space(".global", "%y2");
const IN_SHARED = space(".shared", "%x20", SHARED_ADDRESS, SHARED);
const CLUSTER = space(".shared::cluster", "%x20", SHARED_ADDRESS, SHARED);
const LOCAL = space(".local", "%x21", " .local .align 16 .b8 lc[256]; mov.u32 %x21, lc; mad.lo.u32 %x21,%x0,16,%x21;");
const CONST = space(
  ".const",
  "%y5",
  " mov.u64 %y5, cc@N; mul.wide.u32 %y6,%x0,16; add.s64 %y5,%y5,%y6;",
  ".const .align 16 .b8 cc@N[4096];\n",
);
const GENERIC = space("", "%y2");

const LETTER: Readonly<Record<string, string>> = {
  b8: "h",
  u8: "h",
  s8: "h",
  b16: "h",
  u16: "h",
  s16: "h",
  b32: "r",
  s32: "r",
  u32: "r",
  b64: "l",
  u64: "l",
  s64: "l",
  f32: "f",
  f64: "d",
  f16: "h",
  bf16: "h",
  f16x2: "r",
  bf16x2: "r",
};

function access(k: Kernels, op: string, at: Space, type: string, vector: string, offset: number, extra = ""): void {
  const c = LETTER[type]!;
  const n = Number(vector.slice(2) || 1);
  const regs = Array.from({ length: n }, (_, i) => `%${c}${2 + i}`);
  const value = n === 1 ? regs[0]! : `{${regs.join(",")}}`;
  const where = offset === 0 ? `[${at.address}]` : `[${at.address}+${offset}]`;
  const b = bitsOfLetter(c);
  if (op.startsWith("ld")) {
    k.add(`${op}${vector}.${type} ${value},${where}${extra};`, {
      before: at.before,
      declarations: at.declarations,
      after: regs.map((r, i) => `st.global.${b} [%y3+${i * 8}],${r};`).join(" "),
    });
    return;
  }
  const after = at.word.startsWith(".shared")
    ? " bar.sync 0; ld.shared.b32 %r60,[%x20+8]; st.global.b32 [%y3],%r60;"
    : at.word === ".local"
      ? " ld.local.b32 %r60,[%x21+8]; st.global.b32 [%y3],%r60;"
      : "";
  k.add(`${op}${vector}.${type} ${where},${value}${extra};`, {
    before: at.before + regs.map((r, i) => ` ld.global.${b} ${r},[%y2+${1024 + i * 8}];`).join(""),
    declarations: at.declarations,
    after,
  });
}

const PLAIN_TYPES = ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "b64", "f32", "s32"];
const LOAD_CACHE = expand(
  "<ca|cg|cs|lu|cv|nc|nc.L1::evict_last|nc.L1::no_allocate|L1::evict_first|L1::evict_last|L1::no_allocate|L1::evict_unchanged|L1::evict_normal|L2::64B|L2::128B|L2::256B|nc.L2::128B|L1::no_allocate.L2::256B|L2::evict_last|L2::evict_first>",
);
const STORE_CACHE = expand(
  "<wb|cg|cs|wt|L1::evict_first|L1::evict_last|L1::no_allocate|L1::evict_unchanged|L2::evict_last>",
);
const LOAD_ORDER = expand("<volatile|<relaxed|acquire>.<cta|gpu|sys|cluster>|mmio.relaxed.sys>");
const STORE_ORDER = expand("<volatile|<relaxed|release>.<cta|gpu|sys|cluster>|mmio.relaxed.sys>");

export function addMemory(k: Kernels): void {
  for (const at of [GLOBAL, IN_SHARED, LOCAL, CONST, GENERIC])
    for (const type of PLAIN_TYPES)
      for (const vector of ["", ".v2", ".v4", ".v8"])
        for (const offset of [0, -16, 0x12340]) {
          access(k, `ld${at.word}`, at, type, vector, offset);
          if (at !== CONST) access(k, `st${at.word}`, at, type, vector, offset);
        }
  for (const type of ["b8", "s16", "b32", "b64"])
    for (const vector of ["", ".v2", ".v4"]) {
      for (const q of LOAD_CACHE) access(k, `ld.global.${q}`, GLOBAL, type, vector, 0);
      access(k, "ld.global.L1::evict_last.L2::cache_hint", GLOBAL, type, vector, 0, ", %y9");
      for (const q of STORE_CACHE) access(k, `st.global.${q}`, GLOBAL, type, vector, 0);
    }
  for (const type of ["b32", "b64", "b16", "b8"])
    for (const at of [GLOBAL, IN_SHARED, GENERIC, CLUSTER]) {
      for (const q of LOAD_ORDER) access(k, `ld.${q}${at.word}`, at, type, "", 0);
      for (const q of STORE_ORDER) access(k, `st.${q}${at.word}`, at, type, "", 0);
    }
  // 256-bit accesses with and without a policy for L2.
  for (const type of ["b32", "f32"])
    for (const q of ["", ".L2::evict_first", ".L2::evict_last", ".L2::evict_normal", ".L1::no_allocate", ".nc"]) {
      access(k, `ld.global${q}`, GLOBAL, type, ".v8", 64);
      access(k, `st.global${q}`, GLOBAL, type, ".v8", 64);
    }
  addAtomics(k);
}

const OPERATIONS = expand(
  "<add.<u32|s32|u64|f32|f64|f16|bf16|f16x2|bf16x2>|add.noftz.<f16|bf16|f16x2|bf16x2>|<min|max>.<u32|s32|u64|s64>|<and|or|xor|exch>.<b32|b64>|<inc|dec>.u32>",
);
const ORDERS = ["", ...expand("<.relaxed|.acquire|.release|.acq_rel><.cta|.gpu|.sys|.cluster>")];

function addAtomics(k: Kernels): void {
  for (const at of [GLOBAL, IN_SHARED, GENERIC, CLUSTER])
    for (const order of ORDERS) {
      for (const o of OPERATIONS) {
        const type = o.split(".").at(-1)!;
        if (order !== "" && !["u32", "b32", "f32", "u64"].includes(type)) continue;
        const c = LETTER[type]!;
        for (const kind of order === "" && "rlf".includes(c) ? ["R", "I"] : ["R"]) {
          const { names, code, parameters } = operands(c, kind);
          const parts = { before: at.before + code, parameters, declarations: at.declarations };
          k.add(`atom${order}${at.word}.${o} %${c}20,[${at.address}],${names[0]};`, {
            ...parts,
            after: keep(c, `%${c}20`, 0),
          });
          if (!order.includes("acq")) k.add(`red${order}${at.word}.${o} [${at.address}+16],${names[0]};`, parts);
        }
      }
      for (const type of ["b32", "b64", "b16"]) {
        const c = LETTER[type]!;
        const { names, code, parameters } = operands(c + c, "RR");
        k.add(`atom${order}${at.word}.cas.${type} %${c}20,[${at.address}],${names.join(",")};`, {
          before: at.before + code,
          parameters,
          declarations: at.declarations,
          after: keep(c, `%${c}20`, 0),
        });
      }
    }
  for (const o of ["add", "min", "max"])
    for (const v of [
      "v2.f32",
      "v4.f32",
      "v2.f16x2",
      "v4.f16x2",
      "v2.bf16x2",
      "v8.bf16",
      "v4.f16",
      "v2.f16",
      "v8.f16",
    ]) {
      const [count, type] = v.split(".") as [string, string];
      const n = Number(count.slice(1));
      const c = LETTER[type]!;
      const f = type.includes("16") ? ".noftz" : "";
      const { names, code } = operands(c.repeat(n), "R".repeat(n));
      const to = Array.from({ length: n }, (_, i) => `%${c}${20 + i}`).join(",");
      k.add(`red.global.${count}.${o}${f}.${type} [%y2],{${names.join(",")}};`, { before: code });
      k.add(`red.global.${o}${f}.${v} [%y2],{${names.join(",")}};`, { before: code });
      k.add(`atom.global.${count}.${o}${f}.${type} {${to}},[%y2],{${names.join(",")}};`, {
        before: code,
        after: keep(c, `%${c}20`, 0),
      });
    }
  const multimem =
    "add.f32 1;add.f32 4;add.f16x2 4;add.acc::f32.f16x2 4;add.acc::f32.bf16x2 2;min.bf16x2 4;max.f16x2 1;and.b32 1;or.b64 1;min.s64 1;max.u32 1;add.u64 1;add.f64 1;add.f32 2";
  for (const line of multimem.split(";")) {
    const [op, count] = line.split(" ") as [string, string];
    const type = op.split(".").at(-1)!;
    const c = LETTER[type]!;
    const n = Number(count);
    const v = n === 1 ? "" : `.v${n}`;
    const regs = Array.from({ length: n }, (_, i) => `%${c}${20 + i}`);
    const r = n === 1 ? regs[0]! : `{${regs.join(",")}}`;
    const verb = op.slice(0, op.lastIndexOf("."));
    const before = regs.map((x) => `ld.global.${bitsOfLetter(c)} ${x},[%y2+64];`).join(" ");
    for (const q of [".relaxed.sys", ".weak", ".acquire.gpu", ".relaxed.cta"]) {
      k.add(`multimem.ld_reduce${q}.global.${verb}${v}.${type} ${r},[%y2];`, { after: keep(c, regs[0]!, 0) });
      const store = q.replace("acquire", "release");
      k.add(`multimem.st${store}.global${v}.${type} [%y2],${r};`, { before });
      k.add(`multimem.red${store}.global.${verb.split(".")[0]}${v}.${type} [%y2],${r};`, { before });
    }
  }
}
