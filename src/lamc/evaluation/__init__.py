"""What held-out rows show: promises against measurements, and metrics with intervals."""

from lamc.evaluation.claims import Claim
from lamc.evaluation.evaluate import Evaluation, evaluate
from lamc.evaluation.intervals import Estimate

__all__ = ["Claim", "Estimate", "Evaluation", "evaluate"]
