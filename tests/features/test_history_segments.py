"""Segments saved, listed, read, archived, erased; every fact through the public door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from omoide import History, Memory
from omoide.errors import AccessDeniedError, InvalidInputError, NotFoundError
from omoide.testing import FakeClock

HistoryOpener = Callable[..., History]
DAY = 86_400.0


@pytest.fixture
def histories(path: Path, clock: FakeClock) -> Iterator[HistoryOpener]:
    handles: list[History] = []

    def open_one(namespace: str = "default", **options: Any) -> History:
        settings: dict[str, Any] = {"clock": clock, "embedder": "none"} | options
        handles.append(History(path, namespace, **settings))
        return handles[-1]

    yield open_one
    for handle in handles:
        handle.close()


@pytest.fixture
def his(histories: HistoryOpener) -> History:
    return histories()


def test_an_id_is_readable_and_names_day_project_and_number(his: History) -> None:
    assert his.save("first", project="omoide") == "2026-06-01_omoide_001"
    assert his.save("second", project="omoide") == "2026-06-01_omoide_002"


@pytest.mark.parametrize("project", ["My App", "x/../../evil", "日本 語", "p" * 300, "…"])
def test_every_id_that_is_made_can_be_read(his: History, project: str) -> None:
    made = his.save("some text", project=project)
    assert his.read(made) == "some text"
    assert his.list(project=project)[0].id == made
    assert "/" not in made
    assert len(made) < 80


def test_the_same_text_keeps_its_id_and_other_indentation_is_another(his: History) -> None:
    first = his.save("if a:\n    b()")
    again = his.save("if a:\n    b()")
    assert (again, again.known) == (first, True)
    assert his.save("if a:\n  b()") != first


def test_a_summary_stays_one_line(his: History) -> None:
    made = his.save("body", summary="one\n---\nbody: other")
    assert "\n" not in his.list()[0].summary
    assert his.read(made) == "body"


def test_secrets_are_masked_before_anything_is_stored(his: History) -> None:
    made = his.save("the key is AKIA" + "IOSFODNN7ABCDEFG, ok")
    assert sum(made.masked.values()) == 1
    assert "IOSFODNN7ABCDEFG" not in his.read(made)


def test_secrets_beside_the_text_of_a_segment_are_masked_too(his: History) -> None:
    key = "AKIA" + "IOSFODNN7ABCDEFG"
    his.save("a text", summary=f"the key is {key}", tags=[key], metadata={"env": [{"key": key}]})
    assert key not in repr(his.list())


def test_secrets_in_the_names_that_a_segment_is_filed_under_are_masked_too(his: History, path: Path) -> None:
    key = "AKIA" + "IOSFODNN7ABCDEFG"
    made = his.save(
        "a text", project=f"app {key}", domain=key, session=f"run {key}", entities=[key], metadata={f"of {key}": 1}
    )
    his.close()
    written = [file.read_bytes() for file in path.parent.rglob("*") if file.is_file()]
    assert "masked" in made
    assert not [data for data in written if key.encode() in data]


@pytest.mark.parametrize(
    "text,query",
    [
        ("budget réaliste du projet", "realiste"),
        ("認証の設計を見直しました", "認証"),
        ("Перенесли проверку подлинности", "проверка"),
        ("JWT auth moved to v2", "jwt"),
    ],
)
def test_every_script_is_found_by_search_and_grep(his: History, text: str, query: str) -> None:
    made = his.save(text)
    assert [hit.id for hit in his.search(query)] == [made]
    assert his.grep(text.split(maxsplit=1)[0]).total == 1


def test_filters_come_before_the_cut(his: History) -> None:
    for number in range(120):
        his.save(f"common words number {number}", project="rare" if number == 7 else "other")
    assert [hit.text for hit in his.search("common words", project="rare")] == ["common words number 7"]


def test_reading_says_which_part_of_what_it_is(his: History) -> None:
    made = his.save("\n".join(f"line {n}" for n in range(1, 11)))
    part = his.read(made, 3, 4)
    assert (part.text, part.start, part.end, part.of, part.rest) == ("line 3\nline 4", 3, 4, 10, 5)
    assert his.read(made, max_tokens=6).truncated


def test_a_missing_id_and_a_part_that_cannot_be_are_errors(his: History) -> None:
    with pytest.raises(NotFoundError, match="no segment"):
        his.read("../index")
    with pytest.raises(InvalidInputError, match="lies before"):
        his.read(his.save("a"), 3, 2)
    with pytest.raises(InvalidInputError, match="remember"):
        his.save("a", kind="insight")


def test_no_expression_hangs_and_all_matches_are_counted(his: History) -> None:
    his.save("a" * 28 + "!")
    assert his.grep("^(a+)+$").total == 0
    his.save("\n".join(["hit"] * 50))
    found = his.grep("hit", limit=5)
    assert (len(found), found.total, found.truncated) == (5, 50, True)
    with pytest.raises(InvalidInputError, match="RE2"):
        his.grep("(a")


def test_the_context_shows_the_match_in_a_long_line(his: History) -> None:
    his.save("x" * 3000 + "needle" + "y" * 3000)
    line = his.grep("needle")[0]
    assert line.text[line.start : line.end] == "needle"


@pytest.mark.parametrize(
    "text,typo",
    [
        ("the validation of tokens", "validaton"),
        ("Échec du déploiement", "deploiment"),
        ("проверку подлинности", "подлиности"),
        ("トークンは毎時更新します", "トークンは毎次更新"),
    ],
)
def test_fuzzy_grep_forgives_slips_in_any_script(his: History, text: str, typo: str) -> None:
    made = his.save(text + "\nid\nida")
    assert [(line.id, line.line) for line in his.grep(typo, fuzzy=True)] == [(made, 1)]


def test_archived_segments_are_found_behind_the_others_and_come_back_whole(his: History) -> None:
    old, new = his.save("token rotation plan one"), his.save("token rotation plan two")
    assert his.archive(old)
    assert [(hit.id, hit.status) for hit in his.search("token rotation")] == [(new, "current"), (old, "archived")]
    assert his.read(old) == "token rotation plan one"
    assert his.grep("plan one").total == 1
    assert his.unarchive(old)
    assert not his.unarchive(old)
    assert his.integrity_check() == []


def test_retention_archives_what_is_old_and_keeps_what_matters(his: History, clock: FakeClock) -> None:
    old = his.save("an old note. this is important: in prose")
    kept = [
        his.save("tagged", tags=["Decision"]),
        his.save("weighty", importance="critical"),
        his.save("DECISION: use SQLite"),
    ]
    clock.advance(31 * DAY)
    assert his.retention_preview().archived == (old,)
    assert his.retention_run().archived == (old,)
    assert [segment.id for segment in his.list(archived=False)] == kept[::-1]
    his.unarchive(old)
    assert his.retention_run().archived == ()


def test_one_look_protects_for_a_while_and_not_for_ever(his: History, clock: FakeClock) -> None:
    made = his.save("a note")
    clock.advance(31 * DAY)
    his.read(made)
    assert his.retention_run().archived == ()
    clock.advance(31 * DAY)
    assert his.retention_run().archived == (made,)


def test_only_a_person_erases(his: History, histories: HistoryOpener, clock: FakeClock) -> None:
    made = his.save("a note")
    his.archive(made)
    clock.advance(181 * DAY)
    with pytest.raises(AccessDeniedError, match="person"):
        his.retention_run(erase=True)
    assert histories(door_trust="stated").retention_run(erase=True).erased == (made,)
    assert his.list() == []


def test_purge_leaves_no_word_and_never_reuses_the_id(his: History) -> None:
    made = his.save("xylophone secret", project="p")
    assert his.purge(made).verified
    assert his.search("xylophone") == []
    assert his.save("other", project="p") == "2026-06-01_p_002"
    assert his.integrity_check() == []


def test_recall_shows_history_until_all_that_cite_it_are_forgotten(his: History, mem: Memory) -> None:
    made = his.save("JWT moved to the gateway")
    cited = mem.remember("auth lives in the gateway", cites=[made])
    assert [hit.id for hit in mem.recall("JWT", include=["history"])] == [made]
    mem.forget(cited)
    assert mem.recall("JWT", include=["history"]) == []
    assert [hit.id for hit in mem.recall("JWT", include=["history"], include_retracted=True)] == [made]


def test_as_of_asks_what_was_saved_by_then(his: History, clock: FakeClock) -> None:
    clock.advance(DAY)
    his.save("saved later")
    assert his.search("saved", as_of="2026-06-01") == []


def test_a_newer_snapshot_marks_the_older(his: History) -> None:
    old = his.save("state one", kind="snapshot", project="p")
    new = his.save("state two", kind="snapshot", project="p")
    assert {segment.id: segment.replaced_by for segment in his.list()} == {old: new, new: None}


def test_rebuild_gives_the_same_answers(his: History) -> None:
    his.archive(his.save("one token plan"))
    his.save("two token plans")
    before = [(hit.id, round(hit.score, 6)) for hit in his.search("token plan")]
    his.rebuild()
    assert [(hit.id, round(hit.score, 6)) for hit in his.search("token plan")] == before
    assert his.integrity_check() == []
