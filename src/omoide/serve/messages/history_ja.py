"""Japanese: conversations."""

from __future__ import annotations

from typing import Final

HISTORY: Final[dict[str, str]] = {
    "cmd.history": "会話を残す、探す、読む、保管する、消す。",
    "cmd.history.retention": "後ろに置く、戻す、消す。",
    "history.saved": "{id} として残しました。",
    "history.known": "{id} として既に残っています。",
    "history.masked": "伏せたもの：{what}",
    "history.lines": "{of} 行中 {first}〜{last} 行",
    "history.more": "{total} 件中 {shown} 件を表示。",
    "history.rest": "続き：omoide history read {id} --start {start}",
    "history.archived": "保管",
    "history.restore": "保管した区切りは omoide history retention restore ID で戻ります。",
    "history.nothing": "合う行はありません。{n} 件の文を調べました。",
    "history.archive.done": "保管しました。検索はできます。",
    "history.restore.done": "戻しました。",
    "history.would": "保管されるもの：",
    "history.would_erase": "消されるもの：",
    "history.did": "保管したもの：",
    "history.erased": "消したもの：",
    "history.kept": "残したもの：{what}",
    "history.ingested": "新しい記録 {new} 件、うち検索できるもの {turns} 件。既知 {known} 件。",
    "history.batch": "元に戻す：omoide undo {batch}",
    "history.failed": "取り込めなかったもの：",
    "history.domains.any": "{project} はどの分野でも持てます。",
    "history.domains.set": "{project} の分野：{names}",
    "preview.history_erase": "{name} は完全に消されます。",
    "history.erase_old": "長く保管された区切りは完全に消されます。",
    "col.summary": "要約",
    "col.project": "プロジェクト",
    "col.tags": "タグ",
    "col.line": "行",
    "col.host": "プログラム",
    "col.turns": "発言",
    "col.segments": "区切り",
    "col.place": "場所",
    "col.domain": "分野",
    "cmd.history.erase_old": "長く保管された区切りを完全に消す。人だけができる。",
    "op.history_archive": "区切りを圧縮して他の後ろに置く。検索はできる。",
    "op.history_erase": "区切り、または一つのセッションの発言すべてを完全に消す。",
    "op.domains": "会話の分野を、区切りとセッションの数とともに並べる。",
    "op.choose_domains": "プロジェクトの分野をこれだけにする。何も挙げなければどれでもよい。",
}

ARGUMENTS: Final[dict[str, str]] = {
    "Look for several hundred more kinds of secrets, with the extra omoide[secrets].": (
        "omoide[secrets] で、さらに数百種類の秘密を探す。"
    ),
    "The session that is erased.": "消すセッション。",
    "The domains that it has.": "そのプロジェクトの分野。",
}
