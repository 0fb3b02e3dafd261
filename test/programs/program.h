// What every program includes. A program is one CUDA C++ file: nvcc makes PTX of it, a C++ compiler of the host makes a
// program of its other half, which computes what must come out and prints it as a launch file.
#pragma once
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#ifdef __CUDACC__
#define HD __host__ __device__
#define GLOBAL extern "C" __global__ void
// out[i] = VALUE for each i below N: one thread each here, a loop on the host.
#define EACH(N, T, VALUE)                              \
  GLOBAL k(T* out, int n) {                            \
    int i = blockIdx.x * blockDim.x + threadIdx.x;     \
    if (i < n) out[i] = VALUE;                         \
  }
#define EACH_NEAR(N, T, VALUE, REL) EACH(N, T, VALUE)
#else
#include <math.h>
#include <stdio.h>
#include <string>
#include <vector>
#define HD inline
#define EACH_NEAR(N, T, VALUE, REL)                                          \
  int main() {                                                               \
    std::vector<T> out(N);                                                   \
    for (int i = 0; i < (N); i++) out[i] = VALUE;                            \
    Program p;                                                               \
    p.zeros<T>("out", N);                                                    \
    p.launch("k", ((N) + 63) / 64, 64, {p.at("out"), p.value<int>(N)});      \
    p.expect("out", out, REL);                                               \
    p.print();                                                               \
  }
#define EACH(N, T, VALUE) EACH_NEAR(N, T, VALUE, 0)

template <class T> struct Name;
#define NAME(T, N) template <> struct Name<T> { static const char* of() { return N; } };
NAME(uint8_t, "u8") NAME(int8_t, "s8") NAME(uint16_t, "u16") NAME(int16_t, "s16") NAME(uint32_t, "u32") NAME(int32_t, "s32")
NAME(unsigned long, "u64") NAME(long, "s64") NAME(unsigned long long, "u64") NAME(long long, "s64") NAME(float, "f32") NAME(double, "f64")
#undef NAME

// A launch file in the making. Floats are written with all their digits.
class Program {
  std::string buffers, globals, launches, expects;
  static std::string text(double v) { if (v != v) return "\"nan\""; if (v - v != 0) return v > 0 ? "\"inf\"" : "\"-inf\""; char s[40]; snprintf(s, sizeof s, "%.17g", v); return s; }
  static std::string text(float v) { return text(double(v)); }
  static std::string text(unsigned long long v) { return "\"" + std::to_string(v) + "\""; }
  static std::string text(long long v) { return "\"" + std::to_string(v) + "\""; }
  static std::string text(unsigned long v) { return text((unsigned long long)v); }
  static std::string text(long v) { return text((long long)v); }
  static std::string text(uint32_t v) { return std::to_string(v); }
  static std::string text(int32_t v) { return std::to_string(v); }
  static std::string text(uint16_t v) { return std::to_string(v); }
  static std::string text(int16_t v) { return std::to_string(v); }
  static std::string text(uint8_t v) { return std::to_string(v); }
  static std::string text(int8_t v) { return std::to_string(v); }
  template <class T> static std::string list(const std::vector<T>& values) {
    std::string s = "[";
    for (size_t i = 0; i < values.size(); i++) s += (i ? "," : "") + text(T(values[i]));
    return s + "]";
  }
  static void add(std::string& to, const std::string& entry) { to += (to.empty() ? "" : ",\n    ") + entry; }
  template <class T> static std::string spec(const std::string& name, const std::vector<T>& values) { return "\"" + name + "\": { \"type\": \"" + Name<T>::of() + "\", \"values\": " + list(values) + " }"; }

 public:
  template <class T> void buffer(const std::string& name, const std::vector<T>& values) { add(buffers, spec(name, values)); }
  template <class T> void global(const std::string& name, const std::vector<T>& values) { add(globals, spec(name, values)); }
  template <class T> void zeros(const std::string& name, int n) { add(buffers, "\"" + name + "\": { \"type\": \"" + Name<T>::of() + "\", \"length\": " + std::to_string(n) + " }"); }
  std::string at(const std::string& name) { return "{ \"buffer\": \"" + name + "\" }"; }
  template <class T> std::string value(T v) { return std::string("{ \"") + Name<T>::of() + "\": " + text(v) + " }"; }
  template <class T> std::string bytes(const T& v) {
    std::string s = "{ \"bytes\": \"";
    for (size_t i = 0; i < sizeof v; i++) { char h[3]; snprintf(h, 3, "%02x", ((const unsigned char*)&v)[i]); s += h; }
    return s + "\" }";
  }
  void launch(const char* kernel, int grid, int block, const std::vector<std::string>& params, int shared = 0) {
    std::string s = std::string("{ \"kernel\": \"") + kernel + "\", \"grid\": [" + std::to_string(grid) + ", 1, 1], \"block\": [" + std::to_string(block) + ", 1, 1], \"sharedBytes\": " + std::to_string(shared) + ", \"params\": [";
    for (size_t i = 0; i < params.size(); i++) s += (i ? ", " : "") + params[i];
    add(launches, s + "] }");
  }
  template <class T> void expect(const std::string& name, const std::vector<T>& values, double rel = 0, double abs = 0) {
    std::string s = "\"" + name + "\": { \"values\": " + list(values);
    if (rel > 0) s += ", \"rel\": " + text(rel);
    if (abs > 0) s += ", \"abs\": " + text(abs);
    add(expects, s + " }");
  }
  void print() {
    printf("{\n  \"buffers\": {\n    %s\n  },\n  \"globals\": {\n    %s\n  },\n  \"launches\": [\n    %s\n  ],\n  \"expect\": {\n    %s\n  }\n}\n", buffers.c_str(), globals.c_str(), launches.c_str(), expects.c_str());
  }
};
#endif
