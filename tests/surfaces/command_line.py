"""The command line run inside a test: a store and a configuration of its own, output and exit status caught."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from omoide.serve.cli.app import run


@dataclass(frozen=True)
class Said:
    """What one call said, and how it ended."""

    out: str
    err: str
    status: int

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class CommandLine:
    """``cli("recall", "Osaka")`` runs a command in this process, as a script would: nobody sits at a terminal."""

    folder: Path
    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]

    @property
    def store(self) -> Path:
        return self.folder / "agents.db"

    @property
    def config(self) -> Path:
        return self.folder / "config.toml"

    def __call__(self, *words: str, stdin: bytes = b"", status: int | None = 0) -> Said:
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        self.capture.readouterr()
        ended = run(words)
        said = self.capture.readouterr()
        if status is not None:
            assert ended == status, f"{words}: {ended}\n{said.out}\n{said.err}"
        return Said(said.out, said.err, ended)

    def json(self, *words: str, **options: Any) -> Any:
        """Run a command with ``--json`` and return what it printed."""
        return self("--json", *words, **options).json
