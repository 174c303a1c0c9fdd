"""From all measurements to those of one table: one view, one rule, one value a run."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from shlex import quote
from typing import Any, Literal

import pandas as pd

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.paper import LAMC_NAME, LAMC_SCORER, METHODS
from lamc.benchmark.training_rows import of_fair_part, rows_ratio
from lamc.datasets import catalogue

# What the paper reports of LAMC. Where results hold several settings, these are taken unasked.
PAPER_RULE: dict[str, Any] = {
    "rule": "selective",
    "alpha": 0.5,
    "calibration": "all labels",
    "positives": 10,
}
VIEW_COLUMNS = ("profile", "view", *PAPER_RULE)


@dataclass(frozen=True)
class Choice:
    """Which measurements are meant, where results hold several.

    What is None is taken as the paper has it, or as the only one there is. If that leaves more
    than one, the choice is refused.

    Attributes
    ----------
    profile : str or None
        What was run: "paper", "resampled", "quick" or the name of a plan.
    view : str
        "full": all labels ranked. "accepted": each row restricted to the labels accepted.
    rule : str or None
        The rule that accepts.
    alpha : float or None
        Its level.
    calibration : str or None
        "all labels" or "single positives".
    positives : int, "all" or None
        Most calibration positives a label.
    datasets, methods : tuple of str
        Those to show, in that order. All, if empty.
    part : str or None
        Rows that methods were fitted on: "train", without the calibration rows, or "training",
        with them. What is fair is taken unasked.

    Examples
    --------
    >>> from lamc.benchmark.selection import Choice
    >>> Choice(view="accepted", rule="recall").view
    'accepted'
    """

    profile: str | None = None
    view: str = "full"
    rule: str | None = None
    alpha: float | None = None
    calibration: str | None = None
    positives: int | Literal["all"] | None = None
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    part: str | None = None


@dataclass(frozen=True)
class Chosen:
    """Measurements of one metric in one view; made by :func:`choose`.

    Attributes
    ----------
    rows : DataFrame
        One row for each data set, method and run.
    datasets, methods : tuple of str
        In the order to show them: the paper's first.
    choice : Choice
        What was chosen, with nothing left open.
    described : str
        The same in words.
    asked : int
        Number of runs that were planned.
    test_to_train : float or None
        Test rows for each training row, if every run draws both anew; None if all share them.
    remarks : tuple of str
        What a reader of the numbers has to know.
    """

    rows: pd.DataFrame
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    choice: Choice
    described: str
    asked: int
    test_to_train: float | None
    remarks: tuple[str, ...]


def choose(measurements: pd.DataFrame, metric: str, choice: Choice) -> Chosen:
    """Take the rows of one metric in one view, and see to it that they can be compared.

    Parameters
    ----------
    measurements : DataFrame
        As :func:`lamc.benchmark.store.read_measurements` gives it.
    metric : str
        Name of the metric.
    choice : Choice
        Which measurements are meant.

    Returns
    -------
    Chosen

    Raises
    ------
    BenchmarkError
        If nothing or more than one thing fits, or the rows are of different data.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.selection import Choice, choose
    >>> rows = pd.DataFrame({"dataset": ["yeast", "scene"] * 2, "method": ["AN", "AN", "ME", "ME"],
    ...                      "value": [0.5, 0.25, 0.75, 0.5]})
    >>> rows = rows.assign(profile="mine", variant="", exact=True, part="train", run=0, view="full",
    ...                    rule=None, alpha=None, calibration=None, positives=None,
    ...                    metric="one_error", settings='{"seeds": [0], "draw": "given"}',
    ...                    data_checksum="", unit="", versions="{}")
    >>> chosen = choose(rows, "one_error", Choice(datasets=("yeast",)))
    >>> chosen.methods, chosen.described, len(chosen.rows)
    (('AN', 'ME'), 'profile mine, view full', 2)
    """
    rows, choice = of_choice(measurements, metric, choice)
    if choice.part is not None:
        rows = rows_with(rows, "part", choice.part)
    datasets, asked = (tuple(dict.fromkeys(each)) for each in (choice.datasets, choice.methods))
    rows = rows_named(rows, "dataset", datasets)
    rows = rows_named(rows, "method", asked)
    rows, fitted_on = of_fair_part(rows, choice.view)
    _check_one_data(rows)
    _check_one_value(rows)
    rows, twin = _without_twin(rows)
    settings = [json.loads(text) for text in rows["settings"].unique()]
    return Chosen(
        rows=rows,
        datasets=datasets or in_order(rows["dataset"], first=tuple(catalogue)),
        methods=tuple(
            name
            for name in asked or in_order(rows["method"], first=METHODS)
            if name in set(rows["method"])
        ),
        choice=choice,
        described=_described(choice),
        asked=max(len(each["seeds"]) for each in settings),
        test_to_train=rows_ratio(rows["part"], settings),
        remarks=(*fitted_on, *twin, *_of_versions(rows)),
    )


def _of_versions(rows: pd.DataFrame) -> tuple[str, ...]:
    """What a reader has to know if units were run with different versions of a program."""
    told = [json.loads(text) for text in rows["versions"].unique()]
    found = {name: {each.get(name, "another") for each in told} for name in sorted({*chain(*told)})}
    differ = [
        f"{name} ({', '.join(sorted(all_))})" for name, all_ in found.items() if len(all_) > 1
    ]
    if not differ:
        return ()
    return (f"Units were run with different versions of {' and '.join(differ)}.",)


def of_choice(
    measurements: pd.DataFrame, metric: str, choice: Choice
) -> tuple[pd.DataFrame, Choice]:
    """Rows of one metric, profile, view and rule, and the choice with nothing left open.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.selection import Choice, of_choice
    >>> rows = pd.DataFrame({"profile": "mine", "view": "full", "metric": ["recall", "one_error"],
    ...                      "rule": None, "alpha": None, "calibration": None, "positives": None})
    >>> found, choice = of_choice(rows, "recall", Choice())
    >>> len(found), choice.profile
    (1, 'mine')
    """
    if measurements.empty:
        raise BenchmarkError(
            "The results hold no measurements yet. Make some with lamc bench run, or wait for the "
            "first unit to finish."
        )
    rows, profile = narrowed(measurements, "profile", choice.profile)
    rows = rows_with(rows, "view", choice.view)
    rows = rows_with(rows, "metric", metric)
    choice = replace(choice, profile=profile)
    for name in PAPER_RULE:
        rows, value = narrowed(rows, name, getattr(choice, name))
        choice = replace(choice, **{name: value})
    return rows, choice


def _described(choice: Choice) -> str:
    settings = {name: getattr(choice, name) for name in VIEW_COLUMNS}
    return ", ".join(f"{name} {value}" for name, value in settings.items() if value is not None)


def narrowed(rows: pd.DataFrame, column: str, wanted: Any) -> tuple[pd.DataFrame, Any]:
    """Rows of the value wanted, else of the only one, else of the paper's; and that value.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.selection import narrowed
    >>> rows = pd.DataFrame({"alpha": [0.1, 0.5, 0.5]})
    >>> narrowed(rows, "alpha", 0.1)[0].index.tolist(), narrowed(rows, "alpha", None)[1]
    ([0], 0.5)
    """
    found = _values(rows[column])
    if column == "positives" and rows["rule"].notna().any():
        found = ["all" if value is None else value for value in found]
    if wanted is None:
        preferred = PAPER_RULE.get(column)
        if len(found) > 1 and preferred not in found:
            raise BenchmarkError(
                f"The results hold more than one {column}: {_quoted(found)}. Say which is meant: "
                f"{column}={found[0]!r}, in the shell --{column} {quote(str(found[0]))}."
            )
        wanted = found[0] if len(found) == 1 else preferred
    elif wanted not in found:
        raise BenchmarkError(
            f"The results hold no {column} {wanted!r} here. They hold {_quoted(found)}."
        )
    if wanted is None or wanted == "all":
        return rows[rows[column].isna()], wanted
    return rows[(rows[column] == wanted).fillna(False).astype(bool)], wanted


def rows_with(rows: pd.DataFrame, column: str, wanted: str) -> pd.DataFrame:
    """Rows with a value in a column; refused if there are none.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.selection import rows_with
    >>> len(rows_with(pd.DataFrame({"view": ["full", "accepted", "full"]}), "view", "full"))
    2
    """
    found = _values(rows[column])
    if wanted not in found:
        raise BenchmarkError(
            f"The results hold no {column} {wanted!r} here. They hold {_listed(found)}."
        )
    return rows[rows[column] == wanted]


def rows_named(rows: pd.DataFrame, column: str, wanted: Sequence[str]) -> pd.DataFrame:
    """Rows with any of the values wanted, each of which must be there; all rows for none.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.selection import rows_named
    >>> rows = pd.DataFrame({"method": ["AN", "WAN"]})
    >>> len(rows_named(rows, "method", ["AN"])), len(rows_named(rows, "method", []))
    (1, 2)
    """
    for name in wanted:
        rows_with(rows, column, name)
    return rows[rows[column].isin(wanted)] if wanted else rows


def _check_one_data(rows: pd.DataFrame) -> None:
    for dataset, checksums in rows.groupby("dataset")["data_checksum"].unique().items():
        if len(checksums) > 1:
            raise BenchmarkError(
                f"{dataset} was measured on {len(checksums)} different sets of data (checksums "
                f"{_listed(str(c)[:12] for c in checksums)}), which cannot stand in one row. "
                "Keep the results of different files in different results files."
            )


def _check_one_value(rows: pd.DataFrame) -> None:
    key = ["dataset", "method", "run"]
    twice = rows[rows.duplicated(key, keep=False)]
    if twice.empty:
        return
    dataset, method, run = twice.iloc[0][key]
    same = twice[(twice[key] == [dataset, method, run]).all(axis=1)]
    raise BenchmarkError(
        f"The results hold {len(same)} values of {method} on {dataset}, run {run}"
        f"{_difference(same['settings'])}. Keep runs with different settings in different "
        "results files."
    )


def _difference(settings: Iterable[str]) -> str:
    """What two settings differ in, in words."""
    one, other = [_flat(json.loads(text)) for text in list(settings)[:2]]
    names = sorted(name for name in one | other if one.get(name) != other.get(name))
    if not names:
        return ", with the same settings"
    shown = [f"{name} ({one.get(name)} or {other.get(name)})" for name in names[:5]]
    return f": they differ in {', '.join(shown)}{', …' if len(names) > 5 else ''}"


def _flat(settings: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(settings, dict):
        return {prefix: settings}
    return {
        name: value
        for key, inner in settings.items()
        for name, value in _flat(inner, f"{prefix}.{key}" if prefix else key).items()
    }


def _without_twin(rows: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Rows without WAN where its units are LAMC's too: one method must not rank twice.

    Where only one of the two was asked for, what it has stands for both; but not what WAN learnt
    from the calibration rows as well.
    """
    places = rows.set_index(["dataset", "run"])
    ours, twins = (places[places["method"] == name] for name in (LAMC_NAME, LAMC_SCORER))
    both = ours.index.intersection(twins.index)
    same = ours["unit"][both].equals(twins["unit"][both])
    if both.empty or not same or (twins["part"] != "train").any():
        return rows, ()
    said = (
        f"{LAMC_NAME} is {LAMC_SCORER} behind a rule. Here their numbers are the same, and are "
        "shown once."
    )
    known = pd.MultiIndex.from_frame(rows[["dataset", "run"]]).isin(ours.index)
    kept = rows[(rows["method"] != LAMC_SCORER) | ~known]
    return kept.assign(method=kept["method"].replace(LAMC_SCORER, LAMC_NAME)), (said,)


def _values(column: pd.Series) -> list[Any]:
    """The different values of a column in order, None first if it is missing somewhere."""
    present = sorted(column.dropna().unique().tolist())
    return [None, *present] if column.isna().any() else present


def _listed(values: Iterable[Any]) -> str:
    names = ["none" if value is None else str(value) for value in values]
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "nothing"


def _quoted(values: Iterable[Any]) -> str:
    """Values in a list; those with spaces or commas in quotation marks."""
    return _listed(quote(str(value)) if isinstance(value, str) else value for value in values)


def in_order(names: pd.Series, first: tuple[str, ...]) -> tuple[str, ...]:
    """The different names: those known first in their order, then the others as they come.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.selection import in_order
    >>> in_order(pd.Series(["mine", "WAN", "AN", "mine"]), first=("AN", "WAN"))
    ('AN', 'WAN', 'mine')
    """
    found = list(dict.fromkeys(names))
    return tuple([n for n in first if n in found] + [n for n in found if n not in first])
