"""Files taken in: what is unchanged is passed over, what changed is replaced, what is gone is taken out of search.

Every file is written whole in some transaction, so that an ingest that was killed goes on where it stopped.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from omoide.errors import EmbedderError, ExtractError, StoreBusyError
from omoide.model.documents import DocumentRow, Part, Sheet, purged_document
from omoide.model.policy import WriteScope
from omoide.store.sqlite import document_writing
from omoide.store.sqlite.document_writing import Cut
from omoide.store.sqlite.documents import Known
from omoide.store.sqlite.transaction import Write
from omoide.text.chunking.kinds import kind_of
from omoide.text.extract import MAX_BYTES, MAX_SECONDS, Extracted, read_document
from omoide.types import Ingested, IngestResult
from omoide.verbs.context import Context
from omoide.verbs.filling import fill
from omoide.verbs.passages.document_parts import Recipe, parts_of
from omoide.verbs.passages.documents import MODEL_PATIENCE, Stopwatch, claim_of, new_batch, prepared
from omoide.verbs.passages.ingest_plan import Plan, Step, make_plan
from omoide.verbs.passages.ingest_walk import Walk
from omoide.verbs.writing import writing

FILES_TOGETHER: Final = 64
PARTS_TOGETHER: Final = 128
"""Files, and parts of files, written in one transaction, unless one file has more."""
MANY_PARTS: Final = 512
"""Parts from which on the vectors of a file are made after it was written."""
PURGED: Final = "purged"
_LEFT_OUT: Final = frozenset({"binary", "unsupported", "empty", "not_a_file"})
"""Codes of what is no text, rather than a text that could not be read."""

Progress = Callable[[int, int, str], object]


@dataclass(frozen=True, slots=True)
class Order:
    """One ingest, its arguments checked; ``model`` is what all documents of it have in common."""

    scope: WriteScope
    roots: Sequence[str]
    pattern: str
    recipe: Recipe
    model: Sheet
    max_bytes: int = MAX_BYTES
    max_seconds: float = MAX_SECONDS
    prune: bool = True
    progress: Progress | None = None


@dataclass(slots=True)
class _Ready:
    """A file that was read and cut, waiting to be written."""

    step: Step
    sheet: Sheet
    parts: Sequence[Part]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Course:
    ctx: Context
    order: Order
    batch: str
    watch: Stopwatch = field(default_factory=Stopwatch)
    ids: list[int] = field(default_factory=list)
    reports: list[Ingested] = field(default_factory=list)
    held: list[_Ready] = field(default_factory=list)
    touched: list[Step] = field(default_factory=list)
    owes: bool = False


def ingest(ctx: Context, order: Order, walk: Walk) -> IngestResult:
    """Take in what a walk found; return what became of every file."""
    ctx.flush()
    ctx.embedding.wait_ready(MODEL_PATIENCE)
    plan = make_plan(ctx, order.scope.namespace, order.roots, walk, order.model, order.max_bytes)
    course = _Course(ctx, order, new_batch(ctx))
    course.reports += walk.left_out
    for number, step in enumerate(plan.steps(), 1):
        _take(course, step)
        if order.progress is not None:
            order.progress(number, len(walk.files), step.found.path)
    _write(course)
    _settle_touched(course)
    _take_out(course, plan)
    if course.owes and ctx.embedding.ready:
        with suppress(EmbedderError, StoreBusyError):  # what stays pending is filled in later
            while fill(ctx.store, ctx.embedding):
                pass
    wrote = course.ids or any(report.status in ("removed", "renamed") for report in course.reports)
    timings = course.watch.timings(len(course.ids)) if walk.files else {}
    return IngestResult(course.ids, files=course.reports, timings=timings, batch=course.batch if wrote else None)


def _take(course: _Course, step: Step) -> None:
    if step.what == "unchanged":
        _report(course, step, "unchanged")
        if step.known is not None and step.known.stat != step.found.stat:
            course.touched.append(step)
        return
    if step.what == "failed":
        _report(course, step, "failed", code="no_access", reason=step.reason)
        return
    try:
        ready = _read(course, step)
    except ExtractError as error:
        _refuse(course, step, error)
        return
    course.held.append(ready)
    course.watch.lap("chunk_ms")
    if len(course.held) >= FILES_TOGETHER or sum(len(each.parts) for each in course.held) >= PARTS_TOGETHER:
        _write(course)


def _read(course: _Course, step: Step) -> _Ready:
    """Read and cut a file.

    Raises:
        ExtractError: its text cannot be had.
    """
    order, found = course.order, step.found
    recipe = order.recipe
    text = read_document(found.path, encoding=recipe.encoding, max_bytes=order.max_bytes, max_seconds=order.max_seconds)
    if recipe.splitter == "auto":
        recipe = replace(recipe, splitter=text.splitter)
    title = text.title or os.path.basename(found.path)  # noqa: PTH119  # the path is text here
    sheet = order.model._replace(
        source=found.path, root=found.root, hash=step.hash, stat=found.stat, title=title,
        size=found.size, modified_at=found.modified_ns // 1000,
    )  # fmt: skip
    parts = parts_of(
        text.text, recipe, sheet.metadata, title=title, path=found.path, pages=text.pages, placed=True,
        lines=_as_it_is(text, found.path),
    )  # fmt: skip
    if not parts:
        raise ExtractError(f"the splitter returned no part of {found.path} with text in it", reason="empty")
    return _Ready(step, sheet, parts, tuple(text.notes))


def _as_it_is(text: Extracted, path: str) -> bool:
    """Say whether the lines of a text are those of its file; one that was laid out anew has others."""
    return text.encoding is not None and kind_of(text.text, "auto", path) not in ("html", "notebook")


def _refuse(course: _Course, step: Step, error: ExtractError) -> None:
    """Report a file that gives no text; what an emptied file said is taken out of search."""
    known = step.known
    gone = error.reason == "empty" and known is not None and known.removed_at is None
    if gone and known is not None:
        with writing(course.ctx, course.order.scope, batch=course.batch) as tx:
            _remove(tx, course.order.scope.namespace, [known.document_id])
        _report(course, step, "removed", code="empty", reason="the file is empty now")
        return
    status = "skipped" if error.reason in _LEFT_OUT else "failed"
    kept = known is not None and known.removed_at is None
    reason = f"{error.message}; what was read of it before is kept" if kept else error.message
    _report(course, step, status, code=error.reason, reason=reason)


def _write(course: _Course) -> None:
    """Write the files held back, in one transaction."""
    held, course.held = course.held, []
    if not held:
        return
    cuts = _prepared(course, held)
    course.watch.lap("embed_ms")
    scope = course.order.scope
    with writing(course.ctx, scope, batch=course.batch) as tx:
        done = _Settled(tx, course.order, course.batch)
        for ready, cut in zip(held, cuts, strict=True):
            done.settle(ready.step, cut)
        outcome = done.finish()
    for ready in held:
        status, document_id = outcome[ready.step.found.path]
        if status == PURGED:
            _report(course, ready.step, "skipped", code=PURGED, reason="it was purged; add_text can bring it back")
            continue
        if status != "unchanged":
            course.ids.append(document_id)
        course.reports.append(
            Ingested(ready.step.found.path, status, document_id, chunks=len(ready.parts), notes=ready.notes)
        )
    course.watch.lap("store_ms")


def _prepared(course: _Course, held: Sequence[_Ready]) -> list[Cut]:
    embedding = course.ctx.embedding
    if len(held) == 1 and len(held[0].parts) >= MANY_PARTS:
        (ready,) = held
        course.owes = True
        return [Cut(ready.sheet, ready.parts, embedding.prepare_words([claim_of(part) for part in ready.parts]))]
    return prepared(course.ctx, [(ready.sheet, ready.parts) for ready in held])


class _Settled:
    """Decides inside the write lock what becomes of each file: another process may have been at the same folder."""

    def __init__(self, tx: Write, order: Order, batch: str) -> None:
        self._tx, self._namespace = tx, order.scope.namespace
        self._ns = tx.ns_of(self._namespace)
        self._fresh: list[Cut] = []
        self._changed: list[int] = []
        self._outcome: dict[str, tuple[str, int]] = {}
        tx.documents.add_batch(batch, self._ns, tx.now, tx.voice.actor, os.pathsep.join(order.roots))

    def settle(self, step: Step, cut: Cut) -> None:
        """Add or replace the document of one file."""
        source = step.found.path
        if step.hash is not None and self._tx.relations.is_purged(purged_document(self._namespace, step.hash)):
            self._outcome[source] = PURGED, 0
            return
        row = self._tx.documents.file(self._ns, source)
        if row is None and step.what == "renamed" and step.known is not None:
            row = self._renamed(step.known)
        if row is None:
            self._fresh.append(cut)
            return
        status = _status(row, source)
        if status == "changed" and _same(row, cut.sheet):
            self._tx.documents.set(row.document_id, stat=cut.sheet.stat)
            status = "unchanged"
        else:
            document_writing.replace_parts(self._tx, row, cut)
            self._changed.append(row.document_id)
        self._outcome[source] = status, row.document_id

    def finish(self) -> dict[str, tuple[str, int]]:
        """Write what is new and the audit; return (status, document) by path."""
        if self._fresh:
            rows = document_writing.add(self._tx, self._namespace, self._fresh)
            self._outcome.update({str(row.sheet.source): ("added", row.document_id) for row in rows})
            self._tx.log("add", self._namespace, [row.document_id for row in rows])
        if self._changed:
            self._tx.log("replace", self._namespace, self._changed)
        return self._outcome

    def _renamed(self, known: Known) -> DocumentRow | None:
        row = self._tx.documents.get(known.document_id)
        return row if row is not None and row.sheet.source == known.source and row.removed_at is None else None


def _status(row: DocumentRow, source: str) -> str:
    if row.removed_at is not None:
        return "restored"
    return "changed" if row.sheet.source == source else "renamed"


def _same(row: DocumentRow, sheet: Sheet) -> bool:
    told = ("hash", "recipe", "metadata", "project", "trust", "title")
    return all(getattr(row.sheet, name) == getattr(sheet, name) for name in told)


def _settle_touched(course: _Course) -> None:
    """Note the new state of files that were touched and say what they said."""
    steps, course.touched = [step for step in course.touched if step.found.stat is not None], []
    for first in range(0, len(steps), PARTS_TOGETHER):
        with writing(course.ctx, course.order.scope) as tx:
            for step in steps[first : first + PARTS_TOGETHER]:
                row = None if step.known is None else tx.documents.get(step.known.document_id)
                if row is not None and row.sheet.hash == step.hash:
                    tx.documents.set(row.document_id, stat=step.found.stat)


def _take_out(course: _Course, plan: Plan) -> None:
    """Take files that are gone out of search; they come back with their file."""
    gone = list(plan.gone(course.order.pattern))
    if not course.order.prune:
        course.reports += [Ingested(each.source, "vanished", each.document_id) for each, _ in gone]
        return
    scope = course.order.scope
    for first in range(0, len(gone), FILES_TOGETHER):
        some = gone[first : first + FILES_TOGETHER]
        with writing(course.ctx, scope, batch=course.batch) as tx:
            removed = _remove(tx, scope.namespace, [each.document_id for each, _ in some])
        course.reports += [
            Ingested(each.source, "removed", each.document_id, code=code, reason=_WHY[code])
            for each, code in some
            if each.document_id in removed
        ]
    course.watch.lap("store_ms")


_WHY: Final = {"vanished": "the file is gone", "ignored": "a pattern leaves it out now"}


def _remove(tx: Write, namespace: str, ids: Iterable[int]) -> list[int]:
    rows = [row for row in map(tx.documents.get, ids) if row is not None and row.removed_at is None]
    for row in rows:
        document_writing.remove(tx, row)
    removed = [row.document_id for row in rows]
    if removed:
        tx.log("remove", namespace, removed)
    return removed


def _report(course: _Course, step: Step, status: str, **why: str | None) -> None:
    known = None if step.known is None else step.known.document_id
    course.reports.append(Ingested(step.found.path, status, known, **why))  # type: ignore[arg-type]
