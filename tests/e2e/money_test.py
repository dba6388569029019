"""Holds, charges and refusals through the whole system: C21 C23 C24 C25 C26, and the reports' sums."""

import os
import random
import threading
from decimal import Decimal

from lab import LabTest, main

SEED = int(os.environ.get("PINKA_SEED", random.randrange(1 << 30)))


class Money(LabTest):
    shape = {"cpu": 4, "t4": 2, "a100": 8}
    money = 0  # each test brings its own

    def available(self, name):
        account = self.balance(name)
        return Decimal(account["available"]) if account else Decimal(0)

    def test_c23_two_holds_one_balance(self):
        self.topup("alice", 25)
        # Two starts of 20.00 each on 25.00: one runs, the other waits and says what it lacks.
        jobs = [self.submit("alice", "--tier", "a100-80", "--time", "100m", "--", "sleep", "600") for _ in range(2)]
        self.until(lambda: sum(self.show("alice", j)["state"] == "RUNNING" for j in jobs) == 1, "one of them")
        waiting = next(j for j in jobs if self.show("alice", j)["state"] == "PENDING")
        self.assertIn("needs ¥20.00, available ¥5.00", self.ok("alice", "why", waiting))
        self.assertEqual(self.available("alice"), Decimal("5.000000"))
        code, _, err = self.pinka(None, "admin", "withdraw", "10.00", "--from", "alice", "--reason", "t", "-y")
        self.assertEqual(code, 3, err)
        self.ok("alice", "cancel", *jobs)
        for job in jobs:
            self.wait("alice", job)
        refused = self.pinka("alice", "submit", "--tier", "a100-80", "--time", "3d", "--", "true")
        self.assertEqual(refused[0], 3, refused)
        self.assertIn("864.00", refused[2])

    def test_c21_cancel_against_start_and_finish(self):
        print("seed", SEED)
        rng = random.Random(SEED)
        self.topup("bob", 50)
        ended = []

        def round_(n):
            job = self.submit("bob", "--tier", "cpu", "--time", "1m", "--", "sleep", "0.05")
            threading.Event().wait(rng.random() / 10)
            for _ in range(2 if n % 5 == 0 else 1):
                code, _, err = self.pinka("bob", "cancel", job)
                self.assertEqual(code, 0, err)
            self.wait("bob", job)
            ended.append(job)

        threads = []
        for lane in range(4):
            threads.append(threading.Thread(target=lambda lane=lane: [round_(lane * 25 + n) for n in range(25)]))
            threads[-1].start()
        for t in threads:
            t.join()
        self.assertEqual(len(ended), 100)
        for job in ended:
            shown = self.show("bob", job)
            self.assertIn(shown["state"], ("COMPLETED", "CANCELLED"))
            self.assertEqual(shown["committed"], "0.000000")
            for n, attempt in enumerate(shown["tasks"][0]["attempts"] if shown["tasks"] else [], 1):
                self.assertEqual(attempt["state"], "ENDED")
                self.assertEqual(self.processes_of(f"{job}_0.{n}"), [])
        self.assertEqual(Decimal(self.balance("bob")["committed"]), 0)

    def test_c25_holds_of_failed_work_are_released(self):
        self.topup("carol", 100)
        before = self.available("carol")
        for argv in (["/no/such/program"], ["/etc"], ["/etc/hostname"]) * 4:
            job = self.submit("carol", "--tier", "a100-80", "--time", "1h", "--", *argv)
            self.assertEqual(self.wait("carol", job), 125)
            self.assertEqual(self.available("carol"), before)
        job = self.submit("carol", "--tier", "a100-80", "--time", "1h", "--", "true")
        self.assertEqual(self.wait("carol", job), 0)

    def test_c26_a_duplicate_touches_nothing(self):
        self.topup("王芳", 30)
        spec = ["--request-id", "k1", "--tier", "a100-80", "--time", "2h", "--", "sleep", "600"]
        job = self.submit("王芳", *spec)
        self.until(lambda: self.show("王芳", job)["state"] == "RUNNING", "it to run")
        self.assertEqual(self.submit("王芳", *spec), job)
        code, _, _ = self.pinka("王芳", "submit", "--request-id", "k1", "--tier", "nowhere", "--", "true")
        self.assertNotEqual(code, 0)
        # Two looks: between them the meter may be told on.
        self.until(lambda: Decimal(self.show("王芳", job)["committed"]) +
                   Decimal(self.balance("王芳")["inFlight"]) == Decimal("24.000000"), "one hold")
        self.ok("王芳", "cancel", job)
        self.wait("王芳", job)

    def test_c24_kill_the_scheduler_around_settlement(self):
        self.topup("bob", 20)
        for n in range(5):
            job = self.submit("bob", "--tier", "a100-80", "--time", "5m", "--", "sleep", "0.3")
            threading.Event().wait(0.1 * n)
            self.lab.process.kill()
            self.lab.process.wait()
            self.lab.up()
            self.assertEqual(self.wait("bob", job), 0)
            entries = self.json("bob", "ledger", "--job", job)
            charges = [e for e in entries["entries"] if e["kind"] == "charge"]
            self.assertLessEqual(len(charges), 1)
            self.assertEqual([h["state"] for h in entries["holds"]], ["settled"])
            shown = self.show("bob", job)
            self.assertEqual(len(shown["tasks"][0]["attempts"]), 1)

    def test_what_admins_change_is_linked_and_adds_up(self):
        self.topup("carol", 10)
        free = self.available("carol")
        job = self.submit("carol", "--tier", "a100-80", "--time", "1m", "--", "sleep", "1")
        self.assertEqual(self.wait("carol", job), 0)
        task = f"{job}_0"
        charge = next(e for e in self.json(None, "ledger", "--job", job)["entries"] if e["kind"] == "charge")
        paid = Decimal(charge["amount"])
        self.assertGreater(paid, Decimal("0.0002"))
        verb = ["--reason", "slow", "-y"]
        refund = [task, "0.0001", "--request-id", "e2e-refund", *verb]
        first = self.json(None, "admin", "refund", *refund)
        self.assertEqual(self.json(None, "admin", "refund", *refund)["firstEntryId"], first["firstEntryId"])
        self.assertEqual(self.pinka(None, "admin", "refund", charge["id"], "0", *verb)[0], 2)
        self.assertEqual(self.pinka(None, "admin", "refund", charge["id"], str(paid), *verb)[0], 3)
        self.assertEqual(self.pinka(None, "admin", "refund", "999999", "1", *verb)[0], 4)
        self.assertEqual(self.pinka("carol", "admin", "refund", task, "0.0001", *verb)[0], 5)
        self.assertEqual(self.pinka(None, "admin", "refund", task, "0.0001", "-y")[0], 2)
        self.assertEqual(self.available("carol"), free - paid + Decimal("0.0001"))
        self.ok(None, "admin", "correct", charge["id"], "-0.0001", *verb)
        self.ok(None, "admin", "transfer", "1", "--from", "carol", "--to", "lab", *verb)
        self.assertEqual(self.available("carol"), free - paid + Decimal("0.0002") - 1)
        entries = self.json(None, "ledger", "--job", job)["entries"]
        self.assertEqual([e["linkedId"] for e in entries if e["kind"] in ("refund", "correct")], [charge["id"]] * 2)
        self.assertIn(f"refund of {charge['id']}", self.ok(None, "ledger", "--job", job))
        row = next(r for r in self.json(None, "usage", "--by", "job")["rows"] if r["key"] == str(job))
        self.assertEqual(Decimal(row["amount"]), paid - Decimal("0.0002"))
        self.assertEqual(self.check()[0], 0, self.check()[1])

    def apply(self, text):
        path = os.path.join(self.lab.root, "more.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return self.ok(None, "admin", "apply", path, "-y")

    def test_a_ceiling_ends_the_job_as_budget(self):
        self.topup("bob", 20)
        # 0.20 are a minute of a100-80; the supervisor ends it then.
        job = self.submit("bob", "--tier", "a100-80", "--time", "1h", "--max-cost", "0.20", "--", "sleep", "600")
        self.until(lambda: self.show("bob", job)["state"] == "RUNNING", "it to run")
        shown = self.show("bob", job)
        self.assertEqual(shown["maxCost"], "0.200000")
        self.assertLessEqual(Decimal(shown["committed"]), Decimal("0.20"))
        self.wait("bob", job)
        shown = self.show("bob", job)
        self.assertEqual(shown["state"], "BUDGET")
        self.assertLessEqual(Decimal(shown["charged"]), Decimal("0.20"))
        self.assertGreater(Decimal(shown["charged"]), Decimal("0.19"))
        dear = self.submit("bob", "--tier", "a100-80", "--time", "1h", "--max-rate", "11.99", "--", "true")
        self.until(lambda: self.show("bob", dear)["reason"] == "PriceAboveCap", "it to say why it waits")
        self.assertIn("above its --max-rate of ¥11.99", self.ok("bob", "why", dear))
        self.ok("bob", "cancel", dear)
        refused = self.pinka("bob", "submit", "--tier", "a100-80", "--max-cost", "0.01", "--", "true")
        self.assertEqual(refused[0], 3, refused)
        self.assertEqual(self.check()[0], 0, self.check()[1])

    def test_limits_tell_block_and_are_raised_for_a_while(self):
        self.topup("王芳", 100)
        self.apply("""
[[limit]]
resource = "money"
scope = "王芳"
period = "month"
amount = "15"
notify_at = [50]
[payers]
NodeLost = "checkpoint"
""")
        run = ["--tier", "a100-80", "--time", "1h", "--", "sleep", "600"]
        first = self.submit("王芳", *run)
        self.until(lambda: self.show("王芳", first)["state"] == "RUNNING", "the first to run")
        second = self.submit("王芳", *run)
        self.until(lambda: self.show("王芳", second)["reason"] == "Budget", "the second to wait")
        limit = self.json("王芳", "limits")["limits"][0]
        self.assertEqual(limit["crossed"], [50])
        self.assertGreaterEqual(limit["percent"], 80)
        self.assertIn("50 % crossed", self.ok("王芳", "limits"))
        raise_ = ["admin", "limit", "raise", "王芳", "--period", "month", "--to", "30", "--reason", "deadline"]
        self.assertEqual(self.pinka(None, *raise_, "--until", "now-1h", "-y")[0], 2)
        self.assertEqual(self.pinka(None, *raise_, "--until", "now+1h")[0], 2)
        self.assertEqual(self.pinka("王芳", *raise_, "--until", "now+1h", "-y")[0], 5)
        self.json(None, *raise_, "--until", "now+1h", "-y")
        again = self.pinka(None, *raise_, "--until", "now+1h", "-y")
        self.assertEqual(again[0], 2, again)
        self.assertIn("is ¥30.00 already", again[2])
        self.until(lambda: self.show("王芳", second)["state"] == "RUNNING", "the second to run")
        self.assertIn("raised, then ¥15.00", self.ok("王芳", "limits"))
        listed = next(x for x in self.json(None, "admin", "limit", "ls")["limits"] if x["scope"] == "王芳")
        self.assertEqual((listed["raisedFrom"], listed["member"]), ("15.000000", "王芳"))
        self.ok("王芳", "cancel", first, second)
        for job in (first, second):
            self.wait("王芳", job)

    def test_a_quote_is_likely_what_was_usual(self):
        self.topup("carol", 20)
        spec = ["--tier", "t4", "--time", "1h", "--name", "usual"]
        before = self.json("carol", "quote", *spec)["quotes"][0]
        self.assertEqual((before["likely"], before["likelyFrom"]), (before["atMost"], ""))
        job = self.submit("carol", *spec, "--", "sleep", "0.5")
        self.wait("carol", job)
        after = self.json("carol", "quote", *spec)["quotes"][0]
        self.assertLess(Decimal(after["likely"]), Decimal("0.1"))
        self.assertEqual(after["likelyFrom"], "one run of yours named usual")
        self.assertIn("Likely is by one run of yours named usual.", self.ok("carol", "quote", *spec))

    def test_reports_sum_to_what_accounts_settled(self):
        self.topup("lab", 10)
        for user in ("alice", "bob", "王芳"):
            job = self.submit(user, "--tier", "a100-80", "--time", "1m", "--", "sleep", "0.2")
            self.assertEqual(self.wait(user, job), 0)
        usage = self.json(None, "usage", "--by", "member")
        members = sum(Decimal(r["amount"]) for r in usage["rows"] if r["key"] != "lab")
        settled = sum(Decimal(a["settled"]) for a in self.json(None, "balance")["accounts"])
        self.assertEqual(members, settled)
        self.assertEqual(sum(Decimal(r["amount"]) for r in usage["rows"]), Decimal(usage["total"]["amount"]))


if __name__ == "__main__":
    main()
