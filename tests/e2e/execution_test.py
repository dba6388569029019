"""Processes, trees and logs: C42 C43 C58 C59 C60, and the agent's restart under running work."""

import hashlib
import os
import re
import signal
import subprocess

from lab import BIN, LabTest, main


class Execution(LabTest):
    shape = {"cpu": 16, "t4": 2, "a100": 8}

    def running(self, user, job):
        self.until(lambda: self.show(user, job)["state"] == "RUNNING", f"job {job} to run")

    def cancelled(self, user, job):
        self.ok(user, "cancel", job)
        self.wait(user, job)
        self.assertEqual(self.show(user, job)["state"], "CANCELLED")

    def test_c42_cancel_ends_the_whole_tree(self):
        stubborn = ("setsid nohup python3 -c 'import signal,time;signal.signal(15,signal.SIG_IGN);print(1,flush=True);"
                    "time.sleep(3600)' & (sleep 3600 &) ; exec sleep 3600")
        for script in (stubborn, "python3 -c 'import os,time;os.fork() or (os.setsid(), os.fork(), time.sleep(3600));"
                                 "time.sleep(3600)'", "kill -STOP $$; sleep 3600"):
            job = self.submit("alice", "--tier", "a100-80", "--grace", "1s", "--", "sh", "-c", script)
            self.running("alice", job)
            attempt = job + "_0.1"
            self.assertTrue(self.processes_of(attempt))
            self.cancelled("alice", job)
            self.assertEqual(self.processes_of(attempt), [])

    def test_c43_neighbours_feel_nothing(self):
        count = "i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo $i; sleep 0.05; done; exit 7"
        users = ["alice", "bob", "carol"]
        jobs = [(users[n % 3], self.submit(users[n % 3], "--tier", "a100-80", "--", "sh", "-c", count)) for n in range(8)]
        for user, job in jobs:
            self.running(user, job)
        for user, job in jobs[:3]:
            self.ok(user, "cancel", job)
        self.ok(jobs[0][0], "cancel", jobs[0][1])
        for pid in self.children("pinka-agent"):
            os.kill(pid, signal.SIGKILL)  # pinkad starts them again; the jobs go on
        for user, job in jobs[3:]:
            self.assertEqual(self.wait(user, job), 7)
            self.assertEqual(self.logs(user, job).decode().split(), [str(n) for n in range(1, 41)])

    def test_c58_the_last_lines_are_there(self):
        code = "import sys;[print(i) for i in range(100000)];sys.exit(3)"
        expected = "".join(f"{i}\n" for i in range(100000)).encode()
        job = self.submit("alice", "--tier", "cpu", "--", "python3", "-c", code)
        follower = subprocess.run([BIN + "/pinka", "logs", "-f", job], capture_output=True, timeout=120,
                                  env=self.environment("alice"))
        self.assertEqual(follower.stdout, expected)
        self.assertEqual(self.wait("alice", job), 3)
        jobs = [self.submit("bob", "--tier", "cpu", "--", "python3", "-c", code) for _ in range(20)]
        for job in jobs:
            self.assertEqual(self.wait("bob", job), 3)
            self.until(lambda: self.logs("bob", job) == expected, "the whole log")

    def test_c59_bytes_that_are_not_utf8_come_back_identical(self):
        code = ('import sys,time;w=sys.stdout.buffer.write;w(b"ok\\n\\xff\\xfe\\x00\\n");w("中".encode()[:1]);'
                'sys.stdout.flush();time.sleep(0.5);w("中".encode()[1:]+b"\\nend\\n")')
        job = self.submit("alice", "--tier", "cpu", "--", "python3", "-c", code)
        self.assertEqual(self.wait("alice", job), 0)
        self.until(lambda: self.logs("alice", job).endswith(b"end\n"), "the end of the log")
        self.assertEqual(self.logs("alice", job), b"ok\n\xff\xfe\x00\n" + "中\nend\n".encode())

    def test_c60_one_enormous_line_and_a_flood(self):
        job = self.submit("alice", "--tier", "cpu", "--time", "5m", "--", "sh", "-c",
                          'head -c 20000000 /dev/zero | tr "\\0" x; echo; echo end')
        self.assertEqual(self.wait("alice", job), 0)
        expected = hashlib.sha256(b"x" * 20000000 + b"\nend\n").hexdigest()
        self.until(lambda: hashlib.sha256(self.logs("alice", job)).hexdigest() == expected, "the whole line")
        flood = self.submit("alice", "--tier", "cpu", "--time", "5m", "--", "sh", "-c",
                            "head -c 150000000 /dev/zero | tr '\\0' y; exit 4")
        self.assertEqual(self.wait("alice", flood, timeout=240), 4)
        self.until(lambda: re.search(rb"\d+ bytes", self.logs("alice", flood)[-300:]), "the mark of what was dropped")
        self.assertLess(len(self.logs("alice", flood)), 105 << 20)

    def test_an_array_runs_each_index_once_within_its_throttle(self):
        job = self.submit("carol", "--tier", "cpu", "--array", "0-9%3", "--", "sh", "-c",
                          "echo $PINKA_ARRAY_INDEX of $PINKA_ARRAY_SIZE")
        self.assertEqual(self.wait("carol", job), 0)
        shown = self.show("carol", job)
        self.assertEqual(shown["taskStates"].get("COMPLETED"), 10)
        for n in range(10):
            self.assertEqual(self.logs("carol", f"{job}_{n}").decode(), f"{n} of 10\n")

    def test_retries_and_holds(self):
        marker = os.path.join(self.lab.root, "tries")
        job = self.submit("alice", "--tier", "cpu", "--retries", "2", "--", "sh", "-c",
                          'echo "$PINKA_RESTART_COUNT"; [ "$PINKA_RESTART_COUNT" = 2 ]')
        self.assertEqual(self.wait("alice", job), 0, marker)
        self.assertEqual(len(self.show("alice", job)["tasks"][0]["attempts"]), 3)
        held = self.submit("alice", "--tier", "t4", "--gpus", "2", "--", "sleep", "30")
        self.running("alice", held)
        second = self.submit("alice", "--tier", "t4", "--", "true")
        self.ok("alice", "hold", second)
        self.assertEqual(self.show("alice", second)["state"], "HELD")
        self.ok("alice", "release", second)
        self.assertIn("t4", self.ok("alice", "why", second))
        self.cancelled("alice", held)
        self.assertEqual(self.wait("alice", second), 0)


if __name__ == "__main__":
    main()
