"""Transcripts taken into history: once, whole, as far as each file goes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.features.transcript_makers import claude_line as line

from omoide import History
from omoide.errors import InvalidInputError


@pytest.fixture
def his(path: Path) -> Iterator[History]:
    with History(path, embedder="none") as history:
        yield history


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    file = tmp_path / "s-1.jsonl"
    file.write_text(line(1, "move the token check") + line(2, "認証の設計"), encoding="utf-8")
    return file


def test_twice_adds_nothing_and_an_appended_line_is_all_that_is_new(his: History, transcript: Path) -> None:
    assert his.ingest(transcript).new == 2
    assert his.ingest(transcript).new == 0
    with transcript.open("a", encoding="utf-8") as file:
        file.write(line(3, "one more"))
    assert his.ingest(transcript).new == 1
    assert his.sessions()[0].turns == 3
    assert his.integrity_check() == []


def test_a_rewritten_file_adds_only_what_is_new(his: History, transcript: Path) -> None:
    his.ingest(transcript)
    transcript.write_text(line(0, "before") + line(1, "move the token check"), encoding="utf-8")
    assert his.ingest(transcript).new == 1
    assert his.sessions()[0].turns == 3


def test_turns_are_found_and_read_by_their_place(his: History, transcript: Path) -> None:
    his.ingest(transcript)
    hit = his.search("認証")[0]
    assert (hit.id, hit.metadata["role"], hit.metadata["turn"]) == ("s-1#2", "user", 2)
    assert his.read(hit.id) == "認証の設計"
    assert his.read("s-1", 1, 1).place == "turns 1-1 of 2"


def test_a_dry_run_stores_nothing(his: History, transcript: Path) -> None:
    assert his.ingest(transcript, dry_run=True).new == 2
    assert his.sessions() == []


def test_secrets_are_masked_and_counted(his: History, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(line(1, "key AKIA" + "IOSFODNN7ABCDEFG"), encoding="utf-8")
    assert his.ingest(file).masked == 1
    assert his.grep("IOSFODNN7ABCDEFG").total == 0


def test_a_purged_session_stays_away(his: History, transcript: Path) -> None:
    his.ingest(transcript)
    assert his.purge(session="s-1").verified
    assert [file.status for file in his.ingest(transcript).files] == ["purged"]
    assert his.sessions() == []
    assert his.integrity_check() == []


def test_a_thorough_look_needs_its_extra_and_masks_no_less(
    his: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(line(1, "key AKIA" + "IOSFODNN7ABCDEFG"), encoding="utf-8")
    monkeypatch.setattr("omoide.text.secret_detector.MODULE", "no_such_module_here")
    with pytest.raises(ImportError, match=r"omoide\[secrets\]"):
        his.ingest(file, thorough=True)


def test_passwords_that_a_person_chose_are_masked(his: History, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    said = ["DB_PASSWORD=hunter2abc", "password: hunter2", "mot de passe : soleil33", "パスワード：tanuki42"]
    file.write_text("".join(line(n, text) for n, text in enumerate(said)), encoding="utf-8")
    assert his.ingest(file).masked == 4
    assert his.grep("hunter2|soleil33|tanuki42").total == 0


def test_a_secret_in_the_folder_or_branch_of_a_session_is_masked(his: History, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    said = json.loads(line(1, "hello")) | {"cwd": f"/nowhere/{token}", "gitBranch": token}
    (tmp_path / "t.jsonl").write_text(json.dumps(said) + "\n", encoding="utf-8")
    his.ingest(tmp_path / "t.jsonl")
    assert token not in repr(his.sessions())


@pytest.mark.parametrize("wrong", [None, 5, [None], b"x"])
def test_what_is_no_path_is_refused(his: History, wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="path"):
        his.ingest(wrong)
