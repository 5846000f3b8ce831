"""Seeds: inputs of fuzz targets that are fine as they are, or nearly."""
# ruff: noqa: E501

import bz2
import gzip
import lzma

import numpy as np

PART = b"\n--8<--\n"  # between the files of one input

_SEEDS: dict[str, list[bytes]] = {
    "read annif_csv": [b'text,subject_uris,document_id\n"a, ""b""\nc",<http://x/1> <y>,7\nd,z,8\n'],
    "read annif_dir": [PART.join([b"text", b"a\nb\n", b'{"text":"t","subjects":[{"uri":"u"}]}', b"x", b"<u>\tl\n"])],
    "read annif_jsonl": [b'{"document_id":"1","text":"t","metadata":{"a":1},"subjects":[{"uri":"u"},{"label":"l"}]}\n'],
    "read annif_tsv": [b"a text\t<http://x/1> <y>\nanother\tz w\n"],
    "read arff": [
        b"@relation 'r: -C 2'\n@attribute a {0,1}\n@attribute 'b c' {0,1}\n@attribute x numeric\n@data\n{0 1,2 3.5}\n1,0,2\n",
        b"@relation r\n@attribute x numeric\n@attribute l {0,1}\n@data\n1,1\n" + PART + b'<labels><label name="l"/></labels>',
        b"@relation 'r: -C 1'\n@attribute a {0,1}\n@attribute t string\n@data\n{0 1,1 'some \\'text\\''}\n",
    ],
    "read fasttext": [b"__label__a __label__b a text\n__label__c other\n"],
    "read jsonl": [b'{"id":"1","text":"t","labels":["a",2],"year":1999}\n{"text":"\\u00e4"}\n'],
    "read libmultilabel": [b"1\ta b\ttext one\n2\tc\ttext two\n"],
    "read libsvm": [b"1,2 1:0.5 7:1e-3\n3 2:1\n"],
    "read paired": [b"one text\nanother text\n" + PART + b"a b\nc\n"],
    "read xc": [b"2 5 3\n0,2 0:1.5 4:-2e3\n1 1:.5\n" + PART + b"a\nb\nc\n" + PART + b"v\nw\nx\ny\nz\n"],
    "read xc_raw": [
        b'{"uid":"1","title":"t","content":"c","target_ind":[0,1],"target_rel":[1.0,0.5]}\n'
        + PART + b'{"uid":"a","title":"A"}\n{"uid":"b","title":"B"}\n'
    ],
    "read xc_split": [b"2 4\n0:1 3:2\n1:1\n" + PART + b"2 3\n0:1\n1:1 2:0.5\n"],
    "packed": [gzip.compress(b"a\nb\n" * 50), bz2.compress(b"a\nb\n" * 50), lzma.compress(b"a\nb\n" * 50)],
    "labels": [
        b"\x00id\tname\tparent\na\tA\t\nb\tB\ta\nc\tC\ta|b\n", b"\x00<http://x/1>\tA\n", b'\x03uri,label_en,label_de\nu,"a",b\n',
        b'\x04{"uid":"1","title":"t"}\n', b"\x05one\ntwo\n", b"\x05Facet: a\nDescription: b\n c\n\nTag: a::b\nDescription: d\n",
        b"\x06@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<u> a skos:Concept ; skos:prefLabel 'a'@en ; skos:broader <v> .\n",
        b'\x07<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"></rdf:RDF>',
    ],
    "vectors": [
        b"bread 1 2 3\nboat 4 5 6\n", b"2 3\nbread 1 2 3\nboat .4 -5e1 6\n",
        b"2 2\nbread " + np.float32([1, 2]).tobytes() + b"\nboat " + np.float32([3, 4]).tobytes() + b"\n",
    ],
    "settings": [b"\x00seed=1\njobs=2\nepochs=3", b"\x07trees=3\ncharacters=3,5\nmax_df=0.5\nsublinear=true\nloss=hinge"],
    "config": [b'model = "plt"\npreset = "fast"\ntrain = "a"\nout = "m"\n[settings]\nngrams = 2\ncharacters = [3, 5]\n'],
    "study": [
        b'title = "t"\ndata = ["a"]\nseeds = "0..2"\n[[models]]\nmodel = "plt"\nvary = { trees = [1, 2] }\n'
        b'[[tables]]\nname = "s"\nmeasures = ["P@1"]\n', b"0,0.1..0.6",
    ],
    "history": [
        b"step\tepoch\tloss\tndcg@5\tbest\tdocuments/s\tseconds\n5\t0.5\t0.1\t0.2\t1\t10\t1\n", b'{"model": "mlp"}',
        b'{"mark": "a", "measures": {"P@1": 0.5}, "error": null, "facts": {}}',
    ],
    "manifest": [b'{"umpteen": 1, "model": "popular", "settings": {"seed": 0}, "documents": 40, "answers": "names", "files": {}}'],
    "texts": ["bread Größe ἀνάγκη 你好 \U0001f600 e\u0301\u200b".encode()],
    "http": [
        b"\x00\x01text=bread+and+flour&limit=3&threshold=0.1&language=en",
        b'\x01\x00{"documents": [{"document_id": "1", "text": "bread"}, {"text": "boat"}], "limit": 5}',
        b'\x02\x00[{"text": "bread", "metadata": {"a": 1}, "subjects": [{"uri": "baking", "label": "Baking"}]}]',
        b'\x03\x00{"text": "bread and flour", "label": "baking", "by": "sum"}',
        b'\x04\x00{"text": "bread", "kept": ["baking"], "removed": [], "added": ["sailing"]}',
        b'\x06\x00{"text": "bread", "languages": ["en", "de"]}',
        b'\x00\x02--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nbread\r\n--x--\r\n',
    ],
    "facts neighbours": [b'{"settings": {"neighbours": 3, "seed": 1}, "chosen": {"neighbours": 5, "power": 1.0}}'],
    "facts plt": [b'{"settings": {"trees": 2, "beam": 3}, "documents": 7, "answers": "sparse", "features": {"text": true, "width": 5}}'],
}  # fmt: skip


def seeds(name: str) -> list[bytes]:
    """Inputs that are fine as they are, or nearly."""
    if name == "read anything":
        return [data for other, found in _SEEDS.items() if other.startswith("read ") for data in found]
    return _SEEDS.get(name, [bytes(range(40))])
