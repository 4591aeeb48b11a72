"""XML as events, without entities, namespaces cut off: nothing that can grow or reach out is resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from xml.parsers import expat

MAX_DEPTH = 2_000

Attributes = dict[str, str]


class UnsafeXmlError(Exception):
    """The XML declares a document type, nests too deeply or is not well formed."""


class TooMuchTextError(UnsafeXmlError):
    """The XML holds more text than is taken out of one document."""


def read_xml(
    chunks: Iterable[bytes],
    on_start: Callable[[str, Attributes], None],
    on_end: Callable[[str], None],
    on_text: Callable[[str], None],
) -> None:
    """Pass every element and text to the handlers; names without prefix.

    Raises `UnsafeXmlError`: office documents have no document type, so one with a DOCTYPE (and so with entities) is
    refused before anything of it is expanded.
    """
    parser = expat.ParserCreate()
    depth = 0

    def start(name: str, attributes: Attributes) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise UnsafeXmlError(f"elements nest deeper than {MAX_DEPTH}")
        on_start(local(name), {local(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        on_end(local(name))

    def refuse(*_: object) -> None:
        raise UnsafeXmlError("a document type declaration is not allowed")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = on_text
    parser.StartDoctypeDeclHandler = refuse
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise UnsafeXmlError(str(error)) from None


def local(name: str) -> str:
    """Return a name without its prefix."""
    return name.rpartition(":")[2]
