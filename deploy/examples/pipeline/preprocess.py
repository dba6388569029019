"""Turns plain texts into small integers, once, on a cheap tier.

Reads the licence texts that every Debian machine carries, keeps the characters worth learning and
writes three files that all later stages share:

    symbols.json   the alphabet; a character's id is its place in it
    train.ids      one byte a character, nine blocks of ten
    heldout.ids    the tenth block, never trained on: the loss that is reported is measured here
"""

import argparse
import collections
import json
import os
import re

from files import write_whole

SYMBOLS = 40  # the rarest characters become "?"
BLOCK = 2000  # characters


def read_texts(folder):
    """The texts in folder, each once: links such as GPL -> GPL-3 are left out."""
    for entry in sorted(os.scandir(folder), key=lambda e: e.name):
        if entry.is_file(follow_symlinks=False):
            with open(entry.path, encoding="utf-8", errors="replace") as text:
                yield re.sub(r"\s+", " ", text.read().lower())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", default="/usr/share/common-licenses", help="folder of texts")
    parser.add_argument("--out", required=True, help="folder for the three files")
    options = parser.parse_args()

    text = " ".join(read_texts(options.texts))
    counts = collections.Counter(text)
    counts.pop("?", None)
    if len(counts) < 2:
        raise SystemExit(f"{options.texts} has no text to learn from")
    by_use = sorted(counts, key=lambda c: (-counts[c], c))
    symbols = ["?"] + by_use[: SYMBOLS - 1]
    ids = {symbol: i for i, symbol in enumerate(symbols)}
    encoded = bytes(ids.get(c, 0) for c in text)

    blocks = [encoded[i : i + BLOCK] for i in range(0, len(encoded), BLOCK)]
    heldout = b"".join(blocks[9::10])
    train = b"".join(block for i, block in enumerate(blocks) if i % 10 != 9)
    if not heldout:
        raise SystemExit(f"{options.texts} has too little text to hold any of it out")

    write_whole(os.path.join(options.out, "symbols.json"), json.dumps(symbols).encode())
    write_whole(os.path.join(options.out, "train.ids"), train)
    write_whole(os.path.join(options.out, "heldout.ids"), heldout)
    print(f"{len(symbols)} symbols, {len(train)} characters to train on, {len(heldout)} held out")


if __name__ == "__main__":
    main()
