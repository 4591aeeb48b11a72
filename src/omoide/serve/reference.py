"""The reference pages of ``docs/``, made from the tables that the doors are made from.

``python -m omoide.serve.reference docs`` writes them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from omoide import errors
from omoide.model.arguments import ToolCallError
from omoide.serve import codes
from omoide.serve.pages import http_page, mcp_page, table
from omoide.serve.settings import EXTERNAL, SETTINGS

NOTE: Final = "<!-- Made by `python -m omoide.serve.reference docs`; a test compares. -->"

SHARED: Final = "For every command:"
WIDTH: Final = 100
CLI_INTRO: Final = """\
# The command line

`omoide COMMAND --help` says the same as this page, in English, French or Japanese.

**Which store.** `--store`, else `OMOIDE_STORE`, else the configuration (for this project first), else
`~/.omoide/agents.db`; the namespace likewise. See [settings](settings.md). A store that `--store` names is taken as
it is; in any other, what is written is filed under the repository of the current folder (the address of its git
remote, the same in every clone and worktree, else its root folder), and `recall`, `list` and `search` show what
belongs to it or to no project. `--project NAME` names another, `--project none` none.

**Arguments.** A text that comes last need not be quoted: `omoide remember the deploy runs on Fridays`. `-` reads it
from standard input. Times are ISO 8601, such as `2026-05-01` or `2026-05-01T09:30:00+09:00`, UTC without an offset.
Lists take the option again (`--tag a --tag b`) or commas (`--tags a,b`); objects take `key=value` or JSON.

**Answers.** For people there are tables at a terminal, paged when long; in a pipe there is one tab-separated line a
row. `--json` prints the result that the [HTTP](http.md) and [MCP](mcp.md) doors return as well; an error is then
`{"error": {"code": ..., "message": ...}}` on standard error. Remarks go to standard error.

**Names.** A command takes the names that the library and the other doors have for it too: `check` is
`integrity_check`, `merge` is `merge_from`, `add` is `add_files` (a text: `omoide add -`), `import` is `import_from`;
dashes or underscores. `omoide help` lists all commands, `omoide help COMMAND` explains one.

**Long commands** say how far they are on standard error: a bar at a terminal, a line every ten seconds in a pipe,
nothing with `--quiet` or `--json`.

**Trust.** At a terminal a person writes, and what is written is `stated`; in a pipe or script it is `observed`.

**The model.** Commands answer at once from words and say so; `--wait` loads the model, searches by meaning too and
embeds at once what is written. Without it a vector is marked as pending and made by the next one that loads the model.

**Before something is destroyed** (`purge`, `undo`, `delete-document`, and `forget` by anything but an id) the command
shows what it would be and asks. `--dry-run` only shows. In a script `--yes` is needed, else the exit status is 16.

**A busy store.** A write that cannot wait any longer is kept beside the store and applied by the next command or
server that opens it: the answer says `"saved": false, "spooled": true`. `omoide doctor` shows what waits.

**Exit status.** 0 done; 1 `check`, `verify` or `doctor` found something; 130 interrupted; the rest says which
[kind of error](errors.md) there was.

"""
SETTINGS_INTRO: Final = """\
# Settings

Each is looked for as an option of the command, in the environment, in the project's part of the configuration file,
in its general part, and has a default. `omoide config` shows what is in force and where it comes from;
`omoide config set NAME VALUE` writes the file (`--here`: only for the project of this folder). The file is
`config.toml` in the system's folder for settings of programs (`omoide config path`):

```toml
store = "~/notes/agents.db"
lang = "fr"

[projects."github.com/acme/billing"]
namespace = "billing"
```

"""
ERRORS_INTRO: Final = """\
# Errors

Every error that omoide raises on purpose is an `OmoideError` with a stable `code` and a message that says what to do.
All doors tell the same code: in Python as the class, in MCP and HTTP as `code`, at the command line with `--json`
as `error.code` and as the exit status. The message is English for programs; the command line says it to people in
English, French or Japanese.

"""


def cli_page() -> str:
    """Return the reference of the command line."""
    import click

    from omoide.serve.cli.app import PROGRAM, group

    whole = group("en")
    parts = [NOTE, "\n", CLI_INTRO]
    with click.Context(whole, info_name=PROGRAM, terminal_width=WIDTH) as context:
        names = whole.list_commands(context)
        for name in names:
            command = whole.get_command(context, name)
            assert command is not None
            with click.Context(command, info_name=name, parent=context, terminal_width=WIDTH) as inner:
                parts.append(f"## omoide {name}\n\n```text\n{_without_shared(command.get_help(inner))}\n```\n\n")
        parts.append(f"## For every command\n\n```text\n{_shared(whole.get_help(context))}\n```\n")
    return "".join(parts)


def _without_shared(text: str) -> str:
    return text.partition(SHARED)[0].rstrip()


def _shared(text: str) -> str:
    return text.partition(SHARED)[2].strip("\n")


def settings_page() -> str:
    """Return the reference of the settings."""
    rows = [
        (f"`{setting.name}`", f"`{setting.variable}`", _shown(setting.default), setting.description)
        for setting in SETTINGS
    ]
    others = [(f"`{name}`", meaning) for name, meaning in EXTERNAL.items()]
    return (
        f"{NOTE}\n{SETTINGS_INTRO}"
        + table(("setting", "variable", "default", "meaning"), rows)
        + "\nVariables that are no settings:\n\n"
        + table(("variable", "meaning"), others)
    )


def _shown(default: object) -> str:
    return "" if default is None else f"`{default}`"


def errors_page() -> str:
    """Return the reference of the errors."""
    from omoide.serve.http.failures import refusal_of

    rows = []
    kinds: list[type[errors.OmoideError]] = [*_tree(errors.OmoideError), ToolCallError]
    for kind in kinds:
        instance = kind("")
        bases = ", ".join(base.__name__ for base in kind.__bases__ if base is not object)
        rows.append(
            (
                f"`{kind.code}`",
                f"`{kind.__name__}` ({bases})",
                str(codes.exit_of(instance)),
                str(refusal_of(instance).status),
                (kind.__doc__ or "").split("\n")[0].replace("``", "`"),
            )
        )
    own = [
        (
            "`missing_extra`",
            "`ImportError`",
            "15",
            "",
            "An optional part is not installed; the message names the extra.",
        ),
        ("`not_confirmed`", "", "16", "", "Something would be destroyed and nobody agreed (command line)."),
        ("`usage`", "", "2", "", "A command line that makes no sense."),
        ("`unexpected`", "", str(codes.UNEXPECTED), "500", "The system refused something."),
    ]
    return f"{NOTE}\n{ERRORS_INTRO}" + table(("code", "class", "exit", "HTTP", "meaning"), [*rows, *own])


def _tree(kind: type[errors.OmoideError]) -> Iterator[type[errors.OmoideError]]:
    """Yield the errors of omoide.errors, each before what is derived from it."""
    yield kind
    for derived in sorted(kind.__subclasses__(), key=lambda each: each.__name__):
        if derived.__module__ == errors.__name__:
            yield from _tree(derived)


PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "cli.md": cli_page,
    "settings.md": settings_page,
    "errors.md": errors_page,
    "mcp.md": lambda: f"{NOTE}\n{mcp_page()}",
    "http.md": lambda: f"{NOTE}\n{http_page()}",
}


def main(folder: str) -> None:
    """Write every page into ``folder``."""
    for name, page in PAGES.items():
        (Path(folder) / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
