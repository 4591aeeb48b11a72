"""A host as data: where its files are, what they look like, which of its events are which moment.

The hook program reads one of these tables at every event, so nothing is imported here, not even ``typing``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Path = str | tuple[str, ...] | Mapping[str, str]

MOMENTS = ("start", "prompt", "tool", "stop", "compact", "compacted", "end", "idle")
"""What an event of any host comes to: a session begins, a prompt is sent, a tool is about to run or has run, a turn
ends, the context is about to be compacted or was, the session ends, nobody does anything."""
PARTS = ("mcp", "hooks", "instructions", "skills")
"""What set-up writes, each on its own."""


class Place:
    """One part of a host's configuration: its file (a folder for skills) in either scope, and its shape.

    A path is a template: ``{home}`` is the home folder, ``{project}`` the project's root, other names are in
    ``HostSpec.roots``. A tuple: the first that exists, else the first. A mapping: by ``sys.platform``.
    ``syntax``: json, jsonc, toml, yaml, markdown, script or folder; json is read tolerantly and complained about.
    ``style``: which of the shapes in ``capture.entries`` the entries have.
    """

    __slots__ = ("project", "style", "syntax", "user")

    def __init__(self, user: Path | None, project: Path | None, syntax: str, style: str = "") -> None:
        self.user = user
        self.project = project
        self.syntax = syntax
        self.style = style


class HostSpec:
    """One host.

    ``events``: its own name of an event -> moment; ``installed``: those that set-up asks for, ``on_request`` those
    that it adds for injection at every prompt. ``matchers``: what an entry is limited to. ``limits``: seconds.
    ``context``: event -> how text reaches the model: ``claude`` is ``hookSpecificOutput.additionalContext``,
    ``copilot`` is ``additionalContext``, ``cursor`` is ``additional_context``, ``hermes`` is ``context``, ``plain``
    is standard output. ``block``: event -> how it is refused: ``exit2`` or ``continue_false``.
    ``message``: events whose output may carry ``systemMessage`` for the person. ``steps``: messages about what only
    a person can do, ``part:message`` or ``scope:message`` for one part or scope. ``experimental``: parts built from
    documents that could not be checked on an installation, ``part:platform`` for one system, ``part:v2`` for one
    version. ``roots``: names in templates -> the environment variable that moves the folder ("" for none) and where
    it is without. ``transcripts``: folders of the sessions. ``off``: settings that turn all hooks off: the part in
    whose user file it stands, its path, and the value that does.
    """

    __slots__ = (
        "binaries", "block", "context", "events", "experimental", "folders", "hooks", "installed", "instructions",
        "limits", "matchers", "mcp", "message", "name", "off", "on_request", "roots", "skills", "steps", "title",
        "transcripts", "windows_shell",
    )  # fmt: skip

    def __init__(
        self, name: str, title: str, *, events: Mapping[str, str] = {}, installed: tuple[str, ...] = (),
        on_request: tuple[str, ...] = (), matchers: Mapping[str, str] = {}, limits: Mapping[str, int] = {},
        context: Mapping[str, str] = {}, block: Mapping[str, str] = {}, message: tuple[str, ...] = (),
        binaries: tuple[str, ...] = (), folders: tuple[Path, ...] = (),
        roots: Mapping[str, tuple[str, Path]] = {}, mcp: Place | None = None, hooks: Place | None = None,
        instructions: Place | None = None, skills: Place | None = None, experimental: tuple[str, ...] = (),
        steps: tuple[str, ...] = (), transcripts: tuple[Path, ...] = (), windows_shell: str = "cmd",
        off: tuple[tuple[str, tuple[str, ...], object], ...] = (),
    ) -> None:  # fmt: skip
        self.name = name
        self.title = title
        self.events = events
        self.installed = installed
        self.on_request = on_request
        self.matchers = matchers
        self.limits = limits
        self.context = context
        self.block = block
        self.message = message
        self.binaries = binaries
        self.folders = folders
        self.roots = roots
        self.mcp = mcp
        self.hooks = hooks
        self.instructions = instructions
        self.skills = skills
        self.experimental = experimental
        self.steps = steps
        self.transcripts = transcripts
        self.windows_shell = windows_shell
        self.off = off

    def place(self, part: str) -> Place | None:
        """Return where one of the ``PARTS`` goes, None where the host has no such thing."""
        found: Place | None = getattr(self, part)
        return found
