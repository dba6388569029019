"""A spot machine is taken away in the middle of a training; it goes on elsewhere, to the same loss.

The provider's metadata service is a local server that answers as the real one does; the training is the
example's, with the helper that saves generations.
"""

import json
import os
import re
import shutil
import subprocess
import sys

from lab import BIN, LabTest, main

HERE = os.path.dirname(os.path.abspath(__file__))
PIPELINE = os.path.join(HERE, "../../deploy/examples/pipeline")
HELPER = os.path.join(HERE, "../../client/python/pinka_checkpoint.py")
METADATA = os.path.join(HERE, "../support/metadata.py")
TRAIN = "python3 train.py --data data --steps {steps} --checkpoint-every 0.5 --result result.json && cat result.json"


class Spot(LabTest):
    shape = {"cpu": 4, "t4": 1, "a100": 1}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.running = []
        prices = os.path.join(cls.lab.root, "prices.toml")
        with open(prices, "w") as out:
            out.write('[[tier]]\nname = "a100-80"\nrates = {spot = "4.00"}\n')
        cls.lab.admin("admin", "apply", prices, "-y")
        cls.code = os.path.join(cls.lab.root, "code")
        shutil.copytree(PIPELINE, cls.code, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(HELPER, cls.code)
        subprocess.run([sys.executable, "preprocess.py", "--out", "data"], cwd=cls.code, check=True,
                       capture_output=True)

    @classmethod
    def tearDownClass(cls):
        for process in cls.running:
            process.terminate()
            process.wait()
            if process.stdout:
                process.stdout.close()
        super().tearDownClass()

    def metadata(self, service, name):
        """The provider's service; takes the machine back once the returned file exists."""
        notice = os.path.join(self.lab.root, name + ".notice")
        server = subprocess.Popen([sys.executable, METADATA, service, "--notice-file", notice],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.running.append(server)
        port = re.match(rb"port (\d+)", server.stdout.readline()).group(1).decode()
        return f"http://127.0.0.1:{port}", notice

    def node(self, name, source, *options):
        token = os.path.join(self.lab.root, name + ".token")
        with open(token, "w") as out:
            out.write(self.admin("admin", "node", "join-token", name, "--tier", "a100-80", "--source", source, "-q"))
        agent = subprocess.Popen(
            [BIN + "/pinka-agent", "--server", self.lab.address, "--token-file", token, "--name", name,
             "--tier", "a100-80", "--simulate-gpus", "a100:1", "--state-dir", os.path.join(self.lab.root, name), *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.lab.log)
        self.running.append(agent)
        self.until(lambda: self.state_of(name)["state"] == "READY", f"node {name}")
        self.addCleanup(self.admin, "admin", "node", "drain", name)  # the next test has its own

    def state_of(self, name):
        nodes = json.loads(self.admin("nodes", "--json"))["nodes"]
        return next((n for n in nodes if n["name"] == name), {"state": ""})

    def train(self, steps, *options):
        code, out, err = self.pinka("alice", "submit", "-q", "--tier", "a100-80", *options, "--",
                                    "sh", "-c", TRAIN.format(steps=steps), cwd=self.code, env={"PINKA_WORKDIR": ""})
        self.assertEqual(code, 0, err)
        return out.decode().strip()

    def attempts(self, job):
        return self.show("alice", job)["tasks"][0].get("attempts", [])

    def kept(self, job, attempt=1):
        """A generation of the attempt is in the store."""
        def found():
            tries = self.attempts(job)
            return len(tries) >= attempt and tries[attempt - 1].get("checkpoints")
        return self.until(found, f"a generation of job {job}, attempt {attempt}")

    def result(self, job):
        """Loss and all, as printed at the end, with every digit."""
        self.assertEqual(self.wait("alice", job), 0, self.logs("alice", job))
        return json.loads(self.logs("alice", job).decode().splitlines()[-1])

    def assert_split(self, attempt):
        """The member pays up to the newest generation, the lab what was lost after it."""
        saved, all_of_it = int(attempt["checkpointMs"]), int(attempt["meteredMs"])
        self.assertTrue(0 < saved <= all_of_it, attempt)
        rate = float(attempt["rate"])
        amounts = {p["payer"]: float(p["amount"]) for p in attempt["payers"]}
        self.assertAlmostEqual(amounts["alice"], rate * saved / 3_600_000, places=5)
        if all_of_it > saved:
            self.assertAlmostEqual(amounts["lab"], rate * (all_of_it - saved) / 3_600_000, places=5)

    def assert_reported(self, attempt):
        """By member, node and provider: what was lost is what show says."""
        lost = int(attempt["meteredMs"]) - int(attempt["checkpointMs"])
        cost = round(float(attempt["rate"]) * lost / 3_600_000, 6)
        for by, key in (("node", attempt["node"]), ("member", "alice"), ("provider", "")):
            answer = json.loads(self.ok(None, "lost", "--by", by, "--json"))
            row = next(r for r in answer["rows"] if r.get("key", "") == key)
            if by == "node":
                self.assertEqual((row["attempts"], row["reclaims"], row["lostMs"], row["unsaved"]), (1, 1, str(lost), 0))
                self.assertAlmostEqual(float(row["amount"]), cost, places=5)
            self.assertIn(key or "-", self.ok("alice", "lost", "--by", by))
        code, _, err = self.pinka("alice", "lost", "--by", "moon")
        self.assertEqual(code, 2, err)

    def test_the_loss_is_the_same_as_undisturbed(self):
        url, notice = self.metadata("aws", "taken")
        sure = next(n["name"] for n in self.json(None, "nodes")["nodes"] if n["tier"] == "a100-80")
        steps = 7000  # long enough for the agent to ask the provider
        undisturbed = self.result(self.train(steps, "--source", "on_demand"))
        self.node("taken", "spot", "--spot-notice", "aws", "--metadata-url", url)
        job = self.train(steps)
        self.until(lambda: self.attempts(job), "a first attempt")
        self.assertEqual(self.attempts(job)[0]["source"], "spot", "the cheaper machine")
        self.kept(job)
        with open(notice, "w") as out:
            out.write("25")
        self.until(lambda: len(self.attempts(job)) == 2, "a second attempt")
        self.assertIn("its provider takes it away", json.dumps(self.state_of("taken")))
        disturbed = self.result(job)
        self.assertEqual(disturbed, undisturbed, "to the last digit")
        first, second = self.attempts(job)
        self.assertEqual((first["node"], first["endReason"]), ("taken", "SpotReclaim"))
        self.assertEqual((second["node"], second["endReason"]), (sure, "Exited"))
        self.assertIn(b"resumed at step", self.logs("alice", job))
        self.assert_split(first)
        self.assertEqual([p["payer"] for p in second["payers"]], ["alice"])
        shown = self.ok("alice", "show", job)
        self.assertIn("SpotReclaim", shown)
        self.assertRegex(shown, r"Saved +generation \d+ after ")
        self.assert_reported(first)
        # The provider thought better of it: the machine takes work again, by itself.
        os.remove(notice)
        self.until(lambda: self.state_of("taken")["state"] == "READY" and not self.state_of("taken").get("reason"),
                   "the machine to take work again")

    def test_a_played_reclaim_is_as_good(self):
        self.node("play-1", "spot")
        job = self.train(2000, "--source", "spot")
        self.kept(job)
        where = self.attempts(job)[0]["node"]
        self.node("play-2", "spot")
        code, _, err = self.pinka(None, "admin", "node", "reclaim", where)
        self.assertEqual(code, 2)
        self.assertIn("--test", err)
        self.assertIn("resume", self.admin("admin", "node", "reclaim", where, "--test"))
        self.result(job)
        first, second = self.attempts(job)
        self.assertEqual(first["endReason"], "SpotReclaim")
        self.assertNotEqual(second["node"], where)
        self.assert_split(first)
        code, _, err = self.pinka(None, "admin", "node", "reclaim", where, "--test")
        self.assertEqual(code, 4 if "no such" in err else code)
        self.assertIn("nothing runs on", err)


del LabTest  # not a test of its own

if __name__ == "__main__":
    main()
