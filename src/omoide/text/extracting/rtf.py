"""RTF as text: paragraphs, table rows and characters of any code page; pictures, fonts and styles left out."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Final

from omoide.errors import ExtractError
from omoide.text.extracting.found import MAX_TEXT, Extracted

_TOKEN: Final = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
_MAX_DEPTH: Final = 10_000
_STEP: Final = 20_000
_SKIPPED: Final = frozenset(
    b"fonttbl colortbl stylesheet info pict object themedata colorschememapping datastore latentstyles listtable"
    b" listoverridetable revtbl rsidtbl generator filetbl xmlnstbl bkmkstart bkmkend fldinst header footer headerl"
    b" headerr headerf footerl footerr footerf shpinst nonshppict".split()
)
_SAID: Final = {
    b"par": "\n\n", b"line": "\n", b"tab": "\t", b"cell": "\t", b"row": "\n", b"page": "\n\n", b"sect": "\n\n",
    b"emdash": "—", b"endash": "–", b"bullet": "•", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“",
    b"rdblquote": "”", b"emspace": " ", b"enspace": " ",
}  # fmt: skip
_SYMBOLS: Final = {b"~": "\u00a0", b"_": "\u2011", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n\n", b"\r": "\n\n"}
_CHARSETS: Final = {
    128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5", 161: "cp1253", 162: "cp1254", 163: "cp1258",
    177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip


def read_rtf(file: Path, data: bytes, max_seconds: float) -> Extracted:
    """Return the words of an RTF file; raises `ExtractError`: damaged, too_big, too_slow, empty."""
    reader = _Reader(file)
    until, place, count = time.monotonic() + max_seconds, 0, 0
    while found := _TOKEN.search(data, place):
        place = found.end() + reader.take(found)
        count += 1
        if count % _STEP == 0 and time.monotonic() > until:
            raise ExtractError(f"{file} took longer than {max_seconds:g} seconds", reason="too_slow", value=str(file))
    text = re.sub(r"[ \t]+\n", "\n", reader.done())
    text = re.sub(r"\n{3,}", "\n\n", text).strip("\n")
    if not text.strip():
        raise ExtractError(f"{file} holds no text", reason="empty", value=str(file))
    return Extracted(text + "\n", "text")


class _Reader:
    """Follows groups and control words; bytes wait until all of a character is there."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._parts: list[str] = []
        self._length = 0
        self._bytes = bytearray()
        self._page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = 0
        # Of each group: whether it is left out, how many characters follow a \u, the code page in use.
        self._groups: list[tuple[bool, int, str]] = []
        self._skipping, self._after, self._code = False, 1, ""
        self._fallback = 0
        self._optional = False

    def take(self, found: re.Match[bytes]) -> int:
        """Take one token; return how many bytes after it are a picture."""
        word, number, code, symbol, brace, plain = found.groups()
        if brace:
            self._brace(brace)
        elif word == b"bin":
            return max(0, int(number or 0))
        elif word:
            self._word(word, int(number) if number else None)
        elif code:
            self._raw(bytes((int(code, 16),)))
        elif symbol:
            self._optional = symbol == b"*"
            self._say(_SYMBOLS.get(symbol, ""))
        elif plain:
            self._raw(plain)
        return 0

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._optional, self._fallback = False, 0
        if brace == b"{":
            if len(self._groups) > _MAX_DEPTH:
                raise ExtractError(f"{self._file} is damaged: groups nest too deeply", reason="damaged")
            self._groups.append((self._skipping, self._after, self._code))
        elif self._groups:
            self._skipping, self._after, self._code = self._groups.pop()

    def _word(self, word: bytes, number: int | None) -> None:
        optional, self._optional = self._optional, False
        if word == b"fcharset" and number in _CHARSETS:
            self._fonts[self._font] = _CHARSETS[number]
        elif word == b"f" and number is not None:
            self._flush()
            self._font, self._code = number, self._fonts.get(number, "")
        elif word == b"ansicpg" and number:
            self._page = f"cp{number}"
        elif word == b"uc" and number is not None:
            self._after = max(0, number)
        elif word in _SKIPPED or (optional and word != b"shppict"):
            self._flush()
            self._skipping = True
        elif word == b"u" and number is not None:
            self._say(chr(number % 65_536), surrogates=True)
            self._fallback = self._after
        elif word in _SAID:
            self._say(_SAID[word])

    def _raw(self, data: bytes) -> None:
        if self._fallback:
            passed = min(self._fallback, len(data))
            self._fallback -= passed
            data = data[passed:]
        if not self._skipping:
            self._bytes += data

    def _say(self, text: str, *, surrogates: bool = False) -> None:
        self._flush()
        if text and not self._skipping:
            self._parts.append(text)
            self._length += 1 if surrogates else len(text)
            if self._length > MAX_TEXT:
                message = f"{self._file} holds more than {MAX_TEXT:,} characters"
                raise ExtractError(message, reason="too_big", value=str(self._file))

    def _flush(self) -> None:
        if self._bytes:
            data, self._bytes = bytes(self._bytes), bytearray()
            for page in (self._code, self._page, "cp1252"):
                try:
                    text = data.decode(page or "cp1252", "replace")
                except LookupError:
                    continue
                self._parts.append(text)
                self._length += len(text)
                return

    def done(self) -> str:
        """Return the text so far, pairs of surrogates joined."""
        self._flush()
        return "".join(self._parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
