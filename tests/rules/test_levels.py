"""A level is the fraction that its number stands for, and ranks are computed on integers."""

from decimal import Decimal
from fractions import Fraction
from math import floor

import numpy as np
import pytest

from lamc.exceptions import CalibrationError
from lamc.rules.levels import Levels, as_fraction

from .twins import LEVELS

SIMPLE = [Fraction(k, q) for q in range(2, 61) for k in range(1, q)]
FINE = [Fraction(k, 1000) for k in range(1, 1000)] + [Fraction(1, 12345), Fraction(99999, 100000)]


def of(level):
    return Fraction(int(level.numerators[0]), int(level.denominators[0]))


@pytest.mark.parametrize("made", [float, Decimal, np.float64, np.array], ids=repr)
def test_a_number_stands_for_its_fraction(made):
    for level in SIMPLE + FINE:
        given = made(float(level)) if made is not Decimal else Decimal(str(float(level)))
        assert as_fraction(given, "alpha") == level


def test_a_float_that_was_computed_stands_for_the_fraction_meant():
    for level in SIMPLE + FINE:
        assert as_fraction(1 - float(1 - level), "alpha") == level


@pytest.mark.parametrize(
    ("dtype", "levels"), [(np.float32, SIMPLE + FINE[:-2]), (np.float16, SIMPLE[:190])]
)
def test_short_floats_stand_for_the_same_fraction(dtype, levels):
    for level in levels:
        assert as_fraction(dtype(level), "alpha") == level
        assert as_fraction(np.array(float(level), dtype=dtype), "alpha") == level
        assert of(Levels.of(np.array([float(level)], dtype=dtype), n_labels=1)) == level


@pytest.mark.parametrize("alpha", LEVELS, ids=str)
def test_floors_are_exact_for_every_count(alpha):
    counts = np.arange(5001)
    level = Levels.of(float(alpha), n_labels=len(counts))
    assert level.floor_of(counts).tolist() == [floor(alpha * int(n)) for n in counts]


def test_the_rank_that_floats_lose_is_there():
    assert int(10 * (1 - 0.9)) == 0
    assert Levels.of(1 - 0.9, n_labels=1).floor_of([10]) == 1
    tens = np.arange(10, 5001, 10)
    assert (Levels.of(1 - 0.9, n_labels=len(tens)).floor_of(tens) == tens // 10).all()


def test_large_counts_do_not_overflow():
    alpha = Fraction(999_999_937, 999_999_999)
    assert Levels.of(alpha, n_labels=1).floor_of([9 * 10**9])[0] == floor(alpha * 9 * 10**9)


def test_levels_may_differ_by_label():
    level = Levels.of([0.1, Fraction(1, 3), 0.5], n_labels=3)
    assert level.floor_of(29 * np.ones(3)).tolist() == [2, 9, 14]
    assert level.as_floats().tolist() == [0.1, 1 / 3, 0.5]


@pytest.mark.parametrize("most", [1, 2, 5, 1000])
def test_the_level_for_a_bound_keeps_the_promise_in_the_worst_case(most):
    """Rows that score high have one label and are always revealed; the others have M."""
    for alpha in LEVELS:
        stricter = of(Levels.of(alpha, n_labels=1).for_at_most(most))
        assert stricter * most / (stricter * most + 1 - stricter) == alpha


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, np.nan, np.inf, None, "0.1", True, [0.1], 1j])
def test_what_is_no_level_is_refused_by_value(alpha):
    with pytest.raises(CalibrationError, match=r"delta=.* is not a level; .* above 0 and below 1"):
        as_fraction(alpha, "delta")


@pytest.mark.parametrize("alpha", [[0.1, 0.2], [0.1] * 4, np.full(1, 0.1)], ids=len)
def test_a_wrong_number_of_levels_is_refused(alpha):
    with pytest.raises(CalibrationError, match=f"alpha holds {len(alpha)} levels, .* 3 labels"):
        Levels.of(alpha, n_labels=3)


def test_one_bad_level_among_many_is_named():
    with pytest.raises(CalibrationError, match=r"alpha=1\.2 is not a level"):
        Levels.of([0.1, 1.2], n_labels=2)
    with pytest.raises(CalibrationError, match="is not a level"):
        Levels.of([[0.1, 0.2]], n_labels=2)
