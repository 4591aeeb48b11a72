"""Long posting lists kept in memory between searches."""

from __future__ import annotations

import numpy as np

from omoide.store.sqlite.indexing.posting_blocks import BLOCK, Block
from omoide.store.sqlite.indexing.posting_kept import KeptList, KeptLists

TERM, TAIL = 7, 2_000
KEY = TERM << 32 | TAIL


def block(before: int, *ords: int) -> Block:
    return Block(before, np.array(ords, np.uint32), np.full(len(ords), 1 << 8 | 5, np.uint16))


def kept(space: int = 1, key: int = KEY, size: int = BLOCK) -> KeptList:
    ords = np.arange(size, dtype=np.uint32)
    return KeptList(space, key, ords, np.full(size, 2 << 8 | 9, np.uint16), block(size, key & 0xFFFFFFFF))


def test_a_kept_list_takes_its_last_block_as_it_is_now() -> None:
    """The last block grows with every write; the rest is not read again."""
    lists = KeptLists()
    lists.keep(kept())
    found = lists.find(KEY, block(BLOCK, TAIL, TAIL + 3))
    assert found is not None
    ords, codes = found.arrays()
    assert ords.tolist() == [*range(BLOCK), TAIL, TAIL + 3]
    assert codes.tolist() == [521] * BLOCK + [261] * 2
    assert found.count == len(ords)


def test_a_list_with_another_last_block_is_not_found() -> None:
    """A block was added or postings were erased: what is kept is of no use."""
    lists = KeptLists()
    lists.keep(kept())
    assert lists.find(TERM << 32 | TAIL + 1, block(BLOCK, TAIL + 1)) is None
    assert lists.find(KEY, block(BLOCK - 1, TAIL)) is None
    assert lists.find(KEY, block(BLOCK, TAIL)) is not None


def test_lists_of_a_space_are_forgotten_together() -> None:
    """An erased entry may be in any list of its space, and in none of another."""
    lists, other = KeptLists(), 9 << 32 | TAIL
    lists.keep(kept())
    lists.keep(kept(space=2, key=other))
    lists.forget(1)
    assert lists.find(KEY, block(BLOCK, TAIL)) is None
    assert lists.find(other, block(BLOCK, TAIL)) is not None


def test_the_room_is_never_used_up_by_one_list_and_old_ones_make_way() -> None:
    """At most a quarter for one list; the list that was not used for longest goes first."""
    lists = KeptLists(room=10 * kept().nbytes // 2)
    keys = [term << 32 | TAIL for term in range(1, 7)]
    for key in keys:
        lists.keep(kept(key=key))
        lists.find(keys[0], block(BLOCK, TAIL))
    there = [lists.find(key, block(BLOCK, TAIL)) is not None for key in keys]
    assert there == [True, False, True, True, True, True]
    lists.keep(kept(key=99 << 32 | TAIL, size=3 * BLOCK))
    assert lists.find(99 << 32 | TAIL, block(3 * BLOCK, TAIL)) is None


def test_the_peak_is_that_of_all_codes() -> None:
    """Body and last block count."""
    parts = np.zeros(4096, np.float32)
    parts[521], parts[261] = 1.5, 1.25
    assert kept().peak(parts) == 1.5
    parts[261] = 1.75
    assert kept().peak(parts) == 1.75
