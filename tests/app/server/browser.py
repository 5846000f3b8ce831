"""A real browser without a window: Chromium with its driver, as Debian has them."""

from collections.abc import Iterator
from contextlib import contextmanager
from shutil import which
from typing import Any

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

_FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1280,1000")


class Page:
    """The page in a browser."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, url: str) -> None:
        """Go there and wait until models can be chosen."""
        self.driver.get(url)
        self.until(lambda: self("#model option") or self("#ask[open]"))

    def __call__(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        """The only element of this kind."""
        [found] = self(selector)
        return found

    def until(self, done: Any, *, seconds: float = 20.0) -> Any:
        """Wait for something."""

        def tried(_: Any) -> Any:
            from selenium.common.exceptions import StaleElementReferenceException

            try:
                return done()
            except StaleElementReferenceException:
                return False

        return WebDriverWait(self.driver, seconds, poll_frequency=0.05).until(tried)

    def write(self, text: str) -> None:
        """Type a text and wait for its labels."""
        self.one("#text").send_keys(text)
        self.until(self.names)

    def names(self) -> list[str]:
        """Of the labels shown."""
        return [element.text for element in self("#labels .name")]

    @property
    def status(self) -> str:
        """What the page says."""
        return self.one("#status").text

    def run(self, script: str, *arguments: Any) -> Any:
        """Do something in the page."""
        return self.driver.execute_script(script, *arguments)

    def emulate(self, **media: str) -> None:
        """Other preferences of the reader."""
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def resize(self, width: int, height: int) -> None:
        """A screen of another size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def errors(self) -> list[str]:
        """What the browser complained of."""
        return [line["message"] for line in self.driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]


@contextmanager
def browser() -> Iterator[Page]:
    """A page, or a skip that says what is missing."""
    chromium, driver = which("chromium") or which("google-chrome"), which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no browser is installed: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in _FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Page(started)
    finally:
        started.quit()
