/** Small bodies from a seed: a producer and its consumer, or three to six operations that use each other's results. */
import { stream } from "../flow/kernels.js";
import { type Kind, type Operation, operations } from "./operations.js";

/** What each body finds in registers; predicates compare the words, floats and halves are their bits. */
const inputs: Readonly<Record<Kind, readonly string[]>> = {
  r: ["%a", "%b", "%c", "%d"],
  q: ["%e", "%f"],
  f: ["%fa", "%fb", "%fc"],
  g: ["%ge", "%gf"],
  p: ["%p1", "%p2"],
  h: ["%ha", "%hb"],
};
const results: Readonly<Record<Kind, string>> = { r: "%t", q: "%u", f: "%v", g: "%w", p: "%x", h: "%y" };
const stored: Readonly<Record<Exclude<Kind, "p">, string>> = { r: "u32", q: "u64", f: "f32", g: "f64", h: "u16" };
/** Registers that are made of others before the body, and how. */
const made: Readonly<Record<string, string>> = {
  "%fa": "mov.b32 %fa,%a;",
  "%fb": "mov.b32 %fb,%b;",
  "%fc": "mov.b32 %fc,%c;",
  "%ge": "mov.b64 %ge,%e;",
  "%gf": "mov.b64 %gf,%f;",
  "%p1": "setp.lt.s32 %p1,%c,%d;",
  "%p2": "setp.eq.s32 %p2,%b,%d;",
  "%ha": "cvt.u16.u32 %ha,%a;",
  "%hb": "cvt.u16.u32 %hb,%b;",
};

/** Bytes of input and of output per lane. */
export const bytesPerLane = 64;

/** Reads and writes nothing but a word: what every kernel of these has beside its body. */
export const frameBody = "st.global.u32 [%o+0],%a;";

/** One entry `(.param .u64 input, .param .u64 output, .param .u32 n)`. */
export function bodyKernel(name: string, body: string): string {
  const before = Object.entries(made)
    .filter(([register]) => new RegExp(`${register}\\b`).test(body))
    .map(([, text]) => text)
    .join(" ");
  const reads = (registers: readonly string[]): boolean =>
    registers.some((r) => new RegExp(`${r}\\b`).test(`${body} ${before}`));
  const loads = [
    reads(inputs.r) ? "ld.global.v4.u32 {%a,%b,%c,%d},[%i];" : "",
    reads(inputs.q) ? "ld.global.v2.u64 {%e,%f},[%i+16];" : "",
    reads(["%n"]) ? "ld.param.u32 %n,[n];" : "",
  ].join(" ");
  return `.visible .entry ${name}(.param .u64 i, .param .u64 o, .param .u32 n) {
  .reg .b32 %a,%b,%c,%d,%n,%ti,%t<9>; .reg .b64 %e,%f,%i,%o,%z,%u<9>; .reg .f32 %fa,%fb,%fc,%v<9>; .reg .f64 %ge,%gf,%w<9>;
  .reg .pred %p1,%p2,%x<9>; .reg .b16 %ha,%hb,%y<9>;
  ld.param.u64 %i,[i]; ld.param.u64 %o,[o]; mov.u32 %ti,%tid.x;
  mul.wide.u32 %z,%ti,${bytesPerLane}; add.s64 %i,%i,%z; add.s64 %o,%o,%z;
  ${loads} ${before}
  ${body}
  ret;
}
`;
}

const store = (kind: Kind, register: string, at: number): string =>
  kind === "p"
    ? `{ .reg .b32 z; selp.u32 z,5,9,${register}; st.global.u32 [%o+${at}],z; }`
    : `st.global.${stored[kind]} [%o+${at}],${register};`;

const textOf = (op: Operation, reads: readonly string[], result: string): string =>
  op.text.replace(/\$(d|\d)/g, (_, at: string) => (at === "d" ? result : (reads[Number(at)] as string)));

/** `count` different bodies, half of them pairs; the same for the same seed. */
export function makeBodies(seed: number, count: number): readonly string[] {
  const random = stream(seed);
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const input = (kind: Kind): string => oneOf(inputs[kind]);

  function pair(): string | null {
    const [producer, consumer] = [oneOf(operations), oneOf(operations)];
    const slots = consumer.reads.flatMap((kind, slot) => (kind === producer.result ? [slot] : []));
    if (slots.length === 0) return null;
    const slot = oneOf(slots);
    const [first, second] = [`${results[producer.result]}1`, `${results[consumer.result]}2`];
    const body = [
      textOf(producer, producer.reads.map(input), first),
      textOf(
        consumer,
        consumer.reads.map((kind, k) => (k === slot ? first : input(kind))),
        second,
      ),
      store(consumer.result, second, 0),
    ];
    // A producer that is read once more cannot be folded away.
    if (random() < 0.2) body.push(store(producer.result, first, 8));
    return body.join(" ");
  }

  function graph(): string {
    const length = 3 + Math.floor(random() * 4);
    const unused: { kind: Kind; register: string }[] = [];
    const body: string[] = [];
    for (let k = 1; k <= length; k++) {
      let op = oneOf(operations);
      while (k > 1 && !op.reads.some((kind) => unused.some((u) => u.kind === kind))) op = oneOf(operations);
      const reads = op.reads.map((kind) => {
        const at = random() < 0.8 ? unused.findIndex((u) => u.kind === kind) : -1;
        return at < 0 ? input(kind) : (unused.splice(at, 1)[0] as { register: string }).register;
      });
      const register = `${results[op.result]}${k}`;
      body.push(textOf(op, reads, register));
      unused.push({ kind: op.result, register });
    }
    body.push(...unused.map(({ kind, register }, k) => store(kind, register, 8 * k)));
    return body.join(" ");
  }

  const bodies = new Set<string>();
  while (bodies.size < count) {
    const body = bodies.size % 2 === 0 ? pair() : graph();
    if (body !== null) bodies.add(body);
  }
  return [...bodies];
}
