"""What a model takes in: which columns of a table, and how words and gaps become numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from lamc.datasets import Dataset
from lamc.datasets.readers.checked import is_unnamed
from lamc.datasets.readers.columns import MISSING
from lamc.exceptions import DatasetError
from lamc.learners.named_columns import NamedColumns
from lamc.rules import Calibrator
from lamc.tables.batches import ArrowTable, check_columns, column_names, whole_table
from lamc.tables.cells import NUMERIC, Kind
from lamc.tables.source import Source
from lamc.types import FloatArray, IntArray, SparseMatrix
from lamc.wording import some, spells_number

Frame: TypeAlias = Any  # a pandas.DataFrame, which has no types of its own

_METHOD, _FILL, _COLUMNS, _NAMES = "method", "fill", "columns", "names"
_NUMBERS, _TRUTHS, _WORDS = "numbers", "truths", "words"


@dataclass(frozen=True)
class Inputs:
    """The columns that a model takes in.

    Attributes
    ----------
    names : tuple of str, or None
        Their names in order; None if the model knows them by position only.
    size : int or None
        How many there are, if that is known.
    words : frozenset of str
        Those that hold words.
    codes : frozenset of str
        Those of them in which NA is a word.
    truths : frozenset of str
        Those that held nothing but 0 and 1 in training, for which no and yes may stand.
    others : Kind
        What the others hold: numbers, or whatever a model made elsewhere takes them for.
    sparse : bool
        Whether the model was trained on sparse rows.
    labels : tuple of str
        What the columns may be named though their position is known only: the labels of a
        calibrator, where these are numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc import Calibrator
    >>> from lamc.tables.features import Inputs
    >>> scores, Y = np.linspace(0, 1, 40).reshape(20, 2), np.ones((20, 2), dtype=int)
    >>> Inputs.of(Calibrator().fit(scores, Y, classes=["elm", "oak"])).names
    ('elm', 'oak')
    """

    names: tuple[str, ...] | None
    size: int | None
    words: frozenset[str] = frozenset()
    others: Kind = Kind.NUMBER
    sparse: bool = False
    codes: frozenset[str] = frozenset()
    truths: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: Any) -> Self:
        """What a fitted model takes: features, or scores if it is a calibrator."""
        if isinstance(model, Calibrator):
            labels = tuple(map(str, model.classes_.tolist()))
            if model.classes_.dtype.kind == "U":
                return cls(labels, len(labels))
            return cls(None, len(labels), labels=labels)
        scorer = model.estimator_
        size = getattr(scorer, "n_features_in_", None)
        known = getattr(scorer, "feature_names_in_", None)
        if known is None:
            return cls(None, size)
        names = tuple(map(str, known))
        if isinstance(scorer, Pipeline) and scorer.steps[0][0] == _NAMES:
            return cls(names, size, sparse=True)
        if not _made_here(scorer):
            return cls(names, size, others=Kind.AS_IS)
        met = words_met(model)
        codes = frozenset(name for name, words in met.items() if words & {*MISSING})
        truths = frozenset(_columns_in(scorer, _TRUTHS))
        return cls(names, size, frozenset(met), codes=codes, truths=truths)

    def columns_of(self, source: Source, *, beside: Sequence[str] = ()) -> dict[str, Kind]:
        """Columns to read of a table, and as what.

        Where only positions are known, all columns but those ``beside`` are taken in their order,
        unless they bear the names of the labels of a calibrator.
        Text files carry no types, so a model made elsewhere gets numbers of them, and 0 and 1 of no
        and yes.
        """
        names = self._by_position(source, beside) if self.names is None else self.names
        if self.names is not None and source.path is not None and source.format != "jsonl":
            check_columns(source, column_names(source), self.names, advice=_ONLY_IN_TRAINING)
        others = self.others
        if others is Kind.AS_IS and source.format != "parquet":
            others = Kind.TRUTH
        kinds = dict.fromkeys(self.words, Kind.WORD) | dict.fromkeys(self.codes, Kind.CODE)
        kinds |= dict.fromkeys(self.truths, Kind.TRUTH)
        return {name: kinds.get(name, others) for name in names}

    def of_table(self, source: Source, *, beside: Sequence[str] = ()) -> Frame:
        """All rows of a table, as the model takes them."""
        columns = self.columns_of(source, beside=beside)
        table = whole_table(source, columns, same_keys=self.takes_all(columns))
        return self.as_input(table, columns)

    def takes_all(self, columns: Mapping[str, Kind]) -> bool:
        """Whether :meth:`columns_of` found all columns of a table, because they go by position."""
        return self.names is None and tuple(columns) != self.labels

    def of_dataset(self, data: Dataset, rows: IntArray) -> Any:
        """Some rows of a data set, as the model takes them: a frame if it knows names.

        Sparse rows stay sparse. Their columns go by name, or by position where the data set has no
        names of its own.
        """
        import pandas as pd

        _refuse_infinite(data, rows)
        by_position = self.sparse and is_unnamed(data) and data.X.shape[1] == self.size
        if self.names is None or by_position:
            if self.size not in (None, data.X.shape[1]):
                raise DatasetError(
                    f"The model was trained on {self.size} features, but {data.name} has "
                    f"{data.X.shape[1]}."
                )
            return data.X[rows]
        position = {name: j for j, name in enumerate(data.feature_names.tolist())}
        missing = [name for name in self.names if name not in position]
        if missing:
            raise DatasetError(
                f"{data.name} has no feature {some(missing)}, which the model takes in.\n"
                f"Its features are {some(data.feature_names.tolist())}."
            )
        order = [position[name] for name in self.names]
        X: Any = data.X[rows] if order == list(range(data.X.shape[1])) else data.X[rows][:, order]
        if self.sparse:
            return X
        return pd.DataFrame(X.toarray() if sparse.issparse(X) else X, columns=list(self.names))

    def as_input(self, table: ArrowTable, columns: Mapping[str, Kind]) -> Any:
        """Converted columns as the model takes them: a frame if it knows names."""
        if self.names is None or self.sparse:
            return number_matrix(table, list(columns))
        return as_frame(table, columns)

    def _by_position(self, source: Source, beside: Sequence[str]) -> list[str]:
        if source.path is None:
            raise DatasetError(
                "The model knows its columns by position only, so they must be counted first.\n"
                "Give a file instead of standard input."
            )
        names = [name for name in column_names(source) if name not in beside]
        names = columns_for(self.labels, source, names)
        if self.size not in (None, len(names)):
            raise DatasetError(
                f"The model takes {self.size} columns, whose names it does not know, but {source} "
                f"has {len(names)}: {some(names)}.\nLeave out the others; what identifies a row is "
                "named by --id."
            )
        return names


def _refuse_infinite(data: Dataset, rows: IntArray) -> None:
    """Raise if a feature of these rows is infinite: no learner can use such a number."""
    if not np.isinf(data.X.data if sparse.issparse(data.X) else data.X).any():
        return
    entries: SparseMatrix = sparse.coo_array(data.X[rows])
    infinite = np.isinf(entries.data)
    if not infinite.any():
        return
    at = int(np.argmax(infinite))
    row, column = (int(axis[at]) for axis in entries.coords)
    raise DatasetError(
        f"{data.name}, row {rows[row]}, counted from 0: the feature "
        f"{str(data.feature_names[column])!r} is {entries.data[at]}, and a finite number is needed."
        "\nWrite one, or say that it is missing."
    )


_ONLY_IN_TRAINING = (
    " A column that new rows do not have is kept out of the model by --id when it is trained."
)


def with_columns(learner: Any, inputs: Inputs) -> Any:
    """Put in front of a learner what makes numbers of the columns of a table.

    A missing number becomes the median of the training rows. A column of words becomes one 0/1
    column for each word of the training rows, a missing word being a word of its own; a word that
    training did not meet is none of them, and a warning says so. Of sparse columns, only the names
    are kept. Where columns have no names, the learner is left as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LogisticRegression
    >>> from lamc.tables.features import Inputs, with_columns
    >>> rows = pd.DataFrame({"height": [20, None, 2], "leaf": ["round", "long", "long"]})
    >>> inputs = Inputs(("height", "leaf"), 2, words=frozenset({"leaf"}))
    >>> pipeline = with_columns(LogisticRegression(), inputs).fit(rows, ["oak", "elm", "ash"])
    >>> pipeline[:-1].transform(rows)
    array([[20.,  0.,  1.],
           [11.,  1.,  0.],
           [ 2.,  1.,  0.]])
    """
    if inputs.names is None:
        return learner
    if inputs.sparse:
        return Pipeline([(_NAMES, NamedColumns(np.array(inputs.names))), (_METHOD, learner)])
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    if not (inputs.words or inputs.truths):
        return Pipeline([(_FILL, fill), (_METHOD, learner)])
    encode = OneHotEncoder(handle_unknown="warn", sparse_output=False)
    numbers = [name for name in inputs.names if name not in inputs.words | inputs.truths]
    truths, words = (
        [name for name in inputs.names if name in columns]
        for columns in (inputs.truths, inputs.words)
    )
    parts = [(_NUMBERS, fill, numbers), (_TRUTHS, clone(fill), truths), (_WORDS, encode, words)]
    found = ColumnTransformer([part for part in parts if part[2]])
    return Pipeline([(_COLUMNS, found), (_METHOD, learner)])


def columns_for(labels: Sequence[str], source: Source, names: Sequence[str]) -> list[str]:
    """Columns that bear the names of labels, in their order; all columns if none does.

    Examples
    --------
    >>> from lamc.tables.features import columns_for
    >>> from lamc.tables.source import source_of
    >>> columns_for(["10", "20"], source_of("-"), ["20", "10"])
    ['10', '20']
    >>> columns_for(["10", "20"], source_of("-"), ["oak", "elm"])
    ['oak', 'elm']
    >>> columns_for(["10", "20"], source_of("-"), ["oak", "10"])
    Traceback (most recent call last):
    ...
    lamc.exceptions.DatasetError: standard input has a column for '10', but none for '20'.
    Name a column for each label, or none.
    """
    known = set(names)
    borne = [label for label in labels if label in known]
    if labels and len(borne) == len(labels):
        return borne
    check_header(source, names)
    if borne:
        lacking = [label for label in labels if label not in known]
        raise DatasetError(
            f"{source} has a column for {some(borne)}, but none for {some(lacking)}.\n"
            "Name a column for each label, or none."
        )
    return list(names)


def check_header(source: Source, names: Sequence[str]) -> None:
    """Raise if the names of columns that go by position are a row of numbers.

    Then a CSV file has no header. Whole numbers that rise are names: 0, 1, 2 as pandas gives them.

    Examples
    --------
    >>> from lamc.tables.features import check_header
    >>> from lamc.tables.source import source_of
    >>> check_header(source_of("-"), ["0", "1", "2"])
    >>> check_header(source_of("-"), ["0.91", "0.3"])
    Traceback (most recent call last):
    ...
    lamc.exceptions.DatasetError: The first row of standard input is '0.91', '0.3', which are ...
    """
    whole = [int(name) for name in names if name.isdecimal()]
    rising = len(whole) == len(names) and whole == sorted(set(whole))
    if source.format == "csv" and not rising and all(map(spells_number, names)):
        raise DatasetError(
            f"The first row of {source} is {some(names)}, which are numbers and no names of "
            "columns.\nPut a row of names above it."
        )


def learner_of(estimator: Any) -> Any:
    """The learner behind the steps in front of it."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def fills_gaps(model: Any) -> bool:
    """Whether a model makes numbers of the columns of a table by :func:`with_columns`.

    Examples
    --------
    >>> from lamc import LAMC
    >>> from lamc.tables.features import fills_gaps
    >>> fills_gaps(LAMC(lambda X: X))
    False
    """
    return _made_here(getattr(model, "estimator_", None))


def words_met(model: Any) -> dict[str, set[Any]]:
    """Words that the training of a model met, by column; NaN among them where one was missing.

    Examples
    --------
    >>> import pandas as pd
    >>> from types import SimpleNamespace
    >>> from sklearn.dummy import DummyClassifier
    >>> from lamc.tables.features import Inputs, with_columns, words_met
    >>> rows = pd.DataFrame({"leaf": ["long", "long"]})
    >>> inputs = Inputs(("leaf",), 1, words=frozenset({"leaf"}))
    >>> scorer = with_columns(DummyClassifier(), inputs).fit(rows, ["oak", "elm"])
    >>> words_met(SimpleNamespace(estimator_=scorer))
    {'leaf': {'long'}}
    """
    scorer: Any = getattr(model, "estimator_", None)
    words = _columns_in(scorer, _WORDS)
    if not words:
        return {}
    encoder = scorer.steps[0][1].named_transformers_[_WORDS]
    met = zip(words, encoder.categories_, strict=True)
    return {name: set(known.tolist()) for name, known in met}


def as_frame(table: ArrowTable, columns: Mapping[str, Kind]) -> Frame:
    """Put converted columns into a DataFrame.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from lamc.tables.cells import Kind
    >>> from lamc.tables.features import as_frame
    >>> table = pa.table({"height": [20.0, None], "leaf": ["round", None]})
    >>> as_frame(table, {"height": Kind.NUMBER, "leaf": Kind.WORD})
       height   leaf
    0    20.0  round
    1     NaN    NaN
    """
    import pandas as pd

    if all(kind in NUMERIC for kind in columns.values()):
        return pd.DataFrame(number_matrix(table, list(columns)), columns=list(columns))
    return pd.DataFrame({name: _cells(table, name, kind) for name, kind in columns.items()})


def number_matrix(table: ArrowTable, names: Sequence[str]) -> FloatArray:
    """Columns of numbers as one float64 matrix, NaN where a number is missing."""
    matrix = np.empty((table.num_rows, len(names)))
    for position, name in enumerate(names):
        matrix[:, position] = table.column(name).to_numpy()
    return matrix


def _cells(table: ArrowTable, name: str, kind: Kind) -> Any:
    """Cells of a column; a missing word is NaN, as scikit-learn's encoder knows it."""
    if kind not in (Kind.WORD, Kind.CODE):
        return table.column(name).to_pandas()
    words = table.column(name).to_pylist()
    return np.asarray([np.nan if word is None else word for word in words], dtype=object)


def _made_here(scorer: Any) -> bool:
    return isinstance(scorer, Pipeline) and scorer.steps[0][0] in (_FILL, _COLUMNS)


def _columns_in(scorer: Any, part: str) -> list[str]:
    """Columns of a part of what :func:`with_columns` put in front."""
    if not _made_here(scorer) or scorer.steps[0][0] != _COLUMNS:
        return []
    parts = scorer.steps[0][1].transformers
    return [name for found, _, names in parts if found == part for name in names]
