"""Documents that are no plain text, each to its reader, or to a reason why not."""

from __future__ import annotations

from pathlib import Path

from omoide.errors import ExtractError
from omoide.text.extracting import docx, epub, odf, pptx, xlsx
from omoide.text.extracting.eml import read_eml
from omoide.text.extracting.found import Extracted
from omoide.text.extracting.pdf import read_pdf
from omoide.text.extracting.rtf import read_rtf
from omoide.text.extracting.zipped import Package

_PACKAGES = (
    (xlsx.is_xlsx, xlsx.read_xlsx), (pptx.is_pptx, pptx.read_pptx), (epub.is_epub, epub.read_epub),
    (odf.is_odf, odf.read_odf),
)  # fmt: skip
_ADVICE = "save it as PDF, DOCX, HTML or text"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")


def read_packed(kind: str, file: Path, data: bytes, max_seconds: float) -> Extracted:
    """Return the text of a document of a kind that `packed_kind` names.

    Raises `ExtractError` with the reason.
    """
    if kind == "pdf":
        return read_pdf(file, max_seconds)
    if kind in {"zip", "docx"}:
        return _zip(file, data)
    if kind == "ole":
        if _ENCRYPTED_PACKAGE in data:
            raise ExtractError(f"{file} needs a password: save a copy without one", reason="encrypted", value=str(file))
        raise _unsupported(file, "an old Office or Outlook file")
    if kind == "rtf":
        return read_rtf(file, data, max_seconds)
    if kind == "eml":
        return read_eml(file, data)
    raise _unsupported(file, f"a {kind.removeprefix('other:')}")


def _zip(file: Path, data: bytes) -> Extracted:
    package = Package(file, data)
    if docx.parts_of(package.names):
        return docx.read_docx(package)
    for fits, read in _PACKAGES:
        if fits(package):
            return read(package)
    if file.suffix.lower() == ".docx":
        raise package.damaged("there is no word/document.xml")
    raise _unsupported(file, "a packed file")


def _unsupported(file: Path, what: str) -> ExtractError:
    return ExtractError(f"{file} is {what}, which is not read: {_ADVICE}", reason="unsupported", value=str(file))
