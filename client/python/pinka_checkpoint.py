"""Checkpoints for training loops: save, stop when asked, go on from the newest.

One file, standard library only, Python 3.6 and later: copy it beside your script. Under pinka it keeps
its generations in $PINKA_CHECKPOINT_DIR, from where they are brought into the lab's store while the job
runs and back onto whatever node goes on; anywhere else it works in the directory that you name.

    import pinka_checkpoint

    checkpoints = pinka_checkpoint.Checkpoints()
    start = 0
    found = checkpoints.newest()
    if found:
        start = found.step
        model.load_state_dict(torch.load(found.path("model.pt")))
    for step in range(start, steps):
        train_one(step)
        if checkpoints.should_save(every=30 * 60) or step + 1 == steps:
            with checkpoints.saving(step + 1) as folder:
                torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
        if checkpoints.should_stop():
            checkpoints.leave()      # exit 85: run me again

A generation is a directory gen-STEP that appears whole: it is written beside, synced and renamed, so a
half-written one never has the name. A step that is not above the newest is refused: a run that began at
zero although there was something to go on from is a mistake that would cost the night.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import sys
import time

RUN_ME_AGAIN = 85
MANIFEST = "pinka.json"
_NAME = re.compile(r"gen-([0-9]{1,18})\Z")


class StepWentBack(ValueError):
    """A generation was to be saved that is not newer than the newest: was it loaded?"""


class Generation:
    """One whole checkpoint: its step, and where its files are."""

    def __init__(self, step, directory):
        self.step = step
        self.directory = directory

    def path(self, name):
        return os.path.join(self.directory, name)

    def __repr__(self):
        return "Generation(step=%d, directory=%r)" % (self.step, self.directory)


class Checkpoints:
    """The generations of one run. `keep` of them stay, the newest first."""

    def __init__(self, directory=None, keep=2, catch_signals=True):
        self.directory = directory or os.environ.get("PINKA_CHECKPOINT_DIR") or "checkpoints"
        self.keep = max(1, keep)
        self.notice_file = os.environ.get("PINKA_NOTICE_FILE")
        self.reason = None  # why should_stop() is true
        self._save_asked = False
        self._notice_seen = None
        self._saved_at = time.monotonic()
        self._newest_step = None
        os.makedirs(self.directory, exist_ok=True)
        for name in os.listdir(self.directory):  # what a killed predecessor left half written
            if name.startswith("gen-") and name.endswith(".part"):
                shutil.rmtree(os.path.join(self.directory, name), ignore_errors=True)
        if catch_signals:
            signal.signal(signal.SIGTERM, self._on_term)
            signal.signal(signal.SIGUSR2, self._on_save)

    # --- being asked -------------------------------------------------------------------------------

    def _on_term(self, *_):
        self.reason = self.reason or "Terminated"

    def _on_save(self, *_):
        self._save_asked = True

    def _read_notice(self):
        try:
            seen = os.stat(self.notice_file or "")
            seen = (seen.st_mtime_ns, seen.st_ino)
            if seen == self._notice_seen:
                return
            with open(self.notice_file, encoding="utf-8") as file:
                reason = json.load(file).get("reason")
        except (OSError, ValueError):  # none yet
            return
        self._notice_seen = seen
        if reason == "Checkpoint":
            self._save_asked = True
        else:
            self.reason = self.reason or reason or "Notice"

    def should_stop(self):
        """True once the job has been told to end: save (should_save says so too), then leave()."""
        self._read_notice()
        return self.reason is not None

    def should_save(self, every=None):
        """True when a checkpoint is asked for: by a notice, a signal, an end that comes, or because
        the last one is `every` seconds old."""
        self._read_notice()
        due = every is not None and time.monotonic() - self._saved_at >= every
        return self._save_asked or self.reason is not None or due

    def leave(self):
        """Ends the process so that the job runs again and goes on from the newest generation."""
        sys.stdout.flush()
        sys.stderr.flush()
        sys.exit(RUN_ME_AGAIN)

    # --- saving and loading ------------------------------------------------------------------------

    def steps(self):
        """The steps of all generations that are in place, ascending."""
        found = []
        for name in os.listdir(self.directory):
            match = _NAME.match(name)
            if match and os.path.isdir(os.path.join(self.directory, name)):
                found.append(int(match.group(1)))
        return sorted(found)

    def newest(self):
        """The newest generation whose files are as they were written, or None."""
        for step in reversed(self.steps()):
            generation = Generation(step, self._path(step))
            if _is_whole(generation.directory):
                self._newest_step = step
                return generation
            print("pinka_checkpoint: ignored damaged " + generation.directory, file=sys.stderr)
            with contextlib.suppress(OSError):  # out of the way: its step will be saved again
                os.rename(generation.directory, generation.directory + ".damaged")
        return None

    @contextlib.contextmanager
    def saving(self, step):
        """A directory to write the files of generation `step` into; it counts when the block ends."""
        newest = max(self.steps() or [-1])
        if step <= newest:
            raise StepWentBack(
                "generation %d is not above %d, the newest: was it loaded before training?"
                % (step, newest))
        beside = self._path(step) + ".part"
        shutil.rmtree(beside, ignore_errors=True)
        os.makedirs(beside)
        try:
            yield beside
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
        _write_manifest(beside, step)
        _sync_tree(beside)
        os.rename(beside, self._path(step))
        _sync(self.directory)
        self._save_asked = False
        self._saved_at = time.monotonic()
        for old in self.steps()[:-self.keep]:
            self._remove(self._path(old))

    def save(self, step, write):
        """saving() for a function of the directory."""
        with self.saving(step) as folder:
            write(folder)

    @staticmethod
    def _remove(path):
        """Not under its name: one that is half removed is no generation."""
        aside = path + ".part"
        with contextlib.suppress(OSError):
            os.rename(path, aside)
        shutil.rmtree(aside, ignore_errors=True)

    def _path(self, step):
        return os.path.join(self.directory, "gen-%08d" % step)


def _files_below(directory):
    for folder, _, names in os.walk(directory):
        for name in sorted(names):
            path = os.path.join(folder, name)
            yield os.path.relpath(path, directory), path


def _digest(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def _write_manifest(directory, step):
    files = {name: [os.path.getsize(path), _digest(path)] for name, path in _files_below(directory)}
    with open(os.path.join(directory, MANIFEST), "w", encoding="ascii") as file:
        json.dump({"step": step, "files": files}, file)


def _is_whole(directory):
    try:
        with open(os.path.join(directory, MANIFEST), encoding="ascii") as file:
            files = json.load(file)["files"]
        for name, (size, digest) in files.items():
            path = os.path.join(directory, name)
            if os.path.getsize(path) != size or _digest(path) != digest:
                return False
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


def _sync(path):
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_tree(directory):
    for folder, _, names in os.walk(directory):
        for name in names:
            _sync(os.path.join(folder, name))
        _sync(folder)
