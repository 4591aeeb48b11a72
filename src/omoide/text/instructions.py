"""Text that reads like orders to a language model, told by a few shapes; a remark, never a reason to refuse."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

LOOKED_AT: Final = 20_000
"""Characters that are looked at, from the start."""

_BEFORE_EN: Final = r"(?:previous|prior|above|earlier|preceding|existing)"
_ORDERS_EN: Final = r"(?:instructions?|prompts?|messages?|rules|directions|guidelines)"
_SHAPES: Final = {
    "a closing tag or a marker of a chat template": (
        r"</\s*(?:memory|memories|context|system|instructions?|stored-text|document|user|assistant|tool_?\w*)\s*>"
        r"|<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[/?INST\]|<<SYS>>"
    ),
    "a line in the voice of the system": r"(?m:^[\s>#*_\-]*(?:SYSTEM|ASSISTANT|DEVELOPER|SYSTÈME)[\s*_]*[:：])",
    "an order to set other instructions aside": (
        rf"(?i:\b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|the|your|my|of|these|those)\s+){{0,4}}{_BEFORE_EN}"
        rf"\s+{_ORDERS_EN})"
        r"|(?i:\b(?:ignore[zr]?|oublie[zr]?|compte)\b.{0,40}\b(?:instructions|consignes|directives)\b.{0,30}"
        r"\b(?:précédentes|antérieures|ci-dessus|reçues)\b)"
        r"|(?:これまで|以前|上記|前)の?.{0,12}(?:指示|命令|ルール|プロンプト).{0,12}(?:無視|忘れ|破棄)"
        r"|(?:忽略|无视|無視).{0,12}(?:之前|以上|先前|上述|前面).{0,12}(?:指令|指示|提示|规则)"
    ),
    "an order to hide something from the user": (
        r"(?i:\b(?:do not|don't|never)\s+(?:tell|inform|mention|reveal|show)\b.{0,40}\b(?:the\s+)?users?\b)"
        r"|(?:ユーザー|利用者)に.{0,20}(?:言わない|伝えない|知らせない|教えない)"
        r"|(?i:\bne\s+(?:dis|dites|montre[zr]?)\b.{0,20}\b(?:pas|rien)\b.{0,30}\butilisateur)"
    ),
}


def orders_in(text: str) -> list[str]:
    """Return what in ``text`` reads like an order to a model, named; empty for ordinary text."""
    head = text[:LOOKED_AT]
    return [name for name, shape in _compiled() if shape.search(head)]


@cache
def _compiled() -> list[tuple[str, re.Pattern[str]]]:
    return [(name, re.compile(shape)) for name, shape in _SHAPES.items()]
