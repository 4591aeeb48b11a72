"""The types of notes: what names one, which folder it goes to, what it must say. Each is a file that people edit."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from omoide.model.kinds import KINDS
from omoide.vault.outbox import replace

FOLDER: Final = "types"
RESERVED: Final = frozenset((
    "id", "uid", "was", "type", "kind", "namespace", "abstract", "tags", "importance", "confidence", "basis", "trust",
    "valid_from", "valid_to", "cites", "triggers", "metadata", "pinned", "status", "links", "aliases", "text",
    "supersedes",
))  # fmt: skip
"""Names in a note that no type can use for fields of its own."""

CLAIMED: Final = ("subject", "predicate", "project", "source")
"""Fields that every memory may have; a type may use them without declaring them."""
COMPUTED: Final = ("date", "user")
"""Fields with a value of their own where a note says nothing: the month it holds from, and ``me``."""

MODES: Final = ("free", "upsert", "add_only")
_LONGEST: Final = 100_000


@dataclass(frozen=True, slots=True)
class NoteType:
    """A type. ``key`` are the fields that name a note, ``group`` the one that names its folder.

    ``mode``: ``free`` notes are written and changed like any memory; of ``upsert`` a second one with the same key is
    a revision of the first; ``add_only`` ones are never changed, only added and forgotten.
    ``required`` are fields that a note of the type has to have; ``kind`` is what its memories are to the store.
    """

    name: str
    kind: str
    description: str = ""
    key: tuple[str, ...] = ("subject",)
    group: str | None = None
    mode: str = "free"
    required: tuple[str, ...] = ()

    @property
    def own(self) -> tuple[str, ...]:
        """The fields of the type that other types do not have; they are kept in the metadata."""
        named = dict.fromkeys((*self.key, *((self.group,) if self.group else ()), *self.required))
        return tuple(name for name in named if name not in CLAIMED and name not in COMPUTED)


def _default(name: str, description: str, key: str, group: str | None = None) -> NoteType:
    return NoteType(name, name, description, tuple(key.split()), group)


DEFAULTS: Final[Mapping[str, NoteType]] = MappingProxyType({
    each.name: each
    for each in (
        _default("fact", "Something that is so, about a person, a project, the world.", "subject predicate", "project"),
        _default("preference", "What somebody likes, or how they want it done.", "topic subject predicate", "topic"),
        _default("decision", "What was decided, and why.", "subject predicate", "project"),
        _default("procedure", "How something is done, step by step.", "subject predicate", "project"),
        _default("event", "What happened at some time.", "date subject predicate", "date"),
        _default("experience", "What was learned by doing something.", "topic subject predicate", "topic"),
        _default("entity", "A person, place, organisation or thing.", "category subject predicate", "category"),
        _default("profile", "Who the user is.", "user subject predicate"),
        _default("reference", "Where something can be looked up.", "topic subject source", "topic"),
        _default("note", "Anything else.", "subject predicate"),
    )
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one field; ``field`` is a name, or the path of a file for one that cannot be read."""

    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Types:
    """The types of a vault, by name, and what was wrong with their files."""

    by_name: Mapping[str, NoteType] = field(default_factory=lambda: DEFAULTS)
    problems: tuple[Problem, ...] = ()

    def of(self, kind: str, metadata: Mapping[str, Any]) -> NoteType:
        """Return the type of a memory: the one its metadata names, else that of its kind."""
        named = metadata.get("type")
        found = self.by_name.get(named) if isinstance(named, str) else None
        if found is not None and found.kind == kind:
            return found
        return self.by_name.get(kind) or DEFAULTS[kind]

    def named(self, name: object) -> NoteType | None:
        """Return a type by its name, or None."""
        return self.by_name.get(name) if isinstance(name, str) else None


class TypeBook:
    """The types of a vault as their files say now: read again when one of them changed."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._state: tuple[tuple[str, int, int], ...] | None = None
        self._types = Types()

    def current(self) -> Types:
        """Return the types."""
        state = self._look()
        if state != self._state:
            self._types, self._state = load(self._folder), state
        return self._types

    def _look(self) -> tuple[tuple[str, int, int], ...]:
        try:
            with os.scandir(self._folder) as entries:
                found = [(each.name, each.stat()) for each in entries if each.name.endswith(".toml")]
        except OSError:
            return ()
        return tuple(sorted((name, state.st_size, state.st_mtime_ns) for name, state in found))


def load(folder: str | os.PathLike[str]) -> Types:
    """Return the types of a folder of ``<type>.toml``, over the default ones.

    A file that cannot be understood leaves its default type in force and is named in ``problems``.
    """
    found = dict(DEFAULTS)
    problems: list[Problem] = []
    files = sorted(Path(folder).glob("*.toml")) if Path(folder).is_dir() else []
    for file in files:
        parsed, wrong = _parsed(file)
        problems += wrong
        if parsed is not None:
            found[parsed.name] = parsed
    return Types(MappingProxyType(found), tuple(problems))


def write_defaults(folder: str | os.PathLike[str]) -> list[str]:
    """Write the default types where the folder holds none; return the names of the files."""
    place = Path(folder)
    if place.is_dir() and any(place.glob("*.toml")):
        return []
    place.mkdir(parents=True, exist_ok=True)
    for each in DEFAULTS.values():
        replace(place / f"{each.name}.toml", described(each).encode("utf-8"))
    return [f"{name}.toml" for name in DEFAULTS]


def described(each: NoteType) -> str:
    """Return the file that declares a type."""
    group = f'"{each.group}"' if each.group else '""'
    names = ", ".join(f'"{name}"' for name in each.key)
    required = ", ".join(f'"{name}"' for name in each.required)
    return (
        f'description = "{each.description}"\n'
        f'kind = "{each.kind}"          # what it is to the store: {", ".join(KINDS)}\n'
        f"key = [{names}]   # the fields that name a note\n"
        f'group = {group}         # the field that names its folder, "" for none\n'
        f'mode = "{each.mode}"        # or upsert: the same key revises; or add_only: never changed\n'
        f"required = [{required}]           # fields without which a note is refused\n"
    )


def _parsed(file: Path) -> tuple[NoteType | None, list[Problem]]:
    name = f"{FOLDER}/{file.name}"
    try:
        if file.stat().st_size > _LONGEST:
            return None, [Problem(name, f"is larger than {_LONGEST} bytes")]
        data = tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError) as error:
        return None, [Problem(name, f"cannot be read: {error}")]
    problems = [Problem(name, message) for message in _wrong(file.stem, data)]
    if problems:
        return None, problems
    key = tuple(data.get("key", ("subject",)))
    kind = data.get("kind", file.stem)
    return NoteType(
        file.stem, kind, data.get("description", ""), key, data.get("group") or None, data.get("mode", "free"),
        tuple(data.get("required", ())),
    ), []  # fmt: skip


def _wrong(name: str, data: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each thing that is wrong with the declaration of a type."""
    wrong: list[str] = []
    if not name.replace("-", "").replace("_", "").isalnum() or name in ("archive", "types", "log"):
        wrong.append(f"{name!r} cannot name a folder of notes")
    unknown = set(data) - {"description", "kind", "key", "group", "mode", "required"}
    wrong += [f"{each!r} is not known" for each in sorted(unknown)]
    if data.get("kind", name) not in KINDS:
        wrong.append(f"kind must be one of {', '.join(KINDS)}")
    if data.get("mode", "free") not in MODES:
        wrong.append(f"mode must be one of {', '.join(MODES)}")
    if not isinstance(data.get("description", ""), str):
        wrong.append("description must be a text")
    for part in ("key", "required"):
        names = data.get(part, [])
        if not isinstance(names, list) or not all(isinstance(each, str) and each.strip() for each in names):
            wrong.append(f"{part} must be a list of names of fields")
        else:
            wrong += [f"{part} cannot hold {each!r}, which every note has" for each in names if each in RESERVED]
    group = data.get("group", "")
    if not isinstance(group, str) or group in RESERVED:
        wrong.append(f"group cannot be {group!r}")
    return wrong
