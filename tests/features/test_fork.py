from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

HEAD = """
    import os, signal, sys, warnings
    warnings.simplefilter("ignore", DeprecationWarning)
    from omoide import Memory
    from omoide.testing import FakeEmbedder
    path = sys.argv[1]
    mem = Memory(path, embedder=FakeEmbedder(16))

    def child(work):
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            code = 1
            try:
                work()
                code = 0
            finally:
                os._exit(code)
        return pid

    def wait(*pids):
        for pid in pids:
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


def run(path: Path, body: str) -> str:
    """Run a program with a store open and a way to fork; return what it printed."""
    program = textwrap.dedent(HEAD) + textwrap.dedent(body)
    out, err = path.with_suffix(".out"), path.with_suffix(".err")
    with out.open("w") as lines, err.open("w") as errors:
        code = subprocess.run(
            [sys.executable, "-c", program, str(path)], stdout=lines, stderr=errors, timeout=60, check=False
        ).returncode
    assert code == 0, err.read_text()
    return out.read_text()


def test_parent_and_child_write(path: Path) -> None:
    """A handle opened before a fork works on both sides, and each sees the other's writes."""
    out = run(
        path,
        """
        mem.remember("before the fork")
        def work():
            assert mem.recall("before the fork", k=1)[0].text == "before the fork"
            for n in range(20):
                mem.remember(f"child {n}")
        pid = child(work)
        for n in range(20):
            mem.remember(f"parent {n}")
        wait(pid)
        assert mem.recall("child 7", k=1, use_bm25=False)[0].text == "child 7"
        print(mem.stats()["default"]["count"], mem.integrity_check())
        """,
    )
    assert out.split() == ["41", "[]"]


def test_many_children(path: Path) -> None:
    """Four children of one handle write at once; nothing is lost and no id is given twice."""
    out = run(
        path,
        """
        def writer(c):
            def work():
                for n in range(25):
                    mem.remember(f"child {c} note {n}")
            return work
        wait(*[child(writer(c)) for c in range(4)])
        records = mem.list()
        print(len(records), len({r.id for r in records}), len({r.uid for r in records}))
        print(mem.integrity_check())
        """,
    )
    assert out.split() == ["100", "100", "100", "[]"]


def test_a_child_that_ends_does_not_harm_the_parent(path: Path) -> None:
    """A child that closes the handle or exits leaves the parent's handle working."""
    out = run(
        path,
        """
        mem.remember("one")
        wait(child(mem.close))
        wait(child(lambda: None))
        mem.remember("two")
        print(mem.stats()["default"]["count"], mem.integrity_check())
        """,
    )
    assert out.split() == ["2", "[]"]


def test_a_fork_inside_bulk(path: Path) -> None:
    """What the parent had not flushed at a fork is written once, though the child flushes too."""
    out = run(
        path,
        """
        with mem.bulk() as b:
            mem.remember("pending at the fork")
            def work():
                mem.remember("from the child")
                b.flush()
            wait(child(work))
            mem.remember("after the fork")
        print(sorted((r.text, r.seen) for r in mem.list()), mem.integrity_check())
        """,
    )
    assert out.strip() == "[('after the fork', 1), ('from the child', 1), ('pending at the fork', 1)] []"


def test_a_fork_while_threads_write(path: Path) -> None:
    """A child forked while other threads write works, whatever locks they held."""
    out = run(
        path,
        """
        import threading
        stop = threading.Event()
        def busy():
            n = 0
            while not stop.is_set():
                n += 1
                mem.remember(f"thread {threading.get_ident()} note {n}")
        threads = [threading.Thread(target=busy) for _ in range(3)]
        for thread in threads:
            thread.start()
        for c in range(5):
            def work():
                mem.remember(f"child {c}")
                assert mem.recall(f"child {c}", k=1)
            wait(child(work))
        stop.set()
        for thread in threads:
            thread.join()
        print(sorted(r.text for r in mem.list() if r.text.startswith("child")), mem.integrity_check())
        """,
    )
    assert out.strip() == "['child 0', 'child 1', 'child 2', 'child 3', 'child 4'] []"
