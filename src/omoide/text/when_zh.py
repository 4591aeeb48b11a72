"""Chinese words for time, simplified and traditional."""

from __future__ import annotations

from typing import Final

from omoide.text.when_words import Names, Words, named, values

NAMES: Final[Names] = {
    "n": values("几|幾|数|數=-1 两|兩=2"),
    "unit": named(
        "天|日=day 个星期|個星期|星期|个礼拜|個禮拜|礼拜|禮拜|周|週=week 个月|個月=month 季度=quarter 年=year"
        " 个小时|個小時|小时|小時=hour 分钟|分鐘=minute 周末|週末=weekend"
    ),
    "turn": values("上上=-2 上=-1 这|這|本=0 下=1 下下=2"),
    "yearturn": values("前年=-2 去年|上年=-1 今年|本年=0 明年=1 后年|後年=2"),
    "weekday": values("一=0 二=1 三=2 四=3 五=4 六=5 日|天=6"),
    "span": named("周末|週末=weekend 星期|礼拜|禮拜|周|週=week 月=month 季度=quarter"),
    "season": named("春天|春季=spring 夏天|夏季|暑假=summer 秋天|秋季=autumn 冬天|冬季|寒假=winter"),
    "part": named("早上|上午|早晨=morning 下午|中午=afternoon 傍晚=evening 晚上|夜里|夜裡=night"),
}

PATTERNS: Final = r"""
大前天                                            => unit=day turn=-3
前天                                              => unit=day turn=-2
(?<!一)昨[天日]                                   => unit=day turn=-1
今[天日]                                          => unit=day turn=0
明[天日]                                          => unit=day turn=1
(?<!以)[后後]天                                   => unit=day turn=2
昨[天日]{part}                                    => turn=-1
今[天日]{part}                                    => turn=0
明[天日]{part}                                    => turn=1
昨晚                                              => part=night turn=-1
今晚                                              => part=night turn=0
今早                                              => part=morning turn=0
{turn}(?:个|個)?(?P<span>周末|週末|星期|礼拜|禮拜|周|週|月|季度)(?![一二三四五六日天])
(?:这|這)个?周末                                  => unit=weekend turn=0
{yearturn}                                        => unit=year
(?<!第){n}{unit}(?:之|以)?前                      => sign=-1
半年(?:之|以)?前                                  => n=6 unit=month sign=-1
(?<!第){n}{unit}(?:之|以)?[后後]                  => sign=1
(?:最近|过去|過去|近|这|這)的?{n}{unit}           => roll=-1
(?:未来|未來|接下来的?){n}{unit}                  => roll=1
(?:最近|近来|近來)                                => n=1 unit=month roll=-1
{turn}(?:个|個)?(?:周|週|星期|礼拜|禮拜){weekday}  => unit=week
(?:周|週|星期|礼拜|禮拜){weekday}(?!\d)
{year}年{month}月
{year}年{month}月{day}[日号號]
{yearturn}的?{month}月
{yearturn}的?{month}月{day}[日号號]
{turn}(?:个|個)?月{day}[日号號]
(?<!\d年)(?<![\d上下这這本]){month}月{day}[日号號]
(?<!\d年)(?<![\d上下这這本个個]){month}月(?!{day}[日号號])(?=份|的|里|裡|中|以|之|初|底|末|我|上旬|中旬|下旬|，|$)份?
? {month}月份?
{year}年(?!前|后|後|级|級)
{yearturn}的?{season}
{year}年的?{season}
{year}年第?{quarter}季度
{yearturn}第?{quarter}季度
"""

CHINESE: Final = Words(
    names=NAMES,
    patterns=PATTERNS,
    before={"since": "自从|自從|自|从|從", "until": "直到|截至|到"},
    behind={
        "since": "以来|以來|起|至今",
        "after": "之后|之後|以后|以後",
        "before": "之前|以前",
        "until": "为止|為止",
        "early": "初|上旬",
        "mid": "中旬",
        "late": "底|末|下旬",
    },
    ranges=(("(?:从|從|在)?", "(?:到|至|[-~〜])", "(?:之间|之間)?"), ("(?:在)?", "(?:和|与|與)", "之[间間]")),
    hints="天 日 昨 今 明 半年 最近 近来 近來 去年 月 年 周 週 星期 礼拜 禮拜 / -",
    ahead="将要|將要|打算|计划|計劃|即将|即將",
    spaced=False,
)
