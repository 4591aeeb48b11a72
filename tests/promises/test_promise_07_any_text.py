"""Any text is a legal query and a legal memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from omoide import Memory
from omoide.errors import InvalidInputError, OmoideError

Opener = Callable[..., Memory]

TEXTS = [
    'it\'s "quoted" and `ticked`',
    "nul \0 in the middle",
    "\0",
    "🎉👩‍👩‍👧‍👦",
    "שלום \u202e right to left",
    "今天讨论了部署方案",
    "鯛",
    "x",
    "%",
    "'; DROP TABLE versions; --",
    'NEAR("a" b, 3) AND NOT c*',
    "a:b^2 {x y}",
    "\\",
    "\u200b",
    "\ufeff",
    "e\u0301" * 50,
    "a" * 10_000,
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
    "\U0010ffff",
    "ﷺ" * 20,
    "Z̷̢̛a̸l̵g̴o̷",
    "\u0e01\u0e34\u0e19",
    "１２３",
    "line\u2028separator\u0085next",
]


@pytest.fixture(scope="module")
def store() -> Iterator[Memory]:
    """One store for all the texts of this file."""
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "agents.db", embedder="none") as mem:
        yield mem


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_is_stored_asked_and_found(opened: Opener, text: str) -> None:
    """A text of any kind is stored exactly, asked without harm, and found by itself where it has a word."""
    mem = opened()
    memory_id = mem.remember(text)
    record = mem.get(memory_id)
    assert record is not None
    assert record.text == text
    hits = mem.recall(text)
    assert memory_id in [hit.id for hit in hits] or not any(c.isalnum() for c in text)
    assert mem.integrity_check() == []


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=60))
@example(text="\ud800")
@example(text=" ")
def test_any_text_at_all(store: Memory, text: str) -> None:
    """Whatever the text, it is stored exactly or refused with a typed error, and asking never fails otherwise."""
    try:
        record = store.get(store.remember(text))
    except InvalidInputError:
        assert not text.strip() or any("\ud800" <= c <= "\udfff" for c in text)
    else:
        assert record is not None
        assert record.text.split() == text.split()
    try:
        hits = store.recall(text, k=3)
    except InvalidInputError:
        assert any("\ud800" <= c <= "\udfff" for c in text)
    else:
        assert len(hits) <= 3


@pytest.mark.parametrize("field", ["subject", "predicate", "source", "project", "idempotency_key"])
def test_any_text_is_a_field(opened: Opener, field: str) -> None:
    """Fields beside the text take any text too."""
    mem = opened()
    for n, text in enumerate(TEXTS):
        if text.strip("\0\u200b\ufeff").strip():
            given: dict[str, Any] = {field: text}
            record = mem.get(mem.remember(f"note {n}", **given))
            assert record is not None
            if field != "idempotency_key":
                assert getattr(record, field) == text


def test_a_megabyte_is_a_query(opened: Opener) -> None:
    """A query of a megabyte is answered."""
    mem = opened()
    memory_id = mem.remember("a needle in the hay")
    query = "needle " + "straw " * 170_000
    assert [hit.id for hit in mem.recall(query)] == [memory_id]


BAD: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"text": None}),
    ("remember", {"text": " "}),
    ("remember", {"text": "x", "valid_from": "2026-02-30"}),
    ("remember", {"text": "x", "metadata": {"k": object()}}),
    ("remember", {"text": "x", "kind": "rumour"}),
    ("recall", {"query": 5}),
    ("recall", {"query": "x", "k": "3"}),
    ("recall", {"query": "x", "where": {"a": {"$no": 1}}}),
    ("recall", {"query": "x", "as_of": "never"}),
    ("recall", {"query": "x", "min_similarity": "much"}),
    ("diff", {"since": "never"}),
    ("forget", {"source": " "}),
    ("revise", {"id": 4711, "text": "x"}),
    ("why", {"id": 4711}),
    ("remember", {"text": "x", "basis": []}),
    ("recall", {"query": "x", "namespaces": 5}),
    ("recall", {"query": "x", "include": 5}),
    ("export", {"path": None}),
]


@pytest.mark.parametrize("verb, arguments", BAD, ids=range(len(BAD)))
def test_bad_input_is_a_typed_error_that_helps(opened: Opener, verb: str, arguments: dict[str, Any]) -> None:
    """Bad input raises one of our errors, with a code and a sentence, and writes nothing."""
    mem = opened()
    mem.remember("A")
    head = len(mem.audit())
    given = dict(arguments)
    first = given.pop(next(iter(given))) if "source" not in given else None
    with pytest.raises(OmoideError) as caught:
        getattr(mem, verb)(*([] if first is None and verb == "forget" else [first]), **given)
    assert str(caught.value)
    assert len(mem.audit()) == head
    assert mem.stats()["default"]["count"] == 1


def test_a_refused_megabyte_is_not_sent_back_whole(opened: Opener) -> None:
    """The message about a value stays short enough for a model to read, however long the value is."""
    with pytest.raises(OmoideError) as caught:
        opened().remember("x", kind="y" * 1_000_000)
    assert len(str(caught.value)) <= 2_000
