"""Staleness: what memories cite compared with what is there now, in one cold pass that always ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from omoide.errors import InvalidInputError
from omoide.model.records import digest
from omoide.model.time import Micros
from omoide.store.sqlite.citations import Citing, Finding, Known, cite_key, worst
from omoide.types.reports import SourcesReport
from omoide.verbs.citing import CheckUrl, Cited, Place, Seen, Verdict, parse
from omoide.verbs.context import Context
from omoide.verbs.conversations.repository import Repository, repository_of
from omoide.verbs.writing import writing

PAGE: Final = 500
"""Memories that one transaction reads or writes at most."""
_NO_CHECKER: Final = "addresses were not looked up: check_sources(check_url=...) says how"


def check_sources(
    ctx: Context, root: str | os.PathLike[str] | None, project: str | None, check_url: CheckUrl | None, namespace: str,
    *, go_on: Callable[[], None] | None = None,
) -> SourcesReport:  # fmt: skip
    """Look every citation of a namespace up in a folder; keep the findings and return them.

    ``go_on``: called before each page; what it raises ends the pass, and what was found before stays.

    Raises:
        InvalidInputError: the folder does not exist.
    """
    folder = Path.cwd() if root is None else Path(root).absolute()
    if not folder.is_dir():
        raise InvalidInputError(f"{folder} is no folder; root is where cited paths start", value=root)
    scope = ctx.policy.write_scope(ctx.namespace, namespace)
    repository, reason = repository_of(folder)
    here = {project} if project is not None else set() if repository is None else set(repository.names)
    here |= {folder.as_posix(), str(folder)}
    citing = list(_pages(ctx, namespace))
    mine = [each for each in citing if each.project is None or _repository_part(each.project) in here]
    cited = {cite: parse(cite) for each in mine for cite in each.cites}
    since = min((each.since for each in mine), default=0)
    place = Place(folder, repository, cited.values(), since)
    look = _Look(ctx, place, cited, check_url, digest("place", _identity(folder, repository, project)))
    if reason is not None and any(each.commit is not None for each in cited.values()):
        look.reasons[reason] = None
    look.elsewhere += sorted({each.memory_id for each in citing} - {each.memory_id for each in mine})
    for first in range(0, len(mine), PAGE):
        if go_on is not None:
            go_on()
        page = mine[first : first + PAGE]
        with ctx.store.read(None) as tx:
            known = tx.citations.of([each.memory_id for each in page])
        fresh = [finding for each in page for finding in look.at(each, known.get(each.memory_id, {}))]
        if fresh:
            with writing(ctx, scope) as write:
                for finding in fresh:
                    write.citations.put(finding, write.now)
                write.log("check_sources", namespace, sorted({finding.memory_id for finding in fresh}))
    return look.report(len(mine))


def _pages(ctx: Context, namespace: str) -> Iterator[Citing]:
    """Yield the memories that cite something, by ascending id, so that each is read once."""
    ctx.flush()
    last = 0
    while True:
        with ctx.store.read(ctx.scope(namespace)) as tx:
            ns = tx.namespaces.id(namespace)
            page = [] if ns is None else tx.citations.after(ns, last, PAGE)
        if not page:
            return
        yield from page
        last = page[-1].memory_id


def _identity(folder: Path, repository: Repository | None, project: str | None) -> str:
    """Return by what name findings of this place are known."""
    return project or (folder.as_posix() if repository is None else repository.identity)


def _repository_part(project: str) -> str:
    """Leave out which worktree or branch of a repository a project names."""
    return project.partition("#")[0]


@dataclass(slots=True)
class _Look:
    """One pass: how it looks things up, and what it found so far."""

    ctx: Context
    place: Place
    cited: dict[str, Cited]
    check_url: CheckUrl | None
    where: bytes
    found: dict[int, Verdict] = field(default_factory=dict)
    elsewhere: list[int] = field(default_factory=list)
    reasons: dict[str, None] = field(default_factory=dict)
    urls: dict[str, Verdict] = field(default_factory=dict)

    def at(self, citing: Citing, known: dict[bytes, Known]) -> list[Finding]:
        """Return what is new about the citations of a memory."""
        fresh: list[Finding] = []
        after = dict(known)
        for cite in citing.cites:
            before = known.get(cite_key(cite))
            seen = self._seen(self.cited[cite], citing.since, before)
            if seen.verdict == "unresolved" and self._found_elsewhere(citing, before):
                continue
            now = Known(seen.verdict, self.where, seen.mark, 0)
            after[cite_key(cite)] = now
            if before is None or (before.status, before.place, before.mark) != (now.status, now.place, now.mark):
                fresh.append(Finding(citing.memory_id, cite, seen.verdict, self.where, seen.mark))
        self._note(citing, after)
        return fresh

    def _note(self, citing: Citing, after: dict[bytes, Known]) -> None:
        verdict = worst(citing.cites, after)
        known_here = any(each.place == self.where for each in after.values())
        if verdict is None or not known_here:
            self.elsewhere.append(citing.memory_id)
        elif self.found.get(citing.memory_id) != "stale":
            self.found[citing.memory_id] = verdict

    def _found_elsewhere(self, citing: Citing, before: Known | None) -> bool:
        """A memory of no project may belong to another repository, which could resolve what this one cannot."""
        elsewhere = before is not None and before.place != self.where and before.status != "unresolved"
        return citing.project is None and elsewhere

    def _seen(self, cited: Cited, since: Micros, before: Known | None) -> Seen:
        if cited.url:
            return Seen(self._url(cited.text))
        if cited.commit is not None:
            verdict = self.place.pinned(cited)
            named_like_one = verdict == "unresolved" and cited.path is None and (self.place.root / cited.text).exists()
            if not named_like_one:
                return Seen(verdict)
            cited = Cited(cited.text, path=cited.text)
        # Known times come from the clock of the store; only the system's can be compared with those of files.
        comparable = since if self.ctx.store.clock is None else None
        mark = before.mark if before is not None and before.place == self.where and before.at >= since else None
        return self.place.file(cited, comparable, mark)

    def _url(self, url: str) -> Verdict:
        if self.check_url is None:
            self.reasons[_NO_CHECKER] = None
            return "unresolved"
        if url not in self.urls:
            try:
                self.urls[url] = _verdict(self.check_url(url))
            except OSError as error:
                self.reasons[f"{url}: {error}"] = None
                self.urls[url] = "unresolved"
        return self.urls[url]

    def report(self, checked: int) -> SourcesReport:
        """Return what was found, ids ascending."""
        by_verdict: dict[Verdict, list[int]] = {"current": [], "stale": [], "unresolved": []}
        for memory_id, verdict in sorted(self.found.items()):
            by_verdict[verdict].append(memory_id)
        current, stale, unresolved = (tuple(ids) for ids in by_verdict.values())
        elsewhere = tuple(sorted(set(self.elsewhere) - set(self.found)))
        return SourcesReport(checked, current, stale, unresolved, elsewhere, tuple(self.reasons))


def _verdict(answer: object) -> Verdict:
    """Return what ``check_url`` says: a verdict by name, True for current, False for stale, None for neither."""
    for verdict, values in _ANSWERS:
        if any(answer is value or (isinstance(value, str) and answer == value) for value in values):
            return verdict
    raise InvalidInputError(
        f"check_url must return 'current', 'stale', 'unresolved', a bool or None, not {answer!r}", value=answer
    )


_ANSWERS: Final[tuple[tuple[Verdict, tuple[object, ...]], ...]] = (
    ("current", ("current", True)), ("stale", ("stale", False)), ("unresolved", ("unresolved", None)),
)  # fmt: skip
