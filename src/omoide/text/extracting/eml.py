"""A message of electronic mail: who wrote it, to whom, when, about what, and its words."""

from __future__ import annotations

from email import message_from_bytes
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Final, cast

from omoide.errors import ExtractError
from omoide.text.extracting.encoding import decode
from omoide.text.extracting.found import Extracted
from omoide.text.extracting.html_page import read_html

HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")


def read_eml(file: Path, data: bytes) -> Extracted:
    """Return the headers that people read and the words; attachments are named.

    Raises `ExtractError`: damaged, empty.
    """
    try:
        message = message_from_bytes(data, policy=default)
        named = {name: _header(message, name) for name in HEADERS}
        words = _words(message)
        attached = [part.get_filename() or part.get_content_type() for part in message.iter_attachments()]
    except (MessageError, LookupError, ValueError, TypeError, AttributeError, IndexError, KeyError) as error:
        # The parser of the standard library trips over some messages that nobody's program wrote right.
        raise ExtractError(f"{file} is damaged: {error}", reason="damaged", value=str(file)) from error
    lines = [f"{name}: {value}" for name, value in named.items() if value]
    if not words and not lines:
        raise ExtractError(f"{file} holds no text", reason="empty", value=str(file))
    text = "\n\n".join(filter(None, ["\n".join(lines), words])) + "\n"
    notes = (f"attachments were left out: {', '.join(attached)}",) if attached else ()
    return Extracted(text, "text", named["Subject"] or None, notes=notes)


def _header(message: EmailMessage, name: str) -> str:
    return " ".join(str(message.get(name, "")).split())


def _words(message: EmailMessage) -> str:
    part = message.get_body(("plain", "html"))
    if part is None:
        return ""
    raw = cast("bytes", part.get_payload(decode=True) or b"")
    charset = part.get_content_charset()
    text = decode(raw, charset if charset and _known(charset) else None).text if raw.strip() else ""
    return (read_html(text).text if part.get_content_subtype() == "html" else text).strip()


def _known(charset: str) -> bool:
    try:
        return bool("".encode(charset) or True)
    except LookupError:
        return False
