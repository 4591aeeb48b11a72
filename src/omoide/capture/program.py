"""The command lines by which a host starts omoide: absolute, pinned to one store, safe with any path."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import dataclass
from typing import Final

from omoide.capture.hosts.spec import HostSpec

DEFAULT: Final = "default"
TOOLS: Final = "core,history_search,history_read,history_save"
"""What an agent is offered: beliefs, and the conversations that hooks capture."""


@dataclass(frozen=True, slots=True)
class Program:
    """How omoide is started, and with which store and namespace.

    ``store`` "": the one of the configuration. ``-P`` in the default keeps the folder that a host happens to be in
    from lending its modules.
    """

    store: str
    namespace: str = DEFAULT
    command: tuple[str, ...] = (sys.executable, "-P", "-m", "omoide")
    platform: str = sys.platform

    def hook(self, host: str, event: str) -> list[str]:
        """Return the words of a hook's command."""
        return [
            *self.command,
            "hook",
            host,
            event,
            *(("--store", self.store) if self.store else ()),
            *self._namespace(),
        ]

    def server(self) -> list[str]:
        """Return the words of the command of the MCP server."""
        return [*self.command, "mcp", *((self.store,) if self.store else ()), "--tools", TOOLS, *self._namespace()]

    def _namespace(self) -> list[str]:
        return [] if self.namespace == DEFAULT else ["--namespace", self.namespace]

    def line(self, words: list[str], host: HostSpec) -> str:
        """Return words as one line for the shell that the host runs on this system."""
        if self.platform != "win32":
            return shlex.join(words)
        return powershell(words) if host.windows_shell == "powershell" else subprocess.list2cmdline(words)


def powershell(words: list[str]) -> str:
    """Return words as one line for PowerShell."""
    return "& " + " ".join("'" + word.replace("'", "''") + "'" for word in words)
