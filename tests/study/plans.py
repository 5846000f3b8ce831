"""Small studies to try things with."""

import json
from pathlib import Path

from toy import toy

PLAIN = """
title = "A toy"
data = ["toy"]
[[models]]
name = "kNN"
model = "neighbours"
[[models]]
model = "popular"
seeded = false
[[tables]]
name = "scores"
measures = ["P@1", "nDCG@3"]
"""
NOISY = PLAIN.replace("[[models]]", '[noise]\nkinds = ["missing", "balanced"]\nrates = "0,0.5"\n[[models]]', 1)


def toy_folder(root: Path, *, name: str = "toy", documents: int = 60, test: int | None = 20) -> Path:
    """Toy documents as files, with a language each."""
    folder = root / name
    folder.mkdir(parents=True)
    for part, count, seed in (("train", documents, 0), ("test", test, 1)):
        if count is not None:
            texts, labels = toy(count, seed=seed)
            lines = [
                {"id": f"{part}{n}", "text": text, "labels": own, "lang": "de" if n % 3 else "en"}
                for n, (text, own) in enumerate(zip(texts, labels, strict=True))
            ]
            (folder / f"{part}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def written(root: Path, text: str, name: str = "s.toml") -> Path:
    """A study's file."""
    (root / name).write_text(text)
    return root / name
