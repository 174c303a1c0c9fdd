"""The report: one HTML file on what is promised, what was measured, and what is left open."""

from lamc.report.write import write_report

__all__ = ["write_report"]
