"""A month of ten people who share 1,000 a100 hours for 12,000 yuan, from the books to the last
payment, as the treasurer sees it: 700 hours used, 300 lapsed, a refund, a correction, a bill with a
machine that nobody knows. docs/ledger.md shows what this prints (PINKA_TRANSCRIPT=FILE writes it).
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from decimal import Decimal

from lab import BIN, DEADLINE, main

MONTH = "2026-09"
PEOPLE = ["alice", "bob", "carol", "王芳", "dave", "erin", "frank", "grace", "heidi", "ivan"]
BILL = """\
instance,kind,from,to,amount,text
t4-1,compute,2026-09-03T10:00:00+08:00,2026-09-03T11:00:00+08:00,2.00,RTX T4 x1
t4-7,compute,2026-09-11T22:10:00+08:00,2026-09-12T02:22:00+08:00,8.40,RTX T4 x1
t4-1,egress,2026-09-03T10:00:00+08:00,2026-09-03T11:00:00+08:00,1.20,1.5 GB
,voucher,2026-09-01T00:00:00+08:00,2026-10-01T00:00:00+08:00,-1.00,student
"""


class SharedMonth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp(prefix="pinka-month-")
        os.chmod(cls.root, 0o755)
        cls.books = subprocess.Popen([BIN + "/shared_month"], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
        url = cls.books.stdout.readline().strip()
        cls.token = cls.books.stdout.readline().strip()
        cls.url = url
        config = os.path.join(cls.root, "pinkad.toml")
        with open(config, "w") as f:
            f.write(f'listen = "127.0.0.1:0"\ndatabase_url = "{url}"\ndata = "{cls.root}"\n')
        cls.log = open(os.path.join(cls.root, "pinkad.log"), "w")
        cls.pinkad = subprocess.Popen([BIN + "/pinkad", "serve", "--config", config],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=cls.log, text=True)
        line = cls.pinkad.stdout.readline()
        cls.server = next((w for w in line.split() if w.startswith("127.0.0.1:")), "")
        cls.transcript = []
        if not cls.server:
            cls.tearDownClass()
            raise AssertionError("pinkad serve did not come up: " + line)

    @classmethod
    def tearDownClass(cls):
        cls.pinkad.terminate()
        cls.pinkad.wait(DEADLINE)
        cls.books.stdin.close()
        cls.books.wait(DEADLINE)
        cls.log.close()
        if path := os.environ.get("PINKA_TRANSCRIPT"):
            with open(path, "w") as f:
                f.write("\n".join(cls.transcript))
        shutil.rmtree(cls.root, ignore_errors=True)

    def run_pinka(self, *words):
        env = {"PATH": os.environ["PATH"], "HOME": self.root, "LANG": "C.UTF-8", "COLUMNS": "100",
               "PINKA_SERVER": self.server, "PINKA_TOKEN": self.token}
        return subprocess.run([BIN + "/pinka", *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=DEADLINE, env=env,
                              cwd=self.root)

    def pinka(self, *words):
        done = self.run_pinka(*words)
        self.assertEqual(done.returncode, 0, f"pinka {words}: {done.stderr}")
        self.transcript.append("$ pinka " + " ".join(words) + "\n" + done.stdout)
        return done.stdout

    def json(self, *words):
        done = self.run_pinka(*words, "--json")
        self.assertEqual(done.returncode, 0, f"pinka {words}: {done.stderr}")
        return json.loads(done.stdout)

    def check(self):
        done = subprocess.run([BIN + "/pinkad", "check", "--config", self.root + "/pinkad.toml"],
                              capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_treasurers_month(self):
        self.check()
        self.pinka("admin", "package", "show", self.json("admin", "package", "ls", "-a")["packages"][0]["id"])
        self.pinka("usage", "--month", MONTH)
        with open(os.path.join(self.root, "bill.csv"), "w") as f:
            f.write(BILL)
        self.reconcile()
        self.pinka("admin", "close", "--month", MONTH, "-y")
        self.settle()
        self.check()

    def reconcile(self):
        self.pinka("admin", "reconcile", "--invoice", "bill.csv", "--provider", "hengyuan", "--ref",
                   "2026-09/1", "--payer", "bob", "-y")
        refused = self.run_pinka("admin", "close", "--month", MONTH, "-y")
        self.assertEqual(refused.returncode, 7, refused.stderr)
        self.transcript.append(f"$ pinka admin close --month {MONTH} -y\n{refused.stderr}")
        bill = self.json("admin", "invoice", "ls")["invoices"][0]["id"]
        self.pinka("admin", "invoice", "explain", f"{bill}:2", "--as", "overhead", "--reason",
                   "left on over night", "-y")

    def settle(self):
        text = self.pinka("admin", "settle", "--month", MONTH, "-y")
        for name in PEOPLE:
            self.assertIn(name, text)
        answer = self.json("admin", "settle", "--month", MONTH, "-y")
        positions = {p["member"]: Decimal(p["position"]) for p in answer["positions"]}
        self.assertEqual(sum(positions.values()), 0)
        self.assertLessEqual(len(answer["payments"]), 9)
        for payment in answer["payments"]:
            self.pinka("admin", "payment", "done", payment["id"], "--ref", "bank", "-y")
            positions[payment["from"]] += Decimal(payment["amount"])
            positions[payment["to"]] -= Decimal(payment["amount"])
        for name, left in positions.items():
            self.assertLess(abs(left), Decimal("0.01"), name)
        after = self.json("admin", "settle", "--month", "2026-10", "--dry-run")
        for position in after["positions"]:
            self.assertLess(abs(Decimal(position["position"])), Decimal("0.01"), position)


if __name__ == "__main__":
    main()
