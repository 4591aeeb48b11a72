"""The HTTP door: the routes and bodies of rmbr, and every other operation of the table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from starlette.testclient import TestClient
from tests.surfaces.doors import bearer, web

import omoide
from omoide import Memory
from omoide.ops import OPERATIONS
from omoide.server import build_app as build_app_by_its_other_name

SESAME: Final = "open sesame"
ROUTES = [
    (operation, route) for operation in OPERATIONS.values() for route in operation.doors.http
]  # fmt: skip


@pytest.fixture
def client(db: Path) -> Iterator[TestClient]:
    with web(db) as one:
        yield one


def remembered(client: TestClient, text: str = "lives in Osaka", **more: Any) -> int:
    answer = client.post("/memories", json={"text": text, **more})
    assert answer.status_code == 201
    return int(answer.json()["id"])


def test_health_needs_nothing_and_names_the_version(client: TestClient) -> None:
    answer = client.get("/health")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "namespace": "default", "version": omoide.__version__}


def test_the_application_has_two_names() -> None:
    from omoide.serve.http import build_app

    assert build_app is build_app_by_its_other_name


def test_a_memory_comes_back_as_it_was_sent(client: TestClient) -> None:
    made = remembered(client, "東京タワー\nl'été", metadata={"a": [1, {"b": None}]}, pinned=True)
    record = client.get(f"/memories/{made}").json()
    assert record["text"] == "東京タワー\nl'été"
    assert record["metadata"] == {"a": [1, {"b": None}]}
    assert record["pinned"] is True
    assert record["namespace"] == "default"
    assert record["created_at"].endswith("+00:00")


def test_search_answers_results_and_timings(client: TestClient) -> None:
    made = remembered(client)
    answer = client.post("/memories/search", json={"query": "Who lives in Osaka?", "k": 3, "recency_weight": 0.1})
    assert answer.status_code == 200
    body = answer.json()
    assert [hit["id"] for hit in body["results"]] == [made]
    assert body["results"][0]["bm25_score"] > 0
    assert "total_ms" in body["timings"]


def test_a_list_is_filtered_by_a_where_in_the_query(client: TestClient) -> None:
    remembered(client, "one", metadata={"n": 1})
    wanted = remembered(client, "two", metadata={"n": 2})
    rows = client.get("/memories", params={"where": json.dumps({"n": {"$gt": 1}}), "limit": 5}).json()["results"]
    assert [row["id"] for row in rows] == [wanted]


def test_an_update_says_updated_and_one_of_nothing_is_not_found(client: TestClient) -> None:
    made = remembered(client)
    answer = client.patch(f"/memories/{made}", json={"text": "lives in Kyoto"})
    assert (answer.status_code, answer.json()["status"]) == (200, "updated")
    assert client.get(f"/memories/{made}").json()["text"] == "lives in Kyoto"
    assert client.patch("/memories/99", json={"text": "x"}).status_code == 404


def test_a_forgotten_memory_is_gone_and_a_missing_one_not_found(client: TestClient) -> None:
    made = remembered(client)
    gone = client.delete(f"/memories/{made}")
    assert (gone.status_code, gone.content) == (204, b"")
    assert client.get(f"/memories/{made}").status_code == 404
    assert client.delete("/memories/99").status_code == 404


def test_documents_are_added_searched_counted_and_deleted(client: TestClient) -> None:
    made = client.post("/documents", json={"text": "Deploy with make ship.", "source": "docs/deploy.md"})
    assert made.status_code == 201
    document = made.json()["id"]
    found = client.post("/search", json={"query": "make ship"}).json()["results"]
    assert found[0]["document_id"] == document
    assert client.get("/documents/stats").status_code == 200
    assert client.delete(f"/documents/{document}").status_code == 204
    assert client.delete(f"/documents/{document}").status_code == 404
    assert client.post("/search", json={"query": "make ship"}).json()["results"] == []


def test_time_travel_over_http(client: TestClient) -> None:
    made = remembered(client, "works at Acme", subject="user", valid_from="2024-04-01")
    revised = client.post(f"/memories/{made}/revise", json={"text": "works at Globex", "valid_from": "2026-02-01"})
    assert revised.json()["version"]["text"] == "works at Globex"
    then = client.post("/memories/search", json={"query": "works", "valid_at": "2025-01-01"}).json()["results"]
    assert [hit["text"] for hit in then] == ["works at Acme"]
    assert client.get(f"/memories/{made}", params={"valid_at": "2025-01-01"}).json()["text"] == "works at Acme"
    timeline = client.get("/memories/timeline", params={"subject": "user"}).json()["versions"]
    assert [version["text"] for version in timeline] == ["works at Acme", "works at Globex"]
    assert len(client.get(f"/memories/{made}/why").json()["versions"]) == 3
    assert client.get("/memories/diff", params={"since": "2024-01-01"}).json()["revised"]


def test_the_audit_is_shown_and_verified(client: TestClient) -> None:
    remembered(client)
    events = client.get("/audit").json()["results"]
    assert [(event["op"], event["door"]) for event in events] == [("remember", "http")]
    head = client.get("/audit/head").json()["head"]
    assert client.get("/audit/verify", params={"head": head}).json()["findings"] == []


def test_forgetting_by_selector_has_to_be_confirmed(client: TestClient) -> None:
    made = remembered(client, source="chat")
    asked = client.post("/memories/forget", json={"source": "chat"})
    assert (asked.status_code, asked.json()["code"]) == (409, "confirmation_needed")
    would = client.post("/memories/forget", json={"source": "chat", "dry_run": True})
    assert would.json()["ids"] == [made]
    assert client.post("/memories/forget", json={"source": "chat", "confirm": True}).json()["ids"] == [made]


def test_purging_needs_a_token(db: Path, client: TestClient) -> None:
    made = remembered(client)
    assert client.post("/memories/purge", json={"id": made, "confirm": True}).status_code == 403
    with web(db, token=SESAME) as trusted:
        assert trusted.post("/memories/purge", json={"id": made}, headers=bearer(SESAME)).status_code == 409
        receipt = trusted.post("/memories/purge", json={"id": made, "confirm": True}, headers=bearer(SESAME))
        assert receipt.json()["purged_ids"] == [made]


def test_a_retry_under_a_key_returns_the_first_result(client: TestClient) -> None:
    first = remembered(client, idempotency_key="once")
    client.delete(f"/memories/{first}")
    assert remembered(client, idempotency_key="once") == first
    other = client.post("/memories", json={"text": "something else", "idempotency_key": "once"})
    assert other.status_code == 400


def test_a_rejected_value_is_a_conflict(client: TestClient) -> None:
    made = remembered(client)
    client.post(f"/memories/{made}/reject", json={"reason": "wrong"})
    again = client.post("/memories", json={"text": "lives in Osaka"})
    assert (again.status_code, again.json()["code"]) == (409, "rejected_value")


def test_a_read_only_server_writes_nothing(db: Path) -> None:
    with Memory(db, embedder="none") as memory:
        made = memory.remember("lives in Osaka")
    with web(db, read_only=True) as client:
        assert client.post("/memories/search", json={"query": "Osaka"}).json()["results"]
        for operation, route in ROUTES:
            if operation.effect != "read":
                path = route.path.replace("{id}", str(made))
                assert client.request(route.method, path).status_code == 405, path


@pytest.mark.parametrize("operation, route", ROUTES, ids=lambda one: getattr(one, "name", None) or one.method)
def test_every_route_of_the_table_is_there_and_described(client: TestClient, operation: Any, route: Any) -> None:
    described = client.get("/openapi.json").json()["paths"][route.path][route.method.lower()]
    assert str(route.status) in described["responses"]
    path = route.path.replace("{id}", "1")
    answer = client.request(route.method, path)
    assert answer.status_code not in (405, 500), answer.text
    assert answer.headers.get("content-type", "application/json") == "application/json"


def test_the_description_is_openapi_with_every_parameter_described(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    for path, methods in described["paths"].items():
        for operation in methods.values():
            assert operation["summary"]
            assert all(parameter["description"] for parameter in operation.get("parameters", ())), path
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            names = [p["name"] for p in operation.get("parameters", ())] + list(schema.get("properties", ()))
            assert not [name for name in names if "namespace" in name], path


def test_unknown_paths_and_methods_are_answered_in_json(client: TestClient) -> None:
    assert client.get("/nope").json()["code"] == "no_such_path"
    wrong = client.put("/memories")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "no_such_method")


def test_the_namespace_is_the_servers_and_no_argument_widens_it(db: Path) -> None:
    with Memory(db, "secret", embedder="none") as memory:
        hidden = memory.remember("the code is 1234")
    with web(db, namespace="open") as client:
        assert client.get(f"/memories/{hidden}").status_code == 404
        assert client.post("/memories/search", json={"query": "code"}).json()["results"] == []
        for name in ("namespace", "namespaces"):
            refused = client.post("/memories/search", json={"query": "code", name: "secret"})
            assert refused.status_code == 400
            assert client.get("/memories", params={name: "secret"}).status_code == 400
