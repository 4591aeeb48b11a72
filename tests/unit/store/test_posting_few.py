"""The postings of a few entries written together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import apsw
import pytest

from omoide.store.sqlite import schema
from omoide.store.sqlite.indexing import postings
from omoide.store.sqlite.indexing.posting_blocks import BLOCK

ONE, OTHER = 7, 8


@pytest.fixture
def conn() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    for table in ("term", "posting", "held"):
        connection.execute(schema.TABLES[table])
    connection.execute(schema.INDEXES["term_space"])
    yield connection
    connection.close()


def arrays(conn: apsw.Connection, space: int, term: str) -> list[Any]:
    lists = postings.SpacePostings(conn, space, documents=1, total_length=1, size=1_000)
    found = lists.postings(term)
    assert found is not None
    return [array.tolist() for array in found.arrays()]


def test_they_are_as_if_written_one_after_the_other(conn: apsw.Connection) -> None:
    """Full blocks, repeats, late entries, new terms and an entry without any included."""
    for space in (ONE, OTHER):
        postings.append_many(conn, space, [(number, ["word"]) for number in range(BLOCK - 1)])
    items = [(600, ["word", "new", "new"]), (601, ["word", "new"]), (603, ["word"]), (602, ["word", "late"]), (604, [])]
    assert postings.append_few(conn, ONE, items) == [3, 2, 1, 2, 0]
    for entry, terms in items:
        postings.append(conn, OTHER, entry, terms)
    for term in ("word", "new", "late"):
        assert arrays(conn, ONE, term) == arrays(conn, OTHER, term)
    assert arrays(conn, ONE, "word")[0][-4:] == [600, 601, 602, 603]


def _length(length: int, _: Sequence[str]) -> int:
    """An entry is as long as it is, however few of its terms are written at once."""
    return length


@pytest.mark.parametrize("entries", [(600, 601), (601, 600)])
def test_very_many_terms_at_once_are_as_if_written_one_after_the_other(
    conn: apsw.Connection, entries: tuple[int, int]
) -> None:
    words = [f"w{number}" for number in range(postings.MANY_TERMS)]
    items = [(entries[0], ["word", *words, "w7"]), (entries[1], ["word", "w9"])]
    for space in (ONE, OTHER):
        postings.append_many(conn, space, [(number, ["word", "w5"]) for number in range(3)])
    assert postings.append_few(conn, ONE, items) == [postings.MANY_TERMS + 2, 2]
    for entry, terms in items:
        for term in dict.fromkeys(terms):
            postings.append(conn, OTHER, entry, [term] * terms.count(term), measure=partial(_length, len(terms)))
    for term in ("word", "w5", "w7", "w9", "w4095"):
        assert arrays(conn, ONE, term) == arrays(conn, OTHER, term)
