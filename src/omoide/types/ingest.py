"""What became of the files and texts of an ingest, as values that cross the public door."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of one file or text.

    ``status``: added, changed, unchanged, renamed, restored, removed, vanished (gone, and kept because ``prune`` was
    off), ignored, skipped or failed. ``code`` and ``reason`` say why where it is not in the index as it was found;
    ``position`` is that in a list of texts.
    """

    path: str | None
    status: str
    document_id: int | None = None
    code: str | None = None
    reason: str | None = None
    chunks: int = 0
    position: int | None = None
    notes: tuple[str, ...] = ()


class IngestResult(list[int]):
    """The ids of the documents that were written, and what became of every file.

    ``timings`` in milliseconds, and ``docs_per_second``; ``batch`` names the ingest, None when nothing was written.
    """

    def __init__(
        self, ids: Iterable[int] = (), *, files: Iterable[Ingested] = (), timings: Mapping[str, float] | None = None,
        batch: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(ids)
        self.files: tuple[Ingested, ...] = tuple(files)
        self.timings: dict[str, float] = dict(timings or {})
        self.batch = batch

    @property
    def failed(self) -> tuple[Ingested, ...]:
        """What could not be taken in."""
        return self.with_status("failed")

    @property
    def counts(self) -> dict[str, int]:
        """How many files there are of each status."""
        return dict(Counter(each.status for each in self.files))

    def with_status(self, *status: str) -> tuple[Ingested, ...]:
        """Return what became of the files of some status."""
        return tuple(each for each in self.files if each.status in status)
