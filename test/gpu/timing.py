#!/usr/bin/env python3
"""Measures what timing-export.ts wrote on a GPU, under ncu and by events (Python standard library, libcuda; numpy for one probe).

    timing.py DIR OUT [SECONDS]

Leaves in OUT: check.json (right or wrong per code), graphs.json (microseconds per launch from graphs of launches in a row),
ncu-*.csv with plan-*.json (the launches in the order of the profile), probes.json, device.json, steps.json. A step that fails
or takes too long leaves what it has; nothing ends the others.
"""
import concurrent.futures
import ctypes as C
import json
import os
import struct
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib/experiment/clock"))
from case import Case, Memory, alike, in_turn, numbers, read_job
from driver import Driver

NCU = ["ncu", "/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/ncu"]
CYCLES = [
    "sm__cycles_active.max",
    "sm__cycles_active.avg",
    "gpc__cycles_elapsed.max",
    "smsp__inst_executed.sum",
    "gpu__time_duration.sum",
]
CACHES = [
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
    "sm__cycles_active.max",
    "smsp__inst_executed.sum",
    "smsp__issue_active.avg",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "dram__bytes_read.sum",
    "sm__icc_requests.sum",
    "sm__icc_requests_lookup_miss.sum",
    "idc__requests.sum",
    "idc__requests_lookup_miss.sum",
    "gcc__cache_requests.sum",
    "gcc__cache_requests_lookup_miss.sum",
]


def code_in(directory, file):
    with open(os.path.join(directory, file), "rb") as f:
        return f.read()


def close(kind, a, b):
    """Floats within 1e-4 of each other; everything else must be the same."""
    if a == b:
        return True
    near = {"abs": 1e-5, "rel": 1e-4}
    return kind in ("f32", "f64") and all(x == y or alike(near, y, x) for x, y in zip(numbers(kind, a), numbers(kind, b)))


def codes(kernel):
    """Every code once."""
    return list(dict.fromkeys(kernel["variants"].values()))


# ------------------------------------------------------------------------------------------------ right or wrong


def check_one(directory, kernel):
    driver = Driver()
    out = {}
    for which, launch in kernel["launches"].items():
        job = read_job(os.path.join(directory, launch))
        memory = Memory(driver, job, 1, directory)
        want, base = None, kernel["variants"]["ptxas-O3"]
        for file in [base] + [c for c in codes(kernel) if c != base]:
            case = Case(driver, code_in(directory, file), memory)
            bad = case.check()[:3]
            if "expect" not in job:
                got = memory.output()
                want = want or got
                bad = [k for k in got if not close(job["buffers"][k]["type"], got[k], want[k])]
            out[f"{which}:{file}"] = bad
            print(json.dumps({f"{which}:{file}": bad}), flush=True)
    return out


def child(args, seconds):
    try:
        ran = subprocess.run([sys.executable, __file__, *args], capture_output=True, text=True, timeout=seconds)
        return ran.returncode, ran.stdout, ran.stderr[-600:]
    except subprocess.TimeoutExpired as error:
        return 124, (error.stdout or b"").decode() if isinstance(error.stdout, bytes) else error.stdout or "", "timeout"


def check(directory, plan, out, seconds):
    results, errors = {}, {}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        asked = {k["name"]: pool.submit(child, ["--check", directory, k["name"]], seconds) for k in plan["kernels"]}
        for name, future in asked.items():
            status, stdout, stderr = future.result()
            for line in stdout.splitlines():
                try:
                    results.update(json.loads(line))
                except ValueError:
                    pass
            if status:
                errors[name] = f"{status}: {stderr}"
    save(out, "check.json", {"results": results, "errors": errors})
    return results


# ------------------------------------------------------------------------------------------------ events


def graph_times(directory, plan, right, out, until):
    """Microseconds per launch in sorted order (in_turn): runs in a row on fresh buffers, codes in turn, a few rounds."""
    driver = Driver()
    times = {}
    for kernel in plan["kernels"]:
        for which, launch in kernel["launches"].items():
            job = read_job(os.path.join(directory, launch))
            files = [f for f in codes(kernel) if right.get(f"{which}:{f}") == []]
            if not files:
                continue
            copies = Memory.most(job, 40 if which == "small" else 10, directory)
            memory = Memory(driver, job, copies, directory)
            made = [Case(driver, code_in(directory, f), memory) for f in files]
            rounds = in_turn(driver, made, 6, 1)
            for i, file in enumerate(files):
                times[f"{which}:{file}"] = sorted(round(r[i], 3) for r in rounds)
            for case in made:
                case.unload()
            memory.free()
            save(out, "graphs.json", times)
            if time.time() > until:
                return


# ------------------------------------------------------------------------------------------------ under the profiler


def profiled(directory, plan_file, until):
    """Launches what the plan lists, each warmed up; only the second launch is profiled. Ends by itself when time is up."""
    with open(plan_file) as f:
        wanted = json.load(f)
    driver = Driver()
    memory, last = None, None
    for launch, file in wanted:
        if time.time() > until:
            return
        if launch != last:
            if memory is not None:
                memory.free()
            memory, last = Memory(driver, read_job(os.path.join(directory, launch)), 1, directory), launch
        case = Case(driver, code_in(directory, file), memory)
        case.reset()
        case.launch()
        driver.sync()
        case.reset()
        driver.sync()
        driver.do("cuProfilerStart")
        case.launch()
        driver.sync()
        driver.do("cuProfilerStop")
        case.unload()


def ncu(directory, out, name, wanted, options, seconds):
    """One profile; returns what happened."""
    plan_file, log = os.path.join(out, f"plan-{name}.json"), os.path.join(out, f"ncu-{name}.csv")
    save(out, f"plan-{name}.json", wanted)
    for tool in NCU:
        command = [tool, "--clock-control", "none", "--profile-from-start", "off", "--csv", "--page", "raw", "--print-units", "base"]
        command += ["--log-file", log, *options, sys.executable, __file__, "--profiled", directory, plan_file]
        try:
            began = time.time()
            command.append(str(began + seconds - 4))
            ran = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 10)
            return {"status": ran.returncode, "seconds": round(time.time() - began, 1), "out": ran.stdout[-800:], "err": ran.stderr[-800:]}
        except FileNotFoundError:
            continue
        except subprocess.TimeoutExpired:
            return {"status": "timeout", "seconds": seconds}
    return {"status": "no ncu"}


def rows(out, name):
    try:
        with open(os.path.join(out, f"ncu-{name}.csv")) as f:
            return sum(1 for line in f if line.startswith('"') and line[1:2].isdigit())
    except OSError:
        return 0


# ------------------------------------------------------------------------------------------------ probes


def probe(driver, directory, p):
    module = driver.module(code_in(directory, p["cubin"]))
    function = driver.function(module, "k")
    buffer = driver.alloc(4 * p["words"] + 4096)
    driver.do("cuMemsetD8_v2", buffer, C.c_ubyte(0), C.c_size_t(4 * p["words"] + 4096))
    values, data = [buffer.value.to_bytes(8, "little")], C.c_uint64()
    if "data" in p:
        n = p["data"]["bytes"]
        data = driver.alloc(n)
        driver.do("cuMemsetD8_v2", data, C.c_ubyte(0), C.c_size_t(n))
        if "step" in p["data"]:
            import numpy

            words = ((numpy.arange(n // 4, dtype=numpy.uint64) + p["data"]["step"]) % (n // 4)).astype(numpy.uint32)
            driver.do("cuMemcpyHtoD_v2", data, words.ctypes.data_as(C.c_void_p), C.c_size_t(n))
    for v in p["params"]:
        if v == "data":
            values.append(data.value.to_bytes(8, "little"))
        elif "u32" in v:
            values.append(v["u32"].to_bytes(4, "little"))
        else:
            values.append(bytes.fromhex(v["bytes"]))
    keep = [C.create_string_buffer(v, len(v)) for v in values]
    array = (C.c_void_p * len(keep))(*[C.addressof(k) for k in keep])
    grid, block = (p["grid"] + [1, 1])[:3], (p["block"] + [1, 1])[:3]
    found = []
    for _ in range(p["launches"]):
        driver.do("cuLaunchKernel", function, *map(C.c_uint, grid + block), C.c_uint(p["sharedBytes"]), None, array, None)
        driver.sync()
        words = struct.unpack(f"<{p['words']}I", driver.get(buffer, 4 * p["words"]))
        if p["name"].startswith("blocks-"):
            # Start, end, SM, block of each warp: four SMs tell enough.
            words = [w for i in range(0, len(words), 4) if words[i + 2] < 4 for w in words[i : i + 4]]
        found.append(list(words))
    driver.free(buffer)
    if "data" in p:
        driver.free(data)
    driver.do("cuModuleUnload", module)
    return found


def probes(directory, plan, out, until):
    driver, found = Driver(), {}
    for p in plan["probes"]:
        try:
            found[p["name"]] = probe(driver, directory, p)
        except Exception as error:
            found[p["name"]] = f"{type(error).__name__}: {error}"
        if time.time() > until:
            break
    save(out, "probes.json", found)


# ------------------------------------------------------------------------------------------------ all of it


def save(out, name, what):
    with open(os.path.join(out, name), "w") as f:
        json.dump(what, f)


def device(out):
    driver, found = Driver(), {}
    for name, number in {"clock": 13, "sms": 16, "memoryClock": 36, "busWidth": 37, "l2": 38, "sharedPerSm": 81}.items():
        found[name] = driver.attribute(number)
    found["card"], found["driver"] = driver.card, driver.version
    for command in (["nvidia-smi", "--query-gpu=driver_version,clocks.sm,clocks.max.sm,clocks.mem", "--format=csv"], ["ncu", "--version"]):
        try:
            found[command[0]] = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.strip()
        except (OSError, subprocess.TimeoutExpired) as error:
            found[command[0]] = str(error)
    found["date"] = time.strftime("%Y-%m-%d")
    save(out, "device.json", found)


def main():
    mode = sys.argv[1]
    if mode == "--profiled":
        return profiled(sys.argv[2], sys.argv[3], float(sys.argv[4]))
    if mode in ("--check", "--graphs", "--probes", "--device"):
        directory = sys.argv[2]
        with open(os.path.join(directory, "plan.json")) as f:
            plan = json.load(f)
        if mode == "--check":
            return check_one(directory, next(k for k in plan["kernels"] if k["name"] == sys.argv[3])) and None
        out, until = sys.argv[3], float(sys.argv[4])
        if mode == "--device":
            return device(out)
        if mode == "--probes":
            return probes(directory, plan, out, until)
        with open(os.path.join(out, "check.json")) as f:
            return graph_times(directory, plan, json.load(f)["results"], out, until)
    directory, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    end = time.time() + float(sys.argv[3] if len(sys.argv) > 3 else 140)
    left = lambda: end - time.time()
    with open(os.path.join(directory, "plan.json")) as f:
        plan = json.load(f)
    steps = {}

    def step(name, what, *args):
        began = time.time()
        try:
            steps[name] = what(*args)
        except Exception as error:
            steps[name] = f"{type(error).__name__}: {error}"
        if name == "check":
            right.update(steps[name] if isinstance(steps[name], dict) else {})
            steps[name] = len(right)
        steps[f"{name} seconds"] = round(time.time() - began, 1)
        print(name, json.dumps(steps[name])[:500], steps[f"{name} seconds"], flush=True)
        save(out, "steps.json", steps)

    right = {}
    step("device", lambda: child(["--device", directory, out, "0"], 50)[0::2])
    step("probes", lambda: child(["--probes", directory, out, str(time.time() + 20)], 30)[0::2])
    step("check", lambda: check(directory, plan, out, 40))
    every = [
        (launch, file)
        for which in ("small", "large")
        for k in plan["kernels"]
        for launch in [k["launches"].get(which)]
        if launch
        for file in codes(k)
        if right.get(f"{which}:{file}") == []
    ]
    chosen = {k["variants"][v] for k in plan["kernels"] for v in ("ptxas-O3", "ptxlab-O0", "ptxlab-O2") if v in k["variants"]}
    few = [(launch, file) for launch, file in every if file in chosen]
    warm, cold = ["--cache-control", "none"], ["--cache-control", "all"]
    metrics = ["--metrics", ",".join(CYCLES)]
    step("warm 1", ncu, directory, out, "warm1", every, metrics + warm, max(12, min(60, left() - 45)))
    if rows(out, "warm1") == 0:
        step("fewer metrics", ncu, directory, out, "warm1", every, ["--metrics", ",".join(CYCLES[::2])] + warm, max(12, min(60, left() - 30)))
    step("graphs", lambda: child(["--graphs", directory, out, str(time.time() + 20)], 30)[0::2])
    if left() > 25:
        step("reasons", ncu, directory, out, "reasons", few, ["--section", "WarpStateStats", "--metrics", ",".join(CACHES)] + warm, min(40, left() - 12))
    if left() > 25:
        step("cold", ncu, directory, out, "cold", few, metrics + cold, min(30, left() - 12))
    if left() > 20:
        step("warm 2", ncu, directory, out, "warm2", every, metrics + warm, left() - 12)
    print("left", round(left(), 1))


if __name__ == "__main__":
    main()
