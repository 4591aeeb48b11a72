"""One operation as data: what it is called, takes and returns, what it does to a store, and where it is offered."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from omoide.model.shape import Shape, schema_of

Effect = Literal["read", "write", "destroy"]
Face = Literal["memory", "index", "history", "migration", "native"]
Confirm = Literal["never", "selector", "always"]
Level = Literal[0, 1, 2]
"""How prominent a parameter is: 0 in every export, 1 in the core tools too, 2 wherever all are offered."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument. ``schema`` is a JSON schema with a description, and a default where there is one.

    ``positional``: a word of the command line, not an option. ``blank``: an empty text is a value of its own.
    ``flag``: the short option of the command line.
    """

    name: str
    schema: Mapping[str, Any]
    required: bool = False
    level: Level = 2
    positional: bool = False
    blank: bool = False
    flag: str = ""

    @property
    def option(self) -> str:
        """The name on the command line."""
        return self.name.rstrip("_").replace("_", "-")


@dataclass(frozen=True, slots=True)
class Route:
    """An HTTP route; ``{name}`` in ``path`` is a parameter of the operation, the rest is query or body."""

    method: str
    path: str
    status: int = 200


@dataclass(frozen=True, slots=True)
class Doors:
    """Where an operation is offered: command, MCP tool (core or full set), HTTP routes, exported tool."""

    cli: str | None = None
    mcp_core: bool = False
    mcp_full: bool = False
    http: tuple[Route, ...] = ()
    tool: bool = False


@dataclass(frozen=True)
class Operation:
    """One operation. ``method`` is that of its face; ``confirm`` says when a person has to agree first.

    ``result`` is the shape of what it returns; ``rows`` names the list in it that is the answer proper.
    ``changes`` is False for a read and for what leaves the same store behind when it is repeated.
    """

    name: str
    summary: str
    effect: Effect
    face: Face = "memory"
    parameters: tuple[Parameter, ...] = ()
    result: Shape = field(default=None, repr=False)
    rows: str | None = None
    confirm: Confirm = "never"
    idempotent: bool = False
    doors: Doors = field(default_factory=Doors)
    method: str = ""

    def schema(self, level: Level = 2) -> dict[str, Any]:
        """Return the JSON schema of the arguments: the required ones and those up to ``level``. The copy is yours."""
        chosen = [parameter for parameter in self.parameters if parameter.required or parameter.level <= level]
        return {
            "type": "object",
            "properties": {parameter.name: deepcopy(dict(parameter.schema)) for parameter in chosen},
            "required": [parameter.name for parameter in chosen if parameter.required],
            "additionalProperties": False,
        }

    @cached_property
    def checked(self) -> dict[str, Any]:
        """The schema that arguments are checked by; shared, not to be changed."""
        return self.schema()

    @cached_property
    def blanks(self) -> frozenset[str]:
        """The parameters whose empty text is a value."""
        return frozenset(parameter.name for parameter in self.parameters if parameter.blank)

    @cached_property
    def result_schema(self) -> dict[str, Any]:
        """The JSON schema of the result."""
        return schema_of(self.result)

    @property
    def keyed(self) -> bool:
        """Whether a retry under an ``idempotency_key`` returns the first result."""
        return any(parameter.name == "idempotency_key" for parameter in self.parameters)
