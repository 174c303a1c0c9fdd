"""Rows to measure a model on: read by the model's columns and scored by it, or scored before."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lamc.cli import options
from lamc.cli.output import Output

if TYPE_CHECKING:
    from lamc.tables.labelled import DataFile


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
    from lamc.cautions import known_rows_in_words
    from lamc.containers import traces
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
    cautions: list[str] = []
    if from_scores is None:
        for note in gaps_in(model, rows.X):
            out.note(note)
        cautions = known_rows_in_words(
            traces(rows.X), model.training_rows_, model.calibration_rows_
        )
    for caution in cautions:
        out.note(f"Warning: {caution}")
    return HeldOut(rows, scores, cautions)
