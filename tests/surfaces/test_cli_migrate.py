"""``omoide import`` and ``omoide export`` for other systems: what a person sees, and what a script gets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.features import foreign
from tests.surfaces.command_line import CommandLine

from omoide.migrate import SYSTEMS


def test_an_import_says_what_came_and_how_to_take_it_back(cli: CommandLine, tmp_path: Path) -> None:
    """Counts, the source that was recognised, and the command that undoes it, which works."""
    path = foreign.rmbr(tmp_path / "r.db")
    foreign.change(path, "UPDATE memories SET text = ' ' WHERE id = 1")
    said = cli("import", str(path)).out
    for words in ("rmbr", "Read", "Added", "rmbr:memory/1", "omoide undo import-"):
        assert words in said
    batch = said.split("omoide undo ")[1].split()[0]
    cli("undo", batch, "--yes")
    assert cli.json("list")["results"] == []


@pytest.mark.parametrize("language, words", [("fr", "Laissés de côté"), ("ja", "取り込めなかったもの")])
def test_it_is_said_in_the_language_spoken(cli: CommandLine, tmp_path: Path, language: str, words: str) -> None:
    """What stayed out is said in French and Japanese too."""
    path = foreign.rmbr(tmp_path / "r.db")
    foreign.change(path, "UPDATE memories SET text = ' ' WHERE id = 1")
    assert words in cli("import", str(path), "--lang", language).out


def test_a_trial_stores_nothing(cli: CommandLine, tmp_path: Path) -> None:
    """A dry run makes no memory."""
    said = cli("import", str(foreign.graph(tmp_path / "g.jsonl")), "--dry-run").out
    assert "nothing was stored" in said
    assert cli.json("stats")["default"]["count"] == 0


def test_a_table_is_mapped_from_the_line(cli: CommandLine, tmp_path: Path) -> None:
    """Columns are given as part=column, one after the other."""
    path = tmp_path / "n.csv"
    path.write_text("note;who\nboit du thé;ann\n", encoding="utf-8")
    report = cli.json("import", str(path), "--map", "text=note", "--map", "subject=who")
    assert (report["source"], report["added"]) == ("csv", [1])
    assert cli.json("get", "1")["subject"] == "ann"


def test_only_one_scope_of_several_comes_in(cli: CommandLine, tmp_path: Path) -> None:
    """Several namespaces are refused with their names; one of them is taken when it is named."""
    path = foreign.rmbr(tmp_path / "r.db")
    foreign.change(path, "INSERT INTO memories VALUES (9, 'other', 'theirs', '{}', '2026-01-09T00:00:00Z')")
    refused = cli("import", str(path), status=None)
    assert refused.status not in (0, 70)
    assert "'other' (1)" in refused.err
    assert cli.json("import", str(path), "--scope", "other")["added"] == [1]


@pytest.mark.parametrize("shape", ["markdown", "memory-server", "mem0"])
def test_an_export_takes_a_shape(cli: CommandLine, tmp_path: Path, shape: str) -> None:
    """``--as`` chooses what is written."""
    cli("remember", "likes tea", "--subject", "ann")
    target = tmp_path / "out.md"
    assert cli.json("export", str(target), "--as", shape) == {"path": str(target)}
    assert "likes tea" in target.read_text(encoding="utf-8")


def test_what_is_unknown_is_a_sentence(cli: CommandLine, tmp_path: Path) -> None:
    """A file of nobody's names the systems that can be read."""
    (tmp_path / "x.bin").write_bytes(b"\x00\x01")
    said = cli("import", str(tmp_path / "x.bin"), status=None)
    assert said.status not in (0, 70)
    assert all(name in said.err for name in SYSTEMS)


def test_other_commands_do_not_load_the_readers(tmp_path: Path) -> None:
    """Importers are loaded by the commands that use them and by no other."""
    script = (
        "import sys, json; from omoide.serve.cli.app import run;"
        f" run(['--store', {str(tmp_path / 'a.db')!r}, 'stats']);"
        " print(json.dumps([name for name in sys.modules if name.startswith('omoide.migrate')]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []
