/**
 * Texture and surface objects: the machine instruction is ptxas's, and each of its registers holds what ptxas puts there. Results are followed to where they
 * are stored. There is no texture unit in the simulator.
 */
import { compile } from "../../lib/compile";
import { disassemble } from "../../lib/disassemble";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import type { TargetName } from "../../lib/target/index";
import { verifyCubin } from "../../lib/verify";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

/** Instruction | class of elements, how many | coordinates | what follows | registers of a, and of b or data. */
const FORMS = `
tex.1d.v4.f32.f32       | f 4 | %f0               |             | 2 1
tex.1d.v4.f32.s32       | f 4 | %i0               |             | 1 0
tex.2d.v4.f32.f32       | f 4 | %f0,%f1           |             | 2 1
tex.2d.v4.s32.s32       | b 4 | %i0,%i1           |             | 2 0
tex.base.2d.v4.u32.f32  | b 4 | %f0,%f1           |             | 2 1
tex.3d.v4.f32.f32       | f 4 | %f0,%f1,%f2,%f3   |             | 3 1
tex.3d.v4.u32.s32       | b 4 | %i0,%i1,%i2,%i3   |             | 3 0
tex.a1d.v4.f32.f32      | f 4 | %i0,%f1           |             | 2 1
tex.a2d.v4.f32.s32      | f 4 | %i0,%i1,%i2,%i3   |             | 3 0
tex.cube.v4.f32.f32     | f 4 | %f0,%f1,%f2,%f3   |             | 3 1
tex.acube.v4.f32.f32    | f 4 | %i0,%f1,%f2,%f3   |             | 4 1
tex.level.2d.v4.f32.f32 | f 4 | %f0,%f1           | , %f5       | 2 1
tex.level.2d.v4.f32.s32 | f 4 | %i0,%i1           | , %i5       | 2 1
tex.level.a2d.v4.f32.f32| f 4 | %i0,%f1,%f2,%f3   | , %f5       | 3 1
tex.level.3d.v4.f32.f32 | f 4 | %f0,%f1,%f2,%f3   | , %f5       | 3 1
tex.2d.v4.f32.f32       | f 4 | %f0,%f1           | , {%i2,%i3} | 2 2
tex.level.2d.v4.f32.s32 | f 4 | %i0,%i1           | , %i5, {%i2,%i3} | 2 2
tld4.r.2d.v4.f32.f32    | f 4 | %f0,%f1           |             | 2 0
tld4.a.a2d.v4.s32.f32   | b 4 | %i0,%f1,%f2,%f3   |             | 3 0
tex.2d.v4.f32.f32       | f 4 | %f0,%f1           | , %f5       | 2 2
tex.3d.v4.f32.s32       | f 4 | %i0,%i1,%i2,%i3   | , {%i2,%i3,%i4,%i5} | 3 1
tex.a2d.v4.f32.f32      | f 4 | %i0,%f1,%f2,%f3   | , {%i2,%i3}, %f5    | 3 3
tex.2dms.v4.f32.s32     | f 4 | %i0,%i1,%i2,%i3   |             | 2 1
tex.a2dms.v4.f32.s32    | f 4 | %i0,%i1,%i2,%i3   |             | 3 1
tex.grad.1d.v4.f32.f32  | f 4 | %f0               | , {%f1}, {%f2}      | 2 4
tex.grad.2d.v4.f32.f32  | f 4 | %f0,%f1           | , {%f2,%f3}, {%f4,%f5} | 2 4
tex.grad.a2d.v4.f32.f32 | f 4 | %i0,%f1,%f2,%f3   | , {%f2,%f3}, {%f4,%f5}, {%i2,%i3} | 3 4
tld4.g.cube.v4.f32.f32  | f 4 | %f0,%f1,%f2,%f3   |             | 3 0
suld.b.1d.b32.trap      | b 1 | %i0               |             | 1 0
suld.b.2d.v2.b32.zero   | b 2 | %i0,%i1           |             | 2 0
suld.b.2d.v4.b32.clamp  | b 4 | %i0,%i1           |             | 2 0
suld.b.3d.b32.trap      | b 1 | %i0,%i1,%i2,%i3   |             | 3 0
suld.b.a1d.b32.trap     | b 1 | %i0,%i1           |             | 2 0
suld.b.a2d.v2.b32.trap  | b 2 | %i0,%i1,%i2,%i3   |             | 3 0
suld.b.2d.cs.b32.trap   | b 1 | %i0,%i1           |             | 2 0
sust.p.2d.v4.b32.trap   | b 4 | %i0,%i1           |             | 2 4
sust.p.a1d.b32.zero     | b 1 | %i0,%i1           |             | 2 1
sust.b.1d.b32.trap      | b 1 | %i0               |             | 1 1
sust.b.2d.v2.b32.zero   | b 2 | %i0,%i1           |             | 2 2
sust.b.2d.v4.b32.clamp  | b 4 | %i0,%i1           |             | 2 4
sust.b.a2d.v2.b32.trap  | b 2 | %i0,%i1,%i2,%i3   |             | 3 2
`;

const forms = FORMS.trim()
  .split("\n")
  .map((line) => line.split("|").map((x) => x.trim()) as [string, string, string, string, string]);

function kernel(name: string, [op, elements, at, more]: readonly string[]): string {
  const [cls, n] = elements!.split(" ") as [string, string];
  const list = Array.from({ length: Number(n) }, (_, i) => `%d${i}`);
  const braces = list.length === 1 ? list[0]! : `{${list.join(",")}}`;
  const type = cls === "f" ? "f32" : "b32";
  const place = `[%h, {${at}}]`;
  const store = op!.startsWith("sust");
  const loads = [0, 1, 2, 3, 4, 5].map(
    (i) => `ld.global.f32 %f${i}, [%p+${16 * (i + 1)}]; ld.global.b32 %i${i}, [%p+${256 + 16 * i}];`,
  );
  const data = list.map((r, i) => `ld.global.b32 ${r}, [%p+${512 + 16 * i}];`).join(" ");
  const results = list.map((r, i) => `st.global.${type} [%p+${1024 + 4 * i}], ${r};`).join(" ");
  return `.visible .entry ${name}(.param .u64 p, .param .u64 th)
{ .reg .b64 %p, %h; .reg .f32 %f<6>; .reg .b32 %i<6>; .reg .${type} %d<4>;
  ld.param.u64 %p, [p]; ld.param.u64 %h, [th];
${loads.join("\n")}
${store ? `${data} ${op} ${place}, ${braces};` : `${op} ${braces}, ${place}${more}; ${results}`}
  ret; }
`;
}

const number = (register: string): number => Number(register.slice(1));

/** What a register holds: the place of a load, or the instructions that made it, with what they read. */
class Trace {
  private readonly held: Map<string, string> = new Map([["RZ", "0"]]);
  result = "";

  private of(register: string): string {
    return this.held.get(register) ?? "?";
  }

  private run(first: string, count: number): string {
    return Array.from({ length: count }, (_, k) => this.of(first === "RZ" ? "RZ" : `R${number(first) + k}`)).join(",");
  }

  step(text: string, [a, b]: readonly [number, number]): void {
    const load = /^LDG\.E(?:\.SYS)? (R\d+), .*?\[U?R\d+(?:\.64)?(?:\+(0x[0-9a-f]+))?\]/.exec(text);
    const unit = /^(TEX|TLD|TLD4|TXD|SULD|SUST)\b/.exec(text);
    const out = /^STG\.E .*?\+(0x4[0-9a-f]+)\], (R\d+)/.exec(text.replace("STG.E.SYS", "STG.E"));
    if (load !== null) this.held.set(load[1]!, load[2] ?? "0");
    else if (unit !== null) this.unit(text, a, b);
    else if (out !== null) this.result += ` ${out[1]}=${this.of(out[2]!)}`;
    else this.compute(text);
  }

  /** Results in their order, then names of registers by what they hold. */
  private unit(text: string, a: number, b: number): void {
    const [op, ...rest] = text.split(/,? /) as [string, ...string[]];
    const registers = rest.map((o) => o.replace(/[[\]]/g, ""));
    if (op.startsWith("SULD")) {
      const wide = op.includes(".128") ? 4 : op.includes(".64") ? 2 : 1;
      const where = this.run(registers[1]!, a);
      for (let k = 0; k < wide; k++) this.held.set(`R${number(registers[0]!) + k}`, `d${k}`);
      this.result += `${op} ${where}`;
    } else if (op.startsWith("SUST"))
      this.result += `${op} ${this.run(registers[0]!, a)} ${this.run(registers[1]!, b)}`;
    else {
      const [d2, d, at, more] = registers as [string, string, string, string];
      const dim = registers.at(-1);
      // Where the level is not said, a word is missing; packed words stand half and half.
      const after = op.startsWith("TEX") && !op.includes(".LL") ? b - 1 : b;
      const first = op.includes(".SCR") ? Math.ceil((a + after) / 2) : a;
      const second = a + after - first;
      const words = second === 0 || /^(UR|0x)/.test(more) ? "" : this.run(more, second);
      this.result += `${op} ${dim} ${this.run(at, first)} ${words}`;
      for (let k = 0; k < 2; k++) {
        this.held.set(`R${number(d) + k}`, `d${k}`);
        this.held.set(`R${number(d2) + k}`, `d${2 + k}`);
      }
    }
  }

  private compute(text: string): void {
    const copy = /^(?:MOV (R\d+), (R\d+|RZ)|IMAD\.MOV\.U32 (R\d+), RZ, RZ, (R\d+|RZ))$/.exec(text);
    if (copy !== null) {
      this.held.set((copy[1] ?? copy[3])!, this.of((copy[2] ?? copy[4])!));
      return;
    }
    if (/^(CS2R R\d+, SRZ|MOV\.64 R\d+, RZ)/.test(text)) {
      const first = number(/R\d+/.exec(text)![0]);
      this.held.set(`R${first}`, "0").set(`R${first + 1}`, "0");
      return;
    }
    // −32 and 0 are made in many ways; scaled directions by which component they come from.
    const made = /^(\w+)\S* (R\d+), (.*)$/.exec(text);
    if (made === null) return;
    const [, op, d, rest] = made as unknown as [string, string, string, string];
    if (/^(HFMA2|MOV|IMAD)/.test(op) && !/R\d/.test(rest)) {
      this.held.set(d, /-0x3e000000|0xc2000000|-3, 0$/.test(text) ? "-32" : "0");
      return;
    }
    const from = [...rest.matchAll(/R\d+/g)].map(([r]) => this.of(r)).filter((x) => /^0x/.test(x));
    this.held.set(
      d,
      op === "FMUL"
        ? `scaled(${from.join()})`
        : op === "SEL"
          ? `layer(${from.join()})`
          : op === "MUFU"
            ? "scale"
            : "made",
    );
  }
}

function traced(cubin: Uint8Array, name: string, counts: string): string {
  const f = disassemble(unwrap(readCubin(cubin))).find((x) => x.name === name);
  const trace = new Trace();
  const [a, b] = counts.split(" ").map(Number) as [number, number];
  for (const { text } of f?.instructions ?? []) trace.step(text.replaceAll(".reuse", ""), [a, b]);
  const [head, ...stores] = trace.result.split(/ (?=0x4)/);
  return [head, ...stores.sort()].join(" ");
}

describeOracle("texture and surface objects", () => {
  test.each(["sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"] as const)("%s", (target: TargetName) => {
    const head = `.version 9.0\n.target ${target}\n.address_size 64\n`;
    const text = head + forms.map((form, i) => kernel(`k${i}`, form)).join("");
    const made = compile(text, { target, opt: 2, verify: true });
    expect(made.diagnostics.filter((d) => d.severity === "error")).toEqual([]);
    expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
    const theirs = ptxas(text, target, 3);
    const told = (cubin: Uint8Array): string[] =>
      forms.map((form, i) => `${form[0]}: ${traced(cubin, `k${i}`, form[4])}`);
    expect(told(made.cubin!)).toEqual(told(theirs));
  });

  test("handles in registers, halves and queries have ptxas's instructions", () => {
    const body = (k: number, line: string): string => `.visible .entry k${k}(.param .u64 p, .param .u64 th)
{ .reg .b64 %p, %h, %t; .reg .f32 %f<6>; .reg .b32 %i<6>; .reg .b16 %e<4>; .reg .b32 %r<4>;
  ld.param.u64 %p, [p]; ld.param.u64 %t, [th]; ld.global.b64 %h, [%p+8];
  ld.global.f32 %f0, [%p+16]; ld.global.f32 %f1, [%p+32]; ld.global.b32 %i0, [%p+48]; ld.global.b32 %i1, [%p+64];
  ${line} ret; }
`;
    const fetched = (op: string, handle: string, at: string): string =>
      op.includes("f16x2")
        ? `${op} {%r0,%r1}, [${handle}, {${at}}]; st.global.v2.b32 [%p+128], {%r0,%r1};`
        : `${op} {%e0,%e1,%e2,%e3}, [${handle}, {${at}}]; st.global.v4.b16 [%p+128], {%e0,%e1,%e2,%e3};`;
    const lines = ["%h", "%t"].flatMap((h) => [
      fetched("tex.2d.v2.f16x2.f32", h, "%f0,%f1"),
      fetched("tex.acube.v2.f16x2.f32", h, "%i0,%f0,%f1,%f1"),
      fetched("tex.3d.v4.f16.s32", h, "%i0,%i1,%i0,%i1"),
      `txq.width.b32 %r0, [${h}]; st.global.b32 [%p+128], %r0;`,
      `txq.level.height.b32 %r0, [${h}], %i0; st.global.b32 [%p+128], %r0;`,
      `sured.b.add.2d.s32.trap [${h}, {%i0,%i1}], %i0;`,
      `sured.p.min.2d.b32.clamp [${h}, {%i0,%i1}], %i0;`,
      `suld.b.2d.v2.b32.trap {%r0,%r1}, [${h}, {%i0,%i1}]; st.global.v2.b32 [%p+128], {%r0,%r1};`,
    ]);
    for (const target of ["sm_75", "sm_86", "sm_90", "sm_120"] as const) {
      const text = `.version 9.0\n.target ${target}\n.address_size 64\n${lines.map((l, k) => body(k, l)).join("")}`;
      const made = compile(text, { target, opt: 2, verify: true });
      expect(made.diagnostics.filter((d) => d.severity === "error")).toEqual([]);
      expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
      const told = (cubin: Uint8Array): string[] =>
        disassemble(unwrap(readCubin(cubin))).flatMap((f) =>
          f.instructions
            .map((i) => i.text.split(" "))
            .filter(([op]) => /^(TEX|TLD|TXQ|SULD|SURED|F2FP)/.test(op!))
            // Registers aside: what is converted, the place of a handle, the dimension, the mask.
            .map((words) => `${f.name} ${words.filter((w) => !/^\[?U?R/.test(w)).join(" ")}`)
            .sort(),
        );
      expect(told(made.cubin!).sort()).toEqual(told(ptxas(text, target, 3)).sort());
    }
  });

  test("properties from the driver's records, and kinds of handles, have ptxas's instructions, symbols and relocations", () => {
    const lines = [
      ...["channel_order", "force_unnormalized_coords"].map((q) => `txq.${q}.b32 %r, [%h]; st.global.b32 [%p], %r;`),
      "suq.array_size.b32 %r, [%h]; st.global.b32 [%p], %r;",
      "istypep.surfref %q, %h; selp.b32 %r, 1, 0, %q; st.global.b32 [%p], %r;",
    ];
    const body = (k: number, line: string): string => `.visible .entry k${k}(.param .u64 p)
{ .reg .b64 %p, %h; .reg .b32 %r; .reg .pred %q; ld.param.u64 %p, [p]; ld.global.b64 %h, [%p+8];
  ${line} ret; }
`;
    for (const target of ["sm_75", "sm_86", "sm_90", "sm_120"] as const) {
      const text = `.version 9.0\n.target ${target}\n.address_size 64\n${lines.map((l, k) => body(k, l)).join("")}`;
      const made = compile(text, { target, opt: 2, verify: true });
      expect(made.diagnostics).toEqual([]);
      const told = (bytes: Uint8Array): unknown[] => {
        const cubin = unwrap(readCubin(bytes));
        const size = (name: string): boolean => name.endsWith("DescSize");
        return [
          cubin.symbols.filter((s) => size(s.name)).map((s) => [s.name, s.type, s.bind, s.size, s.section]),
          disassemble(cubin).map(
            (f) => f.instructions.filter((i) => /^(LDG|LOP3|SEL) /.test(i.text.replace(/\.\S*/, ""))).length,
          ),
          cubin.functions
            .flatMap((f) => f.relocs.filter((r) => size(r.symbol.name)).map((r) => [f.name, r.type, r.symbol.name]))
            .sort(),
        ];
      };
      expect(told(made.cubin!)).toEqual(told(ptxas(text, target, 3)));
    }
  });

  test("components that nothing reads are not fetched", () => {
    const body = (read: readonly number[]): string => `.visible .entry k${read.join("")}(.param .u64 p, .param .u64 t)
{ .reg .b64 %p, %t; .reg .f32 %f<4>, %x; ld.param.u64 %p, [p]; ld.param.u64 %t, [t]; ld.global.f32 %x, [%p];
  tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%t, {%x,%x}];
  ${read.map((k) => `st.global.f32 [%p+${4 * k}], %f${k};`).join(" ")} ret; }
`;
    for (const target of ["sm_75", "sm_90", "sm_120"] as const)
      for (const opt of [0, 3] as const) {
        const text = `.version 9.0\n.target ${target}\n.address_size 64\n${[[1], [0, 3], [1, 2, 3], [0, 1, 2, 3]].map(body).join("")}`;
        const masks = (cubin: Uint8Array): string[] =>
          disassemble(unwrap(readCubin(cubin)))
            .map(
              (f) =>
                `${f.name} ${/, (0x\w+)$/.exec(f.instructions.find((i) => i.text.startsWith("TEX"))!.text)?.[1] ?? "all"}`,
            )
            .sort();
        const made = compile(text, { target, opt, verify: true });
        expect(masks(made.cubin!)).toEqual(["k0123 all", "k03 0x9", "k1 0x2", "k123 0xe"]);
        expect(masks(made.cubin!)).toEqual(masks(ptxas(text, target, opt)));
      }
  });

  test("what is not built is refused", () => {
    const refused = (target: TargetName, form: readonly string[]): boolean =>
      compile(`.version 9.0\n.target ${target}\n.address_size 64\n${kernel("k", form)}`, { target, opt: 2 }).cubin ===
      null;
    const derivatives = ", {%f2,%f3,%f4,%f4}, {%f4,%f5,%f1,%f1}";
    expect(refused("sm_80", ["tex.grad.3d.v4.f32.f32", "f 4", "%f0,%f1,%f2,%f3", derivatives, ""])).toBe(true);
  });
});
