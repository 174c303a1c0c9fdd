"""Predict a file of any length: its rows in, batch by batch, and rows of predictions out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from lamc.exceptions import DatasetError
from lamc.rules import Calibrator
from lamc.tables.batches import (
    ArrowTable,
    batches,
    check_columns,
    column_names,
    column_type,
    rows_at_once,
)
from lamc.tables.cells import Kind
from lamc.tables.features import Inputs
from lamc.tables.gaps import Gaps
from lamc.tables.labelled import DataFile, part_rows, read_like
from lamc.tables.scores import ID, as_stored, check_unit, score_matrix
from lamc.tables.source import Format, Source
from lamc.tables.writers import open_writer
from lamc.types import AnyArray, FloatArray, IntArray

ArrowColumn: TypeAlias = Any  # pyarrow has no types of its own
Decision = Literal["accepted", "absent", "open"]
Value = Literal["decision", "score", "p_value"]

_WORDS: tuple[Decision, ...] = ("open", "absent", "accepted")  # by decision + 1
LABEL, SCORE, P_VALUE, DECISION = "label", "score", "p_value", "decision"


@dataclass(frozen=True)
class Layout:
    """How predictions are laid out in rows.

    Attributes
    ----------
    wide : {"decision", "score", "p_value"} or None
        One row for each input with this of every label; None for one row for each input and label
        with all three.
    only : {"accepted", "absent", "open"} or None
        Of the latter, keep those with this decision.
    """

    wide: Value | None = None
    only: Decision | None = None


@dataclass
class Counts:
    """What was predicted, counted while it goes by.

    Attributes
    ----------
    rows : int
        Rows of the input.
    written : int
        Rows of the output.
    decisions : dict from str to int
        Pairs of a row and a label by decision.
    gaps : Gaps
        Cells of which the model learns nothing.
    """

    rows: int = 0
    written: int = 0
    decisions: dict[Decision, int] = field(default_factory=lambda: dict.fromkeys(_WORDS[::-1], 0))
    gaps: Gaps = field(default_factory=Gaps)


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of an input.

    Attributes
    ----------
    ids : pyarrow.Array
        What identifies them.
    X : DataFrame, array or sparse matrix
        Their features; their scores, for a calibrator.
    """

    ids: ArrowColumn
    X: Any


def predict_rows(
    model: Any,
    chunks: Iterator[Chunk],
    target: str | Path,
    format_: Format,
    *,
    layout: Layout,
    id_type: Any,
    seen: Callable[[int], None] = lambda _: None,
) -> Counts:
    """Write the predictions for all chunks of an input, and count them.

    Parameters
    ----------
    model : LAMC or Calibrator
        A fitted model. A calibrator gets scores for features.
    chunks : iterator of Chunk
        The input.
    target, format_
        Where and how to write; see :func:`lamc.tables.writers.open_writer`.
    layout : Layout
        What a row of the output is.
    id_type : pyarrow.DataType
        Type of the ids.
    seen : function
        Told the number of rows after each chunk.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> import pyarrow as pa
    >>> from lamc import Calibrator
    >>> from lamc.tables.predictions import Chunk, Layout, predict_rows
    >>> scores, Y = np.linspace(0, 1, 40).reshape(20, 2), np.ones((20, 2), dtype=int)
    >>> calibrator = Calibrator(alpha=0.2).fit(scores, Y, classes=["elm", "oak"])
    >>> chunk = Chunk(pa.array(["a"]), np.array([[0.1, 0.9]]))
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "out.jsonl"
    ...     counts = predict_rows(
    ...         calibrator, iter([chunk]), path, "jsonl", layout=Layout("decision"),
    ...         id_type=pa.string())
    ...     print(path.read_text(), end="")
    {"id": "a", "elm": "absent", "oak": "accepted"}
    >>> counts.decisions
    {'accepted': 1, 'absent': 1, 'open': 0}
    """
    import pyarrow as pa

    counts = Counts()
    nothing = np.empty((0, len(model.classes_)))
    none = pa.array([], id_type)
    schema = _laid_out(none, model.classes_, nothing, nothing, nothing.astype(int), layout).schema
    tables = (_predicted(model, chunk, layout, counts, seen) for chunk in chunks)
    first = list(islice(tables, 1))  # what fails at once leaves nothing behind, not even a header
    with open_writer(target, format_, schema) as writer:
        for table in chain(first, tables):
            writer.write(table)
    return counts


def chunks_of_table(
    model: Any, source: Source, *, id_column: str | None = None, rows: int | None = None
) -> Iterator[Chunk]:
    """Yield the rows of a table with what a model takes in.

    Parameters
    ----------
    model : LAMC or Calibrator
        A fitted model.
    source : Source
        The table.
    id_column : str, optional
        The column that identifies a row; else its number, counted from 0.
    rows : int, optional
        Most rows of a chunk; by default so many that memory does not depend on the input.
    """
    import pyarrow as pa

    inputs = Inputs.of(model)
    beside = [] if id_column is None else [id_column]
    columns = inputs.columns_of(source, beside=beside)
    if id_column in columns:
        raise DatasetError(
            f"{id_column!r} is among the columns that the model takes in, so it cannot be what "
            "identifies a row.\nIf it was trained on by mistake, train again with --id."
        )
    if source.path is not None:
        check_columns(source, column_names(source), [*beside, *columns])
    asked = columns | dict.fromkeys(beside, Kind.AS_IS)
    step = rows or rows_at_once(len(columns), len(model.classes_))
    for batch in batches(source, asked, rows=step, same_keys=inputs.takes_all(columns)):
        X = inputs.as_input(batch.table, columns)
        if isinstance(model, Calibrator):
            check_unit(np.asarray(X), model.classes_, place=partial(_place, source, batch.start))
            X = as_stored(X, source, columns)
        ids = pa.array(np.arange(batch.start, batch.start + len(batch)))
        if id_column is not None:
            ids = batch.table.column(id_column).combine_chunks()
            _check_identifies(source, id_column, ids.type)
        yield Chunk(ids, X)


def chunks_of_dataset(model: Any, file: DataFile, *, rows: int | None = None) -> Iterator[Chunk]:
    """Yield the rows of a data set that is no table; the id is the number of the row."""
    import pyarrow as pa

    inputs = Inputs.of(model)
    data = read_like(inputs, file)
    chosen, _ = part_rows(data, file.part, "all")
    step = rows or rows_at_once(data.X.shape[1], len(model.classes_))
    for start in range(0, len(chosen), step):
        some: IntArray = chosen[start : start + step]
        yield Chunk(pa.array(some), inputs.of_dataset(data, some))


def chunks_of_scores(
    calibrator: Calibrator, path: str | Path, *, rows: int | None = None
) -> Iterator[Chunk]:
    """Yield the rows of a ``.npy`` matrix of scores; the id is the number of the row."""
    import pyarrow as pa

    scores = score_matrix(path, calibrator.classes_)
    check_unit(scores, calibrator.classes_, place=lambda row: f"{path}, row {row}, counted from 0")
    step = rows or rows_at_once(0, len(calibrator.classes_))
    for start in range(0, len(scores), step):
        part = scores[start : start + step]
        yield Chunk(pa.array(np.arange(start, start + len(part))), part)


def id_type_of(source: Source | None, id_column: str | None) -> Any:
    """Type of the ids of an input: of a Parquet column its own, of a text file's text."""
    import pyarrow as pa

    if source is None or id_column is None:
        return pa.int64()
    if source.format != "parquet":
        return pa.string()
    check_columns(source, column_names(source), [id_column])
    kind = column_type(source, id_column)
    _check_identifies(source, id_column, kind)
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _check_identifies(source: Source, id_column: str, kind: Any) -> None:
    import pyarrow as pa

    if pa.types.is_nested(kind):
        raise DatasetError(
            f"{source}: the column {id_column!r} holds lists, which do not identify a row.\n"
            "Name a column of numbers or text, or leave out --id: rows are numbered then."
        )


def _predicted(
    model: Any, chunk: Chunk, layout: Layout, counts: Counts, seen: Callable[[int], None]
) -> ArrowTable:
    """Predict one chunk, lay it out, and count it."""
    is_calibrator = isinstance(model, Calibrator)
    calibrator = model if is_calibrator else model.calibrator_
    scores = np.asarray(chunk.X) if is_calibrator else model.predict_proba(chunk.X)
    decisions = calibrator.decide(scores)
    asks_p = layout.wide in (None, "p_value")
    p_values = calibrator.p_values(scores) if asks_p else scores
    table = _laid_out(chunk.ids, calibrator.classes_, scores, p_values, decisions, layout)
    counts.rows += len(chunk.ids)
    counts.written += table.num_rows
    for code, word in enumerate(_WORDS, start=-1):
        counts.decisions[word] += int(np.count_nonzero(decisions == code))
    counts.gaps.count(model, chunk.X)
    seen(len(chunk.ids))
    return table


def _laid_out(
    ids: ArrowColumn,
    classes: AnyArray,
    scores: FloatArray,
    p_values: FloatArray,
    decisions: AnyArray,
    layout: Layout,
) -> ArrowTable:
    import pyarrow as pa

    names = [str(label) for label in classes]
    if layout.wide is not None:
        if ID in names:
            raise DatasetError(
                f"A label is named {ID!r}, as the column of what identifies a row is.\n"
                "Leave out --wide, or rename the label."
            )
        values = {"decision": decisions, "score": scores, "p_value": p_values}[layout.wide]
        cells = [
            _in_words(values[:, column])
            if layout.wide == "decision"
            else _as_float64(values[:, column])
            for column in range(len(names))
        ]
        return pa.table([ids, *cells], names=[ID, *names])
    if layout.only is None:
        kept = np.ones(decisions.shape, dtype=bool)
    else:
        kept = decisions == _WORDS.index(layout.only) - 1
    row, column = np.nonzero(kept)
    return pa.table(
        {
            ID: ids.take(pa.array(row)),
            LABEL: pa.DictionaryArray.from_arrays(pa.array(column.astype(np.int32)), names),
            SCORE: _as_float64(scores[kept]),
            P_VALUE: _as_float64(p_values[kept]),
            DECISION: _in_words(decisions[kept]),
        }
    )


def _as_float64(values: FloatArray) -> ArrowColumn:
    """Numbers as a file holds them, whatever the model computes in."""
    import pyarrow as pa

    return pa.array(values.astype(np.float64, copy=False))


def _in_words(decisions: AnyArray) -> ArrowColumn:
    import pyarrow as pa

    codes = pa.array((decisions + 1).astype(np.int8))
    return pa.DictionaryArray.from_arrays(codes, list(_WORDS))


def _place(source: Source, start: int, row: int) -> str:
    return f"{source}, {source.place(start + row)}"
