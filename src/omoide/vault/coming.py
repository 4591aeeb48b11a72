"""Notes that other copies of a vault told of and that are not here yet; known beside the index, which may go.

A program that keeps folders in step brings a log before the notes that it tells of, and the notes in states that
are long past. Such a file is nobody's edit.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from omoide.model.time import Micros
from omoide.vault import outbox
from omoide.vault.journal import Line
from omoide.vault.outbox import Order
from omoide.vault.place import Place

MOST: Final = 4_096
"""Memories whose notes are waited for in the states that were told."""
LONGEST: Final = 32
"""States of one note that are waited for."""
DAYS: Final = 30
"""So long a state that was told is waited for; afterwards a file that has it is somebody's wish."""
_DAY: Final = 86_400_000_000
_FILE: Final = "coming"


@dataclass(slots=True)
class Coming:
    """What is still to come.

    ``absent``: memories, by uid, whose notes this copy never held. ``told``: by uid the day on which states of a note
    were last told, counted from 1970, and the hashes of those that were not seen here, in the order of their lines.
    """

    absent: list[str] = field(default_factory=list)
    told: dict[str, tuple[int, list[str]]] = field(default_factory=dict)

    def comes(self, uid: str | None, hash: bytes) -> bool:
        """Say whether a state of a note was told and not seen before."""
        return uid is not None and hash.hex() in self.told.get(uid, (0, []))[1]

    def came(self, uid: str, hash: bytes) -> None:
        """A state is here, and is not waited for any more."""
        day, hashes = self.told.pop(uid, (0, []))
        rest = [each for each in hashes if each != hash.hex()]
        self.told |= {uid: (day, rest)} if rest else {}


def read(place: Place) -> Coming:
    """Return what is still to come; nothing where that cannot be read."""
    try:
        found = json.loads(_file(place).read_bytes())
        told = {str(uid): (int(day), [str(each) for each in hashes]) for uid, (day, hashes) in found["told"].items()}
        return Coming([str(uid) for uid in found["absent"]], told)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Coming()


def write(place: Place, coming: Coming) -> None:
    """Write down what is still to come, the oldest left out where that is too much."""
    told = dict(sorted(coming.told.items(), key=_day)[-MOST:])
    data = json.dumps({"absent": sorted(set(coming.absent)), "told": told}).encode("ascii")
    with suppress(OSError):  # a vault that may not be written
        if outbox.read(_file(place)) != data:
            outbox.replace(_file(place), data)


def announce_new(place: Place, orders: Iterable[Order]) -> None:
    """Notes that could not be written are yet to come, where there were none before."""
    announce(place, [order.write.uid for order in orders if order.before[1] is None and order.write.uid is not None])


def announce(place: Place, uids: Iterable[str]) -> None:
    """The notes of some memories are yet to come."""
    coming = read(place)
    new = set(uids) - set(coming.absent)
    if new:
        coming.absent += new
        write(place, coming)


def tell(place: Place, states: Mapping[str, Sequence[str]], now: Micros) -> None:
    """States of notes were told that are not here; those that were told too long ago are not waited for any more."""
    if not any(states.values()):
        return
    coming, today = read(place), now // _DAY
    coming.told = {uid: (day, hashes) for uid, (day, hashes) in coming.told.items() if day + DAYS >= today}
    for uid, hashes in states.items():
        known = coming.told.get(uid, (0, []))[1]
        both = list(dict.fromkeys([*known, *hashes]))[-LONGEST:]
        coming.told |= {uid: (today, both)} if hashes else {}
    write(place, coming)


def told_by(lines: Iterable[Line]) -> dict[str, list[tuple[str | None, str]]]:
    """Return by uid the states of notes of which lines tell: a path where that is new, and a hash.

    What a snapshot tells of was there before.
    """
    found: dict[str, list[tuple[str | None, str]]] = {}
    for line in lines:
        part: dict[str, list[Any]] = {} if line.snapshot else line.rows.get("note", {})
        rows = [*((row["uid"], row) for row in part.get("+", ())), *((key[0], row) for key, row in part.get("~", ()))]
        for uid, row in rows:
            if isinstance(row.get("hash"), dict):
                found.setdefault(uid, []).append((row.get("path"), b64decode(row["hash"]["b"]).hex()))
    return found


def _file(place: Place) -> Path:
    return place.lock.parent / _FILE


def _day(item: tuple[str, tuple[int, list[str]]]) -> int:
    return item[1][0]
