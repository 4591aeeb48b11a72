"""Laws of vaults: whatever was done through the verbs and by hand, the files alone give the same answers."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws.depth import DEEP, examples

from omoide import History, Memory
from omoide.errors import OmoideError
from omoide.testing import FakeClock

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
pytestmark = pytest.mark.timeout(1800)
LAWS = settings(
    max_examples=examples(12, 30), deadline=None, derandomize=not DEEP, suppress_health_check=list(HealthCheck)
)
TEXTS = ["lives in Osaka", "boit du thé", "猫を飼っている", "has a dog", "the gate opens at nine", "RÉSUMÉ: naïve"]
SUBJECTS = [None, "user", "gate", "東京"]
VERBS = [
    "remember", "remember", "remember", "revise", "revise", "update", "forget", "restore", "reject", "supersede",
    "dispute", "confirm", "alias", "purge", "edit", "edit", "edit", "delete", "rename", "put back", "lose the index",
    "ingest", "ingest",
]  # fmt: skip

steps = st.tuples(st.sampled_from(VERBS), st.integers(0, 30), st.integers(0, 5), st.integers(-3, 3))
Step = tuple[str, int, int, int]


class Desk:
    """One vault on which a history is played, through a handle and by hand."""

    def __init__(self, root: Path) -> None:
        self.root, self.clock = root, FakeClock(START)
        self.skew = timedelta(0)
        self.mem = Memory(root, clock=self.clock, embedder="none", door_trust="stated")
        self.ids: list[int] = []
        self.old: list[tuple[Path, bytes]] = []

    def play(self, number: int, step: Step) -> None:
        """Do one step; what the store refuses changes nothing."""
        verb, pick, text, offset = step
        self.clock.set(START + timedelta(hours=number) + self.skew)
        by_hand = getattr(self, f"_{verb.replace(' ', '_')}", None)
        try:
            if by_hand is not None:
                by_hand(pick, f"{TEXTS[text]} {number}")
            else:
                self._through_the_verbs(verb, pick, f"{TEXTS[text]} {number}", offset)
        except OmoideError:
            pass

    def _through_the_verbs(self, verb: str, pick: int, text: str, offset: int) -> None:
        mem, subject = self.mem, SUBJECTS[pick % len(SUBJECTS)]
        start = self.clock.now() + timedelta(days=offset)
        if verb == "remember" or not self.ids:
            self.ids.append(int(mem.remember(text, subject=subject, valid_from=start, source=f"s{pick % 3}")))
            return
        id = self.ids[pick % len(self.ids)]
        calls: dict[str, Callable[[], object]] = {
            "revise": lambda: mem.revise(id, text, valid_from=start),
            "update": lambda: mem.update(id, text=text),
            "forget": lambda: mem.forget(id),
            "restore": lambda: mem.restore(id),
            "reject": lambda: mem.reject(id, reason="no"),
            "dispute": lambda: mem.dispute(id, reason="hm"),
            "confirm": lambda: mem.confirm(id),
            "alias": lambda: mem.alias_subject(f"name {pick}", of="user"),
            "purge": lambda: mem.purge(id) if pick % 4 == 0 else None,
        }
        if verb == "supersede":
            self.ids.append(int(mem.supersede([id], text)))
        else:
            calls[verb]()

    # -- by hand -----------------------------------------------------------------------------------------

    def _ingest(self, pick: int, text: str) -> None:
        """A conversation that goes on, in a transcript beside the vault."""
        record = {"role": "user", "content": text, "id": f"{self.root.name} {text}", "session_id": f"talk {pick % 3}"}
        file = self.root.with_name(f"{self.root.name} talk {pick % 3}.jsonl")
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(record, ensure_ascii=False) + "\n")
        with History(self.root, embedder="none", clock=self.clock) as his:
            his.ingest(file)

    def _note(self, pick: int) -> Path | None:
        found = [file for file in self.root.rglob("*.md") if ".index" not in file.parts and file.name != "MEMORY.md"]
        return sorted(found)[pick % len(found)] if found else None

    def _edit(self, pick: int, text: str) -> None:
        note = self._note(pick)
        if note is not None:
            data = note.read_text(encoding="utf-8")
            self.old.append((note, note.read_bytes()))
            head, _, _ = data.rpartition("---\n")
            note.write_text(f"{head}---\n{text} by hand", encoding="utf-8")

    def _delete(self, pick: int, _: str) -> None:
        note = self._note(pick)
        if note is not None:
            self.old.append((note, note.read_bytes()))
            note.unlink()

    def _rename(self, pick: int, text: str) -> None:
        note = self._note(pick)
        if note is not None:
            note.rename(note.with_name(f"renamed {pick} {len(text)}.md"))

    def _put_back(self, pick: int, _: str) -> None:
        if self.old:
            note, data = self.old[pick % len(self.old)]
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_bytes(data)

    def _lose_the_index(self, _: int, __: str) -> None:
        shutil.rmtree(self.root / ".index", ignore_errors=True)

    # -- what is asked -----------------------------------------------------------------------------------

    def answers(self, hours: int) -> dict[str, Any]:
        """Return everything that must be the same with and without the index."""
        mem = self.mem
        marks = [START + timedelta(hours=h) for h in (*range(0, hours + 1, 5), -60, 60)]
        current = mem.list(limit=1000)
        return {
            "current": current,
            "recalled": [(hit.id, hit.version_id, hit.score) for hit in mem.recall("lives opens 猫 thé", k=50)],
            "two axes": [
                [hit.version_id for hit in mem.recall(None, k=99, known_at=k, valid_at=v)] for k in marks for v in marks
            ],
            "why": [mem.why(found.id) for id in self.ids if (found := mem.get(id)) is not None],
            "diff": mem.diff(START - timedelta(days=1)),
            "timeline": [mem.timeline(subject) for subject in SUBJECTS if subject],
            "audit": mem.audit(),
            "head": mem.head(),
            "conflicts": mem.conflicts(),
            "subjects": mem.subjects(),
            "refused": [self._refused(text) for text in TEXTS],
            "conversations": self._conversations(),
        }

    def _conversations(self) -> list[Any]:
        """Sessions, and their records as they were written."""
        with self.mem._ctx.store.read(None) as tx:
            ns = tx.namespaces.id("default")
            found = [] if ns is None else tx.sessions.select("e.ns = ?", [ns], None)
            return [(row, tx.turns.raws(row.session_id)) for row in found]

    def _refused(self, text: str) -> list[bool]:
        return [self._is_refused(f"{text} {number}") for number in range(0, 20, 4)]

    def _is_refused(self, text: str) -> bool:
        with self.mem._ctx.store.read(None) as tx:
            from omoide.verbs.drafts import value_key

            ns = tx.namespaces.id("default")
            keys = [value_key("default", text, subject, None) for subject in SUBJECTS]
            return ns is not None and any(tx.relations.rejection(ns, key) is not None for key in keys)


@contextmanager
def desk() -> Iterator[Desk]:
    """A vault that is thrown away afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder) / "notes"
        root.mkdir()
        made = Desk(root)
        try:
            yield made
        finally:
            made.mem.close()


@LAWS
@given(script=st.lists(steps, min_size=3, max_size=22))
def test_the_files_are_enough(script: list[Step]) -> None:
    """After any history of verbs and hand edits the answers are the same once the index was made again."""
    with desk() as made:
        for number, step in enumerate(script):
            made.play(number, step)
        before = made.answers(len(script))
        shutil.rmtree(made.root / ".index", ignore_errors=True)
        after = made.answers(len(script))
        for name, answer in before.items():
            assert after[name] == answer, name
        assert made.mem.verify() == []
        assert made.mem.integrity_check() == []


@LAWS
@given(script=st.lists(steps, min_size=3, max_size=15))
def test_a_look_changes_nothing_twice(script: list[Step]) -> None:
    """Once the edits are taken in, looking again writes neither lines nor notes."""
    with desk() as made:
        for number, step in enumerate(script):
            made.play(number, step)
        made.mem.list()
        before = {file: file.read_bytes() for file in made.root.rglob("*") if file.suffix in (".md", ".jsonl")}
        made.mem.recall("anything")
        made.mem.list()
        assert {file: file.read_bytes() for file in made.root.rglob("*") if file.suffix in (".md", ".jsonl")} == before
