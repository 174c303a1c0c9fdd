"""Estimators as bytes, by skops: objects are rebuilt from types that are known, and no others.

A learner of this package is kept like any scikit-learn estimator. What it learnt must be numbers,
strings, arrays, and lists and dicts of them, or be made so by ``__getstate__`` and put back by
``__setstate__``.
"""

import json
import warnings
from collections.abc import Iterable, Iterator
from copy import copy
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from sklearn import __version__
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from lamc.exceptions import StorageError, held_back, warn
from lamc.storage.archive import unzipped, zipped
from lamc.storage.contents import check_contents

_SCHEMA = "schema.json"
_SPARSE = "SparseMatrixNode"  # its part is read as a zip, whatever it starts with
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")  # what numpy takes for a zip in any other part
_LEARNERS = "lamc.learners."
# What scikit-learn's classifiers and the usual steps before them hold besides the types that skops
# trusts by itself. Each only keeps numbers, or is a function of arrays; any of them may be called.
_KERNELS = (
    "CompoundKernel ConstantKernel DotProduct ExpSineSquared Exponentiation Matern Product RBF "
    "RationalQuadratic Sum WhiteKernel"
)
TRUSTED = frozenset(
    {
        "functools.partial",  # of functions that are trusted themselves
        "numpy.dtype",
        "scipy.sparse._csc.csc_array",
        "scipy.sparse._csc.csc_matrix",
        "scipy.sparse._csr.csr_array",
        "scipy.sparse._csr.csr_matrix",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.calibration._TemperatureScaling",
        "sklearn.compose._column_transformer._RemainderColsList",  # of scikit-learn before 1.7
        "sklearn.compose._column_transformer.make_column_selector",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",  # see contents.py
        "sklearn.feature_selection._univariate_selection.chi2",
        "sklearn.feature_selection._univariate_selection.f_classif",
        "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
        "sklearn.metrics._scorer._PassthroughScorer",
        "sklearn.model_selection._split.KFold",
        "sklearn.model_selection._split.StratifiedKFold",
        "sklearn.multiclass._ConstantPredictor",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
        "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
        "sklearn.tree._tree.Tree",  # see contents.py
        "sklearn.utils._bunch.Bunch",
        "sklearn.utils._metadata_requests.MetadataRequest",  # kept before scikit-learn 1.8
        "sklearn.utils._metadata_requests.MethodMetadataRequest",
        "sklearn.utils.validation.check_array",
        *(f"sklearn.gaussian_process.kernels.{name}" for name in _KERNELS.split()),
    }
)


def pack_estimators(estimators: dict[str, Any]) -> bytes:
    """Named estimators as bytes, the same for the same estimators."""
    from skops import io

    try:
        dumped = io.dumps({name: _as_kept(each) for name, each in estimators.items()})
    except Exception as error:  # what an object does when asked for its state is up to it
        raise StorageError(str(error)) from error
    return _renumbered(dumped)


def unpack_estimators(data: bytes, trusted: Iterable[str]) -> dict[str, Any]:
    """Undo :func:`pack_estimators`, if every type in it is known or named by ``trusted``."""
    from skops import io

    types = types_in(data)
    refused = sorted(name for name in types - {*trusted} if not is_known(name))
    if refused:
        raise StorageError(
            f"it holds {', '.join(refused)}, which LAMC does not know to be harmless.\n"
            f"If you trust whoever made the file: load(path, trusted={refused})."
        )
    try:
        with held_back(category=InconsistentVersionWarning) as said:
            loaded = io.loads(data, trusted=[*types])
        check_contents(loaded)
    except StorageError:
        raise
    except Exception as error:  # a damaged or forged dump fails wherever it is looked at
        raise StorageError(f"its estimator cannot be rebuilt ({error}).") from error
    if not isinstance(loaded, dict):
        raise StorageError("its estimator cannot be rebuilt (it has no name).")
    _tell(said)
    return loaded


def _tell(said: Iterable[warnings.WarningMessage]) -> None:
    """Warn once if parts were made by another scikit-learn."""
    messages = (each.message for each in said)
    others = {
        message.original_sklearn_version
        for message in messages
        if isinstance(message, InconsistentVersionWarning)
    }
    if others:
        warn(
            f"The model was saved with scikit-learn {', '.join(sorted(others))}, and {__version__} "
            "is installed. It may fail, or answer otherwise than it did.\nInstall that version, "
            "or train again."
        )


def types_in(data: bytes) -> set[str]:
    """Types and functions in such bytes, besides those that skops trusts by itself."""
    from skops import io

    try:
        _refuse_copies(data)
        return {*io.get_untrusted_types(data=data)}
    except StorageError:
        raise
    except Exception as error:
        raise StorageError(f"its estimator cannot be read ({error}).") from error


def is_known(name: str) -> bool:
    """Whether a type is trusted without being named: listed here, or a learner of this package.

    Examples
    --------
    >>> from lamc.storage.estimators import is_known
    >>> is_known("sklearn.tree._tree.Tree"), is_known("os.system")
    (True, False)
    """
    module, _, type_name = name.rpartition(".")
    if name in TRUSTED or not module.startswith(_LEARNERS):
        return name in TRUSTED
    try:
        found = getattr(import_module(module), type_name, None)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and module.startswith(str(error.name)):
            return False  # there is no such learner
        raise StorageError(
            f"it holds {name}, which cannot be imported here ({error}). Mend the installation."
        ) from error
    return isinstance(found, type) and issubclass(found, BaseEstimator)


def _as_kept(estimator: Any) -> Any:
    """An estimator as a file can hold it, also as the last of steps.

    A Network is without its module, and a learner without its checkpoint: a folder of this machine.
    """
    if isinstance(estimator, FrozenEstimator):
        return FrozenEstimator(_as_kept(estimator.estimator))
    if isinstance(estimator, Pipeline):
        *before, (name, last) = estimator.steps
        kept = copy(estimator)
        kept.steps = [*before, (name, _as_kept(last))]
        return kept
    kept = estimator.without_code() if hasattr(estimator, "without_code") else copy(estimator)
    if type(kept).__module__.startswith(_LEARNERS) and hasattr(kept, "checkpoint"):
        kept.checkpoint = None
    return kept


def _renumbered(dumped: bytes) -> bytes:
    """Number the objects of a dump as they come, not by their place in memory."""
    members = unzipped(BytesIO(dumped))
    schema = json.loads(members[_SCHEMA])
    numbers: dict[int, int] = {}
    files: dict[str, str] = {}
    for node in _nodes(schema):
        node["__id__"] = numbers.setdefault(node["__id__"], len(numbers) + 1)
        if "file" in node:
            name = node["file"]
            node["file"] = files.setdefault(name, f"{len(files)}{Path(name).suffix}")
    parts = {new: _uncompressed(old, members[old]) for old, new in files.items()}
    return zipped({_SCHEMA: json.dumps(schema).encode()} | parts)


def _uncompressed(name: str, data: bytes) -> bytes:
    """Member of a dump; of a sparse matrix, the same zip without its compression."""
    if not name.endswith(".npz"):
        return data
    with ZipFile(BytesIO(data)) as archive:
        return zipped({part: archive.read(part) for part in archive.namelist()})


def _refuse_copies(data: bytes) -> None:
    """Raise if a dump unpacks to more than it holds: by compression, or by reading a part twice."""
    members = unzipped(BytesIO(data))
    nodes = [node for node in _nodes(json.loads(members[_SCHEMA])) if "file" in node]
    owners: dict[str, Any] = {}
    for node in nodes:
        owner = node.get("__id__") or object()
        if owners.setdefault(node["file"], owner) != owner:
            raise StorageError("two objects of its estimator share a part.")
    matrices = {node["file"] for node in nodes if node["__loader__"] == _SPARSE}
    for name, member in members.items():
        if name in matrices or member.startswith(_ZIP_STARTS):
            unzipped(BytesIO(member))


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Objects in a skops schema, from the outside in."""
    if isinstance(schema, dict):
        if isinstance(schema.get("__loader__"), str):
            yield schema
        for value in schema.values():
            yield from _nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _nodes(value)
