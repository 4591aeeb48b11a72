"""Files written for a committed transaction: each as a whole or not at all, never over a person's edit."""

from __future__ import annotations

import base64
import errno
import json
import os
import secrets
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import Any, Final

from omoide.vault.files import HIDDEN, FileWrite, hash_of
from omoide.vault.place import LOCAL

UNFINISHED: Final = ".omoide~"
_ATTEMPTS: Final = 5
_PAUSE: Final = 0.02


@dataclass(frozen=True, slots=True)
class Order:
    """A file to be written, and ``moved_hash``, that of the bytes that may go where it is moved from."""

    write: FileWrite
    moved_hash: bytes | None

    @property
    def before(self) -> tuple[str, bytes | None]:
        """Where the file is until this is carried out, and the hash of the bytes that may be replaced there."""
        write = self.write
        return (write.path, write.old_hash) if write.move_from is None else (write.move_from, self.moved_hash)


def pack(orders: Iterable[Order], more: Sequence[dict[str, Any]] = ()) -> bytes:
    """Return orders as bytes for the outbox; ``more`` lies beside them, without the name ``path``."""
    return json.dumps([*(_packed(order) for order in orders), *more]).encode("ascii")


def unpack(data: bytes) -> list[Order]:
    """Return the orders of an entry of the outbox."""
    return [
        Order(
            FileWrite(item["path"], _bytes(item["old"]), _bytes(item["new"]), item["from"], item["uid"]),
            _bytes(item["moved"]),
        )
        for item in json.loads(data)
        if "path" in item
    ]


def carry_out(root: Path, orders: Sequence[Order], edited: list[Order] | None = None) -> list[Order]:
    """Write files; return the orders that somebody keeps from being carried out.

    A file whose bytes are not those that were to be replaced is left as it is: it is somebody's edit. ``edited``
    gets what was not written for that reason.
    """
    return [order for order in orders if not _carry_out(root, order, [] if edited is None else edited)]


def _carry_out(root: Path, order: Order, edited: list[Order]) -> bool:
    write = order.write
    try:
        if not (_move(root, write, root / write.move_from, order) if write.move_from else _write(root, write)):
            edited.append(order)
    except OSError:
        return False
    return True


def _move(root: Path, write: FileWrite, source: Path, order: Order) -> bool:
    """Change a file where it is, then give it its new name: wherever this stops, there is one of it."""
    target, there = root / write.path, read(source)
    if there is None or write.new_bytes is None:
        return _write(root, write)
    if target.exists() and not target.samefile(source):
        return _write(root, write) and _remove(root, source, order.moved_hash)
    if hash_of(there) not in (order.moved_hash, write.new_hash):
        return False
    place, known = order.before
    if not _write(root, replace_fields(write, path=place, old_hash=known)):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        _patiently(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        replace(target, write.new_bytes, through=target.parent)  # a folder of the vault that lies on another disk
        source.unlink(missing_ok=True)
    _remove_empty(root, source.parent)
    return True


def _write(root: Path, write: FileWrite) -> bool:
    """Write or remove one file; say whether the file is now as it was to be."""
    file = root / write.path
    if write.new_bytes is None:
        return _remove(root, file, write.old_hash)
    there = read(file)
    found = None if there is None else hash_of(there)
    if found == write.new_hash:
        return True
    if found != write.old_hash and found is not None:
        return False
    kept = None if found is None else _second_name(root, file)
    try:
        replace(file, write.new_bytes, through=root / HIDDEN / LOCAL)
        if kept is None or hash_of(kept.read_bytes()) == write.old_hash:
            return True
        _patiently(kept, file)  # somebody wrote into the file after it was read
    finally:
        if kept is not None:
            kept.unlink(missing_ok=True)
    return False


def _second_name(root: Path, file: Path) -> Path | None:
    """Keep the bytes of a file that is about to be replaced; None where a file has one name only."""
    kept = _unfinished(root / HIDDEN / LOCAL)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        os.link(file, kept, follow_symlinks=False)
    except (OSError, NotImplementedError):
        return None
    return kept


def _unfinished(folder: Path) -> Path:
    return folder / f".{secrets.token_hex(6)}{UNFINISHED}"


def _remove(root: Path, file: Path, expected: bytes | None) -> bool:
    there = read(file)
    if there is None:
        return True
    if hash_of(there) != expected:
        return False
    kept = _second_name(root, file)
    file.unlink(missing_ok=True)
    if kept is not None:
        changed = hash_of(kept.read_bytes()) != expected
        if changed:  # somebody wrote into the file after it was read
            _patiently(kept, file)
            return False
        kept.unlink(missing_ok=True)
    _remove_empty(root, file.parent)
    return True


def _remove_empty(root: Path, folder: Path) -> None:
    with suppress(OSError):  # not empty
        while folder != root:
            folder.rmdir()
            folder = folder.parent


def read(file: Path) -> bytes | None:
    """Return the bytes of a file, None when there is none."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def replace(file: Path, data: bytes, *, through: Path | None = None) -> None:
    """Give a file new bytes in one step; ``through``: the folder in which they are made ready, its own by default."""
    for folder in (file.parent, through or file.parent):
        folder.mkdir(parents=True, exist_ok=True)
    temporary = _unfinished(through or file.parent)
    try:
        temporary.write_bytes(data)
        try:
            _patiently(temporary, file)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            replace(file, data, through=file.parent)  # a folder of the vault that lies on another disk
    finally:
        temporary.unlink(missing_ok=True)


def clean(through: Path) -> None:
    """Remove what a crash left of files that were being made ready."""
    for left in through.glob(f".*{UNFINISHED}"):
        left.unlink(missing_ok=True)


def _patiently(temporary: Path, file: Path) -> None:
    """Another program may have the file open, which some systems take for a reason not to replace it."""
    for attempt in range(_ATTEMPTS):
        try:
            os.replace(temporary, file)  # noqa: PTH105  (Path.replace is the same)
        except PermissionError:
            if attempt == _ATTEMPTS - 1:
                raise
            time.sleep(_PAUSE * 2**attempt)
        else:
            return


def _packed(order: Order) -> dict[str, Any]:
    write = order.write
    return {
        "path": write.path, "old": _text(write.old_hash), "new": _text(write.new_bytes), "from": write.move_from,
        "uid": write.uid, "moved": _text(order.moved_hash),
    }  # fmt: skip


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
