"""Memories that need a hand: without a line that stands for them, made of several, or citing what has changed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from omoide.model.consolidate import Draft
from omoide.sleep.night import Night
from omoide.store.sqlite.citations import worst
from omoide.store.sqlite.survey import Held
from omoide.text.summary import summarise
from omoide.verbs import staleness
from omoide.verbs.conversations.repository import repository_of

_SECTION: Final = re.compile(r"^#{1,3}\s+\S.*$", re.MULTILINE)
_SHORTEST: Final = 40
"""Characters of a section that can stand on its own."""


def propose_abstracts(night: Night) -> None:
    """Propose a line that stands for each long memory without one."""
    long = [
        each
        for each in night.held()
        if not each.has_abstract and not each.recorded and len(each.text) >= night.settings.abstract_from
    ]
    night.propose([draft for each in long if (draft := _abstract(each)) is not None])


def _abstract(each: Held) -> Draft | None:
    line = summarise(each.text)
    if not line or line == each.text:
        return None
    return Draft(
        "retitle", (each.id,), "no_abstract", (each.text,), (each.version_id,), {"abstract": line},
        (f"{len(each.text)} characters",), min(each.importance / 10, 1.0),
    )  # fmt: skip


def propose_splits(night: Night) -> None:
    """Propose to split memories of several sections, each of which says something of its own."""
    drafts = []
    for each in night.held():
        parts = [] if each.recorded or each.pinned else sections(each.text)
        if len(parts) >= night.settings.split_sections:
            evidence = (f"{len(parts)} sections",)
            drafts.append(
                Draft(
                    "split", (each.id,), "sections", (each.text,), (each.version_id,), {"parts": parts}, evidence, 0.5
                )
            )
    night.propose(drafts)


def sections(text: str) -> list[str]:
    """Return the sections of a text under headings, all of its words in one of them; none where one is too short."""
    starts = [found.start() for found in _SECTION.finditer(_without_code(text))]
    if not starts or text[: starts[0]].strip():
        return []
    parts = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return parts if all(len(part) >= _SHORTEST for part in parts) else []


def _without_code(text: str) -> str:
    """Blank out fenced code, in which a number sign is no heading."""
    return re.sub(
        r"^```.*?^```", lambda found: re.sub(r"[^\n]", " ", found.group()), text, flags=re.DOTALL | re.MULTILINE
    )


def propose_stale(night: Night) -> None:
    """Propose to put away memories all of whose citations have changed since, as a look at this repository finds."""
    _look_at_sources(night)
    citing = [each for each in night.held() if each.cites is not None and not each.pinned]
    with night.ctx.store.read(None) as tx:
        known = tx.citations.of([each.id for each in citing])
    drafts = []
    for each in citing:
        cites = tuple(json.loads(each.cites or "[]"))
        found = known.get(each.id, {})
        if cites and worst(cites, found) == "stale" and all(mark.status == "stale" for mark in found.values()):
            evidence = tuple(f"{cite} changed" for cite in cites[:5])
            drafts.append(Draft("archive", (each.id,), "stale", (each.text,), (each.version_id,), {}, evidence, 0.6))
    night.propose(drafts)


def _look_at_sources(night: Night) -> None:
    """Look up what memories cite in the repository that the run was started in; elsewhere keep what was found last."""
    if not any(each.cites is not None for each in night.held()):
        return
    repository, _ = repository_of(Path.cwd())
    if repository is None:
        night.withhold("cited files were not looked at, the run was started outside of a git repository", 0)
        return
    staleness.check_sources(night.ctx, None, None, None, night.scope.namespace, go_on=night.check_time)
