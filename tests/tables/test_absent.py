"""svmlight files leave out what is 0; what training knew of is put back."""

import numpy as np
import pytest

from lamc import LAMC
from lamc.exceptions import DatasetError
from lamc.tables.labelled import DataFile, rows_for_model, rows_like, training_rows
from lamc.tables.predictions import chunks_of_dataset
from lamc.tables.truth import LabelColumns
from lamc.training import fit_rows, learner_named


@pytest.fixture
def svm(tmp_path):
    def write(name, *lines):
        path = tmp_path / f"{name}.svm"
        path.write_text("\n".join(lines) + "\n")
        return DataFile(str(path))

    return write


def trained_on(file):
    (rows,) = training_rows(file, calibrated_elsewhere=False)
    learner = learner_named("wan", ["epochs=2", "hidden=4"], seed=0)
    return rows, fit_rows(LAMC(learner, random_state=0), rows).model


def lines(first):
    """Sixty rows of three features, which count from ``first``."""
    return [
        f"{'0,3' if row % 3 else '1,2'} {first}:{row} {first + 1}:{row % 7} {first + 2}:{row % 5}"
        for row in range(60)
    ]


def scores_of(model, file):
    return np.vstack([model.predict_proba(chunk.X) for chunk in chunks_of_dataset(model, file)])


@pytest.mark.parametrize(
    ("short", "whole"),
    [
        (["0 1:4 2:6", "1,2 1:2"], ["0 1:4 2:6 3:0", "1,2 1:2 2:0 3:0"]),
        (["0 2:6", "1,2 2:2"], ["0 1:0 2:6 3:0", "1,2 2:2 3:0"]),
    ],
    ids=["the last", "the first and the last"],
)
def test_features_that_no_row_names_are_zero(svm, short, whole):
    train, model = trained_on(svm("train", *lines(1)))
    file, same = svm("short", *short), svm("whole", *whole)
    np.testing.assert_array_equal(scores_of(model, file), scores_of(model, same))
    rows = rows_for_model(model, file, part="test")
    assert rows.X.shape == (2, 3)
    assert rows_like(train, file, part="calibration").X.shape == (2, 3)


def test_features_beyond_those_of_training_are_not_taken_in(svm):
    _, model = trained_on(svm("train", *lines(1)))
    file, same = svm("more", "0 1:4 3:2 9:1"), svm("whole", "0 1:4 3:2")
    np.testing.assert_array_equal(scores_of(model, file), scores_of(model, same))


def test_other_numbering_is_refused(svm):
    _, model = trained_on(svm("train", *lines(1)))
    with pytest.raises(DatasetError, match=r"zero counts its features from 0.*did from 1"):
        scores_of(model, svm("zero", "0 0:4 2:6"))


def test_from_zero_the_first_line_says_how_many(svm):
    _, model = trained_on(svm("train", *lines(0)))
    with pytest.raises(DatasetError, match=r"trained on 3 features, but short has 2\.\n.*100 2000"):
        scores_of(model, svm("short", "0 0:4 1:6"))
    said, whole = svm("said", "1 3 4", "0 0:4 1:6"), svm("whole", "0 0:4 1:6 2:0")
    np.testing.assert_array_equal(scores_of(model, said), scores_of(model, whole))


def test_a_model_with_other_names_gets_no_zeros(svm, tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("height,seen\n" + "".join(f"{row},{row % 2};2\n" for row in range(40)))
    _, model = trained_on(DataFile(str(path), LabelColumns(listed="seen", separator=";")))
    with pytest.raises(DatasetError, match="has no feature 'height'"):
        scores_of(model, svm("test", "0 1:4"))
