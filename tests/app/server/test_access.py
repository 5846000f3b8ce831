"""Who may ask, how much, and what is told of it."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.server.conftest import BREAD
from app.server.test_annif import is_problem, suggest
from umpteen.app.commands.serve import _hosts, _origin
from umpteen.app.server.config import Config, named
from umpteen.app.server.running import is_loopback
from umpteen.core.errors import SettingError

Serving = Callable[..., Any]


def test_a_token_is_asked_for(serving: Serving) -> None:
    with serving(token="s3cret") as client:
        answer = client.get("/v1/projects")
        assert is_problem(answer, 401) and answer.headers["www-authenticate"] == "Bearer"
        for wrong in ("Bearer s3cre", "Basic s3cret", "Bearer s3cret ", "Bearer ß", ""):
            assert suggest_with(client, wrong).status_code == 401
        assert suggest_with(client, "Bearer s3cret").status_code == 200
        assert client.get("/metrics").status_code == 401
        for path in ("/", "/web/script.js", "/health", "/ready"):
            assert client.get(path).status_code == 200


def suggest_with(client: TestClient, bearer: str) -> Any:
    header = {"Authorization": bearer.encode("latin-1")}
    return client.post("/v1/projects/tree/suggest", data={"text": BREAD}, headers=header)


def test_other_names_are_turned_away(serving: Serving) -> None:
    with serving(hosts=_hosts("127.0.0.1", ["https://tags.example"])) as client:
        for host in ("127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:8000", "tags.example"):
            assert client.get("/health", headers={"Host": host}).status_code == 200
        for host in ("evil.example", "127.0.0.1.evil.example:8000", "", "evil.example:127.0.0.1"):
            is_problem(client.get("/health", headers={"Host": host}), 421)


def test_cors_is_off(client: TestClient) -> None:
    answer = client.get("/v1/projects", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_cors_by_origin(serving: Serving) -> None:
    with serving(origins=("https://library.example",), token="t") as client:
        header = {"Authorization": "Bearer t", "Origin": "https://library.example"}
        answer = client.get("/v1/projects", headers=header)
        assert answer.headers["access-control-allow-origin"] == "https://library.example"
        other = client.get("/v1/projects", headers=header | {"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers
        asked = {"Origin": "https://library.example", "Access-Control-Request-Method": "POST"}
        asked["Access-Control-Request-Headers"] = "authorization"
        assert client.options("/v1/projects/tree/suggest", headers=asked).status_code == 200


def test_headers_keep_the_page_to_itself(client: TestClient) -> None:
    for path in ("/", "/v1/projects", "/nowhere"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
    assert client.get("/v1/projects").headers["cache-control"] == "no-store"


def test_long_texts_and_bodies(serving: Serving) -> None:
    with serving(text=1000, body=10_000) as client:
        assert suggest(client, text="a " * 500).status_code == 200
        assert "1,001 characters" in is_problem(suggest(client, text="a" * 1001), 413)
        is_problem(suggest(client, text="a" * 20_000), 413, title="Payload too large")
        batch = {"documents": [{"text": "ok"}, {"text": "a" * 1001}]}
        is_problem(client.post("/v1/projects/tree/suggest-batch", json=batch), 413)
        for name in ("explain", "feedback"):
            body = {"text": "a" * 1001, "labels": []}
            is_problem(client.post(f"/v1/projects/tree/{name}", json=body), 413)
        parts = (b"text=" + b"a" * 1000 for _ in range(20))  # of a length that is not announced
        header = {"Content-Type": "application/x-www-form-urlencoded"}
        is_problem(client.post("/v1/projects/tree/suggest", content=parts, headers=header), 413)


@pytest.mark.parametrize(("log", "lines"), [("errors", 0), ("requests", 1), ("texts", 2)])
def test_texts_are_logged_only_where_asked_for(
    serving: Serving, caplog: pytest.LogCaptureFixture, log: str, lines: int
) -> None:
    with caplog.at_level(logging.INFO, "umpteen"), serving(log=log) as client:
        suggest(client, text="wheat and rye, oven and bread")
        suggest(client, text="wheat", limit="x")
    mine = [record.getMessage() for record in caplog.records if record.name.startswith("umpteen.")]
    assert any("wheat" in line for line in mine) == (log == "texts")
    assert bool(mine) == (lines > 0)


def test_names_of_models() -> None:
    assert named(["a/m", "x=b/m", "c/m2/"]) == {"m": "a/m", "x": "b/m", "m2": "c/m2/"}
    with pytest.raises(SettingError, match=r"Two models would be called 'm'.*OTHER=b/m"):
        named(["a/m", "b/m"])
    with pytest.raises(SettingError, match="ID=DIR"):
        named(["x="])


def test_what_is_local() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "::1", "localhost", "127.8.8.8")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "example.org", "10.0.0.1")))


def test_origins_are_addresses() -> None:
    assert _origin("https://library.example/page") == "https://library.example"
    with pytest.raises(SettingError, match=r"https://library\.example"):
        _origin("library.example")


def test_workers_are_told_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UMPTEEN_SERVER", raising=False)
    config = Config(models={"m": "/m"}, origins=("https://a.example",), token="t", queue=3, log="texts")
    config.hand_over()
    assert Config.handed_over() == config
