"""What a benchmark is to run: data sets × methods × parts, as units in the order to run them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.methods import (
    has_parameter,
    make,
    paper_defaults,
)
from lamc.benchmark.paper import LAMC_NAME, LAMC_SCORER, METHODS
from lamc.benchmark.protocol import Draw, Part, Validation
from lamc.benchmark.sources import Facts, Source, facts_of
from lamc.benchmark.unit import Unit, canonical_json

# The twelve, cheap ones first.
PAPER_DATASETS: Final = (
    "CAL500",
    "scene",
    "yeast",
    "Image",
    "corel5k",
    "rcv1subset1",
    "Corel16k001",
    "tmc2007",
    "espgame",
    "iaprtc12",
    "mirflickr",
    "delicious",
)
EXACT_DATASETS: Final = (
    "CAL500",
    "scene",
    "yeast",
    "corel5k",
    "rcv1subset1",
    "Corel16k001",
    "delicious",
)
# The paper's networks saw features as they are: so their numbers come out (docs/reproduction.md).
_PAPER_NETWORK: Final = {
    "hidden": "labels",
    "standardise": False,
    "epochs": 25,
    "batch_size": 16,
    "learning_rate": (1e-4, 1e-3, 1e-2),
}
_PARTS: Final[tuple[Part, ...]] = ("training", "train")  # in the order to run them

Overrides = Mapping[str, Any]


@dataclass(frozen=True)
class Plan:
    """What to run.

    Attributes
    ----------
    name : str
        What the results are filed under.
    sources : tuple of Source
        The data sets.
    methods : tuple of str
        The methods.
    n_runs : int
        Runs of each, with seeds 0, 1, …
    draw : {"given", "anew"}
        Whether split and observed labels are the file's, or drawn anew in every run.
    parts : tuple of {"training", "train"}
        On which rows methods are fitted: with the calibration rows, as the paper's rivals, or
        without, so that they can be put behind a rule.
    validation : {"all labels", "single positives"}
        What is known of the rows that methods are chosen by.
    defaults : mapping
        Parameters for every neural learner of this package that has them, and for classes derived
        from one, save what these have defaults of their own for.
    overrides : mapping
        Parameters set by hand: ``"epochs"`` for every method that has them, ``"WAN.epochs"`` for
        one.
    left_out : tuple of str
        Methods of a larger plan that this one is a part of, for which settings may be.

    Examples
    --------
    >>> from lamc.benchmark.plan import profile
    >>> plan = profile("quick").only(datasets=["digit scenes"], methods=["LAMC", "AN"])
    >>> [(method, unit) for method, unit in plan.units()]
    [('LAMC', digit scenes · WAN · train), ('AN', digit scenes · AN · train)]
    """

    name: str
    sources: tuple[Source, ...]
    methods: tuple[str, ...] = METHODS
    n_runs: int = 5
    draw: Draw = "given"
    parts: tuple[Part, ...] = ("training", "train")
    validation: Validation = "all labels"
    defaults: Overrides = field(default_factory=lambda: dict(_PAPER_NETWORK))
    overrides: Overrides = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.n_runs, int) or self.n_runs < 1:
            raise BenchmarkError(f"{self.n_runs!r} runs; give a whole number from 1.")
        if self.draw not in ("given", "anew"):
            raise BenchmarkError(f"draw={self.draw!r}; give 'given' or 'anew'.")
        if not self.parts or set(self.parts) - set(_PARTS):
            raise BenchmarkError(f"parts={self.parts!r}; give 'training', 'train', or both.")
        if self.validation not in ("all labels", "single positives"):
            raise BenchmarkError(
                f"validation={self.validation!r}; give 'all labels' or 'single positives'."
            )
        for what, given in (("data set", self.sources), ("method", self.methods)):
            if not given:
                raise BenchmarkError(f"The plan names no {what}. Give at least one.")

    def only(
        self,
        *,
        datasets: Sequence[str | Source] = (),
        methods: Sequence[str] = (),
        n_runs: int | None = None,
        validation: Validation | None = None,
        overrides: Overrides | None = None,
    ) -> "Plan":
        """The plan with other data sets, methods, runs, validation rows or settings.

        The last three change what is measured, so they change the name of the plan too.

        Examples
        --------
        >>> from lamc.benchmark.plan import profile
        >>> profile("paper").only(n_runs=2, overrides={"hidden": 64}).name
        'paper, 2 runs, hidden=64'
        """
        named = [self.name]
        changed = self
        if datasets:
            sources = (each if isinstance(each, Source) else Source(each) for each in datasets)
            changed = replace(changed, sources=tuple(sources))
        if methods:
            left_out = (*self.left_out, *self.methods) if self.overrides else ()
            changed = replace(changed, methods=tuple(methods), left_out=left_out)
        if n_runs is not None and n_runs != self.n_runs:
            changed = replace(changed, n_runs=n_runs)
            named.append("1 run" if n_runs == 1 else f"{n_runs} runs")
        if validation is not None and validation != self.validation:
            changed = replace(changed, validation=validation)
            named.append(f"{validation} of validation rows")
        if overrides:
            replace(changed, overrides=overrides, left_out=())._check_overrides()
            changed = replace(changed, overrides={**self.overrides, **overrides})
            named += [f"{name}={value}" for name, value in sorted(overrides.items())]
        return replace(changed, name=", ".join(named))

    @property
    def settings(self) -> str:
        """What its numbers have in common, whichever data sets and methods are run, as JSON."""
        return canonical_json(
            {
                "runs": self.n_runs,
                "draw": self.draw,
                "parts": [part for part in _PARTS if part in self.parts],
                "validation": self.validation,
                "defaults": dict(self.defaults),
                "overrides": dict(self.overrides),
            }
        )

    def units(self) -> list[tuple[str, Unit]]:
        """Units in the order to run them, each under the name of the method it stands for.

        LAMC is WAN on the rows without calibration rows, behind a rule: the same unit goes by
        both names, and is run once.
        """
        self._check_overrides()
        facts = [facts_of(source) for source in self.sources]
        _refuse_equal_names(facts)
        if LAMC_NAME in self.methods and not all("train" in self._parts(each) for each in facts):
            raise BenchmarkError(
                f"{LAMC_NAME} sets thresholds on the calibration rows, and parts={self.parts!r} "
                "learns from them.\nAdd the part 'train', or leave LAMC out."
            )
        return [
            (method, self._unit(source, known, method, part))
            for source, known in zip(self.sources, facts, strict=True)
            for part in self._parts(known)
            for method in dict.fromkeys(self.methods)
            if part == "train" or method != LAMC_NAME
        ]

    def _unit(self, source: Source, facts: Facts, method: str, part: Part) -> Unit:
        fitted = LAMC_SCORER if method == LAMC_NAME else method
        settings = self._settings(fitted)
        # Refuse what cannot be made before anything is run.
        make(fitted, facts.in_catalogue_as, settings)
        seeds = tuple(range(self.n_runs))
        return Unit(source, facts, fitted, part, seeds, self.draw, settings, self.validation)

    def _parts(self, facts: Facts) -> Sequence[Part]:
        """The parts to fit on; calibration and test rows of the digit scenes share pictures."""
        if facts.scenes:
            return ("train",)
        return [part for part in _PARTS if part in self.parts]

    def _settings(self, method: str) -> dict[str, Any]:
        """Parameters of one method: its own overrides before common ones before defaults."""
        common = {k: v for k, v in self.overrides.items() if _target(k)[0] is None}
        own = {_target(k)[1]: v for k, v in self.overrides.items() if _target(k)[0] == method}
        defaults = paper_defaults(method, self.defaults)
        fitting = {k: v for k, v in {**defaults, **common}.items() if has_parameter(method, k)}
        return {**fitting, **own}

    def _check_overrides(self) -> None:
        """Refuse a setting that would change nothing, here or on another machine."""
        known = (*self.methods, *self.left_out)
        fitted = {LAMC_SCORER if method == LAMC_NAME else method for method in known}
        for key in self.overrides:
            method, name = _target(key)
            if name == "random_state":
                raise BenchmarkError(
                    f"{key} is set, but the runs have the seeds 0, 1, … up to their number − 1, "
                    f"here {self.n_runs - 1}.\nChoose how many runs there are: --runs, or runs = "
                    "in a plan file."
                )
            if method == LAMC_NAME:
                raise BenchmarkError(
                    f"{key}: the scorer of {LAMC_NAME} is {LAMC_SCORER}, and is trained once for "
                    f"both.\nSet {LAMC_SCORER}.{name} instead."
                )
            if method is not None and method not in fitted:
                raise BenchmarkError(
                    f"{key} is set, but {method} is not among the methods "
                    f"{', '.join(self.methods)}."
                )
            if method is None and not any(has_parameter(each, name) for each in fitted):
                raise BenchmarkError(
                    f"None of the methods {', '.join(self.methods)} has a parameter {name!r}."
                )


def profile(name: str) -> Plan:
    """A plan that comes with LAMC: "paper", "resampled" or "quick".

    Examples
    --------
    >>> from lamc.benchmark.plan import profile
    >>> profile("paper").n_runs, len(profile("paper").sources)
    (5, 12)
    """
    if name == "paper":
        return Plan("paper", _sources(PAPER_DATASETS))
    if name == "resampled":
        return Plan("resampled", _sources(EXACT_DATASETS), draw="anew", parts=("train",))
    if name == "quick":
        return Plan(
            "quick",
            _sources(("digit scenes", "CAL500", "scene", "yeast", "Image")),
            n_runs=2,
            parts=("train",),
            defaults={**_PAPER_NETWORK, "epochs": 10},
        )
    raise BenchmarkError(f"There is no profile {name!r}; there are paper, resampled and quick.")


def _sources(names: Sequence[str]) -> tuple[Source, ...]:
    return tuple(Source(name) for name in names)


def _target(key: str) -> tuple[str | None, str]:
    """Method and parameter of a setting; a module path has dots of its own."""
    method, _, name = key.rpartition(".")
    return method or None, name


def _refuse_equal_names(facts: Sequence[Facts]) -> None:
    names = [each.name for each in facts]
    for name in names:
        if names.count(name) > 1:
            raise BenchmarkError(
                f"Two data sets are called {name!r}; in results they could not be told apart.\n"
                "Rename one of the files, or leave one out."
            )
