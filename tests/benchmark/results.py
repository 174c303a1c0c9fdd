"""Results made by hand, in the form that a results file gives them."""

import json
from collections.abc import Iterable, Mapping

import pandas as pd

Values = Mapping[tuple[str, str], Iterable[float]]


def measured(
    values: Values,
    *,
    metric: str = "average_precision",
    profile: str = "mine",
    view: str = "full",
    part: str = "train",
    rule: str | None = None,
    alpha: float | None = None,
    calibration: str | None = None,
    positives: int | None = None,
    exact: bool = True,
    variant: str = "paper",
    draw: str = "given",
    n_runs: int = 0,
    checksum: str = "",
) -> pd.DataFrame:
    """Measurements: values for each run, by data set and method; NaN is a value like others."""
    values = {key: list(each) for key, each in values.items()}
    n_runs = n_runs or max(len(each) for each in values.values())
    settings = json.dumps({"draw": draw, "seeds": list(range(n_runs))})
    rows = [
        {
            "profile": profile,
            "dataset": dataset,
            "variant": variant,
            "exact": exact,
            "method": method,
            "part": part,
            "run": run,
            "seed": run,
            "view": view,
            "rule": rule,
            "alpha": alpha,
            "calibration": calibration,
            "positives": positives,
            "metric": metric,
            "value": value,
            "unit": f"{dataset} {_fitted(dataset, method, values)} {part}",
            "settings": settings,
            "data_checksum": checksum or dataset,
            "versions": "{}",
        }
        for (dataset, method), each in values.items()
        for run, value in enumerate(each)
    ]
    frame = pd.DataFrame(rows)
    return frame.astype({"positives": "Int64", "alpha": "float64", "value": "float64"})


def _fitted(dataset: str, method: str, values: Values) -> str:
    """What was fitted: LAMC is WAN, if their numbers are the same."""
    same = method == "LAMC" and values.get((dataset, "WAN")) == values[dataset, method]
    return "WAN" if same else method


def accepted(values: Values, **changes: object) -> pd.DataFrame:
    """Measurements behind the paper's rule."""
    paper = {"rule": "selective", "alpha": 0.5, "calibration": "all labels", "positives": 10}
    return measured(values, view="accepted", **{**paper, **changes})


def joined(*frames: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(frames, ignore_index=True)


def points(
    curve: str,
    xy: Iterable[tuple[float, float]],
    *,
    dataset: str = "yeast",
    method: str = "LAMC",
    part: str = "train",
    run: int = 0,
    rule: str | None = None,
    alpha: float | None = None,
    calibration: str | None = None,
    labels: Iterable[str | None] = (),
    unit: str = "",
    profile: str = "mine",
) -> pd.DataFrame:
    """Points of one curve."""
    xy = list(xy)
    names = list(labels) or [None] * len(xy)
    rows = [
        {
            "profile": profile,
            "dataset": dataset,
            "method": method,
            "part": part,
            "run": run,
            "rule": rule,
            "alpha": alpha,
            "calibration": calibration,
            "curve": curve,
            "label": name,
            "x": x,
            "y": y,
            "unit": unit or f"{dataset} {method} {part}",
        }
        for (x, y), name in zip(xy, names, strict=True)
    ]
    return pd.DataFrame(rows).astype({"alpha": "float64", "x": "float64", "y": "float64"})
