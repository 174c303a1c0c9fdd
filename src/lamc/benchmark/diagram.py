"""The critical-difference diagram: average ranks, and what Nemenyi's test cannot tell apart."""

from itertools import chain

from lamc.benchmark.compare import Comparison
from lamc.benchmark.drawing import WIDTH, Axes, Figure, style
from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.significance import LEVEL


def critical_difference_diagram(comparison: Comparison) -> Figure:
    """Draw average ranks on a line, the best at the left; bars join what is not told apart.

    Parameters
    ----------
    comparison : Comparison
        Of three methods or more.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    BenchmarkError
        For two methods, which Nemenyi's test is not for.
    """
    if comparison.nemenyi is None:
        raise BenchmarkError(
            f"Nemenyi's test is for three methods or more, and here are {len(comparison.methods)}. "
            "Compare more methods, or read the p-value of Wilcoxon's test."
        )
    with style():
        from matplotlib.figure import Figure
        from scikit_posthocs import critical_difference_diagram as draw

        n_methods = len(comparison.methods)
        figure = Figure(figsize=(WIDTH * 0.75, 1.0 + 0.13 * n_methods), layout="constrained")
        axes = figure.subplots()
        drawn = draw(
            comparison.average_ranks,
            comparison.nemenyi.p,
            alpha=LEVEL,
            ax=axes,
            label_fmt_left="{label}  {rank:.2f} ",
            label_fmt_right=" {rank:.2f}  {label}",
            marker_props={"color": "black", "s": 9},
            elbow_props={"color": "black", "linewidth": 0.7},
            crossbar_props={"color": "black", "linewidth": 2.2, "solid_capstyle": "butt"},
            text_h_margin=0.2,
        )
        for bar in chain.from_iterable(drawn["crossbars"]):
            bar.set_xdata(sorted(bar.get_xdata()))  # it comes in the order of a set
        _draw_ruler(axes, comparison.nemenyi.critical_difference)
        axes.spines["top"].set_visible(True)
        last = max(n_methods, 1 + comparison.nemenyi.critical_difference)
        axes.set_xlim(1 - 0.02 * last, last)  # a rank of 1 is not cut in half
        axes.set_xticks(range(1, n_methods + 1))
    return figure


def _draw_ruler(axes: Axes, critical_difference: float) -> None:
    """The critical difference as a length, above the ranks."""
    ends = [1, 1 + critical_difference]
    axes.plot(ends, [2, 2], color="black", linewidth=0.8, marker="|", markeredgecolor="black")
    axes.text(
        sum(ends) / 2,
        2.3,
        f"critical difference {critical_difference:.2f}",
        horizontalalignment="center",
        verticalalignment="bottom",
    )
