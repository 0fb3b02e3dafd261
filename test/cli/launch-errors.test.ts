/** Errors in launch files name the file and the place. */
import { ptxlab } from "../../lib/cli/index.js";
import { jsonPlaces } from "../../lib/cli/json-place.js";
import { compile } from "../../lib/compile.js";
import { corpusPtx } from "../corpus/cases.js";
import { fakeHost } from "./fake-host.js";

test("places of the values of a JSON text", () => {
  const text = '{"a": [1, {"b": []}, "x\\"]"],\n "c.d": {}, "é": {"f": null}}';
  const places = jsonPlaces(text);
  expect([...places.keys()]).toEqual(["", "a", "a[0]", "a[1]", "a[1].b", "a[2]", "c.d", "é", "é.f"]);
  expect([...places.values()].map((at) => text[at])).toEqual(["{", "[", "1", "{", "[", '"', "{", "{", "n"]);
  expect([...jsonPlaces(" 17 ")]).toEqual([["", 1]]);
});

const cubin = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90", opt: 0 }).cubin!;
const launches = (params: string): string =>
  `{\n "launches": [\n  { "kernel": "saxpy",\n    "params": ${params} }\n ]\n}`;

test.each([
  ['{ "launches": [', "k.json:1:16: not JSON: the text ends"],
  ["[]", "k.json:1:1: launch file: an object is expected"],
  ['{ "buffers": { "x": { "type": "f99" } } }', 'k.json:1:31: buffers.x.type: "f99" is no type'],
  [launches('[{ "f32": true }]'), "k.json:4:25: launches[0].params[0].f32: a number or a string is expected"],
  [launches('[{ "f32": 1 }]').replace("saxpy", "daxpy"), "k.json:3:3: launches[0]: "],
  ['{ "launches": [{ "gird": 1 }] }', 'k.json:1:16: launches[0]: unknown key "gird"'],
])("%j: %s", async (launch, message) => {
  for (const command of ["run", "estimate"]) {
    const host = fakeHost({ "k.cubin": cubin, "k.json": launch });
    expect(await ptxlab([command, "k.cubin", "--launch", "k.json"], host)).toBe(2);
    expect(host.stderr).toContain(`ptxlab: ${message}`);
    expect(host.stdout).toBe("");
  }
});
