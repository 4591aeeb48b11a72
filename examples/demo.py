"""Five months of an agent team's memory in one file: remember, recall, correct, ask about the past.

Run it with ``make demo``. It needs no network and no key, and removes its file at the end
(``--keep PATH`` keeps it there).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

import omoide
from omoide import Hit, Hits, Memory, Policy
from omoide.errors import AccessDeniedError
from omoide.testing import FakeClock

HISTORY = Path(__file__).with_name("demo") / "history.jsonl"
NAMESPACES = ("assistant", "ops", "hr-private")
TODAY = "2026-06-01T09:00:00Z"
REFUND = "How many days do customers have to return a book?"
OUTAGE = "三月二十日の決済障害の原因は？"
COLOURS = sys.stdout.isatty() and "NO_COLOR" not in os.environ

connections: list[object] = []


def count_connections(event: str, args: tuple[Any, ...]) -> None:
    """Note every attempt of this process to reach another machine."""
    if event == "socket.connect" and isinstance(args[1], tuple):
        connections.append(args[1])


# Printing


def paint(text: str, code: str) -> str:
    return f"\033[{code}m{text}\033[0m" if COLOURS else text


def title(text: str) -> None:
    print(f"\n{paint(text, '1;36')}")


def call(code: str) -> None:
    print(paint(f"  >>> {code}", "33"))


def note(text: str) -> None:
    print(f"  {text}")


def show(hits: Hits, *, limit: int = 2) -> None:
    for hit in hits[:limit]:
        print(f"      {hit.score:.2f}  {hit.text}")
        print(paint(f"            {origin(hit)}", "2"))
    if not hits:
        print("      (nothing)")
    if hits.degraded:
        print(paint(f"      ! answered without meaning search: {', '.join(hits.reasons)}", "31"))


def origin(hit: Hit) -> str:
    since = f"valid from {hit.valid_from:%d %b %Y}" if hit.valid_from else ""
    return ", ".join(filter(None, [f"#{hit.id}", hit.namespace, since, hit.source]))


def megabytes(path: Path) -> float:
    return sum(part.stat().st_size for part in path.parent.glob(f"{path.name}*")) / 1e6


# The story


class Team:
    """Three agents on one file, each in its own namespace; a clock that replays the months."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FakeClock(start="2026-01-05T00:00:00Z")
        policy = Policy().allow("assistant", read="ops")
        self.handles = {name: Memory(path, namespace=name, policy=policy, clock=self.clock) for name in NAMESPACES}
        self.ids: dict[str, int] = {}

    @property
    def assistant(self) -> Memory:
        return self.handles["assistant"]

    @property
    def ops(self) -> Memory:
        return self.handles["ops"]

    def say(self, line: dict[str, Any]) -> None:
        """Store one line of the history as its speaker would have."""
        fields = {key: value for key, value in line.items() if key not in ("at", "namespace", "lang")}
        handle, key, revises = (
            self.handles[line["namespace"]],
            fields.pop("key", None),
            fields.pop("revise", None),
        )
        if revises is not None:
            handle.revise(self.ids[revises], observed_at=line["at"], **fields)
            return
        memory_id = handle.remember(fields.pop("text"), observed_at=line["at"], **fields)
        if key is not None:
            self.ids[key] = memory_id

    def close(self) -> None:
        for handle in self.handles.values():
            handle.close()


def replay(team: Team, lines: list[dict[str, Any]]) -> float:
    """Store the history, each day in one transaction of each agent; return the seconds that it took."""
    started = time.perf_counter()
    with ExitStack() as stack:
        held = [stack.enter_context(handle.bulk()) for handle in team.handles.values()]
        for day, spoken in groupby(lines, key=lambda line: line["at"][:10]):
            team.clock.set(f"{day}T23:00:00Z")
            for line in spoken:
                team.say(line)
            for writes in held:
                writes.flush()
    wait_for_vectors(team)
    team.clock.set(TODAY)
    return time.perf_counter() - started


def vectors(team: Team) -> str:
    return "vectors included" if team.assistant.embedder_name else "without vectors: there is no model"


def wait_for_vectors(team: Team) -> None:
    """What was stored before the model had loaded is filled in from the first question on."""
    for name, handle in team.handles.items():
        while handle.embedder_name and handle.stats()[name]["pending_vectors"]:
            handle.recall(REFUND, k=1)
            time.sleep(0.05)


def remember(team: Team, lines: list[dict[str, Any]]) -> float:
    title("1. Remember: one file, three agents, three languages")
    call("mem = Memory('agents.db', namespace='assistant')")
    call("mem.remember('Aiko Tanabe lives in Osaka, near Tennoji park.', subject='aiko.tanabe', ...)")
    seconds = replay(team, lines)
    languages = Counter(line["lang"] for line in lines)
    spaces = Counter(line["namespace"] for line in lines)
    corrections = sum("revise" in line for line in lines)
    note(f"{len(lines)} lines, January to May 2026, {corrections} of them corrections of earlier ones")
    note(", ".join(f"{name} {count}" for name, count in (languages + spaces).items()))
    note(f"stored in {seconds:.1f} s, {vectors(team)} ({1000 * seconds / len(lines):.1f} ms a line)")
    return seconds


def recall(team: Team) -> list[dict[str, float]]:
    title("2. Recall: ask in one language, find what was said in another")
    questions = [
        "Where does Aiko live now?",
        "Où habite Aiko Tanabe ?",
        "Where does Julien Marchetti live?",
        "Est-ce que la recherche par ISBN accepte les tirets ?",
        "沖縄への送料はいくらですか",
        "Wer wohnt in Nagoya?",
    ]
    spent = []
    for question in questions:
        call(f"mem.recall({question!r}, k=2)")
        hits = team.assistant.recall(question, k=2)
        spent.append(hits.timings)
        show(hits)
    return spent


def correct(team: Team) -> None:
    title("3. Correct: the belief changes, the past stays")
    call(f"mem.recall({REFUND!r}, k=1)")
    show(team.assistant.recall(REFUND, k=1))
    text = "Customers may return a book for a refund within 60 days of delivery."
    call(f"mem.revise({int(team.ids['refund-days'])}, '... within 60 days ...', valid_from='2026-06-01')")
    team.assistant.revise(team.ids["refund-days"], text, valid_from="2026-06-01", source="session-2026-06-01")
    call(f"mem.recall({REFUND!r}, k=1)")
    show(team.assistant.recall(REFUND, k=1))


def ask_about_the_past(team: Team) -> None:
    title("4. The past: two axes, what held then and what we believed then")
    for day in ("2026-02-01", "2026-05-01"):
        call(f"mem.recall({REFUND!r}, k=1, as_of={day!r})")
        show(team.assistant.recall(REFUND, k=1, as_of=day))
    note("The cause of the outage of 20 March, as believed on 21 March, and as known today:")
    call(f"ops.recall({OUTAGE!r}, k=1, valid_at='2026-03-20T16:00Z', known_at='2026-03-21')")
    show(team.ops.recall(OUTAGE, k=1, valid_at="2026-03-20T16:00:00Z", known_at="2026-03-21"), limit=1)
    call(f"ops.recall({OUTAGE!r}, k=1, valid_at='2026-03-20T16:00Z')")
    show(team.ops.recall(OUTAGE, k=1, valid_at="2026-03-20T16:00:00Z"), limit=1)


def why(team: Team) -> None:
    title("5. Why: where a belief comes from")
    call(f"mem.why({int(team.ids['refund-days'])})")
    for version in team.assistant.why(team.ids["refund-days"]).versions:
        until = f"until {version.valid_to:%d %b %Y}" if version.valid_to else "on"
        believed = f"until {version.known_to:%d %b %Y}" if version.known_to else "on"
        print(f"      {version.text}")
        span = f"holds from {version.valid_from:%d %b %Y} {until}"
        known = f"believed from {version.known_from:%d %b %Y} {believed}"
        print(paint(f"            {span}; {known}; {version.source}, {version.trust}", "2"))


def forget(team: Team) -> None:
    title("6. Forget, and bring back")
    question = "Who is Petra Lindqvist?"
    call("mem.forget(subject='petra.lindqvist')")
    forgotten = team.assistant.forget(subject="petra.lindqvist")
    note(f"{len(forgotten)} memories forgotten; {question}")
    show(team.assistant.recall(question, k=1, subject="petra.lindqvist"))
    call("mem.restore(id)  # each of them")
    for memory_id in forgotten:
        team.assistant.restore(memory_id)
    show(team.assistant.recall(question, k=1, subject="petra.lindqvist"))


def deny(team: Team) -> None:
    title("7. Namespaces: closed unless a policy opens them")
    call("policy = Policy().allow('assistant', read='ops')")
    call("mem.recall('Which PostgreSQL does production run?', k=1, namespaces='ops')")
    show(team.assistant.recall("Which PostgreSQL does production run?", k=1, namespaces="ops"))
    call("mem.recall('salary budget', namespaces='hr-private')")
    try:
        team.assistant.recall("salary budget", namespaces="hr-private")
    except AccessDeniedError as error:
        print(paint(f"      AccessDeniedError: {error}", "31"))
    else:
        raise SystemExit("the policy did not hold")


def distrust(team: Team) -> None:
    title("8. What strangers wrote is kept, and not recalled unless asked for")
    question = "Can I get a refund after 365 days?"
    call(f"mem.recall({question!r}, k=1)")
    show(team.assistant.recall(question, k=1))
    call(f"mem.recall({question!r}, k=1, trust=['untrusted'])")
    show(team.assistant.recall(question, k=1, trust=["untrusted"]))


def without_a_model(team: Team) -> None:
    title("9. Without a model: keywords only")
    question = "How is the certificate of the partner API renewed?"
    call("Memory('agents.db', namespace='ops', embedder='none')")
    with Memory(team.path, namespace="ops", embedder="none", clock=team.clock) as keywords:
        hits = keywords.recall(question, k=1)
        call(f"mem.recall({question!r}, k=1)")
        show(hits)
        note("Where the model was expected and is missing, every answer is marked degraded and says why.")


def second_process(team: Team) -> None:
    title("10. Another process opens the same file")
    command = [sys.executable, __file__, "--reopen", str(team.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    theirs, ours = json.loads(done.stdout), answers(team.assistant)
    call("python demo.py --reopen agents.db")
    note(f"it counts {theirs['count']} memories and finds: {theirs['found'][0]}")
    if theirs != ours:
        raise SystemExit(f"the second process found something else: {theirs} instead of {ours}")
    note("the same as here, answer by answer")


def answers(memory: Memory) -> dict[str, Any]:
    """Return what two processes compare: the count and the answers to two questions."""
    found = [hit.text for question in (REFUND, "田辺さんの家") for hit in memory.recall(question, k=3)]
    return {"count": memory.stats()["assistant"]["count"], "found": found}


def reopen(path: Path) -> None:
    """Print as JSON what a fresh process finds in the file."""
    with Memory(path, namespace="assistant", clock=FakeClock(start=TODAY)) as memory:
        print(json.dumps(answers(memory)))


def tell(path: Path) -> None:
    """Run the whole story on a new file."""
    started = time.perf_counter()
    print(paint(f"omoide {omoide.__version__}: five months of an agent team's memory, replayed", "1"))
    lines = [json.loads(line) for line in HISTORY.read_text(encoding="utf-8").splitlines()]
    team = Team(path)
    try:
        stored = remember(team, lines)
        spent = recall(team)
        for scene in (
            correct,
            ask_about_the_past,
            why,
            forget,
            deny,
            distrust,
            without_a_model,
            second_process,
        ):
            scene(team)
    finally:
        team.close()
    title("Figures of this run")
    note(f"remember   {1000 * stored / len(lines):.1f} ms a line, {vectors(team)}")
    total, embedding = (median(one.get(part, 0.0) for one in spent) for part in ("total_ms", "embed_ms"))
    note(f"recall     {total:.1f} ms, of which {embedding:.1f} ms for the question's vector (medians)")
    note(f"file       {megabytes(path):.1f} MB for {len(lines)} lines in all their versions, {vectors(team)}")
    note(f"network    {len(connections)} connections")
    note(f"all of it  {time.perf_counter() - started:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, metavar="PATH", help="keep the store at this path")
    parser.add_argument("--reopen", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.addaudithook(count_connections)
    if options.reopen:
        reopen(options.reopen)
    elif options.keep:
        tell(options.keep)
        note(f"kept       {options.keep}")
    else:
        with tempfile.TemporaryDirectory(prefix="omoide-demo-") as folder:
            tell(Path(folder) / "agents.db")


if __name__ == "__main__":
    main()
