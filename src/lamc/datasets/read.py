"""Read a data set from a file, whatever its format."""

import inspect
import lzma
import os
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lamc.datasets.dataset import Dataset
from lamc.datasets.readers.arff import read_arff
from lamc.datasets.readers.files import OPENERS, first_bytes, kind_of
from lamc.datasets.readers.mat import read_mat, v73_error
from lamc.datasets.readers.npz import read_npz
from lamc.datasets.readers.svmlight import read_svmlight
from lamc.datasets.readers.table import read_csv, read_json_lines, read_parquet
from lamc.exceptions import DatasetError


@dataclass(frozen=True)
class _Format:
    """A file format: its endings, its reader, and what its first bytes may show."""

    title: str
    endings: tuple[str, ...]
    reader: Callable[..., Dataset]
    kinds: tuple[str, ...]

    @property
    def options(self) -> set[str]:
        """Names of what the reader can be told."""
        return set(inspect.signature(self.reader).parameters) - {"path"}


_FORMATS = {
    "arff": _Format("ARFF", (".arff",), read_arff, ("text",)),
    "mat": _Format("MATLAB", (".mat",), read_mat, ("a MATLAB file", "a binary file")),
    "svmlight": _Format("svmlight", (".svm", ".svmlight", ".libsvm"), read_svmlight, ("text",)),
    "csv": _Format("CSV", (".csv", ".tsv"), read_csv, ("text",)),
    "parquet": _Format("Parquet", (".parquet", ".pq"), read_parquet, ("a Parquet file",)),
    "jsonl": _Format("JSON lines", (".jsonl", ".ndjson"), read_json_lines, ("text",)),
    "npz": _Format("LAMC", (".npz",), read_npz, ("a zip archive",)),
}


def read(
    path: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | Sequence[str] | None = None,
    label_column: str | None = None,
    separator: str | None = None,
    id_column: str | Sequence[str] | None = None,
    words: str | Sequence[str] | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    n_features: int | None = None,
    n_labels: int | None = None,
    zero_based: bool | None = None,
    file_format: str | None = None,
    name: str | None = None,
) -> Dataset:
    r"""Read a data set from a file.

    The ending of the name tells the format. Text files may be packed (``.gz``, ``.bz2``,
    ``.xz``). Nothing that is read runs code: pickles are refused.

    ==================  =======================================  ================================
    format              where its labels are                     what it can be told
    ==================  =======================================  ================================
    ``.arff``           Mulan's XML beside it, MEKA's ``-C n``   labels, id_column, encoding
                        in ``@relation``, or as ``labels`` says
    ``.csv``, ``.tsv``  in the columns ``labels``, or listed in  labels, label_column, separator,
                        ``label_column``                         id_column, words, delimiter,
                                                                 decimal, encoding
    ``.parquet``        likewise                                 labels, label_column, separator,
                                                                 id_column, words
    ``.jsonl``          likewise; one object a line              labels, label_column, separator,
                                                                 id_column, words, encoding
    ``.svm``            in front of each row, as integers        n_features, n_labels, zero_based
    ``.mat``            in ``Y``, with ``Y_obs``, the split and
                        the ``label_names`` if there are any
    ``.npz``            where :func:`write_npz` put them
    ==================  =======================================  ================================

    Numbers become features as they are, and missing ones NaN. A nominal column becomes one 0/1
    column if it has two values, else one column ``name=value`` for each. An ARFF file declares
    what is nominal; in a table it is text with at most 20 values, each seen twice on average, or
    with values that read as false and true, and NA and the like are missing as a blank is. Other
    text and dates are left out, and ``Dataset.notes`` says so. Text of which nearly all values are
    numbers is refused, for a decimal comma or a ``?`` would make words of a column of numbers. A
    label is 0 or 1, false or true, no or yes; a missing or other value is refused.

    Parameters
    ----------
    path : str or path
        The file.
    labels : str, path, or list of str, optional
        Of an ARFF file, the path of Mulan's XML, or the names of the label attributes. Of a
        table, the names of the label columns; with ``label_column``, all labels there are, seen
        or not. A list sets the order of the labels. Labels from an XML are in the order of the
        ARFF file, which other copies of the same data share; the XML's own may differ.
    label_column : str, optional
        The one column of a table that holds the labels of a row: one label, several with a
        separator between, or in Parquet and JSON a list.
    separator : str, optional
        What stands between the labels in ``label_column``. Without it a cell is one label.
    id_column : str or list of str, optional
        Columns that identify a row, and are no features.
    words : str or list of str, optional
        Columns of a table that hold words, also where these are whole numbers, many, or NA.
    delimiter : str, optional
        What stands between the values of a CSV file: a comma, or in ``.tsv`` a tab.
    decimal : {".", ","}, optional
        The decimal mark of numbers in a CSV file; a point unless it is said.
    encoding : str, optional
        Of a text file; UTF-8 unless it is said.
    n_features, n_labels : int, optional
        Of an svmlight file, where a part of a data set does not show them all. Labels then are
        0, …, ``n_labels`` − 1; otherwise those that occur.
    zero_based : bool, optional
        Whether the features of an svmlight file count from 0 and not from 1. Without it they do if
        index 0 occurs; where ``n_features`` is given and the indices that occur fit both ways, it
        has to be said. With the line ``rows features labels`` on top they always count from 0.
    file_format : {"arff", "mat", "svmlight", "csv", "parquet", "jsonl", "npz"}, optional
        For a file whose name does not tell.
    name : str, optional
        What to call the data set; the name of the file unless it is said.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetError
        If the file is missing, damaged or of another kind, or does not say what is needed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from lamc.datasets import read
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "sky.csv"
    ...     _ = path.write_text("warmth,wind,tags\n21,3,sun\n9,7,rain;storm\n15,4,sun;rain\n")
    ...     data = read(path, label_column="tags", separator=";")
    >>> data
    Dataset 'sky': 3 rows, 2 features, 3 labels, 1.7 labels a row
    >>> data.label_names.tolist()
    ['rain', 'storm', 'sun']
    """
    path = Path(path)
    given: dict[str, Any] = {
        "labels": _path_or_list(labels, "labels"),
        "label_column": label_column,
        "separator": separator,
        "id_column": _path_or_list(id_column, "id_column"),
        "words": _path_or_list(words, "words"),
        "delimiter": delimiter,
        "decimal": decimal,
        "encoding": encoding,
        "n_features": n_features,
        "n_labels": n_labels,
        "zero_based": zero_based,
    }
    options = {option: value for option, value in given.items() if value is not None}
    try:
        head = first_bytes(path)
        format_ = _FORMATS[format_name(path, file_format)]
        _check_options(path, format_, options)
        _check_kind(path, format_, kind_of(head))
        data = format_.reader(path, **options)
    except UnicodeError as error:
        raise DatasetError(
            f"{path} is not {encoding or 'UTF-8'} text: {error}.\n"
            "Say which encoding the file has, for example encoding='latin-1'."
        ) from error
    except MemoryError as error:
        raise DatasetError(
            f"{path} needs more memory than there is, or is damaged: {error}."
        ) from error
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise DatasetError(
            f"{path} cannot be read: {error}.\nCheck that it is whole, and that you may read it."
        ) from error
    return data if name is None else replace(data, name=name)


def _path_or_list(names: Any, option: str) -> Any:
    """Make a list of an array or an index of names."""
    if names is None or isinstance(names, (str, os.PathLike)):
        return names
    try:
        return list(names)
    except TypeError:
        raise DatasetError(f"{option}={names!r} is no list of names.") from None


def format_name(path: Path, file_format: str | None = None) -> str:
    """Name of the format of a file: as said, or as the ending of its name tells.

    Examples
    --------
    >>> from pathlib import Path
    >>> from lamc.datasets.read import format_name
    >>> format_name(Path("birds.tsv.gz")), format_name(Path("rcv1.txt"), "svmlight")
    ('csv', 'svmlight')
    """
    packed = path.suffix.lower() in OPENERS
    ending = (path.with_suffix("") if packed else path).suffix.lower()
    if file_format is not None and file_format not in _FORMATS:
        raise DatasetError(
            f"file_format={file_format!r} is not known; these are: {', '.join(_FORMATS)}."
        )
    for name, format_ in _FORMATS.items():
        if file_format == name or (file_format is None and ending in format_.endings):
            if packed and "text" not in format_.kinds:
                raise DatasetError(f"{path} is packed; unpack it first, and read what comes out.")
            return name
    endings = ", ".join(ending for format_ in _FORMATS.values() for ending in format_.endings)
    raise DatasetError(
        f"The name of {path} does not tell its format; these endings do: {endings}.\n"
        f"Say it: file_format='csv', or another of {', '.join(_FORMATS)}."
    )


def _check_options(path: Path, format_: _Format, options: dict[str, Any]) -> None:
    for option in options:
        if option not in format_.options:
            takers = [other.title for other in _FORMATS.values() if option in other.options]
            raise DatasetError(
                f"{path} is read as a file of format {format_.title}, for which {option}= means "
                f"nothing; it is for {', '.join(takers)}.\nLeave it out."
            )
    if "encoding" in options:
        try:
            "".encode(options["encoding"])
        except LookupError as error:
            raise DatasetError(f"{error}; write for example encoding='latin-1'.") from error


def _check_kind(path: Path, format_: _Format, kind: str) -> None:
    if format_.title == "MATLAB" and kind in ("a MATLAB 7.3 file", "an HDF5 file"):
        raise v73_error(path)
    if kind not in format_.kinds:
        raise DatasetError(
            f"{path} is {kind} by its first bytes, not a file of format {format_.title}.\n"
            "Check where it comes from; if only its name is wrong, say file_format=…."
        )
