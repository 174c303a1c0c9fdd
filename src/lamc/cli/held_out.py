"""Rows to measure a model on: read by the model's columns and scored by it, or scored before."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamc.cli import options
from lamc.cli.output import Output

if TYPE_CHECKING:
    from lamc.tables.labelled import DataFile


def held_out(
    out: Output, model: Any, file: "DataFile", from_scores: tuple[Path, Path] | None
) -> tuple[Any, Any]:
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
        _warn_of_training_rows(out, model, rows.X)
    return rows, scores


def _warn_of_training_rows(out: Output, model: Any, X: Any) -> None:
    from lamc.duplicates import shared_rows

    shared = int(shared_rows(X, model.training_rows_).sum())
    if shared:
        out.note(
            f"Warning: {shared:,} of {X.shape[0]:,} rows have the same features as a row that the "
            "model was trained on. If they are the same rows, they make the model look better than "
            "it is: measure on rows that were not trained on."
        )
