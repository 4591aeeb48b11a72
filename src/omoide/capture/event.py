"""One event of a host, whichever it is, in the words that every host shares."""

from __future__ import annotations

import os
import time

from omoide.capture import payload as p
from omoide.capture.detect import host_of
from omoide.capture.hosts.known import host_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from omoide.capture.hosts.spec import HostSpec
    from omoide.capture.payload import Payload

_LONGEST_NAME = 400


class Event:
    """What happened: at which host, in which session, at which place of its transcript.

    ``name`` is the host's own word, ``moment`` ours ("" for one that means nothing to us). ``position`` is the size
    of the transcript. ``agent`` is set inside a subagent. ``manual``: a person asked for the compaction.
    """

    __slots__ = (
        "agent", "at", "cwd", "host", "installed", "moment", "name", "payload", "position", "session", "source",
        "spec", "transcript",
    )  # fmt: skip

    def __init__(self, spec: HostSpec, installed: str, name: str, moment: str, payload: Payload) -> None:
        self.spec = spec
        self.host = spec.name
        self.installed = installed
        self.name = name
        self.moment = moment
        self.payload = payload
        self.agent = p.text(payload, *p.AGENT)[:_LONGEST_NAME]
        self.session = _session(payload)
        self.transcript = _transcript(payload)
        self.position = size_of(self.transcript)
        self.cwd = p.folder(payload)
        self.source = p.text(payload, "source", "trigger", "reason")
        self.at = stamp()

    @property
    def manual(self) -> bool:
        """Whether a person asked for the compaction; where nobody says so, nobody did."""
        return p.text(self.payload, "trigger") == "manual"

    @property
    def before(self) -> bool:
        """Whether a tool is only about to run."""
        return self.name.lower().startswith(("pre", "before")) or self.name.endswith(".before")


def event_of(installed: str, asked: str, payload: Payload) -> Event | None:
    """Return the event of a hook that ``installed``'s settings started as ``asked``; None for an unknown host."""
    given = host_named(installed)
    if given is None:
        return None
    spec = host_named(host_of(payload, given.name)) or given
    names = (p.text(payload, *p.EVENT), p.text(payload, "type"), asked)
    for table in (spec, given):
        for name in names:
            if name in table.events:
                return Event(spec, given.name, name, table.events[name], payload)
    return Event(spec, given.name, asked, "", payload)


def stamp() -> str:
    """Return the time, as ISO 8601 in UTC with microseconds."""
    now = time.time_ns() // 1000
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 1_000_000)) + f".{now % 1_000_000:06d}Z"


def size_of(path: str) -> int:
    """Return the size of a file, 0 for one that is not there."""
    try:
        return os.path.getsize(path) if path else 0
    except OSError:
        return 0


def _session(payload: Payload) -> str:
    """Return the id of the session; a turn told in an argument alone has that of its thread."""
    return p.text(payload, *p.SESSION, "thread-id", "thread_id")[:_LONGEST_NAME]


def _transcript(payload: Payload) -> str:
    """Return the transcript that an event is about: a subagent's own where it has one."""
    path = p.text(payload, *p.AGENT_TRANSCRIPT) or p.text(payload, *p.TRANSCRIPT)
    return os.path.expanduser(path) if path.startswith("~") else path
