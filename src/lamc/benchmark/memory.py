"""How much memory a piece of work took."""

from pathlib import Path

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def reset_peak() -> bool:
    """Begin to measure anew; False where the system cannot.

    Examples
    --------
    >>> from lamc.benchmark.memory import reset_peak
    >>> isinstance(reset_peak(), bool)
    True
    """
    try:
        _RESET.write_text("5")
    except OSError:
        return False
    return True


def peak_megabytes() -> float:
    """Largest resident memory of this process since the last reset.

    Examples
    --------
    >>> from lamc.benchmark.memory import peak_megabytes, reset_peak
    >>> not reset_peak() or peak_megabytes() > 1
    True
    """
    lines = _STATUS.read_text().splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(kilobytes) / 1024
