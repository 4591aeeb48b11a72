"""What changed in the files of a vault since they were last looked at: one pass over the folders, by their states."""

from __future__ import annotations

import os
import re
import stat
import time
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from omoide.vault.damage import (
    TOO_LARGE,
    DamagedNoteError,
    original_of_copy,
    original_of_duplicate,
)
from omoide.vault.files import HIDDEN, INDEX_NOTE, MARKDOWN, NOT_NOTES, hash_of, is_evicted, stat_of
from omoide.vault.frontmatter import Note, parse

_COARSE_NS: Final = 2_000_000_000
_FINE_NS: Final = 50_000_000
"""How old a change has to be, so that a later one shows in the time of a file: by the grain of its clock."""
_HEAD: Final = 4_096
_OURS: Final = re.compile(rb"^uid:", re.MULTILINE)
"""What tells a damaged note of a memory from a stranger's."""


class Seen(Protocol):
    """A file as it was last looked at."""

    @property
    def path(self) -> str:
        """Relative to the vault, with forward slashes."""
        ...

    @property
    def hash(self) -> bytes:
        """Of its bytes."""
        ...

    @property
    def stat(self) -> str | None:
        """What stands for its state, None where it has to be read again."""
        ...

    @property
    def uid(self) -> str | None:
        """The memory that it says, None for other notes."""
        ...


@dataclass(frozen=True, slots=True)
class Look:
    """A file as it is now. ``note`` is None where it was not read because its bytes are the known ones."""

    path: str
    stat: str | None
    hash: bytes
    uid: str | None = None
    note: Note | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Move:
    """A file that is somewhere else now, perhaps with other bytes."""

    old: str
    look: Look
    edited: bool


@dataclass(frozen=True, slots=True)
class Damage:
    """A file that is set aside: ``code`` is one of ``damage.REASONS``; ``uid`` the memory it said when last seen.

    ``look``: what it is, where it is whole and there is another note of its memory.
    """

    path: str
    code: str
    reason: str
    stat: str | None
    uid: str | None = None
    look: Look | None = field(default=None, repr=False)


@dataclass(slots=True)
class Changes:
    """What a sweep found.

    ``touched`` files have a new state and the same bytes; ``mended`` are out of quarantine; where a ``displaced``
    note was, there is now that of another memory.
    """

    created: list[Look] = field(default_factory=list)
    edited: list[Look] = field(default_factory=list)
    moved: list[Move] = field(default_factory=list)
    vanished: list[Seen] = field(default_factory=list)
    displaced: list[Seen] = field(default_factory=list)
    damaged: list[Damage] = field(default_factory=list)
    touched: list[Look] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Say whether anything has to be written; a file that was only touched can wait."""
        found = (self.created, self.edited, self.moved, self.vanished, self.displaced, self.damaged, self.mended)
        return any(found)


Memo = dict[str, tuple[Seen, int, int, int]]
"""What was seen of files whose state was found to be theirs, with that state as numbers: size, time, identity."""


@dataclass(frozen=True, slots=True)
class _Found:
    path: str
    full: str
    state: os.stat_result


def sweep(
    root: str | os.PathLike[str], known: Mapping[str, Seen], held: Mapping[str, str | None] | None = None,
    memo: Memo | None = None,
) -> Changes:  # fmt: skip
    """Return what changed below ``root`` since ``known`` was written down, by path.

    ``held`` are the files in quarantine, by path, with their states; they are left alone until they change.
    ``memo`` makes the next look at the same files faster; it holds for whatever is known then.
    One ``stat`` a note finds every change of one; no time of a folder is taken for an answer, since a change of what
    a file holds does not change it.
    A folder that is no vault, or that cannot be read, counts as one in which nothing changed.
    """
    top = os.fspath(root)
    if not os.path.isdir(os.path.join(top, HIDDEN)):  # noqa: PTH112, PTH118  # the same functions throughout
        return Changes(unseen=[""])
    return _Sweep(top, known, held or {}, {} if memo is None else memo).run()


class _Sweep:
    """One pass over a vault."""

    def __init__(self, root: str, known: Mapping[str, Seen], held: Mapping[str, str | None], memo: Memo) -> None:
        self._root, self._known, self._held, self._memo = root, known, held, memo
        self._same: list[str] = []
        self._changes = Changes()
        self._present: set[str] = set()
        self._aside: set[str] = set()
        self._new: list[_Found] = []
        self._spelled: dict[str, str] | None = None
        self._now = time.time_ns()

    def run(self) -> Changes:
        """Look at everything and return what changed."""
        changes = self._changes
        self._walk()
        gone: list[Seen] = []
        if self._present or len(self._same) < len(self._known):
            self._present.update(self._same)
        if len(self._same) < len(self._known) and not self._known.keys() <= self._present:
            gone = [seen for path, seen in self._known.items() if path not in self._present and not self._hidden(path)]
            gone = [seen for seen in gone if seen.path != INDEX_NOTE and not is_evicted(self._root, seen.path)]
        if gone or self._new:
            self._settle_new(gone)
        aside = {each.path for each in changes.damaged} | self._aside
        changes.mended += [path for path in self._held if path not in aside and not self._hidden(path)]
        return changes

    # -- what there is -----------------------------------------------------------------------------------

    def _walk(self) -> None:
        """Look at the notes below the root; hidden folders and what links point to are left out."""
        folders = [("", self._root)]
        while folders:
            prefix, folder = folders.pop()
            try:
                with os.scandir(folder) as entries:
                    folders += self._folder(prefix, entries)
            except OSError:
                self._changes.unseen.append(prefix)

    def _folder(self, prefix: str, entries: Iterable[os.DirEntry[str]]) -> list[tuple[str, str]]:
        """Look at the files of one folder; return the folders in it. This runs once a note at every call."""
        known, same, memo = self._known.get, self._same.append, self._memo.get
        inner: list[tuple[str, str]] = []
        for entry in entries:
            name = entry.name
            if name.endswith(".md"):
                path, state = prefix + name, entry.stat(follow_symlinks=False)
                seen, told = known(path), memo(path)
                if told == (seen, state.st_size, state.st_mtime_ns, state.st_ino):
                    same(path)
                elif seen is not None and seen.stat == f"{state.st_size}:{state.st_mtime_ns}:{state.st_ino}":
                    self._memo[path] = seen, state.st_size, state.st_mtime_ns, state.st_ino
                    same(path)
                elif name[0] != "." and stat.S_ISDIR(state.st_mode):
                    inner.append((f"{path}/", entry.path))
                elif name[0] != ".":
                    self._file(path, entry, state)
            elif name[0] == ".":
                continue
            elif entry.is_dir(follow_symlinks=False) and name not in NOT_NOTES:
                inner.append((f"{prefix}{name}/", entry.path))
            elif name.lower().endswith(MARKDOWN):
                self._file(prefix + name, entry, entry.stat(follow_symlinks=False))
        return inner

    def _file(self, path: str, entry: os.DirEntry[str], state: os.stat_result) -> None:
        """Look at a file that is not as it was."""
        if not _is_text(path):
            self._damage(_shown(path), "name", "its name is not valid Unicode; rename it", stat_of(state))
        elif stat.S_ISLNK(state.st_mode):
            self._link(path, entry, state)
        elif stat.S_ISREG(state.st_mode) and path != INDEX_NOTE:
            found = _Found(self._known_spelling(path), entry.path, state)
            seen = self._known.get(found.path)
            if seen is not None and seen.stat == stat_of(state):
                self._present.add(found.path)
            else:
                self._consider(found)

    def _known_spelling(self, path: str) -> str:
        """A file system may give back a name in another form of Unicode than the one it was made with."""
        if path in self._known or path.isascii():
            return path
        if self._spelled is None:
            self._spelled = {unicodedata.normalize("NFC", each): each for each in self._known if not each.isascii()}
        return self._spelled.get(unicodedata.normalize("NFC", path), path)

    def _link(self, path: str, entry: os.DirEntry[str], state: os.stat_result) -> None:
        """A link inside the vault adds nothing to what it points to; one that leads out is never followed."""
        target, top = os.path.realpath(entry.path), os.path.realpath(self._root)
        inside = os.path.splitdrive(target)[0] == os.path.splitdrive(top)[0] and (
            os.path.commonpath([target, top]) == top
        )
        if not inside:
            self._damage(path, "link_outside", "it is a link that leads out of the vault", stat_of(state))

    def _hidden(self, path: str) -> bool:
        return any(path.startswith(prefix) for prefix in self._changes.unseen)

    # -- what became of one file -------------------------------------------------------------------------

    def _consider(self, found: _Found) -> None:
        """A file with another state than the known one: read it."""
        now = stat_of(found.state)
        if found.path in self._held and self._held[found.path] == now:
            self._present.add(found.path)
            self._aside.add(found.path)
            return
        seen = self._known.get(found.path)
        if seen is None:
            self._new.append(found)
            self._present.add(found.path)
            return
        look = self._read(found, seen)
        self._present.add(found.path)
        if look is None:
            return
        if look.hash == seen.hash and found.path in self._held and seen.uid is not None:
            again = self._read(found, None)  # out of quarantine as it was: that may be a choice between two sides
            self._changes.edited += [] if again is None else [again]
        elif look.hash == seen.hash:
            self._changes.touched.append(look)
        elif look.uid != seen.uid:
            self._new.append(found)  # another memory's note lies where this one was
            self._present.discard(found.path)
        else:
            self._changes.edited.append(look)

    def _read(self, found: _Found, seen: Seen | None) -> Look | None:
        """Return a file as it is; None for one that is gone again, or that goes to quarantine."""
        try:
            return self._taken(found, seen)
        except FileNotFoundError:
            return None
        except OSError as error:
            reason, state = f"it cannot be read: {error.strerror}", None
            self._damage(found.path, "unreadable", reason, state, None if seen is None else seen.uid)
        except DamagedNoteError as error:
            uid = None if seen is None else seen.uid
            self._damage(found.path, error.code, error.message, stat_of(found.state), uid)
        return None

    def _taken(self, found: _Found, seen: Seen | None) -> Look:
        now = self._trusted(found.state)
        uid = None if seen is None else seen.uid
        if found.state.st_size > TOO_LARGE:
            raise DamagedNoteError(
                "too_large", f"it has {found.state.st_size} bytes; more than {TOO_LARGE} are not read"
            )
        data = Path(found.full).read_bytes()
        digest = hash_of(data)
        if seen is not None and digest == seen.hash:
            return Look(found.path, now, digest, uid)
        try:
            note = parse(data)
        except DamagedNoteError as error:
            if uid is None and error.code in ("front_matter", "unclosed") and not _OURS.search(data[:_HEAD]):
                return Look(found.path, now, digest)  # a stranger's note is a text, whatever its front matter
            raise
        if uid is not None and not note.body.strip():
            raise DamagedNoteError("empty", "nothing is written in it")
        return Look(found.path, now, digest, uid_of(note) or uid, note)

    def _trusted(self, state: os.stat_result) -> str | None:
        """Return what stands for a state, None where a change right now would not show in it."""
        grain = _FINE_NS if state.st_mtime_ns % 1_000_000 else _COARSE_NS
        return stat_of(state) if state.st_mtime_ns + grain < self._now else None

    def _damage(
        self, path: str, code: str, reason: str, now: str | None, uid: str | None = None, look: Look | None = None
    ) -> None:
        self._present.add(path)
        if path not in self._held or self._held[path] != now:
            self._changes.damaged.append(Damage(path, code, reason, now, uid, look))
        else:
            self._aside.add(path)

    # -- files that are new, and files that are gone -----------------------------------------------------

    def _settle_new(self, gone: list[Seen]) -> None:
        """A new file that says a memory whose file is gone is that file, moved."""
        missing = {seen.uid: seen for seen in gone if seen.uid is not None}
        by_hash = {seen.hash: seen for seen in gone if seen.uid is None}
        owners = {seen.uid: path for path, seen in self._known.items() if seen.uid is not None}
        for found in sorted([*self._new, *self._set_aside(missing)], key=lambda each: _likely_copy(each.path)):
            look = self._read(found, None)
            if look is None:
                continue
            old = missing.pop(look.uid, None) if look.uid is not None else by_hash.pop(look.hash, None)
            if old is not None:
                self._changes.moved.append(Move(old.path, look, look.hash != old.hash))
                gone.remove(old)
            elif look.uid is not None and owners.get(look.uid, found.path) != found.path:
                self._duplicate(found, owners[look.uid], look)
                continue
            else:
                self._changes.created.append(look)
            if look.uid is not None:
                owners[look.uid] = found.path
            self._aside.discard(found.path)
        new = {found.path for found in self._new}
        for seen in gone:
            lists = self._changes.displaced if seen.uid is not None and seen.path in new else self._changes.vanished
            lists.append(seen)

    def _set_aside(self, missing: Mapping[Any, Seen]) -> Iterable[_Found]:
        """Copies in quarantine may say a memory whose own file is gone."""
        for path in self._held if missing else ():
            full = os.path.join(self._root, *path.split("/"))  # noqa: PTH118
            fresh = path not in self._known and all(found.path != path for found in self._new)
            if fresh and path in self._present and not os.path.islink(full):  # noqa: PTH114
                yield _Found(path, full, os.stat(full))  # noqa: PTH116

    def _duplicate(self, found: _Found, owner: str, look: Look) -> None:
        original = original_of_copy(found.path) or original_of_duplicate(found.path)
        now = stat_of(found.state)
        if original == owner:
            reason = f"it is a copy of {owner}, made by a program that keeps folders in step; merge the two by hand"
            self._damage(found.path, "conflict_copy", reason, now)
        else:
            reason = f"it has the uid of {owner}; remove the lines id and uid to make it a memory of its own"
            self._damage(found.path, "duplicate", reason, now, look=look)


def uid_of(note: Note) -> str | None:
    """Return the uid that a note gives itself, None without one of the right form."""
    uid = note.fields.get("uid")
    return uid if isinstance(uid, str) and len(uid) == 36 and uid.count("-") == 4 else None


def _is_text(path: str) -> bool:
    """Say whether a path can be written down; the system hands out the bytes that are no letters as surrogates."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: str) -> str:
    return path.encode(errors="backslashreplace").decode()


def _likely_copy(path: str) -> tuple[bool, str]:
    return original_of_copy(path) is not None or original_of_duplicate(path) is not None, path
