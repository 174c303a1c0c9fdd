"""Rows with labels: what was understood is said, and features are those of training."""

import numpy as np
import pytest
from scipy import sparse

from lamc import LAMC
from lamc.datasets import Dataset, digit_scenes, observe, write_npz
from lamc.exceptions import DatasetError, LabelError
from lamc.labels import Knowledge
from lamc.tables.features import Inputs, new_words
from lamc.tables.labelled import DataFile, rows_for_model, rows_like, training_rows
from lamc.tables.truth import LabelColumns
from lamc.training import fit_rows, learner_named

SEEN = LabelColumns(listed="seen")


def quick():
    return LAMC(learner_named("wan", ["epochs=1", "hidden=4"], seed=0), random_state=0)


def test_one_observed_label_a_row(folder, trees):
    (rows,) = training_rows(DataFile(str(folder / "seen.csv"), SEEN), calibrated_elsewhere=False)
    assert rows.labels.knowledge is Knowledge.SINGLE
    assert rows.inputs.names == ("height", "width", "leaf")
    assert rows.inputs.words == {"leaf"}
    np.testing.assert_array_equal(rows.X["height"], trees["height"])
    assert rows.X["leaf"].tolist() == trees["leaf"].tolist()
    assert rows.notes[0].startswith("Read 200 rows of ")
    assert "one observed label each" in rows.notes[0]
    assert rows.notes[1] == "Left out 'id': text with 200 different values."
    assert len(rows.notes) == 2


def test_all_labels_of_a_row(folder):
    marks = DataFile(str(folder / "marks.parquet"), LabelColumns(("ash", "elm", "oak")), ("id",))
    (rows,) = training_rows(marks, calibrated_elsewhere=False)
    assert rows.labels.knowledge is Knowledge.ALL
    assert "all their labels" in rows.notes[0]
    assert rows.inputs.names == ("height", "width", "leaf")


def test_one_mark_in_every_row_is_a_question_only_where_it_matters(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,oak,elm\n1,1,0\n2,0,1\n3,1,0\n")
    file = DataFile(str(path), LabelColumns(("oak", "elm")))
    with pytest.raises(LabelError, match="--knowledge all, or --knowledge single"):
        training_rows(file, calibrated_elsewhere=False)
    (rows,) = training_rows(file, calibrated_elsewhere=True)
    assert rows.labels.knowledge is Knowledge.SINGLE


def test_a_split_and_observed_labels_of_a_file_are_used(tmp_path):
    data = digit_scenes(60, random_state=0)
    seen = observe(data.Y, random_state=0).positives
    write_npz(
        Dataset(data.name, data.X, data.Y, data.feature_names, data.label_names, seen, data.split),
        tmp_path / "scenes.npz",
    )
    file = DataFile(str(tmp_path / "scenes.npz"))
    train, calibration = training_rows(file, calibrated_elsewhere=False)
    np.testing.assert_array_equal(train.X.to_numpy(), data.X[data.split.train])
    assert train.labels.knowledge is Knowledge.SINGLE
    np.testing.assert_array_equal(
        train.labels.positives.toarray(), seen[data.split.train].toarray()
    )
    np.testing.assert_array_equal(calibration.X.to_numpy(), data.X[data.split.calibration])
    assert calibration.labels.knowledge is Knowledge.ALL
    assert "(calibration)" in calibration.notes[0]
    (everything,) = training_rows(
        DataFile(str(tmp_path / "scenes.npz"), part="all"), calibrated_elsewhere=False
    )
    assert len(everything) == 60


def test_features_of_another_file_are_found_by_name(folder, trees):
    (train,) = training_rows(DataFile(str(folder / "seen.csv"), SEEN), calibrated_elsewhere=True)
    for name, where in [
        ("marks.parquet", SEEN),
        ("tags.csv", LabelColumns(listed="tags", separator=";")),
        ("lists.jsonl", LabelColumns(listed="tags")),
    ]:
        rows = rows_like(train, DataFile(str(folder / name), where), part="calibration")
        assert rows.X.columns.tolist() == ["height", "width", "leaf"]
        np.testing.assert_allclose(rows.X["width"], trees["width"], rtol=1e-9)
        np.testing.assert_array_equal(
            rows.labels.positives.toarray(), trees[["ash", "elm", "oak"]].to_numpy()
        )


def test_a_model_meets_the_same_features_in_every_format(folder):
    (train,) = training_rows(DataFile(str(folder / "seen.csv"), SEEN), calibrated_elsewhere=True)
    calibration = rows_like(
        train, DataFile(str(folder / "marks.parquet"), SEEN), part="calibration"
    )
    with pytest.warns(UserWarning, match="the same features"):
        model = fit_rows(quick(), train, calibration).model
    assert Inputs.of(model) == train.inputs
    scores = [
        model.predict_proba(
            rows_for_model(model, DataFile(str(folder / name), where), part="test").X
        )
        for name, where in [
            ("marks.parquet", LabelColumns()),
            ("tags.csv", LabelColumns(listed="tags", separator=";")),
        ]
    ]
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-12)


def test_words_that_training_did_not_meet_are_told(folder, trees):
    (train,) = training_rows(DataFile(str(folder / "seen.csv"), SEEN), calibrated_elsewhere=False)
    with pytest.warns(UserWarning, match="observed labels only"):
        model = fit_rows(quick(), train).model
    assert new_words(model, train.X) == {}
    strange = train.X.assign(leaf=["mauve", *train.X["leaf"][1:]])
    assert new_words(model, strange) == {"leaf": {"mauve"}}
    with pytest.warns(UserWarning, match="unknown categories"):
        model.predict_proba(strange)


def test_missing_features_are_named(folder, tmp_path):
    (train,) = training_rows(DataFile(str(folder / "seen.csv"), SEEN), calibrated_elsewhere=True)
    path = tmp_path / "few.csv"
    path.write_text("height,ash,elm,oak\n1,1,0,1\n")
    with pytest.raises(DatasetError, match="no column 'width', 'leaf', which are needed"):
        rows_like(train, DataFile(str(path)), part="calibration")
    with pytest.raises(DatasetError, match="digit scenes has no feature 'height'"):
        rows_like(train, DataFile("digit scenes"), part="calibration")


def test_sparse_features_stay_sparse(tmp_path):
    rng = np.random.default_rng(0)
    X = sparse.random_array((60, 30), density=0.2, rng=rng, format="csr")
    Y = sparse.csr_array(rng.random((60, 4)) < 0.5)
    names = np.array([f"f{j}" for j in range(30)])
    write_npz(Dataset("a", X, Y, names, np.array(list("abcd"))), tmp_path / "a.npz")
    file = DataFile(str(tmp_path / "a.npz"))
    (train,) = training_rows(file, calibrated_elsewhere=False)
    assert sparse.issparse(train.X)
    assert train.inputs.names is None
    model = fit_rows(quick(), train).model
    assert Inputs.of(model).size == 30
    rows = rows_for_model(model, file, part="test")
    assert sparse.issparse(rows.X)
    assert model.predict_proba(rows.X).shape == (60, 4)
    write_npz(Dataset("b", X[:, :9], Y, names[:9], np.array(list("abcd"))), tmp_path / "b.npz")
    with pytest.raises(DatasetError, match="trained on 30 features, but b has 9"):
        rows_for_model(model, DataFile(str(tmp_path / "b.npz")), part="test")
