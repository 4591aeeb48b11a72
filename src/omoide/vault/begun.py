"""What a write is about to do to the folder, noted beside it: cut short, whoever comes next does it, index or not.

The note is one file: the hash of what follows it, the log, the files and records as the outbox has them, the lines.
One that is not whole says that no file was touched yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from omoide.vault import archive, coming, outbox
from omoide.vault.files import HIDDEN, hash_of
from omoide.vault.line import Delivery
from omoide.vault.outbox import Order
from omoide.vault.pen import Pen, cannot_write
from omoide.vault.place import LOCAL, Place

_FILE: Final = "begun"


@contextmanager
def noted(root: Path, delivery: Delivery) -> Iterator[list[Order]]:
    """Note a delivery that has files, until it is done; yield a list for those that turn out to be edited.

    The caller holds the vault's lock.

    Raises:
        StoreFullError, StoreError: it cannot be noted; no file was touched.
    """
    if delivery.orders:
        begin(root, delivery.log, delivery.lines, delivery.files, durable=len(delivery.orders) > 1)
    yield []
    if delivery.orders:
        end(root)


def carry_out(root: Path, orders: Sequence[Order]) -> list[Order]:
    """Write files that belong together, outside of any write; return those that somebody keeps from being written.

    Where the first one is kept from it, the others are left alone. The caller holds the vault's lock.

    Raises:
        StoreFullError, StoreError: it cannot be noted; no file was touched.
    """
    edited: list[Order] = []
    begin(root, "", (), outbox.pack(orders), durable=len(orders) > 1)
    left = outbox.carry_out(root, orders[:1], edited)
    if not left and not edited:
        left = outbox.carry_out(root, orders[1:], edited)
    end(root)
    return [*left, *edited]


def begin(root: Path, log: str, lines: Sequence[bytes], files: bytes, *, durable: bool) -> None:
    """Note what is about to be done. ``durable``: a power cut must not undo the note.

    ``log``: the file below the folder of logs that gets the lines at the end; ``files``: as packed for the outbox.
    """
    place = _place(root)
    body = b"\n".join((log.encode("utf-8"), files, *lines))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("wb") as note:
            note.write(hash_of(body).hex().encode("ascii") + b"\n" + body)
            if durable:
                note.flush()
                os.fsync(note.fileno())
    except OSError as error:
        raise cannot_write(place, error) from error


def end(root: Path) -> None:
    """It is done."""
    _place(root).unlink(missing_ok=True)


def tidy(root: Path) -> None:
    """Do what a crash left undone, then remove what it left lying; the caller holds the vault's lock."""
    finish(root)
    outbox.clean(root / HIDDEN / LOCAL)


def finish(root: Path) -> None:
    """Do what somebody began and did not live to end; the caller holds the vault's lock.

    Where its lines are in the log, all its files are there.
    """
    place = _place(root)
    try:
        digest, _, body = place.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return
    if digest == hash_of(body).hex().encode("ascii"):
        log, files, *lines = body.split(b"\n")
        _do(root, log.decode("utf-8"), files, lines)
    end(root)


def _do(root: Path, log: str, files: bytes, lines: Sequence[bytes]) -> None:
    pen = Pen(root, log.partition("/")[0])
    if lines and pen.holds(log, lines[-1]):
        return
    coming.announce_new(Place(root), outbox.carry_out(root, outbox.unpack(files)))
    archive.carry_out(root, archive.unpacked(files))
    if lines:
        pen.write(log, lines, again=True)


def _place(root: Path) -> Path:
    return root / HIDDEN / LOCAL / _FILE
