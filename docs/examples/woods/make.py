"""Make the tables of the woods: made-up sites, what grows there, and what was noted of it."""

from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
SPECIES = np.array(["beech", "birch", "fern", "moss", "oak", "orchid"])


def make_sites(n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw sites, and which species each has."""
    height = rng.uniform(100, 900, n).round()
    wetness, lime, shade = rng.random((3, n)).round(2)
    up = (height - 500) / 400
    leaning = [
        7 * lime - 4 * wetness - 2 * up - 2,
        6 * wetness - 5 * shade - 1,
        5 * wetness + 5 * shade - 6,
        7 * wetness + 3 * up - 4,
        -5 * up - 2 * wetness - 1,
        8 * lime - 6 * shade - 5,
    ]
    there = rng.random((n, len(SPECIES))) < 1 / (1 + np.exp(-1.5 * np.stack(leaning, axis=1)))
    sites = pd.DataFrame(
        {
            "site": [f"S{number:04}" for number in range(n)],
            "height": height.astype(int),
            "wetness": wetness,
            "lime": lime,
            "shade": shade,
        }
    )
    return sites, there


def main(folder: Path = HERE) -> None:
    """Write walks.csv, surveys.csv, later.csv and new.csv."""
    rng = np.random.default_rng(0)
    sites, there = make_sites(2100, rng)
    grows = [";".join(SPECIES[row]) for row in there]
    noted = [rng.choice(SPECIES[row]) if row.any() else "" for row in there]
    walks = sites.assign(species=noted)[:1300]
    walks[walks["species"] != ""].to_csv(folder / "walks.csv", index=False)
    sites.assign(species=grows)[1300:1700].to_csv(folder / "surveys.csv", index=False)
    sites.assign(species=grows)[1700:2000].to_csv(folder / "later.csv", index=False)
    sites[2000:].to_csv(folder / "new.csv", index=False)


if __name__ == "__main__":
    main()
