"""Files with whole pages gone, processes killed in the middle of upkeep."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from omoide import Memory
from omoide.errors import DamagedStoreError, StoreBusyError
from omoide.maintenance import repair
from omoide.testing import FakeEmbedder

pytestmark = pytest.mark.torture

MODEL = FakeEmbedder(16)
PAGE = 4096

CHILD = """
import sys, time
from omoide import Memory
from omoide.testing import FakeEmbedder

class Slow(FakeEmbedder):
    def embed(self, texts):
        time.sleep(0.002 * len(texts))
        return super().embed(texts)

mem = Memory(sys.argv[1], embedder=Slow(16, model_name=sys.argv[2]))
print("go", flush=True)
{work}
"""


def run(path: Path, sql: str) -> list[Any]:
    """Return the rows of a statement."""
    connection = apsw.Connection(str(path))
    rows = connection.execute(sql).fetchall()
    connection.close()
    return rows


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a closed store: long and short texts, revised, forgotten, pinned ones, two namespaces."""
    path = tmp_path_factory.mktemp("sound") / "agents.db"
    with Memory(path, "work", embedder=MODEL) as mem, Memory(path, "home", embedder=MODEL) as home:
        with mem.bulk():
            for n in range(150):
                mem.remember(f"note {n} on tea" + " and more" * (700 if n % 9 == 0 else 3), subject="user")
        for n in range(1, 30):
            mem.revise(n, f"note {n} on coffee")
        for n in range(30, 40):
            mem.forget(n)
        home.remember("the spare key is under the stone", pinned=True)
    return path


def texts(path: Path, namespace: str = "work") -> dict[int, str]:
    """Return what is believed, by id."""
    with Memory(path, namespace, embedder="none") as mem:
        return {record.id: record.text for record in mem.list()}


def trash(sound: Path, path: Path, pages: list[int], data: bytes) -> None:
    """Copy the store with some pages overwritten."""
    content = bytearray(sound.read_bytes())
    for number in pages:
        content[(number - 1) * PAGE : number * PAGE] = data
    path.write_bytes(bytes(content))


def pages_of(path: Path, *names: str) -> list[int]:
    """Return the pages of tables and indexes."""
    marks = ",".join(f"'{name}'" for name in names)
    return [row[0] for row in run(path, f"SELECT pageno FROM dbstat WHERE name IN ({marks}) ORDER BY pageno")]


@pytest.mark.parametrize("seed", range(12))
def test_any_page_may_be_trashed(sound: Path, path: Path, seed: int) -> None:
    """Everything on the other pages is saved, nothing false appears, the damaged file is kept, the loss is told."""
    chance = random.Random(seed)
    count = sound.stat().st_size // PAGE
    pages = [chance.randrange(1, count + 1) for _ in range(1 + seed % 3)]
    trash(sound, path, pages, chance.choice([b"\xff" * PAGE, bytes(PAGE), chance.randbytes(PAGE)]))
    damaged = path.read_bytes()
    before = texts(sound)
    report = repair(path, embedder=MODEL)
    after = texts(path)
    assert report.remaining == ()
    assert {id: text for id, text in after.items() if before.get(id) != text} == {}
    assert len(before) - len(after) <= 100
    if len(before) > len(after):
        assert report.lost
    if report.kept_at is not None:
        assert Path(report.kept_at).read_bytes() == damaged
    with Memory(path, "work", embedder=MODEL) as mem:
        assert mem.integrity_check() == []
        assert mem.remember("written after the repair") > 150
        for memory_id, text in list(after.items())[:5]:
            assert memory_id in {hit.id for hit in mem.recall(" ".join(text.split()[:4]), k=5, use_vectors=False)}


@pytest.mark.parametrize(
    "names",
    [
        ("sqlite_schema",),
        ("setting",),
        ("namespace",),
        ("memory",),
        ("space", "entry", "term", "posting", "held", "block", "feed"),
        ("version_memory", "version_ord", "version_same", "sqlite_autoindex_memory_1"),
        ("sqlite_sequence",),
        ("event",),
        ("segment", "idempotency", "rejection", "link"),
    ],
    ids="-".join,
)
def test_a_whole_table_may_be_trashed(sound: Path, path: Path, names: tuple[str, ...]) -> None:
    """As long as texts and versions can be read, every memory is still there, in its namespace, with its uid."""
    trash(sound, path, pages_of(sound, *names), b"\x5a" * PAGE)
    report = repair(path, embedder=MODEL)
    assert report.remaining == ()
    assert report.kept_at is not None
    assert texts(path) == texts(sound)
    assert texts(path, "home") == texts(sound, "home")
    assert run(path, "SELECT id, uid FROM memory ORDER BY id") == run(sound, "SELECT id, uid FROM memory ORDER BY id")
    with Memory(path, "work", embedder=MODEL) as mem:
        assert mem.remember("a new note") > 151
        assert mem.integrity_check() == []
        assert mem.restore(35)


def test_versions_that_only_indexes_remember(sound: Path, path: Path) -> None:
    """With every version gone the texts keep their ids and places, told only to those who ask for the untrusted."""
    trash(sound, path, pages_of(sound, "version"), b"\x5a" * PAGE)
    report = repair(path, embedder=MODEL)
    assert report.remaining == ()
    assert report.lost["version"] > 150
    assert texts(path) == texts(sound)
    with Memory(path, "work", embedder=MODEL, door_trust="stated") as mem:
        assert mem.recall("note 77 on tea", k=1) == []
        (hit,) = mem.recall("note 77 on tea", k=1, trust="untrusted")
        assert hit.text.startswith("note 77 on tea")
        mem.confirm(hit.id)
        assert mem.recall("note 77 on tea", k=1)[0].id == hit.id
        assert mem.integrity_check() == []


def test_lost_events_are_told_for_ever(sound: Path, path: Path) -> None:
    """The chain goes on with numbers never used; ``verify`` says what is gone, and knows a head that is."""
    with Memory(sound, "work", embedder="none") as mem:
        kept = mem.head()
    trash(sound, path, pages_of(sound, "event"), bytes(PAGE))
    report = repair(path, embedder=MODEL)
    assert report.lost["event"] > 30
    with Memory(path, "work", embedder=MODEL) as mem:
        assert mem.integrity_check() == []
        assert any("are missing" in line for line in mem.verify())
        assert any("the one of the head" in line for line in mem.verify(kept))
        assert int(mem.head().split(":")[0]) > int(kept.split(":")[0])


def test_a_truncated_file(sound: Path, path: Path) -> None:
    """With the second half of its rows gone, what the first half holds is saved."""
    data = sound.read_bytes()
    empty = max(page for (page,) in run(sound, "SELECT min(pageno) FROM dbstat GROUP BY name"))
    path.write_bytes(data[: (empty + len(data) // PAGE) // 2 * PAGE + 100])
    report = repair(path, embedder=MODEL)
    assert report.remaining == ()
    before, after = texts(sound), texts(path)
    assert after
    assert {id: text for id, text in after.items() if before[id] != text} == {}


def test_nothing_to_save(sound: Path, path: Path) -> None:
    """A file of noise is refused and left as it is."""
    noise = random.Random(1).randbytes(sound.stat().st_size)
    path.write_bytes(noise)
    with pytest.raises(DamagedStoreError):
        repair(path, embedder=MODEL)
    assert path.read_bytes() == noise
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_handle_repairs_its_own_file(sound: Path, path: Path) -> None:
    """An open handle goes on with the new file; nobody else may have it open."""
    middle = pages_of(sound, "version")[2]
    trash(sound, path, [middle], b"\xff" * PAGE)
    with Memory(path, "work", embedder=MODEL) as mem:
        with Memory(path, "home", embedder=MODEL), pytest.raises(StoreBusyError, match="open elsewhere"):
            mem.repair()
        report = mem.repair()
        assert report.lost["version"] > 0
        assert mem.integrity_check() == []
        memory_id = mem.remember("written by the same handle")
        assert mem.recall("written by the same handle", k=1)[0].id == memory_id
    assert memory_id in texts(path)


@pytest.mark.parametrize("round_", range(4))
@pytest.mark.parametrize("work", ["mem.rebuild()", "mem.rebuild(embedder=Slow(16, model_name='two'))"])
def test_killed_while_rebuilding(sound: Path, path: Path, work: str, round_: int) -> None:
    """Whenever the kill comes, the store is sound, answers by keyword, and a repair makes the vectors."""
    path.write_bytes(sound.read_bytes())
    program = [sys.executable, "-c", CHILD.format(work=work), str(path), MODEL.model_name]
    child = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(random.Random(round_).uniform(0.0, 0.6))
    child.kill()
    child.communicate()
    with Memory(path, "work", embedder="none") as mem:
        assert mem.integrity_check() == []
        assert mem.recall("note 77 on tea", k=1)[0].text.startswith("note 77 on tea")
        recorded = str(mem.stats()["work"]["embedder"])
    with Memory(path, "work", embedder=FakeEmbedder(16, model_name=recorded)) as mem:
        assert mem.repair().remaining == ()
        assert mem.stats()["work"]["pending_vectors"] == 0
        assert mem.recall("user: note 77 on tea and more and more and more", k=1, use_bm25=False)[0].id == 78
        assert mem.integrity_check() == []
    assert texts(path) == texts(sound)


def test_killed_while_copying(sound: Path, path: Path, tmp_path: Path) -> None:
    """A backup that was interrupted leaves no file under its name, or a whole one."""
    path.write_bytes(sound.read_bytes())
    work = "for n in range(1000): mem.backup(sys.argv[1] + f'.copy-{n}')"
    program = [sys.executable, "-c", CHILD.format(work=work), str(path), MODEL.model_name]
    child = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(1.0)
    child.kill()
    child.communicate()
    copies = [file for file in path.parent.glob("*.copy-*") if file.suffix[6:].isdigit()]
    assert copies
    for copy in copies[-3:]:
        assert texts(copy) == texts(sound)


Starter = Callable[..., "subprocess.Popen[str]"]


def test_repaired_while_others_write(path: Path, start: Starter, lines: Callable[[int], list[list[str]]]) -> None:
    """A damaged index is repaired under two writers; nothing they were told is lost."""
    with Memory(path, embedder=MODEL) as mem:
        with mem.bulk():
            for n in range(300):
                mem.remember(f"first note {n}")
        children = [start("write", path, who, 40) for who in ("one", "two")]
        run(path, "UPDATE block SET data = zeroblob(length(data)) WHERE (id >> 28) & 15 = 1 AND id & 268435455 = 0")
        mem.repair()
        for child in children:
            child.wait()
        mem.repair()
        assert mem.integrity_check() == []
        said = [line[2].strip() for number in range(2) for line in lines(number)]
        assert len(said) == 80
        for text in said:
            assert mem.recall(text, k=1, use_bm25=False)[0].text == text
