"""kill -9 of agent, supervisor, pinkad, job and whole nodes at every step of save, sync and restore.

A training job runs on one of two nodes and says of each start which generation it was given, and of
each save when it was whole. Whoever is killed: what it is given is whole, alone, never older than the
newest that the store had confirmed, on a node that was not lost the newest that was written; and the
job ends with the result of an undisturbed run, to the last digit. Bounded: PINKA_TORTURE_ROUNDS jobs
(24) under a printed seed (PINKA_SEED); each round takes the next kind of victim, the seed its step.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import time

from lab import BIN, Lab, LabTest, main

SEED = int(os.environ.get("PINKA_SEED", random.randrange(1 << 30)))
ROUNDS = int(os.environ.get("PINKA_TORTURE_ROUNDS", "24"))
HELPER = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../client/python/pinka_checkpoint.py")
STEPS = 8

# Arguments: the step at which the first attempt waits for MARKS/go, the one after which it leaves,
# and "save:STEP" with the instant of that save at which it kills itself.
TRAIN = """
import json, os, random, shutil, signal, sys, time
import pinka_checkpoint

hold, leave, die_at, die_in = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
attempt = int(os.environ["PINKA_RESTART_COUNT"]) + 1
first = attempt == 1
marks = os.environ["MARKS"]
journal = os.open(marks + "/journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)

def say(what, **more):
    os.write(journal, (json.dumps(dict(more, what=what, attempt=attempt)) + "\\n").encode())

def die():
    say("dies")
    os.kill(os.getpid(), signal.SIGKILL)

def ballast(step):  # of this job alone: what another one sent would not be sent again
    dice = random.Random("%s %d" % (marks, step))
    return {name: dice.randbytes(size) for name, size in
            (("a.bin", 1 << 20), ("b.bin", (1 << 20) + 7), ("deep/c.bin", 3 << 19), ("deep/d", 9))}

def write(folder, step, weights):
    for name, data in ballast(step).items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "wb").write(data)
        if first and step == die_at and die_in == "writing":
            die()
    json.dump(weights, open(os.path.join(folder, "weights"), "w"))

def train(weights, step):
    dice = random.Random(1000 + step)
    return [w - 0.1 * (w * dice.random() - dice.gauss(0, 1)) / (step + w * w) for w in weights]

def verdict(folder, step):
    try:
        for name, data in ballast(step).items():
            if open(os.path.join(folder, name), "rb").read() != data:
                return name + " is another"
        json.load(open(os.path.join(folder, "weights")))
    except (OSError, ValueError) as error:
        return str(error)
    return "whole"

def killing(function, when):
    def run(path, *args, **kwargs):
        after = when in ("summed", "renamed")
        if not after and os.path.exists(path):
            if when == "retiring":
                os.remove(os.path.join(path, "a.bin"))
            die()
        result = function(path, *args, **kwargs)
        if after:
            die()
        return result
    return run

def arm():
    if die_in == "summed":
        pinka_checkpoint._write_manifest = killing(pinka_checkpoint._write_manifest, die_in)
    if die_in == "syncing":
        pinka_checkpoint._sync_tree = killing(pinka_checkpoint._sync_tree, die_in)
    if die_in in ("renaming", "renamed"):
        os.rename = killing(os.rename, die_in)
    if die_in == "retiring":
        pinka_checkpoint.shutil.rmtree = killing(shutil.rmtree, die_in)

names = sorted(os.listdir(os.environ["PINKA_CHECKPOINT_DIR"]))
given = int(names[0][4:]) if names else 0
directory = os.path.join(os.environ["PINKA_CHECKPOINT_DIR"], names[0]) if names else ""
say("start", names=names, given=given, verdict=verdict(directory, given) if names else "whole")

checkpoints = pinka_checkpoint.Checkpoints()
found = checkpoints.newest()
step = found.step if found else 0
weights = json.load(open(found.path("weights"))) if found else [1.0, -2.0, 0.5]
while step < 8:
    step += 1
    weights = train(weights, step)
    if first and step == die_at:
        arm()
    with checkpoints.saving(step) as folder:
        write(folder, step, weights)
    say("wrote", step=step)
    if first and step == hold:
        while not os.path.exists(marks + "/go"):
            time.sleep(0.01)
    if first and step == leave:
        say("leaves")
        checkpoints.leave()
print("result", *map(repr, weights), flush=True)
"""

# Where processes may be killed, by kind.
SYNC = ("agent.keeping", "agent.sent", "agent.carried", "agent.confirmed", "agent.kept")
RESTORE = ("agent.restoring", "agent.fetched", "agent.restored", "agent.placed", "agent.before_order",
           "agent.ordered", "agent.spawned")
# Of the second attempt. Those of the first line lose it; after that its true end is on disk.
SUPERVISOR_LOSES = ("supervisor.launched", "supervisor.prepared", "supervisor.executed", "supervisor.started",
                    "supervisor.main_ended")
SUPERVISOR_KEEPS = ("supervisor.main_recorded", "supervisor.tree_gone", "supervisor.log_closed",
                    "supervisor.exit_written")
SAVE = ("writing", "summed", "syncing", "renaming", "renamed", "retiring")
OVER = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "HELD", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED")


class TwoNodes(Lab):
    """pinkad without local agents, and two boxes that join it."""

    def __init__(self):
        super().__init__(up=("--agents", "0"))
        self.boxes = {}  # name: the agent's process
        self.joined = 0

    def found(self):
        self.up()
        self.admin("admin", "apply", self.lab_file, "-y")
        self.tokens["alice"] = self.admin("admin", "member", "token", "alice").strip()
        for _ in range(2):
            self.join()
        folder = os.path.join(self.root, "training")
        os.mkdir(folder)
        shutil.copy(HELPER, folder)
        with open(os.path.join(folder, "train.py"), "w") as out:
            out.write(TRAIN)

    def join(self):
        self.joined += 1
        name = f"box-{self.joined}"
        with open(self.token_of(name), "w") as out:
            out.write(self.admin("admin", "node", "join-token", name, "--tier", "a100-80", "-q"))
        self.start(name)
        self.until(lambda: self.state_of(name) == "READY", name)

    def token_of(self, name):
        return os.path.join(self.root, name + ".token")

    def state_of(self, name):
        nodes = json.loads(self.admin("nodes", "--json"))["nodes"]
        return next((n["state"] for n in nodes if n["name"] == name), "")

    def start(self, name, crash_at=""):
        self.boxes[name] = subprocess.Popen(
            [BIN + "/pinka-agent", "--server", self.address, "--token-file", self.token_of(name), "--name", name,
             "--tier", "a100-80", "--simulate-gpus", "a100:1", "--state-dir", os.path.join(self.root, name)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log,
            env=dict(os.environ, PINKA_TEST_CRASH_AT=crash_at))

    def kill_agent(self, name):
        self.boxes[name].kill()
        self.boxes[name].wait()

    def arm(self, crash_at):
        """Every agent anew, to die at that step."""
        for name in self.boxes:
            self.kill_agent(name)
            self.start(name, crash_at)

    def tend(self):
        """Starts agents that died; how many."""
        dead = [name for name, agent in self.boxes.items() if agent.poll() is not None]
        for name in dead:
            self.start(name)
        return len(dead)

    def kill_node(self, name):
        """The machine is gone: agent, supervisor and job at once."""
        self.kill_agent(name)
        home = os.path.join(self.root, name, "").encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as argv, open(f"/proc/{pid}/environ", "rb") as env:
                    if home in argv.read() or home in env.read():
                        os.kill(int(pid), signal.SIGKILL)
            except OSError:
                continue

    def replace(self, name):
        self.admin("admin", "node", "rm", name, "--dead", "-y")
        del self.boxes[name]
        self.join()

    def kill_supervisor(self):
        for pid in self.children("pinka-supervisor"):
            os.kill(pid, signal.SIGKILL)

    def kill_pinkad(self):
        self.keep_port()
        for pid in self.children("pinkad"):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.up()

    def blobs(self):
        return sum(len(names) for _, _, names in os.walk(os.path.join(self.data, "blobs")))

    def is_restoring(self, job):
        return any(folder.endswith(f"{job}_0.2/checkpoints.new")
                   for name in self.boxes for folder, _, _ in os.walk(os.path.join(self.root, name, "scratch")))

    def destroy(self):
        for agent in self.boxes.values():
            if agent.poll() is None:
                agent.kill()
                agent.wait()
        super().destroy()


class Round:
    """One job, watched from its submit to its end."""

    def __init__(self, lab, name, hold=0, leave=0, die_at=0, die_in="never"):
        self.lab = lab
        self.marks = os.path.join(lab.root, name)
        os.mkdir(self.marks)
        os.chmod(self.marks, 0o777)
        self.deaths = 0
        self.confirmed = {}  # attempt: the generations that the store was seen to have
        self.node_lost = False
        self.shown = {"state": "PENDING", "tasks": []}
        code, out, err = lab.pinka(
            "alice", "submit", "-q", "--tier", "a100-80", "--time", "10m", "--retries", "2", "--env",
            "MARKS=" + self.marks, "--", "python3", "train.py", str(hold), str(leave), str(die_at), die_in,
            cwd=os.path.join(lab.root, "training"), env={"PINKA_WORKDIR": ""})
        if code != 0:
            raise AssertionError(err)
        self.job = out.decode().strip()

    def journal(self, what=None):
        try:
            with open(os.path.join(self.marks, "journal")) as lines:
                said = [json.loads(line) for line in lines]
        except FileNotFoundError:
            said = []
        return [line for line in said if what in (None, line["what"])]

    def wrote(self, step):
        return any(line["step"] == step for line in self.journal("wrote"))

    def attempts(self):
        return self.shown["tasks"][0].get("attempts", []) if self.shown["tasks"] else []

    def node(self):
        return self.attempts()[-1]["node"]

    def look(self):
        """What the scheduler says now, if it is there; agents that died come back."""
        self.deaths += self.lab.tend()
        code, out, _ = self.lab.pinka("alice", "show", self.job, "--json")
        if code != 0:
            return
        self.shown = json.loads(out)["job"]
        for attempt in self.attempts():
            kept = self.confirmed.setdefault(attempt["number"], set())
            kept.update(map(int, attempt.get("checkpoints", [])))

    def until(self, condition, what):
        def looked():
            self.look()
            return condition()
        return self.lab.until(looked, f"job {self.job}: {what}")

    def has_kept(self, step):
        return any(step in kept for kept in self.confirmed.values())

    def go(self):
        open(os.path.join(self.marks, "go"), "w").close()

    def finish(self):
        self.go()
        self.until(lambda: self.shown["state"] in OVER, "to end")

    def result(self):
        lines = self.lab.logs("alice", self.job).decode().splitlines()
        return next((line for line in lines if line.startswith("result ")), lines)


class Killed(LabTest):
    @classmethod
    def make_lab(cls):
        return TwoNodes()

    # --- who is killed ------------------------------------------------------------------------------

    def sync(self, name, rng):
        """The agent, while it brings a generation to the store: a first one, or the last."""
        point, late = rng.choice(SYNC), rng.random() < 0.5
        if not late:
            self.lab.arm(point)
        round_ = Round(self.lab, name, hold=3, leave=5)
        round_.until(lambda: round_.wrote(3), "to hold")
        if late:
            self.lab.arm(point)
        round_.go()
        round_.until(lambda: round_.deaths > 0, "its agent to die at " + point)
        return point, round_

    def restore(self, name, rng):
        """The agent, while it brings the newest generation back and starts what goes on."""
        point = rng.choice(RESTORE)
        round_ = Round(self.lab, name, hold=3, leave=4)
        round_.until(lambda: round_.wrote(3), "to hold")
        self.lab.arm(point)
        round_.go()
        round_.until(lambda: round_.deaths > 0, "its agent to die at " + point)
        return point, round_

    def supervisor(self, name, rng):
        """The supervisor: of the first attempt at any moment, or of the second at a step."""
        point = rng.choice(("any",) + SUPERVISOR_LOSES + SUPERVISOR_KEEPS)
        round_ = Round(self.lab, name, hold=3, leave=5)
        if point == "any":
            step = rng.randrange(1, 4)
            round_.until(lambda: round_.wrote(step), "to write")
            self.lab.kill_supervisor()
            round_.until(lambda: len(round_.attempts()) > 1, "to go on")
            self.assertEqual(round_.attempts()[0]["endReason"], "SupervisorLost")
            return f"after {step} saves", round_
        round_.until(lambda: round_.wrote(3), "to hold")
        self.lab.arm(f"{point}@{round_.job}_0.2")
        round_.finish()
        reason = round_.attempts()[1]["endReason"]
        self.assertEqual(reason, "SupervisorLost" if point in SUPERVISOR_LOSES else "Exited", point)
        return point, round_

    def pinkad(self, name, rng):
        """The scheduler: after a save, while blobs come in, at an end, while one is restored."""
        moment = rng.choice(("saved", "carrying", "left", "restoring"))
        round_ = Round(self.lab, name, hold=3, leave=4)
        if moment == "saved":
            step = rng.randrange(1, 4)
            round_.until(lambda: round_.wrote(step), "to write")
        else:
            round_.until(lambda: round_.wrote(3) and round_.has_kept(3), "to be kept")
            before = self.lab.blobs()
            round_.go()
            wait = {"carrying": lambda: self.lab.blobs() > before, "left": lambda: round_.journal("leaves"),
                    "restoring": lambda: self.lab.is_restoring(round_.job) or len(round_.journal("start")) > 1}
            end = time.monotonic() + 60
            while not wait[moment]():  # as closely as can be
                self.assertLess(time.monotonic(), end, moment)
        self.lab.kill_pinkad()
        return moment, round_

    def node_(self, name, rng):
        """A whole machine, which comes back, or another takes its work over."""
        moment = rng.choice(("saved", "carrying", "kept"))
        back = rng.random() < 0.5
        round_ = Round(self.lab, name, hold=3)
        round_.until(lambda: round_.wrote(1), "to write")
        before = self.lab.blobs()
        done = {"saved": lambda: round_.wrote(3), "carrying": lambda: self.lab.blobs() > before or round_.has_kept(3),
                "kept": lambda: round_.has_kept(3)}[moment]
        round_.until(done, moment)
        node = round_.node()
        self.lab.kill_node(node)
        if back:
            self.lab.start(node)
        else:
            round_.node_lost = True
            self.lab.replace(node)
        round_.until(lambda: len(round_.journal("start")) > 1, "to go on")
        return f"{moment}, {'comes back' if back else 'lost'}", round_

    def save(self, name, rng):
        """The job itself in the middle of a save, or while it removes what is old."""
        point, step = rng.choice(SAVE), rng.randrange(3, 6)
        round_ = Round(self.lab, name, die_at=step, die_in=point)
        round_.until(lambda: round_.journal("dies"), "to die")
        return f"{point} {step}", round_

    # --- what must hold ---------------------------------------------------------------------------------

    def check(self, round_, text):
        written = 0
        for line in round_.journal():
            if line["what"] == "wrote":
                written = max(written, line["step"])
            if line["what"] != "start":
                continue
            self.assertEqual(line["verdict"], "whole", text)
            self.assertLessEqual(len(line["names"]), 1, text)
            earlier = [max(kept) for number, kept in round_.confirmed.items() if number < line["attempt"] and kept]
            self.assertGreaterEqual(line["given"], max(earlier, default=0), text)
            # The last save may have been whole before it could be said.
            if not round_.node_lost:
                self.assertIn(line["given"], (written, written + 1), text)
        self.assertEqual(round_.shown["state"], "COMPLETED", text)
        self.assertEqual(round_.result(), self.undisturbed, text)

    def test_the_newest_whole_generation_is_the_one_restored(self):
        print("seed", SEED, "rounds", ROUNDS, flush=True)
        rng = random.Random(SEED)
        calm = Round(self.lab, "calm")
        calm.finish()
        self.undisturbed = calm.result()
        self.assertTrue(self.undisturbed.startswith("result "), self.undisturbed)
        victims = [self.sync, self.restore, self.supervisor, self.pinkad, self.node_, self.save]
        rng.shuffle(victims)
        for n in range(ROUNDS):
            victim = victims[n % len(victims)]
            began = time.monotonic()
            at, round_ = victim(f"round-{n}", random.Random(rng.random()))
            round_.finish()
            given = [line["given"] for line in round_.journal("start")]
            text = f"round {n}: {victim.__name__.strip('_')} {at}, given {given}"
            print(f"{text}, {time.monotonic() - began:.1f} s", flush=True)
            self.assertGreater(len(given), 1, text)
            self.check(round_, f"{text}, seed {SEED}: {json.dumps(round_.journal())}")

    def test_one_that_is_half_removed_is_never_the_newest(self):
        script = ("cd $PINKA_CHECKPOINT_DIR; ls; "
                  "if [ $PINKA_RESTART_COUNT = 1 ]; then cat gen-00000003/a gen-00000003/b; exit; fi; "
                  "for n in 1 2 3; do mkdir t; echo a$n > t/a; echo b$n > t/b; mv t gen-$n; done; "
                  "rm gen-1/a; exit 85")
        job = self.lab.submit("alice", "--tier", "a100-80", "--", "sh", "-c", script)
        self.assertEqual(self.lab.wait("alice", job), 0)
        self.assertEqual(self.lab.logs("alice", job), b"gen-00000003\na3\nb3\n")


del LabTest  # not a test of its own

if __name__ == "__main__":
    main()
