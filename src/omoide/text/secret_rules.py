"""What secrets look like: one row a kind, each found by a fixed beginning or a name, with bounded repetition.

Every pattern starts where no longer token can start before it, so that a search takes time in proportion to the text.
Shapes are those that their issuers document.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from omoide.text.secret_tokens import TOKENS, Token

LONG_RUN: Final = 24
"""Characters of the shortest token with a fixed beginning."""
_FREE = r"(?<![A-Za-z0-9_-])"
_AHEAD = r"(?:(?<![a-z].)|(?<=\\[nrt].))"  # a line end is written \n inside of a JSON string
_QUOTES = r"[\"'\\`]{0,3}"
_ASSIGNED = rf"{_QUOTES}\s{{0,3}}[:=：＝]\s{{0,3}}{_QUOTES}"
# Each begins with a letter, so that a search leaps to it; what must stand before it is looked at afterwards.
_PASSWORDS = (
    rf"p{_AHEAD}(?:(?:gp)?ass(?:word|wd|phrase)|wd)|m{_AHEAD}ot[ _-]de[ _-]passe|パ{_AHEAD}スワード|п{_AHEAD}ароль"
)
_NAMES = (
    rf"{_PASSWORDS}|p{_AHEAD}rivate[_-]?key|s{_AHEAD}ecret(?:[_-]?key)?|"
    rf"a{_AHEAD}(?:pi[_-]?key|ccess[_-]?(?:token|key)|uth[_-]?token)"
)
# Between quotes a value may hold anything; without, it ends where a list or an address goes on.
_VALUE = r"(?<=[\"'`])[^\s\"'\\`]{8,1024}|[^\s\"'\\`,;<>&|]{8,1024}"
_CHOSEN = r"(?<=[\"'`])[^\s\"'\\`]{6,1024}|[^\s\"'\\`,;<>&|]{5,1023}[^\s\"'\\`,;<>&|.!?:)]"
_TEMPLATE = re.compile(r"[$<{%*(\[]|x{3,}\w?$|\.{3}", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WORDS = re.compile(r"[A-Za-z]+(?:[_-](?:[A-Za-z]+|\d{1,4}))+")
_LONG = re.compile(r"[A-Za-z0-9]{24,}")
_CODE = re.compile(r"[A-Za-z_][\w.]*(?:\(|\[|$)|[./~]{1,2}[\w./-]+$|https?:")


_NO_PASSWORD = frozenset({
    "argon2", "argon2i", "argon2id", "base32", "base58", "base64", "ipv4", "ipv6", "latin1", "oauth2", "pbkdf2", "sha1",
    "sha224", "sha256", "sha384", "sha512", "utf8mb4", "utf-16", "windows1252", "ed25519", "rsa2048", "rsa4096",
    "aes128", "aes256", "http2", "http3",
})  # fmt: skip
"""What a person says of a password without saying it."""


class Rule(NamedTuple):
    """One kind of secret; one of the lower-case ``hints`` must occur; the group that matched, or all, is masked.

    ``folded``: the pattern is about the text in lower case.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    check: Callable[[str], bool] | None = None
    folded: bool = False


def _mixed(value: str) -> bool:
    """Tell whether a token has digits and letters of both cases: words with dashes between them have not."""
    return any(c.isdigit() for c in value) and any(c.islower() for c in value) and any(c.isupper() for c in value)


def _random(value: str) -> bool:
    """Tell whether a token has digits and letters."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _no_template(value: str) -> bool:
    return not _TEMPLATE.match(value)


def _no_example(value: str) -> bool:
    return "EXAMPLE" not in value


def _assigned(value: str) -> bool:
    """Tell whether what a name was given looks like a password: of three kinds of characters or long, and no code."""
    classes = (str.islower, str.isupper, str.isdigit, lambda c: not c.isalnum())
    kinds = sum(any(is_one(c) for c in value) for is_one in classes)
    if not _random(value) or not (kinds >= 3 or _LONG.fullmatch(value)):
        return False
    return not (_TEMPLATE.match(value) or _UUID.fullmatch(value) or _WORDS.fullmatch(value) or _is_code(value))


def _chosen(value: str) -> bool:
    """Tell whether what a password was given may be one that a person chose: letters and digits or digits, no code."""
    if value.lower() in _NO_PASSWORD or not (_random(value) or value.isdigit()):
        return False
    return not (_TEMPLATE.match(value) or _UUID.fullmatch(value) or _is_code(value))


def _is_code(value: str) -> bool:
    found = _CODE.match(value)
    return found is not None and (
        value[found.end() - 1] in "([:" or not any(c.isdigit() for c in value) or "." in value
    )


def _rule(kind: str, hints: str, pattern: str, check: Callable[[str], bool] | None = None, flags: int = 0) -> Rule:
    return Rule(kind, tuple(hints.split()), re.compile(pattern, flags), check)


def _folded(kind: str, hints: str, pattern: str, check: Callable[[str], bool]) -> Rule:
    return _rule(kind, hints, pattern, check)._replace(folded=True)


def _token(token: Token) -> Rule:
    """Return the rule of a token; its fixed beginning stands first, so that the search leaps to it."""
    begin = re.escape(token.begin)
    pattern = rf"{begin}(?<![A-Za-z0-9_-]{begin}){token.rest}"
    hint = token.begin.lower().rpartition(" ")[2]
    return Rule(token.kind, (hint,), re.compile(pattern), _random if token.mixed else None)


RULES: Final[tuple[Rule, ...]] = (
    _rule("url-password", "://", r"://[^\s/:@\"'\\<>`]{0,128}:([^\s/@\"'\\<>`]{1,256})@", _no_template),
    _rule("aws-access-key", "akia asia", r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])", _no_example),
    _folded(
        "aws-secret-key", "secret", rf"secret_?(?:access_?)?key{_ASSIGNED}([a-z0-9/+]{{40}})(?![a-z0-9/+=])",
        lambda value: _mixed(value) and _no_example(value),
    ),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_FREE}gh[pousr]_[A-Za-z0-9]{{36,255}}", _random),
    _rule("github-token", "github_pat_", rf"{_FREE}github_pat_[A-Za-z0-9_]{{60,255}}", _random),
    _rule("anthropic-key", "sk-ant-", rf"{_FREE}sk-ant-[A-Za-z0-9_-]{{20,256}}", _random),
    _rule("openrouter-key", "sk-or-", rf"{_FREE}sk-or-v1-[a-f0-9]{{64}}"),
    _rule(
        "openai-key", "sk-", rf"{_FREE}sk-(?!ant-|or-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{{20,256}}", _mixed,
    ),
    _rule("slack-token", "xox", rf"{_FREE}xox[abeoprs]-[A-Za-z0-9-]{{10,256}}", _random),
    _rule("slack-token", "xapp-", rf"{_FREE}xapp-\d-[A-Za-z0-9-]{{20,256}}", _random),
    _rule(
        "slack-webhook", "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9]{5,20}/[A-Za-z0-9]{5,20}/[A-Za-z0-9/]{15,64})", _random,
    ),
    _rule("google-key", "aiza", rf"{_FREE}AIza[A-Za-z0-9_-]{{35}}(?![A-Za-z0-9_-])"),
    _rule("google-token", "ya29.", rf"{_FREE}ya29\.[A-Za-z0-9_-]{{20,1024}}", _random),
    _rule(
        "jwt", "eyj", rf"{_FREE}eyJ[A-Za-z0-9_-]{{10,4096}}\.eyJ[A-Za-z0-9_-]{{5,8192}}\.[A-Za-z0-9_-]{{10,2048}}",
    ),
    _rule(
        "authorization", "authorization",
        rf"authorization{_ASSIGNED}(?:bearer|basic|token)\s{{1,3}}([A-Za-z0-9._~+/=-]{{8,4096}})", _random,
        re.IGNORECASE,
    ),
    _rule("bearer-token", "bearer", r"\bbearer\s{1,3}([A-Za-z0-9._~+/=-]{20,4096})", _random, re.IGNORECASE),
    _rule("stripe-key", "k_live_ k_test_", rf"{_FREE}[sr]k_(?:live|test)_[A-Za-z0-9]{{16,128}}", _random),
    _rule("npm-token", "npm_", rf"{_FREE}npm_[A-Za-z0-9]{{36}}(?![A-Za-z0-9])", _mixed),
    _rule("pypi-token", "pypi-ageichlwas5vcmc", rf"{_FREE}pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{{50,512}}"),
    _rule("hugging-face-token", "hf_", rf"{_FREE}hf_[A-Za-z0-9]{{34}}(?![A-Za-z0-9])", _mixed),
    _rule("groq-key", "gsk_", rf"{_FREE}gsk_[A-Za-z0-9]{{40,64}}", _mixed),
    _rule("sendgrid-key", "sg.", rf"{_FREE}SG\.[A-Za-z0-9_-]{{22}}\.[A-Za-z0-9_-]{{43}}"),
    _rule("telegram-token", ":aa", rf"{_FREE}\d{{8,10}}:AA[A-Za-z0-9_-]{{33}}(?![A-Za-z0-9_-])"),
    _rule(
        "azure-key", "accountkey= accesskey=", r"(?:AccountKey=([A-Za-z0-9+/]{86}==)|AccessKey=([A-Za-z0-9+/]{43}=))",
        None, re.IGNORECASE,
    ),
    _rule("azure-signature", "sig=", r"[?&]sig=([A-Za-z0-9%+/=]{40,120})", _random),
    _rule(
        "discord-webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/(\d{17,20}/[A-Za-z0-9_-]{60,80})",
    ),
    _rule("age-key", "age-secret-key-", rf"{_FREE}AGE-SECRET-KEY-1[A-Z0-9]{{58}}"),
    _folded(
        "password", "pass pwd secret key token パスワード пароль",
        rf"(?:{_NAMES}){_ASSIGNED}({_VALUE})"
        rf"|t{_AHEAD}(?<!page[_-]t)(?<!next[_-]t)oken{_ASSIGNED}(?=[^\s\"'\\`,;<>&|]{{16}})({_VALUE})",
        _assigned,
    ),
    _folded("password", "pass pwd パスワード пароль", rf"(?:{_PASSWORDS}){_ASSIGNED}({_CHOSEN})", _chosen),
    _rule("password", "login", r"\blogin\s{1,3}\S{1,128}\s{1,3}password\s{1,3}(\S{4,256})", _no_template),
    _rule(
        "password", "curl",
        r"\bcurl\b[^\n|;]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'\\]{1,64}:([^\s\"'\\]{4,256})", _no_template,
    ),
    _rule("digitalocean-token", "_v1_", rf"{_FREE}do[opr]_v1_[a-f0-9]{{64}}"),
    _rule("mailgun-key", "mailgun", rf"{_FREE}key-[a-f0-9]{{32}}(?![A-Za-z0-9])", _random),
    _rule("azure-secret", "q~", rf"{_FREE}[A-Za-z0-9_~.-]{{3}}\dQ~[A-Za-z0-9_~.-]{{31,34}}", _random),
    _rule(
        "discord-token", "discord",
        rf"{_FREE}[MNO][A-Za-z0-9_-]{{23,27}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,40}}", _mixed,
    ),
    _rule("mailchimp-key", "-us", r"(?<![A-Za-z0-9])[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])", _random),
    _rule(
        "terraform-token", ".atlasv1.", rf"{_FREE}[A-Za-z0-9]{{14}}\.atlasv1\.[A-Za-z0-9_-]{{60,70}}", _random,
    ),
    _rule(
        "private", "<private>", r"<private>((?:[^<]|<(?!/?private>)){1,20000})</private>", None, re.IGNORECASE,
    ),
)  # fmt: skip
TOKEN_RULES: Final = tuple(_token(token) for token in TOKENS)
"""Those whose hint is inside of ``LONG_RUN`` characters without white space."""
