"""Appending the postings of many entries at once: grouped by term, one write a block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import Any, Final, NamedTuple

import apsw
import numpy as np

from omoide.errors import InvalidInputError
from omoide.search.bm25 import MAX_TF, length_code
from omoide.store.sqlite.indexing import posting_blocks as blocks
from omoide.store.sqlite.indexing.posting_blocks import BLOCK, HEAD, LOW

_FIND: Final = """
SELECT t.term, t.term_id, p.id, p.data FROM term t LEFT JOIN posting p ON p.id = (
  SELECT max(id) FROM posting WHERE id BETWEEN t.term_id << 32 AND t.term_id << 32 | 4294967295)
WHERE t.space = ? AND t.term = ?"""
_ADD: Final = "INSERT INTO posting(id, data) VALUES(?, ?)"
_LAST: Final = "SELECT ifnull(max(term_id), 0) FROM term"
_ADD_TERM: Final = "INSERT INTO term(term_id, space, term) VALUES(?, ?, ?)"
_WRITE: Final = """
INSERT INTO posting(id, data) VALUES(?, ?) ON CONFLICT(id) DO UPDATE SET data = excluded.data"""
_NONE_BEFORE: Final = bytes(HEAD)
# So many lists' last blocks are held in memory at once.
_SLICE: Final = 4096

Items = Iterable[tuple[int, Sequence[str]]]
Insert = Callable[[apsw.Connection, int, int, int], None]
Measure = Callable[[Sequence[str]], int]
Run = tuple[str, int, int]
Known = tuple[str, int, int | None, bytes]
"""A term, its id, its last block."""
Block = tuple[int, bytes]


class Grouped(NamedTuple):
    """Postings by term: each term with the places of its first and past its last one, then their bytes.

    ``lengths`` are those of the entries, lowest ordinal first.
    """

    runs: list[Run]
    ords: bytes
    codes: bytes
    lengths: list[int]

    def pairs(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the ordinals and codes of some postings."""
        ords = np.frombuffer(self.ords, "<u4")[start:end].tolist()
        return zip(ords, np.frombuffer(self.codes, "<u2")[start:end].tolist(), strict=True)


def grouped(items: Items, measure: Measure = len) -> Grouped:
    """Sort the postings of entries by term, then ordinal.

    Raises:
        InvalidInputError: an entry comes twice.
    """
    texts = sorted(items, key=itemgetter(0))
    entries = np.array([entry for entry, _ in texts], np.int64)
    if (entries[1:] == entries[:-1]).any():
        raise InvalidInputError("an entry was given twice")
    lengths = [len(terms) for _, terms in texts]
    measured = [measure(terms) for _, terms in texts]
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    tokens = map(numbers.__getitem__, chain.from_iterable(terms for _, terms in texts))
    keys = np.array(list(tokens), np.int64) << 32
    keys |= np.arange(len(texts)).repeat(lengths)
    keys, tf = np.unique(keys, return_counts=True)
    owners = keys & LOW
    codes = np.minimum(tf, MAX_TF) << 8 | np.array([length_code(each) for each in measured], np.int64)[owners]
    bounds = (keys >> 32).searchsorted(np.arange(len(numbers) + 1)).tolist()
    return Grouped(
        sorted(zip(numbers, bounds, bounds[1:], strict=False)),
        entries[owners].astype("<u4").tobytes(),
        codes.astype("<u2").tobytes(),
        measured,
    )


def append_all(conn: apsw.Connection, space: int, items: Items, insert: Insert, measure: Measure = len) -> list[int]:
    """Write the postings of entries; ``insert`` takes those that do not come last. Return their lengths."""
    postings = grouped(items, measure)
    append_grouped(conn, space, postings, insert)
    return postings.lengths


def append_grouped(conn: apsw.Connection, space: int, postings: Grouped, insert: Insert) -> None:
    """Write postings; ``insert`` takes those that do not come last."""
    for first in range(0, len(postings.runs), _SLICE):
        runs = postings.runs[first : first + _SLICE]
        rows: Any = conn.executemany(_FIND, [(space, run[0]) for run in runs])
        known: dict[str, Known] = {row[0]: row for row in rows}
        _add_lists(conn, space, postings, [run for run in runs if run[0] not in known])
        late: list[tuple[int, int, int]] = []
        conn.executemany(_WRITE, _rows(postings, [run for run in runs if run[0] in known], known, late))
        for term_id, start, end in late:
            for entry, code in postings.pairs(start, end):
                insert(conn, term_id, entry, code)


def _add_lists(conn: apsw.Connection, space: int, postings: Grouped, runs: list[Run]) -> None:
    """Write the lists of terms that the space does not know."""
    last: Any = conn.execute(_LAST).get
    numbered = list(enumerate(runs, last + 1))
    conn.executemany(_ADD_TERM, [(term_id, space, term) for term_id, (term, _, _) in numbered])
    conn.executemany(_ADD, _new_lists(postings, numbered))


def _new_lists(postings: Grouped, numbered: list[tuple[int, Run]]) -> Iterator[Block]:
    ords, codes = postings.ords, postings.codes
    for term_id, (_, start, end) in numbered:
        if end - start <= BLOCK:  # nearly all of them
            held = ords[4 * start : 4 * end]
            key = term_id << 32 | int.from_bytes(held[:4], "little")
            yield key, _NONE_BEFORE + held + codes[2 * start : 2 * end]
        else:
            yield from _new_blocks(term_id, 0, postings, start, end)


def _rows(
    postings: Grouped, runs: list[Run], known: dict[str, Known], late: list[tuple[int, int, int]]
) -> Iterator[Block]:  # fmt: skip
    """Yield the blocks to write for terms that are known; runs that do not come last go to ``late``."""
    ords, codes = postings.ords, postings.codes
    for term, start, end in runs:
        _, term_id, key, data = known[term]
        if key is None:
            yield from _new_blocks(term_id, 0, postings, start, end)
            continue
        blocks.require(key, data)
        if int.from_bytes(ords[4 * start : 4 * start + 4], "little") <= blocks.last_ord(data):
            late.append((term_id, start, end))
            continue
        cut = min(start + BLOCK - blocks.size(data), end)
        if cut > start:
            yield key, blocks.extended(data, ords[4 * start : 4 * cut], codes[2 * start : 2 * cut])
        if cut < end:
            yield from _new_blocks(term_id, blocks.count(data) + cut - start, postings, cut, end)


def _new_blocks(term_id: int, before: int, postings: Grouped, start: int, end: int) -> Iterator[Block]:
    """Yield the rows of new blocks at the end of a list."""
    for first in range(start, end, BLOCK):
        last = min(first + BLOCK, end)
        ords = postings.ords[4 * first : 4 * last]
        head = (before + first - start).to_bytes(HEAD, "little")
        yield (
            term_id << 32 | int.from_bytes(ords[:4], "little"),
            head + ords + postings.codes[2 * first : 2 * last],
        )
