"""A program that works on conversations until it is done or killed, and says what was acknowledged.

``history_child.py save PATH WHO COUNT``      save COUNT segments one by one (0: for ever); the last one twice
``history_child.py shift PATH``               archive and restore at random for ever
``history_child.py ingest PATH FOLDER TIMES`` take a folder in, again and again (0: for ever)

Lines: ``try ID`` before a segment is moved, ``ack ID TEXT`` once a save returned, ``taken COUNT`` after an ingest.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable

from omoide import History


def say(*words: object) -> None:
    """Print one line at once."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def save(path: str, who: str, count: str) -> None:
    """Save texts of its own and, each time, one that every other process saves as well."""
    his = History(path, embedder="none")
    n = 0
    while not int(count) or n < int(count):
        text = f"segment {n} by {who}: the tokens rotate every {n} hours"
        say("ack", his.save(text, project="p", session=f"session {n % 3}"), text)
        his.save(f"common segment {n}", project="p")
        n += 1
    his.close()


def shift(path: str) -> None:
    """Put segments away and back."""
    his = History(path, embedder="none")
    chance = random.Random(3)
    names = [segment.id for segment in his.list()]
    say("ready", len(names))
    while True:
        name = chance.choice(names)
        say("try", name)
        if not his.archive(name):
            his.unarchive(name)


def ingest(path: str, folder: str, times: str) -> None:
    """Take a folder of transcripts in."""
    his = History(path, embedder="none")
    n = 0
    while not int(times) or n < int(times):
        say("taken", his.ingest(folder).new)
        n += 1
    his.close()


if __name__ == "__main__":
    work: dict[str, Callable[..., None]] = {"save": save, "shift": shift, "ingest": ingest}
    work[sys.argv[1]](*sys.argv[2:])
