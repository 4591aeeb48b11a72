"""Laws of conversion: whatever a store went through, it answers the same as a file, as a vault, and as a file again."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws.depth import DEEP, examples

from omoide import Memory

from .test_vault_laws import Desk, Step, steps

pytestmark = pytest.mark.timeout(1800)
LAWS = settings(
    max_examples=examples(6, 30), deadline=None, derandomize=not DEEP, suppress_health_check=list(HealthCheck)
)


def moved(desk: Desk, to: Path) -> None:
    """Make a store of the other kind of that of a desk, and go on with it, its index made again where it has one."""
    desk.mem.convert(to if to.suffix else f"{to}/")
    desk.mem.close()
    shutil.rmtree(to / ".index", ignore_errors=True)
    desk.root = to
    desk.mem = Memory(to, clock=desk.clock, embedder="none", door_trust="stated")


@LAWS
@given(script=st.lists(steps, min_size=2, max_size=18), folder_first=st.booleans())
def test_a_store_answers_the_same_as_either_kind(script: list[Step], *, folder_first: bool) -> None:
    """Answers of today and of the past, reasons, the audit chain, rejected values, conversations and their records."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        places = [Path(folder) / name for name in ("one", "two.db", "three", "four.db")]
        first, *others = places[:3] if folder_first else places[1:]
        if folder_first:
            first.mkdir()
        desk = Desk(first)
        try:
            for number, step in enumerate(script):
                desk.play(number, step)
            before = desk.answers(len(script))
            for place in others:
                moved(desk, place)
                after = desk.answers(len(script))
                for name, answer in before.items():
                    assert after[name] == answer, (name, place.name)
                assert desk.mem.verify() == []
                assert desk.mem.integrity_check() == []
        finally:
            desk.mem.close()


@LAWS
@given(script=st.lists(steps, min_size=2, max_size=10), later=st.lists(steps, min_size=1, max_size=6))
def test_what_is_done_after_a_conversion_is_kept_like_all_else(script: list[Step], later: list[Step]) -> None:
    """A vault made of a file is written, edited by hand and made again like one that always was a vault."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        desk = Desk(Path(folder) / "one.db")
        try:
            for number, step in enumerate(script):
                desk.play(number, step)
            moved(desk, Path(folder) / "two")
            for number, step in enumerate(later, len(script)):
                desk.play(number, step)
            before = desk.answers(len(script))
            shutil.rmtree(desk.root / ".index", ignore_errors=True)
            after = desk.answers(len(script))
            for name, answer in before.items():
                assert after[name] == answer, name
            assert desk.mem.verify() == desk.mem.integrity_check() == []
        finally:
            desk.mem.close()
