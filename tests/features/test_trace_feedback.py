"""From a memory to the words it came from; feedback on what was of use; many memories in one call."""

from __future__ import annotations

import json

import pytest

from omoide import History, Index, Memory
from omoide.errors import InvalidInputError, NotFoundError


def test_a_saved_segment_is_followed(mem: Memory) -> None:
    with History(mem.path, embedder="none") as his:
        name = his.save("we chose Postgres\nbecause of JSON", project="acme")
    made = mem.remember("the database is Postgres", source=str(name))
    (found,) = mem.trace(made)
    assert (found.kind, found.text) == ("segment", "we chose Postgres\nbecause of JSON")


def test_a_range_of_lines_is_followed(mem: Memory) -> None:
    with History(mem.path, embedder="none") as his:
        name = his.save("one\ntwo\nthree\nfour", project="acme")
    made = mem.remember("two and three", source=f"{name}#2-3")
    (found,) = mem.trace(made)
    assert (found.text, found.start, found.end, found.of) == ("two\nthree", 2, 3, 4)


def test_lines_of_a_document_are_followed(mem: Memory) -> None:
    with Index(mem.path, embedder="none") as idx:
        idx.add_text("alpha\nbeta\ngamma", source="notes.md")
    made = mem.remember("it is beta", source="notes.md#L2-L3")
    (found,) = mem.trace(made)
    assert (found.kind, found.text, found.of) == ("document", "beta\ngamma", 3)


def test_a_source_outside_is_named_without_words(mem: Memory) -> None:
    made = mem.remember("the deadline is May", source="https://example.org/minutes")
    (found,) = mem.trace(made)
    assert (found.kind, found.source, found.text) == ("elsewhere", "https://example.org/minutes", None)


def test_every_source_of_every_version_is_traced(mem: Memory) -> None:
    made = mem.remember("lives in Osaka", source="s1")
    mem.remember("lives in Osaka", source="s2")
    mem.revise(made, "lives in Tokyo", source="s3")
    assert sorted(found.source for found in mem.trace(made)) == ["s1", "s2", "s3"]


def test_a_long_source_is_cut_and_says_so(mem: Memory) -> None:
    with Index(mem.path, embedder="none") as idx:
        idx.add_text("\n".join(f"line {n} of many" for n in range(200)), source="long.md")
    made = mem.remember("it is long", source="long.md")
    (found,) = mem.trace(made, max_tokens=50)
    assert found.truncated
    assert found.of == 200


def test_another_namespace_is_not_traced(mem: Memory) -> None:
    with Memory(mem.path, "other", embedder="none") as other:
        made = other.remember("hidden", source="s")
    with pytest.raises(NotFoundError):
        mem.trace(made)


def test_the_history_of_another_namespace_is_not_followed(mem: Memory) -> None:
    with History(mem.path, "other", embedder="none") as his:
        name = his.save("secret words", project="acme")
    made = mem.remember("something", source=str(name))
    assert [found.kind for found in mem.trace(made)] == ["elsewhere"]


def test_feedback_raises_and_lowers_the_value(mem: Memory) -> None:
    made = mem.remember("the deploy key lies in the safe")
    better = mem.feedback(made, "boost")
    for _ in range(3):
        worse = mem.feedback(made, "penalize")
    assert 0 < worse < 0.5 < better < 1


def test_feedback_leaves_the_answers_of_the_past(mem: Memory) -> None:
    made = mem.remember("the deploy key lies in the safe")
    mem.feedback(made, "boost")
    assert [event.op for event in mem.audit()][-1] == "feedback"
    assert len(mem.why(made).versions) == 1
    assert not mem.verify()


def test_feedback_on_what_is_not_believed_is_refused(mem: Memory) -> None:
    made = mem.remember("gone")
    mem.forget(made)
    with pytest.raises(InvalidInputError, match="restore"):
        mem.feedback(made, "boost")
    with pytest.raises(InvalidInputError, match="boost or penalize"):
        mem.feedback(mem.remember("here"), "up")


def test_many_are_remembered_and_the_bad_ones_named(mem: Memory) -> None:
    told = mem.remember_many([
        {"text": "lives in Osaka", "subject": "user"},
        {"text": "  "},
        {"text": "x", "colour": "red"},
        {"subject": "user"},
        {"text": "aime le thé", "kind": "preference"},
    ])  # fmt: skip
    assert [(each.position, each.id is not None, each.code) for each in told] == [
        (1, True, None), (2, False, "invalid_input"), (3, False, "invalid_input"), (4, False, "invalid_input"),
        (5, True, None),
    ]  # fmt: skip
    assert mem.stats()["default"]["count"] == 2


def test_lines_of_json_are_items(mem: Memory) -> None:
    lines = "\n".join([json.dumps({"text": "東京に住む"}, ensure_ascii=False), "", "{broken", json.dumps("plain text")])
    told = mem.remember_many(lines)
    assert [(each.position, each.code) for each in told] == [(1, None), (3, "invalid_input"), (4, None)]


def test_a_rejected_value_is_refused_and_the_rest_stored(mem: Memory) -> None:
    mem.reject(mem.remember("lives in Kyoto", subject="user", predicate="city"), reason="wrong")
    told = mem.remember_many([{"text": "lives in Kyoto", "subject": "user", "predicate": "city"}, {"text": "other"}])
    assert [each.code for each in told] == ["rejected_value", None]
