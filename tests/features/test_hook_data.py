"""Transcripts that hosts wrote, handed over by their hooks, where the folder with them is."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.features.hook_kit import Hooks

from omoide import History
from omoide.transcripts import reader

ARCHIVE = Path(__file__).resolve().parents[3] / "shared" / "data" / "agent_transcripts" / "files.dev.tar.gz"
ENDS: dict[str, tuple[str, dict[str, Any]]] = {
    "claude-code": ("SessionEnd", {"permission_mode": "default"}),
    "codex": ("Stop", {"turn_id": "1", "model": "gpt-5"}),
    "cursor": ("sessionEnd", {"cursor_version": "2.4.0", "workspace_roots": []}),
    "gemini": ("SessionEnd", {"timestamp": "2026-11-29T10:00:00Z"}),
}


def test_every_transcript_of_a_host_is_stored_whole_in_two_steps(hooks: Hooks, tmp_path: Path) -> None:
    if not ARCHIVE.is_file():
        pytest.skip("the real transcripts are not here; the made ones say the same")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path / "data", filter="data")
    hooks.patch.setenv("OMOIDE_TRANSCRIPT_ROOTS", str(hooks.home))
    handed: dict[Path, tuple[str, str]] = {}
    for number, source in enumerate(sorted((tmp_path / "data").rglob("*.json*"))):
        known = reader.detect(source)
        if known is None or known.host not in ENDS or "web" in known.name or not source.stat().st_size:
            continue
        path = hooks.home / f"{number}" / source.name
        path.parent.mkdir()
        shutil.copyfile(source, path)
        handed[path] = known.host, f"session-{number}"
    assert len(handed) > 30
    for path, (host, session) in handed.items():
        raw = path.read_bytes()
        cut = raw[: len(raw) // 2] if path.suffix == ".jsonl" else raw
        for part, content in enumerate((cut, raw)):
            path.write_bytes(content)
            event, more = ENDS[host]
            payload = {
                "session_id": session, "transcript_path": str(path), "cwd": str(hooks.project),
                "hook_event_name": event, **more,
            }  # fmt: skip
            said = hooks(host, event, payload)
            assert (said.out, said.err, said.status) == ("", "", 0), (path, part)
            if path.suffix == ".jsonl" and part == 0:
                hooks.work()
    hooks.work()
    with History(hooks.store, embedder="none") as history:
        assert {row["state"] for row in history.captures(limit=1000)["results"]} == {"stored"}
        status = history.status()["default"]
        assert status["broken"] == 0
        told = {session.path for session in history.sessions()}
    assert told & {str(path) for path in handed}
