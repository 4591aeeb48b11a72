"""Where histories of this kind failed: archived words, accents, labels in every script, labels that moved lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide import History
from omoide.testing import FakeClock

LABELS = ("プロジェクト 一", "Мой проект", "projet à façon", "مشروع", "a/b c_d", "“quoted”", "x" * 120)


@pytest.fixture
def his(path: Path, clock: FakeClock) -> Iterator[History]:
    with History(path, embedder="none", clock=clock) as history:
        yield history


def test_an_archived_text_is_found_by_its_words_in_every_way(his: History) -> None:
    text = "first line of the plan\nthe xylophone is tuned on Mondays\nlast line"
    made = his.save(text, summary="of something else", project="p")
    his.save("the piano is tuned on Fridays", project="p")
    his.archive(made)
    (hit,) = his.search("xylophone", k=1)
    assert (hit.id, hit.status) == (made, "archived")
    assert [(line.id, line.line) for line in his.grep("xylophone")] == [(made, 2)]
    assert [line.id for line in his.grep("xilophone", fuzzy=True)] == [made]
    assert [segment.id for segment in his.list(archived=True)] == [made]
    assert his.read(made, 2, 2) == "the xylophone is tuned on Mondays"


@pytest.mark.parametrize("asked", ["réaliste", "realiste", "RÉALISTE", "re\u0301aliste"])
@pytest.mark.parametrize("text", ["un budget réaliste", "un budget realiste", "un budget re\u0301aliste"])
def test_accents_make_no_difference_to_a_search(his: History, asked: str, text: str) -> None:
    made = his.save(text, project="p")
    assert [hit.id for hit in his.search(asked, k=1)] == [made]


@pytest.mark.parametrize("label", LABELS)
def test_labels_of_any_script_come_back_as_they_were(his: History, label: str) -> None:
    made = his.save("some text", project=label, domain=label, tags=[label], session=label, summary=label)
    (segment,) = his.list(project=label, domain=label, tags=[label])
    assert (segment.id, segment.project, segment.domain, segment.session) == (made, label, label, label)
    assert (segment.tags, segment.summary) == ((label,), label)
    assert his.search("some text", session=label, domain=label, project=label)[0].id == made
    assert his.read(made) == "some text"
    assert [session.id for session in his.sessions()] == [label]


@pytest.mark.parametrize("label", ["one\n---\ntwo", "---", "a: b\n- c", "\u2028x", "#", "```"])
def test_labels_move_no_line_of_a_text(his: History, label: str) -> None:
    text = "---\nfirst\n---\nneedle\n"
    made = his.save(text, summary=label, project="p")
    assert his.read(made) == text
    assert his.read(made, 4, 4) == "needle"
    assert [(line.line, line.text) for line in his.grep("needle")] == [(4, "needle")]
