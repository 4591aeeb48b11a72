"""``omoide setup`` and ``omoide uninstall``: what has to change for a host, and the change carried out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from omoide.capture import entries
from omoide.capture.editing import change as changing
from omoide.capture.editing import files, record
from omoide.capture.editing.change import Change
from omoide.capture.editing.edits import Edit
from omoide.capture.editing.jsonc import parse, place_of
from omoide.capture.hosts.spec import PARTS, HostSpec
from omoide.capture.locating import Machine
from omoide.capture.program import Program
from omoide.errors import ConfigurationError

SCOPES: Final = ("user", "project")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be set up for one host; ``prompts``: tell omoide of every prompt too."""

    host: HostSpec
    parts: tuple[str, ...] = PARTS
    scope: str = "user"
    prompts: bool = False


@dataclass(frozen=True, slots=True)
class Outlook:
    """The changes for a wish, parts that the host has no place for, and what may go wrong in the host."""

    changes: tuple[Change, ...]
    absent: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    parts: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class _Piece:
    part: str
    path: Path
    syntax: str
    edits: tuple[Edit, ...]


def claim_of(host: str, scope: str, part: str) -> str:
    """Return the name under which an edit is recorded."""
    return f"{host}:{scope}:{part}"


def outlook(wish: Wish, machine: Machine, program: Program) -> Outlook:
    """Return what has to change; nothing is written.

    Raises:
        ConfigurationError: a file does not parse, or something of others is in the way; the message names the place.
    """
    pieces = [piece for part in wish.parts for piece in _pieces(wish, part, machine, program)]
    present = tuple(dict.fromkeys(piece.part for piece in pieces))
    changes = []
    for path in dict.fromkeys(piece.path for piece in pieces):
        own = [piece for piece in pieces if piece.path == path]
        claims: dict[str, list[Edit]] = {}
        for piece in own:
            claims.setdefault(claim_of(wish.host.name, wish.scope, piece.part), []).extend(piece.edits)
        changes.append(changing.plan(path, own[0].syntax, claims))
    absent = tuple(part for part in wish.parts if part not in present)
    return Outlook(tuple(changes), absent, tuple(_warnings(changes)), present)


def _pieces(wish: Wish, part: str, machine: Machine, program: Program) -> Iterator[_Piece]:
    host = wish.host
    place = host.place(part)
    path = machine.file(host, place, wish.scope)
    if place is None or path is None:
        return
    if part == "skills":
        for name, text in entries.skills():
            yield _Piece(part, path / name / "SKILL.md", "script", (Edit("file", (), text),))
    elif part == "instructions":
        yield _Piece(part, path, place.syntax, tuple(entries.instruction_edits()))
    elif part == "hooks":
        yield _Piece(part, path, place.syntax, tuple(entries.hook_edits(host, program, prompts=wish.prompts)))
    else:
        style = _server_style(host, path, wish.scope, machine)
        yield _Piece(part, path, place.syntax, tuple(entries.server_edits(style, program)))


def _server_style(host: HostSpec, path: Path, scope: str, machine: Machine) -> str:
    assert host.mcp is not None
    if host.mcp.style == "opencode":
        return _opencode_style(host, path, machine)
    return "stdio" if host.mcp.style == "copilot" and scope == "project" else host.mcp.style  # .mcp.json is shared


def _opencode_style(host: HostSpec, path: Path, machine: Machine) -> str:
    """Return which of its two configurations OpenCode has: as the file is written, else by the program's version."""
    text = files.decoded(files.content_of(path))[1]
    try:
        content = parse(text).root.data() if text.strip() else {}
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error.message}", value=str(path)) from error
    if isinstance(content, dict) and content.get("mcp"):
        return entries.opencode_style(content)
    return "opencode-v2" if (machine.version(host) or "1").startswith("2.") else "opencode"


def _warnings(changes: Sequence[Change]) -> Iterator[str]:
    """Say which files the host may not read as they are."""
    for change in changes:
        if change.record.syntax == "json" and change.after is not None:
            yield from (f"{change.path}: {words}" for words in blemishes(change.after))


def blemishes(content: bytes) -> list[str]:
    """Return where a file is not strict JSON: a host that wants it strict ignores the whole file."""
    mark, text = files.decoded(content)
    found = [f"line {line}, column {column}: {what}" for line, column, what in _places(text)]
    return [*(["line 1, column 1: byte order mark"] if mark else []), *found]


def _places(text: str) -> Iterator[tuple[int, int, str]]:
    for offset, what in sorted(parse(text).blemishes) if text.strip() else ():
        yield (*place_of(text, offset), what)


def removal(
    host: HostSpec, machine: Machine, program: Program, parts: Sequence[str] = PARTS, scopes: Sequence[str] = SCOPES
) -> Outlook:
    """Return what has to change so that nothing of ours is left in a host's files; the last written comes first.

    Files of which no record is left are looked at too, where set-up would write them.

    Raises:
        ConfigurationError: a file does not parse; the message names the place.
    """
    names = {claim_of(host.name, scope, part) for scope in scopes for part in parts}
    changes, present, seen = [], [], set()
    for known in record.all_records():
        seen.add(known.path)
        mine = names & known.claims.keys()
        if mine:
            present += [name.rsplit(":", 1)[1] for name in mine]
            changes.append(changing.plan(known.path, known.syntax, dict.fromkeys(mine, ())))
    for scope in scopes:
        wish = Wish(host, tuple(parts), scope, prompts=True)
        pieces = [piece for part in parts for piece in _pieces(wish, part, machine, program)]
        changes += [change for change in _unrecorded(pieces) if change.needed and change.path not in seen]
    ordered = sorted(changes, key=lambda change: len(change.record.folders))
    return Outlook(tuple(ordered), parts=tuple(dict.fromkeys(present)))


def _unrecorded(pieces: Sequence[_Piece]) -> Iterator[Change]:
    for path in dict.fromkeys(piece.path for piece in pieces):
        own = [piece for piece in pieces if piece.path == path]
        yield changing.taken_out(path, own[0].syntax, [edit for piece in own for edit in piece.edits])


def carry_out(changes: Sequence[Change]) -> None:
    """Carry changes out, each file whole; those that are what they should be only have their record kept.

    Raises:
        ConfigurationError: a file changed meanwhile; those before it are done, running again goes on.
        OSError: a file cannot be written.
    """
    for change in changes:
        changing.carry_out(change)
    gone = [change for change in changes if change.after is None]
    files.drop_folders(dict.fromkeys(folder for change in gone for folder in change.record.folders))


def is_set_up(host: HostSpec) -> bool:
    """Say whether omoide wrote anything for a host."""
    prefix = f"{host.name}:"
    return any(name.startswith(prefix) for known in record.all_records() for name in known.claims)


def experimental(host: HostSpec, parts: Sequence[str], platform: str) -> list[str]:
    """Return which of the parts could not be checked on an installation of the host."""
    found = []
    for mark in host.experimental:
        part, _, limit = mark.partition(":")
        if part in parts and (not limit or limit in (platform, "v2")):
            found.append(mark if limit == "v2" else part)
    return found
