"""The promises, on known truth: what a threshold really does is computed, not estimated."""
