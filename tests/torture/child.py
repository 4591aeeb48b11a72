"""A program that works on a store until it is done or killed, and says what was acknowledged.

``child.py write PATH WHO COUNT [EMBEDDER]``   remember COUNT notes one by one (0: for ever)
``child.py bulk PATH WHO EVERY [EMBEDDER]``    remember for ever in a block, flushing every so many
``child.py mixed PATH WHO SEED``               remember, revise, update, forget and restore for ever
``child.py read PATH UNTIL``                   recall until the file UNTIL exists; print the largest answer
``child.py fill PATH LIMIT``                   write under a limit on file sizes until it fails, then without

Lines: ``try ID TEXT`` before a change of a known memory, ``ack ID TEXT`` once it returned (``-``: forgotten).
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from omoide import Memory
from omoide.errors import OmoideError
from omoide.testing import FakeEmbedder


def say(*words: object) -> None:
    """Print one line at once."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def opened(path: str, embedder: str = "fake") -> Memory:
    """Open the store with vectors of sixteen numbers, or none."""
    chosen: Any = FakeEmbedder(16) if embedder == "fake" else "none"
    return Memory(path, embedder=chosen)


def write(path: str, who: str, count: str, embedder: str = "fake") -> None:
    """Remember one by one."""
    mem = opened(path, embedder)
    n = 0
    while not int(count) or n < int(count):
        text = f"note {n} by {who}"
        say("ack", mem.remember(text), text)
        n += 1
    mem.close()


def bulk(path: str, who: str, every: str, embedder: str = "fake") -> None:
    """Remember in a block; acknowledge what each flush covered."""
    mem = opened(path, embedder)
    n = 0
    with mem.bulk() as b:
        while True:
            batch = []
            for _ in range(int(every)):
                batch.append((mem.remember(f"note {n} by {who}"), f"note {n} by {who}"))
                n += 1
            b.flush()
            for memory_id, text in batch:
                say("ack", memory_id, text)


def mixed(path: str, who: str, seed: str) -> None:
    """Change memories at random; a memory's last acknowledged text is what must be found."""
    chance = random.Random(int(seed))
    mem = opened(path)
    texts: dict[int, str] = {}
    forgotten: dict[int, str] = {}
    n = 0
    while True:
        n += 1
        verb = chance.choice(["remember", "remember", "revise", "update", "forget", "restore"])
        text = f"step {n} by {who}"
        if verb == "restore" and forgotten:
            memory_id = chance.choice(sorted(forgotten))
            texts[memory_id] = text = forgotten.pop(memory_id)
            say("try", memory_id, text)
            mem.restore(memory_id)
            say("ack", memory_id, text)
        elif verb == "remember" or not texts:
            memory_id = int(mem.remember(text))
            texts[memory_id] = text
            say("ack", memory_id, text)
        elif verb == "forget":
            memory_id = chance.choice(sorted(texts))
            forgotten[memory_id] = texts.pop(memory_id)
            say("try", memory_id, "-")
            mem.forget(memory_id)
            say("ack", memory_id, "-")
        elif verb in {"revise", "update"}:
            memory_id = chance.choice(sorted(texts))
            texts[memory_id] = text
            say("try", memory_id, text)
            if verb == "revise":
                mem.revise(memory_id, text)
            else:
                mem.update(memory_id, text=text)
            say("ack", memory_id, text)


def read(path: str, until: str) -> None:
    """Recall and list until told to stop; every answer must hold together."""
    mem = opened(path)
    most = 0
    while not Path(until).exists():
        hits = mem.recall("note by", k=10_000)
        assert len({hit.id for hit in hits}) == len(hits)
        count = int(mem.stats()["default"]["count"])
        assert count >= most, "a committed write was lost from view"
        most = max(most, count)
        time.sleep(0.005)
    say("most", most)
    mem.close()


def fill(path: str, room: str) -> None:
    """Write until no file may grow any more, then lift the limit and go on."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    mem = opened(path)
    n = 0
    for n in range(20):
        say("ack", mem.remember(f"note {n}"), f"note {n}")
    largest = max(file.stat().st_size for file in Path(path).parent.iterdir())
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + int(room), hard))
    failures = 0
    while failures < 5:
        n += 1
        text = f"note {n} " + "padding " * 200
        try:
            memory_id = mem.remember(text)
        except OmoideError as error:
            failures += 1
            say("full", error.code, n)
        else:
            say("ack", memory_id, text)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    say("ack", mem.remember("room again"), "room again")
    mem.close()


if __name__ == "__main__":
    work: dict[str, Callable[..., None]] = {"write": write, "bulk": bulk, "mixed": mixed, "read": read, "fill": fill}
    work[sys.argv[1]](*sys.argv[2:])
