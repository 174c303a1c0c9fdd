"""Each of the fifteen network learners passes scikit-learn's own checks of a classifier."""

from sklearn.utils.estimator_checks import parametrize_with_checks

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

QUICK = {"epochs": 6, "hidden": 8, "learning_rate": 3e-2, "random_state": 0, "n_threads": 1}
LEARNERS = [
    *(kind(**QUICK) for kind in (AN, ANLS, WAN, EM, APL, Hill, SPLC, LargeLoss, GR, Softmax)),
    EPR(**QUICK),
    ROLE(**QUICK, expected_count=1),
    CRISP(**QUICK),
    MIME(**QUICK, code_size=8),
    SMILE(**QUICK, p=0.1),
]

COLUMN = "a column of y is the 0/1 column of one label, not a class a row"
SUMS = "scores of different labels need not add up to 1"


def exceptions(learner):
    """Checks that a learner cannot pass, and why."""
    found = {"check_supervised_y_2d": COLUMN}
    if not isinstance(learner, Softmax):
        found["check_classifiers_train"] = SUMS
    return found


@parametrize_with_checks(LEARNERS, expected_failed_checks=exceptions)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
