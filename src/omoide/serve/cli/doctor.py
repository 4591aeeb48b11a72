"""``omoide doctor [HOST]``: the installation, the store, the model, what waits, the agents, each with its state."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

import click

from omoide import __version__
from omoide.errors import ConfigurationError, OmoideError
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


MORE: Final = ("omoide.serve.cli.doctor_vault", "omoide.capture.doctor")
"""Parts above this door that look at what is theirs: ``checks(session, hosts)`` of each."""


CODES: Final = {"check": "store_sound", "verify": "audit_sound"}
MODEL: Final = ("onnxruntime", "omoide_e5_small")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at; ``code`` is the same in every release, ``fix`` says what to do about it."""

    name: str
    state: State
    detail: str
    code: str = ""
    fix: str = ""


def doctor_command(say: Speech) -> click.Command:
    """Return ``omoide doctor [HOST]...``."""
    hosts = click.Argument(["hosts"], nargs=-1, metavar="[HOST]...")
    return Command(
        "doctor", params=[hosts, *shared_options(say)], callback=partial(_doctor, say), help=say("cmd.doctor"), say=say
    )


def _doctor(say: Speech, hosts: tuple[str, ...]) -> int:
    session = current_session(say)
    checks = [*_environment(session), *_packages(session), *_store(session), *_waiting(session)]
    for part in MORE:
        checks += _as_far_as_it_goes(import_module(part).checks(session, hosts))
    rows = [(say(f"doctor.{check.state}"), check.name, _told(say, check)) for check in checks]
    wrong = [check for check in checks if check.state == "fail"]
    blocks: list[Block] = [table([say("col.status"), say("col.name"), say("col.detail")], rows, wide=2)]
    blocks += [Line(f"{check.name}: {check.detail}", STYLE[check.state]) for check in wrong]
    session.answer({"checks": [asdict(check) for check in checks], "healthy": not wrong}, blocks)
    return codes.FINDINGS if wrong else codes.OK


def _as_far_as_it_goes(found: Iterator[Check]) -> Iterator[Check]:
    """Yield what a part finds; a folder or a file that cannot be read ends that part alone."""
    try:
        yield from found
    except (OSError, ConfigurationError) as error:
        yield Check("hosts", "fail", tidy(str(error)), "host_config")


def _told(say: Speech, check: Check) -> str:
    if check.state == "ok" or not check.fix:
        return check.detail
    return f"{check.detail} ({say('doctor.fix', fix=check.fix)})"


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
    missing = [OPTIONAL[module] for module in MODEL if find_spec(module) is None]
    fix = f"pip install {' '.join(missing)}" if missing else ""
    words = session.say("doctor.absent") if missing else session.say("sound")
    yield Check("model", "warn" if missing else "ok", words, "model_present", fix)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"


def _store(session: Session) -> Iterator[Check]:
    path = session.path
    if not session.exists:
        if not _can_be_made(path):
            yield _writable(session)
        detail = f"{path} ({session.say('doctor.absent')})"
        yield Check("store", "warn", detail, "store_found", session.say("fix.store"))
        return
    yield _writable(session)
    if path != NOWHERE and os.path.isfile(path):  # noqa: PTH113  (what may not be looked at is for opening to refuse)
        size = sum(Path(path + part).stat().st_size for part in ("", "-wal") if Path(path + part).exists())
        yield Check("store", "ok", f"{path} ({size / 1_048_576:.1f} MB)")
    try:
        with Faces(path, session.namespace, embedder="none", door=DOOR, read_only=True) as faces:
            yield from _contents(session, faces)
    except OmoideError as error:
        fix = session.say("fix.check") if error.code == "store_damaged" else ""
        yield Check("store", "fail", tidy(f"{error.code}: {session.say.sentence(str(error))}"), "store_readable", fix)


def _can_be_made(path: str) -> bool:
    """Say whether a store could be made, or seen if it is there: in the nearest folder that exists."""
    folder = next(place for place in Path(path).absolute().parents if os.path.lexists(place))
    return os.access(folder, os.W_OK | os.X_OK)


def _writable(session: Session) -> Check:
    """A store is written in its own folder too: SQLite keeps its journal there, hooks what they accept."""
    path, say = Path(session.path), session.say
    closed = next((place for place in (path, path.absolute().parent) if not os.access(place, os.W_OK)), None)
    if closed is None or session.path == NOWHERE:
        return Check("writable", "ok", say("doctor.writable"), "store_writable")
    detail = say("doctor.not_writable", reason=tidy(say.sentence(str(closed))))
    return Check("writable", "fail", detail, "store_writable", say("fix.permissions"))


def _contents(session: Session, faces: Faces) -> Iterator[Check]:
    for name in ("check", "verify"):
        findings = run(faces, name, {})["findings"]
        detail = "; ".join(tidy(session.say.sentence(finding)) for finding in findings[:5]) or session.say("sound")
        fix = session.say("fix.check") if findings else ""
        yield Check(name, "fail" if findings else "ok", detail, CODES[name], fix)
    numbers = run(faces, "stats", {}).get(session.namespace, {})
    yield Check("memories", "ok", f"{numbers.get('count', 0)} ({session.namespace})")
    pending = numbers.get("pending_vectors", 0)
    detail, fix = f"{pending} pending; {numbers.get('embedder') or '-'}", session.say("fix.vectors") if pending else ""
    yield Check("vectors", "warn" if pending else "ok", detail, "index_fresh", fix)


def _waiting(session: Session) -> Iterator[Check]:
    waiting, failed = spool.waiting_in(session.path), spool.failed_in(session.path)
    place = spool.folder_of(session.path)
    detail = session.say("doctor.waiting", n=len(waiting), failed=len(failed), path=place)
    fix = session.say("fix.spool") if waiting or failed else ""
    yield Check("spool", "warn" if waiting or failed else "ok", detail, "spool_empty", fix)
