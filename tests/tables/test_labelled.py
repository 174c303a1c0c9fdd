"""Rows with labels: what was understood is said, and features are those of training."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from lamc import LAMC, load
from lamc.datasets import Dataset, digit_scenes, observe, write_npz
from lamc.exceptions import DatasetError, LabelError, PartError
from lamc.labels import Knowledge
from lamc.tables.features import Inputs
from lamc.tables.gaps import Gaps
from lamc.tables.labelled import (
    DataFile,
    read_dataset,
    rows_for_model,
    rows_like,
    training_rows,
)
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
    assert rows.notes[2].startswith("Read as words, each a 0/1 feature: 'leaf'.")
    assert len(rows.notes) == 3


def test_a_column_that_is_named_as_words_of_another_are_is_still_of_numbers(tmp_path):
    path = tmp_path / "a.csv"
    cells = "".join(f"{'b=c' if row % 2 else 'd'},{row}.5,oak\n" for row in range(20))
    path.write_text(f"size,size=b,seen\n{cells}")
    (rows,) = training_rows(DataFile(str(path), SEEN), calibrated_elsewhere=False)
    assert rows.inputs.words == {"size"}
    assert rows.X["size=b"].tolist() == [row + 0.5 for row in range(20)]


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
    gaps = Gaps()
    gaps.count(model, train.X)
    assert gaps.new_words == {}
    strange = train.X.assign(leaf=["mauve", *train.X["leaf"][1:]])
    gaps.count(model, strange)
    assert gaps.new_words == {"leaf": {"mauve"}}
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


def test_svmlight_rows_name_the_labels_that_they_have(tmp_path):
    lines = [f"{'0,3' if row % 3 else '1,2'} 1:{row} 2:{row % 7}\n" for row in range(60)]
    (tmp_path / "train.svm").write_text("".join(lines))
    (tmp_path / "test.svm").write_text("2,0 1:1 2:2\n0 1:2 2:1\n")
    (train,) = training_rows(DataFile(str(tmp_path / "train.svm")), calibrated_elsewhere=False)
    model = fit_rows(quick(), train).model
    file = DataFile(str(tmp_path / "test.svm"))
    rows = rows_for_model(model, file, part="test")
    assert rows.labels.knowledge is Knowledge.ALL
    np.testing.assert_array_equal(rows.labels.positives.toarray(), [[1, 0, 1, 0], [1, 0, 0, 0]])
    rows = rows_like(train, file, part="calibration")
    assert sorted(rows.labels.classes.tolist()) == ["0", "1", "2", "3"]
    (tmp_path / "test.svm").write_text("7,0 1:1 2:2\n0 1:2 2:1\n")
    with pytest.raises(LabelError, match=r"'7'.* not among the 4 "):
        rows_for_model(model, file, part="test")


def test_a_format_that_the_name_does_not_tell(folder, tmp_path):
    text = (folder / "seen.csv").read_text()
    (tmp_path / "seen.txt").write_text(text)
    file = DataFile(str(tmp_path / "seen.txt"), SEEN, format="csv")
    (rows,) = training_rows(file, calibrated_elsewhere=False)
    assert rows.inputs.names == ("height", "width", "leaf")
    (tmp_path / "a.txt").write_text("0 1:1\n0,1 1:2\n")
    (rows,) = training_rows(
        DataFile(str(tmp_path / "a.txt"), format="svmlight"), calibrated_elsewhere=False
    )
    assert rows.labels.shape == (2, 2)


def test_a_part_of_a_data_set_without_a_split(folder, tmp_path):
    file = DataFile(str(folder / "seen.csv"), SEEN, part="train")
    with pytest.raises(PartError, match="seen carries no split, so it has no part 'train'"):
        training_rows(file, calibrated_elsewhere=False)
    (train,) = training_rows(replace(file, part="all"), calibrated_elsewhere=False)
    assert len(train) == 200
    with pytest.raises(PartError, match="no part 'train'"):
        rows_like(train, file, part="calibration")


def test_sparse_features_stay_sparse(tmp_path):
    rng = np.random.default_rng(0)
    X = sparse.random_array((60, 30), density=0.2, rng=rng, format="csr")
    Y = sparse.csr_array(rng.random((60, 4)) < 0.5)
    names = np.array([f"f{j}" for j in range(30)])
    write_npz(Dataset("a", X, Y, names, np.array(list("abcd"))), tmp_path / "a.npz")
    file = DataFile(str(tmp_path / "a.npz"))
    (train,) = training_rows(file, calibrated_elsewhere=False)
    assert sparse.issparse(train.X)
    assert train.inputs.names == tuple(names)
    model = fit_rows(quick(), train).model
    assert Inputs.of(model) == train.inputs
    rows = rows_for_model(model, file, part="test")
    assert sparse.issparse(rows.X)
    assert model.predict_proba(rows.X).shape == (60, 4)
    write_npz(Dataset("b", X[:, :9], Y, names[:9], np.array(list("abcd"))), tmp_path / "b.npz")
    with pytest.raises(DatasetError, match=r"b has no feature 'f9', 'f10'.* and 13 more, which"):
        rows_for_model(model, DataFile(str(tmp_path / "b.npz")), part="test")


def test_sparse_features_go_by_their_names(tmp_path):
    rng = np.random.default_rng(0)
    X = sparse.random_array((60, 5), density=0.5, rng=rng, format="csr")
    Y, labels = sparse.csr_array(rng.random((60, 2)) < 0.5), np.array(["a", "b"])
    names = np.array(["red", "green", "blue", "grey", "brown"])
    write_npz(Dataset("train", X, Y, names, labels), tmp_path / "train.npz")
    (train,) = training_rows(DataFile(str(tmp_path / "train.npz")), calibrated_elsewhere=False)
    fit_rows(quick(), train).model.save(tmp_path / "a.lamc")
    model = load(tmp_path / "a.lamc")
    assert model.feature_names_in_.tolist() == names.tolist()
    other = np.array([3, 0, 4, 1, 2])
    for name, order, called in [
        ("turned", other, names[other]),  # the same features in another order
        ("more", [*other, 0], [*names[other], "white"]),  # and one that is not needed
        ("unnamed", range(5), [f"x{j}" for j in range(5)]),  # as of svmlight and MATLAB
    ]:
        data = Dataset(name, X[:, list(order)], Y, np.array(called), labels)
        write_npz(data, tmp_path / f"{name}.npz")
        rows = rows_for_model(model, DataFile(str(tmp_path / f"{name}.npz")), part="test")
        assert sparse.issparse(rows.X)
        np.testing.assert_array_equal(rows.X.toarray(), X.toarray())
    table = pd.DataFrame(X[:, other].toarray(), columns=names[other])
    table[labels] = Y.toarray()
    table.to_csv(tmp_path / "a.csv", index=False)
    rows = rows_for_model(model, DataFile(str(tmp_path / "a.csv")), part="test")
    np.testing.assert_array_equal(rows.X, X.toarray())
    np.testing.assert_allclose(model.predict_proba(rows.X), model.predict_proba(X), atol=1e-6)


def test_a_label_that_training_never_met_is_refused_unless_it_is_named(folder, tmp_path):
    path = tmp_path / "tags.csv"
    path.write_text((folder / "tags.csv").read_text().replace("oak", "Oak", 20))
    for names, refused in [((), True), (("Oak", "ash", "elm", "oak"), False)]:
        file = DataFile(str(folder / "seen.csv"), LabelColumns(names, "seen"))
        (train,) = training_rows(file, calibrated_elsewhere=True)
        checked = DataFile(str(path), LabelColumns(names, "tags", ";"))
        if refused:
            message = r"(?s)'Oak' is not among the 3 .*'oak'\?\nCorrect it; or.*--labels"
            with pytest.raises(DatasetError, match=message):
                rows_like(train, checked, part="calibration")
        else:
            rows = rows_like(train, checked, part="calibration")
            assert rows.labels.positives.sum(axis=0)[0] == 20


def test_words_that_are_whole_numbers_are_words_in_every_format(tmp_path):
    rows = pd.DataFrame({"soil": [7, 12, 30] * 10, "x": np.arange(30.0), "seen": ["a", "b"] * 15})
    rows.to_csv(tmp_path / "a.csv", index=False)
    rows.to_parquet(tmp_path / "a.parquet", index=False)
    file = DataFile(str(tmp_path / "a.csv"), SEEN, words=("soil",))
    (train,) = training_rows(file, calibrated_elsewhere=True)
    assert train.inputs.words == {"soil"}
    other = rows_like(train, DataFile(str(tmp_path / "a.parquet"), SEEN), part="calibration")
    assert other.X["soil"].tolist() == train.X["soil"].tolist() == ["7", "12", "30"] * 10


def test_na_is_a_word_only_where_words_are_said(tmp_path):
    cells = {"soil": ["clay", "NA", "peat"] * 10, "land": ["DE", "NA", "FR"] * 10}
    rows = pd.DataFrame({"x": np.arange(30), **cells, "seen": ["a", "b"] * 15})
    rows.to_csv(tmp_path / "a.csv", index=False)
    file = DataFile(str(tmp_path / "a.csv"), SEEN, words=("land",))
    (train,) = training_rows(file, calibrated_elsewhere=True)
    assert train.X["land"].tolist() == cells["land"]
    assert train.X["soil"].isna().tolist() == [False, True, False] * 10
    with pytest.warns(UserWarning, match="observed labels only"):
        model = fit_rows(quick(), train).model
    again = rows_for_model(model, replace(file, words=()), part="test")
    pd.testing.assert_frame_equal(again.X, train.X)


def test_a_decimal_comma_gives_the_same_rows(tmp_path):
    rows = pd.DataFrame({"x": np.arange(30) / 4, "seen": ["a", "b"] * 15})
    rows.to_csv(tmp_path / "a.csv", index=False)
    rows.to_csv(tmp_path / "b.csv", index=False, sep=";", decimal=",")
    comma = DataFile(str(tmp_path / "b.csv"), SEEN, delimiter=";", decimal=",")
    one, other = (
        training_rows(file, calibrated_elsewhere=True)[0]
        for file in (DataFile(str(tmp_path / "a.csv"), SEEN), comma)
    )
    np.testing.assert_array_equal(one.X, other.X)
    with pytest.raises(DatasetError, match=r"(?s)row 2 .* holds '0,0'.*\nSay --decimal ','"):
        rows_like(one, replace(comma, decimal=None), part="calibration")


def test_a_folder_may_bear_the_name_of_a_data_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digit scenes").mkdir()
    assert read_dataset(DataFile("digit scenes")).name == "digit scenes"
    with pytest.raises(DatasetError, match="There is no data set"):
        read_dataset(DataFile(str(tmp_path)))


@pytest.mark.filterwarnings("ignore:Calibrated on observed labels only")
def test_no_and_yes_are_numbers_only_where_training_met_0_and_1(tmp_path):
    rows = [f"{n}.5,{'no' if n % 2 else 'yes'},{'oak' if n % 2 else 'elm'}" for n in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["height,ripe,tag", *rows]))
    file = DataFile(str(tmp_path / "a.csv"), LabelColumns((), "tag"))
    (train,) = training_rows(file, calibrated_elsewhere=True)
    assert train.inputs.truths == {"ripe"}
    learner = learner_named("wan", ["epochs=1", "hidden=4"], seed=0)
    model = fit_rows(LAMC(learner, alpha=0.5, random_state=0), train).model
    assert Inputs.of(model) == train.inputs
    model.save(tmp_path / "a.lamc")
    again = load(tmp_path / "a.lamc")
    np.testing.assert_array_equal(again.predict_proba(train.X), model.predict_proba(train.X))
    (tmp_path / "b.csv").write_text("height,ripe,tag\n3.5,no,oak\n")
    assert (
        rows_for_model(again, replace(file, name=str(tmp_path / "b.csv")), part="test").X.ripe[0]
        == 0
    )
    (tmp_path / "b.csv").write_text("height,ripe,tag\nno,no,oak\n")
    with pytest.raises(DatasetError, match="'height' holds 'no', and a number is needed"):
        rows_for_model(again, replace(file, name=str(tmp_path / "b.csv")), part="test")


def test_an_infinite_feature_is_named_with_its_row(tmp_path):
    data = digit_scenes(20, random_state=0)
    X = np.array(data.X)
    X[3, 7] = np.inf
    for form in (X, sparse.csr_array(X)):
        write_npz(replace(data, X=form), tmp_path / "a.npz")
        with pytest.raises(DatasetError, match=r"row 3, .*'pixel_0_7' is inf"):
            training_rows(DataFile(str(tmp_path / "a.npz"), part="all"), calibrated_elsewhere=True)
        (tmp_path / "a.npz").unlink()
