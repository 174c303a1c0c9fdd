"""Several threads at once: what the process has once is put back, and no row is lost."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from torch import nn

from lamc import LAMC, Calibrator, as_labels, load
from lamc.exceptions import LAMCWarning, held_back, warn
from lamc.learners import Network
from lamc.learners.devices import torch_threads
from lamc.learners.process_wide import Shared

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 5)).astype(np.float32)
y = X[:, :3].argmax(axis=1)
WAIT = 20  # seconds, for threads that are sure to come


@pytest.fixture
def unchanged():
    """Python's filters of warnings, and what shows them, are afterwards as they were."""
    filters, shows = [*warnings.filters], warnings._showwarnmsg_impl
    yield
    assert warnings.filters == filters
    assert warnings._showwarnmsg_impl is shows


def in_threads(work, count=4):
    with ThreadPoolExecutor(count) as pool:
        return [each.result() for each in [pool.submit(work, i) for i in range(count)]]


def overlapping(context):
    """Two threads within a context at once, if it lets them; the first to come leaves first."""
    first_in, second_in, first_out = (threading.Event() for _ in range(3))

    def first(_):
        with context():
            first_in.set()
            second_in.wait(0.2)
        first_out.set()

    def second(_):
        first_in.wait(WAIT)
        with context():
            second_in.set()
            first_out.wait(WAIT)

    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(first, 0), pool.submit(second, 0)]:
            each.result()


def test_warnings_held_back_in_two_threads_are_shown_again(unchanged):
    overlapping(lambda: held_back("nothing"))


def test_warnings_that_are_not_meant_are_given_again():
    def both():
        with held_back("mind the") as said:
            warnings.warn("Mind the step", UserWarning, stacklevel=1)
            warnings.warn("another", UserWarning, stacklevel=1)
        return said

    with pytest.warns(UserWarning, match="another") as told:
        said = both()
    assert [str(each.message) for each in said] == ["Mind the step"]
    assert [str(each.message) for each in told] == ["another"]


def test_a_warning_of_lamc_waits_for_who_holds_others_back():
    within = threading.Event()

    def other(_):
        within.wait(WAIT)
        warn("Look here.")

    with ThreadPoolExecutor(1) as pool, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with held_back() as said:
            waiting = pool.submit(other, 0)
            within.set()
            with pytest.raises(TimeoutError):
                waiting.result(0.1)
        waiting.result(WAIT)
    assert said == []
    assert [each.category for each in told] == [LAMCWarning]


def test_models_may_be_loaded_at_once(tmp_path, unchanged):
    Y_cal = as_labels(np.eye(3)[y[100:]], knowledge="all")
    clf = LAMC(LogisticRegression()).fit(X[:100], y[:100], X_cal=X[100:], Y_cal=Y_cal)
    clf.save(tmp_path / "m.lamc")
    found = in_threads(lambda _: [load(tmp_path / "m.lamc").predict(X[:5]) for _ in range(5)])
    assert np.ptp(found, axis=(0, 1)).max() == 0


def test_labels_may_be_pooled_at_once(unchanged):
    scores = RNG.random((300, 40))
    Y = RNG.random((300, 40)) < 0.02
    pooled = Calibrator(few_positives="pool", random_state=0)

    def fit(_):
        cals = [Calibrator(few_positives="pool", random_state=0).fit(scores, Y) for _ in range(20)]
        return [cal.thresholds_ for cal in cals]

    for found in in_threads(fit):
        np.testing.assert_array_equal(found, [pooled.fit(scores, Y).thresholds_] * 20)


def test_no_row_of_updates_at_once_is_lost():
    scores, Y = RNG.random((2000, 30)), RNG.random((2000, 30)) < 0.2
    cal = Calibrator(alpha=0.1).fit(scores[:200], Y[:200])

    def update(i):
        for start in range(200 + i, 2000, 4 * 50):
            rows = np.arange(start, min(start + 4 * 50, 2000), 4)
            cal.update(scores[rows], Y[rows])

    in_threads(update)
    assert cal.n_rows_ == 2000
    np.testing.assert_array_equal(cal.thresholds_, Calibrator(alpha=0.1).fit(scores, Y).thresholds_)


def test_threads_of_torch_are_put_back():
    before = torch.get_num_threads()
    overlapping(lambda: torch_threads(before + 1))
    assert in_threads(lambda _: torch.get_num_threads(), 2) == [before] * 2
    assert torch.get_num_threads() == before


def test_threads_of_torch_within_others_are_put_back_one_by_one():
    before = torch.get_num_threads()
    with torch_threads(before + 2):
        with torch_threads(before + 1):
            assert torch.get_num_threads() == before + 1
        assert torch.get_num_threads() == before + 2
    assert torch.get_num_threads() == before


def test_a_shared_setting_is_put_back_by_the_last():
    setting, shared = [8], Shared()

    class Lowered:
        def __enter__(self):
            self.kept = shared.kept(lambda: setting[0], lambda value: setting.__setitem__(0, value))
            self.kept.__enter__()
            setting[0] = 1

        def __exit__(self, *error):
            self.kept.__exit__(*error)

    overlapping(Lowered)
    assert setting == [8]


def dropping(n_labels):
    return nn.Sequential(nn.Linear(5, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, n_labels))


def test_networks_trained_at_once_keep_their_seeds():
    def scores(seed):
        learner = Network(dropping, epochs=4, random_state=seed, n_threads=1)
        return learner.fit(X, y).predict_proba(X)

    for seed, found in enumerate(in_threads(scores)):
        np.testing.assert_array_equal(found, scores(seed))


def test_scores_of_arrays_leave_torchs_random_numbers_to_others(monkeypatch):
    learner = Network(dropping, epochs=1, random_state=0).fit(X, y)
    expected = learner.predict_proba(X)

    def refused(*_, **__):
        raise AssertionError("put back what others have drawn")

    monkeypatch.setattr(torch.random, "fork_rng", refused)
    np.testing.assert_array_equal(learner.predict_proba(X), expected)
