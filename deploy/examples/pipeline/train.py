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
import json
import math
import os
import random
import sys

from files import write_whole

try:
    import pinka_checkpoint
except ImportError:  # run from the repository: a copy beside this file is the usual way
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.append(os.path.join(here, "..", "..", "..", "client", "python"))
    import pinka_checkpoint

BATCH = 32
LOOK_BACK = 3
TABLE_ROWS = 4096  # for the longest context; a collision only blurs two contexts


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


def identity(options, symbols):
    """What was trained: a checkpoint of another run is none of ours."""
    return {"lr": options.lr, "seed": options.seed, "symbols": symbols, "batch": BATCH}


def save(checkpoints, step, model, run):
    flat = array.array("d", (w for row in model.weights for w in row))
    with checkpoints.saving(step) as folder:
        with open(os.path.join(folder, "run.json"), "w", encoding="utf-8") as file:
            json.dump(run, file)
        with open(os.path.join(folder, "weights"), "wb") as file:
            file.write(flat.tobytes())


def load_newest(checkpoints, model, run):
    """Fills model from the newest checkpoint and returns its step, else 0."""
    found = checkpoints.newest()
    if found is None:
        return 0
    if json.loads(read_bytes(found.directory, "run.json")) != run:
        raise SystemExit(f"{found.directory} belongs to another run; name another --checkpoint-dir")
    flat = array.array("d", read_bytes(found.directory, "weights"))
    v = model.symbols
    model.weights = [flat[i : i + v].tolist() for i in range(0, len(flat), v)]
    print(f"resumed at step {found.step}", flush=True)
    return found.step


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


def train(options, ids, model, checkpoints, run):
    """Trains up to options.steps; leaves before that when told to, with the state saved."""
    step = load_newest(checkpoints, model, run) if checkpoints else 0
    print(f"training {options.steps} steps, lr {options.lr:g}, seed {options.seed}", flush=True)
    report_every = max(1, options.steps // 10)
    losses = []  # since the last report
    while step < options.steps:
        # The batch follows from seed and step alone, so a resumed run sees what it would have seen.
        dice = random.Random(options.seed * 1_000_003 + step)
        places = [dice.randrange(LOOK_BACK, len(ids)) for _ in range(BATCH)]
        losses.append(model.learn(ids, places, options.lr))
        step += 1
        if step % report_every == 0:
            print(f"step {step} loss {math.fsum(losses) / len(losses):.4f}", flush=True)
            losses.clear()
        if checkpoints is None:
            continue
        if checkpoints.should_save(every=options.checkpoint_every) or step == options.steps:
            save(checkpoints, step, model, run)
        if checkpoints.should_stop() and step < options.steps:
            print(f"{checkpoints.reason}: saved at step {step}, leaving", flush=True)
            checkpoints.leave()


def main():
    options = read_options()
    symbols = len(json.loads(read_bytes(options.data, "symbols.json")))
    ids = read_bytes(options.data, "train.ids")
    heldout = read_bytes(options.data, "heldout.ids")

    model = Model(symbols)
    checkpoints = None
    if options.checkpoint_dir:
        checkpoints = pinka_checkpoint.Checkpoints(options.checkpoint_dir)
    train(options, ids, model, checkpoints, identity(options, symbols))

    loss = model.loss(heldout, range(LOOK_BACK, len(heldout), 5))
    print(f"held-out loss {loss:.4f}", flush=True)
    if options.result:
        result = {"lr": options.lr, "seed": options.seed, "steps": options.steps, "loss": loss}
        write_whole(options.result, json.dumps(result).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
