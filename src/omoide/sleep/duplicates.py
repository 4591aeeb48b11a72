"""Memories that say the same: equal ones put away, nearly equal ones proposed for a merge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rapidfuzz.distance import DamerauLevenshtein

from omoide.model.consolidate import Draft
from omoide.model.time import FOREVER
from omoide.model.trust import RANK
from omoide.sleep.night import AT_ONCE, Night
from omoide.sleep.sketch import candidates
from omoide.store.sqlite import survey
from omoide.store.sqlite.survey import Held
from omoide.text.normalize import normalise
from omoide.text.signature import content_terms, similarity

DUPLICATE: Final = "duplicate"
"""Kind of the link from a memory that was put away to the equal one that stays."""
_FEWEST: Final = 3
"""Content terms below which only equal sets are alike."""
_LONG_WORD: Final = 7
_MOST: Final = 6
"""Memories that one proposal merges."""


def archive_exact(night: Night) -> None:
    """Archive what another memory says in the same words, over no longer a time, at no less a worth."""
    pairs = list(_exact(night))
    for first in range(0, len(pairs), AT_ONCE):
        night.check_time()
        with night.writing() as tx:
            done = []
            for gone, kept in pairs[first : first + AT_ONCE]:
                state = tx.memories.get(gone)
                if state is None or state.archived or state.ended is not None:
                    continue
                tx.set_state(state, archived=1)
                tx.relations.add_link(DUPLICATE, gone, kept, at=tx.now, event=tx.seq)
                done.append(gone)
            if done:
                night.begin_batch(tx)
                tx.log("archive", night.scope.namespace, done)
            night.changed(len(done))


def _exact(night: Night) -> Iterator[tuple[int, int]]:
    groups: dict[tuple[object, ...], list[Held]] = {}
    for each in night.held():
        if not each.recorded:
            groups.setdefault((each.same, each.kind, each.project, each.metadata), []).append(each)
    several = {key: group for key, group in groups.items() if len(group) > 1}
    if not several:
        return
    with night.ctx.store.read(None) as tx:
        split = survey.in_pieces(tx.connection, night.ns)
    for group in several.values():
        whole = [each for each in group if each.id not in split]
        best = min(whole, key=_worth, default=None)
        for each in whole if best is not None else ():
            assert best is not None
            if each is not best and not each.pinned and not each.disputed and _covers(best, each):
                yield each.id, best.id


def _worth(each: Held) -> tuple[object, ...]:
    """The one that stays comes first: pinned, the most trusted, the longest told, the earliest."""
    end = FOREVER if each.valid_to is None else each.valid_to
    return (not each.pinned, -RANK[each.trust], each.valid_from, -end, -each.importance, each.id)


def _covers(kept: Held, gone: Held) -> bool:
    ends = [FOREVER if each.valid_to is None else each.valid_to for each in (kept, gone)]
    inside = kept.valid_from <= gone.valid_from and ends[1] <= ends[0]
    worth = RANK[kept.trust] >= RANK[gone.trust] and kept.importance >= gone.importance
    return inside and worth and normalise(kept.text) == normalise(gone.text)


def propose_near(night: Night) -> None:
    """Propose to merge memories of one matter of which one says all that the other does."""
    held = [each for each in night.held() if not each.recorded]
    terms = [content_terms(each.text) for each in held]
    night.check_time()
    kin: dict[int, list[int]] = {}
    leader: dict[int, int] = {}
    scores: dict[int, float] = {}
    for one, other in candidates(terms):
        if not _of_one_matter(held[one], held[other]):
            continue
        alike = _alike(terms[one], terms[other])
        if alike < night.settings.near:
            continue
        first, second = sorted((one, other), key=lambda at: (_rank(held[at]), at))
        chief = leader.get(first, first)
        if second in leader or second in kin or len(kin.get(chief, ())) + 1 >= _MOST or second == chief:
            continue
        if _alike(terms[chief], terms[second]) >= night.settings.near and _of_one_matter(held[chief], held[second]):
            leader[second] = chief
            kin.setdefault(chief, []).append(second)
            scores[chief] = min(scores.get(chief, 1.0), alike)
    night.propose([_merge([held[at] for at in (chief, *others)], scores[chief]) for chief, others in kin.items()])


def _of_one_matter(one: Held, other: Held) -> bool:
    same = (one.about, one.predicate, one.project) == (other.about, other.predicate, other.project)
    return same and one.same != other.same and _rank_trust(one, other)


def _rank_trust(one: Held, other: Held) -> bool:
    """Whether the one that would stay may replace the other."""
    first, second = sorted((one, other), key=_rank)
    return RANK[first.trust] >= RANK[second.trust]


def _rank(each: Held) -> tuple[object, ...]:
    """The one that stays comes first: pinned, the most trusted, the fullest, the earliest."""
    return (not each.pinned, -RANK[each.trust], -len(each.text), each.id)


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common terms; 0 when each has a word of its own, since then they say different things."""
    if one == other:
        return 1.0
    if min(len(one), len(other)) < _FEWEST:
        return 0.0
    mine, yours = one - other, other - one
    if mine and yours and not _misspelt(mine, yours):
        return 0.0
    return similarity(one, other) if not (mine and yours) else len(one & other) / max(len(one), len(other))


def _misspelt(mine: frozenset[str], yours: frozenset[str]) -> bool:
    """Say whether the words that differ are one word with a slip of the pen."""
    if len(mine) != 1 or len(yours) != 1:
        return False
    (one,), (other,) = mine, yours
    letters = one.isalpha() and other.isalpha() and min(len(one), len(other)) >= _LONG_WORD
    return letters and DamerauLevenshtein.distance(one, other) == 1


def _merge(group: Sequence[Held], score: float) -> Draft:
    return Draft(
        "merge", tuple(each.id for each in group), "same_words", tuple(each.text for each in group),
        tuple(each.version_id for each in group),
        evidence=tuple(f"memory {each.id}, {each.trust}, seen {each.seen} times" for each in group), score=score,
    )  # fmt: skip
