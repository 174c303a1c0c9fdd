"""Small data and estimators of a user's own, in files, as a user would have them."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from lamc.datasets import Dataset, digit_scenes, write_npz

LAMC = Path(sys.executable).with_name("lamc")
MEASURED_ANEW = ("seconds_fit", "seconds_total", "peak_megabytes")

# Each says in a file that it has begun. Slow ones can be caught in the middle of a fit, whatever
# the machine: they wait until nobody has touched the file "hold" any more, or a little.
ESTIMATORS = """
import os, signal, time
from pathlib import Path
from sklearn.naive_bayes import GaussianNB

FOLDER = Path(__file__).parent


class Quick(GaussianNB):
    pass


class Slow(GaussianNB):
    def fit(self, X, y):
        with open(FOLDER / "begun.txt", "a") as file:
            file.write(f"{type(self).__name__} {os.getpid()}\\n")
        until = time.monotonic() + (60 if (FOLDER / "hold").exists() else 0.1)
        while (FOLDER / "hold").exists() and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.1)
        return super().fit(X, y)


class SlowToo(Slow):
    pass


class SlowAsWell(Slow):
    pass


class Broken(GaussianNB):
    def fit(self, X, y):
        raise RuntimeError("this one is broken on purpose")


class Leaving(GaussianNB):
    def fit(self, X, y):
        raise SystemExit(3)


class Killed(GaussianNB):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)
"""


def small_data(name: str, n: int = 80, seed: int = 0) -> Dataset:
    """A few digit scenes under a name of their own, so that they count as a user's data."""
    scenes = digit_scenes(n, random_state=seed)
    few = slice(4, None, 8)  # those in the middle of a digit
    return replace(
        scenes,
        name=name,
        X=scenes.X[:, few],
        feature_names=scenes.feature_names[few],
        pictures=None,
    )


def write_files(folder: Path) -> None:
    """Two data files and a module of estimators."""
    for seed, name in enumerate(("first", "second")):
        write_npz(small_data(name, seed=seed), folder / f"{name}.npz")
    (folder / "mine.py").write_text(ESTIMATORS)


def numbered_rows(n: int = 120, n_labels: int = 6, seed: int = 0) -> Dataset:
    """Rows whose first feature is their number, so that it can be told who saw which."""
    from scipy import sparse

    rng = np.random.default_rng(seed)
    Y = rng.random((n, n_labels)) < 0.4
    Y[np.arange(n), rng.integers(n_labels, size=n)] = True
    X = np.column_stack([np.arange(n), rng.random((n, 4)) + Y[:, :4]])
    return Dataset(
        name="numbered",
        X=X,
        Y=sparse.csr_array(Y),
        feature_names=np.array([f"x{i}" for i in range(X.shape[1])]),
        label_names=np.array([f"label {k}" for k in range(n_labels)]),
    )


def environment() -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "COLUMNS": "200",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def bench(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """``lamc bench`` as a real process."""
    return subprocess.run(
        [LAMC, "bench", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(),
    )


def repeatable(measurements: pd.DataFrame) -> pd.DataFrame:
    """Measurements that every run gives alike, in one order."""
    rows = measurements[~measurements["metric"].isin(MEASURED_ANEW)]
    return rows.sort_values(list(rows.columns), ignore_index=True)
