/** Memory of a device over many launches. */
import { compile } from "../../lib/compile.js";
import { Device } from "../../lib/sim/index.js";

const ptx = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q) {
  .reg .b64 %p<4>; .reg .b32 %r<3>;
  ld.param.u64 %p1, [p];
  ld.param.u64 %p2, [q];
  ld.global.u32 %r1, [%p1];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%p1], %r1;
  st.global.u32 [%p2+64], %r1;
  ret;
}`;

function loaded(): { device: Device; launch: (p: Uint32Array, q: Uint32Array) => string | null } {
  const { cubin } = compile(ptx, { target: "sm_90" });
  const device = new Device();
  const module = device.load(cubin!);
  if (!module.ok) throw new Error(module.diagnostics[0]!.message);
  return {
    device,
    launch: (p, q) => {
      const run = device.launch(module.value, { params: [p, q], engine: "wasm" });
      if (!run.ok) throw new Error(run.diagnostics[0]!.message);
      return run.value.fault?.kind ?? null;
    },
  };
}

test("what launches allocate for typed arrays is free afterwards, and zero", () => {
  const { device, launch } = loaded();
  const p = new Uint32Array(1 << 16);
  launch(p, new Uint32Array(32));
  const before = device.alloc(256);
  for (let i = 0; i < 10; i++) launch(p, new Uint32Array(32));
  expect(p[0]).toBe(11);
  const after = device.alloc(1 << 18);
  expect(device.read(after, 1 << 18).every((x) => x === 0)).toBe(true);
  expect(Math.abs(after - before)).toBeLessThan(4 << 18);
});

test("an access to where an array of an earlier launch was is outside", () => {
  const { launch } = loaded();
  const p = new Uint32Array(16);
  expect(launch(p, new Uint32Array(1 << 12))).toBeNull();
  expect(launch(p, new Uint32Array(8))).toBe("out-of-bounds");
});
