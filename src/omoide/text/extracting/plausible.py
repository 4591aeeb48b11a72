"""How much a decoded text looks like one that people write: chooses between encodings that all decode some bytes."""

from __future__ import annotations

from functools import cache

JAPANESE = ("cp932", "euc_jp", "iso2022_jp")
_COMMON = {
    "han": (
        "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后"
        "小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长"
        "知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最"
        "间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市"
        "眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计"
        "或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让"
        "认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办"
        "运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持"
        "取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞"
        "观争究包组造落视济喜离虽坏兴切速断"
    ),
    "kanji": (
        "日本人大年中国会事出者上行生分時見間後前東気手学子自社月田同下長入立場合小思部三二言家理業内力定方法"
        "通動発明新地高目的対体来京体道今名何国全当所代意度回私猫無電話主関性問題最使用作心必要安情報考語持知"
        "外実金文者経山本"
    ),
    "hangul": (
        "이다는을를가에의한고하지로사기어도은서나대리인자들시그아해정과수있부일스전라보주장오구원상제국여니우"
        "것만들게면으동조성경비했었습년및해야중신계공세선문연유마무화미용데소속없요물때위치저안더모분회"
    ),
    "western": "éèàçêîôûâëïùœæäöüßñáíóúãõåøÉÈÀÇÊÎÔÛÂÄÖÜÑÁÍÓÚÅØ’«»“”‘–—€…°§£·¿¡\u00a0",
    "central": "ąćęłńóśźżáčďéěíňřšťúůýžőűăâîșțäöüßĄĆĘŁŃŚŹŻČĎĚŇŘŠŤŮŽŐŰ’„”“–—…€\u00a0",
    "cyrillic": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёъіїєґ«»—–№…\u00a0",
    "greek": "αοιετσνηυρπκμλωςγδθχφβξζψάέήίόύώ’«»—–…\u00a0",
}
_PUNCTUATION = "、。「」『』（）！？，．：；・ー〜…《》“”‘’—　【】"
_USED_BY: dict[str, tuple[str, ...]] = {
    "cp932": ("kana", "kanji"),
    "euc_jp": ("kana", "kanji"),
    "iso2022_jp": ("kana", "kanji"),
    "gb18030": ("han",),
    "big5": ("han",),
    "cp949": ("hangul",),
    "cp1250": ("central",),
    "cp1251": ("cyrillic",),
    "koi8_r": ("cyrillic",),
    "cp1253": ("greek",),
}


def plausibility(text: str, encoding: str) -> float:
    """Return from 0 to 1 how usual the characters beyond ASCII are in what is written in an encoding."""
    wide = [character for character in text if character > "\x7f"]
    if not wide:
        return 1.0
    common, possible = _expected(encoding)
    score = sum(
        1.0 if c in common else 0.35 if _is_possible(c, possible) else -0.5 if _is_odd(c) else 0.0 for c in wide
    )
    return max(0.0, score / len(wide))


@cache
def _expected(encoding: str) -> tuple[frozenset[str], tuple[str, ...]]:
    names = _USED_BY.get(encoding, ("western",))
    common = "".join(_COMMON.get(name, "") for name in names)
    if encoding in {*JAPANESE, "gb18030", "big5", "cp949"}:
        common += _PUNCTUATION
    if "kana" in names:
        common += "".join(map(chr, [*range(0x3041, 0x3094), *range(0x30A1, 0x30F7)]))
    return frozenset(common), names


def _is_possible(character: str, names: tuple[str, ...]) -> bool:
    if "\u4e00" <= character <= "\u9fff":
        return "han" in names or "kanji" in names
    if "\uac00" <= character <= "\ud7a3":
        return "hangul" in names
    if "\u0400" <= character <= "\u04ff":
        return "cyrillic" in names
    return "\u0370" <= character <= "\u03ff" and "greek" in names


def _is_odd(character: str) -> bool:
    """Whether a character shows that the bytes mean something else: controls, private use, half-width kana."""
    return (
        character < "\xa0"
        or "\ue000" <= character <= "\uf8ff"
        or "\uff61" <= character <= "\uff9f"
        or character > "\uffff"
    )
