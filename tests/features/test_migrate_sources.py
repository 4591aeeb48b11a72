"""Stores and files of other systems: what arrives of each, and what holds for all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.features import foreign

from omoide import Memory
from omoide.errors import AccessDeniedError, DamagedStoreError, InvalidInputError, MissingPathError
from omoide.migrate import SYSTEMS, import_into
from omoide.migrate.recognising import recognise
from omoide.model.catalog import upkeep
from omoide.testing import FakeClock

Opener = Callable[..., Memory]

MADE = {
    "rmbr": ("agents.sqlite", foreign.rmbr, 3),
    "rlm": ("context", foreign.rlm, 2),
    "mcp-memory-service": ("sqlite_vec.db", foreign.mcp_memory_service, 3),
    "claude-mem": ("claude-mem.db", foreign.claude_mem, 3),
    "chroma": ("chroma.sqlite3", foreign.chroma, 2),
    "memory-server": ("memory.json", foreign.graph, 5),
    "basic-memory": ("basic", foreign.basic_memory, 6),
    "agent-memory": ("agent", foreign.agent_memory, 2),
    "mem0": ("export.json", foreign.mem0_export, 2),
    "markdown": ("CLAUDE.md", foreign.instructions, 4),
    "csv": ("table.csv", foreign.table, 2),
}
"""For each system: what the source is called, what makes it, how many memories it holds."""


@pytest.fixture(params=MADE)
def kind(request: pytest.FixtureRequest) -> str:
    """The name of a system."""
    return str(request.param)


@pytest.fixture
def source(kind: str, tmp_path: Path) -> Path:
    """A store or file of that system."""
    name, make, _ = MADE[kind]
    (tmp_path / "theirs").mkdir()
    return make(tmp_path / "theirs" / name)


def state(path: Path) -> dict[str, str]:
    """Return everything that lies at a path, and beside it, by content."""
    files = sorted(path.parent.rglob("*")) if path.is_file() else sorted(path.rglob("*"))
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()}


# -- what holds for all ------------------------------------------------------------------------------------


def test_it_is_recognised_and_everything_arrives(mem: Memory, kind: str, source: Path) -> None:
    """Without a word the system is told from the content; the report counts what arrived."""
    assert recognise(source) == kind
    report = import_into(mem, source)
    assert (report.source, len(report.added), report.left_out) == (kind, MADE[kind][2], ())
    assert report.read >= len(report.added)
    assert (mem.integrity_check(), mem.verify()) == ([], [])


def test_twice_adds_nothing(mem: Memory, kind: str, source: Path, clock: FakeClock) -> None:
    """A second import finds everything known and writes no event."""
    import_into(mem, source)
    head = mem.head()
    clock.advance(3600)
    again = import_into(mem, source)
    assert (again.added, again.changed, again.documents, again.segments, again.batch) == ((), (), 0, 0, None)
    assert again.known >= MADE[kind][2]
    assert mem.head() == head


def test_a_source_is_only_read(mem: Memory, kind: str, source: Path) -> None:
    """Not a byte of it changes and nothing appears beside it."""
    before = state(source)
    import_into(mem, source)
    assert state(source) == before


def test_a_trial_changes_nothing(mem: Memory, kind: str, source: Path) -> None:
    """A dry run reports what would be added and leaves the store as it is."""
    head = mem.head()
    report = import_into(mem, source, dry_run=True)
    assert (len(report.added), report.dry_run, report.batch) == (MADE[kind][2], True, None)
    assert (mem.list(), mem.head()) == ([], head)
    assert mem.stats()["default"]["count"] == 0


def test_an_import_is_one_batch(mem: Memory, kind: str, source: Path, clock: FakeClock) -> None:
    """Undo takes all its memories back, and a later import brings them again."""
    report = import_into(mem, source)
    texts = {record.text for record in mem.list()}
    assert report.batch is not None
    clock.advance(60)
    mem.undo(report.batch)
    assert mem.list() == []
    clock.advance(60)
    import_into(mem, source)
    assert {record.text for record in mem.list()} == texts
    assert mem.conflicts() == []
    assert (mem.integrity_check(), mem.verify()) == ([], [])


def test_every_memory_names_its_record(mem: Memory, kind: str, source: Path) -> None:
    """The provenance has the id in the source, the door that it came through, and at most an observer's trust."""
    import_into(mem, source)
    for record in mem.list(include_archived=True):
        assert record.provenance is not None
        assert record.provenance.ref
        assert record.provenance.door == "import"
        assert record.trust in ("observed", "derived")


def test_trust_is_raised_by_people_only(mem: Memory, person: Memory, kind: str, source: Path) -> None:
    """An agent may not import as stated; what a person vouches for is stated, what a model made stays derived."""
    with pytest.raises(AccessDeniedError):
        import_into(mem, source, trust="stated")
    import_into(person, source, trust="stated")
    assert {record.trust for record in person.list()} <= {"stated", "derived"}
    assert mem.list() != []


def test_a_low_trust_lowers_everything(mem: Memory, kind: str, source: Path) -> None:
    """What is imported as untrusted is found only when it is asked for."""
    import_into(mem, source, trust="untrusted")
    assert {record.trust for record in mem.list()} == {"untrusted"}


def test_the_table_of_operations_names_the_same_systems() -> None:
    """What the command offers is what can be read."""
    assert ("auto", *SYSTEMS) == upkeep.SYSTEMS


# -- what is no source -------------------------------------------------------------------------------------


def test_nothing_there_is_an_error(mem: Memory, tmp_path: Path) -> None:
    """A path that does not exist is named."""
    with pytest.raises(MissingPathError, match=r"nowhere\.db"):
        import_into(mem, tmp_path / "nowhere.db")


@pytest.mark.parametrize("content", [b"", b"dear diary", b"\x00\x01", b"[1, 2]", b"SQLite format 3\x00 not really"])
def test_what_is_unknown_or_damaged_is_an_error(mem: Memory, tmp_path: Path, content: bytes) -> None:
    """A file of nobody's or a broken one is refused in words, and nothing is stored."""
    path = tmp_path / "thing.bin"
    path.write_bytes(content)
    with pytest.raises((InvalidInputError, DamagedStoreError), match=r"thing\.bin"):
        import_into(mem, path)
    assert mem.list() == []


@pytest.mark.parametrize("wrong", [name for name in SYSTEMS if name not in ("csv", "jsonl", "markdown")])
def test_a_source_of_another_make_is_an_error(mem: Memory, tmp_path: Path, wrong: str) -> None:
    """What is said to be a system's and is not gives an error that names it."""
    songs = foreign.database(tmp_path / "songs.db", "CREATE TABLE songs(title TEXT)")
    with pytest.raises((InvalidInputError, DamagedStoreError)):
        import_into(mem, songs, wrong)


def test_an_unknown_system_is_an_error(mem: Memory, tmp_path: Path) -> None:
    """The names that can be read are listed."""
    with pytest.raises(InvalidInputError, match="rmbr, memharness"):
        import_into(mem, foreign.table(tmp_path / "t.csv"), "palace")


def test_one_bad_row_stops_nothing(mem: Memory, tmp_path: Path) -> None:
    """A row that cannot be taken in is reported by its id and the reason, the others arrive."""
    store = foreign.rmbr(tmp_path / "r.db")
    foreign.change(store, "UPDATE memories SET metadata = '{broken' WHERE id = 1")
    foreign.change(store, "UPDATE memories SET text = '  ' WHERE id = 2")
    report = import_into(mem, store)
    assert [record.text for record in mem.list()] == ["東京に住んでいる"]
    assert [item.ref for item in report.left_out] == ["rmbr:memory/1", "rmbr:memory/2"]
    assert all(item.reason for item in report.left_out)
    assert report.read == 3


def test_the_folders_of_homes_are_recognised(tmp_path: Path) -> None:
    """Where a system keeps its things by default, the folder is enough."""
    foreign.rlm(tmp_path / "rlm" / "context")
    foreign.database(tmp_path / "memory.db", foreign.MEMHARNESS)
    (tmp_path / "claude").mkdir()
    foreign.claude_mem(tmp_path / "claude" / "claude-mem.db")
    (tmp_path / "agents").mkdir()
    foreign.instructions(tmp_path / "agents" / "AGENTS.md")
    assert recognise(tmp_path / "rlm") == "rlm"
    assert recognise(tmp_path / "claude") == "claude-mem"
    assert recognise(tmp_path / "agents") == "markdown"
    assert recognise(tmp_path) == "memharness"
