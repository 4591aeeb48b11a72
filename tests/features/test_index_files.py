"""Files and folders added to an index: what is read, what is left out, and a word on every file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Index
from omoide.errors import InvalidInputError, MissingPathError
from omoide.testing import FakeEmbedder
from omoide.types import IngestResult
from omoide.verbs.passages import ingest

IndexOpener = Callable[..., Index]

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs links and modes of POSIX")


def told(result: IngestResult, root: Path) -> dict[str, str]:
    """Return the status of each file by its path below ``root``."""
    return {Path(str(each.path)).relative_to(root).as_posix(): each.status for each in result.files}


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_a_folder_is_read_whole_with_headings_and_lines(idx: Index, docs: Path) -> None:
    write(docs, {"guide.md": "# Deploy\n\nRun make.\n\n## Rollback\n\nRun make rollback.\n", "deep/er/notes.txt": "hi"})
    added = idx.add_files(docs)
    assert told(added, docs) == {"guide.md": "added", "deep/er/notes.txt": "added"}
    hit = idx.search("rollback", k=1)[0]
    assert hit.source == str(docs / "guide.md")
    assert hit.metadata["heading"].startswith("Deploy")
    assert hit.metadata["lines"][0] >= 1


def test_the_text_of_a_file_is_kept_to_the_letter(idx: Index, docs: Path) -> None:
    source = "def f():\n\tif x:\n\t\treturn 1\n\n\n" * 100 + "# end. Done.\r\n"
    write(docs, {"code.py": source})
    (document,) = idx.add_files(docs)
    assert idx.get(document).text == source  # type: ignore[union-attr]


def test_one_file_or_a_list_may_be_named(idx: Index, docs: Path) -> None:
    write(docs, {"a.txt": "first file", "b.txt": "second file", "sub/c.txt": "third file"})
    assert len(idx.add_files(docs / "a.txt")) == 1
    assert len(idx.add_files([docs / "b.txt", str(docs / "sub"), docs / "b.txt"])) == 2
    assert len(idx.add_files(os.fspath(docs))) == 0


def test_the_callers_metadata_is_on_every_hit(idx: Index, docs: Path) -> None:
    write(docs, {"a.md": "# Title\n\nwords"})
    idx.add_files(docs, metadata={"repo": "x"})
    hit = idx.search("words", where={"repo": "x"})[0]
    assert hit.metadata == {"heading": "Title", "lines": [1, 3], "repo": "x"}


def test_a_missing_path_is_an_error_that_programs_know(idx: Index, docs: Path) -> None:
    write(docs, {"a.txt": "x"})
    with pytest.raises(FileNotFoundError):
        idx.add_files(docs / "nothing")
    with pytest.raises(MissingPathError, match="nothing"):
        idx.add_files([docs, docs / "nothing"])
    assert idx.list() == []


@pytest.mark.parametrize(
    "named, options",
    [
        (5, {}),
        (b"docs", {}),
        ("a\0b", {}),
        (".", {"pattern": ""}),
        (".", {"pattern": 3}),
        (".", {"ignore": "*.md"}),
        (".", {"encoding": "utf-99"}),
        (".", {"max_bytes": 0}),
        (".", {"max_seconds": -1}),
    ],
)
def test_an_argument_that_cannot_be_accepted_is_refused(idx: Index, named: Any, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        idx.add_files(named, **options)


def test_a_pattern_chooses_files_at_any_depth(idx: Index, docs: Path) -> None:
    write(docs, {"a.md": "one", "b.txt": "two", "sub/c.md": "three", "sub/d.py": "x = 1"})
    assert set(told(idx.add_files(docs, pattern="*.md"), docs)) == {"a.md", "sub/c.md"}
    assert set(told(idx.add_files(docs, pattern="sub/*"), docs)) == {"sub/c.md", "sub/d.py"}


def test_what_cannot_be_read_is_reported_with_a_reason_and_the_rest_is_added(idx: Index, docs: Path) -> None:
    write(docs, {
        "good.txt": "readable words", "broken.pdf": b"%PDF-1.7 nothing that follows",
        "photo.png": b"\x89PNG\r\n\x1a\n" * 9, "empty.txt": "", "blank.md": " \n\n ", "big.txt": "x" * 5000,
        "sheet.xlsx": b"PK\x03\x04" + b"\0" * 50,
    })  # fmt: skip
    added = idx.add_files(docs, max_bytes=4000)
    found = told(added, docs)
    assert found.pop("good.txt") == "added"
    assert set(found.values()) <= {"failed", "skipped"}
    assert len(found) == 6
    assert all(each.code and each.reason for each in added.files if each.status != "added")
    assert {each.code for each in added.failed} >= {"too_big"}


def test_every_encoding_is_read_and_a_guess_is_noted(idx: Index, docs: Path) -> None:
    japanese = "東京タワーは東京にある電波塔です。高さは三百三十三メートルです。" * 5
    write(docs, {
        "utf8.txt": japanese, "utf16.txt": japanese.encode("utf-16"), "sjis.txt": japanese.encode("cp932"),
        "euc.txt": japanese.encode("euc_jp"),
    })  # fmt: skip
    added = idx.add_files(docs)
    assert [idx.get(id).text for id in added] == [japanese] * 4  # type: ignore[union-attr]
    assert any("encoding" in note for each in added.files for note in each.notes)


def test_an_encoding_that_is_given_is_used(idx: Index, docs: Path) -> None:
    write(docs, {"a.txt": "déjà vu à Orléans".encode("latin-1")})
    (document,) = idx.add_files(docs, encoding="latin-1")
    assert idx.get(document).text == "déjà vu à Orléans"  # type: ignore[union-attr]


def test_caches_packages_histories_and_secrets_are_left_out_by_default(idx: Index, docs: Path) -> None:
    write(docs, {
        "kept.txt": "kept", ".git/description.txt": "history", "node_modules/lib/readme.md": "package",
        "__pycache__/x.txt": "cache", ".env": "KEY=1", "app.min.js": "var a", "sub/.venv/pip.txt": "installed",
    })  # fmt: skip
    added = idx.add_files(docs)
    assert {name for name, status in told(added, docs).items() if status == "added"} == {"kept.txt"}
    assert told(added, docs)["node_modules"] == "ignored"


def test_ignore_files_are_respected_and_the_inner_one_decides(idx: Index, docs: Path) -> None:
    write(docs, {
        ".gitignore": "*.log\nsecret/\n/top.txt\n", "a.log": "x", "top.txt": "x", "sub/top.txt": "kept",
        "secret/b.txt": "x", "sub/.gitignore": "!*.log\n", "sub/c.log": "kept again",
        ".omoideignore": "drafts/\n", "drafts/d.txt": "x",
    })  # fmt: skip
    added = told(idx.add_files(docs), docs)
    assert {name for name, status in added.items() if status == "added"} == {"sub/top.txt", "sub/c.log"}


def test_patterns_of_the_caller_come_first(idx: Index, docs: Path) -> None:
    write(docs, {"a.txt": "x", "b.txt": "y", "node_modules/c.txt": "z"})
    added = told(idx.add_files(docs, ignore=["a.txt", "!node_modules/"]), docs)
    assert {name for name, status in added.items() if status == "added"} == {"b.txt", "node_modules/c.txt"}


def test_the_patterns_of_the_repository_around_a_folder_count(idx: Index, docs: Path) -> None:
    write(docs, {".git/HEAD": "ref", ".gitignore": "*.tmp\n", "inner/a.tmp": "x", "inner/b.txt": "y"})
    assert told(idx.add_files(docs / "inner"), docs) == {"inner/a.tmp": "ignored", "inner/b.txt": "added"}


def test_a_folder_that_is_named_is_read_though_the_repository_ignores_it(idx: Index, docs: Path) -> None:
    write(docs, {".git/HEAD": "ref", ".gitignore": "build/\n", "build/manual.txt": "x", "a.txt": "y"})
    assert told(idx.add_files(docs), docs)["build"] == "ignored"
    assert told(idx.add_files(docs / "build"), docs) == {"build/manual.txt": "added"}


def test_the_git_file_of_a_worktree_is_left_out(idx: Index, docs: Path) -> None:
    write(docs, {".git": "gitdir: elsewhere", "a.txt": "x"})
    assert told(idx.add_files(docs), docs) == {".git": "ignored", "a.txt": "added"}


def test_a_line_that_is_no_pattern_is_reported(idx: Index, docs: Path) -> None:
    write(docs, {".gitignore": "!\n*.log\n", "a.log": "x", "b.txt": "y"})
    added = idx.add_files(docs)
    assert [each.code for each in added.files if each.path == str(docs / ".gitignore")] == ["bad_pattern"]
    assert told(added, docs)["a.log"] == "ignored"


@POSIX
def test_a_link_out_of_the_folder_is_refused(idx: Index, docs: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("outside words")
    write(docs, {"inside.txt": "inside words"})
    (docs / "out.txt").symlink_to(tmp_path / "outside.txt")
    (docs / "up").symlink_to(tmp_path)
    (docs / "loop").symlink_to(docs)
    (docs / "same.txt").symlink_to(docs / "inside.txt")
    (docs / "dangling.txt").symlink_to(docs / "gone.txt")
    added = idx.add_files(docs)
    codes = {Path(str(each.path)).name: each.code for each in added.files}
    assert codes == {
        "inside.txt": None, "same.txt": None, "out.txt": "outside", "up": "outside", "loop": "link",
        "dangling.txt": "no_access",
    }  # fmt: skip
    assert all(hit.text == "inside words" for hit in idx.search("words"))


@POSIX
def test_a_pipe_does_not_stop_an_ingest(idx: Index, docs: Path) -> None:
    os.mkfifo(docs / "pipe.txt")
    write(docs, {"a.txt": "words"})
    assert told(idx.add_files(docs), docs) == {"a.txt": "added", "pipe.txt": "skipped"}


@POSIX
def test_a_name_that_is_not_unicode_is_reported(idx: Index, docs: Path) -> None:
    try:
        (Path(os.fsdecode(os.fsencode(docs) + b"/bad\xff.txt"))).write_text("words")
    except OSError:
        pytest.skip("this file system takes Unicode names only")
    assert [(each.status, each.code) for each in idx.add_files(docs).files] == [("failed", "name")]


def test_progress_is_told_after_each_file(idx: Index, docs: Path) -> None:
    write(docs, {"a.txt": "x", "b.txt": "y", "c.txt": ""})
    seen: list[tuple[int, int, str]] = []
    idx.add_files(docs, progress=lambda done, total, path: seen.append((done, total, Path(path).name)))
    assert seen == [(1, 3, "a.txt"), (2, 3, "b.txt"), (3, 3, "c.txt")]


def test_an_ingest_is_a_batch(idx: Index, docs: Path) -> None:
    write(docs, {"a.txt": "x", "b.txt": "y"})
    added = idx.add_files(docs)
    assert added.batch is not None
    assert {document.provenance.batch for document in idx.list() if document.provenance} == {added.batch}
    assert {event.batch for event in idx.audit()} == {added.batch}


def test_a_path_in_any_script_is_kept(idx: Index, docs: Path) -> None:
    write(docs, {"メモ/東京 旅行.md": "# 旅\n\n京都に行く", "été & hiver.txt": "la neige"})
    idx.add_files(docs)
    assert idx.search("京都")[0].source == str(docs / "メモ" / "東京 旅行.md")
    assert idx.search("neige")[0].source == str(docs / "été & hiver.txt")


def test_a_relative_path_and_an_absolute_one_are_the_same_file(
    idx: Index, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(docs, {"a.txt": "words"})
    monkeypatch.chdir(docs.parent)
    assert len(idx.add_files("docs")) == 1
    assert len(idx.add_files(docs)) == 0


def test_a_file_of_many_parts_is_written_at_once_and_embedded_after(
    indexed: IndexOpener, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "MANY_PARTS", 100)
    write(
        docs, {"big.txt": "".join(f"line number {n} of a long file\n" for n in range(1000)), "small.txt": "few words"}
    )
    index = indexed(embedder=FakeEmbedder())
    added = index.add_files(docs, chunk_size=40, chunk_overlap=0)
    assert len(added) == 2
    assert index.stats()["default"]["chunks"] > 900
    assert index.stats()["default"]["pending_vectors"] == 0
    assert index.integrity_check() == []


def test_a_model_that_fails_does_not_stop_an_ingest(indexed: IndexOpener, docs: Path) -> None:
    class Failing:
        model_name = "failing"

        def embed(self, texts: list[str], /) -> list[list[float]]:
            raise OSError("no network")

    write(docs, {"a.txt": "first words", "b.txt": "second words"})
    index = indexed(embedder=Failing())
    assert index.add_files(docs).counts == {"added": 2}
    assert index.stats()["default"]["pending_vectors"] == 2
    assert len(index.search("words")) == 2


async def test_files_are_added_from_async_code_too(idx: Index, docs: Path) -> None:
    write(docs, {"a.txt": "words"})
    assert len(await idx.aadd_files(docs)) == 1
