"""Every kind of proposal: made by a pass on what stores hold, explained, refused for good, accepted, taken back."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.features.conftest import Opener

from omoide import Memory
from omoide.testing import FakeClock
from omoide.types.consolidation import Proposal

DAY = 86_400.0
Scene = Callable[[Memory, FakeClock, Path], None]


def merge(mem: Memory, clock: FakeClock, folder: Path) -> None:
    mem.remember("Deploy billing on Friday evening with the release script from staging")
    mem.remember("Deploy billing on Friday evening with the release script from staging, twice")


def supersede(mem: Memory, clock: FakeClock, folder: Path) -> None:
    mem.remember("予算は500万円です", subject="企画")
    clock.advance(30 * DAY)
    mem.remember("予算は800万円です", subject="企画")


def split(mem: Memory, clock: FakeClock, folder: Path) -> None:
    mem.remember("\n\n".join(f"## Partie {n}\n\nCette partie traite du sujet numéro {n} en détail." for n in range(3)))


def generalise(mem: Memory, clock: FakeClock, folder: Path) -> None:
    for session in ("a", "b", "c"):
        mem.remember_turn("user", "Please always answer in French.", session_id=session)


def archive(mem: Memory, clock: FakeClock, folder: Path) -> None:
    git(folder, "init", "-q", "-b", "main")
    (folder / "notes.md").write_text("one", encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    head = git(folder, "rev-parse", "HEAD")
    mem.remember("the notes say one", cites=[f"notes.md@{head}"])
    (folder / "notes.md").write_text("two", encoding="utf-8")
    git(folder, "commit", "-q", "-am", "two")


def delete(mem: Memory, clock: FakeClock, folder: Path) -> None:
    mem.remember("Lunch was soup", kind="event", importance="low")
    clock.advance(400 * DAY)
    mem.sleep()
    clock.advance(400 * DAY)


def reject(mem: Memory, clock: FakeClock, folder: Path) -> None:
    for _ in range(2):
        clock.advance(DAY)
        mem.forget(mem.remember("The office is closed on Mondays"))
    clock.advance(DAY)
    mem.remember("The office is closed on Mondays")


def retitle(mem: Memory, clock: FakeClock, folder: Path) -> None:
    mem.remember("The release needs two people. " + "Then it waits for the night and the checks pass. " * 20)


SCENES: dict[str, Scene] = {
    each.__name__: each for each in (merge, supersede, split, generalise, archive, delete, reject, retitle)
}
kinds = pytest.mark.parametrize("kind", SCENES)


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True)  # noqa: S607
    return done.stdout.strip()


@pytest.fixture
def person(opened: Opener) -> Memory:
    return opened(door_trust="stated")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the run is started."""
    made = tmp_path / "work"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


def proposed(kind: str, mem: Memory, clock: FakeClock, folder: Path) -> Proposal:
    if kind == "archive" and shutil.which("git") is None:
        pytest.skip("needs git")
    SCENES[kind](mem, clock, folder)
    clock.advance(60)
    mem.sleep()
    (found,) = [each for each in mem.proposals() if each.kind == kind]
    return found


def shown(mem: Memory) -> Any:
    return sorted((each.id, each.text, each.abstract, each.archived, each.status) for each in mem.list())


@kinds
def test_a_pass_makes_it_and_says_why(kind: str, person: Memory, clock: FakeClock, folder: Path) -> None:
    found = proposed(kind, person, clock, folder)
    assert person.explain_proposal(found.id) == found
    assert found.evidence
    assert found.before


@kinds
def test_refused_it_does_not_come_back(kind: str, person: Memory, clock: FakeClock, folder: Path) -> None:
    found = proposed(kind, person, clock, folder)
    before = shown(person)
    person.refuse(found.id)
    clock.advance(DAY)
    person.sleep()
    assert [each.id for each in person.proposals() if each.kind == kind] == []
    assert shown(person) == before


@kinds
def test_accepted_it_is_taken_back_as_one_batch(kind: str, person: Memory, clock: FakeClock, folder: Path) -> None:
    found = proposed(kind, person, clock, folder)
    before = shown(person)
    made = person.accept(found.id)
    assert made.failed == {}
    assert made.batch is not None
    person.undo(made.batch)
    assert shown(person) == before
    assert (person.verify(), person.integrity_check()) == ([], [])


def test_a_reasoners_other_words_for_what_was_refused_do_not_bring_it_back(
    person: Memory, clock: FakeClock, folder: Path
) -> None:
    found = proposed("generalise", person, clock, folder)
    person.refuse(found.id)
    clock.advance(DAY)
    person.sleep(reasoner=lambda _: '{"handle": "P1", "verdict": "accept", "text": "Answer in French, please."}')
    assert person.proposals() == []


def test_cited_files_are_not_looked_at_outside_of_a_repository(person: Memory, clock: FakeClock, folder: Path) -> None:
    person.remember("the notes say one", cites=["notes.md"])
    report = person.sleep()
    assert any("git repository" in reason for reason in report.reasons)
    assert [each.status for each in person.list()] == ["current"]
