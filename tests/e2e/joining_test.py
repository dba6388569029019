"""Boxes from elsewhere: certificates, join tokens, identities; partitions, and who pays for them.

Everything off this machine goes over TLS; here other machines are played by the names of this one, with
a proxy between that cuts (C49, C52, C84).
"""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import unittest

from lab import BIN, DEADLINE, Lab, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from proxy import Proxy  # noqa: E402

TIER = """
[[tier]]
name = "{name}"
unit = {{gpus = 1, cpus = 1, memory = "1G"}}
default_time = "10m"
max_time = "1d"
fence = "{fence}"
rates = {{spot = "3.60"}}
"""

# Says when it starts and ends; it ends as soon as it is told to.
JOB = """
echo "start $PINKA_ATTEMPT_ID $(date +%s%N)" >> {marks}
trap 'echo "end $PINKA_ATTEMPT_ID $(date +%s%N)" >> {marks}; exit 3' TERM
while :; do sleep 0.1; done
"""


class Box:
    """One agent with a state directory and a configuration of its own, as on a machine of its own."""

    def __init__(self, lab, name, tier, server):
        self.lab, self.name, self.tier, self.server = lab, name, tier, server
        self.root = os.path.join(lab.root, "box-" + name)
        os.mkdir(self.root)
        os.chmod(self.root, 0o711)
        self.state = os.path.join(self.root, "state")
        self.config = os.path.join(self.root, "agent.toml")
        self.log_path = os.path.join(self.root, "agent.log")
        self.process = None

    def token(self, *options):
        made = json.loads(self.lab.admin("admin", "node", "join-token", self.name, "--tier", self.tier,
                                         "--source", "spot", "--json", *options))
        return made["token"]

    def agent(self, *args, input=None):
        done = subprocess.run([BIN + "/pinka-agent", *args], capture_output=True, timeout=DEADLINE, input=input,
                              env=self.lab.environment())
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def join(self, token, server=None, *more):
        return self.agent("join", "--server", server or self.server, "--token", token, "--state-dir", self.state,
                          "--config", self.config, "--simulate-gpus", "rtx3090:1", *more)

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([BIN + "/pinka-agent", "--config", self.config],
                                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                            env=self.lab.environment(), start_new_session=True)
        line = self.process.stdout.readline().decode()
        if "ready" not in line:
            raise AssertionError("the agent did not start: " + self.log())
        return self

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(DEADLINE)
            self.process.stdout.close()
            self.process = None

    def log(self):
        with open(self.log_path, errors="replace") as f:
            return f.read()


class TlsLab(unittest.TestCase):
    """A lab that serves TLS on this machine's names, without local agents."""

    tiers = {"far": "10m"}
    more = {}

    @classmethod
    def setUpClass(cls):
        lab = cls.lab = Lab(cpu=0, t4=0, a100=0, up=["--listen", "0.0.0.0:0", "--agents", "0"])
        cls.boxes, cls.proxies = [], []
        try:
            cls.made = cls.pinkad("cert", "init", "--data", lab.data, "--name", "localhost")
            line = lab.up()
            cls.port = int(re.search(r"with TLS, 0\.0\.0\.0:(\d+)", line).group(1))
            cls.server = f"localhost:{cls.port}"
            cls.ca = os.path.join(lab.root, "ca.pem")
            with open(os.path.join(lab.data, "tls/ca.pem")) as src, open(cls.ca, "w") as dst:
                dst.write(src.read())
            lab.marks = os.path.join(lab.root, "marks")
            os.mkdir(lab.marks)
            os.chmod(lab.marks, 0o777)
            with open(lab.lab_file, "w") as f:
                f.write('[lab]\nname = "test"\ncurrency = "CNY"\ntimezone = "Asia/Shanghai"\n')
                f.write("".join(TIER.format(name=n, fence=d) for n, d in (cls.tiers | cls.more).items()))
                f.write('[[member]]\nname = "alice"\n[[member]]\nname = "bob"\n')
            lab.admin("admin", "apply", lab.lab_file, "-y")
            for name in ("alice", "bob"):
                lab.tokens[name] = lab.admin("admin", "member", "token", name).strip()
            lab.topup("lab", 1000)
        except BaseException:
            lab.destroy()
            raise

    @classmethod
    def tearDownClass(cls):
        try:
            for box in cls.boxes:
                box.stop()
            code, text = cls.lab.check()
            if code != 0:
                raise AssertionError("the books are not in order:\n" + text)
        finally:
            for proxy in cls.proxies:
                proxy.close()
            cls.lab.destroy()

    @classmethod
    def pinkad(cls, *args):
        done = subprocess.run([BIN + "/pinkad", *args], capture_output=True, timeout=DEADLINE,
                              env=cls.lab.environment())
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode())
        return done.stdout.decode()

    @classmethod
    def box(cls, name, tier, server=None):
        box = Box(cls.lab, name, tier, server or cls.server)
        cls.boxes.append(box)
        return box

    @classmethod
    def proxy(cls):
        proxy = Proxy(("127.0.0.1", cls.port))
        cls.proxies.append(proxy)
        return proxy

    def joined(self, name, tier, server=None):
        box = self.box(name, tier, server)
        code, out, err = box.join(box.token())
        self.assertEqual(code, 0, err)
        return box.start()

    def node(self, name):
        nodes = json.loads(self.lab.admin("nodes", "--json"))["nodes"]
        return next((n for n in nodes if n["name"] == name), None)

    def until(self, condition, what):
        return self.lab.until(condition, what)

    def attempts(self, job):
        return self.lab.show("alice", job)["tasks"][0].get("attempts", [])

    def marks(self, job_file):
        try:
            with open(job_file) as f:
                return [(w[0], w[1], int(w[2])) for w in (line.split() for line in f)]
        except FileNotFoundError:
            return []

    def submit(self, tier, name):
        marks = os.path.join(self.lab.marks, name)
        job = self.lab.submit("alice", "--tier", tier, "--grace", "1s", "--time", "10m", "--", "sh", "-c",
                              JOB.format(marks=marks))
        return job, marks


class Joining(TlsLab):
    def test_certificates_are_for_their_owner_alone_and_say_what_is_next(self):
        folder = os.path.join(self.lab.data, "tls")
        self.assertEqual(sorted(os.listdir(folder)), ["ca-key.pem", "ca.pem", "server-key.pem", "server.pem"])
        for name in os.listdir(folder):
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode), 0o600, name)
        for step in ("pinkad up --listen", "pinka login --server", "pinka admin node join-token"):
            self.assertIn(step, self.made)
        self.assertIn("days left", self.pinkad("cert", "show", "--data", self.lab.data))
        with self.assertRaisesRegex(AssertionError, "authority in .* already"):
            self.pinkad("cert", "init", "--data", self.lab.data, "--name", "elsewhere")

    def test_plain_text_stays_on_this_machine(self):
        done = subprocess.run([BIN + "/pinkad", "serve", "--config", "/dev/stdin"], capture_output=True, timeout=DEADLINE,
                              input=b'listen = "0.0.0.0:0"\ndatabase_url = "x"\ndata = "/nowhere"\n')
        self.assertEqual(done.returncode, 2)
        self.assertIn("tokens would cross the network in the clear", done.stderr.decode())
        code, _, err = self.lab.pinka("alice", "ls", env={"PINKA_SERVER": "pinka.invalid:7443"})
        self.assertEqual(code, 6, err)  # it spoke TLS or nothing: there was no address to speak plain text to

    def test_one_line_joins_a_box_once(self):
        box = self.box("n1", "far")
        token = box.token()
        code, out, err = box.join(token)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("n1 has joined lab test as a node of tier far", out)
        self.assertIn("systemctl enable --now pinka-agent", out)
        self.assertEqual(stat.S_IMODE(os.stat(box.config).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(box.state + "/key").st_mode), 0o600)
        box.start()
        self.until(lambda: self.node("n1")["state"] == "READY", "n1 to be ready")
        # Another box with the same token, and with a copy of the key.
        thief = self.box("thief", "far")
        code, _, err = thief.join(token)
        self.assertEqual(code, 1)
        self.assertIn("the join token of n1 has been used", err)
        os.makedirs(thief.state, exist_ok=True)
        with open(box.state + "/key") as src, open(thief.state + "/key", "w") as dst:
            dst.write(src.read())
        with open(box.config) as src, open(thief.config, "w") as dst:
            dst.write(src.read().replace(box.state, thief.state))
        code, _, err = thief.agent("rotate", "--config", thief.config)
        self.assertEqual(code, 1)
        self.assertIn("was given to another box", err)
        os.remove(thief.state + "/key.next")
        thief.start()
        self.until(lambda: "was given to another box" in thief.log(), "the copy to be refused")
        self.assertEqual(self.node("n1")["state"], "READY")
        # The secrets are where they belong and nowhere else.
        with open(box.state + "/key") as f:
            key = f.read().strip()
        secret = token.split(".")[0]
        with open(box.config) as f:
            config = f.read()
        for place in (self.lab.log_text(), box.log(), thief.log(), config, out):
            self.assertNotIn(secret, place)
            self.assertNotIn(key, place)

    def test_tokens_end_and_are_replaced(self):
        box = self.box("n2", "far")
        first, second = box.token(), box.token()
        code, _, err = box.join(first)
        self.assertEqual(code, 1)
        self.assertIn("a newer one has replaced it", err)
        self.assertEqual(box.join(second)[0], 0)
        code, _, err = box.join("pinka_join_" + "0" * 32)
        self.assertEqual(code, 1)
        for bad, why in ((["--valid", "8d"], "seven days at most"), (["--valid", "5"], "unit")):
            code, _, err = self.lab.pinka(None, "admin", "node", "join-token", "n2", "--tier", "far", "--source",
                                          "spot", *bad)
            self.assertEqual(code, 2, err)
            self.assertIn(why, err)

    def test_what_is_wrong_with_a_server_is_one_sentence(self):
        box = self.box("n3", "far")
        token = box.token()
        other = os.path.join(self.lab.root, "other-tls")
        self.pinkad("cert", "init", "--dir", other, "--name", "localhost")
        for arguments, why in (
                ((f"127.0.0.2:{self.port}", "--ca", self.ca), "is for localhost"),
                ((self.server, "--ca", other + "/ca.pem"), "is not vouched for"),
                ((self.server, "--ca", box.config), "cannot"),
        ):
            code, _, err = box.join(token, *arguments)
            self.assertEqual(code, 1)
            self.assertEqual(len(err.strip().splitlines()), 1, err)
            self.assertIn(why, err)
            self.assertNotIn(token.split(".")[0], err)
        wrong_pin = token.split(".")[0] + "." + "0" * 64
        self.assertIn("not the scheduler that this token is for", box.join(wrong_pin)[2])
        for server, ca, why in ((f"127.0.0.2:{self.port}", self.ca, "is for localhost"),
                                (self.server, other + "/ca.pem", "is not vouched for")):
            code, _, err = self.lab.pinka("alice", "--server", server, "--ca", ca, "ls")
            self.assertEqual(code, 6, err)
            self.assertIn(why, err)
        self.assertEqual(box.join(token)[0], 0, "a failed try has used nothing")

    def test_people_log_in_from_elsewhere_and_see_what_they_may(self):
        home = os.path.join(self.lab.root, "home-bob")
        os.mkdir(home)
        env = {"HOME": home, "PATH": os.environ["PATH"]}

        def pinka(*args, input=None):
            done = subprocess.run([BIN + "/pinka", *args], capture_output=True, timeout=DEADLINE, env=env, input=input,
                                  cwd=self.lab.root)
            return done.returncode, done.stdout.decode(), done.stderr.decode()

        code, out, err = pinka("login", "--server", self.server, "--ca", "ca.pem", input=self.lab.tokens["bob"].encode())
        self.assertEqual(code, 0, err)
        self.assertIn("You are bob in test", out)
        self.assertIn(self.ca, pinka("config")[1])
        job, _ = self.submit("far", "secret-of-alice")
        code, _, err = pinka("show", job)
        self.assertEqual(code, 4)
        self.assertIn("no such job", err)
        self.assertIn(job, pinka("ls", "-a")[1])
        code, _, err = pinka("admin", "node", "drain", "n1")
        self.assertEqual(code, 5, err)
        self.lab.ok("alice", "cancel", job, "-y")

    def test_a_key_is_rotated_and_a_removed_node_is_told(self):
        box = self.joined("n4", "far")
        self.until(lambda: self.node("n4")["state"] == "READY", "n4 to be ready")
        with open(box.state + "/key") as f:
            old = f.read()
        code, _, err = box.agent("rotate", "--config", box.config)
        self.assertEqual(code, 1)
        self.assertIn("another process holds the lock", err)
        box.stop()
        code, out, err = box.agent("rotate", "--config", box.config)
        self.assertEqual(code, 0, err)
        with open(box.state + "/key") as f:
            self.assertNotEqual(f.read(), old)
        box.start()
        self.until(lambda: self.node("n4")["state"] == "READY", "n4 with its new key")
        self.lab.admin("admin", "node", "rm", "n4", "-y")
        self.until(lambda: "node n4 was removed from the lab" in box.log(), "n4 to hear of it")

    def test_work_on_a_node_that_was_said_to_be_dead_ends_where_it_is_not(self):
        box = self.joined("n5", "far")
        job, marks = self.submit("far", "dead")
        where = lambda: [a["node"] for a in self.attempts(job)]  # noqa: E731
        self.until(lambda: self.marks(marks), "the job to run")
        node = where()[0]
        self.lab.admin("admin", "node", "rm", node, "--dead", "-y")
        self.until(lambda: "end" in [m[0] for m in self.marks(marks)], "the box to end it by itself")
        self.lab.ok("alice", "cancel", job, "-y")
        first = self.attempts(job)[0]
        self.assertEqual(first["endReason"], "NodeLost")
        self.assertNotIn("alice", [p["payer"] for p in first["payers"]], "a lost node is the lab's")
        self.assertIsNotNone(box)


class Partitions(TlsLab):
    """Each way of losing a node in a tier of its own, so that they are waited for together."""

    tiers = {"cut": "6s", "answers": "6s", "frozen": "6s", "short": "1m"}
    more = {"thaw": "6s"}

    def assert_never_two(self, marks):
        """Every start but the first comes after the end before it."""
        kinds = [m[0] for m in marks]
        self.assertEqual(kinds[0::2], ["start"] * len(kinds[0::2]), marks)
        self.assertEqual(kinds[1::2], ["end"] * len(kinds[1::2]), marks)
        times = [m[2] for m in marks]
        self.assertEqual(times, sorted(times), marks)

    def test_a_second_copy_starts_only_when_the_first_is_over(self):
        first, jobs = {}, {}
        for tier in self.tiers:
            proxy = self.proxy()
            box = self.joined(tier + "-1", tier, f"localhost:{proxy.port}")
            first[tier] = (box, proxy)
            jobs[tier] = self.submit(tier, tier)
        for tier, (job, marks) in jobs.items():
            self.until(lambda: self.marks(marks), f"the job of {tier} to run")
            self.until(lambda: self.attempts(job)[0]["state"] == "RUNNING", f"{tier} to be known to run")
            self.joined(tier + "-2", tier)

        # Meters are stored once a minute: until then a lost node has cost nothing.
        lost = ["cut", "answers", "frozen"]
        for tier in lost:
            self.until(lambda: int(self.attempts(jobs[tier][0])[0]["meteredMs"]) > 0, f"a meter of {tier}")
        first["cut"][1].cut()
        first["answers"][1].cut(up=False)
        first["frozen"][0].process.send_signal(signal.SIGSTOP)
        first["short"][1].cut()

        # A cut that is shorter than the fence changes nothing at all.
        for tier in lost:
            self.until(lambda: len(self.marks(jobs[tier][1])) >= 2, f"the first copy in {tier} to end itself")
        first["short"][1].heal()
        for tier in lost:
            self.until(lambda: len(self.marks(jobs[tier][1])) >= 3, f"the second copy in {tier}")
        for tier in lost:
            job, marks = jobs[tier]
            self.assert_never_two(self.marks(marks))
            tries = self.attempts(job)
            one, two = tries[0], tries[-1]
            # One that is heard but hears nothing may be given an order that never reaches it.
            self.assertTrue(len(tries) == 2 or tier == "answers", tries)
            self.assertEqual((one["node"], one["state"], one["endReason"]), (tier + "-1", "ENDED", "NodeLost"))
            self.assertEqual(two["node"], tier + "-2")
            self.assertEqual({p["payer"] for p in one["payers"]}, {"lab"}, "a lost node is the lab's")
        self.assertEqual(self.node("cut-1")["state"], "LOST")
        alarms = json.loads(self.lab.admin("status", "--json"))["alarms"]
        self.assertRegex("\n".join(alarms), r"node cut-1 is silent since .*; UNKNOWN: \d+_0\.1")

        job, marks = jobs["short"]
        self.assertEqual([m[0] for m in self.marks(marks)], ["start"])
        self.assertEqual([a["state"] for a in self.attempts(job)], ["RUNNING"])
        self.assertEqual(self.node("short-1")["state"], "READY")

        # The lost ones come back: what they tell is recorded and changes nothing.
        before = {tier: self.attempts(jobs[tier][0]) for tier in lost}
        first["cut"][1].heal()
        first["answers"][1].heal()
        first["frozen"][0].process.send_signal(signal.SIGCONT)
        for tier in lost:
            self.until(lambda: self.node(tier + "-1")["state"] == "READY", f"{tier}-1 to come back")
        for tier in lost:
            after = self.attempts(jobs[tier][0])
            self.assertEqual(len(after), len(before[tier]))
            for field in ("meteredMs", "charged", "payers", "endReason"):
                self.assertEqual(after[0][field], before[tier][0][field], (tier, field))
            self.assertEqual(after[-1]["state"], "RUNNING")
        for job, _ in jobs.values():
            self.lab.ok("alice", "cancel", job, "-y")
        for tier, (job, marks) in jobs.items():
            self.lab.wait("alice", job)
            self.until(lambda: len(self.marks(marks)) % 2 == 0, f"the last copy in {tier} to end")
            self.assert_never_two(self.marks(marks))

    def test_a_frozen_scheduler_is_a_lost_one(self):
        self.joined("thaw-1", "thaw")
        job, marks = self.submit("thaw", "thaw")
        self.until(lambda: self.marks(marks), "the job to run")
        servers = self.lab.children("pinkad")
        for pid in servers:
            os.kill(pid, signal.SIGSTOP)
        try:
            self.until(lambda: len(self.marks(marks)) >= 2, "the job to end alone")
        finally:
            for pid in servers:
                os.kill(pid, signal.SIGCONT)
        self.until(lambda: len(self.marks(marks)) >= 3, "the next copy")
        self.assert_never_two(self.marks(marks))
        self.assertEqual(self.attempts(job)[0]["endReason"], "NodeLost")
        self.lab.ok("alice", "cancel", job, "-y")


if __name__ == "__main__":
    main()
