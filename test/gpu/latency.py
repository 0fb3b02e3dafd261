#!/usr/bin/env python3
"""Runs the kernels of latency.ts on a GPU (Python standard library, libcuda).

    latency.py DIR OUT.json

DIR was made by latency.ts; LATENCY_SECONDS in the environment (90) is the most that a run takes.
Every kernel runs with one warp on an SM, and with sixteen. OUT gets, per pair of instructions, how many of the turns were
wrong at each distance, and which threads of the warp. A child process does the work; where it dies the next one goes on behind the kernel.
"""
import ctypes as C
import datetime
import json
import os
import struct
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib/experiment/clock"))
from driver import Driver

TURNS = 8
# name, blocks, threads, launches
CONDITIONS = (("alone", 8, 32, 4), ("busy", 2, 512, 2))


class Gpu(Driver):
    """With what measuring kernels need: modules from files, launches of one-dimensional grids."""

    def load(self, path):
        with open(path, "rb") as f:
            return self.module(f.read())

    def launch(self, function, grid, block, values):
        keep = [C.create_string_buffer(v, len(v)) for v in values]
        array = (C.c_void_p * len(keep))(*[C.addressof(k) for k in keep])
        self.do("cuLaunchKernel", function, *map(C.c_uint, (grid, 1, 1, block, 1, 1, 0)), None, array, None)


def lanes(a, b):
    """Threads of the first warp whose results differ, as a mask."""
    return sum(1 << i for i in range(32) if a[16 * i : 16 * i + 16] != b[16 * i : 16 * i + 16])


def measure(d, function, pair, source, sink, host, rest):
    result = {}
    n = len(pair["distances"])
    for name, blocks, threads, launches in CONDITIONS:
        stride = blocks * threads * 16
        size = n * TURNS * stride
        wrong, masks, stable, sight = [0] * n, [0] * n, True, 0
        for _ in range(launches):
            d.do("cuMemsetD8_v2", sink, C.c_ubyte(0xA5), C.c_size_t(size))
            values = [sink.value.to_bytes(8, "little"), source.value.to_bytes(8, "little"), struct.pack("<II", stride, TURNS) + rest]
            d.launch(function, blocks, threads, values)
            d.sync()
            d.do("cuMemcpyDtoH_v2", host, sink, C.c_size_t(size))
            data = C.string_at(host, size)
            right = data[:stride]
            for v in range(n):
                for t in range(TURNS):
                    at = (v * TURNS + t) * stride
                    chunk = data[at : at + stride]
                    if chunk != right:
                        wrong[v] += 1
                        if not masks[v]:
                            for w in range(0, stride, 512):
                                masks[v] |= lanes(chunk[w : w + 512], right[w : w + 512])
        result[name] = {"wrong": wrong, "lanes": masks, "turns": launches * TURNS}
    return result


def child(directory, first, out):
    d = Gpu()
    with open(os.path.join(directory, "pairs.json")) as f:
        pairs = json.load(f)
    with open(os.path.join(directory, "inputs.bin"), "rb") as f:
        data = f.read()
    with open(os.path.join(directory, "parameters.bin"), "rb") as f:
        rest = f.read()[8:]
    source = d.alloc(len(data))
    d.do("cuMemcpyHtoD_v2", source, data, C.c_size_t(len(data)))
    most = 40 * TURNS * max(b * t for _, b, t, _ in CONDITIONS) * 16
    sink = d.alloc(most)
    host = C.c_void_p()
    d.do("cuMemAllocHost_v2", C.byref(host), C.c_size_t(most))
    loaded, module = None, None
    with open(out, "a") as log:
        log.write(json.dumps({"card": d.card, "driver": d.version}) + "\n")
        for i in range(first, len(pairs)):
            log.write(json.dumps({"i": i, "begin": 1}) + "\n")
            log.flush()
            if pairs[i]["cubin"] != loaded:
                if module is not None:
                    d.do("cuModuleUnload", module)
                loaded = pairs[i]["cubin"]
                module = d.load(os.path.join(directory, loaded))
            result = measure(d, d.function(module, pairs[i]["kernel"]), pairs[i], source, sink, host, rest)
            log.write(json.dumps({"i": i, **result}) + "\n")
            log.flush()


def entries(path):
    """Lines of a log; the last one may be half written."""
    out = []
    if os.path.exists(path):
        with open(path) as f:
            for text in f:
                try:
                    out.append(json.loads(text))
                except ValueError:
                    continue
    return out


def in_children(script, directory, out, total, seconds, quiet):
    """Runs `script DIR OUT FIRST`, which logs {"i", "begin"} and a result for each of `total` jobs, again behind every job that kills
    it or logs nothing for `quiet` seconds. Results, who measured them, and errors by job."""
    begin, log, errors, first = time.time(), out + "l", {}, 0
    if os.path.exists(log):
        os.remove(log)
    while first < total and len(errors) < 60:
        command = [sys.executable, script, directory, out, str(first)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as ran:
            size, since, reason = -1, time.time(), ""
            while ran.poll() is None:
                time.sleep(0.05)
                now = os.path.getsize(log) if os.path.exists(log) else 0
                if now != size:
                    size, since = now, time.time()
                over = time.time() - begin > seconds
                if over or time.time() - since > quiet:
                    reason = "the time is over" if over else "hangs"
                    ran.kill()
            said = ran.stderr.read().strip().splitlines()
        if ran.returncode == 0:
            break
        jobs = [e for e in entries(log) if "i" in e]
        if not jobs or jobs[-1]["i"] < first or "begin" not in jobs[-1]:
            print("no job was running:", reason or said[-1:], flush=True)
            break
        if reason == "the time is over":
            print(reason, flush=True)
            break
        first = jobs[-1]["i"] + 1
        errors[first - 1] = reason or (said[-1] if said else f"exit status {ran.returncode}")
        print("job", first - 1, errors[first - 1], flush=True)
    found = [e for e in entries(log) if "i" in e and "begin" not in e]
    head = next((e for e in entries(log) if "card" in e), {})
    print(f"{len(found)} of {total}, {len(errors)} errors, {time.time() - begin:.1f} s, {head}", flush=True)
    return found, head, errors


def main():
    directory, out = sys.argv[1:3]
    if len(sys.argv) > 3:
        child(directory, int(sys.argv[3]), out + "l")
        return
    with open(os.path.join(directory, "pairs.json")) as f:
        total = len(json.load(f))
    seconds = float(os.environ.get("LATENCY_SECONDS", "90"))
    found, head, errors = in_children(__file__, directory, out, total, seconds, 15)
    with open(out, "w") as f:
        json.dump({"date": datetime.date.today().isoformat(), **head, "errors": errors, "results": found}, f)


if __name__ == "__main__":
    main()
