"""Rows to measure a model on: read by the model's columns and scored by it, or scored before."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lamc.cli import options
from lamc.cli.output import Output

if TYPE_CHECKING:
    from lamc.tables.labelled import DataFile


_HARMLESS_SHARE = 0.05  # of rows that look like calibration rows


class HeldOut(NamedTuple):
    """Rows with all their labels, their scores, and why to be wary of what they show."""

    rows: Any
    scores: Any
    cautions: list[str]


def held_out(
    out: Output, model: Any, file: "DataFile", from_scores: tuple[Path, Path] | None
) -> HeldOut:
    """Rows with all their labels and their scores; what is worth knowing about them is noted.

    With files of scores and truth, ``model`` is a calibrator. Else the rows are those of ``file``,
    and of a data set that carries a split, its test rows.
    """
    from lamc.tables.gaps import gaps_in

    if from_scores is not None:
        rows = options.scored_rows(*from_scores, file, model.classes_)
        scores = rows.scores
    else:
        from lamc.tables.labelled import rows_for_model

        options.refuse_calibrator(model, file.name)
        rows = rows_for_model(model, file, part="test")
        scores = model.predict_proba(rows.X)
    for note in rows.notes:
        out.note(note)
    if from_scores is None:
        for note in gaps_in(model, rows.X):
            out.note(note)
    cautions = [] if from_scores is not None else list(_known_rows(model, rows.X))
    for caution in cautions:
        out.note(f"Warning: {caution}")
    return HeldOut(rows, scores, cautions)


def _known_rows(model: Any, X: Any) -> Iterator[str]:
    """Say how many rows the model was trained or calibrated on.

    A calibration row or two with equal features are often mere copies, and do no harm.
    """
    from lamc.containers import traces

    rows = traces(X)
    for known, use, harmless in (
        (model.training_rows_, "trained on", 0.0),
        (model.calibration_rows_, "calibrated on", _HARMLESS_SHARE),
    ):
        shared = int(np.isin(rows, known).sum())
        if shared > harmless * len(rows):
            yield (
                f"{shared:,} of {len(rows):,} rows have the same features as a row that the model "
                f"was {use}. If they are the same rows, they make the model look better than it "
                f"is: measure on rows that were not {use}."
            )
