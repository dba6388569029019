"""Group purchases through the whole system: C32, and what a package's hours do to everybody's numbers."""

import json
from decimal import Decimal

from lab import LabTest, main


class Packages(LabTest):
    shape = {"cpu": 2, "t4": 1, "a100": 4}
    money = 0

    def buy(self, *args):
        return self.json(None, "admin", "package", "buy", "--tier", "a100-80", *args, "-y")["package"]

    def portions(self, package):
        shown = self.json(None, "admin", "package", "show", package["id"])["packages"][0]
        return {p["owner"]: p for p in shown["portions"]}, shown

    def test_c32_parts_add_up(self):
        for price, split, parts in (
                ("100.00", "alice=1,bob=1,carol=1", ["33.340000", "33.330000", "33.330000"]),
                ("0.01", "alice=1,bob=1,carol=1", ["0.010000", "0.000000", "0.000000"]),
                ("10.00", "alice=1,bob=2,carol=4", ["1.430000", "2.860000", "5.710000"]),
                ("100.00", "alice=0.333,bob=0.333,carol=0.334", ["33.300000", "33.300000", "33.400000"])):
            package = self.buy("--hours", "7", "--price", price, "--split", split, "--until", "now+1h")
            self.assertEqual([p["cost"] for p in package["portions"]], parts)
            hours = sum(Decimal(p["total"]) for p in package["portions"])
            self.assertLessEqual(abs(hours - 7), Decimal("0.000002"))  # each shown to a millionth
            self.admin("admin", "package", "close", package["id"], "--reason", "test", "-y")
        for split in ("alice=0,bob=0", "alice=0.3,bob=0.3", "alice=1,dave=1", "alice=1,alice=2"):
            code, _, err = self.pinka(None, "admin", "package", "buy", "--tier", "a100-80", "--hours", "7",
                                      "--price", "1", "--split", split, "--until", "now+1h", "-y")
            self.assertIn(code, (2, 4), err)

    def test_hours_are_held_used_and_lent(self):
        package = self.buy("--hours", "9", "--price", "90", "--payer", "王芳", "--members", "王芳,alice,bob",
                           "--borrow", "2", "--until", "now+20h", "--provider", "算力云", "--reason", "春季团购")
        self.assertEqual(package["rate"], "10.000000")
        quoted = self.ok("alice", "quote", "--json", "--tier", "a100-80", "--time", "4h", "--", "true")
        quote = json.loads(quoted)["quotes"][0]
        self.assertEqual((quote["source"], quote["hours"], quote["atMost"]), ("package", "4.000000", "40.000000"))
        # Without any money: the own 3 hours and one that is lent.
        job = self.submit("alice", "--tier", "a100-80", "--time", "4h", "--",
                          "sh", "-c", "sleep 1; echo past; exec sleep 600")
        self.until(lambda: self.show("alice", job)["state"] == "RUNNING", "the start")
        mine, _ = self.portions(package)
        self.assertEqual((mine["alice"]["held"], mine["alice"]["left"]), ("3.000000", "0.000000"))
        waiting = self.submit("alice", "--tier", "a100-80", "--time", "2h", "--", "true")
        self.assertIn("unit-hours short", self.ok("alice", "why", waiting))
        # Long enough that a second of it can be given back.
        self.until(lambda: "past" in self.ok("alice", "logs", job), "a second to pass")
        self.ok("alice", "cancel", waiting, job)
        self.wait("alice", job)
        attempt = self.show("alice", job)["tasks"][0]["attempts"][0]
        self.assertEqual(attempt["source"], "package")
        self.assertEqual(attempt["packageId"], package["id"])
        mine, shown = self.portions(package)
        self.assertEqual(mine["alice"]["spent"], attempt["charged"])
        self.assertEqual(Decimal(shown["moved"]) + Decimal(shown["inventory"]), 90)
        balance = next(a for a in self.json("alice", "balance")["accounts"] if a["account"] == "alice")
        self.assertEqual(balance["portions"][0]["total"], "3.000000")
        self.assertEqual(Decimal(balance["available"]), 0)
        row = next(r for r in self.json("alice", "usage", "--by", "source")["rows"] if r["key"] == "package")
        self.assertEqual(row["amount"], attempt["charged"])
        self.assertGreater(Decimal(row["gpuHours"]), 0)
        lines = self.json("alice", "statement")["elsewhere"]["lines"]
        self.assertIn((attempt["charged"], "package"), [(line["amount"], line["source"]) for line in lines])
        rates = next(t for t in self.json("bob", "status")["tiers"] if t["tier"] == "a100-80")["rates"]
        self.assertIn("package", [r["source"] for r in rates])
        for user, args in (("alice", ("balance",)), (None, ("admin", "package", "ls")),
                           (None, ("admin", "package", "show", package["id"])), ("alice", ("ledger", "--job", job))):
            self.assertTrue(self.ok(user, *args))
        self.assertIn("王芳", self.ok(None, "admin", "package", "show", package["id"]))
        self.assertEqual(self.pinka("alice", "admin", "package", "ls")[0], 5)
        self.give_hours_back(package, job)
        self.admin("admin", "package", "close", package["id"], "--reason", "test", "-y")
        mine, shown = self.portions(package)
        self.assertEqual(Decimal(shown["inventory"]), 0)
        self.assertEqual(sum(Decimal(p["lapsedCost"]) for p in mine.values()), Decimal(shown["lapsed"]))

    def give_hours_back(self, package, job):
        task = self.show("alice", job)["tasks"][0]["id"]
        verb = ("--reason", "the node was slow", "-y")
        code, _, err = self.pinka(None, "admin", "refund", task, "0.01", *verb)
        self.assertEqual(code, 2, err)
        self.assertIn("say how many come back", err)
        code, _, err = self.pinka(None, "admin", "refund", task, "4h", *verb)
        self.assertEqual(code, 3, err)
        first = self.ok(None, "admin", "refund", task, "1s", *verb)
        self.assertIn("went back into the package", first)
        rest = self.json(None, "admin", "refund", task, "all", *verb)
        self.assertEqual(rest["entries"], "2", "the hours, and what they had cost")
        mine, shown = self.portions(package)
        self.assertEqual(mine["alice"]["left"], "3.000000")
        self.assertEqual(Decimal(shown["inventory"]), 90)
        self.assertIn("refund of", self.ok(None, "ledger", "--job", job))

    def test_sources_that_are_not_there_are_refused(self):
        for source in ("spot", "package", "trial"):
            code, _, err = self.pinka("carol", "submit", "--tier", "a100-80", "--source", source, "--", "true")
            self.assertIn(code, (1, 3), err)
            self.assertIn("--source", err)
        self.assertEqual(self.pinka("carol", "submit", "--source", "free", "--", "true")[0], 2)


if __name__ == "__main__":
    main()
