"""History: conversations of one namespace, saved on purpose or taken in from transcripts, found again whole."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from omoide.aio import twin
from omoide.errors import InvalidInputError
from omoide.faces.captures import Captures
from omoide.handle import Handle
from omoide.model.paths import check_path
from omoide.model.policy import WriteScope
from omoide.model.retention import RULES, Rules, check_rules
from omoide.model.segments import TURN
from omoide.model.time import WEEK, optional_micros
from omoide.model.where import parse
from omoide.text.patterns import compiled
from omoide.types import Hits, Receipt
from omoide.types.history import Lines, Reading, Retained, Segment, SegmentId, Session, Transcribed
from omoide.types.reports import UndoReport
from omoide.verbs import drafts, purge, recall
from omoide.verbs import undo as undoing
from omoide.verbs.asking import asks
from omoide.verbs.conversations import domains, grep, reading, retention, segments, sessions, wishes
from omoide.verbs.conversations import fuzzy as like
from omoide.verbs.conversations.looks import Looks
from omoide.verbs.conversations.project import name_of
from omoide.verbs.drafts import Moment


class History(Captures, Handle):
    """Conversations of ``namespace`` in the store at ``path``.

    The options are those of ``Memory``, ``dedupe_threshold`` and ``max_memories`` aside.

    Raises:
        EmbedderMismatchError: the store holds vectors of another model.
        StoreError: the file cannot be opened; see its subclasses.
    """

    @cached_property
    def _looks(self) -> Looks:
        return Looks()

    def save(
        self, text: str, *, summary: str | None = None, tags: Sequence[str] | None = None, kind: str = "session",
        project: str | None = None, domain: str | None = None, session: str | None = None,
        entities: Sequence[str] | Mapping[str, Sequence[str]] | None = None, importance: str | int = "medium",
        metadata: Mapping[str, Any] | None = None, trust: str | None = None, namespace: str | None = None,
        allow_secrets: Sequence[str] = (),
    ) -> SegmentId:  # fmt: skip
        """Keep a part of a conversation; return its readable id, such as ``2026-11-30_omoide_001``.

        ``kind`` is session, snapshot (replaces older snapshots of its project, domain and session) or debug.
        Without ``project`` it is that of the folder this program works in (its git remote, else its root); ``""`` is
        none. Without ``summary`` one is made from the text's own words. A text that this project has saved before keeps
        its id, with ``.known`` set. Secrets are masked before anything is stored, counted in ``.masked``;
        ``allow_secrets`` are texts that are none.

        Raises:
            InvalidInputError: a blank text, or an argument that cannot be accepted.
            AccessDeniedError: the policy does not open the namespace.
        """
        drawn = segments.draft(
            self._ctx, text, summary=summary, tags=tags, kind=kind, project=self._filed(project), domain=domain,
            session=session, given=entities, importance=importance, metadata=metadata, trust=trust, allow=allow_secrets,
        )  # fmt: skip
        return segments.save(self._ctx, self._ctx.policy.write_scope(self.namespace, namespace), drawn)

    def _filed(self, project: str | None) -> str | None:
        """Return what a segment is filed under; a server does not work where who asks it does."""
        if project is None and self._ctx.door == "python":
            with suppress(FileNotFoundError):  # somebody removed the folder
                return name_of(str(Path.cwd()))
        return project or None

    def ingest(
        self, path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, project: str | None = None,
        domain: str | None = None, dry_run: bool = False, allow_secrets: Sequence[str] = (), thorough: bool = False,
        trust: str | None = None, namespace: str | None = None,
        progress: Callable[[int, int, str], object] | None = None,
    ) -> Transcribed:  # fmt: skip
        """Take in transcripts of coding agents and chats: a file, or all that lie below a folder.

        The format is told by the content; plain text below a folder is no transcript. A session is told by the name
        in its transcript, where there is none by what was said, whatever the file is called. Every record is kept as
        it is but for masked secrets, what was said is searchable; what was read before is not read again, and a file
        that fails stops nothing. Without ``project`` it is that of the folder that a session worked in. With
        ``dry_run`` nothing is stored. ``thorough`` looks for several hundred more kinds of secrets, with the extra
        ``omoide[secrets]``.

        Raises:
            MissingPathError: there is no such file or folder.
            ImportError: ``thorough`` without the extra.
            AccessDeniedError: the policy does not open the namespace.
        """
        from omoide.verbs.conversations import transcribing

        given: Any = os.fspath(path) if isinstance(path, os.PathLike) else path
        listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
        files = transcribing.files_of(listed, self._ctx.store.place)
        allowed = segments.check_allowed(allow_secrets)
        order = transcribing.Order(
            self._ctx.policy.write_scope(self.namespace, namespace),
            segments.masked_label(project, "project", allowed), segments.masked_label(domain, "domain", allowed),
            allowed, trust, dry_run, transcribing.detector(thorough),
        )  # fmt: skip
        self._ctx.flush()
        named = frozenset(Path(check_path(each)).absolute() for each in listed)
        return transcribing.ingest(self._ctx, order, files, progress, named)

    def search(
        self, query: str | None, *, k: int = 5, project: str | None = None, domain: str | None = None,
        kind: str | Sequence[str] | None = None, role: str | Sequence[str] | None = None, entity: str | None = None,
        tags: str | Sequence[str] | None = None, session: str | None = None, where: Mapping[str, Any] | None = None,
        since: Moment | None = None, until: Moment | None = None, as_of: Moment | None = None,
        trust: str | Sequence[str] | None = None, namespaces: str | builtins.list[str] | None = None,
        use_bm25: bool = True, use_vectors: bool = True, budget_ms: float | None = None,
        min_similarity: float | None = None, recency_weight: float = 0.0,
        recency_half_life_seconds: float = WEEK, rerank: bool = False, max_tokens: int | None = None,
        abstain: bool = False,
    ) -> Hits:  # fmt: skip
        """Return the turns and segments that answer ``query``, best first; None lists, a blank query finds nothing.

        Every filter is applied before the cut. ``kind`` takes session, snapshot, debug and turn; ``role`` is that of
        a turn, such as user, assistant or tool (what tools put out is untrusted and comes back only when asked for).
        ``since`` and ``until`` are about when it was said. Archived segments are found too, behind the others.
        ``.id`` of a hit is what ``read`` takes; its metadata say where it stands.

        Raises:
            InvalidInputError: an argument that cannot be accepted.
            AccessDeniedError: the policy does not open a namespace.
        """
        wanted = wishes.wanted(
            kind=kind, role=role, domain=domain, entity=entity, tags=tags, session=session, where=parse(where)
        )
        ask = asks.recall_ask(
            self._ctx, query, k=wishes.check_k(k), namespaces=namespaces, where=None, use_bm25=use_bm25,
            use_vectors=use_vectors, budget_ms=budget_ms, min_similarity=min_similarity, recency_weight=recency_weight,
            half_life=recency_half_life_seconds, rerank=rerank, subject=None, predicate=None, kinds=None, tags=None,
            trust=wishes.trust_for(trust, role), project=project, as_of=as_of, since=since, until=until,
            max_tokens=max_tokens, abstain=abstain, include=("history",), include_retracted=True, wanted=wanted,
        )  # fmt: skip
        hits = recall.recall(self._ctx, ask)
        self._looks.count(self._ctx, {hit.id for hit in hits if hit.kind != TURN and hit.namespace == self.namespace})
        return hits

    def read(
        self, segment_id: str, start: int | None = None, end: int | None = None, *, by: str | None = None,
        max_tokens: int | None = None, namespaces: str | builtins.list[str] | None = None,
    ) -> Reading:  # fmt: skip
        """Return a segment, a session or a turn by its id, as text that knows which part of what it is.

        ``start`` and ``end`` are the first and last line (of a session: turn), both included, counted from 1.
        ``by`` is lines or turns. ``max_tokens`` ends it early: ``.truncated`` says so and ``.rest`` where to go on.

        Raises:
            NotFoundError: nothing of that name is here.
            InvalidInputError: a part that cannot be.
        """
        part = reading.check_part(start, end, by, asks.check_limit(max_tokens, "max_tokens"))
        name = drafts.draft_label(segment_id, "segment_id") or ""
        found = reading.read(self._ctx, asks.scope_of(self._ctx, namespaces), name, part)
        if found.origin == "segment":
            self._looks.count(self._ctx, [found.id])
        return found

    def grep(
        self, pattern: str, *, fuzzy: bool = False, literal: bool = False, case: bool = False, context: int = 1,
        limit: int = 20, threshold: float = 80.0, project: str | None = None, domain: str | None = None,
        kind: str | Sequence[str] | None = None, role: str | Sequence[str] | None = None, entity: str | None = None,
        tags: str | Sequence[str] | None = None, session: str | None = None, since: Moment | None = None,
        until: Moment | None = None, trust: str | Sequence[str] | None = None,
        namespaces: str | builtins.list[str] | None = None,
    ) -> Lines:  # fmt: skip
        """Return the lines that match a regular expression, newest first, or with ``fuzzy`` those most like a text.

        The time is linear in the text whatever the expression. Letters match in either case unless ``case``;
        ``literal`` looks for the text as it is. ``context`` lines are shown on each side. ``.total`` counts all
        that match, beyond ``limit`` too. ``threshold``, 50 to 100, is the least likeness of a fuzzy match.

        Raises:
            InvalidInputError: an expression that RE2 does not know, or another argument that cannot be accepted.
            AccessDeniedError: the policy does not open a namespace.
        """
        asked = drafts.draft_text(pattern)
        ask = asks.recall_ask(
            self._ctx, asked, k=1, namespaces=namespaces, where=None, use_bm25=True, use_vectors=False,
            budget_ms=None, min_similarity=None, recency_weight=0.0, half_life=WEEK, rerank=False, subject=None,
            predicate=None, kinds=None, tags=None, trust=wishes.trust_for(trust, role), project=project, since=since,
            until=until, max_tokens=None, include=("history",), include_retracted=True,
            wanted=wishes.wanted(
                kind=kind, role=role, domain=domain, entity=entity, tags=tags, session=session, where=None
            ),
        )  # fmt: skip
        most, around = asks.check_limit(limit), grep.check_context(context)
        if most is None:
            raise InvalidInputError("limit must be a whole number", value=limit)
        if fuzzy:
            least = like.check_threshold(threshold)
            found = like.fuzzy(self._ctx, ask, asked, threshold=least, context=around, limit=most)
        else:
            expression = compiled(
                asked, literal=drafts.check_flag(literal, "literal"), case=drafts.check_flag(case, "case")
            )
            found = grep.grep(self._ctx, ask, expression, context=around, limit=most)
        self._looks.count(self._ctx, {line.id for line in found if line.origin == "segment"})
        return found

    def archive(self, segment_id: str) -> bool:
        """Put a segment behind the others and compress it; it stays searchable. Return whether it was active.

        Raises:
            NotFoundError: there is no such segment.
        """
        return retention.archive(self._ctx, self._own, drafts.draft_label(segment_id, "segment_id") or "")

    def unarchive(self, segment_id: str) -> bool:
        """Put an archived segment back among the others. Return whether it was archived.

        Raises:
            NotFoundError: there is no such segment.
        """
        return retention.unarchive(self._ctx, self._own, drafts.draft_label(segment_id, "segment_id") or "")

    def retention_preview(self, rules: Rules = RULES) -> Retained:
        """Return what ``retention_run`` would archive and erase, and why the rest is kept; nothing is changed."""
        self._looks.flush(self._ctx)
        return retention.preview(self._ctx, self._own, check_rules(rules))

    def retention_run(self, *, archive: bool = True, erase: bool = False, rules: Rules = RULES) -> Retained:
        """Archive what is old, not important and not looked at; with ``erase`` erase what was archived for long.

        Raises:
            AccessDeniedError: ``erase`` through a door that speaks for no person.
        """
        self._looks.flush(self._ctx)
        return retention.run(self._ctx, self._own, archive=archive, erase=erase, rules=check_rules(rules))

    def purge(self, segment_id: str | None = None, *, session: str | None = None) -> Receipt:
        """Erase a segment, or a session with its turns and segments, for good.

        Raises:
            InvalidInputError: not exactly one of both.
            AccessDeniedError: the door's trust is below ``observed``.
        """
        if (segment_id is None) == (session is None):
            raise InvalidInputError("purge takes a segment_id or a session", value=(segment_id, session))
        target = purge.Target(
            self.namespace, session=drafts.draft_label(session, "session"),
            segment=drafts.draft_label(segment_id, "segment_id"),
        )  # fmt: skip
        return purge.purge(self._ctx, target)

    @contextmanager
    def batch(self, kind: str = "session", source: str | None = None) -> Iterator[str]:
        """Let what this task saves through this handle belong to one batch; yield its id, for ``undo``."""
        with undoing.batch(self._ctx, kind, drafts.draft_label(source, "source")) as made:
            yield made

    def undo(self, batch: str) -> UndoReport:
        """Take back what one ingest or batch wrote: its turns and segments leave the store.

        A transcript may be taken in again, a segment saved again under another id; what memories the batch
        wrote is taken back as by ``Memory.undo``.

        Raises:
            NotFoundError: nothing was written under this id here.
            AccessDeniedError: this door's trust is below ``observed``, or the batch wrote where it may not write.
        """
        return undoing.undo(self._ctx, drafts.draft_text(batch))

    def close(self) -> None:
        """Write what was looked at and what ``bulk`` holds back, and close the store."""
        self._looks.flush(self._ctx)
        super().close()

    @property
    def _own(self) -> WriteScope:
        return self._ctx.policy.write_scope(self.namespace, None)

    def list(
        self, *, limit: int | None = None, project: str | None = None, domain: str | None = None,
        kind: str | Sequence[str] | None = None, tags: str | Sequence[str] | None = None, entity: str | None = None,
        session: str | None = None, where: Mapping[str, Any] | None = None, since: Moment | None = None,
        until: Moment | None = None, archived: bool | None = None,
        namespaces: str | builtins.list[str] | None = None,
    ) -> builtins.list[Segment]:  # fmt: skip
        """Return saved segments without their texts, newest first, at most ``limit``.

        ``archived`` None shows all, True and False only those that are archived or not.
        """
        wanted = wishes.wanted(
            kind=kind, role=None, domain=domain, entity=entity, tags=tags, session=session, where=parse(where)
        )
        listing = segments.Listing(
            wanted, drafts.draft_label(project, "project"), optional_micros(since, "since"),
            optional_micros(until, "until"), None if archived is None else drafts.check_flag(archived, "archived"),
            asks.check_limit(limit),
        )  # fmt: skip
        return segments.list_segments(self._ctx, asks.scope_of(self._ctx, namespaces), listing)

    def sessions(
        self, *, project: str | None = None, domain: str | None = None, host: str | None = None,
        since: Moment | None = None, until: Moment | None = None, limit: int | None = None,
        namespaces: str | builtins.list[str] | None = None,
    ) -> builtins.list[Session]:  # fmt: skip
        """Return the conversations that are known, the latest first."""
        return sessions.list_sessions(
            self._ctx, asks.scope_of(self._ctx, namespaces), project=drafts.draft_label(project, "project"),
            domain=drafts.draft_label(domain, "domain"), host=drafts.draft_label(host, "host"),
            since=optional_micros(since, "since"), until=optional_micros(until, "until"),
            limit=asks.check_limit(limit),
        )  # fmt: skip

    def domains(self, project: str | None = None) -> dict[str, int]:
        """Return the domains of a project or of all, each with how many segments and sessions it has."""
        return domains.domains(self._ctx, asks.scope_of(self._ctx, None), drafts.draft_label(project, "project"))

    def choose_domains(self, project: str, names: Sequence[str] | None) -> None:
        """Let a project have only these domains, with None any again; what is stored already stays as it is.

        Raises:
            InvalidInputError: not a list of names.
        """
        domains.choose(self._ctx, self._own, drafts.draft_text(project).strip(), names)

    def status(self, namespaces: str | Sequence[str] | None = None) -> dict[str, dict[str, Any]]:
        """Return per namespace the coverage: sessions, turns, segments, failures with reasons, pending vectors."""
        return sessions.status(self._ctx, asks.scope_of(self._ctx, namespaces))

    # -- async twins -----------------------------------------------------------------------------------

    asave = twin(save)
    aingest = twin(ingest)
    asearch = twin(search)
    aread = twin(read)
    agrep = twin(grep)
    aarchive = twin(archive)
    aunarchive = twin(unarchive)
    aretention_preview = twin(retention_preview)
    aretention_run = twin(retention_run)
    apurge = twin(purge)
    aundo = twin(undo)
    asessions = twin(sessions)
    adomains = twin(domains)
    achoose_domains = twin(choose_domains)
    astatus = twin(status)
    alist = twin(list)  # noqa: A003  (the name is that of ``Memory``)
