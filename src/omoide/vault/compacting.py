"""What gives way to the present state of a vault once that is written; what nobody here has read yet stays."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from omoide.store.sqlite.notes import Notes
from omoide.vault import archive, logs
from omoide.vault.archive import Addition
from omoide.vault.journal import Line
from omoide.vault.line import Delivery
from omoide.vault.replaying import ERASED, WANTED


def clear_away(root: Path, connection: Any, delivery: Delivery) -> None:
    """Delete the logs and the files of the archive that a delivery of the whole state took the place of.

    What another copy wrote and this one has not taken in stays: logs with lines that the database does not hold,
    and files of the archive with records that no line names, unless every other record in them was erased.
    """
    writer, held = delivery.log.partition("/")[0], set(Notes(connection).lines())
    gone: list[Path] = []
    known, unread = _Names(), _Names()
    for file in logs.files(root):
        lines = [] if f"{file.parent.name}/{file.name}" == delivery.log else list(logs.lines_of(file))
        fresh = file.parent.name != writer and any(line.hash not in held for line in lines)
        (unread if fresh else known).add(lines)
        gone += [file] if not fresh and f"{file.parent.name}/{file.name}" != delivery.log else []
    kept = unread.files() | _awaited(connection) | {each.path for each in delivery.additions}
    for path in known.files() - kept:
        if not _goes_on(root, path, known, delivery.additions):
            archive.remove(root, path)
    for path in archive.paths_of(root, writer) - kept:
        archive.remove(root, path)
    for file in gone:  # after the archive, so that after a crash it is still known whose its files are
        file.unlink(missing_ok=True)
        with suppress(OSError):  # not empty
            file.parent.rmdir()
    Notes(connection).delivered()
    Notes(connection).set(ERASED, None)


class _Names:
    """Records of sessions that lines name, by file."""

    def __init__(self) -> None:
        self._found: dict[str, set[str]] = {}

    def add(self, lines: Iterable[Line]) -> None:
        for name in (name for line in lines for name in _named(line)):
            self._found.setdefault(str(name.get("in")), set()).add(str(name.get("is")))

    def files(self) -> set[str]:
        return set(self._found)

    def of(self, path: str) -> set[str]:
        return self._found.get(path, set())


def _named(line: Line) -> Iterator[dict[str, Any]]:
    turns = line.rows.get("turn", {})
    values = [*turns.get("+", ()), *(changed for _, changed in turns.get("~", ()))]
    yield from (row["raw"] for row in values if isinstance(row.get("raw"), dict) and "is" in row["raw"])


def _goes_on(root: Path, path: str, known: _Names, additions: Iterable[Addition]) -> bool:
    """Say whether a file has records that came before their line, of a session that was not erased."""
    there = archive.names_in(root, path)
    if there <= known.of(path):
        return False
    alive = {name for each in additions for name in archive.names_of(each.data)}
    return not alive.isdisjoint(known.of(path))


def _awaited(connection: Any) -> set[str]:
    """Return the files from which records of turns that are there are still to come."""
    wanted = dict(json.loads(Notes(connection).get(WANTED) or "[]"))
    rows = connection.execute(
        "SELECT turn_id FROM turn WHERE raw IS NULL AND turn_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(wanted)),),
    )
    return {str(wanted[turn].get("in")) for (turn,) in rows}
