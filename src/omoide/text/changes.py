"""Words by which a sentence says that something is other than it was, in eight languages.

English, French, German, Spanish, Russian, Japanese, Chinese and Korean; of goals, deeds and habits the first two and
Japanese only.
"""

from __future__ import annotations

import re
from typing import Final

_MOVED: Final = re.compile(
    r"""\b(?:switch(?:ed|ing)\s(?:to|from|over)|mov(?:ed?|ing)\s(?:\S+\s){0,9}?to\b|moved(?!\s(?:me|him|us|them|you)\b)|chang(?:e[ds]?|ing)|updated?
    |upgraded|downgraded|increas(?:e[ds]?|ing)|rais(?:ed|ing)(?!\s(?:me|him|us|them|you)\b)|rose|grew|(?<!full\s)(?<!full-)grown|decreas(?:e[ds]?|ing)|reduc(?:ed|ing)
    |(?:lowered|dropped)(?!\s(?:me|him|us|them|you)\b)|cut\s(?:to|down)|extend(?:ed|s|ing)?|shortened|postponed|delayed|re-?schedul(?:e[ds]?|ing)
    |pushed\s(?:back|to)|brought\sforward|bumped|adjust(?:ed|ing)|revised|(?:up|down)\sfrom|down\sto|instead\sof
    |replac(?:e[ds]?|ing)|no\slonger|any\s?more|expanded|renewed|migrated
    |désormais|dorénavant|report[ée]+e?s?|décal[ée]+e?s?|augment[ée]+e?s?|rédui(?:t|te|ts|tes|re)|pass[ée]+e?s?\sà
    |chang[ée]+e?s?|déménag[ée]+|remplac[ée]+e?s?|au\slieu\sde|prolong[ée]+e?s?|avanc[ée]+e?s?|migr[ée]+
    |geändert|verschoben|erhöht|gesenkt|gestiegen|gesunken|umgezogen|gewechselt|verlängert|verkürzt|ersetzt|nicht\smehr
    |cambi(?:ó|ado|aron)|aument(?:ó|ado|aron)|subi(?:ó|do)|baj(?:ó|ado)|redu(?:jo|cido)|mud(?:é|ó|ado)|ampliad[oa]
    |aplazad[oa]|pospuest[oa]|ya\sno|en\slugar\sde
    |измен(?:и|ё)\w+|перен[её]с\w*|увелич\w+|уменьш\w+|снизи\w+|повыси\w+|вырос\w*|переехал\w*|замени\w+|больше\sне)\b
    |改为|改成|变成|增加到|增加至|减少到|提高到|涨到|降到|降至|升至|搬到|搬家|推迟|提前到|延长|不再|换成
    |변경|바뀌|바꾸|늘어|늘었|늘렸|줄어|줄었|줄였|올랐|이사|옮겼|연기|앞당|더\s이상
    |に変更|変わ|延期|前倒し|増え|増やし|減っ|減らし|引っ越|移行|移転|延長|値上げ|値下げ|ではなく""",
    re.IGNORECASE | re.VERBOSE,
)
_NOW: Final = re.compile(
    r"""\b(?:now|current(?:ly)?|these\sdays|nowadays|so\sfar|already|in\stotal|total\sof|(?:my|our)\stotal
    |just(?!\s(?:a|an|the|get|go|feel|like|doesn|don|didn|as|because|so|to|one|some|in\scase)\b)|lately|recently|actually|at\sthe\smoment
    |reached|new|usually|most\srecent(?:ly)?|by\snow
    |maintenant|actuellement|à\sprésent|déjà|au\stotal|en\stout|récemment|nouve(?:au|lle)|d'habitude
    |jetzt|derzeit|aktuell|mittlerweile|inzwischen|bereits|insgesamt|neuerdings|ahora|actualmente|hasta\sahora|últimamente
    |сейчас|теперь|уже|всего|недавно)\b
    |现在|目前|如今|已经|一共|总共|지금|현재|이제|벌써|최근
    |今(?=[は\d、]|のところ)|現在|いまは|今では|になった|になりました|もう|新しい|合計|これまで|最近|いつも""",
    re.IGNORECASE | re.VERBOSE,
)


def says_changed(sentence: str) -> bool:
    """Say whether a sentence has a word in it that tells of a change: moved, increased, no longer."""
    return _MOVED.search(sentence) is not None


def says_now(sentence: str) -> bool:
    """Say whether a sentence has a word in it that tells how things stand: now, so far, just."""
    return _NOW.search(sentence) is not None


_POSTPONED: Final = re.compile(
    r"\b(?:postpon(?:e[ds]?|ing)|delay(?:ed|s|ing)?|re-?schedul(?:e[ds]?|ing)|pushed\sback|brought\sforward|report[ée]+e?s?|décal[ée]+e?s?"
    r"|verschoben|aplazad[oa]|pospuest[oa]|перен[её]с\w*)\b|延期|前倒し|推迟|提前|연기|앞당",
    re.IGNORECASE,
)


def says_postponed(sentence: str) -> bool:
    """Say whether a sentence tells of a change of when something is, which is none of an amount."""
    return _POSTPONED.search(sentence) is not None


_ORDER: Final = re.compile(
    r"""\s*(?:(?:ok(?:ay)?|now|then|also|great|thanks|yes|next|and)\b[,!.]?\s+)*(?:please|do\snot|don['’]t|(?:re)?write|rephrase|give\sme
    |make\s(?:it|them|a|an|the|this)|create|generate|list|show\sme|tell\sme|explain|describe|summari[sz]e|translate|act\sas
    |imagine|assume|calculate|solve|provide|use\sthe|write|expand|shorten|limit|adjust|include|suggest|recommend|compare
    |(?:r[ée])?[ée]cri(?:s|vez)|r[ée]dige[rz]?|donne(?:z)?[-\s]moi|fai(?:s|tes)|explique[rz]?|traduis(?:ez)?|suppose[rz]?|calcule[rz]?)\b
    |\s*(?:can|could|would|will)\syou\b(?!.*\b(?:i|my|our|we)\b)|.*(?:ください|下さい|してくれ)[。！!]?\s*$|\s*请""",
    re.IGNORECASE | re.VERBOSE,
)


def says_order(sentence: str) -> bool:
    """Say whether a sentence asks for something to be done, in the words of an order: it states nothing."""
    return _ORDER.match(sentence) is not None


_HABIT: Final = re.compile(
    r"""\b(?:usually|always|every|each|typically|regularly|routine|weekly|(?:mon|tues|wednes|thurs|fri|satur|sun)days
    |d'habitude|toujours|chaque|tous\sles|habituellement)\b|いつも|毎|普段""",
    re.IGNORECASE | re.VERBOSE,
)
_GOAL: Final = re.compile(
    r"\b(?:goal|target|aim(?:ing|ed)?|plan(?:s|ned|ning)?\sto|want(?:s|ed)?\s(?:it\s)?to|need(?:s|ed)?|would|wouldn't|should|I'll|we'll|will|hop(?:e|ing)\sto|objectif|vise[rz]?)\b"
    r"|目標|目指",
    re.IGNORECASE,
)
_DEED: Final = re.compile(
    r"\b(?:add(?:ed)?|spent|spend|bought|buy|paid|pay|invest(?:ed)?|donated?|order(?:ed)?|purchased?|sold|sav(?:ed?|ing)"
    r"|cost(?:s|ing)?|earn(?:ed)?|priced?|quoted?|took|charged?|refund(?:ed)?|worth|avoid(?:ed|ing)?|reject(?:ed|ing)?|approved?|offer(?:ed)?|gift(?:ed|ing)?|declin(?:ed|ing)|acheté[es]*|payé[es]*|dépensé[es]*"
    r"|coûte[rz]?)\b|買っ|払っ|使っ",
    re.IGNORECASE,
)


def says_habit(sentence: str) -> bool:
    """Say whether a sentence tells of what happens again and again."""
    return _HABIT.search(sentence) is not None


def says_goal(sentence: str) -> bool:
    """Say whether a sentence tells of what is wanted rather than of what is."""
    return _GOAL.search(sentence) is not None


def says_deed(sentence: str) -> bool:
    """Say whether a sentence tells of something done once: bought, paid, added."""
    return _DEED.search(sentence) is not None


_CHANGING: Final = (
    r"(?:chang|mov|switch|rais|increas|reduc|lower|cutt?|extend|shorten|postpon|push|upgrad|updat|adjust|replac"
    r"|making\s(?:\w+\s)?chang|changer|augment|rédui|déplac|report|baiss|passer|ändern|erhöhen|cambiar|subir)"
)
_THOUGHT: Final = re.compile(
    r"\b(?:think\w*\s(?:of|about)|consider(?:ing)?|might|could|(?:would|['’]d)\slike\sto|wonder\w*\s(?:if|whether)\s\w+\sshould"
    rf"|(?:pense|songe|réfléchis|envisage)\s(?:à|de)|überlege,|pensando\sen)\s(?:\w+\s)?{_CHANGING}",
    re.IGNORECASE,
)
_WENT_BACK: Final = re.compile(
    r"\b(?:downgrad\w+|roll(?:ed|ing)?\s?back|revert\w*|went\sback|back\sto|rétrograd\w+|revenus?\sà|zurückgesetzt)\b"
    r"|ダウングレード|戻し|戻っ|降级|回退",
    re.IGNORECASE,
)


def says_thought(clause: str) -> bool:
    """Say whether a clause tells of a change that somebody only thinks about."""
    return _THOUGHT.search(clause) is not None


def says_went_back(sentence: str) -> bool:
    """Say whether a sentence tells that something returned to how it was before: downgraded, rolled back."""
    return _WENT_BACK.search(sentence) is not None


_SUM: Final = re.compile(
    r"""\b(?:so\sfar|already|in\stotal|total\sof|in\sall|to\sdate|until\snow|by\snow|now\shave
    |(?:i|we|he|she|they)(?:['’](?:ve|s)|\shave|\shas)\s(?:\w+\s)?\w+(?:ed|en|ne|id|ght|pent|old|ut|one)
    |déjà|au\stotal|jusqu'ici|(?:j'ai|nous\savons)\s(?:\w+\s)?\w+)\b|これまで|合計|もう""",
    re.IGNORECASE | re.VERBOSE,
)


def says_sum(sentence: str) -> bool:
    """Say whether a sentence tells of all that came about up to now: so far, in total, I have bought."""
    return _SUM.search(sentence) is not None
