"""How long a text is, in characters or in estimated tokens, and how far a piece may reach."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from typing import Literal

from omoide.text.budget import is_foreign, token_cost

Measure = Literal["chars", "tokens"]

MAX_PER_TOKEN = 40
"""Characters after which a token is counted whatever they are: marks and blanks cost nothing by the estimate."""

_RUN = re.compile(r"\s*(?:[!-~]{1,48}|[^\s!-~]{1,8})|\s+")
_CACHED = 40_000
_SAMPLE = 20_000


class Ruler:
    """Measures stretches of one text; a position costs a bisection, whatever the length."""

    def __init__(self, text: str, measure: Measure) -> None:
        self.text = text
        self._starts, self._costs = _token_costs(text) if measure == "tokens" else (array("q"), array("d"))
        self._by_tokens = measure == "tokens"

    def fits(self, start: int, end: int, size: int) -> bool:
        """Whether ``text[start:end]`` is no longer than ``size``."""
        if not self._by_tokens:
            return end - start <= size
        return end - start <= size * MAX_PER_TOKEN and self._cost(end) - self._cost(start) <= size

    def reach(self, start: int, end: int, size: int) -> int:
        """Return the last position up to ``end`` where ``text[start:position]`` fits, at least ``start + 1``."""
        last = (
            self._position(self._cost(start) + size, start + size * MAX_PER_TOKEN) if self._by_tokens else start + size
        )
        return max(start + 1, min(end, last))

    def back(self, end: int, floor: int, size: int) -> int:
        """Return the first position not before ``floor`` from which ``text[position:end]`` fits ``size``."""
        if size <= 0:
            return end
        first = end - size
        if self._by_tokens:
            first = max(end - size * MAX_PER_TOKEN, self._position(self._cost(end) - size, end) + 1)
        return min(end, max(floor, first))

    def _cost(self, position: int) -> float:
        """Return the tokens before a position, those of a run spread evenly over it."""
        run = bisect_right(self._starts, position) - 1
        start, before = self._starts[run], self._costs[run]
        if position == start or run + 1 == len(self._starts):
            return before
        share = (position - start) / (self._starts[run + 1] - start)
        return before + (self._costs[run + 1] - before) * share

    def _position(self, cost: float, most: int) -> int:
        """Return the last position up to ``most`` before which there are no more tokens than ``cost``."""
        run = bisect_right(self._costs, cost) - 1
        if run < 0:
            return -1
        start = self._starts[run]
        if run + 1 == len(self._starts):
            return min(most, start)
        share = (cost - self._costs[run]) / (self._costs[run + 1] - self._costs[run])
        return min(most, start + int((self._starts[run + 1] - start) * share))


def _token_costs(text: str) -> tuple[array[int], array[float]]:
    """Return where the runs of a text begin, its end included, and the tokens before each."""
    foreign = is_foreign(text[:_SAMPLE])
    starts, costs = array("q", [0]), array("d", [0.0])
    known: dict[str, float] = {}
    total = 0.0
    for match in _RUN.finditer(text):
        run = match[0]
        cost = known.get(run)
        if cost is None:
            cost = token_cost(run, foreign=foreign)
            if len(known) < _CACHED:
                known[run] = cost
        total += cost
        starts.append(match.end())
        costs.append(total)
    return starts, costs
