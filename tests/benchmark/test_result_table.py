"""Tables against a slow twin: means, spreads, the best, ranks and wins."""

from math import isnan, nan
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.paper import published
from lamc.benchmark.ranks import best, ranks
from lamc.benchmark.result_table import table
from lamc.benchmark.selection import Choice

from .results import accepted, joined, measured

FEW_VALUES = st.sampled_from([0.1, 0.2, 0.3])  # so that there are ties


def twin_rank(values, i, sign):
    """One plus those that are better, plus half of those that tie."""
    better = sum(sign * other < sign * values[i] for other in values)
    tied = sum(other == values[i] for other in values) - 1
    return 1 + better + tied / 2


@given(
    st.lists(st.lists(FEW_VALUES, min_size=3, max_size=3), min_size=1, max_size=5),
    st.sampled_from(["larger", "smaller"]),
)
def test_ranks_and_bests_with_ties(rows, better):
    values = np.array(rows)
    sign = -1 if better == "larger" else 1
    expected = [[twin_rank(row, i, sign) for i in range(3)] for row in rows]
    np.testing.assert_array_equal(ranks(values, better), expected)
    choose = max if better == "larger" else min
    np.testing.assert_array_equal(best(values, better), [[v == choose(r) for v in r] for r in rows])


@pytest.mark.parametrize("metric", ["average_precision", "ranking_loss"])
def test_a_table_is_its_slow_twin(metric):
    rng = np.random.default_rng(0)
    values = {
        (d, m): rng.uniform(size=4).tolist() for d in ("yeast", "scene") for m in ("AN", "SMILE")
    }
    made = table(measured(values, metric=metric), metric)
    means = {key: mean(each) for key, each in values.items()}
    for key, each in values.items():
        assert made.cells[key].mean == pytest.approx(means[key])
        assert made.cells[key].std == pytest.approx(stdev(each))
        assert made.cells[key].complete
    choose = max if metric == "average_precision" else min
    for dataset in ("yeast", "scene"):
        winner = choose(("AN", "SMILE"), key=lambda m: means[dataset, m])
        assert [m for m in ("AN", "SMILE") if made.cells[dataset, m].best] == [winner]
        assert made.wins[winner] >= 1
    assert sum(made.wins.values()) == 2
    assert sum(made.average_ranks.values()) == pytest.approx(1 + 2)


def test_methods_that_tie_share_rank_and_win():
    made = table(measured({("yeast", "AN"): [0.5], ("yeast", "SMILE"): [0.5], ("yeast", "X"): [0]}))
    assert made.average_ranks == {"AN": 1.5, "SMILE": 1.5, "X": 3.0}
    assert made.wins == {"AN": 1, "SMILE": 1, "X": 0}


def test_means_that_differ_by_rounding_only_tie():
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 are not the same in floating point."""
    values = {("yeast", "AN"): [0.1, 0.2, 0.3], ("yeast", "X"): [0.3, 0.2, 0.1]}
    assert np.mean(values["yeast", "AN"]) != np.mean(values["yeast", "X"])
    made = table(measured(values))
    assert made.average_ranks == {"AN": 1.5, "X": 1.5}
    assert made.wins == {"AN": 1, "X": 1}
    assert all(cell.best for cell in made.cells.values())


def test_a_missing_cell_is_missing_and_its_data_set_not_ranked():
    made = table(
        measured({("yeast", "AN"): [0.5], ("yeast", "SMILE"): [0.4], ("scene", "AN"): [0.6]})
    )
    assert ("scene", "SMILE") not in made.cells
    assert made.ranked == ("yeast",)
    assert made.incomplete("scene") == ("SMILE",)
    assert made.average_ranks == {"AN": 1.0, "SMILE": 2.0}


def test_fewer_runs_than_planned_are_counted_and_not_ranked():
    values = {("yeast", "AN"): [0.5, 0.7, 0.6], ("yeast", "SMILE"): [0.4, 0.4]}
    made = table(measured(values, n_runs=5))
    assert made.asked == 5
    assert not made.cells["yeast", "AN"].complete
    assert made.ranked == ()
    assert made.average_ranks == {}


def test_undefined_values_are_not_zero():
    made = table(measured({("yeast", "AN"): [nan, 0.5], ("yeast", "SMILE"): [nan, nan]}))
    some, none = made.cells["yeast", "AN"], made.cells["yeast", "SMILE"]
    assert some.mean == 0.5
    assert isnan(some.std)
    assert not some.complete
    assert isnan(none.mean)
    assert not none.best
    assert not some.best  # nothing stands beside it


def test_undefined_is_told_from_missing():
    values = {
        ("yeast", "AN"): [0.5, 0.5],
        ("yeast", "WAN"): [nan, 0.5],
        ("yeast", "SMILE"): [nan],
        ("yeast", "X"): [0.4],
    }
    made = table(measured(values))
    assert made.incomplete("yeast") == ("SMILE", "WAN", "X")
    assert made.undefined("yeast") == ("WAN",)


@pytest.mark.parametrize("metric", ["seconds_fit", "seconds_total"])
def test_seconds_have_no_spread_and_nothing_is_tested_by_them(metric):
    values = {("yeast", "AN"): [1.5] * 5, ("yeast", "X"): [1.6] * 5}
    made = table(measured(values, metric=metric), metric)
    assert all(isnan(cell.std) and not cell.near_best for cell in made.cells.values())
    assert made.wins == {"AN": 1, "X": 0}
    assert made.untested("yeast") == ()
    differ = {("yeast", "AN"): [1.5, 1.6], ("yeast", "X"): [1.5, 1.7]}
    made = table(measured(differ, metric=metric), metric)
    assert not any(cell.near_best for cell in made.cells.values())


NEAR = {
    ("yeast", "AN"): [0.70, 0.72, 0.74],
    ("yeast", "WAN"): [0.69, 0.72, 0.73],
    ("yeast", "GLOCAL"): [0.30, 0.31, 0.29],
}


@pytest.mark.parametrize("lost", [[0.70, 0.75], [0.70, nan, 0.75]], ids=["missing", "undefined"])
def test_what_was_not_tested_against_an_incomplete_best_is_known(lost):
    assert table(measured(NEAR)).untested("yeast") == ()
    made = table(measured({**NEAR, ("yeast", "AN"): lost}))
    assert made.cells["yeast", "AN"].best
    assert not made.cells["yeast", "WAN"].near_best
    assert made.untested("yeast") == ("WAN", "GLOCAL")


def test_what_is_incomplete_itself_was_not_tested():
    made = table(measured({**NEAR, ("yeast", "WAN"): [0.69, 0.72]}))
    assert made.untested("yeast") == ("WAN",)


def test_of_bests_that_tie_a_complete_one_is_tested_against():
    tied = {**NEAR, ("yeast", "X"): [0.72, 0.72]}
    made = table(measured(tied))
    assert made.cells["yeast", "X"].best
    assert made.cells["yeast", "AN"].best
    assert made.cells["yeast", "WAN"].near_best
    assert made.untested("yeast") == ()


def test_rows_left_out_are_those_of_the_unit_under_its_name_in_the_table():
    """Where LAMC and WAN are the same, what WAN has on further data sets is called LAMC's."""
    values = {("yeast", "LAMC"): [0.5], ("yeast", "WAN"): [0.5], ("scene", "WAN"): [0.6]}
    shares = {("yeast", "LAMC"): [0.25], ("yeast", "WAN"): [0.25], ("scene", "WAN"): [0.75]}
    rows = joined(
        accepted(values),
        accepted(values, rule="recall"),
        accepted(shares, metric="left_out"),
        accepted({key: [0.1] for key in shares}, metric="left_out", rule="recall"),
    )
    made = table(rows, choice=Choice(view="accepted"))
    assert made.methods == ("LAMC",)
    assert made.left_out == {("yeast", "LAMC"): 0.25, ("scene", "LAMC"): 0.75}
    made = table(rows, choice=Choice(view="accepted", rule="recall"))
    assert made.left_out == {("yeast", "LAMC"): 0.1, ("scene", "LAMC"): 0.1}


def test_metrics_without_a_better_side_have_no_best():
    made = table(
        accepted({("yeast", "AN"): [0.5], ("yeast", "X"): [0.1]}, metric="retention"),
        "retention",
        Choice(view="accepted"),
    )
    assert not any(cell.best or cell.near_best for cell in made.cells.values())
    assert made.average_ranks == {}


def test_near_the_best_are_those_that_runs_do_not_tell_apart():
    values = {
        ("yeast", "AN"): [0.70, 0.72, 0.74, 0.71, 0.73],
        ("yeast", "WAN"): [0.69, 0.72, 0.73, 0.71, 0.73],
        ("yeast", "GLOCAL"): [0.30, 0.31, 0.29, 0.30, 0.31],
    }
    made = table(measured(values))
    assert {m for (_, m), cell in made.cells.items() if cell.near_best} == {"WAN"}
    one_run = table(measured({key: each[:1] for key, each in values.items()}))
    assert not any(cell.near_best for cell in one_run.cells.values())


def test_paired_runs_are_compared_in_pairs():
    """A constant lead of a hundredth drowns in the spread between splits, but not in pairs."""
    ahead = [0.5, 0.6, 0.7, 0.8, 0.9]
    values = {("yeast", "AN"): ahead, ("yeast", "WAN"): [v - 0.01 - 1e-4 * v for v in ahead]}
    assert table(measured(values)).cells["yeast", "WAN"].near_best
    assert not table(measured(values, draw="anew")).cells["yeast", "WAN"].near_best


def test_a_method_that_stands_alone_is_not_the_best():
    made = table(
        measured({("yeast", "AN"): [0.5], ("yeast", "WAN"): [0.4], ("scene", "AN"): [0.5]})
    )
    assert made.cells["yeast", "AN"].best
    assert not made.cells["scene", "AN"].best


def test_a_users_file_that_is_called_like_a_data_set_is_not_it():
    mine = measured({("yeast", "AN"): [0.7]}, exact=False, variant="")
    with pytest.raises(BenchmarkError, match="paper has no number"):
        table(mine, against_paper=True)
    both = joined(mine, measured({("scene", "AN"): [0.7]}, variant="paper"))
    made = table(both, against_paper=True)
    assert made.cells["yeast", "AN"].paper is None
    assert made.cells["scene", "AN"].paper is not None


def test_the_paper_beside():
    rows = joined(
        measured({("yeast", "WAN"): [0.755, 0.765], ("yeast", "mine"): [0.9, 0.9]}),
        measured({("Image", "WAN"): [0.9, 0.9]}, exact=False, variant="recomputed"),
    )
    made = table(rows, against_paper=True)
    cell = made.cells["yeast", "WAN"]
    assert cell.paper == published("average_precision")["yeast", "WAN"]
    assert cell.difference == pytest.approx(0.760 - 0.754)
    assert cell.agrees  # |0.006| is within 0.007 + 0.005
    assert made.cells["yeast", "mine"].paper is None
    assert made.cells["Image", "WAN"].agrees is False
    assert made.variants == {"Image": "recomputed"}


def test_whether_one_run_agrees_with_the_paper_is_not_known():
    made = table(measured({("yeast", "WAN"): [0.754]}), against_paper=True)
    cell = made.cells["yeast", "WAN"]
    assert cell.difference == 0
    assert cell.agrees is None


def test_behind_a_rule_only_lamc_is_set_beside_the_paper():
    rows = accepted({("yeast", "LAMC"): [0.7], ("yeast", "AN"): [0.8]})
    made = table(rows, choice=Choice(view="accepted"), against_paper=True)
    assert made.cells["yeast", "LAMC"].paper is not None
    assert made.cells["yeast", "AN"].paper is None


def test_the_paper_cannot_be_set_beside_what_it_has_not():
    rows = measured({("yeast", "AN"): [0.2]}, metric="one_error")
    with pytest.raises(BenchmarkError, match=r"no number of one_error.*It has average_precision"):
        table(rows, "one_error", against_paper=True)
