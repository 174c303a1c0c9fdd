"""What goes wrong in planning, running and storing a benchmark."""

from lamc.exceptions import LAMCError


class BenchmarkError(LAMCError, ValueError):
    """A plan cannot be carried out, or a results file cannot be used.

    Examples
    --------
    >>> from lamc.benchmark.errors import BenchmarkError
    >>> issubclass(BenchmarkError, ValueError)
    True
    """
