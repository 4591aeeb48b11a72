"""Runs the suites that others wrote, each in an environment of its own. `make contracts ARGS="mcp http"` runs some.

A suite is a folder here with a ``requirements.txt`` and ``check_*.py`` files. Its environment is kept in
``.cache/contracts``; what it does not bring itself, omoide included, comes from ``.venv``.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "contracts"


def environment(suite: Path) -> Path:
    """Return the interpreter of a suite's environment, made when its requirements changed."""
    wanted = (suite / "requirements.txt").read_bytes()
    folder = CACHE / suite.name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    mark = folder / ".ready"
    digest = hashlib.sha256(wanted + sys.version.encode()).hexdigest()
    if not mark.exists() or mark.read_text() != digest:
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run(
            [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", suite / "requirements.txt"],
            check=True,
        )
        site = subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            check=True, capture_output=True, text=True,
        ).stdout.strip()
        paths = [str(ROOT / "src"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
        (Path(site) / "omoide_checkout.pth").write_text("\n".join(dict.fromkeys(paths)) + "\n")
        mark.write_text(digest)
    return python


def main(names: list[str]) -> int:
    suites = sorted(file.parent for file in HERE.glob("*/requirements.txt"))
    chosen = [suite for suite in suites if not names or suite.name in names]
    if not chosen:
        sys.exit(f"no such suite; there are {', '.join(suite.name for suite in suites)}")
    failed = []
    for suite in chosen:
        print(f"== {suite.name}", flush=True)
        files = [str(file) for file in sorted(suite.glob("check_*.py"))]
        options = ["-q", "-c", os.devnull, "--rootdir", str(suite), "-p", "no:cacheprovider", "-o", "addopts="]
        waits = "pytest-asyncio" in (suite / "requirements.txt").read_text()
        options += ["-o", "asyncio_mode=auto"] if waits else ["-p", "no:asyncio"]
        if subprocess.run([environment(suite), "-m", "pytest", *options, *files], cwd=suite).returncode:
            failed.append(suite.name)
    print(f"failed: {', '.join(failed)}" if failed else "all suites passed")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
