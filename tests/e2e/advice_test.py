"""Advice where the work is: hints before money is spent, the plan of a month, every kind through the API."""

import json
import os
import re
import subprocess

from lab import BIN, LabTest, main

RULES = """
[[tier]]
name = "cpu"
billing = {on_demand = {preset = "hourly", provider = "算力云", rate = "2.00"}}
"""


class Advice(LabTest):
    shape = {"cpu": 4, "t4": 2, "a100": 4}

    def said(self, user, *args, env=None):
        code, out, err = self.pinka(user, "submit", *args, env=env)
        self.assertEqual(code, 0, err)
        return err

    def hints(self, user, *args):
        return [(h["kind"], h["text"], h["tier"]) for h in json.loads(self.ok(user, "quote", "--json", *args))["hints"]]

    def run_through(self, user, *args):
        job = self.submit(user, *args)
        self.wait(user, job)
        return self.show(user, job)

    def test_a_limit_that_was_too_short_before(self):
        work = ("--tier", "t4", "--time", "1s", "--grace", "1s", "--", "sleep", "600")
        self.assertNotIn("advice", self.said("alice", "--tier", "t4", "--time", "1s", "--", "sleep", "601"))
        self.assertEqual(self.run_through("alice", *work)["state"], "TIMEOUT")
        (kind, text, _), = self.hints("alice", *work)
        self.assertEqual(kind, "TIME_LIMIT")
        self.assertIn("one run of the same command on t4 ended at a time limit", text)
        self.assertIn("pinka: advice: " + text, self.said("alice", *work))
        self.assertNotIn("advice", self.said("alice", *work, env={"PINKA_ADVICE": "off"}))
        self.assertEqual(self.pinka("alice", "submit", "-q", *work)[2], "")
        longer = ("--tier", "t4", "--time", "20m", "--", "sleep", "600")
        self.assertEqual(self.hints("alice", *longer), [])
        self.assertEqual(self.hints("bob", *work), [], "only one's own runs speak")

    def test_a_cheaper_tier_and_a_far_shorter_limit(self):
        done = self.run_through("carol", "--tier", "t4", "--", "echo", "debug run")
        self.assertEqual(done["state"], "COMPLETED")
        (kind, text, tier), = self.hints("carol", "--tier", "a100-80", "--", "echo", "debug run")
        self.assertEqual((kind, tier), ("CHEAPER_TIER", "t4"))
        self.assertIn("completed on t4", text)
        self.assertIn("Advice: ", self.ok("carol", "quote", "--tier", "a100-80", "--", "echo", "debug run"))
        for _ in range(2):
            self.run_through("carol", "--tier", "t4", "--", "echo", "debug run")
        (kind, text, _), = self.hints("carol", "--tier", "t4", "--time", "10h", "--", "echo", "debug run")
        self.assertEqual(kind, "SHORTER_LIMIT")
        self.assertIn("--time 10m", text)

    def test_an_estimate_says_what_will_not_fit(self):
        (kind, text, _), = self.hints("bob", "--tier", "t4", "--estimate", "bert-base batch=32", "--", "true")
        self.assertEqual(kind, "MEMORY")
        self.assertRegex(text, r"bert-base at batch 32 will not fit a card of t4.*batch \d+ does")
        self.assertEqual(self.hints("bob", "--tier", "a100-80", "--estimate", "bert-base batch=32", "--", "true"), [])
        err = self.said("bob", "--tier", "t4", "--estimate", "llama-2-7b method=lora", "--", "true")
        self.assertIn("pinka: advice: llama-2-7b", err)
        code, _, err = self.pinka("bob", "submit", "--tier", "t4", "--estimate", "no-such-net", "--", "true")
        self.assertEqual(code, 2)
        self.assertIn("no network is known", err)
        code, _, err = self.pinka("bob", "submit", "--tier", "t4", "--estimate", "bert-base colour=red", "--", "true")
        self.assertEqual(code, 2)

    def test_a_minimum_charge_is_told(self):
        path = os.path.join(self.lab.root, "rules.toml")
        with open(path, "w") as f:
            f.write(RULES)
        self.ok(None, "admin", "apply", path, "-y")
        kinds = [k for k, _, _ in self.hints("王芳", "--tier", "cpu", "--time", "5m", "--", "true")]
        self.assertEqual(kinds, ["MINIMUM_CHARGE"])

    def test_plan_by_history_and_by_a_workload(self):
        for user in ("alice", "bob"):
            self.run_through(user, "--tier", "a100-80", "--gpus", "2", "--time", "10m", "--", "sleep", "2")
        plan = self.json(None, "advise", "plan", "--offer", "a100-80:package=9", "--replays", "2")
        tier = next(t for t in plan["tiers"] if t["tier"] == "a100-80")
        self.assertEqual((tier["onDemand"], tier["spot"], tier["package"]), ("12.000000", "4.000000", "9.000000"))
        self.assertEqual(tier["assumed"], ["spot", "weekly"])
        self.assertGreater(float(tier["unitHours"]), 0)
        self.assertEqual(tier["packagePaysFrom"], "0.75")
        plans = {r["plan"]: r for r in plan["replays"]}
        self.assertIn("on_demand", plans)
        self.assertIn("advised", plans)
        for replay in plans.values():
            self.assertEqual(replay["seeds"], 2)
            self.assertLessEqual(float(replay["low"]), float(replay["paid"]))
        # The replay costs what the history cost: the same jobs on demand.
        charged = float(self.json(None, "usage", "--by", "tier")["total"]["amount"])
        self.assertAlmostEqual(float(plans["on_demand"]["paid"]), charged, delta=0.02 * charged + 0.001)
        text = self.ok(None, "advise", "plan", "--replays", "1")
        self.assertIn("The history, played under each plan", text)
        mine = self.json("alice", "advise", "plan", "--replays", "0")
        self.assertLess(sum(float(t["unitHours"]) for t in mine["tiers"]),
                        sum(float(t["unitHours"]) for t in plan["tiers"]))
        stated = self.json("bob", "advise", "plan", "--work", "a100-80=1000x4", "--offer", "a100-80:weekly=1400")
        self.assertEqual(stated["tiers"][0]["weekly"], "1400.000000")
        self.assertEqual(self.pinka("carol", "advise", "plan", "--work", "none=3")[0], 2)

    def test_every_kind_of_advice_is_in_the_api(self):
        with open(os.path.join(self.lab.home, ".config/pinka/config.toml")) as f:
            server = next(re.split("['\"]", line)[1] for line in f if line.startswith("server"))
        done = subprocess.run([BIN + "/advice_calls", server, self.lab.tokens["bob"]], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = {k: json.loads(v) for k, v in
                   (line.split(" ", 1) for line in done.stdout.decode().splitlines())}
        self.assertEqual(answers["AdviseCost"]["local"], "1.088000")
        self.assertEqual(answers["AdviseCost"]["cloud"], "12.000000")
        self.assertAlmostEqual(answers["AdviseMemory"]["guide"]["totalGb"], 2.12)
        self.assertEqual(answers["AdviseCard"]["choices"][0]["fit"], "yes")
        self.assertEqual(answers["AdviseCompat"]["card"], "t4")
        self.assertGreaterEqual(len(answers["ListProviders"]["providers"]), 9)
        self.assertIn("t4", [c["id"] for c in answers["ListCards"]["cards"]])
        self.assertEqual(answers["AdvisePlan"]["tiers"][0]["tier"], "a100-80")


if __name__ == "__main__":
    main()
