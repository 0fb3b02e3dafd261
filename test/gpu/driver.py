"""The CUDA driver by ctypes, for all runners of this folder (Python standard library, libcuda)."""
import ctypes as C


class Driver:
    """One context on the first GPU; a call that fails raises RuntimeError with the name of the error."""

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

    def alloc(self, size):
        p = C.c_uint64()
        self.do("cuMemAlloc_v2", C.byref(p), C.c_size_t(size))
        return p

    def put(self, at, data):
        self.do("cuMemcpyHtoD_v2", at, data, C.c_size_t(len(data)))

    def get(self, at, size):
        out = C.create_string_buffer(size)
        self.do("cuMemcpyDtoH_v2", out, at, C.c_size_t(size))
        return out.raw
