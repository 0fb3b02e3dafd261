/**
 * What modifiers of ld and st exclude each other, in the order in which ptxas complains. Measured on ptxas 13.0.88 with all its messages of 4,000
 * random loads and stores (every space, order, scope, cache operation, priority, width) on sm_75, sm_90a and sm_100a.
 */

/** What must stand beside a rule's word, so that it is refused. */
export type Beside =
  /** One of these words; it is `&` of the message. */
  | { readonly kind: "with"; readonly words: ReadonlySet<string> }
  /** None of these words. */
  | { readonly kind: "without"; readonly words: ReadonlySet<string> }
  /** A state space among these; it is `&` of the message. */
  | { readonly kind: "in"; readonly words: ReadonlySet<string> }
  /** No state space, or another than these. */
  | { readonly kind: "outside"; readonly words: ReadonlySet<string> }
  /** A target below this one. */
  | { readonly kind: "below"; readonly sm: number }
  /** The instruction is this one. */
  | { readonly kind: "of"; readonly name: string }
  /** An access of other than 256 bits. */
  | { readonly kind: "narrow" };

export interface AccessRule {
  readonly words: ReadonlySet<string>;
  readonly beside: Beside;
  readonly message: string;
}

const NOT_GLOBAL = "const local param param::entry param::func shared shared::cta shared::cluster";
const FIXED = "const local param param::entry param::func";
const SCOPES = "cta cluster gpu sys";
const L1 = "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate";
const SIZES = "L2::64B L2::128B L2::256B";
const CACHED = "ca cg cs lu cv wb wt";

/** words | beside | message: `%` the word, `$` without what stands before `::`, `&` what stands beside it, `@` the instruction. Said before a parameter is judged. */
const BEFORE: string = `
const tex | of st | State space incorrect for instruction '@'
${SIZES} | with mmio | Modifier '.%' cannot be combined with modifier '.&'
${SIZES} | in ${NOT_GLOBAL} | State space incorrect for feature 'cache prefetching'
${L1} | in ${NOT_GLOBAL} | Modifier '.$' cannot be applied to '.&' space for instruction '@'
${L1} | with ${CACHED} | Modifier '.$' cannot be combined with modifier '.&'
${L1} | with volatile | Modifier '.$' cannot be combined with modifier '.&'
${L1} | with mmio | Modifier '.$' cannot be combined with modifier '.&'
L2::evict_normal L2::evict_first L2::evict_last | narrow | Instruction '@' requires '.v8.b32/.v4.b64' type with '.%' modifier.
`;

/** The same, after it. */
const AFTER: string = `
volatile relaxed acquire release | with ${CACHED} | Modifier '.%' cannot be combined with modifier '.&'
weak volatile relaxed acquire release | with nc | Modifier '.%' cannot be combined with modifier '.&'
volatile relaxed acquire release | in ${FIXED} | Modifier '.%' cannot be applied to '.&' space
relaxed acquire release | without mmio ${SCOPES} | Modifier '.%' requires scope with '@' instruction
mmio | in ${NOT_GLOBAL} | Modifier '.%' cannot be applied to '.&' space
mmio | with v2 v4 v8 | Modifier '.%' cannot be combined with modifier '.&'
mmio | without relaxed | Modifier '.%' requires modifier '.relaxed' for instruction '@'
mmio | without ${SCOPES} | Modifier '.%' requires scope with '@' instruction
cluster | below 90 | Feature '.% scope' requires .target sm_90 or higher
${SCOPES} | without weak volatile relaxed acquire release | Modifier '.%' requires memory order with '@' instruction
mmio | with cta cluster gpu | Modifier '.%' cannot be combined with modifier '.&'
weak volatile | with ${SCOPES} | Modifier '.%' cannot be combined with modifier '.&'
nc | outside global | Modifier '.%' requires .global space
nc | with lu cv | Illegal cache operation for instruction '@.%'
L2::cache_hint | below 80 | Modifier '.%' requires .target sm_80 or higher
L2::cache_hint | with volatile | Modifier '.%' cannot be combined with modifier '.&'
L2::cache_hint | with mmio | Modifier '.%' cannot be combined with modifier '.&'
L2::cache_hint | in ${NOT_GLOBAL} | Modifier '.%' cannot be applied to '.&' space for instruction '@'
`;

function besideOf(text: string): Beside {
  const [kind, ...words] = text.split(" ");
  switch (kind) {
    case "with":
    case "without":
    case "in":
    case "outside":
      return { kind, words: new Set(words) };
    case "of":
      return { kind, name: words[0] as string };
    case "below":
      return { kind, sm: Number(words[0]) };
    default:
      return { kind: "narrow" };
  }
}

function rules(text: string): AccessRule[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [words, beside, message] = line.split(" | ") as [string, string, string];
      return { words: new Set(words.split(" ")), beside: besideOf(beside), message };
    });
}

let read: { readonly before: readonly AccessRule[]; readonly after: readonly AccessRule[] } | null = null;

/** The rules, read when the first load or store is looked up. */
export function accessRules(): { readonly before: readonly AccessRule[]; readonly after: readonly AccessRule[] } {
  read ??= { before: rules(BEFORE), after: rules(AFTER) };
  return read;
}
