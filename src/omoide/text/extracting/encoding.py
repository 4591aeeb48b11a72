"""Bytes to text: byte order mark, strict UTF-8, what the text says of itself, then detection."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from omoide.errors import ExtractError
from omoide.text.extracting.plausible import plausibility

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w:.-]{2,40})|<\?xml[^>]{0,100}encoding\s*=\s*["']([\w:.-]{2,40})"""
    rb"""|^[ \t\f]*\#.{0,100}?coding[:=][ \t]*([-\w.]{2,40})""",
    re.IGNORECASE | re.MULTILINE,
)
_SAMPLE = 64_000
_SURE = 0.6
# Encodings that detection may answer with: what files of people are written in.
_CANDIDATES = (
    "cp932",
    "euc_jp",
    "gb18030",
    "big5",
    "cp949",
    "cp1252",
    "cp1250",
    "cp1251",
    "koi8_r",
    "cp1253",
    "latin_1",
)
# Encodings of one alphabet each, taken when none of the above fits.
_RARE = ("cp1254", "cp1255", "cp1256", "cp1257", "cp874", "mac_roman")
# A subset is read with the encoding that contains it, as browsers do.
_SUPERSETS = {
    "shift_jis": "cp932",
    "ascii": "cp1252",
    "latin-1": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
}
_ALLOWED_CONTROLS = frozenset(b"\t\n\r\f\x0b\x08\x1b\x1a\x0e\x0f")


class Decoded(NamedTuple):
    """A text, the name of its encoding, and notes on what was guessed or replaced."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Return the text of ``data``; line ends are left as they are.

    Raises `ExtractError` with reason "encoding" for an unknown ``encoding`` and "binary" for what is no text.
    """
    if encoding is not None:
        return _named(data, encoding)
    for mark, name in _MARKS:
        if data.startswith(mark) and (text := _strict(data, name)) is not None:
            return Decoded(text, name.removesuffix("-sig"))
    if wide := _wide(data):
        return wide
    if is_binary(data):
        raise ExtractError("this is a binary file, not text", reason="binary")
    text = _strict(data, "utf-8")
    if text is not None and b"\x1b$" not in data:
        return Decoded(text, "utf-8")
    if b"\x1b$" in data and (text := _strict(data, "iso2022_jp")) is not None:
        return Decoded(text, "iso2022_jp")
    return _declared(data) or _detected(data)


def is_binary(data: bytes) -> bool:
    """Whether the beginning of a file holds what no text does: NUL, or many control characters."""
    start = data[:_SAMPLE]
    if b"\0" in start:
        return True
    controls = sum(byte < 32 and byte not in _ALLOWED_CONTROLS for byte in start)
    return controls > max(2, len(start) // 50)


def _named(data: bytes, encoding: str) -> Decoded:
    try:
        text = data.decode(encoding)
    except LookupError:
        raise ExtractError(f"unknown encoding {encoding!r}: use a name Python knows", reason="encoding") from None
    except UnicodeDecodeError:
        note = f"not valid {encoding}: wrong bytes were replaced"
        return Decoded(data.decode(encoding, "replace"), encoding, (note,))
    return Decoded(text.removeprefix("\ufeff"), encoding)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _wide(data: bytes) -> Decoded | None:
    """Recognise UTF-16 without a mark by the zero bytes of its ASCII characters."""
    start = data[:4_000]
    if len(data) % 2 or b"\0" not in start:
        return None
    for name, zeros, others in (("utf-16-le", start[1::2], start[::2]), ("utf-16-be", start[::2], start[1::2])):
        if zeros.count(0) > 0.4 * len(zeros) and others.count(0) < 0.02 * len(others) + 1:
            text = _strict(data, name)
            if text is not None and not any(ord(c) < 32 and ord(c) not in _ALLOWED_CONTROLS for c in text[:2_000]):
                return Decoded(text, name, (f"read as {name} without a byte order mark",))
    return None


def _declared(data: bytes) -> Decoded | None:
    found = _DECLARED.search(data[:2_000])
    if not found:
        return None
    name = next(group for group in found.groups() if group).decode("ascii", "replace").lower()
    try:
        name = codecs.lookup(name).name
    except LookupError:
        return None
    name = _SUPERSETS.get(name, name)
    text = _strict(data, name)
    return Decoded(text, name) if text is not None else None


def _detected(data: bytes) -> Decoded:
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE]
    cut = max(sample.rfind(b"\n"), sample.rfind(b"\r")) + 1
    sample = sample[:cut] if 0 < cut < len(data) else sample
    best = from_bytes(sample, cp_isolation=[*_CANDIDATES, *_RARE]).best()
    ranked = _ranked(sample, best.encoding if best else "")
    for candidate in ("utf-8", *ranked) if _almost_utf8(data) else ranked:
        text = _strict(data, candidate)
        if text is not None:
            return Decoded(text, candidate, (f"encoding guessed: {candidate}",))
    name = "utf-8" if _almost_utf8(data) else "cp1252"
    return Decoded(data.decode(name, "replace"), name, (f"encoding guessed: {name}; wrong bytes were replaced",))


def _ranked(sample: bytes, favourite: str) -> list[str]:
    """Return the encodings that decode a sample, the most plausible first; where none is, what was detected."""
    scores: dict[str, float] = {}
    for name in _CANDIDATES:
        text = _strict(sample, name)
        if text is not None:
            scores[name] = plausibility(text, name)
    ranked = sorted(scores, key=lambda name: -scores[name])
    sure = bool(ranked) and scores[ranked[0]] > _SURE
    return ranked if sure or not favourite else [favourite, *ranked]


def _almost_utf8(data: bytes) -> bool:
    return data.decode("utf-8", "replace").count("\ufffd") * 200 < len(data)
