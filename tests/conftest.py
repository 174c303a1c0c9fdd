"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The first example of a property may import a library; and the machines are shared.
settings.register_profile("lamc", deadline=None)
settings.load_profile("lamc")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the real data files, as a user would name it."""
    folder = Path(os.environ["LAMC_DATA"])
    assert folder.is_dir()
    return folder
