"""A LangGraph ``BaseStore`` over one omoide store; needs ``omoide[langgraph]``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Any, Final, cast

from omoide.embed.windows import SECTION
from omoide.errors import InvalidInputError
from omoide.integrations.embeddings import LangChainEmbedder
from omoide.integrations.entries import Change, Entry
from omoide.integrations.keyed import Keyed
from omoide.integrations.langgraph_filter import accepts, pushed
from omoide.integrations.langgraph_gather import Gathering
from omoide.integrations.langgraph_labels import Labels, matches, starts
from omoide.integrations.sweeper import Sweeper
from omoide.model.policy import Policy

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        InvalidNamespaceError,
        Item,
        ListNamespacesOp,
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

DOOR: Final = "langgraph"
SWEEP_MINUTES: Final = 5.0
_MORTAL: Final = {"ttl": {"$exists": True}}


class OmoideStore(BaseStore):
    """Items as memories: a namespace tuple is one omoide namespace, a change keeps the id and the history.

    Items whose time to live is over are not seen; ``ttl={"omit_expired": False}`` shows them until they are swept.
    """

    supports_ttl = True

    def __init__(
        self, memory: Keyed, *, fields: Sequence[str] = ("$",), ttl: TTLConfig | None = None, separator: str = "."
    ) -> None:
        self.memory = memory
        self.fields = list(fields)
        self.ttl_config = ttl
        self._omit = bool((ttl or {}).get("omit_expired", True))
        self._labels = Labels(separator)
        self._gathering = Gathering(self.batch, _place)
        self._sweeper: Sweeper | None = None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: reads see the store as it was before, then all writes land together."""
        listed = list(ops)
        for op in listed:
            _check(op)
        results = [self._read(op) for op in listed]
        self.memory.apply([self._change(op) for op in listed if isinstance(op, PutOp)])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Async ``batch`` in a worker thread, together with what other tasks ask for at the same time."""
        listed = list(ops)
        for op in listed:
            _check(op)
        return await self._gathering.ask(listed)

    # -- time to live ----------------------------------------------------------------------------------

    def sweep_ttl(self) -> int:
        """Forget the items whose time to live is over; return how many."""
        dead = self._dead()
        over = self.memory.entries(self.memory.homes(), _MORTAL, keep=dead)
        self.memory.apply([Change(entry.namespace, entry.key, None, {}) for entry in over])
        return len(over)

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> Future[None]:
        """Sweep in a thread of its own until ``stop_ttl_sweeper`` or ``close``; return what is done when that ends.

        The interval defaults to that of the configuration, else to 5 minutes.
        """
        if self._sweeper is None or not self._sweeper.alive:
            configured = (self.ttl_config or {}).get("sweep_interval_minutes")
            minutes = sweep_interval_minutes or configured or SWEEP_MINUTES
            self._sweeper = Sweeper(self.sweep_ttl, 60 * float(minutes))
        return self._sweeper.over

    def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:
        """Stop sweeping; return whether it has ended within ``timeout`` seconds."""
        return self._sweeper is None or self._sweeper.stop(timeout)

    def close(self) -> None:
        """Stop sweeping and close the store."""
        self.stop_ttl_sweeper()
        self.memory.close()

    def _dead(self) -> Callable[[Entry], bool]:
        now = self.memory.now()
        return lambda entry: _expires(entry) is not None and cast("datetime", _expires(entry)) <= now

    def _live(self) -> Callable[[Entry], bool]:
        if not self._omit:
            return lambda _: True
        dead = self._dead()
        return lambda entry: not dead(entry)

    def _refresh(self, entries: Sequence[Entry], refresh: bool | None) -> None:
        if refresh:
            self.memory.touch([entry for entry in entries if entry.data.get("ttl") is not None])

    # -- operations ------------------------------------------------------------------------------------

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        return self._list(op) if isinstance(op, ListNamespacesOp) else None

    def _get(self, op: GetOp) -> Item | None:
        entry = self.memory.entry(self._labels.name(op.namespace), op.key)
        if entry is None or not self._live()(entry):
            return None
        self._refresh([entry], op.refresh_ttl)
        return Item(**self._fields(entry))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        homes = self.memory.homes(lambda name: starts(self._labels.labels(name), op.namespace_prefix))
        wanted, live, where = op.offset + op.limit, self._live(), pushed("value", op.filter)
        suits: Callable[[Entry], bool] = lambda entry: live(entry) and accepts(entry.data["value"], op.filter)  # noqa: E731
        found: list[Entry] = []
        if op.query and op.query.strip():
            indexed = {"$and": [{"indexed": True}, *([where] if where else [])]}
            found = self.memory.found(op.query, homes, wanted, suits, indexed)
        if len(found) < wanted:
            ids = {entry.id for entry in found}
            rest = self.memory.entries(
                homes, where, keep=lambda entry: entry.id not in ids and suits(entry), wanted=wanted - len(found)
            )
            found += rest
        found = found[op.offset : wanted]
        self._refresh(found, op.refresh_ttl)
        return [SearchItem(**self._fields(entry), score=entry.score) for entry in found]

    def _list(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        suits: Callable[[str], bool] = lambda name: all(  # noqa: E731
            matches(self._labels.labels(name), each) for each in op.match_conditions or ()
        )
        found = {self._labels.labels(name) for name in self._inhabited(suits)}
        if op.max_depth is not None:
            found = {name[: op.max_depth] for name in found}
        return sorted(found)[op.offset : op.offset + op.limit]

    def _inhabited(self, suits: Callable[[str], bool]) -> set[str]:
        """Return the namespaces with an item whose time is not over."""
        lasting = set(self.memory.homes(suits, {"$not": _MORTAL}))
        mortal = [name for name in self.memory.homes(suits, _MORTAL) if name not in lasting]
        live = self._live()
        return lasting | {name for name in mortal if self.memory.entries([name], _MORTAL, keep=live, wanted=1)}

    def _fields(self, entry: Entry) -> dict[str, Any]:
        return {
            "namespace": self._labels.labels(entry.namespace), "key": entry.key, "value": entry.data["value"],
            "created_at": entry.created_at, "updated_at": entry.updated_at,
        }  # fmt: skip

    def _change(self, op: PutOp) -> Change:
        home = self._labels.name(op.namespace)
        if op.value is None:
            return Change(home, op.key, None, {})
        fields = self.fields if op.index is None or op.index is False else list(op.index)
        texts = [text for field in fields for text in get_text_at_path(op.value, field) if text.strip()]
        said = texts or get_text_at_path(op.value, "$")
        data: dict[str, Any] = {"value": op.value, "indexed": op.index is not False and bool(texts)}
        if op.ttl is not None:
            data["ttl"] = float(op.ttl)
        return Change(home, op.key, f"\n{SECTION}".join(said), data)


def as_store(
    path: str | os.PathLike[str], *, policy: Policy | None = None, embedder: Any | None = None,
    index: Any | None = None, ttl: TTLConfig | None = None, namespace: str = "default",
    namespace_separator: str = ".", **options: Any,
) -> OmoideStore:  # fmt: skip
    """Return a LangGraph store in the file at ``path``.

    ``index`` and ``ttl`` are LangGraph's: ``{"fields": [...], "embed": ...}`` and ``{"default_ttl": minutes,
    "refresh_on_read": True, "sweep_interval_minutes": 60}``. ``policy`` None opens every namespace of the file;
    ``options`` are those of ``Memory``.

    Raises:
        ImportError: LangGraph is not installed.
    """
    config = dict(index or {})
    if embedder is None and config.get("embed") is not None:
        embedder = LangChainEmbedder(ensure_embeddings(config["embed"]))
    memory = Keyed(path, namespace, policy=policy or Policy.open(), embedder=embedder, **{"door": DOOR, **options})
    return OmoideStore(memory, fields=config.get("fields") or ["$"], ttl=ttl, separator=namespace_separator)


def _check(op: Op) -> None:
    if not isinstance(op, GetOp | SearchOp | ListNamespacesOp | PutOp):
        raise InvalidInputError(f"unknown operation {type(op).__name__}", value=type(op).__name__)
    validate_op_namespace(op)
    if isinstance(op, PutOp) and (not op.namespace or op.namespace[0] == "langgraph"):
        raise InvalidNamespaceError(f"a namespace is not empty and does not start with 'langgraph': {op.namespace}")


def _place(op: Op) -> Any:
    return (op.namespace, op.key) if isinstance(op, PutOp) else None


def _expires(entry: Entry) -> datetime | None:
    ttl = entry.data.get("ttl")
    return None if ttl is None else entry.seen_at + timedelta(minutes=float(ttl))
