"""Pairs of statements of which the later changes a value that the earlier states.

How sure: the share of common words, each by its rarity, in the clauses of both values (0.5), in their sentences (0.3)
and in their texts (0.2), less where little is shared in all (1 - e^(-weight / 1.2)), then by what the later sentence
says of itself.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from omoide.sleep.slots import MOMENTS, Slot, slots_of, telling
from omoide.text.tokens import analyze
from omoide.text.values import LONGEST, sentences

_KEYS: Final = 6
"""Words of a sentence under which its slots are looked up, the rarest first."""
_BEFORE: Final = 8
"""Earlier slots under a word that each is compared with."""
_COMMON, _FEW = 0.1, 8
"""A word in more than this share of the texts, and in more than so many, does not say what a value is about."""
_ENOUGH: Final = 1.2
_RATE_NEAR: Final = 0.5
_MOVED_NEAR: Final = 0.3
_STILL_NEAR: Final = 0.45
"""Share of the words of two clauses from which they speak of one matter, where the later tells of a change and not."""
_SAID: Final = 0.5
"""Share of common words in the clauses of two values from which they are taken for one statement."""
_AMOUNTS: Final = frozenset({"money", "count", "span"})


class Change(NamedTuple):
    """A later slot that may change an earlier one, and how sure that is, 0 to 1."""

    old: Slot
    new: Slot
    score: float


@dataclass(slots=True)
class Statements:
    """The slots of some texts, in the order in which these were said, and the rarity of their words."""

    slots: list[Slot] = field(default_factory=list)
    forms: dict[int, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    words: dict[int, frozenset[str]] = field(default_factory=dict)
    _documents: Counter[str] = field(default_factory=Counter)
    _stating: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    _texts: int = 0
    _rarity: dict[str, float] = field(default_factory=dict)
    _weights: dict[frozenset[str], float] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Statements:
        """Return the statements of texts; of very long ones only the words are counted."""
        found = cls()
        for place, text in enumerate(texts):
            found._texts += 1
            found._documents.update(set(analyze(text[:LONGEST])))
            for sentence in sentences(text) if len(text) <= LONGEST else ():
                made, forms = slots_of(place, sentence)
                if made:
                    found.words[place] = telling(text)
                for slot in made:
                    found._stating[slot.value.sort, slot.value.form].append(len(found.slots))
                    found.slots.append(slot)
                found.forms[place] |= forms
        return found

    def rarity(self, term: str) -> float:
        """Return how much a word tells, 0 to 1: log(1 + texts / texts with it) over its highest, log(1 + texts)."""
        known = self._rarity.get(term)
        if known is None:
            known = math.log1p(self._texts / max(self._documents[term], 1)) / math.log1p(self._texts)
            self._rarity[term] = known
        return known

    def pairs(self) -> Iterator[tuple[Slot, Slot]]:
        """Yield pairs of an earlier and a later slot of one sort that share a telling word, each pair once."""
        shelves: dict[tuple[str, str], list[int]] = defaultdict(list)
        for at, slot in enumerate(self.slots):
            met: set[int] = set()
            keys = sorted(slot.around, key=lambda term: (term not in slot.near, -self.rarity(term), term))[:_KEYS]
            for term in keys:
                shelf = shelves[slot.value.sort, term]
                met.update(shelf[-_BEFORE:])
                shelf.append(at)
            for earlier in sorted(met):
                old = self.slots[earlier]
                if old.place != slot.place and old.value.form != slot.value.form:
                    yield old, slot

    def sureness(self, old: Slot, new: Slot) -> float:
        """Return how sure it is that the later of two slots changes the earlier, 0 to 1."""
        sort = new.value.sort
        again = (sort, old.value.form) in self.forms[new.place]
        if (
            old.value.form == new.value.form
            or (sort == "count" and not old.value.unit & new.value.unit)
            or (sort, new.value.form) in self.forms[old.place]  # both held already
            or (again and not new.moved)
            or (new.instead_of and old.value.form not in new.instead_of)
            or not self._of_one_matter(old, new)
        ):
            return 0.0
        near, _ = self._likeness(old.near, new.near)
        share, _ = self._likeness(old.around, new.around)
        whole, weight = self._likeness(self.words[old.place], self.words[new.place])
        if sort == "rate" and near < _RATE_NEAR and not (near and old.names & new.names):
            return 0.0
        if near < (_MOVED_NEAR if new.moved else _STILL_NEAR):
            return 0.0
        score = (0.5 * near + 0.3 * share + 0.2 * whole) * (1.0 - math.exp(-weight / _ENOUGH))
        score *= self._named(old, new)
        return min(score * _told(old, new) * (1.5 if old.value.form in new.instead_of else 1.0), 1.0)

    def _named(self, old: Slot, new: Slot) -> float:
        """Whether both sentences name the same people and things, as far as these are rare: more sure or less."""
        before, after = (frozenset(filter(self._is_rare, names)) for names in (old.names, new.names))
        if not before or not after:
            return 1.0
        shared = len(before & after) / min(len(before), len(after))
        return 1.1 if shared >= _SAID else 0.7 if shared else 0.4

    def was_said_before(self, old: Slot, new: Slot) -> bool:
        """Say whether the value of the later slot was stated before the earlier one already: it is no news."""
        for at in self._stating[new.value.sort, new.value.form]:
            other = self.slots[at]
            if other.place >= old.place:
                return False
            if self._likeness(other.near, new.near)[0] >= _SAID:
                return True
        return False

    def _of_one_matter(self, old: Slot, new: Slot) -> bool:
        unit = old.value.unit & new.value.unit
        common = (old.around & new.around) - unit
        if any(map(self._is_rare, common)) or any(self._documents[term] <= _FEW // 2 for term in unit):
            return True
        return bool(unit) and any(map(self._is_rare, (self.words[old.place] & self.words[new.place]) - unit))

    def _is_rare(self, term: str) -> bool:
        return self._documents[term] <= max(_FEW, self._texts * _COMMON)

    def _likeness(self, one: frozenset[str], other: frozenset[str]) -> tuple[float, float]:
        shared = self._weight(one & other)
        least = min(self._whole(one), self._whole(other))
        return (shared / least if least else 0.0), shared

    def _weight(self, terms: frozenset[str]) -> float:
        return sum(map(self.rarity, terms))

    def _whole(self, terms: frozenset[str]) -> float:
        """The weight of a whole slot, asked for again and again."""
        known = self._weights.get(terms)
        if known is None:
            known = self._weights[terms] = self._weight(terms)
        return known


def changes(statements: Statements) -> list[Change]:
    """Return for every text the surest change of a value that it states, the surest first."""
    best: dict[int, Change] = {}
    for old, new in statements.pairs():
        score = statements.sureness(old, new)
        known = best.get(old.place)
        if score > 0 and (known is None or score > known.score) and not statements.was_said_before(old, new):
            best[old.place] = Change(old, new, score)
    ordered = sorted(best.values(), key=lambda change: (-change.score, change.new.place, change.old.place))
    return list(_one_value_each(ordered))


def _one_value_each(ordered: Sequence[Change]) -> Iterator[Change]:
    """Yield the changes in which a later value takes the place of one earlier value: it cannot be news of several."""
    replaced: dict[tuple[int, int], str] = {}
    for change in ordered:
        slot = (change.new.place, change.new.value.start)
        if replaced.setdefault(slot, change.old.value.form) == change.old.value.form:
            yield change


def _told(old: Slot, new: Slot) -> float:
    """How far the sentences say that something changed; when a thing happens says little of that."""
    sort = new.value.sort
    if old.titles and new.titles and not old.titles & new.titles:
        return 0.0
    if new.moved:
        told = 1.0
    elif sort in MOMENTS:
        told = 0.8 if new.habit else 0.15
    else:
        told = 0.85 if new.now else 0.6 if new.stir else 0.3
    if old.goal != new.goal and sort not in MOMENTS:
        told *= 0.4
    if sort in _AMOUNTS and (old.deed or new.deed):
        told *= 0.3
    return told
