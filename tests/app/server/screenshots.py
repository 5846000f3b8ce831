"""Pictures of the page for the documentation: python tests/app/server/screenshots.py MODEL FOLDER [TEXT LABEL]."""

import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from app.server.browser import browser
from app.server.conftest import Live

TEXT = (
    "Galeon is a small web browser for the GNOME desktop. It shows pages with tabs, keeps bookmarks, and blocks "
    "advertisements. The program is written in C and uses GTK for its windows; a plugin plays music and video."
)
VIEWS = {  # width, height, scheme, whether a label is open
    "light": (1280, 860, "light", False),
    "explanation": (1280, 1010, "light", True),
    "dark": (1280, 860, "dark", True),
    "phone": (390, 1100, "light", True),
}


def main(model: str, folder: str, text: str = TEXT) -> None:
    """Take all of them."""
    with tempfile.TemporaryDirectory() as place, browser() as page:
        server = Live(Path(model).absolute(), "--no-feedback", cwd=Path(place))
        for name, (width, height, scheme, is_open) in VIEWS.items():
            page.resize(width, height)
            page.emulate(prefers_color_scheme=scheme)
            page.open(server.url)
            page.write(text)
            if is_open:
                page("#labels .label")[0].click()
                page.until(lambda: page(".reasons"))
            page.run("document.activeElement.blur(); scrollTo(0, 0)")
            page.driver.save_screenshot(str(Path(folder) / f"page-{name}.png"))
        server.stop(signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
