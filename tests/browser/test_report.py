"""The report as people meet it: with a mouse, a keyboard, a screen reader, a phone, a printer."""

import re

import numpy as np
import pytest

from lamc import Calibrator, as_labels
from lamc.evaluation import evaluate
from lamc.evaluation.intervals import share_of_pairs, wilson
from lamc.report import write_report
from lamc.report.grid import LEVELS
from lamc.report.numbers import count, interval, percent, threshold

pytestmark = pytest.mark.browser

RULES = ("recall", "three-way", "precision", "selective")


def move_to(page, level):
    """Put the slider to a place, as a drag does."""
    page.locator("#level").evaluate(
        "(slider, at) => { slider.value = at; slider.dispatchEvent(new Event('input')); }", level
    )
    wait_until_drawn(page)


def choose(page, rule):
    page.get_by_role("radio", name=rule, exact=True).check(force=True)
    wait_until_drawn(page)


def press(page, key):
    page.keyboard.press(key)
    wait_until_drawn(page)


def wait_until_drawn(page):
    """The page shows a new setting when it is drawn next."""
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")


def shown(page):
    """All that the page says at its setting, by name."""
    return page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('[data-show]')].map("
        "element => [element.dataset.show, element.textContent]))"
    )


def label_rows(page):
    """Cells of the table: for each row the texts, sub-lines and all."""
    return page.locator("#table tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.children].slice(0, 7).map("
        "cell => cell.querySelector('span')"
        " ? [...cell.querySelectorAll('span')].map(s => s.textContent) : cell.textContent))"
    )


@pytest.mark.parametrize("rule", RULES)
def test_numbers_are_those_that_python_gives_at_any_place_of_the_slider(rule, small, open_report):
    page = open_report(small.path)
    choose(page, rule)
    Y = small.Y
    for place in (0, 3, 9, 19, 33, 60, 90, len(LEVELS) - 1):
        move_to(page, place)
        calibrator = Calibrator(rule, alpha=LEVELS[place]).fit(small.calibration[0], small.labels)
        if rule == small.calibrator.rule:
            at = small.calibrator.thresholds_at(LEVELS[place])
            np.testing.assert_array_equal(at, calibrator.thresholds_)
        decided = calibrator.decide(small.scores)
        accepted, absent = decided == 1, decided == 0
        now = shown(page)
        assert now["level"] == f"{float(LEVELS[place]):g}"
        promised = f"for each calibrated label: {calibrator.promise_}"
        assert now["promise"].replace("\u00a0", " ") == promised
        for name, of in (("pairs", np.ones_like(Y)), ("true", Y)):
            for part, where in (
                ("accepted", accepted),
                ("open", ~accepted & ~absent),
                ("absent", absent),
            ):
                number = int((where & of).sum())
                assert now[f"{name}-{part}"] == count(number)
                assert now[f"{name}-{part}-share"] == percent(number / of.sum())
        right = (accepted & Y).sum(axis=1)
        for name, whole in (("precision", accepted), ("recall", Y)):
            expected = share_of_pairs(right, whole.sum(axis=1))
            assert now[name] == percent(expected.value)
            assert now[f"{name}-interval"] == interval(expected.low, expected.high)
        risk = page.locator("#risk").get_attribute("aria-label")
        if accepted.any():
            wrong = percent(1 - right.sum() / accepted.sum())
            assert risk == f"Coverage {percent(accepted.mean())}, risk {wrong}"
        claims = evaluate(calibrator, small.scores, Y).claims
        off = {label for claim in claims for label in claim.off.tolist()}
        assert label_rows(page) == [
            expected_row(calibrator, small, accepted, absent, off, k) for k in range(8)
        ]


def expected_row(calibrator, case, accepted, absent, off, k):
    """The cells of a label, from the calibrator's decisions; ``off`` are labels that are."""
    above = ">" if calibrator.rule == "selective" else "≥"
    at = float(np.float32(calibrator.thresholds_[k]))
    low = float(np.float32(calibrator.absence_thresholds_[k]))
    decided = calibrator.status_[k] != "uncalibrated"
    text = f"{above} {threshold(at)}" if np.isfinite(at) else threshold(at)
    right = int((accepted[:, k] & case.Y[:, k]).sum())

    def share(whole):
        if whole == 0:
            return [percent(np.nan), ""]
        ends = wilson(np.array([right / whole]), np.array([whole]))
        return [percent(right / whole), interval(*(float(end[0]) for end in ends))]

    n_true = int(case.Y[:, k].sum())
    told = ["misses the promise"] if str(calibrator.classes_[k]) in off else []
    if calibrator.rule == "three-way":
        true = case.Y[:, k]
        missed = percent(absent[true, k].mean() if true.any() else np.nan)
        told.append(f"missed {missed}, false {percent(accepted[~true, k].mean())}")
    return [
        str(case.names[k]),
        [str(calibrator.status_[k]), str(calibrator.reason_[k]) or "; ".join(told)],
        [count(int(calibrator.n_positives_[k])), f"{count(n_true)} held out"],
        [
            text if decided else "–",
            f"absent < {threshold(low)}" if decided and -np.inf < low < at else "",
        ],
        share(int(accepted[:, k].sum())),
        share(n_true),
        [percent((~accepted & ~absent)[:, k].mean())],
    ]


def test_the_threshold_is_drawn_where_it_lies(small, open_report):
    page = open_report(small.path)
    choose(page, "recall")
    for place in (19, 60):
        move_to(page, place)
        at = Calibrator(alpha=LEVELS[place]).fit(small.calibration[0], small.labels).thresholds_
        drawn = page.locator("#table .scores .high").evaluate_all(
            "lines => lines.map(line => [line.getAttribute('visibility'), line.getAttribute('x1')])"
        )
        for k, (visible, x) in enumerate(drawn):
            assert visible == ("visible" if np.isfinite(at[k]) else "hidden")
            if visible == "visible":
                expected = 144 * at[k] / small.scores[:, k].max()
                assert float(x) == pytest.approx(min(expected, 144), abs=0.01)


def test_examples_follow_the_slider(small, open_report):
    page = open_report(small.path)
    for rule, place in (("recall", 19), ("three-way", 40), ("selective", 80)):
        choose(page, rule)
        move_to(page, place)
        calibrator = Calibrator(rule, alpha=LEVELS[place]).fit(small.calibration[0], small.labels)
        decided = calibrator.decide(small.scores)
        words = {1: "accepted", 0: "called absent", -1: "left open"}
        cards = page.locator(".example")
        assert cards.count() == 18
        for card in cards.all()[::3]:
            row = int(card.locator("h4").text_content().removeprefix("Row "))
            chips = card.locator(".chip").all()
            for chip in chips:
                k = small.names.tolist().index(chip.locator(".label").text_content())
                spoken = chip.locator(".hidden").text_content()
                assert spoken.startswith(f", {words[decided[row, k]]}")
                assert ("not true" in spoken) == (not small.Y[row, k])
            others = sum(map(int, re.findall(r"\d+", card.locator(".others").text_content())))
            worth_seeing = (decided[row] != 0) | small.Y[row]
            assert len(chips) + others >= worth_seeing.sum() - (decided[row] == 0).sum()


def test_all_of_it_works_from_the_keyboard(small, open_report):
    page = open_report(small.path)
    press(page, "Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the numbers"
    press(page, "Enter")
    press(page, "Tab")
    assert page.evaluate("document.activeElement.name") == "rule"
    press(page, "ArrowRight")
    assert shown(page)["rule-name"] == "precision"
    press(page, "Tab")
    assert page.evaluate("document.activeElement.id") == "level"
    press(page, "Home")
    assert shown(page)["level"] == "0.005"
    press(page, "ArrowRight")
    assert shown(page)["level"] == "0.01"
    assert page.locator("#level").get_attribute("aria-valuetext") == "alpha 0.01"
    press(page, "Tab")
    press(page, "Enter")  # back to the calibrated setting
    assert (shown(page)["rule-name"], shown(page)["level"]) == ("three-way", "0.1")
    assert page.evaluate("document.activeElement.id") == "level"
    press(page, "Tab")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("0003")
    assert [row[0] for row in label_rows(page)] == ["label 0003"]
    press(page, "Tab")
    press(page, "Enter")
    head = page.get_by_role("columnheader", name="Label")
    assert head.get_attribute("aria-sort") == "ascending"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_what_changed_is_said(small, open_report):
    page = open_report(small.path)
    assert page.get_by_role("status").text_content() == ""
    move_to(page, 30)
    page.get_by_role("status").filter(has_text="three-way, alpha 0.21: ").wait_for(state="attached")


@pytest.mark.parametrize("column", ["Positives", "Threshold", "Precision", "Recall", "Left open"])
def test_labels_are_sorted_by_any_column_both_ways(column, large, open_report):
    page = open_report(large.path)
    head = page.get_by_role("columnheader", name=column)
    at = ["Label", "Status", "Positives", "Threshold", "Precision", "Recall", "Left open"].index(
        column
    )
    for direction in ("descending", "ascending"):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == direction
        assert page.locator("[aria-sort]").count() == 1
        texts = [row[at][0] for row in label_rows(page)]
        numbers = [float(re.sub(r"[^\d.]", "", text)) for text in texts if re.search(r"\d", text)]
        assert len(numbers) > 10
        assert numbers == sorted(numbers, reverse=direction == "descending")
        without = [i for i, text in enumerate(texts) if text == "–"]
        assert all(i >= len(numbers) for i in without)


def test_a_thousand_labels_are_paged_searched_and_found_again(large, open_report):
    page = open_report(large.path)
    assert len(label_rows(page)) == 50
    assert page.locator("#where").text_content() == "1–50 of 1,000"
    page.get_by_role("button", name="Next").click()
    assert label_rows(page)[0][0] == "label 0050"
    page.get_by_label("Search labels").fill("LABEL 09")
    assert page.locator("#found").text_content() == "100 of 1,000 labels"
    assert label_rows(page)[0][0] == "label 0900"
    page.get_by_label("Search labels").fill("no such label")
    assert label_rows(page) == []
    page.get_by_label("Search labels").fill("")
    page.get_by_role("columnheader", name="Label").get_by_role("button").dblclick()
    assert label_rows(page)[0][0] == "label 0999"


def test_the_own_level_of_a_calibrator_is_a_place_of_the_slider(large, open_report):
    page = open_report(large.path)
    assert shown(page)["level"] == "0.12"
    decided = large.calibrator.decide(large.scores)
    assert shown(page)["pairs-accepted"] == count(int((decided == 1).sum()))
    assert page.get_by_role("button", name="Reset to the calibrated setting").is_disabled()


def test_levels_of_each_label_are_the_first_place_of_the_slider(small, open_report, tmp_path):
    alphas = np.linspace(0.05, 0.4, 8)
    calibrator = Calibrator("recall", alpha=alphas).fit(small.calibration[0], small.labels)
    path = write_report(tmp_path / "r.html", small.scores, small.truth, calibrator)
    page = open_report(path)
    decided = calibrator.decide(small.scores)
    assert shown(page)["level"] == "own"
    assert shown(page)["pairs-accepted"] == count(int((decided == 1).sum()))
    assert "1 − its alpha" in shown(page)["promise"]
    move_to(page, 1)
    assert shown(page)["level"] == "0.005"


@pytest.mark.parametrize(
    ("width", "scheme", "rule"),
    [
        (1280, "light", "three-way"),
        (1280, "dark", "recall"),
        (390, "light", "selective"),
        (390, "dark", "precision"),
    ],
)
def test_nothing_bars_the_way_for_assistive_technology(width, scheme, rule, small, open_report):
    from axe_playwright_python.sync_playwright import Axe

    page = open_report(small.path, width=width, color_scheme=scheme)
    choose(page, rule)
    page.get_by_role("columnheader", name="Recall").get_by_role("button").click()
    found = Axe().run(page)  # WCAG 2.2 A and AA, and what is good practice besides
    assert found.violations_count == 0, found.generate_report()


def test_a_phone_needs_no_scrolling_to_the_side(small, large, open_report):
    for case in (small, large):
        page = open_report(case.path, width=390, height=844)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert page.get_by_role("table").is_visible()
        assert page.get_by_role("cell").count() > 0


def test_without_its_script_it_still_says_what_was_measured(small, open_report):
    page = open_report(small.path, script=False)
    decided = small.calibrator.decide(small.scores)
    expected = share_of_pairs(((decided == 1) & small.Y).sum(axis=1), (decided == 1).sum(axis=1))
    assert shown(page)["precision"] == percent(expected.value)
    assert not page.locator("#level").is_visible()
    assert page.get_by_role("row").count() == 9
    assert "without its script" in page.locator(".still-only").first.text_content()


def test_static_and_live_numbers_are_the_same(small, open_report):
    still = open_report(small.path, script=False)
    live = open_report(small.path)
    for what in (".results", ".examples", "#table tbody"):
        texts = [re.sub(r"\s+", " ", page.locator(what).text_content()) for page in (still, live)]
        assert texts[0].replace(" ", "") == texts[1].replace(" ", "").replace(
            re.sub(r"\s", "", live.locator("#risk").text_content()), ""
        )


def test_a_print_has_every_label_and_light_paper(large, open_report, tmp_path):
    page = open_report(large.path, color_scheme="dark")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert len(label_rows(page)) == 1000
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert len(label_rows(page)) == 50
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.get_by_label("Search labels").is_visible()
    pdf = page.pdf(path=tmp_path / "r.pdf", format="A4")
    assert pdf.startswith(b"%PDF")


def test_the_chart_shrinks_with_the_paper(small, open_report):
    """No script runs between the layout for paper and the print."""
    page = open_report(small.path)
    inside = page.evaluate(
        """() => {
          const chart = document.getElementById("risk");
          chart.style.width = "180px";
          chart.style.height = "120px";
          const frame = chart.getBoundingClientRect();
          return [...chart.children].every((part) => {
            const box = part.getBoundingClientRect();
            return box.right <= frame.right + 4 && box.bottom <= frame.bottom + 4;
          });
        }"""
    )
    assert inside


def test_hostile_names_are_shown_and_not_run(open_report, tmp_path):
    names = [
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(2)</script>",
        '"onmouseover="alert(3)',
    ]
    rng = np.random.default_rng(0)
    Y = rng.random((200, 3)) < 0.4
    scores = 0.6 * rng.random(Y.shape) + 0.4 * Y
    truth = as_labels(Y, classes=names, knowledge="all")
    calibrator = Calibrator("three-way", alpha=0.1).fit(scores, truth)
    path = write_report(
        tmp_path / "r.html", scores, truth, calibrator, title=names[1], model=names[0]
    )
    page = open_report(path)
    assert page.locator("h1").text_content() == names[1]
    assert [row[0] for row in label_rows(page)] == names
    move_to(page, 60)
    page.get_by_label("Search labels").fill("<img")
    assert [row[0] for row in label_rows(page)] == names[:1]
    assert page.locator("img").count() == 0


def test_no_other_script_than_its_own_can_run(small, browser):
    page = browser.new_page()
    page.goto(small.path.as_uri())
    page.wait_for_selector("html.live")
    page.evaluate(
        "() => { const script = document.createElement('script');"
        " script.textContent = 'window.ran = true'; document.body.append(script); }"
    )
    assert page.evaluate("window.ran") is None
    page.context.close()
