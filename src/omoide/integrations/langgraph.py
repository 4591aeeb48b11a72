"""A LangGraph ``BaseStore`` over one omoide store; needs ``omoide[langgraph]``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, cast
from urllib.parse import quote, unquote

from omoide.errors import InvalidInputError
from omoide.integrations.keyed import Change, Entry, Keyed
from omoide.integrations.langgraph_filter import accepts
from omoide.model.policy import Policy
from omoide.model.time import to_datetime

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        InvalidNamespaceError,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        validate_op_namespace,
    )
    from langgraph.store.base.embed import ensure_embeddings, get_text_at_path
except ImportError as error:
    raise ImportError("this needs LangGraph; install omoide[langgraph]", name="langgraph") from error

DOOR = "langgraph"


class OmoideStore(BaseStore):
    """Items as memories: a namespace tuple is one omoide namespace, a change keeps the id and the history."""

    supports_ttl = True

    def __init__(
        self, memory: Keyed, *, fields: Sequence[str] = ("$",), ttl: TTLConfig | None = None, separator: str = "."
    ) -> None:
        self.memory = memory
        self.fields = list(fields)
        self.ttl_config = ttl
        self._separator = separator

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: reads see the store as it was before, then all writes land together."""
        listed = list(ops)
        for op in listed:
            self._check(op)
        results = [self._read(op) for op in listed]
        self.memory.apply([self._change(op) for op in listed if isinstance(op, PutOp)])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Async ``batch``, in a worker thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def sweep_ttl(self) -> int:
        """Forget the items whose time to live is over; return how many."""
        over = [entry for entry in self.memory.entries(self.memory.homes()) if not self._live(entry)]
        self.memory.apply([Change(entry.namespace, entry.key, None, {}) for entry in over])
        return len(over)

    def close(self) -> None:
        """Close the store."""
        self.memory.close()

    def _check(self, op: Op) -> None:
        validate_op_namespace(op)
        if isinstance(op, PutOp) and (not op.namespace or op.namespace[0] == "langgraph"):
            raise InvalidNamespaceError(f"a namespace is not empty and does not start with 'langgraph': {op.namespace}")

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._list(op)
        if isinstance(op, PutOp):
            return None
        raise InvalidInputError(f"unknown operation {type(op).__name__}", value=type(op).__name__)

    def _get(self, op: GetOp) -> Item | None:
        entry = self.memory.entry(self._home(op.namespace), op.key)
        if entry is None or not self._live(entry):
            return None
        self._refresh([entry], op.refresh_ttl)
        return Item(
            value=entry.data["value"], key=entry.key, namespace=self._tuple(entry.namespace),
            created_at=entry.created_at, updated_at=entry.updated_at,
        )  # fmt: skip

    def _search(self, op: SearchOp) -> list[SearchItem]:
        homes = [name for name in self.memory.homes() if _starts(self._tuple(name), op.namespace_prefix)]
        wanted = op.offset + op.limit
        found: list[Entry] = []
        if op.query and op.query.strip():
            found = self.memory.found(op.query, homes, wanted, lambda entry: self._suits(entry, op), {"indexed": True})
        if len(found) < wanted:
            ids = {entry.id for entry in found}
            rest = (entry for entry in self.memory.entries(homes) if entry.id not in ids and self._suits(entry, op))
            found += list(rest)[: wanted - len(found)]
        found = found[op.offset : wanted]
        self._refresh(found, op.refresh_ttl)
        return [self._search_item(entry) for entry in found]

    def _suits(self, entry: Entry, op: SearchOp) -> bool:
        return self._live(entry) and accepts(entry.data["value"], op.filter)

    def _search_item(self, entry: Entry) -> SearchItem:
        return SearchItem(
            namespace=self._tuple(entry.namespace), key=entry.key, value=entry.data["value"],
            created_at=entry.created_at, updated_at=entry.updated_at, score=entry.score,
        )  # fmt: skip

    def _list(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        live = {entry.namespace for entry in self.memory.entries(self.memory.homes()) if self._live(entry)}
        found = {self._tuple(name) for name in live}
        found = {name for name in found if all(_matches(name, each) for each in op.match_conditions or ())}
        if op.max_depth is not None:
            found = {name[: op.max_depth] for name in found}
        return sorted(found)[op.offset : op.offset + op.limit]

    def _change(self, op: PutOp) -> Change:
        home = self._home(op.namespace)
        if op.value is None:
            return Change(home, op.key, None, {})
        indexed = op.index is not False
        fields = self.fields if op.index is None or op.index is False else list(op.index)
        texts = [text for field in fields for text in get_text_at_path(op.value, field)]
        everything = get_text_at_path(op.value, "$")
        text = "\n".join(texts) if texts else "\n".join(everything)
        data: dict[str, Any] = {"value": op.value, "indexed": indexed and bool(texts)}
        if op.ttl is not None:
            data["ttl"] = op.ttl
        return Change(home, op.key, text, data)

    def _live(self, entry: Entry) -> bool:
        ttl = entry.data.get("ttl")
        if ttl is None:
            return True
        with self.memory._ctx.store.read(None) as tx:  # noqa: SLF001  (the clock of the store)
            now = to_datetime(tx.now)
        return entry.seen_at + timedelta(minutes=float(ttl)) > now

    def _refresh(self, entries: Sequence[Entry], refresh: bool | None) -> None:
        if refresh:
            self.memory.touch([entry for entry in entries if entry.data.get("ttl") is not None])

    def _home(self, namespace: tuple[str, ...]) -> str:
        return self._separator.join(_escape(label, self._separator) for label in namespace)

    def _tuple(self, name: str) -> tuple[str, ...]:
        return tuple(unquote(label) for label in name.split(self._separator))


class _Embedder:
    """LangChain embeddings as an omoide embedder."""

    def __init__(self, embeddings: Any) -> None:
        self._embeddings = embeddings
        self.model_name = str(getattr(embeddings, "model", None) or type(embeddings).__name__)

    def embed(self, texts: list[str]) -> list[list[float]]:
        return cast("list[list[float]]", self._embeddings.embed_documents(list(texts)))


def as_store(
    path: str | os.PathLike[str], *, policy: Policy | None = None, embedder: Any | None = None,
    index: Any | None = None, ttl: TTLConfig | None = None, namespace: str = "default",
    namespace_separator: str = ".", **options: Any,
) -> OmoideStore:  # fmt: skip
    """Return a LangGraph store in the file at ``path``.

    ``index`` and ``ttl`` are LangGraph's: ``{"fields": [...], "embed": ...}`` and ``{"default_ttl": minutes,
    "refresh_on_read": True}``. ``policy`` None opens every namespace of the file; ``options`` are those of ``Memory``.

    Raises:
        ImportError: LangGraph is not installed.
    """
    config = dict(index or {})
    if embedder is None and config.get("embed") is not None:
        embedder = _Embedder(ensure_embeddings(config["embed"]))
    memory = Keyed(path, namespace, policy=policy or Policy.open(), embedder=embedder, **{"door": DOOR, **options})
    return OmoideStore(memory, fields=config.get("fields") or ["$"], ttl=ttl, separator=namespace_separator)


def _escape(label: str, separator: str) -> str:
    """Escape what would not come back, or what no namespace may hold."""
    plain = all(char.isprintable() and char not in "%*" and char not in separator for char in label)
    if plain and label == label.strip():
        return label
    return "".join(_escaped(char, separator) for char in label)


def _escaped(char: str, separator: str) -> str:
    if char.isalnum():
        return char
    return quote(char, safe="") if char not in separator else "".join(f"%{byte:02X}" for byte in char.encode())


def _starts(name: tuple[str, ...], prefix: tuple[str, ...]) -> bool:
    return name[: len(prefix)] == tuple(prefix)


def _matches(name: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(path) > len(name):
        return False
    part = name[: len(path)] if condition.match_type == "prefix" else name[len(name) - len(path) :]
    return all(wanted in {"*", label} for wanted, label in zip(path, part, strict=True))
