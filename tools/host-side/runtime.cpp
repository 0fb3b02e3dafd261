// A CUDA runtime for the host side of a program whose device side runs in the simulator: what the host asks of its GPU goes to file descriptor 3, the
// answers come from 4 (the protocol: serve.ts). Everything ends before the next call begins; streams and events are all the same one.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace {

struct Parameters {
  std::vector<size_t> at, bytes;
  size_t total = 0;
};

// Made when they are first asked for: kernels are registered while other files' variables are still to be constructed.
std::map<const void *, std::string> &kernels() {
  static std::map<const void *, std::string> all;
  return all;
}
std::map<std::string, Parameters> parameters;
struct {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
} configuration;

void put(const void *data, size_t n) {
  for (const char *p = static_cast<const char *>(data); n > 0;) {
    ssize_t k = write(3, p, n);
    if (k <= 0) _exit(97);
    p += k, n -= k;
  }
}

void get(void *data, size_t n) {
  for (char *p = static_cast<char *>(data); n > 0;) {
    ssize_t k = read(4, p, n);
    if (k <= 0) _exit(98);
    p += k, n -= k;
  }
}

std::string ask(const std::string &line, const void *data = nullptr, size_t n = 0) {
  put(line.data(), line.size());
  put("\n", 1);
  put(data, n);
  std::string answer;
  for (char c;;) {
    get(&c, 1);
    if (c == '\n') return answer;
    answer += c;
  }
}

std::string number(unsigned long long n) { return std::to_string(n); }
std::string place(const void *p) { return number(reinterpret_cast<unsigned long long>(p)); }

const Parameters &of(const std::string &kernel) {
  auto found = parameters.find(kernel);
  if (found != parameters.end()) return found->second;
  Parameters p;
  std::string told = ask("parameters " + kernel);
  for (char *at = const_cast<char *>(told.c_str()), *end; *at != 0; at = end) {
    size_t offset = strtoull(at, &end, 10);
    if (end == at) break;
    size_t bytes = strtoull(end, &end, 10);
    p.at.push_back(offset), p.bytes.push_back(bytes);
    if (offset + bytes > p.total) p.total = offset + bytes;
  }
  return parameters[kernel] = p;
}

int capability() { return atoi(getenv("PTXLAB_SM")); }

}  // namespace

API void **__cudaRegisterFatBinary(void *) { static void *handle; return &handle; }
API void __cudaRegisterFatBinaryEnd(void **) {}
API void __cudaUnregisterFatBinary(void **) {}
API void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int) {}
API void __cudaRegisterFunction(void **, const char *host, char *, const char *device, int, uint3 *, uint3 *, dim3 *, dim3 *, int *) {
  kernels()[host] = device;
}
API char __cudaInitModule(void **) { return 0; }
API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  configuration = {grid, block, shared, stream};
  return 0;
}
API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  *grid = configuration.grid, *block = configuration.block, *shared = configuration.shared;
  *static_cast<cudaStream_t *>(stream) = configuration.stream;
  return cudaSuccess;
}
API cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void *>(host));
  return cudaSuccess;
}

API cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t) {
  const std::string &name = kernels()[host];
  const Parameters &p = of(name);
  std::vector<char> bytes(p.total);
  for (size_t i = 0; i < p.at.size(); i++) memcpy(bytes.data() + p.at[i], args[i], p.bytes[i]);
  std::string line = "launch " + name;
  for (unsigned n : {grid.x, grid.y, grid.z, block.x, block.y, block.z}) line += " " + number(n);
  line += " " + number(shared) + " " + number(bytes.size());
  return ask(line, bytes.data(), bytes.size()) == "ok" ? cudaSuccess : cudaErrorLaunchFailure;
}
API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block, args, shared, stream);
}
API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *host, void **args) {
  return cudaLaunchKernel(host, c->gridDim, c->blockDim, args, c->dynamicSmemBytes, c->stream);
}

API cudaError_t cudaMalloc(void **p, size_t n) {
  unsigned long long address = strtoull(ask("allocate " + number(n == 0 ? 1 : n)).c_str(), nullptr, 10);
  *p = reinterpret_cast<void *>(address);
  return address == 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}
API cudaError_t cudaFree(void *) { return cudaSuccess; }
API cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t) { return cudaMalloc(p, n); }
API cudaError_t cudaFreeAsync(void *, cudaStream_t) { return cudaSuccess; }
API cudaError_t cudaMallocHost(void **p, size_t n) { return (*p = malloc(n)) ? cudaSuccess : cudaErrorMemoryAllocation; }
API cudaError_t cudaFreeHost(void *p) { free(p); return cudaSuccess; }

API cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind) {
  if (n == 0) return cudaSuccess;
  switch (kind) {
    case cudaMemcpyHostToDevice: ask("write " + place(to) + " " + number(n), from, n); return cudaSuccess;
    case cudaMemcpyDeviceToHost: ask("read " + place(from) + " " + number(n)); get(to, n); return cudaSuccess;
    case cudaMemcpyDeviceToDevice: ask("copy " + place(to) + " " + place(from) + " " + number(n)); return cudaSuccess;
    case cudaMemcpyHostToHost: memmove(to, from, n); return cudaSuccess;
    default: return cudaErrorInvalidMemcpyDirection;
  }
}
API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t) { return cudaMemcpy(to, from, n, kind); }
API cudaError_t cudaMemset(void *p, int value, size_t n) { ask("fill " + place(p) + " " + number(value & 255) + " " + number(n)); return cudaSuccess; }
API cudaError_t cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t) { return cudaMemset(p, value, n); }

API cudaError_t cudaGetDevice(int *d) { *d = 0; return cudaSuccess; }
API cudaError_t cudaSetDevice(int) { return cudaSuccess; }
API cudaError_t cudaGetDeviceCount(int *n) { *n = 1; return cudaSuccess; }
API cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
API cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
API cudaError_t cudaStreamCreate(cudaStream_t *s) { *s = nullptr; return cudaSuccess; }
API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned) { *s = nullptr; return cudaSuccess; }
API cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
API cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *s) { *s = cudaStreamCaptureStatusNone; return cudaSuccess; }
API cudaError_t cudaGetLastError() { return cudaSuccess; }
API cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
API const char *cudaGetErrorString(cudaError_t) { return "a launch that failed"; }
API const char *cudaGetErrorName(cudaError_t) { return "cudaError"; }
API cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return cudaSuccess; }
API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, const void *) {
  memset(a, 0, sizeof *a);
  a->ptxVersion = a->binaryVersion = capability();
  a->maxThreadsPerBlock = 1024, a->numRegs = 32, a->maxDynamicSharedSizeBytes = 48 << 10;
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: *v = capability() / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *v = capability() % 10; break;
    case cudaDevAttrMultiProcessorCount: *v = 4; break;
    case cudaDevAttrMaxGridDimX: *v = 0x7fffffff; break;
    case cudaDevAttrMaxGridDimY: case cudaDevAttrMaxGridDimZ: *v = 65535; break;
    case cudaDevAttrMaxBlockDimX: case cudaDevAttrMaxBlockDimY: case cudaDevAttrMaxThreadsPerBlock: *v = 1024; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *v = 1024; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *v = 48 << 10; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *v = 48 << 10; break;
    case cudaDevAttrWarpSize: *v = 32; break;
    default: *v = 0;
  }
  return cudaSuccess;
}
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *, int, size_t) { *n = 2; return cudaSuccess; }
API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *, int, size_t, unsigned) { *n = 2; return cudaSuccess; }
