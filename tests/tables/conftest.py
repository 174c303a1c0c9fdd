"""Trees: rows with numbers, words and gaps, of which the labels are known."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

NAMES = np.array(["ash", "elm", "oak"])


def make_trees(n: int, seed: int) -> pd.DataFrame:
    """Features, all labels as 0/1 columns and as a list, and one observed label."""
    rng = np.random.default_rng(seed)
    height, width = rng.normal(size=(2, n))
    leaf = rng.choice(["long", "needle", "round"], n)
    Y = np.column_stack([width > 0.5, (leaf == "long") | (height < -1), leaf != "needle"])
    Y[~Y.any(axis=1), 0] = True
    return pd.DataFrame(
        {
            "id": [f"t{i}" for i in range(n)],
            "height": np.where(rng.random(n) < 0.05, np.nan, height),
            "width": width,
            "leaf": leaf,
            **dict(zip(NAMES, Y.astype(int).T, strict=True)),
            "tags": [";".join(NAMES[row]) for row in Y],
            "seen": [rng.choice(NAMES[row]) for row in Y],
        }
    )


@pytest.fixture(scope="session")
def trees() -> pd.DataFrame:
    return make_trees(200, seed=0)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, trees: pd.DataFrame) -> Path:
    """The same trees in the forms that users have them in."""
    tmp_path = tmp_path_factory.mktemp("trees")
    features = ["id", "height", "width", "leaf"]
    trees[[*features, "seen"]].to_csv(tmp_path / "seen.csv", index=False)
    trees[[*features, "tags"]].to_csv(tmp_path / "tags.csv", index=False)
    trees[[*features, *NAMES]].to_parquet(tmp_path / "marks.parquet", index=False)
    listed = trees[features].assign(tags=trees["tags"].str.split(";"))
    listed.to_parquet(tmp_path / "lists.parquet", index=False)
    listed.to_json(tmp_path / "lists.jsonl", orient="records", lines=True, double_precision=15)
    return tmp_path
