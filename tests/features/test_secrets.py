"""Secrets are masked by their shape; what only looks random is left alone. All secrets here are made when tests run."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import uuid

import pytest

from omoide.text.secret_detector import MODULE, installed
from omoide.text.secrets import Span, mask, mask_bytes

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
CAPITALS = string.ascii_uppercase + "234567"


def made(length: int, alphabet: str = LETTERS, seed: int = 7) -> str:
    """Return invented characters in which every class of the alphabet occurs."""
    classes = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
    chance = random.Random(seed)
    picked = [chance.choice(alphabet) for _ in range(length)]
    for place, kind in enumerate(classes):
        if shared := sorted(set(kind) & set(alphabet)):
            picked[place] = chance.choice(shared)
    return "".join(picked)


PEM = "\n".join(made(64, LETTERS + "+/", seed) for seed in range(20))
SECRETS = {
    "github-token": "gh" + "p_" + made(36),
    "github-token (fine)": "github" + "_pat_" + made(22) + "_" + made(59),
    "gitlab-token": "gl" + "pat-" + made(20),
    "anthropic-key": "sk-" + "ant-api03-" + made(93),
    "openai-key": "sk-" + "proj-" + made(48),
    "openai-key (old)": "sk-" + made(48),
    "openrouter-key": "sk-" + "or-v1-" + made(64, HEX),
    "aws-access-key": "AK" + "IA" + made(16, CAPITALS),
    "slack-token": "xo" + "xb-" + made(12, string.digits) + "-" + made(24),
    "google-key": "AI" + "za" + made(35),
    "google-token": "ya" + "29." + made(60),
    "jwt": "ey" + "J" + made(30) + "." + "ey" + "J" + made(60) + "." + made(43),
    "stripe-key": "sk_" + "live_" + made(24),
    "npm-token": "np" + "m_" + made(36),
    "pypi-token": "pypi-" + "AgEIcHlwaS5vcmc" + made(70),
    "hugging-face-token": "h" + "f_" + made(34),
    "groq-key": "gs" + "k_" + made(52),
    "sendgrid-key": "S" + "G." + made(22) + "." + made(43),
    "telegram-token": made(9, "123456789") + ":A" + "A" + made(33),
    "age-key": "AGE-SECRET-" + "KEY-1" + made(58, CAPITALS),
}
IN_CONTEXT = {
    "url-password": ("postgres://app:{}@db.example.com:5432/x", made(12)),
    "aws-secret-key": ("aws_secret_access_key = {}", made(40, LETTERS + "+/")),
    "authorization": ("Authorization: Basic {}", base64.b64encode(made(20).encode()).decode()),
    "bearer-token": ("curl -H 'X: bearer {}'", made(40)),
    "slack-webhook": ("https://hooks.slack.com/services/{}", "T" + made(9) + "/B" + made(9) + "/" + made(24)),
    "azure-key": ("AccountKey={};", made(86) + "=="),
    "password": ('DB_PASSWORD="{}"', "tr0ub4dor&3X"),
    "password (json)": ('{{"api_key": "{}"}}', made(24)),
    "password (ja)": ("パスワード：{}", "Sakura!2026x"),
    "password (fr)": ("mot de passe = {}", "Été-2026-fleur"),
    "password (after a line end in JSON)": (r'{{"command": "cd x\npassword={}"}}', "hunter2horse"),
    "private": ("<private>{}</private>", 'what "nobody" is to <b>read</b>,\non two lines'),
}
INNOCENT = {
    "git hash": "commit " + hashlib.sha1(b"x", usedforsecurity=False).hexdigest(),
    "checksum": "sha256:" + hashlib.sha256(b"x").hexdigest(),
    "uuid": f"session {uuid.UUID(int=2**100)} token: {uuid.UUID(int=2**99)}",
    "picture": "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 40).decode(),
    "kebab words": "sk-this-is-a-long-name-of-a-style-class-in-a-page",
    "variable": "password = os.environ['DB_PASSWORD'] and api_key=config.settings.api_key_2",
    "call": "secret = get_secret_value(Name='db1')",
    "template": "https://user:${PASSWORD}@host and {{ db.password }} and token: <YOUR-TOKEN-1>",
    "prose": "The password: it should be long. 秘密のパスワードを忘れた。 Le mot de passe est oublié.",
    "url with port": "http://localhost:8080/a@b and git@github.com:acme/x.git",
    "documented example": "AKIAIOSFODNN7" + "EXAMPLE",
    "public key": "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "bearer of news": "the bearer of this letter may pass",
}
NESTED = [
    "sk-", "://", "eyJ", "eyJa.", "password=", "a_", "-----BEGIN PRIVATE KEY-----", "bearer ", "://a:", "Aa1_-",
    "<private>",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("around", ["{}", "key {} end", '"{}"', "日本{}語", "x={}\n", "({})"])
def test_a_secret_is_masked_and_named(name: str, around: str) -> None:
    masked, found = mask(around.format(SECRETS[name]))
    assert SECRETS[name] not in masked
    assert masked == around.format(f"[masked:{found[0].kind}]")
    assert found[0].kind == name.split(" ", maxsplit=1)[0]


@pytest.mark.parametrize("name", IN_CONTEXT)
def test_a_secret_told_by_its_surroundings_is_masked_and_they_stay(name: str) -> None:
    around, secret = IN_CONTEXT[name]
    masked, found = mask(around.format(secret))
    assert masked == around.format(f"[masked:{name.split(' ', maxsplit=1)[0]}]")
    assert len(found) == 1


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_goes_with_its_lines(kind: str) -> None:
    key = f"-----BEGIN {kind}PRIVATE KEY-----\n{PEM}\n-----END {kind}PRIVATE KEY-----"
    assert mask(f"before\n{key}\nafter")[0] == "before\n[masked:private-key]\nafter"


def test_a_private_key_that_is_cut_goes_as_far_as_it_goes() -> None:
    assert mask(f"-----BEGIN RSA PRIVATE KEY-----\n{PEM[:300]}")[0] == "[masked:private-key]"


def test_a_private_key_inside_json_is_masked_and_the_line_stays_json() -> None:
    line = json.dumps({"text": f"-----BEGIN PRIVATE KEY-----\n{PEM}\n-----END PRIVATE KEY-----"})
    assert json.loads(mask(line)[0]) == {"text": "[masked:private-key]"}


@pytest.mark.parametrize("name", SECRETS)
def test_a_line_of_json_stays_json(name: str) -> None:
    line = json.dumps({"inner": json.dumps({"password": SECRETS[name]})})
    masked, found = mask(line)
    assert found
    assert json.loads(json.loads(masked)["inner"])["password"].startswith("[masked:")


@pytest.mark.parametrize("name", INNOCENT)
def test_what_is_no_secret_is_left_alone(name: str) -> None:
    assert mask(INNOCENT[name]) == (INNOCENT[name], [])


def test_places_are_those_of_the_marks() -> None:
    text = f"é {SECRETS['github-token']} 日本 {SECRETS['stripe-key']}"
    masked, found = mask(text)
    assert [masked[mark.start : mark.end] for mark in found] == [f"[masked:{mark.kind}]" for mark in found]
    assert [mark.kind for mark in found] == ["github-token", "stripe-key"]


def test_a_long_value_goes_as_a_whole() -> None:
    assert mask(f'client_secret="{made(400)}"')[0] == 'client_secret="[masked:password]"'


def test_an_allowed_secret_stays() -> None:
    token = SECRETS["github-token"]
    assert mask(token, allow={token}) == (token, [])


def test_masking_twice_changes_nothing() -> None:
    once, _ = mask(" ".join(SECRETS.values()))
    assert mask(once) == (once, [])


def test_bytes_that_are_no_text_come_back_as_they_were() -> None:
    raw = b"\xff\xfe " + SECRETS["github-token"].encode() + b" \x80"
    assert mask_bytes(raw)[0] == b"\xff\xfe [masked:github-token] \x80"
    assert mask_bytes(b"\xff plain") == (b"\xff plain", [])


def test_a_detector_finds_more_and_overlaps_are_one_mark() -> None:
    token = SECRETS["github-token"]

    def detector(text: str) -> list[Span]:
        return [Span("other", text.index(token), len(text)), Span("house", 0, 4)]

    masked, found = mask(f"abcd {token}!", detector=detector)
    assert masked == "[masked:house] [masked:other]"
    assert len(found) == 2


def test_the_installed_detector_agrees_on_places() -> None:
    """Where the extra is installed, it masks the same token in the same place; elsewhere there is none."""
    detector = installed()
    token = SECRETS["github-token"]
    assert mask(f"日本 {token} é", detector=detector)[0].startswith("日本 [masked:")
    assert mask(f"日本 {token} é", detector=detector)[0].endswith("] é")
    assert MODULE == "kingfisher_sdk"


@pytest.mark.parametrize("part", NESTED)
def test_the_work_grows_with_the_text_and_not_faster(part: str) -> None:
    """A megabyte of beginnings ends well inside the time limit of a test, which a quadratic search does not."""
    mask(part * (1_000_000 // len(part)))
