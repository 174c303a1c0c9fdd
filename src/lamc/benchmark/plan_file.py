"""Plans in TOML files: what a paper would publish, checked key by key."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.plan import Plan, profile
from lamc.benchmark.sources import Source
from lamc.settings_text import fixed


def read_plan(path: str | Path) -> Plan:
    r"""Read a plan from a TOML file.

    A file names what it changes of a profile::

        name = "wider"
        profile = "paper"
        runs = 3
        methods = ["LAMC", "WAN", "sklearn.naive_bayes:GaussianNB"]
        datasets = ["scene", {file = "trees.csv", labels = ["oak", "elm"]}]

        [set]
        hidden = 256
        WAN.epochs = 10

    Paths start in the folder of the plan file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lamc.benchmark.plan_file import read_plan
    >>> file = Path(tempfile.mkdtemp()) / "plan.toml"
    >>> _ = file.write_text('name = "wider"\nprofile = "quick"\n[set]\nWAN.epochs = 5')
    >>> read_plan(file).overrides
    {'WAN.epochs': 5}
    """
    path = Path(path)
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BenchmarkError(f"There is no plan file {path}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BenchmarkError(f"{path} is no TOML file: {error}.") from error
    unknown = sorted(told.keys() - _KINDS.keys())
    if unknown:
        raise BenchmarkError(
            f"{path} has {', '.join(unknown)}, which means nothing in a plan.\n"
            f"A plan has {', '.join(sorted(_KINDS))}."
        )
    for key, value in told.items():
        _check_kind(path, key, value)
    plan = profile(told.get("profile", "paper"))
    return replace(
        plan,
        name=told.get("name", path.stem),
        sources=tuple(_source(each, path) for each in told["datasets"])
        if "datasets" in told
        else plan.sources,
        methods=tuple(told.get("methods", plan.methods)),
        n_runs=told.get("runs", plan.n_runs),
        draw=told.get("draw", plan.draw),
        parts=tuple(told.get("parts", plan.parts)),
        validation=told.get("validation", plan.validation),
        overrides=_flat(told.get("set", {})),
    )


def _check_kind(path: Path, key: str, value: Any) -> None:
    """Refuse a value of a plan file that is of another kind than its key needs."""
    expected, fits = _KINDS[key]
    if not fits(value):
        raise BenchmarkError(f"{path}: {key} = {value!r}; give {expected}.")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _are_texts(value: Any) -> bool:
    return _is_list(value) and all(map(_is_text, value))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# What each key of a plan file holds: in words, and whether a value is that.
_KINDS: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "name": ("a text in quotation marks", _is_text),
    "profile": ('"paper", "resampled" or "quick"', _is_text),
    "runs": ("a whole number", _is_whole),
    "draw": ('"given" or "anew"', _is_text),
    "parts": ('a list, such as ["training", "train"]', _are_texts),
    "validation": ('"all labels" or "single positives"', _is_text),
    "methods": ('a list of names, such as ["LAMC", "WAN"]', _are_texts),
    "datasets": ('a list, such as ["scene", {file = "trees.csv"}]', _is_list),
    "set": ("a table, [set], with a line for each setting", lambda value: isinstance(value, dict)),
}
_OF_SOURCE: Final[dict[str, Callable[[Any], bool]]] = {
    "file": _is_text,
    "labels": _are_texts,
    "label_column": _is_text,
    "separator": _is_text,
    "id_column": _are_texts,
    "words": _are_texts,
    "delimiter": _is_text,
    "decimal": _is_text,
    "encoding": _is_text,
}


def _source(told: Any, plan_file: Path) -> Source:
    """A data set of a plan file: a name, or a file, whose path starts in the plan's folder."""
    if isinstance(told, str):
        named = Source(told)
        return Source(str(plan_file.parent / told)) if named.is_file else named
    fields = _OF_SOURCE.keys()
    if (
        not isinstance(told, dict)
        or "file" not in told
        or told.keys() - fields
        or not all(_OF_SOURCE[name](value) for name, value in told.items())
    ):
        raise BenchmarkError(
            f"{plan_file}: a data set is a name, or a table with {', '.join(sorted(fields))}; "
            f"{told!r} is neither."
        )
    said = {name: fixed(value) for name, value in told.items() if name != "file"}
    return Source(str(plan_file.parent / told["file"]), **said)


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with the method in front of the name, as they are typed."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{name}": fixed(each) for name, each in value.items()}
        else:
            flat[key] = fixed(value)
    return flat
