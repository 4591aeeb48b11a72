"""A secret in the name of a transcript's own file is kept nowhere: in no store, vault, export or answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide import History, Memory

SECRET = "gh" + "p_abcdefghijklmnopqrstuvwxyz0123456789"
OTHER = "gh" + "p_zyxwvutsrqponmlkjihgfedcba9876543210"


def transcript(folder: Path, secret: str, *texts: str) -> Path:
    """Write a transcript that only its file names, and that file after a secret."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"chat-{secret}.jsonl"
    roles = ("user", "assistant")
    lines = [json.dumps({"role": roles[number % 2], "content": text}) for number, text in enumerate(texts)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def holding(folder: Path, secret: str = SECRET) -> list[str]:
    """Return the files below a folder whose bytes hold a secret."""
    return [path.name for path in folder.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


@pytest.fixture(params=["agents.db", "notes/"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    (tmp_path / "kept").mkdir()
    return f"{tmp_path / 'kept'}/{request.param}"


def test_nothing_that_is_kept_holds_it(store: str, tmp_path: Path) -> None:
    path = transcript(tmp_path / "given", SECRET, "how do I deploy?", "with make deploy", "thanks a lot")
    with History(store, embedder="none") as his:
        assert his.ingest(path).new == 3
        told = repr(his.sessions()) + repr(his.search("deploy")) + repr(his.status())
    with Memory(store, embedder="none") as mem:
        mem.export(tmp_path / "kept" / "export.jsonl")
        mem.dump(tmp_path / "kept" / "dump.txt")
    assert SECRET not in told
    assert "[masked:github-token]" in told
    assert holding(tmp_path / "kept") == []


def test_the_file_is_known_again_and_read_on(store: str, tmp_path: Path) -> None:
    path = transcript(tmp_path / "given", SECRET, "how do I deploy?", "with make deploy")
    with History(store, embedder="none") as his:
        his.ingest(path)
        assert his.ingest(path).new == 0
        transcript(tmp_path / "given", SECRET, "how do I deploy?", "with make deploy", "thanks a lot")
        assert his.ingest(path).new == 1
        assert [session.turns for session in his.sessions()] == [3]


def test_two_files_that_differ_in_their_secrets_are_two_sessions(store: str, tmp_path: Path) -> None:
    with History(store, embedder="none") as his:
        his.ingest(transcript(tmp_path / "given", SECRET, "how do I deploy?", "with make deploy"))
        his.ingest(transcript(tmp_path / "given", OTHER, "who owns the harbour?", "nobody knows"))
        assert len({session.path for session in his.sessions()}) == 2
        assert len({session.id for session in his.sessions()}) == 2


def test_a_purged_one_stays_away(store: str, tmp_path: Path) -> None:
    path = transcript(tmp_path / "given", SECRET, "how do I deploy?", "with make deploy")
    with History(store, embedder="none", door_trust="stated") as his:
        his.ingest(path)
        his.purge(session=his.sessions()[0].id)
        assert his.ingest(path).new == 0
        assert his.sessions() == []


def test_a_file_that_failed_is_told_without_it(store: str, tmp_path: Path) -> None:
    path = tmp_path / f"chat-{SECRET}.db"
    path.write_bytes(b"SQLite format 3\x00" + b"x" * 4000)
    with History(store, embedder="none") as his:
        assert his.ingest(path).files[0].status == "failed"
        (failed,) = his.status()["default"]["failed"]
        assert "[masked:github-token]" in failed["path"]
        assert SECRET not in failed["reason"]
    assert holding(tmp_path / "kept") == []
    with History(store, embedder="none") as his:
        path.write_text('{"role": "user", "content": "hello"}\n' * 2, encoding="utf-8")
        his.ingest(path)
        assert his.status()["default"]["failed"] == []
    assert holding(tmp_path / "kept") == []


def test_another_copy_takes_it_in_masked(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    with History(tmp_path / "one.db", embedder="none") as his:
        his.ingest(transcript(tmp_path / "given", SECRET, "how do I deploy?", "with make deploy"))
    with Memory(tmp_path / "kept" / "two.db", embedder="none") as mem:
        mem.merge_from(tmp_path / "one.db")
    with History(tmp_path / "kept" / "two.db", embedder="none") as his:
        assert [session.turns for session in his.sessions()] == [2]
    assert holding(tmp_path / "kept") == []
