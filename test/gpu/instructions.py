#!/usr/bin/env python3
"""Runs the instruction kernels that instructions.ts built on a real GPU (Python standard library, libcuda).

    instructions.py DIR RESULTS.tar.gz [--seconds 140] [--pool 12]

A child process runs the cubins of a module, a pool of them at a time. A kernel that faults or never ends takes its process with it; the rest
of its module goes on in another one. The archive gets results.json: per kernel and variant hashes of the output (of its first block and of all),
and raw/: the output of ptxas's code of the first block, and all of every output that differs from it, xor what the memory held before.
"""
import argparse
import ctypes as C
import datetime
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import threading
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib/experiment/clock"))
from driver import Driver

ORDER = ["ptxas-O3", "ptxas-O0", "ours-O0", "ours-O1", "ours-O2"]
# Seconds without a word from a child after which it is ended.
SILENCE = 20
# Bytes of raw output of a module beyond the first blocks.
RAW_BUDGET = 3 << 20


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def changes(data, before):
    """Where nothing was written there are zeros, which take no room."""
    return (int.from_bytes(data, "little") ^ int.from_bytes(before[: len(data)], "little")).to_bytes(len(data), "little")


def child(directory, index, work, skip):
    """Runs one module; a JSON line per kernel and variant: before it runs, and its hashes."""
    with open(os.path.join(directory, "manifest.json")) as f:
        manifest = json.load(f)
    module = manifest["modules"][index]
    rows, block = manifest["rows"], manifest["block"]
    driver = Driver()
    with open(os.path.join(directory, "inputs.bin"), "rb") as f:
        inputs = f.read()
    source, size = driver.alloc(len(inputs)), rows * 256
    driver.put(source, inputs)
    target = driver.alloc(size)
    loaded = {}

    def say(**line):
        print(json.dumps(line), flush=True)

    for v in ORDER:
        if v in module["files"] and f"load:{v}" not in skip:
            say(begin=f"load:{v}")
            try:
                with open(os.path.join(directory, module["files"][v]), "rb") as f:
                    loaded[v] = driver.module(f.read())
            except RuntimeError as error:
                say(error=str(error), variant=v, kernel="")
    budget = RAW_BUDGET
    for k in module["kernels"]:
        total = rows * (k["stride"] + (manifest["scratch"] if k["scratch"] else 0))
        head = block * (k["stride"] or manifest["scratch"])
        start = bytes(rows * k["stride"]) + (inputs[: rows * manifest["scratch"]] if k["scratch"] else b"")
        values = [source.value, target.value] + [int(c) for c in k["constants"]]
        keep = [C.c_uint64(v) for v in values]
        params = (C.c_void_p * len(keep))(*[C.addressof(x) for x in keep])
        first, seen = None, set()
        for v in ORDER:
            tag = f"{k['name']}:{v}"
            if v not in loaded or v not in k["variants"] or tag in skip:
                continue
            say(begin=tag)
            try:
                function = driver.function(loaded[v], k["name"])
            except RuntimeError as error:
                say(error=str(error), variant=v, kernel=k["name"])
                continue
            driver.put(target, start)
            driver.do("cuLaunchKernel", function, *map(C.c_uint, (rows // block, 1, 1, block, 1, 1, 0)), None, params, None)
            driver.sync()
            out = driver.get(target, total)
            whole = digest(out)
            say(kernel=k["name"], variant=v, head=digest(out[:head]), all=whole)
            raw = None
            if first is None:
                first, raw = whole, out[:head]
            elif whole != first and whole not in seen:
                seen.add(whole)
                if not any(x.startswith("full") for x in seen) and len(first_out) <= budget:
                    budget -= len(first_out)
                    seen.add("full")
                    with open(os.path.join(work, f"{k['name']}.{first}.full"), "wb") as f:
                        f.write(changes(first_out, start))
                raw = out if len(out) <= budget else out[:head]
                budget -= len(raw)
            if first == whole:
                first_out = out
            if raw is not None:
                with open(os.path.join(work, f"{k['name']}.{whole}.{'full' if len(raw) == total else 'head'}"), "wb") as f:
                    f.write(changes(raw, start))
    say(done=True)


class Runner:
    def __init__(self, options):
        self.o = options
        self.end = time.time() + options.seconds
        self.results, self.faults, self.lock = {}, [], threading.Lock()

    def module(self, index, work):
        skip = []
        for _ in range(40):
            left = self.end - time.time()
            if left < 5:
                self.fault(index, "", "no time left")
                return
            command = [sys.executable, os.path.abspath(__file__), self.o.directory, work, "--child", str(index), "--skip", ",".join(skip)]
            p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            errors = []
            reader = threading.Thread(target=lambda: errors.extend(p.stderr.read().splitlines()), daemon=True)
            reader.start()
            heard, silent = [time.time()], [False]

            def watch():
                while p.poll() is None:
                    if time.time() - heard[0] > SILENCE or time.time() > self.end:
                        silent[0] = True
                        p.kill()
                        return
                    time.sleep(0.2)

            threading.Thread(target=watch, daemon=True).start()
            begun, done = None, False
            for text in p.stdout:
                heard[0] = time.time()
                try:
                    line = json.loads(text)
                except ValueError:
                    continue
                if "begin" in line:
                    begun = line["begin"]
                elif line.get("done"):
                    done = True
                elif "error" in line:
                    self.fault(index, f"{line['kernel']}:{line['variant']}", line["error"])
                else:
                    skip.append(f"{line['kernel']}:{line['variant']}")
                    with self.lock:
                        self.results.setdefault(line["kernel"], {})[line["variant"]] = [line["head"], line["all"]]
            p.wait()
            reader.join(5)
            if done:
                return
            self.fault(index, begun or "", "never ends" if silent[0] else (errors[-1] if errors else f"exit status {p.returncode}"))
            if begun is None:
                return
            skip.append(begun)

    def fault(self, index, what, message):
        print(f"module {index}: {what}: {message}", flush=True)
        with self.lock:
            self.faults.append([index, what, message])

    def all(self, count, work):
        queue = list(range(count))

        def worker():
            while True:
                with self.lock:
                    if not queue:
                        return
                    index = queue.pop(0)
                try:
                    self.module(index, work)
                except Exception as error:  # One module must not end the others.
                    self.fault(index, "", f"{type(error).__name__}: {error}")

        threads = [threading.Thread(target=worker) for _ in range(self.o.pool)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("results")
    parser.add_argument("--seconds", type=float, default=140)
    parser.add_argument("--pool", type=int, default=12)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--skip", default="", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.child is not None:
        child(o.directory, o.child, o.results, set(o.skip.split(",")))
        return 0
    started = time.time()
    with open(os.path.join(o.directory, "manifest.json")) as f:
        manifest = json.load(f)
    work = os.path.join(o.directory, "raw")
    os.makedirs(work, exist_ok=True)
    runner = Runner(o)
    card = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r}); import instructions as i, json; d = i.Driver(); print(json.dumps([d.card, d.version]))"], capture_output=True, text=True)
    device = json.loads(card.stdout) if card.returncode == 0 else [card.stderr.strip()[-300:], 0]
    print(device, flush=True)
    runner.all(len(manifest["modules"]), work)
    record = {"date": datetime.date.today().isoformat(), "card": device[0], "driver": device[1], "seconds": round(time.time() - started, 1), "faults": runner.faults, "kernels": runner.results}
    with open(os.path.join(o.directory, "results.json"), "w") as f:
        json.dump(record, f)
    with tarfile.open(o.results, "w:gz", compresslevel=6) as t:
        t.add(os.path.join(o.directory, "results.json"), "results.json")
        t.add(work, "raw")
    print(f"{len(runner.results)} kernels, {len(runner.faults)} faults, {time.time() - started:.1f} s, {os.path.getsize(o.results)} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
