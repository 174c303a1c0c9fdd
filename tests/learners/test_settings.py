"""Settings that cannot be used are told by name, by ``fit`` and before there are rows."""

import re

import numpy as np
import pytest

from lamc.benchmark.methods import make
from lamc.datasets import digit_scenes, observe
from lamc.exceptions import SettingError
from lamc.learners import (
    ANLS,
    APL,
    CRISP,
    DM2L,
    EM,
    EPR,
    GLOCAL,
    GR,
    MIME,
    MLML,
    ROLE,
    SMILE,
    SPLC,
    WAN,
    Blend,
    Hill,
    LargeLoss,
    Network,
    Trees,
)
from lamc.training import learner_named

SCENES = digit_scenes(60)
X, OBSERVED = SCENES.X, observe(SCENES.Y, random_state=0)
TINY = {"epochs": 1, "hidden": 4, "learning_rate": 1e-2, "random_state": 0}

FROM_0, ANY = "a number from 0", "a number"
UNIT, COUNT = "a number from 0 to 1", "a whole number from 1"
CHANCE, EPOCHS = "a probability between 0 and 1", "a share of the epochs, from 0 to below 1"
FLAG, LABELS = "True or False", "a number above 0 and at most .*the number of labels, or None"
NAN = float("nan")

REFUSED = [
    (WAN, "standardise", "false", FLAG),
    (WAN, "verbose", "false", FLAG),
    (WAN, "n_models", 0, COUNT),
    (ANLS, "smoothing", 2, UNIT),
    (EM, "alpha", -1, FROM_0),
    (APL, "alpha", NAN, FROM_0),
    (APL, "beta", -1, FROM_0),
    (APL, "share", 1.5, "a share from 0 to 1"),
    (APL, "share", "x", "a share from 0 to 1"),
    (APL, "warm_up", 5, EPOCHS),
    (APL, "warm_up", "x", EPOCHS),
    (Hill, "margin", "x", ANY),
    (Hill, "gamma", -1, FROM_0),
    (Hill, "lam", None, ANY),
    (SPLC, "threshold", 1, CHANCE),
    (SPLC, "start", 0, COUNT),
    (SPLC, "margin", "x", ANY),
    (SPLC, "gamma", -1, FROM_0),
    (LargeLoss, "scheme", "ignore", "'reject', 'correct-temporarily' or 'correct-permanently'"),
    (LargeLoss, "delta", 2, UNIT),
    (GR, "slope", (1.0,), "two numbers"),
    (GR, "slope", 1.0, "two numbers"),
    (GR, "slope", np.array(1.0), "two numbers"),
    (GR, "bias", ("a", "b"), "two numbers"),
    (GR, "mean", "ab", "two numbers"),
    (GR, "width", (0, 1), "two numbers above 0"),
    (GR, "powers", (0.5, 2), "two numbers above 0 and at most 1"),
    (CRISP, "warm_up", 1, EPOCHS),
    (CRISP, "delta", 0, CHANCE),
    (CRISP, "tau", -1, FROM_0),
    (MIME, "threshold", 0, CHANCE),
    (MIME, "threshold", 9, CHANCE),
    (MIME, "kl_weight", -1, FROM_0),
    (MIME, "code_size", 0, COUNT),
    (MIME, "warm_up", 1.0, EPOCHS),
    (SMILE, "p", 7, UNIT),
    (SMILE, "mu", -0.1, UNIT),
    (SMILE, "rate", -1, "a number from 0, or None"),
    (SMILE, "gamma", -1, FROM_0),
    (SMILE, "delta", -1, FROM_0),
    (SMILE, "n_neighbors", 0, COUNT),
    (SMILE, "estimate", "tree", "'graph', or a number from 0 to 1"),
    (SMILE, "kl", "x", "'published' or 'correct'"),
    (SMILE, "links", "none", "'published' or 'normalised'"),
    (EPR, "expected_count", 0, LABELS),
    (ROLE, "expected_count", "many", LABELS),
    (ROLE, "updates", "sparse", "'dense' or 'lazy'"),
    (ROLE, "updates", ["dense"], "'dense' or 'lazy'"),
]
NOT_OF_NETWORKS = [
    (Blend, "effort", "slow", "'full' or 'fast'"),
    (Blend, "effort", ["full"], "'full' or 'fast'"),
    (Blend, "validation_size", 0, "a share above 0 and below 1"),
    (Trees, "n_trees", 0, COUNT),
    (Trees, "max_features", "all", "a whole number from 1, a share above 0, 'sqrt', 'log2'"),
    (Trees, "max_features", 1.5, "a whole number from 1, a share above 0, 'sqrt', 'log2'"),
    (GLOCAL, "rank", 0, COUNT),
    (GLOCAL, "label_ridge", 0, "a number above 0"),
    (GLOCAL, "unobserved", "false", "'auto', 'negative' or 'missing'"),
    (MLML, "sharpness", -1, FROM_0),
    (MLML, "solver", "quick", "'exact' or 'approx'"),
    (MLML, "scaling", None, "'auto', 'range' or 'length'"),
    (MLML, "max_iter", 2.0, COUNT),
    (DM2L, "ridge", -1, "a number from 0, or None"),
    (DM2L, "gamma", 0, "a number above 0, or None"),
    (DM2L, "kernel", "poly", "'linear' or 'rbf'"),
    (DM2L, "smoothing", NAN, "a number above 0"),
]
every_refusal = pytest.mark.parametrize(
    ("learner", "name", "value", "expected"),
    REFUSED,
    ids=[f"{learner.__name__}({name}={value!r})" for learner, name, value, _ in REFUSED],
)


def refusal(name, value, expected):
    return pytest.raises(SettingError, match=f"^{name}={re.escape(repr(value))}; give {expected}")


@every_refusal
def test_a_learner_refuses_them_before_and_with_rows(learner, name, value, expected):
    made = learner(**TINY | {name: value})
    with refusal(name, value, expected):
        made.check_settings()
    with refusal(name, value, expected):
        made.fit(X, OBSERVED)


@every_refusal
def test_a_benchmark_refuses_them_when_it_is_planned(learner, name, value, expected):
    with refusal(name, value, expected):
        make(learner.__name__, "scene", {name: value})


@pytest.mark.parametrize(
    ("learner", "name", "value", "expected"),
    NOT_OF_NETWORKS,
    ids=[f"{learner.__name__}({name}={value!r})" for learner, name, value, _ in NOT_OF_NETWORKS],
)
def test_so_do_those_that_train_no_networks(learner, name, value, expected):
    made = learner(**{name: value})
    with refusal(name, value, expected):
        made.check_settings()
    with refusal(name, value, expected):
        made.fit(X, OBSERVED)


def test_the_shell_refuses_them_before_it_reads_rows():
    with refusal("rank", 0, COUNT):
        learner_named("glocal", ["rank=0"], seed=0)


@pytest.mark.parametrize(
    "learner",
    [Blend(effort="fast", verbose="false"), Network(lambda n_labels: None, verbose="false")],
    ids=["Blend", "Network"],
)
def test_other_learners_take_words_for_no_flags_either(learner):
    with refusal("verbose", "false", FLAG):
        learner.fit(X, OBSERVED)


@pytest.mark.parametrize("no", [False, np.False_, 0], ids=repr)
def test_flags_of_any_kind_are_read(no):
    learner = WAN(**TINY, standardise=no, verbose=no).fit(X, OBSERVED)
    assert learner.scale_ is None


def test_what_every_learner_has_by_default_is_accepted():
    for learner in {each for each, *_ in REFUSED + NOT_OF_NETWORKS}:
        learner().check_settings()
