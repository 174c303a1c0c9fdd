"""``lamc calibrate``: the thresholds are those of the library, for a model and for bare scores."""

import numpy as np
import pandas as pd
import pytest

from lamc import Calibrator, load

from .conftest import NAMES


@pytest.fixture
def scored(tmp_path):
    """Scores and truth in files, and as they are."""
    rng = np.random.default_rng(0)
    truth = pd.DataFrame((rng.random((300, 3)) < 0.4).astype(int), columns=NAMES)
    scores = 0.5 * rng.random(truth.shape) + 0.5 * rng.random(truth.shape) * truth
    scores.to_parquet(tmp_path / "scores.parquet")
    truth[NAMES[::-1]].to_csv(tmp_path / "truth.csv", index=False)
    return scores, truth


def test_bare_scores(lamc, lamc_json, scored, tmp_path):
    scores, truth = scored
    files = ["--scores", tmp_path / "scores.parquet", "--truth", tmp_path / "truth.csv"]
    facts = lamc_json("calibrate", *files, "--alpha", "0.2", "-o", tmp_path / "c.lamc")
    expected = Calibrator("recall", alpha=0.2).fit(scores, truth)
    assert [label["threshold"] for label in facts["labels"]] == expected.thresholds_.tolist()
    loaded = load(tmp_path / "c.lamc")
    np.testing.assert_array_equal(loaded.thresholds_, expected.thresholds_)
    assert loaded.select(scores, fdr=0.2).shape == (300, 3)
    done = lamc("calibrate", *files, "--rule", "three-way")
    assert "Calibrated on 300 rows." in done.stdout
    assert "Nothing is written" in done.stdout


def test_what_is_left_open_is_said_with_the_reason(lamc, lamc_json, tmp_path):
    """Of three labels one can be certified, one scores at random, and one is rare."""
    rng = np.random.default_rng(0)
    truth = pd.DataFrame((rng.random((300, 3)) < [0.4, 0.4, 0.02]).astype(int), columns=NAMES)
    scores = 0.5 * rng.random(truth.shape) + 0.5 * truth
    scores["elm"] = rng.random(300)
    scores.to_csv(tmp_path / "s.csv", index=False)
    truth.to_csv(tmp_path / "t.csv", index=False)
    command = ["calibrate", "--scores", tmp_path / "s.csv", "--truth", tmp_path / "t.csv"]
    facts = lamc_json(*command, "--rule", "precision")
    assert facts["delta"] == 0.1  # which the rule has, also if nobody gives it
    reasons = [label["reason"] for label in facts["labels"]]
    assert reasons == [None, "not certified", "too few positives"]
    text = lamc(*command, "--rule", "precision").stdout
    assert "uncalibrated: not certified" in text
    assert "1 of 3 labels, as no threshold could be shown to be precise enough." in text
    assert "1 of 3 labels, as nothing can be promised with so few positives." in text


def test_single_positives_and_a_bound(lamc, lamc_json, scored, tmp_path):
    scores, truth = scored
    one = truth.to_numpy().argmax(axis=1)
    np.save(tmp_path / "one.npy", one)
    np.save(tmp_path / "scores.npy", scores.to_numpy())
    files = ["--scores", tmp_path / "scores.npy", "--truth", tmp_path / "one.npy"]
    done = lamc("calibrate", *files)
    assert "--most-labels …" in done.stderr
    facts = lamc_json("calibrate", *files, "--most-labels", 2, "--alpha", 0.3)
    expected = Calibrator(alpha=0.3).fit(scores.to_numpy(), one, cardinality=2)
    assert [label["threshold"] for label in facts["labels"]] == expected.thresholds_.tolist()
    assert facts["assumption"] == expected.assumption_
    shown = lamc("calibrate", *files, "--most-labels", 2, "--alpha", 0.3)
    assert "Assumed: Calibrated on observed labels only." in shown.stdout
    assert shown.stderr.count("observed labels only") == 0


def test_a_model_keeps_its_scorer_and_its_rule_unless_told_otherwise(
    lamc_json, model, trees, tmp_path
):
    data = [trees / "held_out.csv", "--label-column", "tags", "--separator", ";"]
    kept = lamc_json("calibrate", model, *data, "-o", tmp_path / "kept.lamc")
    assert (kept["rule"], kept["alpha"], kept["calibrated_on"]) == ("three-way", 0.1, 200)
    other = lamc_json(
        "calibrate", model, *data, "--rule", "recall", "--delta", 0.2, "-o", tmp_path / "b.lamc"
    )
    assert (other["rule"], other["delta"]) == ("recall", 0.2)
    rows = pd.read_parquet(trees / "new.parquet")[["height", "width", "leaf"]]
    scores = [load(path).predict_proba(rows) for path in (model, tmp_path / "b.lamc")]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give a model and a file of rows"),
        (["--scores", "s.csv"], "Give both --scores and --truth"),
        (["a.lamc"], "Give a model and a file of rows"),
        (["a.lamc", "--scores", "s.csv", "--truth", "t.csv"], "no use for a.lamc"),
        (["a.lamc", "b.csv", "--scores", "s.csv", "--truth", "t.csv"], "no use for b.csv"),
        (["--scores", "s", "--truth", "t", "--id", "a", "--id", "b"], "--id is one column"),
        (["--scores", "s", "--truth", "t", "--alpha", "0"], "--alpha 0.0 is not a level"),
        (["a.lamc", "b.csv", "--alpha", "1.5"], "--alpha 1.5 is not a level"),
        (["a.lamc", "b.csv", "--rule", "selective", "--delta", "0.1"], "no use for delta"),
    ],
)
def test_wrong_use(lamc, arguments, message):
    assert message in lamc("calibrate", *arguments, code=2).stderr


def test_a_rule_that_needs_all_labels(lamc, scored, tmp_path):
    np.save(tmp_path / "one.npy", np.arange(300) % 3)
    done = lamc(
        "calibrate", "--scores", tmp_path / "scores.parquet", "--truth", tmp_path / "one.npy",
        "--rule", "precision", "-o", tmp_path / "c.lamc", code=1,
    )  # fmt: skip
    assert "The precision rule needs all labels" in done.stderr
    assert not (tmp_path / "c.lamc").exists()


SETTINGS = [
    (["--few-positives", "pool"], {"few_positives": "pool"}),
    (["--per-label", 20], {"per_label": 20}),
    (["--delta", 0.2], {"delta": 0.2}),
    (["--rule", "three-way"], {"rule": "three-way"}),
]


@pytest.mark.parametrize(("options", "changed"), SETTINGS, ids=lambda each: str(each))
def test_every_option_reaches_the_calibrator_of_bare_scores(
    options, changed, lamc, scored, tmp_path
):
    files = ["--scores", tmp_path / "scores.parquet", "--truth", tmp_path / "truth.csv"]
    lamc("calibrate", *files, "--alpha", 0.2, *options, "-o", tmp_path / "c.lamc")
    expected = Calibrator(**{"alpha": 0.2, **changed}).fit(*scored).settings_
    assert load(tmp_path / "c.lamc").settings_ == expected


@pytest.mark.parametrize(("options", "changed"), SETTINGS, ids=lambda each: str(each))
def test_every_option_reaches_the_calibrator_of_a_model(
    options, changed, lamc, model, trees, tmp_path
):
    data = [trees / "held_out.csv", "--label-column", "tags", "--separator", ";"]
    rule = [] if "rule" in changed else ["--rule", "recall"]
    lamc("calibrate", model, *data, *rule, *options, "-o", tmp_path / "c.lamc")
    found = load(tmp_path / "c.lamc").calibrator_.settings_
    assert {name: getattr(found, name) for name in changed} == changed


def test_what_was_set_for_one_rule_does_not_go_on_to_another(lamc, model, trees, tmp_path):
    data = [trees / "held_out.csv", "--label-column", "tags", "--separator", ";"]
    sure, other = tmp_path / "sure.lamc", tmp_path / "other.lamc"
    lamc("calibrate", model, *data, "--rule", "recall", "--delta", 0.2, "-o", sure)
    lamc("calibrate", sure, *data, "--rule", "three-way", "-o", other)
    assert load(other).calibrator_.settings_.delta is None


def test_the_rows_drawn_for_each_label_go_by_the_seed(lamc, scored, tmp_path):
    files = ["--scores", tmp_path / "scores.parquet", "--truth", tmp_path / "truth.csv"]
    found = []
    for seed in (1, 2, 1):
        lamc(
            "calibrate", *files, "--per-label", 10, "--seed", seed, "-o", tmp_path / "c.lamc", "-f"
        )
        found.append(load(tmp_path / "c.lamc").thresholds_.tolist())
    assert found[0] == found[2] != found[1]
