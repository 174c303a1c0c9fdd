"""Two classes, one a row: what scikit-learn's scorers and wrappers expect."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score

from lamc.learners import DM2L, GLOCAL, MLML

X = np.random.default_rng(0).normal(size=(120, 4))
y = np.array(["no", "yes"])[
    (X[:, 0] + 0.5 * np.random.default_rng(1).normal(size=120) > 0).astype(int)
]


@pytest.mark.parametrize(
    "learner", [GLOCAL(), MLML(), DM2L()], ids=lambda each: type(each).__name__
)
class TestTwoClasses:
    def test_the_decision_is_one_number_a_row(self, learner):
        learner.fit(X, y)
        found, scores = learner.decision_function(X), learner.predict_proba(X)
        assert found.shape == (120,)
        np.testing.assert_array_equal(found > 0, scores[:, 1] > scores[:, 0])
        assert roc_auc_score(y, found) > 0.9

    def test_scorers_and_wrappers_work(self, learner):
        assert cross_val_score(learner, X, y, scoring="roc_auc", cv=3).min() > 0.8
        wrapped = CalibratedClassifierCV(learner, cv=2).fit(X, y)
        assert wrapped.predict_proba(X).shape == (120, 2)
        assert wrapped.score(X, y) > 0.8
