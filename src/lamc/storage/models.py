"""Save a model to one file, and load it without running anything that is in the file."""

import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from safetensors.numpy import load as unpack_arrays
from safetensors.numpy import save as pack_arrays
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import lamc
from lamc.classifier import LAMC
from lamc.exceptions import StorageError
from lamc.files import whole_file
from lamc.rules import Calibrator
from lamc.scoring import is_function
from lamc.storage.archive import unzipped, zipped
from lamc.storage.calibrators import (
    pack_calibrator,
    pack_parameters,
    unpack_calibrator,
    unpack_parameters,
)
from lamc.storage.estimators import pack_estimators, types_in, unpack_estimators
from lamc.storage.facts import (
    Arrays,
    Facts,
    decode_classes,
    encode_classes,
    fact,
    vector,
)

_FORMAT = "LAMC model"
_VERSION = 1
_VERSIONS = {
    "lamc": lamc.__version__,
    "numpy": np.__version__,
    "scikit-learn": sklearn.__version__,
}
_MANIFEST, _ARRAYS, _ESTIMATOR = "manifest.json", "arrays.safetensors", "estimator.skops"
_LAMC, _LAMC_OF_FUNCTION, _CALIBRATOR = "LAMC", "LAMC with a function", "Calibrator"
_ADVICE = (
    "\nClasses and functions that it is made of must be importable by name. The thresholds can be "
    "saved without it: model.calibrator_.save(path)."
)


def save(model: LAMC | Calibrator, path: str | Path) -> None:
    """Write a fitted model to one file, from which :func:`load` gives it back.

    The file is written whole or not at all, the same model gives the same bytes, and they hold no
    time, host name or path. A model that could not be loaded again is not written.

    Parameters
    ----------
    model : LAMC or Calibrator
        A fitted model. If it scores by a function, the file holds everything but the function.
    path : str or path
        Where to; a file that is there is replaced.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from lamc import Calibrator
    >>> from lamc.storage import load, save
    >>> scores, Y = np.linspace(0, 1, 40).reshape(20, 2), np.ones((20, 2), dtype=int)
    >>> calibrator = Calibrator(alpha=0.1).fit(scores, Y)
    >>> with TemporaryDirectory() as folder:
    ...     save(calibrator, Path(folder) / "thresholds.lamc")
    ...     loaded = load(Path(folder) / "thresholds.lamc")
    >>> bool((loaded.thresholds_ == calibrator.thresholds_).all())
    True
    """
    parts = _packed(model)
    scorer = getattr(model, "estimator_", None)
    trusted = types_in(parts[_ESTIMATOR]) if _ESTIMATOR in parts else ()
    try:
        _unpacked(parts, scorer if is_function(scorer) else None, trusted)
    except StorageError as error:
        advice = _ADVICE if _ESTIMATOR in parts else ""
        raise StorageError(f"The model could not be loaded again: {error}{advice}") from error
    with whole_file(Path(path)) as part:
        part.write_bytes(zipped(parts))


def load(path: str | Path, *, estimator: Any = None, trusted: Iterable[str] = ()) -> Any:
    """Read a model from a file of :func:`save`.

    Nothing in the file is run. Objects in it are rebuilt if their type is one that LAMC, skops or
    the caller trusts. As with any model from a stranger, the predictions may still be wrong on
    purpose, and a file made for it may make scikit-learn's compiled parts crash.

    Parameters
    ----------
    path : str or path
        The file.
    estimator : function, optional
        The scoring function, for a model that was saved with one.
    trusted : list of str
        Types to rebuild besides those that are known to be harmless, such as
        ``"mypackage.MyClassifier"``. The error that refuses a file names those it needs.

    Returns
    -------
    LAMC or Calibrator
        The model as it was when it was saved.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from lamc import LAMC
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.storage import load
    >>> data = digit_scenes(200, random_state=0)
    >>> train, cal = data.split.train, data.split.calibration
    >>> y = observe(data.Y[train], random_state=0)
    >>> clf = LAMC(alpha=0.2).fit(data.X[train], y, X_cal=data.X[cal], Y_cal=data.Y[cal])
    >>> with TemporaryDirectory() as folder:
    ...     clf.save(Path(folder) / "digits.lamc")
    ...     same = load(Path(folder) / "digits.lamc")
    >>> bool((same.decide(data.X) == clf.decide(data.X)).all())
    True
    """
    path = Path(path)
    named = {trusted} if isinstance(trusted, str) else {*trusted}
    try:
        return _unpacked(_read(path), estimator, named)
    except StorageError as error:
        raise StorageError(f"{path} cannot be loaded: {error}") from error
    except (RecursionError, TypeError, ValueError) as error:
        raise StorageError(
            f"{path} cannot be loaded: what it says of itself does not fit together ({error})."
        ) from error


def _read(path: Path) -> dict[str, bytes]:
    if path.is_dir():
        raise StorageError("it is a folder; give the file in it.")
    try:
        with path.open("rb") as stream:
            return unzipped(stream)
    except OSError as error:
        raise StorageError(f"{error.strerror or error}.") from error


def _packed(model: LAMC | Calibrator) -> dict[str, bytes]:
    """Make the parts of a model's file."""
    if type(model) not in (LAMC, Calibrator):
        raise StorageError(
            f"{type(model).__name__} is neither LAMC nor Calibrator, the models that can be saved."
        )
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise StorageError(
            f"This {type(model).__name__} is not fitted, so there is nothing to save but its "
            "parameters.\nFit it first; get_params() gives the parameters."
        ) from error
    facts, arrays = pack_calibrator(model) if isinstance(model, Calibrator) else _pack_lamc(model)
    kind = _kind(model)
    manifest = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": kind,
        "written_with": _VERSIONS,
        "model": facts,
    }
    parts = {
        _MANIFEST: json.dumps(manifest, allow_nan=False).encode(),
        _ARRAYS: pack_arrays({n: np.ascontiguousarray(a) for n, a in arrays.items()}),
    }
    return parts | ({_ESTIMATOR: _pack_scorer(model)} if kind == _LAMC else {})


def _unpacked(parts: dict[str, bytes], function: Any, trusted: Collection[str]) -> Any:
    """Undo :func:`_packed`."""
    manifest = _manifest(parts)
    kind = fact(manifest, "kind", str)
    if kind not in (_LAMC, _LAMC_OF_FUNCTION, _CALIBRATOR):
        raise StorageError(f"it holds a {kind!r:.60}, which is neither LAMC nor Calibrator.")
    expected = {_MANIFEST, _ARRAYS} | ({_ESTIMATOR} if kind == _LAMC else set())
    if parts.keys() != expected:
        odd = ", ".join(repr(name) for name in sorted(parts.keys() ^ expected))
        raise StorageError(f"it lacks these parts, or has them in vain: {odd}.")
    _check_function(function, kind)
    facts, arrays = fact(manifest, "model", dict), _arrays(parts[_ARRAYS])
    if kind == _CALIBRATOR:
        return unpack_calibrator(facts, arrays)
    if kind == _LAMC_OF_FUNCTION:
        return _unpack_lamc(facts, arrays, function, function)
    return _unpack_lamc(facts, arrays, *_unpack_scorer(parts[_ESTIMATOR], trusted, manifest))


def _kind(model: LAMC | Calibrator) -> str:
    if isinstance(model, Calibrator):
        return _CALIBRATOR
    return _LAMC_OF_FUNCTION if is_function(model.estimator_) else _LAMC


def _manifest(parts: dict[str, bytes]) -> Facts:
    """Read what a file says of itself, if this version of LAMC understands it."""
    try:
        manifest = json.loads(parts.get(_MANIFEST, b""), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise StorageError(
            "it has no manifest that can be read; save() did not write it."
        ) from error
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise StorageError("its manifest is not that of a LAMC model; save() did not write it.")
    version = fact(manifest, "version", int)
    if version > _VERSION:
        raise StorageError(
            f"it was written by a newer LAMC, in format {version}; this one reads format "
            f"{_VERSION}.\nInstall that LAMC or a later one."
        )
    if version < 1:
        raise StorageError(f"its manifest gives {version} for 'version'.")
    return manifest


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _arrays(data: bytes) -> Arrays:
    try:
        return {name: array.copy() for name, array in unpack_arrays(data).items()}
    except Exception as error:  # safetensors has its own errors, and lets numpy's through
        raise StorageError(f"its arrays cannot be read ({error}).") from error


def _pack_lamc(model: LAMC) -> tuple[Facts, Arrays]:
    calibrator, arrays = pack_calibrator(model.calibrator_)
    parameters = model.get_params(deep=False)
    del parameters["estimator"]
    facts = {
        **pack_parameters(parameters, model.classes_),
        "classes": encode_classes(model.classes_),
        "by_position": model.by_position_,
        "in_order": model.in_order_,
        "calibrator": calibrator,
    }
    return facts, arrays | {
        "training_rows": model.training_rows_,
        "calibration_rows": model.calibration_rows_,
    }


def _unpack_lamc(facts: Facts, arrays: Arrays, estimator: Any, fitted: Any) -> LAMC:
    names = set(LAMC().get_params(deep=False)) - {"estimator"}
    classes = decode_classes(facts)
    model = LAMC(estimator, **unpack_parameters(facts, names, classes))
    model.estimator_ = fitted
    model.classes_ = classes
    model.by_position_ = fact(facts, "by_position", bool)
    model.in_order_ = fact(facts, "in_order", bool)
    model.training_rows_ = vector(arrays, "training_rows", "u")
    model.calibration_rows_ = vector(arrays, "calibration_rows", "u")
    model.calibrator_ = unpack_calibrator(fact(facts, "calibrator", dict), arrays)
    if len(model.classes_) != len(model.calibrator_.classes_):
        raise StorageError("its estimator and its calibrator have different labels.")
    return model


def _pack_scorer(model: Any) -> bytes:
    try:
        return pack_estimators({"given": model.estimator, "fitted": model.estimator_})
    except StorageError as error:
        raise StorageError(f"The estimator cannot be saved: {error}{_ADVICE}") from error


def _unpack_scorer(data: bytes, trusted: Collection[str], manifest: Facts) -> tuple[Any, Any]:
    try:
        estimators = unpack_estimators(data, trusted)
    except StorageError as error:
        written_with = manifest.get("written_with")
        if written_with == _VERSIONS:
            raise
        raise StorageError(
            f"{error}\nIt was written with {written_with}; this is {_VERSIONS}."
        ) from error
    if estimators.keys() != {"given", "fitted"}:
        raise StorageError("its estimator is not complete.")
    return estimators["given"], estimators["fitted"]


def _check_function(function: Any, kind: str) -> None:
    if kind == _LAMC_OF_FUNCTION and not is_function(function):
        raise StorageError(
            "it was saved with a scoring function, which a file cannot hold.\n"
            "Pass the function again: load(path, estimator=function)."
        )
    if kind != _LAMC_OF_FUNCTION and function is not None:
        raise StorageError("its model needs no function: leave estimator= out.")
