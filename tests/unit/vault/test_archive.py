"""Records of sessions as lines of JSON: whatever a host wrote comes back byte for byte."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from omoide.vault.archive import line_of, read, record_of

records = st.one_of(st.binary(max_size=40), st.text(max_size=40).map(str.encode), st.just(b'{"a": 1}'))


@given(records)
@example(b"")
@example(b'{"a": 1}\r')
@example(b'{"a": ')
@example(b'{"a":\n1}')
@example(b'"text"')
@example(b'["YWJj"]')
@example("デプロイ".encode("shift-jis"))
@example(b"{" * 100_000)
def test_any_record_is_one_line_of_json_and_comes_back(record: bytes) -> None:
    line = line_of(record)
    assert b"\n" not in line
    json.loads(line)
    assert record_of(line) == record


@given(st.lists(records, max_size=6), st.integers(0, 5), st.binary(max_size=30))
def test_a_file_torn_or_joined_anywhere_gives_what_is_whole(found: list[bytes], place: int, noise: bytes) -> None:
    parts = [gzip.compress(line_of(record) + b"\n", mtime=0) for record in found]
    file = Path(__file__).with_name("never there")
    assert list(read(file)) == []
    whole = b"".join(parts)
    assert _read(whole) == found
    torn = b"".join(parts[:place]) + noise.replace(b"\x1f\x8b", b"") + b"".join(parts[place:])
    assert [each for each in _read(torn) if each in found] == found


def _read(data: bytes) -> list[bytes]:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        file = Path(folder) / "x.jsonl.gz"
        file.write_bytes(data)
        return list(read(file))
