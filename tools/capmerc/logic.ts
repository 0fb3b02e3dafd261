/**
 * Kernels of `lop3.b32`: all 256 tables, each source a register, a kernel parameter, a constant or zero, with and without a
 * predicate result. A word LOP3 with a table that two sources decide is also what `and`, `or` and `xor` become, which are other
 * Mercury instructions.
 */
const SOURCES: readonly (readonly [string, string, string])[] = [
  ["%r0", "%r1", "%r2"],
  ["%u0", "%u1", "%u2"],
  ["0x12345", "0x23456", "0x34567"],
  ["0", "0", "0"],
];
const TABLES = 256;
/** Tables in a kernel: nvlink tells the sizes of so many instructions at once. */
const PART = 64;

/** Statements of a kernel; every result is stored. */
function statements(sources: readonly string[], from: number, predicate: boolean): string[] {
  const out: string[] = [];
  const [a, b, c] = sources;
  for (let table = from; table < from + PART; table++) {
    // Both operations appear with every parity of the table's neighbours.
    const op = ["and", "or"][(table >> 2) & 1]!;
    if (predicate) {
      out.push(`lop3.${op}.b32 %r3|%p1, ${a}, ${b}, ${c}, ${table}, %p0;`, "selp.b32 %r3, %r3, 7, %p1;");
    } else out.push(`lop3.b32 %r3, ${a}, ${b}, ${c}, ${table};`);
    out.push("st.volatile.global.u32 [%a0], %r3;");
  }
  return out;
}

function kernel(name: string, body: readonly string[]): string {
  return `.visible .entry ${name}(.param .u64 p, .param .u32 n0, .param .u32 n1, .param .u32 n2)
{
.reg .b32 %r<4>; .reg .b32 %u<3>; .reg .b64 %a<2>; .reg .pred %p<2>;
ld.param.u64 %a0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %a1, %r0, 2048; add.s64 %a0, %a0, %a1;
ld.param.u32 %u0, [n0]; ld.param.u32 %u1, [n1]; ld.param.u32 %u2, [n2];
ld.global.u32 %r0, [%a0]; ld.global.u32 %r1, [%a0+4]; ld.global.u32 %r2, [%a0+8]; setp.gt.s32 %p0, %r0, 5;
${body.join("\n")}
ret;
}`;
}

/** Texts of modules, one for each choice of sources and with a predicate result or not. */
export function* logicModules(sm: string, predicates: readonly boolean[] = [false, true]): Generator<string> {
  for (const predicate of predicates)
    for (const [a] of SOURCES)
      for (const [, b] of SOURCES)
        for (const [, , c] of SOURCES) {
          const kernels: string[] = [];
          for (let from = 0; from < TABLES; from += PART)
            kernels.push(kernel(`t${from}`, statements([a, b, c], from, predicate)));
          yield [".version 9.0", `.target sm_${sm}`, ".address_size 64", ...kernels].join("\n");
        }
}
