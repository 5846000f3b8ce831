"""The client that libraries use, as it comes, against a server in a process of its own."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from app.server.conftest import BREAD

annif_client = pytest.importorskip("annif_client")


def test_the_annif_client_works(live: Callable[..., Any], models: dict[str, Path]) -> None:
    server = live(models["tree"], models["near"], "--language", "en")
    client = annif_client.AnnifClient(f"{server.url}/v1/")
    assert client.api_info["version"]
    assert [project["project_id"] for project in client.projects] == ["tree", "near"]
    assert client.get_project("tree")["language"] == "en"
    with pytest.raises(ValueError, match="Project 'other' not found"):
        client.get_project("other")
    assert client.suggest("tree", BREAD, limit=1)[0]["label"] == "Baking"
    assert client.suggest("tree", StringIO(BREAD), limit=3, threshold=0.3)[0]["uri"] == "baking"
    documents = [{"document_id": "1", "text": BREAD}, {"text": "a boat with mast and sail in the harbour"}]
    first, second = client.suggest_batch("near", documents, limit=2)
    assert first["document_id"] == "1" and second["results"][0]["label"] == "Sailing"
    found = client.detect_language("The quick brown fox jumped over the lazy dog", ["en", "fi", "sv"])
    assert found["results"][0]["language"] == "en"
    with pytest.raises(Exception, match="403"):
        client.learn("near", [{"text": BREAD, "subjects": [{"uri": "baking"}]}])


def test_the_annif_client_teaches(live: Callable[..., Any], models: dict[str, Path], tmp_path: Path) -> None:
    import umpteen

    umpteen.load(models["near"]).save(tmp_path / "m")
    client = annif_client.AnnifClient(f"{live(tmp_path / 'm', '--allow-learn').url}/v1/")
    text = "A kayak, a canoe and their paddles"
    lesson = {"text": text, "subjects": [{"uri": "https://example.org/canoe", "label": "Canoeing"}]}
    assert client.learn("m", [lesson]).status_code == 204
    [best] = client.suggest("m", text, limit=1)
    assert (best["uri"], best["label"]) == ("https://example.org/canoe", "Canoeing")
    assert umpteen.load(tmp_path / "m").documents_ == umpteen.load(models["near"]).documents_ + 1
