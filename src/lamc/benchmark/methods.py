"""The methods of a benchmark: how each is made, and which settings it is chosen from."""

import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Mapping, MutableMapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from lamc import learners
from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.paper import LAMC_NAME
from lamc.benchmark.source_code import source_checksum
from lamc.learners.base import Learner
from lamc.learners.network import NetworkLearner
from lamc.wording import did_you_mean

Settings = Mapping[str, Any]

# What classical methods are chosen from, by average precision on the validation rows: the two
# weights that matter most of each, the correlations of GLOCAL together. Ridges go as far as they
# gain on standardised features, which is well beyond what suits a few hundred rows. From a rank
# weight of 10 on, DM2L drives all scores to 0; from a smoothness of 100 on, MLML blurs all rows.
GRIDS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "GLOCAL": tuple(
        {"feature_ridge": ridge, "global_weight": correlation, "local_weight": correlation}
        for ridge, correlation in product((1e2, 1e3, 1e4, 1e5), (0.0, 0.1, 1.0))
    ),
    "MLML": tuple(
        {"row_smoothness": rows, "label_smoothness": labels}
        for rows, labels in product((0.1, 1.0, 10.0, 30.0), (0.0, 0.1, 1.0))
    ),
    "DM2L": tuple(
        {"rank_weight": rank_weight, "ridge": ridge}
        for rank_weight, ridge in product((0.3, 1.0, 3.0), (1e2, 1e3, 1e4, 1e5))
    ),
}

# How a learner is run, which does not change what it learns.
_RUN_PARAMETERS = {"checkpoint", "device", "n_jobs", "n_threads", "random_state", "verbose"}
# Checksums of users' classes when they were first looked at: what this process runs of them.
_FIRST_SEEN: Final[MutableMapping[type, str]] = WeakKeyDictionary()


def make(method: str, dataset: str, settings: Settings) -> Any:
    """An unfitted estimator: a learner of this package by name, or ``"package.module:Class"``.

    SMILE is made with the settings that its paper's code has for a data set, if it has some.

    Examples
    --------
    >>> from lamc.benchmark.methods import make
    >>> make("SMILE", "yeast", {"hidden": 32})
    SMILE(hidden=32, p=0.05, rate=0.1)
    >>> make("sklearn.naive_bayes:GaussianNB", "yeast", {})
    GaussianNB()
    """
    estimator = _published(method, dataset) or _made(method)
    known = estimator.get_params(deep=False)
    for name in settings:
        if name not in known:
            raise BenchmarkError(
                f"{method} has no parameter {name!r}.{did_you_mean(name, [*known])}\n"
                f"It has {', '.join(sorted(known))}."
            )
    estimator.set_params(**settings)
    if isinstance(estimator, Learner):
        estimator.check_settings()
    return estimator


def trains_networks(method: str) -> bool:
    """Whether a method is a neural learner of this package or derived from one.

    Examples
    --------
    >>> from lamc.benchmark.methods import trains_networks
    >>> trains_networks("AN"), trains_networks("sklearn.neural_network:MLPClassifier")
    (True, False)
    """
    return issubclass(_class_of(method), NetworkLearner)


def trains_runs_at_once(learner: type) -> bool:
    """Whether a class trains several runs side by side; not if it has a ``fit`` of its own.

    Examples
    --------
    >>> from lamc.benchmark.methods import trains_runs_at_once
    >>> from lamc.learners import AN
    >>> class Own(AN):
    ...     def fit(self, X, y, X_val=None, Y_val=None):
    ...         return super().fit(X * 2, y, X_val * 2, Y_val)
    >>> trains_runs_at_once(AN), trains_runs_at_once(Own)
    (True, False)
    """
    return issubclass(learner, NetworkLearner) and learner.fit is NetworkLearner.fit


def paper_defaults(method: str, network: Settings) -> dict[str, Any]:
    """Those settings of the paper's network that a method takes: all of them, if it has networks.

    A class that is derived from a learner of this package keeps what it names in its body, or has
    other defaults for.

    Examples
    --------
    >>> from lamc.benchmark.methods import paper_defaults
    >>> paper_defaults("AN", {"hidden": 64}), paper_defaults("MLML", {"hidden": 64})
    ({'hidden': 64}, {})
    """
    if not trains_networks(method):
        return {}
    line = _class_of(method).__mro__
    ours = next(each for each in line if each.__module__.startswith("lamc."))
    usual = {name: each.default for name, each in inspect.signature(ours).parameters.items()}
    own = _made(method).get_params(deep=False)
    named = {name for each in line[: line.index(ours)] for name in vars(each)}
    return {
        name: value
        for name, value in network.items()
        if name not in named and own.get(name) == usual.get(name)
    }


def has_parameter(method: str, name: str) -> bool:
    """Whether a method can be told this.

    Examples
    --------
    >>> from lamc.benchmark.methods import has_parameter
    >>> has_parameter("AN", "hidden"), has_parameter("MLML", "hidden")
    (True, False)
    """
    return name in _made(method).get_params(deep=False)


def grid_of(method: str, settings: Settings) -> tuple[dict[str, Any], ...]:
    """Settings to choose from; what is set by hand is not varied. One, empty, if there is none.

    Examples
    --------
    >>> from lamc.benchmark.methods import grid_of
    >>> grid_of("MLML", {"row_smoothness": 1.0})
    ({'label_smoothness': 0.0}, {'label_smoothness': 0.1}, {'label_smoothness': 1.0})
    >>> grid_of("AN", {})
    ({},)
    """
    left: list[dict[str, Any]] = []
    for point in GRIDS.get(method, ({},)):
        free = {name: value for name, value in point.items() if name not in settings}
        if free not in left:
            left.append(free)
    return tuple(left)


def identity(method: str, dataset: str, settings: Settings) -> dict[str, Any]:
    """All that tells a method from another: its parameters, its grid, and foreign source code.

    Examples
    --------
    >>> from lamc.benchmark.methods import identity
    >>> identity("AN", "yeast", {"epochs": 3})["parameters"]["epochs"]
    3
    """
    parameters = make(method, dataset, settings).get_params(deep=False)
    kept = {name: value for name, value in parameters.items() if name not in _RUN_PARAMETERS}
    told: dict[str, Any] = {"method": method, "parameters": kept}
    grid = grid_of(method, settings)
    if len(grid) > 1:
        told["grid"] = grid
    if is_own(method):
        told["source"] = source_of(method)
    return told


def is_own(method: str) -> bool:
    """Whether a method is a class that a user named by its module.

    Examples
    --------
    >>> from lamc.benchmark.methods import is_own
    >>> is_own("AN"), is_own("sklearn.naive_bayes:GaussianNB")
    (False, True)
    """
    return ":" in method


def source_of(method: str) -> str:
    """Checksum of the source code of a user's class, as it is on disk now.

    Examples
    --------
    >>> from lamc.benchmark.methods import source_of
    >>> len(source_of("sklearn.naive_bayes:GaussianNB"))
    64
    """
    found = _class_of(method)
    names = {method.partition(":")[0], found.__module__}
    files = {name: getattr(sys.modules[name], "__file__", None) for name in names}
    checksum = source_checksum({name: Path(file) for name, file in files.items() if file})
    _FIRST_SEEN.setdefault(found, checksum)
    return checksum


def check_source(method: str, planned: str) -> None:
    """Refuse to run other code of a user's class than the plan was made with.

    Another machine may have another file, and a file may be changed after it was imported.
    """
    found = source_of(method)
    if {found, _FIRST_SEEN[_class_of(method)]} != {planned}:
        raise BenchmarkError(
            f"The source code of {method} here (process {os.getpid()}) is not what the plan was "
            "made with: it was changed since, or is another on this machine.\nGive all machines "
            "the same files, start Python or the workers of a cluster anew, and run it again."
        )


def is_random(method: str, estimator: Any) -> bool:
    """Whether fits of an estimator may differ from seed to seed.

    Of a user's class this is not known: it may draw without having a ``random_state``.

    Examples
    --------
    >>> from lamc.benchmark.methods import is_random, make
    >>> [is_random(name, make(name, "yeast", {})) for name in ("AN", "MLML", "DM2L")]
    [True, False, False]
    """
    parameters = estimator.get_params(deep=False)
    if method == "DM2L":
        return bool(parameters["kernel"] != "linear")  # only landmarks are drawn
    return is_own(method) or "random_state" in parameters


def known_methods() -> Sequence[str]:
    """Names of the methods that need no module path.

    Examples
    --------
    >>> from lamc.benchmark.methods import known_methods
    >>> known_methods()[:3]
    ['LAMC', 'AN', 'ANLS']
    """
    return [LAMC_NAME, *(name for name in learners.__all__ if name != "Network")]


def settings_of_data(method: str, dataset: str) -> dict[str, Any]:
    """Parameters that a method has for a data set of the catalogue: those of SMILE's paper.

    Examples
    --------
    >>> from lamc.benchmark.methods import settings_of_data
    >>> settings_of_data("SMILE", "yeast")
    {'p': 0.05, 'mu': 0.5, 'rate': 0.1}
    >>> settings_of_data("AN", "yeast")
    {}
    """
    if method != "SMILE":
        return {}
    parameters = (_published(method, dataset) or _made(method)).get_params(deep=False)
    return {name: parameters[name] for name in ("p", "mu", "rate")}


def _published(method: str, dataset: str) -> Any:
    if method != "SMILE":
        return None
    from lamc.learners.smile import PUBLISHED, SMILE

    return SMILE.published(dataset) if dataset in PUBLISHED else None


def _made(method: str) -> Any:
    try:
        return _class_of(method)()
    except TypeError as error:
        raise BenchmarkError(
            f"{method} cannot be made without arguments: {error}.\nName a class of your own that "
            "makes it, with a default for each parameter."
        ) from error


def _class_of(method: str) -> Any:
    if method in known_methods() and method != LAMC_NAME:
        return getattr(learners, method)
    if ":" not in method:
        raise BenchmarkError(
            f"There is no method {method!r}.{did_you_mean(method, known_methods())}\nThe known "
            f"ones are {', '.join(known_methods())}. Name a classifier of your own as "
            "package.module:Class."
        )
    module, _, name = method.partition(":")
    try:
        found = getattr(_import(module), name)
    except (ImportError, AttributeError) as error:
        raise BenchmarkError(
            f"The classifier {method} cannot be imported: {error}.\nGive it as "
            "package.module:Class, from an installed package or the current folder."
        ) from error
    except (Exception, SystemExit) as error:
        raise BenchmarkError(
            f"The classifier {method} cannot be imported: {type(error).__name__} in "
            f"{_place(error)}: {getattr(error, 'msg', error)}.\nMend it there; python -c "
            f"'import {module}' shows more."
        ) from error
    if not (inspect.isclass(found) and hasattr(found, "fit") and hasattr(found, "get_params")):
        raise BenchmarkError(
            f"{method} is no scikit-learn classifier: it has no fit, or no params."
        )
    return found


def _import(module: str) -> Any:
    """Import a module; from the current folder, if it is not installed."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    return importlib.import_module(module)


def _place(error: BaseException) -> str:
    """File and line of what went wrong."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}, line {error.lineno}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}, line {last.lineno}"
