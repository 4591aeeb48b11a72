"""The helpers that other programs use in their tests."""

from __future__ import annotations

import subprocess
import sys
import threading
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from omoide import testing
from omoide.errors import InvalidInputError
from omoide.ports import Clock
from omoide.testing import FakeClock


class TestFakeClock:
    def test_stands_at_its_start(self) -> None:
        clock: Clock = FakeClock()
        assert clock.now() == clock.now() == datetime(2026, 1, 1, tzinfo=UTC)

    @pytest.mark.parametrize(
        "moment, expected",
        [
            ("2026-05-01T09:30:00+09:00", datetime(2026, 5, 1, 0, 30, tzinfo=UTC)),
            ("2026-05-01", datetime(2026, 5, 1, tzinfo=UTC)),
            ("1969-07-20T20:17:40.123456Z", datetime(1969, 7, 20, 20, 17, 40, 123456, tzinfo=UTC)),
            (
                datetime(2026, 5, 1, tzinfo=timezone(timedelta(hours=2))),
                datetime(2026, 4, 30, 22, tzinfo=UTC),
            ),
            (date(1066, 10, 14), datetime(1066, 10, 14, tzinfo=UTC)),
        ],
    )
    def test_can_be_set_to_any_time(self, moment: Any, expected: datetime) -> None:
        clock = FakeClock()
        clock.set(moment)
        assert clock.now() == expected
        assert clock.now().tzinfo is UTC
        assert FakeClock(moment).now() == expected

    def test_can_be_set_back(self) -> None:
        clock = FakeClock("2026-06-01")
        clock.set("2020-01-01")
        assert clock.now().year == 2020

    @pytest.mark.parametrize(
        "seconds, micros",
        [(1, 1_000_000), (0.000001, 1), (-2.5, -2_500_000), (timedelta(hours=1), 3_600_000_000)],
    )
    def test_advances_to_the_microsecond(self, seconds: Any, micros: int) -> None:
        clock = FakeClock()
        before = clock.now()
        clock.advance(seconds)
        assert clock.now() - before == timedelta(microseconds=micros)

    @pytest.mark.parametrize("seconds", ["1", None, float("nan"), float("inf"), 1e12])
    def test_refuses_a_step_that_leads_nowhere(self, seconds: Any) -> None:
        clock = FakeClock()
        with pytest.raises(InvalidInputError, match="cannot advance"):
            clock.advance(seconds)
        assert clock.now() == FakeClock().now()

    def test_refuses_a_day_that_does_not_exist(self) -> None:
        with pytest.raises(InvalidInputError):
            FakeClock().set("2026-02-30")

    def test_loses_no_step_between_threads(self) -> None:
        clock = FakeClock()

        def advance() -> None:
            for _ in range(200):
                clock.advance(1)

        threads = [threading.Thread(target=advance) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert clock.now() - FakeClock().now() == timedelta(seconds=1600)


class TestDoor:
    def test_names_what_it_offers(self) -> None:
        assert {"FakeClock", "FakeEmbedder"} <= set(dir(testing))
        with pytest.raises(AttributeError, match="Fakes"):
            testing.Fakes

    def test_the_embedder_is_deterministic(self) -> None:
        embedder = testing.FakeEmbedder(dimension=8, model_name="m")
        again = testing.FakeEmbedder(dimension=8, model_name="m")
        (first,), (second,) = embedder.embed(["a"]), again.embed(["a"])
        assert list(first) == list(second)
        assert len(first) == 8
        assert embedder.model_name == "m"

    def test_the_clock_loads_no_heavy_module(self) -> None:
        code = (
            "import sys; from omoide.testing import FakeClock; FakeClock().now();"
            "sys.exit(bool({'numpy', 'apsw', 'onnxruntime'} & set(sys.modules)))"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
