from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.features.conftest import database

from omoide import Memory
from omoide.testing import FakeClock, FakeEmbedder

Opener = Callable[..., Memory]
HIDDEN = "passphrase-xylophone-7731"
KEPT = "tea at four with zeppelin"


def leaks(folder: Path, *words: str) -> list[str]:
    """Return the files that hold any of the words, in UTF-8 or UTF-16."""
    return [
        f"{file.name}: {word}"
        for file in folder.rglob("*")
        if file.is_file()
        for word in words
        if any(word.encode(code) in file.read_bytes() for code in ("utf-8", "utf-16-le", "utf-16-be"))
    ]


def link(path: Path, kind: str, one: int, other: int) -> None:
    """Relate two memories of a closed store, as a pass that derives one from the other does."""
    with sqlite3.connect(database(path)) as connection:
        connection.execute(
            "INSERT INTO link(kind, from_id, to_id, at, event) VALUES (?, ?, ?, 0, 1)", (kind, one, other)
        )
    connection.close()


@pytest.mark.parametrize(
    "text", [HIDDEN, "le mot de passe est quarantaine-bleue", "合言葉は木琴七七三一です", "𝕊ecret ключ"]
)
def test_no_byte_and_no_word_is_left(opened: Opener, path: Path, text: str) -> None:
    """The text and every word of it that no survivor holds are gone from all files, in any script."""
    mem = opened(embedder=FakeEmbedder(16))
    kept = mem.remember(KEPT)
    memory_id = mem.remember(text, subject="quetzal", source="narwhal-source", metadata={"key": "ocelot-value"})
    words = [text, *text.split()[-1:], "quetzal", "narwhal-source", "ocelot-value"]
    assert leaks(path.parent, *words) != []
    receipt = mem.purge(memory_id)
    assert receipt.verified
    assert leaks(path.parent, *words) == []
    mem.close()
    assert leaks(path.parent, *words) == []
    again = opened()
    assert [record.id for record in again.list()] == [kept]
    assert again.integrity_check() == []
    assert again.verify() == []


def test_what_was_derived_goes_too(opened: Opener, path: Path) -> None:
    """Purging a source purges what was derived from its memories, however far; a sibling source is untouched."""
    mem = opened()
    told = mem.remember("ann said she moves to Kyoto", source="session-1")
    derived = mem.remember("ann lives in Kyoto", subject="ann")
    further = mem.remember("ann needs a map of Kyoto", subject="ann")
    sibling = mem.remember("bob lives in Nara", source="session-2")
    mem.close()
    link(path, "derived", told, derived)
    link(path, "derived", derived, further)
    mem = opened()
    receipt = mem.purge(source="session-1")
    assert receipt.purged_ids == (told, derived, further)
    assert receipt.verified
    assert [record.id for record in mem.list()] == [sibling]
    assert leaks(path.parent, "Kyoto", "session-1") == []


def test_a_memory_with_another_source_only_loses_the_purged_one(opened: Opener, path: Path) -> None:
    """Evidence from the purged source is erased; what another source said stays."""
    mem = opened()
    memory_id = mem.remember("uses Postgres", source="session-2")
    mem.remember("uses Postgres", source="session-one-walrus")
    receipt = mem.purge(source="session-one-walrus")
    assert receipt.purged_ids == ()
    assert receipt.verified
    record = mem.get(memory_id)
    assert record is not None
    assert record.sources == ("session-2",)
    assert leaks(path.parent, "walrus") == []


def test_by_session(opened: Opener, path: Path) -> None:
    """A session's turns and what it told are erased; another session is untouched."""
    mem = opened()
    gone = [
        mem.remember_turn("user", f"my number is {HIDDEN}", session_id="session-1"),
        mem.remember("told in it", source="session-1"),
    ]
    kept = mem.remember_turn("user", "hello", session_id="session-2")
    assert mem.purge(session="session-1").purged_ids == tuple(gone)
    assert [record.id for record in mem.list()] == [kept]
    assert leaks(path.parent, "xylophone") == []


def test_by_subject_under_all_its_names(opened: Opener, path: Path) -> None:
    """Every name of a subject counts, and the names are erased too."""
    mem = opened()
    mem.remember("plays go", subject="Wolfgangus")
    mem.alias_subject("Amadeusus", of="Wolfgangus")
    mem.remember("plays shogi", subject="Amadeusus")
    mem.reject(mem.remember("plays chess", subject="Wolfgangus"))
    kept = mem.remember("plays too", subject="Ann")
    assert len(mem.purge(subject="Amadeusus").purged_ids) == 3
    assert [record.id for record in mem.list()] == [kept]
    assert leaks(path.parent, "olfgangus", "madeusus", "chess") == []


@pytest.mark.parametrize("count", [3, 250])
def test_a_whole_namespace(opened: Opener, path: Path, count: int) -> None:
    """Few or many: everything of a namespace is gone, its neighbour whole, and it can be written again."""
    a, b = opened("a"), opened("b")
    with a.bulk():
        for n in range(count):
            a.remember(f"{HIDDEN} note {n}", subject="quetzal", idempotency_key=f"k{n}" if n < 3 else None)
    a.alias_subject("ocelotus", of="quetzal")
    kept = b.remember(KEPT)
    reader = opened("a")
    assert len(reader.recall("xylophone", k=2)) == 2
    receipt = a.purge(namespace="a")
    assert (len(receipt.purged_ids), receipt.verified) == (count, True)
    assert leaks(path.parent, "xylophone", "7731", "quetzal", "ocelotus") == []
    assert reader.recall("xylophone") == []
    assert b.get(kept) is not None
    new = a.remember("a fresh start")
    assert [hit.id for hit in reader.recall("fresh")] == [new]
    assert a.integrity_check() == []
    assert a.verify() == []


def test_remarks_that_quote_it_are_taken_out(opened: Opener, path: Path) -> None:
    """The stored answer to a retry does not quote a purged memory."""
    mem = opened()
    first = mem.remember("lives in Xylophonia", subject="ann", predicate="city")
    second = mem.remember("lives in Kyoto", subject="ann", predicate="city", idempotency_key="k")
    assert any("Xylophonia" in notice.message for notice in second.notices)
    mem.purge(first)
    assert leaks(path.parent, "Xylophonia") == []
    assert mem.remember("lives in Kyoto", subject="ann", predicate="city", idempotency_key="k") == second


def test_copies_are_named_and_not_edited(opened: Opener, path: Path, tmp_path: Path) -> None:
    """Exports, dumps and backups made since the memory was known stand under ``remaining``, as they were."""
    mem = opened()
    mem.remember(KEPT)
    early = mem.export(tmp_path / "early" / "e.jsonl")
    memory_id = mem.remember(HIDDEN)
    copies = [
        mem.export(tmp_path / "copies" / "e.jsonl"), str(mem.dump(tmp_path / "copies" / "d.txt")),
        mem.backup(tmp_path / "copies" / "b.db"),
    ]  # fmt: skip
    deleted = mem.export(tmp_path / "gone.jsonl")
    Path(deleted).unlink()
    before = [Path(copy).read_bytes() for copy in copies]
    receipt = mem.purge(memory_id)
    assert receipt.verified
    told = "\n".join(receipt.remaining)
    assert all(str(Path(copy).resolve()) in told for copy in copies)
    assert str(Path(deleted).resolve()) not in told
    assert [Path(copy).read_bytes() for copy in copies] == before
    assert early not in told or Path(early).exists()


def test_an_open_reader_is_named(opened: Opener, path: Path) -> None:
    """While somebody reads an older state, the erasure is not verified and says why; afterwards it is."""
    mem = opened(busy_timeout=0.2)
    memory_id = mem.remember(HIDDEN)
    other = mem.remember("second secret ocelot")
    # the SQLite that holds the store's locks
    reader = apsw.Connection(str(database(path)), flags=apsw.SQLITE_OPEN_READONLY)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM version").fetchall()
    receipt = mem.purge(memory_id)
    assert not receipt.verified
    assert any("reading" in line for line in receipt.remaining)
    reader.close()
    assert mem.purge(other).verified
    assert leaks(path.parent, "xylophone", "ocelot") == []


def test_a_residue_is_found(opened: Opener, path: Path) -> None:
    """The proof looks at every file beside the store: a copy that a repair kept is told of."""
    mem = opened()
    memory_id = mem.remember(HIDDEN)
    mem.remember(KEPT)
    stray = database(path).with_name(database(path).name + ".damaged")
    mem.backup(stray)
    receipt = mem.purge(memory_id)
    assert not receipt.verified
    assert any(stray.name in line for line in receipt.remaining)


def test_words_that_a_survivor_holds_are_no_residue(opened: Opener) -> None:
    """A word that another memory has too does not spoil the proof."""
    mem = opened()
    memory_id = mem.remember("the zeppelin leaves at midnight", subject="travel", source="session-1")
    mem.remember("the zeppelin is late", subject="travel", source="session-1")
    assert mem.purge(memory_id).verified


def test_only_hashes_stay(opened: Opener, path: Path) -> None:
    """Of a purged memory the file keeps its number in the audit and two hashes."""
    mem = opened()
    memory_id = mem.remember(HIDDEN)
    mem.purge(memory_id)
    assert [(event.op, event.targets) for event in mem.audit()] == [("remember", (1,)), ("purge", (1,))]
    mem.close()
    with sqlite3.connect(database(path)) as connection:
        marks = connection.execute("SELECT key FROM purged").fetchall()
    connection.close()
    assert sorted(len(mark[0]) for mark in marks) == [16, 16]


def test_a_value_that_another_memory_says_is_not_marked(opened: Opener, tmp_path: Path, clock: FakeClock) -> None:
    """Purging one of two memories with one value leaves the other free to be copied anywhere."""
    mem = opened()
    gone = mem.remember("shared value", kind="fact")
    kept = mem.remember("shared value", kind="note")
    mem.purge(gone)
    clock.advance(60)
    mem.export(tmp_path / "e.jsonl")
    copy = opened(path=tmp_path / "copy.db")
    copy.remember("seed")
    copy.import_(tmp_path / "e.jsonl")
    record = mem.get(kept)
    assert record is not None
    assert record.uid in [found.uid for found in copy.list()]


def test_the_names_of_a_purged_subject_do_not_come_back(opened: Opener, path: Path, tmp_path: Path) -> None:
    """An export made before the purge brings neither the subject nor its other names back."""
    mem = opened()
    mem.remember("lives in Osaka", subject="zanzibarquux")
    mem.rename_subject("zanzibarquux", "quuxzanzibar")
    mem.alias_subject("barzanquux", of="quuxzanzibar")
    mem.remember("stays here", subject="neighbour")
    mem.alias_subject("the neighbour", of="neighbour")
    old = mem.export(tmp_path / "old.jsonl")
    assert mem.purge(subject="quuxzanzibar").verified
    mem.import_(old)
    mem.close()
    Path(old).unlink()
    assert leaks(path.parent, "zanzibarquux", "quuxzanzibar", "barzanquux") == []
    assert opened().timeline("the neighbour")


def test_names_that_nothing_bears_any_more_are_erased(opened: Opener, path: Path) -> None:
    """A purge by subject erases its names also when its memories were purged one by one before."""
    mem = opened()
    id = mem.remember("lives in Osaka", subject="zanzibarquux")
    mem.alias_subject("barzanquux", of="zanzibarquux")
    mem.purge(id)
    assert mem.purge(subject="zanzibarquux").verified
    mem.close()
    assert leaks(path.parent, "zanquux") == []


def test_names_that_nothing_bears_any_more_are_said_to_stay(opened: Opener) -> None:
    """The receipt of a purge by id says that the other names are there, once no memory is about their subject."""
    mem = opened()
    first, last = (mem.remember(text, subject="zanzibarquux") for text in ("lives in Osaka", "plays go"))
    mem.alias_subject("barzanquux", of="zanzibarquux")
    said = ["other names" in " ".join(mem.purge(id).remaining) for id in (first, last)]
    assert said == [False, True]
