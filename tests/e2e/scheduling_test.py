"""Who starts next, and `why` not: promises, backfill, and the reasons people see."""

import csv
import subprocess
from concurrent.futures import ThreadPoolExecutor

from lab import BIN, LabTest, main


class Scheduling(LabTest):
    shape = {"cpu": 4, "t4": 1, "a100": 4}
    money = 1000

    def test_a_promise_lets_short_work_in_and_says_so(self):
        runs = self.submit("alice", "--tier", "a100-80", "--gpus", "3", "--time", "2h", "--", "sleep", "600")
        self.until(lambda: self.show("alice", runs)["state"] == "RUNNING", "the start")
        wide = self.submit("bob", "--tier", "a100-80", "--gpus", "4", "--time", "1h", "--", "true")
        long = self.submit("bob", "--tier", "a100-80", "--time", "8h", "--", "true")
        short = self.submit("carol", "--tier", "a100-80", "--time", "30m", "--", "true")
        self.assertEqual(self.wait("carol", short), 0, "filled in before the promise")
        behind = self.submit("alice", "--tier", "a100-80", "--gpus", "4", "--time", "1h", "--", "true")

        why = self.json("bob", "why", wide)
        self.assertEqual(why["reason"], "Resources")
        self.assertEqual(why["position"], 1)
        self.assertLess(why["expectedStartAt"], why["expectedStartBy"])
        self.assertIn("4 units free together", why["wouldChange"])
        shown = self.show("bob", wide)
        self.assertEqual(shown["expectedStartAt"][:16], why["expectedStartBy"][:16])

        why = self.json("bob", "why", long)
        self.assertEqual(why["reason"], "Reservation")
        self.assertIn(f"job {wide} is to start", why["text"])
        self.assertIn(f"pinka edit {long} --time", why["wouldChange"])

        why = self.json("alice", "why", behind)
        self.assertEqual(why["reason"], "Priority")
        self.assertTrue(why["aheadOfIt"][0].startswith("bob: "), why)
        self.assertIn("because your fair-share factor is", why["text"])
        self.assertGreaterEqual(float(why["gpuHoursAhead"]), 4)
        self.assertEqual(sum(int(f["value"]) for f in why["factors"]), int(why["priority"]))

        text = self.ok("alice", "why", behind)
        self.assertIn("Expected start between ", text)
        self.assertIn("What would change it: ", text)
        self.ok("alice", "hold", behind)
        self.assertIn(f"`pinka release {behind}`", self.ok("alice", "why", behind))
        self.ok("alice", "cancel", behind, runs)
        self.ok("bob", "cancel", long)
        self.assertEqual(self.wait("bob", wide), 0)


    def test_c08_arrays_are_taken_whole_or_refused_without_an_id(self):
        refused = {
            "0-999999999": "more than 1000000 indices", "9-1": "9-1", "0-10:0": "0-10:0",
            "18446744073709551615": "18446744073709551615", "-3": "-3", "": "",
        }
        before = len(self.json("alice", "ls", "--all")["jobs"])
        for spec, named in refused.items():
            code, out, err = self.pinka("alice", "submit", "-q", "--array", spec, "--tier", "t4",
                                        "--time", "1m", "--", "true")
            with self.subTest(spec=spec):
                self.assertEqual(code, 2, err)
                self.assertEqual(out, b"", "no id")
                self.assertIn(named, err)
        # One task alone is dearer than every lot in reach: the whole array is refused, not a part.
        code, out, err = self.pinka("alice", "submit", "-q", "--array", "0-999", "--tier", "a100-80",
                                    "--gpus", "4", "--time", "24h", "--", "true")
        self.assertEqual((code, out), (3, b""), err)
        self.assertIn("1152.00", err)
        self.assertEqual(len(self.json("alice", "ls", "--all")["jobs"]), before, "nothing was made")
        few = self.submit("alice", "--array", "3,1,1,2", "--tier", "cpu", "--time", "1m", "--", "true")
        self.assertEqual(self.show("alice", few)["taskCount"], 3, "what is named twice is one task")
        far = self.submit("alice", "--array", "5000-5003", "--tier", "cpu", "--time", "1m", "--",
                          "sh", "-c", "echo $PINKA_ARRAY_INDEX")
        self.assertEqual(self.wait("alice", far), 0)
        self.assertEqual(self.wait("alice", few), 0)
        self.assertEqual(self.logs("alice", far + "_5003"), b"5003\n")

    def test_the_labs_own_history_can_be_played_again(self):
        one = self.submit("alice", "--tier", "cpu", "--time", "2m", "--", "true")
        two = self.submit("王芳", "--tier", "t4", "--time", "3m", "--array", "0-1", "--", "false")
        self.assertEqual(self.wait("alice", one), 0)
        self.assertEqual(self.wait("王芳", two), 1)
        done = subprocess.run([BIN + "/pinkad", "trace", "--data", self.lab.data],
                              capture_output=True, env=self.lab.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(done.stdout.decode().splitlines()))
        mine = [r for r in rows if r["user"] == "王芳" and r["gpu_type"] == "t4"]
        self.assertEqual([(r["gpus"], r["status"], r["limit_s"]) for r in mine],
                         [("1", "FAILED", "180.000")] * 2)
        self.assertIn(("alice", "cpu", "COMPLETED"),
                      [(r["user"], r["gpu_type"], r["status"]) for r in rows])
        history = self.lab.root + "/history.csv"
        with open(history, "wb") as f:
            f.write(done.stdout)
        for more in ((), ("--add", "t4:2")):
            again = self.json("alice", "simulate", "--trace", history, "--lab", self.lab.lab_file, *more)
            self.assertEqual(again["completed"], len(rows), again)

    def test_c15_of_twelve_at_once_one_starts_where_one_unit_is_left(self):
        with open(self.lab.lab_file, "a", encoding="utf-8") as f:
            f.write('[[limit]]\nscope = "carol"\nresource = "running_units"\namount = 3\n')
        self.admin("admin", "apply", self.lab.lab_file, "-y")
        cpu = ("--tier", "cpu", "--time", "10m")
        runs = self.submit("carol", *cpu, "--cpus", "2", "--", "sleep", "600")
        wide = self.submit("carol", *cpu, "--cpus", "3", "--", "sleep", "600")
        self.until(lambda: self.show("carol", runs)["state"] == "RUNNING", "the start")
        self.assertIn("needs 3 units", self.ok("carol", "why", wide))
        with ThreadPoolExecutor(12) as pool:
            jobs = list(pool.map(lambda _: self.submit("carol", *cpu, "--", "sleep", "600"), range(12)))
        states = lambda: [self.show("carol", job)["state"] for job in jobs]
        self.until(lambda: "RUNNING" in states(), "one of the twelve")
        self.assertEqual(states().count("PENDING"), 11, states())
        for job in jobs + [runs, wide]:
            self.ok("carol", "cancel", job)


if __name__ == "__main__":
    main()
