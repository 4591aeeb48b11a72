"""Memory: beliefs of one namespace, remembered, recalled, corrected and explained."""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Final

from omoide.aio import twin
from omoide.deferred import deferred
from omoide.faces.briefing import Briefing
from omoide.faces.curation import Curation
from omoide.faces.levels import Levels
from omoide.faces.portability import Portability
from omoide.faces.sleeping import Sleeping
from omoide.handle import Handle
from omoide.model.policy import Policy
from omoide.model.records import SESSION, Claim
from omoide.model.selection import Selection
from omoide.model.time import FOREVER, WEEK, optional_micros
from omoide.model.where import parse
from omoide.ports import Clock, Embedder, Reranker
from omoide.tools import ToolSpec, memory_tools
from omoide.types import (
    Chain,
    Diff,
    Forgotten,
    Hits,
    MemoryId,
    MemoryRecord,
    Receipt,
    Trust,
    Version,
)
from omoide.verbs import drafts, forget, idempotency, look, remember, revise
from omoide.verbs.asking import asks
from omoide.verbs.drafts import Moment

if TYPE_CHECKING:
    from omoide.verbs import history, purge
else:
    history, purge = deferred("omoide.verbs.history"), deferred("omoide.verbs.purge")


class _Inherit:
    """Stands for an argument that was left out where None has a meaning of its own."""

    def __repr__(self) -> str:
        return "<inherit>"


INHERIT: Final = _Inherit()


class Memory(Briefing, Levels, Curation, Portability, Sleeping, Handle):
    """Beliefs of ``namespace`` in the store at ``path``, a file or, with a slash at its end, a folder of notes.

    >>> with Memory(":memory:", embedder="none") as memory:
    ...     home = memory.remember("lives in Osaka", subject="aiko", valid_from="2024-04-01")
    ...     version = memory.revise(home, "lives in Tokyo", valid_from="2026-05-01")
    ...     [hit.text for hit in memory.recall("where does Aiko live?", valid_at="2026-03-01")]
    ['lives in Osaka']

    ``policy``: which other namespaces may be read and written, none without one.
    ``embedder``: None adopts what the store records (the default model in a new one), ``"none"`` is keyword search
    only, else a name, a function, or an object with ``model_name`` and ``embed(texts)``.
    ``dedupe_threshold``: a new text at least this close (cosine, 0 to 1) to a memory replaces it; None: none does.
    ``max_memories``: the oldest beyond it, pinned ones aside, are archived; None: no limit.
    ``clock``: an object with ``now()``, None for the system's. ``timezone``: where "today" is, UTC if None.
    ``actor``: who writes; ``door``: the way in; both are kept with what is written. ``door_trust``: what a write
    through this handle is worth: ``"stated"`` (a person), ``"observed"``, ``"derived"`` or ``"untrusted"``.
    ``reranker``: a folder with an ONNX cross-encoder, ``"fastembed:MODEL"``, a function or an object.
    ``busy_timeout``: seconds that a write waits for another process's. ``read_only``: None finds out.
    ``durability``: when a write returns, ``"FULL"`` and ``"EXTRA"`` have it on the disk, ``"NORMAL"`` lets a power
    failure take the last ones.

    Every verb that reads or writes has an async twin: ``await memory.arecall(...)``.

    Raises:
        InvalidInputError: an option that cannot be accepted.
        EmbedderMismatchError: the store holds vectors of another model.
        ConfigurationError: a kind of store that this version does not have.
        StoreError: the file cannot be opened; see its subclasses.
    """

    def __init__(
        self, path: str | os.PathLike[str], namespace: str = "default", *, policy: Policy | None = None,
        embedder: Embedder | Any | None = None, dedupe_threshold: float | None = None,
        max_memories: int | None = None, clock: Clock | None = None, actor: str | None = None, door: str = "python",
        door_trust: Trust = "observed", reranker: Reranker | Any | None = None, timezone: tzinfo | str | None = None,
        busy_timeout: float = 10.0, read_only: bool | None = None, durability: str = "FULL",
    ) -> None:  # fmt: skip
        threshold = drafts.check_share(dedupe_threshold, "dedupe_threshold")
        limit = asks.check_cap(max_memories)
        super().__init__(
            path, namespace, policy=policy, embedder=embedder, clock=clock, actor=actor, door=door,
            door_trust=door_trust, busy_timeout=busy_timeout, read_only=read_only, durability=durability,
            reranker=reranker, timezone=timezone,
        )  # fmt: skip
        self._ctx.dedupe_threshold, self._ctx.max_memories = threshold, limit

    # -- writing ---------------------------------------------------------------------------------------

    def remember(
        self, text: str, *, metadata: Mapping[str, Any] | None = None, namespace: str | None = None,
        dedupe_threshold: float | _Inherit | None = INHERIT, pinned: bool = False, subject: str | None = None,
        predicate: str | None = None, kind: str = "fact", abstract: str | None = None, source: str | None = None,
        observed_at: Moment | None = None, valid_from: Moment | None = None, valid_to: Moment | None = None,
        confidence: float | None = None, basis: str | None = None, importance: str | int = "medium",
        tags: Iterable[str] | None = None, cites: Iterable[str] | None = None, triggers: Iterable[str] | None = None,
        project: str | None = None, trust: str | None = None, idempotency_key: str | None = None,
    ) -> MemoryId:  # fmt: skip
        """Store a belief; return its memory's id, an int with ``.notices``.

        The same text in the same scope is the same memory, seen once more. ``valid_from`` defaults to
        ``observed_at``, else to now; ``trust`` can only lower what the door gives.

        Raises:
            InvalidInputError: an argument that cannot be accepted; nothing was stored.
            RejectedValueError: a person rejected this value.
            AccessDeniedError: the policy does not open the namespace.
        """
        claim = drafts.draft_claim(
            text, door_trust=self._ctx.door_trust, metadata=metadata, subject=subject, predicate=predicate, kind=kind,
            abstract=abstract, tags=tags, importance=importance, confidence=confidence, basis=basis, source=source,
            trust=trust, project=project, cites=cites, triggers=triggers,
        )  # fmt: skip
        return self._remember(
            claim, namespace, dedupe_threshold, pinned, observed_at, valid_from, valid_to, idempotency_key,
            self._ctx.collapse_repeats,
        )  # fmt: skip

    def remember_turn(
        self, role: str, content: str, *, session_id: str | None = None, metadata: Mapping[str, Any] | None = None,
        namespace: str | None = None, dedupe_threshold: float | _Inherit | None = INHERIT,
    ) -> MemoryId:  # fmt: skip
        """Store one turn of a conversation, its role and session in the metadata; equal turns stay apart.

        Raises as ``remember`` does.
        """
        merged = {"role": role, **drafts.draft_metadata(metadata)}
        if session_id is not None:
            merged[SESSION] = session_id
        claim = drafts.draft_claim(content, door_trust=self._ctx.door_trust, metadata=merged)
        return self._remember(claim, namespace, dedupe_threshold, False, None, None, None, None, False)

    def revise(
        self, id: int, text: str, *, valid_from: Moment | None = None, valid_to: Moment | None = None,
        source: str | None = None, observed_at: Moment | None = None, confidence: float | None = None,
        idempotency_key: str | None = None,
    ) -> Version:  # fmt: skip
        """Replace the belief of a memory on ``[valid_from, valid_to)``; return the new version.

        ``valid_from`` defaults to now; without ``valid_to`` it runs on for ever. What lies outside keeps its
        text, what is not given is inherited.

        Raises:
            NotFoundError: there is no such memory here.
            InvalidInputError: it was forgotten, or an argument cannot be accepted.
        """
        revision = revise.Revision(
            drafts.draft_text(text), optional_micros(valid_from, "valid_from"), optional_micros(valid_to, "valid_to"),
            drafts.draft_label(source, "source"), optional_micros(observed_at, "observed_at"),
            drafts.draft_confidence(confidence),
            idempotency.key_of("revise", idempotency_key, {
                "id": id, "text": text, "from": valid_from, "to": valid_to, "source": source, "observed": observed_at,
                "confidence": confidence,
            }),
        )  # fmt: skip
        return revise.revise(self._ctx, drafts.check_id(id), revision)

    def update(self, id: int, *, text: str | None = None, metadata: Mapping[str, Any] | None = None) -> None:
        """Correct the piece that is valid now; ``metadata`` replaces, None keeps. A missing memory is left alone.

        Raises:
            InvalidInputError: an argument that cannot be accepted.
            RejectedValueError: a person rejected the new value.
        """
        new_text = None if text is None else drafts.draft_text(text)
        new_metadata = None if metadata is None else drafts.draft_metadata(metadata)
        revise.update(self._ctx, drafts.check_id(id), text=new_text, metadata=new_metadata)

    def supersede(
        self, ids: Sequence[int], text: str, *, idempotency_key: str | None = None, **as_remember: Any
    ) -> MemoryId:
        """Put one new memory in the place of others from its start on; takes the arguments of ``remember``.

        Raises:
            NotFoundError: one of them does not exist here.
            InvalidInputError: one of them was forgotten.
        """
        wanted = asks.check_ids(ids)
        key = idempotency.key_of("supersede", idempotency_key, {"ids": wanted, "text": text, **as_remember})
        request = asks.supersede_request(self._ctx, text, as_remember, key)
        return revise.supersede(self._ctx, wanted, request)

    def forget(
        self, id: int | None = None, *, source: str | None = None, subject: str | None = None,
        where: Mapping[str, Any] | None = None, dry_run: bool = False, namespace: str | None = None,
        idempotency_key: str | None = None,
    ) -> Forgotten:  # fmt: skip
        """End memories in known time, by id or by selector; return their ids. The past keeps them.

        A memory with sources beside the named one only loses that source (``.kept``).

        Raises:
            InvalidInputError: an id together with a selector, neither, or a blank source.
        """
        parts = {"id": id, "source": source, "subject": subject, "where": where}
        key = idempotency.key_of("forget", idempotency_key, parts)
        if id is not None:
            asks.only_id(parts)
            return forget.forget_id(self._ctx, drafts.check_id(id), key, dry_run=dry_run)
        selector = forget.Selector(
            asks.home(self._ctx, namespace), drafts.draft_label(source, "source"),
            drafts.draft_label(subject, "subject"), parse(where),
        )  # fmt: skip
        forget.check_selector(selector)
        return forget.forget_selected(self._ctx, selector, key, dry_run=dry_run)

    def restore(self, id: int) -> bool:
        """Bring back what a forget ended, known from now; return whether anything changed.

        Raises:
            NotFoundError: there is no such memory here.
            RejectedValueError: its value was rejected.
        """
        return forget.restore(self._ctx, drafts.check_id(id))

    def purge(
        self, id: int | None = None, *, source: str | None = None, subject: str | None = None,
        session: str | None = None, namespace: str | None = None,
    ) -> Receipt:  # fmt: skip
        """Erase memories for good, by id, source, subject, session or a whole namespace; return a receipt.

        Nothing automatic can bring them back; a deliberate ``remember`` can.

        Raises:
            NotFoundError: there is no memory with this id here.
            InvalidInputError: not exactly one selector.
        """
        return purge.purge(self._ctx, purge.target_of(self._ctx, id, source, subject, session, namespace))

    def forget_older_than(self, seconds: float, *, namespace: str | None = None) -> int:
        """Archive what was last written or seen more than ``seconds`` ago, pinned memories aside; return how many."""
        return forget.forget_older_than(self._ctx, asks.cutoff(self._ctx, seconds), asks.home(self._ctx, namespace))

    # -- reading ---------------------------------------------------------------------------------------

    def recall(
        self, query: str | None = None, *, k: int = 5, namespaces: str | builtins.list[str] | None = None,
        where: Mapping[str, Any] | None = None, use_bm25: bool = True, use_vectors: bool = True,
        budget_ms: float | None = None, min_similarity: float | None = None, recency_weight: float = 0.0,
        recency_half_life_seconds: float = WEEK, rerank: bool = False, subject: str | Sequence[str] | None = None,
        predicate: str | None = None, kinds: str | Sequence[str] | None = None, tags: Iterable[str] | None = None,
        trust: str | Sequence[str] | None = None, project: str | None = None, as_of: Moment | None = None,
        valid_at: Moment | None = None, known_at: Moment | None = None, since: Moment | None = None,
        until: Moment | None = None, max_tokens: int | None = None, abstain: bool = False,
        include: Sequence[str] = ("memories",), include_archived: bool = False, include_retracted: bool = False,
        level: str = "full", links: int = 0,
    ) -> Hits:  # fmt: skip
        """Return what is believed that answers ``query``, best first; None lists, a blank query finds nothing.

        Every filter is applied before the cut to ``k``. ``as_of`` sets both axes; ``valid_at`` and
        ``known_at`` one each. ``trust`` is the least level let in (or a list of levels); ``untrusted`` text
        comes back only when asked for. ``abstain`` returns nothing rather than the nearest noise. At the level
        ``"abstract"`` a hit says one line, its note and the section to ``read``. With ``links``, up to 3, what the
        hits lead to comes behind them over so many links, at most ``k`` more.

        Raises:
            InvalidInputError: an argument that cannot be accepted.
            AccessDeniedError: the policy does not open a namespace.
        """
        ask = asks.recall_ask(
            self._ctx, query, k=k, namespaces=namespaces, where=where, use_bm25=use_bm25, use_vectors=use_vectors,
            budget_ms=budget_ms, min_similarity=min_similarity, recency_weight=recency_weight,
            half_life=recency_half_life_seconds, rerank=rerank, subject=subject, predicate=predicate, kinds=kinds,
            tags=tags, trust=trust, project=project, as_of=as_of, valid_at=valid_at, known_at=known_at, since=since,
            until=until, max_tokens=max_tokens, abstain=abstain, include=include, include_archived=include_archived,
            include_retracted=include_retracted,
        )  # fmt: skip
        return self._found(ask, level, links)

    def get(
        self, id: int, *, as_of: Moment | None = None, valid_at: Moment | None = None, known_at: Moment | None = None
    ) -> MemoryRecord | None:
        """Return a memory, or None when it is not believed at the time asked for or may not be read."""
        return look.get(self._ctx, drafts.check_id(id), as_of, valid_at, known_at)

    def list(
        self, *, limit: int | None = None, where: Mapping[str, Any] | None = None, subject: str | None = None,
        kinds: str | Sequence[str] | None = None, tags: Iterable[str] | None = None, project: str | None = None,
        trust: str | Sequence[str] | None = None, as_of: Moment | None = None, valid_at: Moment | None = None,
        known_at: Moment | None = None, include_archived: bool = False, include_retracted: bool = False,
        namespace: str | None = None,
    ) -> builtins.list[MemoryRecord]:  # fmt: skip
        """Return the memories that hold, newest first, at most ``limit``.

        An account leaves nothing out: what is untrusted is in it too, and says so, unless ``trust`` asks for more.
        """
        selection = Selection(
            asks.home(self._ctx, namespace), subjects=asks.names(subject, "subject"), kinds=asks.kinds_of(kinds),
            tags=asks.tags_of(tags), project=drafts.draft_label(project, "project"), where=parse(where),
            trusts=asks.told_trusts(trust), archived=include_archived, retracted=include_retracted,
        )  # fmt: skip
        return look.list_memories(
            self._ctx, selection, limit=asks.check_limit(limit), as_of=as_of, valid_at=valid_at, known_at=known_at
        )

    def stats(
        self, namespaces: str | Sequence[str] | None = None, *, as_of: Moment | None = None,
        valid_at: Moment | None = None, known_at: Moment | None = None,
    ) -> dict[str, dict[str, Any]]:  # fmt: skip
        """Return per namespace: count, oldest, newest, archived, versions, pending_vectors, embedder."""
        scope = asks.scope_of(self._ctx, namespaces)
        return look.stats(self._ctx, scope, as_of=as_of, valid_at=valid_at, known_at=known_at)

    def why(
        self, id: int, *, as_of: Moment | None = None, valid_at: Moment | None = None, known_at: Moment | None = None
    ) -> Chain:
        """Return all versions of a memory, what it replaced and what replaced it, and its evidence.

        Raises:
            NotFoundError: there is no such memory here.
        """
        return history.why(self._ctx, drafts.check_id(id), as_of=as_of, valid_at=valid_at, known_at=known_at)

    def diff(
        self, since: Moment, until: Moment | None = None, subject: str | None = None,
        namespaces: str | Sequence[str] | None = None, *, trust: str | Sequence[str] | None = None,
    ) -> Diff:  # fmt: skip
        """Return what was learned, revised and retracted by the events of ``[since, until)``; until None: up to now.

        What is untrusted is told of too, and says so, unless ``trust`` asks for more.

        Raises:
            InvalidInputError: ``until`` lies before ``since``, or a time that is none.
        """
        about, scope = drafts.draft_label(subject, "subject"), asks.scope_of(self._ctx, namespaces)
        return history.diff(self._ctx, since, until, about, scope, asks.told_trusts(trust))

    def timeline(
        self, subject: str, *, known_at: Moment | None = None, trust: str | Sequence[str] | None = None
    ) -> builtins.list[Version]:
        """Return what is believed about a subject, or was at ``known_at``, in the order it holds in the world.

        ``trust`` as for ``recall``: what is untrusted is told only when asked for.
        """
        about, trusts = drafts.draft_text(subject).strip(), asks.trusts_of(trust)
        return history.timeline(self._ctx, about, self.namespace, known_at, trusts)

    def as_tools(self, *, read_only: bool = False) -> builtins.list[ToolSpec]:
        """Return the tools ``recall`` and ``remember`` for a model; none has a namespace parameter."""
        return memory_tools(self, read_only=read_only)

    # -- async twins -----------------------------------------------------------------------------------

    aremember = twin(remember)
    aremember_turn = twin(remember_turn)
    arevise = twin(revise)
    aupdate = twin(update)
    asupersede = twin(supersede)  # type: ignore[arg-type]  # mypy cannot place ** after a positional self
    aforget = twin(forget)
    arestore = twin(restore)
    apurge = twin(purge)
    aforget_older_than = twin(forget_older_than)
    arecall = twin(recall)
    aget = twin(get)
    astats = twin(stats)
    awhy = twin(why)
    adiff = twin(diff)
    atimeline = twin(timeline)
    alist = twin(list)  # noqa: A003  (the name is rmbr's)

    def _remember(
        self, claim: Claim, namespace: str | None, threshold: float | _Inherit | None, pinned: bool,
        observed_at: Moment | None, valid_from: Moment | None, valid_to: Moment | None, key: str | None,
        collapse: bool,
    ) -> MemoryId:  # fmt: skip
        given = self._ctx.dedupe_threshold if isinstance(threshold, _Inherit) else threshold
        end = optional_micros(valid_to, "valid_to")
        request = remember.Request(
            claim, self._ctx.policy.write_scope(self.namespace, namespace), optional_micros(valid_from, "valid_from"),
            FOREVER if end is None else end, optional_micros(observed_at, "observed_at"),
            drafts.check_flag(pinned, "pinned"), drafts.check_share(given, "dedupe_threshold"), collapse,
            idempotency.key_of("remember", key, {
                "claim": claim, "pinned": pinned, "from": valid_from, "to": valid_to, "observed": observed_at,
            }),
        )  # fmt: skip
        held = self._ctx.held_back
        if held is not None:
            return held.add(request)
        return remember.remember(self._ctx, request)
