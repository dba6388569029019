"""Trains a small language model by gradient descent: which character comes next?

The model is one layer with a softmax on top. Three characters are looked back at; the last one, the
last two and the last three each own a row of weights (the three share a hashed table), and the sum
of the rows gives the odds of every next character. Plain Python, so any machine can run it.

What a job on a shared, interruptible machine should do, this one does:

* The same data, seed, rate and steps give the same weights to the last bit, also across a stop.
* Checkpoints are whole or absent; a start with a checkpoint in place goes on from the newest.
* A notice file or SIGTERM makes it save and leave with exit 85, "run me again".
"""

import argparse
import array
import glob
import json
import math
import os
import random
import signal
import sys
import time

from files import write_whole

BATCH = 32
LOOK_BACK = 3
TABLE_ROWS = 4096  # for the longest context; a collision only blurs two contexts
KEEP = 2  # checkpoints
RUN_ME_AGAIN = 85


class Model:
    def __init__(self, symbols):
        self.symbols = symbols
        self.rows = symbols + symbols * symbols + TABLE_ROWS
        self.weights = [[0.0] * symbols for _ in range(self.rows)]

    def context(self, ids, at):
        """The rows that speak about ids[at]."""
        v = self.symbols
        one = ids[at - 1]
        two = ids[at - 2] * v + one
        three = (ids[at - 3] * v * v + two) * 2654435761 % 2**32 % TABLE_ROWS
        return one, v + two, v + v * v + three

    def odds(self, context):
        a, b, c = (self.weights[row] for row in context)
        scores = list(map(math.exp, (x + y + z for x, y, z in zip(a, b, c))))
        total = sum(scores)
        return [score / total for score in scores]

    def loss(self, ids, places):
        """Mean surprise in nats per character; ln(symbols) before any training."""
        surprise = [-math.log(self.odds(self.context(ids, at))[ids[at]]) for at in places]
        return math.fsum(surprise) / len(surprise)

    def learn(self, ids, places, rate):
        """Gradient descent over a batch, character by character; returns the mean loss it met."""
        surprise = 0.0
        for at in places:
            context = self.context(ids, at)
            odds = self.odds(context)
            target = ids[at]
            surprise -= math.log(odds[target])
            odds[target] -= 1.0  # now the gradient
            for row in context:
                self.weights[row] = [w - rate * g for w, g in zip(self.weights[row], odds)]
        return surprise / len(places)


class Checkpoints:
    """Numbered files in one folder. A file: one JSON line (what was trained), then the weights."""

    def __init__(self, folder, identity):
        self.folder = folder
        self.identity = identity

    def _files(self):
        return sorted(glob.glob(os.path.join(glob.escape(self.folder), "step-*.ckpt")))

    def save(self, step, model):
        head = json.dumps({**self.identity, "step": step}) + "\n"
        flat = array.array("d", (w for row in model.weights for w in row))
        path = os.path.join(self.folder, f"step-{step:08d}.ckpt")
        write_whole(path, head.encode() + flat.tobytes())
        for old in self._files()[:-KEEP]:
            os.remove(old)

    def load_newest(self, model):
        """Fills model from the newest file of the same run and returns its step, else 0."""
        for path in reversed(self._files()):
            try:
                with open(path, "rb") as file:
                    head = json.loads(file.readline())
                    flat = array.array("d", file.read())
                step = head.pop("step")
            except (ValueError, KeyError):
                print(f"ignored {path}: it is damaged", flush=True)
                continue
            if head != self.identity or len(flat) != model.rows * model.symbols:
                print(f"ignored {path}: it belongs to another run", flush=True)
                continue
            v = model.symbols
            model.weights = [flat[i : i + v].tolist() for i in range(0, len(flat), v)]
            print(f"resumed from {path} at step {step}", flush=True)
            return step
        return 0


class Notice:
    """Tells when to save: the scheduler's notice file, or SIGTERM."""

    def __init__(self):
        self.path = os.environ.get("PINKA_NOTICE_FILE")
        self.heard = None  # the last notice, so that one is answered once
        self.terminated = False
        signal.signal(signal.SIGTERM, self._on_term)

    def _on_term(self, *_):
        self.terminated = True

    def check(self):
        """None, "save" or "leave"."""
        if self.terminated:
            return "leave"
        try:
            with open(self.path or "", encoding="utf-8") as file:
                notice = json.load(file)
        except (OSError, ValueError):  # none yet, or not yet whole
            return None
        if notice == self.heard:
            return None
        self.heard = notice
        print(f"notice: {notice.get('reason')}", flush=True)
        return "save" if notice.get("reason") == "Checkpoint" else "leave"


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="folder written by preprocess.py")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--best", help="rate and seed from this file, written by pick_best.py")
    parser.add_argument("--result", help="file for rate, seed and loss")
    parser.add_argument("--checkpoint-dir", default=os.environ.get("PINKA_CHECKPOINT_DIR"))
    parser.add_argument("--checkpoint-every", type=float, default=1.0, help="seconds")
    options = parser.parse_args()

    if options.best:
        best = json.loads(read_bytes(options.best))
        options.lr, options.seed = best["lr"], best["seed"]
    return options


def read_bytes(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def train(options, ids, model, checkpoints):
    """Trains up to options.steps; False when told to leave before."""
    notice = Notice()
    step = checkpoints.load_newest(model) if checkpoints else 0
    print(f"training {options.steps} steps, lr {options.lr:g}, seed {options.seed}", flush=True)
    report_every = max(1, options.steps // 10)
    losses = []  # since the last report
    saved_at = time.monotonic()
    while step < options.steps:
        # The batch follows from seed and step alone, so a resumed run sees what it would have seen.
        dice = random.Random(options.seed * 1_000_003 + step)
        places = [dice.randrange(LOOK_BACK, len(ids)) for _ in range(BATCH)]
        losses.append(model.learn(ids, places, options.lr))
        step += 1
        if step % report_every == 0:
            print(f"step {step} loss {math.fsum(losses) / len(losses):.4f}", flush=True)
            losses.clear()

        asked = notice.check()
        due = time.monotonic() - saved_at >= options.checkpoint_every
        if checkpoints and (asked or due or step == options.steps):
            checkpoints.save(step, model)
            saved_at = time.monotonic()
        if asked == "leave" and step < options.steps:
            saved = "saved" if checkpoints else "nowhere to save"
            print(f"{saved} at step {step}, leaving", flush=True)
            return False
    return True


def main():
    options = read_options()
    symbols = len(json.loads(read_bytes(options.data, "symbols.json")))
    ids = read_bytes(options.data, "train.ids")
    heldout = read_bytes(options.data, "heldout.ids")

    model = Model(symbols)
    checkpoints = None
    if options.checkpoint_dir:
        run = {"lr": options.lr, "seed": options.seed, "symbols": symbols, "batch": BATCH}
        checkpoints = Checkpoints(options.checkpoint_dir, run)
    if not train(options, ids, model, checkpoints):
        return RUN_ME_AGAIN

    loss = model.loss(heldout, range(LOOK_BACK, len(heldout), 5))
    print(f"held-out loss {loss:.4f}", flush=True)
    if options.result:
        result = {"lr": options.lr, "seed": options.seed, "steps": options.steps, "loss": loss}
        write_whole(options.result, json.dumps(result).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
