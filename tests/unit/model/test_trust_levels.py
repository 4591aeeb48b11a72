from __future__ import annotations

from typing import get_args

from omoide.model.trust import LEVELS
from omoide.types import Trust


def test_the_levels_are_those_of_the_type() -> None:
    """A level that the type names can be given, and no other."""
    assert set(LEVELS) == set(get_args(Trust))
