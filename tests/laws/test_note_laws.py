"""Whatever is done to a vault by hand and by calls, each memory has one note that says it, and all comes back."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.features.vault_kit import Vault
from tests.laws.depth import DEEP, SHARD, examples

from omoide.errors import OmoideError
from omoide.testing import FakeClock
from omoide.vault.damage import DamagedNoteError
from omoide.vault.frontmatter import Note, parse

SEEDS = range(SHARD * 1000, SHARD * 1000 + examples(4, 60))
STEPS = 40 if DEEP else 20


class Course:
    """One random history of a vault, by calls and by hand."""

    def __init__(self, vault: Vault, seed: int) -> None:
        self.vault, self.dice = vault, random.Random(seed)
        self.ids: list[int] = []
        self.bin: list[tuple[str, bytes]] = []
        self.step = 0

    def go(self) -> None:
        steps: list[Callable[[], object]] = [
            *[self.remember] * 3, self.revise, self.forget, self.restore, self.update, self.supersede,
            self.edit, self.edit, self.label, self.until, self.move, self.delete, self.undelete, self.copy,
            self.damage, self.status, self.stranger,
        ]  # fmt: skip
        for self.step in range(STEPS):
            self.vault.clock.advance(self.dice.choice([0, 1, 60, 86_400]))
            try:
                self.dice.choice(steps)()
            except OmoideError:
                continue  # refused with a reason, which other tests look at
            if self.dice.random() < 0.5:
                self.check()
        self.check()

    # -- by calls ----------------------------------------------------------------------------------------

    def remember(self) -> None:
        pick = self.dice.choice
        self.ids.append(
            self.vault.mem.remember(
                pick(["a", "b\n\nc", "日本語", "x" * 50]) + str(self.step), subject=pick(["user", "ユーザー", None]),
                predicate=pick([None, "is"]), project=pick([None, "p/q"]), kind=pick(["fact", "preference", "event"]),
                valid_from=pick([None, "2025-05-01", "2026-03-01"]),
            )
        )  # fmt: skip

    def revise(self) -> None:
        self.vault.mem.revise(self.one(), f"revised {self.step}")

    def forget(self) -> None:
        self.vault.mem.forget(self.one())

    def restore(self) -> None:
        self.vault.mem.restore(self.one())

    def update(self) -> None:
        self.vault.mem.update(self.one(), metadata={"k": self.step})

    def supersede(self) -> None:
        self.ids.append(self.vault.mem.supersede([self.one()], f"after {self.step}"))

    def one(self) -> int:
        return self.dice.choice(self.ids or [0])

    # -- by hand -----------------------------------------------------------------------------------------

    def note(self) -> tuple[Path, Note] | None:
        found = readable(self.vault)
        path = self.dice.choice(list(found)) if found else None
        return None if path is None else (self.vault.root / path, found[path])

    def change(self, new: Callable[[bytes, Note], bytes]) -> None:
        found = self.note()
        if found is not None:
            file, note = found
            file.write_bytes(new(file.read_bytes(), note))

    def edit(self) -> None:
        self.change(lambda data, note: data[: -len(note.body.encode()) - 1] + f"by hand {self.step}\n".encode())

    def label(self) -> None:
        self.change(
            lambda data, note: data if "tags" in note.fields else data.replace(b"trust:", b"tags: [t]\ntrust:", 1)
        )

    def until(self) -> None:
        line = b"valid_to: 2030-01-01\ntrust:"
        self.change(lambda data, note: data if "valid_to" in note.fields else data.replace(b"trust:", line, 1))

    def status(self) -> None:
        def turned(data: bytes, note: Note) -> bytes:
            if "status" not in note.fields:
                return data.replace(b"trust:", b"status: forgotten\ntrust:", 1)
            return b"\n".join(line for line in data.split(b"\n") if not line.startswith(b"status:"))

        self.change(turned)

    def move(self) -> None:
        found = self.note()
        if found is not None:
            (self.vault.root / "moved").mkdir(exist_ok=True)
            found[0].rename(self.vault.root / "moved" / f"{self.step}.md")

    def delete(self) -> None:
        found = self.note()
        if found is not None:
            self.bin.append((found[0].relative_to(self.vault.root).as_posix(), found[0].read_bytes()))
            found[0].unlink()

    def undelete(self) -> None:
        if self.bin:
            self.vault.write(*self.dice.choice(self.bin))

    def copy(self) -> None:
        found = self.note()
        if found is not None:
            shutil.copy(found[0], found[0].with_name(f"copy {self.step}.md"))

    def damage(self) -> None:
        self.change(lambda data, _: self.dice.choice([b"", b"---\nid: [", data[:20], b"\xff\xfe"]))

    def stranger(self) -> None:
        self.vault.write(f"stranger {self.step}.md", f"# Note {self.step}\n")

    # -- what has to hold --------------------------------------------------------------------------------

    def check(self) -> None:
        mem = self.vault.mem
        held = {note.path for note in mem.quarantine()}
        places: dict[int, str] = {}
        for path, note in readable(self.vault).items():
            if path not in held and isinstance(note.fields.get("id"), int):
                assert note.fields["id"] not in places, f"two notes of one memory: {path}, {places}"
                places[note.fields["id"]] = path
        for record in mem.list(include_archived=True):
            if record.id in places:
                body = parse((self.vault.root / places[record.id]).read_bytes(), ours=True).body
                assert body.strip() == record.text.strip(), f"a stale note: {places[record.id]}"
            else:
                assert held, f"a memory without a note: {record}"
        assert mem.integrity_check() == []
        assert mem.verify() == []

    def told(self) -> dict[int, object]:
        mem = self.vault.mem
        return {record.id: (record, mem.why(record.id).versions) for record in mem.list(include_archived=True)}


def readable(vault: Vault) -> dict[str, Note]:
    found: dict[str, Note] = {}
    for path in vault.notes():
        try:
            found[path] = parse((vault.root / path).read_bytes(), ours=True)
        except DamagedNoteError:
            continue
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_each_memory_has_one_note_that_says_it_and_all_comes_back(tmp_path: Path, seed: int) -> None:
    vault = Vault(tmp_path / "notes", FakeClock())
    try:
        course = Course(vault, seed)
        course.go()
        before = course.told()
        vault.close()
        shutil.rmtree(vault.root / ".index")
        assert course.told() == before
        course.check()
    finally:
        vault.close()
