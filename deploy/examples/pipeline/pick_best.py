"""Reads what a sweep's tasks wrote and keeps the best rate and seed for the final run."""

import argparse
import glob
import json
import os

from files import write_whole


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", required=True, help="folder of the sweep's .json files")
    parser.add_argument("--out", required=True, help="file for the winner")
    options = parser.parse_args()

    results = []
    for path in sorted(glob.glob(os.path.join(glob.escape(options.results), "*.json"))):
        with open(path, encoding="utf-8") as file:
            results.append(json.load(file))
    if not results:
        raise SystemExit(f"no results in {options.results}: did the sweep run?")

    results.sort(key=lambda r: (r["loss"], r["lr"], r["seed"]))
    for r in results:
        print(f"lr {r['lr']:<5g} seed {r['seed']}  held-out loss {r['loss']:.4f}")
    best = results[0]
    write_whole(options.out, json.dumps(best).encode())
    print(f"best: lr {best['lr']:g}, seed {best['seed']}")


if __name__ == "__main__":
    main()
