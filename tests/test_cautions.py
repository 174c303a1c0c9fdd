"""What is said of rows that a model knows already."""

import numpy as np
import pytest

from lamc.cautions import known_rows_in_words

NOBODY = np.array([], dtype=np.uint64)


@pytest.mark.parametrize(("shared", "told"), [(0, 0), (1, 1), (100, 1)])
def test_one_row_that_was_trained_on_is_told(shared, told):
    found = known_rows_in_words(np.arange(100), np.arange(shared), NOBODY)
    assert len(found) == told
    for each in found:
        assert each.startswith(f"{shared} of 100 rows have the same features")
        assert each.endswith("measure on rows that were not trained on.")


@pytest.mark.parametrize(("shared", "told"), [(5, 0), (6, 1)])
def test_a_few_that_were_calibrated_on_are_harmless(shared, told):
    found = known_rows_in_words(np.arange(100), NOBODY, np.arange(shared))
    assert len(found) == told
    assert all("that were not calibrated on" in each for each in found)
