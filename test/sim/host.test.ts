/** What the driver brings along: text that kernels print, their heap, assertions. */
import { compile } from "../../lib/compile";
import { Device, simulate } from "../../lib/sim/index";
import { formatted } from "../../lib/sim/printf";

/** Formats with a buffer of 32- and 64-bit pieces; texts lie at 0x1000 and up. */
function printf(format: string, args: readonly (number | bigint | { f: number } | string)[]): string | null {
  const memory = new Uint8Array(0x2000);
  const view = new DataView(memory.buffer);
  let at = 0;
  let texts = 0x1000;
  for (const a of args) {
    const wide = typeof a !== "number";
    if (wide) at = Math.ceil(at / 8) * 8;
    if (typeof a === "number") view.setInt32(at, a, true);
    else if (typeof a === "bigint") view.setBigInt64(at, a, true);
    else if (typeof a === "string") {
      view.setBigUint64(at, BigInt(texts), true);
      for (const c of `${a}\0`) memory[texts++] = c.charCodeAt(0);
    } else view.setFloat64(at, a.f, true);
    at += wide ? 8 : 4;
  }
  return formatted(format, 0, {
    bytes: (address, size) => (address + size <= memory.length ? memory.slice(address, address + size) : null),
    text: (address) => {
      const end = memory.indexOf(0, address);
      return address >= memory.length || end < 0 ? null : String.fromCharCode(...memory.slice(address, end));
    },
  });
}

test.each([
  ["%d|%5d|%-5d|%05d|%+d|% d", [1, 22, 33, -44, 5, 6], "1|   22|33   |-0044|+5| 6"],
  ["%u %x %X %#x %o %.3d", [-1, 255, 255, 255, 8, 7], "4294967295 ff FF 0xff 10 007"],
  ["%lld %llu %ld %hhd %hd", [-5n, -1n, 1n << 40n, 300, 70000], "-5 18446744073709551615 1099511627776 44 4464"],
  [
    "%f %.2f %8.3f %e %.0f",
    [{ f: 1.5 }, { f: 2.345 }, { f: -1 }, { f: 12345.678 }, { f: 2.75 }],
    "1.500000 2.35   -1.000 1.234568e+04 3",
  ],
  ["%g %g %g %g", [{ f: 0.0001 }, { f: 1e-5 }, { f: 100000 }, { f: 1e6 }], "0.0001 1e-05 100000 1e+06"],
  ["%f %F %e", [{ f: Number.NaN }, { f: Number.POSITIVE_INFINITY }, { f: Number.NEGATIVE_INFINITY }], "nan INF -inf"],
  ["%a %.1a", [{ f: 1 }, { f: 0.15625 }], "0x1p+0 0x1.4p-3"],
  ["[%s] [%.2s] [%6s] %c%%", ["abc", "wxyz", "r", 65], "[abc] [wx] [     r] A%"],
  ["%*d %.*f %p", [6, 42, 2, { f: 2.71001 }, 0x10n], "    42 2.71 0x10"],
  ["%.0f %.0f %.1f", [{ f: 2.5 }, { f: 3.5 }, { f: 0.25 }], "2 4 0.2"],
  ["%d %lld %d", [1, 2n, 3], "1 2 3"],
])("printf(%j)", (format, args, expected) => {
  expect(printf(format, args)).toBe(expected);
});

const externals = `.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);`;

function bytes(name: string, text: string): string {
  const codes = [...`${text}\0`].map((c) => c.charCodeAt(0));
  return `.global .align 1 .b8 ${name}[${codes.length}] = {${codes.join(", ")}};`;
}

function compiled(body: string, target: "sm_75" | "sm_90" | "sm_100", opt: number): Uint8Array {
  const text = `.version 9.0\n.target ${target}\n.address_size 64\n${externals}
${bytes("format", "lane %d of %s\n")}\n${bytes("name", "warp")}\n${bytes("message", "x < 3")}\n${bytes("file", "a.cu")}
.visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<19>; .reg .pred %p<3>; .local .align 8 .b8 buffer[16];
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
${body}
ret; }`;
  const c = compile(text, { target, opt, verify: true });
  if (c.cubin === null) throw new Error(c.diagnostics.map((d) => d.message).join("\n"));
  return c.cubin;
}

function run(body: string, target: "sm_75" | "sm_90" | "sm_100", opt: number) {
  const out = new Uint32Array(32);
  const r = simulate(compiled(body, target, opt), { kernel: "k", grid: 1, block: 4, params: [out] });
  if (!r.ok) throw new Error(r.diagnostics.map((d) => d.message).join("\n"));
  return { ...r.value, out: [...out.slice(0, 4)] };
}

const print =
  (): string => `${address("%rd2", "format")} ${address("%rd3", "name")} mov.u64 %rd4, buffer; cvta.local.u64 %rd5, %rd4;
st.local.u32 [buffer], %r1; st.local.u64 [buffer+8], %rd3;
{ .param .b64 f; .param .b64 a; .param .b32 z; st.param.b64 [f], %rd2; st.param.b64 [a], %rd5; call (z), vprintf, (f, a); ld.param.b32 %r2, [z]; }`;

const address = (to: string, name: string): string => `mov.u64 ${to}, ${name}; cvta.global.u64 ${to}, ${to};`;

describe.each(["sm_75", "sm_90", "sm_100"] as const)("%s", (target) => {
  test.each([0, 2])("vprintf, malloc and free, -O%d", (opt) => {
    const r = run(
      `${print()}
{ .param .b64 n; .param .b64 z; st.param.b64 [n], 64; call (z), malloc, (n); ld.param.b64 %rd6, [z]; }
add.u32 %r3, %r1, 100; st.u32 [%rd6+8], %r3; ld.u32 %r4, [%rd6+8];
{ .param .b64 p; st.param.b64 [p], %rd6; call free, (p); }
mul.wide.u32 %rd7, %r1, 4; add.u64 %rd7, %rd1, %rd7; st.global.u32 [%rd7], %r4;`,
      target,
      opt,
    );
    expect(r.fault).toBeNull();
    expect(r.output).toBe([0, 1, 2, 3].map((lane) => `lane ${lane} of warp\n`).join(""));
    expect(r.out).toEqual([100, 101, 102, 103]);
  });

  test("an assertion that fails says where and ends the kernel", () => {
    const r = run(
      `setp.lt.u32 %p1, %r1, 3; @%p1 bra OK;
${address("%rd2", "message")} ${address("%rd3", "file")} ${address("%rd4", "name")}
{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s; st.param.b64 [m], %rd2; st.param.b64 [f], %rd3; st.param.b32 [l], 17; st.param.b64 [n], %rd4; st.param.b64 [s], 1;
call __assertfail, (m, f, l, n, s); }
OK:`,
      target,
      0,
    );
    expect(r.fault).toMatchObject({ kind: "trap", message: "assertion `x < 3` failed" });
    expect(r.output).toBe("a.cu:17: warp: block: [0,0,0], thread: [3,0,0] Assertion `x < 3` failed.\n");
  });
});

test("the driver's functions find the local memory of this launch, not of the one before", () => {
  const device = new Device();
  const module = device.load(compiled(print(), "sm_90", 2));
  if (!module.ok) throw new Error(module.diagnostics.map((d) => d.message).join("\n"));
  for (let i = 0; i < 4; i++) {
    const r = device.launch(module.value, { block: 4, params: [new Uint32Array(32)], engine: "wasm" });
    expect(r.ok && r.value.output).toBe([0, 1, 2, 3].map((lane) => `lane ${lane} of warp\n`).join(""));
  }
});

test("another function without a body is told as ptxas does", () => {
  const text = `.version 9.0\n.target sm_90\n.address_size 64\n.extern .func other();\n.visible .entry k() { call other, (); ret; }`;
  const c = compile(text, { target: "sm_90" });
  expect(c.diagnostics.map((d) => [d.severity, d.message])).toEqual([["fatal", "Unresolved extern function 'other'"]]);
});
