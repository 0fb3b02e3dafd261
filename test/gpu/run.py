#!/usr/bin/env python3
"""Loads and runs the cubins that export.ts wrote on a real GPU and compares every buffer (Python standard library, libcuda).

    run.py DIR [--repeat 20] [--jobs 8] [--results FILE.json]

The kernels are shared out to some processes; when a kernel kills its process's context, the rest goes on in a new one. Prints
what is wrong, and for each maker of cubins how many kernels are right. With --repeat also the median times in microseconds, one
kernel at a time, its makers in turn, and their ratios to ptxas-O3's cubin of the same PTX. FILE gets date, card, driver and all
figures. Exit status: 0 all right, 1 a kernel failed, 2 no usable GPU.
"""
import argparse
import concurrent.futures
import ctypes as C
import datetime
import json
import math
import os
import statistics
import struct
import subprocess
import sys

from driver import Driver

FORMAT = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "f32": "f", "u64": "Q", "s64": "q", "f64": "d"}


def pack(kind, value):
    if kind in ("f32", "f64"):
        return struct.pack("<" + FORMAT[kind], float(value))
    size = struct.calcsize(FORMAT[kind])
    return (int(value) & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def contents(spec):
    if "values" in spec:
        return b"".join(pack(spec["type"], v) for v in spec["values"])
    return bytes(spec["length"] * struct.calcsize(FORMAT[spec["type"]]))


class Case:
    """One cubin with the buffers and launches of its launch file."""

    def __init__(self, driver, cubin, launch):
        self.d = driver
        self.job = launch
        self.module = C.c_void_p()
        with open(cubin, "rb") as f:
            driver.do("cuModuleLoadData", C.byref(self.module), f.read())
        self.init = {k: contents(v) for k, v in launch["buffers"].items()}
        self.globals = {k: contents(v) for k, v in launch.get("globals", {}).items()}
        self.at = {}
        for k, data in self.init.items():
            self.at[k] = driver.alloc(max(len(data), 16))
        self.calls = [self.prepare(l) for l in launch["launches"]]

    def prepare(self, l):
        function = C.c_void_p()
        self.d.do("cuModuleGetFunction", C.byref(function), self.module, l["kernel"].encode())
        values = []
        for p in l["params"]:
            if "buffer" in p:
                values.append(self.at[p["buffer"]].value.to_bytes(8, "little"))
            elif "bytes" in p:
                values.append(bytes.fromhex(p["bytes"]))
            else:
                ((kind, value),) = p.items()
                values.append(pack(kind, value))
        keep = [C.create_string_buffer(v, len(v)) for v in values]
        array = (C.c_void_p * max(1, len(keep)))(*[C.addressof(k) for k in keep])
        return function, (l["grid"] + [1, 1])[:3], (l["block"] + [1, 1])[:3], l.get("sharedBytes", 0), array, keep

    def symbol(self, name):
        p, n = C.c_uint64(), C.c_size_t()
        self.d.do("cuModuleGetGlobal_v2", C.byref(p), C.byref(n), self.module, name.encode())
        return p

    def reset(self):
        for k, data in self.init.items():
            self.d.put(self.at[k], data)
        for k, data in self.globals.items():
            self.d.put(self.symbol(k), data)

    def launch(self):
        for function, grid, block, shared, array, _ in self.calls:
            self.d.do("cuLaunchKernel", function, *map(C.c_uint, grid + block), C.c_uint(shared), None, array, None)

    def differences(self):
        found = []
        for k, want in self.job["expect"].items():
            kind = (self.job["buffers"].get(k) or self.job["globals"][k])["type"]
            data = b"".join(pack(kind, v) for v in want["values"])
            got = self.d.get(self.at[k] if k in self.at else self.symbol(k), len(data))
            form = f"<{len(want['values'])}{FORMAT[kind]}"
            for i, (a, b) in enumerate(zip(struct.unpack(form, got), struct.unpack(form, data))):
                close = "rel" in want and abs(a - b) <= want.get("abs", 0) + want["rel"] * abs(b)
                if not (a == b or close or (isinstance(a, float) and math.isnan(a) and math.isnan(b))):
                    found.append(f"{k}[{i}]: expected {b}, got {a}")
        return found

    def free(self):
        for p in self.at.values():
            self.d.do("cuMemFree_v2", p)
        self.d.do("cuModuleUnload", self.module)

    def microseconds(self):
        begin, end, ms = C.c_void_p(), C.c_void_p(), C.c_float()
        for event in (begin, end):
            self.d.do("cuEventCreate", C.byref(event), 0)
        self.reset()
        self.d.do("cuEventRecord", begin, None)
        self.launch()
        self.d.do("cuEventRecord", end, None)
        self.d.do("cuEventSynchronize", end)
        self.d.do("cuEventElapsedTime", C.byref(ms), begin, end)
        return ms.value * 1000


def check(directory, jobs):
    """One line of JSON for each (kernel, maker), so that what was done is known when the context dies."""
    driver = Driver()
    for name, launch, maker, cubin in jobs:
        with open(os.path.join(directory, launch)) as f:
            job = json.load(f)
        print(json.dumps({"at": [name, maker]}), flush=True)
        c = Case(driver, os.path.join(directory, cubin), job)
        c.reset()
        c.launch()
        driver.do("cuCtxSynchronize")
        print(json.dumps({"wrong": c.differences()[:5]}), flush=True)
        c.free()


def measure(directory, case, repeat):
    driver = Driver()
    with open(os.path.join(directory, case["launch"])) as f:
        launch = json.load(f)
    made = {m: Case(driver, os.path.join(directory, c), launch) for m, c in case["cubins"].items()}
    times = [{m: c.microseconds() for m, c in made.items()} for _ in range(repeat + 3)][3:]
    print(json.dumps({m: {"us": round(statistics.median(t[m] for t in times), 2), **({"ratio": round(statistics.median(t[m] / t["ptxas-O3"] for t in times), 3)} if "ptxas-O3" in made else {})} for m in made}))


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
