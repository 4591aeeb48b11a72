"""Sessions that ended without being captured: found by their traces and in the folders of their hosts."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from omoide.beside import beats, ledger, lines, traces
from omoide.beside.places import CLAIMS, SCAN, SHOWN, TRACES, place, ready
from omoide.capture.event import stamp
from omoide.capture.transcript_places import newest

SCAN_EVERY: Final = 3_600.0
"""Seconds between two looks through the folders of hosts."""
GRACE: Final = 3_600.0
"""Seconds before the first look that still count as since hooks came: a session may have begun before."""
QUIET: Final = 30.0
"""Seconds after the last event of a session in which its next one is waited for."""
MOST_KNOWN: Final = 500
DAY: Final = 86_400.0

Record = dict[str, Any]


def look(store: str, recover: str, *, now: float | None = None) -> int:
    """Put what was left into the inbox; return how many.

    Sessions that hooks told of are looked over each time, the folders of their hosts once an hour. Transcripts that
    nobody wrote to since hooks came to this store are left alone: taking in what was there before is for
    ``omoide ingest``.
    """
    moment = time.time() if now is None else now
    found = list(_left(store, moment)) if recover == "capture" else []
    if moment - float(lines.load(place(store, SCAN)).get("at", 0.0)) >= SCAN_EVERY:
        found += _scanned(store, recover, {record["transcript"] for record in found}, moment)
        _clear(store, moment)
    done = ledger.settled(store)
    fresh = [record for record in found if (record["transcript"], record["position"]) not in done]
    for record in fresh:
        ledger.accept(store, record)
    return len(fresh)


def _scanned(store: str, recover: str, but: set[str], now: float) -> list[Record]:
    """Look through the folders of hosts, and write down what was seen there."""
    scan = lines.load(place(store, SCAN))
    known = {str(path): int(size) for path, size in dict(scan.get("known", {})).items()}
    since = float(scan.get("since", now - GRACE))
    found = list(_unseen(store, known, but, since, now - traces.IDLE)) if recover == "capture" else []
    kept = dict(list(known.items())[-MOST_KNOWN:])
    lines.write(os.path.join(ready(place(store)), SCAN), json.dumps({"at": now, "since": since, "known": kept}))
    return found


def _left(store: str, now: float) -> Iterator[Record]:
    """Yield a record for every session of which a tail was not captured and that is not being written to.

    Capturing one that goes on after all does no harm.
    """
    for trace in traces.latest(store):
        if trace.is_unsaved and trace.uncaptured and (trace.ended or now - trace.changed >= QUIET):
            yield _record(str(trace.about.get("host", "")), trace.transcript, trace.namespace, trace.session, trace)


def _unseen(store: str, known: dict[str, int], but: set[str], since: float, until: float) -> Iterator[Record]:
    """Yield a record for every transcript that changed since, was left alone for a while and is not captured so far."""
    captured: dict[str, int] = {}
    for trace in traces.latest(store):
        captured |= trace.captured
    for host, beat in beats.beats(store).items():
        for path in newest(host, since):
            name, about = str(path), path.stat()
            if name in but or about.st_mtime > until:
                continue
            if about.st_size not in (known.get(name), captured.get(name)):
                yield _record(host, name, str(beat.get("namespace") or "default"), "", None)
            known[name] = about.st_size


def _record(host: str, path: str, namespace: str, session: str, trace: traces.Trace | None) -> Record:
    size = Path(path).stat().st_size
    cwd = "" if trace is None else str(trace.about.get("cwd") or "")
    roots = {} if trace is None or not trace.about.get("roots") else {"roots": trace.about["roots"]}
    return {
        "host": host, "installed": host, "event": "", "moment": "found", "session": session, "transcript": path,
        "position": size, "cwd": cwd, "agent": "" if session else Path(path).stem, "namespace": namespace,
        "at": stamp(), **roots,
    }  # fmt: skip


def _clear(store: str, now: float) -> None:
    """Remove small files that are of no use any more."""
    for folder, days in ((CLAIMS, 1.0), (SHOWN, traces.KEPT_DAYS), (TRACES, traces.KEPT_DAYS)):
        try:
            with os.scandir(place(store, folder)) as entries:
                old = [entry.path for entry in entries if now - entry.stat().st_mtime > days * DAY]
        except OSError:
            continue
        for path in old:
            lines.drop(path)
    lines.shorten(place(store, "ledger.jsonl"), ledger.MOST_LEDGER)
