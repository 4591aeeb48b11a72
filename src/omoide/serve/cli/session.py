"""One call of the command line: its settings, its voice, the store it opens."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from omoide.errors import NotFoundError, OmoideError
from omoide.model.catalog.operation import Operation
from omoide.ops import Faces
from omoide.serve import spool
from omoide.serve.cli.blocks import Block
from omoide.serve.cli.output import is_terminal, remark, show, show_json, written
from omoide.serve.messages.speech import Speech
from omoide.serve.project import Project, project_of
from omoide.serve.settings import Settings, settle
from omoide.serve.unloaded import without_loading

DOOR: Final = "cli"
NOWHERE: Final = ":memory:"
EMBEDDING: Final = frozenset({"add_files", "rebuild", "repair"})
"""Operations that are long anyway and wait for the model."""
ON_A_STORE: Final = frozenset(
    {"check", "rebuild", "repair", "backup", "convert", "export", "dump", "audit", "head", "verify", "undo"}
)
"""Operations that make no sense without a store; other reads find nothing in one that is not there."""
PATIENCE: Final = 1.0
"""Seconds that a command waits, before its own work, for a store that held up earlier writes."""
BY_MEANING: Final = frozenset({"min_similarity", "dedupe_threshold"})
"""Arguments that have to wait for the model."""


class Session:
    """What the shared options, the environment and the configuration come to."""

    def __init__(self, given: Mapping[str, Any], say: Speech) -> None:
        self.say = say
        self.json = bool(given.get("json"))
        self.quiet = self.json or bool(given.get("quiet"))
        self.wait = bool(given.get("wait"))
        self.yes = bool(given.get("yes"))
        self.color = not given.get("no_color") and not os.environ.get("NO_COLOR")
        self._pager = not given.get("no_pager")
        self.place: Project | None = project_of(Path.cwd())
        options = {**given, "project": given.get("for_project")}
        self.settings: Settings = settle(options, self.place.name if self.place else None)
        self.path: str = self.settings["store"]
        self.namespace: str = self.settings["namespace"]

    @property
    def interactive(self) -> bool:
        """Whether a person sits at both ends."""
        return is_terminal(sys.stdin) and is_terminal(sys.stdout)

    @property
    def trust(self) -> str:
        """What a write is worth: a person's word at a terminal, else an agent's."""
        return "stated" if self.interactive else "observed"

    @property
    def project(self) -> str | None:
        """What memories are filed under, None for nothing.

        A store named on the command line is taken as it is: only what is asked for narrows it down.
        """
        named: str = self.settings["project"]
        if named not in ("auto", "tree"):
            return None if named in ("none", "") else named
        if self.place is None or self.settings.origins["store"] == "option":
            return None
        return self.place.name if named == "auto" else self.place.tree

    @property
    def exists(self) -> bool:
        """Whether the store is there, which an empty folder is not; what no file can be is for opening to refuse."""
        if self.path == NOWHERE or "://" in self.path:
            return True
        try:
            os.lstat(self.path)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return False
        except OSError:  # what may not be looked at is there
            return True
        return not _is_empty(Path(self.path))

    def faces(self, operation: Operation, arguments: Mapping[str, Any]) -> Faces:
        """Return the faces for an operation; what waited for the store is applied first.

        Raises:
            NotFoundError: there is no store, and the operation needs one.
        """
        path = self.path
        if not self.exists and (operation.effect == "read" or operation.name in ON_A_STORE):
            if operation.name in ON_A_STORE:
                raise NotFoundError(self.say("no_store.error", path=path), value=path)
            remark(self.say("no_store", path=path), "dim", color=self.color)
            path = NOWHERE
        elif self.exists:
            self._apply_waiting()
        return Faces(
            path, self.namespace, embedder=self._embedder(operation, arguments), actor=self.settings["actor"],
            door=DOOR, door_trust=self.trust, busy_timeout=self.settings["busy_timeout"],
        )  # fmt: skip

    def by_words_only(self, operation: Operation, arguments: Mapping[str, Any]) -> bool:
        """Say whether a search leaves the model out because nobody waits for it."""
        asked = bool(str(arguments.get("query") or "").strip())
        searching = operation.name in ("recall", "search", "history_search") and asked
        if self.settings["embedder"] == "none":
            return False
        return searching and arguments.get("use_vectors") is not False and not self._waits(operation, arguments)

    def _waits(self, operation: Operation, arguments: Mapping[str, Any]) -> bool:
        return self.wait or operation.name in EMBEDDING or bool(BY_MEANING & arguments.keys())

    def _embedder(self, operation: Operation, arguments: Mapping[str, Any]) -> Any:
        """Loading the model takes longer than most commands; a vector that is not made now stays pending."""
        chosen: str | None = self.settings["embedder"]
        if self._waits(operation, arguments):
            return chosen
        return "none" if operation.effect == "read" else without_loading(self.path, chosen)

    def _apply_waiting(self) -> None:
        if not spool.waiting_in(self.path):
            return
        with suppress(OmoideError):  # it goes on waiting, and doctor shows it
            embedder = without_loading(self.path, self.settings["embedder"])
            bound = min(self.settings["busy_timeout"], PATIENCE)
            done = spool.apply(self.path, embedder=embedder, busy_timeout=bound)
            if done.applied:
                remark(self.say.count("applied", done.applied), "dim", color=self.color)
            if done.failed:
                remark(self.say.count("set_aside", done.failed), "warn", color=self.color)

    def keep(self, operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a write for a store that is busy; return the answer to it."""
        waiting = spool.Waiting(
            operation.name, dict(arguments), self.namespace, DOOR, self.trust, self.settings["actor"]
        )
        return spool.keep(self.path, waiting)

    def tell(self, text: str, style: str = "") -> None:
        """Say something beside the answer."""
        remark(text, style, color=self.color)

    def answer(self, value: Any, blocks: Sequence[Block]) -> None:
        """Give the answer: JSON when it was asked for, else words."""
        with written():
            if self.json:
                show_json(value)
            else:
                show(blocks, color=self.color, paged=self._pager and self.settings["pager"] != "never")


def _is_empty(folder: Path) -> bool:
    """Say whether there is a folder with nothing in it; what may not be looked into is for opening to refuse."""
    with suppress(PermissionError):
        return folder.is_dir() and not any(folder.iterdir())
    return False
