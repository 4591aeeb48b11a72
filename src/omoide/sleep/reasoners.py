"""Who may be asked: a host's own command line without tools, any command, an endpoint, or a function of the caller's.

None is asked unless it is named. A command line runs in an empty folder, with its own memory, tools and settings off
as far as it can switch them off, and with variables set by which our hooks and other memory tools' stand down.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, Final
from urllib.parse import urldefrag, urlsplit

from omoide.embed.asking import Service
from omoide.errors import EmbedderError, InvalidInputError, ReasonerError

SECONDS: Final = 300.0
"""How long one answer may take."""
TRIES: Final = 3
BYTES: Final = 4 << 20
"""Bytes that a command may say."""
PAUSE: Final = 1.0
"""Seconds before the second try, twice as many before the third."""
KEY_VARIABLE: Final = "OMOIDE_REASONER_KEY"
STANDING_DOWN: Final[Mapping[str, str]] = {
    "OMOIDE_EXECUTOR": "sleep",
    "OMOIDE_STAND_DOWN": "1",
    "AGENT_MEMORY_EXECUTOR": "1",
    "CLAUDE_MEM_INTERNAL": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
}
HOSTS: Final[Mapping[str, tuple[str, ...]]] = {
    "claude-code": (
        "claude", "-p", "--output-format", "text", "--tools", "", "--strict-mcp-config", "--setting-sources", "",
        "--no-session-persistence",
    ),
    "codex": (
        "codex", "exec", "--skip-git-repo-check", "--ephemeral", "--sandbox", "read-only", "--ignore-user-config",
        "--ignore-rules", "-",
    ),
    "gemini": (
        "gemini", "--extensions", "none", "--allowed-mcp-server-names", "none", "--approval-mode", "plan",
        "--output-format", "text", "--prompt", "",
    ),
}  # fmt: skip
"""The command of each host, which reads the prompt from its standard input and prints the answer."""
NAMES: Final = {"claude": "claude-code"}
_SHOWN: Final = 400
"""Characters of a complaint that are passed on."""


@dataclass(frozen=True, slots=True)
class Reasoner:
    """A name for reports, and what turns a prompt into an answer or raises ``ReasonerError``."""

    name: str
    ask: Callable[[str], str]


def reasoner_of(given: Any, *, seconds: float = SECONDS) -> Reasoner | None:
    """Return whom ``given`` names: None, a callable, a host, a command as words, or ``https://host/v1#model``.

    Raises:
        InvalidInputError: nobody.
    """
    if given is None or isinstance(given, Reasoner):
        return given
    if isinstance(given, str):
        return _by_name(given.strip(), seconds)
    if callable(given):
        return Reasoner(getattr(given, "__name__", type(given).__name__), _checked(given))
    if isinstance(given, Sequence) and given and all(isinstance(word, str) for word in given):
        words = tuple(given)
        return Reasoner(os.path.basename(words[0]), lambda prompt: _run(words, prompt, seconds))  # noqa: PTH119
    raise InvalidInputError(
        f"a reasoner is a callable, a command as a list of words, an address or one of {', '.join(HOSTS)}", value=given
    )


def _by_name(name: str, seconds: float) -> Reasoner:
    words = HOSTS.get(NAMES.get(name, name))
    if words is not None:
        return Reasoner(name, lambda prompt: _run(words, prompt, seconds))
    if urlsplit(name).scheme in {"http", "https"}:
        address, model = urldefrag(name)
        if not model:
            raise InvalidInputError("name the model after the address: https://host/v1#model", value=name)
        service = Service("the reasoner", address.rstrip("/"), os.environ.get(KEY_VARIABLE), seconds)
        return Reasoner(model, lambda prompt: _post(service, model, prompt))
    raise InvalidInputError(f"{name!r} is neither an address nor one of {', '.join(HOSTS)}", value=name)


def _checked(function: Callable[[str], Any]) -> Callable[[str], str]:
    def ask(prompt: str) -> str:
        answer = function(prompt)
        if not isinstance(answer, str):
            raise ReasonerError(f"the reasoner returned {type(answer).__name__}, not a text")
        return answer

    return ask


def _run(words: Sequence[str], prompt: str, seconds: float) -> str:
    """Ask a command, a few times where it fails; raise with the beginning of its complaint."""
    program = shutil.which(words[0])
    if program is None:
        raise ReasonerError(f"there is no command {words[0]!r} here; install it or name another reasoner")
    complaint = ""
    for attempt in range(TRIES):
        if attempt:
            time.sleep(PAUSE * attempt)
        answer, complaint = _once([program, *words[1:]], prompt, seconds)
        if answer is not None:
            return answer
    raise ReasonerError(f"{words[0]} failed {TRIES} times: {complaint}")


def _once(words: Sequence[str], prompt: str, seconds: float) -> tuple[str | None, str]:
    """Return the answer of a command, or what it complains about; files stand between, so that neither waits."""
    with (
        tempfile.TemporaryDirectory(prefix="omoide-") as empty,
        tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained,
    ):  # fmt: skip
        asked.write(prompt.encode("utf-8", "replace"))
        asked.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - the command that the user named
                list(words), stdin=asked, stdout=said, stderr=complained, cwd=empty,
                env={**os.environ, **STANDING_DOWN},
            )  # fmt: skip
        except OSError as error:
            return None, str(error)
        trouble = _ended(process, seconds, said, complained)
        answer, complaint = (_read(file, size) for file, size in ((said, BYTES), (complained, 4 * _SHOWN)))
    if trouble:
        return None, trouble
    if process.returncode == 0 and answer:
        return answer, ""
    return None, f"status {process.returncode}: {(complaint or answer)[:_SHOWN] or 'no answer'}"


def _ended(process: subprocess.Popen[bytes], seconds: float, *files: IO[bytes]) -> str:
    """Wait for the end of a command and return nothing, or end one that takes or says too much and return why."""
    until, pause = time.monotonic() + seconds, 0.005
    with process:
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(pause)
                return ""
            pause = min(2 * pause, 0.1)
            trouble = f"no answer within {seconds:g} s" if time.monotonic() > until else ""
            if any(os.fstat(file.fileno()).st_size > BYTES for file in files):
                trouble = f"it said more than {BYTES} bytes"
            if trouble:
                process.kill()
                return trouble


def _read(file: IO[bytes], size: int) -> str:
    file.seek(0)
    return file.read(size).decode("utf-8", "replace").strip()


def _post(service: Service, model: str, prompt: str) -> str:
    body = {"model": model, "messages": [{"role": "user", "content": prompt}], "temperature": 0}
    try:
        answer = service.post("/chat/completions", body)
        text = answer["choices"][0]["message"]["content"]
    except EmbedderError as error:
        raise ReasonerError(str(error)) from error
    except (KeyError, IndexError, TypeError) as error:
        raise ReasonerError("the reasoner's answer has no message in it") from error
    if not isinstance(text, str) or not text.strip():
        raise ReasonerError("the reasoner's answer is empty")
    return text
