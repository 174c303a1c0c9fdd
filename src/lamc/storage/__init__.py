"""Models in files: one file each, written whole, and read without running anything in it."""

from lamc.storage.models import load, save

__all__ = ["load", "save"]
