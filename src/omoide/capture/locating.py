"""Where a host's files are on this machine: templates of its table filled in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from omoide.capture.hosts.spec import HostSpec, Place

PATIENCE: Final = 10.0
_NAME: Final = re.compile(r"\{(\w+)\}")
_VERSION: Final = re.compile(r"\d+\.\d+(?:\.\d+)?\S*")


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where files are: the home folder, the project's root, the environment, the system."""

    home: Path = field(default_factory=Path.home)
    project: Path = field(default_factory=Path.cwd)
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    platform: str = sys.platform

    def file(self, host: HostSpec, place: Place | None, scope: str) -> Path | None:
        """Return the file of a part in a scope, None where the host has none."""
        template = None if place is None else getattr(place, scope)
        return None if template is None else self.path(host, template)

    def path(self, host: HostSpec, template: Any) -> Path:
        """Return the path that a template means here."""
        if isinstance(template, tuple):
            found = [self.path(host, each) for each in template]
            return next((path for path in found if path.exists()), found[0])
        if isinstance(template, Mapping):
            template = template.get(self.platform) or template["linux"]
        return Path(_NAME.sub(lambda match: str(self._root(host, match[1])), template))

    def _root(self, host: HostSpec, name: str) -> Path:
        if name in ("home", "project"):
            return self.home if name == "home" else self.project
        variable, template = host.roots[name]
        named = self.environment.get(variable) if variable else None
        return Path(named).expanduser() if named else self.path(host, template)

    def binary(self, host: HostSpec) -> str | None:
        """Return where the host's program is, None where it is not on the path."""
        return next((found for name in host.binaries if (found := self._which(name))), None)

    def version(self, host: HostSpec) -> str | None:
        """Return the version that the host's program says, None where there is none or it says nothing in time."""
        program = self.binary(host)
        if program is None:
            return None
        try:
            said = subprocess.run(  # noqa: S603 - the host's own program
                [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                encoding="utf-8", errors="replace", check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return None
        found = _VERSION.search(said.stdout)
        return found[0] if found else None

    def _which(self, name: str) -> str | None:
        return shutil.which(name, path=self.environment.get("PATH", ""))

    def folder(self, host: HostSpec) -> Path | None:
        """Return the first of the host's own folders that is there."""
        return next((path for each in host.folders if (path := self.path(host, each)).is_dir()), None)

    def has(self, host: HostSpec) -> bool:
        """Say whether a host seems to be installed."""
        return self.binary(host) is not None or self.folder(host) is not None
