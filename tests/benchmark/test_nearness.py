"""Readings of the paper, beside its numbers."""

import numpy as np
import pandas as pd
import pytest

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.nearness import nearness, nearness_text
from lamc.benchmark.paper import METRICS, published

from .results import joined, measured


def reading(name, shift, datasets=("yeast", "scene"), **more):
    """Values that lie ``shift`` from the paper's, two runs on either side."""
    return joined(
        *(
            measured(
                {
                    (dataset, "LAMC"): [
                        published(metric)[dataset, "LAMC"].mean + shift + side
                        for side in (-0.001, 0.001)
                    ]
                    for dataset in datasets
                },
                metric=metric,
                profile="paper",
                view=f"reading: {name}",
                **more,
            )
            for metric in METRICS
        )
    )


def test_the_nearest_comes_first_with_its_distance():
    found = nearness(joined(reading("far", 0.3), reading("near", -0.0001)))
    assert [each.reading for each in found] == ["near", "far"]
    for metric in METRICS:
        assert found[0].apart[metric] == pytest.approx(0.0001)
        assert found[1].apart[metric] == pytest.approx(0.3)
    assert (found[0].met, found[1].met, found[0].cells) == (6, 0, 6)


def test_a_reading_without_a_number_in_some_cell_is_behind_the_others():
    lacks = reading("lacks", 0.0)
    lacks.loc[(lacks["dataset"] == "scene") & (lacks["metric"] == METRICS[0]), "value"] = np.nan
    none = reading("none", 0.0).assign(value=np.nan)
    found = nearness(joined(reading("far", 0.3), none, lacks, reading("near", 0.01)))
    assert [each.reading for each in found] == ["near", "far", "none", "lacks"]
    assert found[3].apart[METRICS[0]] == pytest.approx(0.0)
    assert [each.cells for each in found] == [6, 6, 0, 5]
    assert "| none | – | – | – | 0 of 0 |" in nearness_text(found)


def test_other_data_other_methods_and_other_views_are_no_readings():
    odd = reading("near", 0.0, datasets=("tmc2007",), exact=False)
    other = measured({("yeast", "LAMC"): [0.5]}, profile="paper", view="full")
    (found,) = nearness(joined(reading("near", 0.1), odd, other))
    assert found.cells == 6
    assert found.apart["average_precision"] == pytest.approx(0.1)


def test_rows_left_out_are_told():
    left = measured(
        {("yeast", "LAMC"): [0.2, 0.4]}, metric="left_out", profile="paper", view="reading: near"
    )
    (found,) = nearness(joined(reading("near", 0.0, datasets=("yeast",)), left))
    assert found.left_out == pytest.approx(0.3)
    assert nearness_text([found]).splitlines()[-1].endswith("| 3 of 3 | 30 % |")


def test_without_readings_it_says_how_to_get_them():
    rows = measured({("yeast", "LAMC"): [np.nan]}, profile="paper")
    with pytest.raises(BenchmarkError, match="lamc bench run --profile paper --methods LAMC"):
        nearness(pd.DataFrame(rows))
