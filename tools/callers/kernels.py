"""Compiles four Triton kernels for one GPU, without one: kernels.py OUT CAPABILITY. Writes each kernel's cubin, and its launch to OUT/kernels.json.

Triton calls the ptxas that TRITON_PTXAS_PATH names (TRITON_PTXAS_BLACKWELL_PATH from capability 100 on)."""

import json
import os
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def softmax(x, y, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * n + at, e / tl.sum(e, axis=0), mask=at < n)


@triton.jit
def layer_norm(x, y, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < n
    v = tl.load(x + row * n + at, mask=mask, other=0.0)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(mask, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + 1e-5)
    tl.store(out + row * n + at, d * scale * tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def reductions(x, y, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + at, mask=at < n, other=0.0)
    tl.store(out + row * 4, tl.sum(v, axis=0))
    tl.store(out + row * 4 + 1, tl.max(v, axis=0))
    tl.store(out + row * 4 + 2, tl.argmax(v, axis=0).to(tl.float32))
    tl.store(out + row * 4 + 3, tl.sum(tl.where(at % 2 == 0, v, -v), axis=0))


SIGNATURE = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}

out, capability = sys.argv[1], int(sys.argv[2])
made = []
for kernel in (vector_add, softmax, layer_norm, reductions):
    source = ASTSource(fn=kernel, signature=SIGNATURE, constexprs={"BLOCK": 256})
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32))
    name = compiled.metadata.name
    with open(os.path.join(out, name + ".cubin"), "wb") as f:
        f.write(compiled.asm["cubin"])
    made.append({"name": name, "warps": compiled.metadata.num_warps, "shared": compiled.metadata.shared})
with open(os.path.join(out, "kernels.json"), "w") as f:
    json.dump(made, f)
