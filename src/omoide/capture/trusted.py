"""Whether the file that a payload names is one to read: a payload may name any file of the machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from omoide.capture.hosts.known import NAMES, host_named
from omoide.capture.locating import Machine
from omoide.errors import ConfigurationError
from omoide.serve.settings import settle
from omoide.transcripts import reader

SETTING: Final = "transcript_roots"
_PLAIN: Final = "text"


def refusal(record: Mapping[str, Any], path: Path) -> str:
    """Return why a transcript that a payload named is not read, "" when it may be.

    It lies where hosts keep theirs, or below a folder that the person allowed. A host of which no such folder is
    known may name any file that is a transcript by its content; plain text is none there.

    Raises:
        OSError: the file cannot be looked at.
        OmoideError: what it holds cannot be read.
    """
    if _below(path, [*_of_hosts(record), *_allowed()]):
        return ""
    installed = host_named(str(record.get("installed") or record.get("host", "")))
    if installed is None or installed.transcripts:
        return f"it lies where no host keeps transcripts; the setting {SETTING} allows other folders"
    known = reader.detect(path)
    return "it is no transcript of an agent" if known is None or known.name == _PLAIN else ""


def is_transcript(path: Path) -> bool:
    """Say whether a file is told as a transcript by more than being text."""
    known = reader.detect(path)
    return known is not None and known.name != _PLAIN


def _below(path: Path, folders: list[Path]) -> bool:
    """Say whether a file really lies below a folder, links followed."""
    place = Path(os.path.normcase(os.path.realpath(path)))
    return any(place.is_relative_to(os.path.normcase(os.path.realpath(folder))) for folder in folders)


def _of_hosts(record: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the folders of all hosts, some of which run each other's hooks, as the environment of the hook had them."""
    told = record.get("roots")
    machine = Machine(environment={**os.environ, **(told if isinstance(told, dict) else {})})
    for name in NAMES:
        spec = host_named(name)
        if spec is not None:
            yield from (machine.path(spec, template) for template in spec.transcripts)


def _allowed() -> Iterator[Path]:
    try:
        named = settle({})[SETTING]
    except ConfigurationError:  # doctor names it; nothing more is allowed
        return
    for folder in str(named or "").split(os.pathsep):
        if folder.strip():
            yield Path(folder.strip()).expanduser()
