"""German words for time."""

from __future__ import annotations

from typing import Final

from omoide.text.when_words import Names, Words, named, values

NAMES: Final[Names] = {
    "n": values(
        "ein|eine|einem|einer|einen=1 zwei=2 drei=3 vier=4 funf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11"
        " zwolf=12 vierzehn=14 zwanzig=20 dreissig=30 ein_paar|einigen|wenigen|mehreren=-1"
    ),
    "unit": named(
        "tag|tage|tagen=day woche|wochen=week wochenende=weekend monat|monate|monaten=month quartal|quartale=quarter"
        " jahr|jahre|jahren=year jahrzehnt|jahrzehnte=decade stunde|stunden=hour minute|minuten=minute"
    ),
    "turn": values(
        "letzte|letzten|letzter|letztes|letztem|vorige|vorigen|voriges|voriger|vergangene|vergangenen|vergangenes=-1"
        " diese|diesen|dieser|dieses|diesem=0 nachste|nachsten|nachster|nachstes|kommende|kommenden|kommendes=1"
    ),
    "yearturn": values("letztes_jahr|letzten_jahres|voriges_jahr=-1 dieses_jahr|dieses_jahres=0 nachstes_jahr=1"),
    "weekday": values("montag=0 dienstag=1 mittwoch=2 donnerstag=3 freitag=4 samstag|sonnabend=5 sonntag=6"),
    "month": values(
        "januar|janner|jan=1 februar|feb=2 marz=3 april|apr=4 mai=5 juni=6 juli=7 august|aug=8 september|sept=9"
        " oktober|okt=10 november|nov=11 dezember|dez=12"
    ),
    "season": named("fruhling|fruhjahr=spring sommer=summer herbst=autumn winter=winter"),
    "quarter": values("erste|ersten|1.=1 zweite|zweiten|2.=2 dritte|dritten|3.=3 vierte|vierten|4.=4"),
    "part": named("morgen|fruh|vormittag=morning nachmittag=afternoon abend=evening nacht=night"),
}

PATTERNS: Final = r"""
vorgestern                                        => unit=day turn=-2
gestern                                           => unit=day turn=-1
heute                                             => unit=day turn=0
(?<!guten )(?<!am )(?<!jeden )(?<!heute )(?<!gestern )morgen  => unit=day turn=1
ubermorgen                                        => unit=day turn=2
gestern {part}                                    => turn=-1
heute {part}                                      => turn=0
letzte nacht                                      => part=night turn=-1
(?:in der |im |am |die |der |das |den )?{turn} {unit}
vor {n} {unit}                                    => sign=-1
in {n} {unit}                                     => sign=1
(?:in den |die |der )?(?:letzten|vergangenen) {n} {unit}  => roll=-1
(?:in den |die )?(?:nachsten|kommenden) {n} {unit}  => roll=1
(?:kurzlich|neulich|in letzter zeit)              => n=1 unit=month roll=-1
(?:am )?{turn} {weekday}
(?:am )?{weekday} {turn} woche                    => unit=week
am {weekday}
? {weekday}
(?:im (?:monat )?)?{turn} {month}
im (?:monat )?{month}
(?:im )?{month} {year}
(?:im )?{month} {yearturn}
? {month}
(?:am |vom |der |den )?{day}\. ?{month}(?: {year}| {yearturn})?
(?:im )?{turn} {season}
(?:im )?{season} (?:{year}|{yearturn})
im {season}
(?:im )?{quarter} quartal(?: {year})?
(?:im )?q{quarter} {year}
(?:im jahr|im jahre|jahr|anno) {year}
? {year}
"""

GERMAN: Final = Words(
    names=NAMES,
    patterns=PATTERNS,
    before={
        "since": "seit(?: dem| der)?|ab(?: dem)?",
        "after": "nach(?: dem| der)?",
        "before": "vor(?: dem| der)?",
        "until": "bis(?: zum| zur)?",
        "early": "(?:zu )?(?:anfang|beginn)(?: des| der)?",
        "mid": "mitte(?: des| der)?",
        "late": "ende(?: des| der)?",
    },
    ranges=(("zwischen(?: dem)?", "und(?: dem)?", ""), ("(?:von|vom)", "(?:bis|bis zum)", ""), ("", "(?:bis|-|–)", "")),
    hints="gestern vorgestern heute morgen ubermorgen kurzlich neulich zeit",
    ahead=r"\b(?:werde|werden|wird|geplant|kommend|kommende|vorhabe|fallig)\b",
)
