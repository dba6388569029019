"""What is submitted is what runs: C01 C02 C03 C04 C12 C13 C46 C80 C82."""

import json
import os
import subprocess
import threading

from lab import BIN, LabTest, main


class Submission(LabTest):
    def test_c01_arguments_reach_the_job_byte_for_byte(self):
        words = ["a  b", "it's", "&& touch /tmp/pwn", "", "*", "$HOME", "`id`", "back\\slash", "中文 名"]
        job = self.submit("alice", "--tier", "t4", "--time", "10m", "--", "printf", "[%s]\\n", *words)
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(self.logs("alice", job).decode(), "".join(f"[{w}]\n" for w in words))
        self.assertFalse(os.path.exists("/tmp/pwn"))
        command = self.show("alice", job)["command"]
        pasted = subprocess.run(["bash", "-c", "printf '%s\\0' " + command], capture_output=True, check=True)
        self.assertEqual(pasted.stdout.decode().split("\0")[:-1], ["printf", "[%s]\\n", *words])

    def test_c02_environment_values_come_back_unchanged(self):
        code = ('import os;print(repr(os.environb[b"NOTE"]));print(repr(os.environb.get(b"BASH_FUNC_hi%%")));'
                'print(os.environ["PATH"]!="/evil")')
        job = self.submit("alice", "--env", "NOTE=line1\nPATH=/evil\nline3", "--env",
                          'BASH_FUNC_hi%%=() { echo "a;b"\n  }', "--tier", "t4", "--time", "5m", "--", "python3",
                          "-c", code)
        self.assertEqual(self.wait("alice", job), 0)
        lines = self.logs("alice", job).decode().splitlines()
        self.assertEqual(lines, [repr(b"line1\nPATH=/evil\nline3"), repr(b'() { echo "a;b"\n  }'), "True"])

    def test_c03_commas_blanks_and_equals_signs(self):
        values = {"L": "first,second", "S": "a b  c", "E": "x=y=z", "Q": '"quoted"', "EMPTY": ""}
        options = [word for k, v in values.items() for word in ("--env", f"{k}={v}")]
        job = self.submit("alice", *options, "--tier", "t4", "--time", "5m", "--", "python3", "-c",
                          'import os;print([os.environ[k] for k in "L S E Q EMPTY".split()])')
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(self.logs("alice", job).decode().strip(), str(list(values.values())))
        for bad in ("NOEQUALS", "1A=x"):
            code, _, err = self.pinka("alice", "submit", "--env", bad, "--tier", "t4", "--", "true")
            self.assertEqual(code, 2, err)

    def test_c04_too_long_is_refused_at_submit_and_the_limit_runs(self):
        longest = "x" * 131071
        # A job's command line through a client whose own exec has the same limit: by script.
        script = os.path.join(self.lab.root, "long.sh")
        with open(script, "w") as f:
            f.write("#!/bin/sh\n# " + "x" * (5 << 20) + "\necho ran\n")
        code, _, err = self.pinka("alice", "submit", "--tier", "t4", script)
        self.assertIn(code, (2, 3), err)
        self.assertRegex(err, r"(?i)mib|bytes|limit")
        env_file = os.path.join(self.lab.root, "big.env")
        with open(env_file, "w") as f:
            f.writelines(f"BIG_{n}={'y' * 1024}\n" for n in range(3000))
        code, _, err = self.pinka("alice", "submit", "--env-file", env_file, "--tier", "t4", "--", "true")
        self.assertNotEqual(code, 0)
        self.assertRegex(err, r"(?i)mib|bytes|limit")
        job = self.submit("alice", "--tier", "t4", "--env-file", "-", "--", "sh", "-c", "echo ${#LONG}",
                          input=b"LONG=" + b"z" * (131071 - 5) + b"\n")
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(self.logs("alice", job).decode().strip(), str(len(longest) - 5))

    def test_c12_names_survive_any_locale_and_bad_ones_are_refused(self):
        name = "训练-ü-🚀"
        job = self.submit("王芳", "--name", name, "--tier", "t4", "--", "true", env={"LANG": "C"})
        self.assertEqual(self.wait("王芳", job), 0)
        listed = self.pinka("王芳", "ls", "-a", env={"LANG": "C"})[1].decode()
        self.assertIn("王芳", listed)
        self.assertEqual(self.show("王芳", job)["name"], name)
        usage = self.pinka(None, "usage", "--user", "王芳", env={"LANG": "C"})[1].decode()
        self.assertIn("王芳", usage)
        for bad in (b"bad\xff\xfename", b"a\nb\tc\033[31mred", "字".encode() * 300, "a\u202eb".encode()):
            done = subprocess.run([BIN.encode() + b"/pinka", b"submit", b"--name", bad, b"--tier", b"t4", b"--", b"true"],
                                  capture_output=True, env=self.environment("alice"), stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2, done.stderr)

    def test_c13_a_retried_submit_is_one_job(self):
        spec = ["--tier", "a100-80", "--gpus", "2", "--time", "3h", "--request-id", "run-42", "--", "true"]
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.submit("alice", *spec))) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(set(answers)), 1, answers)
        code, _, err = self.pinka("alice", "submit", "--request-id", "run-42", "--tier", "a100-80", "--", "false")
        self.assertEqual(code, 7, err)
        self.assertNotEqual(self.submit("bob", *spec), answers[0])
        self.assertEqual(self.wait("alice", answers[0]), 0)

    def test_c46_exit_codes_and_signals(self):
        table = [
            (["sh", "-c", "exit 0"], "COMPLETED", 0, 0), (["sh", "-c", "exit 1"], "FAILED", 1, 0),
            (["sh", "-c", "exit 125"], "FAILED", 125, 0), (["sh", "-c", "exit 126"], "FAILED", 126, 0),
            (["sh", "-c", "exit 127"], "FAILED", 127, 0), (["sh", "-c", "exit 137"], "FAILED", 137, 0),
            (["sh", "-c", "exit 255"], "FAILED", 255, 0), (["sh", "-c", "kill -9 $$"], "FAILED", 0, 9),
            (["sh", "-c", "kill -11 $$"], "FAILED", 0, 11), (["sh", "-c", "kill -15 $$"], "FAILED", 0, 15),
        ]
        jobs = [self.submit("bob", "--tier", "cpu", "--", *argv) for argv, *_ in table]
        for job, (argv, state, code, signal) in zip(jobs, table):
            expected = 128 + signal if signal else code
            self.assertEqual(self.wait("bob", job), expected, argv)
            task = self.show("bob", job)["tasks"][0]
            self.assertEqual((task["state"], task["exitCode"], task["signal"]), (state, code, signal), argv)
        for argv in (["/no/such/program"], ["/etc/hostname"], ["/etc"]):
            job = self.submit("bob", "--tier", "cpu", "--", *argv)
            self.assertEqual(self.wait("bob", job), 125, argv)
            shown = self.show("bob", job)
            self.assertEqual(shown["tasks"][0]["attempts"][0]["endReason"], "LaunchFailed", argv)
            self.assertEqual(shown["charged"], "0.000000")

    def test_a_time_limit_ends_the_job_as_timeout(self):
        job = self.submit("bob", "--tier", "cpu", "--time", "1s", "--grace", "1s", "--", "sleep", "600")
        self.assertNotEqual(self.wait("bob", job), 0)
        shown = self.show("bob", job)
        self.assertEqual(shown["state"], "TIMEOUT")
        # Members pay at most the limit.
        self.assertLessEqual(float(shown["charged"]), 0.40 / 3600 + 1e-6)

    def test_c80_a_foreign_job_and_a_missing_one_look_the_same(self):
        job = self.submit("alice", "--tier", "cpu", "--name", "secret-name", "--", "sleep", "1")
        for verb in (["show"], ["logs"], ["why"], ["cancel"], ["hold"], ["release"], ["requeue"], ["resubmit"]):
            foreign = self.pinka("bob", *verb, job)
            missing = self.pinka("bob", *verb, "999999")
            self.assertEqual(foreign[0], 4, (verb, foreign))
            self.assertEqual(foreign[0], missing[0], verb)
            self.assertEqual(foreign[2].replace(job, "N"), missing[2].replace("999999", "N"), verb)
        row = next(j for j in self.json("bob", "ls", "-a")["jobs"] if j["id"] == job)
        self.assertEqual((row["user"], row["name"]), ("alice", ""))
        self.assertEqual(self.wait("alice", job), 0)
        code, _, _ = self.pinka(None, "whoami", env={"PINKA_TOKEN": "nonsense"})
        self.assertEqual(code, 5)

    def test_c82_secrets_stay_with_their_owner(self):
        secret = "s3cr3t-93"
        job = self.submit("alice", "--env", "WANDB_API_KEY=" + secret, "--tier", "cpu", "--", "sleep", "600")
        self.until(lambda: self.show("alice", job)["state"] == "RUNNING", "the job to run")
        self.assertNotIn(secret, json.dumps(self.show("alice", job)))
        self.assertNotIn(secret, self.pinka("bob", "ls", "-a", "--json")[1].decode())
        listing = subprocess.run(["ps", "-ef", "ww"], capture_output=True).stdout.decode(errors="replace")
        self.assertNotIn(secret, listing)
        self.assertNotIn(secret, self.log_text())
        for root, _, files in os.walk(self.lab.data):
            if "/db/" in root + "/":
                continue
            for name in files:
                path = os.path.join(root, name)
                if not os.path.isfile(path):  # a FIFO would wait for its writer
                    continue
                try:
                    mode = os.stat(path).st_mode & 0o777
                    with open(path, "rb") as f:
                        holds = secret.encode() in f.read()
                except OSError:
                    continue
                if holds:
                    self.assertEqual(mode & 0o077, 0, path)
        self.ok("alice", "cancel", job)
        self.assertNotEqual(self.wait("alice", job), 0)
        self.until(lambda: self.show("alice", job)["state"] == "CANCELLED", "the end")


if __name__ == "__main__":
    main()
