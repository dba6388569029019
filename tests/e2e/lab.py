"""A whole lab as real processes, for one test class: `pinkad up` in a directory of its own, the
members of the cases, and the command line as people use it.

    class Something(LabTest):
        def test_it_works(self):
            job = self.submit("alice", "--tier", "t4", "--time", "10m", "--", "true")
            self.assertEqual(self.wait("alice", job), 0)

Waits are waits for an event (`pinka wait`, a line of output), never for a time.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = os.environ.get("PINKA_BIN", os.path.join(os.path.dirname(__file__), "../../build/bin"))
BIN = os.path.abspath(BIN)
DEADLINE = 120  # seconds until a wait for an event gives up

LAB = """
[lab]
name = "test"
currency = "CNY"
timezone = "Asia/Shanghai"
openness = "queue"
confirm_above = "50.00"
simulated_nodes = {{cpu = {cpu}, t4 = {t4}, a100-80 = {a100}}}

[[tier]]
name = "cpu"
unit = {{gpus = 0, cpus = 1, memory = "1G"}}
default_time = "10m"
max_time = "1d"
rates = {{on_demand = "0.40"}}

[[tier]]
name = "t4"
unit = {{gpus = 1, cpus = 2, memory = "4G"}}
default_time = "30m"
max_time = "1d"
rates = {{on_demand = "2.00"}}

[[tier]]
name = "a100-80"
unit = {{gpus = 1, cpus = 4, memory = "16G"}}
default_time = "1h"
max_time = "3d"
rates = {{on_demand = "12.00"}}

[[member]]
name = "alice"
[[member]]
name = "bob"
[[member]]
name = "carol"
[[member]]
name = "王芳"
"""


class Lab:
    """One `pinkad up`. Survives kill -9 of its parts: `up` again goes on."""

    def __init__(self, cpu=8, t4=2, a100=8, up=()):
        self.up_options = up  # of `pinkad up`
        self.root = tempfile.mkdtemp(prefix="pinka-e2e-")
        os.chmod(self.root, 0o755)
        self.data = os.path.join(self.root, "data")
        self.home = os.path.join(self.root, "home")
        os.mkdir(self.home)
        self.lab_file = os.path.join(self.root, "lab.toml")
        with open(self.lab_file, "w") as f:
            f.write(LAB.format(cpu=cpu, t4=t4, a100=a100))
        self.tokens = {}
        self.process = None
        self.port = "0"
        self.ready_line = ""  # what pinkad says when it is up, with its addresses
        self.log = open(os.path.join(self.root, "pinkad.log"), "ab")

    # --- life ----------------------------------------------------------------------------------

    def up(self):
        self.close_stdout()
        self.process = subprocess.Popen(
            [BIN + "/pinkad", "up", "--data", self.data, "--port", self.port, "--page-port", "0", *self.up_options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log,
            env=self.environment(), start_new_session=True)
        line = self.process.stdout.readline().decode()
        if "ready" not in line:
            self.process.wait()
            raise AssertionError("pinkad did not come up: " + self.log_text()[-4000:])
        self.ready_line = line
        self.address = line.split(" ready on ")[1].split()[0].rstrip(",")
        return line

    def keep_port(self):
        """For agents of the test's own, which know the address: the next `up` is there again."""
        self.port = self.address.rsplit(":", 1)[1]

    def close_stdout(self):
        if self.process:
            self.process.stdout.close()

    def found(self):
        self.up()
        self.admin("admin", "apply", self.lab_file, "-y")
        for name in ("alice", "bob", "carol", "王芳"):
            self.tokens[name] = self.admin("admin", "member", "token", name).strip()
        self.until(lambda: self.ready_nodes() >= 3, "three local agents")

    def ready_nodes(self):
        nodes = json.loads(self.admin("nodes", "--json"))["nodes"]
        return sum(1 for n in nodes if n["state"] == "READY")

    def down(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(DEADLINE)
        return self.process.returncode if self.process else None

    def destroy(self):
        try:
            self.down()
        finally:
            self.close_stdout()
            self.log.close()
            shutil.rmtree(self.root, ignore_errors=True)

    # --- the command line ------------------------------------------------------------------------

    def environment(self, user=None, **more):
        # Jobs start in scratch directories; tests of files along with jobs say so themselves.
        env = {"PATH": os.environ["PATH"], "HOME": self.home, "LANG": "C.UTF-8",
               "PINKA_WORKDIR": "none"}
        if user:
            env["PINKA_TOKEN"] = self.tokens[user]
        env.update(more)
        return env

    def pinka(self, user, *args, input=None, env=None, cwd=None, timeout=DEADLINE):
        """(exit code, stdout bytes, stderr text)"""
        done = subprocess.run([BIN + "/pinka", *args], input=input,
                              stdin=subprocess.DEVNULL if input is None else None,
                              capture_output=True, timeout=timeout, cwd=cwd,
                              env=self.environment(user, **(env or {})))
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")

    def ok(self, user, *args, **kw):
        code, out, err = self.pinka(user, *args, **kw)
        if code != 0:
            raise AssertionError(f"pinka {args} as {user}: exit {code}\n{err}\n{self.log_text()[-2000:]}")
        return out.decode()

    def admin(self, *args):
        return self.ok(None, *args)

    def json(self, user, *args):
        return json.loads(self.ok(user, *args, "--json"))

    def submit(self, user, *args, **kw):
        return self.ok(user, "submit", "-q", *args, **kw).strip()

    def wait(self, user, job, timeout=DEADLINE):
        return self.pinka(user, "wait", job, timeout=timeout)[0]

    def show(self, user, job):
        return self.json(user, "show", job)["job"]

    def logs(self, user, job):
        code, out, err = self.pinka(user, "logs", job)
        if code != 0:
            raise AssertionError(f"logs {job}: exit {code} {err}")
        return out

    def topup(self, name, amount):
        self.admin("admin", "deposit", str(amount), "--to", name, "--reason", "test", "-y")

    def balance(self, name):
        accounts = self.json(None, "balance")["accounts"]
        return next((a for a in accounts if a["account"] == name), None)

    # --- helpers ---------------------------------------------------------------------------------

    def log_text(self):
        with open(os.path.join(self.root, "pinkad.log"), errors="replace") as f:
            return f.read()

    def until(self, condition, what):
        end = time.monotonic() + DEADLINE
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"waited {DEADLINE} s for {what}\n{self.log_text()[-3000:]}")
            time.sleep(0.05)

    def children(self, name):
        """Process ids of programs of that name that serve this lab."""
        found = []
        for pid in os.listdir("/proc"):
            if not pid.isdigit():
                continue
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    argv = f.read().split(b"\0")
            except OSError:
                continue
            mine = any(self.root.encode() in a for a in argv)
            if mine and os.path.basename(argv[0].decode(errors="replace")) == name:
                found.append(int(pid))
        return found

    def processes_of(self, attempt):
        """Processes that carry PINKA_ATTEMPT_ID=attempt and this lab's directory."""
        found = []
        for pid in os.listdir("/proc"):
            if not pid.isdigit():
                continue
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    env = f.read().split(b"\0")
            except OSError:
                continue
            if b"PINKA_ATTEMPT_ID=" + attempt.encode() in env and any(self.root.encode() in e for e in env):
                found.append(int(pid))
        return found

    def check(self):
        """pinkad check beside the running server; its text on a violation."""
        done = subprocess.run([BIN + "/pinkad", "check", "--data", self.data],
                              capture_output=True, timeout=DEADLINE, env=self.environment())
        return done.returncode, (done.stdout + done.stderr).decode()


class LabTest(unittest.TestCase):
    """One lab for all tests of a class; the books are checked after each class."""

    shape = {}
    money = 1000

    @classmethod
    def make_lab(cls):
        return Lab(**cls.shape)

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.make_lab()
        try:
            cls.lab.found()
            if cls.money:
                cls.lab.topup("lab", cls.money)
        except BaseException:
            cls.lab.destroy()
            raise

    @classmethod
    def tearDownClass(cls):
        try:
            code, text = cls.lab.check()
            if code != 0:
                raise AssertionError("the books are not in order:\n" + text)
        finally:
            cls.lab.destroy()

    def __getattr__(self, name):  # self.submit is self.lab.submit, and so on
        return getattr(self.__class__.lab, name)


def main():
    unittest.main(verbosity=2, argv=[sys.argv[0], *sys.argv[1:]])
