from dataclasses import replace
from html.parser import HTMLParser

import pytest

from umpteen.contract.explanation import Explanation, Feature, Neighbour, Span, Step
from umpteen.explain.html import page

TEXT = "Apples &amp; <script>alert('pears')</script>\n\"plums\" über 木"
FULL = Explanation(
    label="http://x/fruit?a=1&b=<2>",
    name="Fruit <b>to eat</b>",
    score=0.004,
    text=TEXT,
    spans=(Span(0, 6, 1.0), Span(14, 20, -0.5), Span(27, 32, 0.0), Span(len(TEXT) - 1, len(TEXT), 0.25)),
    features=tuple(Feature(f'<i>"{n}"</i>', 1.0 - n / 20) for n in range(40) if n != 20),
    bias=-0.5,
    paths=((Step("Food & drink", 12, 0.9), Step("Fruit", 1, 0.5)), (Step("Plants", 7, 0.8), Step("Fruit", 1, 0.00001))),
    neighbours=(Neighbour("An <apple> a day", 0.75, ("Fruit", "Health & food"), ("k1", "k2")),),
)
VOID = {"meta", "br"}


class Page(HTMLParser):
    """What a browser sees: balanced tags, the text of each marked paragraph, all words."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.titles: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.words = ""
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.append(tag)
        self.titles += [known["title"] or ""] if "title" in known else []
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if known.get("class") == "text":
            self.texts.append("")
        if tag not in VOID:
            self.open.append("text" if known.get("class") == "text" else tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().replace("text", "p") == tag

    def handle_data(self, data: str) -> None:
        self.words += data
        if "text" in self.open:
            self.texts[-1] += data


def test_a_page_is_balanced_and_takes_nothing_from_elsewhere() -> None:
    source = page([FULL, FULL], title="Labels of “<a>”")
    seen = Page(source)
    assert {"script", "link", "img", "iframe", "i", "b"} & set(seen.tags) == {"i", "b"}  # bars and chances
    assert "<i>&quot;" not in source and '<i>"' not in source
    assert seen.links == ["#label1", "#label2"]
    assert "default-src 'none'" in source
    assert "Labels of “<a>”" in seen.words


def test_the_text_comes_out_as_it_went_in() -> None:
    seen = Page(page([FULL, FULL], title="x"))
    assert seen.texts == [TEXT, TEXT]
    assert seen.titles[:3] == ["+1.00", "−0.50", "+0.25"]


def test_everything_that_is_filled_in_is_shown() -> None:
    words = Page(page([FULL], title="x")).words
    for part in (FULL.label, FULL.name, "0.0040", "Food & drink", "12 labels", "<0.0001", "An <apple> a day"):
        assert part in words
    assert "Path through tree 2 of 2" in words
    assert "Fruit, Health & food" in words
    assert "8 more" in words  # of 20 features for
    assert '<i>"0"</i>' in words


def test_a_neighbours_labels_are_all_there_the_one_that_is_explained_first() -> None:
    near = Neighbour("text", 0.5, ("Health & food", "Fruit"), ("k2", "k1"))
    source = page([Explanation("k1", "Fruit", 0.5, "", neighbours=(near,))], title="x")
    assert '<span class="document" dir="auto">text</span>' in source and "similarity 0.50" in source
    assert 'title="Health &amp; food, Fruit"><strong>Fruit</strong>, Health &amp; food</span>' in source


@pytest.mark.parametrize(
    "bare",
    [
        Explanation("a", "a", 0.5, ""),
        Explanation("a", "a", 0.5, "unknown words"),
        replace(FULL, features=(), paths=(), neighbours=()),
        replace(FULL, text="", spans=()),
        replace(FULL, features=(), spans=(), paths=((Step("a", 1, 0.5),),)),
    ],
)
def test_what_is_not_there_is_left_out(bare: Explanation) -> None:
    seen = Page(page([bare], title="x"))
    assert ("Nearest" in seen.words) == bool(bare.neighbours)
    assert ("Path" in seen.words) == any(len(path) > 1 for path in bare.paths)
    assert seen.texts == ([bare.text] if bare.text else [])
    assert "nav" not in seen.tags


def test_attention() -> None:
    looks = replace(
        FULL,
        spans=(Span(0, 6, 0.8), Span(14, 20, 0.19), Span(27, 32, 0.21)),
        features=(Feature("apples", 0.8), Feature("pears", 0.21), Feature("plums", 0.0004)),
        kind="attention",
    )
    source = page([looks], title="x")
    seen = Page(source)
    assert seen.texts == [TEXT]
    assert seen.titles[:-1] == ["80.0%", "21.0%"]  # and a neighbour's labels; none where there is next to no attention
    assert source.count("<caption>") == 1 and "Words attended to" in seen.words
    assert "The deeper the colour, the more attention a word gets, from " in seen.words
    assert "1 holds 80.0% of the attention" in seen.words and "<0.1%" in seen.words
    for foreign in ("without any", "Coloured words speak", "+0.", "Words for", "Words against"):
        assert foreign not in seen.words


def test_first_order_estimates() -> None:
    seen = Page(page([replace(FULL, kind="leaning")], title="x"))
    assert "Words for" in seen.words and "Words against" in seen.words
    assert "first-order estimates" in seen.words and "without any" not in seen.words
    assert seen.titles[:3] == ["+1.00", "−0.50", "+0.25"]
    assert FULL.to_json()["kind"] == "sum"
