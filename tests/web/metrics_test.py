"""/metrics, the rules and the dashboard against a real Prometheus."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
from lab import DEADLINE, LabTest, main  # noqa: E402

DEPLOY = os.path.abspath(os.path.join(HERE, "../../deploy"))


def expressions():
    with open(os.path.join(DEPLOY, "grafana/pinka.json")) as f:
        for panel in json.load(f)["panels"]:
            for target in panel["targets"]:
                yield panel["title"], target["expr"]


@unittest.skipUnless(shutil.which("prometheus") and shutil.which("promtool"), "there is no Prometheus")
class Metrics(LabTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.root = tempfile.mkdtemp(prefix="pinka-prometheus-")
        cls.addClassCleanup(shutil.rmtree, cls.root)
        cls.page = re.search(r"page on (http://[0-9.:]+)", cls.lab.ready_line).group(1)

    def get(self, url):
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.read().decode()

    def values(self):
        """{name{labels}: number} of /metrics."""
        lines = [line for line in self.get(self.page + "/metrics").splitlines() if not line.startswith("#")]
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines}

    def test_numbers_are_the_labs(self):
        job = self.submit("alice", "--tier", "cpu", "--", "sleep", "600")
        self.until(lambda: self.show("alice", job)["state"] == "RUNNING", "the start")
        waits = self.submit("bob", "--tier", "cpu", "--begin", "now+1h", "--", "true")
        now = self.values()
        self.assertEqual(now['pinka_units{tier="cpu"}'], 8)
        self.assertEqual(now['pinka_units_free{tier="cpu"}'], 7)
        self.assertEqual(now['pinka_tasks{state="RUNNING",tier="cpu"}'], 1)
        self.assertEqual(now['pinka_tasks{state="PENDING",tier="cpu"}'], 1)
        self.assertEqual(now['pinka_nodes{state="READY",tier="cpu"}'], 1)
        self.assertEqual((now["pinka_holds"], now["pinka_leads"], now["pinka_members"]), (1, 1, 5))
        held = now['pinka_money{currency="CNY",kind="held"}']
        self.assertGreater(held, 0)
        charged = sum(value for name, value in now.items() if name.startswith("pinka_month_charged"))
        self.assertAlmostEqual(now['pinka_money{currency="CNY",kind="available"}'], 1000 - held - charged, 5)
        self.assertGreater(now["pinka_commit_seconds_count"], 0)
        self.ok("alice", "cancel", job)
        self.ok("bob", "cancel", waits)
        self.wait("alice", job)
        after = self.values()
        self.assertEqual(after["pinka_holds"], 0)
        charged = float(self.json(None, "usage")["total"]["amount"])
        self.assertAlmostEqual(sum(v for k, v in after.items() if k.startswith("pinka_month_charged")), charged, 6)
        for name in ("alice", "bob", "王芳"):
            self.assertNotIn(name, self.get(self.page + "/metrics"))

    def test_promtool_finds_nothing_wrong(self):
        text = self.get(self.page + "/metrics")
        done = subprocess.run(["promtool", "check", "metrics"], input=text.encode(), capture_output=True)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        done = subprocess.run(["promtool", "check", "rules", DEPLOY + "/prometheus/pinka.rules.yml"], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout.decode() + done.stderr.decode())
        done = subprocess.run(["promtool", "check", "config", DEPLOY + "/prometheus/prometheus.yml"], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout.decode() + done.stderr.decode())

    def prometheus(self):
        """A Prometheus that scrapes the lab; its address."""
        with open(DEPLOY + "/prometheus/prometheus.yml") as f:
            config = f.read().replace("127.0.0.1:7071", self.page.removeprefix("http://")).replace("15s", "1s")
        with open(self.root + "/prometheus.yml", "w") as f:
            f.write(config)
        shutil.copy(DEPLOY + "/prometheus/pinka.rules.yml", self.root)
        process = subprocess.Popen(
            ["prometheus", "--config.file", self.root + "/prometheus.yml", "--storage.tsdb.path", self.root + "/data",
             "--web.listen-address", "127.0.0.1:0"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait, DEADLINE)
        self.addCleanup(process.terminate)
        for line in process.stderr:
            found = re.search(r'msg="Listening on" .*address=(\S+)', line)
            if found:
                address = "http://" + found.group(1)
                self.until(lambda: self.is_ready(address), "Prometheus")
                return address
        self.fail("Prometheus did not come up")

    def is_ready(self, address):
        try:
            return self.get(address + "/-/ready") != ""
        except urllib.error.HTTPError:
            return False

    def ask(self, address, expr):
        answer = json.loads(self.get(f"{address}/api/v1/query?" + urllib.parse.urlencode({"query": expr})))
        self.assertEqual(answer["status"], "success", (expr, answer))
        return answer["data"]["result"]

    def test_every_expression_says_something(self):
        self.ok("alice", "limits")
        path = os.path.join(self.root, "limits.toml")
        with open(path, "w") as f:
            f.write('[[limit]]\nresource = "money"\nof = "all"\nscope = "lab"\nperiod = "month"\namount = "800"\n')
        self.admin("admin", "apply", path, "-y")
        job = self.submit("alice", "--tier", "t4", "--", "true")
        self.wait("alice", job)
        address = self.prometheus()
        self.until(lambda: self.ask(address, 'up{job="pinka"} == 1'), "the first scrape")
        silent = []
        for title, expr in expressions():
            # A rate needs two scrapes; a quantile needs a batch between them.
            self.submit("alice", "--tier", "cpu", "--", "true")
            try:
                self.until(lambda expr=expr: self.ask(address, expr), f"{title}: {expr}")
            except AssertionError:
                silent.append((title, expr))
        self.assertEqual(silent, [])
        groups = json.loads(self.get(address + "/api/v1/rules"))["data"]["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        self.assertGreater(len(rules), 8)
        for rule in rules:
            self.assertNotEqual(rule["health"], "err", rule)
            self.ask(address, rule["query"])
        firing = [rule["name"] for rule in rules if rule.get("state") == "firing"]
        self.assertEqual(firing, [])


if __name__ == "__main__":
    main()
