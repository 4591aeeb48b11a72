"""Speed beside other engines, pair by pair in one run, each in an environment of its own.

    python bench/peers.py --out bench/results/peers.json

Makes a virtual environment for every peer in ``--envs`` (kept for the next run) with pip from the index; a peer that
cannot be installed is left out with the reason. Each pair is omoide and the peer one after the other on the same
texts, questions and given vectors; ``bench/peers_worker.py`` is what runs inside. Ratios are peer over omoide in CPU
time, by the fastest round, since a shared machine only ever adds time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import venv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
WORKER = HERE / "peers_worker.py"
PEERS = {
    "rmbr": ["rmbr==0.2.7", "usearch<=2.26.1"],
    "chroma": ["chromadb"],
    "lancedb": ["lancedb", "pyarrow"],
}
PATIENCE = 1_500  # seconds for one worker
INSTALLING = 900  # seconds for one environment


def environment(name: str, packages: list[str], folder: Path) -> Path | str:
    """Return the interpreter of a peer's environment, or why there is none."""
    place = folder / name
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    ready = place / "ready"
    if ready.is_file():
        return python
    venv.create(place, with_pip=True, clear=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "numpy", *packages]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLING, check=False)
    except subprocess.TimeoutExpired:
        return f"pip took longer than {INSTALLING} s"
    if done.returncode:
        return (done.stderr or done.stdout).strip()[-300:]
    ready.touch()
    return python


def versions(python: Path, packages: list[str]) -> dict[str, str]:
    names = [package.split("=")[0].split("<")[0] for package in packages]
    code = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"
    done = subprocess.run([str(python), "-c", code, *names], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def work(python: Path, name: str, sizes: str) -> dict[str, Any] | str:
    """Return what a worker measured, or why it did not."""
    clean = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "PYTHONHOME"}}
    clean |= {"PYTHONPATH": str(HERE), "ANONYMIZED_TELEMETRY": "False", "HF_HUB_OFFLINE": "1"}
    if name == "omoide":
        clean["PYTHONPATH"] = os.pathsep.join([str(HERE), str(HERE.parent / "src")])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [str(python), str(WORKER), name, sizes, folder]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=clean, check=False)
        except subprocess.TimeoutExpired:
            return f"took longer than {PATIENCE} s"
    if done.returncode:
        return done.stderr.strip()[-600:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def ratios(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """Return peer over omoide; more than 1 says that omoide needs less.

    ``ingest`` is omoide's ``Index.add_texts``, beside the bulk of a peer that has no other way to take in texts.
    """
    found: dict[str, Any] = {}
    for size, figures in theirs.items():
        for name, each in figures.items():
            key = "cpu_us_a_text" if "cpu_us_a_text" in each else "cpu_ms_min"
            mine = ours[size][name][key]
            found.setdefault(size, {})[name] = round(each[key] / mine, 2) if mine else None
        if "ingest" not in figures:  # texts and vectors in portions is all that such a peer's bulk is
            key = "cpu_us_a_text"
            found[size]["ingest"] = round(figures["bulk"][key] / ours[size]["ingest"][key], 2)
    return found


def pair(name: str, packages: list[str], options: argparse.Namespace) -> dict[str, Any]:
    python = environment(name, packages, options.envs)
    if isinstance(python, str):
        return {"skipped": f"cannot be installed: {python}"}
    ours, theirs = work(Path(sys.executable), "omoide", options.sizes), work(python, name, options.sizes)
    failed = [f"{who}: {why}" for who, why in (("omoide", ours), (name, theirs)) if isinstance(why, str)]
    if isinstance(ours, str) or isinstance(theirs, str):
        return {"skipped": "; ".join(failed)}
    return {
        "versions": versions(python, packages), "omoide": ours, name: theirs, "peer_over_omoide": ratios(ours, theirs)
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--envs", type=Path, default=Path(tempfile.gettempdir()) / "omoide-peers")
    parser.add_argument("--install-only", action="store_true", help="make the environments and stop")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    options = parser.parse_args()
    if options.install_only:
        print({name: str(environment(name, PEERS[name], options.envs)) for name in options.peers})
        return
    result: dict[str, Any] = {
        "command": " ".join(["python", "bench/peers.py", *sys.argv[1:]]),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()},
        "note": "hybrid recall of 5; chroma has no keyword ranking and is asked by vector alone",
        "pairs": {},
    }
    for name in options.peers:
        before = os.getloadavg() if hasattr(os, "getloadavg") else None
        found = result["pairs"][name] = {"load_average": before, **pair(name, PEERS[name], options)}
        print(name, found.get("skipped") or json.dumps(found["peer_over_omoide"]), flush=True)
        if options.out is not None:
            options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
