"""Requests made up from the OpenAPI document, good and bad: no server error, and no answer that it does not promise."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("schemathesis", reason="schemathesis is not installed")
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@pytest.mark.parametrize(
    ("phases", "examples"), [("fuzzing", 2), pytest.param("coverage,fuzzing", 40, marks=pytest.mark.slow)]
)
def test_schemathesis_finds_nothing(
    live: Callable[..., Any], models: dict[str, Path], tmp_path: Path, phases: str, examples: int
) -> None:
    server = live(models["tree"], models["near"])
    (tmp_path / "schemathesis.toml").write_text('[parameters]\nproject_id = "tree"\n')
    command = ["-m", "schemathesis.cli", "--config-file", str(tmp_path / "schemathesis.toml"), "run"]
    options = [f"--max-examples={examples}", f"--phases={phases}", f"--checks={CHECKS}", "--seed=1", "--no-color"]
    done = subprocess.run(
        [sys.executable, *command, f"{server.url}/v1/openapi.json", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "Traceback" not in server.log.read_text()
