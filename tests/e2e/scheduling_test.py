"""Who starts next, and `why` not: promises, backfill, and the reasons people see."""

from lab import LabTest, main


class Scheduling(LabTest):
    shape = {"cpu": 4, "t4": 1, "a100": 4}
    money = 1000

    def test_a_promise_lets_short_work_in_and_says_so(self):
        runs = self.submit("alice", "--tier", "a100-80", "--gpus", "3", "--time", "2h", "--", "sleep", "600")
        self.until(lambda: self.show("alice", runs)["state"] == "RUNNING", "the start")
        wide = self.submit("bob", "--tier", "a100-80", "--gpus", "4", "--time", "1h", "--", "true")
        long = self.submit("bob", "--tier", "a100-80", "--time", "8h", "--", "true")
        short = self.submit("carol", "--tier", "a100-80", "--time", "30m", "--", "true")
        self.assertEqual(self.wait("carol", short), 0, "filled in before the promise")
        behind = self.submit("alice", "--tier", "a100-80", "--gpus", "4", "--time", "1h", "--", "true")

        why = self.json("bob", "why", wide)
        self.assertEqual(why["reason"], "Resources")
        self.assertEqual(why["position"], 1)
        self.assertLess(why["expectedStartAt"], why["expectedStartBy"])
        self.assertIn("4 units free together", why["wouldChange"])
        shown = self.show("bob", wide)
        self.assertEqual(shown["expectedStartAt"][:16], why["expectedStartBy"][:16])

        why = self.json("bob", "why", long)
        self.assertEqual(why["reason"], "Reservation")
        self.assertIn(f"job {wide} is to start", why["text"])
        self.assertIn(f"pinka edit {long} --time", why["wouldChange"])

        why = self.json("alice", "why", behind)
        self.assertEqual(why["reason"], "Priority")
        self.assertTrue(why["aheadOfIt"][0].startswith("bob: "), why)
        self.assertIn("because your fair-share factor is", why["text"])
        self.assertGreaterEqual(float(why["gpuHoursAhead"]), 4)
        self.assertEqual(sum(int(f["value"]) for f in why["factors"]), int(why["priority"]))

        text = self.ok("alice", "why", behind)
        self.assertIn("Expected start between ", text)
        self.assertIn("What would change it: ", text)
        self.ok("alice", "hold", behind)
        self.assertIn(f"`pinka release {behind}`", self.ok("alice", "why", behind))
        self.ok("alice", "cancel", behind, runs)
        self.ok("bob", "cancel", long)
        self.assertEqual(self.wait("bob", wide), 0)


if __name__ == "__main__":
    main()
