"""kill -9 of scheduler, agents and PostgreSQL at random moments under load (C20).

Nothing acknowledged is lost, nothing runs twice, results that arrive during an outage are delivered
afterwards, the ledger sums to zero and holds equal open attempts. Bounded: PINKA_TORTURE_ROUNDS kills
(12) under a printed seed (PINKA_SEED).
"""

import os
import random
import signal
import threading
import time

from lab import LabTest, main

SEED = int(os.environ.get("PINKA_SEED", random.randrange(1 << 30)))
ROUNDS = int(os.environ.get("PINKA_TORTURE_ROUNDS", "12"))


class Torture(LabTest):
    shape = {"cpu": 8, "t4": 2, "a100": 8}

    def submit_until_stopped(self, user, rng, stop, accepted):
        """A client that retries with the same request id, as people's scripts do."""
        n = 0
        while not stop.is_set():
            n += 1
            key = f"{user}-{n}"
            tier = rng.choice(["cpu", "a100-80"])
            marker = os.path.join(self.lab.marks, f"{key}")
            spec = ["submit", "-q", "--request-id", key, "--tier", tier, "--time", "5m", "--", "sh", "-c",
                    f'echo "$PINKA_ATTEMPT_ID" >> {marker}; sleep {rng.random() / 2:.3f}; exit {rng.choice([0, 0, 0, 3])}']
            for _ in range(200):
                code, out, err = self.pinka(user, *spec)
                if code == 0:
                    accepted[out.decode().strip()] = marker
                    break
                if code not in (1, 6):
                    raise AssertionError(f"submit: exit {code}: {err}")
                time.sleep(0.2)

    def kill_something(self, rng):
        victim = rng.choice(["scheduler", "agent", "postgres", "all"])
        if victim in ("scheduler", "all"):
            for pid in self.children("pinkad"):
                os.kill(pid, signal.SIGKILL)
            self.lab.process.wait()
        if victim in ("agent", "all"):
            for pid in self.children("pinka-agent"):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        if victim in ("postgres", "all"):
            pids = self.postgres()
            if pids:
                os.kill(rng.choice(pids), signal.SIGKILL)
        if victim in ("scheduler", "all"):
            self.lab.up()
        return victim

    def postgres(self):
        return [pid for pid in self.children("postgres")]

    def test_a_killed_database_comes_back_by_itself(self):
        job = self.submit("alice", "--tier", "cpu", "--", "sleep", "2")
        for pid in self.postgres():
            os.kill(pid, signal.SIGKILL)
        again = self.until(lambda: self.pinka("alice", "submit", "-q", "--request-id", "after", "--tier", "cpu",
                                              "--", "true")[1].decode().strip(), "a submit after the crash")
        self.assertEqual(self.wait("alice", again), 0)
        self.assertEqual(self.wait("alice", job), 0)
        self.assertEqual(len(self.show("alice", job)["tasks"][0]["attempts"]), 1)

    def test_c20_killed_at_random_under_load(self):
        print("seed", SEED, "rounds", ROUNDS, flush=True)
        rng = random.Random(SEED)
        self.lab.marks = os.path.join(self.lab.root, "marks")
        os.mkdir(self.lab.marks)
        os.chmod(self.lab.marks, 0o777)
        stop = threading.Event()
        accepted = {}
        clients = [threading.Thread(target=self.submit_until_stopped,
                                    args=(user, random.Random(rng.random()), stop, accepted))
                   for user in ("alice", "bob", "王芳")]
        for client in clients:
            client.start()
        try:
            for n in range(ROUNDS):
                stop.wait(0.3 + rng.random())
                print(n, self.kill_something(rng), flush=True)
        finally:
            stop.set()
            for client in clients:
                client.join()
        for job, marker in accepted.items():
            user = os.path.basename(marker).split("-")[0]
            self.until(lambda: self.show(user, job)["state"] not in ("PENDING", "STARTING", "RUNNING", "UNKNOWN", "STOPPING"),
                       f"job {job} to end")
            shown = self.show(user, job)
            attempts = shown["tasks"][0]["attempts"]
            with open(marker) as f:
                ran = f.read().split()
            # Each attempt that ran did so once; infrastructure's restarts are attempts of their own.
            self.assertEqual(len(ran), len(set(ran)), (job, ran))
            self.assertLessEqual(set(ran), {f"{job}_0.{a['number']}" for a in attempts}, job)
            self.assertEqual(attempts[-1]["state"], "ENDED")
            self.assertIn(shown["state"], ("COMPLETED", "FAILED"), shown)
            for attempt in attempts:
                self.assertEqual(self.processes_of(f"{job}_0.{attempt['number']}"), [])
        self.assertGreater(len(accepted), ROUNDS)
        code, text = self.lab.check()
        self.assertEqual(code, 0, text)


if __name__ == "__main__":
    main()
