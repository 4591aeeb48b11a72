"""What ``omoide doctor`` looks at in a vault: notes that are set aside, and where the folder lies."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from omoide.beside.places import VAULT
from omoide.errors import OmoideError
from omoide.ops import Faces, run
from omoide.serve.cli.blocks import tidy
from omoide.serve.cli.doctor import Check
from omoide.serve.cli.session import DOOR, NOWHERE, Session

FIRST = 3
"""Notes that are named."""


def checks(session: Session, _hosts: Sequence[str]) -> Iterator[Check]:
    """Yield what is found about the folder of a vault; nothing for a store that is none."""
    root = Path(session.path)
    if session.path != NOWHERE and os.path.isfile(root.joinpath(*VAULT)):  # noqa: PTH113  (what may not be looked at is no vault)
        yield _notes(session)
        yield _share(session, root)


def _notes(session: Session) -> Check:
    """A look takes in what people edited, as every other command does, so that what is set aside is of now."""
    say = session.say
    try:
        with Faces(session.path, session.namespace, embedder="none", door=DOOR) as faces:
            held = run(faces, "inspect", {})["held"]
    except OmoideError as error:
        return Check("notes", "fail", tidy(f"{error.code}: {error}"), "vault_notes", say("fix.check"))
    if not held:
        return Check("notes", "ok", say("doctor.notes_sound"), "vault_notes")
    named = "; ".join(tidy(f"{note['path']} ({note['code']})") for note in held[:FIRST])
    detail = say("doctor.notes_held", n=len(held), first=named)
    return Check("notes", "warn", detail, "vault_notes", say("fix.notes"))


def _share(session: Session, root: Path) -> Check:
    from omoide.vault.share import share_of

    say, kind = session.say, share_of(root)
    if kind is None:
        return Check("place", "ok", tidy(str(root)), "vault_place")
    detail = say("doctor.share", path=tidy(str(root)), kind=kind)
    return Check("place", "warn", detail, "vault_place", say("fix.share"))
