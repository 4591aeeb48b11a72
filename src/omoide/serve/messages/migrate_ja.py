"""Japanese: what was taken in from other systems."""

from __future__ import annotations

from typing import Final

MIGRATE: Final[dict[str, str]] = {
    "imported.source": "取り込み元",
    "imported.read": "読み込み",
    "imported.added": "追加",
    "imported.changed": "変更",
    "imported.known": "既知",
    "imported.documents": "文書",
    "imported.segments": "区切り",
    "imported.turns": "発言",
    "imported.conflicts": "矛盾",
    "imported.refused": "拒否",
    "imported.left_out": "取り込めなかったもの",
    "imported.more": "ほか {n} 件。--json ですべて表示。",
    "imported.undo": "取り消すには: omoide undo {batch}",
    "imported.trial": "試行です。何も保存していません。",
}
ARGUMENTS: Final[dict[str, str]] = {
    "The file or folder.": "ファイルまたはフォルダ。",
    "Whose it is. Default auto: told from the content.": "どのシステムのものか。既定は auto で、内容から判断する。",
    "For csv and jsonl: which column is which part of a memory, such as text=note.": (
        "csv と jsonl の場合: どの列が記憶のどの部分か。例: text=note。"
    ),
    "Only this namespace or user of the source.": "取り込み元のこの名前空間または利用者だけ。",
    "What to write: jsonl keeps the past, the others what holds now. Default jsonl.": (
        "書き出す形式: jsonl は過去も残し、ほかは今成り立つものだけ。既定は jsonl。"
    ),
}
