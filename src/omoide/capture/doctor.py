"""What ``omoide doctor`` looks at in hosts: found, configured, wired to this store, run, answering."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from omoide import __version__
from omoide.beside import beats, failures, ledger
from omoide.beside.places import FAILURES, place
from omoide.capture import answering, setup
from omoide.capture.commands import machine_of, program_of
from omoide.capture.editing import files, record, syntaxes
from omoide.capture.editing.edits import Edit
from omoide.capture.editing.record import Record
from omoide.capture.hosts.known import NAMES, host_named
from omoide.capture.hosts.spec import HostSpec
from omoide.capture.locating import Machine
from omoide.errors import ConfigurationError, InvalidInputError
from omoide.serve.cli.blocks import tidy
from omoide.serve.cli.doctor import Check
from omoide.serve.cli.session import NOWHERE, Session

STORE: Final = "--store"
PLUGIN: Final = "const COMMAND = "


def checks(session: Session, names: Sequence[str]) -> Iterator[Check]:
    """Yield what is found about hosts: those named, else those that are here.

    Raises:
        InvalidInputError: a name of no host.
    """
    if session.path != NOWHERE:
        yield from _capture(session)
    machine = machine_of(session)
    for host in _meant(session, names, machine):
        yield from _host(session, host, machine, named=bool(names))


def _meant(session: Session, names: Sequence[str], machine: Machine) -> list[HostSpec]:
    found = [(name, host_named(name)) for name in names or NAMES]
    unknown = next((name for name, host in found if host is None), None)
    if unknown is not None:
        raise InvalidInputError(session.say("setup.unknown", name=unknown, names=", ".join(NAMES)), value=unknown)
    hosts = [host for _, host in found if host is not None]
    return hosts if names else [host for host in hosts if setup.is_set_up(host) or machine.has(host)]


def _capture(session: Session) -> Iterator[Check]:
    """What hooks left beside the store: records that wait, failures that they could not tell their host."""
    say, store = session.say, session.path
    waiting = len(ledger.inbox(store))
    detail = say("doctor.captures", n=waiting)
    yield Check("captures", "warn" if waiting else "ok", detail, "capture_inbox", say("fix.spool") if waiting else "")
    found = failures.failures(store)
    if not found:
        yield Check("hooks", "ok", say("doctor.no_failures"), "hook_failures")
        return
    last = found[0]
    words = say("doctor.failures", n=len(found), at=last.get("at", "?"), error=tidy(last.get("error", "?")))
    yield Check("hooks", "warn", words, "hook_failures", say("fix.failures", path=place(store, FAILURES)))


def _host(session: Session, host: HostSpec, machine: Machine, *, named: bool) -> Iterator[Check]:
    yield _found(session, host, machine, named=named)
    mine = [known for known in record.all_records() if any(c.startswith(f"{host.name}:") for c in known.claims)]
    plugin = _plugin(host, machine)
    if not mine and not plugin:
        fix = session.say("fix.setup", host=host.name)
        yield Check(host.name, "fail" if named else "ok", session.say("doctor.not_set_up"), "host_set_up", fix)
        return
    looked_at = [_file(session, host, known) for known in mine]
    wrong = [check for check in looked_at if check.state != "ok"]
    yield from wrong
    if len(wrong) < len(looked_at):
        detail = session.say("doctor.files", n=len(looked_at) - len(wrong))
        yield Check(host.name, "ok", detail, "host_config")
    parts = [name.rsplit(":", 1)[1] for known in mine for name in known.claims if name.startswith(f"{host.name}:")]
    unsure = setup.experimental(host, parts, machine.platform)
    if unsure:
        words = session.say("setup.experimental", host=host.title, parts=", ".join(unsure))
        yield Check(host.name, "ok", words, "host_experimental")
    edits = [
        edit
        for known in mine
        for name, part in known.claims.items()
        if name.startswith(host.name + ":")
        for edit in part
    ]
    yield from _wired(session, host, edits, plugin=plugin)


def _found(session: Session, host: HostSpec, machine: Machine, *, named: bool) -> Check:
    say = session.say
    binary, folder = machine.binary(host), machine.folder(host)
    version = machine.version(host) if named else None
    found = [say("doctor.binary", value=f"{binary} {version or ''}".rstrip())] if binary else []
    found += [say("doctor.folder", value=folder)] if folder else []
    if found or not (host.binaries or host.folders):
        return Check(host.name, "ok", tidy("; ".join(found)) or host.title, "host_found")
    fix = say("fix.install_host", host=host.title)
    return Check(host.name, "warn", say("doctor.not_found"), "host_found", fix)


def _file(session: Session, host: HostSpec, known: Record) -> Check:
    """Whether a file parses, is strict where the host wants it, and holds what set-up wrote."""
    say, path = session.say, tidy(str(known.path))
    repair = say("fix.repair_file", host=host.name)
    content = files.content_of(known.path)
    try:
        _, text = files.decoded(content)
        there = content is not None and syntaxes.holds(known.syntax, text, known.edits)
        flaws = setup.blemishes(content) if content is not None and known.syntax == "json" else []
    except ConfigurationError as error:
        return Check(host.name, "fail", f"{path}: {error.message}", "host_config", repair)
    if not there:
        return Check(
            host.name, "fail", say("doctor.stale", path=path), "host_entries", say("fix.setup", host=host.name)
        )
    if flaws:
        detail = say("doctor.strict", path=path, what="; ".join(flaws[:3]))
        return Check(host.name, "warn", detail, "host_strict", say("fix.strict", host=host.title))
    return Check(host.name, "ok", path, "host_config")


def _wired(session: Session, host: HostSpec, edits: Sequence[Edit], *, plugin: bool) -> Iterator[Check]:
    hooks = [words for edit in edits if edit.op in ("add", "file") and (words := hook_words(edit.value))]
    servers = [words for edit in edits if edit.op == "set" and (words := words_of(edit.value))]
    if plugin and hooks:
        fix = f"omoide uninstall {host.name}"
        yield Check(host.name, "warn", session.say("doctor.twice"), "hook_twice", fix)
    for words in (*hooks[:1], *servers[:1]):
        yield _pinned(session, host, words)
        yield _interpreter(session, host, words)
    if hooks or plugin:
        yield from _switched_off(session, host)
        yield _fired(session, host)
    for words in servers[:1]:
        yield from _answers(session, host, words)


def _pinned(session: Session, host: HostSpec, words: Sequence[str]) -> Check:
    code = "hook_pinned" if "hook" in words else "mcp_pinned"
    wanted, say = program_of(session).store, session.say
    store = words[words.index(STORE) + 1] if STORE in words else words[words.index("mcp") + 1] if "mcp" in words else ""
    if store == wanted:
        return Check(host.name, "ok", say("doctor.pinned", store=tidy(store)), code)
    detail = say("doctor.elsewhere", store=tidy(store), wanted=tidy(wanted))
    return Check(host.name, "warn", detail, code, say("fix.setup", host=host.name))


def _interpreter(session: Session, host: HostSpec, words: Sequence[str]) -> Check:
    code = "hook_program" if "hook" in words else "mcp_program"
    if shutil.which(words[0]) is not None:
        return Check(host.name, "ok", tidy(words[0]), code)
    detail = session.say("doctor.interpreter", path=tidy(words[0]))
    return Check(host.name, "fail", detail, code, session.say("fix.setup", host=host.name))


def _fired(session: Session, host: HostSpec) -> Check:
    say = session.say
    found = [beat for beat in beats.beats(session.path).values() if host.name in (beat["host"], beat.get("installed"))]
    if not found:
        return Check(host.name, "warn", say("doctor.never"), "hook_fired", say("fix.trust", host=host.title))
    last = max(found, key=lambda beat: str(beat.get("at")))
    return Check(host.name, "ok", say("doctor.fired", event=last.get("event"), at=last.get("at")), "hook_fired")


def _switched_off(session: Session, host: HostSpec) -> Iterator[Check]:
    """Whether the person's settings keep the host from running any hook."""
    for part, path, value in host.off:
        place = host.place(part)
        file = machine_of(session).file(host, place, "user")
        if place is None or file is None:
            continue
        with suppress(ConfigurationError):  # said of the file itself
            text = files.decoded(files.content_of(file))[1]
            if syntaxes.value_at(place.syntax, text, path) == value:
                name = f"{tidy(str(file))}: {'.'.join(path)}"
                yield Check(
                    host.name,
                    "fail",
                    session.say("doctor.off", name=name),
                    "hooks_enabled",
                    session.say("fix.switch_on", name=name),
                )


def _answers(session: Session, host: HostSpec, words: Sequence[str]) -> Iterator[Check]:
    say = session.say
    try:
        version = answering.version_of(words)
    except OSError as error:
        detail = say("doctor.silent", reason=tidy(str(error)))
        yield Check(host.name, "fail", detail, "mcp_answering", say("fix.mcp"))
        return
    yield Check(host.name, "ok", say("doctor.answering", version=tidy(version)), "mcp_answering")
    if version != __version__:
        detail = say("doctor.skew", found=tidy(version), here=__version__)
        yield Check(host.name, "warn", detail, "version_skew", say("fix.setup", host=host.name))


def hook_words(value: Any) -> list[str]:
    """Return the command of a hook, whatever shape its entry has; nothing for one that cannot be read."""
    if isinstance(value, str):  # the plugin of OpenCode
        said = next((line.removeprefix(PLUGIN) for line in value.splitlines() if line.startswith(PLUGIN)), "[]")
        return [str(word) for word in json.loads(said)]
    if isinstance(value, Mapping) and isinstance(value.get("hooks"), list):
        return words_of(value["hooks"][0])
    return words_of(value)


def words_of(value: Any) -> list[str]:
    """Return the words of a command entry."""
    if not isinstance(value, Mapping):
        return []
    command = value.get("command") or value.get("bash") or ""
    if isinstance(command, list):
        return [str(word) for word in command]
    if isinstance(value.get("args"), list):
        return [str(command), *map(str, value["args"])]
    return shlex.split(str(command))


def _plugin(host: HostSpec, machine: Machine) -> bool:
    """Say whether the host has omoide as a plugin of its own."""
    path = machine.file(host, host.hooks, "user") if host.name == "claude-code" else None
    text = files.decoded(files.content_of(path))[1] if path is not None else ""
    return '"omoide@' in text
