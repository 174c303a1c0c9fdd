"""LAMC: reliable labels from single positives, and an honest abstention for the rest."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamc import datasets, losses, metrics
    from lamc.classifier import LAMC
    from lamc.labels import Labels, as_labels
    from lamc.rules import Calibrator
    from lamc.storage import load

__version__ = "0.1.0.dev0"

# Public names and the rooms they live in. A room is entered when it is first asked for, so that
# `import lamc` stays light.
_ROOMS = {
    "Calibrator": "lamc.rules",
    "LAMC": "lamc.classifier",
    "Labels": "lamc.labels",
    "as_labels": "lamc.labels",
    "datasets": None,
    "load": "lamc.storage",
    "losses": None,
    "metrics": None,
}

__all__ = ["LAMC", "Calibrator", "Labels", "as_labels", "datasets", "load", "losses", "metrics"]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'lamc' has no attribute {name!r}")
    room = _ROOMS[name]
    return import_module(f"lamc.{name}") if room is None else getattr(import_module(room), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
