#!/usr/bin/env python3
"""Checks and times cubins on a GPU for lib/experiment/clock/clock.ts (Python standard library, libcuda).

    clock.py [DEVICE]

One line of JSON comes first: the GPU, or {"unusable": why} and exit status 2. Then every line of the standard input is a question
and gets one line:

    {"job": JOB, "base": CUBIN or null, "inARow": N}  the launches (case.py) and the code that others are compared with, for all
                                                      questions that follow: {"wrong": [...], "inARow": n, "once": microseconds
                                                      of a run by itself, 0 without a base}
    {"cubin": CUBIN, "repetitions": N}                {"wrong": [...]}; with nothing wrong also "candidate" and, where there is
                                                      one, "base": microseconds per repetition (case.in_turn), and "clockMhz"

CUBIN is base64. Codes are checked before they are timed, and again after. {"refused": why}: the driver does not take the cubin.
{"fault": why}: the context is lost and with it this process, exit status 1. It also ends when its standard input does, whatever
the GPU is at; that a kernel never ends is for the reader of the answers to see, who then ends this process.
"""
import base64
import json
import os
import queue
import sys
import threading

from case import Case, Memory, in_turn
from driver import CAPABILITY, Driver, Management

# Differences that are told.
SHOWN = 3
# Microseconds that one run of all launches in a row should take at most.
LONG = 2000


def say(**line):
    print(json.dumps(line), flush=True)


def lines():
    """Lines of the standard input; at its end the process ends at once, also within a call of the driver."""
    asked = queue.Queue()

    def read():
        for line in sys.stdin:
            asked.put(line)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield asked.get()


class Refused(Exception):
    """The driver does not take a cubin; the context lives on."""


class Clock:
    def __init__(self, device):
        self.d = Driver(device)
        self.management = Management(self.d)
        self.memory = self.base = None

    def load(self, text):
        try:
            return Case(self.d, base64.b64decode(text), self.memory)
        except RuntimeError as error:
            raise Refused(str(error)) from error

    def take(self, job, copies):
        """Memory for the job."""
        if self.memory is not None:
            self.memory.free()
        self.memory = None
        self.memory = Memory(self.d, job, copies)

    def open(self, job, base, in_a_row):
        if self.base is not None:
            self.base.unload()
        self.base = None
        self.take(job, 1)
        if base is None:
            return {"wrong": [], "inARow": 1, "once": 0}
        self.base = self.load(base)
        wrong = self.base.check()
        if wrong:
            return {"wrong": wrong[:SHOWN]}
        ((once,),) = in_turn(self.d, [self.base], 1)
        copies = max(1, min(Memory.most(job, in_a_row), int(LONG / max(once, 0.1))))
        if copies > 1:
            self.base.unload()
            self.base = None
            self.take(job, copies)
            self.base = self.load(base)
        return {"wrong": [], "inARow": copies, "once": once}

    def judge(self, cubin, repetitions):
        case = self.load(cubin)
        answer = self.judged(case, repetitions)
        case.unload()
        return answer

    def judged(self, case, repetitions):
        wrong = case.check()
        if wrong:
            return {"wrong": wrong[:SHOWN]}
        cases = [self.base, case] if self.base is not None else [case]
        times = in_turn(self.d, cases, repetitions)
        rate = self.management.clock()
        wrong = case.check()
        answer = {"wrong": wrong[:SHOWN], "clockMhz": rate, "candidate": [t[-1] for t in times]}
        return {**answer, "base": [t[0] for t in times]} if self.base is not None else answer


def main():
    try:
        clock = Clock(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    except (OSError, RuntimeError) as error:
        say(unusable=str(error))
        return 2
    capability = [clock.d.attribute(n) for n in CAPABILITY]
    cuda = f"CUDA {clock.d.version // 1000}.{clock.d.version % 1000 // 10}"
    kernel = clock.management.driver()
    say(card=clock.d.card, driver=cuda if kernel is None else f"{kernel}, {cuda}", capability=capability)
    for line in lines():
        question = json.loads(line)
        try:
            if "job" in question:
                say(**clock.open(question["job"], question["base"], question["inARow"]))
            else:
                say(**clock.judge(question["cubin"], question["repetitions"]))
        except Refused as error:
            say(refused=str(error))
        except RuntimeError as error:
            say(fault=str(error))
            # Not by the interpreter: what is left of the context cannot be given back.
            os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
