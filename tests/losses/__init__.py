"""The losses against slow twins that are written straight from the formulas."""
