"""One file's way from what it is to what it should be: planned, shown as a diff, then carried out whole."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from omoide.capture.editing import files, record, syntaxes
from omoide.capture.editing.edits import Edit
from omoide.capture.editing.record import Record
from omoide.errors import ConfigurationError

Claims = Mapping[str, Sequence[Edit]]


@dataclass(frozen=True, slots=True)
class Change:
    """``before`` and ``after`` are contents, None for no file. ``kept``: somebody edited a whole file of ours."""

    record: Record
    before: bytes | None
    after: bytes | None
    kept: bool = False

    @property
    def path(self) -> Path:
        """The file."""
        return self.record.path

    @property
    def needed(self) -> bool:
        """Whether the file is not yet what it should be."""
        return self.before != self.after

    def diff(self) -> str:
        """Return the change as a unified diff, "" for none."""
        old, new = (_lines(content) for content in (self.before, self.after))
        name = str(self.path)
        source = name if self.before is not None else "/dev/null"
        target = name if self.after is not None else "/dev/null"
        lines = difflib.unified_diff(old, new, source, target)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines(keepends=True)


def plan(path: Path, syntax: str, claims: Claims) -> Change:
    """Return what has to change in a file, ``claims``: edits by who wants them, none to take theirs out.

    What omoide wrote earlier is taken out first, so that a second time changes nothing.

    Raises:
        ConfigurationError: the file does not parse, or something of others is in the way; the message names it.
    """
    try:
        return _plan(path, syntax, claims)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error.message}", value=str(path)) from error


def _plan(path: Path, syntax: str, claims: Claims) -> Change:
    before = files.content_of(path)
    known = record.load(path)
    wanted = dict(known.claims) if known else {}
    for name, edits in claims.items():
        if edits:
            wanted[name] = tuple(edits)
        else:
            wanted.pop(name, None)
    edits = record.unique(wanted)
    base = _base(before, known, syntax, edits or [edit for part in claims.values() for edit in part])
    if syntax in ("script", "markdown-file") and _worked_on(before, known):
        return Change(_recorded(path, syntax, base, before, wanted, known), before, before, kept=True)
    after = _made(base, syntax, edits)
    return Change(_recorded(path, syntax, base, after, wanted, known), before, after)


def taken_out(path: Path, syntax: str, edits: Sequence[Edit]) -> Change:
    """Return what has to change in a file of which no record is left, so that nothing of ours stays in it.

    Raises:
        ConfigurationError: the file does not parse; the message names the place.
    """
    before = files.content_of(path)
    if before is None or syntaxes.SIGNED.encode() not in before:
        return Change(Record(path, syntax, None, None), before, before)
    try:
        after = _unrecorded(before, syntax, edits)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error.message}", value=str(path)) from error
    gone = syntax == "script" and not after
    return Change(Record(path, syntax, None, None), before, None if gone else after)


def _recorded(
    path: Path, syntax: str, base: bytes | None, after: bytes | None, claims: dict[str, tuple[Edit, ...]],
    known: Record | None,
) -> Record:  # fmt: skip
    return Record(path, syntax, base, files.digest(after), claims, known.folders if known else ())


def _worked_on(before: bytes | None, known: Record | None) -> bool:
    """Whether somebody changed a whole file of ours."""
    return known is not None and before is not None and files.digest(before) != known.after and before != known.base


def _base(before: bytes | None, known: Record | None, syntax: str, edits: Sequence[Edit]) -> bytes | None:
    """Return the file without anything of ours."""
    if known is None:
        return _unrecorded(before, syntax, edits)
    if files.digest(before) == known.after:
        return known.base
    if before == known.base:
        return before
    old = files.decoded(known.base)[1]
    rest = _stripped(before, syntax, known.edits, old)
    if known.base is None and rest is not None and syntaxes.is_blank(syntax, files.decoded(rest)[1]):
        return None
    return rest


def _unrecorded(before: bytes | None, syntax: str, edits: Sequence[Edit]) -> bytes | None:
    """Return a file without what an earlier set-up left in it; empty containers of others stay where nothing is."""
    untouched = _stripped(before, syntax, edits, files.decoded(before)[1]) == before
    return before if untouched else _stripped(before, syntax, edits, None)


def _stripped(content: bytes | None, syntax: str, edits: Sequence[Edit], base: str | None) -> bytes | None:
    if content is None:
        return None
    mark, text = files.decoded(content)
    return (mark + syntaxes.strip(syntax, text, edits, base)).encode() if text.strip() else content


def _made(base: bytes | None, syntax: str, edits: Sequence[Edit]) -> bytes | None:
    if not edits:
        return base
    mark, text = files.decoded(base)
    return (mark + syntaxes.apply(syntax, text, edits)).encode()


def carry_out(change: Change) -> None:
    """Make the file what it should be. The record is kept first, so that a crash between both loses no byte.

    Raises:
        ConfigurationError: the file changed since the change was planned; nothing was written.
        OSError: it cannot be written.
    """
    if files.content_of(change.path) != change.before:
        raise ConfigurationError(f"{change.path} was changed by another program just now; run the command again")
    if change.record.claims:
        record.save(change.record)
    if change.after is None:
        change.path.unlink(missing_ok=True)
    elif change.needed:
        made = files.replace(change.path, change.after)
        if made and change.record.claims:
            folders = tuple(dict.fromkeys([*change.record.folders, *made]))
            record.save(replace(change.record, folders=folders))
    if not change.record.claims:
        record.drop(change.path)
