"""Every number that ranking uses, in one place.

order = fused + recency_weight * 0.5 ** (age / half_life) + IMPORTANCE * (importance - 5) / 5
        - DOUBT * (1 - confidence) + TRUST * (trust - observed) + FRESH * 0.5 ** (age / life)
        + PINNED [pinned] + SEEN * min(log2(seen), SEEN_STEPS) / SEEN_STEPS - DISPUTED [disputed] + TIME * nearness
life  = the kind's half-life * max(0.05, 1 + 0.15 * (importance - 5)); trust = 0 untrusted, 1 derived, 2 observed,
        3 stated; age = the time asked for less the time from which it was known, at least 0
fused = w * dense + (1 - w) * (lexical + context)
dense = (own - lowest) / (highest - lowest) over the pool, own = cosine - COMMON * closeness to the mean vector of
        the space - LUCK * long * (high - low) * sqrt(ln(parts)), high and low of the model's calibration, parts =
        vectors of the text, long = share of the pool that has several; lexical = bm25 / highest over the pool
context = CONTEXT * the higher ``lexical`` of the entries of the same thread written right before and after
w     = DENSE_COVERED + (DENSE_UNCOVERED - DENSE_COVERED) * (1 - coverage * strength)
strength = min(1, highest bm25 over the pool / (STRONG * bm25 of a text that holds every known word once))

``coverage`` is the share of the question's idf mass that the index knows. Under a time argument pins,
seen-counts and disputes are left out and ages are measured at the asked time. ``bench/quality.py`` measures
what the numbers are worth; they hold for all kinds of text alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DENSE_COVERED: Final = 0.6
DENSE_UNCOVERED: Final = 0.8
STRONG: Final = 0.5
"""The share of the ideal keyword score from which the best candidate's words count in full."""

COMMON: Final = 0.4
"""The share of what a text has in common with all others that does not count as similarity to the question."""
LUCK: Final = 0.4
"""What the nearest of several parts of a text is nearer than one by chance, in widths of a model's calibration."""
CONTEXT: Final = 0.5

IMPORTANCE: Final = 0.02
PINNED: Final = 0.03
DOUBT: Final = 0.05
TRUST: Final = 0.01
FRESH: Final = 0.02
LIFE_LEAST: Final = 0.05
LIFE_STEP: Final = 0.15
SEEN: Final = 0.01
SEEN_STEPS: Final = 3.9
"""The seen-count up to which more is better, as its logarithm to base 2."""
DISPUTED: Final = 0.05
TIME: Final = 0.3
"""What lying inside a time that the question names is worth; ``omoide.search.steer`` says what is near it."""

POOL: Final = 64
POOL_PER_K: Final = 4
ACCOMPANIED: Final = 16
"""Best candidates of each leg whose neighbours become candidates too."""
CHECKED: Final = 256
"""Candidates whose rows are looked at before a filter is carried out over the whole namespace."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where the cosines of a model lie: unrelated texts at or below ``low``, the same text near ``high``."""

    low: float
    high: float


COSINES: Final = {"multilingual-e5-small": Calibration(0.76, 0.92)}
DEFAULT_COSINES: Final = Calibration(0.10, 0.80)

WITNESS: Final = 0.9
"""What a perfect keyword score or a perfect cosine says by itself."""
HALF_ALONE: Final = 0.06
"""The keyword share that is worth a half where there is no vector."""
ABSTAIN_BELOW: Final = 0.49
"""The calibrated score under which ``abstain=True`` answers with nothing."""


def calibration_of(model_name: str | None) -> Calibration:
    """Return the calibration of the model whose name starts with a known one."""
    for prefix, calibration in COSINES.items():
        if model_name is not None and model_name.startswith(prefix):
            return calibration
    return DEFAULT_COSINES
