"""EPUB: the chapters in the order of the book, each read as the HTML page it is."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from omoide.errors import ExtractError
from omoide.text.extracting.encoding import decode
from omoide.text.extracting.found import MAX_TEXT, Extracted
from omoide.text.extracting.html_page import read_html
from omoide.text.extracting.xml_events import Attributes
from omoide.text.extracting.zipped import Package

_CONTAINER = "META-INF/container.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html"})


def is_epub(package: Package) -> bool:
    """Whether a package is a book."""
    return _CONTAINER in package


def read_epub(package: Package) -> Extracted:
    """Return the chapters of a book; raises `ExtractError`: damaged, encrypted, too_big, empty."""
    if "META-INF/encryption.xml" in package and "META-INF/rights.xml" in package:
        raise ExtractError(f"{package.file} is protected and cannot be read", reason="encrypted")
    book = _Book(_place_of_book(package))
    if book.place not in package:
        raise package.damaged(f"there is no {book.place}")
    package.read(book.place, book.start, book.end, book.text)
    pages = (b"".join(package.chunks(chapter)) for chapter in book.chapters() if chapter in package)
    text = "\n\n".join(filter(None, (read_html(decode(page).text).text.strip() for page in pages if page.strip())))
    if not text:
        raise ExtractError(f"{package.file} has no chapter with words", reason="empty", value=str(package.file))
    if len(text) > MAX_TEXT:
        raise package.too_big(f"holds more than {MAX_TEXT:,} characters")
    return Extracted(text + "\n", "markdown", " ".join("".join(book.title).split()) or None)


def _place_of_book(package: Package) -> str:
    found: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        if name == "rootfile" and "full-path" in attributes:
            found.append(attributes["full-path"])

    package.read(_CONTAINER, start, _ignore, _ignore)
    if not found:
        raise package.damaged("it names no book")
    return found[0]


def _ignore(_: str) -> None:
    pass


class _Book:
    """The title, the files and the order of a book."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.title: list[str] = []
        self._files: dict[str, str] = {}
        self._order: list[str] = []
        self._inside = False

    def start(self, name: str, attributes: Attributes) -> None:
        self._inside = name == "title" and not self.title
        if name == "item" and attributes.get("media-type") in _PAGES:
            self._files[attributes.get("id", "")] = attributes.get("href", "")
        elif name == "itemref":
            self._order.append(attributes.get("idref", ""))

    def end(self, _: str) -> None:
        self._inside = False

    def text(self, data: str) -> None:
        if self._inside:
            self.title.append(data)

    def chapters(self) -> list[str]:
        """Return the places of the chapters inside the package."""
        folder = posixpath.dirname(self.place)
        named = [self._files[name] for name in self._order if name in self._files]
        return [posixpath.normpath(posixpath.join(folder, unquote(name.partition("#")[0]))) for name in named]
