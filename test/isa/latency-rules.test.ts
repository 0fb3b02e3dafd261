/** More evidence does not make a cell of the latency tables larger than what ptxas was seen to leave. */
import { type Dependence, dependences, type FileName, fileNames } from "../../lib/isa/latency/index.js";
import { type Sm, sms } from "../../lib/target/table.js";
import { addSight, cellId, readSights, readStated, type Sight } from "../../tools/latency/evidence.js";
import { Random } from "../../tools/latency/random.js";
import { type CellTable, cellsOf, type Evidence } from "../../tools/latency/rules.js";

const stated: Evidence["stated"] = readStated();

/** A cell of the tables as they are. */
interface Picked {
  readonly file: FileName;
  readonly kind: Dependence;
  readonly key: string;
  readonly sm: Sm;
}

const tables = new Map<string, CellTable>();
const tableOf = (sights: Evidence["sights"], file: FileName, kind: Dependence): CellTable =>
  cellsOf({ sights, stated }, file, kind);

const before = readSights();
for (const file of fileNames)
  for (const kind of dependences) tables.set(`${file} ${kind}`, tableOf(before, file, kind));

function pick(random: Random): Picked {
  for (;;) {
    const [file, kind] = [random.pick(fileNames), random.pick(dependences)];
    const [key, cells] = random.pick([...tables.get(`${file} ${kind}`)!]);
    const sm = random.pick(sms);
    if (cells.get(sm) !== undefined && cells.get(sm)!.status !== "stated") return { file, kind, key, sm };
  }
}

/** The cell, and the least distance seen of it, with one sight more. */
function withSight({ file, kind, key, sm }: Picked, more: Sight): { readonly value: number; readonly least: number } {
  const [later, earlier] = key.split(" ");
  const id = cellId(kind, file, earlier!, later!);
  const sights = new Map(before).set(sm, new Map(before.get(sm)!));
  const old = before.get(sm)!.get(id);
  if (old) sights.get(sm)!.set(id, { ...old });
  addSight(sights.get(sm)!, id, more);
  const cell = tableOf(sights, file, kind).get(key)!.get(sm)!;
  return { value: cell.value, least: sights.get(sm)!.get(id)!.min };
}

const valueNow = ({ file, kind, key, sm }: Picked): number => tables.get(`${file} ${kind}`)!.get(key)!.get(sm)!.value;

test("no cell is larger than the least distance seen on its SM", () => {
  const over = [...tables].flatMap(([name, table]) =>
    [...table].flatMap(([key, cells]) =>
      [...cells].flatMap(([sm, c]) =>
        c.seen && c.status !== "stated" && c.value > c.seen.min ? [`${name} ${key} ${sm}`] : [],
      ),
    ),
  );
  expect(over).toEqual([]);
});

test("a few sights without a stall of their own raise nothing", () => {
  const random = new Random(5);
  for (let k = 0; k < 25; k++) {
    const p = pick(random);
    const more = { n: 1, chain: 1, min: 1 + random.below(20), tight: 0 };
    const seen = tables.get(`${p.file} ${p.kind}`)!.get(p.key)!.get(p.sm)!.seen;
    // The fortieth sight makes a bound of the least.
    if (seen && seen.n === 39) continue;
    expect([p, withSight(p, more).value <= valueNow(p)]).toEqual([p, true]);
  }
});

test("whatever is added: a cell rises only to the least distance seen, and what was seen nearer keeps it down", () => {
  const random = new Random(6);
  for (let k = 0; k < 25; k++) {
    const p = pick(random);
    const more = { n: 1 + random.below(100), chain: 0, min: 1 + random.below(30), tight: random.below(12) };
    const { value, least } = withSight(p, more);
    expect([p, value <= least]).toEqual([p, true]);
    if (value > valueNow(p))
      expect([
        p,
        more.tight > 2 || more.n + (tables.get(`${p.file} ${p.kind}`)!.get(p.key)!.get(p.sm)!.seen?.n ?? 0) >= 40,
      ]).toEqual([p, true]);
  }
});

test("stalls that a shorter sight contradicts decide nothing", () => {
  const id = cellId("raw", "UR", "umov", "uldc");
  const at = (sights: readonly Sight[]): number => {
    const all = new Map<Sm, Map<string, Sight>>(sms.map((sm) => [sm, new Map()]));
    for (const s of sights) addSight(all.get(110)!, id, s);
    return cellsOf({ sights: all, stated: new Map(sms.map((sm) => [sm, new Map()])) }, "UR", "raw")
      .get("uldc umov")!
      .get(110)!.value;
  };
  const two = { n: 2, chain: 2, min: 7, tight: 2 };
  const many = { n: 9, chain: 9, min: 7, tight: 9 };
  const near = { n: 1, chain: 0, min: 4, tight: 0 };
  // 5 is published.
  expect([at([two]), at([many]), at([many, near]), at([near, many])]).toEqual([5, 7, 4, 4]);
});

test("where one SM of a generation is nearer, contexts of those that agree count together", () => {
  const id = cellId("war", "P", "fp16", "alu");
  const at = (sm: Sm, sights: Readonly<Record<number, Sight>>): number => {
    const all = new Map<Sm, Map<string, Sight>>(
      sms.map((s) => [s, new Map(sights[s] ? [[id, sights[s]] as const] : [])]),
    );
    return cellsOf({ sights: all, stated: new Map(sms.map((s) => [s, new Map()])) }, "P", "war")
      .get("alu fp16")!
      .get(sm)!.value;
  };
  const near = { n: 67, chain: 0, min: 1, tight: 0 };
  const two = (tight: number): Sight => ({ n: 60, chain: 0, min: 2, tight });
  expect(at(86, { 80: near, 86: two(5) })).toBe(1);
  expect(at(86, { 80: near, 86: two(5), 87: two(3) })).toBe(2);
  // Too few of its own.
  expect(at(86, { 80: near, 86: two(2), 87: two(9) })).toBe(1);
  expect(at(80, { 80: near, 86: two(5), 87: two(9) })).toBe(1);
});
