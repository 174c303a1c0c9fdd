"""Which units may stand in one table: those that differ in their data or their method alone."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from lamc.benchmark.methods import settings_of_data

_OF_ALL: Final = ("protocol", "draw", "seeds", "validation")
_OF_DATA: Final = ("data_checksum", "copies")
_OF_METHOD: Final = ("grid", "source")


@dataclass(frozen=True)
class Standing:
    """A unit that stands for a profile in a results file.

    Attributes
    ----------
    place : int
        Row in which the file says so.
    profile : str
        What it stands for.
    variant : str
        Variant of the catalogue that its data are; "" if of none.
    settings : str
        Its description as JSON.
    """

    place: int
    profile: str
    variant: str
    settings: str

    @cached_property
    def told(self) -> dict[str, Any]:
        """The settings."""
        told: dict[str, Any] = json.loads(self.settings)
        return told

    @cached_property
    def of_data(self) -> dict[str, Any]:
        """Parameters that its method has for its data, where nobody sets them."""
        named = self.told.get("dataset", "") if self.variant else ""
        return settings_of_data(self.told.get("method", ""), named)


def agree(one: Standing, other: Standing) -> bool:
    """Whether two units of a profile can be in one table.

    All of a table have protocol, draw, runs and what is known of validation rows in common; those
    of one data set its contents and how copies are drawn, and those of one method its parameters,
    grid and source code.

    Examples
    --------
    >>> from lamc.benchmark.agreement import Standing, agree
    >>> wide = Standing(1, "mine", "", '{"method": "AN", "parameters": {"hidden": 64}}')
    >>> narrow = Standing(2, "mine", "", '{"method": "AN", "parameters": {"hidden": 4}}')
    >>> other = Standing(3, "mine", "", '{"method": "WAN", "parameters": {"hidden": 4}}')
    >>> agree(wide, narrow), agree(wide, other)
    (False, True)
    """
    if any(one.told.get(name) != other.told.get(name) for name in _OF_ALL):
        return False
    same_data = one.told.get("dataset") == other.told.get("dataset")
    if same_data and any(one.told.get(name) != other.told.get(name) for name in _OF_DATA):
        return False
    if one.told.get("method") != other.told.get("method"):
        return True
    same = all(one.told.get(name) == other.told.get(name) for name in _OF_METHOD)
    return same and _same_parameters(one, other)


def _same_parameters(one: Standing, other: Standing) -> bool:
    """Whether parameters are equal, or what the method has for the data of each."""
    ours, theirs = (each.told.get("parameters", {}) for each in (one, other))
    return ours.keys() == theirs.keys() and all(
        ours[name] == theirs[name]
        or (
            name in one.of_data
            and (ours[name], theirs[name]) == (one.of_data[name], other.of_data[name])
        )
        for name in ours
    )


def strangers(standing: Iterable[Standing], others: Iterable[Standing]) -> list[Standing]:
    """Those of others that agree not with all that stand for their profile, or come before them.

    Examples
    --------
    >>> from lamc.benchmark.agreement import Standing, strangers
    >>> narrow, wide, again = (
    ...     Standing(place, "mine", "", '{"method": "AN", "parameters": {"hidden": %d}}' % hidden)
    ...     for place, hidden in enumerate((4, 64, 4))
    ... )
    >>> [each.place for each in strangers([narrow], [wide, again])]
    [1]
    """
    kept, found = list(standing), []
    for new in others:
        if all(agree(new, each) for each in kept if each.profile == new.profile):
            kept.append(new)
        else:
            found.append(new)
    return found


def same_plan(one: str, other: str) -> bool:
    """Whether the settings of two plans say the same of all that both speak of.

    Those of older results files say nothing of parts.

    Examples
    --------
    >>> from lamc.benchmark.agreement import same_plan
    >>> same_plan('{"runs": 2}', '{"runs": 2, "parts": ["train"]}')
    True
    >>> same_plan('{"runs": 2}', '{"runs": 3, "parts": ["train"]}')
    False
    """
    ours, theirs = json.loads(one), json.loads(other)
    return all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys())
