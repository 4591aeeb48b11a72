"""The usual secrets of developers, by the shape that their issuers document, and ordinary text that only looks so."""

from __future__ import annotations

import base64
import hashlib
import json
import string
import uuid
from pathlib import Path

import pytest
from tests.features.test_secrets import CAPITALS, HEX, made

from omoide import History
from omoide.text.secrets import mask

DIGITS = string.digits
LOWER = string.ascii_lowercase + DIGITS
WIDE = string.ascii_letters + DIGITS + "+/"
KINDS: dict[str, str] = {
    "AWS access key": "AK" + "IA" + made(16, CAPITALS),
    "AWS temporary key": "AS" + "IA" + made(16, CAPITALS),
    "AWS secret key": 'aws_secret_access_key = "' + "{" + made(40, WIDE) + "}" + '"',
    "AWS session token": "AWS_SESSION_TOKEN=" + "{" + made(200, WIDE) + "}",
    "Google API key": "AI" + "za" + made(35),
    "Google OAuth secret": "GOC" + "SPX-" + made(28),
    "Google access token": "ya" + "29." + made(80),
    "GCP service account": '"private_key": "{-----BEGIN ' + "PRIVATE KEY-----\\n" + made(64, WIDE) + "\\n-----END "
    'PRIVATE KEY-----}\\n"',
    "Azure storage": "AccountKey={" + made(86, WIDE) + "==}",
    "Azure shared access": "SharedAccessKey={" + made(43, WIDE) + "=}",
    "Azure AD client secret": made(3) + "8Q" + "~" + made(34),
    "Azure SAS": "https://x.blob.core.windows.net/a?sv=2022&sig={" + made(43) + "%3D}&se=2026",
    "GitHub classic": "gh" + "p_" + made(36),
    "GitHub OAuth": "gh" + "o_" + made(36),
    "GitHub app": "gh" + "s_" + made(36),
    "GitHub fine-grained": "github" + "_pat_" + made(22) + "_" + made(59),
    "GitLab personal": "gl" + "pat-" + made(20),
    "GitLab deploy": "gl" + "dt-" + made(20),
    "GitLab runner": "gl" + "rt-" + made(20),
    "Bitbucket": "AT" + "BB" + made(32),
    "Atlassian": "AT" + "ATT3xFfGF0" + made(180) + "=" + made(8, "0123456789ABCDEF"),
    "Slack bot": "xo" + "xb-" + made(12, DIGITS) + "-" + made(12, DIGITS) + "-" + made(24),
    "Slack app": "xa" + "pp-1-A" + made(10, CAPITALS) + "-" + made(13, DIGITS) + "-" + made(64, HEX),
    "Slack webhook": "https://hooks.slack.com/services/{T" + made(9) + "/B" + made(9) + "/" + made(24) + "}",
    "Discord bot": "discord: {M" + made(25) + "." + made(6) + "." + made(38) + "}",
    "Discord webhook": "https://discord.com/api/webhooks/{" + made(18, DIGITS) + "/" + made(68) + "}",
    "Telegram bot": made(9, "123456789") + ":A" + "A" + made(33),
    "Stripe secret": "sk_" + "live_" + made(24),
    "Stripe restricted": "rk_" + "live_" + made(24),
    "Stripe webhook": "wh" + "sec_" + made(32),
    "Square": "sq0" + "atp-" + made(22),
    "PayPal Braintree": "access_token$production$" + made(16, LOWER) + "$" + made(32, HEX),
    "Shopify": "sh" + "pat_" + made(32, HEX),
    "Twilio API key": "S" + "K" + made(32, HEX),
    "Twilio token": "TWILIO_AUTH_TOKEN={" + made(32, HEX) + "}",
    "SendGrid": "S" + "G." + made(22) + "." + made(43),
    "Mailgun": "mailgun: {key-" + made(32, HEX) + "}",
    "Mailchimp": made(32, HEX) + "-us" + "14",
    "OpenAI": "sk-" + made(48),
    "OpenAI project": "sk-" + "proj-" + made(120),
    "Anthropic": "sk-" + "ant-api03-" + made(93) + "AA",
    "OpenRouter": "sk-" + "or-v1-" + made(64, HEX),
    "Hugging Face": "h" + "f_" + made(34),
    "Groq": "gs" + "k_" + made(52),
    "Replicate": "r" + "8_" + made(37),
    "xAI": "xa" + "i-" + made(80),
    "Perplexity": "pp" + "lx-" + made(48),
    "Tavily": "tv" + "ly-" + made(32),
    "LangSmith": "ls" + "v2_pt_" + made(32, HEX) + "_" + made(10, HEX),
    "npm": "np" + "m_" + made(36),
    "npm (.npmrc)": "//registry.npmjs.org/:_authToken={" + str(uuid.UUID(int=2**77 + 12345))[:8] + made(28) + "}",
    "PyPI": "pypi-" + "AgEIcHlwaS5vcmc" + made(70),
    "RubyGems": "ruby" + "gems_" + made(48, HEX),
    "Docker": "dckr" + "_pat_" + made(27),
    "DigitalOcean": "do" + "p_v1_" + made(64, HEX),
    "Heroku": "HRK" + "U-" + made(60),
    "Fly": "Fly" + "V1 fm2_" + made(120, WIDE),
    "Netlify": "nf" + "p_" + made(36),
    "Supabase": "sb" + "p_" + made(40, HEX),
    "PlanetScale": "ps" + "cale_tkn_" + made(43),
    "Databricks": "da" + "pi" + made(32, HEX),
    "Vault": "hv" + "s." + made(95),
    "Terraform": made(14) + ".atlas" + "v1." + made(67),
    "Doppler": "dp" + ".pt." + made(43),
    "Grafana": "gl" + "sa_" + made(32) + "_" + made(8, HEX),
    "New Relic": "NR" + "AK-" + made(27, CAPITALS),
    "Sentry": "snt" + "rys_" + made(120),
    "Datadog": "DD_API_KEY={" + made(32, HEX) + "}",
    "Linear": "lin" + "_api_" + made(40),
    "Notion": "nt" + "n_" + made(46),
    "Figma": "fi" + "gd_" + made(40),
    "Airtable": "pa" + "t" + made(14) + "." + made(64, HEX),
    "Postman": "PM" + "AK-" + made(24, HEX) + "-" + made(34, HEX),
    "Dropbox": "s" + "l.B" + made(130),
    "JWT": "ey" + "J" + made(30) + "." + "ey" + "J" + made(60) + "." + made(43),
    "Bearer header": "Authorization: Bearer {" + made(40) + "}",
    "Basic header": "Authorization: Basic {" + base64.b64encode(made(20).encode()).decode() + "}",
    "header": "X-Api-Key: {" + made(32) + "}",
    "PostgreSQL address": "postgresql://app:{" + made(12) + "}@db.example.com/x",
    "MongoDB address": "mongodb+srv://app:{" + made(12) + "}@c0.example.mongodb.net",
    "Redis address": "redis://:{" + made(20) + "}@cache:6379/0",
    "MySQL address": "mysql://root:{" + "hunter2horse" + "}@localhost/app",
    "proxy": "http://user:{" + "p4ssw0rd!" + "}@proxy.example.com:3128",
    "PGPASSWORD": "PGPASSWORD={" + "hunter2horse" + "} psql -h db",
    "netrc": "machine api.example.com login me password {" + made(16) + "}",
    "environment": "export DATABASE_PASSWORD='{" + "Tr0ub4dor&3" + "}'",
    "YAML": "client_secret: {" + made(40) + "}",
    "JSON": '{"refresh_token": "' + "{" + "1//0" + made(90) + "}" + '"}',
    "token": "DISCORD_TOKEN={" + made(59) + "}",
    "curl": "curl -u 'me:{" + "hunter2horse" + "}' https://api.example.com",
    "age": "AGE-SECRET-" + "KEY-1" + made(58, CAPITALS),
    "RSA": "-----BEGIN RSA " + "PRIVATE KEY-----\n" + made(64, WIDE) + "\n-----END RSA " + "PRIVATE KEY-----",
    "PGP": "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n\n" + made(64, WIDE) + "\n-----END PGP "
    "PRIVATE KEY BLOCK-----",
}  # fmt: skip
"""What is between the braces, else all of it, is the secret."""
ORDINARY: dict[str, str] = {
    "git log": "commit 8f3b1c2d4e5f60718293a4b5c6d7e8f901234567 (HEAD -> main)\nMerge: 1a2b3c4 5d6e7f8",
    "digest": f"sha256:{hashlib.sha256(b'a').hexdigest()} and sha512-{base64.b64encode(bytes(range(64))).decode()}",
    "md5": f"md5 {hashlib.md5(b'a', usedforsecurity=False).hexdigest()}  file.iso; etag key-{'0a' * 16}",
    "uuid": f"id={uuid.UUID(int=3**70)} session={uuid.UUID(int=3**71)} api_key={uuid.UUID(int=3**72)}",
    "picture": "![x](data:image/png;base64," + base64.b64encode(bytes(range(256)) * 30).decode() + ")",
    "lock file": 'integrity "sha512-' + base64.b64encode(bytes(range(100, 164))).decode() + '"',
    "ssh public key": "ssh-ed25519 " + "AAAAC3NzaC1lZDI1NTE5AAAAI" + made(43, WIDE) + " me@host",
    "certificate": "-----BEGIN CERTIFICATE-----\n" + made(64, WIDE) + "\n-----END CERTIFICATE-----",
    "japanese": "パスワードを変更してください。トークンの有効期限は30日です。秘密鍵は共有しないこと。トークン：未設定",
    "french": "Le mot de passe doit contenir 12 caractères. Jeton : voir la documentation. Clé secrète à renouveler.",
    "russian": "Пароль нужно сменить. Токен доступа действует 30 дней.",
    "python": "token = tokens[0]\npassword = getpass()\napi_key = os.getenv('API_KEY')\nsecret = settings.SECRET_KEY_2",
    "types": "def login(user: str, password: str | None = None, token: Token = DEFAULT_TOKEN) -> Session2: ...",
    "javascript": "const token = req.headers['x-auth-token']; const secret = process.env.JWT_SECRET_V2 ?? '';",
    "template": "token: ${{ secrets.GITHUB_TOKEN }}\npassword: {{ vault_password_2 }}\nkey: $API_KEY_1\nurl: u:$PASS@h",
    "placeholder": "api_key: YOUR_API_KEY_HERE token=<your-token-1> password=xxxxxxxx1 secret=... GITHUB_TOKEN=***",
    "usage": '{"input_tokens": 1234, "output_tokens": 5678, "max_tokens": 4096, "token_count": 12}',
    "tokenizer": "token 50256 is '<|endoftext|>'; next_token='Ġworld2'; pad_token: [PAD]; eos_token=</s>",
    "css": ".sk-fading-circle .sk-circle12 { animation: sk-circleFadeDelay 1.2s } .hf_header-2 { top: 0 }",
    "snake names": "npm_config_registry npm_package_version lin_api_client figd_renderer sbp_handler r8_shrinker",
    "paths": "/usr/lib/python3.11/site-packages/pypi_simple/sk-learn/xai-tools/pplx-view/hvs.py a.atlasv1.tf",
    "address": "git@github.com:acme/api.git http://localhost:8080/a@b https://example.com/@user:1/x?token=abc",
    "time": "12:34:56 2026-05-01T12:00:00Z 192.168.0.1:5432 user:1000:1000 12345678:AAPL",
    "words": "a bearer token is sent; basic authorization; the secret key of success; private key: keep it safe",
    "assigned words": "access_key: see_the_wiki, auth_token = refresh_token_from_cookie, client_secret: rotated-yearly",
    "SK words": "SKU SKETCHBOOK SK8ER ACCESS DAPIBUS dapibus PATTERN pat.test HRKU sl.Button",
    "snowflake": "user 123456789012345678 said MTA in 2024.05.01 M.A.S.H v1.2.3-beta.4",
    "minified": "!function(e,t){var n=e.sk_test_helper,r=t.password||'';return n(r)}(a1B2c3,d4E5f6);",
}  # fmt: skip


def parts(shape: str) -> tuple[str, str]:
    """Return the text and the secret in it."""
    start, end = shape.find("{"), shape.rfind("}")
    if shape.startswith('{"'):
        start, end = shape.find("{", 1), shape.rfind("}", 0, -1)
    if start < 0:
        return shape, shape
    secret = shape[start + 1 : end]
    return shape[:start] + secret + shape[end + 1 :], secret


@pytest.mark.parametrize("name", KINDS)
def test_the_usual_secrets_are_masked_by_the_rules_that_come_with_the_install(name: str) -> None:
    text, secret = parts(KINDS[name])
    for around in ("{}", "I set it: {} and went on", "日本{}語" if text == secret else "{}", '"{}"', "x\n{}\n"):
        masked, found = mask(around.format(text))
        assert secret not in masked, (around, masked)
        assert found, around
        left = masked
        for mark in found:
            left = left.replace(f"[masked:{mark.kind}]", "")
        assert max((len(piece) for piece in left.split() if piece in secret), default=0) < 8, (around, masked)


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_text_is_left_alone(name: str) -> None:
    assert mask(ORDINARY[name])[0] == ORDINARY[name]


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_text_inside_json_is_left_alone(name: str) -> None:
    line = json.dumps({"text": ORDINARY[name]}, ensure_ascii=False)
    assert mask(line)[0] == line


def test_no_file_of_a_store_holds_a_secret_that_was_taken_in(tmp_path: Path) -> None:
    lines = [f"User: here is {parts(shape)[0]}\n" for shape in KINDS.values()]
    (tmp_path / "t.txt").write_text("\n".join(lines), encoding="utf-8")
    with History(tmp_path / "a.db", embedder="none") as his:
        assert his.ingest(tmp_path / "t.txt").masked >= len(KINDS)
        his.save("\n".join(lines), project="p", summary=lines[3], tags=["x"])
    whole = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.name.startswith("a.db"))
    assert [name for name, shape in KINDS.items() if parts(shape)[1].encode() in whole] == []
