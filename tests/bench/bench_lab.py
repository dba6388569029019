#!/usr/bin/env python3
"""A whole lab as real processes: how much memory the scheduler takes with 50,000 waiting jobs, how
fast `pinka` lists and cancels them, how many no-op jobs a second go from submit to end, and how long
a submit takes to its first line of output. Nothing is asserted.

    tests/bench/bench_lab.py            # PINKA_BIN names the programs; default: build/bin
"""

import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
from lab import BIN, Lab  # noqa: E402

NO_OPS = 500


def resident_mb(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith("VmRSS"))


def token_of(lab):
    """The admin's, as `up` wrote it."""
    with open(os.path.join(lab.data, "tokens", "admin")) as f:
        return f.read().strip()


def bench_no_ops(lab):
    began = time.monotonic()
    job = lab.submit(None, "-y", "--tier", "cpu", "--time", "1m", "--array", f"0-{NO_OPS - 1}", "--",
                     "/bin/true")
    lab.wait(None, job)
    took = time.monotonic() - began
    print(f"{NO_OPS} no-op tasks on 64 cores, submit to the last end: {took:.2f} s, "
          f"{NO_OPS / took:.0f} a second", flush=True)


def bench_first_line(lab):
    took = []
    for _ in range(11):
        began = time.monotonic()
        run = subprocess.Popen([BIN + "/pinka", "run", "-q", "-y", "--tier", "cpu", "--time", "1m", "--",
                                "/bin/echo", "here"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=lab.environment())
        line = run.stdout.readline()
        took.append(time.monotonic() - began)
        run.stdout.read()
        run.wait()
        if b"here" not in line:
            sys.exit(f"the first line is {line}")
    print(f"pinka run, to the first line: median {1000 * statistics.median(took):.0f} ms", flush=True)


def bench_waiting(lab, ready_line):
    pid = lab.process.pid
    before = resident_mb(pid)
    address = ready_line.split(" on ")[1].split(",")[0]
    subprocess.run([BIN + "/bench_cli", address, token_of(lab)], check=True)
    print(f"pinkad resident: {before:.0f} MB empty, {resident_mb(pid):.0f} MB after", flush=True)


def main():
    lab = Lab(cpu=64, t4=0)
    try:
        line = lab.up()
        lab.admin("admin", "apply", lab.lab_file, "-y")
        lab.until(lambda: lab.ready_nodes() >= 2, "the agents")
        lab.topup("lab", 1_000_000)
        bench_first_line(lab)
        bench_no_ops(lab)
        bench_waiting(lab, line)
    finally:
        lab.destroy()


if __name__ == "__main__":
    main()
