"""Write a report: one HTML file that needs nothing else."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from lamc.datasets import Dataset
from lamc.evaluation.evaluate import refuse_unlabelled
from lamc.exceptions import DatasetError, LAMCError
from lamc.files import is_stream, whole_file
from lamc.labels import Knowledge, Labels, as_labels
from lamc.labels.columns import in_order_of, require_same_rows
from lamc.report.findings import RowContents, find
from lamc.report.page import render
from lamc.rules import Calibrator
from lamc.rules.columns import as_beside
from lamc.rules.scores import check_scores
from lamc.types import AnyArray, IntArray


def write_report(
    path: str | Path,
    scores: Any,
    Y: Any,
    calibrator: Calibrator,
    *,
    title: str | None = None,
    data: Dataset | None = None,
    rows: npt.ArrayLike | None = None,
    features: Any = None,
    row_names: Sequence[str] | None = None,
    model: str | None = None,
    cautions: Sequence[str] = (),
    overwrite: bool = False,
) -> Path:
    """Write what a calibrator promises, and what held-out rows show, as one HTML file.

    The file needs no network. Its slider moves the level of every rule that the calibrator's
    evidence is enough for; all numbers are computed here, by the rules themselves. The file does
    not grow with the number of rows, and shows at most 1,000 labels one by one.

    Parameters
    ----------
    path : str or path
        Where to.
    scores : array-like, DataFrame or sparse matrix of shape (n, K)
        Scores of rows that nothing was chosen on: neither trained nor calibrated.
    Y : labels in any form of :func:`lamc.as_labels`
        All labels of these rows.
    calibrator : Calibrator
        A fitted one.
    title : str, optional
        The heading; by default the name of the data.
    data : Dataset, optional
        What the rows are taken from. Its pictures, or else its features, are shown of a few rows.
    rows : array-like of shape (n,), optional
        Which rows of ``data`` these are; by default all of them, in order.
    features : array-like, DataFrame or sparse matrix of shape (n, d), optional
        Features of these rows, if there is no ``data``.
    row_names : sequence of str and of length n, optional
        What the rows are called; by default by their numbers, from 0.
    model : str, optional
        A sentence or two on what made the scores.
    cautions : sequence of str, optional
        Why to be wary of what these rows show, a sentence or two each.
    overwrite : bool, default=False
        Whether a file that is there may be replaced.

    Returns
    -------
    Path
        Where it was written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from lamc import Calibrator
    >>> from lamc.report import write_report
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((300, 3)) < 0.4
    >>> scores = 0.5 * rng.random(Y.shape) + 0.5 * rng.random(Y.shape) * Y
    >>> cal = Calibrator("three-way", alpha=0.1).fit(scores[:200], Y[:200])
    >>> with TemporaryDirectory() as folder:
    ...     report = write_report(Path(folder) / "report.html", scores[200:], Y[200:], cal)
    ...     report.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    path = Path(path)
    if path.exists() and not (overwrite or is_stream(path)):
        raise LAMCError(
            f"{path} is there already.\nChoose another name, or say that it may be replaced: "
            "overwrite=True (--force in the shell)."
        )
    check_is_fitted(calibrator)
    require_same_rows(Y, scores, names=("Y", "scores"))
    labels = _truth(as_beside(Y, scores, calibrator.classes_), calibrator)
    checked = check_scores(
        in_order_of(scores, calibrator.classes_), n_labels=len(calibrator.classes_)
    )
    labels.require_rows(checked.shape[0], of="the matrix of scores")
    if row_names is not None:
        row_names = [str(name) for name in row_names]  # a Series would be asked by its index
        if len(row_names) != len(labels):
            raise DatasetError(f"There are {len(row_names)} row_names, but {len(labels)} rows.")
    names = _label_names(calibrator, data)
    contents = _contents(len(labels), data, rows, features, names)
    compared = checked.dtype.type
    if compared == np.float16:
        checked = checked.astype(np.float32)  # to add up in
    findings = find(checked, labels, calibrator, contents, compared)
    title = title or (f"Report on {data.name}" if data is not None else "Report on held-out rows")
    page = render(
        findings,
        calibrator,
        title=title,
        model=model,
        cautions=cautions,
        row_names=row_names,
        row_numbers=contents.numbers,
    )
    with whole_file(path) as part:
        part.write_text(page, encoding="utf-8")
    return path


def _truth(Y: Any, calibrator: Calibrator) -> Labels:
    """Read all labels of the held-out rows, in the order of the calibrator's."""
    if isinstance(Y, Labels):
        Y.require(Knowledge.ALL, by="A report")
        labels = Y.align(calibrator.classes_)
    else:
        labels = as_labels(Y, classes=calibrator.classes_, knowledge=Knowledge.ALL)
    refuse_unlabelled(labels)
    return labels


def _contents(
    n: int, data: Dataset | None, rows: Any, features: Any, names: AnyArray
) -> RowContents:
    if data is None:
        if rows is not None:
            raise DatasetError("rows says which rows of data these are, but there is no data.")
        return RowContents(features, None, None, np.arange(n), names)
    if features is not None:
        raise DatasetError("Give data, which has features, or features, but not both.")
    numbers = _row_numbers(n, len(data.Y.indptr) - 1, rows)
    X = None if data.pictures is not None else data.X[numbers]
    return RowContents(X, data.feature_names, data.pictures, numbers, names)


def _label_names(calibrator: Calibrator, data: Dataset | None) -> AnyArray:
    """Names of the labels; those of the data where the calibrator has but numbered them."""
    classes = calibrator.classes_
    numbered = np.array_equal(classes, np.arange(len(classes)))
    if data is not None and numbered and len(data.label_names) == len(classes):
        return data.label_names
    return classes.astype(str)


def _row_numbers(n: int, n_data: int, rows: Any) -> IntArray:
    numbers = np.arange(n_data) if rows is None else np.asarray(rows)
    if numbers.shape != (n,):
        given = f"data has {n_data} rows" if rows is None else f"rows has shape {numbers.shape}"
        raise DatasetError(
            f"{given}, but there are {n} rows of scores.\nSay which rows of data they are: "
            "rows=data.split.test."
        )
    if numbers.dtype.kind not in "iu" or not ((numbers >= 0) & (numbers < n_data)).all():
        raise DatasetError(f"rows must be whole numbers from 0 to {n_data - 1}, rows of data.")
    return numbers
