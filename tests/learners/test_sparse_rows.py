"""Sparse rows out of order, with values stored twice: read as what they are, and left so."""

import numpy as np
import pytest
import torch
from scipy import sparse

from lamc import LAMC
from lamc import learners as room
from lamc.learners import DM2L, GLOCAL, MLML, Blend, Network, Trees
from lamc.learners.scaling import RowLength, neighbour_scale, units_of

BRIEF = {"epochs": 1, "hidden": 4, "learning_rate": 1e-2, "random_state": 0}
OWN = {
    "Blend": Blend(effort="fast", random_state=0),
    "DM2L": DM2L(max_iter=1, inner_iter=3),
    "GLOCAL": GLOCAL(random_state=0),
    "MLML": MLML(),
    "Network": Network(torch.nn.Linear(30, 4), epochs=1, learning_rate=1e-2, random_state=0),
    "Trees": Trees(n_trees=3, random_state=0),
}
WITH_VALIDATION_ROWS = {"Blend", "LAMC", *room.__all__} - {"DM2L", "GLOCAL", "MLML", "Trees"}
Y = np.arange(90) % 4


def tidy():
    rng = np.random.default_rng(0)
    rows = sparse.random_array((90, 30), density=0.1, format="csr", rng=rng)
    rows = sparse.csr_array(rows + sparse.csr_array((np.ones(90), (np.arange(90), Y)), (90, 30)))
    rows = rows.astype(np.float32)
    rows.sort_indices()
    return rows


def untidy(*, writeable=True, of=None):
    """The same rows, with each value in two halves, in any order."""
    rows = tidy() if of is None else of
    row = np.repeat(np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), 2)
    order = np.lexsort((np.random.default_rng(1).random(len(row)), row))
    values, columns = np.repeat(rows.data / 2, 2)[order], np.repeat(rows.indices, 2)[order]
    for each in (values, columns, starts := 2 * rows.indptr):
        each.setflags(write=writeable)
    return sparse.csr_array((values, columns, starts), rows.shape)


def stored(rows):
    return rows.data.tobytes(), rows.indices.tobytes(), rows.indptr.tobytes()


def learner_called(name):
    if name == "LAMC":
        return LAMC(Blend(effort="fast"), random_state=0)
    return OWN[name] if name in OWN else getattr(room, name)(**BRIEF)


def scores(name, rows, rows_val):
    given = {}
    if name in WITH_VALIDATION_ROWS:
        given = {"X_val": rows_val, "Y_val": np.eye(4, dtype=int)[Y[:50]] | [1, 0, 0, 0]}
    return learner_called(name).fit(rows, Y, **given).predict_proba(rows)


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
@pytest.mark.parametrize("writeable", [True, False], ids=["writeable", "read-only"])
@pytest.mark.parametrize("limit", [50_000_000, 100], ids=["small", "too large to be dense"])
@pytest.mark.parametrize("name", ["LAMC", *room.__all__])
def test_rows_stay_as_they_were_and_give_the_scores_of_those_in_order(
    name, limit, writeable, monkeypatch
):
    monkeypatch.setattr("lamc.learners.scaling.DENSE_LIMIT", limit)
    rows = untidy(writeable=writeable)
    rows_val = untidy(writeable=writeable, of=tidy()[:50])
    before = stored(rows), stored(rows_val)
    found = scores(name, rows, rows_val)
    assert (stored(rows), stored(rows_val)) == before
    np.testing.assert_array_equal(found, scores(name, tidy(), tidy()[:50]))


@pytest.mark.parametrize(
    "look",
    [RowLength(1.0).transform, neighbour_scale, units_of, lambda rows: units_of(rows.tocsc())],
    ids=["RowLength", "neighbour_scale", "units_of", "units_of columns"],
)
def test_scales_leave_rows_as_they_were(look):
    rows = untidy(writeable=False)
    before = stored(rows)
    look(rows)
    assert stored(rows) == before


def test_units_do_not_depend_on_how_values_are_stored():
    np.testing.assert_array_equal(units_of(untidy()), units_of(tidy()))


def test_columns_with_stored_zeros_stay_as_they_were():
    columns = tidy().tocsc()
    columns.data[::3] = 0
    before = stored(columns)
    units_of(columns)
    assert stored(columns) == before
