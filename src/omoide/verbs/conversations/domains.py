"""Which domains a project has: any, or those of a list that was written down for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from omoide.errors import InvalidInputError
from omoide.model.policy import Scope, WriteScope
from omoide.store.sqlite.transaction import Read
from omoide.verbs import drafts
from omoide.verbs.context import Context
from omoide.verbs.writing import writing

_KEY: Final = "domains"
_USED: Final = (
    "SELECT domain, sum(n) FROM (SELECT domain, count(*) AS n FROM segment WHERE ns = ?1 AND (?2 IS NULL OR"
    " project = ?2) GROUP BY domain UNION ALL SELECT domain, count(*) FROM session WHERE ns = ?1 AND (?2 IS NULL OR"
    " project = ?2) GROUP BY domain) WHERE domain IS NOT NULL GROUP BY domain"
)


def domains(ctx: Context, scope: Scope, project: str | None) -> dict[str, int]:
    """Return the domains in use or written down, each with how many segments and sessions it has, most first."""
    ctx.flush()
    found: dict[str, int] = {}
    with ctx.store.read(scope) as tx:
        for namespace in scope.readable:
            listed = _listed(tx, namespace)
            chosen = listed.get(project, []) if project is not None else [n for some in listed.values() for n in some]
            rows: Any = tx.connection.execute(_USED, (tx.namespaces.id(namespace), project))
            for name, count in [*rows, *((name, 0) for name in chosen)]:
                found[name] = found.get(name, 0) + count
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def choose(ctx: Context, scope: WriteScope, project: str, names: Sequence[str] | None) -> None:
    """Write down the domains of a project, None to let it have any.

    Raises:
        InvalidInputError: not a list of names.
    """
    if isinstance(names, str) or (names is not None and not isinstance(names, Sequence)):
        raise InvalidInputError(f"domains must be a list of names, not {names!r}", value=names)
    chosen = [drafts.draft_label(name, "domain") for name in names or ()]
    with writing(ctx, scope) as tx:
        listed = _listed(tx, scope.namespace)
        listed.pop(project, None)
        if names is not None:
            listed[project] = [name for name in dict.fromkeys(chosen) if name is not None]
        tx.settings.set(f"{_KEY}/{scope.namespace}", json.dumps(listed, ensure_ascii=False, sort_keys=True))
        tx.log("domains", scope.namespace, [])


def check_domain(tx: Read, namespace: str, project: str | None, domain: str | None) -> None:
    """Refuse a domain that its project does not have.

    Raises:
        InvalidInputError: names those that it has.
    """
    if domain is None or project is None:
        return
    listed = _listed(tx, namespace).get(project)
    if listed is not None and domain not in listed:
        raise InvalidInputError(
            f"project {project!r} has the domains {', '.join(listed) or '(none)'}, not {domain!r};"
            " choose_domains adds to them",
            value=domain,
        )


def _listed(tx: Read, namespace: str) -> dict[str, list[str]]:
    return dict(json.loads(tx.settings.get(f"{_KEY}/{namespace}") or "{}"))
