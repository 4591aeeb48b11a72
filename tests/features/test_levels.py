"""Memories read level by level: one line, headings, a section, all of it; and recalled as one line each."""

from __future__ import annotations

from typing import Any

import pytest

from omoide import Memory
from omoide.errors import InvalidInputError, NotFoundError
from omoide.testing import FakeClock

GUIDE = """# Deployment

We deploy to Fly. The old host is gone.

## Rollback

Run `fly releases` and pick one.

```sh
# not a heading
```

## ロールバック手順

前の版に戻す。

### Détails à vérifier

La base d'abord.
"""


@pytest.fixture
def guide(mem: Memory) -> int:
    return mem.remember(GUIDE, subject="deployment")


def test_the_abstract_is_the_first_sentence_when_none_was_given(mem: Memory, guide: int) -> None:
    assert mem.read(guide, level="abstract").text == "We deploy to Fly."


def test_an_abstract_that_was_given_stands(mem: Memory) -> None:
    made = mem.remember(GUIDE, abstract="how we deploy")
    assert mem.read(made, level="abstract").text == "how we deploy"


def test_the_outline_lists_headings_in_any_script_and_none_from_code(mem: Memory, guide: int) -> None:
    found = mem.read(guide, level="outline")
    assert [line.anchor for line in found.outline] == [
        "deployment", "rollback", "ロールバック手順", "détails-à-vérifier",
    ]  # fmt: skip
    assert [line.line for line in found.outline] == [1, 5, 13, 17]
    assert found.text.splitlines()[3] == "### Détails à vérifier"


@pytest.mark.parametrize("name", ["ロールバック手順", "#ロールバック手順"])
def test_a_section_holds_what_is_below_it(mem: Memory, guide: int, name: str) -> None:
    found = mem.read(guide, level="section", section=name)
    assert found.text.startswith("## ロールバック手順")
    assert "La base d'abord." in found.text
    assert "fly releases" not in found.text


def test_a_section_is_found_by_its_heading_in_another_spelling(mem: Memory, guide: int) -> None:
    assert mem.read(guide, level="section", section="DETAILS A VERIFIER").section == "détails-à-vérifier"


def test_a_section_that_is_not_there_names_those_that_are(mem: Memory, guide: int) -> None:
    with pytest.raises(NotFoundError, match="rollback"):
        mem.read(guide, level="section", section="nothing")


def test_equal_headings_have_anchors_of_their_own(mem: Memory) -> None:
    made = mem.remember("# A\none\n# A\ntwo")
    assert mem.read(made, level="section", section="a-1").text == "# A\ntwo"


def test_full_is_the_text_as_given(mem: Memory, guide: int) -> None:
    assert mem.read(guide).text == GUIDE


def test_a_budget_cuts_at_a_line_and_says_so(mem: Memory, guide: int) -> None:
    found = mem.read(guide, max_tokens=20)
    assert found.truncated
    assert GUIDE.startswith(found.text)
    assert found.tokens <= 20 < found.total_tokens


def test_what_was_forgotten_is_read_as_it_was(mem: Memory, guide: int) -> None:
    mem.forget(guide)
    assert mem.read(guide).text == GUIDE


def test_the_past_is_read_as_of_then(mem: Memory, guide: int, clock: FakeClock) -> None:
    before = mem.why(guide).versions[0].known_from
    clock.advance(60)
    mem.revise(guide, "moved away")
    assert mem.read(guide, as_of=before).text == GUIDE


@pytest.mark.parametrize(
    "asked", [{"level": "all"}, {"level": "section"}, {"level": "full", "section": "a"}], ids=str
)  # fmt: skip
def test_a_level_that_makes_no_sense_is_refused(mem: Memory, guide: int, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        mem.read(guide, **asked)


def test_another_namespace_is_not_read(mem: Memory) -> None:
    with Memory(mem.path, "other", embedder="none") as other:
        made = other.remember("hidden")
    with pytest.raises(NotFoundError):
        mem.read(made)


def test_recall_by_abstract_says_a_line_and_where_to_read_on(mem: Memory, guide: int) -> None:
    (hit,) = mem.recall("how to roll back a release", level="abstract")
    assert (hit.id, hit.text, hit.anchor) == (guide, "We deploy to Fly.", "rollback")


def test_recall_by_abstract_points_at_a_japanese_section(mem: Memory, guide: int) -> None:
    (hit,) = mem.recall("前の版", level="abstract")
    assert hit.anchor == "ロールバック手順"


def test_a_budget_counts_the_lines_of_abstracts(mem: Memory) -> None:
    for number in range(5):
        mem.remember(f"Note {number}. " + "filler words about cats " * 200)
    hits = mem.recall("cats", level="abstract", max_tokens=60)
    assert len(hits) == 5
    assert not hits.truncated
    cut = mem.recall("cats", level="abstract", max_tokens=12)
    assert 0 < len(cut) < 5
    assert cut.truncated
