"""A study's file, read so strictly that mistakes show before any training."""

from pathlib import Path

import pytest

from study.plans import NOISY, PLAIN, toy_folder, written
from umpteen.core.errors import SettingError
from umpteen.models import entries, model
from umpteen.study.narrowing import narrowed
from umpteen.study.plan import Split
from umpteen.study.reading import read_study
from umpteen.study.shelf import shipped, study_named


def test_all_of_it(tmp_path: Path) -> None:
    text = NOISY + (
        '[[published]]\nname = "Theirs"\ndata = "toy"\nsource = "Table 2"\nscores = { "P@1" = 50 }\n'
        '[[plots]]\nname = "lines"\nkind = "lines"\nx = "rate"\nmeasures = ["P@1", "kept P@1"]\n'
    )
    study = read_study(written(tmp_path, 'seeds = "0..2"\nvalid = 0.25\nsplit = { count = 3, test = 0.4 }\n' + text))
    assert (study.name, study.seeds, study.valid) == ("s", (0, 1, 2), 0.25)
    assert study.data[0].split == Split(count=3, test=0.4)
    assert study.noise is not None and study.noise.rates == (0, 0.5)
    assert [(v.name, v.model, v.seeded) for v in study.models] == [
        ("kNN", "neighbours", True),
        ("popular", "popular", False),
    ]
    assert study.dimensions == ("data", "noise", "rate", "model")
    assert study.measures == ("P@1", "nDCG@3", "kept P@1")


def test_paths_are_seen_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "elsewhere" / "toy").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert [(d.name, d.path) for d in read_study(written(tmp_path, PLAIN)).data] == [("toy", str(tmp_path / "toy"))]
    assert narrowed(read_study(written(tmp_path, PLAIN)), data=["toy"]).data[0].path == "toy"


def test_names_of_data() -> None:
    from umpteen.study.reading import spoken

    for path, name in {"a/movies": "movies", "a/Imdb.arff.bz2": "Imdb", "a/b/train.jsonl.gz": "b", "a/b/": "b"}.items():
        assert spoken(path) == name


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("title =", "titel ="), "'title' is missing, a line that says what the study shows. Is 'titel' meant"),
        (('title = "A toy"', "title = 3"), "'title' must be a line that says what the study shows, not 3."),
        (("[[tables]]", "[[table]]"), "there is no use for 'table'. Did you mean 'tables'?"),
        (("measures =", "measure ="), "tables 1: 'measures' is missing"),
        (('"P@1"', '"P@1", "nDGC@1"'), "tables 1: There is no measure 'nDGC@1'. Did you mean 'nDCG@1'?"),
        (('"P@1"', '"speed"'), "There is no measure 'speed'. There are P@k, nDCG@k, PSP@k"),
        (('"P@1"', '"P@1", "P@1"'), "'measures' has 'P@1' twice."),
        (('"P@1"', '"kept P@1"'), "shows 'kept P@1', and there is no [noise]"),
        (('["P@1", "nDCG@3"]', "[]"), "'measures' is empty."),
        (("seeded = false", 'seeded = "no"'), "models 2: 'seeded' must be true or false, not 'no'."),
        (("seeded = false", "settings = { seed = 3 }"), "'seed' is no setting here"),
        (("seeded = false", "vary = { rate = [1] }"), "models 2, vary: 'rate' cannot be varied here."),
        (("seeded = false", "vary = { min_df = 3 }"), "'min_df' must be a list of values to try, not 3."),
        (("seeded = false", 'name = "kNN"'), "two have the name 'kNN'. Give each model its own"),
        (('model = "popular"', 'name = "popular"'), "models 2: 'model' is missing, one of `umpteen models`."),
        (('data = ["toy"]', 'data = "toy"'), "'data' must be a list of names or tables, not 'toy'."),
        (('data = ["toy"]', "data = []"), "there are no data. Name some with --data PATH"),
        (('data = ["toy"]', 'data = [{ name = "x" }]'), "data 1: 'path' is missing"),
        (('data = ["toy"]', 'data = [{ path = "x", split = { tset = 0.2 } }]'), "Did you mean 'test'?"),
        (('data = ["toy"]', 'data = [{ path = "x", split = { test = 2 } }]'), "'test' must be a number from 0.001"),
        (('data = ["toy"]', 'data = ["a/toy", "b/toy"]'), "two have the name 'toy'. Give each data set its own"),
        (('data = ["toy"]', 'data = ["toy"]\nseeds = "x"'), "'seeds' takes numbers such as 0,1,2 or 0..4, not 'x'."),
        (('data = ["toy"]', 'data = ["toy"]\nseeds = [1.5]'), "'seeds' must be a list of whole numbers"),
        (('data = ["toy"]', 'data = ["toy"]\nseeds = [-1]'), "'seeds' must be 0 or more, not -1."),
        (('data = ["toy"]', 'data = ["toy"]\nvalid = true'), "'valid' must be a number from 0 to 0.9, not True."),
        (
            ('data = ["toy"]', 'data = ["toy"]\nnoise = { kinds = ["mising"], rates = [0] }'),
            "noise: 'kinds' cannot have 'mising'. Did you mean 'missing'?",
        ),
        (
            ('data = ["toy"]', 'data = ["toy"]\nnoise = { kinds = ["missing"], rates = [0, 2] }'),
            "'rates' must lie between 0 and 1, not at 2.",
        ),
        (('name = "scores"', 'name = "../x"'), "'name' is the name of a file without its ending"),
        (('name = "scores"', 'name = "x"\ncolumns = "rate"'), "'x' cannot tell figures apart by 'rate'"),
        (('name = "scores"', 'name = "x"\napart = "measure"'), "'x' uses 'measure' twice."),
        (("[[models]]", "[[models"), "is not TOML"),
    ],
)
def test_mistakes(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    assert change[0] in PLAIN
    with pytest.raises(SettingError) as found:
        read_study(written(tmp_path, PLAIN.replace(*change)))
    assert sentence in str(found.value)
    assert str(found.value).startswith(str(tmp_path / "s.toml"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[[plots]]\nname = "p"\nkind = "pie"\nmeasures = ["P@1"]', "'kind' cannot be 'pie'. There are: bars, lines."),
        ('[[plots]]\nname = "p"\nkind = "lines"\nmeasures = ["P@1"]', "lines go over numbers, and 'measure' is none"),
        (
            '[[models]]\nname = "w"\nmodel = "plt"\nvary = { trees = [1, 2] }\n'
            '[[tables]]\nname = "r"\nmeasures = ["P@1"]\nranks = true\nagainst = "w"',
            "'r' compares with 'w', which is several models, since it varies.",
        ),
        (
            '[[models]]\nname = "w"\nmodel = "plt"\nvary = { loss = ["hinge", "logistic"] }\n'
            '[[plots]]\nname = "p"\nkind = "lines"\nx = "loss"\nmeasures = ["P@1"]',
            "'p' draws lines over 'loss', and 'hinge' is no number: use bars.",
        ),
        ('[[plots]]\nname = "scores"\nkind = "bars"\nmeasures = ["P@1"]', "two have the name 'scores'."),
        ('[[published]]\nname = "x"\ndata = "toi"\nsource = "y"\nscores = { "P@1" = 1 }', "Did you mean 'toy'?"),
        ('[[published]]\nname = "x"\ndata = "toy"\nsource = "y"', "'scores' is missing"),
        ('[[published]]\nname = "x"\ndata = "toy"\nsource = "y"\nscores = { "P1" = 1 }', "There is no measure 'P1'."),
        ('[[published]]\nname = "x"\ndata = "toy"\nsource = "y"\nscores = { "P@1" = "1" }', "'P@1' must be a number"),
    ],
)
def test_mistakes_in_what_is_shown(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(SettingError) as found:
        read_study(written(tmp_path, PLAIN + text))
    assert sentence in str(found.value)


def test_the_command_line_wins(tmp_path: Path) -> None:
    study = read_study(written(tmp_path, NOISY))
    changed = narrowed(
        study, data=["a/b"], seeds=[4], models=["knn"], rates=[0.1], settings=["kNN.neighbours=3", "kNN.min_df = 2"]
    )
    assert [(d.name, d.path) for d in changed.data] == [("b", "a/b")]
    assert (changed.seeds, changed.noise.rates if changed.noise else None) == ((4,), (0.1,))
    assert [(v.name, dict(v.settings)) for v in changed.models] == [("kNN", {"neighbours": "3", "min_df": " 2"})]
    assert [v.name for v in narrowed(study, models=["neighbours"]).models] == ["kNN"]
    joint = narrowed(study, models=["knn"], settings=["kNN.plt.trees=1"])
    assert [dict(v.settings) for v in joint.models] == [{"plt.trees": "1"}]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"models": ["neigbours"]}, "has no model 'neigbours'. Did you mean 'neighbours'?"),
        ({"rates": [3]}, "--rates must lie between 0 and 1, not at 3."),
        ({"settings": ["neighbours=3"]}, "--set takes MODEL.NAME=VALUE here"),
        ({"settings": ["x.neighbours=3"]}, "has no model 'x'."),
        ({"settings": ["kNN.seed=3"]}, "--set cannot change 'seed': --seeds says which seeds there are, "),
    ],
)
def test_mistakes_on_the_command_line(tmp_path: Path, given: dict[str, list[str]], sentence: str) -> None:
    with pytest.raises(SettingError) as found:
        narrowed(read_study(written(tmp_path, NOISY)), **given)  # type: ignore[arg-type]
    assert sentence in str(found.value)


def test_data_can_be_chosen_by_the_name_that_the_study_gives_them() -> None:
    study = read_study(next(one.file for one in shipped() if one.name == "treader-tail"))
    assert [(d.path, dict(d.where)) for d in narrowed(study, data=["tibkat-en"]).data] == [
        ("tibkat", {"lang": ("en",)})
    ]
    assert narrowed(study, data=["elsewhere/tibkat"]).data[0].path == "elsewhere/tibkat"


def test_a_choice_drops_the_plots_that_it_leaves_nothing_for(tmp_path: Path) -> None:
    plot = '[[plots]]\nname = "p"\nkind = "lines"\nx = "min_df"\nmeasures = ["P@1"]\n'
    text = PLAIN.replace('model = "neighbours"', 'model = "neighbours"\nvary = { min_df = [1, 2] }') + plot
    study = read_study(written(tmp_path, text))
    assert study.dimensions == ("data", "min_df", "model")
    assert [p.name for p in narrowed(study, models=["kNN"]).plots] == ["p"]
    assert not narrowed(study, models=["popular"]).plots
    assert not narrowed(study, settings=["kNN.min_df=3"]).plots
    with pytest.raises(SettingError, match="there are no --rates to choose"):
        narrowed(study, rates=[0.1])


def test_the_example_in_the_documentation(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "studies.md"
    example = page.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    assert [v.name for v in read_study(written(tmp_path, example)).models] == ["tree", "neighbours"]


def test_shipped_studies_can_be_read() -> None:
    assert {one.name for one in shipped()} >= {"noise", "ablation", "rank-ae"}
    for one in shipped():
        assert study_named(one.name, model=one.model).title == one.title
    for arguments, sentence in {
        ("nois", None): "There is no study 'nois'. Did you mean 'noise'?",
        ("noise", "plt"): "is not about one model",
        ("ablation", "rankea"): "has nothing about 'rankea'. Did you mean 'rankae'?",
        ("x/y.toml", None): "There is no file x/y.toml.",
        (".toml", "plt"): "use --models",
    }.items():
        with pytest.raises(SettingError, match=sentence.replace("?", r"\?")):
            study_named(arguments[0], model=arguments[1])


def test_models_for_some_data_and_rows_of_other_studies(tmp_path: Path) -> None:
    toy_folder(tmp_path)
    row = '[[published]]\nname = "Theirs"\ndata = "toy"\nsource = "Paper"\nscores = { "P@1" = 55 }\n'
    written(tmp_path, PLAIN + row + row.replace('"toy"', '"EUR-Lex"') + 'others = ["EUR-Lex"]\n', "bad.toml")
    with pytest.raises(SettingError, match="there is no use for 'others'"):  # a key of the last table
        read_study(tmp_path / "bad.toml")
    written(tmp_path, 'others = ["EUR-Lex"]\n' + PLAIN + row + row.replace('"toy"', '"EUR-Lex"'), "one.toml")
    one = read_study(tmp_path / "one.toml")
    assert [published.data for published in one.published] == ["toy", "EUR-Lex"]
    assert narrowed(one, data=[str(tmp_path / "eur-lex")]).data[0].name == "EUR-Lex"
    text = 'published_from = ["one"]\nothers = ["EUR-Lex"]\n' + PLAIN.replace(
        'model = "popular"', 'model = "popular"\ndata = ["toy"]'
    )
    two = read_study(written(tmp_path, text + row, "two.toml"))
    assert [published.data for published in two.published] == ["toy", "EUR-Lex"]  # what both have, once
    assert narrowed(two, data=["eur-lex"]).models[1].data == ("toy", "EUR-Lex")


@pytest.mark.parametrize("name", [one.file.stem for one in shipped()])
def test_shipped_studies_are_sound(name: str) -> None:
    study = read_study(next(one.file for one in shipped() if one.file.stem == name), name=name)
    for variant in study.models:
        if entries()[variant.model].family == "sparse":
            model(variant.model).Params.made(dict(variant.settings), owner=variant.model, preset=variant.preset)
        assert {*variant.takes} <= {data.name for data in study.data}
        assert {*variant.data} <= {data.name for data in study.data}
