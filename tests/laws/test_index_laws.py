"""Laws of an index of files: after every ingest it is the folder, and what it was stays what it was."""

from __future__ import annotations

import os
import tempfile
from datetime import datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from omoide import Index
from omoide.testing import FakeClock, FakeEmbedder

NAMES = ["a.md", "b.txt", "sub/c.md", "sub/d.py", "été/東京.txt"]
WORDS = st.text(alphabet="ab 東é\n#`|", min_size=1, max_size=60).filter(lambda text: text.strip() != "")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(NAMES), WORDS),
        st.tuples(st.just("delete"), st.sampled_from(NAMES), st.just("")),
        st.tuples(st.just("move"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
        st.tuples(st.just("touch"), st.sampled_from(NAMES), st.just("")),
        st.tuples(st.just("ingest"), st.just(""), st.just("")),
        st.tuples(st.just("rebuild"), st.just(""), st.just("")),
        st.tuples(st.just("edit"), st.sampled_from(NAMES), WORDS),
    ),
    max_size=12,
)
Seen = list[tuple[int, str]]


def change(root: Path, what: str, name: str, other: str, tick: int) -> None:
    """Change the folder; every change has a time of its own."""
    path = root / name
    if what == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(other, encoding="utf-8", newline="")
    elif what == "delete":
        path.unlink(missing_ok=True)
    elif what == "move" and path.exists() and name != other:
        (root / other).parent.mkdir(parents=True, exist_ok=True)
        path.replace(root / other)
        path = root / other
    if path.exists():
        os.utime(path, (1_600_000_000 + tick, 1_600_000_000 + tick))


def folder(root: Path) -> dict[str, str]:
    """Return what the files say; white space only is no text."""
    found = {str(path): path.read_bytes().decode() for path in sorted(root.rglob("*")) if path.is_file()}
    return {path: text for path, text in found.items() if text.strip()}


def indexed(index: Index) -> dict[str, str]:
    """Return what the documents say."""
    return {str(each.source): str(getattr(index.get(each.id), "text", None)) for each in index.list()}


def past(index: Index, moment: datetime) -> Seen:
    return [(hit.id, hit.text) for hit in index.search(None, k=1000, as_of=moment)]


@settings(max_examples=40)
@given(STEPS)
def test_after_every_ingest_the_index_is_the_folder_and_the_past_stays(steps: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root, clock = Path(place) / "docs", FakeClock()
        root.mkdir()
        with Index(Path(place) / "a.db", clock=clock, embedder=FakeEmbedder(8)) as index:
            remembered: dict[datetime, Seen] = {}
            for tick, (what, name, other) in enumerate([*steps, ("ingest", "", "")]):
                clock.advance(60)
                if what == "ingest":
                    index.add_files(root, chunk_size=20, chunk_overlap=5)
                    assert indexed(index) == folder(root)
                elif what == "rebuild":
                    index.rebuild()
                elif what == "edit":
                    for document in index.list(source=str(root / name)):
                        index.update(document.id, text=other)
                else:
                    change(root, what, name, other, tick)
                moment = clock.now()
                remembered[moment] = past(index, moment)
                clock.advance(60)
            assert {moment: past(index, moment) for moment in remembered} == remembered
            assert index.integrity_check() == []


@settings(max_examples=60)
@given(st.text(max_size=300), st.sampled_from(["text", "markdown", "auto"]), st.integers(5, 60))
def test_any_text_that_is_taken_comes_back_to_the_letter(text: str, splitter: str, size: int) -> None:
    with Index(":memory:", embedder="none") as index:
        for document in index.add_texts([text], splitter=splitter, chunk_size=size, chunk_overlap=size // 4):
            found = index.get(document)
            assert found is not None
            assert found.text == text
        assert index.integrity_check() == []
