"""Which files the checks look at: what git tracks, or every file where there is no git."""

import os
import subprocess

_SKIPPED = {".git", "__pycache__", "node_modules"}


def files(root):
    """Sorted paths relative to `root`, with forward slashes."""
    tracked = _tracked(root)
    return sorted(tracked if tracked is not None else _walk(root))


def _tracked(root):
    command = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z"]
    if not os.path.exists(os.path.join(root, ".git")):
        return None
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return None
    return [p for p in listed.split("\0") if p and os.path.isfile(os.path.join(root, p))]


def _walk(root):
    for folder, names, found in os.walk(root):
        names[:] = [n for n in names if n not in _SKIPPED and not n.startswith("build")]
        for name in found:
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
