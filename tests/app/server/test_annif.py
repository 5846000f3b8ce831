"""Annif's part of the API: shapes, limits and errors as its clients know them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import umpteen
from app.server.conftest import BREAD
from toy import toy


def suggest(client: TestClient, project: str = "tree", **fields: Any) -> Any:
    return client.post(f"/v1/projects/{project}/suggest", data=fields)


def is_problem(answer: Any, status: int, *, title: str = "") -> str:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    content = answer.json()
    assert content.keys() == {"type", "title", "status", "detail"} and content["status"] == status
    assert content["title"] == title or not title
    return str(content["detail"])


def test_says_what_it_is(client: TestClient) -> None:
    assert client.get("/v1/").json() == {"title": "Umpteen REST API", "version": umpteen.__version__}


def test_projects_and_vocabularies(client: TestClient) -> None:
    vocabulary = {"vocab_id": "tree", "languages": ["en", "de"], "size": 6, "loaded": True}
    [tree, near] = client.get("/v1/projects").json()["projects"]
    assert near["backend"] == {"backend_id": "neighbours"}
    assert tree.pop("modification_time").endswith("Z")
    assert tree == {
        "project_id": "tree",
        "name": "tree",
        "language": "und",
        "backend": {"backend_id": "plt"},
        "vocab": vocabulary,
        "vocab_language": "en",
        "is_trained": True,
    }
    assert client.get("/v1/projects/tree").json()["project_id"] == "tree"
    assert client.get("/v1/vocabs").json()["vocabs"][0] == vocabulary


def test_suggests(client: TestClient, models: dict[str, Any]) -> None:
    answer = suggest(client, text=BREAD)
    assert answer.headers["content-type"] == "application/json"
    found = answer.json()["results"]
    assert found[0].keys() == {"uri", "label", "notation", "score"}
    assert (found[0]["uri"], found[0]["label"], found[0]["notation"]) == ("baking", "Baking", None)
    literal = umpteen.load(models["tree"]).suggest([BREAD], k=10)[0]
    assert [one["label"] for one in found] == [name for name, _ in literal]
    assert [one["score"] for one in found] == pytest.approx([score for _, score in literal], abs=1e-5)


def test_limit_and_threshold(client: TestClient) -> None:
    assert len(suggest(client, text=BREAD, limit=2).json()["results"]) == 2
    assert suggest(client, text=BREAD, limit=0).json() == {"results": []}
    assert len(suggest(client, text=BREAD, limit=2**31 - 1).json()["results"]) == 6
    scores = [one["score"] for one in suggest(client, text=BREAD).json()["results"]]
    above = suggest(client, text=BREAD, threshold=scores[1] - 1e-4).json()["results"]
    assert len(above) == 2


def test_names_in_a_language(client: TestClient) -> None:
    assert suggest(client, text=BREAD, language="de").json()["results"][0]["label"] == "Baking (deutsch)"
    assert 'language "fi" not supported' in is_problem(suggest(client, text=BREAD, language="fi"), 400)


def test_paths_where_asked_for(client: TestClient) -> None:
    assert suggest(client, text=BREAD, paths="true").json()["results"][0]["path"] == ["Crafts", "Baking"]


@pytest.mark.parametrize("calibrated", [False, True])
def test_what_a_text_gets_where_asked_for(serving: Callable[..., Any], calibrated: bool, tmp_path: Path) -> None:
    model = umpteen.PLT(trees=1).fit(*toy())
    if calibrated:
        model.calibrate(*toy(seed=1))
    model.save(tmp_path / "m")
    with serving(models={"tree": str(tmp_path / "m")}) as client:
        for limit in (1, 500, 6):
            found = suggest(client, text=BREAD, chosen="true", limit=limit).json()["results"]
            wanted = model.choose([BREAD]).labels[0, :limit]
            assert [one["uri"] for one in found if one["chosen"]] == [model.labels_.keys[n] for n in wanted if n >= 0]
        assert len(found) == 6
        assert "chosen" not in suggest(client, text=BREAD).json()["results"][0]


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_a_blank_text_has_no_labels(client: TestClient, text: str) -> None:
    assert suggest(client, text=text).json() == {"results": []}


def test_takes_metadata_and_odd_characters(client: TestClient) -> None:
    assert suggest(client, text=f"{BREAD}\x00\ud7ff\U0001f35e ß", metadata_title="Bread").status_code == 200


@pytest.mark.parametrize(
    "fields", [{}, {"text": "x", "limit": -1}, {"text": "x", "limit": "many"}, {"text": "x", "threshold": 1.5}]
)
def test_refuses_what_is_wrong(client: TestClient, fields: dict[str, Any]) -> None:
    is_problem(suggest(client, **(fields or {"other": "x"})), 400, title="Bad Request")


def test_text_does_not_come_back_in_errors(client: TestClient) -> None:
    assert "secret" not in suggest(client, text="secret", limit="secret").text


def test_only_forms_are_suggested_for(client: TestClient) -> None:
    is_problem(client.post("/v1/projects/tree/suggest", json={"text": "x"}), 415)


def test_unknown_projects_and_paths(client: TestClient) -> None:
    detail = is_problem(suggest(client, "other", text="x"), 404, title="Project not found")
    assert detail == "Project 'other' not found"
    is_problem(client.get("/v1/projects/other"), 404)
    is_problem(client.get("/v2/"), 404)
    is_problem(client.get("/v1/projects/tree/suggest"), 405)


def test_batches_answer_as_single_texts(client: TestClient) -> None:
    documents = [{"text": BREAD, "document_id": "a"}, {"text": ""}, {"text": "a boat and its mast"}]
    answer = client.post("/v1/projects/tree/suggest-batch?limit=3", json={"documents": documents})
    first, blank, boat = answer.json()
    assert first == {"document_id": "a", "results": suggest(client, text=BREAD, limit=3).json()["results"]}
    assert blank == {"document_id": None, "results": []}
    assert boat["results"] == suggest(client, text="a boat and its mast", limit=3).json()["results"]


def test_batches_hold_32_documents(client: TestClient) -> None:
    documents = [{"text": BREAD}] * 33
    assert client.post("/v1/projects/tree/suggest-batch", json={"documents": documents[:32]}).status_code == 200
    detail = is_problem(client.post("/v1/projects/tree/suggest-batch", json={"documents": documents}), 400)
    assert "32" in detail


@pytest.mark.parametrize("body", ["", "{", '"x"', '{"documents": [{}]}'])
def test_refuses_what_is_no_batch(client: TestClient, body: str) -> None:
    header = {"Content-Type": "application/json"}
    is_problem(client.post("/v1/projects/tree/suggest-batch", content=body, headers=header), 400)


def test_takes_half_characters(client: TestClient) -> None:
    body = '{"documents": [{"text": "bread \\ud800", "document_id": "\\udfff"}]}'
    answer = client.post("/v1/projects/tree/suggest-batch", content=body, headers={"Content-Type": "application/json"})
    assert answer.json()[0]["document_id"] == "?"


def test_learning_is_off(client: TestClient) -> None:
    lesson = [{"text": "x", "subjects": [{"uri": "baking"}]}]
    detail = is_problem(client.post("/v1/projects/near/learn", json=lesson), 403, title="Learning not allowed")
    assert "not configured to allow learning" in detail


def test_detects_languages(client: TestClient) -> None:
    body = {"text": "Der schnelle braune Fuchs springt über den faulen Hund.", "languages": ["en", "de"]}
    found = client.post("/v1/detect-language", json=body).json()["results"]
    assert found[0]["language"] == "de" and found[0]["score"] > 0.8
    assert {one["language"] for one in found} == {"de", "en", None}
    assert sum(one["score"] for one in found) == pytest.approx(1)
    blank = client.post("/v1/detect-language", json={"text": " ", "languages": ["en"]}).json()["results"]
    assert blank[0] == {"language": None, "score": 1.0}


@pytest.mark.parametrize("languages", [[], ["xx"], ["english"], ["en", "de", "fi", "sv", "fr", "it"]])
def test_refuses_languages(client: TestClient, languages: list[str]) -> None:
    is_problem(client.post("/v1/detect-language", json={"text": "x", "languages": languages}), 400)
