"""The formats that are known, in the order in which they are asked whether a file is theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from omoide.transcripts import (
    chatgpt,
    claude_code,
    claude_web,
    codex,
    copilot_cli,
    cursor,
    gemini,
    hermes,
    marked,
    messages,
    opencode_db,
    opencode_files,
    vscode_chat,
)
from omoide.transcripts.elements import resume_elements
from omoide.transcripts.lines import resume as resume_file
from omoide.transcripts.sniff import Sample
from omoide.transcripts.values import Position, Record, Session

Read = Callable[[Path, Position], Iterator[Record]]
Sessions = Callable[[Path], Iterator[Session]]
Resume = Callable[[Path, Position | None], Position]


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its name, the host that writes it, and how it is told, read and resumed.

    ``experimental``: written from the documented shape, never tried on a file that the host wrote.
    """

    name: str
    host: str
    recognises: Callable[[Sample], bool]
    read: Read
    sessions: Sessions
    resume: Resume = resume_file
    experimental: bool = False


def _lines(
    name: str, host: str, recognises: Callable[[list[dict[str, object]]], bool], read: Read, sessions: Sessions,
    *, experimental: bool = False,
) -> Format:  # fmt: skip
    return Format(name, host, lambda sample: recognises(sample.objects), read, sessions, experimental=experimental)


FORMATS: Final[tuple[Format, ...]] = (
    _lines("codex-rollout", codex.HOST, codex.recognises, codex.read, codex.sessions),
    _lines("claude-code-jsonl", claude_code.HOST, claude_code.recognises, claude_code.read, claude_code.sessions),
    _lines("cursor-jsonl", cursor.HOST, cursor.recognises, cursor.read, cursor.sessions),
    _lines(
        "copilot-cli-events", copilot_cli.HOST, copilot_cli.recognises, copilot_cli.read, copilot_cli.sessions,
        experimental=True,
    ),
    _lines("gemini-jsonl", gemini.HOST, gemini.recognises, gemini.read, gemini.sessions, experimental=True),
    _lines(
        "vscode-chat-log", vscode_chat.HOST, vscode_chat.recognises, vscode_chat.read, vscode_chat.sessions,
        experimental=True,
    ),
    _lines("messages-jsonl", messages.HOST, messages.recognises, messages.read, messages.sessions),
    Format("gemini-json", gemini.HOST, gemini.recognises_document, gemini.read_document, gemini.sessions_of_document),
    Format(
        "claude-code-web", claude_web.HOST, claude_web.recognises_session, claude_web.read_session,
        claude_web.sessions_of_session,
    ),
    Format(
        "vscode-chat-json", vscode_chat.HOST, vscode_chat.recognises_document, vscode_chat.read_document,
        vscode_chat.sessions_of_document, experimental=True,
    ),
    Format(
        "opencode-files", opencode_files.HOST, opencode_files.recognises, opencode_files.read, opencode_files.sessions,
        opencode_files.resume, experimental=True,
    ),
    Format(
        "opencode-database", opencode_db.HOST, opencode_db.recognises, opencode_db.read, opencode_db.sessions,
        opencode_db.resume, experimental=True,
    ),
    Format(
        "hermes-database", hermes.HOST, hermes.recognises, hermes.read, hermes.sessions, hermes.resume,
        experimental=True,
    ),
    Format(
        "claude-export", claude_web.HOST, claude_web.recognises, claude_web.read, claude_web.sessions, resume_elements,
        experimental=True,
    ),
    Format(
        "chatgpt-export", chatgpt.HOST, chatgpt.recognises, chatgpt.read, chatgpt.sessions, resume_elements,
        experimental=True,
    ),
    Format(
        "specstory-markdown", marked.SPECSTORY, marked.recognises_specstory, marked.read_specstory,
        marked.sessions_of_specstory, marked.resume_specstory,
    ),
    Format("text", marked.PLAIN, marked.recognises_text, marked.read_text, marked.sessions_of_text, marked.resume_text),
)  # fmt: skip

EXPERIMENTAL: Final = frozenset(known.name for known in FORMATS if known.experimental)
