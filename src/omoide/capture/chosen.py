"""What the person chose for hooks: read only where it matters, since it costs a configuration file."""

from __future__ import annotations

from typing import Any

from omoide.beside.failures import failed
from omoide.errors import ConfigurationError
from omoide.serve.project import project_of
from omoide.serve.settings import BY_NAME, config_file, settle

CHOICES = {
    "guard": ("capture", "block", "off"),
    "inject": ("start", "prompt", "off"),
    "recover": ("capture", "list", "off"),
    "consolidate": ("off", "due"),
}


class Chosen:
    """The settings of hooks for one folder; a value that cannot be counts as the default, and ``wrong`` names it."""

    __slots__ = ("budget", "consolidate", "guard", "inject", "project", "recover", "wrong")

    def __init__(self, cwd: str) -> None:
        place = project_of(cwd) if cwd else None
        self.wrong: list[str] = []
        values = self._values(place.name if place else None)
        self.guard, self.inject, self.recover, self.consolidate = (self._choice(values, name) for name in CHOICES)
        self.budget = max(0, int(values["inject_tokens"]))
        named = values["project"]
        if named in ("auto", "tree"):
            self.project = None if place is None else place.name if named == "auto" else place.tree
        else:
            self.project = None if named in ("none", "") else named

    def _values(self, project: str | None) -> dict[str, Any]:
        try:
            settings = settle({}, project)
        except ConfigurationError as error:
            self.wrong.append(str(error))
            return {name: setting.default for name, setting in BY_NAME.items()}
        return dict(settings.values)

    def _choice(self, values: dict[str, Any], name: str) -> str:
        value = str(values[name])
        if value in CHOICES[name]:
            return value
        self.wrong.append(f"{name} is one of {', '.join(CHOICES[name])}, not {value!r}")
        return str(BY_NAME[name].default)


def config_path() -> str:
    """Return where the configuration is, whether or not it exists."""
    return str(config_file())


def default_place(cwd: str) -> tuple[str, str]:
    """Return the store and the namespace for a hook that is pinned to none.

    Raises:
        ConfigurationError: the configuration cannot be read.
    """
    place = project_of(cwd) if cwd else None
    settings = settle({}, place.name if place else None)
    return settings["store"], settings["namespace"]


def chosen_at(cwd: str, store: str, at: str) -> Chosen:
    """Return the settings for a folder; what is wrong with them is noted for doctor."""
    chosen = Chosen(cwd)
    for wrong in chosen.wrong:
        failed(store, "settings", wrong, at)
    return chosen
