"""A provider's bill through the whole system: read, booked once, explained (semantics.md 9)."""

import os
from decimal import Decimal

from lab import LabTest, main

BILL = """\ufeff"实例ID","商品名称","服务开始时间","服务结束时间","应付金额"
"i-orphan","GPU 实例","{month}-01 10:00:00","{month}-01 13:00:00","36.00"
"","公网流量","{month}-01 10:00:00","{month}-01 13:00:00","0.70"
"","学生代金券","{month}-01","{month}-01","-10.00"
"合计","","","","26.70"
"""


class Reconcile(LabTest):
    shape = {"cpu": 2}
    money = 0

    def admin(self, *words):
        return self.ok(None, "admin", *words)

    def bill(self, text, ref, *words):
        path = os.path.join(self.lab.root, ref + ".csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return ["reconcile", "--invoice", path, "--provider", "aliyun", "--ref", ref, *words]

    def adds_up(self, identity):
        parts = ("charges", "members", "overhead", "idle", "rounding", "disk", "egress", "variance", "unknown")
        total = sum(Decimal(identity[part]) for part in parts) - Decimal(identity["vouchers"])
        self.assertEqual(total, Decimal(identity["total"]))

    def test_a_bill_with_an_orphan_machine(self):
        words = self.bill(BILL.format(month="2026-01"), "2026-01", "--payer", "alice")
        dry = self.json(None, "admin", *words, "--dry-run")
        self.assertEqual((dry["invoice"]["id"], dry["lines"], dry["preset"]), ("0", "3", "aliyun"))
        self.assertEqual(Decimal(dry["identity"]["unknown"]), 36)
        self.adds_up(dry["identity"])
        self.assertEqual(self.json(None, "admin", "invoice", "ls")["invoices"], [])
        code, _, err = self.pinka(None, "admin", *words)
        self.assertEqual(code, 2, err)

        text = self.admin(*words, "-y")
        self.assertIn("paid by alice", text)
        self.assertIn("i-orphan", text)
        self.assertIn("█", text)
        bill = self.json(None, "admin", "invoice", "ls")["invoices"][0]
        self.assertIn(f"pinka admin invoice explain {bill['id']}:1 --as", text)
        code, _, err = self.pinka(None, "admin", *words, "-y")
        self.assertEqual(code, 7, err)
        self.assertIn(f"imported as invoice {bill['id']} already", err)

        line = bill["id"] + ":1"
        explain = ["invoice", "explain", line]
        self.admin(*explain, "6", "--as", "idle", "--reason", "forgotten", "-y")
        code, _, err = self.pinka(None, "admin", *explain, "31", "--as", "idle", "--reason", "x", "-y")
        self.assertEqual(code, 3, err)
        self.admin(*explain, "--as", "member=王芳", "--reason", "她的", "-y")
        shown = self.json(None, "admin", "invoice", "show", bill["id"], "--lines")
        self.assertEqual(len(shown["lines"]), 3)
        self.assertEqual(Decimal(shown["identity"]["members"]), 30)
        self.assertEqual(Decimal(shown["identity"]["idle"]), 6)
        self.assertEqual(Decimal(shown["identity"]["unknown"]), 0)
        self.assertEqual(Decimal(shown["identity"]["vouchers"]), 10)
        self.adds_up(shown["identity"])
        self.admin("invoice", "show", bill["id"], "--lines")
        code, _, err = self.pinka(None, "admin", *explain, "--as", "idle", "--reason", "x", "-y")
        self.assertEqual(code, 7, err)
        code, _, err = self.pinka("bob", "admin", "invoice", "ls")
        self.assertEqual(code, 5, err)

    def test_what_cannot_be_read_is_named(self):
        for text, says in (
            ("实例ID,金额\nx,1\n", "no column for 'from'"),
            (BILL.format(month="2026-02").replace("36.00", "36,oo"), "line 2, column 'amount' (应付金额)"),
        ):
            code, _, err = self.pinka(None, "admin", *self.bill(text, "2026-02", "-y"))
            self.assertEqual(code, 2, err)
            self.assertIn(says, err)
        code, _, err = self.pinka(None, "admin", *self.bill(BILL.format(month="2026-02"), "b", "--total", "99", "-y"))
        self.assertEqual(code, 2, err)
        self.assertIn("is a line missing?", err)
        self.assertEqual(self.pinka(None, "admin", "invoice", "show", "999")[0], 4)


if __name__ == "__main__":
    main()
