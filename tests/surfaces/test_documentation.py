"""What the README and the pages show can be done: their programs run, their commands and links are there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import pytest
from tests.features.foreign import mem0_export

from omoide import Memory
from omoide.serve.cli.app import group

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "plugin/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Pages whose examples are doctests have a test of their own.
PROGRAMS: Final = ("README.md", "docs/documents.md", "docs/history.md", "docs/migration.md", "docs/vault.md")


def code_of(page: str) -> list[str]:
    return [text for language, text in FENCE.findall((ROOT / page).read_text(encoding="utf-8")) if language == "python"]


@pytest.mark.model
@pytest.mark.parametrize("page", PROGRAMS)
def test_the_programs_of_a_page_run_one_after_the_other(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "deploy.md").write_text("# Deploy\n\nPush a tag.\n", encoding="utf-8")
    (tmp_path / ".claude" / "projects").mkdir(parents=True)
    mem0_export(tmp_path / ".mem0")
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    known: dict[str, Any] = {}
    for number, text in enumerate(code_of(page)):
        if page == "docs/vault.md" and number:
            known["mem"] = Memory("notes/")
            known["mem"].rename_note(known["id"], "old.md", dry_run=False)
        exec(compile(text, f"{page}, program {number + 1}", "exec"), known)  # noqa: S102
    for name in ("mem", "index"):
        if name in known:
            known[name].close()


def command_lines() -> Iterator[tuple[str, str]]:
    """Yield page and line of every call of ``omoide`` that stands as code."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = [body for _, body in FENCE.findall(text)]
        spans = re.findall(r"`(omoide [^`]+)`", FENCE.sub("", text))
        lines = [line for body in blocks for line in body.splitlines()]
        lines += [line for line in FENCE.sub("", text).splitlines() if line.startswith("    ")]
        for line in [*spans, *(line.strip().removeprefix("$ ") for line in lines)]:
            for call in line.split("#")[0].split(" && "):
                if call.startswith("omoide "):
                    yield page.relative_to(ROOT).as_posix(), " ".join(call.split())


CALLS: Final = sorted(set(command_lines()))


@pytest.mark.parametrize("page, line", CALLS)
def test_a_command_that_is_shown_is_there_with_its_options(page: str, line: str) -> None:
    words = [word for word in shlex.split(line.replace("'", ""))[1:] if word != "..."]
    command: click.Command = group()
    options: set[str] = set()
    for word in words:
        if word.startswith("-"):
            continue
        if not isinstance(command, click.Group):
            break
        options |= options_of(command)
        found = command.get_command(click.Context(command), word)
        if found is None:
            assert not word.islower(), f"there is no command {word}"  # a place for one, such as COMMAND
            return
        command = found
    options |= options_of(command)
    assert {word.split("=")[0] for word in words if re.fullmatch(r"--?[a-z].*", word)} <= options


def options_of(command: click.Command) -> set[str]:
    parameters = command.get_params(click.Context(command))
    return {
        name for each in parameters if isinstance(each, click.Option) for name in (*each.opts, *each.secondary_opts)
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_links_to_is_there(page: Path) -> None:
    prose = re.sub("`[^`]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose)
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []


def test_every_page_is_reached_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in (ROOT / "docs").glob("*.md") if f"(docs/{page.name})" not in readme] == []


def test_every_target_of_the_makefile_is_explained() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert targets is not None
    told = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8") + (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in targets.group(1).split() if name != "again" and f"make {name}" not in told] == []


def test_every_extra_is_named_in_the_readme() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    extras = [name for name, needs in project["optional-dependencies"].items() if needs]
    assert [name for name in extras if f"`{name}`" not in readme] == []
