"""SKOS vocabularies as RDF: preferred names by language, broader concepts as parents."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

from umpteen.core.errors import DataError
from umpteen.core.extras import need
from umpteen.core.files import CHUNK, opened, plain_name
from umpteen.core.space import Label

SKOS = "http://www.w3.org/2004/02/skos/core#"
_PLAIN_ENTITY = re.compile(rb"<!ENTITY\s+[\w.:-]+\s+(\"[^\"&%]{0,500}\"|'[^'&%]{0,500}')\s*>")
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def skos_labels(file: Path) -> dict[str, Label]:
    """The concepts; called as in the language that most have a name in."""
    graph = _graph(file)
    names = _names(graph)
    if not names:
        raise DataError("Expected SKOS concepts with prefLabel, got none.", file=file)
    above = _parents(graph, names)
    notes = [*_said(graph, "scopeNote"), *_said(graph, "definition")]  # the later wins
    texts = {str(concept): str(note) for concept, note in notes}
    spoken = Counter(language for known in names.values() for language in known)
    common = [language for language, _ in spoken.most_common()]
    return {
        key: Label(
            key,
            next((known[language] for language in common if language in known), ""),
            tuple(sorted(above.get(key, ()))),
            {language: name for language, name in known.items() if language},
            texts.get(key, ""),
        )
        for key, known in names.items()
    }


def _names(graph: Any) -> dict[str, dict[str, str]]:
    """The concepts' preferred names by language; "" where none is told."""
    kinds = _said(graph, TYPE)
    names = {str(thing): dict[str, str]() for thing, kind in kinds if str(kind) == f"{SKOS}Concept"}
    for concept, name in _said(graph, "prefLabel"):
        names.setdefault(str(concept), {}).setdefault(_language(name), str(name))
    for thing, kind in kinds:
        if str(kind) in (f"{SKOS}ConceptScheme", f"{SKOS}Collection"):
            names.pop(str(thing), None)
    return names


def _parents(graph: Any, known: dict[str, dict[str, str]]) -> dict[str, set[str]]:
    above: dict[str, set[str]] = {}
    pairs = [(str(below), str(parent)) for below, parent in _said(graph, "broader")]
    pairs += [(str(below), str(parent)) for parent, below in _said(graph, "narrower")]
    for below, parent in pairs:
        if parent in known:
            above.setdefault(below, set()).add(parent)
    return above


def _said(graph: Any, predicate: str) -> list[tuple[Any, Any]]:
    """Who is said to have what, in one order whatever the file's."""
    uri = need("rdflib", extra="skos", what="Reading SKOS").URIRef
    wanted = uri(predicate if ":" in predicate else f"{SKOS}{predicate}")
    return sorted(graph.subject_objects(wanted), key=lambda pair: (str(pair[0]), str(pair[1]), _language(pair[1])))


def _language(name: Any) -> str:
    return getattr(name, "language", None) or ""


def _check_entities(file: Path) -> None:
    """Raise at entities that hold others, which can grow without end, or lead to other files; short ones are usual."""
    held, margin = b"", 1000
    with opened(file) as stream:
        while chunk := stream.read(CHUNK):
            held = held[-margin:] + chunk
            if b"\x00" in held:
                raise DataError("Expected XML in UTF-8, got another encoding. Save the file as UTF-8.", file=file)
            for found in re.finditer(rb"<!ENTITY\b", held):
                is_cut = found.start() > len(held) - margin and len(chunk) == CHUNK  # seen again with the next
                if not is_cut and not _PLAIN_ENTITY.match(held, found.start()):
                    raise DataError("Expected no entities but plain short ones: others can fill memory.", file=file)


def _graph(file: Path) -> Any:
    rdflib = need("rdflib", extra="skos", what="Reading SKOS")
    graph = rdflib.Graph()
    with opened(file) as stream:
        start = stream.peek(200).lstrip() if hasattr(stream, "peek") else b""
        is_xml = plain_name(file).lower().endswith((".rdf", ".xml")) or start.startswith((b"<?xml", b"<rdf"))
        if is_xml:
            _check_entities(file)
        try:
            graph.parse(stream, format="xml" if is_xml else "turtle")  # N-Triples is Turtle too
        except DataError:
            raise
        except Exception as error:  # each of rdflib's parsers has errors of its own
            line = error.getLineNumber() if hasattr(error, "getLineNumber") else getattr(error, "lines", -2) + 1
            problem = str(getattr(error, "_why", error)).strip().partition("\n")[0]
            kind = "RDF/XML" if is_xml else "Turtle or N-Triples"
            raise DataError(f"Expected {kind}, got: {problem}", file=file, line=line if line > 0 else None) from error
    return graph
