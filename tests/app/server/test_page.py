"""The page in a real browser: everything that people do on it."""

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.server.browser import Page, browser
from app.server.conftest import BREAD, Live
from umpteen.app.server.feedback import corrections

pytest.importorskip("selenium", reason="selenium is not installed")
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


@pytest.fixture(scope="module")
def chromium() -> Iterator[Page]:
    with browser() as page:
        yield page


@pytest.fixture(scope="module")
def server(chromium: Page, models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    started = Live(models["tree"], models["near"], cwd=tmp_path_factory.mktemp("server"))
    yield started
    started.stop(signal.SIGKILL)


@pytest.fixture
def page(chromium: Page, server: Live) -> Iterator[Page]:
    chromium.open(server.url)
    yield chromium
    assert chromium.errors() == []


def choose(page: Page, name: str) -> None:
    """Click a label and wait for its reasons."""
    next(one for one in page("#labels .label") if one.find_element(By.CLASS_NAME, "name").text == name).click()
    page.until(lambda: page(".reasons"))


def test_labels_come_as_one_types(page: Page) -> None:
    assert "no text yet" in page.until(lambda: page.status)
    page.write("bread from the oven ")
    page.until(lambda: page.names()[:1] == ["Baking"])
    page.one("#text").send_keys("boat mast anchor sail harbour rudder deck tide " * 3)
    page.until(lambda: page.names()[:1] == ["Sailing"])
    page.until(lambda: page.status == "6 labels")
    assert page("#labels .crumbs")[0].text == "Crafts ›"
    widths = page.run(
        "return [...document.querySelectorAll('#labels .meter i')].map(e => e.getBoundingClientRect().width)"
    )
    assert widths == sorted(widths, reverse=True) and widths[0] > 2 * widths[-1]


def test_another_model(page: Page) -> None:
    page.write(BREAD)
    page.until(lambda: len(page.names()) == 6)
    page.one("#model option[value=near]").click()
    page.until(lambda: page.names() == ["Baking"])  # no neighbour has another label


def test_words_light_up(page: Page) -> None:
    page.write(BREAD)
    choose(page, "Baking")
    lit = {one.get_attribute("textContent").lower() for one in page("#mirror mark.for")}
    assert lit & {"bread", "oven", "dough", "yeast", "loaf"} and "the" not in lit
    mirrored, written = page.run(
        "return [document.getElementById('mirror').textContent, document.getElementById('text').value]"
    )
    assert mirrored.rstrip("\n") == written
    boxes = page.run(
        """return ['mirror', 'text'].map(id => document.getElementById(id))
        .map(e => [e.clientWidth, getComputedStyle(e).font, getComputedStyle(e).padding])"""
    )
    assert boxes[0] == boxes[1]  # so that the light falls on the right words
    assert "Words for" in page.one(".reasons").text and "Baking" in page.one("#legend").text
    assert page("#labels .label")[0].get_attribute("aria-expanded") == "true"
    page.one("#text").send_keys(" more")
    page.until(lambda: page("#mirror mark"))  # they follow the text


def test_paths_and_neighbours(page: Page) -> None:
    page.one("#model option[value=near]").click()
    page.write(BREAD)
    choose(page, "Baking")
    assert "Nearest training documents" in page.one(".reasons").text and page(".near li")
    page("#labels .label")[0].click()
    page.until(lambda: not page(".reasons"))


def test_how_many_and_how_sure(page: Page) -> None:
    page.write(BREAD)
    page.until(lambda: len(page.names()) == 6)
    page.one("#limit").send_keys(Keys.CONTROL + "a" + Keys.NULL + "2")
    page.until(lambda: len(page.names()) == 2)
    page.run("const t = document.getElementById('threshold'); t.value = 0.95; t.dispatchEvent(new Event('input'))")
    page.until(lambda: len(page.names()) < 2 and page.one("#threshold-value").text == "0.95")


def test_copies(page: Page) -> None:
    allowed = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    page.driver.execute_cdp_cmd("Browser.grantPermissions", allowed)
    page.write(BREAD)
    page.until(lambda: len(page.names()) == 6)

    def copied(way: str) -> str:
        page.one(f"[data-copy={way}]").click()
        page.until(lambda: "Copied 6 labels" in page.status)
        page.run("document.getElementById('status').textContent = ''")
        script = "const done = arguments[0]; navigator.clipboard.readText().then(done)"
        return str(page.driver.execute_async_script(script))

    assert copied("text").splitlines() == page.names()
    rows = [line.split("\t") for line in copied("tsv").splitlines()]
    assert rows[0][:2] == ["baking", "Baking"] and 0 < float(rows[0][2]) <= 1
    assert [one["label"] for one in json.loads(copied("json"))] == page.names()


def test_corrections_are_sent(page: Page, server: Live) -> None:
    page.write(BREAD)
    page.until(lambda: len(page.names()) == 6)
    page.one("#correct").click()
    ticks = {one.get_attribute("aria-label"): one for one in page("#labels input")}
    assert ticks["Baking is right"].is_selected() and not ticks["Chess is right"].is_selected()
    ticks["Baking is right"].click()
    page.one("#missing").send_keys("chess")
    page.until(lambda: page("#known option"))
    page.one("#missing").send_keys(Keys.ENTER)
    page.one("#missing").send_keys("Something new")
    page.one("#correction .main").click()
    page.until(lambda: "kept as number" in page.status)
    kept = [*corrections(server.log.parent / "feedback.sqlite")][-1]
    assert kept.text == BREAD and kept.project == "tree" and kept.suggested[0] == "baking"
    assert "baking" not in kept.labels and {"chess", "Something new"} <= set(kept.labels)


def test_files(page: Page, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Bread, crusts & ovens 🍞\r\nflour".encode())
    (tmp_path / "b.bin").write_bytes(b"\xff\xfe\x00")
    page.one("#file").send_keys(str(tmp_path / "a.txt"))
    page.until(lambda: page.one("#text").get_attribute("value") == "Bread, crusts & ovens 🍞\nflour")
    page.until(lambda: page.names()[:1] == ["Baking"])
    page.one("#file").send_keys(str(tmp_path / "b.bin"))
    page.until(lambda: "not a text in UTF-8" in page.status)
    page.one("#clear").click()
    page.until(lambda: "no text yet" in page.status and not page.names())


def test_a_dropped_file(page: Page) -> None:
    page.run(
        """const data = new DataTransfer();
        data.items.add(new File(["boat, mast and sail in the harbour"], "boat.txt", {type: "text/plain"}));
        document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));"""
    )
    page.until(lambda: page.names()[:1] == ["Sailing"])


def test_by_keyboard_alone(page: Page) -> None:
    page.write(BREAD)
    page.until(lambda: len(page.names()) == 6)
    active = page.driver.switch_to
    for _ in range(20):
        active.active_element.send_keys(Keys.TAB)
        if "label" in (active.active_element.get_attribute("class") or ""):
            break
    active.active_element.send_keys(Keys.ARROW_DOWN)
    second = active.active_element
    assert page.names()[1] in second.text
    second.send_keys(Keys.ENTER)
    page.until(lambda: page(".reasons"))
    active.active_element.send_keys(Keys.ESCAPE)
    page.until(lambda: not page(".reasons"))
    assert page.names()[1] in active.active_element.text  # the focus stays where it was


def test_for_screen_readers(page: Page) -> None:
    page.write(BREAD)
    choose(page, "Baking")
    nodes = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = {
        (n.get("role", {}).get("value"), n.get("name", {}).get("value", "")) for n in nodes if not n.get("ignored")
    }
    roles: dict[str, list[str]] = {}
    for role, name in named:
        roles.setdefault(role, []).append(name)
    assert "Text" in roles["textbox"] and roles["slider"] and roles["status"]
    assert any("Baking" in name for name in roles["button"]) and all(roles["button"])  # every button has a name
    assert "Why Baking" in roles["region"]
    assert not page.run(
        """return [...document.querySelectorAll('input, select, textarea')]
        .filter(e => !e.hidden && !e.labels.length && !e.ariaLabel).map(e => e.id)"""
    )


def luminance(page: Page, selector: str, of: str) -> float:
    colour = page.run("return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, of)
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_can_be_read(page: Page, scheme: str) -> None:
    page.emulate(prefers_color_scheme=scheme)
    page.write(BREAD)
    ground = luminance(page, "body", "backgroundColor")
    assert (ground > 0.5) == (scheme == "light")
    for selector in ("body", ".soft", ".crumbs", "a[href='/v1/openapi.json']"):
        ink = luminance(page, selector, "color")
        contrast = (max(ink, ground) + 0.05) / (min(ink, ground) + 0.05)
        assert contrast >= 4.5, selector
    page.emulate()


def test_on_a_phone(page: Page) -> None:
    page.resize(360, 740)
    page.write(BREAD)
    choose(page, "Baking")
    assert page.run("return document.documentElement.scrollWidth") <= 360  # nothing sticks out
    small = page.run(
        """return [...document.querySelectorAll('button')]
        .filter(e => e.offsetHeight && e.offsetHeight < 36).map(e => e.textContent)"""
    )
    assert small == []
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_card(page: Page) -> None:
    page.one("#about").click()
    page.until(lambda: page("#card[open]"))
    assert "tree: plt" in page.one("#card").text and "120" in page.one("#card").text
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.until(lambda: not page("#card[open]"))


def test_texts_are_never_taken_for_html(page: Page) -> None:
    page.write("<img src=x onerror=alert(1)><b>bread</b> oven ")
    choose(page, "Baking")
    assert not page("#mirror img, #mirror b, .reasons img")


def test_says_that_the_server_is_gone_and_finds_it_again(
    chromium: Page, live: Callable[..., Live], models: dict[str, Path]
) -> None:
    server = live(models["tree"])
    chromium.open(server.url)
    chromium.write("bread ")
    server.stop()
    chromium.one("#text").send_keys("boat mast anchor harbour sail rudder")
    chromium.until(lambda: "cannot be reached" in chromium.status)
    live(models["tree"], port=int(server.url.rpartition(":")[2]))
    chromium.until(lambda: chromium.names()[:1] == ["Sailing"] and "reached" not in chromium.status)
    chromium.errors()


def test_says_that_the_server_is_busy_and_tries_again(page: Page) -> None:
    page.run(
        """const real = window.fetch;
        let left = 1;
        window.fetch = (path, options) => path.endsWith("/suggest") && left-- > 0
          ? Promise.resolve(new Response('{"detail": "The server is busy."}',
            {status: 503, headers: {"Retry-After": "1"}}))
          : real(path, options);"""
    )
    page.one("#text").send_keys(BREAD)
    page.until(lambda: "The server is busy. Trying again" in page.status)
    page.until(lambda: page.names()[:1] == ["Baking"] and "busy" not in page.status)


def test_asks_for_the_token(chromium: Page, live: Callable[..., Live], models: dict[str, Path]) -> None:
    chromium.open(live(models["tree"], "--token", "s3cret").url)
    chromium.until(lambda: chromium("#ask[open]"))
    chromium.one("#token").send_keys("s3cret", Keys.ENTER)
    chromium.until(lambda: chromium("#model option"))
    chromium.write(BREAD)
    chromium.until(lambda: chromium.names()[:1] == ["Baking"])
    chromium.errors()
