"""How much memory a piece of work took."""

import ctypes
import gc
from contextlib import suppress
from pathlib import Path

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def reset_peak() -> bool:
    """Begin to measure anew; False where the system cannot.

    What work before this has left is given back first, and torch is loaded, which most methods
    need: so a method takes the same whatever came before it, up to what is still in use.

    Examples
    --------
    >>> from lamc.benchmark.memory import reset_peak
    >>> isinstance(reset_peak(), bool)
    True
    """
    import torch  # noqa: F401

    gc.collect()
    with suppress(OSError, AttributeError):  # of glibc alone
        ctypes.CDLL(None).malloc_trim(0)
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
