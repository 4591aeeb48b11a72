"""Arguments of reads, checked and made into values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.model.kinds import check_kind
from omoide.model.namespaces import check_namespace
from omoide.model.policy import Scope
from omoide.model.time import FOREVER, Micros, optional_micros
from omoide.model.trust import at_least, check_trust
from omoide.model.where import parse
from omoide.store.sqlite.namespaces import DOCUMENTS, HISTORY, MEMORIES
from omoide.verbs import drafts
from omoide.verbs.asking.asked import Ask
from omoide.verbs.context import Context
from omoide.verbs.idempotency import Key
from omoide.verbs.remember import Request

SECTIONS: Final = {"memories": MEMORIES, "documents": DOCUMENTS, "history": HISTORY}
"""What ``include`` names, and the collection that holds it."""
MOST_ROWS: Final = 2**63 - 1
"""More than any store holds, and the largest number that SQLite reads."""
_DRAFT: Final = (
    "metadata", "subject", "predicate", "kind", "abstract", "tags", "importance", "confidence", "basis", "source",
    "trust", "project", "cites", "triggers",
)  # fmt: skip
_AGES: Final = 1e12
"""Seconds beyond every time that can be written down."""
_TIMES: Final = ("valid_from", "valid_to", "observed_at")


def recall_ask(
    ctx: Context, query: object, *, k: object, namespaces: Any, where: object, min_similarity: object,
    recency_weight: object, half_life: object, budget_ms: object, max_tokens: object, subject: Any, kinds: Any,
    predicate: Any, tags: Any, trust: Any, project: Any, since: Any, until: Any, include: Any, rerank: bool,
    use_bm25: bool, use_vectors: bool, **rest: Any,
) -> Ask:  # fmt: skip
    """Return the recall that the arguments describe.

    Raises:
        InvalidInputError: names the first argument that cannot be accepted.
        AccessDeniedError: the policy does not open a namespace.
    """
    if query is not None and not isinstance(query, str):
        raise InvalidInputError(f"query must be a text or None, not {type(query).__name__}", value=query)
    if min_similarity is not None and not use_vectors:
        raise InvalidInputError("min_similarity is about vectors; leave use_vectors on", value=min_similarity)
    start, end = optional_micros(since, "since"), optional_micros(until, "until")
    if start is not None and end is not None and end <= start:
        raise InvalidInputError("until must lie after since", value=(since, until))
    _check_rerank(ctx, rerank)
    return Ask(
        query=None if query is None else query.encode("utf-8", "replace").decode("utf-8"), k=drafts.check_k(k),
        scope=scope_of(ctx, namespaces), collections=collections_of(include), where=parse(where),
        subjects=names(subject, "subject"), predicate=drafts.draft_label(predicate, "predicate"),
        kinds=kinds_of(kinds), tags=tags_of(tags), trusts=trusts_of(trust),
        project=drafts.draft_label(project, "project"), since=start, until=end,
        use_bm25=bool(use_bm25), use_vectors=bool(use_vectors),
        min_similarity=drafts.check_share(min_similarity, "min_similarity", -1.0),
        recency_weight=number(recency_weight, "recency_weight"),
        half_life=number(half_life, "recency_half_life_seconds"),
        budget_ms=None if budget_ms is None else number(budget_ms, "budget_ms"),
        max_tokens=None if max_tokens is None else check_limit(max_tokens, "max_tokens"), rerank=rerank, **rest,
    )  # fmt: skip


def supersede_request(ctx: Context, text: str, given: dict[str, Any], key: Key | None) -> Request:
    """Return the new memory of a supersede from the arguments of ``remember``.

    Raises:
        InvalidInputError: an argument that ``remember`` does not take, or one that cannot be accepted.
    """
    unknown = sorted(set(given) - {*_DRAFT, *_TIMES, "namespace", "pinned"})
    if unknown:
        raise InvalidInputError(f"supersede does not take {', '.join(unknown)}", value=unknown)
    claim = drafts.draft_claim(
        text, door_trust=ctx.door_trust, **{name: given[name] for name in _DRAFT if name in given}
    )
    start, end, observed = (optional_micros(given.get(name), name) for name in _TIMES)
    scope = ctx.policy.write_scope(ctx.namespace, given.get("namespace"))
    return Request(
        claim,
        scope,
        start,
        FOREVER if end is None else end,
        observed,
        drafts.check_flag(given.get("pinned"), "pinned"),
        idempotency=key,
    )


def home(ctx: Context, namespace: str | None) -> str:
    """Return the namespace asked for, the handle's own when none is.

    Raises:
        InvalidInputError: a name that can name no namespace.
    """
    return ctx.namespace if namespace is None else check_namespace(namespace)


def scope_of(ctx: Context, namespaces: str | Iterable[str] | None) -> Scope:
    """Return the right to read what the caller asks for.

    Raises:
        InvalidInputError: neither a name nor names.
    """
    if namespaces is None or isinstance(namespaces, str):
        return ctx.scope(namespaces)
    if not isinstance(namespaces, Iterable):
        raise InvalidInputError(f"namespaces must be a name or a list of names, not {namespaces!r}", value=namespaces)
    return ctx.scope(list(namespaces))


def trusts_of(trust: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the levels let in: a level stands for itself and all above it, a list for its members."""
    if trust is None:
        return at_least("derived")
    if isinstance(trust, str):
        return at_least(check_trust(trust))
    return tuple(check_trust(level) for level in _some(trust, "trust"))


def told_trusts(trust: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the levels of an account of what there is: None for all, since it leaves nothing out unasked."""
    return None if trust is None else trusts_of(trust)


def kinds_of(kinds: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the kinds asked for, None for all."""
    if kinds is None:
        return None
    return tuple(check_kind(kind) for kind in _some(kinds, "kinds"))


def names(value: str | Sequence[str] | None, name: str) -> tuple[str, ...] | None:
    """Return one or several names, None for no restriction."""
    if value is None:
        return None
    listed = ("" if item is None else item for item in _some(value, name))
    return tuple(label for item in listed if (label := drafts.draft_label(item, name)) is not None)


def _some(value: str | Sequence[str], name: str) -> list[Any]:
    """Return the members of a filter; one that lets nothing in is a slip."""
    if not isinstance(value, Iterable):
        raise InvalidInputError(f"{name} must be a text or a list of texts, not {value!r}", value=value)
    listed: list[Any] = [value] if isinstance(value, str) else list(value)
    if not listed:
        raise InvalidInputError(f"{name} is empty; leave it out for all", value=value)
    return listed


def tags_of(tags: Any) -> tuple[str, ...] | None:
    """Return the tags that all have to be there, None for no restriction."""
    return None if tags is None or tags in ([], ()) else names(tags, "tags")


def check_limit(limit: object, name: str = "limit") -> int | None:
    """Return a limit of at least 0, or None for no limit.

    Raises:
        InvalidInputError: anything else.
    """
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise InvalidInputError(f"{name} must be a whole number of at least 0, not {limit!r}", value=limit)
    return min(limit, MOST_ROWS)


def check_ids(ids: object) -> list[int]:
    """Return a list of memory ids.

    Raises:
        InvalidInputError: not a list of whole numbers.
    """
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise InvalidInputError(f"ids must be a list of memory ids, not {ids!r}", value=ids)
    return [drafts.check_id(id, "each of ids") for id in ids]


def check_cap(limit: object) -> int | None:
    """Return a cap of at least 1, or None for no cap.

    Raises:
        InvalidInputError: anything else.
    """
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise InvalidInputError(f"max_memories must be a whole number of at least 1, not {limit!r}", value=limit)
    return limit


def number(value: object, name: str) -> float:
    """Return a finite number.

    Raises:
        InvalidInputError: anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInputError(f"{name} must be a number, not {value!r}", value=value)
    return float(value)


def cutoff(ctx: Context, seconds: object) -> Micros:
    """Return the known time that lies ``seconds`` before now."""
    with ctx.store.read(None) as tx:
        return tx.now - round(max(-_AGES, min(_AGES, number(seconds, "seconds"))) * 1_000_000)


def only_id(parts: Mapping[str, object]) -> None:
    """Refuse an id together with a selector.

    Raises:
        InvalidInputError: both are given.
    """
    both = [name for name, value in parts.items() if name != "id" and value is not None]
    if both:
        raise InvalidInputError(f"forget takes an id or a selector, not both: id and {', '.join(both)}", value=both)


def collections_of(include: object) -> tuple[str, ...]:
    """Return the collections that ``include`` names.

    Raises:
        InvalidInputError: none, or one that there is not.
    """
    if not isinstance(include, Iterable):
        raise InvalidInputError(f"include takes {', '.join(SECTIONS)}, not {include!r}", value=include)
    listed = [include] if isinstance(include, str) else list(include)
    for section in listed:
        if section not in SECTIONS:
            raise InvalidInputError(f"include takes {', '.join(SECTIONS)}, not {section!r}", value=section)
    if not listed:
        raise InvalidInputError(f"include is empty; it takes {', '.join(SECTIONS)}", value=include)
    return tuple(dict.fromkeys(SECTIONS[section] for section in listed))


def _check_rerank(ctx: Context, rerank: object) -> None:
    if rerank and ctx.reranker is None:
        raise InvalidInputError(
            "rerank=True needs a reranker: open the handle with reranker= a folder with model.onnx and tokenizer.json,"
            " 'fastembed:MODEL', a function (question, texts) -> scores, or an object with score(question, texts)",
            value=rerank,
        )
