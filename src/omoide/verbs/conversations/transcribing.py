"""Transcripts taken into history: every record once, secrets masked, as far as each file was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from omoide.errors import InvalidInputError, MissingPathError, OmoideError
from omoide.model.history import purged_session
from omoide.model.paths import check_path
from omoide.model.policy import WriteScope
from omoide.model.trust import lowered
from omoide.store.sqlite.transaction import Read
from omoide.text.secrets import Detector, mask, mask_bytes
from omoide.transcripts import reader
from omoide.transcripts.values import START, Position, Record, Session
from omoide.types.history import Taken, Transcribed
from omoide.verbs.context import Context
from omoide.verbs.conversations import failures
from omoide.verbs.conversations.domains import check_domain
from omoide.verbs.conversations.filed import filed
from omoide.verbs.conversations.project import project_of
from omoide.verbs.conversations.transcript_identity import Identity, Turns, identify, rivals_of
from omoide.verbs.conversations.transcript_writing import (
    Masked,
    MovedError,
    Place,
    Written,
    set_end,
    would_write,
    write_some,
)
from omoide.verbs.passages.documents import new_batch

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
    detector: Detector | None = None


def detector(thorough: bool) -> Detector | None:
    """Return what finds more secrets than our own rules, None unless it is asked for.

    Raises:
        ImportError: the extra is not installed.
    """
    if not thorough:
        return None
    from omoide.text.secret_detector import MODULE, installed

    found = installed()
    if found is None:
        raise ImportError('thorough needs an extra; pip install "omoide[secrets]"', name=MODULE)
    return found


@dataclass(frozen=True, slots=True)
class Source:
    """A file, its sessions under the names that they have here, and whether some of it was purged.

    ``held``: how many turns of it are known, when there are no others. ``alone`` and ``before`` as in ``Place``.
    """

    path: Path
    named: Mapping[str, Session]
    purged: bool
    held: int | None = None
    alone: Callable[[Read, int], bool] | None = None
    before: int = 0


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
    changed: int = 0


def ingest(
    ctx: Context, order: Order, paths: Sequence[Path], progress: Progress | None = None,
    named: Collection[Path] = (),
) -> Transcribed:  # fmt: skip
    """Take in files; one that fails stops nothing. Plain text is a transcript when it is alone or ``named`` as one."""
    batch = new_batch(ctx)
    with ctx.store.read(None) as tx:
        check_domain(tx, order.scope.namespace, order.project, order.domain)
    files: list[Taken] = []
    for number, path in enumerate(paths):
        files.append(_taken(ctx, order, path, batch, alone=len(paths) == 1 or path in named))
        if progress is not None:
            progress(number + 1, len(paths), str(path))
    if not order.dry_run:
        failures.note(ctx, order.scope, files)
    wrote = not order.dry_run and any(file.new or file.changed for file in files)
    return Transcribed(tuple(files), batch if wrote else None, order.dry_run)


def files_of(path: object, store: str) -> list[Path]:
    """Return the files that a path, or a list of paths, names: itself, or all below a folder, sorted.

    What lies in a folder and belongs to ``store`` is left out.

    Raises:
        MissingPathError: nothing is there.
        InvalidInputError: not a path.
    """
    listed = [path] if isinstance(path, str | Path) else path
    if not isinstance(listed, Sequence) or not all(isinstance(each, str | Path) for each in listed):
        raise InvalidInputError(f"path must be a path or a list of paths, not {path!r}", value=path)
    found: list[Path] = []
    for each in map(Path, map(check_path, listed)):
        if not each.exists():
            raise MissingPathError(f"there is no file or folder {each}", value=str(each))
        found += sorted(_below(each, Path(store).absolute())) if each.is_dir() else [each]
    return [each.absolute() for each in dict.fromkeys(found)]


def _below(folder: Path, store: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        inside = path.relative_to(folder).parts
        if path.is_file() and not path.is_symlink() and not set(inside) & set(_HIDDEN) and not _belongs(path, store):
            yield path


def _belongs(path: Path, store: Path) -> bool:
    """Say whether a file is a store, or lies beside it as its log and the folder of the hooks do."""
    place = path.absolute()
    first = place.relative_to(store.parent).parts[0] if place.is_relative_to(store.parent) else ""
    return first == store.name or first.startswith(f"{store.name}-")


def _taken(ctx: Context, order: Order, path: Path, batch: str, *, alone: bool) -> Taken:
    try:
        known = reader.detect(path)
        if known is None or (known.name == _PLAIN and not alone):
            reason = "no transcript of a format that omoide knows"
            if known is None and reader.is_cut(path):
                reason = "its first record is not whole yet; take it in again later"
            return Taken(str(path), "skipped", reason=reason)
        source = _source(ctx, order, path)
        if source.purged and not source.named:
            return Taken(str(path), "purged", known.host, known.name, reason="its session was purged")
        count, source = _read(ctx, order, source, batch)
    except (OmoideError, OSError, ValueError) as error:
        return Taken(str(path), "failed", reason=f"{type(error).__name__}: {error}")
    status = "known" if not (count.new or count.changed) else "more" if count.known else "new"
    return Taken(
        str(path), status, known.host, known.name, tuple(source.named), count.new, count.turns, count.known,
        count.broken, dict(count.counts), dict(count.unknown), dict(count.masked), changed=count.changed,
    )  # fmt: skip


def _source(ctx: Context, order: Order, path: Path) -> Source:
    """Return the sessions of a file under the names that they have here, without those that were purged."""
    namespace = order.scope.namespace
    named = {session.name: session for session in reader.sessions(path)}
    alone = next(iter(named.values())) if len(named) == 1 else None
    if alone is None or not alone.by_file:
        live = _without_purged(ctx, namespace, named)
        return Source(path, live, len(named) > len(live))
    alone = replace(alone, name=filed(alone.name))
    turns = Turns(path, lambda record: _masked(record, order).text)
    told = identify(ctx, namespace, alone, turns)
    live = {} if told.purged else {told.name: replace(alone, name=told.name)}
    still = None if told.rivals is None else _Still(alone, turns, told)
    return Source(path, live, told.purged, told.held, still, told.before)


def _without_purged(ctx: Context, namespace: str, named: Mapping[str, Session]) -> dict[str, Session]:
    with ctx.store.read(None) as tx:
        return {
            name: session
            for name, session in named.items()
            if not tx.relations.is_purged(purged_session(namespace, session.host, session.name))
        }


@dataclass(frozen=True, slots=True)
class _Still:
    """Says, in the transaction that writes it, whether a session is as new as it was when its file was looked at."""

    session: Session
    turns: Turns
    told: Identity

    def __call__(self, tx: Read, ns: int) -> bool:
        free = not tx.sessions.is_named(ns, self.session.host, self.told.name)
        return free and rivals_of(tx, ns, self.session, self.turns.first) == self.told.rivals


def _read(ctx: Context, order: Order, source: Source, batch: str) -> tuple[_Count, Source]:
    for _ in range(_TRIES):
        count = _Count()
        if source.held is not None:
            count.known = source.held
            return count, source
        since, known = _since(ctx, order, source.path)
        found = reader.resume(source.path, since)
        again = since is None or (found == START and since != START)
        count.known = 0 if again else known
        place = Place(
            order.scope.namespace, source.path, since, again=again, changed=found != since,
            fresh=not again or _is_fresh(ctx, order, source.named), alone=source.alone, before=source.before,
        )  # fmt: skip
        try:
            _read_on(ctx, order, place, source.named, batch, count)
        except MovedError:  # another process took some of it in meanwhile
            source = _source(ctx, order, source.path)
            continue
        return count, source
    raise InvalidInputError(f"{source.path} is being taken in elsewhere; try again", value=str(source.path))


def _is_fresh(ctx: Context, order: Order, named: Mapping[str, Session]) -> bool:
    """Say whether nothing of some sessions was taken in yet."""
    with ctx.store.read(None) as tx:
        ns = tx.namespaces.id(order.scope.namespace)
        found = [] if ns is None else [tx.sessions.of_host(ns, each.host, each.name) for each in named.values()]
        return not any(tx.turns.after_last(row.session_id) for row in found if row is not None)


def _since(ctx: Context, order: Order, path: Path) -> tuple[Position | None, int]:
    """Return where a file was left, None when it was never read, and how many of its records are known."""
    with ctx.store.read(None) as tx:
        ns = tx.namespaces.id(order.scope.namespace)
        mark = None if ns is None else tx.sessions.mark(ns, filed(path))
        known = 0 if ns is None else tx.sessions.records(ns, filed(path))
    return (None if mark is None else Position.decode(mark)), known


def _read_on(ctx: Context, order: Order, place: Place, named: Mapping[str, Session], batch: str, count: _Count) -> None:
    only = next(iter(named.values())) if len(named) == 1 else None
    end: Position | None = None
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
            done = would_write(ctx, place, sessions, by_session)
        else:
            done = write_some(ctx, order.scope, place, sessions, by_session, some[-1].after, batch)
        end = some[-1].after
        _tally(count, done, sum(map(len, by_session.values())) if place.again else 0)
    if end is not None and not place.fresh and not order.dry_run:
        set_end(ctx, order.scope, place, end)


def _tally(count: _Count, done: Written, read: int) -> None:
    """Count what was written; ``read``: records of a file that is read from its start, known ones among them."""
    count.new += len(done.new)
    count.changed += len(done.changed)
    count.known += max(read - len(done.new), 0)
    for each in done.new:
        record = each.record
        count.counts[record.type] += 1
        count.turns += each.is_turn
        count.broken += record.kind == "broken"
        if record.kind == "raw":
            count.unknown[record.type] += 1
        count.masked.update(each.found)


def _masked(record: Record, order: Order) -> Masked:
    raw, in_raw = mask_bytes(record.raw, allow=order.allow, detector=order.detector)
    text, in_text = mask(_clean(record.text), allow=order.allow, detector=order.detector)
    found = in_raw if len(in_raw) >= len(in_text) else in_text
    trust = "untrusted" if record.role == "tool" else lowered("observed", order.trust)
    return Masked(record, text, raw, Counter(each.kind for each in found), trust)


def _clean(text: str) -> str:
    """Return a text without halves of characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _described(order: Order, session: Session) -> dict[str, Any]:
    """Return what is kept of a session beside its turns."""
    told = {
        name: None if text is None else mask(_clean(text), allow=order.allow)[0]
        for name, text in (
            ("title", session.title), ("branch", session.branch), ("folder", _project(session.project)),
        )
    }  # fmt: skip
    found = {
        "project": order.project or told["folder"], "domain": order.domain, "branch": told["branch"],
        "title": None if told["title"] is None else told["title"][:400],
        "parent": session.parent, "started_at": session.started, "host": session.host,
    }  # fmt: skip
    return {name: value for name, value in found.items() if value is not None}


def _project(folder: str | None) -> str | None:
    """Return the project of the folder that a session worked in: its remote, else its root, else the folder."""
    if folder is None:
        return None
    found = project_of(folder) if Path(folder).is_dir() else None
    return folder if found is None else found.name
