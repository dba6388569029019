"""`pinka why` on six kinds of waiting job, as members read it. The texts in docs/scheduling.md are
these: PINKA_WHY=FILE writes them there as Markdown."""

import os
import re

from lab import LabTest, main


class Why(LabTest):
    shape = {"cpu": 4, "t4": 1, "a100": 4}
    money = 1000

    def wait_all(self):
        """Six jobs that wait, each for a reason of its own; their members and ids."""
        a100 = ("--tier", "a100-80")
        with open(self.lab.lab_file, "a", encoding="utf-8") as f:
            f.write('[[limit]]\nscope = "carol"\nresource = "running_units"\namount = 2\n')
            f.write('[[limit]]\nscope = "王芳"\nresource = "money"\nperiod = "month"\namount = "20"\n')
        self.admin("admin", "apply", self.lab.lab_file, "-y")
        runs = self.submit("alice", *a100, "--gpus", "2", "--time", "2h", "--", "sleep", "600")
        own = self.submit("carol", *a100, "--gpus", "1", "--time", "2h", "--", "sleep", "600")
        spends = self.submit("王芳", "--tier", "t4", "--time", "5h", "--", "sleep", "600")
        for user, job in (("alice", runs), ("carol", own), ("王芳", spends)):
            self.until(lambda: self.show(user, job)["state"] == "RUNNING", "the start")
        wide = self.submit("bob", *a100, "--gpus", "4", "--time", "1h", "--", "true")
        long = self.submit("bob", *a100, "--time", "8h", "--", "true")
        behind = self.submit("alice", *a100, "--gpus", "4", "--time", "30m", "--", "true")
        limited = self.submit("carol", *a100, "--gpus", "2", "--time", "10m", "--", "true")
        dear = self.submit("王芳", "--tier", "t4", "--time", "6h", "--", "true")
        after = self.submit("bob", "--dependency", f"afterok:{wide}", "--tier", "cpu", "--", "true")
        return [("Resources", "bob", wide), ("Reservation", "bob", long),
                ("Priority", "alice", behind), ("MemberMaxRunning", "carol", limited),
                ("Budget", "王芳", dear), ("Dependency", "bob", after)]

    def test_each_reason_says_what_and_until_when(self):
        says = {
            "Resources": (r"is next", r"waits for 4 free unit\(s\) on one node",
                          r"Expected start between \d", r"What would change it: 4 units free"),
            "Reservation": (r"would still run when job \d+ is to start", r"pinka edit \d+ --time"),
            "Priority": (r"You are behind (bob|carol)'s job \d+ because", r"Expected start between \d"),
            "MemberMaxRunning": (r"carol", r"`pinka limits` shows it"),
            "Budget": (r"money limit", r"a deposit, running work that ends below its hold"),
            "Dependency": (r"is not in the queue of tier cpu yet", r"waits for job \d+"),
        }
        blocks = []
        for reason, user, job in self.wait_all():
            text = self.ok(user, "why", job)
            with self.subTest(reason=reason):
                self.assertEqual(self.json(user, "why", job)["reason"], reason, text)
                for part in says[reason]:
                    self.assertRegex(text, part)
            blocks.append(f"```text\n$ pinka why {job}    # {user}\n{text.rstrip()}\n```\n")
        if "PINKA_WHY" in os.environ:
            with open(os.environ["PINKA_WHY"], "w", encoding="utf-8") as f:
                f.write("\n".join(blocks))


if __name__ == "__main__":
    main()
