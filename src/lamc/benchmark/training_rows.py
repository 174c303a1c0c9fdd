"""Which rows the methods of one table were fitted on, so that none has more than is fair."""

from typing import Any

import pandas as pd

from lamc.benchmark.paper import LAMC_NAME


def of_fair_part(rows: pd.DataFrame, view: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Rows fitted on the training rows that a fair table needs, and which these are, in words.

    Behind a rule nobody may have been trained on the calibration rows. On full rankings the
    rivals have them, as in the paper, on every data set where any method was so fitted. Methods
    that were fitted on other rows only are left out, and named.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.training_rows import of_fair_part
    >>> rows = pd.DataFrame({"dataset": "yeast", "method": ["AN", "AN", "LAMC"],
    ...                      "part": ["train", "training", "train"]})
    >>> of_fair_part(rows, "full")[0].index.tolist()
    [1, 2]
    >>> of_fair_part(rows, "accepted")[0].index.tolist()
    [0, 2]
    """
    all_rows = set(rows["dataset"][rows["part"] == "training"]) if view == "full" else set()
    learns_all = rows["dataset"].isin(all_rows) & (rows["method"] != LAMC_NAME)
    fair = rows[rows["part"] == learns_all.map({True: "training", False: "train"})]
    if not all_rows:
        return fair, ("No method was fitted on calibration rows.", *_dropped(rows, fair))
    said = (
        "LAMC is WAN fitted on the training rows without the calibration rows, "
        "the others are fitted on both"
    )
    without = [name for name in dict.fromkeys(rows["dataset"]) if name not in all_rows]
    if without:
        said += f"; on {', '.join(without)} no method was fitted on calibration rows"
    return fair, (f"{said}.", *_dropped(rows, fair))


def rows_ratio(parts: pd.Series, settings: list[dict[str, Any]]) -> float | None:
    """Test rows for each training row where all runs are drawn anew: 10 % to 70 % or to 80 %.

    Examples
    --------
    >>> import pandas as pd
    >>> from lamc.benchmark.training_rows import rows_ratio
    >>> rows_ratio(pd.Series(["training"]), [{"draw": "anew"}])
    0.125
    """
    shares = {"train": 1 / 7, "training": 1 / 8}
    drawn_anew = all(each["draw"] == "anew" for each in settings)
    return max(shares[part] for part in parts.unique()) if drawn_anew else None


def _dropped(rows: pd.DataFrame, fair: pd.DataFrame) -> tuple[str, ...]:
    """Which methods a table has not, since they were fitted on other rows than it is of."""
    places = ["method", "dataset"]
    shown = set(fair[places].itertuples(index=False, name=None))
    on: dict[str, list[str]] = {}
    for method, dataset in rows[places].drop_duplicates().itertuples(index=False, name=None):
        if (method, dataset) not in shown:
            on.setdefault(method, []).append(dataset)
    named = "; ".join(f"{method} on {', '.join(datasets)}" for method, datasets in on.items())
    return (f"Left out, since fitted on other rows than these: {named}.",) if on else ()
