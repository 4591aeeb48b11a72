"""What kind of packed document some bytes are, by their first bytes and the names inside."""

from __future__ import annotations

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_OTHERS = (
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"\x7fELF", "program"),
    (b"\x1f\x8b", "gzip archive"),
    (b"7z\xbc\xaf", "7z archive"),
    (b"Rar!", "RAR archive"),
    (b"%!PS", "PostScript"),
    (b"SQLite format 3\0", "SQLite database"),
)


def packed_kind(data: bytes, suffix: str) -> str | None:
    """Return pdf, zip, ole, rtf, eml or "other:<what it is>", None for what may be text."""
    start = data[:1024]
    if start.lstrip()[:5] == b"%PDF-" or (b"%PDF-" in start and suffix == ".pdf"):
        return "pdf"
    if data.startswith(_ZIP):
        return "zip"
    if data.startswith(_OLE):
        return "ole"
    if data.startswith(b"{\\rtf"):
        return "rtf"
    other = next((name for mark, name in _OTHERS if data.startswith(mark)), None)
    if other:
        return f"other:{other}"
    return {".pdf": "pdf", ".docx": "docx", ".eml": "eml"}.get(suffix)
