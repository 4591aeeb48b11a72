"""English words for time."""

from __future__ import annotations

from typing import Final

from omoide.text.when_words import Names, Words, named, values

NAMES: Final[Names] = {
    "n": values(
        "a|an|one=1 two|a_couple_of|couple_of|a_couple|couple=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9"
        " ten=10 eleven=11 twelve=12 fourteen=14 fifteen=15 twenty=20 thirty=30 a_few|few|several|some=-1"
    ),
    "unit": named(
        "day|days=day week|weeks=week weekend|weekends=weekend month|months=month quarter|quarters=quarter"
        " year|years=year decade|decades=decade hour|hours=hour minute|minutes=minute"
    ),
    "span": named("week=week month=month quarter=quarter year=year"),
    "turn": values("last|previous=-1 this|current=0 next|coming|upcoming=1"),
    "yearturn": values("last_year=-1 this_year=0 next_year=1"),
    "weekday": values(
        "monday|mon=0 tuesday|tue|tues=1 wednesday|wed=2 thursday|thu|thur|thurs=3 friday|fri=4 saturday|sat=5"
        " sunday|sun=6"
    ),
    "month": values(
        "january|jan=1 february|feb=2 march|mar=3 april|apr=4 may=5 june|jun=6 july|jul=7 august|aug=8"
        " september|sept|sep=9 october|oct=10 november|nov=11 december|dec=12"
    ),
    "season": named("spring=spring summer=summer autumn|fall=autumn winter=winter"),
    "quarter": values("first|1st|1=1 second|2nd|2=2 third|3rd|3=3 fourth|4th|4=4"),
    "part": named("morning=morning afternoon=afternoon evening=evening night=night"),
}

PATTERNS: Final = r"""
(?:the )?day before yesterday                     => unit=day turn=-2
(?:the )?day after tomorrow                       => unit=day turn=2
yesterday                                         => unit=day turn=-1
today                                             => unit=day turn=0
tomorrow                                          => unit=day turn=1
yesterday {part}                                  => turn=-1
tomorrow {part}                                   => turn=1
this {part}                                       => turn=0
last night                                        => part=night turn=-1
tonight                                           => part=night turn=0
(?:the )?{turn} {unit}
(?:the )?{unit} before last                       => turn=-2
half a year ago                                   => n=6 unit=month sign=-1
a year and a half ago                             => n=18 unit=month sign=-1
? the {span}           => turn=0
{n} {unit} (?:ago|back|earlier)                   => sign=-1
(?:the )?{weekday} {n} {unit} ago                 => sign=-1
{n} {unit} from (?:now|today)                     => sign=1
in {n} {unit}(?: time)?                           => sign=1
(?:in |over |during |for )?(?:the |these )?(?:last|past|previous) {n} {unit}  => roll=-1
this past {unit}                                  => turn=-1
(?:in |over |during |for )?the past {unit}        => n=1 roll=-1
(?:in |over |during )?(?:the )?(?:next|coming) {n} {unit}  => roll=1
(?<!most )(?<!more )(?:recently|lately)           => n=1 unit=month roll=-1
(?:these days|of late)                            => n=1 unit=month roll=-1
(?:on )?(?:the )?{turn} {weekday}
(?:on |by |the )?(?:on )?{weekday} {turn} week    => unit=week
{turn} week(?: on|'s)? {weekday}                  => unit=week
on (?:the )?{weekday}
on {weekday} {part}
(?:on )?{turn} {weekday} {part}
mid-?{year}                                       => third=mid
mid-?{month}(?: {year})?                          => third=mid
? {weekday}
{turn} {month}
(?:in|during|throughout|of|for) (?:the month of )?{month}(?!-)
{month},? {year}
{month},? (?:of )?{yearturn}
? {month}
(?:the )?{day}(?:st|nd|rd|th)? (?:of )?{month}(?:,? {year})?
(?:the )?{day}(?:st|nd|rd|th)? (?:of )?{month},? {yearturn}
{month} (?:the )?{day}(?:st|nd|rd|th)?(?:,? {year})?
{month} (?:the )?{day}(?:st|nd|rd|th)?,? {yearturn}
{turn} {season}
(?:the )?{season} (?:of )?{year}
(?:in |during )?(?:the )?{season} (?:of )?{yearturn}
(?:in |during )?{yearturn}'s (?:{season}|{month})
(?:in|during) the {season}
(?:in|during) (?P<season>summer|autumn|winter)
(?:in |during )?(?:the )?{quarter} quarter (?:of )?{year}
(?:in |during )?(?:the )?{quarter} quarter (?:of )?{yearturn}
(?:in|during) (?:the )?{quarter} quarter
(?:in |during )?q{quarter},? (?:of )?{year}
(?:in|during) q{quarter}
? q{quarter}
(?:in|during|throughout|of|from|year) {year}(?! (?:items|people|rows|files|times|of|steps|units|words|lines|users))
? {year}
(?:in |during )?the (?P<decade>(?:19|20)\d0|[2-9]0)'?s
"""

ENGLISH: Final = Words(
    names=NAMES,
    patterns=PATTERNS,
    before={
        "week-before": r"(?:in )?(?:the )?week before",
        "weekend-before": r"(?:on )?(?:the |last )?weekend before",
        "day-before": r"(?:on )?the day before",
        "month-before": r"(?:in )?the month before",
        "week-after": r"(?:in )?(?:the )?week (?:after|following)",
        "weekend-after": r"(?:on )?the weekend (?:after|following)",
        "day-after": r"(?:on )?the day (?:after|following)",
        "month-after": r"(?:in )?the month (?:after|following)",
        "week-in": r"(?:in |during )?(?:the )?week of",
        "weekend-in": r"(?:on |during )?the weekend of",
        "since": r"(?:ever )?since|starting(?: from| in)?",
        "after": r"after|later than",
        "before": r"before|prior to|earlier than",
        "until": r"until|till|up to|through|by",
        "early": r"(?:in |at )?(?:the )?(?:early|beginning|start)(?: of| in)?",
        "mid": r"(?:in )?(?:the )?(?:mid|middle)(?: of| in)?",
        "late": r"(?:in |at )?(?:the )?(?:late|end)(?: of| in)?",
    },
    ranges=(("between", "and", ""), ("from", "(?:to|until|till|through)", ""), ("", "(?:to|through|-|–)", "")),
    hints="yesterday today tomorrow tonight recently lately late decade decades",
    ahead=r"\b(?:will|'ll|shall|upcoming|plan|plans|planned|planning|scheduled|due|going to|coming|deadline)\b",
)
