"""What users rely on in a draw of observed labels: a subset of the truth, with the odds stated."""

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse, stats

from lamc.datasets.observe import observe
from lamc.exceptions import LabelError, SettingError
from lamc.labels import Knowledge, as_labels

truths = arrays(bool, st.tuples(st.integers(1, 20), st.integers(1, 8))).filter(
    lambda Y: Y.any(axis=1).all()
)
seeds = st.integers(0, 2**32 - 1)


def arguments(how: str, shape: tuple[int, int], seed: int) -> dict[str, Any]:
    values = np.random.default_rng(seed).random(shape) + 0.01
    return {
        "uniform": {},
        "frequency": {},
        "score": {"scores": values},
        "top": {"scores": values},
        "weights": {"weights": values},
    }[how]


HOWS = ("uniform", "frequency", "score", "top", "weights")


@settings(deadline=None)
@given(truths, st.sampled_from(HOWS), st.integers(1, 4), seeds)
def test_so_many_true_labels_are_observed(Y: Any, how: str, n_observed: int, seed: int) -> None:
    given_values = arguments(how, Y.shape, seed)
    observed = observe(Y, how=how, n_observed=n_observed, random_state=seed, **given_values)
    seen = observed.positives.toarray()
    assert not (seen & ~Y).any()
    np.testing.assert_array_equal(seen.sum(axis=1), np.minimum(Y.sum(axis=1), n_observed))
    assert observed.knowledge is (Knowledge.SINGLE if n_observed == 1 else Knowledge.SOME)
    observed.require("some", by="this test")


@settings(deadline=None)
@given(truths, st.sampled_from(HOWS), seeds)
def test_the_same_seed_gives_the_same_labels(Y: Any, how: str, seed: int) -> None:
    given_values = arguments(how, Y.shape, seed)
    first, second = (observe(Y, how=how, random_state=seed, **given_values) for _ in range(2))
    np.testing.assert_array_equal(first.index(), second.index())


def test_another_seed_gives_other_labels() -> None:
    Y = np.ones((100, 5))
    assert not np.array_equal(
        observe(Y, random_state=0).index(), observe(Y, random_state=1).index()
    )


def test_any_form_of_truth_gives_the_same_labels() -> None:
    Y = np.random.default_rng(0).random((50, 4)) < 0.5
    Y[:, 0] |= ~Y.any(axis=1)
    lists = [np.flatnonzero(row)[::-1].tolist() for row in Y]
    reference = observe(Y, random_state=0).index()
    for form in (sparse.csc_array(Y), lists, as_labels(Y, knowledge="all")):
        np.testing.assert_array_equal(observe(form, random_state=0).index(), reference)


def test_classes_are_kept() -> None:
    truth = as_labels([{"oak", "elm"}, {"elm"}], classes=["ash", "elm", "oak"])
    assert observe(truth).classes.tolist() == ["ash", "elm", "oak"]


def fits(counts: Any, probabilities: Any) -> bool:
    """Whether counts could come from these probabilities: a chi-square test at one in a million.

    With a fixed seed the answer is always the same; a wrong probability fails by orders of
    magnitude at these sizes.
    """
    possible = np.asarray(probabilities) > 0
    if np.asarray(counts)[~possible].any():
        return False
    observed, expected = np.asarray(counts)[possible], np.asarray(probabilities)[possible]
    statistic = ((observed - observed.sum() * expected) ** 2 / (observed.sum() * expected)).sum()
    return bool(statistic < stats.chi2.isf(1e-6, df=possible.sum() - 1))


N = 60_000


def draws(truth: list[bool], **how: Any) -> Any:
    """How often each label was observed in many rows with the same truth."""
    Y = np.tile(np.array(truth), (N, 1))
    return observe(Y, random_state=0, **how).counts


def test_uniform_draws_are_uniform() -> None:
    assert fits(draws([True, False, True, True]), [1 / 3, 0, 1 / 3, 1 / 3])
    assert not fits(draws([True, False, True, True]), [0.35, 0, 0.32, 0.33])


def test_frequent_labels_are_observed_in_proportion() -> None:
    """Label 0 is true in all rows, label 1 in half, label 2 in a quarter."""
    rows = np.arange(N)
    Y = np.column_stack([rows >= 0, rows % 2 == 0, rows % 4 == 0])
    seen = observe(Y, how="frequency", random_state=0).index()
    all_three = np.bincount(seen[rows % 4 == 0], minlength=3)
    first_two = np.bincount(seen[rows % 4 == 2], minlength=3)
    assert fits(all_three, [4 / 7, 2 / 7, 1 / 7])
    assert fits(first_two, [2 / 3, 1 / 3, 0])


def test_weights_of_labels_are_the_odds() -> None:
    counts = draws([True, True, True, False], how="weights", weights=[1, 2, 5, 9])
    assert fits(counts, [1 / 8, 2 / 8, 5 / 8, 0])


def test_weight_zero_is_never_observed() -> None:
    counts = draws([True, True, True], how="weights", weights=[1, 0, 3])
    assert fits(counts, [1 / 4, 0, 3 / 4])


@pytest.mark.parametrize("name", ["score", "weights"])
def test_odds_of_each_row_are_its_own(name: str) -> None:
    rows = np.arange(N)
    values = np.where((rows % 2 == 0)[:, None], [1, 1, 2], [3, 1, 0.5])
    chosen = {"scores" if name == "score" else "weights": values}
    seen = observe(np.ones((N, 3)), how=name, random_state=0, **chosen).index()
    assert fits(np.bincount(seen[rows % 2 == 0]), [1 / 4, 1 / 4, 2 / 4])
    assert fits(np.bincount(seen[rows % 2 == 1]), np.array([3, 1, 0.5]) / 4.5)


def test_tiny_and_huge_weights_are_no_trouble() -> None:
    counts = draws([True, True, True], how="weights", weights=[1e-300, 3e-300, 0])
    assert fits(counts, [1 / 4, 3 / 4, 0])
    assert fits(draws([True, True], how="weights", weights=[1e300, 1e300]), [1 / 2, 1 / 2])


def test_several_are_drawn_one_after_the_other_without_putting_back() -> None:
    """P({i, j}) = w_i w_j / W · (1 / (W − w_i) + 1 / (W − w_j))."""
    w = np.array([1.0, 2.0, 3.0, 4.0])
    observed = observe(
        np.ones((N, 4)), how="weights", weights=w, n_observed=2, random_state=0
    ).positives
    pairs = Counter(map(tuple, observed.indices.reshape(-1, 2).tolist()))
    expected = [
        w[i] * w[j] / w.sum() * (1 / (w.sum() - w[i]) + 1 / (w.sum() - w[j]))
        for i, j in combinations(range(4), 2)
    ]
    assert fits([pairs[pair] for pair in combinations(range(4), 2)], expected)


@settings(deadline=None)
@given(truths, st.integers(1, 3), seeds)
def test_top_is_the_highest_scores(Y: Any, n_observed: int, seed: int) -> None:
    """The slow twin, one row at a time; of equal scores the first label counts as higher."""
    scores = np.random.default_rng(seed).integers(0, 4, Y.shape) / 4
    observed = observe(Y, how="top", scores=scores, n_observed=n_observed)
    for row, seen in enumerate(observed.positives.toarray()):
        true = np.flatnonzero(Y[row])
        ranked = sorted(true, key=lambda label: (-scores[row, label], label))
        assert set(np.flatnonzero(seen)) == set(ranked[:n_observed])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"how": "often"}, "how='often' is not known; choose one of uniform, frequency"),
        ({"n_observed": 0}, "n_observed=0; give a whole number of labels, 1 or more"),
        ({"n_observed": 1.5}, "n_observed=1.5"),
        ({"how": "score"}, "how='score' draws by scores: pass scores=…"),
        ({"how": "top"}, "how='top' draws by scores"),
        ({"how": "weights"}, "how='weights' draws by weights"),
        ({"weights": [1, 1, 1]}, "weights was given, but how='uniform' does not draw by weights"),
    ],
)
def test_requests_that_make_no_sense_are_refused(call: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        observe([[1, 1, 0], [0, 0, 1]], **call)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"how": "score", "scores": [1, 1, 1]}, r"scores has shape \(3,\); .* give \(2, 3\)\."),
        ({"how": "weights", "weights": [1, 1]}, r"weights has shape \(2,\).*\(2, 3\) or \(3,\)"),
        ({"how": "weights", "weights": [1, -2, 1]}, "weights holds -2.0 at row 0, column 1"),
        ({"how": "weights", "weights": [1, np.nan, 1]}, "weights holds nan at row 0, column 1"),
        ({"how": "weights", "weights": [1, 1, 0]}, "Row 1 of y has true labels of weight 0 only"),
    ],
)
def test_values_that_nothing_is_drawn_by_are_refused(call: dict[str, Any], message: str) -> None:
    with pytest.raises(LabelError, match=message):
        observe([[1, 1, 0], [0, 0, 1]], **call)


def test_values_at_labels_that_are_not_true_do_not_matter() -> None:
    scores = np.array([[0.5, np.nan, -1.0], [np.inf, 0.2, 0.1]])
    observed = observe([[1, 0, 0], [0, 1, 1]], how="score", scores=scores, random_state=0)
    assert observed.index()[0] == 0


def test_rows_without_a_label_are_named() -> None:
    with pytest.raises(LabelError, match=r"Rows 1, 3 of y have no true label"):
        observe([[1, 1], [0, 0], [0, 1], [0, 0]])


TREES = pd.DataFrame({"oak": [1, 1], "elm": [1, 1]})


@pytest.mark.parametrize("how", ["top", "score"])
@pytest.mark.parametrize(
    "scores",
    [
        pd.DataFrame({"elm": [0.9, 0.9], "oak": [0.0, 0.0]}),
        pd.DataFrame({"ash": [np.nan, 1.0], "elm": [0.9, 0.9], "oak": [0.0, 0.0]}),
        pd.DataFrame({"elm": [0.9, 0.9], "oak": [0, 0]}, dtype="Float64"),
    ],
    ids=["other order", "more labels", "nullable"],
)
def test_columns_of_scores_are_found_by_name(how: str, scores: pd.DataFrame) -> None:
    assert observe(TREES, how=how, scores=scores).names() == [["elm"], ["elm"]]
    assert observe([["oak", "elm"]] * 2, how=how, scores=scores).names() == [["elm"], ["elm"]]


@pytest.mark.parametrize(
    "weights",
    [
        {"elm": 1, "oak": 0},
        {"elm": 1, "ash": 7, "oak": 0},
        pd.Series({"elm": 1.0, "oak": 0.0}),
        pd.Series({"elm": 1, "oak": 0}, dtype="category"),
        pd.Series([0, 1]),  # no names: in the order of Y
        pd.DataFrame({"elm": [1, 1], "oak": [0, 0]}),
        [0, 1],
    ],
)
def test_weights_are_found_by_name(weights: Any) -> None:
    assert observe(TREES, how="weights", weights=weights).names() == [["elm"], ["elm"]]


def test_numbers_are_found_as_text() -> None:
    weights = {"7": 0, "3": 1}
    assert observe([[3, 7], [7, 3]], how="weights", weights=weights).names() == [[3], [3]]


@pytest.mark.parametrize("how", ["top", "score"])
def test_sparse_scores_are_zero_where_they_store_nothing(how: str) -> None:
    scores = sparse.csc_matrix([[0.0, 0.5, 0.0], [0.2, 0.0, 0.9]])
    observed = observe([[1, 1, 0], [1, 1, 0]], how=how, scores=scores)
    assert observed.index().tolist() == [1, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            {"how": "weights", "weights": {"elm": 1, "aok": 2}},
            r"weights gives nothing to 'oak'.*\n.*by its name",
        ),
        (
            {"how": "weights", "weights": pd.Series({"elm": 1, "aok": 2})},
            "weights gives nothing to 'oak'",
        ),
        ({"how": "weights", "weights": {"elm": 1, "oak": "two"}}, "weights holds values of type"),
        (
            {"how": "top", "scores": TREES.rename(columns={"oak": "aok"})},
            "columns for 'aok', 'elm'",
        ),
        ({"how": "top", "scores": sparse.eye_array(3)}, r"scores has shape \(3, 3\)"),
    ],
)
def test_names_that_do_not_fit_are_refused(call: dict[str, Any], message: str) -> None:
    with pytest.raises(LabelError, match=message):
        observe(TREES, **call)
