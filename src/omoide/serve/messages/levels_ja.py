"""Japanese: memories read by level, traced, judged by use, written many at a time."""

from __future__ import annotations

from typing import Final

LEVELS: Final[dict[str, str]] = {
    "op.inspect": "保管庫のノートで整っていないもの、つまり除けられたものと行き先のないリンクを示す。",
    "op.links": "ノートのリンク先、そこへのリンク、隣のノートを示す。",
    "op.rename_note": "ノートの場所を変え、そこへのリンクを書き換える。まずは見せるだけ。",
    "op.adopt_note": "omoide が書いていないノートを記憶にする。",
    "op.read": "記憶を必要なだけ読む。一行、見出し、一つの節、全文。",
    "op.trace": "記憶の元になった言葉を示す。セッションの発言、保存した区切り、文書の行。",
    "op.feedback": "記憶が役に立ったかどうかを伝える。尋ねなくても見せるものに反映される。",
    "op.remember_many": "多くの文を一度に覚える。一つが拒まれても残りは保存される。",
    "level.shown": "約 {total} トークンのうち {tokens}",
    "level.section": "節 {section}",
    "level.more": "続きがあります: omoide read {id} --max-tokens N、または --section。",
    "trace.elsewhere": "この保管庫にはありません。",
    "trace.part": "{kind}、{of} のうち {start}-{end}",
    "trace.cut": "続きがあります。",
    "trace.none": "出典が示されていません。",
    "feedback.done": "記憶 {id} の価値は {value} になりました。",
    "many.done": "{saved} 件を覚え、{refused} 件を拒みました。",
    "many.refused": "{position}: {reason}",
}

ARGUMENTS: Final[dict[str, str]] = {
    "The id of a memory, or the path or name of a note.": "記憶の番号、またはノートのパスか名前。",
    "The new path inside the vault.": "保管庫の中の新しいパス。",
    "Do it, not only show it.": "見せるだけでなく実行する。",
    "A type of this vault. Default note.": "この保管庫の型。既定は note。",
    "Who or what it is about. Default its title.": "何についてか。既定は題名。",
    "How much. Default full.": "どれだけ読むか。既定は full。",
    "With the level section: an anchor of the outline, or a heading.": "level が section のとき、見出しのアンカーか題名。",
    "Which.": "どちらか。",
    "Objects with the arguments of remember, or lines of JSON; - reads them.": "remember の引数を持つオブジェクト、または JSON の行。- で標準入力から読む。",
    "abstract: one line a hit, with the section to read. Default full.": "abstract: 一件一行と読むべき節。既定は full。",
}
"""What arguments are for, by the words of the table."""
