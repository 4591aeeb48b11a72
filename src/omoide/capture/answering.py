"""Whether an MCP server answers: the command of a configuration started for one ``initialize``."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Sequence
from typing import Any, Final

from omoide.capture.stand_down import OWN

PROTOCOL: Final = "2025-06-18"
SECONDS: Final = 20.0
"""A cold start on a slow disk takes a few."""


def version_of(words: Sequence[str], seconds: float = SECONDS) -> str:
    """Return the version that a server reports of itself.

    Raises:
        OSError: it does not start, ends, or does not answer in time; the message says which.
    """
    process = subprocess.Popen(  # noqa: S603 - the command of the host's own configuration
        list(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, OWN: "doctor"},
    )  # fmt: skip
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        answer = _asked(process)
    finally:
        timer.cancel()
        process.kill()
        _, complaint = process.communicate()
    if answer is None:
        said = complaint.decode("utf-8", "replace").strip().splitlines()
        raise OSError(f"nothing within {seconds:g} s" if late.is_set() else (said[-1] if said else "it ended"))
    return str(answer.get("serverInfo", {}).get("version", "?"))


def _asked(process: subprocess.Popen[bytes]) -> dict[str, Any] | None:
    assert process.stdin is not None
    assert process.stdout is not None
    client = {"name": "omoide-doctor", "version": "1"}
    params = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    try:
        process.stdin.write(json.dumps(asked).encode() + b"\n")
        process.stdin.flush()
        for line in process.stdout:
            said = json.loads(line)
            if said.get("id") == 1:
                result: dict[str, Any] | None = said.get("result")
                return result
    except (OSError, ValueError):
        return None
    return None
