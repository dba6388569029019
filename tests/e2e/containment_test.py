"""What a job may take of its box and what it is told before its end, by the command line alone."""

import json
import os

from lab import LabTest, main

GREEDY = "x = b'x' * (400 << 20)\nimport time\ntime.sleep(60)"


class Containment(LabTest):
    shape = {"cpu": 4, "t4": 2, "a100": 1}

    def attempt(self, user, job):
        return self.show(user, job)["tasks"][0]["attempts"][-1]

    def test_c45_a_child_killed_for_memory_is_out_of_memory(self):
        job = self.submit("alice", "--tier", "cpu", "--mem", "128M", "--", "sh", "-c",
                          'python3 -c "$0"; echo after; exit 0', GREEDY)
        self.assertEqual(self.wait("alice", job), 1)
        shown = self.show("alice", job)
        self.assertEqual(shown["state"], "OUT_OF_MEMORY")
        self.assertEqual(shown["tasks"][0]["exitCode"], 0)
        attempt = self.attempt("alice", job)
        self.assertEqual(attempt["endReason"], "OutOfMemory")
        self.assertIn("python3 was killed for memory: the job may take 128M", attempt["message"])
        self.assertGreater(int(attempt["peakMemoryBytes"]), 64 << 20)
        self.assertIn("after\n", self.logs("alice", job).decode())
        self.assertEqual([p["payer"] for p in attempt["payers"]], ["alice"])
        text = self.ok("alice", "show", job)
        self.assertIn("python3 was killed for memory", text)
        self.assertIn("at most ", text)

    def test_c45_the_main_process_and_an_ordinary_failure(self):
        job = self.submit("alice", "--tier", "cpu", "--mem", "128M", "--", "python3", "-c", GREEDY)
        self.wait("alice", job)
        self.assertEqual(self.show("alice", job)["state"], "OUT_OF_MEMORY")
        self.assertEqual(self.attempt("alice", job)["signal"], 9)
        job = self.submit("alice", "--tier", "cpu", "--", "sh", "-c", "echo CUDA out of memory; exit 1")
        self.wait("alice", job)
        self.assertEqual(self.show("alice", job)["state"], "FAILED")

    def test_without_mem_a_job_has_what_its_units_pay_for(self):
        # A unit of the tier has 1G; this box has more.
        job = self.submit("alice", "--tier", "cpu", "--", "python3", "-c",
                          "x = b'x' * (1400 << 20)\nimport time\ntime.sleep(60)")
        self.wait("alice", job)
        self.assertEqual(self.show("alice", job)["state"], "OUT_OF_MEMORY")

    def test_phases_say_when_and_at_whose_expense(self):
        job = self.submit("alice", "--tier", "cpu", "--", "sh", "-c", "echo x")
        self.assertEqual(self.wait("alice", job), 0)
        self.until(lambda: len(self.attempt("alice", job)["phases"]) == 4
                   and self.attempt("alice", job)["phases"][3].get("endedAt"), "its log to be whole")
        phases = self.attempt("alice", job)["phases"]
        self.assertEqual([(p["name"], p["payer"]) for p in phases],
                         [("queue", "nobody"), ("staging", "lab"), ("run", "alice"), ("upload", "lab")])
        for before, after in zip(phases, phases[1:]):
            self.assertLessEqual(before["endedAt"], after["startedAt"])

    def test_a_warning_goes_to_a_handler_and_only_to_it(self):
        job = self.submit("alice", "--tier", "cpu", "--time", "4s", "--signal", "USR1@2s", "--", "sh", "-c",
                          'trap \'cat "$PINKA_NOTICE_FILE"; exit 0\' USR1; while :; do sleep 0.05; done')
        self.assertEqual(self.wait("alice", job), 0)
        notice = json.loads(self.logs("alice", job))
        self.assertEqual(notice["reason"], "TimeLimit")
        self.assertEqual(notice["attempt"], f"{job}_0.1")
        self.assertEqual(self.show("alice", job)["signal"], "USR1@2s")
        again = self.ok("alice", "resubmit", "-q", job).strip()
        self.assertEqual(self.show("alice", again)["signal"], "USR1@2s")
        code, _, err = self.pinka("alice", "submit", "--tier", "cpu", "--signal", "KILL@60s", "--", "true")
        self.assertEqual(code, 2)
        self.assertIn("no process can catch", err)

    def test_named_variables_are_taken_along(self):
        env = {"HF_HOME": "/数据/hf", "NOT_ASKED": "secret"}
        job = self.submit("alice", "--tier", "cpu", "--export", "HF_HOME", "--", "sh", "-c",
                          'echo "$HF_HOME ${NOT_ASKED-unset}"', env=env)
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(self.logs("alice", job).decode(), "/数据/hf unset\n")
        code, _, err = self.pinka("alice", "submit", "--tier", "cpu", "--export", "NO_SUCH_THING", "--", "true")
        self.assertEqual(code, 2)
        self.assertIn("NO_SUCH_THING is not set here", err)

    def test_a_job_gains_no_rights_and_reads_no_key(self):
        job = self.submit("alice", "--tier", "cpu", "--", "sh", "-c",
                          'grep NoNewPrivs /proc/self/status; find "$0" -name "*token*" -exec cat {} + | wc -c; '
                          'cat /proc/$PPID/environ | wc -c', self.lab.data)
        self.assertEqual(self.wait("alice", job), 0)
        lines = self.logs("alice", job).decode()
        self.assertIn("NoNewPrivs:\t1", lines)
        if os.geteuid() == 0:
            self.assertEqual([line for line in lines.splitlines() if line.isdigit()], ["0", "0"])

    def test_a_drained_node_says_why_and_comes_back(self):
        node = next(n for n in self.json(None, "nodes")["nodes"] if n["tier"] == "t4")["name"]
        self.admin("admin", "node", "drain", node, "--reason", "换硬盘")
        shown = lambda: next(n for n in self.json(None, "nodes")["nodes"] if n["name"] == node)
        self.until(lambda: shown()["state"] == "DRAINED", "the drain")
        self.assertEqual(shown()["reason"], "换硬盘")
        job = self.submit("alice", "--tier", "t4", "--", "true")
        self.assertEqual(self.show("alice", job)["state"], "PENDING")
        self.admin("admin", "node", "resume", node, "--reason", "new disk is in")
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(shown()["reason"], "")


if __name__ == "__main__":
    main()
