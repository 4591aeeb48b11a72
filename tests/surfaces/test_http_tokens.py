"""Tokens: who may come in over the network, as whom, and how that changes without a restart."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.surfaces.doors import bearer, web

from omoide import Memory
from omoide.errors import ConfigurationError
from omoide.serve.http import build_app, serve_http
from omoide.serve.limits import Limits

ONE, OTHER = "first-secret-token", "second-secret-token"


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    path = tmp_path / "tokens.toml"
    path.write_text(
        f"""
        [[token]]
        name = "laptop"
        token = "{ONE}"
        actor = "alice"
        trust = "stated"

        [[token]]
        name = "dashboard"
        sha256 = "{sha256(OTHER.encode()).hexdigest()}"
        namespace = "team"
        read_only = true
        """,
        encoding="utf-8",
    )
    return path


@pytest.fixture
def client(db: Path, tokens: Path) -> Iterator[TestClient]:
    with web(db, token_file=tokens) as one:
        yield one


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer wrong", f"Basic {ONE}", ONE, f"Bearer {ONE}x", "Bearer \xff"]
)
def test_without_a_token_that_is_known_nobody_comes_in(client: TestClient, header: str | None) -> None:
    headers = [] if header is None else [(b"authorization", header.encode("latin-1"))]
    answer = client.get("/memories", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_read_in_any_case(client: TestClient, scheme: str) -> None:
    assert client.get("/memories", headers={"authorization": f"{scheme} {ONE}"}).status_code == 200


def test_health_and_the_description_need_no_token(client: TestClient) -> None:
    assert client.get("/health").status_code == 200
    assert client.get("/openapi.json").status_code == 200


def test_a_write_carries_the_actor_and_trust_of_its_token(client: TestClient) -> None:
    made = client.post("/memories", json={"text": "lives in Osaka"}, headers=bearer(ONE)).json()["id"]
    record = client.get(f"/memories/{made}", headers=bearer(ONE)).json()
    assert (record["trust"], record["provenance"]["actor"], record["provenance"]["door"]) == ("stated", "alice", "http")


def test_an_argument_only_lowers_the_trust_of_a_token(client: TestClient) -> None:
    body = {"text": "read on a page", "trust": "untrusted"}
    made = client.post("/memories", json=body, headers=bearer(ONE)).json()["id"]
    assert client.get(f"/memories/{made}", headers=bearer(ONE)).json()["trust"] == "untrusted"


def test_a_token_reaches_its_own_namespace_only(client: TestClient, db: Path) -> None:
    made = client.post("/memories", json={"text": "for alice"}, headers=bearer(ONE)).json()["id"]
    with Memory(db, "team", embedder="none") as memory:
        theirs = memory.remember("for the team")
    assert client.get(f"/memories/{made}", headers=bearer(OTHER)).status_code == 404
    assert client.get(f"/memories/{theirs}", headers=bearer(OTHER)).json()["text"] == "for the team"
    assert client.get(f"/memories/{theirs}", headers=bearer(ONE)).status_code == 404


def test_a_read_only_token_writes_nothing(client: TestClient) -> None:
    client.post("/memories", json={"text": "x"}, headers=bearer(ONE))
    answer = client.post("/memories", json={"text": "x"}, headers=bearer(OTHER))
    assert (answer.status_code, answer.json()["code"]) == (403, "access_denied")


def test_only_a_person_lets_a_rejected_value_in_again(db: Path, tokens: Path) -> None:
    text = tokens.read_text(encoding="utf-8").replace('trust = "stated"', 'trust = "observed"')
    with web(db, token_file=tokens) as client:
        made = client.post("/memories", json={"text": "wrong"}, headers=bearer(ONE)).json()["id"]
        client.post(f"/memories/{made}/reject", json={}, headers=bearer(ONE))
        tokens.write_text(text, encoding="utf-8")
        assert client.post("/memories/unreject", json={"text": "wrong"}, headers=bearer(ONE)).status_code == 403
        tokens.write_text(text.replace('"observed"', '"stated"  '), encoding="utf-8")
        assert client.post("/memories/unreject", json={"text": "wrong"}, headers=bearer(ONE)).json()["changed"]


def test_tokens_change_without_a_restart(client: TestClient, tokens: Path) -> None:
    assert client.get("/memories", headers=bearer(ONE)).status_code == 200
    tokens.write_text('[[token]]\ntoken = "third-secret-token"\n', encoding="utf-8")
    assert client.get("/memories", headers=bearer(ONE)).status_code == 401
    assert client.get("/memories", headers=bearer("third-secret-token")).status_code == 200


def test_while_the_file_makes_no_sense_nobody_comes_in(client: TestClient, tokens: Path) -> None:
    good = tokens.read_text(encoding="utf-8")
    tokens.write_text("[[token", encoding="utf-8")
    answer = client.get("/memories", headers=bearer(ONE))
    assert (answer.status_code, answer.json()["code"]) == (503, "tokens_unreadable")
    tokens.write_text(good, encoding="utf-8")
    assert client.get("/memories", headers=bearer(ONE)).status_code == 200


def test_an_expired_token_lets_nobody_in(db: Path, tokens: Path) -> None:
    tokens.write_text(f'[[token]]\ntoken = "{ONE}"\nexpires = 2020-01-01\n', encoding="utf-8")
    with web(db, token_file=tokens) as client:
        assert client.get("/memories", headers=bearer(ONE)).status_code == 401


def test_guessing_is_slowed_down_and_the_right_token_is_not(db: Path) -> None:
    with web(db, token=ONE, limits=Limits(failures=3)) as client:
        codes = [client.get("/memories", headers=bearer("wrong")).status_code for _ in range(5)]
        assert codes == [401, 401, 401, 429, 429]
        assert client.get("/memories", headers=bearer(ONE)).status_code == 200


@pytest.mark.parametrize("token", ["", "   "])
def test_a_blank_token_is_refused_at_the_start(db: Path, token: str) -> None:
    with pytest.raises(ConfigurationError, match="blank"):
        build_app(db, token=token)


@pytest.mark.parametrize(
    "content, says",
    [
        ("", "no \\[\\[token\\]\\]"),
        ('[[token]]\nname = "x"', "either token or sha256"),
        ('[[token]]\ntoken = "short"', "fewer than 8"),
        ('[[token]]\nsha256 = "abc"', "64 hexadecimal"),
        (f'[[token]]\ntoken = "{ONE}"\nnamespaces = "a"', "unknown key 'namespaces'"),
        (f'[[token]]\ntoken = "{ONE}"\nnamespace = "*"', "namespace"),
        (f'[[token]]\ntoken = "{ONE}"\ntrust = "high"', "trust"),
        (f'[[token]]\ntoken = "{ONE}"\nread_only = "yes"', "read_only must be true or false"),
        (f'[[token]]\ntoken = "{ONE}"\nexpires = "soon"', "TOML date"),
    ],
)
def test_a_token_file_that_makes_no_sense_stops_the_start(db: Path, tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=says):
        build_app(db, token_file=path)


def test_a_token_file_that_is_not_there_stops_the_start(db: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        build_app(db, token_file=tmp_path / "none.toml")


def test_the_environment_protects_a_server_too(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMOIDE_TOKEN", ONE)
    with web(db) as client:
        assert client.get("/memories").status_code == 401
        assert client.get("/memories", headers=bearer(ONE)).status_code == 200


def test_a_server_that_rmbr_protected_stays_protected(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from omoide.compat.rmbr import server

    monkeypatch.setenv("RMBR_TOKEN", ONE)
    with TestClient(server.build_app(db, embedder="none"), base_url="http://localhost") as client:
        assert client.get("/memories").status_code == 401
        assert client.get("/memories", headers=bearer(ONE)).status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "memory.example"])  # noqa: S104 - refused
def test_beyond_this_machine_a_token_is_needed(db: Path, host: str) -> None:
    with pytest.raises(ConfigurationError, match="without a token"):
        serve_http(db, host=host, port=0)
