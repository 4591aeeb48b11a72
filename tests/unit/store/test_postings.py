"""Posting lists in SQLite: what is written, read, erased and found damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import apsw
import numpy as np
import pytest

from omoide.errors import DamagedStoreError, InvalidInputError
from omoide.search.bm25 import posting_code
from omoide.search.keyword import KeywordResult, score, search
from omoide.store.sqlite import schema
from omoide.store.sqlite.checking.posting_check import orphans
from omoide.store.sqlite.indexing import postings
from omoide.store.sqlite.indexing.posting_blocks import BLOCK, FULL

SPACE = 7


@pytest.fixture
def conn() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    for table in ("space", "entry", "term", "posting", "held"):
        connection.execute(schema.TABLES[table])
    connection.execute(schema.INDEXES["term_space"])
    yield connection
    connection.close()


def note(
    conn: apsw.Connection, first: int, lengths: Sequence[int], space: int = SPACE, terms: Sequence[int] = ()
) -> None:
    """Keep the rows that the store's write transaction keeps."""
    conn.execute("INSERT INTO space(space, ns, collection) VALUES(?1, ?1, '') ON CONFLICT DO NOTHING", (space,))
    conn.execute(
        "UPDATE space SET entries = max(entries, ?1), documents = documents + ?2,"
        " total_length = total_length + ?3 WHERE space = ?4",
        (first + len(lengths), len(lengths), sum(lengths), space),
    )
    for number, (length, distinct) in enumerate(zip(lengths, terms or lengths, strict=True), first):
        conn.execute(
            "INSERT INTO entry(space, ord, key, length, terms) VALUES(?, ?, x'', ?, ?)",
            (space, number, length, distinct),
        )


def add(conn: apsw.Connection, texts: Sequence[str], first: int = 0, space: int = SPACE) -> None:
    words = [text.split() for text in texts]
    postings.append_many(conn, space, enumerate(words, first))
    note(conn, first, [len(each) for each in words], space, [len(set(each)) for each in words])


def reader(conn: apsw.Connection, space: int = SPACE) -> postings.SpacePostings:
    row: Any = conn.execute("SELECT documents, total_length, entries FROM space WHERE space = ?", (space,)).get
    return postings.SpacePostings(conn, space, documents=row[0], total_length=row[1], size=row[2])


def find(conn: apsw.Connection, question: str, k: int = 10, space: int = SPACE) -> KeywordResult:
    return search(reader(conn, space), [(term, 1.0) for term in question.split()], k)


def entries_of(conn: apsw.Connection, term: str, space: int = SPACE) -> list[int]:
    found = reader(conn, space).postings(term)
    return [] if found is None else found.arrays()[0].tolist()


def tables(conn: apsw.Connection) -> tuple[list[Any], list[Any]]:
    return (
        conn.execute("SELECT space, term FROM term ORDER BY 1, 2").fetchall(),
        conn.execute("SELECT id, data FROM posting ORDER BY id").fetchall(),
    )


def sizes(conn: apsw.Connection) -> list[int]:
    return [(row[0] - 4) // 6 for row in conn.execute("SELECT length(data) FROM posting ORDER BY id")]


class TestAppend:
    def test_an_entry_is_found_by_each_of_its_terms(self, conn: apsw.Connection) -> None:
        assert postings.append(conn, SPACE, 0, ["lives", "osaka", "lives"]) == 3
        note(conn, 0, [3])
        lists = [reader(conn).postings(term) for term in ("lives", "osaka")]
        assert [[array.tolist() for array in each.arrays()] for each in lists if each] == [
            [[0], [posting_code(2, 3)]],
            [[0], [posting_code(1, 3)]],
        ]

    def test_a_text_without_terms_leaves_nothing(self, conn: apsw.Connection) -> None:
        assert postings.append(conn, SPACE, 0, []) == 0
        assert postings.append_many(conn, SPACE, []) == []
        assert tables(conn) == ([], [])

    def test_a_full_block_is_followed_by_another(self, conn: apsw.Connection) -> None:
        for number in range(BLOCK + 2):
            postings.append(conn, SPACE, number, ["word"])
        note(conn, 0, [1] * (BLOCK + 2))
        assert sizes(conn) == [BLOCK, 2]
        assert entries_of(conn, "word") == list(range(BLOCK + 2))

    def test_many_at_once_fill_the_last_block_first(self, conn: apsw.Connection) -> None:
        add(conn, ["word"] * 300)
        add(conn, ["word"] * 1_000, first=300)
        assert sizes(conn) == [BLOCK, BLOCK, 1_300 - 2 * BLOCK]
        assert entries_of(conn, "word") == list(range(1_300))

    def test_many_at_once_return_their_lengths_in_terms_lowest_entry_first(self, conn: apsw.Connection) -> None:
        assert postings.append_many(conn, SPACE, [(4, ["a", "a"]), (2, ["b"])]) == [1, 2]

    def test_entries_may_come_in_any_order(self, conn: apsw.Connection) -> None:
        for number in (5, 1, 9, 0, 7):
            postings.append(conn, SPACE, number, ["word"])
        postings.append_many(conn, SPACE, [(8, ["word"]), (2, ["word", "other"])])
        note(conn, 0, [1] * 10)
        assert entries_of(conn, "word") == [0, 1, 2, 5, 7, 8, 9]

    def test_a_late_entry_splits_a_full_block(self, conn: apsw.Connection) -> None:
        postings.append_many(conn, SPACE, [(2 * number, ["word"]) for number in range(BLOCK + 1)])
        postings.append(conn, SPACE, 11, ["word"])
        note(conn, 0, [1] * (2 * BLOCK + 1))
        assert sizes(conn) == [BLOCK // 2, BLOCK // 2 + 1, 1]
        found = reader(conn).postings("word")
        assert found is not None
        assert found.count == BLOCK + 2
        assert 11 in found.arrays()[0]

    @pytest.mark.parametrize("earlier", [[3], [3, 4]])
    def test_an_entry_is_added_once(self, conn: apsw.Connection, earlier: list[int]) -> None:
        for number in earlier:
            postings.append(conn, SPACE, number, ["word"])
        with pytest.raises(InvalidInputError):
            postings.append(conn, SPACE, 3, ["word"])
        with pytest.raises(InvalidInputError):
            postings.append_many(conn, SPACE, [(8, ["a"]), (8, ["b"])])

    def test_lists_of_another_space_are_apart(self, conn: apsw.Connection) -> None:
        add(conn, ["shared here"], space=1)
        add(conn, ["shared there"], space=2)
        assert find(conn, "here", space=2).ords.tolist() == []
        assert find(conn, "shared", space=2).ords.tolist() == [0]

    def test_any_characters_make_a_term(self, conn: apsw.Connection) -> None:
        terms = ["", "nul\0nul", "思い出", "🙂", "'; DROP TABLE term;--", "a" * 10_000]
        postings.append(conn, SPACE, 0, terms)
        note(conn, 0, [len(terms)])
        assert [entries_of(conn, term) for term in terms] == [[0]] * len(terms)
        assert entries_of(conn, "nul") == []


class TestRead:
    def test_a_term_that_no_entry_holds_has_no_list(self, conn: apsw.Connection) -> None:
        add(conn, ["a"])
        assert reader(conn).postings("b") is None

    def test_a_committed_entry_is_in_the_next_answer(self, conn: apsw.Connection) -> None:
        add(conn, ["first word"])
        assert find(conn, "word").ords.tolist() == [0]
        add(conn, ["second word"], first=1)
        assert find(conn, "word").ords.tolist() == [1, 0]

    def test_the_length_of_a_long_list_is_known_from_its_last_block(self, conn: apsw.Connection) -> None:
        add(conn, ["word"] * (3 * BLOCK + 5))
        found = reader(conn).postings("word")
        assert found is not None
        assert (found.count, found.read) == (3 * BLOCK + 5, 5)

    def test_looking_up_a_few_entries_reads_their_blocks_only(self, conn: apsw.Connection) -> None:
        count = 40 * BLOCK
        postings.append_many(conn, SPACE, [(2 * number, ["word"]) for number in range(count)])
        note(conn, 0, [1] * (2 * count))
        found = reader(conn).postings("word")
        assert found is not None
        wanted = np.array([0, 3, 6, 2 * count - 2, 2 * count - 1], np.uint32)
        assert (found.at(wanted) > 0).tolist() == [True, False, True, True, False]
        assert found.read == 2 * BLOCK

    def test_looking_up_many_entries_reads_the_list_once(self, conn: apsw.Connection) -> None:
        count = 4 * BLOCK
        add(conn, ["word"] * count)
        found = reader(conn).postings("word")
        assert found is not None
        assert (found.at(np.arange(count, dtype=np.uint32)) > 0).all()
        assert found.at(np.array([0], np.uint32)).tolist() == [posting_code(1, 1)]
        assert found.read == count

    def test_entries_before_and_between_blocks_are_absent(self, conn: apsw.Connection) -> None:
        numbers = [*range(10, 10 + BLOCK), *range(5_000, 5_000 + 9 * BLOCK)]
        postings.append_many(conn, SPACE, [(number, ["word"]) for number in numbers])
        note(conn, 0, [1] * 10_000)
        found = reader(conn).postings("word")
        assert found is not None
        assert found.at(np.array([1], np.uint32)).tolist() == [0]
        assert found.at(np.array([4_000], np.uint32)).tolist() == [0]
        assert found.at(np.array([9_900], np.uint32)).tolist() == [0]

    def test_the_work_of_a_question_does_not_grow_with_a_common_term(self, conn: apsw.Connection) -> None:
        add(conn, [f"user {'rare' if number % 10_000 == 0 else 'x'}" for number in range(100 * BLOCK)])
        assert find(conn, "user rare", k=5).touched < 10 * BLOCK

    def test_search_and_score_agree(self, conn: apsw.Connection) -> None:
        add(conn, [f"w{number % 7} w{number % 11} common" for number in range(2_000)])
        terms = [("w3", 1.0), ("w5", 0.5), ("common", 1.0), ("absent", 1.0)]
        found = search(reader(conn), terms, 50)
        assert score(reader(conn), terms, found.ords).tolist() == found.scores.tolist()


class TestRemove:
    def test_an_erased_entry_leaves_no_bytes(self, conn: apsw.Connection) -> None:
        add(conn, ["kept word"])
        before = tables(conn)
        postings.append(conn, SPACE, 1, ["secret", "word"])
        assert postings.remove(conn, SPACE, 1, ["secret", "word", "word"]) == 2
        assert tables(conn) == before

    @pytest.mark.parametrize("gone", [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK, 2 * BLOCK + 4])
    def test_an_entry_is_erased_from_any_block(self, conn: apsw.Connection, gone: int) -> None:
        count = 2 * BLOCK + 5
        add(conn, ["word"] * count)
        assert postings.remove(conn, SPACE, gone, ["word"]) == 1
        conn.execute("DELETE FROM entry WHERE ord = ?", (gone,))
        assert entries_of(conn, "word") == [number for number in range(count) if number != gone]
        assert postings.check(conn, SPACE) == []

    def test_a_block_is_gone_with_its_last_posting(self, conn: apsw.Connection) -> None:
        add(conn, ["word"] * (2 * BLOCK + 1))
        postings.remove(conn, SPACE, 2 * BLOCK, ["word"])
        assert sizes(conn) == [BLOCK, BLOCK]
        found = reader(conn).postings("word")
        assert found is not None
        assert found.count == 2 * BLOCK

    def test_what_is_not_there_is_not_erased(self, conn: apsw.Connection) -> None:
        add(conn, ["word", "other", "word"])
        before = tables(conn)
        assert postings.remove(conn, SPACE, 1, ["word", "unknown"]) == 0
        assert postings.remove(conn, SPACE, 9, ["word"]) == 0
        assert postings.remove(conn, 8, 0, ["word"]) == 0
        assert tables(conn) == before

    def test_a_dropped_space_leaves_nothing_and_no_other_is_touched(self, conn: apsw.Connection) -> None:
        add(conn, ["word other"] * 600, space=1)
        before = tables(conn)
        add(conn, ["word another"] * 600, space=2)
        postings.drop(conn, 2)
        assert tables(conn) == before


class TestVocabulary:
    @pytest.fixture(autouse=True)
    def _terms(self, conn: apsw.Connection) -> None:
        add(conn, ["zoo apple app 猫 猫耳 appé"])
        add(conn, ["application"], space=8)

    def test_terms_come_in_code_point_order(self, conn: apsw.Connection) -> None:
        assert list(postings.vocabulary(conn, SPACE)) == ["app", "apple", "appé", "zoo", "猫", "猫耳"]

    @pytest.mark.parametrize(
        "limits, terms",
        [
            ({"prefix": "app"}, ["app", "apple", "appé"]),
            ({"prefix": "app", "min_length": 4}, ["apple", "appé"]),
            ({"prefix": "猫"}, ["猫", "猫耳"]),
            ({"prefix": ""}, ["app", "apple", "appé", "zoo", "猫", "猫耳"]),
            ({"prefix": "\U0010ffff"}, []),
            ({"max_length": 2}, ["猫", "猫耳"]),
            ({"min_length": 4, "max_length": 4}, ["appé"]),
            ({"limit": 1}, ["app"]),
            ({"limit": 0}, []),
        ],
    )
    def test_terms_are_chosen_by_prefix_and_length(
        self, conn: apsw.Connection, limits: dict[str, Any], terms: list[str]
    ) -> None:
        assert list(postings.vocabulary(conn, SPACE, **limits)) == terms


def damage(conn: apsw.Connection, sql: str, *values: Any) -> None:
    conn.execute(sql, values)


def patched(conn: apsw.Connection, place: int, data: bytes) -> None:
    """Overwrite bytes of the first block."""
    row: Any = conn.execute("SELECT id, data FROM posting ORDER BY id LIMIT 1").fetchone()
    conn.execute(
        "UPDATE posting SET data = ? WHERE id = ?", (row[1][:place] + data + row[1][place + len(data) :], row[0])
    )


UNREADABLE: dict[str, Callable[[apsw.Connection], None]] = {
    "shorter": lambda conn: damage(conn, "UPDATE posting SET data = substr(data, 1, length(data) - 1)"),
    "empty": lambda conn: damage(conn, "UPDATE posting SET data = x''"),
    "text": lambda conn: damage(conn, "UPDATE posting SET data = 'text'"),
    "a number": lambda conn: damage(conn, "UPDATE posting SET data = 17"),
    "too long": lambda conn: damage(conn, "UPDATE posting SET data = zeroblob(?)", FULL + 6),
    "gone": lambda conn: damage(conn, "DELETE FROM posting"),
    "under another key": lambda conn: damage(conn, "UPDATE posting SET id = id + 1"),
    "beyond the space": lambda conn: patched(conn, 12, b"\xff\xff\xff\x7f"),
    "a code of nothing": lambda conn: patched(conn, 16, b"\xff\xff"),
    "a false count": lambda conn: patched(conn, 0, b"\xff\xff\xff\xff"),
}


class TestDamage:
    @pytest.mark.parametrize("harm", UNREADABLE.values(), ids=UNREADABLE.keys())
    def test_a_question_that_meets_a_damaged_block_is_told(self, conn: apsw.Connection, harm: Any) -> None:
        add(conn, ["word", "word", "word"])
        harm(conn)
        with pytest.raises(DamagedStoreError, match="table posting"):
            find(conn, "word")

    @pytest.mark.parametrize("harm", UNREADABLE.values(), ids=UNREADABLE.keys())
    def test_a_check_names_a_damaged_block(self, conn: apsw.Connection, harm: Any) -> None:
        add(conn, ["word", "word", "word"])
        harm(conn)
        assert len(postings.check(conn, SPACE)) == 1

    @pytest.mark.parametrize(
        "harm",
        [
            pytest.param("DELETE FROM posting WHERE id = (SELECT min(id) FROM posting)", id="first gone"),
            pytest.param("UPDATE posting SET data = 'x' WHERE id = (SELECT min(id) FROM posting)", id="text"),
            pytest.param(
                "UPDATE posting SET data = zeroblob(3076) WHERE id = (SELECT min(id) FROM posting)", id="zeros"
            ),
            pytest.param(
                "UPDATE posting SET data = substr(data, 1, 610) WHERE id = (SELECT min(id) FROM posting)", id="cut"
            ),
        ],
    )
    def test_a_damaged_block_in_the_middle_is_told(self, conn: apsw.Connection, harm: str) -> None:
        add(conn, ["word"] * 3 * BLOCK)
        damage(conn, harm)
        with pytest.raises(DamagedStoreError, match="table posting"):
            find(conn, "word")
        assert postings.check(conn, SPACE) != []

    def test_a_write_that_meets_a_damaged_block_is_told(self, conn: apsw.Connection) -> None:
        add(conn, ["word"])
        damage(conn, "UPDATE posting SET data = x'00'")
        with pytest.raises(DamagedStoreError):
            postings.append(conn, SPACE, 1, ["word"])
        with pytest.raises(DamagedStoreError):
            postings.append_many(conn, SPACE, [(1, ["word"])])
        with pytest.raises(DamagedStoreError):
            postings.remove(conn, SPACE, 0, ["word"])


class TestCheck:
    def test_a_sound_space_has_no_findings(self, conn: apsw.Connection) -> None:
        add(conn, ["a b " + "many " * 20, "", "a " * 300, "b c"] * 300)
        assert postings.check(conn, SPACE) == []
        assert orphans(conn) == []

    def test_a_posting_of_an_entry_that_does_not_exist_is_found(self, conn: apsw.Connection) -> None:
        add(conn, ["a", "a"])
        damage(conn, "DELETE FROM entry WHERE ord = 1")
        assert ["holds entry 1" in finding for finding in postings.check(conn, SPACE)] == [True]

    def test_a_lost_list_is_found_by_the_entries_that_held_it(self, conn: apsw.Connection) -> None:
        add(conn, ["a b", "b"])
        damage(conn, "DELETE FROM posting WHERE id >> 32 = (SELECT term_id FROM term WHERE term = 'a')")
        damage(conn, "DELETE FROM term WHERE term = 'a'")
        assert postings.check(conn, SPACE) == [f"space {SPACE}: entry 0 has 1 of 2 terms in the keyword index"]

    def test_a_length_that_differs_is_found(self, conn: apsw.Connection) -> None:
        add(conn, ["a b"])
        damage(conn, "UPDATE entry SET length = 5")
        assert all("another length" in finding for finding in postings.check(conn, SPACE))

    def test_an_entry_beyond_the_counted_ones_is_found(self, conn: apsw.Connection) -> None:
        add(conn, ["a"])
        damage(conn, "INSERT INTO entry(space, ord, key, length) VALUES(?, 5, x'', 0)", SPACE)
        assert "entry 5 is beyond" in postings.check(conn, SPACE)[0]

    def test_a_block_without_a_term_is_found(self, conn: apsw.Connection) -> None:
        add(conn, ["a"])
        damage(conn, "INSERT INTO posting(id, data) VALUES(99 << 32, x'00')")
        assert orphans(conn) == ["table posting: term 99 does not exist"]

    def test_a_space_that_does_not_exist_is_a_finding(self, conn: apsw.Connection) -> None:
        assert postings.check(conn, 55) == ["space 55: no such row in table space"]

    def test_findings_hold_no_text(self, conn: apsw.Connection) -> None:
        add(conn, ["confidential secret"])
        damage(conn, "UPDATE posting SET data = x'00'")
        assert not [finding for finding in postings.check(conn, SPACE) if "secret" in finding]

    def test_findings_end_somewhere(self, conn: apsw.Connection) -> None:
        add(conn, [f"w{number}" for number in range(500)])
        damage(conn, "UPDATE posting SET data = x'00'")
        assert len(postings.check(conn, SPACE)) == 100
