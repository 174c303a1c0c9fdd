"""Learners from single positives, each a scikit-learn classifier."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamc.learners.an import AN, ANLS, WAN
    from lamc.learners.blend import Blend
    from lamc.learners.crisp import CRISP
    from lamc.learners.dm2l import DM2L
    from lamc.learners.em import APL, EM
    from lamc.learners.epr import EPR
    from lamc.learners.glocal import GLOCAL
    from lamc.learners.gr import GR
    from lamc.learners.hill import Hill
    from lamc.learners.large_loss import LargeLoss
    from lamc.learners.mime import MIME
    from lamc.learners.mlml import MLML
    from lamc.learners.module import Network
    from lamc.learners.role import ROLE
    from lamc.learners.smile import SMILE
    from lamc.learners.softmax import Softmax
    from lamc.learners.splc import SPLC
    from lamc.learners.trees import Trees

# Each learner and the file it is in. A file is opened when its learner is first asked for: the
# neural ones import torch.
_FILES = {
    "AN": "an",
    "ANLS": "an",
    "APL": "em",
    "Blend": "blend",
    "CRISP": "crisp",
    "DM2L": "dm2l",
    "EM": "em",
    "EPR": "epr",
    "GLOCAL": "glocal",
    "GR": "gr",
    "Hill": "hill",
    "LargeLoss": "large_loss",
    "MIME": "mime",
    "MLML": "mlml",
    "Network": "module",
    "ROLE": "role",
    "SMILE": "smile",
    "SPLC": "splc",
    "Softmax": "softmax",
    "Trees": "trees",
    "WAN": "an",
}

__all__ = [
    "AN",
    "ANLS",
    "APL",
    "CRISP",
    "DM2L",
    "EM",
    "EPR",
    "GLOCAL",
    "GR",
    "MIME",
    "MLML",
    "ROLE",
    "SMILE",
    "SPLC",
    "WAN",
    "Blend",
    "Hill",
    "LargeLoss",
    "Network",
    "Softmax",
    "Trees",
]


def __getattr__(name: str) -> Any:
    if name not in _FILES:
        raise AttributeError(f"module 'lamc.learners' has no attribute {name!r}")
    return getattr(import_module(f"lamc.learners.{_FILES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
