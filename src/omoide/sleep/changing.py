"""Pairs of statements of which the later changes a value that the earlier states."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from omoide.sleep.cues import Cues, cues_of
from omoide.sleep.slots import Slot, measures, slots_of, told
from omoide.sleep.weighing import sureness
from omoide.text.tokens import analyze
from omoide.text.values import LONGEST, sentences

_KEYS: Final = 4
"""Words of a sentence under which its slots are looked up, the rarest first."""
_BEFORE: Final = 8
"""Earlier slots under a word that each is compared with."""
_COMMON, _FEW = 0.1, 8
"""A word in more than this share of the texts, and in more than so many, does not say what a value is about."""
_SAID: Final = 0.5
"""Share of common words in the clauses of two values from which they are taken for one statement."""


class Change(NamedTuple):
    """A later slot that may change an earlier one, and how sure that is, 0 to 1."""

    old: Slot
    new: Slot
    score: float


class _Rarity(dict[str, float]):
    """How much a word tells, 0 to 1: log(1 + texts / texts with it) over its highest, log(1 + texts)."""

    def __init__(self, texts: int, documents: Counter[str]) -> None:
        self._texts, self._documents, self._most = texts, documents, math.log1p(texts)

    def __missing__(self, term: str) -> float:
        known = self[term] = math.log1p(self._texts / max(self._documents[term], 1)) / self._most
        return known


@dataclass(slots=True)
class Statements:
    """The slots of some texts, in the order in which these were said, and the rarity of their words."""

    slots: list[Slot] = field(default_factory=list)
    forms: dict[int, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    words: dict[int, frozenset[str]] = field(default_factory=dict)
    _documents: Counter[str] = field(default_factory=Counter)
    _stating: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    _texts: int = 0
    rarity: Mapping[str, float] = field(default_factory=dict)
    _weights: dict[frozenset[str], float] = field(default_factory=dict)
    _cues: dict[tuple[int, int, str], Cues] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Statements:
        """Return the statements of texts; of very long ones only the words are counted."""
        found = cls()
        for place, text in enumerate(texts):
            found._texts += 1
            terms = set(analyze(text[:LONGEST]))
            found._documents.update(terms)
            for sentence in sentences(text) if len(text) <= LONGEST else ():
                made, forms = slots_of(place, sentence)
                if made and place not in found.words:
                    found.words[place] = told(text, terms)
                for slot in made:
                    found._stating[slot.value.sort, slot.value.form].append(len(found.slots))
                    found.slots.append(slot)
                found.forms[place] |= forms
        found.rarity = _Rarity(found._texts, found._documents)
        return found

    def pairs(self) -> Iterator[tuple[Slot, Slot]]:
        """Yield pairs of an earlier and a later slot of one sort and unit that share a telling word, each pair once."""
        shelves: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        for at, slot in enumerate(self.slots):
            met: set[int] = set()
            met_again = (term for term in slot.around if self._documents[term] != 1)
            terms = sorted(met_again, key=lambda term: (term not in slot.near, -self.rarity[term], term))[:_KEYS]
            for unit in slot.value.unit if slot.value.sort == "count" else ("",):
                for term in terms:
                    shelf = shelves[slot.value.sort, unit, term]
                    met.update(shelf)
                    shelf.append(at)
                    if len(shelf) > _BEFORE:
                        del shelf[0]
            for earlier in sorted(met):
                old = self.slots[earlier]
                if old.place != slot.place and old.value.form != slot.value.form:
                    yield old, slot

    def cues(self, slot: Slot) -> Cues:
        """Return what the sentence of a slot says of its value."""
        key = (slot.place, slot.value.start, slot.sentence)
        known = self._cues.get(key)
        if known is None:
            known = self._cues[key] = cues_of(slot)
        return known

    def was_said_before(self, old: Slot, new: Slot) -> bool:
        """Say whether the value of the later slot was stated before the earlier one already: it is no news."""
        for at in self._stating[new.value.sort, new.value.form]:
            other = self.slots[at]
            if other.place >= old.place:
                return False
            if self.likeness(other.near, new.near)[0] >= _SAID:
                return True
        return False

    def of_one_matter(self, old: Slot, new: Slot) -> bool:
        """Say whether two sentences, or their texts, share a word that is rare enough to say what they are about."""
        unit = (old.value.unit & new.value.unit) - measures()
        common = (old.around & new.around) - unit - measures()
        if any(map(self.is_rare, common)) or any(self._documents[term] <= _FEW // 2 for term in unit):
            return True
        return bool(unit) and any(map(self.is_rare, (self.words[old.place] & self.words[new.place]) - unit))

    def by_chance(self, old: Slot, new: Slot) -> float:
        """Return how many pairs of texts would share by mere chance all the words that these two do.

        That of n texts n (n - 1) / 2 pairs, times the square of the share of texts with the word for each word.
        """
        shared = (old.around & new.around) | (self.words[old.place] & self.words[new.place])
        pairs = self._texts * (self._texts - 1) / 2
        for term in shared - measures():
            pairs *= (max(self._documents[term], 1) / self._texts) ** 2
        return pairs

    def is_rare(self, term: str) -> bool:
        """Say whether few texts hold a word."""
        return self._documents[term] <= max(_FEW, self._texts * _COMMON)

    def likeness(self, one: frozenset[str], other: frozenset[str]) -> tuple[float, float]:
        """Return the share of common words, by their rarity, in the shorter of two sets, and what these weigh."""
        shared = self._weight(one & other)
        least = min(self._whole(one), self._whole(other))
        return (shared / least if least else 0.0), shared

    def _weight(self, terms: frozenset[str]) -> float:
        return math.fsum(map(self.rarity.__getitem__, terms))  # the same whatever the order

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
        score = sureness(statements, old, new)
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
