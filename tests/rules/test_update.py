"""Batch after batch gives what all rows at once give, for every rule and option."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

from lamc import Calibrator, as_labels
from lamc.exceptions import LAMCWarning

from .cases import LEVELS, RULE_NAMES, calibration_sets, few, labelled, random_set

N, K = 240, 6
SCORES, Y = random_set(N, K, share=0.15, ties=2)
Y[60:100] = False  # a batch of these has no label at all
ONE = np.random.default_rng(1).integers(0, K, N)
PICKED = Y | (np.arange(K) == ONE[:, None])
CUTS = [0, 1, 60, 100, 101, N]
WEIGHTS = np.random.default_rng(2).integers(1, 6, N)


def same(one, other, new=SCORES[:30]):
    for name in ("thresholds_", "absence_thresholds_", "status_", "n_positives_", "classes_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert one.n_rows_ == other.n_rows_ == one.evidence_.n_rows
    assert one.promise_ == other.promise_
    np.testing.assert_array_equal(one.p_values(new), other.p_values(new))
    for alpha in (0.05, 0.3):
        np.testing.assert_array_equal(one.thresholds_at(alpha), other.thresholds_at(alpha))


def in_batches(cal, scores, labels, cuts, rows=None, **fixed):
    """Fit on the first batch and update with the others; ``rows`` are arguments by row."""
    rows = rows or {}
    for start, stop in pairwise(cuts):
        part = slice(start, stop)
        given_rows = {name: values[part] for name, values in rows.items()}
        if start == 0:
            cal.fit(scores[part], labels[part], **given_rows, **fixed)
        else:
            fixed.pop("reference", None)
            cal.update(scores[part], labels[part], **given_rows, **fixed)
    return cal


CASES = [
    *((rule, {}, {}) for rule in RULE_NAMES),
    *((rule, {"keep_negatives": True}, {}) for rule in RULE_NAMES),
    *((rule, {"per_label": 5}, {}) for rule in ("recall", "selective", "three-way")),
    *((rule, {}, {"sample_weight": WEIGHTS}) for rule in ("recall", "selective")),
    *((rule, {}, {"sample_weight": WEIGHTS / 10}) for rule in ("recall", "selective")),
    *((rule, {}, {"picked_for": ONE}) for rule in ("recall", "selective")),
    ("recall", {"delta": 0.2}, {}),
    ("recall", {"few_positives": "pool"}, {}),
    ("recall", {"per_label": 4}, {}),
    ("recall", {"per_label": 5}, {"sample_weight": WEIGHTS}),
    ("recall", {"per_label": 5}, {"picked_for": ONE}),
]


def in_words(case):
    rule, options, rows = case
    return "-".join([rule, *options, *(f"{name}-{values.dtype}" for name, values in rows.items())])


@pytest.mark.parametrize("stored", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(("rule", "options", "rows"), CASES, ids=map(in_words, CASES))
def test_batches_give_what_the_union_gives(rule, options, rows, stored):
    scores = sparse.csr_array(SCORES * (SCORES > 0.2)) if stored else SCORES
    truth = labelled(PICKED if "picked_for" in rows else Y)
    cal = Calibrator(rule, alpha=0.2, random_state=7, **options)
    whole = Calibrator(rule, alpha=0.2, random_state=7, **options).fit(scores, truth, **rows)
    # The first batch must hold a label.
    cuts = [0, *CUTS[2:]] if "picked_for" not in rows else CUTS
    same(in_batches(cal, scores, truth, cuts, rows), whole)
    if options.get("keep_negatives"):
        batch = SCORES[:40]
        np.testing.assert_array_equal(cal.select(batch, fdr=0.3), whole.select(batch, fdr=0.3))


@pytest.mark.filterwarnings("ignore:.*pass it by luck")
@pytest.mark.parametrize("rule", ["precision", "set-recall"])
def test_a_reference_stays(rule):
    reference = random_set(100, K, seed=5)[0]
    cal, whole = (Calibrator(rule, alpha=0.3, random_state=0) for _ in range(2))
    whole.fit(SCORES, labelled(Y), reference=reference)
    cuts = [0, *CUTS[2:]]
    same(in_batches(cal, SCORES, labelled(Y), cuts, reference=reference), whole)


@pytest.mark.parametrize(
    ("rule", "how"), [*product(["recall", "selective"], ["counts", "some"]), ("recall", "bound")]
)
def test_single_positives_too(rule, how):
    labels = as_labels(ONE, classes=range(K))
    rows, fixed = {"cardinality": WEIGHTS}, {}
    if how == "bound":
        rows, fixed = {}, {"cardinality": 3}
    if how == "some":  # two labels shown of each row
        two = np.stack([ONE, (ONE + 1) % K], axis=1)
        labels = as_labels(two.tolist(), classes=range(K), knowledge="some")
        rows = {"cardinality": np.minimum(WEIGHTS + 2, K)}
    cal = in_batches(Calibrator(rule, alpha=0.2), SCORES, labels, CUTS, rows, **fixed)
    same(cal, Calibrator(rule, alpha=0.2).fit(SCORES, labels, **rows, **fixed))


@pytest.mark.parametrize("rule", RULE_NAMES)
@few
@given(case=calibration_sets(min_rows=3), alpha=st.sampled_from(LEVELS), data=st.data())
def test_any_two_batches(rule, case, alpha, data):
    scores, Y = case
    Y[0, 0] = True
    cut = data.draw(st.integers(1, len(Y) - 1))
    cal, whole = (Calibrator(rule, alpha=alpha, random_state=0) for _ in range(2))
    whole.fit(scores, labelled(Y))
    in_batches(cal, scores, labelled(Y), [0, cut, len(Y)])
    same(cal, whole, new=scores)


@pytest.mark.parametrize("types", list(permutations([np.float16, np.float32, np.float64], 2)))
@pytest.mark.parametrize("rule", RULE_NAMES)
def test_batches_of_two_float_types_are_compared_in_the_shorter(types, rule):
    """Scores such as 0.1 are equal there, and in the longer type they are not."""
    scores, shorter = SCORES.round(1), min(types, key=lambda each: np.dtype(each).itemsize)
    halves = [scores[:120].astype(types[0]), scores[120:].astype(types[1])]
    cal = Calibrator(rule, alpha=0.2, random_state=0).fit(halves[0], labelled(Y[:120]))
    cal.update(halves[1], labelled(Y[120:]))
    whole = Calibrator(rule, alpha=0.2, random_state=0)
    same(cal, whole.fit(scores.astype(shorter), labelled(Y)))
    for new in (scores, scores.astype(np.float32), scores.astype(np.float16)):
        np.testing.assert_array_equal(cal.decide(new), whole.decide(scores.astype(shorter)))


def test_negatives_are_kept_as_fit_began():
    cal = Calibrator(keep_negatives=True).fit(SCORES, labelled(Y))
    cal.set_params(keep_negatives=False).update(SCORES, labelled(Y))
    twice = Calibrator(keep_negatives=True)
    twice.fit(np.vstack([SCORES, SCORES]), labelled(np.vstack([Y, Y])))
    np.testing.assert_array_equal(cal.select(SCORES, fdr=0.5), twice.select(SCORES, fdr=0.5))


def test_an_assumption_that_later_rows_need_is_told():
    scores, y = np.random.default_rng(0).random((60, 3)), np.arange(60) % 3
    cal = Calibrator(alpha=0.3).fit(scores, y, cardinality=np.ones(60))
    assert cal.assumption_ is None
    cal.update(scores, y, cardinality=np.full(60, 3))
    assert "drawn at random from the row's labels" in cal.assumption_
    whole = Calibrator(alpha=0.3).fit(
        np.vstack([scores, scores]), np.r_[y, y], cardinality=np.repeat([1, 3], 60)
    )
    assert cal.assumption_ == whole.assumption_
    np.testing.assert_array_equal(cal.thresholds_, whole.thresholds_)


def test_an_update_whose_warning_is_an_error_changes_nothing():
    rng = np.random.default_rng(0)
    Y = rng.random((400, 40)) < 0.3
    scores = 0.5 * rng.random(Y.shape)
    scores[:, :2] += 0.5 * Y[:, :2]  # two labels of 40 can be told apart: one may be luck
    cal = Calibrator("precision", alpha=0.3)
    with pytest.warns(LAMCWarning, match="by luck"):
        cal.fit(scores[:200], Y[:200])
    before = cal.thresholds_, cal.n_rows_
    for _ in range(2):
        with pytest.raises(LAMCWarning, match="by luck"):
            cal.update(scores[200:], Y[200:])
        np.testing.assert_array_equal(cal.thresholds_, before[0])
        assert cal.n_rows_ == before[1]


def test_a_fit_whose_warning_is_an_error_leaves_nothing_fitted():
    cal = Calibrator(alpha=0.3)
    with pytest.raises(LAMCWarning, match="observed labels only"):
        cal.fit(SCORES, ONE)
    with pytest.raises(NotFittedError):
        cal.accept(SCORES)
