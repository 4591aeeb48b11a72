"""A vault that tests look at from both sides: through the library, and as a person with an editor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omoide import Memory, MemoryRecord
from omoide.vault.frontmatter import Note, parse


class Vault:
    """A folder of notes, opened at the first use and closed at the end."""

    def __init__(self, root: Path, clock: Any) -> None:
        self.root, self.clock = root, clock
        self._open: list[Memory] = []

    @property
    def mem(self) -> Memory:
        """The handle in use."""
        return self._open[-1] if self._open else self.another()

    def another(self, **settings: Any) -> Memory:
        """Open one more handle, as another process would."""
        settings = {"embedder": "none", "clock": self.clock, **settings}
        self._open.append(Memory(f"{self.root}/", **settings))
        return self._open[-1]

    def record(self, memory_id: int, **times: Any) -> MemoryRecord:
        """A memory that is there."""
        found = self.mem.get(memory_id, **times)
        assert found is not None
        return found

    def close(self) -> None:
        """Close every handle."""
        while self._open:
            self._open.pop().close()

    def notes(self) -> list[str]:
        """The paths of the notes, the list aside."""
        found = (path.relative_to(self.root).as_posix() for path in self.root.rglob("*.md"))
        return sorted(path for path in found if path != "MEMORY.md" and not path.startswith("."))

    def file(self, memory_id: int | None = None) -> Path:
        """The one note, or that of a memory."""
        files = [self.root / path for path in self.notes()]
        if memory_id is not None:
            files = [file for file in files if parse(file.read_bytes()).fields.get("id") == memory_id]
        (found,) = files
        return found

    def note(self, memory_id: int | None = None) -> Note:
        """The one note as it is read, or that of a memory."""
        return parse(self.file(memory_id).read_bytes())

    def text(self, memory_id: int | None = None) -> str:
        """What the one note holds, or that of a memory."""
        return self.file(memory_id).read_bytes().decode("utf-8")

    def edit(self, old: str, new: str, memory_id: int | None = None) -> Path:
        """Replace some words in a note, as a person does."""
        file = self.file(memory_id)
        text = file.read_bytes().decode("utf-8")
        assert old in text, text
        file.write_bytes(text.replace(old, new).encode("utf-8"))
        return file

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return file

    def held(self) -> dict[str, str]:
        """The files in quarantine, each with the code of its reason."""
        return {each.path: each.code for each in self.mem.quarantine()}
