from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from omoide import Memory
from omoide.errors import DamagedStoreError, ForeignStoreError, StoreError, StoreVersionError
from omoide.maintenance import repair
from omoide.testing import FakeEmbedder

pytestmark = pytest.mark.file_only("damages the one file; the index of a vault is made again from its files")

Opener = Callable[..., Memory]
MODEL = FakeEmbedder(16)
VECTORS = "(id >> 28) & 15 = 1"


class Counting(FakeEmbedder):
    """Remembers the texts it is given."""

    def __init__(self) -> None:
        super().__init__(16)
        self.texts: list[str] = []

    def embed(self, texts: list[str], /) -> list[list[float]]:
        self.texts += texts
        return super().embed(texts)


def run(path: Path, *statements: str) -> list[Any]:
    """Change the file behind the library's back; return the last statement's rows."""
    connection = apsw.Connection(str(path))
    rows: list[Any] = []
    for statement in statements:
        rows = connection.execute(statement).fetchall()
    connection.close()
    return rows


def three_hundred(opened: Opener) -> list[list[tuple[int, float]]]:
    """Fill and close a store of 300 memories; return its answers."""
    mem = opened(embedder=MODEL)
    with mem.bulk():
        for n in range(300):
            mem.remember(f"note {n} on tea")
    found = answers(mem)
    mem.close()
    return found


def answers(mem: Memory) -> list[list[tuple[int, float]]]:
    """Ask by both legs and by each."""
    options: list[dict[str, Any]] = [{}, {"use_bm25": False}, {"use_vectors": False}]
    hits = [mem.recall(f"note {n} on tea", k=5, **o) for n in (0, 17, 299) for o in options]
    return [[(hit.id, round(hit.score, 6)) for hit in each] for each in hits]


def overwrite(path: Path, sql: str, first: int, last: int, byte: bytes = b"\xff") -> None:
    """Overwrite bytes of the first value that a statement finds, in the file itself."""
    (value,) = run(path, sql)[0]
    data = path.read_bytes()
    place = data.index(value[:64])
    assert data.count(value[:64]) == 1
    path.write_bytes(data[: place + first] + byte * (last - first) + data[place + last :])


def test_p04_vectors_overwritten(opened: Opener, path: Path) -> None:
    """The store opens and answers by keyword, saying why; repair restores every answer, embedding only the lost."""
    before = three_hundred(opened)
    overwrite(path, f"SELECT data FROM block WHERE {VECTORS}", 100, 400)
    model = Counting()
    mem = opened(embedder=model)
    hits = mem.recall("note 17 on tea", k=5)
    assert hits[0].text == "note 17 on tea"
    assert hits.degraded
    assert "repair" in " ".join(hits.reasons)
    model.texts.clear()
    report = mem.repair()
    assert report.rebuilt == 300
    assert 1 < len(model.texts) < 20
    assert answers(mem) == before
    assert not mem.recall("note 17 on tea").degraded
    assert mem.integrity_check() == []


def test_vectors_overwritten_with_zeros(opened: Opener, path: Path) -> None:
    before = three_hundred(opened)
    overwrite(path, f"SELECT data FROM block WHERE {VECTORS}", 0, 1500, b"\x00")
    mem = opened(embedder=MODEL)
    assert mem.integrity_check() != []
    mem.repair()
    assert answers(mem) == before
    assert mem.integrity_check() == []


@pytest.mark.parametrize("table", ["posting", "block"])
def test_every_byte_of_an_index_is_wrong(opened: Opener, path: Path, table: str) -> None:
    """Whatever leg is left answers, and says what is missing."""
    before = three_hundred(opened)
    run(path, f"UPDATE {table} SET data = x'ffff'")
    mem = opened(embedder=MODEL)
    hits = mem.recall("note 17 on tea", k=5)
    assert hits[0].text == "note 17 on tea"
    assert hits.degraded
    assert mem.stats()["default"]["count"] == 300
    assert mem.repair().rebuilt == 300
    assert answers(mem) == before


def test_no_leg_left_is_an_error(opened: Opener, path: Path) -> None:
    """An index that cannot answer is not an empty answer."""
    three_hundred(opened)
    run(path, "UPDATE posting SET data = x'ffff'")
    with pytest.raises(DamagedStoreError, match=r"re(build|pair)"):
        opened().recall("note 17 on tea")


def test_columns_overwritten_are_read_from_the_rows(opened: Opener, path: Path) -> None:
    """Filters and times hold although the columns are gone, also for what is written and revised after."""
    before = three_hundred(opened)
    overwrite(path, "SELECT data FROM block WHERE (id >> 28) & 15 = 0", 0, 800)
    mem = opened(embedder=MODEL)
    assert answers(mem) == before
    hits = mem.recall("note 17 on tea", k=1)
    assert hits.degraded
    mem.remember("note 300 on tea", kind="decision")
    mem.forget(hits[0].id)
    assert hits[0].id not in {hit.id for hit in mem.recall("note 17 on tea", k=5)}
    assert [hit.text for hit in mem.recall("note", kinds=["decision"])] == ["note 300 on tea"]
    mem.repair()
    assert mem.integrity_check() == []
    assert not mem.recall("note 18 on tea").degraded


def test_p06_a_renamed_column(opened: Opener, path: Path) -> None:
    """Opening names table and column; the repair gives the name back, and three writes succeed."""
    before = three_hundred(opened)
    run(path, "ALTER TABLE version RENAME COLUMN confidence TO trustworthiness")
    with pytest.raises(DamagedStoreError, match=r"(?s)version\.confidence.*version\.trustworthiness.*repair"):
        opened(embedder=MODEL)
    report = repair(path, embedder=MODEL)
    assert any("trustworthiness was named confidence" in action for action in report.actions)
    assert report.remaining == ()
    mem = opened(embedder=MODEL)
    assert answers(mem) == before
    for n in range(3):
        assert mem.get(mem.remember(f"new note {n}", confidence=0.5)) is not None
    assert mem.integrity_check() == []


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE version RENAME COLUMN tags TO a_tags; ALTER TABLE version RENAME COLUMN cites TO a_cites",
        "ALTER TABLE memory RENAME COLUMN pinned TO archived_; ALTER TABLE memory RENAME COLUMN archived TO pinned_",
    ],
)
def test_two_renamed_columns_find_their_own_names(opened: Opener, path: Path, change: str) -> None:
    mem = opened()
    memory_id = mem.remember("tea at four", tags=["drink"], cites=["a.md"], pinned=True)
    mem.close()
    run(path, *change.split(";"))
    repair(path, embedder="none")
    record = opened().get(memory_id)
    assert record is not None
    assert (record.tags, record.cites, record.pinned, record.archived) == (("drink",), ("a.md",), True, False)


@pytest.mark.parametrize(
    "table, column",
    [
        ("version", "confidence"),
        ("version", "kind"),
        ("version", "trust"),
        ("version", "valid_from"),
        ("version", "known_from"),
        ("version", "ord"),
        ("version", "same"),
        ("version", "metadata"),
        ("version", "valid_to"),
        ("memory", "uid"),
        ("memory", "created_at"),
        ("memory", "seen"),
        ("content", "hash"),
        ("entry", "length"),
        ("space", "documents"),
    ],
)
def test_a_dropped_column_is_made_again(opened: Opener, path: Path, table: str, column: str) -> None:
    """What another row tells is restored; the rest gets its default. Texts, ids and answers stay."""
    mem = opened(embedder=MODEL)
    mem.remember("tea at four", subject="user")
    ended = mem.remember("milk at noon")
    mem.forget(ended)
    texts = [(hit.id, hit.text) for hit in mem.recall("tea")]
    mem.close()
    rename = f"{table}_before"
    columns = [row[0] for row in run(path, f"SELECT name FROM pragma_table_info('{table}')") if row[0] != column]
    run(
        path, "PRAGMA legacy_alter_table = ON", f"ALTER TABLE {table} RENAME TO {rename}",
        f"CREATE TABLE {table} AS SELECT {', '.join(columns)} FROM {rename}", f"DROP TABLE {rename}",
    )  # fmt: skip
    with pytest.raises(DamagedStoreError, match=rf"{table}\.{column}"):
        opened(embedder=MODEL)
    report = repair(path, embedder=MODEL)
    assert report.remaining == ()
    again = opened(embedder=MODEL)
    assert [(hit.id, hit.text) for hit in again.recall("tea")] == texts
    assert again.remember("tea at four", subject="user") == texts[0][0]
    assert again.remember("three more") > ended
    assert again.integrity_check() == []


def test_a_column_that_nothing_can_stand_in_for(opened: Opener, path: Path) -> None:
    """The repair gives up without changing anything, and names the column."""
    opened().remember("tea at four")
    opened().close()
    for handle in (opened(),):
        handle.close()
    run(path, "DROP INDEX version_memory", "PRAGMA legacy_alter_table = ON", "ALTER TABLE version RENAME TO v")
    columns = [row[0] for row in run(path, "SELECT name FROM pragma_table_info('v')") if row[0] != "memory_id"]
    run(path, f"CREATE TABLE version AS SELECT {', '.join(columns)} FROM v", "DROP TABLE v")
    before = run(path, "SELECT sql FROM sqlite_schema ORDER BY name")
    with pytest.raises(DamagedStoreError, match=r"version\.memory_id.*backup"):
        repair(path, embedder="none")
    assert run(path, "SELECT sql FROM sqlite_schema ORDER BY name") == before


def test_markers_that_were_lost(opened: Opener, path: Path) -> None:
    opened().remember("tea at four")
    run(path, "PRAGMA user_version = 0", "PRAGMA application_id = 0")
    with pytest.raises(StoreError):
        opened()
    repair(path, embedder="none")
    assert [hit.text for hit in opened().recall("tea")] == ["tea at four"]


def test_a_sound_file_is_left_alone(opened: Opener, path: Path) -> None:
    three_hundred(opened)
    before = path.read_bytes()
    report = repair(path, embedder=MODEL)
    assert (report.findings, report.rebuilt, report.actions, report.kept_at) == ((), 0, (), None)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_repair_without_the_model_leaves_vectors_pending(opened: Opener, path: Path) -> None:
    """A store whose model is another one is repaired all the same; its own model makes the rest."""
    before = three_hundred(opened)
    run(path, f"DELETE FROM block WHERE {VECTORS}")
    report = repair(path, embedder=FakeEmbedder(16, model_name="two"))
    assert report.rebuilt == 300
    mem = opened(embedder=MODEL)
    assert mem.stats()["default"]["pending_vectors"] == 300
    mem.repair()
    assert answers(mem) == before


def test_what_is_no_store_is_left_alone(opened: Opener, path: Path) -> None:
    """A file of somebody else, of a newer version, or none at all is not repaired into a store."""
    for content in (b"dear diary,\n" * 1000, b"\x00" * 9000, b"SQLite format 3\0 not really"):
        path.write_bytes(content)
        with pytest.raises(StoreError):
            repair(path, embedder="none")
        assert path.read_bytes() == content
        assert [file.name for file in path.parent.iterdir()] == [path.name]
    path.unlink()
    run(path, "CREATE TABLE songs(title TEXT)")
    with pytest.raises(ForeignStoreError):
        repair(path, embedder="none")
    path.unlink()
    with pytest.raises(StoreError, match="no store"):
        repair(path, embedder="none")
    opened().remember("tea at four")
    for handle in (opened(),):
        handle.close()
    run(path, "PRAGMA user_version = 9999")
    with pytest.raises(StoreVersionError):
        repair(path, embedder="none")


@pytest.mark.parametrize("kept", [0, 25, 5000])
def test_p05_a_log_cut_short(opened: Opener, path: Path, tmp_path: Path, kept: int) -> None:
    """With the log cut, empty or short, what was committed before is served and nothing is deleted."""
    mem = opened(embedder=MODEL)
    for n in range(20):
        mem.remember(f"note {n} on tea")
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for file in path.parent.glob("agents.db*"):
        if not file.name.endswith("-shm"):
            shutil.copy(file, crashed / file.name)
    log = crashed / "agents.db-wal"
    size = log.stat().st_size
    with log.open("r+b") as handle:
        handle.truncate(max(0, size - 25) if kept == 25 else kept)
    if kept == 25:
        again = opened(path=crashed / "agents.db", embedder=MODEL)
        assert again.stats()["default"]["count"] in (19, 20)
    else:
        repair(crashed / "agents.db", embedder=MODEL)
        again = opened(path=crashed / "agents.db", embedder=MODEL)
    assert again.integrity_check() == []
    assert again.remember("written after")
