"""Terms that wait to join the posting lists are found as if they were in them."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import numpy as np
import pytest

from omoide.errors import DamagedStoreError
from omoide.search.bm25 import posting_code
from omoide.store.sqlite.indexing import held, postings
from omoide.store.sqlite.indexing.posting_lists import SpacePostings
from omoide.store.sqlite.schema import TABLES

SPACE = 3


@pytest.fixture
def conn() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    for table in ("space", "entry", "term", "posting", "held"):
        connection.execute(TABLES[table])
    connection.execute("CREATE UNIQUE INDEX term_text ON term(space, term)")
    yield connection
    connection.close()


def lists(conn: apsw.Connection, size: int) -> SpacePostings:
    return SpacePostings(conn, SPACE, documents=size, total_length=3 * size, size=size)


def found(conn: apsw.Connection, term: str, size: int) -> list[tuple[int, int]]:
    postings_of = lists(conn, size).postings(term)
    if postings_of is None:
        return []
    ords, codes = postings_of.arrays()
    assert postings_of.count == len(ords)
    return list(zip(ords.tolist(), codes.tolist(), strict=True))


def texts(count: int) -> list[tuple[int, list[str]]]:
    return [(n, ["all", f"of{n % 7}", f"only{n}", "all"]) for n in range(count)]


@pytest.mark.parametrize("count", [1, 5, held.TOGETHER - 1, held.TOGETHER, held.TOGETHER + 5, 3 * held.TOGETHER + 1])
def test_one_by_one_is_found_as_all_at_once(conn: apsw.Connection, count: int) -> None:
    for entry, terms in texts(count):
        assert postings.hold(conn, SPACE, [(entry, terms)]) == [4]
    expected = apsw.Connection(":memory:")
    for table in ("term", "posting", "held"):
        expected.execute(TABLES[table])
    postings.append_many(expected, SPACE, texts(count))
    for term in ("all", "of3", "only0", f"only{count - 1}", "nothing"):
        assert found(conn, term, count) == found(expected, term, count)
    assert held.waiting(conn, SPACE) == count % held.TOGETHER
    assert list(postings.vocabulary(conn, SPACE)) == list(postings.vocabulary(expected, SPACE))


def test_codes_say_how_often_and_how_long(conn: apsw.Connection) -> None:
    postings.hold(conn, SPACE, [(0, ["tea"] * 40 + ["cup"])])
    assert found(conn, "tea", 1) == [(0, posting_code(40, 41))]
    assert found(conn, "cup", 1) == [(0, posting_code(1, 41))]


def test_lists_that_are_looked_into_know_what_waits(conn: apsw.Connection) -> None:
    for entry, terms in texts(held.TOGETHER + 9):
        postings.hold(conn, SPACE, [(entry, terms)])
    whole = lists(conn, held.TOGETHER + 9).postings("all")
    assert whole is not None
    asked = np.array([0, 5, held.TOGETHER - 1, held.TOGETHER, held.TOGETHER + 8], np.uint32)
    assert (whole.at(asked) == posting_code(2, 4)).all()
    assert (whole.at(asked[:2]) > 0).all()
    assert (whole.at(asked[3:]) > 0).all()
    whole.verify()


def test_two_terms_with_one_mark_are_told_apart(conn: apsw.Connection) -> None:
    """These two have the same CRC-32."""
    postings.hold(conn, SPACE, [(0, ["plumless"]), (1, ["buckeroo"])])
    assert found(conn, "plumless", 2) == [(0, posting_code(1, 1))]
    assert found(conn, "buckeroo", 2) == [(1, posting_code(1, 1))]


def test_what_waits_can_be_erased(conn: apsw.Connection) -> None:
    for entry, terms in texts(3):
        postings.hold(conn, SPACE, [(entry, terms)])
    assert postings.remove(conn, SPACE, 1, ["all", "of1", "only1"]) == 3
    assert [entry for entry, _ in found(conn, "all", 3)] == [0, 2]
    assert found(conn, "only1", 3) == []


def test_many_at_once_join_the_lists_with_what_waited(conn: apsw.Connection) -> None:
    postings.hold(conn, SPACE, texts(5))
    later = [(entry + 5, terms) for entry, terms in texts(held.TOGETHER)]
    postings.hold(conn, SPACE, later)
    assert held.waiting(conn, SPACE) == 0
    assert len(found(conn, "all", 5 + held.TOGETHER)) == 5 + held.TOGETHER


def test_a_term_that_would_break_the_row_goes_into_the_lists(conn: apsw.Connection) -> None:
    postings.hold(conn, SPACE, [(0, ["plain"])])
    postings.hold(conn, SPACE, [(1, ["odd\x1eterm", "plain"])])
    assert held.waiting(conn, SPACE) == 0
    assert [entry for entry, _ in found(conn, "plain", 2)] == [0, 1]
    assert [entry for entry, _ in found(conn, "odd\x1eterm", 2)] == [1]


@pytest.mark.parametrize("damage", ["marks = x'00'", "codes = x'0000'", "codes = zeroblob(length(codes))"])
def test_a_row_that_is_none_is_an_error(conn: apsw.Connection, damage: str) -> None:
    postings.hold(conn, SPACE, [(0, ["tea", "cup"])])
    conn.execute(f"UPDATE held SET {damage}")
    with pytest.raises(DamagedStoreError, match="table held"):
        found(conn, "tea", 1)
