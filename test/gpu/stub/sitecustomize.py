"""libcuda and NVML without a GPU, for trying clock.py and the runners: with this folder in PYTHONPATH, ctypes.CDLL gives them.

PTXLAB_STUB names a JSON file: {"missing": true} (there is no libcuda), or what a kernel does and how long it takes:

    "param", "bytes"  every kernel writes these bytes (base64) where its parameter of that number points to
    "us"              microseconds of a launch
    "codes"           by the SHA-256 of a cubin other values: "us", "wrong" (writes something else), "fault", "hang",
                      "unloadable"
    "drift"           every later launch takes that share longer
    "log"             a file that gets a line per process
"""
import base64
import ctypes as C
import hashlib
import json
import os
import time

ILLEGAL_ADDRESS, INVALID_IMAGE, INVALID_DEVICE = 700, 200, 101
NAMES = {ILLEGAL_ADDRESS: b"CUDA_ERROR_ILLEGAL_ADDRESS", INVALID_IMAGE: b"CUDA_ERROR_INVALID_IMAGE", INVALID_DEVICE: b"CUDA_ERROR_INVALID_DEVICE"}
real = C.CDLL


class Cuda:
    def __init__(self, plan):
        self.plan = plan
        self.memory, self.objects = {}, {}
        self.next, self.now, self.launches, self.broken = 1 << 20, 0.0, 0, 0
        self.captured = None
        if "log" in plan:
            with open(plan["log"], "a") as f:
                f.write(f"{os.getpid()}\n")

    def make(self, out, what):
        self.next += 4096
        self.objects[self.next] = what
        out._obj.value = self.next
        return 0

    def later(self, work):
        """What is put on a stream: now, or kept while it is captured. A fault is told by the next call."""
        status = self.broken
        if self.captured is None:
            work()
        else:
            self.captured.append(work)
        return status

    def place(self, at):
        address = at.value if isinstance(at, C.c_uint64) else int(at)
        base = max(b for b in self.memory if b <= address)
        return self.memory[base], address - base

    def write(self, at, data):
        room, offset = self.place(at)
        assert offset + len(data) <= len(room), "outside of a buffer"
        room[offset : offset + len(data)] = data

    def read(self, at, size):
        room, offset = self.place(at)
        return bytes(room[offset : offset + size])

    def run(self, code, params):
        how = {**self.plan, **self.plan.get("codes", {}).get(code, {})}
        if how.get("hang"):
            time.sleep(3600)
        if how.get("fault"):
            self.broken = ILLEGAL_ADDRESS
            return
        self.launches += 1
        self.now += how["us"] * (1 + self.plan.get("drift", 0) * self.launches)
        data = base64.b64decode(how["bytes"])
        self.write(params[how["param"]], bytes(len(data)) if how.get("wrong") else data)

    # The functions of the driver that are used, with their arguments.

    def cuInit(self, flags):
        return 0

    def cuDeviceGet(self, out, number):
        out._obj.value = number
        return INVALID_DEVICE if number else 0

    def cuDevicePrimaryCtxRetain(self, out, device):
        return 0

    def cuCtxSetCurrent(self, context):
        return 0

    def cuDeviceGetName(self, name, size, device):
        name.value = b"Stub"
        return 0

    def cuDriverGetVersion(self, out):
        out._obj.value = 13000
        return 0

    def cuDeviceGetPCIBusId(self, text, size, device):
        text.value = b"0000:00:00.0"
        return 0

    def cuDeviceGetAttribute(self, out, number, device):
        out._obj.value = 9 if number == 75 else 0
        return 0

    def cuGetErrorName(self, status, out):
        out._obj.value = NAMES.get(status)
        return 0

    def cuMemAlloc_v2(self, out, size):
        self.next += (size.value + 4095) // 4096 * 4096
        self.memory[self.next] = bytearray(size.value)
        out._obj.value = self.next
        self.next += 4096 + size.value // 4096 * 4096
        return self.broken

    def cuMemFree_v2(self, at):
        del self.memory[at.value]
        return self.broken

    def cuMemcpyHtoD_v2(self, at, data, size):
        self.write(at, data[: size.value])
        return self.broken

    def cuMemcpyDtoH_v2(self, out, at, size):
        C.memmove(out, self.read(at, size.value), size.value)
        return self.broken

    def cuMemcpyDtoDAsync_v2(self, to, at, size, stream):
        return self.later(lambda: self.write(to, self.read(at, size.value)))

    def cuModuleLoadData(self, out, code):
        name = hashlib.sha256(code).hexdigest()
        if self.plan.get("codes", {}).get(name, {}).get("unloadable"):
            return INVALID_IMAGE
        return self.broken or self.make(out, name)

    def cuModuleGetFunction(self, out, module, name):
        return self.make(out, self.objects[module.value])

    def cuModuleUnload(self, module):
        del self.objects[module.value]
        return self.broken

    def cuLaunchKernel(self, function, gx, gy, gz, bx, by, bz, shared, stream, params, extra):
        values = [C.cast(p, C.POINTER(C.c_uint64))[0] for p in params]
        return self.later(lambda: self.run(self.objects[function.value], values))

    def cuCtxSynchronize(self):
        return self.broken

    def cuStreamCreate(self, out, flags):
        return self.make(out, None)

    def cuStreamDestroy_v2(self, stream):
        return self.broken

    def cuStreamSynchronize(self, stream):
        return self.broken

    def cuStreamBeginCapture_v2(self, stream, mode):
        self.captured = []
        return self.broken

    def cuStreamEndCapture(self, stream, out):
        work, self.captured = self.captured, None
        return self.make(out, work)

    def cuGraphInstantiateWithFlags(self, out, graph, flags):
        return self.make(out, self.objects[graph.value])

    def cuGraphDestroy(self, graph):
        del self.objects[graph.value]
        return self.broken

    def cuGraphExecDestroy(self, graph):
        del self.objects[graph.value]
        return self.broken

    def cuGraphLaunch(self, graph, stream):
        for work in self.objects[graph.value]:
            work()
        return self.broken

    def cuEventCreate(self, out, flags):
        return self.make(out, 0)

    def cuEventDestroy_v2(self, event):
        return self.broken

    def cuEventRecord(self, event, stream):
        self.objects[event.value] = self.now
        return self.broken

    def cuEventElapsedTime(self, out, begin, end):
        out._obj.value = (self.objects[end.value] - self.objects[begin.value]) / 1000
        return self.broken


class Nvml:
    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetHandleByPciBusId_v2(self, bus, out):
        return 0

    def nvmlSystemGetDriverVersion(self, text, size):
        text.value = b"580.1"
        return 0

    def nvmlDeviceGetClockInfo(self, handle, which, out):
        out._obj.value = 1755
        return 0


def library(name, *args, **kwargs):
    if name not in ("libcuda.so.1", "libnvidia-ml.so.1"):
        return real(name, *args, **kwargs)
    with open(os.environ["PTXLAB_STUB"]) as f:
        plan = json.load(f)
    if plan.get("missing"):
        raise OSError(f"{name}: cannot open shared object file: No such file or directory")
    return Cuda(plan) if name == "libcuda.so.1" else Nvml()


C.CDLL = library
