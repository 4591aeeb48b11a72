"""What a reasoner thinks of what is proposed: a verdict, a reason, a wording. It decides nothing.

A wording may only say what the texts say that it stands for: every number and every name in it is in one of them.
"""

from __future__ import annotations

import re
from typing import Any, Final

from omoide.errors import ReasonerError
from omoide.sleep.asking import Asker, Line, Question
from omoide.sleep.night import Night
from omoide.store.sqlite.proposals import ProposalRow, Proposals
from omoide.text.signature import content_terms
from omoide.verbs.accepting import WORDED, after

AT_ONCE: Final = 12
"""Proposals of one question."""
_VERDICTS: Final = ("accept", "refuse", "unsure")
_LONGEST: Final = 2_000
_WHY: Final = 200
_TELLING: Final = re.compile(r"\d[\w.,:/-]*|(?<![.!?]\s)(?<!^)\b[A-Z][\w-]{2,}|https?://\S+")
_INSTRUCTIONS: Final = (
    "You look over changes that are proposed to a store of memories. For each, say whether it is right: does the"
    " later statement really replace the earlier one, do the texts really say the same, does the line stand for the"
    " text. Answer one line for each proposal that you are sure about:"
    ' {"handle": "P1", "verdict": "accept" or "refuse" or "unsure", "why": "one short sentence"}. For kinds merge,'
    ' generalise and retitle you may add "text": a better wording that says nothing the texts do not say.'
)


def advise(night: Night) -> None:
    """Ask about open proposals that nobody was asked about; keep what is answered beside them."""
    asker: Asker | None = night.asker
    if asker is None:
        return
    with night.ctx.store.read(None) as tx:
        rows = [row for row in Proposals(tx.connection).select(night.ns, state="open") if row.advice is None]
    try:
        for first in range(0, len(rows), AT_ONCE):
            night.check_time()
            _ask(night, asker, rows[first : first + AT_ONCE])
    except ReasonerError as error:
        night.withhold("advice", detail=str(error))


def _ask(night: Night, asker: Asker, rows: list[ProposalRow]) -> None:
    handles = {f"P{number}": row for number, row in enumerate(rows, 1)}
    question = Question(
        _INSTRUCTIONS, [_shown(handle, row) for handle, row in handles.items()],
        memories=sorted({target for row in rows for target in row.targets}),
    )  # fmt: skip
    lines, refused = asker.ask(question, lambda line: problem_of(line, handles))
    with night.writing() as tx:
        for line in lines:
            row = handles[line["handle"]]
            advice = {"verdict": line["verdict"], "why": str(line.get("why", ""))[:_WHY], "by": asker.reasoner.name}
            if isinstance(line.get("text"), str) and line["text"].strip():
                advice["text"] = line["text"].strip()
            Proposals(tx.connection).advise(night.ns, row.id, advice)
        night.changed(0)
    if refused:
        night.withhold("lines of advice could not be used", len(refused))


def _shown(handle: str, row: ProposalRow) -> Line:
    draft = row.draft
    return {
        "handle": handle, "kind": row.kind, "reason": draft["reason"], "before": draft["texts"],
        "after": list(after(row.kind, draft["texts"], draft["change"])),
    }  # fmt: skip


def problem_of(line: Line, handles: dict[str, ProposalRow]) -> str | None:
    """Return what is wrong with a line of advice, None for nothing."""
    row = handles.get(str(line.get("handle")))
    if row is None:
        return "there is no such handle"
    if line.get("verdict") not in _VERDICTS:
        return f"verdict must be one of {', '.join(_VERDICTS)}"
    text = line.get("text")
    if text is None or text == "":
        return None
    if row.kind not in WORDED or not isinstance(text, str) or len(text) > _LONGEST:
        return "this proposal takes no text, or none so long"
    added = adds(text, row.draft["texts"])
    return f"the text says what the memories do not say: {added}" if added else None


def adds(wording: str, texts: Any) -> str | None:
    """Return a number, name or address of a wording that none of the texts has, or most of its words; else None."""
    whole = " ".join(texts)
    folded = whole.casefold()
    for found in _TELLING.findall(wording):
        if found.casefold().rstrip(".,:") not in folded:
            return str(found)
    own, theirs = content_terms(wording), content_terms(whole)
    new = own - theirs
    return " ".join(sorted(new)[:5]) if len(new) > max(2, len(own) // 3) else None
