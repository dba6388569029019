#!/usr/bin/env python3
"""pinka-simulate and `pinka simulate` as programs: same output for same input, exit codes, options.

    simulate_program_test.py BIN        BIN: the folder with the built programs
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = sys.argv.pop(1)
TRACE = "submit_s,duration_s,gpus,user,gpu_type,status\n" + "".join(
    f"{i * 37},{600 + i * 7919 % 5000},{1 + i % 3},user{i % 4},,Pass\n" for i in range(60)
)


def run(program, *words):
    return subprocess.run([os.path.join(BIN, program), *words], capture_output=True, text=True, timeout=100)


class Programs(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.trace = self.write("trace.csv", TRACE)

    def write(self, name, text):
        path = os.path.join(self.dir.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def simulate(self, *words, program="pinka-simulate"):
        done = run(program, *words, "--trace", self.trace, "--nodes", "gpu:1x4", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_same_input_same_bytes_but_for_the_time_it_took(self):
        page = os.path.join(self.dir.name, "page.html")
        outputs = []
        for _ in range(2):
            text = re.sub(r',"seconds":.*', "", self.simulate("--html", page))
            with open(page, encoding="utf-8") as file:
                outputs.append(text + file.read())
        self.assertEqual(outputs[0], outputs[1])
        self.assertIn('"events":', outputs[0])
        self.assertNotEqual(outputs[0].split("\n")[0], re.sub(r',"seconds":.*', "", self.simulate("--seed", "2")))

    def test_the_keys_of_the_contract(self):
        answer = json.loads(self.simulate("--policy", "fifo"))
        for key in ("meanWaitS medianWaitS p95WaitS makespanS utilization cost jain deadlinesMet preemptions "
                    "lostWorkS events seconds schema asOf").split():
            self.assertIn(key, answer)
        self.assertEqual(answer["completed"], 60)
        self.assertGreater(answer["meanWaitS"], 0)

    def test_pinka_becomes_the_program_beside_it(self):
        words = ("simulate", "--trace", self.trace, "--nodes", "gpu:1x4", "--json")
        done = run("pinka", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.sub(r',"seconds":.*', "", done.stdout), re.sub(r',"seconds":.*', "", self.simulate()))
        alone = os.path.join(self.dir.name, "pinka")
        shutil.copy(os.path.join(BIN, "pinka"), alone)
        done = subprocess.run([alone, *words[:3]], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 1)
        self.assertIn("pinka-simulate is not installed beside this program", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_both_know_the_same_options(self):
        options = [set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", run(*words).stdout, re.MULTILINE))
                   for words in (("pinka-simulate", "--help"), ("pinka", "simulate", "--help"))]
        self.assertIn("--spot-zone", options[0])
        self.assertEqual(options[0] - options[1], set())

    def test_errors_are_one_sentence(self):
        bad = self.write("bad.csv", "submit_s,duration_s,gpus,user\n0,x,1,ann\n")
        for words, code, part in (
            (("--trace", bad), 2, "bad.csv line 2: duration_s is \"x\""),
            (("--trace", bad + ".not"), 1, "bad.csv.not"),
            (("--trace", self.trace, "--polcy", "fifo"), 2, "did you mean --policy?"),
            (("--trace", self.trace, "--lab", bad), 2, "bad.csv"),
            ((), 2, "there is no trace"),
        ):
            done = run("pinka-simulate", *words)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(part, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_lab_file_is_taken_whole(self):
        lab = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../deploy/examples/lab.toml")
        jobs = self.write("jobs.csv", "submit_s,duration_s,gpus,user,gpu_type,status\n"
                          "0,600,1,王芳,RTX 3090,Pass\n5,600,1,someone,t4|a100,Pass\n9,600,9,bob,a100,Pass\n")
        done = run("pinka-simulate", "--trace", jobs, "--lab", lab, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["completed"], answer["infeasible"]), (2, 1))
        self.assertEqual(answer["cost"], "0.883333")  # ten minutes at 3.80 and at 1.50


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
