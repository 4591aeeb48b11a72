"""How long the laws look for a counterexample: a little at every run, deeper in ``make laws``."""

from __future__ import annotations

import os

DEEP = os.environ.get("OMOIDE_LAWS") == "deep"
"""Whether ``make laws`` asks; then examples are drawn by the seed that it gives, else the same at every run."""
SHARD = int(os.environ.get("OMOIDE_LAWS_SHARD") or 0)
"""Which of the runs that share the work this is."""
_ASKED = int(os.environ.get("OMOIDE_LAWS_EXAMPLES") or 0)


def examples(usual: int, deep: int) -> int:
    """Return how many examples to try; in depth ``deep`` unless another number was asked for."""
    return (_ASKED or deep) if DEEP else usual
