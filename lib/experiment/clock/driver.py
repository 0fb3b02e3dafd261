"""The CUDA driver by ctypes, for the clock and for the runners of test/gpu (Python standard library, libcuda)."""
import ctypes as C

# cuda.h: CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
CAPABILITY = (75, 76)
# cuda.h: CU_STREAM_NON_BLOCKING, CU_STREAM_CAPTURE_MODE_RELAXED.
NON_BLOCKING, RELAXED = 1, 2


class Driver:
    """One context on a GPU, the first by default; a call that fails raises RuntimeError with the name of the error."""

    def __init__(self, device=0):
        self.lib = C.CDLL("libcuda.so.1")
        self.do("cuInit", 0)
        number, context = C.c_int(), C.c_void_p()
        self.do("cuDeviceGet", C.byref(number), device)
        self.device = number
        self.do("cuDevicePrimaryCtxRetain", C.byref(context), number)
        self.do("cuCtxSetCurrent", context)
        name, version = C.create_string_buffer(100), C.c_int()
        self.do("cuDeviceGetName", name, 100, number)
        self.do("cuDriverGetVersion", C.byref(version))
        self.card, self.version = name.value.decode(), version.value

    def do(self, function, *args):
        status = getattr(self.lib, function)(*args)
        if status:
            text = C.c_char_p()
            self.lib.cuGetErrorName(status, C.byref(text))
            raise RuntimeError(f"{function}: {text.value.decode() if text.value else status}")

    def alloc(self, size):
        p = C.c_uint64()
        self.do("cuMemAlloc_v2", C.byref(p), C.c_size_t(size))
        return p

    def free(self, at):
        self.do("cuMemFree_v2", at)

    def put(self, at, data):
        self.do("cuMemcpyHtoD_v2", at, data, C.c_size_t(len(data)))

    def get(self, at, size):
        out = C.create_string_buffer(size)
        self.do("cuMemcpyDtoH_v2", out, at, C.c_size_t(size))
        return out.raw

    def sync(self):
        self.do("cuCtxSynchronize")

    def module(self, code):
        """Loads the bytes of a cubin."""
        m = C.c_void_p()
        self.do("cuModuleLoadData", C.byref(m), code)
        return m

    def function(self, module, name):
        f = C.c_void_p()
        self.do("cuModuleGetFunction", C.byref(f), module, name.encode())
        return f

    def attribute(self, number):
        v = C.c_int()
        self.do("cuDeviceGetAttribute", C.byref(v), number, self.device)
        return v.value

    def graph(self, stream, work):
        """What `work` puts on the stream, not run but kept for `cuGraphLaunch`."""
        graph, ready = C.c_void_p(), C.c_void_p()
        self.do("cuStreamBeginCapture_v2", stream, C.c_uint(RELAXED))
        work()
        self.do("cuStreamEndCapture", stream, C.byref(graph))
        self.do("cuGraphInstantiateWithFlags", C.byref(ready), graph, C.c_ulonglong(0))
        self.do("cuGraphDestroy", graph)
        return ready


class Management:
    """What NVML tells of the GPU of a driver; all of it is None where the library is missing or does not say."""

    # nvml.h: NVML_CLOCK_SM.
    SM = 1

    def __init__(self, driver):
        self.lib = self.handle = None
        bus = C.create_string_buffer(64)
        driver.do("cuDeviceGetPCIBusId", bus, 64, driver.device)
        try:
            lib, handle = C.CDLL("libnvidia-ml.so.1"), C.c_void_p()
        except OSError:
            return
        if lib.nvmlInit_v2() == 0 and lib.nvmlDeviceGetHandleByPciBusId_v2(bus, C.byref(handle)) == 0:
            self.lib, self.handle = lib, handle

    def driver(self):
        """Version of the kernel driver, as nvidia-smi prints it."""
        text = C.create_string_buffer(80)
        good = self.lib is not None and self.lib.nvmlSystemGetDriverVersion(text, 80) == 0
        return text.value.decode() if good else None

    def clock(self):
        """Rate of the SMs now, in MHz."""
        rate = C.c_uint()
        good = self.lib is not None and self.lib.nvmlDeviceGetClockInfo(self.handle, self.SM, C.byref(rate)) == 0
        return rate.value if good else None
