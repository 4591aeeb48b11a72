"""Hooks as a host starts them: one process an event, beside an interpreter that does nothing.

    python bench/hooks.py --out bench/results/hooks.json

The store holds 10,000 memories, the transcript 50 MB. Milliseconds of wall time and of CPU time of the process, over
interleaved rounds; a shared machine only adds time, so the fastest round is shown beside the median. No worker is
started in the rounds but in those named "with worker"; how long the worker takes is told apart.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omoide import Memory
from omoide.beside.failures import failures

MEMORIES = 10_000
TRANSCRIPT = 50 << 20
BUDGETS = {"ignored": 80, "step": 80, "end of turn": 100, "end of session": 100, "compaction": 100, "start": 150}
EVENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "ignored": ("TaskCreated", {}),
    "step": ("PostToolUse", {"tool_name": "Read", "tool_input": {"file_path": "src/a.py"}, "tool_response": {}}),
    "end of turn": ("Stop", {}),
    "end of session": ("SessionEnd", {"reason": "other"}),
    "end of session, with worker": ("SessionEnd", {"reason": "other"}),
    "compaction": ("PreCompact", {"trigger": "auto"}),
    "start": ("SessionStart", {"source": "startup"}),
    "prompt": ("UserPromptSubmit", {"prompt": "How does service 4242 keep its amounts?"}),
}


def line(number: int, session: str) -> bytes:
    text = f"Turn {number}: " + "the billing service keeps its amounts in cents and rounds them late. " * 12
    said = {
        "type": "user", "sessionId": session, "uuid": f"00000000-0000-4000-8000-{number:012d}", "cwd": "/home/me/shop",
        "version": "2.1.39", "timestamp": "2026-11-29T10:00:00.000Z", "message": {"role": "user", "content": text},
    }  # fmt: skip
    return json.dumps(said).encode() + b"\n"


def prepared(folder: Path) -> tuple[str, Path]:
    store, transcript = str(folder / "agents.db"), folder / "transcript.jsonl"
    with Memory(store, embedder="none") as memory, memory.bulk():
        for number in range(MEMORIES):
            importance = ("medium", "low", "high")[number % 3]
            memory.remember(f"Service {number} keeps amounts in cents for region {number % 97}.", importance=importance)
        memory.remember("Never push to main.", importance="critical")
        memory.remember("Ask before a migration.", triggers=["migrations/*"])
    session, size, number = "bench", 0, 0
    with transcript.open("wb") as file:
        while size < TRANSCRIPT:
            size += file.write(line(number, session))
            number += 1
    return store, transcript


def timed(command: list[str], given: bytes, environment: dict[str, str]) -> tuple[float, float, bytes]:
    begin = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(given)
        running.stdin.close()
        out = running.stdout.read()
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    wall = (time.perf_counter() - begin) * 1000
    assert running.returncode == 0
    return wall, (used.ru_utime + used.ru_stime) * 1000, out


def measure(rounds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store, transcript = prepared(folder)
        home = folder / "home"
        home.mkdir()
        plain = {
            **os.environ, "HOME": str(home), "USERPROFILE": str(home), "OMOIDE_EMBEDDER": "none",
            "OMOIDE_CONFIG": str(folder / "none.toml"), "OMOIDE_INJECT": "prompt",
        }  # fmt: skip
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in ("interpreter", *EVENTS)}
        apart = [kind for kind in EVENTS if "worker" in kind]  # it writes to the store, so it comes last
        together = [kind for kind in EVENTS if kind not in apart]
        turns = [(turn, kind) for turn in range(rounds) for kind in together]
        for turn, kind in [*turns, *((turn, kind) for turn in range(rounds) for kind in apart)]:
            event, more = EVENTS[kind]
            if kind == together[0]:
                found["interpreter"].append(timed([sys.executable, "-c", "pass"], b"", plain)[:2])
            payload = {
                "session_id": f"{kind}-{turn}", "transcript_path": str(transcript), "cwd": str(folder),
                "hook_event_name": event, **more,
            }  # fmt: skip
            words = [sys.executable, "-P", "-m", "omoide", "hook", "claude-code", event, "--store", store]
            alone: dict[str, str] = {} if "worker" in kind else {"OMOIDE_NO_WORKER": "1"}
            wall, cpu, out = timed(words, json.dumps(payload).encode(), {**plain, **alone})
            assert bool(out) == (kind in ("start", "prompt")), (kind, out, failures(store))
            found[kind].append((wall, cpu))
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", "omoide.capture.worker", store], check=True, env=plain)
        worker = time.perf_counter() - begin
    return {"events": {kind: summary(kind, values) for kind, values in found.items()}, "worker_s": round(worker, 2)}


def summary(kind: str, values: list[tuple[float, float]]) -> dict[str, float | None]:
    walls, cpus = zip(*values, strict=True)
    return {
        "wall_ms_median": round(statistics.median(walls), 1), "wall_ms_fastest": round(min(walls), 1),
        "cpu_ms_median": round(statistics.median(cpus), 1), "cpu_ms_fastest": round(min(cpus), 1),
        "budget_ms": BUDGETS.get(kind),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    result = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"), "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
        "load": [round(each, 1) for each in os.getloadavg()], "memories": MEMORIES, "transcript_bytes": TRANSCRIPT,
        **measure(given.rounds),
    }  # fmt: skip
    text = json.dumps(result, indent=1)
    print(text)
    if given.out is not None:
        given.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
