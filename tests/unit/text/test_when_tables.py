"""The tables of time words: every entry is used, and no text made of their words is an error."""

from __future__ import annotations

import random
import re

import pytest

from omoide.model.time import to_datetime, to_micros
from omoide.text import when
from omoide.text.when_grammar import Grammar

NOW = to_micros("2026-06-17T15:30:00Z")
CODES = ["en", "fr", "de", "es", "ja", "zh"]
DERIVED = {"era", "erayear", "decade", "third", "day", "year", "n", "quarter", "month"}


@pytest.mark.parametrize("code", CODES)
def test_every_table_is_used_by_a_pattern(code: str) -> None:
    words = when._words(code)
    assert not {
        name for name in words.names if f"{{{name}}}" not in words.patterns and f"<{name}>" not in words.patterns
    }


@pytest.mark.parametrize("code", CODES)
def test_every_group_of_a_pattern_has_words(code: str) -> None:
    words = when._words(code)
    named = set(re.findall(r"\{([a-z]+)\}", words.patterns)) | set(re.findall(r"\(\?P<([a-z]+)>", words.patterns))
    assert not named - set(words.names) - DERIVED


@pytest.mark.parametrize("code", CODES)
def test_words_are_written_as_texts_are_read(code: str) -> None:
    words = when._words(code)
    told = [word for table in words.names.values() for word in table]
    assert [word for word in told if when._folded(word) != word] == []


@pytest.mark.parametrize("code", CODES)
def test_no_text_made_of_the_words_is_an_error(code: str) -> None:
    words, chance = when._words(code), random.Random(7)
    told = [word for table in words.names.values() for word in table]
    literal = re.findall(r"[^\W\d_]+", words.patterns + " ".join([*words.before.values(), *words.behind.values()]))
    numbers = ["3", "12", "31", "0", "99", "2023", "1999", "2023-05-07", "31.12.2020", "元"]
    pieces = told + sorted(set(literal)) + numbers
    grammar = Grammar(words)
    local = to_datetime(NOW).replace(tzinfo=None)
    for _ in range(1_500):
        text = (" " if words.spaced else "").join(chance.choice(pieces) for _ in range(chance.randint(1, 6)))
        for found in grammar.find(text, local):
            assert 0 <= found.start < found.end <= len(text)
        assert all(one.start < one.end for one in when.time_ranges(text, NOW))
