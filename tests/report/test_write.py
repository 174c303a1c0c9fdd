"""A report is one file that says what was asked, is safe to open, and stays small."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from lamc import Calibrator, as_labels
from lamc.datasets import Dataset, digit_scenes
from lamc.exceptions import CalibrationError, DatasetError, LabelError, LAMCError, LAMCWarning
from lamc.report import write_report

from .cases import scored_rows

HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!--<script>",
    "{{ 7 * 7 }} & \u2028 ünïcode",
]


class Elements(HTMLParser):
    """The elements of a page and the text outside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.found, self.text, self._inside = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside not in ("script", "style"):
            self.text.append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.found if name == tag]

    @property
    def words(self):
        return re.sub(r"[ \n]+", " ", " ".join(self.text))


@pytest.fixture(scope="module")
def calibrated():
    scores, labels = scored_rows(150, seed=2)
    return Calibrator("three-way", alpha=0.1).fit(scores, labels)


def page(path, calibrator, rows=(80, 3), **given):
    scores, labels = scored_rows(rows[0], seed=rows[1])
    return write_report(path, scores, labels, calibrator, **given).read_text(encoding="utf-8")


def test_the_top_says_what_is_promised_and_measured(tmp_path, calibrated):
    text = Elements(
        page(tmp_path / "r.html", calibrated, title="Trees", model="A forest of trees.")
    ).words
    for words in (
        "Trees",
        "A forest of trees.",
        "What is promised",
        "called absent in at most 10\u00a0% of the rows that have it",
        "3 of 4 labels could be calibrated, on 150 rows",
        "Not calibrated: 3.",
        "80 rows make 320 pairs",
        "95\u00a0% interval",
        "What to do with the rest",
        "For 1 label there are too few calibration positives for this level: left open everywhere.",
    ):
        assert words in text, words


def test_the_top_tells_labels_with_few_positives_from_those_that_could_not_be_certified(tmp_path):
    scores, labels = scored_rows(200, seed=2)
    scores[:, :2] = np.random.default_rng(0).random((200, 2))  # says nothing about the labels
    calibrator = Calibrator("precision", alpha=0.3).fit(scores, labels)
    assert calibrator.reason_.tolist() == ["not certified"] * 2 + ["", "too few positives"]
    text = Elements(page(tmp_path / "r.html", calibrator)).words
    for words in (
        "For 2 labels no threshold could be shown to be precise enough: never accepted.",
        "For 1 label there are too few calibration positives for this level: left open everywhere.",
    ):
        assert words in text, words


def test_nothing_is_fetched_and_only_the_own_script_may_run(tmp_path, calibrated):
    text = page(tmp_path / "r.html", calibrated)
    found = Elements(text)
    (policy,) = [
        m["content"]
        for m in found.named("meta")
        if m.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "http://www.w3.org/2000/svg" in text  # a name, which is not fetched
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert not found.named("link")
    assert all(image["src"].startswith("data:") for image in found.named("img"))
    assert all("src" not in script for script in found.named("script"))


def test_names_from_files_stay_text(tmp_path):
    scores, labels = scored_rows(150, seed=2)
    named = as_labels(labels.to_array(), classes=HOSTILE, knowledge="all")
    calibrator = Calibrator("recall", alpha=0.1).fit(scores, named)
    features = pd.DataFrame({name: scores[:, k] for k, name in enumerate(HOSTILE)})
    path = write_report(
        tmp_path / "r.html",
        scores,
        named,
        calibrator,
        title=HOSTILE[0],
        model=HOSTILE[1],
        features=features,
    )
    found = Elements(path.read_text(encoding="utf-8"))
    assert len(found.named("script")) == 3
    assert not found.named("img")
    for name in HOSTILE:
        assert name in found.words


def test_the_same_input_gives_the_same_bytes_without_path_or_time(tmp_path, calibrated):
    one = page(tmp_path / "one.html", calibrated)
    assert one == page(tmp_path / "two.html", calibrated)
    assert str(tmp_path) not in one


def test_a_file_that_is_there_is_kept(tmp_path, calibrated):
    path = tmp_path / "r.html"
    path.write_text("mine")
    with pytest.raises(LAMCError, match="is there already") as error:
        page(path, calibrated)
    assert "--force" in str(error.value)
    assert path.read_text() == "mine"
    page(path, calibrated, overwrite=True)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]


def test_a_page_does_not_grow_with_the_rows(tmp_path, calibrated):
    small = len(page(tmp_path / "small.html", calibrated, rows=(100, 3)))
    large = len(page(tmp_path / "large.html", calibrated, rows=(5000, 3)))
    assert large < 1.2 * small


def test_of_very_many_labels_those_with_the_most_rows_are_shown(tmp_path):
    rng = np.random.default_rng(0)
    Y = rng.random((60, 1203)) < 0.2
    Y[:, 6], Y[:, 7] = True, False
    Y[0, 7] = True  # the rarest
    scores = (0.5 * rng.random(Y.shape) + 0.5 * Y).astype(np.float32)
    with_names = as_labels(Y, classes=[f"label {k}" for k in range(1203)], knowledge="all")
    calibrator = Calibrator(alpha=0.2).fit(scores, with_names)
    text = write_report(tmp_path / "r.html", scores, with_names, calibrator).read_text(
        encoding="utf-8"
    )
    assert "the 1,000 labels with the most held-out rows, of 1,203" in text
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1]
    names = json.loads(data)["names"]
    assert len(names) == 1000
    assert "label 6" in names
    assert "label 7" not in names


def test_pictures_of_a_data_set_are_shown_and_features_otherwise(tmp_path, calibrated):
    data = digit_scenes(200, random_state=0)
    test = data.split.test
    rng = np.random.default_rng(0)
    dense = data.Y.toarray()
    scores = 0.5 * rng.random(dense.shape) + 0.5 * rng.random(dense.shape) * dense
    calibrator = Calibrator("recall", alpha=0.2).fit(scores[:100], data.Y[:100])
    path = write_report(
        tmp_path / "p.html", scores[test], data.Y[test], calibrator, data=data, rows=test
    )
    found = Elements(path.read_text(encoding="utf-8"))
    assert "Report on digit scenes" in found.words
    assert len(found.named("img")) == 18
    shown = {int(re.search(r"row (\d+)", image["alt"])[1]) for image in found.named("img")}
    assert shown <= set(test.tolist())
    assert not found.named("dt") or "pixel_0_0" not in found.words
    features = pd.DataFrame({"height": np.linspace(0, 1, 80), "width": np.zeros(80)})
    text = page(tmp_path / "f.html", calibrated, features=features)
    assert "<dt>height</dt>" in text
    assert "<dt>width</dt>" not in text


def test_single_positives_say_what_is_assumed_and_which_rules_are_out(tmp_path):
    scores, _ = scored_rows(150, seed=2)
    with pytest.warns(LAMCWarning):
        calibrator = Calibrator("recall", alpha=0.1).fit(scores, scores.argmax(axis=1))
    words = Elements(page(tmp_path / "r.html", calibrator)).words
    assert "Calibrated on observed labels only" in words
    assert "The rules precision and three-way need the scores of false labels too" in words


def test_labels_bear_the_names_of_the_data(tmp_path):
    names = np.array(["ash", "elm", "fir", "oak"])
    scores, labels = scored_rows(150, seed=2)
    data = Dataset(
        "trees",
        scores,
        sparse.csr_array(labels.positives),
        feature_names=np.array(list("abcd")),
        label_names=names,
    )
    calibrator = Calibrator("recall", alpha=0.1).fit(scores, labels)
    path = write_report(tmp_path / "r.html", scores, labels, calibrator, data=data)
    words = Elements(path.read_text(encoding="utf-8")).words
    assert all(name in words for name in names)
    assert "Not calibrated: oak." in words


def test_columns_are_found_by_name(tmp_path):
    scores, labels = scored_rows(150, seed=2)
    names = ["ash", "elm", "fir", "oak"]
    frame = pd.DataFrame(scores, columns=names)
    truth = pd.DataFrame(labels.to_array(), columns=names)
    calibrator = Calibrator("recall", alpha=0.1).fit(frame, truth)
    one = write_report(tmp_path / "a.html", frame, truth, calibrator).read_text(encoding="utf-8")
    turned = names[::-1]
    two = write_report(tmp_path / "b.html", frame[turned], truth[turned], calibrator)
    assert two.read_text(encoding="utf-8") == one


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"Y": np.zeros(80, dtype=int)}, LabelError, "needs all labels of every row"),
        ({"Y": np.zeros((80, 4), dtype=int)}, LabelError, "None of the 80 held-out rows"),
        ({"Y": np.ones((79, 4), dtype=int)}, LabelError, "79 rows"),
        ({"scores": np.full((80, 4), 1.5)}, CalibrationError, "1.5 at row 0, column 0"),
        ({"scores": np.zeros((80, 3))}, CalibrationError, "3 columns"),
        ({"rows": [1, 2]}, DatasetError, "there is no data"),
        ({"data": digit_scenes(50)}, DatasetError, "Say which rows of data they are"),
        ({"data": digit_scenes(50), "rows": [50] * 80}, DatasetError, "from 0 to 49"),
        ({"features": np.zeros((3, 2))}, LAMCError, "features has 3 rows, but there are 80"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_written(
    change, error, message, tmp_path, calibrated
):
    scores, labels = scored_rows(80, seed=3)
    given = {"scores": scores, "Y": labels, **change}
    with pytest.raises(error, match=message):
        write_report(tmp_path / "r.html", calibrator=calibrated, **given)
    assert list(tmp_path.iterdir()) == []


def test_rows_have_a_name_each_or_numbers(tmp_path, calibrated):
    assert "Rows are counted from 0." in page(tmp_path / "numbered.html", calibrated)
    names = [f"tree {row}" for row in range(80)]
    called = page(tmp_path / "named.html", calibrated, row_names=names)
    assert len(re.findall(r"<h4>tree \d+</h4>", called)) == 18
    turned = pd.Series(names, index=np.arange(80)[::-1])  # goes by position
    assert page(tmp_path / "series.html", calibrated, row_names=turned) == called
    with pytest.raises(DatasetError, match="79 row_names, but 80 rows"):
        page(tmp_path / "short.html", calibrated, row_names=names[1:])
