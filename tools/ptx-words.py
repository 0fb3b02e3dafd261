#!/usr/bin/env python3
"""Measures on ptxas which modifiers each PTX instruction form takes, and writes lib/ptx/spec/words.ts.

    python3 tools/ptx-words.py [WORDLIST]

For every name and type list of lib/ptx/spec/forms.ts an instruction with fitting operands is written, first bare, then with each known modifier;
ptxas reports every faulty line of a file, so a thousand questions cost one run. Recorded are: what ptxas demands when a modifier is missing and
which modifiers satisfy it, which modifiers are accepted, the wording for those that are not, and the targets that refuse a form or a modifier.
Needs `npm run oracle:setup`. WORDLIST (one modifier per line) adds words to those already in words.ts.
"""
import itertools, json, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PTXAS = os.path.join(ROOT, ".oracle", "bin", "ptxas")
TMP = tempfile.mkdtemp()
MAIN = "sm_100a"
TARGETS = "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f".split()
VERSIONS = "6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0".split()
DECLS = """.visible .entry k(.param .b64 par)
{ .reg .pred p<8>; .reg .b8 b<8>; .reg .b16 h<16>; .reg .b32 r<16>; .reg .b64 d<16>; .reg .b128 q<8>; .reg .f32 f<8>; .reg .f64 g<8>;
"""
SIZE = {"pred": 1}


def size(t):
    if t in ("bf16", "f16"): return 16
    if t == "tf32": return 32
    m = re.match(r"\D+(\d+)(?:x(\d+))?", t)
    return int(m[1]) * int(m[2] or 1) if m else 32


def reg(t, i, wide=False):
    if t == "pred": return "p%d" % i
    n = size(t) * (2 if wide else 1)
    for w, c in ((8, "b"), (16, "h"), (32, "r"), (64, "d"), (128, "q")):
        if n <= w: return c + str(i)
    return "q%d" % i


def run(lines, target=MAIN, version="9.0"):
    """first message of each line, None where there is none; (messages, ok)"""
    src = os.path.join(TMP, "w.ptx")
    out = [None] * len(lines)
    at = 0
    while at < len(lines):
        head = ".version %s\n.target %s\n.address_size 64\n" % (version, target) + DECLS
        base = head.count("\n") + 1
        open(src, "w").write(head + "\n".join(lines[at:]) + "\nL: ret; }\n")
        p = subprocess.run([PTXAS, "-arch", target, "-O0", src, "-o", src + ".o"], capture_output=True, text=True, errors="replace")
        if p.returncode < 0 and len(lines) - at > 1:
            half = at + (len(lines) - at) // 2
            return out[:at] + run(lines[at:half], target, version) + run(lines[half:], target, version)
        if p.returncode < 0: out[at] = "Illegal use that ends ptxas"
        fatal = None
        for m in re.finditer(r"line (\d+); (\w+)\s*: (.*)", p.stderr):
            n = int(m[1]) - base
            if m[2] in ("error", "fatal") and 0 <= n < len(lines) - at and out[at + n] is None: out[at + n] = m[3]
            if m[2] == "fatal": fatal = n
        if fatal is None: break
        at += fatal + 1
    return out


def many(lines, **kw):
    out = []
    for i in range(0, len(lines), 1500): out += run(lines[i:i + 1500], **kw)
    return out


def expand(col):
    out = []
    for part in col.split():
        if part in ("-", "*"): out.append(()); continue
        groups = [g.strip("{}").split(",") for g in re.split(r"\.(?={)", part)]
        out += list(itertools.product(*groups))
    return out


def sample(args, types, name, vector=None):
    out, i = [], 1
    for a in args.split():
        opt = a.endswith("?")
        if opt: break
        a = a.rstrip("~|").replace("*|p", "*")
        m = re.fullmatch(r"([=:])(\w+)", a)
        if a == "*" and name == "elect": out.append("r%d|p%d" % (i, i)); i += 1; continue
        # Textures, surfaces and what is asked about them: lib/ptx/spec/closed.ts has what they take.
        if a in ("...", "*", "t", "u", "q", "x"): return None
        if a in ("=p", "p"): out.append("p%d" % i)
        elif m: out.append(reg(m[2], i))
        elif a == "d|p": out.append(reg(types[0], i))
        elif a == "=b32|p": out.append("r%d" % i)
        elif re.fullmatch(r"[ds]\d?", a): out.append(reg(types[int(a[1:] or 0)], i))
        elif a in ("dw", "sw"): out.append(reg(types[0], i, True))
        elif a == "a": out.append("[d%d]" % i)
        elif a == "i": out.append("0")
        elif a == "l": out.append("L")
        elif a == "_": out.append("_")
        elif a == "v": out.append("{r1,r2,r3,r4}")
        else: raise SystemExit("argument " + a)
        i += 1
    return ", ".join(out)


def known_words():
    text = open(os.path.join(ROOT, "lib/ptx/spec/words.ts")).read()
    table = re.search(r"REFUSALS: string = `([^`]*)`", text)[1] + "x | " + re.search(r"INERT: string = `([^`]*)`", text)[1]
    return [w for line in table.strip().split("\n") for w in line.split(" | ")[-1].split()]


def main():
    forms = re.search(r"`([^`]*)`;", open(os.path.join(ROOT, "lib/ptx/spec/forms.ts")).read().split("FORMS: string =")[1])[1]
    # Words that fit most forms come first, so that the smallest set found is the usual one.
    usual = "rn rni sync eq add down all relaxed gpu global approx ftz aligned trans".split()
    words = sorted(set(open(sys.argv[1]).read().split() if len(sys.argv) > 1 else known_words()), key=lambda w: (usual.index(w) if w in usual else len(usual), w))
    cases = []
    for line in forms.strip().split("\n"):
        names, types, args = [c.strip() for c in line.split("|", 2)] if line.count("|") == 2 else (lambda p: (p[0].strip(), p[1].strip(), "|".join(p[2:]).strip()))(line.split("|"))
        for n in names.split():
            for t in expand(types):
                s = sample(args, t, n)
                if s is not None: cases.append((n, t, s))
    cases = list(dict.fromkeys(cases))
    tw = lambda n, w, t: n + "".join("." + x for x in (*w, *t))
    line = lambda c, w=(): tw(c[0], w, c[1]) + (" " + c[2] if c[2] else "") + ";"
    # search the smallest set of modifiers that makes each case acceptable
    base = {c: () for c in cases}
    demand = {c: [] for c in cases}
    bad = dict(zip(cases, many([line(c) for c in cases])))
    for step in range(4):
        todo = [c for c in cases if bad[c]]
        if not todo: break
        for c in todo:
            msgs = many([line(c, base[c] + (w,)) for w in words])
            fit = [w for w, m in zip(words, msgs) if m is None]
            better = fit or [w for w, m in zip(words, msgs) if m != bad[c] and re.search("required|requires", m) and not re.search("Unknown|Illegal|target|expected for|does not apply|cannot", m)]
            wrong = "Unknown|Illegal|not allowed|No state space|Unexpected instruction types|Multiple|does not apply|cannot be applied|target"
            group = [w for w, m in zip(words, msgs) if w in fit or w in better or (m and m != bad[c] and not re.search(wrong, m))]
            if not better:
                bad[c + ("x",)] = bad[c]; bad[c] = None; demand[c].append((None, bad[c + ("x",)])); continue
            demand[c].append((group, bad[c]))
            base[c] += (better[0],)
            bad[c] = dict(zip(words, msgs))[better[0]]
    # every word beside the base
    table = {}
    for c in cases:
        if demand[c] and demand[c][-1][0] is None:
            table[c] = None; continue
        have = set(base[c])
        INERT.update(() if c[0] != "add" or c[1] != ("s64",) else [w for w, m in zip(words, many([line(c, (w,)) for w in words])) if m is None and w != "cc"])
        ask = [w for w in words if w not in have]
        msgs = many([line(c, base[c] + (w,)) for w in ask])
        table[c] = ([w for w, m in zip(ask, msgs) if m is None], {w: m for w, m in zip(ask, msgs) if m})
    gates = measure_gates([(c, base[c], table[c][0]) for c in cases if table[c] is not None], line)
    write(cases, base, demand, table, gates, words)


def measure_gates(items, line):
    """(target, message) for each bare form and each accepted word that a target refuses; likewise the least PTX version"""
    asks = []
    for c, b, ok in items:
        asks.append((c, None, line(c, b)))
        asks += [(c, w, line(c, b + (w,))) for w in ok if w not in INERT]
    out = {}
    for t in TARGETS:
        for (c, w, l), m in zip(asks, many([a[2] for a in asks], target=t)):
            if m: out.setdefault((c, w), {})[t] = m
    for v in VERSIONS[:-1]:
        target = "sm_75" if float(v) < 7.8 else "sm_90"
        for (c, w, l), m in zip(asks, many([a[2] for a in asks], target=target, version=v)):
            x = m and re.search(r"PTX ISA \.version (\S+) or later", m)
            if x: out.setdefault((c, w), {}).setdefault("version", m)
    return out


INERT = set()


CONDITIONAL = "Multiple |Vector expected|Arguments mismatch|Parsing error|Result vector|vector size mismatch|Unexpected instruction types|modifier required|level required|Unexpected number|unexpected value|\\.sync modifier|requires |State space incorrect|without|with 'proxy|cannot be combined"


def write(cases, base, demand, table, gates, words):
    def quote(c, m):
        t = ".".join(c[1])
        return m.replace("'%s'" % c[0], "'@'").replace("'%s.%s'" % (c[0], t), "'@.&'").replace("'.%s'" % t, "'.&'") if t else m.replace("'%s'" % c[0], "'@'")
    votes = {}
    for c in cases:
        if table[c]:
            for w, m in table[c][1].items():
                votes.setdefault(w, {}).setdefault(quote(c, m).replace("." + w, ".%"), []).append(1)
    default = {w: max(v, key=lambda m: (len(v[m]), m)) for w, v in votes.items()}
    rows = {}
    for c in cases:
        need = ";".join("%s:%s" % (",".join(g or []), quote(c, m)) for g, m in demand[c])
        allowed = " ".join(w for w in (table[c][0] if table[c] else []) if w not in INERT)
        odd, maybe = [], []
        for w, m in (table[c][1].items() if table[c] else []):
            t = quote(c, m).replace("." + w, ".%")
            if w in INERT: continue
            if re.search(CONDITIONAL, t) and not re.search("qualifier is not", t): maybe.append(w)
            elif t != default[w]: odd.append("%s:%s" % (w, t))
        rows.setdefault((c[0], need, allowed, " ".join(maybe), ";".join(odd)), []).append(".".join(c[1]) or "-")
    gate_rows = {}
    for (c, w), by in gates.items():
        for t, m in by.items():
            if not re.search(r"\.target|PTX ISA", m): continue
            m = quote(c, m).replace("'%s'" % t, "'#'")
            if w and gates.get((c, None), {}).get(t): continue
            fixed = re.search(r"requires \.target sm_(\d+) or higher", m) or t == "version"
            gate_rows.setdefault((c[0], ".".join(c[1]) or "-", w or "-", m), []).append("" if fixed else t)
    merged = {}
    for (n, t, w, m), ts in gate_rows.items():
        merged.setdefault((n, w, m, " ".join(x for x in ts if x)), []).append(t)
    kinds = sorted(set(default.values()))
    out = ["// Written by tools/ptx-words.py from answers of ptxas 13.0.88; not edited by hand.", ""]
    out += ["/** Modifiers that no instruction refuses; they matter only to a few. */", "export const INERT: string = `%s`;" % " ".join(sorted(INERT)), ""]
    out += ["/** What ptxas says where a modifier does not belong: message, then the modifiers. `@` is the instruction's name, `%` the modifier. */", "export const REFUSALS: string = `"]
    out += ["%s | %s" % (k, " ".join(sorted(w for w in default if default[w] == k))) for k in kinds] + ["`;", ""]
    out += ["/** name | types | demanded modifiers:message;… | accepted modifiers | accepted with others | modifier:message;… where it differs from REFUSALS */", "export const ROWS: string = `"]
    out += ["%s | %s | %s | %s | %s | %s" % (n, " ".join(ts), need, ok, maybe, odd) for (n, need, ok, maybe, odd), ts in rows.items()] + ["`;", ""]
    out += ["/** name | types, * for all | modifiers or - | message | targets that refuse; none where the message says which. `#` is the target. */", "export const GATES: string = `"]
    every = {}
    for c in cases: every.setdefault(c[0], set()).add(".".join(c[1]) or "-")
    final = {}
    for (n, w, m, tg), ts in merged.items():
        final.setdefault((n, "*" if set(ts) == every[n] else " ".join(ts), m.replace("." + w + "'", ".%'"), tg), []).append(w)
    out += ["%s | %s | %s | %s | %s" % (n, ts, " ".join(ws), m, tg) for (n, ts, m, tg), ws in final.items()] + ["`;"]
    open(os.path.join(ROOT, "lib/ptx/spec/words.ts"), "w").write("\n".join(x.rstrip() for x in out) + "\n")


main()
