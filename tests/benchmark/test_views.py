"""Views: at which levels promises are looked at, and which views tables are made of."""

from lamc.benchmark.views import PAPER_VIEW, PROMISES, SIZES, VIEWS, View

LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


def test_promises_are_looked_at_from_strict_to_loose_for_both_rules_that_promise():
    assert set(PROMISES) == {
        *(View("recall", alpha) for alpha in LEVELS),
        *(View("precision", alpha, delta=0.1) for alpha in LEVELS),
    }
    assert len(PROMISES) == 2 * len(LEVELS)


def test_the_papers_view_is_among_those_of_every_method():
    assert View("selective", 0.5, calibration="all labels", positives=10) == PAPER_VIEW
    assert PAPER_VIEW in VIEWS
    assert [view.positives for view in SIZES] == [1, 2, 5, 20, 50, None]
