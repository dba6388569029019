"""Files that go along with jobs, stay after them, and carry them from node to node."""

import json
import os
import shutil
import signal
import subprocess

from lab import BIN, DEADLINE, LabTest, main

HELPER = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../client/python/pinka_checkpoint.py")


class WithFiles(LabTest):
    def directory(self, name, **files):
        """A fresh directory with these files; job scripts are in it."""
        path = os.path.join(self.lab.root, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        for file, text in files.items():
            with open(os.path.join(path, file.replace("__", ".")), "w") as out:
                out.write(text)
        return path

    def submit_from(self, directory, user, *args):
        code, out, err = self.pinka(user, "submit", "-q", *args, cwd=directory,
                                    env={"PINKA_WORKDIR": ""})
        self.assertEqual(code, 0, err)
        return out.decode().strip()

    def refused_from(self, directory, user, *args):
        code, out, err = self.pinka(user, "submit", "-q", *args, cwd=directory,
                                    env={"PINKA_WORKDIR": ""})
        self.assertNotEqual(code, 0)
        self.assertEqual(out, b"")
        return code, err


class Code(WithFiles):
    shape = {"cpu": 4, "t4": 1, "a100": 1}

    def git(self, directory, *args):
        env = self.environment(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
        subprocess.run(["git", *args], cwd=directory, env=env, check=True, capture_output=True)

    def repository(self):
        top = self.directory("repository", train__py="print('as it was submitted')\n",
                             __gitignore="data/\n*.log\n")
        os.makedirs(os.path.join(top, "experiments", "first"))
        os.makedirs(os.path.join(top, "data"))
        for name in ("experiments/first/run.sh", "data/huge.bin", "notes.log"):
            with open(os.path.join(top, name), "w") as out:
                out.write("echo hello\n")
        self.git(top, "init", "-q")
        self.git(top, "add", "train.py", ".gitignore")
        return top

    def test_what_git_sees_goes_along_and_edits_do_not_reach_it(self):
        top = self.repository()
        below = os.path.join(top, "experiments", "first")
        gate = os.path.join(self.lab.root, "gate")
        job = self.submit_from(below, "alice", "--tier", "cpu", "--", "sh", "-c",
                               f"while [ ! -e {gate} ]; do sleep 0.1; done; pwd; ls; "
                               "cd ../..; find . -type f | sort; cat train.py")
        self.until(lambda: self.show("alice", job)["state"] == "RUNNING", "it to run")
        with open(os.path.join(top, "train.py"), "w") as out:
            out.write("print('edited')\n")
        open(gate, "w").close()
        self.assertEqual(self.wait("alice", job), 0)
        lines = self.logs("alice", job).decode().split("\n")
        self.assertTrue(lines[0].endswith("/code/experiments/first"), lines[0])
        self.assertEqual(lines[1], "run.sh")
        self.assertEqual(lines[2:5], ["./.gitignore", "./experiments/first/run.sh", "./train.py"])
        self.assertEqual(lines[5], "print('as it was submitted')")

    def test_the_same_content_has_the_same_hash_and_any_change_another(self):
        plain = self.directory("plain", main__py="print(1)\n")
        first = self.submit_from(plain, "alice", "--tier", "cpu", "--", "python3", "main.py")
        again = self.submit_from(plain, "alice", "--tier", "cpu", "--", "python3", "main.py", "x")
        with open(os.path.join(plain, "main.py"), "a") as out:
            out.write("print(2)\n")
        other = self.submit_from(plain, "alice", "--tier", "cpu", "--", "python3", "main.py")
        for job in (first, again, other):
            self.assertEqual(self.wait("alice", job), 0)
        codes = [self.show("alice", job)["code"] for job in (first, again, other)]
        self.assertEqual(len(codes[0]), 64)
        self.assertEqual(codes[0], codes[1])
        self.assertNotEqual(codes[0], codes[2])
        self.assertEqual(self.logs("alice", first), b"1\n")
        self.assertEqual(self.logs("alice", other), b"1\n2\n")
        target = os.path.join(self.lab.root, "fetched")
        os.makedirs(target, exist_ok=True)
        self.ok("alice", "cp", "--code", other + ":main.py", target)
        with open(os.path.join(target, "main.py")) as file:
            self.assertEqual(file.read(), "print(1)\nprint(2)\n")

    def test_it_runs_again_as_it_was(self):
        plain = self.directory("again", main__py="print('first')\n")
        job = self.submit_from(plain, "alice", "--tier", "cpu", "--", "python3", "main.py")
        self.assertEqual(self.wait("alice", job), 0)
        shutil.rmtree(plain)
        again = self.ok("alice", "resubmit", "-q", job).strip()
        self.assertEqual(self.wait("alice", again), 0)
        self.assertEqual(self.logs("alice", again), b"first\n")

    def test_an_array_shares_it(self):
        plain = self.directory("array", main__py="import os; print(os.environ['PINKA_ARRAY_INDEX'])\n")
        job = self.submit_from(plain, "alice", "--tier", "cpu", "--array", "0-7", "--",
                               "python3", "main.py")
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(self.logs("alice", job + "_7"), b"7\n")

    def test_too_much_is_refused_with_the_largest_file(self):
        plain = self.directory("large")
        with open(os.path.join(plain, "weights.bin"), "wb") as out:
            out.truncate(30 << 20)
        code, err = self.refused_from(plain, "alice", "--tier", "cpu", "--", "true")
        self.assertEqual(code, 3)
        self.assertIn("weights.bin (30 MiB)", err)
        self.assertIn("--workdir none", err)
        many = self.directory("many")
        for n in range(2001):
            open(os.path.join(many, str(n)), "w").close()
        code, err = self.refused_from(many, "alice", "--tier", "cpu", "--", "true")
        self.assertEqual(code, 3)
        self.assertIn("2000 files", err)

    def test_home_does_not_go_along(self):
        code, err = self.refused_from(self.lab.home, "alice", "--tier", "cpu", "--", "true")
        self.assertEqual(code, 2)
        self.assertIn("home directory", err)

    def test_none_and_chdir_start_elsewhere(self):
        plain = self.directory("none", main__py="x\n")
        job = self.submit_from(plain, "alice", "--tier", "cpu", "--workdir", "none", "--", "ls")
        there = self.submit_from(plain, "alice", "--tier", "cpu", "--chdir", "/", "--", "pwd")
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(self.logs("alice", job), b"")
        self.assertEqual(self.wait("alice", there), 0)
        self.assertEqual(self.logs("alice", there), b"/\n")
        code, _ = self.refused_from(plain, "alice", "--workdir", ".", "--chdir", "/", "--", "true")
        self.assertEqual(code, 2)


class Outputs(WithFiles):
    shape = {"cpu": 4, "t4": 1, "a100": 1}

    def test_it_is_kept_also_on_failure(self):
        script = ("mkdir -p \"$PINKA_OUTPUT_DIR/模型/$(printf 'a\\nb')\"; cd \"$PINKA_OUTPUT_DIR\"; "
                  "echo weights > 模型/权重.bin; echo odd > \"模型/$(printf 'a\\nb')/x\"; "
                  "ln -s /etc/passwd out; ln -s 模型 in; mkfifo pipe; exit 3")
        job = self.submit("alice", "--tier", "cpu", "--", "sh", "-c", script)
        self.assertEqual(self.wait("alice", job), 3)
        listed = self.json("alice", "files", job)
        paths = [file["path"] for file in listed["files"]]
        self.assertEqual(paths, ["in", "out", "模型", "模型/a\nb", "模型/a\nb/x", "模型/权重.bin"])
        self.assertIn("权重.bin", self.ok("alice", "files", job))
        target = os.path.join(self.lab.root, "results")
        os.makedirs(target)
        code, _, err = self.pinka("alice", "cp", job + ":", target)
        self.assertEqual(code, 0, err)
        self.assertIn("left out 1 link", err)
        self.assertEqual(os.readlink(os.path.join(target, "in")), "模型")
        self.assertFalse(os.path.lexists(os.path.join(target, "out")))
        with open(os.path.join(target, "模型", "a\nb", "x")) as file:
            self.assertEqual(file.read(), "odd\n")
        self.ok("alice", "cp", job + ":模型/权重.bin", os.path.join(target, "renamed"))
        with open(os.path.join(target, "renamed")) as file:
            self.assertEqual(file.read(), "weights\n")
        code, _, err = self.pinka("alice", "cp", job + ":模型/权重.bin", os.path.join(target, "renamed"))
        self.assertEqual(code, 1)
        self.assertIn("not replaced", err)
        code, _, _ = self.pinka("alice", "cp", job + ":no/such", target)
        self.assertEqual(code, 4)
        code, _, _ = self.pinka("alice", "cp", job + ":../secret", target)
        self.assertEqual(code, 2)

    def test_it_is_its_owners(self):
        job = self.submit("alice", "--tier", "cpu", "--", "sh", "-c", "echo x > $PINKA_OUTPUT_DIR/x")
        self.assertEqual(self.wait("alice", job), 0)
        code, _, err = self.pinka("bob", "files", job)
        self.assertEqual(code, 4)
        self.assertIn("no such job", err)

    def test_jobs_hand_on_through_the_shared_directory(self):
        first = self.submit("alice", "--tier", "cpu", "--", "sh", "-c", "echo done > $PINKA_SHARED_DIR/data")
        second = self.submit("alice", "--tier", "t4", "--dependency", "afterok:" + first, "--", "sh", "-c",
                             "cat $PINKA_SHARED_DIR/data")
        self.assertEqual(self.wait("alice", second), 0)
        self.assertEqual(self.logs("alice", second), b"done\n")

    def test_nothing_written_is_nothing_kept(self):
        job = self.submit("alice", "--tier", "cpu", "--", "true")
        self.assertEqual(self.wait("alice", job), 0)
        code, _, err = self.pinka("alice", "files", job)
        self.assertEqual(code, 4)
        self.assertIn("PINKA_OUTPUT_DIR", err)

    def test_ten_thousand_files(self):
        job = self.submit("alice", "--tier", "cpu", "--", "sh", "-c",
                          "cd $PINKA_OUTPUT_DIR; seq 10000 | split -l 1 -a 4 - part-")
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(len(self.json("alice", "files", job)["files"]), 10000)


TRAIN = """
import os, sys, time, pinka_checkpoint
checkpoints = pinka_checkpoint.Checkpoints()
found = checkpoints.newest()
start = found.step if found else 0
state = open(found.path("state")).read() if found else "nothing"
print("start", start, state, "restart", os.environ["PINKA_RESTART_COUNT"], flush=True)
last, wait_at = int(sys.argv[1]), int(sys.argv[2])
for step in range(start + 1, last + 1):
    with checkpoints.saving(step) as folder:
        open(os.path.join(folder, "state"), "w").write("state of %d" % step)
    if step == wait_at:
        while not checkpoints.should_stop():
            time.sleep(0.02)
    if checkpoints.should_stop() or (len(sys.argv) > 3 and step % int(sys.argv[3]) == 0 and step < last):
        checkpoints.leave()
print("done", flush=True)
"""


class Checkpoints(WithFiles):
    shape = {"cpu": 4, "t4": 1, "a100": 1}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.agents = {}

    @classmethod
    def tearDownClass(cls):
        for agent in cls.agents.values():
            if agent.poll() is None:
                agent.kill()
                agent.wait()
        super().tearDownClass()

    def training(self):
        path = self.directory("training", train__py=TRAIN)
        shutil.copy(HELPER, path)
        return path

    def attempts(self, user, job):
        return self.show(user, job)["tasks"][0].get("attempts", [])

    def kept(self, user, job, generation):
        def found():
            attempts = self.attempts(user, job)
            return attempts and str(generation) in attempts[-1].get("checkpoints", [])
        self.until(found, f"generation {generation} of job {job} to be kept")

    def test_exit_85_goes_on_from_what_was_saved(self):
        job = self.submit_from(self.training(), "alice", "--tier", "cpu", "--",
                               "python3", "train.py", "9", "0", "3")
        self.assertEqual(self.wait("alice", job), 0)
        attempts = self.attempts("alice", job)
        self.assertEqual([a["endReason"] for a in attempts], ["RunAgain", "RunAgain", "Exited"])
        self.assertEqual(self.ok("alice", "logs", job, "--attempt", "2"),
                         "start 3 state of 3 restart 1\n")
        self.assertEqual(self.logs("alice", job), b"start 6 state of 6 restart 2\ndone\n")

    def test_exit_85_without_a_checkpoint_is_a_failure(self):
        job = self.submit("alice", "--tier", "cpu", "--", "sh", "-c", "exit 85")
        self.assertEqual(self.wait("alice", job), 85)
        attempts = self.attempts("alice", job)
        self.assertEqual(len(attempts), 1)
        self.assertIn("new checkpoint generation", attempts[0]["message"])

    def test_what_is_half_written_is_never_restored(self):
        script = ("cd $PINKA_CHECKPOINT_DIR; ls; if [ -d gen-00000001 ]; then cat gen-00000001/state; exit; fi; "
                  "mkdir t; echo good > t/state; mv t gen-1; mkdir gen-2.part; echo half > gen-2.part/state; "
                  "touch gen-3; exit 85")
        job = self.submit("alice", "--tier", "cpu", "--", "sh", "-c", script)
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(self.logs("alice", job), b"gen-00000001\ngood\n")

    def test_an_admins_cancel_is_split_at_the_checkpoint(self):
        job = self.submit_from(self.training(), "alice", "--tier", "t4", "--",
                               "python3", "train.py", "9", "4")
        self.kept("alice", job, 4)
        self.ok(None, "cancel", job)
        self.wait("alice", job)
        attempt = self.attempts("alice", job)[0]
        self.assertEqual(attempt["endReason"], "CancelledByAdmin")
        saved, all_of_it = int(attempt["checkpointMs"]), int(attempt["meteredMs"])
        self.assertTrue(0 < saved < all_of_it, attempt)
        amounts = {p["payer"]: float(p["amount"]) for p in attempt["payers"]}
        self.assertAlmostEqual(amounts["alice"], 2.0 * saved / 3_600_000, places=5)
        self.assertAlmostEqual(amounts["lab"], 2.0 * (all_of_it - saved) / 3_600_000, places=5)

    # --- two nodes -------------------------------------------------------------------------------

    def node(self, name):
        token = os.path.join(self.lab.root, name + ".token")
        if not os.path.exists(token):
            with open(token, "w") as out:
                out.write(self.admin("admin", "node", "join-token", name, "--tier", "a100-80", "-q"))
        self.agents[name] = subprocess.Popen(
            [BIN + "/pinka-agent", "--server", self.lab.address, "--token-file", token, "--name", name,
             "--tier", "a100-80", "--simulate-gpus", "a100:1", "--state-dir",
             os.path.join(self.lab.root, name)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.lab.log)
        self.until(lambda: self.state_of(name) == "READY", f"node {name}")

    def state_of(self, name):
        nodes = json.loads(self.admin("nodes", "--json"))["nodes"]
        return next((n["state"] for n in nodes if n["name"] == name), "")

    def kill_node(self, name):
        """The machine is gone: agent, supervisor and job at once."""
        self.agents[name].kill()
        self.agents[name].wait()
        home = os.path.join(self.lab.root, name).encode()
        for pid in os.listdir("/proc"):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    ours = home in f.read()
                with open(f"/proc/{pid}/environ", "rb") as f:
                    ours = ours or home in f.read()
            except OSError:
                continue
            if ours and int(pid) != os.getpid():
                os.kill(int(pid), signal.SIGKILL)

    def test_another_node_goes_on_where_a_lost_one_was(self):
        for node in json.loads(self.admin("nodes", "--json"))["nodes"]:
            if node["tier"] == "a100-80":
                self.admin("admin", "node", "drain", node["name"])
        self.node("box-a")
        job = self.submit_from(self.training(), "alice", "--tier", "a100-80", "--",
                               "python3", "train.py", "9", "5")
        self.kept("alice", job, 5)
        self.node("box-b")
        self.kill_node("box-a")
        self.admin("admin", "node", "rm", "box-a", "--dead", "-y")
        self.until(lambda: len(self.attempts("alice", job)) == 2, "a second attempt")
        self.assertEqual(self.wait("alice", job), 0)
        first, second = self.attempts("alice", job)
        self.assertEqual((first["node"], second["node"]), ("box-a", "box-b"))
        self.assertEqual(first["endReason"], "NodeLost")
        self.assertEqual(self.logs("alice", job), b"start 5 state of 5 restart 1\ndone\n")


del LabTest, WithFiles  # not tests of their own

if __name__ == "__main__":
    main()
