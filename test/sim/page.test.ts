/** The example page's code without Node: bundled, and run where only what a browser has is there. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";

const root = join(__dirname, "../..");
/** esbuild refuses jest's globals, so it has a process of its own. */
const script = `process.stdout.write(require("esbuild").buildSync({ entryPoints: ["examples/simulator/run.ts"], bundle: true, write: false,
  platform: "browser", target: "es2022", format: "iife", globalName: "page", external: ["./present/*"] }).outputFiles[0].text)`;

const saxpy = `.version 8.0
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 x) {
  .reg .b32 %r<3>; .reg .f32 %f<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [x];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd1, %r1, 4, %rd1;
  ld.global.f32 %f1, [%rd1];
  add.f32 %f1, %f1, %f1;
  st.global.f32 [%rd1], %f1;
  ret;
}`;

test("compiles and runs a kernel, stops an endless one, tells mistakes", async () => {
  const code = execFileSync(process.execPath, ["-e", script], { cwd: root, maxBuffer: 1 << 26, encoding: "utf8" });
  const context = createContext({ performance, setTimeout, TextEncoder, TextDecoder, structuredClone });
  runInContext(code, context);
  const run = async (input: object): Promise<string> => {
    const all = { target: "sm_90", opt: 3, races: true, profile: true, signal: { aborted: false }, ...input };
    return (await runInContext("(input) => page.runPage(input)", context)(all)) as string;
  };
  const launch = '{ "block": 3, "params": [{ "buffer": "f32", "values": [1, 2.5, 4] }] }';
  const told = await run({ ptx: saxpy, launch });
  expect(told).toContain("parameter 0: 2 5 8\n0 races, 0 uninitialised reads\n");
  expect(told).toMatch(/line 9: 1 issued, 3 by threads, global 12 bytes/);
  const endless = saxpy.replace("ret;", "again: bra again;");
  expect(await run({ ptx: endless, launch, signal: { aborted: true } })).toContain(
    "fault: interrupted in kernel twice",
  );
  expect(await run({ ptx: "nonsense", launch })).toContain("syntax error");
  expect(await run({ ptx: saxpy, launch: "{" })).toMatch(/^error: /);
}, 30_000);
