/**
 * Who calls whom in a module, and which calls are inlined.
 *
 * A function is inlined where it is called when it is small with all that is inlined into it, or called at one place and not huge.
 * Never: one that may call itself again, one with alloca, and a weak one, which the linker may replace.
 * (ptxas inlines nothing of what the tests have; its callers have done that.)
 */
import type {
  Block as Body,
  Declaration,
  Expr,
  FunctionItem,
  Initializer,
  Instruction,
  Module,
  Statement,
} from "../ptx/ast.js";

/** Instructions of a body that is inlined wherever it is called. */
const SMALL = 100;
/** Of one that is called at a single place. */
const LARGE = 4000;

export interface CallGraph {
  /** Functions with a body that are inlined. */
  readonly inlined: ReadonlySet<string>;
  /** Functions that initial values of variables name. */
  readonly inVariables: ReadonlySet<string>;
}

interface Node {
  readonly item: FunctionItem;
  size: number;
  readonly calls: string[];
  /** What it allocates is given back when it returns. */
  allocates: boolean;
}

export function callGraph(module: Module): CallGraph {
  const nodes = new Map<string, Node>();
  const aliases = aliasesOf(module);
  const names = new Set<string>();
  for (const item of module.items) {
    if (item.kind !== "function") continue;
    names.add(item.name);
    if (item.body !== null) nodes.set(item.name, nodeOf(item, item.body, aliases));
  }
  const inVariables = new Set<string>();
  for (const item of module.items) if (item.kind === "declaration") named(item, names, inVariables);
  return { inlined: decide(nodes), inVariables };
}

/** `.alias name, function`: by name. */
export function aliasesOf(module: Module): Map<string, string> {
  return new Map(module.items.flatMap((item) => (item.kind === "alias" ? [[item.name, item.aliasee] as const] : [])));
}

// ------------------------------------------------------------------------------------------------ what is there

function nodeOf(item: FunctionItem, body: Body, aliases: ReadonlyMap<string, string>): Node {
  const node: Node = { item, size: 0, calls: [], allocates: false };
  const walk = (b: Body): void => {
    for (const s of b.statements) statement(s);
  };
  const statement = (s: Statement): void => {
    if (s.kind === "block") walk(s);
    if (s.kind !== "instruction") return;
    node.size++;
    if (s.opcode === "alloca") node.allocates = true;
    const callee = s.opcode === "call" ? calleeOf(s) : null;
    if (callee !== null) node.calls.push(aliases.get(callee) ?? callee);
  };
  walk(body);
  return node;
}

/** The name that stands in the place of the callee: a function or a register. */
export function calleeOf(i: Instruction): string | null {
  const o = i.operands[i.operands[0]?.kind === "list" ? 1 : 0];
  return o !== undefined && o.kind === "name" ? o.name : null;
}

/** Notes the functions among `names` that initial values mention. */
function named(d: Declaration, names: ReadonlySet<string>, found: Set<string>): void {
  const visit = (e: Initializer | Expr): void => {
    if (e.kind === "list") e.elements.forEach(visit);
    else if (e.kind === "symbol" && names.has(e.name)) found.add(e.name);
    else if (e.kind === "apply") visit(e.arg);
    else if (e.kind === "binary") {
      visit(e.left);
      visit(e.right);
    }
  };
  for (const v of d.variables) if (v.init !== null) visit(v.init);
}

// ------------------------------------------------------------------------------------------------ what is inlined

function decide(nodes: ReadonlyMap<string, Node>): Set<string> {
  const sites = new Map<string, number>();
  for (const n of nodes.values()) for (const c of n.calls) sites.set(c, (sites.get(c) ?? 0) + 1);
  const recursive = cyclic(nodes);
  const inlined = new Set<string>();
  const sizes = new Map<string, number>();
  for (const name of calleesFirst(nodes)) {
    const { item, size, calls, allocates } = nodes.get(name) as Node;
    let whole = size;
    for (const c of calls) if (inlined.has(c)) whole += sizes.get(c) as number;
    sizes.set(name, whole);
    if (item.entry || allocates || item.linkage === "weak" || recursive.has(name)) continue;
    if (whole <= SMALL || (sites.get(name) === 1 && whole <= LARGE)) inlined.add(name);
  }
  return inlined;
}

/** Every function after those that it calls, as far as calls do not go round. */
function calleesFirst(nodes: ReadonlyMap<string, Node>): string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  for (const start of nodes.keys()) {
    const stack: { name: string; next: number }[] = seen.has(start) ? [] : [{ name: start, next: 0 }];
    seen.add(start);
    for (let top = stack[stack.length - 1]; top !== undefined; top = stack[stack.length - 1]) {
      const callee = (nodes.get(top.name) as Node).calls[top.next++];
      if (callee === undefined) {
        order.push(top.name);
        stack.pop();
      } else if (nodes.has(callee) && !seen.has(callee)) {
        seen.add(callee);
        stack.push({ name: callee, next: 0 });
      }
    }
  }
  return order;
}

/** Functions that can be reached from themselves: strongly connected components (Tarjan) with a cycle. */
function cyclic(nodes: ReadonlyMap<string, Node>): Set<string> {
  const found = new Set<string>();
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  for (const start of nodes.keys()) {
    const work: { name: string; next: number }[] = [];
    const enter = (name: string): void => {
      index.set(name, index.size);
      low.set(name, index.get(name) as number);
      open.push(name);
      isOpen.add(name);
      work.push({ name, next: 0 });
    };
    if (!index.has(start)) enter(start);
    for (let top = work[work.length - 1]; top !== undefined; top = work[work.length - 1]) {
      const { name } = top;
      const { calls } = nodes.get(name) as Node;
      const callee = calls[top.next++];
      if (callee !== undefined) {
        if (!nodes.has(callee)) continue;
        if (!index.has(callee)) enter(callee);
        else if (isOpen.has(callee)) low.set(name, Math.min(low.get(name) as number, index.get(callee) as number));
        continue;
      }
      work.pop();
      const parent = work[work.length - 1];
      if (parent !== undefined) low.set(parent.name, Math.min(low.get(parent.name) as number, low.get(name) as number));
      if (low.get(name) !== index.get(name)) continue;
      const members = open.splice(open.indexOf(name));
      for (const m of members) isOpen.delete(m);
      if (members.length > 1 || calls.includes(name)) for (const m of members) found.add(m);
    }
  }
  return found;
}
