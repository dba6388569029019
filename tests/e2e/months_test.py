"""The month's end through the whole system: close, settle, pay (C32 C37), and what is refused."""

from datetime import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from lab import LabTest, main


class Months(LabTest):
    shape = {"cpu": 4, "t4": 2, "a100": 8}
    money = 0

    def admin(self, *words):
        return self.ok(None, "admin", *words)

    def this_month(self):
        return datetime.now(ZoneInfo("Asia/Shanghai")).strftime("%Y-%m")

    def month_before(self):
        year, month = map(int, self.this_month().split("-"))
        return f"{year - (month == 1)}-{(month - 2) % 12 + 1:02}"

    def test_who_used_whose_money_shows_so_far(self):
        self.admin("deposit", "60", "--to", "lab", "--from", "alice", "-y")
        self.admin("deposit", "20", "--to", "lab", "--from", "王芳", "-y")
        job = self.submit("bob", "--tier", "cpu", "--time", "1m", "--", "sleep", "2")
        self.assertEqual(self.wait("bob", job), 0)
        charged = Decimal(self.show("bob", job)["charged"])
        self.assertGreater(charged, 0)
        month = self.this_month()
        answer = self.json(None, "admin", "settle", "--month", month, "--dry-run")
        self.assertEqual(answer["state"], "open")
        by_name = {p["member"]: p for p in answer["positions"]}
        self.assertEqual(Decimal(by_name["bob"]["position"]), -charged)
        self.assertEqual(sum(Decimal(p["position"]) for p in answer["positions"]), 0)
        self.assertEqual(Decimal(by_name["alice"]["paid"]), 60)
        part = Decimal(by_name["alice"]["position"]) - charged * 3 / 4
        self.assertLessEqual(abs(part), Decimal("0.000001"))
        text = self.admin("settle", "--month", month, "--dry-run")
        self.assertIn("王芳", text)
        self.assertEqual(self.json(None, "admin", "payment", "ls", "-a")["payments"], [])
        code, _, err = self.pinka(None, "admin", "settle", "--month", month, "-y")
        self.assertEqual(code, 7, err)
        self.assertIn("is still open; close it first", err)
        code, _, err = self.pinka(None, "admin", "close", "--month", month, "-y")
        self.assertEqual(code, 7, err)
        self.assertIn("is not over", err)
        code, _, err = self.pinka("alice", "admin", "settle", "--month", month, "--dry-run")
        self.assertEqual(code, 5, err)

    def test_a_month_is_closed_and_settled_once(self):
        month = self.month_before()
        code, _, err = self.pinka(None, "admin", "close", "--month", month)
        self.assertEqual(code, 2, err)
        self.assertIn("Closed " + month, self.admin("close", "--month", month, "-y"))
        self.assertIn("is closed already; nothing was changed", self.admin("close", "--month", month, "-y"))
        settled = self.json(None, "admin", "settle", "--month", month, "--spread", "equal", "-y")
        self.assertEqual((settled["state"], settled["spread"], settled["note"]), ("settled", "equal", ""))
        again = self.json(None, "admin", "settle", "--month", month, "-y")
        self.assertEqual(again["spread"], "equal")
        self.assertIn("is settled already; nothing was changed", again["note"])
        self.assertEqual(again["positions"], settled["positions"])
        code, _, err = self.pinka(None, "admin", "payment", "done", "999", "--ref", "bank", "-y")
        self.assertEqual(code, 4, err)
        for words in (["--month", "2026-13"], ["--month", "last"], []):
            code, _, err = self.pinka(None, "admin", "close", *words, "-y")
            self.assertEqual(code, 2, err)


if __name__ == "__main__":
    main()
