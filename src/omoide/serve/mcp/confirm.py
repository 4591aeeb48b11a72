"""A person's agreement to what ends or erases more than one named memory.

From the revision 2026-07-28 on the call is answered with ``input_required`` and made again with the answer; before
that the client is asked through elicitation, when it declares that it can ask a person. Whoever can do neither is
told the command to use instead.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from pydantic import BaseModel, Field

from omoide.model.catalog.operation import Operation
from omoide.serve.fencing import neutral
from omoide.serve.handles import Voice
from omoide.serve.mcp.desk import Desk

ROUND_TRIPS: Final = "2026-07-28"
"""The first revision in which a server asks by its answer. Revisions compare as text."""
KEY: Final = "confirm"
SHOWN: Final = 5
SELECTORS: Final = ("source", "subject", "where")


class Agreement(BaseModel):
    """The form that the person fills in."""

    confirm: bool = Field(description="Yes, do this.")


def needs_agreement(operation: Operation, arguments: Mapping[str, Any]) -> bool:
    """Return whether a person has to agree to this call first."""
    if operation.confirm == "never" or arguments.get("dry_run") in (True, "true"):
        return False
    return operation.confirm == "always" or any(arguments.get(name) not in (None, "") for name in SELECTORS)


async def agreed(
    operation: Operation, arguments: Mapping[str, Any], context: Context[Any, Any], desk: Desk, voice: Voice
) -> InputRequiredResult | None:
    """Return None when a person agreed, or the question to send back.

    Raises:
        ToolError: the person said no, or the client cannot ask one.
        MCPError: the same from 2026-07-28 on, where a missing capability is an error of the protocol.
    """
    if not _can_ask(context):
        raise _refusal(context, operation, command(operation, arguments, desk, voice))
    question, reach = await _question(operation, arguments, desk, voice)
    if str(context.protocol_version) < ROUND_TRIPS:
        outcome = await context.elicit(question, Agreement)
        _check(outcome.action, outcome.action == "accept" and outcome.data.confirm, operation)
        return None
    state = _fingerprint(operation, arguments, reach)
    response = (context.input_responses or {}).get(KEY)
    if not isinstance(response, ElicitResult) or context.request_state != state:
        return _asking(question, state)
    _check(response.action, (response.content or {}).get(KEY) is True, operation)
    return None


def command(operation: Operation, arguments: Mapping[str, Any], desk: Desk, voice: Voice) -> str:
    """Return the command line that does the same."""
    words = ["omoide", operation.doors.cli or operation.name, "--store", str(desk.handles.path)]
    words += ["--namespace", voice.namespace]
    for parameter in operation.parameters:
        value = arguments.get(parameter.name)
        if value in (None, "", False) or parameter.name == "idempotency_key":
            continue
        word = value if isinstance(value, str) else json.dumps(value)
        option = f"--{parameter.option}"
        words += [word] if parameter.positional else [option] if value is True else [option, word]
    return shlex.join(words)


def _can_ask(context: Context[Any, Any]) -> bool:
    if context.protocol_version is None:
        return False
    capabilities = context.client_capabilities
    asking = None if capabilities is None else capabilities.elicitation
    return asking is not None and (asking.form is not None or asking.url is None)


def _refusal(context: Context[Any, Any], operation: Operation, instead: str) -> ToolError | MCPError:
    message = (
        f"{operation.name} needs a person's agreement, and this client cannot ask for it. A person can run: {instead}"
    )
    if str(context.protocol_version or "") < ROUND_TRIPS:
        return ToolError(message)
    needed: dict[str, Any] = {"requiredCapabilities": {"elicitation": {"form": {}}}}
    return MCPError(code=MISSING_REQUIRED_CLIENT_CAPABILITY, message=message, data=needed)


async def _question(
    operation: Operation, arguments: Mapping[str, Any], desk: Desk, voice: Voice
) -> tuple[str, list[int]]:
    """Return what to ask, and the ids that the call reaches as far as that can be told beforehand."""
    named = {name: value for name, value in arguments.items() if value not in (None, "", False)}
    about = neutral(", ".join(f"{name} = {value}" for name, value in named.items() if name != "idempotency_key"))
    if operation.name != "forget":
        return f"{operation.summary}\n\nHere: {operation.name} {about}. This cannot be taken back.", []
    ids: list[int] = (await desk.do("forget", {**arguments, "dry_run": True}, voice))["ids"]
    lines = [f"Forget {len(ids)} memories, by {about}? They can be restored one by one.", ""]
    for memory_id in ids[:SHOWN]:
        text = " ".join((await desk.do("get", {"id": memory_id}, voice))["text"].split())
        lines.append(f"{memory_id}: {neutral(text[:120])}")
    if len(ids) > SHOWN:
        lines.append(f"and {len(ids) - SHOWN} more")
    return "\n".join(lines), ids


def _asking(question: str, state: str) -> InputRequiredResult:
    schema = {
        "type": "object",
        "properties": {KEY: {"type": "boolean", "description": "Yes, do this."}},
        "required": [KEY],
    }
    form = ElicitRequestFormParams(message=question, requested_schema=schema)
    return InputRequiredResult(input_requests={KEY: ElicitRequest(params=form)}, request_state=state)


def _fingerprint(operation: Operation, arguments: Mapping[str, Any], reach: list[int]) -> str:
    content = json.dumps([operation.name, dict(arguments), reach], sort_keys=True, default=str)
    return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _check(action: str, confirmed: bool, operation: Operation) -> None:
    if action != "accept" or not confirmed:
        raise ToolError(f"{operation.name} was not done: the person did not agree")
