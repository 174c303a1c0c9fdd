"""How good scores and accepted labels are: ranking, set and selective metrics.

Every metric takes the truth first: all labels of every row, dense or sparse or as sets of names.
"""

from lamc.metrics.labelwise import (
    label_average_precision,
    macro_average_precision,
    micro_average_precision,
)
from lamc.metrics.ranking import (
    RankingMetrics,
    average_precision,
    coverage_error,
    left_out_share,
    one_error,
    ranking_loss,
    ranking_metrics,
)
from lamc.metrics.selective import RiskCoverage, retention, risk_coverage, true_retention
from lamc.metrics.sets import LabelMetrics, f1, hamming_loss, label_metrics, precision, recall

__all__ = [
    "LabelMetrics",
    "RankingMetrics",
    "RiskCoverage",
    "average_precision",
    "coverage_error",
    "f1",
    "hamming_loss",
    "label_average_precision",
    "label_metrics",
    "left_out_share",
    "macro_average_precision",
    "micro_average_precision",
    "one_error",
    "precision",
    "ranking_loss",
    "ranking_metrics",
    "recall",
    "retention",
    "risk_coverage",
    "true_retention",
]
