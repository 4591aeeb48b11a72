"""An argument of a wrong kind gets a typed error that names it, whatever the verb, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from omoide import History, Index, Memory
from omoide.errors import InvalidInputError, StoreError

NO_PATHS: list[Any] = [None, 5, b"x", "", "a\0b", "\ud800", "x" * 300]


def each(verb: str, name: str, values: list[Any], **others: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return calls of a verb with one argument after another."""
    return [(verb, {**others, name: value}) for value in values]


MEMORY = [
    *[call for verb in ("backup", "export", "import_", "convert") for call in each(verb, "path", NO_PATHS)],
    *each("merge_from", "other_path", NO_PATHS),
    *each("dump", "to", NO_PATHS),
    *[call for verb in ("accept", "refuse") for call in each(verb, "proposals", [None, 5, "\ud800", b"x", [3]])],
    *each("explain_proposal", "proposal", ["\ud800"]),
    *each("context", "subject", [5, True, object()]),
    *each("diff_text", "language", [[], {}, None], since="2026-01-01"),
    *each("feedback", "direction", [[], None], id=1),
    *each("list", "project", [[], "\ud800", 10**30]),
    *each("sleep", "seconds", [float("nan"), -1]),
]
INDEX = [
    *each("add_text", "measure", [[], {}, None], text="x"),
    *each("add_files", "encoding", ["\0", "\ud800", 5], path="."),
]
HISTORY = [
    *each("ingest", "path", ["a\0b", "x" * 300, "~nobody-of-this-name/x"]),
    *each("ingest", "allow_secrets", [None, 5, "text"], path="."),
    *each("grep", "literal", [[], {}], pattern="x"),
    *each("grep", "case", [b"x", [], object()], pattern="x"),
    *each("grep", "limit", [None], pattern="x"),
    *each("list", "archived", [float("nan"), b"x", [], 10**30]),
    *each("retention_preview", "rules", [None, 5, {}]),
    *each("retention_run", "rules", [None, 5, {}]),
    *each("save", "entities", [{"a": 1}, 5], text="x"),
    *each("save", "allow_secrets", [None, 5], text="x"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("wrong")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        yield path


@pytest.fixture(scope="module")
def faces(folder: Path) -> Iterator[dict[type, Any]]:
    kinds: tuple[Any, ...] = (Memory, Index, History)
    opened: dict[type, Any] = {kind: kind(folder / "agents.db", embedder="none") for kind in kinds}
    opened[Memory].remember("a fact")
    yield opened
    for face in opened.values():
        face.close()


@pytest.mark.parametrize(
    "kind,verb,arguments",
    [(Memory, *case) for case in MEMORY] + [(Index, *case) for case in INDEX] + [(History, *case) for case in HISTORY],
)
def test_is_a_typed_error_and_nothing_is_written(
    faces: dict[type, Any], folder: Path, kind: type, verb: str, arguments: dict[str, Any]
) -> None:
    before = faces[Memory].head(), sorted(folder.iterdir())
    with pytest.raises(InvalidInputError):
        getattr(faces[kind], verb)(**arguments)
    assert (faces[Memory].head(), sorted(folder.iterdir())) == before


def test_more_hits_than_a_store_can_have_are_all_there_are(faces: dict[type, Any]) -> None:
    assert len(faces[Memory].recall("fact", k=10**30)) == 1


@pytest.mark.parametrize("note", [None, 1.5, b"x", [], {}])
def test_notes_are_named_by_id_or_text(tmp_path: Path, note: Any) -> None:
    with Memory(tmp_path / "notes/", embedder="none") as mem:
        for ask in (lambda: mem.links(note), lambda: mem.rename_note(note, "b"), lambda: mem.adopt_note(note)):
            with pytest.raises(InvalidInputError):
                ask()


def test_a_vault_in_a_place_that_cannot_be_is_a_typed_error(tmp_path: Path) -> None:
    """A name longer than any file system takes, and a file where a folder should be."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for place in ("x" * 300, "file"):
        with pytest.raises(StoreError):
            Memory(f"{tmp_path / place}/notes/", embedder="none")
