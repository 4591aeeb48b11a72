"""Transcripts taken into history: every record once, secrets masked, as far as each file was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError, MissingPathError, OmoideError
from omoide.model.policy import WriteScope
from omoide.model.trust import lowered
from omoide.recorded import Taken, Transcribed
from omoide.store.sqlite.history_writing import purged_session
from omoide.text.secrets import mask, mask_bytes
from omoide.transcripts import reader
from omoide.transcripts.values import Position, Record, Session
from omoide.verbs.context import Context
from omoide.verbs.documents import new_batch
from omoide.verbs.repository import repository_of
from omoide.verbs.transcript_writing import Masked, MovedError, Place, write_some

TOGETHER: Final = 500
"""Records written in one transaction."""
_TRIES: Final = 5
_PLAIN: Final = "text"
_HIDDEN: Final = (".git", "node_modules", "__pycache__", ".venv")

Progress = Callable[[int, int, str], object]


@dataclass(frozen=True, slots=True)
class Order:
    """What is taken in, for whom, and what is said of it."""

    scope: WriteScope
    project: str | None = None
    domain: str | None = None
    allow: tuple[str, ...] = ()
    trust: str | None = None
    dry_run: bool = False


@dataclass(slots=True)
class _Count:
    """What one file gave."""

    new: int = 0
    turns: int = 0
    known: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    masked: Counter[str] = field(default_factory=Counter)
    broken: int = 0


def ingest(ctx: Context, order: Order, paths: Sequence[Path], progress: Progress | None = None) -> Transcribed:
    """Take in files; one that fails stops nothing."""
    batch = new_batch(ctx)
    files: list[Taken] = []
    for number, path in enumerate(paths):
        files.append(_taken(ctx, order, path, batch, alone=len(paths) == 1))
        if progress is not None:
            progress(number + 1, len(paths), str(path))
    return Transcribed(tuple(files), batch, order.dry_run)


def files_of(path: object) -> list[Path]:
    """Return the files that a path, or a list of paths, names: itself, or all below a folder, sorted.

    Raises:
        MissingPathError: nothing is there.
        InvalidInputError: not a path.
    """
    listed = [path] if isinstance(path, str | Path) else path
    if not isinstance(listed, Sequence) or not all(isinstance(each, str | Path) for each in listed):
        raise InvalidInputError(f"path must be a path or a list of paths, not {path!r}", value=path)
    found: list[Path] = []
    for each in map(Path, listed):
        if not each.exists():
            raise MissingPathError(f"there is no file or folder {each}", value=str(each))
        found += sorted(_below(each)) if each.is_dir() else [each]
    return [each.absolute() for each in dict.fromkeys(found)]


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and not set(path.parts) & set(_HIDDEN):
            yield path


def _taken(ctx: Context, order: Order, path: Path, batch: str, *, alone: bool) -> Taken:
    try:
        known = reader.detect(path)
        if known is None or (known.name == _PLAIN and not alone):
            return Taken(str(path), "skipped", reason="no transcript of a format that omoide knows")
        named = {session.name: session for session in reader.sessions(path)}
        live, purged = _without_purged(ctx, order.scope.namespace, named)
        if purged and not live:
            return Taken(str(path), "purged", known.host, known.name, reason="its session was purged")
        count = _read(ctx, order, path, live, batch)
    except (OmoideError, OSError, ValueError) as error:
        return Taken(str(path), "failed", reason=f"{type(error).__name__}: {error}")
    status = "known" if not count.new else "more" if count.known else "new"
    return Taken(
        str(path), status, known.host, known.name, tuple(live), count.new, count.turns, count.known, count.broken,
        dict(count.counts), dict(count.unknown), dict(count.masked),
    )  # fmt: skip


def _without_purged(
    ctx: Context, namespace: str, named: Mapping[str, Session]
) -> tuple[dict[str, Session], dict[str, Session]]:
    with ctx.store.read(None) as tx:
        gone = {
            name: session
            for name, session in named.items()
            if tx.relations.is_purged(purged_session(namespace, session.host, session.name))
        }
    return {name: session for name, session in named.items() if name not in gone}, gone


def _read(ctx: Context, order: Order, path: Path, named: Mapping[str, Session], batch: str) -> _Count:
    for _ in range(_TRIES):
        count = _Count()
        since, known = _since(ctx, order, path)
        again = since is not None and not reader.resumes(path, since)
        count.known = 0 if again else known
        place = Place(order.scope.namespace, path, since, again=again or since is None)
        try:
            _read_on(ctx, order, place, named, batch, count)
        except MovedError:  # another process took some of it in meanwhile
            continue
        return count
    raise InvalidInputError(f"{path} is being taken in elsewhere; try again", value=str(path))


def _since(ctx: Context, order: Order, path: Path) -> tuple[Position | None, int]:
    """Return where a file was left, None when it was never read, and how many of its records are known."""
    with ctx.store.read(None) as tx:
        ns = tx.namespaces.id(order.scope.namespace)
        mark = None if ns is None else tx.sessions.mark(ns, str(path))
        known = 0 if ns is None else tx.sessions.records(ns, str(path))
    return (None if mark is None else Position.decode(mark)), known


def _read_on(ctx: Context, order: Order, place: Place, named: Mapping[str, Session], batch: str, count: _Count) -> None:
    only = next(iter(named.values())) if len(named) == 1 else None
    records = reader.read(place.path, since=place.since)
    while some := list(islice(records, TOGETHER)):
        masked = [_masked(record, order) for record in some]
        by_session: dict[str, list[Masked]] = {}
        for each in masked:
            name = each.record.session or (only.name if only is not None else None)
            if name in named:
                by_session.setdefault(str(name), []).append(each)
        sessions = {name: _described(order, named[name]) for name in by_session}
        if order.dry_run:
            fresh = [each for group in by_session.values() for each in group]
        else:
            fresh = write_some(ctx, order.scope, place, sessions, by_session, some[-1].after, batch)
        _tally(count, fresh, sum(map(len, by_session.values())))


def _tally(count: _Count, fresh: Sequence[Masked], read: int) -> None:
    count.new += len(fresh)
    count.known += read - len(fresh)
    for each in fresh:
        record = each.record
        count.counts[record.type] += 1
        count.turns += each.is_turn
        count.broken += record.kind == "broken"
        if record.kind == "raw":
            count.unknown[record.type] += 1
        count.masked.update(each.found)


def _masked(record: Record, order: Order) -> Masked:
    raw, in_raw = mask_bytes(record.raw, allow=order.allow)
    text, in_text = mask(_clean(record.text), allow=order.allow)
    found = in_raw if len(in_raw) >= len(in_text) else in_text
    trust = "untrusted" if record.role == "tool" else lowered("observed", order.trust)
    return Masked(record, text, raw, Counter(each.kind for each in found), trust)


def _clean(text: str) -> str:
    """Return a text without halves of characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _described(order: Order, session: Session) -> dict[str, Any]:
    """Return what is kept of a session beside its turns."""
    found = {
        "project": order.project or _project(session.project), "domain": order.domain, "branch": session.branch,
        "title": None if session.title is None else mask(_clean(session.title), allow=order.allow)[0][:400],
        "parent": session.parent, "started_at": session.started, "host": session.host,
    }  # fmt: skip
    return {name: value for name, value in found.items() if value is not None}


_PROJECTS: Final[dict[str, str]] = {}


def _project(folder: str | None) -> str | None:
    """Return the project of the folder that a session worked in: its remote, else its root, else the folder."""
    if folder is None:
        return None
    if folder not in _PROJECTS:
        there = Path(folder)
        repository = repository_of(there)[0] if there.is_dir() else None
        _PROJECTS[folder] = folder if repository is None else repository.identity
    return _PROJECTS[folder]
