"""Exported chats of ChatGPT and Claude: conversations, which go into history as transcripts do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from omoide.errors import InvalidInputError
from omoide.migrate.source import Source
from omoide.transcripts import chatgpt, claude_web, reader


class _Chat(Source):
    host = ""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        files = sorted(path.glob("conversations*.json")) if path.is_dir() else [path]
        self._files = [file for file in files if (known := reader.detect(file)) is not None and known.host == self.host]
        if not self._files:
            raise InvalidInputError(f"{path} is no export of {self.name}", value=str(path))

    def transcripts(self) -> Sequence[Path]:
        """Return the export, or its parts."""
        return [file.absolute() for file in self._files]


class Chatgpt(_Chat):
    """What ChatGPT's data export holds: conversations.json, or the ZIP."""

    name = "chatgpt"
    host = chatgpt.HOST


class Claude(_Chat):
    """What Claude's data export holds: conversations.json, or the ZIP."""

    name = "claude"
    host = claude_web.HOST
