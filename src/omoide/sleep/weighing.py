"""How sure it is that the later of two stated values changes the earlier.

The share of common words, each by its rarity, in the clauses of both values (0.5), in their sentences (0.3) and in
their texts (0.2), less where little is shared in all (1 - e^(-weight / 0.5)), then times what speaks for it or against
it: names, other values in the sentence, how far apart two amounts are (e^(-|ln ratio| / 3)), and what the sentences
say of themselves.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from omoide.sleep.cues import Cues
from omoide.sleep.slots import MOMENTS, Slot
from omoide.text.changes import says_went_back
from omoide.text.values import Value

if TYPE_CHECKING:
    from omoide.sleep.changing import Statements

LEAST: Final = 0.22
"""Changes less sure than this are none."""
_ENOUGH: Final = 0.5
_RATE_NEAR: Final = 0.5
_MOVED_NEAR: Final = 0.3
_STILL_NEAR: Final = 0.45
_HABIT_NEAR: Final = 0.7
"""Share of the words of two clauses from which they speak of one matter: of how often something is, where the later
tells of a change, where it does not, and of when something is."""
_SAID: Final = 0.5
"""Share of common names from which two sentences speak of the same."""
_CHANCE: Final = 5.0
"""Pairs of texts that share the same words by chance, up to which two are taken to speak of one matter."""
_MOST: Final = 1.1 * 1.5
"""What the rest can make of a score at most."""
_AMOUNTS: Final = frozenset({"money", "count", "span"})
_TIMED: Final = MOMENTS | {"rate"}
_MEASURED: Final = _AMOUNTS | {"percent"}
_FELLOWS: Final = 2
"""Values of a sort in one sentence beyond which it is hard to say what each is the value of."""
_FAR: Final = 3.0
"""Natural logarithm of the ratio of two amounts at which one is less likely to be what became of the other, by e."""


def sureness(known: Statements, old: Slot, new: Slot) -> float:
    """Return how sure it is that the later of two slots changes the earlier, 0 to 1; 0 for what is below ``LEAST``."""
    if not _may_differ(known, old, new):
        return 0.0
    near, _ = known.likeness(old.near, new.near)
    if near < _MOVED_NEAR and new.value.sort != "rate":
        return 0.0
    share, _ = known.likeness(old.around, new.around)
    if max(near, share) < _MOVED_NEAR or not known.of_one_matter(old, new):
        return 0.0
    whole, weight = known.likeness(known.words[old.place], known.words[new.place])
    score = (0.5 * near + 0.3 * share + 0.2 * whole) * (1.0 - math.exp(-weight / _ENOUGH))
    if score * _MOST < LEAST:
        return 0.0
    before, after = known.cues(old), known.cues(new)
    if _is_other(known, old, new, before, after) or not _is_near(new, near, share, before, after):
        return 0.0
    score *= _named(known, before.names, after.names) * _sized(old, new, before, after)
    if max(before.fellows, after.fellows) > _FELLOWS and new.value.sort not in MOMENTS:
        score *= 0.7
    score *= (
        _of_one_person(before, after)
        * _unlikely(known, old, new, after)
        * _told(new.value.sort, before, after)
        * (1.5 if old.value.form in after.instead_of else 1.0)
    )
    return min(score, 1.0) if score >= LEAST else 0.0


def _may_differ(known: Statements, old: Slot, new: Slot) -> bool:
    """Whether the words allow that one value takes the place of the other, as far as can be told at once."""
    sort = new.value.sort
    return not (
        old.value.form == new.value.form
        or (sort == "count" and old.value.unit.isdisjoint(new.value.unit))
        or (sort, new.value.form) in known.forms[old.place]  # both held already
        or (old.near.isdisjoint(new.near) and sort != "rate")
    )


def _is_other(known: Statements, old: Slot, new: Slot, before: Cues, after: Cues) -> bool:
    """Whether the sentences say that the values are of two things: still held, of other times, of another value."""
    again = (new.value.sort, old.value.form) in known.forms[new.place]
    return bool(
        (again and not after.moved)
        or (after.instead_of and old.value.form not in after.instead_of)
        or (before.quarters and after.quarters and not before.quarters & after.quarters)
        or (before.periods and after.periods and not before.periods & after.periods)
        or (before.titles and after.titles and not before.titles & after.titles)
        or (before.edge != after.edge and new.value.sort in MOMENTS and not after.moved)
        or ("away" in (before.edge, after.edge) and before.edge != after.edge)
    )


def _is_near(new: Slot, near: float, share: float, before: Cues, after: Cues) -> bool:
    sort = new.value.sort
    if sort == "rate" and max(near, share) < _RATE_NEAR and not (near and before.names & after.names):
        return False
    least = _MOVED_NEAR if after.moved else _HABIT_NEAR if sort in MOMENTS else _STILL_NEAR
    return max(near, share if near >= _MOVED_NEAR else 0.0) >= least


def _named(known: Statements, old: frozenset[str], new: frozenset[str]) -> float:
    """Whether both sentences name the same people and things, as far as these are rare: more sure or less."""
    before, after = (frozenset(filter(known.is_rare, names)) for names in (old, new))
    if not before or not after:
        return 1.0
    shared = len(before & after) / min(len(before), len(after))
    if not shared:
        return 0.4
    return 1.1 if shared >= _SAID and (before <= after or after <= before) else 0.7


def _of_one_person(old: Cues, new: Cues) -> float:
    """Whether both clauses may speak of one and the same person; of others nobody knows whether they are the same."""
    if "theirs" not in (old.whose, new.whose) or old.names & new.names:
        return 1.0
    return 0.4 if "mine" in (old.whose, new.whose) else 0.6


def _unlikely(known: Statements, old: Slot, new: Slot, after: Cues) -> float:
    """Whether what both texts share is more than chance brings about among so many of them."""
    if known.by_chance(old, new) <= _CHANCE:
        return 1.0
    return 0.75 if after.moved else 0.3


def _told(sort: str, old: Cues, new: Cues) -> float:
    """How far the sentences say that something changed; when a thing happens says little of that."""
    if new.moved:
        told = 1.0
    elif sort in MOMENTS:
        told = 0.8 if new.habit else 0.15
    else:
        told = 0.85 if new.now else 0.65 if sort == "rate" else 0.57 if new.stir else 0.3
    if old.goal != new.goal and sort not in _TIMED:
        told *= 0.4
    if sort in _AMOUNTS and (old.deed or new.deed) and not new.moved:
        told *= 0.3
    if sort in _MEASURED and (old.once or new.once) and not new.moved:
        told *= 0.4
    return told


def _sized(old: Slot, new: Slot, before: Cues, after: Cues) -> float:
    """Whether the later amount may be what became of the earlier: near it, and not less where both are sums."""
    if new.value.sort == "version":
        return 1.0 if not _is_lower(old.value, new.value) or says_went_back(new.sentence) else 0.2
    if new.value.sort not in _MEASURED:
        return 1.0
    first, second = _amount(old.value), _amount(new.value)
    if first is None or second is None or min(first, second) <= 0:
        return 1.0
    if before.sums and after.sums and second < first and not after.moved:
        return 0.2
    far = abs(math.log(second / first))
    return math.exp(-far / _FAR)


def _is_lower(old: Value, new: Value) -> bool:
    """Whether a version is an earlier one of what bears its name: versions count upwards."""
    first, second = ([int(part) for part in re.findall(r"\d+", value.form)] for value in (old, new))
    return second < first


def _amount(value: Value) -> float | None:
    """Return the number of a value, without its unit."""
    try:
        return float(value.form.split()[0])
    except ValueError:
        return None
