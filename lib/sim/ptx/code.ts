/** A function as a list of steps, and what its builder knows of names. */
import type { Span } from "../../diagnostics.js";
import type { Instruction, Operand } from "../../ptx/index.js";
import type { Space } from "./memory.js";
import type { Thread } from "./state.js";
import { Refusal, type Type, typeNamed, type Value } from "./types.js";

export type Step = (t: Thread) => void;
export type Read = (t: Thread) => Value;
export type Write = (t: Thread, v: Value) => void;

/** A parameter or result of a function. */
export interface Formal {
  readonly bytes: number;
  /** From the frame's base, for `.param`; null for registers. */
  readonly offset: number | null;
  readonly register: number | null;
}

export interface Code {
  readonly name: string;
  readonly address: Value;
  readonly steps: Step[];
  readonly spans: Span[];
  registers: number;
  /** Local memory of one call. */
  frameBytes: number;
  frameAlign: number;
  readonly params: Formal[];
  readonly returns: Formal[];
  /** No body: the driver's. */
  readonly outside: boolean;
}

/** What a name in a function stands for. */
export type Named =
  | { readonly kind: "register"; readonly slot: number; readonly type: Type; readonly vector: number }
  /** At a fixed address of a space. */
  | { readonly kind: "variable"; readonly space: Space; readonly address: Value; readonly bytes: number }
  /** In the frame. */
  | { readonly kind: "frame"; readonly offset: number; readonly bytes: number }
  | { readonly kind: "function"; readonly code: () => Code }
  /** A texture, sampler or surface that a launch binds. */
  | { readonly kind: "reference"; readonly name: string; readonly of: "texture" | "sampler" | "surface" }
  | { readonly kind: "label"; readonly pc: number }
  | { readonly kind: "targets"; readonly names: readonly string[] }
  | { readonly kind: "prototype" };

/** The words of an instruction after its first; each is taken once, and none may be left over. */
export class Words {
  private readonly left: string[];
  constructor(private readonly site: Site) {
    this.left = [...site.ins.modifiers];
  }

  take(...words: readonly string[]): boolean {
    return this.oneOf(...words) !== null;
  }

  oneOf<T extends string>(...words: readonly T[]): T | null {
    const i = this.left.findIndex((w) => (words as readonly string[]).includes(w));
    return i < 0 ? null : (this.left.splice(i, 1)[0] as T);
  }

  need<T extends string>(...words: readonly T[]): T {
    return this.oneOf(...words) ?? this.site.refuse(`without one of .${words.join(", .")}`);
  }

  /** All that match are dropped: they say nothing of what the instruction computes. */
  drop(pattern: RegExp): void {
    for (let i = this.left.length - 1; i >= 0; i--) if (pattern.test(this.left[i]!)) this.left.splice(i, 1);
  }

  types(): Type[] {
    const found: Type[] = [];
    for (let i = 0; i < this.left.length; ) {
      const type = typeNamed(this.left[i]!);
      if (type === null) i++;
      else {
        found.push(type);
        this.left.splice(i, 1);
      }
    }
    return found;
  }

  done(): void {
    if (this.left.length > 0) this.site.refuse(`.${this.left[0]}`);
  }
}

/** One instruction being built. */
export interface Site {
  readonly ins: Instruction;
  readonly words: Words;
  /** Index of its step. */
  readonly pc: number;
  lookup(name: string): Named | null;
  /** Throws: this is not known here. */
  refuse(what: string): never;
  operand(i: number): Operand;
  read(o: Operand, t: Type): Read;
  write(o: Operand, t: Type): Write;
  /** Address of an operand in brackets. */
  address(o: Operand): Read;
  label(o: Operand): number;
}

export type Build = (s: Site) => Step;

export function refusal(ins: Instruction, what: string): Refusal {
  const name = [ins.opcode, ...ins.modifiers].join(".");
  return new Refusal(what === "" ? name : `${name} (${what})`, ins.span);
}
