from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from omoide.model.time import ALWAYS, FOREVER, to_datetime, to_micros
from omoide.text.when import LONGEST, time_ranges

NOW = to_micros("2026-06-17T15:30:00Z")  # a Wednesday


def told(text: str, now: int = NOW) -> list[tuple[str, str, str]]:
    """Return phrase, start and end of every expression, days as dates, open ends as dots."""
    return [(found.phrase, shown(found.start), shown(found.end)) for found in time_ranges(text, now)]


def shown(micros: int) -> str:
    if micros in {ALWAYS, FOREVER}:
        return "..."
    moment = to_datetime(micros)
    return moment.strftime("%Y-%m-%d" if moment.time() == datetime.min.time() else "%Y-%m-%dT%H:%M")


ENGLISH = {
    "what did I do yesterday?": ("2026-06-16", "2026-06-17"),
    "the day before yesterday": ("2026-06-15", "2026-06-16"),
    "what is on today": ("2026-06-17", "2026-06-18"),
    "plans for tomorrow": ("2026-06-18", "2026-06-19"),
    "What did I do last week?": ("2026-06-08", "2026-06-15"),
    "the week before last": ("2026-06-01", "2026-06-08"),
    "this month's costs": ("2026-06-01", "2026-07-01"),
    "what did we decide in March": ("2026-03-01", "2026-04-01"),
    "what did we decide in December": ("2025-12-01", "2026-01-01"),
    "what will happen in December": ("2026-12-01", "2027-01-01"),
    "March 2023 figures": ("2023-03-01", "2023-04-01"),
    "in May last year": ("2025-05-01", "2025-06-01"),
    "two months ago": ("2026-04-01", "2026-05-01"),
    "3 days ago": ("2026-06-14", "2026-06-15"),
    "Which book did I finish a week ago?": ("2026-06-07", "2026-06-14"),
    "a few days ago": ("2026-06-11", "2026-06-17"),
    "in the past two weeks": ("2026-06-03", "2026-06-18"),
    "everything since Tuesday": ("2026-06-16", "2026-06-18"),
    "since early March": ("2026-03-01", "2026-06-18"),
    "before 2024": ("...", "2024-01-01"),
    "after May 3, 2023": ("2023-05-04", "..."),
    "until June 2023": ("...", "2023-07-01"),
    "between May and June": ("2026-05-01", "2026-07-01"),
    "between November and February": ("2025-11-01", "2026-03-01"),
    "from 3 May 2023 to 7 June 2023": ("2023-05-03", "2023-06-08"),
    "dinner on May 3, 2023?": ("2023-05-03", "2023-05-04"),
    "the 3rd of June, 2023": ("2023-06-03", "2023-06-04"),
    "logged at 2023-05-07": ("2023-05-07", "2023-05-08"),
    "Q1 2024": ("2024-01-01", "2024-04-01"),
    "the first quarter of 2023": ("2023-01-01", "2023-04-01"),
    "last quarter": ("2026-01-01", "2026-04-01"),
    "last weekend": ("2026-06-13", "2026-06-15"),
    "last summer": ("2025-06-01", "2025-09-01"),
    "last year's winter": ("2025-12-01", "2026-03-01"),
    "last Saturday": ("2026-06-13", "2026-06-14"),
    "next Friday": ("2026-06-19", "2026-06-20"),
    "the Wednesday two months ago": ("2026-04-15", "2026-04-16"),
    "last night": ("2026-06-16T18:00", "2026-06-17T06:00"),
    "on Monday morning": ("2026-06-15T04:00", "2026-06-15T12:00"),
    "at the end of May 2023": ("2023-05-21", "2023-06-01"),
    "in the 90s": ("1990-01-01", "2000-01-01"),
    "the week before 6 July 2023": ("2023-06-29", "2023-07-06"),
    "last weekend before April 10, 2023": ("2023-04-08", "2023-04-10"),
    "the week of 7 June 2023": ("2023-06-05", "2023-06-12"),
    "the day after 5 May 2023": ("2023-05-06", "2023-05-07"),
    "by the end of next month": ("...", "2026-08-01"),
    "mid-2022": ("2022-05-02", "2022-09-01"),
    "this past weekend": ("2026-06-13", "2026-06-15"),
    "half a year ago": ("2025-12-01", "2026-01-01"),
    "in the last 24 hours": ("2026-06-16T15:30", "2026-06-17T15:30"),
}

FRENCH = {
    "Qu'ai-je fait la semaine dernière ?": ("2026-06-08", "2026-06-15"),
    "avant-hier": ("2026-06-15", "2026-06-16"),
    "il y a trois jours": ("2026-06-14", "2026-06-15"),
    "en mars dernier": ("2026-03-01", "2026-04-01"),
    "en décembre": ("2025-12-01", "2026-01-01"),
    "depuis lundi": ("2026-06-15", "2026-06-18"),
    "avant 2024": ("...", "2024-01-01"),
    "entre mai et juin": ("2026-05-01", "2026-07-01"),
    "l'été dernier": ("2025-06-01", "2025-09-01"),
    "l’année dernière": ("2025-01-01", "2026-01-01"),
    "au premier trimestre 2024": ("2024-01-01", "2024-04-01"),
    "le 5 mai 2023": ("2023-05-05", "2023-05-06"),
    "hier soir": ("2026-06-16T17:00", "2026-06-17"),
    "qu'est-ce qu'on a mangé mardi ?": ("2026-06-16", "2026-06-17"),
    "fin mars": ("2026-03-21", "2026-04-01"),
    "les trois derniers mois": ("2026-03-17", "2026-06-18"),
    "le week-end dernier": ("2026-06-13", "2026-06-15"),
    "le mois prochain": ("2026-07-01", "2026-08-01"),
    "hier": ("2026-06-16", "2026-06-17"),
    "début 2024": ("2024-01-01", "2024-05-02"),
    "la veille du 5 mai 2023": ("2023-05-04", "2023-05-05"),
    "la semaine du 7 juin 2023": ("2023-06-05", "2023-06-12"),
    "mi-mars": ("2026-03-11", "2026-03-21"),
}

JAPANESE = {
    "先週は何をした？": ("2026-06-08", "2026-06-15"),
    "一昨日": ("2026-06-15", "2026-06-16"),
    "おととい会った人": ("2026-06-15", "2026-06-16"),
    "3日前": ("2026-06-14", "2026-06-15"),
    "１０日前の会議": ("2026-06-07", "2026-06-08"),
    "二ヶ月前": ("2026-04-01", "2026-05-01"),
    "去年の夏": ("2025-06-01", "2025-09-01"),
    "来月": ("2026-07-01", "2026-08-01"),
    "先々週の会議": ("2026-06-01", "2026-06-08"),
    "先週の火曜日": ("2026-06-09", "2026-06-10"),
    "今年の3月": ("2026-03-01", "2026-04-01"),
    "5月3日に何をしましたか": ("2026-05-03", "2026-05-04"),
    "2024年5月": ("2024-05-01", "2024-06-01"),
    "2024年以前": ("...", "2024-01-01"),
    "令和5年": ("2023-01-01", "2024-01-01"),
    "この1週間": ("2026-06-10", "2026-06-18"),
    "昨日の夜": ("2026-06-16T18:00", "2026-06-17T06:00"),
    "5月から6月まで": ("2026-05-01", "2026-07-01"),
    "今日は何をした？": ("2026-06-17", "2026-06-18"),
    "今週": ("2026-06-15", "2026-06-22"),
    "先月末": ("2026-05-21", "2026-06-01"),
    "昨年12月": ("2025-12-01", "2026-01-01"),
    "先週末": ("2026-06-13", "2026-06-15"),
}

OTHERS = {
    "上周我做了什么": ("2026-06-08", "2026-06-15"),
    "这个月": ("2026-06-01", "2026-07-01"),
    "上个月": ("2026-05-01", "2026-06-01"),
    "最近三天": ("2026-06-14", "2026-06-18"),
    "前天": ("2026-06-15", "2026-06-16"),
    "三个月前": ("2026-03-01", "2026-04-01"),
    "去年夏天": ("2025-06-01", "2025-09-01"),
    "上周二": ("2026-06-09", "2026-06-10"),
    "2023年5月3号": ("2023-05-03", "2023-05-04"),
    "letzte Woche": ("2026-06-08", "2026-06-15"),
    "was habe ich vorgestern gemacht": ("2026-06-15", "2026-06-16"),
    "vor drei Tagen": ("2026-06-14", "2026-06-15"),
    "im März 2023": ("2023-03-01", "2023-04-01"),
    "seit Montag": ("2026-06-15", "2026-06-18"),
    "la semana pasada": ("2026-06-08", "2026-06-15"),
    "anteayer": ("2026-06-15", "2026-06-16"),
    "hace tres días": ("2026-06-14", "2026-06-15"),
    "en marzo de 2023": ("2023-03-01", "2023-04-01"),
    "el 5 de mayo de 2023": ("2023-05-05", "2023-05-06"),
}


@pytest.mark.parametrize("text,span", [*ENGLISH.items(), *FRENCH.items(), *JAPANESE.items(), *OTHERS.items()])
def test_time_words_are_a_stretch_of_time(text: str, span: tuple[str, str]) -> None:
    assert [(start, end) for _, start, end in told(text)] == [span]


@pytest.mark.parametrize(
    "text",
    [
        "you may ask for more", "may I come in", "the second attempt", "march on", "they march in the parade",
        "version 2.3.4 changelog", "python 3.11", "v2023.05 release", "release 2024.1", "the last version",
        "last item of the list", "2024 items in stock", "port 8090", "spring boot configuration", "fall in love",
        "a summer dress", "the sun is bright", "I sat down", "error 1999 in line 2023", "what is in today.md",
        "1/2/3", "ISO 2022-13-45",
        "Was ist hier los", "guten Morgen", "der Mai-Baum", "mardi gras", "un second avis", "il a été malade",
        "この前置詞", "今日は", "今日は、元気ですか", "毎週火曜", "一日三回",
        "百日咳", "前に言った名前", "三月うさぎ", "天天向上",
        "", "?", "🙂",
    ],
)  # fmt: skip
def test_what_is_no_time_is_not_taken_for_one(text: str) -> None:
    assert told(text) == []


def test_the_words_are_told_as_they_were_written() -> None:
    assert [phrase for phrase, *_ in told("Qu'ai-je fait L'Été dernier, déjà ?")] == ["L'Été dernier"]


def test_several_times_come_in_the_order_of_the_text() -> None:
    assert [phrase for phrase, *_ in told("compare last week with yesterday")] == ["last week", "yesterday"]


def test_a_day_is_the_day_of_the_zone() -> None:
    """Half past three in the afternoon in London is the next day in Auckland."""
    found = time_ranges("today", NOW, zone=timezone(timedelta(hours=12)))[0]
    assert to_datetime(found.start) == datetime(2026, 6, 17, 12, tzinfo=UTC)


def test_a_day_on_which_clocks_change_has_its_own_length() -> None:
    found = time_ranges("on 29 March 2026", NOW, zone=ZoneInfo("Europe/Paris"))[0]
    assert to_datetime(found.end) - to_datetime(found.start) == timedelta(hours=23)


@pytest.mark.parametrize("now", ["0001-01-01", "9999-12-31T23:59:59Z", "2024-02-29"])
@pytest.mark.parametrize(
    "text", ["last week", "next year", "12 months ago", "since Tuesday", "il y a 900 ans", "去年の夏"]
)
def test_the_ends_of_the_calendar_are_no_error(text: str, now: str) -> None:
    assert all(start < end for start, end, _ in time_ranges(text, to_micros(now)))


def test_the_last_day_of_the_calendar_is_over_somewhere() -> None:
    assert time_ranges("today", to_micros("9999-12-31T23:59:59Z"), zone=timezone(timedelta(hours=12))) == ()


def test_a_long_text_is_no_question() -> None:
    assert told("yesterday " * (LONGEST // 10 + 1)) == []


@pytest.mark.parametrize(
    "text", ["yesterday\x00", "\ud800 yesterday", "“yesterday”", "ＹＥＳＴＥＲＤＡＹ", "(yesterday)"]
)
def test_odd_characters_around_do_not_hide_a_time(text: str) -> None:
    assert [start for _, start, _ in told(text)] == ["2026-06-16"]
