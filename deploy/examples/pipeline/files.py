"""The one habit all stages share: a file is whole or absent, whoever interrupts its writer."""

import os


def write_whole(path, content):
    """Writes bytes to path through a neighbour that is renamed once it is safely on disk."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    neighbour = f"{path}.{os.getpid()}.part"
    with open(neighbour, "wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    os.replace(neighbour, path)
