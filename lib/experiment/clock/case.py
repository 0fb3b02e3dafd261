"""Cubins with the buffers and launches of a launch file on a GPU, checked and timed (Python standard library, libcuda).

A job is a launch file as an object (lib/sim/launch-file.ts) whose buffers, globals and expectations give their elements as
`values`, as `length` (zeros), as `base64` or as `file`, relative to `directory`.
"""
import base64
import ctypes as C
import json
import math
import os
import struct

from driver import NON_BLOCKING

FORMAT = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f16": "e", "bf16": "H", "f32": "f", "f64": "d"}
FLOATS = ("f16", "bf16", "f32", "f64")
# cuda.h: CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES; more than this needs to be asked for.
DYNAMIC_SHARED, PLAIN_SHARED = 8, 48 << 10
# Bytes of buffers that copies for launches in a row may take.
ROOM = 256 << 20


def size_of(kind):
    return struct.calcsize(FORMAT[kind])


def pack(kind, value):
    if kind == "bf16":
        raise ValueError("bf16 comes as bytes")
    if kind in FLOATS:
        return struct.pack("<" + FORMAT[kind], float(value))
    size = size_of(kind)
    return (int(value) & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def numbers(kind, data):
    words = struct.unpack(f"<{len(data) // size_of(kind)}{FORMAT[kind]}", data)
    return [struct.unpack("<f", struct.pack("<I", w << 16))[0] for w in words] if kind == "bf16" else words


def contents(spec, directory="."):
    """Bytes of a buffer, a variable or an expectation."""
    if "fill" in spec:
        raise ValueError("fills are not known here: give the values")
    if "values" in spec:
        return b"".join(pack(spec["type"], v) for v in spec["values"])
    if "base64" in spec:
        return base64.b64decode(spec["base64"])
    if "file" in spec:
        with open(os.path.join(directory, spec["file"]), "rb") as f:
            return f.read()
    return bytes(spec["length"] * size_of(spec["type"]))


def alike(spec, expected, got):
    """The rule of launch files: the same bits, any NaN for any NaN (unless nanBits), else within abs + rel * |expected|."""
    if math.isnan(expected) or math.isnan(got):
        return not spec.get("nanBits") and math.isnan(expected) and math.isnan(got)
    if "abs" not in spec and "rel" not in spec:
        return False
    if math.isinf(expected) or math.isinf(got):
        return expected == got
    return abs(expected - got) <= spec.get("abs", 0) + spec.get("rel", 0) * abs(expected)


def differences(name, spec, kind, want, got):
    """Elements that are not as expected."""
    if want == got:
        return []
    size = size_of(kind)
    return [
        f"{name}[{i}]: expected {a}, got {b}"
        for i, (a, b) in enumerate(zip(numbers(kind, want), numbers(kind, got)))
        if want[i * size : (i + 1) * size] != got[i * size : (i + 1) * size] and not alike(spec, a, b)
    ]


def read_job(path):
    with open(path) as f:
        return json.load(f)


class Memory:
    """The buffers of a job on the GPU, one or several copies of them, and what they hold before a launch."""

    def __init__(self, driver, job, copies=1, directory="."):
        self.d, self.job = driver, job
        self.init = {k: contents(v, directory) for k, v in job["buffers"].items()}
        self.first = {k: self.filled(data) for k, data in self.init.items()}
        self.copies = [{k: driver.alloc(max(len(data), 16)) for k, data in self.init.items()} for _ in range(copies)]
        self.globals = {k: contents(v, directory) for k, v in job.get("globals", {}).items()}
        self.expect = {}
        for k, spec in job.get("expect", {}).items():
            kind = spec.get("type") or (job["buffers"].get(k) or job.get("globals", {}).get(k) or {"type": "u32"})["type"]
            want = contents({**spec, "type": kind}, directory)
            if len(want) > len(self.init.get(k, want)):
                raise ValueError(f"{k}: more is expected than the buffer holds")
            self.expect[k] = spec, kind, want

    def filled(self, data):
        p = self.d.alloc(max(len(data), 16))
        if data:
            self.d.put(p, data)
        return p

    def reset(self, stream=None):
        """Puts what they held at first into all copies, on the stream."""
        for at in self.copies:
            for k, data in self.init.items():
                if data:
                    self.d.do("cuMemcpyDtoDAsync_v2", at[k], self.first[k], C.c_size_t(len(data)), stream)

    def output(self, copy=0):
        return {k: self.d.get(self.copies[copy][k], len(data)) for k, data in self.init.items()}

    def free(self):
        for at in [self.first, *self.copies]:
            for p in at.values():
                self.d.free(p)

    @staticmethod
    def most(job, wanted, directory="."):
        """Copies that there is room for; one where launches change variables of the module, which exist once."""
        size = sum(len(contents(v, directory)) for v in job["buffers"].values())
        return 1 if job.get("globals") else max(1, min(wanted, ROOM // max(size, 1)))


class Case:
    """A cubin that works on the buffers of a job; several cubins may share them."""

    def __init__(self, driver, code, memory):
        self.d, self.memory = driver, memory
        self.module = driver.module(code)
        sizes = {k: len(data) for k, data in memory.globals.items()}
        sizes.update({k: max(len(want), sizes.get(k, 0)) for k, (_, _, want) in memory.expect.items() if k not in memory.init})
        self.symbols = {k: self.symbol(k, size) for k, size in sizes.items()}
        self.calls = [[self.prepare(l, at) for l in memory.job["launches"]] for at in memory.copies]

    def prepare(self, l, at):
        function = self.d.function(self.module, l["kernel"])
        shared = l.get("sharedBytes", 0)
        if shared > PLAIN_SHARED:
            self.d.do("cuFuncSetAttribute", function, C.c_int(DYNAMIC_SHARED), C.c_int(shared))
        values = []
        for p in l["params"]:
            if "buffer" in p:
                values.append((at[p["buffer"]].value + p.get("offset", 0)).to_bytes(8, "little"))
            elif "bytes" in p:
                values.append(bytes.fromhex(p["bytes"]))
            else:
                ((kind, value),) = p.items()
                values.append(pack(kind, value))
        keep = [C.create_string_buffer(v, max(1, len(v))) for v in values]
        array = (C.c_void_p * max(1, len(keep)))(*[C.addressof(k) for k in keep])
        return function, (l["grid"] + [1, 1])[:3], (l["block"] + [1, 1])[:3], shared, array, keep

    def symbol(self, name, size):
        p, n = C.c_uint64(), C.c_size_t()
        self.d.do("cuModuleGetGlobal_v2", C.byref(p), C.byref(n), self.module, name.encode())
        if n.value < size:
            raise RuntimeError(f"{name}: {size} bytes for a variable of {n.value}")
        return p

    def reset(self):
        self.memory.reset()
        self.set_globals()

    def set_globals(self):
        for k, data in self.memory.globals.items():
            self.d.put(self.symbols[k], data)

    def launch(self, copy=0, stream=None):
        for function, grid, block, shared, array, _ in self.calls[copy]:
            self.d.do("cuLaunchKernel", function, *map(C.c_uint, grid + block), C.c_uint(shared), stream, array, None)

    def differences(self, copy=0):
        """What is not as expected after a launch, element by element."""
        found = []
        for k, (spec, kind, want) in self.memory.expect.items():
            at = self.memory.copies[copy]
            got = self.d.get(at[k] if k in at else self.symbols[k], len(want))
            found += differences(k, spec, kind, want, got)
        return found

    def check(self):
        """One launch from the beginning; what is not as expected."""
        self.reset()
        self.d.sync()
        self.launch()
        self.d.sync()
        return self.differences()

    def unload(self):
        self.d.do("cuModuleUnload", self.module)


def in_turn(driver, cases, repetitions, warm_up=3):
    """Times of cases that share their memory: `repetitions` lists with a number for each case.

    The unit is microseconds per run of the job's launches, between two events around one run on every copy of the buffers in a row
    (a graph), each of which holds what it held at first. Every case has its turn in every repetition, in one order and the other
    by turns, so that a drift of the GPU's clock meets all alike; the first `warm_up` repetitions do not count.
    """
    memory = cases[0].memory
    stream, begin, end = C.c_void_p(), C.c_void_p(), C.c_void_p()
    driver.do("cuStreamCreate", C.byref(stream), C.c_uint(NON_BLOCKING))
    driver.do("cuEventCreate", C.byref(begin), C.c_uint(0))
    driver.do("cuEventCreate", C.byref(end), C.c_uint(0))
    n = len(memory.copies)

    def runs(case):
        for copy in range(n):
            case.launch(copy, stream)

    reset = driver.graph(stream, lambda: memory.reset(stream))
    graphs = [driver.graph(stream, lambda case=case: runs(case)) for case in cases]
    times = []
    for turn in range(warm_up + repetitions):
        taken = [0.0] * len(cases)
        for i in range(len(cases)) if turn % 2 == 0 else reversed(range(len(cases))):
            cases[i].set_globals()
            # The GPU is at work on the buffers while the launches are on their way to it.
            driver.do("cuGraphLaunch", reset, stream)
            driver.do("cuEventRecord", begin, stream)
            driver.do("cuGraphLaunch", graphs[i], stream)
            driver.do("cuEventRecord", end, stream)
            driver.do("cuStreamSynchronize", stream)
            ms = C.c_float()
            driver.do("cuEventElapsedTime", C.byref(ms), begin, end)
            taken[i] = round(ms.value * 1000 / n, 4)
        times.append(taken)
    for graph in [reset, *graphs]:
        driver.do("cuGraphExecDestroy", graph)
    for event in (begin, end):
        driver.do("cuEventDestroy_v2", event)
    driver.do("cuStreamDestroy_v2", stream)
    return times[warm_up:]
