"""Puts the data files into the wheel, or into the package folder of an editable install."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "omoide_minilm"
SHARED = ("shared", "../e5-small")
"""Where the graph builder is: in a source distribution, in a checkout."""


class DataFiles(BuildHookInterface[Any]):
    """Makes the files once per machine; front ends call this more than once per install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files to ship, or lay them beside the code that an editable install points to."""
        if self.target_name != "wheel":
            return
        sys.path[:0] = [self.root, *(str(Path(self.root, place).resolve()) for place in SHARED)]
        from builder import cache
        from minilm_builder.make import make

        package = Path(self.root, "src", PACKAGE)
        files = runpy.run_path(str(package / "__init__.py"))["FILES"]
        if version != "editable":
            folder = cache.ensure(files, make)
            build_data["force_include"] |= {str(folder / name): f"{PACKAGE}/data/{name}" for name in files}
        elif not cache.right(package / "data", files):
            cache.copy(cache.ensure(files, make), package / "data", files)
