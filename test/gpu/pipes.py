#!/usr/bin/env python3
"""Runs the kernels of pipes.ts on a GPU (Python standard library, libcuda).

    pipes.py DIR OUT.csv

DIR was made by pipes.ts. OUT gets per probe, number of warps and stride the cycles per repetition that our tables state and that were
measured: between the first warp's begin and the last one's end, the least of several turns; and those of the first turn. PIPES_SECONDS in the environment (50) is the most that a run takes. Pointers are
chased through working sets from 16 KiB to 1 GiB. A child process does the work; where it dies the next one goes on behind the probe.
"""
import csv
import ctypes as C
import datetime
import json
import os
import random
import struct
import sys

from latency import Gpu, in_children

TURNS = 4
LAUNCHES = 4
CHASES = [(k << 10, 128) for k in (16, 64, 128, 192, 224, 256, 512, 1024, 4096, 16384, 32768, 65536)] + [(1 << 30, 8192)]


def params(d, function, blocks, threads, sink, source, words):
    block = b"".join(int(w).to_bytes(4, "little") for w in words).ljust(1024, b"\0")
    d.launch(function, blocks, threads, [sink.to_bytes(8, "little"), source.to_bytes(8, "little"), block])


def probe(d, function, entry, sink, source, size):
    rows = []
    for stride in entry["strides"]:
        for warps in entry["warps"]:
            best = []
            for _ in range(LAUNCHES):
                params(d, function, 1, warps * 32, sink.value, source.value, [stride, 0])
                d.sync()
                host = C.create_string_buffer(size)
                d.do("cuMemcpyDtoH_v2", host, sink, C.c_size_t(size))
                for turn in range(TURNS):
                    clocks = [struct.unpack_from("<4I", host, turn * 0x4000 + w * 512) for w in range(warps)]
                    first = [c[0] for c in clocks]
                    base = first[0]
                    rel = [[(x - base + (1 << 31)) % (1 << 32) - (1 << 31) for x in c] for c in clocks]
                    a = max(c[1] for c in rel) - min(c[0] for c in rel)
                    b = max(c[3] for c in rel) - min(c[2] for c in rel)
                    best.append((turn, a, b))
            cold = [x for x in best if x[0] == 0][0]
            warm = [x for x in best if x[0] > 0]
            a, b = min(x[1] for x in warm), min(x[2] for x in warm)
            medians = [sorted(x[k] for x in warm)[len(warm) // 2] for k in (1, 2)]
            per = (entry["m"] - entry["n"]) * entry["per"]
            rows.append({"stride": stride, "warps": warps, "a": a, "b": b, "medians": medians, "cold": cold[1:], "cycles": round((b - a) / per, 4)})
    return rows


def chase(d, functions, sink, size, step, steps):
    """Cycles per step through `size` bytes in random order of lines; the second walk of the same lines where they are few."""
    count = size // step
    order = list(range(1, count))
    random.Random(size).shuffle(order)
    order = [0] + order
    buffer = d.alloc(size)
    if size <= 1 << 27:
        data = bytearray(size)
        for i, k in enumerate(order):
            struct.pack_into("<Q", data, k * step, buffer.value + order[(i + 1) % count] * step)
        d.do("cuMemcpyHtoD_v2", buffer, (C.c_char * size).from_buffer(data), C.c_size_t(size))
    else:
        order = order[:20000]
        for i, k in enumerate(order):
            at = (buffer.value + order[(i + 1) % len(order)] * step).to_bytes(8, "little")
            d.do("cuMemcpyHtoD_v2", C.c_uint64(buffer.value + k * step), at, C.c_size_t(8))
        flush = d.alloc(256 << 20)
        d.do("cuMemsetD8_v2", flush, C.c_ubyte(1), C.c_size_t(256 << 20))
        d.do("cuMemFree_v2", flush)
        count = len(order)
    out = []
    # All lines once, so that they are where they fit.
    warm = count if size <= 1 << 27 else 0
    for function in functions:
        here = buffer.value
        for n in [warm] * (1 if warm else 0) + [min(steps, count)] * 3:
            params(d, function, 1, 1, sink.value, here, [n, 0])
            d.sync()
            host = C.create_string_buffer(16)
            d.do("cuMemcpyDtoH_v2", host, sink, C.c_size_t(16))
            t0, t1, lo, hi = struct.unpack("<4I", host)
            here = hi << 32 | lo
            out.append(round((t1 - t0) % (1 << 32) / n, 2))
    d.do("cuMemFree_v2", buffer)
    return out


def child(directory, first, log_path):
    d = Gpu()
    with open(os.path.join(directory, "probes.json")) as f:
        entries = json.load(f)
    module = d.load(os.path.join(directory, "pipes.cubin"))
    size = 4 << 20
    source, sink = d.alloc(size), d.alloc(TURNS * 0x4000)
    data = bytearray(size)
    for i in range(size // 16):
        at = source.value + 16 * i
        struct.pack_into("<QQ", data, 16 * i, at, at)
    with open(log_path, "a") as log:
        log.write(json.dumps({"card": d.card, "driver": d.version}) + "\n")
        todo = len(entries) + len(CHASES)
        for i in range(first, todo):
            log.write(json.dumps({"i": i, "begin": 1}) + "\n")
            log.flush()
            if i < len(entries):
                d.do("cuMemcpyHtoD_v2", source, (C.c_char * size).from_buffer(data), C.c_size_t(size))
                entry = entries[i]
                rows = probe(d, d.function(module, entry["kernel"]), entry, sink, source, TURNS * 0x4000)
                log.write(json.dumps({"i": i, "what": entry["what"], "n": entry["n"], "m": entry["m"], "rows": rows}) + "\n")
            else:
                bytes_, step = CHASES[i - len(entries)]
                got = chase(d, [d.function(module, name) for name in ("chase", "chase_gpu")], sink, bytes_, step, 4000)
                log.write(json.dumps({"i": i, "what": "chase", "bytes": bytes_, "step": step, "cycles": got}) + "\n")
            log.flush()


def main():
    directory, out = sys.argv[1:3]
    log = out + "l"
    if len(sys.argv) > 3:
        child(directory, int(sys.argv[3]), log)
        return
    with open(os.path.join(directory, "probes.json")) as f:
        entries = json.load(f)
    seconds = float(os.environ.get("PIPES_SECONDS", "50"))
    found, head, _ = in_children(__file__, directory, out, len(entries) + len(CHASES), seconds, 20)
    date, card = datetime.date.today().isoformat(), head.get("card", "")
    with open(out, "w", newline="") as f:
        table = csv.writer(f)
        table.writerow(["what", "warps", "stride", "expected", "measured", "cold", "unit", "date", "card"])
        for r in found:
            if r["what"] == "chase":
                table.writerow([f"chase of {r['bytes']} bytes, steps of {r['step']}: load, then strong load", 1, "", "", *r["cycles"][-1:], r["cycles"], "cycles", date, card])
                continue
            known = entries[r["i"]]["expected"]
            for row in r["rows"]:
                cold = [round(t / n, 2) for t, n in zip(row["cold"], (r["n"], r["m"]))]
                table.writerow([r["what"], row["warps"], row["stride"], "" if known is None else known, row["cycles"], cold, "cycles per repetition", date, card])


if __name__ == "__main__":
    main()
