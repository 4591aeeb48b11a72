"""Links between the notes of a vault: what a note leads to, what leads to it, and a rename that keeps both."""

from __future__ import annotations

import os
import unicodedata
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from omoide.errors import InvalidInputError, NotFoundError, StoreBusyError
from omoide.store.sqlite.notes import Notes, SeenRow
from omoide.store.sqlite.transfer.relating import Relating
from omoide.types.notes import LinkRewrite, NoteLink, NoteLinks, Rename
from omoide.vault import begun
from omoide.vault.damage import DamagedNoteError
from omoide.vault.files import INDEX_NOTE, MARKDOWN, NOT_NOTES, FileWrite, hash_of
from omoide.vault.frontmatter import Note, parse, render
from omoide.vault.layout import same_name
from omoide.vault.links import Link, Names, links_in, rewritten
from omoide.vault.outbox import Order
from omoide.vault.settings import read_settings
from omoide.vault.store import VaultStore
from omoide.verbs.context import Context
from omoide.verbs.whose import to_read


@dataclass(frozen=True, slots=True)
class _Read:
    hash: bytes
    links: tuple[Link, ...]
    aliases: tuple[str, ...]


_Rewritten = tuple[bytes, bytes, list[LinkRewrite]]
"""The hash of a note as it was read, its new bytes, and what changes in it."""
LONGEST_NAME: Final = 255
"""Bytes of a name that every file system takes."""
READ: Final[weakref.WeakKeyDictionary[VaultStore, dict[str, _Read]]] = weakref.WeakKeyDictionary()
"""What was read of the notes of open vaults, by path; it holds while the hash of a note is the same."""


class Web:
    """The notes that a handle may read, and the links between them."""

    def __init__(self, ctx: Context) -> None:
        self.store = vault_of(ctx)
        self.ids: dict[str, int] = {}
        self._rows = list(self._readable(ctx))
        self._read = READ.setdefault(self.store, {})
        self.names = Names()
        for row in self._rows:
            self.names.add(row.path, self._of(row).aliases)

    @property
    def paths(self) -> list[str]:
        """The paths of the notes."""
        return [row.path for row in self._rows]

    def links(self, path: str) -> list[NoteLink]:
        """Return the links of one note."""
        row = next((row for row in self._rows if row.path == path), None)
        return [] if row is None else list(self._told(row))

    def aliases(self, path: str) -> tuple[str, ...]:
        """Return the other names of one note."""
        return next((self._of(row).aliases for row in self._rows if row.path == path), ())

    def all(self) -> Iterator[NoteLink]:
        """Yield every link."""
        for row in self._rows:
            yield from self._told(row)

    def _told(self, row: SeenRow) -> Iterator[NoteLink]:
        for link in self._of(row).links:
            target = self.names.resolve(row.path, link)
            yield NoteLink(row.path, link.target, target, link.kind, link.line, link.heading, link.alias)

    def _of(self, row: SeenRow) -> _Read:
        known = self._read.get(row.path)
        if known is None or known.hash != row.hash:
            known = self._read[row.path] = read_note(self.store.root / row.path, row.hash)
        return known

    def _readable(self, ctx: Context) -> Iterator[SeenRow]:
        """A note is read by whoever may read the namespace of its memory, or that of the notes of others."""
        ctx.flush()
        with self.store.read(None) as tx:
            seen = sorted(Notes(tx.connection).seen(), key=lambda row: row.path)
            ids = Relating(tx.connection).ids_of([row.uid for row in seen if row.uid is not None])
            states = tx.memories.many(list(ids.values()))
        others = ctx.policy.can_read(ctx.namespace, read_settings(self.store.root).namespace)
        for row in seen:
            state = states.get(ids.get(row.uid or "", 0))
            if row.path != INDEX_NOTE and (
                others if state is None else ctx.policy.can_read(ctx.namespace, state.namespace)
            ):
                if state is not None:
                    self.ids[row.path] = state.id
                yield row


def links(ctx: Context, what: int | str) -> NoteLinks:
    """Return the links of the note of a memory, or of the one at a path.

    Raises:
        NotFoundError: there is no such note here.
        InvalidInputError: other copies of the vault gave the id to several memories.
    """
    web = Web(ctx)
    path = _path_of(web, to_read(ctx, what).id if isinstance(what, int) else what)
    folder = path.rpartition("/")[0]
    return NoteLinks(
        path,
        web.ids.get(path),
        tuple(web.links(path)),
        tuple(link for link in web.all() if link.target == path and link.source != path),
        tuple(each for each in web.paths if each.rpartition("/")[0] == folder and each != path),
    )


def dangling(ctx: Context) -> list[NoteLink]:
    """Return the links that lead to no note."""
    return [link for link in Web(ctx).all() if link.target is None]


def rename(ctx: Context, old: int | str, new: str, *, dry_run: bool) -> Rename:
    """Move a note to another path and put the links right; with ``dry_run`` only say which.

    Raises:
        NotFoundError: there is no such note here.
        InvalidInputError: the new path is none of this vault, or there is something at it.
    """
    web = Web(ctx)
    source, target = _path_of(web, old), _new_path(web, new)
    after = Names()
    for path in web.paths:
        after.add(target if path == source else path, web.aliases(path))
    plan = dict(_rewrites(web, {source: target}, after))
    told = tuple(each for _, _, changes in plan.values() for each in changes)
    if dry_run:
        return Rename(source, target, told)
    with web.store.mutex.hold():
        orders = _orders(web.store.root, source, target, plan)
        if orders is None or begun.carry_out(web.store.root, orders)[:1] == orders[:1]:
            raise StoreBusyError(f"{source} is being changed by somebody; try again", value=source)
    web.store.look_again()
    return Rename(source, target, told, done=True)


def _orders(root: Path, source: str, target: str, plan: Mapping[str, _Rewritten]) -> list[Order] | None:
    """Return what to write, the move first; None where its note is not as it was read."""
    data = (root / source).read_bytes()
    known, text, _ = plan.get(source, (hash_of(data), data, []))
    move = FileWrite(target, None, text, source)
    others = [Order(FileWrite(path, old, new), None) for path, (old, new, _) in plan.items() if path != source]
    return [Order(move, known), *others] if hash_of(data) == known else None


def _rewrites(web: Web, moves: Mapping[str, str], after: Names) -> Iterator[tuple[str, _Rewritten]]:
    """Yield by path what becomes of each note that has to change."""
    for path in web.paths:
        try:
            data = (web.store.root / path).read_bytes()
            note = parse(data, ours=True)
        except (OSError, DamagedNoteError):
            continue
        known = hash_of(data)
        data, fronts = _front(note, data, path, moves, web.names)
        text, changes = rewritten(data.decode("utf-8"), path, moves, web.names, after)
        if fronts or changes:
            told = [LinkRewrite(each.path, each.line, each.before, each.after) for each in changes]
            yield path, (known, text.encode("utf-8"), [*fronts, *told])


def _front(
    note: Note, data: bytes, path: str, moves: Mapping[str, str], names: Names
) -> tuple[bytes, list[LinkRewrite]]:
    """Put bare names in the list ``links`` of the front matter right."""
    items = note.fields.get("links")
    if not isinstance(items, list):
        return data, []
    changed: list[LinkRewrite] = []
    new: list[Any] = []
    for item in items:
        found = [link for link in links_in("", {"links": [item]}) if "[[" not in str(item)]
        old = names.resolve(path, found[0]) if found else None
        if old is not None and old in moves and str(item) != _bare(moves[old]):
            place = _bare(moves[old]) if "/" in str(item) else _bare(moves[old]).rpartition("/")[2]
            changed += [LinkRewrite(moves.get(path, path), 0, str(item), place)] if place != item else []
            new.append(place)
        else:
            new.append(item)
    return (render(note, {"links": new}, note.body), changed) if changed else (data, [])


def _bare(path: str) -> str:
    return path.removesuffix(".md")


def _path_of(web: Web, what: int | str) -> str:
    if isinstance(what, int):
        path = next((path for path, id in web.ids.items() if id == what), None)
    else:
        name = what.replace("\\", "/").removeprefix("./")
        path = name if name in web.paths else web.names.resolve("", Link(name, "wiki"))
        if path is None and name.isascii() and name.isdigit():  # a command and a tool have no other way to name an id
            path = next((path for path, id in web.ids.items() if id == int(name)), None)
    if path is None:
        raise NotFoundError(f"there is no note of {what!r} here", value=what)
    return path


def _new_path(web: Web, new: str) -> str:
    path = new.replace("\\", "/").removeprefix("./")
    path = path if path.lower().endswith(MARKDOWN) else f"{path}.md"
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ":" in path or path == INDEX_NOTE or not all(map(_may_be_seen, parts)):
        raise InvalidInputError(f"{new!r} is no path inside the vault", value=new)
    if any((web.store.root / folder).is_symlink() for folder in PurePosixPath(path).parents):
        raise InvalidInputError(f"{new!r} leads through a link; name a folder of the vault", value=new)
    taken = {same_name(each) for each in web.paths}
    if same_name(path) in taken or os.path.lexists(web.store.root / path):
        raise InvalidInputError(f"there is a note at {path} already", value=new)
    return path


def _may_be_seen(part: str) -> bool:
    """Say whether a file or folder can have a name, and is looked at under it."""
    legal = not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in part)
    fits = legal and len(part.encode()) <= LONGEST_NAME
    return fits and not part.startswith(".") and part not in NOT_NOTES


def read_note(file: Path, expected: bytes) -> _Read:
    """Return the links and the other names of a note; none where it cannot be read. ``expected`` is the known hash."""
    try:
        data = file.read_bytes()
        note = parse(data, ours=True)
    except (OSError, DamagedNoteError):
        return _Read(expected, (), ())
    names = note.fields.get("aliases", note.fields.get("alias"))
    aliases = [names] if isinstance(names, str) else names if isinstance(names, list) else []
    lines = 0 if note.head is None else note.head.count("\n") + 2
    found = [
        link if link.start < 0 else Link(link.target, link.kind, link.heading, link.alias, link.line + lines)
        for link in links_in(note.body, note.fields)
    ]
    return _Read(hash_of(data), tuple(found), tuple(each for each in aliases if isinstance(each, str)))


def vault_of(ctx: Context) -> VaultStore:
    """Return the vault of a handle.

    Raises:
        InvalidInputError: its store is a file.
    """
    if isinstance(ctx.store, VaultStore):
        return ctx.store
    raise InvalidInputError(f"{ctx.store.place} is a file; only a vault, a folder, has notes", value=ctx.store.place)
