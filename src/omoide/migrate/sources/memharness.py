"""memharness, schema 5: facts in one table, each revision a row that its predecessor points to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from omoide.errors import InvalidInputError
from omoide.migrate.reading import moment
from omoide.migrate.source import Source
from omoide.migrate.sqlite_file import Database, Row, file_in
from omoide.migrate.values import Brought, Edit, Ending, Step, said
from omoide.model.time import FOREVER
from omoide.types.reports import LeftOut

FILE: Final = "memory.db"
KINDS: Final = {"semantic": "fact", "episodic": "event", "procedural": "procedure"}
_COLUMNS: Final = (
    "id", "subject", "predicate", "fact", "confidence", "importance", "kind", "valid_from", "valid_to", "tx_at",
    "superseded_by", "source_agent", "source_ref", "source_commit", "source_path", "retracted_at",
)  # fmt: skip
_ROOTS: Final = "id NOT IN (SELECT superseded_by FROM facts WHERE superseded_by IS NOT NULL AND superseded_by <> id)"
_CHAIN: Final = (
    "WITH RECURSIVE line(id) AS (SELECT ? UNION SELECT f.superseded_by FROM facts f JOIN line l ON f.id = l.id"
    " WHERE f.superseded_by IS NOT NULL) SELECT * FROM facts WHERE id IN (SELECT id FROM line) ORDER BY id"
)


class Memharness(Source):
    """A memharness database, or its folder. A line of revisions becomes one memory with all its versions."""

    name = "memharness"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = Database(file_in(path, FILE))
        self._file.need(self.name, "facts")

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield a memory for every line of revisions, retracted ones too."""
        for root in self._file.stream("facts", _COLUMNS, _ROOTS):
            line = [root] if root["superseded_by"] is None else self._file.rows(_CHAIN, (root["id"],))
            steps: list[Step] = []
            for row in line:
                ref = f"memharness:fact/{row['id']}"
                try:
                    steps += self._steps(row, ref)
                except InvalidInputError as error:
                    yield LeftOut(ref, error.message)
            if any(isinstance(step, Edit) for step in steps):
                yield Brought(_key(root), tuple(sorted(steps, key=_order)))

    def _steps(self, row: Row, ref: str) -> list[Step]:
        superseded = row["superseded_by"] is not None
        claim = said(
            row["fact"], subject=row["subject"], predicate=row["predicate"], confidence=row["confidence"],
            importance=row["importance"], kind=KINDS.get(str(row["kind"]), "fact"), source=row["source_ref"] or ref,
            cites=_cites(row),
        )  # fmt: skip
        until = None if superseded else moment(row["valid_to"])
        edit = Edit(
            moment(row["tx_at"]), claim, ref, valid_from=moment(row["valid_from"]),
            valid_to=FOREVER if until is None else until, actor=row["source_agent"] or None,
        )  # fmt: skip
        gone = moment(row["retracted_at"])
        return [edit] if gone is None else [edit, Ending(gone, ref=ref)]


def _cites(row: Row) -> list[str]:
    path, commit = row.get("source_path"), row.get("source_commit")
    if not path and not commit:
        return []
    return [f"{path}@{commit}" if path and commit else str(path or commit)]


def _key(row: Row) -> tuple[str, ...]:
    """Rows are never changed in these columns, and never deleted."""
    return (str(row["id"]), str(row["tx_at"]), str(row["subject"]), str(row["fact"]))


def _order(step: Step) -> tuple[int, bool]:
    return (step.at or 0, isinstance(step, Ending))
