"""Which session a transcript is that only its file names: told by what was said, whatever the file is called.

A file is a session that is known when the turns of one are the beginning of the other's; the last one may have grown.
Where both go on differently they are two sessions, however long they agree. A file that begins in the middle of a
session is that session when at least ``OPENING`` turns agree, to the end of one of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import count, islice
from pathlib import Path
from typing import Final, NamedTuple

from omoide.model.history import OPENING, openings, purged_opening, purged_path, purged_session, purged_whole
from omoide.store.sqlite.contents import digest_of
from omoide.store.sqlite.transaction import Read
from omoide.transcripts import reader
from omoide.transcripts.values import START, Position, Record, Session, token_of
from omoide.verbs.context import Context
from omoide.verbs.conversations.filed import filed

SURE: Final = 80
"""Characters that a first turn which has grown must have in common with what is known of it."""
_FEW: Final = 3
_LOOKED_AT: Final = 16
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Identity(NamedTuple):
    """The name that a session has here, or gets.

    ``purged``: it was, and stays away. ``held``: how many turns of it the file repeats, when it has no others.
    ``rivals``: the sessions that begin alike, None where it does not matter because the session is known. ``before``:
    how many turns of the session lie before the first of the file.
    """

    name: str
    purged: bool = False
    held: int | None = None
    rivals: frozenset[int] | None = None
    before: int = 0


class Turns:
    """The turns of a file, read when they are asked for; ``text_of`` says what is stored of one."""

    def __init__(self, path: Path, text_of: Callable[[Record], str]) -> None:
        self.path, self.filed, self.text_of = path, filed(path), text_of

    def _read(self) -> Iterator[Record]:
        return (record for record in reader.read(self.path) if record.kind == "turn" and record.text.strip())

    @cached_property
    def begin(self) -> list[Record]:
        """The first turns, as many as stand for an opening."""
        return list(islice(self._read(), OPENING))

    @cached_property
    def all(self) -> list[Record]:
        """Every turn."""
        return self.begin if len(self.begin) < OPENING else list(self._read())

    def token(self, record: Record) -> str:
        """Return what tells a turn apart, as the store has it."""
        return token_of(record.key, digest_of(self.text_of(record)))

    @property
    def first(self) -> str:
        """What is stored of the first turn, "" when there is none."""
        return self.text_of(self.begin[0]) if self.begin else ""


def identify(ctx: Context, namespace: str, session: Session, turns: Turns) -> Identity:
    """Return which session of a namespace a file is that names none itself."""
    with ctx.store.read(None) as tx:
        ns = tx.namespaces.id(namespace)
        if ns is None:
            return Identity(session.name)
        if _is_purged(tx, namespace, session.host, turns):
            return Identity(session.name, purged=True)
        here = tx.sessions.at_path(ns, session.host, turns.filed)
        if here is not None and _goes_on(tx, ns, here, turns):
            known = tx.sessions.get(here)
            assert known is not None
            return Identity(known.name)
        return _by_content(tx, ns, namespace, session, turns)


def rivals_of(tx: Read, ns: int, session: Session, first: str) -> frozenset[int]:
    """Return the sessions that begin with a text, or with a part of it that is not too short."""
    found = tx.sessions.beginning_with(ns, session.host, first)
    return frozenset((*found, *tx.sessions.grown_into(ns, session.host, first, SURE)))


def _is_purged(tx: Read, namespace: str, host: str, turns: Turns) -> bool:
    """Say whether a file lies where a purged one lay, holds all of a short one, or begins like one for long."""
    if tx.relations.is_purged(purged_path(namespace, host, turns.filed)):
        return True
    chain = openings(map(turns.token, turns.begin))
    whole = any(tx.relations.is_purged(purged_whole(namespace, each)) for each in chain)
    return whole or (bool(chain) and tx.relations.is_purged(purged_opening(namespace, chain[-1])))


def _goes_on(tx: Read, ns: int, session_id: int, turns: Turns) -> bool:
    """Say whether a file still tells of the session that it told of, read on or rewritten."""
    mark = tx.sessions.mark(ns, turns.filed)
    if mark is not None and reader.resume(turns.path, Position.decode(mark)) != START:
        return True
    known = Counter(tx.turns.spoken(session_id))
    now = Counter(map(turns.token, turns.all))
    fewer = min(known.total(), now.total())
    return fewer < _FEW or 2 * (known & now).total() >= fewer


def _by_content(tx: Read, ns: int, namespace: str, session: Session, turns: Turns) -> Identity:
    rivals = rivals_of(tx, ns, session, turns.first) if turns.begin else frozenset[int]()
    best: tuple[int, Identity] | None = None
    for session_id in sorted(rivals):
        known = tx.sessions.get(session_id)
        fit = _fit(tx, session_id, turns)
        if known is None or fit is None or _both_named(known.name, session.name):
            continue
        common, held = fit
        if best is None or common > best[0]:
            best = common, Identity(known.name, held=common if held else None)
    if best is not None:
        return best[1]
    if len(turns.begin) == OPENING and (inside := _inside(tx, ns, session, turns)) is not None:
        return inside
    return Identity(_free(tx, ns, namespace, session), rivals=rivals)


def _inside(tx: Read, ns: int, session: Session, turns: Turns) -> Identity | None:
    """Return the session in which a file begins after its first turn and with which it agrees from there on."""
    found = tx.sessions.holding(ns, session.host, turns.first, _LOOKED_AT)
    mine = list(map(turns.token, turns.all)) if found else []
    for session_id in found:
        known = tx.sessions.get(session_id)
        if known is None or _both_named(known.name, session.name):
            continue
        spoken = list(tx.turns.spoken(session_id))
        for at in range(1, len(spoken) - OPENING + 1):
            common = min(len(spoken) - at, len(mine))
            if spoken[at] == mine[0] and spoken[at : at + common] == mine[:common]:
                return Identity(known.name, held=common if common == len(mine) else None, before=at)
    return None


def _both_named(one: str, other: str) -> bool:
    """Say whether two names that hosts made up are different."""
    return one != other and bool(_UUID.fullmatch(one)) and bool(_UUID.fullmatch(other))


def _fit(tx: Read, session_id: int, turns: Turns) -> tuple[int, bool] | None:
    """Return how many turns a session and a file have in common, and whether the file has no more than the session.

    None when they differ.
    """
    known, mine = list(tx.turns.spoken(session_id)), turns.all
    common = next((at for at in range(min(len(known), len(mine))) if known[at] != turns.token(mine[at])), None)
    if common is None:
        return min(len(known), len(mine)), len(mine) <= len(known)
    before, now = tx.turns.spoken_at(session_id, common), turns.text_of(mine[common])
    sure = SURE if common == 0 else 1
    if common == len(known) - 1 and _grew(before, now, sure):
        return common + 1, False
    if common == len(mine) - 1 and _grew(now, before, sure):
        return common + 1, True
    return None


def _grew(before: str, now: str, sure: int) -> bool:
    """Say whether a text is another with more lines."""
    return len(before) >= sure and now.startswith(f"{before}\n")


def _free(tx: Read, ns: int, namespace: str, session: Session) -> str:
    """Return the name of the file, with a number where another session has it or had it before a purge."""
    names = (session.name if number == 1 else f"{session.name}-{number}" for number in count(1))
    return next(
        name
        for name in names
        if not tx.sessions.is_named(ns, session.host, name)
        and not tx.relations.is_purged(purged_session(namespace, session.host, name))
    )
