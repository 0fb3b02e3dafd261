#!/usr/bin/env python3
"""Loads and runs the cubins that export.ts wrote on a real GPU and compares every buffer (Python standard library, libcuda).

    run.py DIR [--repeat 20] [--results FILE.json]

Each kernel runs in a process of its own, so that a fault of one does not end the others. Prints one line per kernel; with --repeat
also the median time in microseconds and the ratio to ptxas's cubin of the same PTX, where there is one. FILE gets date, card, driver
and all figures. Exit status: 0 all right, 1 a kernel failed, 2 no usable GPU.
"""
import argparse
import ctypes as C
import datetime
import json
import math
import os
import statistics
import struct
import subprocess
import sys

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


class Driver:
    def __init__(self):
        self.lib = C.CDLL("libcuda.so.1")
        self.do("cuInit", 0)
        device, context = C.c_int(), C.c_void_p()
        self.do("cuDeviceGet", C.byref(device), 0)
        self.do("cuDevicePrimaryCtxRetain", C.byref(context), device)
        self.do("cuCtxSetCurrent", context)
        name, version = C.create_string_buffer(100), C.c_int()
        self.do("cuDeviceGetName", name, 100, device)
        self.do("cuDriverGetVersion", C.byref(version))
        self.card, self.version = name.value.decode(), version.value

    def do(self, function, *args):
        status = getattr(self.lib, function)(*args)
        if status:
            text = C.c_char_p()
            self.lib.cuGetErrorName(status, C.byref(text))
            raise RuntimeError(f"{function}: {text.value.decode() if text.value else status}")


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
            p = C.c_uint64()
            driver.do("cuMemAlloc_v2", C.byref(p), C.c_size_t(max(len(data), 16)))
            self.at[k] = p
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
            self.d.do("cuMemcpyHtoD_v2", self.at[k], data, C.c_size_t(len(data)))
        for k, data in self.globals.items():
            self.d.do("cuMemcpyHtoD_v2", self.symbol(k), data, C.c_size_t(len(data)))

    def launch(self):
        for function, grid, block, shared, array, _ in self.calls:
            self.d.do("cuLaunchKernel", function, *map(C.c_uint, grid + block), C.c_uint(shared), None, array, None)

    def differences(self):
        found = []
        for k, want in self.job["expect"].items():
            kind = (self.job["buffers"].get(k) or self.job["globals"][k])["type"]
            data = b"".join(pack(kind, v) for v in want["values"])
            got = C.create_string_buffer(len(data))
            self.d.do("cuMemcpyDtoH_v2", got, self.at[k] if k in self.at else self.symbol(k), C.c_size_t(len(data)))
            form = f"<{len(want['values'])}{FORMAT[kind]}"
            for i, (a, b) in enumerate(zip(struct.unpack(form, got.raw), struct.unpack(form, data))):
                close = "rel" in want and abs(a - b) <= want.get("abs", 0) + want["rel"] * abs(b)
                if not (a == b or close or (isinstance(a, float) and math.isnan(a) and math.isnan(b))):
                    found.append(f"{k}[{i}]: expected {b}, got {a}")
        return found

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


def one(directory, case, repeat):
    driver = Driver()
    with open(os.path.join(directory, case["launch"])) as f:
        launch = json.load(f)
    made = [Case(driver, os.path.join(directory, c), launch) for c in (case["cubin"], case["ptxas"]) if c]
    result = {"card": driver.card, "driver": driver.version}
    for c, who in zip(made, ("ptxlab", "ptxas")):
        c.reset()
        c.launch()
        driver.do("cuCtxSynchronize")
        result[who] = c.differences()[:5]
    if repeat:
        times = [[c.microseconds() for c in made] for _ in range(repeat + 1)][1:]
        result["us"] = round(statistics.median(t[0] for t in times), 2)
        if len(made) == 2:
            result["ratio"] = round(statistics.median(t[0] / t[1] for t in times), 3)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--repeat", type=int, default=0)
    parser.add_argument("--results")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    o = parser.parse_args()
    with open(os.path.join(o.directory, "cases.json")) as f:
        index = json.load(f)
    if o.one:
        case = next(c for c in index["cases"] if c["name"] == o.one)
        print(json.dumps(one(o.directory, case, o.repeat)))
        return 0
    try:
        driver = Driver()
    except (OSError, RuntimeError) as error:
        print(f"no usable GPU: {error}")
        return 2
    results, bad = {}, 0
    for case in index["cases"]:
        command = [sys.executable, __file__, o.directory, "--one", case["name"], "--repeat", str(o.repeat)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if ran.returncode == 0:
            result = json.loads(ran.stdout)
            right = not result["ptxlab"]
        else:
            lines = ran.stderr.strip().splitlines()
            result, right = {"error": lines[-1] if lines else f"exit status {ran.returncode}"}, False
        results[case["name"]] = result
        bad += not right
        print(f"{case['name']}: {'right' if right else result.get('error') or result['ptxlab']}", result.get("us", ""), result.get("ratio", ""))
    print(f"{len(results) - bad} passed, {bad} failed on {driver.card}")
    if o.results:
        record = {"date": datetime.date.today().isoformat(), "card": driver.card, "driver": driver.version, "target": index["target"], "kernels": results}
        with open(o.results, "w") as f:
            json.dump(record, f, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
