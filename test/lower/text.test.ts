/**
 * PTX in, Ori text out: which machine instructions are chosen. The choices are those of ptxas at -O0 (facts/ptx-to-sass) unless a
 * line says otherwise; what they compute is tested in the simulator (integer, float, … .test.ts).
 */
import { lower } from "../../lib/lower/index";
import { printFunc } from "../../lib/ori/index";
import { parse } from "../../lib/ptx/index";
import { type TargetName, target } from "../../lib/target/index";

function lowered(text: string, name: TargetName) {
  const module = parse(`.version 9.0\n.target ${name}\n.address_size 64\n${text}`);
  if (!module.ok) throw new Error(module.diagnostics.map((d) => d.message).join("\n"));
  return lower(module.value, { target: target(name) });
}

const registers =
  ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %d<9>;";

/** The instructions between the load of the stack pointer and the EXIT, registers by their PTX names or t0, t1, … */
function body(code: string, name: TargetName = "sm_90", outside = ""): string[] {
  const result = lowered(
    `${outside}\n.visible .entry k(.param .u64 a, .param .u32 n) { ${registers}\n${code}\nret; }`,
    name,
  );
  if (!result.ok || result.diagnostics.length > 0) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  const func = result.value.funcs[0]!;
  const lines = printFunc(func, { details: false })
    .split("\n")
    .slice(1)
    .filter((l) => l !== "")
    .map((l) => l.trim());
  const temporaries = new Map<string, string>();
  const named = (reg: string, file: string, id: string): string => {
    const ptx = func.values.name(Number(id));
    if (ptx !== "") return `%${file}(${ptx})`;
    if (!temporaries.has(reg)) temporaries.set(reg, `t${temporaries.size}`);
    return temporaries.get(reg)!;
  };
  const blocks = lines.filter((l) => /^b\d+/.test(l));
  return lines
    .filter((l) => !/^b0\b/.test(l) && !/^LDC %R0, /.test(l) && l !== "EXIT")
    .map((l) => l.replace(/%(U?[RPB]+)(\d+)/g, (reg, file, id) => named(reg, file, id)))
    .map((l) => (blocks.length > 1 ? l : l.replace(/^b\d+.*/, "")))
    .filter((l) => l !== "");
}

describe("instructions chosen", () => {
  test("parameters come from bank 0 at the target's base", () => {
    expect(body("ld.param.u32 %r1, [n];")).toEqual(["LDC %R(%r1), c[0x0][0x218]"]);
    expect(body("ld.param.u32 %r1, [n];", "sm_75")).toEqual(["LDC %R(%r1), c[0x0][0x168]"]);
    expect(body("ld.param.u32 %r1, [n];", "sm_100")).toEqual(["LDC %R(%r1), c[0x0][0x388]"]);
  });

  test("64-bit sums carry, with the constant in the second source", () => {
    expect(body("add.s64 %rd1, %rd2, %rd3;")).toEqual([
      "IADD3 %R(%rd1):0, t0, %R(%rd2):0, %R(%rd3):0, RZ",
      "IADD3.X %R(%rd1):1, %R(%rd2):1, %R(%rd3):1, RZ, t0, !PT",
    ]);
    expect(body("sub.s64 %rd1, %rd2, %rd3;")).toEqual([
      "IADD3 %R(%rd1):0, t0, %R(%rd2):0, -%R(%rd3):0, RZ",
      "IADD3.X %R(%rd1):1, %R(%rd2):1, ~%R(%rd3):1, RZ, t0, !PT",
    ]);
    expect(body("sub.s64 %rd1, %rd2, 16;")).toEqual([
      "IADD3 %R(%rd1):0, t0, %R(%rd2):0, -0x10, RZ",
      "IADD3.X %R(%rd1):1, %R(%rd2):1, -0x1, RZ, t0, !PT",
    ]);
  });

  test("a value is made in the register it is for, where nothing is lost by that", () => {
    expect(body("mul.hi.u32 %r1, %r1, %r2;")).toEqual(["IMAD.HI.U32 %R(%r1), %R(%r1), %R(%r2), RZ"]);
    expect(body("mov.u32 %r1, %r2;")).toEqual(["MOV %R(%r1), %R(%r2)"]);
  });

  test("a destination that is also a source of several steps is written last", () => {
    expect(body("sub.s64 %rd1, %rd2, %rd1;")).toEqual([
      "IADD3 t0:0, t1, %R(%rd2):0, -%R(%rd1):0, RZ",
      "IADD3.X t0:1, %R(%rd2):1, ~%R(%rd1):1, RZ, t1, !PT",
      "MOV %R(%rd1):0, t0:0",
      "MOV %R(%rd1):1, t0:1",
    ]);
  });

  test("shifts, logic, selection", () => {
    expect(body("shl.b32 %r1, %r2, 5;")).toEqual(["SHF.L.U32 %R(%r1), %R(%r2), 0x5, RZ"]);
    expect(body("shr.s32 %r1, %r2, %r3;")).toEqual(["SHF.R.S32.HI %R(%r1), RZ, %R(%r3), %R(%r2)"]);
    expect(body("xor.b32 %r1, %r2, 255;")).toEqual(["LOP3.LUT %R(%r1), %R(%r2), 0xff, RZ, 0x3c, !PT"]);
    expect(body("setp.ge.u32 %p1, %r1, 7;")).toEqual(["ISETP.GE.U32.AND %P(%p1), PT, %R(%r1), 0x7, PT"]);
    expect(body("setp.lt.or.s32 %p1|%p2, %r1, %r2, !%p3;")).toEqual([
      "ISETP.LT.OR %P(%p1), %P(%p2), %R(%r1), %R(%r2), !%P(%p3)",
    ]);
    expect(body("shr.u16 %h1, %h2, 3;")).toEqual(["PRMT t0, %R(%h2), 0x7710, RZ", "SHF.R.U32.HI %R(%h1), RZ, 0x3, t0"]);
  });

  test("float arithmetic with its modifiers", () => {
    expect(body("fma.rn.ftz.sat.f32 %f1, %f2, %f3, %f4;")).toEqual(["FFMA.FTZ.SAT %R(%f1), %R(%f2), %R(%f3), %R(%f4)"]);
    expect(body("sub.rp.f32 %f1, %f2, 0f3F800000;")).toEqual(["FADD.RP %R(%f1), %R(%f2), -1"]);
    expect(body("mul.rz.f64 %d1, 0d3FF8000000000000, %d2;")).toEqual(["DMUL.RZ %R(%d1), %R(%d2), 1.5"]);
    expect(body("add.f64 %d1, %d2, 0d3FB999999999999A;")).toEqual([
      "MOV t0:0, 0x9999999a",
      "MOV t0:1, 0x3fb99999",
      "DADD %R(%d1), %R(%d2), t0 {contract}",
    ]);
    expect(body("cvt.rzi.s32.f32 %r1, %f1;")).toEqual(["F2I.TRUNC.NTZ %R(%r1), %R(%f1)"]);
    expect(body("cvt.rn.f32.s32 %f1, %r1;", "sm_75")).toEqual(["I2F %R(%f1), %R(%r1)"]);
    expect(body("cvt.rn.f32.s32 %f1, %r1;")).toEqual(["I2FP.F32.S32 %R(%f1), %R(%r1)"]);
  });

  test("memory: descriptors, sizes, strength", () => {
    const load = "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];";
    expect(body(load)[0]).toBe("ULDC.64 %UR(descriptor), c[0x0][0x208]");
    expect(body(load)[1]).toBe("LDG.E.128 t0, desc[%UR(descriptor)][%R(%rd1).64+0x10]");
    expect(body(load, "sm_75")[0]).toBe("LDG.E.128.SYS t0, [%R(%rd1)+0x10]");
    expect(body(load, "sm_100")[0]).toBe("LDCU.64 %UR(descriptor), c[0x0][0x358]");
    expect(body("st.volatile.global.u8 [%rd1], %r1;")[1]).toBe(
      "STG.E.U8.STRONG.SYS desc[%UR(descriptor)][%R(%rd1).64], %R(%r1)",
    );
    expect(body("ld.shared.s16 %r1, [%r2+6];")).toEqual(["LDS.S16 %R(%r1), [%R(%r2)+0x6]"]);
    expect(body("ld.shared.u32 %r1, [%r2];", "sm_75")[0]).toBe("LDS.U %R(%r1), [%R(%r2)]");
    expect(body("red.global.add.f32 [%rd1], %f1;")[1]).toBe(
      "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[%UR(descriptor)][%R(%rd1).64], %R(%f1)",
    );
    expect(body("red.global.add.f32 [%rd1], %f1;", "sm_75")).toEqual([
      "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [%R(%rd1)], %R(%f1)",
    ]);
    expect(body("ld.acquire.gpu.global.u32 %r1, [%rd1];").slice(1, 3)).toEqual([
      "LDG.E.STRONG.GPU %R(%r1), desc[%UR(descriptor)][%R(%rd1).64]",
      "CCTL.IVALL",
    ]);
    expect(body("ld.acquire.cta.global.u32 %r1, [%rd1];").slice(1, 3)).toEqual([
      "LDG.E.STRONG.SM %R(%r1), desc[%UR(descriptor)][%R(%rd1).64]",
      "NOP",
    ]);
  });

  test("addresses of shared variables carry the CTA's rank where there are clusters", () => {
    const shared = ".shared .align 4 .b8 s[64];";
    expect(body("mov.u32 %r1, s;", "sm_75", shared)).toEqual(["MOV %R(%r1), 32@lo(s)"]);
    expect(body("mov.u32 %r1, s;", "sm_90", shared)).toEqual([
      "MOV t0, 32@lo(s)",
      "S2R t1, SR_CgaCtaId",
      "LEA %R(%r1), t1, t0, 0x18",
    ]);
  });

  test("barriers and shuffles bring the warp together first", () => {
    expect(body("bar.sync 0;")).toEqual(["WARPSYNC.ALL", "BAR.SYNC.DEFER_BLOCKING 0x0"]);
    expect(body("bar.sync 0;", "sm_75")).toEqual(["WARPSYNC 0xffffffff", "BAR.SYNC 0x0"]);
    expect(body("shfl.sync.bfly.b32 %r1|%p1, %r2, 4, 31, %r3;")).toEqual([
      "MOV t0, 0x1f",
      "WARPSYNC %R(%r3)",
      "SHFL.BFLY %P(%p1), %R(%r1), %R(%r2), 0x4, t0",
    ]);
  });

  test("griddepcontrol waits for the grids before, or lets those after begin", () => {
    expect(body("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;")).toEqual(["ACQBULK", "PREEXIT"]);
  });

  test("guarded instructions are branched around", () => {
    expect(body("@%p1 add.s32 %r1, %r1, 1;")).toEqual([
      "@!%P(%p1) BRA b1",
      "b2",
      "IADD3 %R(%r1), %R(%r1), 0x1, RZ",
      "b1 skip",
    ]);
  });
});

describe("convergence regions", () => {
  const store = "st.global.u32 [%rd1], %r1;";

  test("a branch around a block opens a region that closes where the ways meet", () => {
    const lines = body(`@%p1 bra J; ${store} J: st.global.u32 [%rd1+4], %r1;`);
    expect(lines.filter((l) => /BSSY|BSYNC|BRA|^b/.test(l))).toEqual([
      "BSSY t0, b1",
      "@%P(%p1) BRA b3",
      "b2",
      "b3",
      "BSYNC t0",
      'b1 "J"',
    ]);
  });

  test("a loop that lanes leave one by one opens its region before the loop", () => {
    const lines = body(`L: ${store} setp.lt.u32 %p1, %r1, 5; @%p1 bra L; st.global.u32 [%rd1+4], %r1;`);
    const order = lines.filter((l) => /BSSY|BSYNC|BRA/.test(l) || l.startsWith('b1 "L"'));
    expect(order).toEqual(["BSSY t0, b2", 'b1 "L"', "@%P(%p1) BRA b1", "BSYNC t0"]);
  });

  test("a branch to the end of the kernel needs none", () => {
    expect(body(`@%p1 bra J; ${store} J:`).filter((l) => /BSSY|BSYNC/.test(l))).toEqual([]);
  });

  test("lanes that end inside are no reason to leave the region out, unless nothing is left to meet", () => {
    const lines = body(`@%p1 bra J; @%p2 bra K; ${store} K: ${store} J: ${store}`);
    expect(lines.filter((l) => /BSSY/.test(l))).toHaveLength(2);
    expect(body(`@%p1 bra J; ret; J: ${store}`).filter((l) => /BSSY/.test(l))).toEqual([]);
  });
});

describe("what is not lowered", () => {
  const messages = (text: string): string[] =>
    lowered(text, "sm_90").diagnostics.map((d) => `${d.span?.line}: ${d.message}`);

  test("every instruction of a function is told, as written and with its line; other functions go on", () => {
    const text = `.entry bad() {
.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<2>;
add.s32 %r1, %r2, -3;
tcgen05.dealloc.cta_group::4.sync.aligned.b32 %r1, 32;
ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1+-8], %rd2;
add.s32.odd %r1, %r1, 0x7fffffff;
tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [t, {%r0}];
@!%r1 mov.f32 %f1, 0f3F800000;
}
.entry good() { .reg .b32 %r<2>; mov.u32 %r1, 1; }`;
    expect(messages(text)).toEqual([
      "7: not supported yet: tcgen05.dealloc.cta_group::4.sync.aligned.b32 %r1, 32",
      "8: not supported yet: ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1-8], %rd2",
      "9: not supported yet: add.s32.odd %r1, %r1, 2147483647",
      "10: not supported yet: tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [t, {%r0}]",
      "11: not supported yet: mov.f32 %f1, 0f3F800000",
    ]);
    const result = lowered(text, "sm_90");
    expect(result.ok && result.value.funcs.map((f) => f.name)).toEqual(["good"]);
  });

  test.each([
    "add.s32.sat.wide %r1, %r1, %r1;",
    "mul.lo.s32.ftz %r1, %r1, %r1;",
    "shfl.down.b32 %r1, %r2, 1, 31;",
    "mov.u64 %rd1, k;",
    "call nowhere, ();",
    "st.global.f32 [%rd1], %p1;",
    "setp.lo.s32 %p1, %r1, %r2;",
    "cvt.rn.f32.f32 %f1, %f2;",
  ])("%s is refused", (code) => {
    const found = messages(`.entry k() { ${registers}\n${code} }`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^5: not supported yet: /);
  });

  test("recursion is called, not followed for ever", () => {
    const funcs = (text: string): string[] => {
      const r = lowered(text, "sm_90");
      return r.ok ? r.value.funcs.map((f) => f.name) : [];
    };
    expect(funcs(`.func f () { call f, (); ret; }\n.entry k() { call f, (); }`)).toEqual(["f", "k"]);
    const many = `.func f () { call g, (); call g, (); ret; }\n.func g () { call f, (); call f, (); ret; }`;
    expect(funcs(`.func g ();\n${many}\n.entry k() { call f, (); }`)).toEqual(["g", "f", "k"]);
  });
});
