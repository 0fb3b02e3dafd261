/**
 * Which knobs a compilation reads, by whom, with which value. What a knob sets is a field of some component's options; a reader that is listened to
 * gets a view of them whose fields tell when they are first asked for, so that a knob counts as read where a decision asks for
 * it, and not because it could have been asked for. Without a listener readers get the options themselves.
 */
import { type Knob, type KnobValue, type KnobValues, knobs, optionsOf } from "./registry.js";

/**
 * Called at the first read of an option that a knob sets: its name, the value (undefined: what the knob says, else `otherwise`), and
 * the value when nobody sets it (undefined: what the reader's own rule says).
 */
export type OnKnob = (option: string, value: unknown, otherwise: unknown) => void;

/** A knob that a compilation read, or that was set and that it did not read. */
export interface KnobReading {
  /** Its name. */
  readonly knob: string;
  /** Its number; null for one without. */
  readonly number: number | null;
  /** The value that was read, or set; null: what the reader's own rule says (a latency of the tables, a limit that the kernel gives). */
  readonly value: KnobValue | null;
  /** The caller set it, by the knob or by an option of the component; else the value is its default. */
  readonly set: boolean;
  /** The component that the knob belongs to. */
  readonly component: string;
  /** The option of that component which it sets. */
  readonly option: string;
  /** Phases and stages that read it, in the order of their first reading; none: it was set, and no decision of this compilation asked for it. */
  readonly readers: readonly string[];
}

/** Stands where an option has not been asked for. */
const UNREAD = Symbol("unread");

/** Options as a reader that is listened to sees them. */
interface View {
  /** What was read; `UNREAD` where nobody asked. */
  readonly read: unknown[];
  readonly given: Readonly<Record<string, unknown>>;
  readonly onKnob: OnKnob;
}
type Viewing = new (given: View["given"], onKnob: OnKnob) => View;

/** Views of the options with the fields of a table of defaults. */
const views = new WeakMap<object, Viewing>();

/** The options `values`, whose fields tell when they are first read; `otherwise` has all fields with their defaults. Without a listener `values` itself. */
export function watched<T extends object>(values: T, otherwise: T, onKnob: OnKnob | undefined): T {
  if (onKnob === undefined) return values;
  let Fields = views.get(otherwise);
  if (Fields === undefined) {
    Fields = viewing(otherwise);
    views.set(otherwise, Fields);
  }
  return new Fields(values as View["given"], onKnob) as unknown as T;
}

/** Instances have a getter for each field of the table. */
function viewing(otherwise: object): Viewing {
  const unread = new Array<unknown>(Object.keys(otherwise).length).fill(UNREAD);
  class Fields implements View {
    readonly read: unknown[] = unread.slice();

    constructor(
      readonly given: View["given"],
      readonly onKnob: OnKnob,
    ) {}
  }
  Object.entries(otherwise).forEach(([name, value], k) => {
    Object.defineProperty(Fields.prototype, name, {
      get(this: View): unknown {
        const known = this.read[k];
        if (known !== UNREAD) return known;
        const first = this.given[name];
        this.read[k] = first;
        this.onKnob(name, first, value);
        return first;
      },
    });
  });
  return Fields;
}

/** A knob that acts, and the option that it sets. */
interface Acting {
  readonly knob: Knob;
  readonly component: string;
  readonly option: string;
}

/** By component and option. */
const byOption = new Map<string, Map<string, Acting>>();
const byName = new Map<string, Acting>();
for (const knob of knobs) {
  if (knob.readBy === null) continue;
  const [component = "", option = ""] = knob.readBy.split(": ");
  const acting = { knob, component, option };
  const options = byOption.get(component) ?? new Map<string, Acting>();
  byOption.set(component, options.set(option, acting));
  byName.set(knob.name, acting);
}

interface Noted {
  readonly value: KnobValue | null;
  readonly set: boolean;
  readonly readers: string[];
}

/** A read as it was told; what knob it is comes out when somebody asks. */
interface Read {
  readonly reader: string;
  readonly component: string;
  readonly option: string;
  readonly value: unknown;
  readonly otherwise: unknown;
}

/** What was read so far. */
export class KnobLog {
  private readonly reads: Read[] = [];

  /** `set`: the values that the caller gave. */
  constructor(private readonly set: KnobValues) {}

  /** `reader` (a phase or stage) reads an option of a component. */
  note(reader: string, component: string, option: string, value: unknown, otherwise: unknown): void {
    this.reads.push({ reader, component, option, value, otherwise });
  }

  /** The options that knobs set of a stage which reads them all; `otherwise` has their defaults. */
  asked(stage: string, otherwise: Readonly<Record<string, KnobValue>>): Record<string, KnobValue> {
    for (const option in otherwise) this.note(stage, stage, option, undefined, otherwise[option]);
    return optionsOf(stage, this.set);
  }

  /** Knobs that were set come first, as they were given; then the others as they were read. */
  readings(): readonly KnobReading[] {
    const noted = this.noted();
    const readings: KnobReading[] = [];
    const tell = ({ knob, component, option }: Acting, read: Noted): void => {
      readings.push({ knob: knob.name, number: knob.number, ...read, component, option });
    };
    for (const [name, value] of Object.entries(this.set)) {
      const acting = byName.get(name);
      if (acting !== undefined) tell(acting, noted.get(acting) ?? { value, set: true, readers: [] });
    }
    for (const [acting, read] of noted) if (!(acting.knob.name in this.set)) tell(acting, read);
    return readings;
  }

  private noted(): ReadonlyMap<Acting, Noted> {
    const noted = new Map<Acting, Noted>();
    for (const { reader, component, option, value, otherwise } of this.reads) {
      const acting = byOption.get(component)?.get(option);
      if (acting === undefined) continue;
      const known = noted.get(acting);
      if (known !== undefined) {
        if (!known.readers.includes(reader)) known.readers.push(reader);
        continue;
      }
      const given = this.set[acting.knob.name];
      const read = asKnob(acting.knob, value ?? given ?? otherwise);
      const set = given !== undefined || (value !== undefined && value !== otherwise);
      noted.set(acting, { value: read, set, readers: [reader] });
    }
    return noted;
  }
}

/** An option's value in the form that the knob has. */
function asKnob({ type }: Knob, value: unknown): KnobValue | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean") return type === "flag" ? value : Number(value);
  if (typeof value === "number") return type === "flag" ? value !== 0 : type === "text" ? String(value) : value;
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(Number);
  return Object.entries(value)
    .map(([name, n]) => `${name},${n}`)
    .join();
}

/** A value as tables show it. */
export const shownValue = (value: KnobValue | null): string =>
  value === Number.POSITIVE_INFINITY
    ? "no limit"
    : value === null
      ? "by the reader's own rule"
      : String(value) === ""
        ? "none"
        : String(value);

/** The value of a knob that nobody sets, as tables show it: the wiki's, or our own marked as such; "-" where neither is known. */
export function shownDefault({ value, ours }: Knob): string {
  if (ours === undefined) return value === null ? "-" : String(value);
  const own = ours === null ? "by its reader's rule (ours)" : `${shownValue(ours)} (ours)`;
  return value === null ? own : `${own}, ${value} in ptxas`;
}

/** Who read it, in words. */
export const readersOf = ({ readers }: KnobReading): string =>
  readers.length === 0 ? "nobody: no decision asked for it" : readers.join(", ");

/** A reading in a line: value and readers. */
const readingLine = (r: KnobReading): string =>
  `${r.knob} = ${shownValue(r.value)}${r.set ? "" : " (default)"}, read by ${readersOf(r)}`;

/** What was set and by whom it was read, one line each, and how many others were read; nothing where none was set. */
export function readingsInBrief(readings: readonly KnobReading[]): readonly string[] {
  const set = readings.filter((r) => r.set);
  if (set.length === 0) return [];
  const others = readings.length - set.length;
  return [...set.map((r) => `knob ${readingLine(r)}`), `${others} other knobs read with their defaults (\`knobs\`)`];
}

/** All readings: in brief, then those with defaults, one line each. */
export function readingsText(readings: readonly KnobReading[]): string {
  return [...readingsInBrief(readings), ...readings.filter((r) => !r.set).map(readingLine)].join("\n");
}

/** How many were read, and how many of them set. */
export function readingsTitle(readings: readonly KnobReading[]): string {
  return `${readings.length} knobs read, ${readings.filter((r) => r.set).length} set`;
}
