"""Usage, statements and the ledger as files: C76 C77, and sums that hold in every form."""

import csv
import io
import os
import re
import stat
from decimal import Decimal

from lab import LabTest, main

MARK = b"\xef\xbb\xbf"


def rows_of(data):
    """What a spreadsheet reads: one dict a line."""
    text = data.decode("utf-8")
    assert text.count("\n") == text.count("\r\n"), "lines end in CRLF"
    return list(csv.DictReader(io.StringIO(text, newline="")))


class Reports(LabTest):
    shape = {"cpu": 4, "t4": 2, "a100": 4}
    money = 100

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lab = cls.lab
        lab.admin("admin", "deposit", "20", "--to", "王芳", "--reason", '=1+1,第"1"版', "-y")
        for user, tier in (("王芳", "a100-80"), ("王芳", "t4"), ("alice", "t4")):
            job = lab.submit(user, "--tier", tier, "--time", "1m", "--name", "=x", "--", "sleep", "0.4")
            assert lab.wait(user, job) == 0
        job = lab.submit("alice", "--tier", "t4", "--time", "1m", "--", "false")
        assert lab.wait("alice", job) == 1

    def path(self, name):
        return os.path.join(self.lab.root, name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def saved(self, user, *args):
        """What `pinka ARGS FILE` writes; nothing is left beside it."""
        name = "报表.out"
        before = set(os.listdir(self.lab.root))
        self.ok(user, *args, self.path(name))
        self.assertLessEqual(set(os.listdir(self.lab.root)) - before, {name})
        return self.read(name)

    def test_usage_csv(self):
        usage = self.json(None, "usage", "--by", "member")
        data = self.saved(None, "usage", "--by", "member", "--csv")
        self.assertTrue(data.startswith(MARK), "opens in Excel with Chinese intact")
        rows = rows_of(data[len(MARK):])
        self.assertEqual([r["member"] for r in rows], [r["key"] for r in usage["rows"]])
        self.assertEqual(sum(Decimal(r["amount"]) for r in rows), Decimal(usage["total"]["amount"]))
        self.assertTrue(all(re.fullmatch(r"-?\d+\.\d{6}", r["amount"]) for r in rows))
        piped = self.ok(None, "usage", "--by", "member", "--csv", "-")
        self.assertEqual(piped.encode(), data[len(MARK):], "a program in a pipe gets no mark")
        self.assertEqual(self.ok(None, "usage", "--csv"), piped)

    def test_printed_lines_sum_to_the_printed_total(self):
        for by in ("member", "project", "tier", "source", "node", "day", "month", "job"):
            lines = self.ok(None, "usage", "--by", by).splitlines()[1:]
            shown = [Decimal(re.search(r"¥(\d+\.\d\d)", line)[1]) for line in lines]
            self.assertEqual(sum(shown[:-1]), shown[-1], by)

    def test_each_key_says_the_same_in_each_form(self):
        for by in ("member", "project", "tier", "source", "node", "day", "month", "job"):
            answer = self.json(None, "usage", "--by", by)
            rows = rows_of(self.saved(None, "usage", "--by", by, "--csv")[len(MARK):])
            self.assertEqual([r[by] for r in rows], [r["key"] for r in answer["rows"]], by)
            self.assertEqual(sum(Decimal(r["amount"]) for r in rows), Decimal(answer["total"]["amount"]), by)
            page = self.saved(None, "usage", "--by", by, "--html").decode()
            self.assertIn(f"Usage by {by}", page)
            self.assertEqual(page.count("<rect class=\"plus\""), len(rows), by)

    def test_filters(self):
        total = lambda *args: Decimal(self.json(None, "usage", *args)["total"]["amount"])
        self.assertEqual(total("--tier", "t4") + total("--tier", "a100-80"), total())
        self.assertEqual(total("--user", "王芳") + total("--user", "alice"), total())
        self.assertEqual(total("--source", "on_demand"), total())
        self.assertEqual(total("--source", "spot"), 0)
        jobs = [r["key"] for r in self.json(None, "usage", "--by", "job")["rows"]]
        self.assertEqual(sum(total("--job", job) for job in jobs), total())
        node = self.json(None, "usage", "--by", "node")["rows"][0]
        self.assertEqual(total("--node", node["key"]), Decimal(node["amount"]))
        for args in (("--tier", "nowhere"), ("--node", "nowhere"), ("--project", "nowhere")):
            code, _, err = self.pinka(None, "usage", *args)
            self.assertEqual(code, 4, err)
        self.assertEqual(self.pinka(None, "usage", "--source", "stolen")[0], 2)

    def test_pool(self):
        pool = self.json(None, "pool")
        parts = ("used", "wasted", "idle", "other")
        for row in pool["rows"] + [pool["total"]]:
            self.assertEqual(sum(Decimal(row[p]) for p in parts), Decimal(row["paid"]), row)
            self.assertEqual(sum(Decimal(row[p + "Percent"]) for p in parts), 100, row)
        usage = {r["key"]: r for r in self.json(None, "usage", "--by", "tier")["rows"]}
        for row in pool["rows"]:
            self.assertEqual(row["paid"], usage[row["tier"]]["amount"], "nothing was rented yet")
        t4 = next(r for r in pool["rows"] if r["tier"] == "t4")
        self.assertGreater(Decimal(t4["wasted"]), 0, "one job failed")
        self.assertEqual(t4["wasted"], usage["t4"]["wasted"])
        month = self.json("王芳", "statement")["month"]
        text = self.ok(None, "pool", "--month", month)
        self.assertIn("100.00 %", text, "the a100 tier was used well")
        self.assertRegex(text, r"t4 +¥\d+\.\d\d .* % .*#{10}")
        rows = rows_of(self.saved(None, "pool", "--csv")[len(MARK):])
        self.assertEqual(sum(Decimal(r["paid"]) for r in rows), Decimal(pool["total"]["paid"]))
        self.assertEqual(self.json(None, "pool", "--to", "2020-01-01")["rows"], [])
        code, _, err = self.pinka("alice", "pool")
        self.assertEqual(code, 5, err)
        self.assertEqual(self.pinka(None, "pool", "--month", month, "--from", "2020-01-01")[0], 2)

    def test_statement(self):
        mine = self.json("王芳", "statement")
        self.assertTrue(mine["soFar"])
        self.assertEqual(Decimal(mine["opening"]), 0)
        sections = [mine[s] for s in ("credits", "charges", "refunds", "withdrawals", "lapses", "other")]
        self.assertEqual(sum(Decimal(s["total"]) for s in sections), Decimal(mine["closing"]))
        account = self.balance("王芳")
        self.assertEqual(Decimal(mine["closing"]), Decimal(account["credited"]) - Decimal(account["settled"]))
        self.assertEqual(len(mine["charges"]["lines"]), 2, "one line an attempt")
        self.assertEqual(mine["charges"]["lines"][0]["tier"], "a100-80")
        following = self.month_after(mine["month"])
        self.assertEqual(self.json("王芳", "statement", "--month", following)["opening"], mine["closing"])
        text = self.ok("王芳", "statement")
        self.assertIn("王芳, " + mine["month"] + " so far", text)
        self.assertIn("closing so far", text)

    @staticmethod
    def month_after(month):
        year, number = map(int, month.split("-"))
        return f"{year + number // 12}-{number % 12 + 1:02}"

    def test_statement_of_what_others_paid(self):
        alice = self.json("alice", "statement")
        self.assertEqual(Decimal(alice["closing"]), 0)
        paid = alice["elsewhere"]
        self.assertEqual({line["account"] for line in paid["lines"]}, {"lab"})
        usage = self.json(None, "usage", "--user", "alice")
        self.assertEqual(paid["total"], usage["total"]["amount"])
        self.assertEqual(self.json(None, "statement", "--user", "alice")["elsewhere"], paid)
        code, _, err = self.pinka("alice", "statement", "--user", "王芳")
        self.assertEqual(code, 4, err)

    def test_statement_and_ledger_csv(self):
        mine = self.json("王芳", "statement")
        rows = rows_of(self.saved("王芳", "statement", "--csv")[len(MARK):])
        self.assertEqual(rows[0]["section"], "opening")
        own = sum(Decimal(r["amount"]) for r in rows if r["section"] not in ("closing", "elsewhere"))
        self.assertEqual(own, Decimal(mine["closing"]))
        self.assertLess(Decimal(next(r["amount"] for r in rows if r["section"] == "charges")), 0)
        self.assertTrue(all(r["at"].endswith("+08:00") for r in rows))
        deposit = next(r for r in rows if r["kind"] == "deposit")
        self.assertEqual(deposit["reason"], "'=1+1,第\"1\"版", "no cell is a formula")
        entries = rows_of(self.saved(None, "ledger", "--account", "王芳", "--csv")[len(MARK):])
        self.assertEqual(entries[0]["to"], "王芳")
        self.assertEqual(entries[0]["amount"], "20.000000")
        self.assertEqual(entries[0]["reason"], deposit["reason"])
        self.assertEqual(len(entries), 3)
        self.assertEqual(Decimal(entries[-1]["balance"]), Decimal(mine["closing"]), "adds up")

    def test_pages(self):
        for user, args in ((None, ("usage", "--by", "member")), ("王芳", ("statement",))):
            page = self.saved(user, *args, "--html").decode()
            self.assertTrue(page.startswith("<!DOCTYPE html>"))
            self.assertIn("王芳", page)
            self.assertIn("<svg", page)
            self.assertIn("+08:00", page)
            self.assertNotRegex(page, r"https?:|<script|src=")

    def test_the_page_of_the_pool(self):
        page = self.saved(None, "pool", "--html").decode()
        self.assertIn("a100-80", page)
        self.assertIn("part0", page)
        self.assertIn("wasted</span>", page)
        self.assertNotRegex(page, r"https?:|<script|src=")

    def test_files_are_whole_or_not_there(self):
        target = self.path("old.html")
        with open(target, "w") as f:
            f.write("old")
        os.chmod(target, 0o600)
        self.ok(None, "usage", "--html", target)
        self.assertTrue(self.read("old.html").startswith(b"<!DOCTYPE"))
        self.assertTrue(os.stat(target).st_mode & stat.S_IROTH or os.umask(os.umask(0)) & 0o004)
        code, _, err = self.pinka(None, "usage", "--csv", self.path("no/such/file.csv"))
        self.assertEqual(code, 1, err)
        self.assertIn("cannot write", err)
        code, _, err = self.pinka(None, "usage", "--json", "--csv", "-")
        self.assertEqual(code, 2, err)


if __name__ == "__main__":
    main()
