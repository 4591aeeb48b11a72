"""A tree of text files kept as memories, one a file; folders are made by what is in them and kept once made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from omoide.integrations.keyed import Change, Entry, Keyed

ROOT: Final = "/memories"
_FOLDER: Final = "folder"
_UNITS: Final = ("B", "K", "M", "G")


def spot(path: str) -> str | None:
    """Return a path below ``/memories`` without ``.``, ``..`` and doubled slashes, or None when it leads out."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        return None
    parts: list[str] = []
    for part in path[len(ROOT) :].split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join([ROOT, *parts])


def numbered(lines: list[str], first: int) -> str:
    """Return lines with their numbers, right-aligned in six places, and a tab."""
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))


def size_of(size: int) -> str:
    """Return a number of bytes in the largest unit that it fills, with one decimal where it is not whole."""
    unit = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    share = size / 1024**unit
    return f"{int(share)}{_UNITS[unit]}" if share == int(share) else f"{share:.1f}{_UNITS[unit]}"


class Files:
    """The files of one handle's namespace, by absolute path."""

    def __init__(self, memory: Keyed) -> None:
        self._memory = memory

    def read(self, path: str) -> str | None:
        """Return a file's text, or None when there is no such file."""
        entry = self._memory.entry(self._memory.namespace, path)
        return None if entry is None or entry.data.get(_FOLDER) else entry.text

    def write(self, path: str, text: str) -> None:
        """Write a file and the folders above it, in one transaction."""
        self._memory.apply([*self._folders(path), self._change(path, text)])

    def is_folder(self, path: str) -> bool:
        """Say whether there is such a folder."""
        return path == ROOT or any(place == path for place in self._places())

    def file_above(self, path: str) -> str | None:
        """Return the file that stands where a folder would have to be, or None."""
        return next((above for above in _above(path) if self.read(above) is not None), None)

    def remove(self, path: str) -> bool:
        """Forget a file or folder with all below it; return whether there was anything."""
        gone = [entry for entry in self._entries() if _below(entry.key, path)]
        self._memory.apply([self._change(entry.key, None) for entry in gone])
        return bool(gone)

    def move(self, old: str, new: str) -> None:
        """Move a file or folder with all below it, in one transaction."""
        moved = [entry for entry in self._entries() if _below(entry.key, old)]
        changes = [*self._folders(new)]
        for entry in moved:
            target = new + entry.key[len(old) :]
            changes += [self._change(entry.key, None), Change(entry.namespace, target, entry.text, entry.data)]
        self._memory.apply(changes)

    def size(self, path: str) -> int:
        """Return the bytes of all files below a folder."""
        return sum(_bytes(entry) for entry in self._entries() if entry.key.startswith(f"{path}/"))

    def listing(self, path: str) -> list[tuple[str, int]]:
        """Return (name below ``path``, bytes) two levels deep, sorted; folders end in a slash, hidden ones are left."""
        sizes: dict[tuple[str, ...], int] = {}
        folders: set[tuple[str, ...]] = set()
        for entry in self._entries():
            if not entry.key.startswith(f"{path}/"):
                continue
            parts = tuple(entry.key[len(path) + 1 :].split("/"))
            if any(part.startswith(".") for part in parts[:2]):
                continue
            folders.update(parts[:depth] for depth in range(1, len(parts) + bool(entry.data.get(_FOLDER))))
            for depth in range(1, min(len(parts), 2) + 1):
                sizes[parts[:depth]] = sizes.get(parts[:depth], 0) + _bytes(entry)
        return [("/".join(parts) + "/" * (parts in folders), sizes[parts]) for parts in sorted(sizes)]

    def _entries(self) -> list[Entry]:
        return self._memory.entries([self._memory.namespace])

    def _places(self) -> Iterator[str]:
        for entry in self._entries():
            if entry.data.get(_FOLDER):
                yield entry.key
            yield from _above(entry.key)

    def _folders(self, path: str) -> list[Change]:
        there = set(self._places())
        return [
            Change(self._memory.namespace, above, "", {_FOLDER: True}) for above in _above(path) if above not in there
        ]

    def _change(self, path: str, text: str | None) -> Change:
        return Change(self._memory.namespace, path, text, {})


def _above(path: str) -> list[str]:
    """Return the folders between the root and a path, the nearest last."""
    parts = path[len(ROOT) + 1 :].split("/")
    return ["/".join([ROOT, *parts[:depth]]) for depth in range(1, len(parts))]


def _below(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _bytes(entry: Entry) -> int:
    return 0 if entry.data.get(_FOLDER) else len(entry.text.encode())
