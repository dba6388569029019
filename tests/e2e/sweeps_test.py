"""Sweeps: a grid of real tasks, each with its own values. C09."""

import os

from lab import LabTest, main


class Sweeps(LabTest):
    def test_a_grid_of_two_by_three_writes_six_results(self):
        out = os.path.join(self.lab.root, "results")
        os.mkdir(out)
        os.chmod(out, 0o777)
        script = ('echo "$PINKA_SWEEP_LR $PINKA_SWEEP_SEED $PINKA_ARRAY_INDEX/$PINKA_ARRAY_SIZE $1" '
                  '> "$2/$PINKA_SWEEP_LR-$PINKA_SWEEP_SEED"')
        job = self.submit("alice", "--sweep", "lr=0.10,0.1", "--sweep", "seed=1..3", "--tier", "cpu", "--time", "5m",
                          "--", "sh", "-c", script, "sh", "lr={lr},{{seed}},{x}", out)
        self.assertEqual(self.wait("alice", job), 0)
        grid = [(lr, seed) for lr in ("0.10", "0.1") for seed in ("1", "2", "3")]
        self.assertEqual(sorted(os.listdir(out)), sorted(f"{lr}-{seed}" for lr, seed in grid))
        for index, (lr, seed) in enumerate(grid):
            with open(os.path.join(out, f"{lr}-{seed}")) as f:
                self.assertEqual(f.read(), f"{lr} {seed} {index}/6 lr={lr},{{seed}},{{x}}\n")
        shown = self.show("alice", job)
        self.assertEqual(shown["sweep"], ["lr=0.10,0.1", "seed=1,2,3"])
        self.assertEqual((shown["taskCount"], shown["array"]), (6, "0-5"))
        page = self.ok("alice", "show", f"{job}_4")
        self.assertIn("lr=0.1 seed=2", page)

    def test_c09_values_stay_text_and_stay_distinct(self):
        rates = "1e-5,0.00001,0.10,0.1,10000000000000001,10000000000000002"
        job = self.submit("alice", "--sweep", "lr=" + rates, "--sweep", 'opt=adam,"a,b",{"k":1}', "--tier", "cpu",
                          "--time", "5m", "--", "python3", "-c", "import sys;print(sys.argv[1:])", "{lr}", "{opt}")
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(self.show("alice", job)["taskCount"], 18)
        seen = [self.logs("alice", f"{job}_{n}").decode().strip() for n in range(18)]
        expected = [str([lr, opt]) for lr in rates.split(",") for opt in ("adam", "a,b", '{"k":1}')]
        self.assertEqual(seen, expected)

    def test_a_sweep_runs_again_as_it_was(self):
        job = self.submit("bob", "--sweep", "k=a,b", "--tier", "cpu", "--", "echo", "{k}")
        self.assertEqual(self.wait("bob", job), 0)
        again = str(self.json("bob", "resubmit", job)["jobId"])
        self.assertEqual(self.wait("bob", again), 0)
        self.assertEqual(self.logs("bob", again + "_1"), b"b\n")

    def test_what_is_no_sweep_is_refused_and_leaves_nothing(self):
        before = len(self.json("bob", "ls", "-a", "--mine")["jobs"])
        for options in (["--sweep", "lr"], ["--sweep", "lr=0.1..0.5"], ["--sweep", "s=5..1"],
                        ["--sweep", "a=1", "--sweep", "A=2"], ["--sweep", "a=1", "--array", "0-3"],
                        ["--sweep", "a=1..1000", "--sweep", "b=1..1001"]):
            code, _, err = self.pinka("bob", "submit", *options, "--tier", "cpu", "--", "true")
            self.assertEqual(code, 2, f"{options}: {err}")
        self.assertEqual(len(self.json("bob", "ls", "-a", "--mine")["jobs"]), before)


if __name__ == "__main__":
    main()
