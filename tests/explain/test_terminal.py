from dataclasses import replace

import pytest
from rich.text import Text

from umpteen.contract.explanation import Explanation, Feature, Kind, Mixed, Neighbour, Span, Step
from umpteen.explain.reading import colours_from, passages, pieces
from umpteen.explain.terminal import lines

FULL = Explanation(
    label="k1",
    name="Fruit",
    score=0.7,
    text="An apple,\nnot iron.",
    spans=(Span(3, 8, 2.0), Span(14, 18, -0.3)),
    features=(Feature("apple", 2.0), Feature("iron", -0.3)),
    bias=-1.0,
    paths=((Step("Food", 12, 0.9), Step("Fruit", 1, 0.5)),),
    neighbours=(Neighbour("Pears", 0.75, ("Fruit", "Food"), ("k1", "k2")),),
)


def shown(explanation: Explanation) -> list[str]:
    return [line.plain.rstrip() for line in lines(explanation)]


def test_all_of_it_without_colour() -> None:
    assert shown(FULL) == [
        "0.70 ███████    Fruit  (k1)",
        "",
        "An apple,",
        "not iron.",
        "",
        "  for                                         against",
        "   +2.00 ██████████ apple                      -0.30 █▌         iron",
        "",
        "All words for: +2.00, all words against: -0.30, without any: -1.00; together +0.70.",
        "",
        "Path through the tree, 0.45 in all",
        "  0.90 Food  12 labels",
        "    0.50 Fruit",
        "",
        "Nearest training documents, 1 of the 1 that vote has the label",
        "  0.75 Pears  Fruit, Food",
    ]


def test_words_are_coloured_by_side_and_strength() -> None:
    text = next(line for line in lines(FULL) if "apple" in line.plain)
    assert {(text.plain[span.start : span.end], str(span.style)) for span in text.spans} == {
        ("apple", "bold white on color(26)")
    }
    text = next(line for line in lines(FULL) if "iron" in line.plain)
    assert [str(span.style) for span in text.spans] == ["color(166) underline"]


def test_features_without_text() -> None:
    found = shown(replace(FULL, text="", spans=()))
    assert found[2].startswith("  for")
    assert "All features for: +2.00" in found[5]


def test_neighbours_with_the_label_are_listed_and_counted() -> None:
    fruit, other = (("Fruit",), ("k1",)), (("Fruit",), ("k2",))  # two labels of one name
    near = [Neighbour(f"text {n}", 1 - n / 50, *(fruit if n % 2 else other)) for n in range(30)]
    found = shown(Explanation("k1", "Fruit", 0.5, "", neighbours=tuple(near)))
    assert found[2] == "Nearest training documents, 15 of the 30 that vote have the label"
    assert found[3] == "  0.98 text 1  Fruit"
    assert len(found) == 14 and found[-1] == "  5 more"


def test_of_many_labels_the_one_that_is_explained_comes_first() -> None:
    near = Neighbour("text", 0.5, (*(f"label {n}" for n in range(50)), "Fruit"), ("k2",) * 50 + ("k1",))
    (line,) = (line for line in shown(Explanation("k1", "Fruit", 0.5, "", neighbours=(near,))) if "text" in line)
    assert line.startswith("  0.50 text  Fruit, label 0, label 1") and line.endswith("…") and len(line) == 113


def test_how_much_votes_and_the_network_say() -> None:
    near = Neighbour("text", 0.5, ("Fruit",), ("k1",))
    found = shown(Explanation("k1", "Fruit", 0.35, "", neighbours=(near,), mixed=Mixed(0.2, 0.8, 0.25)))
    assert found[1] == (
        "75% of the score is what the network says, 0.20, and 25% are votes of similar documents, 0.80."
    )


def test_what_brings_more_of_the_score_comes_first() -> None:
    for voted, first in ((0.9, "Nearest training documents"), (0.1, "What the network saw")):
        found = shown(replace(FULL, kind="attention", mixed=Mixed(0.2, voted, 0.5)))
        places = [next(n for n, line in enumerate(found) if line.startswith(part)) for part in ("Nearest", "An apple")]
        assert (places == sorted(places)) == (first == "Nearest training documents")
        assert ("What the network saw" in found) == (places == sorted(places))


def test_of_a_long_text_only_words_with_more_than_their_share_of_attention_are_coloured() -> None:
    weights = [0.05, *[0.012] * 50, *[0.007] * 50]
    spans = tuple(Span(2 * n, 2 * n + 1, weight) for n, weight in enumerate(weights))
    long = Explanation("l", "l", 0.5, "a " * len(weights), spans, kind="attention")
    assert next(piece.weight for piece in pieces(long) if piece.weight) == 0.05
    assert colours_from(long) == pytest.approx(1 / 101)
    assert sum(bool(piece.weight) for piece in pieces(long)) == 51
    assert colours_from(replace(long, spans=spans[:2])) == pytest.approx(0.0125)  # a quarter of the strongest


def test_no_word_that_the_model_knows() -> None:
    assert "None of the words speaks for or against it" in shown(Explanation("a", "a", 0.2, "zzz"))[-1]


def test_signs_that_steer_a_terminal_are_not_passed_on() -> None:
    bad = "\x1b[2J"
    nasty = replace(
        FULL,
        name=bad,
        label=bad + "x",
        text=f"{bad}\r\n{bad}",
        spans=(Span(0, 4, 1.0),),
        features=(Feature(bad, 1.0),),
        paths=((Step(bad, 2, 1.0), Step(bad, 1, 1.0)),),
        neighbours=(Neighbour(bad, 1.0, (bad,), (bad,)),),
    )
    assert not any(c in line for line in shown(nasty) for c in "\x1b\r")


def test_of_a_long_text_the_telling_passages() -> None:
    text = "word " * 2000
    long = replace(FULL, text=text, spans=(Span(4000, 4004, 1.0), Span(4030, 4034, -1.0), Span(8000, 8004, 0.5)))
    assert passages(long, whole=100, spans=12, around=20) == [(3980, 4054), (7980, 8024)]
    assert passages(long, whole=100, spans=1, around=20) == [(3980, 4024)]
    assert passages(replace(long, spans=()), whole=100, spans=1, around=20) == [(0, 100)]
    body = next(line for line in lines(long) if "word" in line.plain)
    assert isinstance(body, Text)
    assert body.plain.startswith("… ") and body.plain.endswith(" …") and " … " in body.plain[2:-2]


def test_pieces_make_the_text() -> None:
    assert "".join(piece.text for piece in pieces(FULL)) == FULL.text
    assert [(p.text, p.weight) for p in pieces(FULL, 5, 16)] == [("ple", 2.0), (",\nnot ", 0.0), ("ir", -0.3)]
    assert [round(p.share, 2) for p in pieces(FULL)] == [0, 1, 0, -0.15, 0]


LOOKS = Explanation(
    label="k1",
    name="Fruit",
    score=0.7,
    text="An apple, an apple, not iron.",
    spans=(Span(0, 2, 0.02), Span(3, 8, 0.5), Span(10, 12, 0.03), Span(13, 18, 0.25), Span(20, 23, 0.1)),
    features=(Feature("apple", 0.75), Feature("not", 0.1), Feature("iron", 0.0996), Feature("an", 0.0504)),
    kind="attention",
)


def test_attention_has_one_list_in_percent() -> None:
    assert shown(replace(LOOKS, features=(*LOOKS.features, Feature("so", 0.0004)))) == [
        "0.70 ███████    Fruit  (k1)",
        "",
        "An apple, an apple, not iron.",
        "",
        "  words attended to",
        "   75.0% ██████████ apple",
        "   10.0% █▍         not",
        "   10.0% █▍         iron",
        "    5.0% ▋          an",
        "   <0.1%            so",
        "",
        "Of 5 words, each counted with all its places, 1 holds 75.0% of the attention. Attention shows where the "
        "network looks, not whether what it sees there speaks for or against the label.",
    ]


def test_how_few_words_hold_half_of_the_attention() -> None:
    even = replace(LOOKS, features=tuple(Feature(f"w{n}", 0.0625) for n in range(16)))
    assert (
        "Of 16 words, each counted with all its places, 8 hold 50.0% of the attention. That is nearly even"
        in shown(even)[-1]
    )
    assert shown(even)[-3] == "  6 more words attended to"
    two = replace(LOOKS, features=tuple(Feature(f"w{n}", weight) for n, weight in enumerate((0.49, 0.49, 0.02))))
    assert "2 hold 98.0% of the attention. Attention shows" in shown(two)[-1]


def test_words_that_get_next_to_no_attention_are_not_coloured() -> None:
    text = next(line for line in lines(LOOKS) if "iron" in line.plain)
    assert [(text.plain[span.start : span.end], str(span.style)) for span in text.spans] == [
        ("apple", "bold white on color(91)"),
        ("apple", "bold color(134)"),
    ]
    assert "".join(piece.text for piece in pieces(LOOKS)) == LOOKS.text
    assert next(p.text for p in pieces(replace(LOOKS, kind="sum")) if p.weight) == "An"


def test_first_order_estimates_have_sides_and_no_sum() -> None:
    found = shown(replace(FULL, kind="leaning", paths=(), neighbours=()))
    assert found[:7] == shown(FULL)[:7]
    assert found[-1] == (
        "All words for: +2.00, all words against: -0.30. These are first-order estimates, the gradient times each "
        "word's vector: they need not add up to what the network says."
    )


@pytest.mark.parametrize("kind", ["attention", "leaning"])
def test_a_text_without_words(kind: Kind) -> None:
    assert shown(Explanation("a", "a", 0.2, "...", kind=kind))[-1] == (
        "There is no word in the text, so this is the score of any text without words."
    )


def test_words_that_change_nothing_are_words() -> None:
    assert shown(Explanation("a", "a", 0.2, "a word", kind="leaning"))[-1] == (
        "To first order, no word of the text changes the score."
    )


def test_attention_that_is_nearly_even_is_told_apart_by_colours() -> None:
    spans = tuple(Span(at, at + 1, weight) for at, weight in ((0, 0.30), (2, 0.34), (4, 0.36)))
    explanation = Explanation("l", "l", 0.5, "a b c", spans, kind="attention")
    assert [round(piece.share, 2) for piece in pieces(explanation) if piece.weight] == [0.0, 0.67, 1.0]
    clear = replace(explanation, spans=(*spans[:2], Span(4, 5, 0.9)))
    assert [round(piece.share, 2) for piece in pieces(clear) if piece.weight] == [0.11, 0.17, 1.0]
    even = replace(explanation, spans=tuple(replace(span, weight=0.2) for span in spans))
    assert [piece.share for piece in pieces(even) if piece.weight] == [1.0, 1.0, 1.0]


def test_words_that_were_not_read_are_counted() -> None:
    assert shown(replace(FULL, unread=1200))[8].endswith(" The last 1,200 words of the text were not read.")
    assert shown(replace(FULL, unread=1))[8].endswith(" Its last word was not read.")
