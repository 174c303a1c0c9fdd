"""What a method is looked at through: which rule accepts, and on what it is calibrated."""

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.protocol import Part, Task
from lamc.exceptions import LAMCWarning, held_back
from lamc.labels import Knowledge
from lamc.rules import Calibrator
from lamc.rules.rule import RuleName
from lamc.types import FloatArray

Calibration = Literal["all labels", "single positives"]

DRAWS: Final = 5  # draws of a few positives a label, over which a view of them is averaged


@dataclass(frozen=True)
class View:
    """A rule, its level, and what it is calibrated on.

    Attributes
    ----------
    rule, alpha, delta
        As :class:`lamc.Calibrator` takes them.
    calibration : {"all labels", "single positives"}
        What is known of the calibration rows.
    positives : int or None
        Most calibration positives of a label; None for all there are.

    Examples
    --------
    >>> from lamc.benchmark.views import View
    >>> View("selective", 0.5, positives=10).n_draws
    5
    """

    rule: RuleName
    alpha: float
    delta: float | None = None
    calibration: Calibration = "all labels"
    positives: int | None = None

    @property
    def n_draws(self) -> int:
        """How many draws of the positives there are to average over."""
        return 1 if self.positives is None else DRAWS

    def calibrators(self, task: Task, scores: FloatArray) -> list[Calibrator]:
        """Fit thresholds on the calibration rows of a task, for each draw of their positives."""
        if task.calibration is None:
            raise BenchmarkError(
                "The calibration rows of this task were learnt from, so no threshold can be set on "
                "them.\nFit on the part 'train' instead."
            )
        labels = task.calibration.labels if self.calibration == "all labels" else task.observed
        # That observed labels stand for all true ones is what "single positives" is to show.
        with held_back(category=LAMCWarning):
            return [
                Calibrator(
                    self.rule,
                    alpha=self.alpha,
                    delta=self.delta,
                    per_label=self.positives,
                    random_state=draw,
                ).fit(scores, labels)
                for draw in range(self.n_draws)
            ]


PAPER_VIEW: Final = View("selective", 0.5, positives=10)
VIEWS: Final = (
    PAPER_VIEW,
    View("recall", 0.1),
    View("precision", 0.1, delta=0.1),
    View("selective", 0.5, calibration="single positives", positives=10),
    View("recall", 0.1, calibration="single positives"),
)
# The calibration sizes of the paper's figure, besides the ten of its tables.
SIZES: Final = tuple(View("selective", 0.5, positives=n) for n in (1, 2, 5, 20, 50, None))
# Levels at which what was promised is compared with what was achieved.
_LEVELS: Final = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
PROMISES: Final = (
    *(View("recall", alpha) for alpha in _LEVELS),
    *(View("precision", alpha, delta=0.1) for alpha in _LEVELS),
)


def views_of(task: Task, *, studies: bool) -> tuple[View, ...]:
    """The views of a task; none if there are no rows to calibrate on.

    Without those of single positives where several labels of a row were observed.

    Examples
    --------
    >>> from lamc.benchmark.protocol import task_of
    >>> from lamc.benchmark.views import views_of
    >>> from lamc.datasets import digit_scenes
    >>> task = task_of(digit_scenes(50), "given", 0, "train")
    >>> [view.rule for view in views_of(task, studies=False)]
    ['selective', 'recall', 'precision', 'selective', 'recall']
    """
    if task.observed is None:
        return ()
    views = (*VIEWS, *SIZES) if studies else VIEWS
    if task.observed.knowledge is Knowledge.SINGLE:
        return views
    return tuple(view for view in views if view.calibration == "all labels")


def described_views(part: Part, *, studies: bool) -> list[dict[str, Any]]:
    """What is measured besides the full ranking, for the record.

    Examples
    --------
    >>> from lamc.benchmark.views import described_views
    >>> described_views("training", studies=False)
    []
    >>> described_views("train", studies=False)[1]["rule"]
    'recall'
    """
    if part == "training":
        return []
    return [
        {**asdict(view), "draws": view.n_draws} for view in (*VIEWS, *(SIZES if studies else ()))
    ]
