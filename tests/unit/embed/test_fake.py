from __future__ import annotations

import math
import subprocess
import sys

import pytest

from omoide.testing import FakeEmbedder


def test_the_same_text_has_the_same_vector_in_every_process() -> None:
    program = "from omoide.testing import FakeEmbedder; print(FakeEmbedder(8).embed(['text']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(FakeEmbedder(8).embed(["text"]))


def test_vectors_have_unit_length_and_the_asked_dimension() -> None:
    (vector,) = FakeEmbedder(dimension=48).embed(["text"])
    assert len(vector) == 48
    assert math.hypot(*vector) == pytest.approx(1.0)


def test_unrelated_texts_are_nearly_orthogonal() -> None:
    one, other = FakeEmbedder(dimension=2048).embed(["one text", "another text"])
    assert abs(sum(a * b for a, b in zip(one, other, strict=True))) < 0.1


def test_any_text_has_a_vector() -> None:
    assert len(FakeEmbedder().embed(["", "\ud800", "\x00", "猫" * 1000])) == 4


def test_it_imports_nothing_but_the_standard_library() -> None:
    program = "import sys, omoide.testing.embedder; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
