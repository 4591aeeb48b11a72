"""Under which name a transcript's file is known: its own, unless that holds a secret."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from omoide.text.secrets import mask

_DIGITS: Final = 16
"""Hexadecimal digits that tell files apart whose names differ in their secrets alone."""
_STARTS: Final = re.compile(r"(?<=[-_.+@ ])(?=[A-Za-z0-9])")
"""Where a part of a name may begin; in prose a secret is not joined to the word before it."""


def filed(name: str | Path) -> str:
    """Return a path, or a name made from one; a secret in it is masked, and a digest of the whole stands at the end.

    The same file gives the same name, so that its place, its failures and its purge are found again.
    """
    text = str(name)
    masked = without_secrets(text)
    if masked == text:
        return text
    return f"{masked}#{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:_DIGITS]}"


def without_secrets(text: str) -> str:
    """Return a text with its secrets masked, those too that are joined to the word before, as in names of files."""
    text = mask(text)[0]
    for start in reversed([found.start() for found in _STARTS.finditer(text)]):
        rest, secrets = mask(text[start:])
        if secrets and secrets[0].start == 0:
            text = text[:start] + rest
    return text
