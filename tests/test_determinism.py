"""Same seed, same data, same version: the same model, byte for byte."""

import json
import os
import subprocess
import sys
from dataclasses import fields
from hashlib import sha256
from pathlib import Path

import pytest

from toy import TOPICS, toy
from umpteen.core.run import LOG
from umpteen.core.space import Label
from umpteen.models import entries, model

SMALL = {
    "vectors": "none", "width": 12, "hidden": 8, "layers": (8,), "filters": 8, "bottleneck": 8, "buckets": 100,
    "batch": 16, "epochs": 2, "least_steps": 0, "every": 5, "min_df": 1, "jobs": 1, "members": 1,
}  # fmt: skip
SPARSE = sorted(name for name, entry in entries().items() if entry.family == "sparse")
DEEP = sorted(name for name, entry in entries().items() if entry.family == "deep")


def contents(folder: Path) -> dict[str, str]:
    """The checksum of each file."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): sha256(file.read_bytes()).hexdigest() for file in files}


def trained(name: str, place: Path, jobs: int) -> dict[str, str]:
    """What a model's folder holds."""
    texts, labels = toy(200)
    known = {topic: Label(topic, topic.title(), ("all", "other")[: 1 + len(topic) % 2]) for topic in TOPICS}
    model(name)(jobs=jobs).fit(texts, labels, labels=known).save(place)
    return contents(place)


def elsewhere(place: Path, jobs: int, chance: int) -> dict[str, dict[str, str]]:
    """The same for all sparse models in a process of its own, in which sets of texts have another order."""
    code = (
        "import json, sys; from pathlib import Path; from test_determinism import SPARSE, trained; "
        "place = Path(sys.argv[1]); print(json.dumps({n: trained(n, place / n, int(sys.argv[2])) for n in SPARSE}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(place), str(jobs)],
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONHASHSEED": str(chance), "PYTHONPATH": str(Path(__file__).parent)},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_sparse_models_are_the_same_bytes_with_any_number_of_threads(tmp_path: Path) -> None:
    one, two = elsewhere(tmp_path / "one", 1, chance=1), elsewhere(tmp_path / "two", 2, chance=2)
    assert one.keys() == {*SPARSE}
    assert one == two


@pytest.mark.parametrize("name", DEEP)
def test_deep_models_are_the_same_on_one_machine(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    kind = model(name)
    settings = {field.name: SMALL[field.name] for field in fields(kind.Params) if field.name in SMALL}
    texts, labels = toy(80)
    for place in ("one", "two"):
        kind(**settings).fit(texts, labels).save(tmp_path / place)
    one, two = ({k: v for k, v in contents(tmp_path / p).items() if k != LOG} for p in ("one", "two"))
    assert one == two and len(one) > 3
