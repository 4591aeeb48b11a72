from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable

import pytest

from omoide.embed.loader import Loader, shared
from omoide.errors import EmbedderUnavailableError


def loader_of(load: Callable[[], str]) -> Loader[str]:
    return Loader(lambda _: load(), lambda _: None)


def run(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program that ends on its own."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)


def test_it_is_not_ready_until_the_value_is_there() -> None:
    go = threading.Event()
    loader = loader_of(lambda: "loaded" if go.wait(60) else "late")
    loader.start()
    assert not loader.ready
    go.set()
    assert loader.wait() == "loaded"
    assert loader.ready


def test_it_loads_once_for_everybody() -> None:
    calls: list[int] = []

    def load() -> str:
        calls.append(1)
        return "value"

    loader = loader_of(load)
    threads = [threading.Thread(target=loader.wait) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == [1]


@pytest.mark.parametrize("error", [ImportError, OSError, MemoryError, RuntimeError, ValueError])
def test_a_failure_is_stated_to_everybody_who_waits(error: type[Exception]) -> None:
    def load() -> str:
        raise error("no such thing")

    loader = loader_of(load)
    for _ in range(2):
        with pytest.raises(EmbedderUnavailableError, match="no such thing"):
            loader.wait()
    assert loader.failed
    assert not loader.ready


def test_a_wait_is_bounded() -> None:
    go = threading.Event()
    loader = loader_of(lambda: "late" if go.wait(60) else "")
    with pytest.raises(EmbedderUnavailableError, match="not loaded within"):
        loader.wait(timeout=0.01)
    go.set()
    assert loader.wait() == "late"


def test_a_key_has_one_loader_in_the_process() -> None:
    first = shared("test-key", lambda _: "one", lambda _: None)
    assert shared("test-key", lambda _: "two", lambda _: None) is first


def test_the_end_of_the_interpreter_waits_for_one_stage_only() -> None:
    done = run(
        """
        import threading
        from omoide.embed.loader import shared
        begun = threading.Event()

        def load(still_wanted):
            begun.set()
            threading.Event().wait(0.3)
            still_wanted()
            print("second stage")
            return "value"

        shared("key", load, print).start()
        begun.wait()
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_end_of_the_interpreter_closes_the_value() -> None:
    done = run(
        """
        from omoide.embed.loader import shared
        shared("key", lambda _: "value", lambda value: print("closed", value)).wait()
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "closed value\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_loads_again() -> None:
    done = run(
        """
        import os
        from omoide.embed.loader import shared
        loader = shared("key", lambda _: f"loaded by {os.getpid()}", lambda _: None)
        assert loader.wait() == f"loaded by {os.getpid()}"
        pid = os.fork()
        if pid == 0:
            good = not loader.ready and loader.wait() == f"loaded by {os.getpid()}"
            os._exit(0 if good else 1)
        assert os.waitpid(pid, 0)[1] == 0
        assert loader.wait() == f"loaded by {os.getpid()}"
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_while_loading_leaves_both_sides_able_to_load() -> None:
    done = run(
        """
        import os, threading
        from omoide.embed.loader import shared
        begun = threading.Event()

        def load(still_wanted):
            begun.set()
            threading.Event().wait(0.2)
            return "value"

        loader = shared("key", load, lambda _: None)
        loader.start()
        begun.wait()
        pid = os.fork()
        assert loader.wait(30) == "value"
        if pid == 0:
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        """
    )
    assert (done.returncode, done.stderr) == (0, "")
