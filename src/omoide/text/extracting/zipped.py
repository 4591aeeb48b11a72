"""Parts of a ZIP package, bounded: what a part says of its size is not believed."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

from omoide.errors import ExtractError
from omoide.text.extracting.xml_events import Attributes, TooMuchTextError, UnsafeXmlError, read_xml

MAX_PART = 100_000_000
"""Most bytes that the parts read of one package may unpack to."""

_STEP = 65_536

_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, OSError, ValueError)


class Package:
    """A ZIP file in memory; what is read of it counts against `MAX_PART`."""

    def __init__(self, file: Path, data: bytes) -> None:
        self.file = file
        self.left = MAX_PART
        try:
            self._archive = zipfile.ZipFile(BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise self.damaged(str(error)) from None
        self.names = {name.replace("\\", "/").lstrip("/"): name for name in self._archive.namelist()}

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield a part's bytes; raises `ExtractError` when the package unpacks to too much or is damaged."""
        try:
            with self._archive.open(self.names[name]) as stream:
                while chunk := stream.read(_STEP):
                    self.left -= len(chunk)
                    if self.left < 0:
                        raise self.too_big(f"unpacks to more than {MAX_PART:,} bytes")
                    yield chunk
        except ExtractError:
            raise
        except _DAMAGE as error:
            raise self.damaged(f"{name}: {error}") from None
        except RuntimeError as error:  # zipfile's word for a password
            raise ExtractError(f"{self.file} needs a password: {error}", reason="encrypted") from None

    def read(
        self, name: str, on_start: Callable[[str, Attributes], None], on_end: Callable[[str], None],
        on_text: Callable[[str], None],
    ) -> None:  # fmt: skip
        """Pass the elements and texts of a part to the handlers; raises `ExtractError`: damaged, too_big."""
        try:
            read_xml(self.chunks(name), on_start, on_end, on_text)
        except TooMuchTextError as error:
            raise self.too_big(f"holds {error}: {name}") from None
        except UnsafeXmlError as error:
            raise self.damaged(f"{name}: {error}") from None

    def too_big(self, why: str) -> ExtractError:
        """Return the error that says that there is more in the package than is read."""
        return ExtractError(f"{self.file} {why}", reason="too_big", value=str(self.file))

    def damaged(self, why: str) -> ExtractError:
        """Return the error that says what is wrong with the package."""
        return ExtractError(f"{self.file} is damaged: {why}", reason="damaged", value=str(self.file))
