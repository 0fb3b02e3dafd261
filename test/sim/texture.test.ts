import { compile } from "../../lib/compile";
import { unwrap } from "../../lib/result";
import { Device, type Surface, type Texture } from "../../lib/sim/index";
import { PtxDevice } from "../../lib/sim/ptx/index";
import type { TargetName } from "../../lib/target/index";
import { differences, type Runner } from "./texture-run";

function compiled(target: TargetName, opt: number): Runner {
  let device = new Device();
  return {
    load: (ptx) => {
      device = new Device();
      return device.load(compile(ptx, { target, opt }).cubin!);
    },
    launch: (module, options) => device.launch(module, options),
  };
}

function interpreted(): Runner {
  let device = new PtxDevice();
  return {
    load: (ptx) => {
      device = new PtxDevice();
      return device.load(ptx);
    },
    launch: (module, options) => device.launch(module, options),
  };
}

// test/oracle/texture-values.test.ts has all of them, and ptxas's code.
test("forms of textures and surfaces give what the reference says, as machine code", () => {
  expect(differences("sm_90", compiled("sm_90", 3), 5)).toEqual([]);
});

test("the interpreter gives the same", () => {
  expect(differences("sm_90", interpreted())).toEqual([]);
});

// ------------------------------------------------------------------------------------------------ objects

const KERNEL = `.version 8.0
.target sm_75
.address_size 64
.visible .entry fetch(.param .u64 o, .param .u64 t, .param .f32 x, .param .f32 y)
{ .reg .b64 %o, %t; .reg .f32 %f<4>, %x, %y;
  ld.param.u64 %o, [o]; ld.param.u64 %t, [t]; ld.param.f32 %x, [x]; ld.param.f32 %y, [y];
  tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%t, {%x,%y}];
  st.global.v4.f32 [%o], {%f0,%f1,%f2,%f3}; ret; }
.visible .entry put(.param .u64 s, .param .u32 x, .param .u32 y, .param .f32 a, .param .f32 b)
{ .reg .b64 %s; .reg .b32 %x, %y; .reg .f32 %a, %b;
  ld.param.u64 %s, [s]; ld.param.u32 %x, [x]; ld.param.u32 %y, [y]; ld.param.f32 %a, [a]; ld.param.f32 %b, [b];
  sust.p.2d.v2.b32.trap [%s, {%x,%y}], {%a,%b}; ret; }
`;
const cubin = compile(KERNEL, { target: "sm_75" }).cubin!;

function fetched(t: Texture, x: number, y: number): number[] {
  const device = new Device();
  const out = new Float32Array(4);
  const params = [out, { texture: t }, { f32: x }, { f32: y }];
  const run = unwrap(device.launch(unwrap(device.load(cubin)), { kernel: "fetch", params }));
  expect(run.fault).toBeNull();
  return [...out];
}

const base: Texture = {
  data: new Uint8Array([0, 51, 102, 255]),
  shape: "2d",
  size: [2, 2],
  type: "u8",
  channels: 1,
  read: "normalized",
};

test("the middle of four texels is their mean, and what a texel has not is 0, 0, 1", () => {
  const [r, ...rest] = fetched({ ...base, filter: "linear" }, 1, 1);
  expect(r).toBeCloseTo(0.4, 6);
  expect(rest).toEqual([0, 0, 1]);
});

test("weights have 8 bits", () => {
  // 1/1024 beyond a texel's middle is nothing, 3/1024 is 1/256.
  const data = new Float32Array([0, 256, 0, 256]);
  const t: Texture = { data, shape: "2d", size: [2, 2], type: "f32", channels: 1, filter: "linear" };
  expect(fetched(t, 0.5 + 1 / 1024, 0.5)[0]).toBe(0);
  expect(fetched(t, 0.5 + 3 / 1024, 0.5)[0]).toBe(1);
});

test("sRGB texels are linear before they are filtered, alpha is linear already", () => {
  const data = new Uint8Array([255, 0, 188, 51]);
  const t: Texture = { data, shape: "2d", size: [1, 1], type: "u8", channels: 4, read: "normalized", srgb: true };
  const [r, g, b, a] = fetched(t, 0.5, 0.5) as [number, number, number, number];
  expect([r, g]).toEqual([1, 0]);
  expect(b).toBeCloseTo(0.5029, 4);
  expect(a).toBeCloseTo(0.2, 6);
});

test("rows may be apart", () => {
  const data = new Float32Array(16);
  data[8] = 5;
  expect(fetched({ data, shape: "2d", size: [2, 2], rowBytes: 32, type: "f32", channels: 1 }, 0.5, 1.5)[0]).toBe(5);
});

test("what is no texture or surface is refused with a reason", () => {
  const device = new Device();
  const module = unwrap(device.load(cubin));
  const told = (change: Partial<Texture>): string => {
    const params = [new Float32Array(4), { texture: { ...base, ...change } as Texture }, { f32: 0 }, { f32: 0 }];
    const run = device.launch(module, { kernel: "fetch", params });
    return run.ok ? "" : run.diagnostics[0]!.message;
  };
  expect(told({})).toBe("");
  expect(told({ size: [2] })).toMatch("the size of 2d has 2 numbers, not 1");
  expect(told({ size: [3, 2] })).toMatch("4 bytes hold no image of 6");
  expect(told({ address: "wrap" })).toMatch("wrap and mirror need normalized coordinates");
  expect(told({ read: "element", filter: "linear" })).toMatch("integers are not filtered");
  expect(told({ levels: 2, normalized: true })).toMatch("4 bytes hold no image of 5");
  expect(told({ levels: 2 })).toMatch("textures of several levels have normalized coordinates");
  expect(told({ levels: 9, normalized: true })).toMatch("has 1 to 2 levels, not 9");
  expect(told({ srgb: true })).toMatch("sRGB texels are four channels");
  expect(told({ layers: 2 })).toMatch("2d has no layers");
});

test("a handle that names nothing, a texture of another shape, and coordinates outside of a surface are faults", () => {
  const device = new Device();
  const module = unwrap(device.load(cubin));
  const out = new Float32Array(4);
  const fault = (kernel: string, params: Parameters<Device["launch"]>[1]["params"]): string => {
    const f = unwrap(device.launch(module, { kernel, params: params! })).fault;
    return f === null ? "" : `${f.kind}: ${f.message}`;
  };
  const nowhere = [{ f32: 0 }, { f32: 0 }];
  expect(fault("fetch", [out, { u64: 5 }, ...nowhere])).toMatch(
    "illegal-instruction: there is no texture of the handle 0x5",
  );
  const volume: Texture = { data: out, shape: "3d", size: [1, 1, 1], type: "f32", channels: 4 };
  expect(fault("fetch", [out, { texture: volume }, ...nowhere])).toMatch("the texture is 3d, the instruction reads 2D");
  const data = new Uint8Array(2 * 2 * 2);
  const surface: Surface = { data, shape: "2d", size: [2, 2], type: "s8", channels: 2, normalized: true };
  const put = (x: number, a: number, b: number): string =>
    fault("put", [{ surface }, { u32: x }, { u32: 1 }, { f32: a }, { f32: b }]);
  expect(put(1, -1, 2)).toBe("");
  expect([...data]).toEqual([0, 0, 0, 0, 0, 0, 129, 127]);
  expect(put(2, 0, 0)).toMatch("out-of-bounds: surface coordinates [2, 1] of a surface of 2 × 2 are outside of it");
});

test("objects that stay have handles of their own", () => {
  const device = new Device();
  const address = device.alloc(16);
  device.write(address, new Uint8Array(new Float32Array([3, 4, 5, 6]).buffer));
  const texture: Texture = { data: { address, bytes: 16 }, shape: "2d", size: [1, 1], type: "f32", channels: 4 };
  const handle = unwrap(device.createTexture(texture));
  const module = unwrap(device.load(cubin));
  const out = new Float32Array(4);
  const params = [out, { u64: handle }, { f32: 0 }, { f32: 0 }];
  expect(unwrap(device.launch(module, { kernel: "fetch", params })).fault).toBeNull();
  expect([...out]).toEqual([3, 4, 5, 6]);
  device.destroyObject(handle);
  expect(unwrap(device.launch(module, { kernel: "fetch", params })).fault).not.toBeNull();
  expect(device.createTexture({ ...texture, data: out }).ok).toBe(false);
});
