"""Tables, comparisons and readings for programs: what ``--json`` prints."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamc.benchmark.compare import Comparison
    from lamc.benchmark.nearness import Nearness
    from lamc.benchmark.result_table import Table


def table_facts(table: "Table") -> dict[str, Any]:
    """One metric: a cell for each data set and method that was measured, ranks and wins."""
    return {
        "metric": table.metric.name,
        "better": table.metric.better,
        "of": table.described,
        "runs_planned": table.asked,
        "cells": [
            {
                "dataset": dataset,
                "method": method,
                "values": cell.values,
                "mean": cell.mean,
                "std": cell.std,
                "best": cell.best,
                "not_told_from_best": cell.near_best,
                "rows_left_out": table.left_out.get((dataset, method)),
                "paper": None if cell.paper is None else asdict(cell.paper),
            }
            for (dataset, method), cell in table.cells.items()
        ],
        "ranked_datasets": table.ranked,
        "average_ranks": table.average_ranks,
        "wins": table.wins,
        "not_the_papers_data": table.variants,
        "remarks": table.remarks,
    }


def comparison_facts(found: "Comparison") -> dict[str, Any]:
    """Tests of the differences between methods."""
    nemenyi = found.nemenyi
    return {
        "metric": found.metric.name,
        "of": found.described,
        "datasets": found.datasets,
        "methods": found.methods,
        "datasets_left_out": found.left_out,
        "average_ranks": found.average_ranks,
        "friedman": None if found.friedman is None else asdict(found.friedman),
        "nemenyi": None
        if nemenyi is None
        else {
            "critical_difference": nemenyi.critical_difference,
            "p": nemenyi.p.to_dict(),
        },
        "against": found.against,
        "wilcoxon": [asdict(test) for test in found.wilcoxon],
    }


def reading_facts(found: "Nearness") -> dict[str, Any]:
    """A reading of the paper, and how near it comes."""
    return {
        "reading": found.reading,
        "mean_difference": found.apart,
        "cells_within_2_std": found.met,
        "cells": found.cells,
        "rows_left_out": found.left_out,
    }
