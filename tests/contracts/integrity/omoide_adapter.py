"""omoide under agent-memory-integrity: raw edits of the file, told by ``verify`` against a head kept outside of it.

    agmi-check --adapter omoide_adapter:OmoideAdapter

The attacker writes to the SQLite file with any client and keeps the file's own hashes of texts in step, so that
only the audit can tell. What the attacker does not hold is the head, the line that ``Memory.head`` returned.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from agmi.adapters.base import MemoryAdapter, Record

from omoide import Memory

OWN, OTHER = "agent-a", "agent-b"
READ = """
SELECT m.id, c.text, v.source, n.name AS owner FROM memory m JOIN version v ON v.memory_id = m.id
JOIN content c ON c.content_id = v.content_id JOIN namespace n ON n.ns = m.ns WHERE n.name = ? ORDER BY m.id"""


class OmoideAdapter(MemoryAdapter):
    """One memory is one record; the second context is another namespace of the same file."""

    name = "omoide"
    detection_point = "audit"
    supports_replay = True
    supports_metadata = True
    supports_snapshot = True

    def setup(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="omoide-agmi-"))
        self.path = self.folder / "agents.db"
        self.head: str | None = None

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self, namespace: str, texts: list[str]) -> None:
        with Memory(self.path, namespace, embedder="none") as mem:
            for text in texts:
                mem.remember(text, source="seed")
            self.head = mem.head()

    def seed(self, n: int) -> None:
        self._write(OWN, [f"agmi-seed-{i}: the limit is {50 + i}" for i in range(n)])

    def seed_other(self, n: int) -> None:
        self._write(OTHER, [f"agmi-other-{i}: the limit is {90 + i}" for i in range(n)])

    def append_genuine(self) -> None:
        self._write(OWN, ["agmi-later: the limit is 99"])

    def _run(self, sql: str, *values: Any) -> list[Any]:
        connection = sqlite3.connect(self.path)
        try:
            with connection:
                return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def _records(self, namespace: str) -> list[Record]:
        names = ("id", "text", "source", "owner")
        return [Record(i, dict(zip(names, row, strict=True))) for i, row in enumerate(self._run(READ, namespace))]

    def read_all_raw(self) -> list[Record]:
        return self._records(OWN)

    def read_other_raw(self) -> list[Record]:
        return self._records(OTHER)

    def _text(self, text: str) -> int:
        """Return the number of a text, stored as omoide would store it."""
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        self._run("INSERT OR IGNORE INTO content(hash, text) VALUES (?, ?)", digest, text)
        return int(self._run("SELECT content_id FROM content WHERE hash = ?", digest)[0][0])

    def write_raw(self, record: Record) -> None:
        rows = self._records(OWN)
        if record.seq < len(rows):
            self._set_text(rows[record.seq].fields["id"], record.fields["text"])
            return
        self._run(
            "INSERT INTO memory(uid, ns, created_at) SELECT uid || 'x', ns, created_at FROM memory WHERE id = ?",
            record.fields["id"],
        )
        columns = [row[1] for row in self._run("PRAGMA table_info(version)")]
        changed = {"version_id": "NULL", "memory_id": "(SELECT max(id) FROM memory)", "ord": "(SELECT max(ord) + 1 FROM version)"}
        changed["content_id"] = str(self._text(record.fields["text"]))
        picked = ", ".join(changed.get(name, name) for name in columns)
        self._run(
            f"INSERT INTO version({', '.join(columns)}) SELECT {picked} FROM version WHERE memory_id = ?",
            record.fields["id"],
        )

    def _set_text(self, memory_id: int, text: str) -> None:
        self._run("UPDATE version SET content_id = ? WHERE memory_id = ?", self._text(text), memory_id)

    def delete_raw(self, seq: int) -> None:
        memory_id = self._records(OWN)[seq].fields["id"]
        self._run("DELETE FROM version WHERE memory_id = ?", memory_id)
        self._run("DELETE FROM memory WHERE id = ?", memory_id)

    def mutate_payload(self, record: Record) -> Record:
        record.fields["text"] += "  [TAMPERED]"
        return record

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        self._set_text(self._records(OWN)[victim_seq].fields["id"], donor.fields["text"])

    def payload_of(self, record: Record) -> str:
        return str(record.fields["text"])

    def owner_of(self, record: Record) -> str:
        return str(record.fields["owner"])

    def read_meta(self, seq: int) -> dict[str, Any]:
        return {"source": self._records(OWN)[seq].fields["source"]}

    def write_meta(self, seq: int, meta: dict[str, Any]) -> None:
        source = f"{meta['source']}, changed" if meta.get("agmi_meta_tampered") else meta["source"]
        memory_id = self._records(OWN)[seq].fields["id"]
        self._run("UPDATE version SET source = ? WHERE memory_id = ?", source, memory_id)

    def snapshot_store(self) -> object:
        return self._copy_store(self.path)

    def restore_store(self, token: object) -> None:
        self._restore_store(str(token), self.path)

    def reload(self) -> None:
        """Every look opens the file anew."""

    def verify(self) -> bool:
        with Memory(self.path, OWN, embedder="none") as mem:
            findings = mem.verify(self.head)
        self.verify_detail = findings[0] if findings else None
        return not findings
