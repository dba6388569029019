"""The page in a real browser against a real lab: what it shows is what `pinka usage --json` says."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
from lab import BIN, LabTest, main  # noqa: E402

MODULES = os.path.abspath(os.path.join(HERE, "../../client/web"))
SHOTS = os.environ.get("PINKA_SHOTS", os.path.join(BIN, "../screenshots"))
CHROMIUM = shutil.which("chromium")
MARKUP = "<img src=x onerror='window.injected=true'><b>"
VIEWS = {"overview": "", "spending": "spending", "packages": "packages", "jobs": "jobs", "machines": "nodes",
         "settle": "settle", "submit": "submit"}


def built():
    return os.path.exists(os.path.join(BIN, "../share/pinka/page/index.html"))


@unittest.skipUnless(built() and CHROMIUM, "the page was not built, or there is no Chromium")
class Page(LabTest):
    def setUp(self):
        self.files = tempfile.mkdtemp(prefix="pinka-page-")
        os.chmod(self.files, 0o755)
        self.addCleanup(shutil.rmtree, self.files)
        os.makedirs(SHOTS, exist_ok=True)

    def spend(self):
        """Jobs of two members, one of which failed, and a package."""
        self.admin("admin", "package", "buy", "--payer", "bob", "--provider", "p", "--tier", "a100-80", "--hours",
                   "10", "--price", "120.00", "--until", "now+30d",
                   "--members", "alice,bob,王芳", "-y")
        jobs = [self.submit("alice", "--tier", "cpu", "--", "bash", "-c", "sleep 1"),
                self.submit("王芳", "--tier", "t4", "--name", MARKUP, "--", "bash", "-c", "sleep 1; exit 3"),
                self.submit("王芳", "--tier", "cpu", "--name", "预处理", "--", "bash", "-c", "echo 完成; sleep 1")]
        for user, job in zip(("alice", "王芳", "王芳"), jobs):
            self.wait(user, job)
        # One that waits, so that the queue has something to tell.
        self.submit("alice", "--tier", "t4", "--begin", "now+2h", "--name", "tonight", "--", "true")

    def browse(self):
        file = os.path.join(self.files, "go")
        plan = {
            "url": self.page_address() + "/", "modules": MODULES, "shots": SHOTS, "chromium": CHROMIUM,
            "admin": self.token_of_admin(), "member": self.tokens["王芳"], "views": VIEWS,
            "dimensions": ["member", "tier", "source", "day", "job"], "file": file, "name": MARKUP,
            "command": f"bash -c 'echo before the file; until [ -e {file} ]; do sleep 0.1; done; "
                       "echo \"<b>after the file</b>\"'",
        }
        done = subprocess.run(["node", os.path.join(HERE, "page.mjs")], input=json.dumps(plan).encode(),
                              capture_output=True, timeout=400)
        self.assertEqual(done.returncode, 0, done.stderr.decode() + self.log_text()[-2000:])
        return json.loads(done.stdout)

    def page_address(self):
        return re.search(r"page on (http://[0-9.:]+)", self.ready_line).group(1)

    def token_of_admin(self):
        with open(os.path.join(self.data, "tokens/admin")) as f:
            return f.read().strip()

    def test_the_page_shows_what_the_command_line_says(self):
        self.spend()
        saw = self.browse()
        self.assertEqual(saw["complaints"], [])
        with self.subTest("who is not let in sees nothing"):
            self.assertTrue(saw["refused"])
            self.assertEqual(saw["rowsBefore"], 0)
            self.assertEqual(saw["cookie"], [{"httpOnly": True, "sameSite": "Strict"}])
        with self.subTest("the form"):
            self.assertEqual(saw["quote"], "¥0.07")
            job = self.show(None, saw["job"])
            self.assertEqual((job["state"], job["name"]), ("COMPLETED", MARKUP))
        with self.subTest("the log, live and as text"):
            self.assertTrue(saw["notReloaded"])
            self.assertEqual(saw["log"].split("\n")[:2], ["before the file", "<b>after the file</b>"])
            self.assertFalse(saw["injected"])
        with self.subTest("settling"):
            self.assertGreater(len(saw["positions"]), 0)
            self.assertEqual(sum(map(Decimal, saw["positions"])), 0)
            self.assertIn("over", saw["closing"])
        with self.subTest("axe, sideways"):
            self.assertEqual({k: v for k, v in saw["axe"].items() if v}, {})
            self.assertEqual({k: v for k, v in saw["wide"].items() if v > 0}, {})
            self.assertEqual(len(saw["axe"]), 2 * (len(VIEWS) + 1))
        with self.subTest("a member"):
            self.assertIn("总览", saw["chinese"])
            self.assertNotIn("/settle", saw["memberPlaces"])
            self.assertEqual((saw["memberSettles"], saw["cookies"]), (0, 0))
        with self.subTest("sums"):
            self.sums(saw)

    def sums(self, saw):
        for by, seen in saw["sums"].items():
            usage = self.json(None, "usage", "--by", by)
            self.assertEqual(sorted(seen["rows"]), sorted(row["amount"] for row in usage["rows"]), by)
            self.assertEqual(sum(map(Decimal, seen["rows"])), Decimal(seen["total"]), by)
            self.assertEqual(seen["total"], usage["total"]["amount"], by)
        lines = saw["csv"].removeprefix("\ufeff").splitlines()
        self.assertEqual(lines[0], "member,gpu_hours,amount,jobs,attempts,wasted,currency")
        self.assertEqual(lines[-1].split(",")[2], saw["sums"]["member"]["total"])
        self.assertGreater(saw["drawn"], 0)


if __name__ == "__main__":
    main()
