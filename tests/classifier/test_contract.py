"""LAMC keeps scikit-learn's contract."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from lamc import LAMC, datasets
from lamc.exceptions import LAMCWarning

from .woods import LINEAR, NAMES, X_CAL, X_NEW, Y_CAL, Y_NEW, X, fitted, y

A_COLUMN_A_LABEL = "predict gives a column for each label, not one class a row"
EXPECTED_FAILURES = {
    "check_classifiers_train": A_COLUMN_A_LABEL,
    "check_estimator_sparse_array": A_COLUMN_A_LABEL,
    "check_estimator_sparse_matrix": A_COLUMN_A_LABEL,
    "check_supervised_y_2d": "a column of y is the 0/1 column of one label, not a class a row",
}


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
@parametrize_with_checks(
    [LAMC(LINEAR, random_state=0), LAMC(LINEAR, rule="selective", alpha=0.5, random_state=0)],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_clone_and_parameters():
    clf = LAMC(LogisticRegression(C=2), rule="three-way", alpha=0.2)
    copy = clone(clf)
    assert copy.get_params()["estimator__C"] == 2
    assert copy.set_params(estimator__C=3, alpha=0.3).alpha == 0.3
    assert clf.estimator.C == 2


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
def test_cross_validation_and_grid_search():
    scores = cross_val_score(LAMC(LINEAR, random_state=0), X, y, cv=3)
    assert scores.min() > 0.6
    grid = GridSearchCV(
        LAMC(LogisticRegression(), random_state=0),
        {"estimator__C": [1e-4, 1.0], "alpha": [0.1, 0.3]},
        cv=3,
    ).fit(X, y)
    assert grid.best_params_["estimator__C"] == 1.0
    assert grid.predict(X_NEW).shape == (400, 4)


def test_the_score_is_the_average_precision_or_the_reciprocal_rank_of_the_observed_label():
    clf = fitted()
    scores = clf.predict_proba(X_NEW)
    from lamc.metrics import average_precision

    assert clf.score(X_NEW, Y_NEW) == average_precision(Y_NEW, scores)
    observed = datasets.observe(Y_NEW, random_state=0).index()
    rank = (scores >= scores[np.arange(400), observed][:, None]).sum(axis=1)
    assert clf.score(X_NEW, observed) == pytest.approx((1 / rank).mean())


@pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")
def test_it_stands_in_a_pipeline_behind_a_transformer():
    pipeline = make_pipeline(StandardScaler(), LAMC(LINEAR, random_state=0)).fit(X, y)
    assert pipeline.predict(X_NEW).shape == (400, 4)


def test_the_calibration_set_is_routed_through_a_pipeline():
    with sklearn.config_context(enable_metadata_routing=True):
        clf = LAMC(LINEAR, random_state=0).set_fit_request(X_cal=True, Y_cal=True)
        pipeline = make_pipeline(StandardScaler(), clf, transform_input=["X_cal"])
        pipeline.fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL)
    scaler = StandardScaler().fit(X)
    direct = LAMC(LINEAR, random_state=0).fit(
        scaler.transform(X), y, X_cal=scaler.transform(X_CAL), Y_cal=Y_CAL
    )
    np.testing.assert_array_equal(pipeline[-1].thresholds_, direct.thresholds_)


def test_arguments_of_the_estimator_are_routed_to_it():
    weights = np.where(y == 0, 1e-3, 1.0)
    plain = fitted()
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression(max_iter=1000).set_fit_request(sample_weight=True)
        clf = LAMC(inner).fit(X, y, X_cal=X_CAL, Y_cal=Y_CAL, sample_weight=weights)
    assert clf.predict_proba(X_NEW)[:, 0].mean() < 0.5 * plain.predict_proba(X_NEW)[:, 0].mean()


def test_labels_that_a_fold_never_met_rank_last_and_draw_a_warning():
    rare = NAMES[y].astype("U4")
    rare[:3] = ["yew", "may", "box"]
    with pytest.warns(LAMCWarning) as told:
        scores = cross_val_score(LAMC(LINEAR, random_state=0), X, rare, cv=3)
    assert scores.min() > 0.6
    assert any("labels that training never met: " in str(each.message) for each in told)
