"""From scores to thresholds: one rule a file, and the calibrator that applies them."""

from lamc.rules.calibrator import Calibrator

__all__ = ["Calibrator"]
