"""Pages keep up with the code they describe."""

import re
from pathlib import Path

from umpteen.data.formats import format_names
from umpteen.models import entries

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]


def test_every_format_has_its_row() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "formats.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == format_names()


def test_every_model_is_in_the_readme() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(entries())


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for file, _, heading in re.findall(r"\]\(([^)#]*)(#([^)]+))?\)", page.read_text(encoding="utf-8")):
            target = page.parent / file if file else page
            assert target.exists(), f"{page.name} links to {file}"
            assert not heading or heading in anchors(target), f"{page.name} links to {file}#{heading}"


def anchors(page: Path) -> set[str]:
    """What links call a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
