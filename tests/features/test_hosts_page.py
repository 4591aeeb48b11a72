"""``docs/hosts.md`` says of every host what its table says."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.capture.hosts.known import NAMES, host_named
from omoide.capture.hosts.spec import HostSpec, Place
from omoide.capture.locating import Machine

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "hosts.md").read_text(encoding="utf-8")
LINUX = Machine(home=Path("~"), project=Path("PROJECT"), environment={}, platform="linux")


def cell(host: HostSpec, place: Place | None) -> str:
    found = [LINUX.file(host, place, scope) for scope in ("user", "project")]
    return "<br>".join(f"`{path.as_posix()}`" for path in found if path is not None) or "-"


def row(host: HostSpec) -> str:
    """Return the line of the table for a host."""
    events = ", ".join(host.installed) or "-"
    unsure = ", ".join(part.replace(":win32", " on Windows").replace(":", " ") for part in host.experimental) or "-"
    files = [cell(host, host.place(part)).replace("PROJECT/", "") for part in ("mcp", "hooks", "instructions")]
    return f"| `{host.name}` | {' | '.join(files)} | {events} | {unsure} |"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_the_row_of_every_host(name: str) -> None:
    host = host_named(name)
    assert host is not None
    assert row(host) in PAGE
