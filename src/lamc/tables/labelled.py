"""Rows with labels, from any file or name of a data set: to train, calibrate and measure on."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self, get_args

import numpy as np
from scipy import sparse

from lamc.datasets import Dataset, load, read
from lamc.datasets.read import format_name
from lamc.datasets.readers.checked import is_unnamed
from lamc.datasets.readers.label_lists import one_label_note
from lamc.exceptions import PartError
from lamc.labels import Knowledge, Labels
from lamc.tables.absent import with_features, with_labels
from lamc.tables.batches import column_names, spelt_column
from lamc.tables.features import Inputs
from lamc.tables.source import Format, Source, is_table, source_of
from lamc.tables.truth import LabelColumns, in_order, known_labels, labels_in_words, table_labels
from lamc.types import AnyArray, IntArray, SparseMatrix

Part = Literal["train", "calibration", "validation", "test", "all"]
_NOT_TRAINED = (
    "Correct it; or, if it is right and no row to train on has it, name all labels there are: "
    "--labels oak,elm."
)


@dataclass(frozen=True)
class DataFile:
    """A data set as a user names it: a file or a name of the catalogue, and how to read it.

    Attributes
    ----------
    name : str
        A file, or a name of the catalogue.
    labels : LabelColumns
        Where a table has its labels.
    ids : tuple of str
        Columns that identify a row, and are no features.
    delimiter : str or None
        What stands between the values of a CSV file.
    encoding : str or None
        Of a text file.
    part : str or None
        Rows to take, where the data set carries a split.
    format : str or None
        Format of the file, where its name does not tell.
    decimal : str or None
        The decimal mark of numbers in a CSV file.
    words : tuple of str
        Columns to train on that hold words, also where these are whole numbers, many, or NA.
    """

    name: str
    labels: LabelColumns = field(default_factory=LabelColumns)
    ids: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    part: Part | None = None
    format: str | None = None
    decimal: str | None = None
    words: tuple[str, ...] = ()

    @property
    def is_table(self) -> bool:
        """Whether the file is a table that is read by its columns."""
        return is_table(self.name) if self.format is None else self.format in get_args(Format)

    @property
    def is_named(self) -> bool:
        """Whether it is a data set of the catalogue, and no file; a folder may bear its name."""
        path = Path(self.name)
        is_there = path.exists() and not path.is_dir()
        return self.format is None and not path.suffix and not is_there

    @property
    def is_svmlight(self) -> bool:
        """Whether it is a file that leaves out what is 0."""
        return not self.is_named and format_name(Path(self.name), self.format) == "svmlight"

    def source(self) -> Source:
        """The table."""
        return source_of(
            self.name,
            said=self.format,
            delimiter=self.delimiter,
            encoding=self.encoding,
            decimal=self.decimal,
        )


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows, their labels, and what was understood of both.

    Attributes
    ----------
    X : DataFrame or scipy.sparse.csr_array
        The features.
    labels : Labels
        What is known of the labels.
    inputs : Inputs
        What a model trained on such rows takes in.
    notes : tuple of str
        What is worth telling the user: first of all what was read.
    ids : ndarray of str, or None
        What identifies the rows, if a column of a table does.
    """

    X: Any
    labels: Labels
    inputs: Inputs
    notes: tuple[str, ...] = ()
    ids: AnyArray | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: Any) -> Self:
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        ids = None if self.ids is None else self.ids[rows]
        return type(self)(X, self.labels[rows], self.inputs, self.notes, ids)


def read_dataset(file: DataFile) -> Dataset:
    """Read a file, or load a data set of the catalogue, whichever is named.

    Examples
    --------
    >>> from lamc.tables.labelled import DataFile, read_dataset
    >>> read_dataset(DataFile("digit scenes"))
    Dataset 'digit scenes': 4000 rows, 256 features, 10 labels, 2.3 labels a row
    """
    path, where = Path(file.name), file.labels
    if file.is_named:
        return load(file.name)
    labels: str | list[str] | None = list(where.names) or None
    if len(where.names) == 1 and where.names[0].endswith(".xml"):
        labels = where.names[0]
    elif file.is_table and path.is_file():
        labels = where.among(column_names(file.source())) or None
    return read(
        path,
        labels=labels,
        label_column=where.listed,
        separator=where.separator,
        id_column=file.ids or None,
        delimiter=file.delimiter,
        encoding=file.encoding,
        file_format=file.format,
        decimal=file.decimal,
        words=file.words or None,
    )


def read_like(inputs: Inputs, file: DataFile) -> Dataset:
    """Read a data set whose rows have these features, also where the file leaves out zeros."""
    data = read_dataset(file)
    return with_features(data, inputs) if file.is_svmlight else data


def training_rows(file: DataFile, *, calibrated_elsewhere: bool) -> tuple[LabelledRows, ...]:
    """Rows to train on and, where the data set sets such apart, rows to calibrate on.

    Training uses the observed labels of a data set that carries them. In training an unmarked
    label counts as unknown; so whether rows with one label each have others is a question only
    if such rows are to be calibrated on as well.

    Examples
    --------
    >>> from lamc.tables.labelled import DataFile, training_rows
    >>> train, calibration = training_rows(DataFile("digit scenes"), calibrated_elsewhere=False)
    >>> train.notes[0]
    'Read 2,800 rows (train) of digit scenes with all their labels, 2.3 on average, of 10 labels.'
    """
    data = read_dataset(file)
    inputs = _inputs(file, data)
    Y = data.Y if data.observed is None else data.observed
    rows, name = part_rows(data, file.part, "train")
    stated = file.labels.knowledge
    one_each = bool((np.diff(Y[rows].indptr) == 1).all())
    if stated is None and (calibrated_elsewhere or data.observed is not None):
        stated = Knowledge.SINGLE if one_each else Knowledge.SOME
    train = _labelled(file, data, inputs, rows, name, Y=Y, stated=stated)
    if data.split is None or file.part is not None or calibrated_elsewhere:
        return (train,)
    rows, name = data.split.calibration, "calibration"
    return train, _labelled(file, data, inputs, rows, name, Y=data.Y, stated=file.labels.knowledge)


def rows_like(train: LabelledRows, file: DataFile, *, part: Part) -> LabelledRows:
    """Rows of another file with the features of training rows, to calibrate or choose by.

    Their labels are in columns that bear the names of the training labels, or where the user says
    that labels are. A label that a table lists but training never met is refused: it may be
    misspelt, and its rows would count against the right one.
    """
    return _rows_with(train.inputs, train.labels.classes, file, part=part, advice=_NOT_TRAINED)


def rows_for_model(model: Any, file: DataFile, *, part: Part) -> LabelledRows:
    """Rows with the features that a model takes and the labels it knows.

    ``part`` is taken of a data set that carries a split, unless the user asks for another.
    """
    return _rows_with(Inputs.of(model), model.classes_, file, part=part)


def _rows_with(
    inputs: Inputs, classes: AnyArray, file: DataFile, *, part: Part, advice: str = ""
) -> LabelledRows:
    """Rows with these features and labels; ``advice`` is for labels unknown to training rows."""
    if file.is_table:
        check_whole(file.part, file.name)
        source = file.source()
        labels, notes = table_labels(source, file.labels, classes, advice=advice)
        X = inputs.of_table(source, beside=[*file.ids, *file.labels.columns_of(source, classes)])
        ids = np.asarray(spelt_column(source, file.ids[0])) if file.ids else None
        return LabelledRows(X, labels, inputs, (_sentence(file, labels), *notes), ids)
    data = read_like(inputs, file)
    if file.is_svmlight:
        data = with_labels(data, classes)
    rows, name = part_rows(data, file.part, part)
    read = _labelled(file, data, inputs, rows, name, Y=data.Y, stated=file.labels.knowledge)
    labels = read.labels if advice else in_order(read.labels, classes)
    return LabelledRows(read.X, labels, inputs, read.notes)


def _labelled(
    file: DataFile,
    data: Dataset,
    inputs: Inputs,
    rows: IntArray,
    part: str | None,
    *,
    Y: SparseMatrix,
    stated: Knowledge | None,
) -> LabelledRows:
    one_named = file.is_table and file.labels.tells_one(file.source())
    labels = known_labels(
        Y[rows], data.label_names, one_named=one_named, stated=stated, of=file.name
    )
    said = one_label_note(str(file.labels.listed))  # which the sentence on the labels says too
    notes = [note for note in data.notes if note != said]
    X = inputs.of_table(file.source()) if file.is_table else inputs.of_dataset(data, rows)
    return LabelledRows(X, labels, inputs, (_sentence(file, labels, part), *notes))


def part_rows(data: Dataset, asked: Part | None, usual: Part) -> tuple[IntArray, str | None]:
    """Rows of a part of a data set, and its name; all rows where there are no parts."""
    part = asked or usual
    if data.split is None:
        check_whole(asked, data.name)
    if data.split is None or part == "all":
        return np.arange(data.Y.shape[0]), None
    return getattr(data.split, part), part


def check_whole(part: Part | None, of: str) -> None:
    """Raise if a part is asked for of rows that no split divides.

    Examples
    --------
    >>> from lamc.tables.labelled import check_whole
    >>> check_whole("all", "birds.csv")
    >>> check_whole("test", "birds.csv")
    Traceback (most recent call last):
    ...
    lamc.exceptions.PartError: birds.csv carries no split, so it has no part 'test'.
    Leave out --part to take all rows.
    """
    if part not in (None, "all"):
        raise PartError(
            f"{of} carries no split, so it has no part {part!r}.\n"
            "Leave out --part to take all rows."
        )


def _inputs(file: DataFile, data: Dataset) -> Inputs:
    """Columns that training takes in: of a table as they are, else the features of the data set."""
    features = tuple(data.feature_names.tolist())
    if sparse.issparse(data.X):
        return Inputs(None if is_unnamed(data) else features, len(features), sparse=True)
    if not file.is_table:
        return Inputs(features, len(features))
    columns = column_names(file.source())
    words = frozenset(data.words)
    names = tuple(name for name in columns if name in features or name in words)
    truths = frozenset(
        name
        for name, cells in zip(features, data.X.T, strict=True)
        if name in names and ((cells == 0) | (cells == 1) | np.isnan(cells)).all()
    )
    return Inputs(names, len(names), words, codes=words & {*file.words}, truths=truths)


def _sentence(file: DataFile, labels: Labels, part: str | None = None) -> str:
    rows, _, rest = labels_in_words(labels).partition(" with ")
    return f"Read {rows}{'' if part is None else f' ({part})'} of {file.name} with {rest}."
