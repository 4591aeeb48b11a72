"""A person at a terminal erases what a vault holds: what is asked, what is said, and what is left of it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.surfaces.command_line import CommandLine
from tests.surfaces.test_cli_terminal import Terminal

from omoide import History, Memory

SECRET = "合言葉は木琴七七三一 passphrase xylophone"  # noqa: S105  # words of a test
ASKED = {"en": "1 memory would be erased", "fr": "1 souvenir serait effacé", "ja": "完全に消えることになる記憶 1 件"}
DONE = {"en": "1 memory erased from:", "fr": "1 souvenir effacé de :", "ja": "記憶 1 件を消した場所:"}
GIT = {
    "en": "Out of reach: what git keeps",
    "fr": "Hors d'atteinte : ce que git garde",
    "ja": "手の届かないところ: git が残している",
}
DECLINED = {"en": "nothing was changed", "fr": "rien n'a été changé", "ja": "何も変えていません"}
YES = {"en": "y", "fr": "o", "ja": "y"}


@pytest.fixture
def vault(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with one memory that is revised, and a harmless one, in a folder that git knows."""
    root = cli.folder / "notes"
    root.mkdir()
    (root / ".git").mkdir()
    monkeypatch.setenv("OMOIDE_STORE", str(root))
    with Memory(root, embedder="none") as mem:
        mem.remember("harmless")
        made = mem.remember(f"{SECRET}, first", subject="vault")
        mem.revise(made, f"{SECRET}, second")
    return root


def holding(root: Path, text: str) -> list[str]:
    """The files that hold a text, packed ones too, whatever git thinks of them."""
    files = [file for file in root.rglob("*") if file.is_file()]
    forms = {text, json.dumps(text)[1:-1]}
    return [file.name for file in files for form in forms if form.encode() in _unpacked(file)]


def _unpacked(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data


@pytest.mark.parametrize("language", ["en", "fr", "ja"])
def test_it_asks_and_yes_leaves_no_byte(vault: Path, language: str) -> None:
    done = Terminal("purge", "2", "--lang", language, answers=f"{YES[language]}\n")
    assert done.status == 0, done.said
    assert ASKED[language] in done.said
    assert f"{SECRET}, second" in done.said
    assert DONE[language] in done.said
    assert GIT[language] in done.said
    assert holding(vault, SECRET) == []
    assert (vault / ".git").is_dir()
    assert not any("unfinished" in file.name or file.name.endswith("~") for file in vault.rglob("*"))
    with Memory(vault, embedder="none") as mem:
        assert [record.text for record in mem.list()] == ["harmless"]


@pytest.mark.parametrize("language", ["en", "fr", "ja"])
def test_no_and_nothing_leave_it_as_it_is(vault: Path, language: str) -> None:
    before = {file: file.read_bytes() for file in vault.rglob("*.md")}
    for answer in ("n\n", "\n"):
        said = Terminal("purge", "--subject", "vault", "--lang", language, answers=answer)
        assert said.status != 0
        assert ASKED[language] in said.said
        assert DECLINED[language] in said.said
    assert {file: file.read_bytes() for file in vault.rglob("*.md")} == before


def test_a_session_leaves_the_archive_as_well(vault: Path, tmp_path: Path) -> None:
    """What the memory was taken from is erased by its session: words, records, and the file that zcat shows."""
    talk = tmp_path / "talk.jsonl"
    lines = [{"role": "user", "content": f"{SECRET} {n}", "session_id": "s-1", "id": f"m{n}"} for n in range(3)]
    talk.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with History(vault, embedder="none") as his:
        his.ingest(talk)
    assert any(name.endswith(".gz") for name in holding(vault, SECRET))
    assert Terminal("purge", "2", answers="y\n").status == 0
    done = Terminal("history", "retention", "erase", "--session", "s-1", answers="y\n")
    assert done.status == 0, done.said
    assert holding(vault, SECRET) == []
