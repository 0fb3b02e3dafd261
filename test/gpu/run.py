#!/usr/bin/env python3
"""Loads and runs the cubins that export.ts wrote on a real GPU and compares every buffer (Python standard library, libcuda).

    run.py DIR [--repeat 20] [--jobs 8] [--results FILE.json]

The kernels are shared out to some processes; when a kernel kills its process's context, the rest goes on in a new one. Prints
what is wrong, and for each maker of cubins how many kernels are right. With --repeat also the median times in microseconds, one
kernel at a time, its makers in turn (in_turn of lib/experiment/clock/case.py), and their ratios to ptxas-O3's cubin of the same PTX. FILE gets date, card, driver and all
figures. Exit status: 0 all right, 1 a kernel failed, 2 no usable GPU.
"""
import argparse
import concurrent.futures
import datetime
import json
import math
import os
import statistics
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib/experiment/clock"))
from case import Case, Memory, in_turn, read_job
from driver import Driver

# Runs of a launch file that are timed together.
IN_A_ROW = 20


def code_in(directory, cubin):
    with open(os.path.join(directory, cubin), "rb") as f:
        return f.read()


def check(directory, jobs):
    """One line of JSON for each (kernel, maker), so that what was done is known when the context dies."""
    driver = Driver()
    for name, launch, maker, cubin in jobs:
        print(json.dumps({"at": [name, maker]}), flush=True)
        memory = Memory(driver, read_job(os.path.join(directory, launch)))
        c = Case(driver, code_in(directory, cubin), memory)
        print(json.dumps({"wrong": c.check()[:5]}), flush=True)
        c.unload()
        memory.free()


def measure(directory, case, repeat):
    driver = Driver()
    job = read_job(os.path.join(directory, case["launch"]))
    memory = Memory(driver, job, Memory.most(job, IN_A_ROW))
    makers = list(case["cubins"])
    times = in_turn(driver, [Case(driver, code_in(directory, case["cubins"][m]), memory) for m in makers], repeat)
    base = makers.index("ptxas-O3") if "ptxas-O3" in makers else None
    out = {}
    for i, m in enumerate(makers):
        out[m] = {"us": round(statistics.median(t[i] for t in times), 2)}
        if base is not None:
            out[m]["ratio"] = round(statistics.median(t[i] / t[base] for t in times), 3)
    print(json.dumps(out))


def shared(directory, jobs):
    """Results of some jobs by (kernel, maker): a list of differences, or the error that ended the process."""
    results, left = {}, list(jobs)
    while left:
        command = [sys.executable, __file__, directory, "--check", json.dumps(left)]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=60 + len(left))
            out, error = ran.stdout, (ran.stderr.strip().splitlines() or [f"exit status {ran.returncode}"])[-1]
        except subprocess.TimeoutExpired as e:
            out, error = (e.stdout or b"").decode(), "it did not end in time"
        at = None
        for line in out.splitlines():
            said = json.loads(line)
            if "at" in said:
                at = tuple(said["at"])
                results[at] = [error]
            else:
                results[at] = said["wrong"]
        if at is None:
            at = (left[0][0], left[0][2])
            results[at] = [error]
        left = [j for j in left if (j[0], j[2]) not in results]
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--repeat", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--results")
    parser.add_argument("--check", help=argparse.SUPPRESS)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.check:
        check(o.directory, json.loads(o.check))
        return 0
    with open(os.path.join(o.directory, "cases.json")) as f:
        index = json.load(f)
    if o.measure:
        measure(o.directory, next(c for c in index["cases"] if c["name"] == o.measure), o.repeat)
        return 0
    try:
        driver = Driver()
    except (OSError, RuntimeError) as error:
        print(f"no usable GPU: {error}")
        return 2
    jobs = [(c["name"], c["launch"], maker, cubin) for c in index["cases"] for maker, cubin in c["cubins"].items()]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        # Arguments have a limit of 128 KB.
        parts = [jobs[i : i + 200] for i in range(0, len(jobs), 200)] if len(jobs) > 200 * o.jobs else [jobs[i :: o.jobs] for i in range(o.jobs)]
        for part in pool.map(lambda p: shared(o.directory, p), parts):
            results.update(part)
    kernels, count = {}, {}
    for (name, maker), wrong in results.items():
        kernels.setdefault(name, {})[maker] = {"wrong": wrong} if wrong else {}
        right, all_ = count.get(maker, (0, 0))
        count[maker] = (right + (not wrong), all_ + 1)
        if wrong:
            print(f"{name} {maker}: {'; '.join(wrong)}")
    for c in index["cases"] if o.repeat else []:
        good = {m: f for m, f in c["cubins"].items() if not results[c["name"], m]}
        command = [sys.executable, __file__, o.directory, "--measure", c["name"], "--repeat", str(o.repeat)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if ran.returncode or len(good) < len(c["cubins"]):
            print(f"{c['name']}: no times {ran.stderr.strip()[-200:]}")
            continue
        for maker, figures in json.loads(ran.stdout).items():
            kernels[c["name"]][maker].update(figures)
    for maker, (right, all_) in count.items():
        ratios = [k[maker]["ratio"] for k in kernels.values() if "ratio" in k.get(maker, {})]
        mean = f", time / ptxas-O3 {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}" if ratios else ""
        print(f"{maker}: {right} of {all_} right{mean}")
    good = sum(not w for w in results.values())
    print(f"{good} passed, {len(results) - good} failed on {driver.card}")
    if o.results:
        record = {"date": datetime.date.today().isoformat(), "card": driver.card, "driver": driver.version, "target": index["target"]}
        with open(o.results, "w") as f:
            json.dump({**record, "makers": {m: list(c) for m, c in count.items()}, "kernels": kernels}, f)
    return int(good < len(results))


if __name__ == "__main__":
    sys.exit(main())
