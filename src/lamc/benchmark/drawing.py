"""How figures look, and how they are written: in print, in grey, and the same bytes every time."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, TypeAlias

from lamc.benchmark.errors import BenchmarkError
from lamc.files import whole_file

Axes: TypeAlias = Any  # matplotlib has types, but is imported only to draw
Figure: TypeAlias = Any

WIDTH = 7.2  # inches: two columns of a paper
COLUMNS = 4
PANEL_HEIGHT = 1.55
LEGEND_ROWS, LEGEND_ROW = 2, 0.15  # that a figure has place for, and the height of one more

# What each file type must be told to leave out, so that the same figure is the same bytes.
METADATA: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}

_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that it is there everywhere
    "font.size": 7,
    "figure.labelsize": 7.5,
    "axes.titlesize": 7.5,
    "axes.titlelocation": "left",
    "axes.titlepad": 3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.labelpad": 2,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.visible": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.8,
    "lines.markeredgecolor": "white",  # so that markers stand out where lines meet
    "lines.markeredgewidth": 0.4,
    "text.parse_math": False,  # names are not formulas, whatever their $ signs
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "legend.columnspacing": 1.5,
    "savefig.dpi": 300,
    "svg.fonttype": "path",  # letters as shapes: no font is needed to read the file
    "svg.hashsalt": "lamc",
    "pdf.fonttype": 42,
}


@dataclass(frozen=True)
class Stroke:
    """A way to draw a line that is told from others by colour, by dashes and by markers."""

    colour: str
    dashes: Any
    marker: str


# Colours that colour-blind readers tell apart (Okabe and Ito), from dark to light in turns.
STROKES = (
    Stroke("#000000", "solid", "o"),
    Stroke("#D55E00", (0, (5, 1.5)), "s"),
    Stroke("#0072B2", (0, (1, 1)), "^"),
    Stroke("#E69F00", (0, (5, 1.5, 1, 1.5)), "D"),
    Stroke("#009E73", (0, (3, 1)), "v"),
    Stroke("#CC79A7", (0, (8, 2)), "<"),
    Stroke("#56B4E9", (0, (2, 2)), ">"),
    Stroke("#7F7F7F", (0, (8, 2, 1, 2, 1, 2)), "p"),
)


def stroke(i: int) -> Stroke:
    """The i-th stroke; beyond the last, dashes, markers and colours meet in new ways.

    With each round of the dashes the markers move on by one and the colours by six, so that any
    two of the first 32 strokes share at most one of the three.

    Examples
    --------
    >>> from lamc.benchmark.drawing import stroke
    >>> stroke(0).marker, stroke(8).marker, stroke(8).dashes
    ('o', 's', 'solid')
    """
    n = len(STROKES)
    turn = i // n
    dashes, marker, colour = (STROKES[(i + step * turn) % n] for step in (0, 1, 6))
    return Stroke(colour.colour, dashes.dashes, marker.marker)


def in_legend(name: str) -> str:
    """A name as a label of a line; matplotlib leaves those out that begin with an underscore.

    Examples
    --------
    >>> from lamc.benchmark.drawing import in_legend
    >>> in_legend("AN"), in_legend("_own:Mine")
    ('AN', ' _own:Mine')
    """
    return f" {name}" if name.startswith("_") else name


@contextmanager
def style() -> Iterator[None]:
    """Draw by the style of LAMC, whatever a user's own settings of matplotlib are."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # all but the backend
        matplotlib.rcParams.update(_STYLE)
        yield


def panels(names: Sequence[str], x_label: str, y_label: str) -> tuple[Figure, list[Axes]]:
    """A figure with one panel for each name, and the panels, which share their axes."""
    from matplotlib.figure import Figure

    columns = min(COLUMNS, len(names))
    rows = -(-len(names) // columns)
    width = WIDTH * max(columns, 2) / COLUMNS
    figure = Figure(figsize=(width, PANEL_HEIGHT * rows + 0.5), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel().tolist()
    for axes, name in zip(grid, names, strict=False):
        axes.set_title(name)
    for axes in grid[len(names) :]:
        axes.remove()
    for axes in grid[max(0, len(names) - columns) : len(names)]:
        axes.tick_params(labelbottom=True)  # also above an empty place
    for axes in grid[: len(names) : columns]:
        axes.set_ylabel(y_label)
    figure.supxlabel(x_label)
    return figure, grid[: len(names)]


def legend_above(figure: Figure, grid: Sequence[Axes]) -> None:
    """One legend for all panels, above them; a long one makes the figure higher."""
    shown = [axes.get_legend_handles_labels() for axes in grid]
    by_label = {
        label: h for handles, labels in shown for h, label in zip(handles, labels, strict=True)
    }
    if not by_label:
        return
    entry = 0.6 + 0.06 * max(map(len, by_label))  # inches: a stroke, and its letters
    rows = ceil(len(by_label) / max(1, int(figure.get_figwidth() / entry)))
    columns = ceil(len(by_label) / rows)
    more = max(0, rows - LEGEND_ROWS)  # than there is place for
    figure.set_figheight(figure.get_figheight() + more * LEGEND_ROW)
    figure.legend(by_label.values(), by_label.keys(), loc="outside upper left", ncols=columns)


def check_path(path: Path) -> None:
    """Refuse a file type that figures are not written in.

    Examples
    --------
    >>> from pathlib import Path
    >>> from lamc.benchmark.drawing import check_path
    >>> check_path(Path("ranks.svg"))
    """
    if path.suffix.lower() not in METADATA:
        raise BenchmarkError(
            f"A figure cannot be written to {path.name}: its ending says which kind of file to "
            "write. Give it one of .png, .svg and .pdf."
        )


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure whole or not at all; the same figure gives the same bytes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to write.
    path : Path
        Where to; a .png, .svg or .pdf file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from matplotlib.figure import Figure
    >>> from lamc.benchmark.drawing import write_figure
    >>> path = Path(tempfile.mkdtemp()) / "empty.svg"
    >>> write_figure(Figure(), path)
    >>> path.read_text()[:5]
    '<?xml'
    """
    check_path(path)
    kind = path.suffix.lower()
    with style(), whole_file(path) as part:
        figure.savefig(part, format=kind[1:], metadata=METADATA[kind])
