"""A write to a vault that is stopped between its commit and its files: it is there once, whatever comes after."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# An audit hook of the interpreter is where the disk, or a person, stops the first opening of the log for writing.
STOPPED = """
import sys
from omoide import Index, Memory
mem, kind = Memory(sys.argv[1] + "/", embedder="none"), sys.argv[2]
idx = Index(sys.argv[1] + "/", embedder="none")
mem.remember("first")
state = {"armed": False}

def stop(event, given):
    if state["armed"] and event == "open" and str(given[0]).endswith(".jsonl") and "a" in str(given[1]):
        state["armed"] = False
        raise KeyboardInterrupt if kind == "interrupt" else OSError(28, "No space left on device")

sys.addaudithook(stop)
face, write = (mem, mem.remember) if sys.argv[3] == "memories" else (idx, idx.add_text)
try:
    with face.bulk():
        write("held back")
        state["armed"] = True
except BaseException as error:
    print(type(error).__name__)
assert not state["armed"]
with face.bulk():
    write("said after")
found = mem.list() if face is mem else idx.search("held said", k=9)
print(sorted(each.text for each in found))
print(mem.integrity_check())
"""


@pytest.mark.parametrize("face", ["memories", "documents"])
@pytest.mark.parametrize("kind, name", [("interrupt", "KeyboardInterrupt"), ("full", "StoreFullError")])
def test_a_bulk_stopped_after_its_commit_is_written_once(tmp_path: Path, kind: str, name: str, face: str) -> None:
    run = [sys.executable, "-c", STOPPED, str(tmp_path / "vault"), kind, face]
    done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    raised, texts, findings = done.stdout.splitlines()
    assert raised == name
    assert texts == str(sorted((["first"] if face == "memories" else []) + ["held back", "said after"]))
    assert findings == "[]"


# Another handle, which has looked at the folder before, writes next.
BESIDE = """
import shutil, sys
from omoide import Memory
root = sys.argv[1] + "/"
mem, other = Memory(root, embedder="none"), Memory(root, embedder="none")
mem.remember("first")
other.list()
state = {"armed": True}

def stop(event, given):
    if state["armed"] and event == "open" and str(given[0]).endswith(".jsonl") and "a" in str(given[1]):
        state["armed"] = False
        raise KeyboardInterrupt

sys.addaudithook(stop)
try:
    mem.remember("cut short")
except KeyboardInterrupt:
    pass
assert not state["armed"]
other.remember("said by another")
print(other.integrity_check())
mem.close(), other.close()
shutil.rmtree(root + ".index")
with Memory(root, embedder="none") as again:
    print(sorted(record.text for record in again.list()))
    print(again.integrity_check())
"""


def test_what_one_handle_could_not_deliver_is_delivered_before_another_writes(tmp_path: Path) -> None:
    """The line stands in the log, so that the index can be thrown away afterwards."""
    run = [sys.executable, "-c", BESIDE, str(tmp_path / "vault")]
    done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[]", str(["cut short", "first", "said by another"]), "[]"]


# A conversation goes on; what was to be added to its file in the archive is stopped before, between and behind.
TALK = """
import gzip, json, pathlib, shutil, sys
from omoide import History, Memory
root, where = pathlib.Path(sys.argv[1]), sys.argv[2]
talk = root.with_name("talk.jsonl")

def say(number):
    with talk.open("a") as file:
        record = {"role": "user", "content": f"message {number}", "id": f"m{number}", "session_id": "s"}
        file.write(json.dumps(record) + "\\n")

his = History(f"{root}/", embedder="none")
say(0)
his.ingest(talk)
say(1)
state = {"armed": True}

def stop(event, given):
    if not state["armed"] or event != "open" or not str(given[0]).endswith(where):
        return
    if "a" in str(given[1]) or where == ".gz":
        state["armed"] = False
        raise KeyboardInterrupt

sys.addaudithook(stop)
try:
    his.ingest(talk)
except KeyboardInterrupt:
    print("stopped")
assert not state["armed"]
say(2)
his.ingest(talk)
his.close()
shutil.rmtree(root / ".index")
with History(f"{root}/", embedder="none") as again:
    print(again.sessions()[0].turns)
(file,) = (root / "archive" / "sessions").rglob("*.gz")
print([json.loads(line)["id"] for line in gzip.decompress(file.read_bytes()).splitlines()])
with Memory(f"{root}/", embedder="none") as mem:
    print(mem.integrity_check(), mem.verify())
"""


@pytest.mark.parametrize("where", [".gz", "1.jsonl"])
def test_a_conversation_stopped_on_its_way_into_the_archive_is_there_once(tmp_path: Path, where: str) -> None:
    """Its file holds each record one time, in order, whether the file or the line of the log was not reached."""
    run = [sys.executable, "-c", TALK, str(tmp_path / "vault"), where]
    done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["stopped", "3", str(["m0", "m1", "m2"]), "[] []"]
