"""Notes of agents, both ways: what CLAUDE.md and its like say as memories, memories as a marked part of such a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

from omoide.aio import twin
from omoide.capture import native_places as places
from omoide.capture.editing import files
from omoide.capture.native_changes import Changes, compare, folded
from omoide.errors import ConfigurationError, InvalidInputError, RejectedValueError
from omoide.memory import Memory
from omoide.model.shape import plain
from omoide.serve import fencing
from omoide.text import marked
from omoide.text.statements import Statement, statements
from omoide.types import MemoryRecord, Trust
from omoide.verbs.transfer.import_ import cap_of

PART: Final = "memories"
Paths = Sequence[str | os.PathLike[str]]


class Native(Memory):
    """A memory that also reads and writes the notes that agents keep in files of their own."""

    def native_import(
        self, paths: Paths | str | os.PathLike[str] | None = None, *, project: str | None = None,
        root: str | os.PathLike[str] | None = None, trust: str | None = None, dry_run: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """Take in what notes say; a statement that was edited since revises its memory, one that is gone ends it.

        ``paths``: files, or folders of them; None for CLAUDE.md, AGENTS.md, GEMINI.md and the like of the project
        at ``root`` and of this person, and Claude Code's own notes. What lies in the project is filed under
        ``project``. Trust is ``observed`` at most unless a person's door says ``trust="stated"``. A memory with other
        sources only loses this one; one that was forgotten or corrected here stays so and is in ``left_out``. ``undo``
        takes ``batch``.

        Raises:
            MissingPathError: a path that is not there; nothing was changed.
            InvalidInputError: a file that is not UTF-8 text, or whose marks do not pair; nothing was changed.
            AccessDeniedError: the trust is not this door's.
        """
        here = places.project_root(Path(root) if root is not None else Path.cwd())
        given = [paths] if isinstance(paths, str | os.PathLike) else paths
        chosen = places.notes(here) if given is None else places.named(given)
        read = [(path, statements(_text_of(path))) for path in chosen]
        together = nullcontext(None) if dry_run else self.batch("import", source="native")
        with self._at_most(cap_of(self._ctx, trust)), together as batch:
            told = [self._take_in(path, said, here, project, dry_run=dry_run) for path, said in read]
        return {"batch": batch, "files": told, "dry_run": dry_run}

    def native_write(
        self, path: str | os.PathLike[str], *, subject: str | Sequence[str] | None = None,
        project: str | None = None, budget: int = 1500, remove: bool = False, dry_run: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        """Put what ``context`` shows into a marked part of a file, quoted and dated; the rest of it stays as it is.

        What the file says itself is not said again. ``remove`` takes the part out. A file that is not there is made.

        Raises:
            InvalidInputError: the marks in the file do not pair, or it is not UTF-8 text; nothing was changed.
            OSError: it cannot be written.
        """
        target = Path(path).expanduser().absolute()
        content = files.content_of(target)
        mark, before = _decoded(target, content)
        shown: dict[str, Any] = {"results": []}
        if remove:
            after = marked.without_part(before, PART)
        else:
            shown = self.context(subject=subject, project=project, budget=budget)
            own = f"{places.label_of(target, places.project_root(target.parent), project)}#L"
            shown["results"] = [row for row in shown["results"] if not str(row["source"] or "").startswith(own)]
            block = fencing.fence(shown["results"], max_tokens=budget)
            after = marked.with_part(before, PART, f"What omoide remembers:\n\n{block.text}")
        changed = after != before
        if changed and not dry_run:
            files.replace(target, (mark + after).encode())
        return {
            "path": str(target), "changed": changed, "memories": [row["id"] for row in shown["results"]],
            "truncated": bool(shown.get("truncated")), "dry_run": dry_run,
        }  # fmt: skip

    anative_import = twin(native_import)
    anative_write = twin(native_write)

    @contextmanager
    def _at_most(self, trust: Trust) -> Iterator[None]:
        """What is read from a file is not worth more than ``trust``, whoever has it read."""
        own = self._ctx.door_trust
        self._ctx.door_trust = trust
        try:
            yield
        finally:
            self._ctx.door_trust = own

    def _take_in(
        self, path: Path, said: Sequence[Statement], root: Path, project: str | None, *, dry_run: bool
    ) -> dict[str, Any]:
        label = places.label_of(path, root, project)
        prefix = f"{label}#L"
        known = [record for record in self.list() if any(source.startswith(prefix) for source in record.sources)]
        changes = compare(known, said)
        stale = [pair for pair in changes.edited if self._said_before(*pair)]
        changes.edited = [pair for pair in changes.edited if pair not in stale]
        filed = project if places.belongs(path, root) else None
        told = _Told(str(path), label)
        told.left_out += [{"line": line.line, "reason": f"memory {record.id} was corrected"} for record, line in stale]
        if dry_run:
            told.foresee(changes)
        else:
            used = {source for record in known for source in record.sources}
            self._carry_out(changes, told, used, filed)
        return told.plain(changes)

    def _carry_out(self, changes: Changes, told: _Told, used: set[str], project: str | None) -> None:
        for record in changes.gone:
            for source in sorted(source for source in record.sources if source.startswith(f"{told.label}#L")):
                self.forget(source=source)
            told.forgotten.append(record.id)
        for record, statement in changes.edited:
            with told.refusals(statement):
                used.difference_update(record.sources)
                self.revise(record.id, statement.text, source=_source(told.label, statement, used))
                told.revised.append(record.id)
        away = self._forgotten_here(told.label) if changes.new else {}
        for statement in changes.new:
            with told.refusals(statement):
                self._add(statement, told, used, project, away.get(folded(statement.text)))

    def _said_before(self, record: MemoryRecord, statement: Statement) -> bool:
        """Say whether a memory was corrected here while its note still says what it said."""
        earlier = self.why(record.id).versions
        return any(
            version.known_to is not None and folded(version.text) == folded(statement.text) for version in earlier
        )

    def _add(
        self, statement: Statement, told: _Told, used: set[str], project: str | None, ended: MemoryRecord | None
    ) -> None:
        if ended is None:
            made = self.remember(
                statement.text, source=_source(told.label, statement, used), project=project,
                tags=list(dict.fromkeys(statement.section)) or None,
            )  # fmt: skip
            told.added.append(int(made))
        elif self._taken_back_by_a_note(ended.id):
            self.restore(ended.id)
            told.added.append(ended.id)
        else:
            told.left_out.append({"line": statement.line, "reason": "forgotten here"})

    def _forgotten_here(self, label: str) -> dict[str, MemoryRecord]:
        """Return the memories of a note that ended, by their text."""
        ended = [record for record in self.list(include_retracted=True) if record.known_to is not None]
        return {folded(each.text): each for each in ended if (each.source or "").startswith(f"{label}#L")}

    def _taken_back_by_a_note(self, id: int) -> bool:
        """Say whether a memory ended because its line left the note, and not because somebody forgot it."""
        ends = [event for event in self.audit() if event.op == "forget" and id in event.targets]
        return bool(ends) and ends[-1].batch is not None


class _Told:
    """What became of one note."""

    def __init__(self, path: str, label: str) -> None:
        self.path = path
        self.label = label
        self.added: list[int] = []
        self.revised: list[int] = []
        self.forgotten: list[int] = []
        self.left_out: list[dict[str, Any]] = []
        self.foreseen = 0

    @contextmanager
    def refusals(self, statement: Statement) -> Iterator[None]:
        """Note a value that a person has rejected, and go on."""
        try:
            yield
        except RejectedValueError as error:
            self.left_out.append({"line": statement.line, "reason": error.message})

    def foresee(self, changes: Changes) -> None:
        """Say what would happen."""
        self.revised = [record.id for record, _ in changes.edited]
        self.forgotten = [record.id for record in changes.gone]
        self.foreseen = len(changes.new)

    def plain(self, changes: Changes) -> dict[str, Any]:
        """Return it as plain values; ``new`` counts what was or would be added."""
        shown: dict[str, Any] = plain({
            "path": self.path, "source": self.label, "new": self.foreseen or len(self.added), "added": self.added,
            "revised": self.revised, "forgotten": self.forgotten, "same": changes.same, "left_out": self.left_out,
        })  # fmt: skip
        return shown


def _source(label: str, statement: Statement, used: set[str]) -> str:
    """Return file and line, told apart from an older statement that stood there and has moved since."""
    source, count = f"{label}#L{statement.line}", 1
    while source in used:
        count += 1
        source = f"{label}#L{statement.line}.{count}"
    used.add(source)
    return source


def _text_of(path: Path) -> str:
    return _decoded(path, files.content_of(path))[1]


def _decoded(path: Path, content: bytes | None) -> tuple[str, str]:
    try:
        return files.decoded(content)
    except ConfigurationError as error:
        raise InvalidInputError(f"{path}: {error.message}", value=str(path)) from error
