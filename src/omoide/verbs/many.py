"""Many memories in one call, each judged by itself: what one item is refused for stops no other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from omoide.errors import InvalidInputError, OmoideError
from omoide.types import MemoryId
from omoide.types.levels import Outcome

MOST: Final = 10_000
"""Items of one call."""

Remember = Callable[..., MemoryId]


def remember_many(
    remember: Remember, items: Sequence[Mapping[str, Any]] | str, allowed: frozenset[str]
) -> list[Outcome]:
    """Remember every item, a mapping of arguments or a line of JSON; return what became of each, in order.

    Raises:
        InvalidInputError: neither a list nor JSON lines, or too many items; nothing was stored.
    """
    given = list(_items(items))
    if len(given) > MOST:
        raise InvalidInputError(f"{len(given)} items in one call; the limit is {MOST}", value=len(given))
    return [_one(remember, position, item, allowed) for position, item in given]


def _items(items: Sequence[Mapping[str, Any]] | str) -> Iterator[tuple[int, object]]:
    if isinstance(items, str):
        for position, line in enumerate(items.splitlines(), 1):
            if line.strip():
                yield position, _parsed(line)
        return
    if not isinstance(items, Sequence):
        raise InvalidInputError("items must be a list of objects, or a text with one JSON object a line", value=items)
    yield from enumerate(items, 1)


def _parsed(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        return InvalidInputError(f"not a line of JSON: {error}", value=line[:200])


def _one(remember: Remember, position: int, item: object, allowed: frozenset[str]) -> Outcome:
    try:
        made = remember(**_arguments(item, allowed))
    except OmoideError as error:
        return Outcome(position, None, error.code, str(error))
    return Outcome(position, int(made), notices=made.notices)


def _arguments(item: object, allowed: frozenset[str]) -> dict[str, Any]:
    if isinstance(item, OmoideError):
        raise item
    if isinstance(item, str):
        return {"text": item}
    if not isinstance(item, Mapping):
        raise InvalidInputError(f"an item is an object with a text, not {type(item).__name__}", value=item)
    unknown = [str(name) for name in item if name not in allowed]
    if unknown or "text" not in item:
        named = f"{unknown[0]} is no argument of remember" if unknown else "text is missing"
        raise InvalidInputError(named, value=unknown[0] if unknown else None)
    return dict(item)
