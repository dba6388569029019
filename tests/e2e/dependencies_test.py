"""Jobs that wait: for others (C05, C07), for a time, for the night; and files of jobs."""

import datetime
import json
import os

from lab import LabTest, main


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


class Dependencies(LabTest):
    def state(self, user, job):
        return self.show(user, job)["state"]

    def file(self, text):
        path = os.path.join(self.lab.root, "jobs.toml")
        with open(path, "w") as f:
            f.write(text)
        return path

    def test_c07_a_failed_parent_cancels_the_chain_in_one_pass(self):
        a = self.submit("alice", "--tier", "cpu", "--", "false")
        self.assertEqual(self.wait("alice", a), 1)
        before = self.balance("lab")["committed"]
        b = self.submit("alice", "--dependency", "afterok:" + a, "--tier", "a100-80", "--time", "24h", "--", "true")
        c = self.submit("alice", "--dependency", "afterok:" + b, "--", "true")
        for job, parent in ((b, a), (c, b)):
            shown = self.show("alice", job)
            self.assertEqual((shown["state"], shown["reason"]), ("CANCELLED", "DependencyNeverSatisfied"))
            self.assertIn("afterok:" + parent, shown["reasonText"])
            self.assertEqual(self.wait("alice", job), 125)
        self.assertEqual(self.balance("lab")["committed"], before)
        fails = self.submit("alice", "--dependency", "afternotok:" + a, "--tier", "cpu", "--", "true")
        self.assertEqual(self.wait("alice", fails), 0)

    def test_a_child_waits_names_its_parent_and_runs(self):
        parent = self.submit("alice", "--tier", "cpu", "--", "sh", "-c", "while [ ! -e $0 ]; do sleep 0.1; done",
                             os.path.join(self.lab.root, "go"))
        child = self.submit("alice", "--tier", "cpu", "--dependency", "afterok:" + parent, "--", "true")
        kept = self.submit("alice", "--tier", "cpu", "--keep-on-invalid-dep", "--dependency", "afternotok:" + parent,
                           "--", "true")
        why = self.ok("alice", "why", child)
        self.assertIn("Dependency", why)
        self.assertIn("job " + parent, why)
        self.assertEqual(self.show("alice", child)["waitsOn"], "afterok:" + parent)
        row = next(j for j in self.json("alice", "ls")["jobs"] if j["id"] == child)
        self.assertEqual((row["state"], row["reason"], row["position"]), ("PENDING", "Dependency", 0))
        with open(os.path.join(self.lab.root, "go"), "w"):
            pass
        self.assertEqual(self.wait("alice", child), 0)
        self.until(lambda: "can no longer be met" in self.show("alice", kept)["reasonText"], "the dependency to be lost")
        self.assertEqual(self.state("alice", kept), "PENDING")
        self.ok("alice", "edit", kept, "--dependency", "afterok:" + child)
        self.assertEqual(self.wait("alice", kept), 0)

    def test_c05_rings_are_refused_and_spelled_out(self):
        path = self.file("".join(
            f'[[job]]\nref = "{ref}"\ntier = "cpu"\ncommand = ["true"]\ndependency = "afterok:@{to}"\n'
            for ref, to in (("a", "b"), ("b", "c"), ("c", "a"))))
        before = len(self.json("alice", "ls", "-a")["jobs"])
        code, out, err = self.pinka("alice", "submit", "--jobs", path)
        self.assertNotEqual(code, 0)
        self.assertIn("@a → @b → @c → @a", err)
        self.assertEqual(len(self.json("alice", "ls", "-a")["jobs"]), before)
        a = self.submit("alice", "--tier", "cpu", "--begin", "now+1h", "--", "true")
        b = self.submit("alice", "--tier", "cpu", "--dependency", "afterok:" + a, "--", "true")
        code, _, err = self.pinka("alice", "edit", a, "--dependency", "afterany:" + b)
        self.assertNotEqual(code, 0)
        self.assertIn(f"{a} → {b} → {a}", err)
        self.assertEqual(self.pinka("alice", "submit", "--tier", "cpu", "--dependency", "afterok:999999", "--", "true")[0], 4)
        self.ok("alice", "cancel", a, b, "-y")

    def test_a_file_of_jobs_is_one_request(self):
        path = self.file("""
[[job]]
ref = "prep"
tier = "cpu"
command = ["sh", "-c", "echo prepared"]

[[job]]
ref = "train"
name = "训练"
tier = "t4"
time = "10m"
array = "0-1"
dependency = "afterok:@prep"
env = {SEED = "7"}
command = ["sh", "-c", "echo seed $SEED"]

[[job]]
ref = "sum"
tier = "cpu"
dependency = "aftercorr:@train"
array = "0-1"
command = ["true"]
""")
        answer = json.loads(self.ok("王芳", "submit", "--jobs", path, "--json"))
        refs = {job["ref"]: job["jobId"] for job in answer["jobs"]}
        self.assertEqual(set(refs), {"prep", "train", "sum"})
        self.assertEqual(self.wait("王芳", refs["sum"]), 0)
        shown = self.show("王芳", refs["train"])
        self.assertEqual((shown["state"], shown["name"], shown["dependency"]),
                         ("COMPLETED", "训练", "afterok:" + refs["prep"]))
        self.assertEqual(self.ok("王芳", "logs", refs["train"] + "_1").strip(), "seed 7")
        text = self.ok("王芳", "submit", "--jobs", path, "--wait")
        self.assertRegex(text, r"(?m)^prep: Submitted job \d+$")
        code, _, err = self.pinka("王芳", "submit", "--jobs", self.file("[[job]]\ncommand = [\"true\"]\nteir = \"cpu\"\n"))
        self.assertEqual(code, 2)
        self.assertIn("jobs.toml:3: no key teir of a job; did you mean tier?", err)

    def test_begin_deadline_and_night(self):
        job = self.submit("bob", "--tier", "cpu", "--begin", "now+3s", "--", "true")
        shown = self.show("bob", job)
        self.assertEqual((shown["state"], shown["reason"]), ("PENDING", "BeginTime"))
        self.assertEqual(self.wait("bob", job), 0)
        ordered = self.show("bob", job)["tasks"][0]["attempts"][0]["orderedAt"]
        self.assertGreaterEqual(instant(ordered), instant(shown["beginAt"]))
        code, _, err = self.pinka("bob", "submit", "--tier", "cpu", "--time", "10m", "--deadline", "now+5m", "--", "true")
        self.assertNotEqual(code, 0)
        self.assertIn("deadline", err)
        gate = self.submit("bob", "--tier", "cpu", "--begin", "now+1h", "--", "true")
        late = self.submit("bob", "--tier", "cpu", "--time", "1s", "--deadline", "now+4s",
                           "--dependency", "afterok:" + gate, "--", "true")
        self.assertEqual(self.wait("bob", late), 125)
        self.assertEqual(self.state("bob", late), "DEADLINE")
        self.ok("bob", "cancel", gate)
        night = self.submit("bob", "--tier", "cpu", "--night", "--", "true")
        hour = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=8)).hour
        if 8 <= hour < 22:
            self.assertEqual(self.show("bob", night)["reason"], "NightWindow")
            self.assertRegex(self.ok("bob", "why", night), r"nights only, the next from .*T15:00:00Z")
        elif hour < 7 or hour == 23:
            self.assertEqual(self.wait("bob", night), 0)
        self.ok("bob", "cancel", night)

    def test_edit_moves_a_waiting_job_to_another_tier(self):
        job = self.submit("carol", "--tier", "a100-80", "--time", "1h", "--begin", "now+1h", "--", "true")
        self.assertIn("in tier cpu", self.ok("carol", "edit", job, "--tier", "cpu"))
        shown = self.show("carol", job)
        self.assertEqual((shown["tier"], shown["gpus"], shown["cpus"]), ("cpu", 0, 1))
        code, _, err = self.pinka("carol", "edit", job, "--tier", "gpu")
        self.assertEqual(code, 4, err)
        self.ok("carol", "cancel", job)

    def test_waiting_jobs_survive_a_restart(self):
        parent = self.submit("alice", "--tier", "cpu", "--begin", "now+1h", "--", "true")
        child = self.submit("alice", "--tier", "cpu", "--dependency", "after:" + parent + "+1m", "--", "true")
        self.lab.down()
        self.lab.up()
        self.until(lambda: self.lab.ready_nodes() >= 3, "the agents")
        self.assertEqual(self.show("alice", child)["waitsOn"], "after:" + parent + "+1m")
        self.ok("alice", "cancel", parent)
        self.until(lambda: self.state("alice", child) == "CANCELLED", "the child to follow")


if __name__ == "__main__":
    main()
