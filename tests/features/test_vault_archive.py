"""In a vault the records of sessions lie in an archive: readable, without secrets, joined by git, erased by a purge."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from omoide import History, Memory
from omoide.testing import FakeClock

from .vaults import clone, lines, logs, open_vault, pull, throw_index_away

KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkl-AAAA"
SAID = ["the deploy is on Friday", "le déploiement est vendredi", "デプロイは金曜日です"]


def said(number: int, text: str, session: str = "s-1") -> str:
    message = {"role": "user", "content": text}
    record = {
        "type": "user", "sessionId": session, "uuid": f"{session}-{number}", "cwd": "/w",
        "timestamp": f"2026-05-01T09:{number:02}:00Z", "message": message,
    }  # fmt: skip
    return json.dumps(record, ensure_ascii=False)


def transcript(folder: Path, texts: list[str], session: str = "s-1") -> Path:
    file = folder / f"{session}.jsonl"
    file.write_text("".join(said(n, text, session) + "\n" for n, text in enumerate(texts)), encoding="utf-8")
    return file


def archived(root: Path) -> dict[str, list[str]]:
    """The lines of each file of the archive, as zcat shows them."""
    found = sorted((root / "archive" / "sessions").rglob("*.gz"))
    return {file.name: gzip.decompress(file.read_bytes()).decode("utf-8").splitlines() for file in found}


def records(his: History) -> list[str]:
    """What an export of the store holds of conversations, records included."""
    place = Path(his._ctx.store.place).parent / "export.jsonl"
    with Memory(his._ctx.store.place, embedder="none", clock=his._ctx.store.clock) as mem:
        mem.export(place)
    text = place.read_text(encoding="utf-8")
    place.unlink()
    return [line for line in text.splitlines() if '"raw":' in line]


def raws(his: History) -> list[str]:
    """The records in an export, as it packs them."""
    return [json.loads(line)["raw"] for line in records(his)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def his(root: Path, clock: FakeClock) -> Iterator[History]:
    with History(f"{root}/", embedder="none", clock=clock, door_trust="stated") as handle:
        yield handle


def test_a_session_is_one_file_of_the_lines_that_its_host_wrote(his: History, root: Path, tmp_path: Path) -> None:
    file = transcript(tmp_path, SAID)
    his.ingest(file)
    (name,) = archived(root)
    assert name.startswith("2026-05-01-s-1-")
    assert archived(root)[name] == file.read_text(encoding="utf-8").splitlines()


def test_secrets_are_masked_in_it(his: History, root: Path, tmp_path: Path) -> None:
    his.ingest(transcript(tmp_path, [f"my key is {KEY}"]))
    (found,) = archived(root).values()
    assert KEY not in found[0]
    assert "my key is [masked:" in found[0]


def test_the_log_names_records_and_does_not_hold_them(his: History, root: Path, tmp_path: Path) -> None:
    his.ingest(transcript(tmp_path, SAID))
    turns = [row for line in lines(root) for row in json.loads(line)["rows"].get("turn", {}).get("+", ())]
    assert [sorted(row["raw"]) for row in turns] == [["in", "is"]] * 3


def test_what_comes_later_is_added_to_the_end(his: History, root: Path, tmp_path: Path) -> None:
    his.ingest(transcript(tmp_path, SAID[:1]))
    (file,) = (root / "archive" / "sessions").rglob("*.gz")
    before = file.read_bytes()
    his.ingest(transcript(tmp_path, SAID))
    assert file.read_bytes().startswith(before)
    assert len(archived(root)[file.name]) == 3


def test_the_files_are_enough(his: History, root: Path, tmp_path: Path) -> None:
    """Without the index the records come back from the archive, byte for byte."""
    his.ingest(transcript(tmp_path, SAID))
    his.ingest(transcript(tmp_path, ["something else"], "s-2"))
    before = records(his)
    assert len(before) == 4
    throw_index_away(root)
    assert records(his) == before


def test_a_record_of_any_bytes_comes_back(his: History, root: Path, tmp_path: Path) -> None:
    """Lines that are no JSON, or no UTF-8, are kept in a form that JSON can carry."""
    file = tmp_path / "odd.jsonl"
    odd = ['{"half": ', "[1, 2]", '"a text"', " " + said(7, "indented")]
    file.write_bytes(
        "\n".join([said(0, "first"), *odd, ""]).encode()
        + b'{"bad": "\xff\xfe"}\r\n'
        + said(9, "last").encode()
        + b"\r\n"
    )
    his.ingest(file)
    before = records(his)
    for found in archived(root).values():
        assert all(json.loads(line) is not None for line in found)
    throw_index_away(root)
    assert records(his) == before


def test_a_purged_session_leaves_no_word_in_it(his: History, root: Path, tmp_path: Path) -> None:
    his.ingest(transcript(tmp_path, ["the passphrase is xylophone"]))
    his.ingest(transcript(tmp_path, SAID, "s-2"))
    receipt = his.purge(session="s-1")
    assert receipt.verified
    assert "archive" in receipt.locations
    assert [name[:14] for name in archived(root)] == ["2026-05-01-s-2"]
    assert "xylophone" not in str(archived(root))
    throw_index_away(root)
    assert [session.id for session in his.sessions()] == ["s-2"]
    assert len(records(his)) == 3


def test_a_compressed_file_that_still_holds_a_word_is_told(his: History, root: Path, tmp_path: Path) -> None:
    """What is erased is looked for inside of compressed files of the folder too."""
    his.ingest(transcript(tmp_path, ["the passphrase is xylophone"]))
    (file,) = (root / "archive" / "sessions").rglob("*.gz")
    shutil.copy(file, root / "kept.jsonl.gz")
    receipt = his.purge(session="s-1")
    assert not receipt.verified
    assert any("kept.jsonl.gz" in place for place in receipt.remaining)


def test_another_copy_erases_its_records_when_it_hears_of_the_purge(
    his: History, root: Path, tmp_path: Path, clock: FakeClock
) -> None:
    his.ingest(transcript(tmp_path, ["the passphrase is xylophone"]))
    other = clone(root, tmp_path / "other")
    his.purge(session="s-1")
    with open_vault(other, clock, door_trust="stated") as mem:
        mem.list()
        pull(root, other)
        mem.list()
    assert "xylophone" not in str(archived(other))


def test_two_copies_write_files_of_their_own(his: History, root: Path, tmp_path: Path, clock: FakeClock) -> None:
    """One session taken in by two clones makes two files, so that git has nothing to merge, and each has all of it."""
    his.ingest(transcript(tmp_path, SAID[:1]))
    other = clone(root, tmp_path / "other")
    his.ingest(transcript(tmp_path, SAID[:2]))
    with History(f"{other}/", embedder="none", clock=clock) as second:
        second.ingest(transcript(tmp_path, SAID))
        mine, theirs = set(archived(root)), set(archived(other))
        assert len(mine) == 1
        assert len(theirs - mine) == 1
        pull(root, other)
        assert [session.turns for session in second.sessions()] == [3]
        before = records(second)
        assert len(before) == 3
        throw_index_away(other)
        assert records(second) == before


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_sees_no_text_to_join(his: History, root: Path, tmp_path: Path) -> None:
    his.ingest(transcript(tmp_path, SAID))
    (file,) = (root / "archive" / "sessions").rglob("*.gz")
    git = [str(shutil.which("git")), "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True, capture_output=True)
    path = file.relative_to(root).as_posix()
    told = subprocess.run([*git, "check-attr", "merge", "text", "--", path], check=True, capture_output=True, text=True)
    assert [line.rpartition(": ")[2] for line in told.stdout.splitlines()] == ["unset", "unset"]


def torn(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:60])


def gone(file: Path) -> None:
    file.unlink()


def no_archive(file: Path) -> None:
    file.write_bytes(b"not compressed at all")


@pytest.mark.parametrize("damage", [torn, gone, no_archive])
def test_what_is_damaged_is_told_and_the_turns_are_there(
    his: History, root: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    """The words of a session are in the log; the records as its host wrote them are lost, and the file is named."""
    his.ingest(transcript(tmp_path, SAID))
    his.ingest(transcript(tmp_path, ["kept"], "s-2"))
    file = next(file for file in (root / "archive" / "sessions").rglob("*.gz") if "-s-1-" in file.name)
    damage(file)
    throw_index_away(root)
    assert his.search("déploiement")[0].text == SAID[1]
    with open_vault(root) as mem:
        (told,) = mem.integrity_check()
    assert file.name in told
    assert len(records(his)) == 1


def test_what_stands_behind_a_torn_part_counts(his: History, root: Path, tmp_path: Path) -> None:
    """A crash may leave half a part in the file; what was added later is read all the same."""
    his.ingest(transcript(tmp_path, SAID[:1]))
    (file,) = (root / "archive" / "sessions").rglob("*.gz")
    with file.open("ab") as opened:
        opened.write(gzip.compress(b"half of something")[:-9])
    his.ingest(transcript(tmp_path, SAID))
    before = records(his)
    throw_index_away(root)
    assert records(his) == before
    assert len(before) == 3


def test_a_file_that_comes_after_its_line_is_taken_in_at_the_next_opening(
    his: History, root: Path, tmp_path: Path, clock: FakeClock
) -> None:
    """A program that keeps folders in step may bring the log first."""
    his.ingest(transcript(tmp_path, SAID))
    before = records(his)
    other = clone(root, tmp_path / "other")
    (file,) = (other / "archive" / "sessions").rglob("*.gz")
    late = file.read_bytes()
    file.unlink()
    with History(f"{other}/", embedder="none", clock=clock) as second:
        assert records(second) == []
    file.write_bytes(late)
    with History(f"{other}/", embedder="none", clock=clock) as second:
        assert records(second) == before


def test_a_file_store_made_into_a_vault_has_them_and_the_way_back_keeps_them(tmp_path: Path, clock: FakeClock) -> None:
    with History(tmp_path / "agents.db", embedder="none", clock=clock) as his:
        his.ingest(transcript(tmp_path, SAID))
        before = records(his)
    with Memory(tmp_path / "agents.db", embedder="none", clock=clock) as mem:
        mem.convert(f"{tmp_path}/notes/")
    assert [len(found) for found in archived(tmp_path / "notes").values()] == [3]
    throw_index_away(tmp_path / "notes")
    with open_vault(tmp_path / "notes", clock) as vault:
        vault.convert(tmp_path / "again.db")
    with History(tmp_path / "again.db", embedder="none", clock=clock) as again:
        assert records(again) == before


def test_a_line_of_the_log_leads_to_no_file_outside(his: History, root: Path, tmp_path: Path) -> None:
    """A log that names another place brings nothing from there."""
    his.ingest(transcript(tmp_path, SAID[:1]))
    (file,) = (root / "archive" / "sessions").rglob("*.gz")
    shutil.move(file, tmp_path / "outside.jsonl.gz")
    (log,) = (root / ".omoide" / "log").rglob("*.jsonl")
    name = f"{file.parent.name}/{file.name}"
    log.write_text(log.read_text(encoding="utf-8").replace(name, "../../../outside.jsonl.gz"), encoding="utf-8")
    throw_index_away(root)
    assert [session.turns for session in his.sessions()] == [1]
    assert records(his) == []


def test_a_purge_leaves_records_of_another_copy_that_came_before_their_line(
    his: History, root: Path, tmp_path: Path, clock: FakeClock
) -> None:
    """A program that keeps folders in step may bring the archive first: nobody here knows what is in it yet."""
    his.ingest(transcript(tmp_path, ["the passphrase is xylophone"]))
    other = clone(root, tmp_path / "other")
    with History(f"{other}/", embedder="none", clock=clock) as second:
        second.ingest(transcript(tmp_path, SAID, "s-2"))
        wanted = raws(second)[1:]
    for file in (other / "archive" / "sessions").rglob("*-s-2-*.gz"):
        shutil.copy(file, root / file.relative_to(other))
    assert his.purge(session="s-1").verified
    assert "xylophone" not in str(archived(root))
    for log in logs(other):
        place = root / log.relative_to(other)
        place.parent.mkdir(exist_ok=True)
        shutil.copy(log, place)
    assert [session.id for session in his.sessions()] == ["s-2"]
    assert raws(his) == wanted
    throw_index_away(root)
    assert raws(his) == wanted


def test_a_purge_waits_for_records_that_a_line_told_of(
    his: History, root: Path, tmp_path: Path, clock: FakeClock
) -> None:
    """The state that takes the place of the logs still names records that are to come."""
    his.ingest(transcript(tmp_path, ["the passphrase is xylophone"]))
    his.ingest(transcript(tmp_path, SAID, "s-2"))
    wanted = records(his)[1:]
    other = clone(root, tmp_path / "other")
    (late,) = (other / "archive" / "sessions").rglob("*-s-2-*.gz")
    data = late.read_bytes()
    late.write_bytes(data[:50])
    with History(f"{other}/", embedder="none", clock=clock, door_trust="stated") as second:
        second.purge(session="s-1")
        assert records(second) == []
    assert late.exists()
    late.write_bytes(data)
    with History(f"{other}/", embedder="none", clock=clock) as second:
        assert records(second) == wanted
        throw_index_away(other)
        assert records(second) == wanted
