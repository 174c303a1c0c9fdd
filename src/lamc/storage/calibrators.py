"""A fitted calibrator as facts and arrays, and back."""

from dataclasses import fields
from typing import Any

import numpy as np

from lamc.exceptions import CalibrationError, StorageError
from lamc.labels import Knowledge
from lamc.rules import Calibrator
from lamc.rules.evidence import Evidence
from lamc.rules.levels import in_order_of_labels
from lamc.rules.ranks import SortedScores
from lamc.rules.settings import Settings
from lamc.rules.thresholds import CALIBRATED, POOLED, REASONS, UNCALIBRATED
from lamc.storage.facts import (
    Arrays,
    Facts,
    decode_classes,
    decode_parameters,
    encode_classes,
    encode_parameters,
    fact,
    vector,
)
from lamc.types import AnyArray

# Stored by their number.
_STATUS = np.array([CALIBRATED, POOLED, UNCALIBRATED])
_REASON = np.array(REASONS)
_NONE = type(None)
_BY_NAME = "levels_by_name"  # said only where it is so


def pack_calibrator(calibrator: Calibrator) -> tuple[Facts, Arrays]:
    """Everything that a fitted calibrator knows."""
    evidence = calibrator.evidence_
    facts = {
        **pack_parameters(calibrator.get_params(deep=False), calibrator.classes_),
        "fitted_with": encode_parameters(vars(calibrator.settings_)),
        "classes": encode_classes(calibrator.classes_),
        "knowledge": calibrator.knowledge_.value,
        "seed": calibrator.seed_,
        "most_labels": calibrator.most_labels_,
        "n_rows": evidence.n_rows,
        "promise": calibrator.promise_,
        "assumption": calibrator.assumption_,
        "candidates_only": evidence.candidates_only,
    }
    arrays = {
        "thresholds": calibrator.thresholds_,
        "absence_thresholds": calibrator.absence_thresholds_,
        "n_positives": calibrator.n_positives_,
        "status": _numbers(calibrator.status_, _STATUS),
        "reason": _numbers(calibrator.reason_, _REASON),
        "rows": evidence.rows,
        "weights": evidence.weights,
        "heaviest": None if evidence.heaviest is None else np.array([evidence.heaviest]),
        **_pack_scores("positives", evidence.positives),
        **_pack_scores("negatives", evidence.negatives),
        **_pack_scores("reference", evidence.reference),
    }
    return facts, {name: array for name, array in arrays.items() if array is not None}


def unpack_calibrator(facts: Any, arrays: Arrays) -> Calibrator:
    """Undo :func:`pack_calibrator`, or say what does not fit together."""
    classes = decode_classes(facts)
    k = len(classes)
    names = set(Calibrator().get_params(deep=False))
    calibrator = Calibrator(**unpack_parameters(facts, names, classes))
    calibrator.settings_ = _settings(facts, k)
    calibrator.classes_ = classes
    calibrator.knowledge_ = _knowledge(fact(facts, "knowledge", str))
    calibrator.seed_ = _count(facts, "seed", 2**32 - 1)
    calibrator.most_labels_ = fact(facts, "most_labels", int, _NONE)
    if calibrator.most_labels_ is not None:
        _count(facts, "most_labels", k)
    calibrator.promise_ = fact(facts, "promise", str)
    calibrator.assumption_ = fact(facts, "assumption", str, _NONE)
    calibrator.evidence_ = _unpack_evidence(facts, arrays, k)
    calibrator.thresholds_ = _thresholds(arrays, "thresholds", k)
    calibrator.absence_thresholds_ = _thresholds(arrays, "absence_thresholds", k)
    calibrator.n_positives_ = vector(arrays, "n_positives", "i", k)
    _refuse_unless(calibrator.n_positives_ >= 0, "n_positives")
    calibrator.status_ = _words(arrays, "status", _STATUS, k)
    calibrator.reason_ = np.zeros(k, dtype=_REASON.dtype)  # of a file that does not tell
    if "reason" in arrays:
        calibrator.reason_ = _words(arrays, "reason", _REASON, k)
    return calibrator


def pack_parameters(parameters: dict[str, Any], classes: AnyArray) -> Facts:
    """Parameters of a model as they are set now, levels by name in the order of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from lamc.storage.calibrators import pack_parameters
    >>> pack_parameters({"alpha": {"oak": 0.1, "elm": 0.3}}, np.array(["elm", "oak"]))
    {'parameters': {'alpha': [0.3, 0.1]}, 'levels_by_name': True}
    """
    alpha = parameters["alpha"]
    levels = in_order_of_labels(alpha, classes)
    facts: Facts = {"parameters": encode_parameters(parameters | {"alpha": levels})}
    return facts | ({_BY_NAME: True} if _is_by_name(alpha, classes) else {})


def unpack_parameters(facts: Any, names: set[str], classes: AnyArray) -> Facts:
    """Undo :func:`pack_parameters`, for a constructor with parameters of these names."""
    parameters = decode_parameters(facts, names)
    if _BY_NAME not in facts or not fact(facts, _BY_NAME, bool):
        return parameters
    levels = fact(parameters, "alpha", list)
    if len(levels) != len(classes):
        raise StorageError(f"its manifest has {len(classes)} labels, but {len(levels)} levels.")
    return parameters | {"alpha": dict(zip(classes.tolist(), levels, strict=True))}


def _is_by_name(levels: Any, classes: AnyArray) -> bool:
    """Whether levels have the names of labels; a pandas Series may have numbers of its own."""
    named = levels.keys() if hasattr(levels, "keys") else ()
    return {str(name) for name in named} == {str(name) for name in classes.tolist()}


def _unpack_evidence(facts: Any, arrays: Arrays, n_labels: int) -> Evidence:
    positives = _unpack_scores("positives", arrays, n_labels)
    if positives is None:
        raise StorageError("it has no scores of positives.")
    m = len(positives.values)
    weights = vector(arrays, "weights", "if", m) if "weights" in arrays else None
    heaviest = None if weights is None else _heaviest(arrays, weights)
    evidence = Evidence(
        n_rows=_count(facts, "n_rows", 2**62),
        positives=positives,
        rows=vector(arrays, "rows", "i", m),
        weights=weights,
        heaviest=heaviest,
        negatives=_unpack_scores("negatives", arrays, n_labels),
        reference=_unpack_scores("reference", arrays, n_labels),
        candidates_only=fact(facts, "candidates_only", bool),
    )
    _refuse_unless(_within(evidence.rows, 0, evidence.n_rows - 1), "rows")
    return evidence


def _heaviest(arrays: Arrays, weights: AnyArray) -> int | float:
    """The weight that a new row may have; files did not always tell it."""
    _refuse_unless((weights > 0) & (weights < np.inf), "weights")
    if "heaviest" not in arrays:
        raise StorageError(
            "it has weights, but not that of the heaviest row, without which thresholds promise "
            "too much. Calibrate again, and save it."
        )
    (heaviest,) = vector(arrays, "heaviest", "if", 1).tolist()
    _refuse_unless(weights.max(initial=0) <= heaviest < np.inf, "heaviest")
    return heaviest


def _pack_scores(name: str, scores: SortedScores | None) -> Arrays:
    if scores is None:
        return {}
    return {
        f"{name}.values": scores.values,
        f"{name}.offsets": scores.offsets,
        f"{name}.zeros": scores.zeros,
    }


def _unpack_scores(name: str, arrays: Arrays, n_labels: int) -> SortedScores | None:
    if f"{name}.values" not in arrays:
        return None
    scores = SortedScores(
        values=vector(arrays, f"{name}.values", "f"),
        offsets=vector(arrays, f"{name}.offsets", "i", n_labels + 1),
        zeros=vector(arrays, f"{name}.zeros", "i", n_labels),
    )
    starts, values = scores.offsets, scores.values
    _refuse_unless(_within(starts, 0, len(values)), f"{name}.offsets")
    _refuse_unless(starts[1:] >= starts[:-1], f"{name}.offsets")
    _refuse_unless((starts[0], starts[-1]) == (0, len(values)), f"{name}.offsets")
    _refuse_unless(scores.zeros >= 0, f"{name}.zeros")
    same_label = scores.labels[1:] == scores.labels[:-1]
    _refuse_unless(_within(values, 0, 1), f"{name}.values")
    _refuse_unless((values[1:] >= values[:-1]) | ~same_label, f"{name}.values")
    return scores


def _thresholds(arrays: Arrays, name: str, n_labels: int) -> AnyArray:
    thresholds = vector(arrays, name, "f", n_labels)
    _refuse_unless(thresholds == thresholds, name)
    return thresholds


def _numbers(words: AnyArray, known: AnyArray) -> AnyArray:
    same = words[:, None] == known
    odd = words[~same.any(axis=1)]
    if len(odd):
        raise StorageError(
            f"A label's status or reason {str(odd[0])!r} cannot be saved; it is none of "
            f"{', '.join(map(repr, known.tolist()))}."
        )
    return same.argmax(axis=1).astype(np.uint8)


def _words(arrays: Arrays, name: str, known: AnyArray, n_labels: int) -> AnyArray:
    numbers = vector(arrays, name, "u", n_labels)
    _refuse_unless(numbers < len(known), name)
    return known[numbers]


def _count(facts: Any, name: str, most: int) -> int:
    count: int = fact(facts, name, int)
    if not 0 <= count <= most:
        raise StorageError(f"its manifest gives {count} for {name!r}; at most {most} is possible.")
    return count


def _knowledge(name: str) -> Knowledge:
    if name not in {*Knowledge}:
        raise StorageError(f"its manifest gives {name!r} for 'knowledge'.")
    return Knowledge(name)


def _settings(facts: Any, n_labels: int) -> Settings:
    """The parameters that the thresholds were set with."""
    names = {field.name for field in fields(Settings)}
    settings = Settings(
        **decode_parameters({"parameters": fact(facts, "fitted_with", dict)}, names)
    )
    try:
        settings.check(n_labels)
    except (CalibrationError, TypeError) as error:
        raise StorageError(f"its parameters are not those of a calibrator: {error}") from error
    return settings


def _within(values: AnyArray, low: int, high: int) -> AnyArray:
    return (values >= low) & (values <= high)


def _refuse_unless(right: Any, name: str) -> None:
    if not np.all(right):
        raise StorageError(f"its array {name!r} holds numbers that no calibrator has.")
