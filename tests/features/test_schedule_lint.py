"""What a scheduler would say of each recipe: systemd's own checker, plists, crontabs, the schema of Task Scheduler."""

from __future__ import annotations

import os
import plistlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from omoide.capture.schedule import Recipe, recipe, words_of

STORES = ("/home/Zoé Müller/思い出 & co/100% $HOME's <a> `b`/agents.db", "/srv/plain.db")
stores = pytest.mark.parametrize("store", STORES)
posix = pytest.mark.skipif(os.name != "posix", reason="a POSIX shell's")
TASKS = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
ORDERED = {
    "CalendarTrigger": (
        "Repetition", "StartBoundary", "EndBoundary", "ExecutionTimeLimit", "Enabled", "RandomDelay", "ScheduleByDay",
        "ScheduleByWeek", "ScheduleByMonth", "ScheduleByMonthDayOfWeek",
    ),
}  # fmt: skip
"""Elements whose children stand in this order, by the schema of MS-TSCH 2.5; elsewhere any order will do."""
WITHIN = {
    "Task": {"RegistrationInfo", "Triggers", "Settings", "Data", "Principals", "Actions"},
    "Triggers": {"CalendarTrigger"},
    "CalendarTrigger": set(ORDERED["CalendarTrigger"]),
    "ScheduleByDay": {"DaysInterval"},
    "Settings": {
        "AllowStartOnDemand", "DisallowStartIfOnBatteries", "StopIfGoingOnBatteries", "AllowHardTerminate", "Enabled",
        "StartWhenAvailable", "RunOnlyIfIdle", "WakeToRun", "Hidden", "MultipleInstancesPolicy", "ExecutionTimeLimit",
        "Priority", "IdleSettings", "RestartOnFailure", "DeleteExpiredTaskAfter", "NetworkSettings",
        "RunOnlyIfNetworkAvailable",
    },
    "Actions": {"Exec"},
    "Exec": {"Command", "Arguments", "WorkingDirectory"},
}  # fmt: skip
VALUES = {
    "StartBoundary": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    "DaysInterval": r"[1-9]\d*",
    "MultipleInstancesPolicy": "Parallel|Queue|IgnoreNew|StopExisting",
    "ExecutionTimeLimit": r"PT\d+[HMS]",
    "Priority": r"\d|10",
}
BOOLEANS = {"StartWhenAvailable", "DisallowStartIfOnBatteries", "StopIfGoingOnBatteries"}


def written(kind: str, store: str, home: Path) -> tuple[Recipe, list[Path]]:
    found = recipe(kind, words_of(store), hour=4, minute=5, home=str(home))
    for name, text in found.files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8", newline="\n")
    return found, [Path(name) for name in found.files]


@stores
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_finds_nothing_wrong(store: str, tmp_path: Path) -> None:
    _, files = written("systemd", store, tmp_path)
    words = ["systemd-analyze", "--user", "verify", *map(str, files)]
    there = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, env=there)
    complaints = [line for line in done.stderr.splitlines() if "omoide-sleep" in line]
    assert (done.returncode, complaints) == (0, [])


@stores
def test_launchd_gets_a_list_of_properties_that_it_knows(store: str, tmp_path: Path) -> None:
    _, (file,) = written("launchd", store, tmp_path)
    found = plistlib.loads(file.read_bytes(), fmt=plistlib.FMT_XML)
    kinds = {
        "Label": str, "ProgramArguments": list, "StartCalendarInterval": dict, "ProcessType": str,
        "LowPriorityIO": bool, "RunAtLoad": bool,
    }  # fmt: skip
    assert {name: type(value) for name, value in found.items()} == kinds
    assert file.name == f"{found['Label']}.plist"
    assert all(type(word) is str for word in found["ProgramArguments"])
    assert found["StartCalendarInterval"] == {"Hour": 4, "Minute": 5}


@stores
def test_a_crontab_is_one_line_of_five_fields_and_a_command(store: str, tmp_path: Path) -> None:
    _, (file,) = written("cron", store, tmp_path)
    text = file.read_text(encoding="utf-8")
    assert text.count("\n") == 1
    fields = re.fullmatch(r"(\d{1,2}) (\d{1,2}) \* \* \* (\S.*)\n", text)
    assert fields is not None
    assert int(fields[1]) < 60
    assert int(fields[2]) < 24
    assert not re.search(r"(?<!\\)%", fields[3])  # cron would take the rest for the command's input


@posix
@stores
def test_a_shell_reads_the_command_of_a_crontab_as_it_is_meant(store: str, tmp_path: Path) -> None:
    _, (file,) = written("cron", store, tmp_path)
    command = file.read_text(encoding="utf-8").split(" ", 5)[5].replace("\\%", "%")
    told = command.replace(shlex.quote(words_of()[0]), "printf '%s\\n'", 1).replace(">/dev/null 2>&1", "")
    done = subprocess.run(["/bin/sh", "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == words_of(store)[1:]


@posix
@stores
def test_a_crontab_keeps_what_else_is_in_it(store: str, tmp_path: Path) -> None:
    found, (file,) = written("cron", store, tmp_path)
    tool = tmp_path / "bin" / "crontab"
    tool.parent.mkdir()
    table = tmp_path / "table"
    tool.write_text(
        f'#!/bin/sh\nif [ "$1" = -l ]; then cat {table}; else cat >{table}.new && mv {table}.new {table}; fi\n',
        encoding="utf-8",
    )
    tool.chmod(0o755)
    there = {**os.environ, "PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}"}
    own = "0 1 * * * other # of mine\n"
    table.write_text(own, encoding="utf-8")
    for _ in range(2):
        subprocess.run(["/bin/sh", "-c", found.on[0]], check=True, env=there)
        assert table.read_text(encoding="utf-8") == own + file.read_text(encoding="utf-8")
    subprocess.run(["/bin/sh", "-c", found.off[0]], check=True, env=there)
    assert table.read_text(encoding="utf-8") == own


@posix
@pytest.mark.parametrize("kind", ["cron", "systemd", "launchd"])
def test_a_shell_can_parse_what_switches_it_on_and_off(kind: str, tmp_path: Path) -> None:
    found, _ = written(kind, STORES[0], tmp_path / "It's a $HOME")
    for line in (*found.on, *found.off):
        subprocess.run(["/bin/sh", "-n", "-c", line], check=True)


@stores
def test_a_task_follows_the_schema_of_task_scheduler(store: str, tmp_path: Path) -> None:
    _, (file,) = written("task-scheduler", store, tmp_path)
    root = ET.fromstring(file.read_bytes())  # noqa: S314 - our own text
    assert (root.tag, root.get("version")) == (f"{TASKS}Task", "1.2")
    for element in root.iter():
        check(element)
    assert root.find(f"{TASKS}Actions/{TASKS}Exec/{TASKS}Command") is not None


def check(element: Any) -> None:
    name = element.tag.removeprefix(TASKS)
    children = [child.tag.removeprefix(TASKS) for child in element]
    assert element.tag.startswith(TASKS)
    assert set(children) <= WITHIN.get(name, set())
    assert len(set(children)) == len(children)
    order = ORDERED.get(name, tuple(children))
    assert children == sorted(children, key=order.index)
    assert re.fullmatch(VALUES.get(name, "(?s).*"), element.text or "")
    assert name not in BOOLEANS or element.text in ("true", "false")
