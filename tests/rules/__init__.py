"""The rules against slow twins that are written straight from the definitions."""
