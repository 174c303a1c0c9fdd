"""The unit of work: one data set, one method, one set of training rows, all runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.methods import identity
from lamc.benchmark.paper import LAMC_SCORER
from lamc.benchmark.protocol import PROTOCOL, Draw, Part, Validation
from lamc.benchmark.sources import Facts, Source
from lamc.benchmark.views import described_views


@dataclass(frozen=True)
class Unit:
    """One data set, one method, one set of training rows; all runs of it.

    Attributes
    ----------
    source : Source
        Where the data are.
    facts : Facts
        What the data are.
    method : str
        Name of the method.
    part : {"training", "train"}
        Rows it learns from.
    seeds : tuple of int
        One for each run.
    draw : {"given", "anew"}
        Whether split and observed labels are those of the file or drawn in every run.
    settings : mapping
        Parameters of the method that differ from its own defaults.
    validation : {"all labels", "single positives"}
        What is known of the rows to choose by.

    Examples
    --------
    >>> from lamc.benchmark.sources import Source, facts_of
    >>> from lamc.benchmark.unit import Unit
    >>> source = Source("digit scenes")
    >>> unit = Unit(source, facts_of(source), "AN", "train", (0, 1), "given", {"epochs": 3})
    >>> unit
    digit scenes · AN · train
    >>> len(unit.key)
    64
    """

    source: Source
    facts: Facts
    method: str
    part: Part
    seeds: tuple[int, ...]
    draw: Draw
    settings: Mapping[str, Any] = field(default_factory=dict)
    validation: Validation = "all labels"

    @property
    def has_studies(self) -> bool:
        """Whether it is the paper's method, of which calibration sizes and readings are studied."""
        return self.method == LAMC_SCORER and self.part == "train"

    @property
    def keeps_copies_together(self) -> bool:
        """Whether rows with equal features are drawn into one part; a file's own parts stay."""
        return self.facts.copies and (self.draw == "anew" or not self.facts.has_parts)

    @cached_property
    def description(self) -> dict[str, Any]:
        """Everything that determines the numbers, and nothing else."""
        told: dict[str, Any] = {
            "protocol": PROTOCOL,
            "dataset": self.facts.name,
            "data_checksum": self.facts.checksum,
            **identity(self.method, self.facts.in_catalogue_as, self.settings),
            "part": self.part,
            "draw": self.draw,
            "seeds": self.seeds,
            "views": described_views(self.part, studies=self.has_studies),
        }
        if self.validation != "all labels":
            told["validation"] = self.validation
        if self.keeps_copies_together:
            told["copies"] = "together"
        return told

    @cached_property
    def text(self) -> str:
        """The description as JSON, the same for the same settings."""
        return canonical_json(self.description)

    @cached_property
    def key(self) -> str:
        """Hash of the description: what a results file knows the unit by."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def cost(self) -> float:
        """About how much work it is, for the time left: products of a network, and what steps cost.

        With few labels or hidden units a step costs more than its products do, and with few rows
        what does not grow with them.
        """
        facts = self.facts
        hidden = self.settings.get("hidden")
        width = hidden if isinstance(hidden, int) else facts.labels
        return 6e7 + facts.rows * (5e4 + (facts.features + facts.labels) * width)

    def __repr__(self) -> str:
        return f"{self.facts.name} · {self.method} · {self.part}"


def canonical_json(value: Any) -> str:
    """JSON with names in order, tuples as lists, and what JSON has no form for as its repr.

    Examples
    --------
    >>> from lamc.benchmark.unit import canonical_json
    >>> canonical_json({"b": (1, 2.5), "a": None})
    '{"a":null,"b":[1,2.5]}'
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain
    )


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        return value.item()
    if hasattr(value, "get_params") and not isinstance(value, type):
        return {"class": _plain(type(value)), **value.get_params(deep=False)}
    if hasattr(value, "__qualname__"):  # a function or a class
        return f"{value.__module__}:{value.__qualname__}"
    told = repr(value)
    if " at 0x" in told:
        raise BenchmarkError(
            f"A parameter is {told}, by which the unit could not be known again.\nGive its class a "
            "__repr__ that says what it is."
        )
    return told
