"""Commands run in this process or as real ones, and the files they work on."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from lamc import Calibrator
from lamc.cli import app
from lamc.storage import save

LAMC = Path(sys.executable).with_name("lamc")
NAMES = np.array(["ash", "elm", "oak"])
FAST = ("--method", "wan", "--set", "epochs=3", "--set", "hidden=8")


@pytest.fixture
def lamc() -> Callable[..., Any]:
    """Run a command in this process."""

    def run(*arguments: object, code: int = 0, stdin: str | None = None) -> Any:
        result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*map(str, arguments)], input=stdin)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def lamc_json(lamc: Callable[..., Any]) -> Callable[..., Any]:
    """Run a command and read the JSON document that it prints."""

    def run(*arguments: object) -> Any:
        return json.loads(lamc(*arguments, "--json").stdout)

    return run


@pytest.fixture
def process() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command as a real process."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [LAMC, *map(str, arguments)],
            capture_output=True,
            text=True,
            env={
                "PATH": os.environ["PATH"],
                "COLUMNS": "100",
                "OMP_NUM_THREADS": "1",
                **environment,
            },
        )

    return run


def make_trees(n: int, seed: int) -> pd.DataFrame:
    """Features, all labels as 0/1 columns and as a list, and one observed label."""
    rng = np.random.default_rng(seed)
    height, width = rng.normal(size=(2, n))
    leaf = rng.choice(["long", "needle", "round"], n)
    Y = np.column_stack([width > 0.5, (leaf == "long") | (height < -1), leaf != "needle"])
    Y[~Y.any(axis=1), 0] = True
    return pd.DataFrame(
        {
            "id": [f"t{seed}-{i}" for i in range(n)],
            "height": np.where(rng.random(n) < 0.05, np.nan, height),
            "width": width,
            "leaf": leaf,
            **dict(zip(NAMES, Y.astype(int).T, strict=True)),
            "tags": [";".join(NAMES[row]) for row in Y],
            "seen": [rng.choice(NAMES[row]) for row in Y],
        }
    )


@pytest.fixture(scope="session")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with trees: single positives to train on, checked ones, and new ones."""
    folder = tmp_path_factory.mktemp("trees")
    features = ["id", "height", "width", "leaf"]
    train, checked, held_out = (make_trees(n, seed) for seed, n in enumerate((400, 200, 200)))
    train[[*features, "seen"]].to_csv(folder / "train.csv", index=False)
    checked[[*features, *NAMES]].to_parquet(folder / "checked.parquet", index=False)
    held_out[[*features, "tags"]].to_csv(folder / "held_out.csv", index=False)
    held_out[features].to_parquet(folder / "new.parquet", index=False)
    return folder


@pytest.fixture(scope="session")
def model(trees: Path) -> Path:
    """A model of these trees."""
    path = trees / "trees.lamc"
    arguments = ["train", trees / "train.csv", "--label-column", "seen", "--id", "id", *FAST]
    arguments += ["--calibration", trees / "checked.parquet", "--rule", "three-way", "-o", path]
    result = CliRunner().invoke(app, [*map(str, arguments), "--quiet"])
    assert result.exit_code == 0, result.output
    assert result.output == ""
    return path


@pytest.fixture(scope="session")
def calibrator(trees: Path) -> Path:
    """Thresholds for scores, and beside them 20,000 rows of scores: what needs no torch."""
    rng = np.random.default_rng(0)
    truth = rng.random((300, 3)) < 0.4
    scores = 0.5 * rng.random(truth.shape) + 0.5 * rng.random(truth.shape) * truth
    path = trees / "calibrator.lamc"
    save(Calibrator(alpha=0.2).fit(scores, truth, classes=NAMES), path)
    pd.DataFrame(rng.random((20_000, 3)), columns=NAMES).to_parquet(trees / "scores.parquet")
    return path
