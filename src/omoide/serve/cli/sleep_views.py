"""How consolidation and its proposals are told to people."""

from __future__ import annotations

import re
from typing import Any, Final

from omoide.serve.cli.blocks import Block, Line, table, tidy
from omoide.serve.messages.speech import Speech

_LEFT = {
    "advice": "advice", "a conversation stays to be distilled": "conversation",
    "extracted statements refused": "statements", "lines of advice could not be used": "lines",
    "vectors stay pending": "vectors", "idle memories beyond what one run archives": "idle",
    "changes that are not sure enough to be proposed": "unsure",
    "contradictions that neither time nor a single value decides; see conflicts": "undecided",
    "cited files were not looked at, the run was started outside of a git repository": "sources",
}  # fmt: skip
"""How the reasons of a report begin, and the message that says so."""
_BUSY: Final = r"(?P<host>.+):(?P<process>\d+):\w+ is consolidating this namespace"
_SAID: Final = {
    "same_words": r"memory (?P<id>\d+), (?P<trust>\w+), seen (?P<n>\d+) times",
    "same_property": r"memory (?P<id>\d+), (?P<trust>\w+)", "same_shape": r"memory (?P<id>\d+), (?P<trust>\w+)",
    "contradiction": r"memory (?P<id>\d+), (?P<trust>\w+)", "unused": r"archived, untouched for (?P<n>\d+) months",
    "recurs": r"said in (?P<n>\d+) conversations", "comes_back": r"forgotten (?P<n>\d+) times before",
    "no_abstract": r"(?P<n>\d+) characters", "sections": r"(?P<n>\d+) sections", "stale": r"(?P<cite>.+) changed",
}  # fmt: skip
"""How the evidence for a proposal reads, by its reason; for other reasons it quotes what was said."""
_UNDECIDED: Final = {
    "the memories changed since; the next run drafts it anew": "changed", "it was accepted already": "accepted",
    "it was refused already": "refused",
}  # fmt: skip
"""Why a proposal could not be decided, and the message that says so."""
_STYLES = {"done": "good", "partial": "warn", "busy": "warn", "off": "warn"}


def sleep_view(result: Any, say: Speech) -> list[Block]:
    """Return what a run changed, what it proposes and why, what it left out, what it cost, how to undo it."""
    state = result["state"]
    blocks: list[Block] = [Line(say(f"sleep.{state}", namespace=tidy(result["namespace"])), _STYLES.get(state, "dim"))]
    columns = [say(f"sleep.col.{name}") for name in ("pass", "changed", "proposed", "withheld")]
    rows = [
        (say.word(each["name"]), each["changed"] or "", each["proposed"] or "", each["withheld"] or "")
        for each in result["passes"]
        if each["changed"] or each["proposed"] or each["withheld"]
    ]
    if rows:
        blocks.append(table(columns, rows, wide=0))
    if result["extracted"]:
        blocks.append(Line(say("sleep.extracted", ids=tidy(result["extracted"]))))
    if result["accepted"]:
        blocks.append(Line(say("sleep.accepted", ids=tidy(result["accepted"]))))
    if state in ("done", "partial"):
        blocks += _listed(result["proposed"], say) or [Line(say("sleep.nothing_new"), "dim")]
    blocks += [Line(_left_out(reason, say), "warn") for reason in result["reasons"]]
    if result["cost"]:
        blocks.append(Line(say("sleep.cost", **result["cost"]), "dim"))
    if result["undo"]:
        blocks.append(Line(say("sleep.undo", batch=result["undo"])))
    return [*blocks, Line(say("sleep.settings", fingerprint=result["settings"]), "dim")]


def _left_out(reason: str, say: Speech) -> str:
    """Return why something was left out, what others said of it as they said it."""
    busy = re.fullmatch(_BUSY, reason)
    if busy is not None:
        return tidy(say("sleep.left.busy", **busy.groupdict()))
    head, separator, detail = reason.partition(": ")
    name = _LEFT.get(head)
    return (
        tidy(say.sentence(reason))
        if name is None
        else f"{say(f'sleep.left.{name}')}{separator}{tidy(say.sentence(detail))}"
    )


def proposals_view(result: Any, say: Speech) -> list[Block]:
    """Return a table of proposals, and how to decide."""
    return _listed(result["results"], say) or [Line(say("sleep.nothing"), "dim")]


def proposal_view(result: Any, say: Speech) -> list[Block]:
    """Return one proposal: what there is, what would be, what speaks for it."""
    state = say.word(result["state"])
    title = f"{result['id']}  {say.word(result['kind'])}  {tidy(result['ids'])}  {state}  {result['score']:.2f}"
    blocks: list[Block] = [Line(title, "title"), Line(_why(result, say))]
    blocks += [Line(f"{say('sleep.now')} {tidy(id_)}: {tidy(text)}") for id_, text in _numbered(result)]
    blocks += [Line(f"{say('sleep.then')}: {tidy(text)}", "good") for text in result["after"]]
    blocks += [
        Line(f"{say('sleep.because')}: {_said(result['reason'], each, say)}", "dim") for each in result["evidence"]
    ]
    if result["advice"]:
        blocks.append(Line(f"{say('sleep.col.advice')}: {tidy(result['advice'])}"))
    if result["batch"]:
        blocks.append(Line(say("sleep.undo", batch=result["batch"])))
    return blocks


def decision_view(result: Any, say: Speech) -> list[Block]:
    """Return how many proposals were decided, what could not be, and how to take it back."""
    count = len(result["decided"])
    blocks: list[Block] = [Line(say.count("sleep.decided", count), "good" if count else "dim")]
    blocks += [
        Line(say("sleep.failed", id=tidy(name), reason=_undecided(why, say)), "warn")
        for name, why in result["failed"].items()
    ]
    if result["batch"]:
        blocks.append(Line(say("sleep.undo", batch=result["batch"])))
    return blocks


def _listed(rows: Any, say: Speech) -> list[Block]:
    if not rows:
        return []
    columns = [say(f"sleep.col.{name}") for name in ("proposal", "kind", "memories", "why", "sure", "advice")]
    cells = [
        (row["id"], say.word(row["kind"]), row["ids"], f"{_why(row, say)}: {_short(row)}", row["score"], row["advice"])
        for row in rows
    ]
    listed: list[Block] = [table(columns, cells, wide=3)]
    if any(row["state"] == "open" for row in rows):
        listed.append(Line(say("sleep.decide"), "dim"))
    return listed


def _why(row: Any, say: Speech) -> str:
    key = f"sleep.why.{row['reason']}"
    return say(key) if say.knows(key) else str(row["reason"])


def _said(reason: str, evidence: str, say: Speech) -> str:
    """Return a line of evidence; what it quotes stays as it was said."""
    found = re.fullmatch(_SAID.get(reason, "(?!)"), evidence)
    return tidy(evidence) if found is None else tidy(say(f"sleep.said.{reason}", **found.groupdict()))


def _undecided(why: str, say: Speech) -> str:
    name = _UNDECIDED.get(why)
    return tidy(why) if name is None else say(f"sleep.undecided.{name}")


def _short(row: Any) -> str:
    before, after = row["before"], row["after"]
    told = [before[0], *after[:1]] if before else list(after[:1])
    return " → ".join(text if len(text) <= 90 else text[:89] + "…" for text in told)


def _numbered(result: Any) -> list[tuple[Any, str]]:
    ids = list(result["ids"]) + [""] * len(result["before"])
    return list(zip(ids, result["before"], strict=False))
