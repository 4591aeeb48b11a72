"""Counts of work, for tests that must not look at a clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import apsw

from omoide.handle import Handle
from omoide.store.sqlite.session import Session


@dataclass(slots=True)
class Work:
    """SQL statements run, steps of SQLite's machine that they took, and database pages written to the log."""

    statements: int = 0
    pages_written: int = 0
    steps: int = 0


@contextmanager
def count_statements(handle: Handle) -> Iterator[Work]:
    """Count what a handle's connections do inside the block; read the counts after it."""
    work = Work()
    store = handle._ctx.store  # noqa: SLF001  (testing looks inside so that tests need not)
    with ExitStack() as stack:
        for session in {id(session): session for session in (store.reader, store.writer)}.values():
            stack.enter_context(_counted(session, work))
        yield work


@contextmanager
def _counted(session: Session, work: Work) -> Iterator[None]:
    def count(told: dict[str, Any]) -> None:
        if told["code"] == apsw.SQLITE_TRACE_STMT:
            work.statements += 1
        else:
            work.steps += told["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    with session.use() as tables:
        connection = tables.connection
        connection.trace_v2(apsw.SQLITE_TRACE_STMT | apsw.SQLITE_TRACE_PROFILE, count)
        before = _written(connection)
    try:
        yield
    finally:
        with session.use():
            connection.trace_v2(0)
            work.pages_written += _written(connection) - before


def _written(connection: apsw.Connection) -> int:
    return connection.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)[0]
