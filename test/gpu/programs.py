#!/usr/bin/env python3
"""Runs the programs that programs.ts built on a machine with a GPU (Python standard library).

    programs.py DIR [--results FILE.json] [--timeout SECONDS]

Every program of every variant once, several at a time, for its results; then, one at a time, for its times (median of some
launches, microseconds). Prints one line per program and variant and the ratios of times to ptxas-O3's. Exit status: 0 all
right, 1 a program was wrong or failed, 2 no usable GPU.
"""
import argparse
import concurrent.futures
import ctypes
import datetime
import json
import math
import os
import re
import subprocess
import sys


def card():
    lib = ctypes.CDLL("libcuda.so.1")
    if lib.cuInit(0):
        raise OSError("cuInit failed")
    name, version = ctypes.create_string_buffer(100), ctypes.c_int()
    lib.cuDeviceGetName(name, 100, 0)
    lib.cuDriverGetVersion(ctypes.byref(version))
    return name.value.decode(), version.value


def run(path, timeout):
    try:
        ran = subprocess.run([path], capture_output=True, text=True, errors="replace", timeout=timeout)
        out, status = ran.stdout + ran.stderr, ran.returncode
    except subprocess.TimeoutExpired as e:
        out, status = (e.stdout or b"").decode(errors="replace"), "timeout"
    except OSError as e:
        out, status = str(e), "not started"
    checks = re.findall(r"^(.*) (right|WRONG)$", out, re.M)
    times = {n: float(t) for n, t in re.findall(r"^(.*) time ([\d.]+) us$", out, re.M)}
    notes = [line for line in out.splitlines() if not re.search(r" (right|WRONG)$| us$", line)]
    return {"status": status, "right": sum(r == "right" for _, r in checks), "wrong": [n for n, r in checks if r != "right"], "notes": notes[:20], "times": times}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dir")
    p.add_argument("--results")
    p.add_argument("--timeout", type=float, default=60)
    o = p.parse_args()
    try:
        name, driver = card()
    except OSError as e:
        print(f"no usable GPU: {e}")
        return 2
    variants = sorted(v for v in os.listdir(o.dir) if os.path.isdir(os.path.join(o.dir, v)))
    programs = sorted({f for v in variants for f in os.listdir(os.path.join(o.dir, v))})
    jobs = [(p, v) for p in programs for v in variants if os.path.exists(os.path.join(o.dir, v, p))]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        first = dict(zip(jobs, pool.map(lambda j: run(os.path.join(o.dir, j[1], j[0]), o.timeout), jobs)))
    bad = 0
    results = {p: {} for p in programs}
    for (p, v), r in first.items():
        failed = r["status"] != 0 or bool(r["wrong"])
        bad += failed
        print(f"{p} {v}: {r['right']} right" + (f", wrong: {', '.join(r['wrong'])}; status {r['status']}; {'; '.join(r['notes'][:6])}" if failed else ""))
        results[p][v] = r
    for p, v in jobs:
        if first[p, v]["status"] == 0:
            results[p][v]["times"] = run(os.path.join(o.dir, v, p), o.timeout)["times"]
    for v in variants:
        ratios = [t / results[p]["ptxas-O3"]["times"][n] for p in programs if v in results[p] and "ptxas-O3" in results[p]
                  for n, t in results[p][v]["times"].items() if results[p]["ptxas-O3"]["times"].get(n)]
        if ratios:
            print(f"{v}: time / ptxas-O3 {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f} (geometric mean of {len(ratios)}, {min(ratios):.2f} to {max(ratios):.2f})")
    print(f"{len(jobs) - bad} passed, {bad} failed on {name}")
    if o.results:
        with open(o.results, "w") as f:
            json.dump({"date": datetime.date.today().isoformat(), "card": name, "driver": driver, "programs": results}, f)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
