"""The settings of commands and servers: one table, and where each value came from.

A value is looked for in this order: an option of the command, the environment, the entry of the project in
the configuration file, the file's general part, the default.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from omoide.errors import ConfigurationError

CONFIG: Final = "OMOIDE_CONFIG"
"""The variable that names another configuration file."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting; ``default`` is shown and used as it is."""

    name: str
    variable: str
    default: str | float | None
    description: str
    kind: type = str


SETTINGS: Final = (
    Setting("store", "OMOIDE_STORE", "~/.omoide/agents.db", "The store: a file."),
    Setting("namespace", "OMOIDE_NAMESPACE", "default", "The namespace in the store."),
    Setting(
        "project",
        "OMOIDE_PROJECT",
        "auto",
        "What memories are filed under: auto is the repository of the current folder, tree its worktree or branch,"
        " none nothing, anything else that name.",
    ),
    Setting("lang", "OMOIDE_LANG", None, "The language of messages: en, fr or ja. Default: the system's."),
    Setting(
        "embedder",
        "OMOIDE_EMBEDDER",
        None,
        "The model: default, none, or PROVIDER:MODEL. Default: the one that the store records.",
    ),
    Setting("actor", "OMOIDE_ACTOR", None, "Who writes, as the audit names it."),
    Setting("busy_timeout", "OMOIDE_BUSY_TIMEOUT", 5.0, "Seconds to wait for a store that another writes.", float),
    Setting(
        "guard",
        "OMOIDE_GUARD",
        "capture",
        "Before a compaction that a person asks for: capture keeps the session and lets it pass, block also refuses"
        " it once when work was not saved, off does nothing.",
    ),
    Setting(
        "inject",
        "OMOIDE_INJECT",
        "start",
        "What an agent is shown by itself: start when a session starts or was compacted, prompt also what fits each"
        " prompt, off nothing.",
    ),
    Setting("inject_tokens", "OMOIDE_INJECT_TOKENS", 1500.0, "About how many tokens that may take at a time.", float),
    Setting(
        "recover",
        "OMOIDE_RECOVER",
        "capture",
        "Sessions that ended without being captured: capture takes them in, list only names them, off neither.",
    ),
    Setting(
        "consolidate",
        "OMOIDE_CONSOLIDATE",
        "off",
        "After hooks were worked off: due consolidates in the background when omoide sleep is due, off does not.",
    ),
    Setting(
        "transcript_roots",
        "OMOIDE_TRANSCRIPT_ROOTS",
        None,
        "Folders, separated as in PATH, in which hooks may name transcripts beside those of the known hosts.",
    ),
    Setting("pager", "OMOIDE_PAGER", "auto", "Whether long output is paged in a terminal: auto or never."),
)
BY_NAME: Final[Mapping[str, Setting]] = {setting.name: setting for setting in SETTINGS}
EXTERNAL: Final[Mapping[str, str]] = {
    CONFIG: "Another configuration file.",
    "OMOIDE_TOKEN": "The token that callers of the servers send.",
    "OMOIDE_TOKEN_FILE": "The file of the tokens that let callers in.",
    "NO_COLOR": "Any value: no colours.",
    "LC_ALL, LC_MESSAGES, LANG": "The language, when OMOIDE_LANG is not set.",
    "PAGER": "The program that pages long output.",
}
"""Variables that are read and are no settings."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force; ``origins`` says for each where it came from."""

    values: Mapping[str, Any]
    origins: Mapping[str, str]
    file: Path
    read: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


def config_file() -> Path:
    """Return where the configuration is, whether or not it exists."""
    named = os.environ.get(CONFIG)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("omoide", appauthor=False) / "config.toml"


def read_config(file: Path) -> dict[str, Any]:
    """Return the content of a configuration file, nothing when there is none.

    Raises:
        ConfigurationError: it cannot be read, or a value is of the wrong type.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"the configuration {file} cannot be read: {error}", value=str(file)) from error
    _check_part(content, str(file))
    for name, part in content.get("projects", {}).items():
        _check_part(part, f"{file}, project {name}")
    return content


def _check_part(part: Any, where: str) -> None:
    if not isinstance(part, Mapping):
        raise ConfigurationError(f"{where}: a table of settings is wanted, not {part!r}", value=part)
    for name, value in part.items():
        setting = BY_NAME.get(name)
        if setting is not None:
            value_of(setting, value, where)


def value_of(setting: Setting, value: Any, where: str) -> Any:
    """Return the value of a setting in its type.

    Raises:
        ConfigurationError: it has another type.
    """
    if setting.kind is float:
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            message = f"{where}: {setting.name} must be a number, not {value!r}"
            raise ConfigurationError(message, value=value) from error
    if not isinstance(value, str):
        raise ConfigurationError(f"{where}: {setting.name} must be a text, not {value!r}", value=value)
    return value


def settle(given: Mapping[str, Any], project: str | None = None) -> Settings:
    """Return the settings in force; ``given`` are options of the command, None for those left out.

    Raises:
        ConfigurationError: a value that cannot be.
    """
    file = config_file()
    config = read_config(file)
    own = config.get("projects", {}).get(project, {}) if project else {}
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for setting in SETTINGS:
        found = _found(setting, given, own, config)
        origins[setting.name] = found[0]
        values[setting.name] = None if found[1] is None else value_of(setting, found[1], found[0])
    if not values["store"].strip():
        raise ConfigurationError(f"{origins['store']}: store is blank; name a file such as agents.db", value="")
    values["store"] = _expanded(values["store"])
    return Settings(values, origins, file, config)


def _found(setting: Setting, *sources: Mapping[str, Any]) -> tuple[str, Any]:
    given, own, config = sources
    variable = os.environ.get(setting.variable) or None
    candidates = (
        ("option", given.get(setting.name)),
        (setting.variable, variable),
        ("project", own.get(setting.name)),
        ("config", config.get(setting.name)),
    )
    return next(((name, value) for name, value in candidates if value is not None), ("default", setting.default))


def _expanded(store: str) -> str:
    """Return the path with ``~`` replaced; a trailing slash, which means a folder, stays."""
    return os.path.expanduser(store) if store.startswith("~") else store  # noqa: PTH111 - Path drops the slash
