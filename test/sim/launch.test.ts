import { runLaunchFile } from "../../lib/sim/index.js";
import { parseLaunchFile } from "../../lib/sim/launch-file.js";
import { Random } from "../../lib/sim/random.js";

const nothing = { readFile: (): null => null };
const parse = (value: unknown, files: Record<string, Uint8Array> = {}) =>
  parseLaunchFile(value, (path) => files[path] ?? null);
const one = [{ kernel: "k" }];
const withTexture = (fields: object): object => ({
  buffers: { b: { type: "u8", length: 64 } },
  textures: { t: { buffer: "b", shape: "2d", size: [2, 2], type: "f32", channels: 1, ...fields } },
  launches: one,
});

describe("launch files", () => {
  test("buffers: values, ranges, constants, files, zeros", () => {
    const file = parse(
      {
        buffers: {
          a: { type: "f32", length: 3, fill: { arange: [1, 0.5] } },
          b: { type: "s16", length: 2, fill: { value: -2 } },
          c: { type: "u8", file: "c.bin" },
          d: { type: "u64", values: ["18446744073709551615", 7, "0x10"] },
          e: { type: "f64", length: 1 },
          f: { type: "f32", values: ["nan", "-inf", "0x3f800000"] },
          g: { type: "bf16", values: [1.5] },
          h: { type: "f16", values: [65504, "inf"] },
        },
        launches: one,
      },
      { "c.bin": Uint8Array.of(1, 2, 3) },
    );
    if (typeof file === "string") throw new Error(file);
    const bytes = (name: string): number[] => [...file.buffers.get(name)!.bytes];
    expect(new Float32Array(file.buffers.get("a")!.bytes.buffer)).toEqual(Float32Array.of(1, 1.5, 2));
    expect(bytes("b")).toEqual([0xfe, 0xff, 0xfe, 0xff]);
    expect(bytes("c")).toEqual([1, 2, 3]);
    expect(new BigUint64Array(file.buffers.get("d")!.bytes.buffer)).toEqual(BigUint64Array.of(2n ** 64n - 1n, 7n, 16n));
    expect(bytes("e")).toEqual(new Array(8).fill(0));
    expect(new Uint32Array(file.buffers.get("f")!.bytes.buffer)).toEqual(
      Uint32Array.of(0x7fffffff, 0xff800000, 0x3f800000),
    );
    expect(bytes("g")).toEqual([0xc0, 0x3f]);
    expect(bytes("h")).toEqual([0xff, 0x7b, 0x00, 0x7c]);
  });

  test.each([
    [{}, "launches: a list is expected"],
    [[], "launch file: an object is expected"],
    [{ launches: [] }, "launches: at least one"],
    [{ launches: one, bufers: {} }, 'unknown key "bufers"'],
    [{ launches: one, buffers: { x: { type: "f33", length: 1 } } }, 'buffers.x.type: "f33" is no type'],
    [{ launches: one, buffers: { x: { type: "u8" } } }, "buffers.x: length, file or values is needed"],
    [{ launches: one, buffers: { x: { type: "u8", values: [300] } } }, "buffers.x.values: [0]: 300 is outside u8"],
    [{ launches: one, buffers: { x: { type: "s32", values: [1.5] } } }, "1.5 is no integer"],
    [{ launches: one, buffers: { x: { type: "f32", values: ["abc"] } } }, '"abc" is no number'],
    [{ launches: one, buffers: { x: { type: "u8", file: "no" } } }, 'buffers.x.file: cannot read "no"'],
    [{ launches: one, buffers: { x: { type: "u32", length: 3, values: [1] } } }, "length is 3"],
    [{ launches: one, buffers: { x: { type: "u32", values: [1], file: "f" } } }, "only one of file, values"],
    [
      { launches: [{ kernel: "k", params: [{ buffer: "q" }] }] },
      'launches[0].params[0].buffer: there is no buffer "q"',
    ],
    [{ launches: [{ kernel: "k", params: [{ int: 3 }] }] }, "launches[0].params[0]:"],
    [{ launches: [{ kernel: "k", params: [{ bytes: "0g" }] }] }, "hexadecimal"],
    [{ launches: [{ kernel: "k", grid: [1, 2, 3, 4] }] }, "launches[0].grid: one to three"],
    [{ launches: [{ kernel: "k", sharedBytes: -1 }] }, "launches[0].sharedBytes"],
    [{ launches: one, expect: { x: {} } }, "expect.x: one of values and file"],
    [{ launches: one, expect: { x: { values: [1], rel: -1 } } }, "expect.x.rel"],
    [
      { launches: [{ kernel: "k", params: [{ texture: "t" }] }] },
      'launches[0].params[0].texture: there is no texture "t"',
    ],
    [{ launches: one, textures: { t: { buffer: "b" } } }, 'textures.t.buffer: there is no buffer "b"'],
    [withTexture({ size: [3] }), "textures.t: the size of 2d has 2 numbers, not 1"],
    [withTexture({ filter: "cubic" }), 'textures.t: "cubic" is no filter; there are: point, linear'],
    [withTexture({ normalized: 1 }), "textures.t.normalized: true or false is expected"],
    [withTexture({ maxAnisotropy: 8 }), "textures.t.maxAnisotropy: anisotropic filtering is not supported"],
    [withTexture({ offset: 4 }), "textures.t.offset: texels begin at a multiple of 16 bytes"],
    [withTexture({ size: [2, 9] }), "textures.t: 64 bytes hold no image of 72"],
    [{ launches: one, references: { t: { texture: "u" } } }, 'references.t.texture: there is no texture "u"'],
    [{ launches: one, references: { t: 7 } }, "references.t: an object is expected"],
    [{ launches: one, references: { t: {} } }, 'references.t: { "texture": name } or { "surface": name } is expected'],
    [null, "launch file: an object is expected"],
  ])("%j", (value, message) => {
    const result = parse(value);
    expect(typeof result === "string" ? result : "accepted").toContain(message);
    const run = runLaunchFile(new Uint8Array(0), value, nothing);
    expect([run.status, run.lines.length]).toEqual([2, 1]);
  });

  test("what is no cubin is unusable, not a crash", () => {
    for (const bytes of [new Uint8Array(0), new Uint8Array(100), Uint8Array.of(0x7f, 0x45, 0x4c, 0x46)]) {
      const run = runLaunchFile(bytes, { launches: one }, nothing);
      expect(run.status).toBe(2);
      expect(run.lines[0]).toMatch(/^error: /);
    }
  });

  test("the random generator is what its description says, for ever", () => {
    // Reference: the description in bigint arithmetic.
    const M = (1n << 32n) - 1n;
    let state = 7n;
    const draw = (): bigint => {
      state = (state + 0x9e3779b9n) & M;
      let x = state;
      x ^= x >> 16n;
      x = (x * 0x21f0aaadn) & M;
      x ^= x >> 15n;
      x = (x * 0x735a2d97n) & M;
      return x ^ (x >> 15n);
    };
    const random = new Random(7);
    for (let i = 0; i < 100; i++) expect(random.word()).toBe(Number(draw()));
    const [a, b] = [draw(), draw()];
    const u = Number(a * 2n ** 21n + (b >> 11n)) / 2 ** 53;
    expect(random.float(-1, 3)).toBe(-1 + 4 * u);
    const [c, d] = [draw(), draw()];
    expect(random.integer(-5n, 5n)).toBe(-5n + ((c * 2n ** 32n + d) * 11n) / 2n ** 64n);
  });
});
