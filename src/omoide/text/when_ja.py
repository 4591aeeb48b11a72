"""Japanese words for time."""

from __future__ import annotations

from typing import Final

from omoide.text.when_words import Names, Words, named, values

NAMES: Final[Names] = {
    "n": values("数=-1"),
    "unit": named(
        "日間|日=day 週間|週=week ヶ月間|か月間|カ月間|ヵ月間|箇月間|ヶ月|か月|カ月|ヵ月|ケ月|箇月|月=month"
        " 年間|年=year 時間=hour 分間|分=minute 四半期=quarter 週末=weekend"
    ),
    "turn": values("先々|先先=-2 先|前=-1 今=0 来=1 再来=2"),
    "yearturn": values("一昨年|おととし=-2 去年|昨年|前年=-1 今年|本年=0 来年=1 再来年=2"),
    "weekday": values("月曜=0 火曜=1 水曜=2 木曜=3 金曜=4 土曜=5 日曜=6"),
    "span": named("週末=weekend 週=week 月=month"),
    "season": named("春=spring 夏休み|夏=summer 秋=autumn 冬休み|冬=winter"),
    "part": named("朝|午前=morning 午後|昼=afternoon 夕方|晩=evening 夜=night"),
}

PATTERNS: Final = r"""
(?:一昨日|おととい|一昨々日の翌日)                => unit=day turn=-2
(?:一昨々日|さきおととい)                         => unit=day turn=-3
(?:昨日|きのう)                                   => unit=day turn=-1
(?:今日|きょう|本日)                              => unit=day turn=0
(?:明日|あした|あす)                              => unit=day turn=1
(?:明後日|あさって)                               => unit=day turn=2
(?:昨日|きのう)の{part}                           => turn=-1
(?:明日|あした)の{part}                           => turn=1
今日の{part}                                      => turn=0
今朝                                              => part=morning turn=0
(?:今夜|今晩)                                     => part=night turn=0
(?:昨夜|昨晩|ゆうべ)                              => part=night turn=-1
(?<![一-龥]){turn}(?P<span>週末|週|月)(?!曜|間)
(?<![一-龥])今(?P<span>週末|週|月)(?!曜|間)       => turn=0
{yearturn}                                        => unit=year
(?:この|今度の)週末                               => unit=weekend turn=0
(?:前|先)の?四半期                                => unit=quarter turn=-1
今四半期                                          => unit=quarter turn=0
(?<!\d[月年/]){n}{unit}(?:ほど|くらい|ぐらい)?前   => sign=-1
半年(?:ほど|くらい|ぐらい)?前                     => n=6 unit=month sign=-1
(?<!\d[月年/]){n}{unit}後                         => sign=1
(?:この|ここ|過去|直近|最近の?|これまでの){n}{unit}  => roll=-1
(?:この|ここ|過去)半年                            => n=6 unit=month roll=-1
(?:今後|これから){n}{unit}                        => roll=1
(?:最近|近頃|このごろ|ここのところ)(?!の{n}{unit})  => n=1 unit=month roll=-1
{turn}週の?{weekday}日?                           => unit=week
今週の?{weekday}日?                               => turn=0
(?:この前|前|先日)の{weekday}日?                  => turn=-1
(?:次|今度)の{weekday}日?                         => turn=1
{weekday}日?(?=に|の|は|から|まで|、|以降)
? {weekday}日?
{year}年の?{month}月(?!曜)
{year}年の?{month}月の?{day}日
{yearturn}の?{month}月(?!曜)
{yearturn}の?{month}月の?{day}日
{turn}月の?{day}日
(?<!\d年)(?<!\d年の){month}月の?{day}日
(?<!\d年)(?<!\d年の)(?<!\d){month}月(?=[のにはがをも、中]|以降|以来|から|まで|上旬|中旬|下旬|末|$)
? {month}月
{year}年(?!間|前|後|生|ぶり|以上|以下)
(?P<era>令和|平成|昭和)(?P<erayear>\d{1,2}|元)年
{yearturn}の?{season}
{year}年の?{season}
(?:この|今年の){season}                           => turn=0
{year}年の?第?{quarter}四半期
{yearturn}の?第?{quarter}四半期
第{quarter}四半期
(?P<decade>(?:19|20)\d0)年代
"""

JAPANESE: Final = Words(
    names=NAMES,
    patterns=PATTERNS,
    behind={
        "since": "以降|以来|から(?!も)",
        "after": "より後|の後|を過ぎて",
        "before": "以前|より前|の前|前(?=[にのは])",
        "until": "まで",
        "early": "の?(?:上旬|初め|はじめ|初旬|初頭|前半|頭)",
        "mid": "の?(?:中旬|半ば|なかば|中頃)",
        "late": "の?(?:下旬|末|終わり|後半)",
    },
    ranges=(("", "から", "(?:まで)?(?:の間)?"), ("", "[〜~～-]", "(?:まで)?(?:の間)?"), ("", "と", "の間")),
    hints="昨日 一昨日 昨々日 おととい きのう 今日 きょう 本日 明日 あした あす 明後日 あさって 今朝 今夜 今晩 昨夜"
    " 昨晩 ゆうべ 半年 最近 近頃 このごろ ここのところ 令和 平成 昭和 先 今 来 年 / -",
    ahead="予定|つもり|今度|これから|締め切り|締切",
    spaced=False,
)
