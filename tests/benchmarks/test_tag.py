"""The benchmark of tagging: texts and ready features are tagged, the model stays; nothing here is about time."""

import sys
from pathlib import Path

import pytest

import umpteen
from toy import toy


@pytest.mark.parametrize("features", [False, True])
def test_it_tags_what_a_model_reads(
    features: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, labels = toy(40, seed=0)
    file = tmp_path / ("d.txt" if features else "d.tsv")
    if features:
        rows = [f"{n % 3} {n % 3}:1 {3 + n % 2}:0.5" for n in range(40)]
        file.write_text("\n".join(["40 5 3", *rows]) + "\n", encoding="utf-8")
    else:
        lines = (f"{text}\t{','.join(names)}\n" for text, names in zip(texts, labels, strict=True))
        file.write_text("".join(lines), encoding="utf-8")
    umpteen.PLT(jobs=1).fit(umpteen.read(file)).save(tmp_path / "m")
    before = sorted((path.name, path.stat().st_mtime_ns) for path in (tmp_path / "m").iterdir())
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    monkeypatch.setattr(sys, "argv", ["tag.py", str(tmp_path / "m"), str(file), "--calls", "1", "--alone", "3"])
    from tag import main

    main()
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("40 documents; first call ") and said[4].startswith("| 1 | ")
    assert sorted((path.name, path.stat().st_mtime_ns) for path in (tmp_path / "m").iterdir()) == before
