"""Boxes with real cards, played by stand-ins for nvidia-smi: C64 C66 C67 C71 C74. Agents join from
beside `pinkad up`, are quarantined, verified, and lose one card of eight."""

import glob
import os
import signal
import subprocess

from lab import BIN, LabTest, main

SMI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/smi")


class Box:
    """One agent with a stand-in that can be changed while it runs."""

    def __init__(self, lab, name, tier, plays, *options):
        self.lab, self.name = lab, name
        self.dir = os.path.join(lab.root, "box-" + name)
        os.makedirs(self.dir, exist_ok=True)
        self.script = os.path.join(self.dir, "plays")
        self.play(plays)
        token = os.path.join(self.dir, "token")
        with open(token, "w") as f:
            f.write(lab.admin("admin", "node", "join-token", name, "--tier", tier, "-q"))
        self.argv = [BIN + "/pinka-agent", "--server", lab.address, "--token-file", token, "--name", name,
                     "--tier", tier, "--state-dir", self.dir + "/state", "--check-every", "1s",
                     "--nvidia-smi", os.path.join(SMI, "scripted"), *options]
        self.start()

    def play(self, plays):
        with open(self.script + ".new", "w") as f:
            f.write(os.path.join(SMI, plays))
        os.rename(self.script + ".new", self.script)

    def start(self):
        with open(self.dir + "/log", "ab") as log:
            self.process = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=self.lab.environment(SMI_SCRIPT=self.script))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.lab.admin("admin", "node", "rm", self.name, "--dead", "-y")

    def node(self):
        nodes = self.lab.json(None, "nodes")["nodes"]
        return next((n for n in nodes if n["name"] == self.name), {"state": "", "reason": ""})

    def becomes(self, state, reason=""):
        def there():
            node = self.node()
            return node["state"] == state and reason in node["reason"] and node
        try:
            return self.lab.until(there, f"{self.name} to be {state}")
        except AssertionError as error:
            with open(self.dir + "/log") as log:
                raise AssertionError(f"{error}\n{self.node()}\n{log.read()[-2000:]}") from None


TIERS = """
[[tier]]
name = "h100"
unit = {gpus = 1, cpus = 1, memory = "1G"}
rates = {on_demand = "30.00"}

[[tier]]
name = "big"
unit = {gpus = 1, cpus = 1, memory = "1G"}
rates = {on_demand = "9.00"}

[[tier]]
name = "small"
unit = {gpus = 1, cpus = 1, memory = "1G"}
rates = {on_demand = "2.00"}
"""


class Hardware(LabTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tiers = os.path.join(cls.lab.root, "tiers.toml")
        with open(tiers, "w") as f:
            f.write(TIERS)
        cls.lab.admin("admin", "apply", tiers, "-y")

    def box(self, *args):
        box = Box(self.lab, *args)
        self.addCleanup(box.stop)
        return box

    def test_c71_a_wrong_card_is_quarantined_with_evidence(self):
        box = self.box("wrong", "a100-80", "a800-among-a100")
        node = box.becomes("QUARANTINED", "GPU 1 of 3: claimed is a100-80, delivered is NVIDIA A800-SXM4-80GB")
        self.assertEqual(node["gpus"], 3)
        code, out, _ = self.pinka(None, "admin", "node", "verify", "wrong")
        self.assertEqual(code, 1)
        self.assertIn("MISMATCH", out.decode())
        self.assertIn("<product_name>NVIDIA A800-SXM4-80GB</product_name>", out.decode())
        box.play("a100-80")
        code, out, err = self.pinka(None, "admin", "node", "verify", "wrong")
        self.assertEqual(code, 0, out.decode() + err)
        self.assertEqual(box.node()["state"], "READY")

    def test_c74_a_slice_is_no_card(self):
        box = self.box("slice", "a100-80", "a100-dual-core")
        box.becomes("QUARANTINED", "a slice of one A100X board")

    def test_c64_c67_a_driver_that_fails_or_hangs_comes_back(self):
        box = self.box("flaky", "small", "old-driver", "--claim", "t4")
        box.becomes("READY")
        job = self.submit("alice", "--tier", "small", "--", "true")
        self.assertEqual(self.wait("alice", job), 0)
        box.play("no-driver")
        box.becomes("QUARANTINED", "the driver is not loaded")
        box.play("old-driver")
        box.becomes("READY")

    def test_c66_one_card_of_eight_is_lost(self):
        box = self.box("eight", "h100", "eight-h100")
        box.becomes("READY")
        jobs = [self.submit("alice", "--tier", "h100", "--time", "10m", "--", "sh", "-c",
                            "echo $PINKA_GPU_UUIDS; echo $CUDA_VISIBLE_DEVICES; exec sleep 600") for _ in range(8)]
        for job in jobs:
            self.until(lambda: self.show("alice", job)["state"] == "RUNNING", f"job {job} to run")
        uuids = {}
        for job in jobs:
            self.until(lambda: len(self.logs("alice", job).split()) == 2, f"the log of {job}")
            uuid, index = self.logs("alice", job).decode().split()
            uuids[uuid] = job
            self.assertEqual(int(uuid[-2:], 16), int(index) + 1)  # the stand-in numbers them so
        self.assertEqual(len(uuids), 8)
        box.play("lost-one-of-eight")
        node = self.until(lambda: box.node()["reason"] and box.node(), "the lost card")
        self.assertEqual((node["state"], node["gpus"]), ("READY", 8))
        self.assertIn("1 of 8 cards out of use", node["reason"])
        sick = next(u for u in uuids if u.endswith("06"))
        self.until(lambda: self.show("alice", uuids[sick])["state"] == "PENDING", "its job to wait again")
        attempts = self.show("alice", uuids[sick])["tasks"][0]["attempts"]
        attempt = next(a for a in attempts if a["state"] == "ENDED")
        self.assertEqual(attempt["endReason"], "HardwareLost")
        self.assertEqual(attempt["charged"], "0.000000")
        for uuid, job in uuids.items():
            if uuid != sick:
                self.assertEqual(self.show("alice", job)["state"], "RUNNING")
        for job in jobs:
            self.ok("alice", "cancel", job)
            self.wait("alice", job)

    def test_c73_a_job_waits_for_a_driver_that_serves_its_cuda(self):
        old = self.box("old", "small", "old-driver", "--claim", "t4")
        old.becomes("READY")
        job = self.submit("alice", "--tier", "small", "--need-cuda", "12.4", "--", "true")
        self.until(lambda: "needs CUDA 12.4; old offers 10.1" in self.ok("alice", "why", job), "the reason")
        self.assertIn("What would change it: a newer driver", self.ok("alice", "why", job))
        self.assertIn("12.4 or newer", self.ok("alice", "show", job))
        new = self.box("new", "small", "a100-80", "--claim", "a100-80")
        new.becomes("READY")
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(self.show("alice", job)["tasks"][0]["attempts"][0]["node"], "new")
        again = self.ok("alice", "resubmit", "-q", job).strip()
        self.assertEqual(self.show("alice", again)["needCuda"], "12.4")
        code, _, err = self.pinka("alice", "submit", "--tier", "small", "--need-cuda", "newest", "--", "true")
        self.assertEqual(code, 2, err)

    def test_what_a_run_took_of_a_card_is_known_afterwards(self):
        box = self.box("measured", "big", "a100-80", "--claim", "a100-80")
        box.becomes("READY")
        go = os.path.join(self.lab.root, "go")
        command = ["sh", "-c", f"while [ ! -e {go} ]; do sleep 0.1; done"]
        job = self.submit("alice", "--tier", "big", "--name", "train", "--", *command)
        self.until(lambda: glob.glob(box.dir + "/state/attempts/*/*/card"), "the agent to have asked")
        open(go, "w").close()
        self.assertEqual(self.wait("alice", job), 0)
        attempt = self.show("alice", job)["tasks"][0]["attempts"][0]
        self.assertEqual(attempt["peakGpuMemoryBytes"], str(17408 << 20))
        self.assertIn("17G of a card", self.ok("alice", "show", job))
        advice = self.ok("alice", "advise", "vram", "--job", job, "--card", "t4", "--card", "rtx3090")
        self.assertIn("used 17.0 GiB of a card at most", advice)
        self.assertRegex(advice, r"t4 +[\d.]+ +no")
        self.assertRegex(advice, r"rtx3090 +[\d.]+ +yes")
        # The same command on a smaller card is advised against.
        code, _, err = self.pinka("alice", "submit", "-y", "--tier", "t4", "--name", "train", "--", *command)
        self.assertEqual(code, 0, err)
        self.assertIn("on big used 17.0 GiB of a card", err)
        code, _, err = self.pinka("bob", "advise", "vram", "--job", job)
        self.assertNotEqual(code, 0)

    def test_the_same_card_on_two_nodes(self):
        first = self.box("twin1", "a100-80", "a100-80")
        first.becomes("READY")
        second = self.box("twin2", "a100-80", "a100-80")
        second.becomes("QUARANTINED", "is registered by node twin1 already")

    def test_check_needs_no_server(self):
        def check(plays, *options):
            return subprocess.run([BIN + "/pinka-agent", "check", "--no-disk", "--nvidia-smi", os.path.join(SMI, plays),
                                   *options], capture_output=True, timeout=60)
        good = check("a100-80", "--claim", "a100-80")
        self.assertEqual(good.returncode, 0, good.stdout)
        self.assertIn(b"good for: tier a100-80", good.stdout)
        self.assertEqual(check("a100-80", "--claim", "h100").returncode, 1)
        self.assertEqual(check("a100-80", "--claim", "gtx-9000").returncode, 2)
        self.assertEqual(check("is-not-there").returncode, 1)
        hanging = check("hang", "--timeout", "1s", "--json")
        self.assertEqual(hanging.returncode, 1)
        self.assertIn(b'"verdict":"UNUSABLE"', hanging.stdout)


if __name__ == "__main__":
    main()
