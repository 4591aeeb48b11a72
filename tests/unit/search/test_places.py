from __future__ import annotations

import numpy as np
import pytest

from omoide.search.places import Places


def test_entries_of_different_owners_stand_where_they_are() -> None:
    places, ords = Places(), np.array([0, 2])
    assert places.of(np.array([3, 5, 9]), ords) is ords


def test_a_later_entry_stands_where_the_first_of_its_owner_does() -> None:
    assert Places().of(np.array([3, 5, 3, 9, 5]), np.arange(5)).tolist() == [0, 1, 0, 3, 1]


@pytest.mark.parametrize("step", [1, 3, 70])
def test_places_are_the_same_however_the_entries_came(step: int) -> None:
    owners = np.random.default_rng(7).integers(0, 40, 150)
    first = [owners.tolist().index(owner) for owner in owners.tolist()]
    places = Places()
    for end in range(step, len(owners) + step, step):
        known = owners[:end]
        assert places.of(known, np.arange(len(known))).tolist() == first[: len(known)]
