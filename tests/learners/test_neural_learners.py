"""Every neural learner keeps the same contract, and does what its paper says."""

import itertools

import numpy as np
import pytest
import torch
from sklearn.base import clone

from lamc import LAMC, losses
from lamc.datasets import digit_scenes, observe
from lamc.labels import as_labels
from lamc.learners import (
    AN,
    ANLS,
    APL,
    CRISP,
    EM,
    EPR,
    GR,
    MIME,
    ROLE,
    SMILE,
    SPLC,
    WAN,
    Hill,
    LargeLoss,
    Softmax,
)
from lamc.learners.method import Group, Step
from lamc.learners.observed_labels import OneLabelEach
from lamc.learners.rows import as_rows
from lamc.learners.selection import CleanAveragePrecision
from lamc.learners.stack import Shape
from lamc.metrics import average_precision

SCENES = digit_scenes(500)
X, Y = SCENES.X[:350], SCENES.Y[:350]
X_CAL, Y_CAL = SCENES.X[350:418], SCENES.Y[350:418]  # the next is the same as one before it
X_NEW, Y_NEW = SCENES.X[420:], SCENES.Y[420:]
y = observe(Y, random_state=0).index()

FAST = {"epochs": 6, "hidden": 16, "learning_rate": (1e-2, 3e-3), "random_state": 0, "n_threads": 1}
LEARNERS = {
    "AN": AN(**FAST),
    "ANLS": ANLS(**FAST),
    "WAN": WAN(**FAST),
    "EM": EM(**FAST),
    "APL": APL(**FAST, warm_up=0.3),
    "Hill": Hill(**FAST),
    "SPLC": SPLC(**FAST),
    "LL-R": LargeLoss(**FAST, delta=0.01),
    "LL-Ct": LargeLoss(**FAST, delta=0.01, scheme="correct-temporarily"),
    "LL-Cp": LargeLoss(**FAST, delta=0.01, scheme="correct-permanently"),
    "GR": GR(**FAST),
    "Softmax": Softmax(**FAST),
    "EPR": EPR(**FAST),
    "EPR given": EPR(**FAST, expected_count=2.5),
    "CRISP": CRISP(**FAST),
    "MIME": MIME(**FAST, code_size=8, threshold=0.4),
    "ROLE": ROLE(**FAST, expected_count=2.5),
    "SMILE": SMILE(**FAST, p=0.1),
}
every_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS.keys())


# -- the common contract -------------------------------------------------------------------------


@every_learner
def test_it_trains_alike_whatever_torch_is_set_to(learner):
    brief = clone(learner).set_params(epochs=2, learning_rate=1e-2)
    expected = brief.fit(X, y).predict_proba(X_NEW)
    with torch.inference_mode():
        found = brief.fit(X, y).predict_proba(X_NEW)
    np.testing.assert_array_equal(found, expected)
    torch.set_default_dtype(torch.float64)
    try:
        found = brief.fit(X, y).predict_proba(X_NEW)
    finally:
        torch.set_default_dtype(torch.float32)
    np.testing.assert_array_equal(found, expected)


@every_learner
def test_it_learns_to_rank_what_was_never_shown(learner):
    fitted = clone(learner).fit(X, y)
    scores = fitted.predict_proba(X_NEW)
    assert scores.shape == (80, 10)
    assert ((scores >= 0) & (scores <= 1)).all()
    # With all labels alike it is about .4.
    assert average_precision(Y_NEW, scores) > 0.5
    np.testing.assert_array_equal(fitted.classes_, np.arange(10))
    np.testing.assert_array_equal(fitted.predict(X_NEW), scores.argmax(axis=1))


@every_learner
def test_networks_trained_together_end_as_they_do_alone(learner):
    for run in learner.fit_runs(X, y, seeds=[3, 8]):
        alone = clone(learner).set_params(random_state=run.random_state).fit(X, y)
        for stacked, single in zip(run.weights_, alone.weights_, strict=True):
            np.testing.assert_allclose(stacked, single, atol=1e-4)
        np.testing.assert_allclose(run.predict_proba(X_NEW), alone.predict_proba(X_NEW), atol=1e-4)


@every_learner
def test_the_same_seed_gives_the_same_bytes(learner):
    first, second = (clone(learner).fit(X, y).predict_proba(X_NEW) for _ in range(2))
    assert first.tobytes() == second.tobytes()


@every_learner
def test_validation_labels_choose_and_are_not_learnt_from(learner, monkeypatch):
    """Chosen is the last epoch, whatever they say: then training is what it is without them."""
    increasing = itertools.count()
    monkeypatch.setattr(
        CleanAveragePrecision,
        "values",
        lambda self, scores: np.full(len(scores), float(next(increasing))),
    )
    one_rate = clone(learner).set_params(learning_rate=1e-2)
    told = clone(one_rate).fit(X, y, X_CAL, Y_CAL)
    assert told.selection_[0]["criterion"] == CleanAveragePrecision.name
    untold = clone(one_rate).set_params(validation_size=0).fit(X, y)
    for one, other in zip(told.weights_, untold.weights_, strict=True):
        assert one.tobytes() == other.tobytes()


@every_learner
@pytest.mark.filterwarnings("ignore:y marks .* labels as absent")
def test_what_is_known_beside_the_observed_labels_is_not_read(learner):
    truth = np.where(
        Y.toarray(), 0, -1
    )  # all that is absent is told, and of what is true one label
    truth[np.arange(350), y] = 1
    told = as_labels(truth, meaning={0: "unknown", -1: "negative"})
    quick = clone(learner).set_params(epochs=2, learning_rate=1e-2)
    with_truth = clone(quick).fit(X, told).predict_proba(X_NEW)
    untold = clone(quick).fit(X, as_labels(told.positives, knowledge="some")).predict_proba(X_NEW)
    assert with_truth.tobytes() == untold.tobytes()


@every_learner
def test_several_positives_a_row_and_labels_without_any(learner):
    several = np.zeros((350, 11), dtype=int)
    several[np.arange(350), y] = 1
    several[np.arange(0, 350, 2), observe(Y[::2], random_state=1).index()] = 1
    fitted = clone(learner).fit(X, several)
    scores = fitted.predict_proba(X_NEW)
    assert scores.shape == (80, 11)
    assert np.isfinite(scores).all()
    assert average_precision(Y_NEW, scores[:, :10]) > 0.5


@every_learner
def test_it_stands_in_lamc(learner):
    clf = LAMC(learner, rule="recall", alpha=0.2).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)
    assert clf.predict(X_NEW).shape == (80, 10)


# -- what each method keeps ----------------------------------------------------------------------

N, K = 12, 4
OBSERVED = torch.tensor([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 0])
GENERATOR = torch.Generator().manual_seed(0)
SCORES = torch.rand(2, N, K, generator=GENERATOR)
LOGITS = torch.randn(2, 3, K, generator=GENERATOR)
CHOSEN = torch.tensor([[0, 5, 7], [2, 3, 11]])


def group(epochs=10):
    rows, observed = as_rows(np.zeros((N, 2)), "cpu"), OneLabelEach(OBSERVED, K)
    return Group([0, 1], [1e-3, 1e-2], Shape(2, 3, K), rows, observed, epochs)


def step(epoch):
    return Step(CHOSEN, OBSERVED[CHOSEN], epoch)


@pytest.mark.parametrize("scheme", ["reject", "correct-temporarily", "correct-permanently"])
@pytest.mark.parametrize("epoch", [1, 4])
def test_all_three_schemes_of_large_losses_run(scheme, epoch):
    method = LargeLoss(scheme=scheme, delta=0.05)._method(group())
    found = method.loss(LOGITS, step(epoch))
    expected = losses.large_loss(LOGITS, OBSERVED[CHOSEN], epoch=epoch, scheme=scheme, delta=0.05)
    torch.testing.assert_close(found, expected.loss)


def test_each_scheme_of_large_losses_trains_another_network():
    kinds = [LEARNERS[name] for name in ("AN", "LL-R", "LL-Ct", "LL-Cp")]
    to_the_end = {"learning_rate": 1e-2, "validation_size": 0}
    scores = [clone(each).set_params(**to_the_end).fit(X, y).predict_proba(X_NEW) for each in kinds]
    for one, other in itertools.combinations(scores, 2):
        assert np.abs(one - other).max() > 0.01


def test_permanent_corrections_are_written_down_for_their_network_only():
    method = LargeLoss(scheme="correct-permanently", delta=0.1)._method(group())
    observed = group().observed.matrix()
    method.loss(LOGITS, step(1))
    method.after_step(step(1))
    assert torch.equal(method.present, observed.expand(2, N, K))  # none in the first epoch
    method.loss(LOGITS, step(2))
    method.after_step(step(2))
    # ⌈.1 · 3 · 4⌉ = 2 entries of each network's batch.
    assert (method.present & ~observed).sum(dim=(1, 2)).tolist() == [2, 2]
    for model in range(2):
        changed = (method.present[model] & ~observed).any(dim=1).nonzero()[:, 0].tolist()
        assert set(changed) <= set(CHOSEN[model].tolist())
    before = method.present.clone()
    found = method.loss(LOGITS, step(3))
    taken = before[torch.arange(2)[:, None], CHOSEN]
    expected = losses.large_loss(
        LOGITS, taken, epoch=3, scheme="correct-permanently", delta=0.1
    ).loss
    torch.testing.assert_close(found, expected)


def test_pseudo_labels_are_the_lowest_scores_of_each_label_and_stay():
    method = APL(warm_up=0.5, share=0.9)._method(group(epochs=6))  # after epochs 3, 4 and 5
    method.after_epoch(2, lambda: SCORES)
    assert method.pseudo.isnan().all()
    observed = group().observed.matrix()
    taken = torch.zeros(2, N, K, dtype=torch.bool)
    for epoch in (3, 4, 5):
        scores = torch.rand(2, N, K, generator=GENERATOR)
        method.after_epoch(epoch, lambda scores=scores: scores)
        for model in range(2):
            for label in range(K):
                quota = int(0.9 * int((~observed[:, label]).sum()) / 3)
                open_rows = [
                    row
                    for row in range(N)
                    if not observed[row, label] and not taken[model, row, label]
                ]
                open_rows.sort(key=lambda row: float(scores[model, row, label]))
                for row in open_rows[:quota]:
                    taken[model, row, label] = True
                    assert method.pseudo[model, row, label] == scores[model, row, label]
        assert torch.equal(~method.pseudo.isnan(), taken)
    method.after_epoch(6, lambda: SCORES)
    assert torch.equal(~method.pseudo.isnan(), taken)  # the last epoch has no use for more


def test_pseudo_labels_enter_the_loss():
    method = APL(alpha=0.3, beta=0.7, warm_up=0.2)._method(group(epochs=4))
    method.after_epoch(1, lambda: SCORES)
    pseudo = method.pseudo[torch.arange(2)[:, None], CHOSEN]
    assert not pseudo.isnan().all()
    expected = losses.em_apl(LOGITS, OBSERVED[CHOSEN], pseudo, alpha=0.3, beta=0.7)
    torch.testing.assert_close(method.loss(LOGITS, step(2)), expected)


def test_confident_labels_are_believed_for_good():
    method = MIME(threshold=0.9, warm_up=0.2)._method(group(epochs=10))
    observed = group().observed.matrix()
    method.after_epoch(1, lambda: SCORES)
    assert torch.equal(method.present, observed.expand(2, N, K))
    method.after_epoch(2, lambda: SCORES)
    believed = observed | (SCORES > 0.9)
    assert torch.equal(method.present, believed)
    assert believed.sum() > observed.sum() * 2
    method.after_epoch(3, lambda: torch.zeros(2, N, K))
    assert torch.equal(method.present, believed)
    expected = losses.an(LOGITS, believed[torch.arange(2)[:, None], CHOSEN])
    torch.testing.assert_close(method.loss(LOGITS, step(4)), expected)


def test_the_scores_of_mime_are_those_of_its_stack():
    learner = MIME(**{**FAST, "learning_rate": 1e-2}, code_size=8).fit(X, y, X_CAL, Y_CAL)
    found = average_precision(Y_CAL, learner.predict_proba(X_CAL))
    assert found == pytest.approx(learner.selection_[0]["value"], abs=1e-4)


def test_crisp_warms_up_and_estimates_the_priors_of_each_network():
    method = CRISP(warm_up=0.2)._method(group(epochs=10))
    torch.testing.assert_close(method.loss(LOGITS, step(2)), losses.an(LOGITS, OBSERVED[CHOSEN]))
    method.after_epoch(1, lambda: SCORES)
    shares = torch.bincount(OBSERVED) / N
    torch.testing.assert_close(method.priors, shares.expand(2, K))
    method.after_epoch(2, lambda: SCORES)
    for model in range(2):
        expected = losses.crisp_priors(SCORES[model], OBSERVED)
        torch.testing.assert_close(method.priors[model], expected)
    expected = losses.crisp(LOGITS, OBSERVED[CHOSEN], method.priors, shares=shares)
    torch.testing.assert_close(method.loss(LOGITS, step(3)), expected)


def test_schedules_follow_the_epoch():
    observed = OBSERVED[CHOSEN]
    robust = GR()._method(group(epochs=8))
    corrected = SPLC(start=3, threshold=0.4)._method(group())
    for epoch in (1, 3, 8):
        expected = losses.gr(LOGITS, observed, epoch=epoch, epochs=8)
        torch.testing.assert_close(robust.loss(LOGITS, step(epoch)), expected)
        expected = losses.splc(LOGITS, observed, epoch=epoch, start=3, threshold=0.4)
        torch.testing.assert_close(corrected.loss(LOGITS, step(epoch)), expected)


def test_settings_reach_the_loss():
    observed = OBSERVED[CHOSEN]
    cases = [
        (ANLS(smoothing=0.3), losses.an_ls(LOGITS, observed, smoothing=0.3)),
        (EM(alpha=0.5), losses.em(LOGITS, observed, alpha=0.5)),
        (
            Hill(margin=2.0, gamma=1.0, lam=1.2),
            losses.hill(LOGITS, observed, margin=2.0, gamma=1.0, lam=1.2),
        ),
        (Softmax(), losses.softmax(LOGITS, observed)),
        (WAN(), losses.wan(LOGITS, observed)),
    ]
    for learner, expected in cases:
        torch.testing.assert_close(learner._method(group()).loss(LOGITS, step(1)), expected)


def test_softmax_scores_add_up_to_1():
    scores = Softmax(**FAST).fit(X, y).predict_proba(X_NEW)
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-6)


def test_the_learners_are_opened_when_they_are_asked_for():
    import lamc.learners

    for name in lamc.learners.__all__:
        assert getattr(lamc.learners, name).__name__ == name
    assert {*lamc.learners.__all__} <= {*dir(lamc.learners)}
    with pytest.raises(AttributeError, match="Nope"):
        _ = lamc.learners.Nope
