"""Whether a question is about the present or about how things were: adverbs, adjectives and auxiliary verbs.

The tables are closed-class words and time adverbs of each language, written out by hand. A question that says
neither is ``UNSAID``, as is one in a language without a table.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

Tense = Literal["now", "present", "past", "earlier", "unsaid"]
"""``now`` and ``earlier`` are said in so many words; ``present`` and ``past`` by the form of the verb."""

UNSAID: Final = "unsaid"
_SAMPLE: Final = 2_000

_WORDS: Final[dict[str, dict[Tense, str]]] = {
    "en": {
        "earlier": r"before|previous(?:ly)?|prior|earlier|former(?:ly)?|used to|original(?:ly)?|initial(?:ly)?|at first"
        r"|in the past|back then|once upon a time",
        "now": r"now(?:adays)?|current(?:ly)?|present(?:ly)?|latest|(?:most )?recent(?:ly)?|so far|still|these days"
        r"|any ?more|as of today|up to date|at the moment",
        "past": r"did|was|were|had|went|didn|wasn|weren|hadn",
        "present": r"do|does|is|are|am|has|have|can|should|will|don|doesn|isn|aren|hasn|haven|what's|where's|who's"
        r"|how's|when's",
    },
    "fr": {
        "earlier": r"avant|auparavant|précédemment|précédente?s?|anciens?|anciennes?|anciennement|autrefois|jadis"
        r"|à l'époque|au départ|au début|initiale?(?:ment)?|à l'origine|d'origine|jusque[- ]là",
        "now": r"maintenant|actuel(?:le)?s?|actuellement|désormais|dorénavant|aujourd'hui|en ce moment|à présent"
        r"|dernièrement|récemment|plus récente?s?|jusqu'à présent|toujours",
        "past": r"étais|était|étaient|étions|étiez|avais|avait|avaient|fut|furent|eut|allait|faisait|devait|pouvait"
        r"|\w+ai(?:t|ent|s)-(?:il|elle|on|je|tu|ils|elles)",
        "present": r"suis|es|est|sont|sommes|êtes|va|vont|fait|peut|doit|dois"
        r"|\w+(?:e|es|ez|ons)-(?:t-)?(?:il|elle|on|je|tu|vous|nous|ils|elles)",
    },
    "de": {
        "earlier": r"früher\w*|vorher\w*|zuvor|ehemal\w+|ursprünglich\w*|damal\w+|einst|anfangs|bisherig\w*",
        "now": r"jetzt|jetzig\w*|aktuell\w*|derzeit\w*|momentan\w*|gegenwärtig\w*|heute|inzwischen|mittlerweile"
        r"|zuletzt|neueste\w*|noch|bisher|bislang",
        "past": r"war|waren|warst|wart|hatte\w*|wurde\w*|konnte\w*|musste\w*|sollte\w*",
        "present": r"bin|bist|ist|sind|seid|habe|hast|hat|haben|wird|werden|kann|können|muss|soll",
    },
    "es": {
        "earlier": r"antes|anterior(?:es|mente)?|previ[oa]s?|previamente|antigu[oa]s?|antiguamente|original(?:mente)?"
        r"|al principio|inicial(?:mente)?|en aquel entonces|sol[ií]a\w*",
        "now": r"ahora|actual(?:es|mente)?|hoy|últimamente|más recientes?|recientemente|todavía|aún|hasta ahora",
        "past": r"era|eran|eras|fue|fueron|estaba\w*|había\w*|tenía\w*|hizo|tuvo",
        "present": r"es|son|soy|eres|está|están|estoy|tiene|tienen|tengo|hay|puede|debo|debe",
    },
    "ja": {
        "earlier": r"以前|(?<!名)前[のはにま]|かつて|昔|元々|もともと|当初|最初|当時|旧",
        "now": r"今(?![年月週日回度晩朝夜後])|現在|いま(?![すし])|最新|最近|現時点|これまで|まだ",
        "past": r"(?:ました|でした|った|いた|した|んだ)(?:か|の|っけ)*[。．?？!！\s]*$",
        "present": r"(?:ます|です|る|う|く|す|は|が|だ|何|どこ|いつ|誰|いくら)(?:か|の|ね)*[。．?？!！\s]*$",
    },
    "zh": {
        "earlier": r"以前|之前|曾经|原来|原先|当初|当时|最初|过去|从前|早先",
        "now": r"现在|目前|当前|如今|最新|最近|眼下|现今|至今|还在",
        "past": r"(?:了|过)(?:吗|呢|什么)?[。？?！!\s]*$",
    },
}
_ORDER: Final[tuple[Tense, ...]] = ("earlier", "now", "past", "present")
_SCRIPTS: Final = frozenset({"ja", "zh"})
_APOSTROPHES: Final = str.maketrans("’ʼ", "''")


def tense_of(text: str, language: str) -> Tense:
    """Return what the first 2,000 characters of a question in ``language`` (ISO 639-1) say about when."""
    words = _words(language)
    if not words:
        return UNSAID
    sample = text[:_SAMPLE].lower().translate(_APOSTROPHES)
    return next((tense for tense in _ORDER if tense in words and words[tense].search(sample)), UNSAID)


@cache
def _words(language: str) -> dict[Tense, re.Pattern[str]]:
    around = ("(?:{})",) if language in _SCRIPTS else (r"(?<!\w)(?:{})(?!\w)",)
    return {tense: re.compile(around[0].format(words)) for tense, words in _WORDS.get(language, {}).items()}
