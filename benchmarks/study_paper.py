"""Which of the paper's printed cells can belong to one ranking, as far as arithmetic tells.

Coverage and ranking loss of the same scores bound each other, given how many labels rows have. A
pair of cells outside its bounds, with two standard deviations of room on either side, was not
computed from one ranking of the labels, whatever the method and the split.

Run: LAMC_DATA=... python benchmarks/study_paper.py
"""

from lamc.benchmark.consistency import coverage_range
from lamc.benchmark.paper import METHODS, published
from lamc.benchmark.plan import PAPER_DATASETS
from lamc.datasets import load
from ratios import print_table


def main() -> None:
    losses, coverages = published("ranking_loss"), published("coverage_error")
    rows = []
    for dataset in PAPER_DATASETS:
        labels = load(dataset).Y
        cardinality = labels.sum(axis=1)
        for method in METHODS[1:]:  # LAMC's cells are of what was left after exclusion
            loss, coverage = losses[dataset, method], coverages[dataset, method]
            low, _ = coverage_range(cardinality, labels.shape[1], max(loss.mean - 2 * loss.std, 0))
            _, high = coverage_range(cardinality, labels.shape[1], loss.mean + 2 * loss.std)
            if not low - 2 * coverage.std <= coverage.mean <= high + 2 * coverage.std:
                cells = f"{loss.mean:.3f}", f"{coverage.mean:.3f}", f"{low:.2f} to {high:.2f}"
                rows.append([dataset, method, *cells])
    columns = ["data set", "method", "ranking loss", "coverage", "coverage that fits"]
    print_table("Printed cells that contradict each other", columns, rows)


if __name__ == "__main__":
    main()
