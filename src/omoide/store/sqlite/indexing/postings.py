"""Posting lists in SQLite: which entries of a space hold a term, and how often.

A list is a row of ``term`` and blocks (``posting_blocks``) in ``posting``, keyed by
``term_id << 32 | first ordinal``. Writers run inside the caller's write transaction, which also keeps the
rows of ``space`` and ``entry``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import chain, groupby, islice, pairwise
from typing import Any, Final

import apsw
import numpy as np

from omoide.errors import InvalidInputError
from omoide.search.bm25 import MAX_TF, length_code
from omoide.search.postings import Codes, Ords
from omoide.store.sqlite.checking.posting_check import check, orphans
from omoide.store.sqlite.indexing import held
from omoide.store.sqlite.indexing import posting_blocks as blocks
from omoide.store.sqlite.indexing.posting_blocks import BLOCK, LOW
from omoide.store.sqlite.indexing.posting_bulk import Grouped, Measure, append_grouped, grouped
from omoide.store.sqlite.indexing.posting_lists import SpacePostings, block_at, find_term, tails

__all__ = [
    "SpacePostings", "append", "append_few", "append_many", "check", "drop", "grouped", "hold", "orphans", "remove",
    "vocabulary", "write",
]  # fmt: skip

_ADD: Final = "INSERT INTO posting(id, data) VALUES(?, ?)"
_SET: Final = "UPDATE posting SET data = ?2 WHERE id = ?1"
_PUT: Final = """
INSERT INTO posting(id, data) VALUES(?, ?) ON CONFLICT(id) DO UPDATE SET data = excluded.data"""
_FIRST: Final = "SELECT id, data FROM posting WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1"
_DROP: Final = """
DELETE FROM posting WHERE id IN (
  SELECT p.id FROM term t CROSS JOIN posting p
  ON p.id BETWEEN t.term_id << 32 AND t.term_id << 32 | 4294967295 WHERE t.space = ?)"""


MANY_TERMS: Final = 4_096
"""Beyond so many terms at once, postings grouped first cost about half."""


def append(conn: apsw.Connection, space: int, entry: int, terms: Sequence[str], *, measure: Measure = len) -> int:
    """Add the postings of a new entry; a term given twice counts twice. Return its length, by ``measure``.

    Raises:
        InvalidInputError: the entry already has postings of one of the terms.
    """
    return append_few(conn, space, [(entry, terms)], measure=measure)[0]


def append_few(
    conn: apsw.Connection, space: int, items: Sequence[tuple[int, Sequence[str]]], *, measure: Measure = len
) -> list[int]:
    """Add the postings of a few new entries, which have terms in common, as ``append`` does for one; return lengths."""
    if sum(len(terms) for _, terms in items) > MANY_TERMS and all(one[0] < other[0] for one, other in pairwise(items)):
        return append_many(conn, space, items, measure=measure)
    known = tails(conn, space, dict.fromkeys(chain.from_iterable(terms for _, terms in items)))
    changed: dict[int, bytes] = {}
    lengths = []
    for entry, terms in items:
        lengths.append(measure(terms))
        low = length_code(lengths[-1])
        for term, tf in _frequencies(terms).items():
            term_id, tail = known.get(term) or (_new_term(conn, space, term), None)
            if tail is None or entry > blocks.last_ord(tail[1]):
                tail = _appended(term_id, tail, entry, tf << 8 | low)
                changed[tail[0]] = tail[1]
            else:
                conn.executemany(_PUT, changed.items())
                changed.clear()
                _insert(conn, term_id, entry, tf << 8 | low)
                tail = block_at(conn, term_id)
            known[term] = term_id, tail
    conn.executemany(_PUT, changed.items())
    return lengths


def append_many(
    conn: apsw.Connection, space: int, items: Iterable[tuple[int, Sequence[str]]], *, measure: Measure = len
) -> list[int]:
    """Add the postings of many new entries, as ``append`` does for one; return their lengths, lowest entry first.

    Raises:
        InvalidInputError: an entry comes twice or already has postings of one of its terms.
    """
    found = grouped(items, measure)
    write(conn, space, found)
    return found.lengths


def write(conn: apsw.Connection, space: int, found: Grouped) -> None:
    """Add the postings of many new entries, grouped before.

    Raises:
        InvalidInputError: an entry already has postings of one of its terms.
    """
    append_grouped(conn, space, found, _insert)


def hold(
    conn: apsw.Connection, space: int, items: Sequence[tuple[int, Sequence[str]]], *, measure: Measure = len
) -> list[int]:
    """Add the postings of new entries, which come after all others, so that few pages are written; return lengths.

    Those of a space to which entries are only ever added this way join the lists ``held.TOGETHER`` at once.
    """
    lengths = [measure(terms) for _, terms in items]
    if len(items) >= held.TOGETHER:
        _join(conn, space)
        append_many(conn, space, items, measure=measure)
        return lengths
    for (entry, terms), length in zip(items, lengths, strict=True):
        low = length_code(length)
        codes = {term: min(tf, MAX_TF) << 8 | low for term, tf in Counter(terms).items()}
        if held.fits(codes):
            held.put(conn, space, entry, codes)
        elif codes:
            _join(conn, space)
            append(conn, space, entry, terms, measure=measure)
    if held.waiting(conn, space) >= held.TOGETHER:
        _join(conn, space)
    return lengths


def _join(conn: apsw.Connection, space: int) -> None:
    postings = held.taken(conn, space)
    if postings is not None:
        write(conn, space, postings)


def remove(conn: apsw.Connection, space: int, entry: int, terms: Sequence[str]) -> int:
    """Erase an entry's postings, and terms that nothing else holds; return how many there were."""
    waited = held.remove(conn, space, entry)
    return waited or sum(_remove_one(conn, space, term, entry) for term in dict.fromkeys(terms))


def drop(conn: apsw.Connection, space: int) -> None:
    """Erase all lists of a space."""
    held.drop(conn, space)
    conn.execute(_DROP, (space,))
    conn.execute("DELETE FROM term WHERE space = ?", (space,))


def vocabulary(
    conn: apsw.Connection,
    space: int,
    *,
    prefix: str | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    limit: int | None = None,
) -> Iterator[str]:
    """Yield the terms of a space in code point order; lengths are in characters."""
    wanted = {
        "space = ?": space,
        "term >= ?": prefix or None,
        "term < ?": _after(prefix or ""),
        "length(term) >= ?": min_length,
        "length(term) <= ?": max_length,
    }
    wanted = {condition: value for condition, value in wanted.items() if value is not None}
    sql = f"SELECT term FROM term WHERE {' AND '.join(wanted)} ORDER BY term LIMIT ?"
    rows = (str(row[0]) for row in conn.execute(sql, (*wanted.values(), -1 if limit is None else limit)))
    waiting = sorted(
        term for term in held.vocabulary(conn, space)
        if term.startswith(prefix or "") and (min_length or 0) <= len(term) <= (max_length or len(term))
    )  # fmt: skip
    if not waiting:
        return rows
    return islice((term for term, _ in groupby(merge(rows, waiting))), limit)


def _after(prefix: str) -> str | None:
    """Return the least string above every string with the prefix; None when there is none."""
    prefix = prefix.rstrip("\U0010ffff")
    if not prefix:
        return None
    last = ord(prefix[-1]) + 1
    return prefix[:-1] + chr(0xE000 if last == 0xD800 else last)


def _frequencies(terms: Sequence[str]) -> dict[str, int]:
    """Return how often each term occurs, at most ``MAX_TF``."""
    counts = dict.fromkeys(terms, 1)
    if len(counts) < len(terms):
        counts = dict.fromkeys(counts, 0)
        for term in terms:
            counts[term] = min(counts[term] + 1, MAX_TF)
    return counts


def _appended(term_id: int, tail: tuple[int, bytes] | None, entry: int, code: int) -> tuple[int, bytes]:
    """Return the block to write for a posting that comes last."""
    if tail is None:
        return term_id << 32 | entry, blocks.encode_one(0, entry, code)
    if blocks.size(tail[1]) < BLOCK:
        return tail[0], blocks.with_posting(tail[1], entry, code)
    return term_id << 32 | entry, blocks.encode_one(blocks.count(tail[1]), entry, code)


def _new_term(conn: apsw.Connection, space: int, term: str) -> int:
    conn.execute("INSERT INTO term(space, term) VALUES(?, ?)", (space, term))
    return conn.last_insert_rowid()


def _insert(conn: apsw.Connection, term_id: int, entry: int, code: int) -> None:
    """Add a posting wherever it belongs."""
    total = _count(conn, term_id)
    row = block_at(conn, term_id, entry) or _first(conn, term_id)
    if row is None:
        conn.execute(_ADD, (term_id << 32 | entry, blocks.encode_one(0, entry, code)))
        return
    _, ords, codes = blocks.decode(*row, LOW + 1)
    index = _index(ords, entry)
    if index < len(ords) and ords[index] == entry:
        raise InvalidInputError(f"entry {entry} already has a posting of term {term_id}", value=entry)
    _rewrite(conn, row[0], np.insert(ords, index, entry), np.insert(codes, index, code))
    _settle(conn, term_id, total + 1)


def _remove_one(conn: apsw.Connection, space: int, term: str, entry: int) -> int:
    """Erase one posting; return 1, or 0 when there is none."""
    term_id = find_term(conn, space, term)
    row = block_at(conn, term_id, entry) if term_id else None
    if term_id is None or row is None:
        return 0
    _, ords, codes = blocks.decode(*row, LOW + 1)
    index = _index(ords, entry)
    if index == len(ords) or ords[index] != entry:
        return 0
    total = _count(conn, term_id) - 1
    _rewrite(conn, row[0], np.delete(ords, index), np.delete(codes, index))
    if total:
        _settle(conn, term_id, total)
    else:
        conn.execute("DELETE FROM term WHERE term_id = ?", (term_id,))
    return 1


def _index(ords: Ords, entry: int) -> int:
    return int(ords.searchsorted(np.uint32(entry)))


def _first(conn: apsw.Connection, term_id: int) -> tuple[int, bytes] | None:
    row: Any = conn.execute(_FIRST, (term_id << 32, term_id << 32 | LOW)).fetchone()
    return (row[0], row[1]) if row else None


def _rewrite(conn: apsw.Connection, key: int, ords: Ords, codes: Codes) -> None:
    """Replace a block by none, one, or two when it has grown too large."""
    conn.execute("DELETE FROM posting WHERE id = ?", (key,))
    cut = len(ords) if len(ords) <= BLOCK else len(ords) // 2
    for part in (slice(cut), slice(cut, None)):
        if len(ords[part]):
            data = blocks.encode_arrays(0, ords[part], codes[part])
            conn.execute(_ADD, (key >> 32 << 32 | int(ords[part][0]), data))


def _count(conn: apsw.Connection, term_id: int) -> int:
    """Return the length of a list."""
    tail = block_at(conn, term_id)
    return blocks.count(tail[1]) if tail else 0


def _settle(conn: apsw.Connection, term_id: int, total: int) -> None:
    """Make the last block tell the length of its list."""
    tail = block_at(conn, term_id)
    if tail and blocks.count(tail[1]) != total:
        conn.execute(_SET, (tail[0], blocks.with_before(tail[1], total - blocks.size(tail[1]))))
