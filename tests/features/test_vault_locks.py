"""Several processes and threads on one vault: a lock that outlives nobody, bounded waits, reads that do not wait."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide import Memory
from omoide.errors import StoreBusyError

from .vaults import note_of, notes, open_vault, texts, throw_index_away

HOLDER = """
import sys
from pathlib import Path
from omoide.store.sqlite.mutex import Mutex
with Mutex(Path(sys.argv[1]) / ".omoide" / "local" / "lock", timeout=5).hold():
    print("held", flush=True)
    sys.stdin.readline()
"""
WRITER = """
import sys
from omoide import Memory
with Memory(sys.argv[1], embedder="none") as mem:
    for n in range(int(sys.argv[3])):
        mem.remember(f"{sys.argv[2]} {n}")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the vault will be."""
    return tmp_path / "notes"


@pytest.fixture
def mem(root: Path) -> Iterator[Memory]:
    """A handle that waits half a second for others."""
    with open_vault(root, busy_timeout=0.5) as handle:
        yield handle


@pytest.fixture
def holder(mem: Memory, root: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the vault."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "held"
    yield process
    process.kill()
    process.communicate()


def test_a_write_waits_only_so_long(mem: Memory, holder: subprocess.Popen[str], root: Path) -> None:
    """While another process holds the vault a write is refused after the bounded wait, and nothing is written."""
    with pytest.raises(StoreBusyError):
        mem.remember("too late")
    assert notes(root) == []


def test_reading_does_not_wait_for_writers(mem: Memory, root: Path) -> None:
    """Questions are answered while another process holds the vault."""
    mem.remember("known before")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert mem.recall("known", k=1)[0].text == "known before"
        process.kill()


def test_a_vault_is_opened_and_read_while_another_process_holds_it(mem: Memory, root: Path) -> None:
    """It answers with what is known, says that it may lag behind, refuses a write, and writes when it is let go."""
    mem.remember("known before")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with open_vault(root, busy_timeout=0.5) as late:
            assert texts(late) == ["known before"]
            with pytest.raises(StoreBusyError):
                late.remember("too early")
            process.kill()
            process.wait()
            late.remember("let go")
            assert texts(late) == ["known before", "let go"]
    assert mem.verify() == mem.integrity_check() == []


def test_a_dead_holder_holds_nothing(mem: Memory, holder: subprocess.Popen[str]) -> None:
    """When the process that held the vault is killed, the next write goes through."""
    holder.kill()
    holder.wait()
    mem.remember("after the death")
    assert texts(mem) == ["after the death"]


def test_processes_lose_nothing(mem: Memory, root: Path) -> None:
    """Three processes that write at once, this one too: every memory, every note, one sound chain."""
    command = [sys.executable, "-c", WRITER, str(root)]
    others = [subprocess.Popen([*command, f"process {n}", "15"]) for n in range(3)]
    with open_vault(root, busy_timeout=20) as patient:
        for n in range(15):
            patient.remember(f"here {n}")
        assert [process.wait() for process in others] == [0, 0, 0]
        assert len(texts(patient)) == len(notes(root)) == 60
        assert patient.verify() == patient.integrity_check() == []
        throw_index_away(root)
        assert len(texts(patient)) == 60
        assert patient.verify() == []


def test_threads_lose_nothing(root: Path) -> None:
    """Threads of one handle write and read at once."""
    with open_vault(root, busy_timeout=20) as mem:
        problems: list[BaseException] = []

        def work(name: str) -> None:
            try:
                for n in range(10):
                    mem.remember(f"{name} {n}")
                    assert mem.recall(f"{name} {n}", k=1)
            except BaseException as error:  # noqa: BLE001  (carried to the main thread)
                problems.append(error)

        threads = [threading.Thread(target=work, args=(f"thread {n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        assert len(texts(mem)) == len(notes(root)) == 40


def test_an_edit_is_taken_once_by_many(mem: Memory, root: Path) -> None:
    """Several processes that see one edit make one revision of it."""
    id = mem.remember("before the edit")
    note = note_of(root, "before the edit")
    note.write_text(note.read_text(encoding="utf-8").replace("before", "after"), encoding="utf-8")
    program = textwrap.dedent("""
        import sys
        from omoide import Memory
        with Memory(sys.argv[1], embedder="none") as mem:
            print(mem.recall("edit", k=1)[0].text)
    """)
    others = [
        subprocess.Popen([sys.executable, "-c", program, str(root)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert {process.communicate()[0].strip() for process in others} == {"after the edit"}
    assert [version.text for version in mem.why(id).versions if version.cause == "revise"] == ["after the edit"]


def test_the_lock_can_be_deleted(mem: Memory, root: Path) -> None:
    """A lock file that somebody removes is made again."""
    mem.remember("one")
    (root / ".omoide" / "local" / "lock").unlink()
    mem.remember("two")
    assert texts(mem) == ["one", "two"]


def test_an_answer_that_may_be_old_says_so(mem: Memory, root: Path) -> None:
    """While another process holds the vault, an edit is not in the answers, which are marked as degraded."""
    mem.remember("before the edit")
    note = note_of(root, "before the edit")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        note.write_text(note.read_text(encoding="utf-8").replace("before", "after"), encoding="utf-8")
        hits = mem.recall("edit", k=1)
        process.kill()
    assert hits[0].text == "before the edit"
    assert hits.degraded
    assert mem.recall("edit", k=1)[0].text == "after the edit"
