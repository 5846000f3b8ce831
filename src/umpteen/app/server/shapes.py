"""What requests and answers look like: Annif's shapes, and those of Umpteen's own."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field


def _sound(text: str) -> str:
    """Half a character, which JSON can spell, becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


BATCH = 32  # documents of a request, as with Annif
Text = Annotated[str, AfterValidator(_sound)]
Key = Annotated[Text, Field(min_length=1, max_length=1000)]
Limit = Annotated[int, Field(ge=0, lt=2**31, description="How many labels at most.")]
Threshold = Annotated[
    float, Field(ge=0, le=1, allow_inf_nan=False, description="Score below which labels are left out.")
]


class Info(BaseModel):
    """What answers here."""

    title: str
    version: str


class Vocabulary(BaseModel):
    """The labels of a model."""

    vocab_id: str
    languages: list[str]
    size: int
    loaded: bool


class Vocabularies(BaseModel):
    """Those of all models."""

    vocabs: list[Vocabulary]


class Backend(BaseModel):
    """The kind of a model."""

    backend_id: str


class Project(BaseModel):
    """A model."""

    project_id: str
    name: str
    language: str
    backend: Backend
    vocab: Vocabulary
    vocab_language: str
    is_trained: bool
    modification_time: str


class Projects(BaseModel):
    """All models."""

    projects: list[Project]


class Suggestion(BaseModel):
    """A label of a text."""

    uri: str
    label: str
    notation: str | None
    score: float
    path: list[str] = Field(default=[], description="Names from the top of the hierarchy, where `paths` was asked for.")
    chosen: bool | None = Field(default=None, description="Whether the text gets it, where `chosen` was asked for.")


class Suggestions(BaseModel):
    """The labels of a text, best first."""

    results: list[Suggestion]


class Wanted(BaseModel):
    """The form that `suggest` takes; other fields, such as metadata_title, are let pass."""

    text: Text = Field(description="The text to tag.")
    limit: Limit = 10
    threshold: Threshold = 0.0
    language: str = Field("", description="Language of the label names.")
    paths: bool = Field(False, description="Umpteen's own: with the names of the labels above.")
    chosen: bool = Field(False, description="Umpteen's own: with what the model's policy makes of each label.")


class Document(BaseModel):
    """A text to tag."""

    text: Text
    document_id: Text | None = None
    metadata: dict[str, str] = {}


class Documents(BaseModel):
    """Several of them."""

    documents: list[Document] = Field(max_length=BATCH)


class DocumentSuggestions(Suggestions):
    """The labels of one of several texts."""

    document_id: str | None


class Subject(BaseModel):
    """A label of a document to learn."""

    uri: Key
    label: Text = Field("", max_length=1000)


class IndexedDocument(BaseModel):
    """A document to learn."""

    text: Text = ""
    subjects: list[Subject] = Field([], max_length=1000)
    metadata: dict[str, str] = {}


class Languages(BaseModel):
    """A text and the languages it may be in."""

    text: Text
    languages: list[Annotated[str, Field(min_length=2, max_length=3)]] = Field(min_length=1, max_length=5)


class Language(BaseModel):
    """A language and its chance; null for all others."""

    language: str | None
    score: float


class LanguagesFound(BaseModel):
    """The languages, most likely first."""

    results: list[Language]


class Question(BaseModel):
    """Why does a text get a label? Without one: its best."""

    text: Text = Field(min_length=1)
    label: Key | None = Field(None, description="Key or name.")
    by: Literal["sum", "attention", "leaning"] | None = Field(None, description="One of the model's ways to explain.")


class Corrected(BaseModel):
    """The right labels of a text, beside those that were suggested."""

    text: Text = Field(min_length=1)
    labels: list[Key] = Field(max_length=1000)
    suggested: list[Key] = Field([], max_length=1000)


class Taken(BaseModel):
    """The number of a correction that is on the disk."""

    number: int


class Found(BaseModel):
    """A label, and in how many training documents it is."""

    uri: str
    label: str
    path: list[str]
    count: int


class LabelsFound(BaseModel):
    """Labels that a search found."""

    labels: list[Found]


class State(BaseModel):
    """How the server is."""

    status: str
