"""A tree of text files kept as memories, one a file; folders are made by what is in them and kept once made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from omoide.integrations.entries import Change, Entry

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
    """The files of a namespace as they stood at one moment, by absolute path; what changes them is returned."""

    def __init__(self, namespace: str, entries: Sequence[Entry]) -> None:
        self._namespace = namespace
        self._entries = {entry.key: entry for entry in entries}
        self._folders = {ROOT, *(folder for key in self._entries for folder in _above(key))}
        self._folders |= {key for key, entry in self._entries.items() if entry.data.get(_FOLDER)}

    def read(self, path: str) -> str | None:
        """Return a file's text, or None when there is no such file."""
        entry = self._entries.get(path)
        return None if entry is None or entry.data.get(_FOLDER) else entry.text

    def is_folder(self, path: str) -> bool:
        """Say whether there is such a folder."""
        return path in self._folders

    def file_above(self, path: str) -> str | None:
        """Return the file that stands where a folder would have to be, or None."""
        return next((above for above in _above(path) if self.read(above) is not None), None)

    def write(self, path: str, text: str) -> list[Change]:
        """Return what writes a file and the folders above it."""
        return [*self._made(path), self._change(path, text)]

    def remove(self, path: str) -> list[Change]:
        """Return what forgets a file, or a folder with all below it; nothing when there is none."""
        return [self._change(key, None) for key in self._entries if _below(key, path)]

    def move(self, old: str, new: str) -> list[Change]:
        """Return what moves a file, or a folder with all below it."""
        changes = self._made(new)
        for key, entry in self._entries.items():
            if _below(key, old):
                moved = new + key[len(old) :]
                changes.append(Change(self._namespace, moved, entry.text, entry.data, was=key))
        return changes

    def size(self, path: str) -> int:
        """Return the bytes of all files below a folder."""
        return sum(_bytes(entry) for key, entry in self._entries.items() if key.startswith(f"{path}/"))

    def listing(self, path: str) -> list[tuple[str, int]]:
        """Return (name below ``path``, bytes) two levels deep, sorted; folders end in a slash, hidden ones are left."""
        sizes: dict[tuple[str, ...], int] = {}
        folders: set[tuple[str, ...]] = set()
        for key, entry in self._entries.items():
            parts = tuple(key[len(path) + 1 :].split("/"))
            if not key.startswith(f"{path}/") or any(part.startswith(".") for part in parts[:2]):
                continue
            folders.update(parts[:depth] for depth in range(1, len(parts) + bool(entry.data.get(_FOLDER))))
            for depth in range(1, min(len(parts), 2) + 1):
                sizes[parts[:depth]] = sizes.get(parts[:depth], 0) + _bytes(entry)
        return [("/".join(parts) + "/" * (parts in folders), sizes[parts]) for parts in sorted(sizes)]

    def _made(self, path: str) -> list[Change]:
        made = [above for above in _above(path) if above not in self._folders]
        return [Change(self._namespace, above, "", {_FOLDER: True}) for above in made]

    def _change(self, path: str, text: str | None) -> Change:
        return Change(self._namespace, path, text, {})


def _above(path: str) -> list[str]:
    """Return the folders between the root and a path, the nearest last."""
    parts = path[len(ROOT) + 1 :].split("/")
    return ["/".join([ROOT, *parts[:depth]]) for depth in range(1, len(parts))]


def _below(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _bytes(entry: Entry) -> int:
    return 0 if entry.data.get(_FOLDER) else len(entry.text.encode())
