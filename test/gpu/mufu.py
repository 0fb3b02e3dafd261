#!/usr/bin/env python3
"""Records what the function unit of a real GPU gives for dense inputs (numpy, libcuda).

    mufu.py MUFU.cubin OUT.tar.gz

Per set of inputs a file NAME: the differences from the correctly rounded result in units of the last place as signed bytes (i1), or where
they do not fit the results themselves (u4), and sets.json with base, step and count of the input's bits.
"""
import ctypes as C
import io
import json
import os
import sys
import tarfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from instructions import Driver  # noqa: E402

COUNT = 1 << 19
DENSE = 16


def sets():
    for name, exponents in [
        ("rcp", [0]), ("rsqrt", [0, 1]), ("sqrt", [0, 1]), ("lg2", [-2, -1, 0, 1]), ("ex2", [-24, -12, -8, -4, -2, -1, 0, 3, 6]),
        ("sin", [-14, -8, -4, -3, -2, -1, 0, 1, 8]), ("cos", [-14, -8, -4, -3, -2, -1, 0, 1, 8]), ("tanh", [-12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3]),
    ]:
        for e in exponents:
            yield name, (127 + e) << 23, DENSE
    for name in ("ex2", "sin", "cos", "tanh"):
        yield name, (127 - 1 << 23) | 1 << 31, DENSE
    # Every 8192th number of all.
    for name in ("rcp", "rsqrt", "sqrt", "lg2", "ex2", "sin", "cos", "tanh"):
        yield name, 0x351, 8192
    yield "rcp64", 0x3FF00000, 2
    yield "rsqrt64", 0x3FF00000, 2
    yield "rsqrt64", 0x40000000, 2
    yield "rcp64", 0x351, 8192
    yield "rsqrt64", 0x351, 8192


def reference(name, bits):
    with np.errstate(all="ignore"):
        if name.endswith("64"):
            x = (bits.astype(np.uint64) << np.uint64(32)).view(np.float64)
            y = 1 / x if name == "rcp64" else 1 / np.sqrt(x)
            return (y.view(np.uint64) >> np.uint64(32)).astype(np.uint32)
        x = bits.view(np.float32).astype(np.float64)
        y = {
            "rcp": lambda: 1 / x, "rsqrt": lambda: 1 / np.sqrt(x), "sqrt": lambda: np.sqrt(x), "lg2": lambda: np.log2(x), "ex2": lambda: np.exp2(x),
            "sin": lambda: np.sin(2 * np.pi * (x - np.round(x))), "cos": lambda: np.cos(2 * np.pi * (x - np.round(x))), "tanh": lambda: np.tanh(x),
        }[name]()
        return y.astype(np.float32).view(np.uint32)


def main():
    cubin, target = sys.argv[1:]
    d = Driver()
    m = C.c_void_p()
    with open(cubin, "rb") as f:
        d.do("cuModuleLoadData", C.byref(m), f.read())
    out = d.alloc(4 * COUNT)
    listed = []
    with tarfile.open(target, "w:gz", compresslevel=6) as t:

        def add(name, data):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))

        for i, (name, base, step) in enumerate(sets()):
            function = C.c_void_p()
            d.do("cuModuleGetFunction", C.byref(function), m, name.encode())
            keep = [C.c_uint32(base), C.c_uint32(step), C.c_uint64(out.value)]
            params = (C.c_void_p * 3)(*[C.addressof(x) for x in keep])
            d.do("cuLaunchKernel", function, *map(C.c_uint, (COUNT // 256, 1, 1, 256, 1, 1, 0)), None, params, None)
            d.do("cuCtxSynchronize")
            got = np.frombuffer(d.get(out, 4 * COUNT), np.uint32)
            bits = (np.arange(COUNT, dtype=np.uint64) * np.uint64(step) + np.uint64(base)).astype(np.uint32)
            apart = got.astype(np.int64) - reference(name, bits).astype(np.int64)
            small = bool(np.abs(apart).max() < 128)
            # Of the sparse sets, and of those far from it, less.
            data = apart.astype(np.int8) if small else got[::8]
            listed.append({"file": f"s{i}", "name": name, "base": base, "step": step * (1 if small else 8), "count": len(data), "type": "i1" if small else "u4"})
            add(f"s{i}", data.tobytes())
            print(name, hex(base), step, int(apart.min()), int(apart.max()), flush=True)
        add("sets.json", json.dumps({"card": d.card, "sets": listed}).encode())


if __name__ == "__main__":
    main()
