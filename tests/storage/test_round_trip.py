"""A model that is loaded, in a new process too, answers as the one that was saved, bit by bit.

Run as a program, this file loads the models of a folder and writes down what they answer.
"""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import fields
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import lamc
from lamc import LAMC, Calibrator
from lamc.exceptions import LAMCWarning
from lamc.rules.evidence import Evidence
from lamc.storage import load, save
from lamc.storage.archive import unzipped, zipped

pytestmark = pytest.mark.filterwarnings("ignore::lamc.exceptions.LAMCWarning")

NAMES = np.array(["ash", "elm", "oak", "yew"])
N, K = 240, len(NAMES)


class Sample:
    """Rows in several forms with their labels, the same in every process."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.Y = (rng.random((N, K)) < [0.5, 0.4, 0.3, 0.05]).astype(int)
        self.Y[np.arange(N), rng.integers(0, 3, N)] = 1
        self.X = rng.normal(size=(N, 6)) + self.Y @ np.eye(K, 6) * 2
        self.first = (self.Y * rng.random((N, K))).argmax(axis=1)  # one of them, at random
        self.scores = np.clip(rng.random((N, K)) * 0.6 + 0.4 * self.Y, 0, 1)
        self.texts = [" ".join(NAMES[row == 1]) + f" tree{i % 9}" for i, row in enumerate(self.Y)]
        self.frame = pd.DataFrame(self.X, columns=list("abcdef")).assign(
            soil=pd.Categorical.from_codes(self.first, NAMES)
        )
        self.sparse_scores = sparse.csr_array(np.where(self.scores > 0.3, self.scores, 0))


TRAIN, CALIBRATION, LATER, NEW = (Sample(seed) for seed in range(4))


def lamc_on(form: str, estimator: Any = None, **settings: Any) -> Callable[[], LAMC]:
    """Fit on rows in one of their forms, with names for labels."""

    def fitted() -> LAMC:
        return LAMC(estimator, random_state=0, **settings).fit(
            getattr(TRAIN, form),
            NAMES[TRAIN.first],
            X_cal=getattr(CALIBRATION, form),
            Y_cal=pd.DataFrame(CALIBRATION.Y, columns=NAMES),
        )

    return fitted


def calibrator(form: str = "scores", single: bool = False, **settings: Any) -> Any:
    """Calibrate on scores in one of their forms; some settings are those of ``fit``."""
    of_fit = {
        name: settings.pop(name)
        for name in ("cardinality", "sample_weight", "reference", "picked_for", "classes", "dtype")
        if name in settings
    }

    def fitted() -> Calibrator:
        scores = getattr(CALIBRATION, form)
        scores = scores.astype(of_fit.pop("dtype", scores.dtype))
        Y = CALIBRATION.first if single else CALIBRATION.Y
        return Calibrator(**settings, random_state=3).fit(scores, Y, **of_fit)

    return fitted


def single_positives() -> LAMC:
    return LAMC(alpha=0.3, random_state=0).fit(TRAIN.X, TRAIN.first)


def frozen() -> LAMC:
    ready = FrozenEstimator(LogisticRegression().fit(TRAIN.X, TRAIN.first))
    return LAMC(ready, alpha=0.2).fit(CALIBRATION.X, CALIBRATION.first)


def float32() -> LAMC:
    model = MLPClassifier(8, max_iter=5, random_state=0)
    return LAMC(model, alpha=[0.1, 0.2, 0.3, 0.4], random_state=0).fit(
        TRAIN.X.astype(np.float32),
        TRAIN.first,
        X_cal=CALIBRATION.X.astype(np.float32),
        Y_cal=CALIBRATION.Y,
    )


def updated() -> Calibrator:
    return (
        Calibrator("three-way").fit(CALIBRATION.scores, CALIBRATION.Y).update(TRAIN.scores, TRAIN.Y)
    )


BOOSTING = HistGradientBoostingClassifier(max_iter=4, max_leaf_nodes=5)
TEXT = make_pipeline(TfidfVectorizer(min_df=2, ngram_range=(1, 2)), SelectKBest(chi2, k=9))
COLUMNS = make_column_transformer((OneHotEncoder(), ["soil"]), remainder=StandardScaler())
LAMCS: dict[str, tuple[str, Callable[[], LAMC]]] = {
    "default": ("X", lamc_on("X")),
    "selective": ("X", lamc_on("X", rule="selective", alpha=0.5, per_label=10)),
    "precision": ("X", lamc_on("X", rule="precision", alpha=0.3, delta=0.2)),
    "three-way": ("X", lamc_on("X", rule="three-way")),
    "set-recall": ("X", lamc_on("X", rule="set-recall", alpha=0.2)),
    "pooled": ("X", lamc_on("X", few_positives="pool", alpha=Fraction(1, 20))),
    "text": ("texts", lamc_on("texts", make_pipeline(TEXT, LogisticRegression()))),
    "frame": ("frame", lamc_on("frame", make_pipeline(COLUMNS, SGDClassifier(loss="log_loss")))),
    "boosting": ("X", lamc_on("X", BOOSTING)),
    "categories": ("frame", lamc_on("frame", BOOSTING)),
    "forest": ("X", lamc_on("X", RandomForestClassifier(5, random_state=0))),
    "outputs": ("X", lamc_on("X", MultiOutputClassifier(LogisticRegression()))),
    "search": ("X", lamc_on("X", GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=3))),
    "no probabilities": ("X", lamc_on("X", SVC(decision_function_shape="ovr"))),
    "single positives": ("X", single_positives),
    "frozen": ("X", frozen),
    "float32": ("X", float32),
}
CALIBRATORS: dict[str, tuple[str, Callable[[], Calibrator]]] = {
    "recall": ("scores", calibrator(alpha=0.1)),
    "sure recall": ("scores", calibrator(alpha=0.2, delta=0.1)),
    "named": ("scores", calibrator(classes=NAMES)),
    "few": ("scores", calibrator(per_label=7, alpha=0.2, keep_negatives=True)),
    "of float32": ("scores", calibrator(dtype=np.float32, rule="three-way")),
    "of sparse": ("sparse_scores", calibrator("sparse_scores", rule="precision", alpha=0.3)),
    "on sparse": ("sparse_scores", calibrator("sparse_scores", keep_negatives=True)),
    "single": ("scores", calibrator(single=True, rule="selective", alpha=0.5)),
    "bounded": ("scores", calibrator(single=True, alpha=0.3, cardinality=3)),
    "counted": ("scores", calibrator(single=True, cardinality=CALIBRATION.Y.sum(axis=1))),
    "weighted": ("scores", calibrator(sample_weight=np.linspace(0.5, 2, N))),
    "picked": ("scores", calibrator(picked_for=CALIBRATION.first)),
    "referenced": ("scores", calibrator(rule="set-recall", reference=TRAIN.scores)),
    "levels": ("scores", calibrator(alpha=np.array([0.1, 0.2, 0.3, 0.4], dtype=np.float32))),
    "updated": ("scores", updated),
}


def later_arguments(cal: Calibrator) -> tuple[Any, dict[str, Any]]:
    """More rows, given to ``update`` as those before were given to ``fit``."""
    Y = LATER.Y if cal.knowledge_ == "all" else LATER.first
    if cal.most_labels_ is not None:
        return Y, {"cardinality": cal.most_labels_}
    return Y, {} if cal.evidence_.weights is None else {"sample_weight": np.linspace(2, 9, N)}


def calibrator_answers(cal: Calibrator, form: str) -> dict[str, Any]:
    new, later = getattr(NEW, form), getattr(LATER, form)
    answers = {
        "accept": cal.accept(new),
        "decide": cal.decide(new),
        "p_values": cal.p_values(new),
        "thresholds_at": cal.thresholds_at(0.25),
        "status": cal.status_,
        "reason": cal.reason_,
        "promises": cal.summary().to_json(),
    }
    if cal.evidence_.negatives is not None and form == "scores":
        answers["select"] = cal.select(new, fdr=0.3)
    Y, arguments = later_arguments(cal)
    cal.update(later, Y, **arguments)
    return answers | {"updated": cal.thresholds_, "then": cal.p_values(new)}


def lamc_answers(model: LAMC, form: str) -> dict[str, Any]:
    rows = getattr(NEW, form)
    answers = {
        "predict_proba": model.predict_proba(rows),
        "one row": model.predict_proba(rows[:1]),
        "predict": model.predict(rows),
        "decide": model.decide(rows),
        "predict_p": model.predict_p(rows),
        "classes": model.classes_,
    }
    answers |= calibrator_answers(model.calibrator_, "scores")
    model.calibrate(getattr(LATER, form), pd.DataFrame(LATER.Y, columns=model.classes_))
    return answers | {"calibrated again": model.thresholds_}


def all_answers(models: dict[str, Any]) -> dict[str, bytes]:
    """Everything that models say, as bytes."""
    said = {}
    for name, model in models.items():
        if isinstance(model, LAMC):
            answers = lamc_answers(model, LAMCS[name][0])
        else:
            answers = calibrator_answers(model, CALIBRATORS[name][0])
        for question, answer in answers.items():
            dense = answer.toarray() if sparse.issparse(answer) else np.asarray(answer)
            said[f"{name}: {question}"] = f"{dense.dtype} {dense.shape} ".encode() + dense.tobytes()
    return said


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: make() for name, (_, make) in (LAMCS | CALIBRATORS).items()}


@pytest.fixture(scope="module")
def folder(models, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for name, model in models.items():
        save(model, folder / name)
    return folder


def assert_same_state(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if isinstance(one, (Calibrator, LAMC)):
        assert vars(one).keys() == vars(other).keys()
        for name, value in vars(one).items():
            if not name.startswith("estimator"):
                assert_same_state(value, getattr(other, name))
    elif hasattr(one, "__dataclass_fields__"):
        for field in fields(one):
            assert_same_state(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, strict=True)
    else:
        assert one == other


@pytest.mark.parametrize("name", [*LAMCS, *CALIBRATORS])
def test_everything_a_model_knows_is_kept(models, folder, name):
    loaded = load(folder / name)
    assert_same_state(loaded, models[name])
    assert loaded.get_params(deep=False).keys() == models[name].get_params(deep=False).keys()


@pytest.mark.parametrize("name", [*LAMCS, *CALIBRATORS])
def test_the_same_model_gives_the_same_bytes(models, folder, tmp_path, name):
    save(models[name], tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("name", ["default", *CALIBRATORS])
def test_a_copy_of_a_copy_is_the_same(folder, tmp_path, name):
    save(load(folder / name), tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == (folder / name).read_bytes()


def test_a_new_process_gets_the_same_answers(models, folder):
    program = [sys.executable, __file__, str(folder)]
    package = str(Path(lamc.__file__).parents[1])
    subprocess.run(program, check=True, env={**os.environ, "PYTHONPATH": package}, timeout=300)
    with np.load(folder / "answers.npz") as file:
        found = {question: bytes(file[question]) for question in file.files}
    expected = all_answers(deepcopy(models))
    assert found.keys() == expected.keys()
    assert [question for question in expected if found[question] != expected[question]] == []


def test_the_scores_of_a_function_are_those_of_the_function_given_again(tmp_path):
    def score(X: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-X[:, :K]))

    model = LAMC(score, alpha=0.2).fit(CALIBRATION.X, CALIBRATION.first)
    model.save(tmp_path / "f.lamc")
    loaded = load(tmp_path / "f.lamc", estimator=score)
    assert loaded.estimator_ is score
    assert lamc_answers(loaded, "X")["predict"].tobytes() == model.predict(NEW.X).tobytes()


def test_a_loaded_model_can_be_cloned_and_fitted_again(folder):
    again = clone(load(folder / "forest")).fit(TRAIN.X, TRAIN.first)
    assert again.estimator_.n_estimators == 5


def test_a_loaded_model_still_knows_the_rows_it_was_trained_on(folder):
    with pytest.warns(LAMCWarning, match="same features"):
        load(folder / "default").calibrate(TRAIN.X, pd.DataFrame(TRAIN.Y, columns=NAMES))


def test_thresholds_that_were_fitted_are_kept_when_parameters_are_changed_later(tmp_path):
    cal = CALIBRATORS["recall"][1]().set_params(alpha=0.4)
    save(cal, tmp_path / "a")
    np.testing.assert_array_equal(load(tmp_path / "a").thresholds_, cal.thresholds_)
    assert load(tmp_path / "a").alpha == 0.4


@pytest.mark.parametrize(
    "parameters", [{"random_state": 3_000_000_000}, {"alpha": np.float32(0.01)}]
)
def test_large_seeds_and_short_levels_are_kept(tmp_path, parameters):
    """A level of float32 is the fraction it stands for, which float64 would not see in it."""
    scores = np.linspace(0.001, 0.099, 99)[:, None]
    cal = Calibrator(**parameters).fit(scores, np.ones((99, 1)))
    cal.save(tmp_path / "a")
    loaded = load(tmp_path / "a")
    assert_same_state(loaded, cal)
    level = parameters.get("alpha", 0.1)
    np.testing.assert_array_equal(loaded.thresholds_at(level), cal.thresholds_at(level))
    np.testing.assert_array_equal(loaded.thresholds_at(loaded.alpha), cal.thresholds_)


OAK_AND_ELM = {"oak": 0.1, "elm": 0.4}


def scores_of_two(*order: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores and labels of two trees, in any order of them."""
    places = [[*NAMES].index(name) for name in order]
    return (
        pd.DataFrame(CALIBRATION.scores[:, places], columns=order),
        pd.DataFrame(CALIBRATION.Y[:, places], columns=order),
    )


@pytest.mark.parametrize("form", [dict, pd.Series])
def test_levels_by_name_stay_with_their_names(tmp_path, form):
    scores, Y = scores_of_two("elm", "oak")
    cal = Calibrator(alpha=form(OAK_AND_ELM)).fit(scores, Y)
    cal.save(tmp_path / "a")
    loaded = load(tmp_path / "a")
    assert loaded.alpha == OAK_AND_ELM
    np.testing.assert_array_equal(loaded.thresholds_, cal.thresholds_)
    again, anew = loaded.fit(*scores_of_two("oak", "elm")), cal.fit(*scores_of_two("oak", "elm"))
    np.testing.assert_array_equal(again.thresholds_, anew.thresholds_)
    loaded.save(tmp_path / "b")
    assert load(tmp_path / "b").alpha == OAK_AND_ELM


def test_levels_by_name_of_a_classifier_stay_with_their_names(tmp_path):
    rows = np.isin(TRAIN.first, [1, 2])
    _, Y = scores_of_two("elm", "oak")
    model = LAMC(LogisticRegression(), alpha=OAK_AND_ELM).fit(
        TRAIN.X[rows], NAMES[TRAIN.first[rows]], X_cal=CALIBRATION.X, Y_cal=Y
    )
    model.save(tmp_path / "a")
    loaded = load(tmp_path / "a")
    assert loaded.alpha == loaded.calibrator_.alpha == OAK_AND_ELM
    np.testing.assert_array_equal(loaded.decide(NEW.X), model.decide(NEW.X))


def test_levels_of_labels_that_are_numbers_stay_with_them(tmp_path):
    levels = {2: 0.1, 0: 0.2, 3: 0.3, 1: 0.4}
    cal = Calibrator(alpha=levels).fit(CALIBRATION.scores, CALIBRATION.Y)
    cal.save(tmp_path / "a")
    assert load(tmp_path / "a").alpha == levels


def test_levels_without_names_stay_in_their_order(tmp_path):
    levels = pd.Series([0.4, 0.1])
    Calibrator(alpha=levels).fit(*scores_of_two("elm", "oak")).save(tmp_path / "a")
    assert load(tmp_path / "a").alpha == levels.tolist()


def test_a_file_that_does_not_tell_whose_levels_they_are_gives_them_in_order(tmp_path):
    cal = Calibrator(alpha=OAK_AND_ELM).fit(*scores_of_two("elm", "oak"))
    cal.save(tmp_path / "a")
    parts = unzipped(BytesIO((tmp_path / "a").read_bytes()))
    manifest = json.loads(parts["manifest.json"])
    assert manifest["model"].pop("levels_by_name") is True
    (tmp_path / "a").write_bytes(zipped(parts | {"manifest.json": json.dumps(manifest).encode()}))
    loaded = load(tmp_path / "a")
    assert loaded.alpha == [0.4, 0.1]
    np.testing.assert_array_equal(loaded.thresholds_, cal.thresholds_)


def test_a_calibrator_saves_itself(tmp_path):
    cal = CALIBRATORS["recall"][1]()
    cal.save(tmp_path / "a.lamc")
    assert_same_state(lamc.load(tmp_path / "a.lamc"), cal)


@given(
    scores=st.lists(st.floats(0, 1, width=32), min_size=6, max_size=60),
    names=st.lists(
        st.text(min_size=1).filter(lambda name: name.strip() and not name.endswith("\0")),
        min_size=2,
        max_size=2,
        unique=True,
    ),
    alpha=st.floats(0.01, 0.99),
    rule=st.sampled_from(["recall", "selective", "three-way"]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_any_calibrator_survives(tmp_path_factory, scores, names, alpha, rule, dtype):
    matrix = np.resize(np.array(scores, dtype=dtype), (len(scores) // 2, 2))
    names = np.array(names)
    Y = np.array([[1, 1], [1, 0], [0, 1]])[np.arange(len(matrix)) % 3]
    cal = Calibrator(rule, alpha=alpha).fit(matrix, Y, classes=names)
    path = tmp_path_factory.mktemp("any") / "a.lamc"
    save(cal, path)
    assert_same_state(load(path), cal)


def test_evidence_has_no_field_that_is_not_covered_here(models):
    unused = {field.name for field in fields(Evidence)}
    for model in models.values():
        evidence = getattr(model, "calibrator_", model).evidence_
        unused -= {name for name in unused if np.any(getattr(evidence, name))}
    assert unused == set()


if __name__ == "__main__":
    warnings.simplefilter("ignore", LAMCWarning)
    saved = Path(sys.argv[1])
    answers = all_answers({name: load(saved / name) for name in [*LAMCS, *CALIBRATORS]})
    packed = {question: np.frombuffer(said, dtype=np.uint8) for question, said in answers.items()}
    np.savez(saved / "answers.npz", **packed)
