"""A browser, and reports to open in it."""

import numpy as np
import pytest

from lamc import Calibrator, as_labels
from lamc.report import write_report

CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def open_report(browser):
    """Opens a report and checks at the end that it asked for nothing and that nothing failed."""
    pages = []

    def opened(path, *, width=1280, height=900, script=True, **context):
        page = browser.new_context(
            viewport={"width": width, "height": height}, java_script_enabled=script, **context
        ).new_page()
        requests, troubles = [], []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
        page.set_default_timeout(120_000)  # machines are shared
        page.goto(path.as_uri())
        if script:
            page.wait_for_selector("html.live")
        pages.append((page, path, requests, troubles))
        return page

    yield opened
    for page, path, requests, troubles in pages:
        fetched = [url for url in requests if not url.startswith("data:")]
        page.context.close()
        assert fetched == [path.as_uri()]
        assert troubles == []


def rows_with_labels(n, k, seed):
    """Scores and truth; the labels of a row are easy or hard together, the last ones rare."""
    rng = np.random.default_rng(seed)
    share = np.geomspace(0.5, 0.02, k)
    Y = rng.random((n, k)) < share
    hard = rng.random((n, 1))
    scores = 0.55 * rng.random((n, k)) + 0.4 * Y * rng.random((n, k)) ** (3 * hard) + 0.05 * Y
    return np.round(scores, 3), Y


class Case:
    """A calibrator, the rows it was fitted on, held-out rows, and the report on them."""

    def __init__(self, folder, calibrator, k, n=300):
        self.calibration = rows_with_labels(n, k, seed=0)
        self.scores, self.Y = rows_with_labels(n, k, seed=1)
        self.names = np.array([f"label {i:04d}" for i in range(k)])
        self.labels = as_labels(self.calibration[1], classes=self.names, knowledge="all")
        self.truth = as_labels(self.Y, classes=self.names, knowledge="all")
        self.calibrator = calibrator.fit(self.calibration[0], self.labels)
        self.path = write_report(
            folder / "report.html",
            self.scores,
            self.truth,
            self.calibrator,
            title="Trees",
            features=self.scores,
        )


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """Eight labels, by the three-way rule."""
    return Case(tmp_path_factory.mktemp("small"), Calibrator("three-way", alpha=0.1), k=8)


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """A thousand labels."""
    return Case(tmp_path_factory.mktemp("large"), Calibrator("recall", alpha=0.12), k=1000, n=120)
