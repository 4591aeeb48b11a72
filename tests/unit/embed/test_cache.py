from __future__ import annotations

import numpy as np

from omoide.embed.cache import QueryCache

ONE = np.ones(3, np.float32)


def test_what_was_put_is_found() -> None:
    cache = QueryCache()
    cache.put("model", "text", ONE)
    assert cache.get("model", "text") is ONE


def test_an_unknown_text_has_none() -> None:
    assert QueryCache().get("model", "text") is None


def test_models_do_not_share_entries() -> None:
    cache = QueryCache()
    cache.put("one", "text", ONE)
    assert cache.get("two", "text") is None


def test_the_entry_used_longest_ago_goes_first() -> None:
    cache = QueryCache(entries=2)
    cache.put("m", "a", ONE)
    cache.put("m", "b", ONE)
    cache.get("m", "a")
    cache.put("m", "c", ONE)
    assert [text for text in "abc" if cache.get("m", text) is not None] == ["a", "c"]


def test_the_number_of_entries_is_bounded() -> None:
    cache = QueryCache(entries=10)
    for number in range(100):
        cache.put("m", str(number), ONE)
    assert len(cache) == 10


def test_a_lone_surrogate_is_a_legal_text() -> None:
    cache = QueryCache()
    cache.put("m", "\ud800", ONE)
    assert cache.get("m", "\ud800") is ONE


def test_clear_forgets_everything() -> None:
    cache = QueryCache()
    cache.put("m", "a", ONE)
    cache.clear()
    assert len(cache) == 0
