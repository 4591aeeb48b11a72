"""Global ids."""

from __future__ import annotations

import uuid

from omoide.model.uids import uuid7, uuid7s

AT = 1_780_000_000_123_456


def test_many_are_what_one_is() -> None:
    """Each is a UUID of version 7 and of the RFC's variant that begins with the milliseconds."""
    for text in (uuid7(AT), *uuid7s(AT, 40)):
        made = uuid.UUID(text)
        assert str(made) == text
        assert (made.version, made.variant, made.int >> 80) == (7, uuid.RFC_4122, AT // 1000)


def test_many_come_ascending_and_none_twice() -> None:
    """Rows written in their order are neighbours in an index."""
    made = uuid7s(AT, 300)
    assert made == sorted(set(made))
    assert uuid7s(AT, 0) == []
