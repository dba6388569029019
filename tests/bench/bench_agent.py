"""Short tasks a second: pinka, and GNU parallel beside it in the same run.

1,000 tasks that do nothing, 64 at a time. pinka: a whole lab (`pinkad up`, PostgreSQL, one agent with
64 slots), from the submit to the end of the last task; every task is ordered, claimed, metered,
charged and forgotten, each step durable. GNU parallel runs the same program through
`durable_wrapper`, which keeps start, end and exit code with one fdatasync each.

    PINKA_BIN=build/bin python3 tests/bench/bench_agent.py [TASKS]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
from lab import BIN, Lab  # noqa: E402

SLOTS = 64


def with_pinka(tasks):
    lab = Lab(cpu=SLOTS, t4=1, a100=1)
    try:
        lab.found()
        lab.topup("lab", 1000)
        lab.wait("alice", lab.submit("alice", "--tier", "cpu", "--", "true"))  # everything is warm
        begin = time.monotonic()
        job = lab.submit("alice", "--tier", "cpu", "--time", "1m", "--array", f"0-{tasks - 1}", "--", "true")
        code = lab.wait("alice", job, timeout=600)
        took = time.monotonic() - begin
        shown = lab.show("alice", job)
        ended = sum(1 for t in shown["tasks"] if t["state"] == "COMPLETED" and t["exitCode"] == 0)
        assert code == 0 and ended == tasks, f"exit {code}, {ended} of {tasks} completed"
        return took
    finally:
        lab.destroy()


def with_parallel(tasks, base):
    records = tempfile.mkdtemp(prefix="pinka-parallel-", dir=base)
    try:
        begin = time.monotonic()
        subprocess.run(["parallel", "--will-cite", "-j", str(SLOTS), BIN + "/durable_wrapper", records, "{}", "true"],
                       input="\n".join(str(n) for n in range(tasks)).encode(), check=True)
        took = time.monotonic() - begin
        kept = len(os.listdir(records))
        assert kept == tasks, f"{kept} of {tasks} are on record"
        return took
    finally:
        shutil.rmtree(records)


def syncs(base):
    """Durable writes of one after the other, a second: what the disk gives."""
    with tempfile.NamedTemporaryFile(dir=base) as f:
        begin = time.monotonic()
        for _ in range(200):
            f.write(b"x")
            f.flush()
            os.fdatasync(f.fileno())
        return 200 / (time.monotonic() - begin)


def main():
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    base = tempfile.gettempdir()
    ours = with_pinka(tasks)
    theirs = with_parallel(tasks, base)
    result = {"tasks": tasks, "slots": SLOTS, "pinkaTasksPerS": round(tasks / ours, 1),
              "parallelTasksPerS": round(tasks / theirs, 1), "ratio": round(theirs / ours, 2),
              "fdatasyncPerS": round(syncs(base)), "load": os.getloadavg()[0]}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
