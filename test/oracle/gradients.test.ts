/** Gradients of three coordinates: the call of the driver's routine is ptxas's, and gives what the interpreter gives, with our code and ptxas's. */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import { type LaunchOptions, simulate, type Texture } from "../../lib/sim/index";
import { PtxDevice } from "../../lib/sim/ptx/index";
import type { TargetName } from "../../lib/target/index";
import { verifyCubin } from "../../lib/verify";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

interface Form {
  readonly name: string;
  readonly to: string;
  readonly coordinates: string;
  readonly after?: string;
  readonly routine: string;
}

const XYZ = "{%f0, %f1, %f2, %f2}";
const FORMS: readonly Form[] = [
  { name: "3d.v4.f32.f32", to: "{%o0, %o1, %o2, %o3}", coordinates: XYZ, routine: "3d_v4_f32_f32" },
  { name: "3d.v4.f32.f32", to: "{%o0, %o1, %o2, %o3}|%p", coordinates: XYZ, routine: "pred_3d_v4_f32_f32" },
  { name: "3d.v2.f16x2.f32", to: "{%r2, %r3}", coordinates: XYZ, routine: "3d_v4_f16_f32" },
  { name: "3d.v4.f16.f32", to: "{%h0, %h1, %h2, %h3}", coordinates: XYZ, routine: "3d_v4_f16_f32" },
  {
    name: "3d.v4.f32.f32",
    to: "{%o0, %o1, %o2, %o3}",
    coordinates: XYZ,
    after: ", {1, -1, 1, 0}",
    routine: "3d_v4_f32_f32_offset",
  },
  { name: "cube.v4.f32.f32", to: "{%o0, %o1, %o2, %o3}", coordinates: XYZ, routine: "cube_v4_f32_f32" },
  {
    name: "acube.v4.f32.f32",
    to: "{%o0, %o1, %o2, %o3}",
    coordinates: "{%r1, %f0, %f1, %f2}",
    routine: "acube_v4_f32_f32",
  },
  {
    name: "cube.v4.f32.f32",
    to: "{%o0, %o1, %o2, %o3}",
    coordinates: XYZ,
    after: ", 0f41000000",
    routine: "cube_v4_f32_f32_depth_compare",
  },
];

const kernel = (f: Form, target: string): string => `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 texture, .param .u64 given, .param .u64 out) {
  .reg .b64 %t, %g, %d, %x; .reg .f32 %f<9>, %o<4>; .reg .b32 %r<4>; .reg .b16 %h<4>; .reg .pred %p;
  ld.param.u64 %t, [texture]; ld.param.u64 %g, [given]; ld.param.u64 %d, [out];
  mov.u32 %r1, %tid.x; mul.wide.u32 %x, %r1, 16; add.u64 %d, %d, %x; mul.wide.u32 %x, %r1, 36; add.u64 %g, %g, %x;
  ${Array.from({ length: 9 }, (_, k) => `ld.global.f32 %f${k}, [%g+${4 * k}];`).join(" ")}
  and.b32 %r1, %r1, 1; mov.f32 %o0, 0f00000000; mov.f32 %o1, %o0; mov.f32 %o2, %o0; mov.f32 %o3, %o0; setp.ne.u32 %p, %r1, %r1;
  tex.grad.${f.name} ${f.to}, [%t, ${f.coordinates}], {%f3, %f4, %f5, %f5}, {%f6, %f7, %f8, %f8}${f.after ?? ""};
  ${f.to.includes("%h") ? "mov.b32 %o0, {%h0, %h1}; mov.b32 %o2, {%h2, %h3};" : ""}
  ${f.to.includes("%r") ? "mov.b32 %o0, %r2; mov.b32 %o2, %r3;" : ""}
  ${f.to.includes("%p") ? "@!%p mov.f32 %o0, 0f00000000;" : ""}
  st.global.v4.f32 [%d], {%o0, %o1, %o2, %o3};
  ret;
}
`;

const SIZE = 4;
const LANES = 32;
/** Coordinates within the texture and derivatives between a texel and the whole. */
const given = Float32Array.from({ length: 9 * LANES }, (_, i) =>
  i % 9 < 3 ? 0.05 + ((i * 7) % 17) / 18 : ((i * 5) % 11) / 22,
);

function textureOf(f: Form): Texture {
  const cube = f.name.includes("cube");
  const faces = cube ? 6 * (f.name.startsWith("acube") ? 2 : 1) : SIZE;
  const texels = [SIZE, SIZE / 2, 1].reduce((n, w) => n + w * w * (cube ? faces : w), 0);
  return {
    data: Float32Array.from({ length: texels }, (_, i) => (i * 13) % 64),
    shape: cube ? (f.name.startsWith("acube") ? "cube-layered" : "cube") : "3d",
    size: cube ? [SIZE, SIZE] : [SIZE, SIZE, SIZE],
    ...(f.name.startsWith("acube") && { layers: 2 }),
    type: "f32",
    channels: 1,
    levels: 3,
    filter: "linear",
    mipFilter: "linear",
    normalized: true,
  };
}

describeOracle("gradients of three coordinates", () => {
  const targets: readonly TargetName[] = ["sm_90", "sm_100", "sm_120"];
  test.each(FORMS.flatMap((f) => targets.map((target) => ({ ...f, target }))))(
    "$routine on $target",
    ({ target, ...f }) => {
      const ptx = kernel(f, target);
      const run = (launch: (o: LaunchOptions) => { fault: unknown }): number[] => {
        const out = new Float32Array(4 * LANES);
        expect(launch({ block: LANES, params: [{ texture: textureOf(f) }, given, out] }).fault).toBeNull();
        return [...new Uint32Array(out.buffer)];
      };
      const device = new PtxDevice();
      const meant = run((o) => unwrap(device.launch(unwrap(device.load(ptx)), o)));
      expect(new Set(meant).size).toBeGreaterThan(f.routine.endsWith("compare") ? 1 : 8);
      const routines = (cubin: Uint8Array): string[] =>
        unwrap(readCubin(cubin)).symbols.flatMap((s) => (s.name.startsWith("__cuda_syscall") ? [s.name] : []));
      for (const opt of [0, 3] as const) {
        const made = compile(ptx, { target, opt });
        expect(made.diagnostics).toEqual([]);
        expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
        const theirs = ptxas(ptx, target, opt);
        expect(routines(made.cubin!)).toEqual([`__cuda_syscall_tex_grad_${f.routine}`]);
        expect(routines(theirs)).toEqual(routines(made.cubin!));
        expect(run((o) => unwrap(simulate(made.cubin!, o)))).toEqual(meant);
        expect(run((o) => unwrap(simulate(theirs, o)))).toEqual(meant);
      }
    },
  );
});
