"""The layer rule: a folder imports only from lower numbers, folders of one number not from each other."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "umpteen"
LAYERS = {"core": 0, "kernels": 1, "data": 2, "labels": 2, "text": 2, "metrics": 2, "contract": 3}
LAYERS |= {"networks": 3, "train": 4, "linear": 4, "models": 5, "explain": 6, "study": 6, "app": 7}
TORCH = ("networks", "train", "models/deep")  # where torch may be imported
FILES = sorted(ROOT.rglob("*.py"))


def imports(file: Path) -> set[str]:
    """The modules that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_layers(file: Path) -> None:
    place = file.relative_to(ROOT)
    if len(place.parts) == 1:  # the public names and `python -m umpteen`
        return
    own = place.parts[0]
    assert own in LAYERS, f"the folder {own} has no layer"
    for module in imports(file):
        parts = module.split(".")
        if parts[0] != "umpteen" or len(parts) < 2 or parts[1] == own or parts[1] not in LAYERS:
            continue
        assert LAYERS[parts[1]] < LAYERS[own], f"{place} imports {module}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_torch_stays_where_it_belongs(file: Path) -> None:
    if not any(module.split(".")[0] == "torch" for module in imports(file)):
        return
    place = file.relative_to(ROOT).as_posix()
    assert any(place.startswith(f"{folder}/") for folder in TORCH), f"{place} imports torch"


def test_nobody_pickles() -> None:
    for file in FILES:
        assert not {"pickle", "joblib", "dill", "cloudpickle"} & {m.split(".")[0] for m in imports(file)}, file
