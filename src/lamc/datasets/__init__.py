"""Data: the paper's twelve by name, files of one's own, splits, observed labels, digit scenes."""

from lamc.datasets.catalogue import catalogue
from lamc.datasets.dataset import Dataset
from lamc.datasets.load import load
from lamc.datasets.observe import observe
from lamc.datasets.read import read
from lamc.datasets.readers.npz import write_npz
from lamc.datasets.scenes import digit_scenes
from lamc.datasets.splits import Split, split

__all__ = [
    "Dataset",
    "Split",
    "catalogue",
    "digit_scenes",
    "load",
    "observe",
    "read",
    "split",
    "write_npz",
]
