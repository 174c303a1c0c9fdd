"""Figures: the right data in the axes, told apart without colour, and the same bytes twice."""

from itertools import combinations
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from lamc.benchmark import figures
from lamc.benchmark.compare import compare
from lamc.benchmark.diagram import critical_difference_diagram
from lamc.benchmark.drawing import STROKES, stroke, write_figure
from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.result_table import table
from lamc.benchmark.selection import Choice

from .results import accepted, joined, measured, points

RULE = {"rule": "selective", "alpha": 0.5, "calibration": "all labels"}


def size_study():
    sizes = {1: 0.1, 10: 0.2, 50: 0.3, None: 0.4}
    return joined(
        *(
            accepted(
                {(d, "LAMC"): [v, v + 0.2] for d in ("scene", "yeast")}, positives=n, metric=metric
            )
            for n, v in sizes.items()
            for metric in figures.SIZE_METRICS
        ),
        accepted({("yeast", "AN"): [0.9, 0.9]}),
        accepted({("yeast", "LAMC"): [0.9, 0.9]}, calibration="single positives"),
        measured({("yeast", "LAMC"): [0.8, 0.8]}),
    )


def risk_curves():
    return joined(
        points("risk-coverage", [(0.01, 0.1), (1, 0.8), (0.1, 0.3)]),
        points("risk-coverage", [(0.5, 0.9)], run=1),
        points("risk-coverage", [(0.01, 0.2), (1, 0.8)], method="AN", part="training"),
        points("risk-coverage", [(0.01, 0.9)], method="AN", part="train"),
        points("risk-coverage", [(0.01, 0.4), (1, 0.9)], dataset="mine", method="other"),
    )


def promise_curves():
    return joined(
        points("promised-achieved", [(0.5, 0.55), (0.9, 0.92)], **{**RULE, "rule": "recall"}),
        points(
            "promised-achieved",
            [(0.9, y / 10) for y in range(11)],
            labels=[f"l{i}" for i in range(11)],
            **{**RULE, "rule": "recall"},
        ),
        points("promised-achieved", [(0.5, 0.7)], **{**RULE, "rule": "precision"}),
        points(
            "promised-achieved",
            [(0.5, 0.1)],
            **{**RULE, "rule": "recall", "calibration": "single positives"},
        ),
    )


def threshold_curves():
    return joined(
        points("threshold", [(1, 0.2), (20, 0.7)], labels=["a", "b"], **RULE),
        points("threshold", [(1, 0.1)], labels=["a"], **{**RULE, "rule": "recall", "alpha": 0.1}),
        points("threshold", [(3, 0.9)], labels=["a"], method="AN", **RULE),
    )


def lines(axes):
    return {
        line.get_label(): line for line in axes.lines if not line.get_label().startswith("_child")
    }


def test_calibration_size_shows_means_over_runs_by_size_with_all_last():
    figure = figures.calibration_size(size_study())
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["scene", "yeast"]
    for axes in figure.axes:
        assert [t.get_text() for t in axes.get_xticklabels()] == ["1", "10", "50", "all"]
        drawn = lines(axes)
        assert list(drawn) == [
            "Average precision ↑",
            "Coverage error ↓",
            "Ranking loss ↓",
            "True labels accepted ↑",
        ]
        for line in drawn.values():
            np.testing.assert_allclose(line.get_xydata(), [(0, 0.2), (1, 0.3), (2, 0.4), (3, 0.5)])
        band = axes.collections[0].get_paths()[0].vertices
        spread = np.std([0, 0.2], ddof=1)
        assert band[:, 1].min() == pytest.approx(0.2 - spread)
        assert band[:, 1].max() == pytest.approx(0.5 + spread)


def test_calibration_size_of_one_metric_and_what_is_not_there():
    figure = figures.calibration_size(size_study(), metrics=["ranking_loss"])
    assert list(lines(figure.axes[0])) == ["Ranking loss ↓"]
    with pytest.raises(BenchmarkError, match="no metric 'recall'"):
        figures.calibration_size(size_study(), metrics=["recall"])
    with pytest.raises(BenchmarkError, match=r"one method, and 2 were named: LAMC, AN. Name one"):
        figures.calibration_size(size_study(), Choice(methods=("LAMC", "AN")))


def test_calibration_size_of_two_settings_is_refused():
    twice = joined(size_study(), accepted({("yeast", "LAMC"): [0.5]}, positives=50))
    with pytest.raises(BenchmarkError, match="two values of average_precision for LAMC on yeast"):
        figures.calibration_size(twice)


def test_risk_coverage_shows_each_method_of_the_first_run_by_coverage():
    figure = figures.risk_coverage(risk_curves())
    yeast, mine = figure.axes
    drawn = lines(yeast)
    assert list(drawn) == ["LAMC", "AN"]
    np.testing.assert_array_equal(drawn["LAMC"].get_xydata(), [(0.01, 0.1), (0.1, 0.3), (1, 0.8)])
    np.testing.assert_array_equal(drawn["AN"].get_xydata(), [(0.01, 0.2), (1, 0.8)])
    assert yeast.get_xscale() == "log"
    assert list(lines(mine)) == ["other"]
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["LAMC", "AN", "other"]


def test_a_method_looks_the_same_in_every_panel():
    curves = joined(
        *(
            points("risk-coverage", [(0.1, 0.1), (1, 0.5)], dataset=d, method=m)
            for d, methods in (("scene", "AB"), ("yeast", "B"))
            for m in methods
        )
    )
    scene, yeast = figures.risk_coverage(curves).axes
    one, other = lines(scene)["B"], lines(yeast)["B"]
    assert (one.get_color(), one.get_marker()) == (other.get_color(), other.get_marker())


def test_promises_are_shown_by_rule_with_the_line_where_they_are_met():
    (axes,) = figures.promised_achieved(promise_curves()).axes
    drawn = lines(axes)
    recall = drawn["recall, mean over labels"]
    np.testing.assert_array_equal(recall.get_xydata(), [(0.5, 0.55), (0.9, 0.92)])
    precision = drawn["precision, mean over labels"]
    np.testing.assert_array_equal(precision.get_xydata(), [(0.5, 0.7)])
    bar = drawn["recall, four labels in five"].get_ydata()
    np.testing.assert_allclose(bar, (0.1, 0.9))
    diagonal = next(line for line in axes.lines if line.get_label().startswith("_child"))
    assert diagonal.get_slope() == 1


def few_labels(n, promised=0.9):
    """A mean over n labels, and these."""
    of = {**RULE, "rule": "precision", "dataset": f"of {n}"}
    names = [f"l{i}" for i in range(n)]
    return joined(
        points("promised-achieved", [(promised, 0.8)], **of),
        points("promised-achieved", [(promised, 0.8)] * n, labels=names, **of),
    )


def test_a_mean_over_few_labels_is_hollow_without_a_bar_and_all_are_counted():
    figure = figures.promised_achieved(joined(few_labels(1), few_labels(5)))
    few, many = figure.axes
    assert [text.get_text() for text in few.texts] == ["□ 1"]
    assert [text.get_text() for text in many.texts] == ["■ 5"]
    hollow = lines(few)["precision, fewer than five labels"]
    assert hollow.get_markerfacecolor() == "white"
    np.testing.assert_array_equal(hollow.get_xydata(), [(0.9, 0.8)])
    assert "precision, four labels in five" not in lines(few)
    assert "precision, four labels in five" in lines(many)
    assert "precision, fewer than five labels" not in lines(many)
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "precision, fewer than five labels" in shown


def test_numbers_of_labels_stand_below_all_points():
    figure = figures.promised_achieved(joined(promise_curves(), few_labels(3)))
    figure.draw_without_rendering()
    for axes in figure.axes:
        lowest = min(y for line in lines(axes).values() for y in line.get_ydata())
        for text in axes.texts:
            top = text.get_window_extent().y1
            assert top < axes.transData.transform((0.5, lowest))[1]


def test_what_is_achieved_is_never_cut_off_at_the_bottom():
    low = points("promised-achieved", [(0.9, 0.05)], dataset="zoo", **{**RULE, "rule": "recall"})
    figure = figures.promised_achieved(joined(promise_curves(), low))
    assert all(axes.get_ylim()[0] < 0.05 for axes in figure.axes)


def test_thresholds_are_those_of_one_method_and_rule_and_are_counted():
    (axes,) = figures.thresholds(threshold_curves()).axes
    np.testing.assert_array_equal(axes.collections[0].get_offsets(), [(1, 0.2), (20, 0.7)])
    assert axes.get_title(loc="left") == "yeast · 2 labels"
    (axes,) = figures.thresholds(threshold_curves(), Choice(rule="recall")).axes
    np.testing.assert_array_equal(axes.collections[0].get_offsets(), [(1, 0.1)])
    (axes,) = figures.thresholds(threshold_curves(), Choice(methods=("AN",))).axes
    np.testing.assert_array_equal(axes.collections[0].get_offsets(), [(3, 0.9)])


def test_curves_of_two_settings_are_refused():
    twice = joined(risk_curves(), points("risk-coverage", [(0.3, 0.3)], unit="other settings"))
    with pytest.raises(BenchmarkError, match="2 curves of LAMC on yeast, with different settings"):
        figures.risk_coverage(twice)


def test_no_curves_and_no_curves_of_the_kind_are_refused():
    with pytest.raises(BenchmarkError, match=r"no curves yet.*lamc bench run"):
        figures.risk_coverage(risk_curves().iloc[:0])
    with pytest.raises(BenchmarkError, match=r"no curve 'threshold' here. They hold risk-coverage"):
        figures.thresholds(risk_curves())


def test_strokes_are_told_apart_without_colour():
    assert len({s.marker for s in STROKES}) == len(STROKES)
    assert len({str(s.dashes) for s in STROKES}) == len(STROKES)
    assert len({(str(s.dashes), s.marker) for s in map(stroke, range(64))}) == 64


def test_any_two_strokes_share_at_most_one_of_dashes_marker_and_colour():
    looks = [(s.colour, str(s.dashes), s.marker) for s in map(stroke, range(32))]
    for one, other in combinations(looks, 2):
        assert sum(a == b for a, b in zip(one, other, strict=True)) <= 1


def test_fifteen_lines_of_a_figure_are_told_apart_without_colour():
    xy = [(x / 20, x / 40) for x in range(1, 21)]
    curves = joined(*(points("risk-coverage", xy, method=f"m{i}") for i in range(15)))
    (axes,) = figures.risk_coverage(curves).axes
    drawn = lines(axes).values()
    looks = {(str(line._unscaled_dash_pattern), line.get_marker()) for line in drawn}
    assert len(looks) == 15


def test_a_long_legend_does_not_squeeze_the_panels():
    xy = [(0.1, 0.1), (1, 0.5)]
    heights = []
    for n in (4, 16):
        curves = (points("risk-coverage", xy, method=f"a method {i}") for i in range(n))
        figure = figures.risk_coverage(joined(*curves))
        figure.draw_without_rendering()
        heights.append(figure.axes[0].get_window_extent().height)
    assert heights[1] > 0.9 * heights[0]


@pytest.mark.parametrize("alone", [True, False])
def test_a_name_that_begins_with_an_underscore_is_in_the_legend(alone):
    curves = points("risk-coverage", [(0.1, 0.1), (1, 0.5)], method="_own:Mine")
    if not alone:
        curves = joined(curves, points("risk-coverage", [(0.1, 0.1), (1, 0.5)]))
    figure = figures.risk_coverage(curves)
    shown = [text.get_text().strip() for text in figure.legends[0].get_texts()]
    assert shown == (["_own:Mine"] if alone else ["LAMC", "_own:Mine"])


def test_dollars_in_names_are_no_formulas(tmp_path):
    curves = points("risk-coverage", [(0.1, 0.1), (1, 0.5)], dataset="co$t_$x", method="a$^$b")
    write_figure(figures.risk_coverage(curves), tmp_path / "figure.svg")
    values = {(f"d{i}", f"{m}$_$"): [i + j / 9] for i in range(4) for j, m in enumerate("ABC")}
    diagram = critical_difference_diagram(compare(table(measured(values))))
    write_figure(diagram, tmp_path / "diagram.svg")
    assert {path.name for path in tmp_path.iterdir()} == {"figure.svg", "diagram.svg"}


def test_the_single_point_of_a_constant_scorer_is_drawn():
    curves = joined(
        points("risk-coverage", [(1, 0.6)], method="constant"),
        points("risk-coverage", [(0.1, 0.1), (1, 0.5)]),
    )
    (axes,) = figures.risk_coverage(curves).axes
    line = lines(axes)["constant"]
    assert line.get_marker() != "None"
    assert line.get_markevery() is None  # a share of the length of the line is nothing here


def a_comparison():
    values = {(f"d{i}", m): [i / 10 + j / 50] for i in range(5) for j, m in enumerate("ABCD")}
    return compare(table(measured(values)))


@pytest.mark.parametrize(
    ("ending", "draw"),
    [
        ("png", lambda: figures.calibration_size(size_study())),
        ("svg", lambda: figures.risk_coverage(risk_curves())),
        ("pdf", lambda: figures.promised_achieved(promise_curves())),
        ("svg", lambda: figures.thresholds(threshold_curves())),
        ("png", lambda: critical_difference_diagram(a_comparison())),
    ],
)
def test_the_same_figure_is_the_same_bytes(ending, draw, tmp_path):
    for name in ("one", "two"):
        write_figure(draw(), tmp_path / f"{name}.{ending}")
    one = (tmp_path / f"one.{ending}").read_bytes()
    assert one == (tmp_path / f"two.{ending}").read_bytes()
    assert len(one) > 1000


def test_a_users_own_style_changes_nothing(tmp_path):
    write_figure(figures.risk_coverage(risk_curves()), tmp_path / "plain.svg")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "lines.linewidth": 9}):
        write_figure(figures.risk_coverage(risk_curves()), tmp_path / "styled.svg")
        assert matplotlib.rcParams["font.size"] == 30
    assert (tmp_path / "plain.svg").read_bytes() == (tmp_path / "styled.svg").read_bytes()


def test_svg_needs_no_font_and_says_no_date(tmp_path):
    write_figure(figures.risk_coverage(risk_curves()), tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text()
    assert "<text" not in text
    assert "dc:date" not in text


def test_other_endings_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(BenchmarkError, match=r"figure.jpg.*one of .png, .svg and .pdf"):
        write_figure(Figure(), tmp_path / "figure.jpg")
    assert list(Path(tmp_path).iterdir()) == []


def test_frames_from_files_with_missing_values_of_any_kind_draw_alike(tmp_path):
    """A CSV file and a results file may hold what is missing as None, NaN or NA."""
    curves = promise_curves()
    other = curves.assign(
        label=curves["label"].astype("string"), calibration=curves["calibration"].astype("str")
    )
    assert pd.api.types.is_string_dtype(other["label"])
    for name, frame in (("one", curves), ("other", other)):
        write_figure(figures.promised_achieved(frame), tmp_path / f"{name}.svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
