"""Results as tool answers: the raw values as structured content, and a fenced text for the prompt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from omoide.model.catalog.operation import Operation
from omoide.serve.fencing import BLOCK_TOKENS, CLOSING, OPENING, fence, neutral, quoted
from omoide.text.budget import estimate_tokens

RESULT: Final = "result"
Answer: TypeAlias = tuple[str, dict[str, Any]]
"""The text for the prompt, and the structured content."""
UNSAID: Final = "timings"
"""What a model has no use for and would pay for in tokens; the other doors tell it."""
NAMED_BY_ID: Final = frozenset({"remember", "supersede", "add"})
"""Operations whose answer proper is the id of what they made."""
SPOOLED: Final = (
    "The store is busy. The write is kept beside it and is applied as soon as it is free; do not repeat it."
)

_USUAL: Final[tuple[Any, ...]] = (None, [], False)  # 0 counts among them, being equal to False
_DONE: Final = {
    "remember": "Remembered as memory {id}.",
    "supersede": "Remembered as memory {id}, in the place of the others.",
    "revise": "Memory {id} now says the new text.",
    "restore": "Memory {id} is back.",
    "dispute": "Memory {id} is marked as disputed.",
    "add": "Added as document {id}.",
}


def output_schema(operation: Operation) -> dict[str, Any]:
    """Return the outline of an answer; the details would cost more tokens than they are worth in every prompt."""
    kind: Any = "object"
    if operation.rows:
        kind = "array"
    elif operation.name in NAMED_BY_ID:
        kind = ["integer", "null"]
    return {"type": "object", "properties": {RESULT: {"type": kind}}, "required": [RESULT]}


def answer(operation: Operation, result: Any, *, max_tokens: int | None = None) -> Answer:
    """Return the text and the structured content that tell the plain result of an operation."""
    return text_of(operation, result, max_tokens=max_tokens), structured(operation, result)


def structured(operation: Operation, result: Any) -> dict[str, Any]:
    """Return ``{"result": ...}``: the rows or the id that the operation is about, beside it what is worth saying.

    The answer of a search that left nothing out is the result alone.
    """
    main = operation.rows or ("id" if operation.name in NAMED_BY_ID else None)
    if main is None or not isinstance(result, dict):
        return {RESULT: result}
    beside = {name: value for name, value in result.items() if name not in (main, UNSAID) and value not in _USUAL}
    if not result.get("saved", True):
        beside["saved"] = False
    return {RESULT: result[main], **beside}


def text_of(operation: Operation, result: Any, *, max_tokens: int | None = None) -> str:
    """Return the result as text for a prompt: stored words only inside a fence, within the budget of tokens."""
    if isinstance(result, dict):
        if result.get("spooled"):
            return SPOOLED
        if operation.name == "forget":
            return _forgotten(result)
        if operation.name in _DONE:
            return "\n".join([_DONE[operation.name].format(id=result["id"]), *_notices(result.get("notices", ()))])
        if operation.name == "diff":
            return _diff(result, max_tokens or BLOCK_TOKENS)
        rows = _rows(operation, result)
        if rows is not None:
            return _fenced(rows, _remarks(result), max_tokens or BLOCK_TOKENS)
    return _as_json(result, max_tokens or BLOCK_TOKENS)


def _fenced(rows: Any, remarks: list[str], budget: int) -> str:
    """Return rows as a block with what is to be said about them, together within the budget."""
    room = budget - sum(estimate_tokens(f"\n{remark}") for remark in remarks)
    return "\n".join([fence(rows, max_tokens=max(1, room)).text, *remarks])


def _rows(operation: Operation, result: Mapping[str, Any]) -> Any:
    """Return the part of a result that is records with a text, None when there is none."""
    rows = result.get(operation.rows) if operation.rows else result.get("versions")
    if rows is None and "text" in result:
        rows = [result]
    if isinstance(rows, list) and all(isinstance(row, dict) and "text" in row for row in rows):
        return rows
    return None


def _forgotten(result: Mapping[str, Any]) -> str:
    ids = ", ".join(map(str, result["ids"])) or "none"
    lines = [f"{'Would forget' if result.get('dry_run') else 'Forgotten'}: {ids}."]
    if result.get("kept"):
        lines.append(f"Kept, having other sources: {', '.join(map(str, result['kept']))}.")
    return "\n".join(lines)


def _notices(notices: Iterable[Mapping[str, Any]]) -> list[str]:
    return [f"Notice {notice['code']}: {neutral(' '.join(str(notice['message']).split()))}" for notice in notices]


def _remarks(result: Mapping[str, Any]) -> list[str]:
    remarks = []
    if result.get("degraded"):
        reasons = "; ".join(map(str, result.get("reasons") or ())) or "part of the search was left out"
        remarks.append(f"Note: not the full search: {neutral(reasons)}.")
    if result.get("truncated"):
        remarks.append("Note: there is more; ask for more rows or tokens, or more narrowly.")
    if result.get("below_threshold"):
        remarks.append(f"Note: {result['below_threshold']} results lay below the threshold.")
    return remarks


def _diff(result: Mapping[str, Any], budget: int) -> str:
    """Return the three parts of a diff, each with a third of the budget."""
    share = max(100, budget // 3)
    revised = [version for pair in result["revised"] for version in (pair["old"], pair["new"]) if version]
    rows_of = {"learned": result["learned"], "revised": revised, "retracted": result["retracted"]}
    lines = [f"From {result['since']} to {result['until']}."]
    for name, rows in rows_of.items():
        title = f"{name.capitalize()}{', old then new' if name == 'revised' else ''}: {len(result[name])}"
        lines += [title, fence(rows, max_tokens=share).text] if rows else [title]
    return "\n".join(lines)


def _as_json(result: Any, budget: int) -> str:
    """Return values without a shape of their own as fenced JSON, cut at the budget."""
    text = json.dumps(result, ensure_ascii=False)
    kept = text[: budget * 12]
    while (tokens := estimate_tokens(kept)) > budget:
        kept = kept[: int(len(kept) * min(0.95, budget / tokens))]
    more = "" if len(kept) == len(text) else f"\n[cut here; {len(text) - len(kept)} more characters]"
    return f"{OPENING}\n{quoted(kept)}{more}\n{CLOSING}"
