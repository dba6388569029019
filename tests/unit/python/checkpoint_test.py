"""client/python/pinka_checkpoint.py: whole or absent, newest first, never back."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import pinka_checkpoint


class Case(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.addCleanup(self.temp.cleanup)
        self.directory = os.path.join(self.temp.name, "checkpoints")
        for name in ("PINKA_CHECKPOINT_DIR", "PINKA_NOTICE_FILE"):
            os.environ.pop(name, None)

    def open(self, **options):
        return pinka_checkpoint.Checkpoints(self.directory, **options)

    def save(self, checkpoints, step, text="state"):
        with checkpoints.saving(step) as folder:
            with open(os.path.join(folder, "state"), "w") as file:
                file.write(text)

    def read(self, generation):
        with open(generation.path("state")) as file:
            return file.read()


class Generations(Case):
    def test_the_newest_comes_back(self):
        self.assertIsNone(self.open().newest())
        first = self.open()
        self.save(first, 10, "ten")
        self.save(first, 200, "two hundred")
        found = self.open().newest()
        self.assertEqual((found.step, self.read(found)), (200, "two hundred"))

    def test_only_the_newest_are_kept(self):
        checkpoints = self.open(keep=2)
        for step in range(1, 6):
            self.save(checkpoints, step)
        self.assertEqual(checkpoints.steps(), [4, 5])

    def test_a_step_never_goes_back(self):
        checkpoints = self.open()
        self.save(checkpoints, 900)
        for step in (900, 10, 0):
            with self.assertRaises(pinka_checkpoint.StepWentBack):
                self.save(self.open(), step)
        self.assertEqual(self.open().newest().step, 900)

    def test_a_failed_save_leaves_nothing(self):
        checkpoints = self.open()
        with self.assertRaises(RuntimeError):
            with checkpoints.saving(1) as folder:
                open(os.path.join(folder, "half"), "w").close()
                raise RuntimeError("out of memory")
        self.assertEqual(os.listdir(self.directory), [])

    def test_a_damaged_one_is_passed_over(self):
        checkpoints = self.open()
        self.save(checkpoints, 1, "good")
        self.save(checkpoints, 2, "longer")
        with open(os.path.join(self.directory, "gen-00000002", "state"), "w") as file:
            file.write("shortt")
        again = self.open()
        self.assertEqual(again.newest().step, 1)
        self.save(again, 2, "good again")  # as training that goes on from 1 does
        self.assertEqual(self.read(self.open().newest()), "good again")

    def test_what_is_being_removed_has_no_generations_name(self):
        checkpoints = self.open(keep=1)
        self.save(checkpoints, 1)
        removed = []
        with unittest.mock.patch("shutil.rmtree", lambda path, **_: removed.append(os.path.basename(path))):
            self.save(checkpoints, 2)
        self.assertEqual(removed[-1], "gen-00000001.part")
        self.assertEqual(checkpoints.steps(), [2])

    def test_names_that_are_none_are_left_alone(self):
        checkpoints = self.open()
        for name in ("gen-", "gen-x", "gen-1.part", "other", "gen--1"):
            os.makedirs(os.path.join(self.directory, name))
        self.assertEqual(self.open().steps(), [])
        self.assertFalse(os.path.exists(os.path.join(self.directory, "gen-1.part")))
        self.assertTrue(os.path.exists(os.path.join(self.directory, "other")))


WRITER = """
import os, sys, pinka_checkpoint
checkpoints = pinka_checkpoint.Checkpoints(sys.argv[1], keep=2, catch_signals=False)
found = checkpoints.newest()
step = found.step if found else 0
while True:
    step += 1
    with checkpoints.saving(step) as folder:
        for part in range(3):
            with open(os.path.join(folder, str(part)), "w") as file:
                file.write(str(step) * 1000)
    print(step, flush=True)
"""


class KilledAnywhere(Case):
    def test_what_is_there_is_whole(self):
        seed = random.randrange(1 << 30)
        dice = random.Random(seed)
        said = 0
        for _ in range(15):
            writer = subprocess.Popen([sys.executable, "-c", WRITER, self.directory],
                                      stdout=subprocess.PIPE, env=dict(os.environ))
            for _ in range(dice.randrange(1, 6)):
                said = int(writer.stdout.readline())
            for _ in range(dice.randrange(20_000)):  # somewhere in the next one
                pass
            writer.kill()
            writer.wait()
            writer.stdout.close()
            found = self.open(catch_signals=False).newest()
            self.assertGreaterEqual(found.step, said, "seed %d" % seed)
            for part in range(3):
                with open(found.path(str(part))) as file:
                    self.assertEqual(file.read(), str(found.step) * 1000, "seed %d" % seed)


class BeingAsked(Case):
    def notice(self, reason):
        path = os.path.join(self.temp.name, "notice.json")
        with open(path + ".new", "w") as file:
            json.dump({"reason": reason, "deadline": "", "attempt": "1_0.1"}, file)
        os.rename(path + ".new", path)
        os.environ["PINKA_NOTICE_FILE"] = path

    def test_nobody_asks(self):
        checkpoints = self.open()
        self.assertFalse(checkpoints.should_stop())
        self.assertFalse(checkpoints.should_save())
        self.assertFalse(checkpoints.should_save(every=3600))
        self.assertTrue(checkpoints.should_save(every=0))

    def test_a_notice_to_save_is_answered_once(self):
        self.notice("Checkpoint")
        checkpoints = self.open()
        self.assertTrue(checkpoints.should_save())
        self.assertFalse(checkpoints.should_stop())
        self.save(checkpoints, 1)
        self.assertFalse(checkpoints.should_save())
        self.notice("Checkpoint")
        self.assertTrue(checkpoints.should_save())

    def test_any_other_notice_is_an_end(self):
        self.notice("SpotReclaim")
        checkpoints = self.open()
        self.assertTrue(checkpoints.should_stop())
        self.assertTrue(checkpoints.should_save())
        self.assertEqual(checkpoints.reason, "SpotReclaim")

    def test_signals_count_as_notices(self):
        checkpoints = self.open()
        os.kill(os.getpid(), signal.SIGUSR2)
        self.assertTrue(checkpoints.should_save())
        self.assertFalse(checkpoints.should_stop())
        os.kill(os.getpid(), signal.SIGTERM)
        self.assertTrue(checkpoints.should_stop())

    def test_leaving_asks_to_run_again(self):
        with self.assertRaises(SystemExit) as left:
            self.open().leave()
        self.assertEqual(left.exception.code, 85)


if __name__ == "__main__":
    unittest.main(verbosity=2)
