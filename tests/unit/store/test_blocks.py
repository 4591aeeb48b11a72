"""Records in blocks: written in place, read back whole or one by one, damage named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from omoide.errors import DamagedStoreError, InvalidInputError
from omoide.store.sqlite import schema
from omoide.store.sqlite.connection import connect
from omoide.store.sqlite.indexing import blocks
from omoide.store.sqlite.indexing.blocks import Layout

PAIR = np.dtype([("number", "<u4"), ("text", "S4")])
LAYOUT = Layout(3, PAIR, 10)
SPACE = 7


@pytest.fixture
def conn(db: Path) -> Iterator[apsw.Connection]:
    connection = connect(str(db), read_only=False, busy_timeout=1.0)
    connection.execute(schema.TABLES["block"])
    yield connection
    connection.close()


def pairs(first: int, last: int) -> Any:
    return np.array([(number, b"t%d" % (number % 1000)) for number in range(first, last)], dtype=PAIR)


def fill(conn: apsw.Connection, count: int, layout: Layout = LAYOUT) -> Any:
    records = pairs(0, count)
    blocks.write_many(conn, SPACE, layout, 0, records.tobytes())
    return records


def sizes(conn: apsw.Connection) -> list[int]:
    return [row[0] for row in conn.execute("SELECT length(data) FROM block ORDER BY id")]


def row_id(number: int) -> int:
    return SPACE << 32 | LAYOUT.kind << 28 | number


@pytest.mark.parametrize("count", [1, 9, 10, 11, 57])
def test_records_written_together_are_read_back(conn: apsw.Connection, count: int) -> None:
    records = fill(conn, count)
    assert np.array_equal(blocks.read(conn, SPACE, LAYOUT, 0, count), records)


def test_records_written_one_by_one_are_read_back(conn: apsw.Connection) -> None:
    records = pairs(0, 34)
    for slot in range(34):
        blocks.write(conn, SPACE, LAYOUT, slot, records[slot : slot + 1].tobytes())
    assert np.array_equal(blocks.read(conn, SPACE, LAYOUT, 0, 34), records)


def test_a_span_inside_and_across_blocks_is_read(conn: apsw.Connection) -> None:
    records = fill(conn, 57)
    for first, last in [(3, 5), (8, 12), (10, 20), (19, 57), (56, 57), (4, 4), (9, 3)]:
        assert np.array_equal(blocks.read(conn, SPACE, LAYOUT, first, last), records[first:last])


def test_single_slots_come_back_in_the_order_asked_for_with_repeats(conn: apsw.Connection) -> None:
    records = fill(conn, 57)
    slots = np.array([56, 0, 12, 12, 9, 10, 3])
    assert np.array_equal(blocks.read_slots(conn, SPACE, LAYOUT, slots), records[slots])


def test_no_slots_give_an_empty_array(conn: apsw.Connection) -> None:
    assert len(blocks.read_slots(conn, SPACE, LAYOUT, np.array([], np.int64))) == 0
    assert len(blocks.read(conn, SPACE, LAYOUT, 0, 0)) == 0


def test_a_patch_changes_the_bytes_it_names_and_no_others(conn: apsw.Connection) -> None:
    records = fill(conn, 25)
    blocks.patch(conn, SPACE, LAYOUT, 13, 4, b"new!")
    records["text"][13] = b"new!"
    assert np.array_equal(blocks.read(conn, SPACE, LAYOUT, 0, 25), records)


@pytest.mark.parametrize("offset, data", [(5, b"1234"), (-1, b"1"), (9, b"")])
def test_a_patch_beyond_the_record_is_refused(conn: apsw.Connection, offset: int, data: bytes) -> None:
    fill(conn, 3)
    with pytest.raises(InvalidInputError):
        blocks.patch(conn, SPACE, LAYOUT, 1, offset, data)


def test_a_record_of_another_size_is_refused(conn: apsw.Connection) -> None:
    with pytest.raises(InvalidInputError):
        blocks.write(conn, SPACE, LAYOUT, 0, b"123")
    with pytest.raises(InvalidInputError):
        blocks.write_many(conn, SPACE, LAYOUT, 0, b"123")


def test_records_can_be_overwritten_across_old_and_new_blocks(conn: apsw.Connection) -> None:
    records = pairs(0, 33)
    blocks.write_many(conn, SPACE, LAYOUT, 0, pairs(100, 115).tobytes())
    blocks.write_many(conn, SPACE, LAYOUT, 0, records.tobytes())
    assert np.array_equal(blocks.read(conn, SPACE, LAYOUT, 0, 33), records)


def test_the_first_block_grows_with_its_records_and_later_ones_are_whole(conn: apsw.Connection) -> None:
    big = Layout(3, np.dtype("V300"), 16)
    lengths = []
    for slot in range(17):
        blocks.write(conn, SPACE, big, slot, bytes(300))
        lengths.append(sizes(conn)[0] // 300)
    assert lengths == [3, 3, 3, 6, 6, 6, 12, 12, 12, 12, 12, 12, 16, 16, 16, 16, 16]
    assert sizes(conn) == [4800, 4800]


def test_spaces_and_kinds_do_not_touch_each_other(conn: apsw.Connection) -> None:
    other = Layout(4, PAIR, 10)
    fill(conn, 12)
    blocks.write_many(conn, SPACE, other, 0, pairs(50, 60).tobytes())
    blocks.write_many(conn, SPACE + 1, LAYOUT, 0, pairs(60, 70).tobytes())
    blocks.drop(conn, SPACE, other)
    assert np.array_equal(blocks.read(conn, SPACE, LAYOUT, 0, 12), pairs(0, 12))
    assert np.array_equal(blocks.read(conn, SPACE + 1, LAYOUT, 0, 10), pairs(60, 70))
    with pytest.raises(DamagedStoreError):
        blocks.read(conn, SPACE, other, 0, 1)


def test_a_write_that_is_rolled_back_leaves_nothing(conn: apsw.Connection) -> None:
    records = fill(conn, 12)
    conn.execute("BEGIN IMMEDIATE")
    blocks.write(conn, SPACE, LAYOUT, 3, pairs(99, 100).tobytes())
    blocks.write(conn, SPACE, LAYOUT, 12, pairs(99, 100).tobytes())
    conn.execute("ROLLBACK")
    assert np.array_equal(blocks.read(conn, SPACE, LAYOUT, 0, 12), records)


def test_a_write_touches_the_pages_of_its_record_only(conn: apsw.Connection, db: Path) -> None:
    layout = Layout(3, np.dtype("V700"), 64)
    blocks.write_many(conn, SPACE, layout, 0, bytes(700 * 64 * 4))
    conn.execute("PRAGMA journal_mode = wal").fetchall()
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    blocks.write(conn, SPACE, layout, 130, b"x" * 700)
    frames = (Path(f"{db}-wal").stat().st_size - 32) // (4096 + 24)
    assert frames <= 3


def test_a_large_numbered_space_keeps_its_own_rows(conn: apsw.Connection) -> None:
    space = (1 << 31) - 1
    blocks.write_many(conn, space, LAYOUT, 0, pairs(0, 12).tobytes())
    assert np.array_equal(blocks.read(conn, space, LAYOUT, 0, 12), pairs(0, 12))


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM block WHERE id = ?",
        "UPDATE block SET data = x'' WHERE id = ?",
        "UPDATE block SET data = zeroblob(79) WHERE id = ?",
        "UPDATE block SET data = zeroblob(81) WHERE id = ?",
        "UPDATE block SET data = zeroblob(800) WHERE id = ?",
        "UPDATE block SET data = zeroblob(72) WHERE id = ?",
        "UPDATE block SET data = 'text' WHERE id = ?",
        "UPDATE block SET data = 5 WHERE id = ?",
    ],
)
def test_a_damaged_block_is_named_by_every_reader(conn: apsw.Connection, damage: str) -> None:
    fill(conn, 25)
    conn.execute(damage, (row_id(1),))
    calls: list[Callable[[], object]] = [
        lambda: blocks.read(conn, SPACE, LAYOUT, 0, 25),
        lambda: blocks.read_slots(conn, SPACE, LAYOUT, np.array([19])),
        lambda: blocks.patch(conn, SPACE, LAYOUT, 19, 0, b"1"),
    ]
    for call in calls:
        with pytest.raises(DamagedStoreError, match=str(row_id(1))) as caught:
            call()
        assert caught.value.value == row_id(1)
    assert [str(row_id(1)) in finding for finding in blocks.check(conn, SPACE, LAYOUT, 25)] == [True]


@pytest.mark.parametrize("damage", ["'text'", "zeroblob(79)", "zeroblob(800)"])
def test_a_write_into_a_damaged_block_is_refused(conn: apsw.Connection, damage: str) -> None:
    fill(conn, 25)
    conn.execute(f"UPDATE block SET data = {damage} WHERE id = ?", (row_id(1),))
    with pytest.raises(DamagedStoreError):
        blocks.write_many(conn, SPACE, LAYOUT, 10, pairs(0, 10).tobytes())


def test_other_blocks_can_be_read_after_a_damaged_one(conn: apsw.Connection) -> None:
    fill(conn, 25)
    conn.execute("DELETE FROM block WHERE id = ?", (row_id(1),))
    with pytest.raises(DamagedStoreError):
        blocks.read(conn, SPACE, LAYOUT, 0, 25)
    assert np.array_equal(blocks.read(conn, SPACE, LAYOUT, 20, 25), pairs(20, 25))


@pytest.mark.parametrize("count", [0, 1, 10, 25])
def test_sound_blocks_have_no_findings(conn: apsw.Connection, count: int) -> None:
    fill(conn, count)
    assert not blocks.check(conn, SPACE, LAYOUT, count)


def test_missing_blocks_at_the_end_are_found(conn: apsw.Connection) -> None:
    fill(conn, 25)
    assert len(blocks.check(conn, SPACE, LAYOUT, 45)) == 2


def test_blocks_of_a_fitted_layout_fill_their_pages(conn: apsw.Connection) -> None:
    layout = Layout.fit(3, np.dtype("V772"))
    blocks.write_many(conn, SPACE, layout, 0, bytes(772 * layout.per_block * 50))
    (pages,) = next(iter(conn.execute("PRAGMA page_count")))
    assert 772 * layout.per_block * 50 / (4096 * pages) > 0.9


@pytest.mark.parametrize("size", [1, 4, 56, 772, 4061, 6148, 70_000])
def test_a_layout_is_fitted_to_every_record_size(size: int) -> None:
    layout = Layout.fit(0, np.dtype(f"V{size}"))
    assert layout.per_block == 1 or 6_144 <= layout.per_block * size <= 66_000
