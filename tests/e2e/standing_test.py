"""Shares, priorities, the live view, and the promotion gate."""

import json
import os
import pty
import re
import select
import signal
import subprocess

from lab import BIN, DEADLINE, LabTest, main


def in_order(text, first, second):
    return first in text and second in text and text.index(first) < text.index(second)


class Standing(LabTest):
    def apply(self, text):
        path = os.path.join(self.lab.root, "more.toml")
        with open(path, "w") as f:
            f.write(text)
        return self.admin("admin", "apply", path, "-y")

    def test_shares_and_prio_follow_use(self):
        runs = self.submit("alice", "--tier", "a100-80", "--gpus", "8", "--", "sleep", "600")
        self.addCleanup(self.pinka, "alice", "cancel", runs)  # the next test needs the cards, whatever happened here
        self.lab.until(lambda: self.show("alice", runs)["state"] == "RUNNING", "the first job")
        late = self.submit("alice", "--tier", "a100-80", "--name", "late-one", "--", "true")
        soon = self.submit("王芳", "--tier", "a100-80", "--name", "soon-one", "--", "true")
        shares = {line["user"]: line for line in self.json("bob", "shares")["lines"]}
        self.assertEqual(shares["王芳"]["factor"], "1.0000")
        self.assertEqual(shares["王芳"]["levelFairness"], "inf")
        self.assertLess(float(shares["alice"]["factor"]), 1)
        self.assertGreater(float(shares["alice"]["gpuHours"]), 0)
        lines = self.json("bob", "prio", "--tier", "a100-80")["lines"]
        self.assertEqual([line["jobId"] for line in lines], [soon, late])
        for line in lines:
            self.assertEqual(sum(int(f["value"]) for f in line["factors"]), int(line["priority"]))
        self.assertIn("王芳", self.ok("bob", "prio"))
        self.assertIn("王芳", self.ok("bob", "shares"))
        one = self.json("bob", "prio", late)["lines"]
        self.assertEqual((one[0]["jobId"], one[0]["position"]), (late, 2))
        frame = self.ok(None, "top", "--once")
        self.assertIn("8/8", frame)
        # top shows the order of the latest board, which may be older than the job.
        self.lab.until(lambda: in_order(self.ok(None, "top", "--once"), "soon-one", "late-one"), "the board's order")
        try:
            self.apply('[lab]\nopenness = "closed"\n')
            users = {line["user"] for line in self.json("bob", "shares")["lines"]}
            self.assertEqual(users, {"bob"})
            self.assertEqual(self.json("bob", "prio")["lines"], [])
            self.assertEqual([l["jobId"] for l in self.json("alice", "prio")["lines"]], [late])
        finally:
            self.apply('[lab]\nopenness = "queue"\n')
        for user, job in (("alice", runs), ("alice", late), ("王芳", soon)):
            self.ok(user, "cancel", job)

    def test_projects_with_shares_are_a_tree(self):
        self.apply('[[project]]\nname = "vision"\nmembers = ["alice", "bob"]\nshare = 3\n'
                   '[[project]]\nname = "speech"\nmembers = ["carol"]\nshare = 1\n')
        try:
            answer = self.json("alice", "shares")
            self.assertTrue(answer["byProject"])
            projects = {l["project"]: l for l in answer["lines"] if not l["user"]}
            self.assertEqual(projects["vision"]["normalizedShare"], "0.6000")
            self.assertEqual(projects[""]["normalizedShare"], "0.2000")
            job = self.submit("alice", "--project", "vision", "--tier", "cpu", "--", "true")
            self.assertEqual(self.wait("alice", job), 0)
            self.assertIn("(no project)", self.ok("alice", "shares"))
        finally:
            self.apply('[[project]]\nname = "vision"\nmembers = ["alice", "bob"]\nshare = 0\n'
                       '[[project]]\nname = "speech"\nmembers = ["carol"]\nshare = 0\n')
        self.assertFalse(self.json("alice", "shares")["byProject"])

    def test_top_leaves_the_terminal_as_it_was(self):
        for end, code in ((b"q", 0), (signal.SIGTERM, 128 + signal.SIGTERM)):
            main_end, other_end = pty.openpty()
            before = subprocess.run(["stty", "-a"], stdin=other_end, capture_output=True).stdout
            top = subprocess.Popen([BIN + "/pinka", "top"], stdin=other_end, stdout=other_end, stderr=other_end,
                                   env=self.environment("alice", TERM="xterm"))
            text = b""
            while b"TIER" not in text:
                self.assertTrue(select.select([main_end], [], [], DEADLINE)[0], text)
                text += os.read(main_end, 65536)
            self.assertIn(b"\x1b[?1049h", text)
            if isinstance(end, bytes):
                os.write(main_end, end)
            else:
                top.send_signal(end)
            self.assertEqual(top.wait(DEADLINE), code)
            while select.select([main_end], [], [], 0)[0]:
                text += os.read(main_end, 65536)
            self.assertIn(b"\x1b[?1049l", text)
            after = subprocess.run(["stty", "-a"], stdin=other_end, capture_output=True).stdout
            self.assertEqual(after, before)
            os.close(main_end)
            os.close(other_end)

    def test_the_gate_asks_for_a_success_on_the_cheaper_tier(self):
        self.apply('[[tier]]\nname = "a100-80"\ngate = {tier = "t4", within = "30d", refuse = true}\n')
        try:
            final = ["submit", "--tier", "a100-80", "--time", "1h", "--", "echo", "it's ready"]
            code, _, err = self.pinka("bob", *final)
            self.assertEqual(code, 3, err)
            command = re.search(r"pinka (submit --tier t4 --time 10m -- .*?); or say", err).group(1)
            done = subprocess.run(["bash", "-c", f"{BIN}/pinka {command} && true"], env=self.environment("bob"),
                                  capture_output=True, check=True)
            job = re.search(r"job (\d+)", done.stdout.decode()).group(1)
            self.assertEqual(self.wait("bob", job), 0)
            code, _, err = self.pinka("bob", *final)
            self.assertEqual(code, 0, err)
            code, _, err = self.pinka("alice", *final)
            self.assertEqual(code, 3, "somebody else's success: " + err)
            error = json.loads(self.pinka("alice", *final[:1], "--json", *final[1:])[2])["error"]
            self.assertEqual(error["reason"], "SmokeTestNeeded")
            skipped = self.submit("alice", "--skip-gate", "the deadline is tonight", *final[1:])
            self.assertEqual(self.wait("alice", skipped), 0)
        finally:
            self.apply('[[tier]]\nname = "a100-80"\ngate = {}\n')


if __name__ == "__main__":
    main()
