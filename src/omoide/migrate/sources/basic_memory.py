"""basic-memory: a folder of Markdown notes, or its database, which names the folders and knows when notes were made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from omoide.errors import InvalidInputError
from omoide.migrate.front import Note, read_note
from omoide.migrate.reading import local_moment
from omoide.migrate.source import Source
from omoide.migrate.sources.basic_notes import fields_beside, observations, relations, tags_of, title_of
from omoide.migrate.sources.memory_server import RELATION
from omoide.migrate.sqlite_file import Database, file_in
from omoide.migrate.values import Brought, Edit, Tie, said
from omoide.model.kinds import KINDS
from omoide.model.time import Micros
from omoide.types.reports import LeftOut

FILE: Final = "memory.db"
_OWN: Final = ("title", "type", "permalink", "tags", "created", "modified", "updated")
_ENTITIES: Final = "SELECT file_path, created_at, updated_at FROM entity WHERE project_id = ?"


class _Folder(NamedTuple):
    """A folder of notes: its project, where it is, and when the database says each file was made."""

    project: str | None
    path: Path
    made: Mapping[str, Micros | None]


class BasicMemory(Source):
    """Each note is a memory with its whole text; its observations and relations are memories about its title."""

    name = "basic-memory"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        notes = path.is_dir() and not (path / FILE).is_file()
        self._folders = [_Folder(None, path, {})] if notes else list(_projects(file_in(path, FILE)))

    def scopes(self) -> Mapping[str, int]:
        """Return the projects of the database."""
        named = [(folder.project, folder) for folder in self._folders if folder.project is not None]
        return {project: len(folder.made) for project, folder in named}

    def memories(self) -> Iterator[Brought | LeftOut]:
        """Yield its notes with their observations and relations."""
        for folder in self._folders:
            for file in _notes(folder.path):
                ref = file.relative_to(folder.path).as_posix()
                try:
                    yield from _brought(read_note(file), folder, file, ref)
                except InvalidInputError as error:
                    yield LeftOut(f"basic-memory:{ref}", error.message)

    def ties(self) -> Iterator[Tie]:
        """Yield the relations between notes that are there."""
        for folder in self._folders:
            names = dict(_names(folder))
            for file in _notes(folder.path):
                try:
                    note = read_note(file)
                except InvalidInputError:
                    continue
                start = _name(note, file.relative_to(folder.path).as_posix())
                for relation in relations(note):
                    end = names.get(relation.target.casefold())
                    if end is not None and end != start:
                        yield Tie("related", ("note", start), ("note", end), None, relation.kind)


def _brought(note: Note, folder: _Folder, file: Path, ref: str) -> Iterator[Brought | LeftOut]:
    title, name = title_of(note, file.stem), _name(note, ref)
    at, source = _made(folder, file), f"basic-memory:{name}"
    made = local_moment(note.fields.get("created")) or at
    seen: dict[tuple[str, ...], int] = {}

    def one(key: tuple[str, ...], text: str, **given: Any) -> Brought:
        seen[key] = seen.get(key, 0) + 1
        whole = key if seen[key] == 1 else (*key, str(seen[key]))
        claim = said(text, source=source, subject=title, **given)
        return Brought(whole, (Edit(at, claim, source, observed_at=made),), folder.project, live=True)

    kind = str(note.fields.get("type") or "note")
    body = note.body.strip() or title
    metadata = {**fields_beside(note, *_OWN), "permalink": name, **({} if kind in KINDS else {"type": kind})}
    yield one(("note", name), body, kind=kind if kind in KINDS else "note", tags=tags_of(note), metadata=metadata)
    for each in observations(note):
        more = {"context": each.context} if each.context else {}
        yield one(
            ("observation", name, each.category, each.text), each.text, predicate=each.category, tags=list(each.tags),
            metadata=more,
        )  # fmt: skip
    for relation in relations(note):
        text = f"{title} {relation.kind} {relation.target}"
        more = {RELATION: relation.target} | ({"context": relation.context} if relation.context else {})
        yield one(("relation", name, relation.kind, relation.target), text, predicate=relation.kind, metadata=more)


def _name(note: Note, ref: str) -> str:
    return str(note.fields.get("permalink") or ref.removesuffix(".md"))


def _names(folder: _Folder) -> Iterator[tuple[str, str]]:
    """Yield (how a note is called in links, its permalink)."""
    for file in _notes(folder.path):
        try:
            note = read_note(file)
        except InvalidInputError:
            continue
        ref = file.relative_to(folder.path).as_posix()
        name = _name(note, ref)
        for called in (title_of(note, file.stem), name, ref.removesuffix(".md"), file.stem):
            yield called.casefold(), name


def _notes(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*.md")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.is_file() and not file.is_symlink() and not hidden:
            yield file


def _made(folder: _Folder, file: Path) -> Micros:
    known = folder.made.get(file.relative_to(folder.path).as_posix())
    return file.stat().st_mtime_ns // 1000 if known is None else known


def _projects(path: Path) -> Iterator[_Folder]:
    """Yield the folders that a database knows.

    Raises:
        InvalidInputError: it is no database of basic-memory, or a folder is gone.
    """
    database = Database(path)
    database.need("basic-memory", "entity", "project")
    for row in database.rows("SELECT id, name, path FROM project ORDER BY id"):
        folder = Path(str(row["path"])).expanduser()
        if not folder.is_dir():
            raise InvalidInputError(
                f"the notes of project {row['name']!r} are not at {folder}; name their folder instead",
                value=str(folder),
            )
        made = {
            str(entity["file_path"]).replace("\\", "/"): local_moment(entity["updated_at"] or entity["created_at"])
            for entity in database.rows(_ENTITIES, (row["id"],))
        }
        yield _Folder(str(row["name"]), folder, made)
