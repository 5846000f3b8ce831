"""Umpteen's own part of the API: reasons, cards, search, health, metrics, the page's files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import umpteen
from app.server.conftest import BREAD
from app.server.test_annif import is_problem, suggest
from toy import toy
from umpteen.app.server.search import Search


def explain(client: TestClient, project: str = "tree", **body: Any) -> Any:
    return client.post(f"/v1/projects/{project}/explain", json=body)


def test_explains_by_words(client: TestClient, models: dict[str, Path]) -> None:
    text = f"🍞 {BREAD}"
    reasons = explain(client, text=text, label="Baking").json()
    assert "".join(piece["text"] for piece in reasons["pieces"]) == text
    lit = {piece["text"].lower() for piece in reasons["pieces"] if piece["share"] > 0}
    assert lit & {"bread", "oven", "dough", "yeast", "loaf", "bakery", "crust"}
    literal = umpteen.load(models["tree"]).explain([text], "baking")
    assert reasons["score"] == pytest.approx(literal.score)
    assert [span["start"] for span in reasons["spans"]] == [span.start for span in literal.spans]
    assert reasons["features"]["for"][0]["weight"] > 0 and reasons["summary"]


def test_explains_the_best_label_by_neighbours(client: TestClient) -> None:
    reasons = explain(client, "near", text=BREAD).json()
    assert reasons["uri"] == "baking"
    assert "Baking" in reasons["neighbours"][0]["labels"] and "vote" in reasons["neighbours_summary"]


def test_explains_by_members(serving: Callable[..., Any], models: dict[str, Path], tmp_path: Path) -> None:
    texts, labels = toy()
    members = (str(models["tree"]), str(models["near"]))
    umpteen.Consensus(members=members).fit(texts, labels).save(tmp_path / "both")
    with serving(models={"both": str(tmp_path / "both")}) as client:
        first, second = explain(client, "both", text=BREAD, label="baking").json()["members"]
    assert first["place"] == 1 and first["reasons"]["features"]["for"] and "place 1" in first["said"]
    assert second["reasons"]["neighbours"]


def test_explains_as_a_page(client: TestClient) -> None:
    body, header = {"text": "<script>bread</script> oven"}, {"Accept": "text/html"}
    answer = client.post("/v1/projects/tree/explain", json=body, headers=header)
    assert answer.headers["content-type"].startswith("text/html") and "<script>" not in answer.text
    assert "script-src" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize("body", [{"text": ""}, {"text": "x", "label": "bakery"}, {"text": "x", "by": "attention"}, {}])
def test_refuses_to_explain(client: TestClient, body: dict[str, str]) -> None:
    is_problem(explain(client, **body), 400)


def test_an_unknown_label_gets_a_hint(client: TestClient) -> None:
    assert "Did you mean 'Baking'?" in is_problem(explain(client, text=BREAD, label="bakin"), 400)


def test_card(client: TestClient) -> None:
    card = client.get("/v1/projects/tree/card").json()
    assert card["model"] == "plt" and card["bytes"] > 1000 and card["scores"] is None
    assert card["data"]["documents"] == 120 and card["data"]["labels"] == 6 and card["data"]["hierarchy"]
    settings = {one["name"]: one for one in card["settings"]}
    assert settings["trees"]["value"] == 1 and settings["trees"]["default"] == 3 and settings["trees"]["meaning"]


def test_card_shows_scores_kept_with_the_model(
    umpteen: Callable[..., Any], data: Path, model: Path, serving: Callable[..., Any]
) -> None:
    assert umpteen("evaluate", model, data, "--save", model / "evaluation.json").code == 0
    with serving(models={"m": str(model)}) as client:
        scores = client.get("/v1/projects/m/card").json()["scores"]
    assert scores["metrics"]["P@1"] == pytest.approx(100)


def test_searches_labels(client: TestClient) -> None:
    [music] = client.get("/v1/projects/tree/labels?query=MUS").json()["labels"]
    assert (music["uri"], music["label"], music["path"]) == ("music", "Music", ["Crafts", "Music"])
    assert music["count"] > 0
    assert client.get("/v1/projects/tree/labels?query=nothing").json() == {"labels": []}
    assert len(client.get("/v1/projects/tree/labels?limit=4").json()["labels"]) == 4


def test_search_puts_beginnings_first(models: dict[str, Path]) -> None:
    space = umpteen.load(models["tree"]).labels_
    names = [space.keys[number] for number in Search(space).find("a", 10)]
    assert names[0] == "astronomy"


def test_health(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/ready").json() == {"status": "ready"}


def test_metrics(client: TestClient) -> None:
    suggest(client, text=BREAD)
    lines = client.get("/metrics").text.splitlines()
    [counted] = [line for line in lines if 'suggest"' in line and 'status="200"' in line and "requests_total" in line]
    assert float(counted.rpartition(" ")[2]) >= 1
    assert 'umpteen_labels{project="tree"} 6.0' in lines
    assert any(line.startswith("umpteen_batch_documents_count") for line in lines)


def test_the_page_brings_its_files(client: TestClient) -> None:
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "://" not in page.text.replace("http://www.w3.org", "")  # nothing from elsewhere
    for name in ("style.css", "script.js", "server.js", "reasons.js", "corrections.js", "elements.js", "icon.svg"):
        answer = client.get(f"/web/{name}")
        assert answer.status_code == 200 and "import" not in answer.headers
        again = client.get(f"/web/{name}", headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304
    is_problem(client.get("/web/other.js"), 404)
    is_problem(client.get("/web/..%2Fpage.py"), 404)


def test_openapi(client: TestClient) -> None:
    made = client.get("/v1/openapi.json").json()
    suggest = made["paths"]["/v1/projects/{project_id}/suggest"]["post"]
    assert [*suggest["requestBody"]["content"]] == ["application/x-www-form-urlencoded"]
    assert {"200", "400", "404", "413", "415", "503"} <= suggest["responses"].keys()
    assert "422" not in str(made)
