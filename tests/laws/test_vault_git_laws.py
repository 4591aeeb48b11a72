"""Laws of cloned vaults: two copies that git joins, edited by verbs and by hand, keep what each of them knew."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.laws.depth import DEEP, examples

from .test_vault_laws import START, Desk, Step, steps

pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
]
LAWS = settings(
    max_examples=examples(3, 30), deadline=None, derandomize=not DEEP, suppress_health_check=list(HealthCheck)
)
NAMED = {
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
}  # fmt: skip
moves = st.tuples(st.sampled_from("aaabbbs"), steps)
skews = st.sampled_from([0, 5, -5, 40, -40])


def git(root: Path, *words: str) -> int:
    command = [str(shutil.which("git")), *words]
    return subprocess.run(
        command, cwd=root, env=os.environ | NAMED, capture_output=True, check=False, timeout=60
    ).returncode


@contextmanager
def clones(skew: int) -> Iterator[tuple[Desk, Desk]]:
    """Two copies of a vault with one memory in it; the clock of the second is some hours ahead of that of the first."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder) / "a"
        root.mkdir()
        first = Desk(root)
        first.ids.append(int(first.mem.remember("known to both", subject="user")))
        git(root, "init", "-q", "-b", "main")
        commit(first)
        git(Path(folder), "clone", "-q", str(root), "b")
        second = Desk(Path(folder) / "b")
        second.ids.append(first.ids[0])
        second.skew = timedelta(hours=skew)
        try:
            yield first, second
        finally:
            for each in (first, second):
                each.mem.close()


def commit(desk: Desk) -> None:
    git(desk.root, "add", "-A")
    git(desk.root, "commit", "-q", "-m", "x")


def pull(into: Desk, source: Desk, side: str) -> None:
    """Join what both committed; where both changed the same lines of a note, one side is taken."""
    for each in (into, source):
        each.mem.list()
        commit(each)
    for _ in range(5):
        done = git(into.root, "pull", "-q", "--no-rebase", "-X", side, str(source.root), "main") == 0
        begun = done or (into.root / ".git" / "MERGE_HEAD").exists()
        commit(into)  # what one side changed and the other deleted stays as git leaves it
        if begun:
            break
        # MEMORY.md was written between the commit and the pull, which git refuses
    into.mem.list()


def play(desks: tuple[Desk, Desk], script: list[tuple[str, Step]]) -> None:
    for number, (side, step) in enumerate(script):
        for desk in desks:
            desk.clock.set(START + timedelta(hours=number) + desk.skew)
        if side == "s":
            pull(desks[step[1] % 2], desks[1 - step[1] % 2], ("ours", "theirs")[step[2] % 2])
        else:
            desks["ab".index(side)].play(number, step)


def current(desk: Desk) -> list[tuple[Any, ...]]:
    return sorted((record.text, record.subject or "") for record in desk.mem.list(limit=1000))


BOTH_PURGE = [
    ("a", ("remember", 0, 0, 1)), ("b", ("remember", 27, 0, 0)), ("b", ("purge", 8, 4, 3)), ("a", ("forget", 19, 4, 1)),
    ("b", ("supersede", 22, 1, -3)), ("b", ("forget", 10, 0, 0)),
]  # fmt: skip
LOG_GONE = [("a", ("remember", 21, 0, -1)), ("a", ("revise", 0, 5, -1)), ("b", ("purge", 20, 4, 0))]
GROUND_GONE = [
    ("a", ("remember", 0, 0, -2)), ("a", ("revise", 21, 0, -2)), ("s", ("remember", 0, 0, 0)),
    ("b", ("remember", 12, 0, 0)), ("a", ("remember", 17, 0, 3)), ("b", ("edit", 23, 3, 3)),
    ("b", ("remember", 23, 1, -1)), ("b", ("remember", 9, 1, 2)), ("a", ("purge", 28, 4, 0)),
    ("b", ("supersede", 21, 0, 2)),
]  # fmt: skip

NARROWED = [
    ("b", ("edit", 29, 5, 2)), ("b", ("confirm", 9, 0, -3)), ("a", ("supersede", 25, 0, 0)),
    ("s", ("remember", 1, 1, -2)),
]  # fmt: skip
EDITED_WHILE_NEW = [
    ("a", ("remember", 0, 0, 0)), ("a", ("remember", 0, 0, 0)), ("a", ("remember", 0, 0, 0)), ("a", ("edit", 0, 0, 0)),
    ("b", ("remember", 0, 0, 0)),
]  # fmt: skip


@LAWS
@given(script=st.lists(moves, min_size=4, max_size=16), skew=skews)
@example(script=BOTH_PURGE, skew=0)
@example(script=LOG_GONE, skew=0)
@example(script=GROUND_GONE, skew=40)
def test_the_files_of_each_clone_are_enough(script: list[tuple[str, Step]], skew: int) -> None:
    """After any history in two clones that git joins, each gives the same answers once its index was made again."""
    with clones(skew) as desks:
        play(desks, script)
        pull(desks[0], desks[1], "ours")
        pull(desks[1], desks[0], "theirs")
        pull(desks[0], desks[1], "ours")  # what rested on lines that a purge took away is said anew by the other copy
        for desk in desks:
            before = desk.answers(len(script))
            shutil.rmtree(desk.root / ".index", ignore_errors=True)
            after = desk.answers(len(script))
            for name, answer in before.items():
                assert after[name] == answer, name
            assert desk.mem.verify() == []
            assert desk.mem.integrity_check() == []


@LAWS
@given(script=st.lists(moves, min_size=4, max_size=12), skew=skews)
@example(script=NARROWED, skew=0)
@example(script=NARROWED, skew=-5)
@example(script=EDITED_WHILE_NEW, skew=-40)
def test_clones_that_hear_of_each_other_agree(script: list[tuple[str, Step]], skew: int) -> None:
    """When nobody edits any more and both have heard of all, both believe the same of any one time."""
    with clones(skew) as desks:
        play(desks, script)
        for round in range(3):
            desks[0].clock.advance(3_600)
            desks[1].clock.set(desks[0].clock.now() + desks[1].skew)
            pull(desks[round % 2], desks[1 - round % 2], "theirs")
        for desk in desks:  # what holds by the clock of one may be still to come by that of the other
            desk.clock.set(START + timedelta(days=99))
        assert current(desks[0]) == current(desks[1])
