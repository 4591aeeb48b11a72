"""mem0's ``Memory`` over one omoide store, without a language model; needs nothing installed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, Self
from urllib.parse import quote, unquote

from omoide.errors import InvalidInputError, NotFoundError
from omoide.integrations.mem0_filter import SCOPE, accepts, pushed, scope_of
from omoide.integrations.mem0_rows import events, found_row, row_of
from omoide.memory import Memory as Beliefs
from omoide.model.policy import Policy
from omoide.model.time import to_datetime
from omoide.types import Hit, MemoryRecord

DOOR: Final = "mem0"
_THEIRS: Final = frozenset({"vector_store", "llm", "history_db_path", "version", "custom_instructions", "graph_store"})


class MissingMemoryError(NotFoundError, ValueError):
    """There is no such memory in this scope; mem0 raises a ValueError."""


class _Unset:
    """Stands for a date that was not given where None takes it away."""

    def __repr__(self) -> str:
        return "<unset>"


UNSET: Final = _Unset()


class Memory:
    """Each combination of user, agent and run is a namespace of the store at ``path``.

    ``user_id``, ``agent_id`` and ``run_id`` pin the object to a scope: no call reaches a memory outside it, by id or
    by filter. ``policy`` None opens every scope; ``options`` are those of ``omoide.Memory``.
    """

    def __init__(
        self, path: str | os.PathLike[str] = "agents.db", *, policy: Policy | None = None, user_id: str | None = None,
        agent_id: str | None = None, run_id: str | None = None, namespace: str = "default", **options: Any,
    ) -> None:  # fmt: skip
        self._pinned = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        self._memory = Beliefs(path, namespace, policy=policy or Policy.open(), **{"door": DOOR, **options})
        self._memory._ctx.collapse_repeats = False  # noqa: SLF001  (equal messages stay apart, as in mem0)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Open a memory with the arguments of this class as a mapping: ``{"path": "agents.db", "user_id": "alice"}``.

        Raises:
            InvalidInputError: parts of mem0's own configuration, which chooses services that do not run here.
        """
        services = {name for name in ("embedder", "reranker") if isinstance(config_dict.get(name), Mapping)}
        theirs = sorted(services | (_THEIRS & set(config_dict)))
        if theirs:
            raise InvalidInputError(
                f"omoide keeps everything in one file and calls no service: leave out {', '.join(theirs)} and give"
                " path, and embedder for another model",
                value=theirs,
            )
        return cls(**config_dict)

    # -- writing ---------------------------------------------------------------------------------------

    def add(
        self, messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]], *, user_id: str | None = None,
        agent_id: str | None = None, run_id: str | None = None, metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None, expiration_date: Any = None, infer: bool = True, memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Store messages as they are; system messages and those without content are passed over.

        Raises:
            NotImplementedError: ``infer`` is true, or ``memory_type`` or ``prompt`` is given.
            InvalidInputError: no scope id, or one outside the pinned scope.
        """
        if infer or memory_type is not None or prompt is not None:
            raise NotImplementedError(
                "omoide calls no language model, so facts are not extracted from messages and memory_type and prompt"
                " have no effect to offer; extract them yourself and call add(..., infer=False)"
            )
        scope = self._scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        marks: dict[str, Any] = {"adapter": DOOR, **scope, "data": dict(metadata or {})}
        if expiration_date is not None:
            marks["expiration_date"] = _day(expiration_date).isoformat()
        results = []
        for said, text in _texts(messages):
            id = self._memory.remember(
                text, metadata={**marks, **said}, namespace=_home(scope), observed_at=_moment(timestamp)
            )
            results.append({"id": str(id), "memory": text, "event": "ADD", **said})
        return {"results": results}

    def update(
        self, memory_id: str, text: str | None = None, metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = UNSET, data: str | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Correct a memory's text, metadata or both; ``data`` is the text under its older name.

        Fields of ``metadata`` are added to what is there; the scope of a memory does not change.
        ``expiration_date=None`` takes the date away.

        Raises:
            NotFoundError: there is no such memory in this scope.
            InvalidInputError: nothing to change was given.
        """
        said = text if text is not None else data
        if said is None and metadata is None and expiration_date is UNSET:
            raise InvalidInputError("give at least one of text, metadata and expiration_date", value=memory_id)
        record = self._known(memory_id)
        marks = dict(record.metadata)
        if metadata is not None:
            given = {name: value for name, value in metadata.items() if name not in (*SCOPE, "actor_id")}
            marks["data"] = {**marks.get("data", {}), **given}
        if expiration_date is not UNSET:
            marks["expiration_date"] = None if expiration_date is None else _day(expiration_date).isoformat()
        self._memory.update(record.id, text=said, metadata=marks)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, Any]:
        """Forget a memory; its history stays.

        Raises:
            NotFoundError: there is no such memory in this scope.
        """
        self._memory.forget(self._known(memory_id).id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, Any]:
        """Forget every memory of a scope.

        Raises:
            InvalidInputError: no scope id.
        """
        scope = self._scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        for home in self._homes(scope):
            self._memory.forget(where={"adapter": DOOR, **scope}, namespace=home)
        return {"message": "Memories deleted successfully!"}

    def reset(self) -> None:
        """Forget every memory of the pinned scope, or all that came through this door."""
        for home in self._homes(self._pinned):
            self._memory.forget(where={"adapter": DOOR}, namespace=home)

    # -- reading ---------------------------------------------------------------------------------------

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory, or None when there is none in this scope."""
        record = self._record(memory_id)
        return None if record is None else row_of(record)

    def get_all(
        self, *, filters: Mapping[str, Any] | None = None, top_k: int = 20, show_expired: bool = False, **unknown: Any
    ) -> dict[str, Any]:
        """Return at most ``top_k`` memories that match, newest first; ``filters`` must name a scope id.

        Raises:
            InvalidInputError: a filter that cannot be accepted.
        """
        _check_names("get_all", unknown)
        wanted, scope = _count(top_k), self._filtered_scope(filters)
        found = [
            record
            for home in self._homes(scope)
            for record in self._memory.list(where=_where(filters), namespace=home)
            if self._suits(record, filters, show_expired)
        ]
        found.sort(key=lambda record: -record.id)
        return {"results": [row_of(record) for record in found[:wanted]]}

    def search(
        self, query: str, *, top_k: int = 20, filters: Mapping[str, Any] | None = None, threshold: float = 0.1,
        rerank: bool = False, explain: bool = False, reference_date: Any = None, show_expired: bool = False,
        **unknown: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Return at most ``top_k`` memories that answer a question with at least ``threshold``, best first.

        ``reference_date`` asks what was known and held then.

        Raises:
            InvalidInputError: a blank query, a threshold outside 0 to 1, or a filter that cannot be accepted.
        """
        _check_names("search", unknown)
        _check_question(query, threshold)
        wanted, homes = _count(top_k), self._homes(self._filtered_scope(filters))
        if not homes or not wanted:
            return {"results": []}
        k = wanted
        while True:
            hits = self._memory.recall(
                query, k=k, namespaces=homes, where=_where(filters), rerank=self._judged(rerank),
                as_of=_moment(reference_date),
            )  # fmt: skip
            kept = [hit for hit in hits if hit.score >= threshold and self._suits(hit, filters, show_expired)]
            if len(kept) >= wanted or len(hits) < k:
                return {"results": [found_row(hit, explain=explain) for hit in kept[:wanted]]}
            k *= 4

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Return what was added, updated and deleted, oldest first.

        Raises:
            NotFoundError: there was never such a memory in this scope.
        """
        chain = self._memory.why(_number(memory_id))
        versions = sorted(chain.versions, key=lambda each: (each.known_from, each.version_id))
        if not all(self._within(each.metadata) for each in versions):
            raise MissingMemoryError(f"there is no memory {memory_id} here", value=memory_id)
        return list(events(memory_id, versions))

    def chat(self, query: str) -> dict[str, Any]:
        """Raise NotImplementedError, as mem0 does."""
        raise NotImplementedError("omoide calls no language model; give what search() returns to yours")

    def close(self) -> None:
        """Close the store."""
        self._memory.close()

    # -- scope -----------------------------------------------------------------------------------------

    def _scope(self, ids: Mapping[str, Any]) -> dict[str, str]:
        scope = {**self._pinned, **scope_of(ids)}
        if any(scope[name] != value for name, value in self._pinned.items()):
            raise InvalidInputError(f"this memory is pinned to {self._pinned}", value=dict(ids))
        if not scope:
            raise InvalidInputError(f"at least one of {', '.join(SCOPE)} is needed", value=dict(ids))
        return scope

    def _filtered_scope(self, filters: Mapping[str, Any] | None) -> dict[str, str]:
        """The scope that filters name outright; one that only stands inside AND or OR narrows afterwards."""
        given = filters or {}
        plain = {name: given[name] for name in SCOPE if isinstance(given.get(name), str | int) and given[name] != "*"}
        if plain or self._pinned:
            return self._scope(plain)
        if not any(name in SCOPE for name in _names(given)):
            raise InvalidInputError(f"filters must name at least one of {', '.join(SCOPE)}", value=given)
        return {}

    def _homes(self, scope: Mapping[str, str]) -> list[str]:
        names = self._memory._ctx.wide_scope().readable  # noqa: SLF001  (what the policy opens)
        return [name for name in names if scope.items() <= _ids(name).items() and _ids(name)]

    def _within(self, marks: Mapping[str, Any]) -> bool:
        return marks.get("adapter") == DOOR and self._pinned.items() <= dict(marks).items()

    def _record(self, memory_id: str) -> MemoryRecord | None:
        try:
            record = self._memory.get(_number(memory_id))
        except NotFoundError:
            return None
        return record if record is not None and self._within(record.metadata) else None

    def _known(self, memory_id: str) -> MemoryRecord:
        record = self._record(memory_id)
        if record is None:
            raise MissingMemoryError(f"there is no memory {memory_id} here", value=memory_id)
        return record

    def _suits(self, found: Hit | MemoryRecord, filters: Mapping[str, Any] | None, show_expired: bool) -> bool:
        marks = found.metadata
        ends = marks.get("expiration_date")
        if ends is not None and not show_expired and date.fromisoformat(ends) < self._today():
            return False
        return self._within(marks) and accepts({**marks.get("data", {}), **marks}, filters)

    def _judged(self, rerank: bool) -> bool:
        """Without a reranker the order stays, as in mem0."""
        return bool(rerank) and self._memory._ctx.reranker is not None  # noqa: SLF001

    def _today(self) -> date:
        with self._memory._ctx.store.read(None) as tx:  # noqa: SLF001  (the clock of the store)
            return to_datetime(tx.now).date()


def _home(scope: Mapping[str, str]) -> str:
    return "|".join(f"{name}:{quote(scope[name], safe='@+-_.')}" for name in SCOPE if name in scope)


def _ids(home: str) -> dict[str, str]:
    """Return the scope that a namespace stands for, empty when it is another's."""
    parts = [part.partition(":") for part in home.split("|")]
    ids = {name: unquote(value) for name, _, value in parts if name in SCOPE}
    return ids if ids and _home(ids) == home else {}


def _texts(messages: Any) -> Iterator[tuple[dict[str, str], str]]:
    """Yield who said it and what, of each message that says something."""
    listed = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    listed = [listed] if isinstance(listed, Mapping) else listed
    if not isinstance(listed, Sequence) or not all(isinstance(each, Mapping) for each in listed):
        raise InvalidInputError("messages must be a text, a message or a list of messages", value=messages)
    for message in listed:
        role, content, name = message.get("role"), message.get("content"), message.get("name")
        if role and role != "system" and isinstance(content, str) and content.strip():
            yield {"role": str(role), **({"actor_id": str(name)} if name else {})}, content


def _where(filters: Mapping[str, Any] | None) -> dict[str, Any]:
    known = pushed(filters)
    return {"$and": [{"adapter": DOOR}, *([known] if known is not None else [])]}


def _check_question(query: object, threshold: object) -> None:
    if not isinstance(query, str) or not query.strip():
        raise InvalidInputError("query must be a text that is not blank", value=query)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise InvalidInputError(f"threshold must be from 0 to 1, not {threshold!r}", value=threshold)


def _check_names(method: str, unknown: Mapping[str, Any]) -> None:
    if not unknown:
        return
    hint = "; scope ids go into filters={'user_id': ...}" if set(unknown) & {*SCOPE, "actor_id"} else ""
    raise InvalidInputError(f"{method} does not take {', '.join(sorted(unknown))}{hint}", value=sorted(unknown))


def _names(filters: Mapping[str, Any]) -> Iterator[str]:
    for name, wanted in filters.items():
        yield name
        if isinstance(wanted, list | tuple):
            for each in wanted:
                if isinstance(each, Mapping):
                    yield from _names(each)


def _number(memory_id: object) -> int:
    text = str(memory_id)
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise MissingMemoryError(f"there is no memory {memory_id!r} here", value=memory_id)
    return int(text)


def _count(top_k: object) -> int:
    if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 0:
        raise InvalidInputError(f"top_k must be a whole number of 0 or more, not {top_k!r}", value=top_k)
    return top_k


def _moment(when: Any) -> Any:
    """Seconds since 1970, as mem0 takes them, or what omoide takes."""
    if isinstance(when, int | float) and not isinstance(when, bool):
        return to_datetime(int(when * 1_000_000))
    return when


def _day(when: Any) -> date:
    if isinstance(when, datetime):
        return when.date()
    if isinstance(when, date):
        return when
    try:
        return date.fromisoformat(str(when)[:10])
    except ValueError as error:
        raise InvalidInputError(
            f"expiration_date must be a date such as 2026-12-31, not {when!r}", value=when
        ) from error
