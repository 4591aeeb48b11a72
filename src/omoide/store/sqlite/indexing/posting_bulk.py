"""Appending the postings of many entries at once: grouped by term, one write a block."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress, count, repeat
from operator import itemgetter
from typing import Any, Final, NamedTuple

import apsw
import numpy as np
from numpy.typing import NDArray

from omoide.errors import InvalidInputError
from omoide.search.bm25 import MAX_TF, length_code
from omoide.store.sqlite.indexing import posting_blocks as blocks
from omoide.store.sqlite.indexing.posting_blocks import BLOCK, LOW
from omoide.store.sqlite.inserting import insert as insert_rows

_FIND: Final = """
SELECT t.term, t.term_id, p.id, p.data FROM json_each(?2) j
CROSS JOIN term t ON t.space = ?1 AND t.term = j.value
LEFT JOIN posting p ON p.id = (
  SELECT max(id) FROM posting WHERE id BETWEEN t.term_id << 32 AND t.term_id << 32 | 4294967295)"""
_LAST: Final = "SELECT ifnull(max(term_id), 0) FROM term"
_WRITE: Final = """
INSERT INTO posting(id, data) VALUES(?, ?) ON CONFLICT(id) DO UPDATE SET data = excluded.data"""
# So many lists' last blocks are held in memory at once.
_SLICE: Final = 4096

Items = Iterable[tuple[int, Sequence[str]]]
Insert = Callable[[apsw.Connection, int, int, int], None]
Measure = Callable[[Sequence[str]], int]
Places = NDArray[np.int64]
Known = tuple[str, int, int | None, bytes]
"""A term, its id, its last block."""
Block = tuple[int, bytes]


class Grouped(NamedTuple):
    """Postings by term, ascending: ``starts`` and ``ends`` are the places of each term's postings.

    ``lengths`` are those of the entries, lowest ordinal first, ``distinct`` how many terms each has.
    """

    terms: list[str]
    starts: Places
    ends: Places
    ords: NDArray[np.uint32]
    codes: NDArray[np.uint16]
    lengths: list[int]
    distinct: list[int]


def grouped(items: Items, measure: Measure = len) -> Grouped:
    """Sort the postings of entries by term, then ordinal.

    Raises:
        InvalidInputError: an entry comes twice.
    """
    texts = sorted(items, key=itemgetter(0))
    entries = np.array([entry for entry, _ in texts], np.int64)
    if (entries[1:] == entries[:-1]).any():
        raise InvalidInputError("an entry was given twice")
    words = [terms for _, terms in texts]
    lengths = list(map(measure, words))
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    tokens = np.fromiter(map(numbers.__getitem__, chain.from_iterable(words)), np.int64)
    keys = tokens << 32 | np.arange(len(texts)).repeat(np.fromiter(map(len, words), np.int64, len(words)))
    keys, tf = np.unique(keys, return_counts=True)
    owners = keys & LOW
    codes = np.minimum(tf, MAX_TF) << 8 | np.array(list(map(length_code, lengths)), np.int64)[owners]
    distinct = np.bincount(owners, minlength=len(texts)).tolist()
    return by_term(numbers, keys >> 32, entries[owners], codes, lengths, distinct)


def by_term(
    numbers: dict[str, int], which: Places, ords: NDArray[Any], codes: NDArray[Any], lengths: list[int],
    distinct: list[int],
) -> Grouped:  # fmt: skip
    """Return postings that are ascending by the number of their term, ``which``, and by ordinal."""
    bounds = which.searchsorted(np.arange(len(numbers) + 1))
    terms = sorted(numbers)
    order = np.fromiter(map(numbers.__getitem__, terms), np.int64, len(terms))
    starts, ends = bounds[order], bounds[order + 1]
    return Grouped(terms, starts, ends, ords.astype("<u4"), codes.astype("<u2"), lengths, distinct)


def append_grouped(conn: apsw.Connection, space: int, postings: Grouped, insert: Insert) -> None:
    """Write postings; ``insert`` takes those that do not come last."""
    for first in range(0, len(postings.terms), _SLICE):
        terms = postings.terms[first : first + _SLICE]
        starts, ends = postings.starts[first : first + _SLICE], postings.ends[first : first + _SLICE]
        rows: Any = conn.execute(_FIND, (space, json.dumps(terms, ensure_ascii=False)))
        known: dict[str, Known] = {row[0]: row for row in rows}
        fresh = [term not in known for term in terms] if known else [True] * len(terms)
        new = np.array(fresh, np.bool_)
        _add_lists(conn, space, postings, list(compress(terms, fresh)), starts[new], ends[new])
        late: list[tuple[int, int, int]] = []
        found = [known[term] for term in terms if term in known] if known else []
        runs = list(zip(found, starts[~new].tolist(), ends[~new].tolist(), strict=True))
        conn.executemany(_WRITE, _longer(postings, runs, late))
        for term_id, start, end in late:
            ords, codes = postings.ords[start:end].tolist(), postings.codes[start:end].tolist()
            for entry, code in zip(ords, codes, strict=True):
                insert(conn, term_id, entry, code)


def _add_lists(
    conn: apsw.Connection, space: int, postings: Grouped, terms: list[str], starts: Places, ends: Places
) -> None:
    """Write the lists of terms that the space does not know."""
    if not terms:
        return
    last: Any = conn.execute(_LAST).get
    ids = range(last + 1, last + 1 + len(terms))
    insert_rows(conn, "term(term_id, space, term)", list(zip(ids, repeat(space), terms, strict=False)))
    insert_rows(conn, "posting(id, data)", _new_blocks(postings, np.array(ids), np.zeros_like(starts), starts, ends))


def _longer(
    postings: Grouped, runs: Sequence[tuple[Known, int, int]], late: list[tuple[int, int, int]]
) -> Iterator[Block]:
    """Yield the blocks to write for terms that are known; runs that do not come last go to ``late``."""
    ords, codes = postings.ords.tobytes(), postings.codes.tobytes()
    rest: list[tuple[int, int, int, int]] = []
    for (_, term_id, key, data), start, end in runs:
        if key is None:
            rest.append((term_id, 0, start, end))
            continue
        blocks.require(key, data)
        if int.from_bytes(ords[4 * start : 4 * start + 4], "little") <= blocks.last_ord(data):
            late.append((term_id, start, end))
            continue
        cut = min(start + BLOCK - blocks.size(data), end)
        if cut > start:
            yield key, blocks.extended(data, ords[4 * start : 4 * cut], codes[2 * start : 2 * cut])
        if cut < end:
            rest.append((term_id, blocks.count(data) + cut - start, cut, end))
    if rest:
        yield from _new_blocks(postings, *np.array(rest, np.int64).T)


def _new_blocks(postings: Grouped, ids: Places, before: Places, starts: Places, ends: Places) -> list[Block]:
    """Return the rows of new blocks at the end of lists: of each its term, how many come before, and its postings."""
    if len(ids) and int((ends - starts).max()) > BLOCK:
        parts = -(-(ends - starts) // BLOCK)
        done = BLOCK * (np.arange(parts.sum()) - (parts.cumsum() - parts).repeat(parts))
        ids, before, ends = ids.repeat(parts), before.repeat(parts) + done, ends.repeat(parts)
        starts = starts.repeat(parts) + done
        ends = np.minimum(starts + BLOCK, ends)
    keys = (ids << 32 | postings.ords[starts]).tolist()
    return list(zip(keys, blocks.encode_many(postings.ords, postings.codes, before, starts, ends), strict=True))
