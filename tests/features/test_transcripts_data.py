"""Transcripts that hosts wrote, where the folder with them is: every line accounted for, counts as a plain pass."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from omoide.transcripts import reader


def plain_type(value: dict[str, Any]) -> str:
    kind = str(value.get("type") or value.get("role") or value["message"].get("role"))
    if kind in ("response_item", "event_msg"):
        return f"{kind}/{value['payload'].get('type') or 'message'}"
    return f"{kind}/{value['subtype']}" if kind == "system" else kind


def test_every_file_is_read_and_its_bytes_are_kept(files: list[Path]) -> None:
    for path in files:
        records = list(reader.read(path))
        assert all(record.kind in ("turn", "event") for record in records), path
        if path.suffix == ".jsonl":
            assert b"\n".join(record.raw for record in records) == path.read_bytes().removesuffix(b"\n"), path
        elif path.suffix == ".md":
            assert b"".join(record.raw for record in records) == path.read_bytes(), path


def test_counts_by_type_equal_a_plain_pass(files: list[Path]) -> None:
    for path in (path for path in files if path.suffix == ".jsonl"):
        lines = [line for line in path.read_bytes().split(b"\n") if line.strip()]
        assert Counter(record.type for record in reader.read(path)) == Counter(plain_type(json.loads(x)) for x in lines)


def test_reading_in_two_steps_equals_reading_at_once(files: list[Path]) -> None:
    for path in files:
        whole = list(reader.read(path))
        half = len(whole) // 2
        assert list(reader.read(path, since=whole[half].after)) == whole[half + 1 :], path


def test_every_file_names_its_session(files: list[Path]) -> None:
    for path in files:
        assert [session.name for session in reader.sessions(path)], path
