"""``omoide doctor``: the installation, the store, the model, what waits, each with its state."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

import click

from omoide import __version__
from omoide.errors import OmoideError
from omoide.ops import Faces, run
from omoide.serve import codes, spool
from omoide.serve.cli.blocks import Block, Line, table, tidy
from omoide.serve.cli.commands import current_session
from omoide.serve.cli.helping import Command
from omoide.serve.cli.options import shared_options
from omoide.serve.cli.session import DOOR, NOWHERE, Session
from omoide.serve.messages.speech import Speech

State = Literal["ok", "warn", "fail"]
STYLE: Final = {"ok": "good", "warn": "warn", "fail": "bad"}
CORE: Final = {"apsw": "apsw", "numpy": "numpy", "Stemmer": "PyStemmer", "rapidfuzz": "rapidfuzz"}
OPTIONAL: Final = {
    "onnxruntime": "onnxruntime",
    "omoide_e5_small": "omoide-e5-small",
    "turbovec": "turbovec",
    "mcp": "mcp",
    "starlette": "starlette",
    "uvicorn": "uvicorn",
    "fastembed": "fastembed",
    "pypdfium2": "pypdfium2",
    "tree_sitter": "tree-sitter",
    "tokenizers": "tokenizers",
}
"""Modules by the package that brings them."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at."""

    name: str
    state: State
    detail: str


def doctor_command(say: Speech) -> click.Command:
    """Return ``omoide doctor``."""
    return Command(
        "doctor", params=shared_options(say), callback=partial(_doctor, say), help=say("cmd.doctor"), say=say
    )


def _doctor(say: Speech) -> int:
    session = current_session(say)
    checks = [*_environment(session), *_packages(session), *_store(session), *_waiting(session)]
    rows = [(say(f"doctor.{check.state}"), check.name, check.detail) for check in checks]
    wrong = [check for check in checks if check.state == "fail"]
    blocks: list[Block] = [table([say("col.status"), say("col.name"), say("col.detail")], rows, wide=2)]
    blocks += [Line(f"{check.name}: {check.detail}", STYLE[check.state]) for check in wrong]
    session.answer({"checks": [asdict(check) for check in checks], "healthy": not wrong}, blocks)
    return codes.FINDINGS if wrong else codes.OK


def _environment(session: Session) -> Iterator[Check]:
    yield Check("omoide", "ok", __version__)
    yield Check("python", "ok", f"{platform.python_version()} ({sys.executable})")
    yield Check("system", "ok", f"{platform.system()} {platform.release()} {platform.machine()}")
    yield Check("language", "ok", session.say.language)
    settings = session.settings
    there = settings.file.exists()
    yield Check("config", "ok", str(settings.file) if there else f"{settings.file} ({session.say('doctor.absent')})")
    project = session.project
    yield Check("project", "ok", tidy(project or "-"))
    if session.place is not None:
        yield Check("worktree", "ok", tidy(f"{session.place.worktree or '-'} @ {session.place.branch or '-'}"))


def _packages(session: Session) -> Iterator[Check]:
    for module, package in CORE.items():
        yield Check(package, "ok" if find_spec(module) else "fail", _version(package))
    for module, package in OPTIONAL.items():
        there = find_spec(module) is not None
        yield Check(package, "ok", _version(package) if there else session.say("doctor.optional"))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"


def _store(session: Session) -> Iterator[Check]:
    path = session.path
    if not session.exists:
        yield Check("store", "warn", f"{path} ({session.say('doctor.absent')})")
        return
    if path != NOWHERE and Path(path).is_file():
        size = sum(Path(path + part).stat().st_size for part in ("", "-wal") if Path(path + part).exists())
        yield Check("store", "ok", f"{path} ({size / 1_048_576:.1f} MB)")
    try:
        with Faces(path, session.namespace, embedder="none", door=DOOR, read_only=True) as faces:
            yield from _contents(session, faces)
    except OmoideError as error:
        yield Check("store", "fail", tidy(f"{error.code}: {error}"))


def _contents(session: Session, faces: Faces) -> Iterator[Check]:
    for name in ("check", "verify"):
        findings = run(faces, name, {})["findings"]
        yield Check(name, "fail" if findings else "ok", "; ".join(map(tidy, findings[:5])) or session.say("sound"))
    numbers = run(faces, "stats", {}).get(session.namespace, {})
    yield Check("memories", "ok", f"{numbers.get('count', 0)} ({session.namespace})")
    pending = numbers.get("pending_vectors", 0)
    yield Check("vectors", "warn" if pending else "ok", f"{pending} pending; {numbers.get('embedder') or '-'}")


def _waiting(session: Session) -> Iterator[Check]:
    waiting, failed = spool.waiting_in(session.path), spool.failed_in(session.path)
    place = spool.folder_of(session.path)
    detail = session.say("doctor.waiting", n=len(waiting), failed=len(failed), path=place)
    yield Check("spool", "warn" if waiting or failed else "ok", detail)
