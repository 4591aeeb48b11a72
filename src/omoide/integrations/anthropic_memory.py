"""Anthropic's memory tool over one omoide store: a file is a memory with its history; needs ``omoide[anthropic]``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from omoide.integrations import memory_files
from omoide.integrations.entries import Entry
from omoide.integrations.file_tree import Files
from omoide.integrations.keyed import Keyed
from omoide.integrations.threads import whole

try:
    from anthropic.lib.tools import ToolError
    from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
except ImportError as error:
    raise ImportError("this needs the Anthropic SDK; install omoide[anthropic]", name="anthropic") from error

DOOR: Final = "tool:memory"

Command = Callable[[Files, Any], memory_files.Done]


class _Tree:
    """The files of one namespace; every command sees them as they are and loses nobody else's change."""

    def __init__(self, path: str | os.PathLike[str], namespace: str, options: dict[str, Any]) -> None:
        self.memory = Keyed(path, namespace, **{"door": DOOR, **options})

    def run(self, command: Command, arguments: Any) -> str:
        """Carry out a command and return its reply.

        Raises:
            ToolError: it was refused; the text is the reply.
        """
        home = self.memory.namespace

        def attempt(entries: list[Entry]) -> memory_files.Done:
            return command(Files(home, entries), arguments)

        try:
            return self.memory.settle(home, attempt)
        except memory_files.Refused as refusal:
            raise ToolError(str(refusal)) from refusal


class OmoideMemoryTool(BetaAbstractMemoryTool):
    """Files below ``/memories`` in one namespace; nothing touches the disk but the store.

    The replies are those that the models were trained on. ``options`` are those of ``Memory``.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, namespace: str = "default", cache_control: Any | None = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(cache_control=cache_control)
        self._tree = _Tree(path, namespace, options)
        self.memory = self._tree.memory

    def view(self, command: Any) -> str:
        """Return a folder's listing two levels deep, or a file's numbered lines."""
        return self._tree.run(memory_files.view, command)

    def create(self, command: Any) -> str:
        """Make a file with the folders above it; one that exists stays as it is."""
        return self._tree.run(memory_files.create, command)

    def str_replace(self, command: Any) -> str:
        """Replace a text that stands exactly once in a file."""
        return self._tree.run(memory_files.str_replace, command)

    def insert(self, command: Any) -> str:
        """Insert a text after a line, 0 for the top."""
        return self._tree.run(memory_files.insert, command)

    def delete(self, command: Any) -> str:
        """Forget a file, or a folder with all that is in it; the history stays."""
        return self._tree.run(memory_files.delete, command)

    def rename(self, command: Any) -> str:
        """Move a file or a folder to a place that is free."""
        return self._tree.run(memory_files.rename, command)

    def clear_all_memory(self) -> str:
        """Forget every file."""
        return self._tree.run(memory_files.clear, None)

    def close(self) -> None:
        """Close the store."""
        self.memory.close()


class AsyncOmoideMemoryTool(BetaAsyncAbstractMemoryTool):
    """``OmoideMemoryTool`` for the asynchronous client; each command runs in a worker thread."""

    def __init__(
        self, path: str | os.PathLike[str], *, namespace: str = "default", cache_control: Any | None = None,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(cache_control=cache_control)
        self._tree = _Tree(path, namespace, options)
        self.memory = self._tree.memory

    async def view(self, command: Any) -> str:
        """Return a folder's listing two levels deep, or a file's numbered lines."""
        return await self._run(memory_files.view, command)

    async def create(self, command: Any) -> str:
        """Make a file with the folders above it; one that exists stays as it is."""
        return await self._run(memory_files.create, command)

    async def str_replace(self, command: Any) -> str:
        """Replace a text that stands exactly once in a file."""
        return await self._run(memory_files.str_replace, command)

    async def insert(self, command: Any) -> str:
        """Insert a text after a line, 0 for the top."""
        return await self._run(memory_files.insert, command)

    async def delete(self, command: Any) -> str:
        """Forget a file, or a folder with all that is in it; the history stays."""
        return await self._run(memory_files.delete, command)

    async def rename(self, command: Any) -> str:
        """Move a file or a folder to a place that is free."""
        return await self._run(memory_files.rename, command)

    async def clear_all_memory(self) -> str:
        """Forget every file."""
        return await self._run(memory_files.clear, None)

    def close(self) -> None:
        """Close the store."""
        self.memory.close()

    async def _run(self, command: Command, arguments: Any) -> str:
        return await whole(lambda: self._tree.run(command, arguments))
