"""schemathesis on our own OpenAPI description: no server error, nothing that the description does not say."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from omoide import Index, Memory
from omoide.serve.http import build_app

FOLDER = Path(tempfile.mkdtemp())
STORE = FOLDER / "agents.db"
TOKEN = "a token of this suite"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]

with Memory(STORE, embedder="none") as memory, Index(STORE, embedder="none") as index:
    for number in range(5):
        memory.remember(f"fact number {number}", subject="user", source="chat", metadata={"n": number})
    memory.revise(1, "another fact")
    index.add_text("Deploy with make ship.", source="docs/deploy.md")

app = build_app(STORE, embedder="none", token=TOKEN)
schema = schemathesis.openapi.from_asgi("/openapi.json", app)


@schema.parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_one_that_is_described(case: Any) -> None:
    case.call_and_validate(headers=HEADERS, base_url="http://127.0.0.1", checks=CHECKS)


def test_authorization_is_enforced() -> None:
    from starlette.testclient import TestClient

    client = TestClient(app, base_url="http://127.0.0.1")
    for path, methods in app_paths().items():
        for method in methods:
            answer = client.request(method, path.replace("{id}", "1"))
            assert answer.status_code in ((200,) if path == "/health" else (401, 429)), path


def app_paths() -> dict[str, Any]:
    return dict(schema.raw_schema["paths"])


if __name__ == "__main__":
    pytest.main([__file__])
