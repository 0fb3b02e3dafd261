#!/usr/bin/env python3
"""Runs what all.ts made on a machine with a GPU, most valuable first, as long as the minutes last (Python standard library).

    all.py [--minutes 20] [--out OUT] [--only NAME,...]

Each step's results go to OUT/NAME.*, what it printed to OUT/NAME.log; OUT/summary.json is written after every step: what ran, how long,
with which status, what was left out. Without --out: `results` beside this file. Exit status: 0 all steps ran to status 0, 1 not.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import time

here = os.path.dirname(os.path.abspath(__file__))


def filled(text, values):
    """The words of a command, with its places filled in."""
    found = text.split(" ")
    for name, value in values.items():
        found = [word.replace(name, value) for word in found]
    return found


def run(step, out, seconds):
    """Status of a step (None: it was ended), its last line."""
    name = step["name"]
    values = {"$DIR": os.path.join(here, name), "$OUT": os.path.join(out, name), "$SECONDS": str(int(seconds))}
    script, *args = filled(step["run"], values)
    env = {**os.environ, **{k: values[v] for k, v in step.get("env", {}).items()}}
    if "$OUT" in step["run"].split(" "):
        os.makedirs(values["$OUT"], exist_ok=True)
    with open(os.path.join(out, f"{name}.log"), "w+") as log:
        try:
            command = [sys.executable, os.path.join(here, script), *args]
            status = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=env, timeout=seconds + 15).returncode
        except subprocess.TimeoutExpired:
            status = None
        log.seek(0)
        said = log.read().strip().splitlines()
    return status, said[-1] if said else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--out", default=os.path.join(here, "results"))
    parser.add_argument("--only")
    o = parser.parse_args()
    end = time.time() + 60 * o.minutes
    with open(os.path.join(here, "all.json")) as f:
        steps = [s for s in json.load(f) if o.only is None or s["name"] in o.only.split(",")]
    os.makedirs(o.out, exist_ok=True)
    done = []
    for step in steps:
        least, most = step["seconds"]
        left = end - time.time()
        if left < least:
            done.append({"step": step["name"], "left out": f"{left:.0f} s were left of {least}"})
        else:
            begin = time.time()
            status, said = run(step, o.out, min(most, left))
            done.append({"step": step["name"], "status": status, "seconds": round(time.time() - begin, 1), "said": said})
        print(json.dumps(done[-1]), flush=True)
        with open(os.path.join(o.out, "summary.json"), "w") as f:
            json.dump({"date": datetime.date.today().isoformat(), "minutes": o.minutes, "steps": done}, f, indent=1)
    return int(any(d.get("status") != 0 for d in done))


if __name__ == "__main__":
    sys.exit(main())
