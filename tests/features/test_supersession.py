from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide import Memory
from omoide.testing import FakeEmbedder

SHORT = {
    "en": "my phone number is 555 1234",
    "fr": "mon numéro de téléphone est le 12 34",
    "ja": "電話番号は1234です",
}
LONG = {
    "en": "my phone number is 555 9999, with the same provider",
    "fr": "mon numéro de téléphone est le 99 99, chez le même opérateur",
    "ja": "電話番号は9999です、会社は同じです",
}
NOW = {
    "en": "What is my current phone number?",
    "fr": "Quel est actuellement mon numéro de téléphone ?",
    "ja": "現在の電話番号は何ですか",
}
EARLIER = {
    "en": "What was my previous phone number?",
    "fr": "Quel était avant mon numéro de téléphone ?",
    "ja": "以前の電話番号は何でしたか",
}


def told(mem: Memory, old: str, new: str) -> Memory:
    """Two dated statements, the newer written first."""
    mem.remember(new, observed_at="2026-05-01")
    mem.remember(old, observed_at="2026-01-01")
    return mem


@pytest.fixture
def mem(opened: Callable[..., Memory]) -> Memory:
    """A store with keywords only."""
    return opened(embedder="none")


@pytest.mark.parametrize("language", SHORT)
def test_a_question_about_the_present_finds_the_newer_first(mem: Memory, language: str) -> None:
    """The newer of two dated statements comes first, though the question's words fit the older better."""
    told(mem, SHORT[language], LONG[language])
    assert [hit.text for hit in mem.recall(NOW[language])] == [LONG[language], SHORT[language]]


@pytest.mark.parametrize("language", SHORT)
def test_a_question_about_before_finds_the_older_first(mem: Memory, language: str) -> None:
    """The older comes first when the question asks for an earlier value, though its words fit the newer better."""
    told(mem, LONG[language], SHORT[language])
    assert [hit.text for hit in mem.recall(EARLIER[language])] == [LONG[language], SHORT[language]]


@pytest.mark.parametrize("language", SHORT)
def test_the_match_alone_prefers_the_shorter(mem: Memory, language: str) -> None:
    """The control: without the order in time the older, shorter statement would be first."""
    told(mem, SHORT[language], LONG[language])
    explained = [hit.explain() for hit in mem.recall(NOW[language])]
    assert explained[0]["fused"] < explained[1]["fused"]


def test_at_the_earlier_time_only_the_older_answers(mem: Memory) -> None:
    """At a time before the newer statement held, the present of that time is the older one."""
    told(mem, SHORT["en"], LONG["en"])
    assert [hit.text for hit in mem.recall(NOW["en"], valid_at="2026-03-01")] == [SHORT["en"]]


def test_the_order_is_explained(mem: Memory) -> None:
    """The hit that took another's place says so."""
    first, second = told(mem, SHORT["en"], LONG["en"]).recall(NOW["en"])
    assert first.explain()["update"] > 0
    assert second.explain()["update"] == 0


def test_another_matter_is_not_overtaken(mem: Memory) -> None:
    """A newer statement that fits the question far worse stays below."""
    mem.remember("Aiko lives in Osaka near the castle", observed_at="2026-01-01")
    mem.remember("Aiko likes tea", observed_at="2026-05-01")
    assert mem.recall("Where in Osaka does Aiko live now?")[0].text == "Aiko lives in Osaka near the castle"


def test_what_nobody_dated_keeps_its_order(opened: Callable[..., Memory]) -> None:
    """The order in which undated texts arrive does not lift one above a better match."""
    mem = opened(embedder=FakeEmbedder(16))
    mem.remember("the castle of Osaka was built in 1583")
    mem.remember("the castle of Himeji was built in 1333")
    assert mem.recall("When is the castle of Osaka dated to?")[0].text == "the castle of Osaka was built in 1583"


def test_a_declared_correction_is_not_overtaken(mem: Memory) -> None:
    """What was said before somebody corrected a belief stays below the correction, however late it holds from."""
    cause = mem.remember("決済障害の原因はDNS設定だった", valid_from="2026-03-20T15:30:00Z")
    mem.remember("決済障害の原因は担当の者がまだ調査している", valid_from="2026-03-20T15:00:00Z")
    mem.revise(cause, "決済障害の原因は期限切れだった", valid_from="2026-03-20")
    assert mem.recall("決済障害の原因は何ですか")[0].id == cause


@pytest.mark.parametrize(
    "better, newer, question",
    [
        (
            "日本の倉庫には三万冊の在庫がある",
            "日本の返品率は一パーセント未満である",
            "日本の倉庫の在庫と返品率は何ですか",
        ),
        ("仓库有三万本存书", "仓库的退货率低于百分之一", "目前仓库有多少退货"),
    ],
)
def test_statements_without_spaces_need_words_in_common(mem: Memory, better: str, newer: str, question: str) -> None:
    """One common word makes no update of a sentence about another matter, though it answers nearly as well."""
    mem.remember(better, observed_at="2026-01-01")
    mem.remember(newer, observed_at="2026-05-01")
    assert mem.recall(question)[0].text == better
