"""The paper's numbers."""

import numpy as np

from lamc.benchmark.metric_names import metric_named
from lamc.benchmark.paper import METHODS, METRICS, published
from lamc.benchmark.ranks import best
from lamc.datasets import catalogue


def paper_means(metric):
    cells = published(metric)
    return np.array([[cells[dataset, m].mean for m in METHODS] for dataset in catalogue])


def test_every_table_has_all_methods_on_the_twelve_data_sets():
    for metric in METRICS:
        assert set(published(metric)) == {(d, m) for d in catalogue for m in METHODS}


def test_the_best_are_those_that_the_paper_prints_in_bold():
    """All of LAMC in the first two tables; in the third five, and WAN 2, SMILE 4, AN 1."""
    won = {
        metric: best(paper_means(metric), metric_named(metric).better).sum(axis=0)
        for metric in METRICS
    }
    assert dict(zip(METHODS, won["average_precision"], strict=True))["LAMC"] == 12
    assert dict(zip(METHODS, won["coverage_error"], strict=True))["LAMC"] == 12
    ranking = dict(zip(METHODS, won["ranking_loss"].tolist(), strict=True))
    assert {m: n for m, n in ranking.items() if n} == {"LAMC": 5, "SMILE": 4, "AN": 1, "WAN": 2}


def test_all_are_shares_with_small_spreads():
    for metric in METRICS:
        for cell in published(metric).values():
            assert 0 < cell.mean < 1
            assert 0 < cell.std < 0.15
