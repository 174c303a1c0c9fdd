"""Make docs/images/report.png anew: the report of ``lamc demo`` as a browser shows it.

Needs the extra ``browser`` and a Chromium, by default Debian's:

    python docs/images/make_report_picture.py [path of chromium]
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright

from lamc.demo import run_demo
from lamc.report import write_report

PICTURE = Path(__file__).with_name("report.png")
LABELS = 4  # rows of the table that are in the picture
SCALE = 1.25
WIDTH = round(1400 / SCALE)


def main(chromium: str = "/usr/bin/chromium") -> None:
    """Write the report of the demonstration and take its picture."""
    demo = run_demo()
    (three_way,) = [
        shown.calibrator for shown in demo.rules if shown.calibrator.rule == "three-way"
    ]
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = write_report(
            Path(folder) / "report.html",
            demo.scores,
            demo.data.Y[demo.test],
            three_way,
            title="Handwritten digits from single positives",
            data=demo.data,
            rows=demo.test,
            model="WAN, a small network that was told one digit of each of 2,800 scenes, though a "
            "scene shows up to four.",
        )
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": WIDTH, "height": 900},
            device_scale_factor=SCALE,
            color_scheme="light",
        )
        page.goto(report.as_uri())
        page.wait_for_selector("html.live")
        first = page.locator("#explore").bounding_box()
        last = page.locator("#table tbody tr").nth(LABELS - 1).bounding_box()
        if first is None or last is None:
            raise SystemExit("The report lacks a part that the picture shows.")
        end = last["y"] + last["height"]
        page.screenshot(
            path=PICTURE,
            full_page=True,
            clip={"x": 0, "y": first["y"] + 1, "width": WIDTH, "height": end - first["y"]},
        )
        browser.close()
    Image.open(PICTURE).quantize(64).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
