"""Recipes that let a machine consolidate once a day: cron, systemd, launchd, Task Scheduler.

A run that is not due does nothing, so the recipes need to know neither hours nor conversations. Nothing is installed
here: a recipe says which files it needs, what is in them, and which commands a person runs to switch it on and off.
"""

from __future__ import annotations

import os
import plistlib
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

LABEL: Final = "dev.omoide.sleep"
NAME: Final = "omoide-sleep"
KINDS: Final = ("cron", "systemd", "launchd", "task-scheduler")


@dataclass(frozen=True, slots=True)
class Recipe:
    """Files to be written by path, and the commands that switch the schedule on and off."""

    kind: str
    files: dict[str, str]
    on: tuple[str, ...]
    off: tuple[str, ...]


def words_of(store: str | None = None, namespace: str | None = None, reasoner: str | None = None) -> list[str]:
    """Return the command of one run, by the interpreter that runs now; spaces and other scripts are fine."""
    words = [sys.executable, "-m", "omoide", "sleep", "--only-when-due"]
    for option, value in (("--store", store), ("--namespace", namespace), ("--reasoner", reasoner)):
        words += [] if value is None else [option, value]
    return words


def usual_kind(platform: str = sys.platform) -> str:
    """Return what the system schedules with."""
    if platform == "win32":
        return "task-scheduler"
    if platform == "darwin":
        return "launchd"
    return "systemd" if os.path.isdir("/run/systemd/system") else "cron"


def recipe(kind: str, words: Sequence[str], *, hour: int = 3, minute: int = 30, home: str | None = None) -> Recipe:
    """Return the recipe of a kind for a daily run at an hour of the machine's own clock.

    Raises:
        ValueError: an unknown kind, or an hour that the day does not have.
    """
    makers = {"cron": _cron, "systemd": _systemd, "launchd": _launchd, "task-scheduler": _task}
    if kind not in makers:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    if not (0 <= hour < 24 and 0 <= minute < 60):
        raise ValueError(f"there is no {hour}:{minute:02} in a day")
    return makers[kind](list(words), hour, minute, Path(home) if home else Path.home())


def _cron(words: list[str], hour: int, minute: int, home: Path) -> Recipe:
    line = f"{minute} {hour} * * * {shlex.join(words).replace('%', chr(92) + '%')} >/dev/null 2>&1 # {NAME}"
    kept = f"crontab -l 2>/dev/null | grep -v '# {NAME}$'"
    add = f"({kept}; cat {shlex.quote(str(home / '.omoide' / 'crontab'))}) | crontab -"
    drop = f"crontab -l | grep -v '# {NAME}$' | crontab -"
    return Recipe("cron", {str(home / ".omoide" / "crontab"): line + "\n"}, (add,), (drop,))


def _systemd(words: list[str], hour: int, minute: int, home: Path) -> Recipe:
    folder = home / ".config" / "systemd" / "user"
    service = (
        "[Unit]\nDescription=Consolidate the memories of omoide\n\n"
        f"[Service]\nType=oneshot\nExecStart={' '.join(map(_systemd_word, words))}\nNice=10\n"
    )
    timer = (
        "[Unit]\nDescription=Consolidate the memories of omoide once a day\n\n"
        f"[Timer]\nOnCalendar=*-*-* {hour:02}:{minute:02}:00\nPersistent=true\nRandomizedDelaySec=15m\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )
    files = {str(folder / f"{NAME}.service"): service, str(folder / f"{NAME}.timer"): timer}
    return Recipe(
        "systemd", files, ("systemctl --user daemon-reload", f"systemctl --user enable --now {NAME}.timer"),
        (f"systemctl --user disable --now {NAME}.timer",),
    )  # fmt: skip


def _systemd_word(word: str) -> str:
    """Quote a word as unit files want it: percent and dollar signs doubled, the rest in double quotes."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return plain if word and all(sign.isalnum() or sign in "/._-=:@+" for sign in word) else f'"{plain}"'


def _launchd(words: list[str], hour: int, minute: int, home: Path) -> Recipe:
    path = home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    body = plistlib.dumps({
        "Label": LABEL, "ProgramArguments": words, "StartCalendarInterval": {"Hour": hour, "Minute": minute},
        "ProcessType": "Background", "LowPriorityIO": True, "RunAtLoad": False,
    })  # fmt: skip
    quoted = shlex.quote(str(path))
    return Recipe(
        "launchd", {str(path): body.decode("utf-8")}, (f"launchctl bootstrap gui/$(id -u) {quoted}",),
        (f"launchctl bootout gui/$(id -u)/{LABEL}",),
    )  # fmt: skip


def _task(words: list[str], hour: int, minute: int, home: Path) -> Recipe:
    path = home / ".omoide" / f"{NAME}.xml"
    program, arguments = words[0], subprocess.list2cmdline(words[1:])
    body = f"""<?xml version="1.0" encoding="UTF-8"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>2026-01-01T{hour:02}:{minute:02}:00</StartBoundary>
      <ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT1H</ExecutionTimeLimit>
    <Priority>8</Priority>
  </Settings>
  <Actions>
    <Exec>
      <Command>{escape(program)}</Command>
      <Arguments>{escape(arguments)}</Arguments>
    </Exec>
  </Actions>
</Task>
"""
    return Recipe(
        "task-scheduler", {str(path): body}, (f'schtasks /Create /F /TN {NAME} /XML "{path}"',),
        (f"schtasks /Delete /F /TN {NAME}",),
    )  # fmt: skip
