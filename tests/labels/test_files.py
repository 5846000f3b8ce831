import gzip
from pathlib import Path

import pytest

from umpteen.core.errors import DataError
from umpteen.labels.files import read_labels

TURTLE = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix ex: <http://ex.org/> .
ex:scheme a skos:ConceptScheme ; skos:prefLabel "Everything"@en .
ex:animal a skos:Concept ; skos:prefLabel "animal"@en, "Tier"@de ; skos:altLabel "beast"@en ; skos:narrower ex:cat .
ex:dog a skos:Concept ; skos:prefLabel "dog"@en ; skos:broader ex:animal ; skos:definition "Barks."@en .
ex:cat a skos:Concept ; skos:prefLabel "cat"@en, "Katze"@de ; skos:scopeNote "Purrs."@en .
"""
TRIPLES = """<http://ex.org/a> <http://www.w3.org/2004/02/skos/core#prefLabel> "a"@en .
<http://ex.org/b> <http://www.w3.org/2004/02/skos/core#prefLabel> "b"@en .
<http://ex.org/b> <http://www.w3.org/2004/02/skos/core#broader> <http://ex.org/a> .
"""
XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
<skos:Concept rdf:about="http://ex.org/a"><skos:prefLabel xml:lang="fi">eläin</skos:prefLabel></skos:Concept>
</rdf:RDF>
"""


@pytest.fixture
def put(tmp_path: Path):
    def write(name: str, text: str) -> Path:
        file = tmp_path / name
        file.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return file

    return write


def test_table_with_parents(put):
    labels = read_labels(
        put("labels.tsv.gz", "id\tname\tparent\na\tAnimal\t\nc\tCat\ta\nd\tCatdog\ta|c\ne\tDogcat\ta c\n")
    )
    assert labels["a"].name == "Animal"
    assert labels["a"].parents == ()
    assert labels["c"].parents == ("a",)
    assert labels["d"].parents == labels["e"].parents == ("a", "c")


def test_table_whose_ids_have_spaces(put):
    labels = read_labels(put("labels.tsv", "big cat\tBig cat\t\nlion\tLion\tbig cat\n"))
    assert labels["lion"].parents == ("big cat",)


def test_table_with_translations(put):
    labels = read_labels(put("labels.tsv", "1\tKatze\tcat\n2\tHund\t\n"))
    assert labels["1"].names == {"other": "cat"}
    assert labels["2"].names == {}
    assert read_labels(put("labels.tsv", "1\tKatze\tcat\n"), language="other")["1"].name == "cat"


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("a\tA\nnothing\n", 2, "a tab"),
        ("a\tA\n\na\tB\n", 3, "'a' again"),
        ("a\tA\nb\tB\ta\nc\tC\ta\nd\tD\tx\n", 4, "'x'"),
        ("\tA\n", 1, "id"),
    ],
)
def test_bad_tables(put, text, line, word):
    with pytest.raises(DataError, match=f"labels.tsv line {line}: .*{word}"):
        read_labels(put("labels.tsv", text))


def test_ring_is_named(put):
    with pytest.raises(DataError, match=r"a -> b -> c -> a"):
        read_labels(put("labels.tsv", "a\tA\tb\nb\tB\tc\nc\tC\ta\nd\tD\ta\n"))


def test_diamond_is_no_ring(put):
    labels = read_labels(put("labels.tsv", "d\tD\tb|c\nb\tB\ta\nc\tC\ta\na\tA\t\n"))
    assert labels["d"].parents == ("b", "c")


def test_annif_vocabularies(put):
    labels = read_labels(put("vocab.tsv", "<http://ex.org/1>\tcat\t59.1\n<http://ex.org/2>\tdog\n"))
    assert labels["http://ex.org/1"].name == "cat"
    table = put(
        "vocab.csv", 'uri,label_fi,label_en,notation\nhttp://ex.org/1,kissa,"cat, the",1\nhttp://ex.org/2,koira,,\n'
    )
    assert read_labels(table)["http://ex.org/1"].names == {"fi": "kissa", "en": "cat, the"}
    english = read_labels(table, language="en")
    assert [label.name for label in english.values()] == ["cat, the", "koira"]
    with pytest.raises(DataError, match="No label"):
        read_labels(table, language="sv")


def test_plain_list(put):
    labels = read_labels(put("Y.txt", "cat\ndog\n"))
    assert {key: label.name for key, label in labels.items()} == {"0": "cat", "1": "dog"}


def test_xc_labels(put):
    labels = read_labels(put("lbl.json.gz", '{"uid": "B01", "title": "Cat"}\n{"uid": "B02", "title": "Dog"}\n'))
    assert labels["B02"].name == "Dog"
    with pytest.raises(DataError, match=r"lbl.json.gz line 2"):
        read_labels(put("lbl.json.gz", '{"uid": "B01", "title": "Cat"}\n{"uid"\n'))


def test_debian_vocabulary(put):
    labels = read_labels(
        put(
            "vocabulary.txt",
            "Facet: role\nDescription: Role\n What it does\n .\n Indeed\n\nTag: role::app\nDescription: Application\n",
        )
    )
    assert labels["role"].name == "Role"
    assert labels["role"].description == "What it does\n\nIndeed"
    assert labels["role::app"].parents == ("role",)
    with pytest.raises(DataError, match="line 2"):
        read_labels(put("vocabulary.txt", "Facet: role\nnonsense\n"))


@pytest.mark.parametrize("name", ["v.ttl", "v.ttl.gz", "v.txt"])
def test_skos_turtle(put, name):
    labels = read_labels(put(name, TURTLE))
    assert set(labels) == {f"http://ex.org/{name}" for name in ("animal", "cat", "dog")}
    assert labels["http://ex.org/cat"].parents == labels["http://ex.org/dog"].parents == ("http://ex.org/animal",)
    assert labels["http://ex.org/cat"].names == {"en": "cat", "de": "Katze"}
    assert [labels[f"http://ex.org/{name}"].description for name in ("cat", "dog")] == ["Purrs.", "Barks."]
    german = read_labels(put(name, TURTLE), language="de")
    assert [label.name for label in german.values()] == ["Tier", "Katze", "dog"]


def test_skos_triples_and_xml(put):
    assert read_labels(put("v.nt", TRIPLES))["http://ex.org/b"].parents == ("http://ex.org/a",)
    assert read_labels(put("v.txt", TRIPLES))["http://ex.org/b"].name == "b"
    assert read_labels(put("v.rdf", XML))["http://ex.org/a"].name == "eläin"


def test_bad_rdf(put):
    with pytest.raises(DataError, match=r"v.ttl line 2: Expected Turtle"):
        read_labels(put("v.ttl", "@prefix a: <http://a> .\na:b a:c ]\n"))
    with pytest.raises(DataError, match=r"v.rdf line 1: Expected RDF/XML"):
        read_labels(put("v.rdf", "<rdf"))
    odd = TURTLE.replace(
        "ex:cat a skos:Concept ; skos:prefLabel", "ex:cat a skos:Concept ; skos:prefLabel <http://{x>,"
    )
    assert len(read_labels(put("v.ttl", odd))) == 3
    with pytest.raises(DataError, match="got none"):
        read_labels(put("v.ttl", "@prefix a: <http://a/> .\na:b a:c a:d .\n"))


def test_files_that_cannot_be_read(put, tmp_path):
    with pytest.raises(DataError, match="empty"):
        read_labels(put("labels.tsv", ""))
    with pytest.raises(DataError, match="no file"):
        read_labels(tmp_path / "none.tsv")
    (tmp_path / "latin.tsv").write_bytes(b"a\tA\nb\tB\xe9\n")
    with pytest.raises(DataError, match=r"latin.tsv line 2: Expected UTF-8"):
        read_labels(tmp_path / "latin.tsv")


def test_real_label_files(real):
    tate = read_labels(real("tate", "labels.tsv"))
    assert len(tate) == 16_633
    assert sum(not label.parents for label in tate.values()) == 1
    assert all(len(label.parents) <= 1 for label in tate.values())
    tibkat = read_labels(real("tibkat", "labels.tsv"), language="other")
    assert tibkat["gnd:1021591971"].name == "Plug-in hybrid"
    debtags = read_labels(real("debtags", "vocabulary.txt"))
    assert len(debtags) == 642 + 32
    assert debtags["accessibility::input"].parents == ("accessibility",)
