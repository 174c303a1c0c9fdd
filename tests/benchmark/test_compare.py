"""Comparisons over data sets, against scipy, scikit-posthocs and Demšar's published example."""

import re
from math import nan

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from scipy import stats

from lamc.benchmark.compare import (
    Friedman,
    compare,
    critical_difference,
    friedman,
    nemenyi,
    wilcoxon,
)
from lamc.benchmark.compare_text import compare_text
from lamc.benchmark.diagram import critical_difference_diagram
from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.result_table import table

from .results import measured

# Demšar (2006), table 6: AUC of C4.5 with tuning of m, of cf, of both. The last but one, voting,
# prints 0.975 twice with ranks 2 and 3: there the third is taken to be larger by a little.
DEMSAR = pd.DataFrame(
    [
        (0.763, 0.768, 0.771, 0.798),
        (0.599, 0.591, 0.590, 0.569),
        (0.954, 0.971, 0.968, 0.967),
        (0.628, 0.661, 0.654, 0.657),
        (0.882, 0.888, 0.886, 0.898),
        (0.936, 0.931, 0.916, 0.931),
        (0.661, 0.668, 0.609, 0.685),
        (0.583, 0.583, 0.563, 0.625),
        (0.775, 0.838, 0.866, 0.875),
        (1.000, 1.000, 1.000, 1.000),
        (0.940, 0.962, 0.965, 0.962),
        (0.619, 0.666, 0.614, 0.669),
        (0.972, 0.981, 0.9751, 0.975),
        (0.957, 0.978, 0.946, 0.970),
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)


@pytest.fixture
def demsar():
    values = {
        (f"data {i}", method): [value]
        for i, row in DEMSAR.iterrows()
        for method, value in row.items()
    }
    return compare(table(measured(values)), against="C4.5")


def frame(seed, shape=(9, 5)):
    values = np.random.default_rng(seed).integers(0, 8, shape) / 8  # with ties
    return pd.DataFrame(values, columns=list("ABCDE")[: shape[1]])


def test_average_ranks_are_the_published_ones(demsar):
    assert {m: round(r, 3) for m, r in demsar.average_ranks.items()} == {
        "C4.5": 3.143,
        "C4.5+m": 2.000,
        "C4.5+cf": 2.893,
        "C4.5+m+cf": 1.964,
    }


def test_friedman_is_the_published_one_but_for_the_correction_for_ties(demsar):
    """Demšar's χ² is 9.28, without the correction: 1 − Σ(t³ − t)/(N k(k² − 1))."""
    ties = 1 - (2 * (8 - 2) + 6 + (64 - 4)) / (14 * 4 * 15)
    assert round(demsar.friedman.statistic * ties, 2) == 9.28
    assert demsar.friedman.p < 0.05


def test_the_critical_difference_is_the_published_one(demsar):
    """CD = 2.569 √(4·5/(6·14)) = 1.25. With it Demšar's Nemenyi test tells no pair apart."""
    assert round(demsar.nemenyi.critical_difference, 2) == 1.25
    gap = max(demsar.average_ranks.values()) - min(demsar.average_ranks.values())
    assert gap < demsar.nemenyi.critical_difference
    assert (demsar.nemenyi.p.to_numpy() > 0.05).all()


def test_wilcoxon_is_the_published_one(demsar):
    """Demšar's table 2, C4.5 and C4.5+m: 10 better, 2 worse, 2 equal, T = min(93, 12) = 12."""
    test = demsar.wilcoxon[0]
    assert (test.method, test.better, test.worse, test.equal) == ("C4.5+m", 10, 2, 2)
    difference = (DEMSAR["C4.5+m"] - DEMSAR["C4.5"]).round(12)
    expected = stats.wilcoxon(difference, zero_method="zsplit")
    assert expected.statistic == 12
    assert test.p == expected.pvalue
    assert test.p < 0.05


@pytest.mark.parametrize(
    ("n_methods", "quantile"), [(2, 1.960), (5, 2.728), (8, 3.031), (10, 3.164)]
)
def test_critical_values_are_those_of_demsars_table_5(n_methods, quantile):
    scale = np.sqrt(n_methods * (n_methods + 1) / (6 * 10))
    assert critical_difference(n_methods, 10) / scale == pytest.approx(quantile, abs=6e-4)


@pytest.mark.parametrize("seed", range(2))
def test_tests_are_those_of_scipy_and_scikit_posthocs(seed):
    values = frame(seed)
    expected = stats.friedmanchisquare(*values.to_numpy().T)
    assert friedman(values) == Friedman(expected.statistic, expected.pvalue)
    found = nemenyi(values).p
    melted = values.reset_index().melt("index")
    other = scikit_posthocs.posthoc_nemenyi_friedman(
        melted,
        melted=True,
        y_col="value",
        group_col="variable",
        block_col="index",
        block_id_col="index",
    )
    pd.testing.assert_frame_equal(found, other.loc[found.index, found.columns], check_names=False)
    p = [stats.wilcoxon(values[m] - values["B"], zero_method="zsplit").pvalue for m in "ACDE"]
    assert [test.p for test in wilcoxon(values, "B")] == p


def test_pairs_are_told_apart_exactly_where_ranks_differ_by_more_than_the_critical_difference():
    for seed in range(20):
        values = frame(seed, (30, 4)) + np.array([0, 0.1, 0.3, 0.5])
        mean = values.rank(axis=1).mean()
        found = nemenyi(values)
        gaps = np.abs(mean.to_numpy()[:, None] - mean.to_numpy())
        np.testing.assert_array_equal(found.p < 0.05, gaps > found.critical_difference)


@pytest.mark.parametrize("metric", ["average_precision", "ranking_loss"])
def test_the_better_side_has_the_lower_rank_and_the_wins(metric):
    high, low = ("worse", "better") if metric == "ranking_loss" else ("better", "worse")
    values = {}
    for i in range(6):
        values |= {(f"d{i}", high): [0.9 + i / 100], (f"d{i}", low): [0.1], (f"d{i}", "mid"): [0.5]}
    found = compare(table(measured(values, metric=metric), metric), against="worse")
    assert found.average_ranks == {"better": 1.0, "mid": 2.0, "worse": 3.0}
    test = next(each for each in found.wilcoxon if each.method == "better")
    assert (test.better, test.worse) == (6, 0)
    sign = -1 if metric == "ranking_loss" else 1
    assert test.median_difference == pytest.approx(sign * 0.825)
    assert test.p == 2 / 2**6


def test_data_sets_that_a_method_lacks_are_left_out_and_named():
    values = {(f"d{i}", m): [i / 10 + j / 100] for i in range(4) for j, m in enumerate("ABC")}
    del values["d2", "B"]
    found = compare(table(measured(values)))
    assert found.datasets == ("d0", "d1", "d3")
    assert found.left_out == {"d2": ("B",)}
    assert "Left out: d2 (runs missing for B)." in compare_text(found)


def test_data_sets_on_which_a_metric_has_no_value_are_not_called_unfinished():
    values = {(f"d{i}", m): [i / 10 + j / 100] for i in range(4) for j, m in enumerate("ABC")}
    values["d2", "B"] = [nan]
    found = compare(table(measured(values)))
    assert found.left_out == {"d2": ("B",)}
    assert "Left out: d2 (undefined for B)." in compare_text(found)
    none = {key: [nan] for key in values}
    with pytest.raises(BenchmarkError, match="undefined for every method") as refused:
        compare(table(measured(none)))
    assert "inish the runs" not in str(refused.value)
    assert "Choose a metric and a rule that give a value, or name the methods" in str(refused.value)
    both = {**values, ("d0", "A"): [nan], ("d1", "A"): [nan]}
    del both["d3", "C"]
    with pytest.raises(BenchmarkError, match="Finish the runs, choose a metric") as refused:
        compare(table(measured(both)))
    assert "d1 (undefined for A), d2 (undefined for B), d3 (runs missing for C)" in str(
        refused.value
    )


def test_means_that_differ_by_rounding_only_tie_in_every_test():
    runs = {"A": [0.1, 0.2, 0.3], "B": [0.3, 0.2, 0.1], "C": [0.5, 0.5, 0.5]}
    found = compare(table(measured({(f"d{i}", m): runs[m] for i in range(4) for m in "ABC"})))
    assert found.average_ranks == {"A": 2.5, "B": 2.5, "C": 1.0}
    same = friedman(pd.DataFrame({"A": [2.0] * 4, "B": [2.0] * 4, "C": [1.0] * 4}))
    assert found.friedman == same
    assert found.nemenyi.p.loc["A", "B"] == 1
    assert (found.wilcoxon[0].method, found.wilcoxon[0].equal) == ("B", 4)


def test_names_are_escaped():
    names = ("a_1:C", "b|*", "[c]")
    values = {(f"d_{i}|", m): [i / 10 + j / 100] for i in range(4) for j, m in enumerate(names)}
    text = compare_text(compare(table(measured(values)), against="a_1:C"))
    assert "data sets: d\\_0\\|, " in text
    assert "against a\\_1:C, two-sided" in text
    assert "| b\\|\\* |" in text
    assert not re.search(r"(?<!\\)[_*\[]", text)


def test_two_methods_have_no_friedman_and_no_diagram():
    values = {(f"d{i}", m): [i / 10 + j / 100] for i in range(4) for j, m in enumerate("AB")}
    found = compare(table(measured(values)))
    assert found.friedman is None
    assert "Friedman" not in compare_text(found)
    with pytest.raises(BenchmarkError, match="three methods or more, and here are 2"):
        critical_difference_diagram(found)


def test_methods_that_always_tie_do_not_differ():
    found = compare(table(measured({(f"d{i}", m): [0.5] for i in range(4) for m in "ABC"})))
    assert found.friedman == Friedman(0.0, 1.0)
    assert [test.p for test in found.wilcoxon] == [1.0, 1.0]
    assert "nothing shows that the methods differ" in compare_text(found)


def test_few_data_sets_are_said_to_be_too_few():
    values = {(f"d{i}", m): [i / 10 + j / 100] for i in range(4) for j, m in enumerate("ABC")}
    text = compare_text(compare(table(measured(values))))
    assert "With 4 data sets no p-value is below 0.125" in text


def test_what_cannot_be_compared_is_refused_with_the_reason():
    one = measured({("d0", "A"): [0.1], ("d1", "A"): [0.2]})
    with pytest.raises(BenchmarkError, match="one method, A"):
        compare(table(one))
    lacking = measured({("d0", "A"): [0.1], ("d0", "B"): [0.1], ("d1", "A"): [0.2]})
    with pytest.raises(
        BenchmarkError, match=r"There is one.* d1 \(runs missing for B\). Finish the runs"
    ):
        compare(table(lacking))
    both = measured({(d, m): [0.1] for d in ("d0", "d1") for m in "AB"})
    with pytest.raises(BenchmarkError, match=r"no method 'C' to compare with. There are A, B"):
        compare(table(both), against="C")
    neither = measured({(d, m): [0.1] for d in ("d0", "d1") for m in "AB"}, metric="retention")
    with pytest.raises(BenchmarkError, match="Neither side of retention is better"):
        compare(table(neither, "retention"))


def test_the_diagram_shows_the_ranks_and_joins_what_is_not_told_apart(demsar):
    figure = critical_difference_diagram(demsar)
    (axes,) = figure.axes
    texts = [text.get_text().split() for text in axes.texts]
    assert ["C4.5+m+cf", "1.96"] in texts
    assert ["3.14", "C4.5"] in texts
    assert ["critical", "difference", "1.25"] in texts
    bars = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 2.2]
    assert [(min(x), max(x)) for x in bars] == [pytest.approx((1.964, 3.143), abs=1e-3)]
    assert [list(x) for x in bars] == [sorted(x) for x in bars]  # so bytes are the same each time
