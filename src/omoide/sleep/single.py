"""Properties that a thing has one value of at a time, by the names that people give them."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = re.compile(r"[^\W_]+")
_NAMES: Final = """
city country address home residence location lives live lives_in located timezone employer
company job role title position occupation works_at team manager email phone telephone
mobile age birthday weight height status state version port host hostname url endpoint
database db branch owner maintainer lead deadline due date time budget price cost limit
quota salary rate score count total size plan tier default theme spouse husband wife
partner marital nationality name nickname school university diet editor shell os
language_server framework ville pays adresse domicile employeur poste fonction courriel
téléphone âge statut échéance prix coût salaire conjoint langue_maternelle 都市 国 住所 居住地 勤務先
会社 職業 役職 電話 年齢 状態 バージョン 締切 期限 価格 予算 給料 配偶者 名前
"""
_SINGLE: Final = frozenset(_NAMES.split())


def is_single_valued(predicate: str) -> bool:
    """Say whether the name of a property is one that has one value at a time: ``city``, ``lives in``, 住所."""
    folded = predicate.casefold().strip()
    words = [word for word in _WORDS.findall(folded.replace("_", " ")) if word not in ("current", "the", "his", "her")]
    return "_".join(words) in _SINGLE or (bool(words) and words[-1] in _SINGLE and len(words) <= 3)
