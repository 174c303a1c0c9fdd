"""A data set as a Parquet table: read back, it is the same."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from lamc.datasets import digit_scenes, read
from lamc.exceptions import DatasetError
from lamc.tables.conversion import write_parquet


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_features_and_labels_come_back(tmp_path, form):
    data = digit_scenes(80, random_state=0)
    write_parquet(replace(data, X=form(data.X)), tmp_path / "a.parquet")
    found = read(tmp_path / "a.parquet", label_column="labels")
    np.testing.assert_array_equal(found.X, data.X)
    np.testing.assert_array_equal(found.Y.toarray(), data.Y.toarray())
    assert found.feature_names.tolist() == data.feature_names.tolist()
    assert found.label_names.tolist() == data.label_names.tolist()


def test_what_is_not_in_the_table_is_said(tmp_path):
    data = digit_scenes(50, random_state=0)
    marks = data.Y.toarray()
    marks[:, 4] = False
    notes = write_parquet(
        replace(data, Y=sparse.csr_array(marks), pictures=None), tmp_path / "a.parquet"
    )
    assert notes == (
        "The split is not in the table.",
        "Labels that no row has are (4) not in the table.",
    )


def test_a_feature_named_labels(tmp_path):
    data = digit_scenes(50, random_state=0)
    names = np.array(["labels", *data.feature_names[1:]])
    with pytest.raises(DatasetError, match="npz"):
        write_parquet(replace(data, feature_names=names), tmp_path / "a.parquet")
