"""Fixtures that every test may use."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Where tests run in the background of a shell, Ctrl-C is ignored there and in all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The first example of a property may import a library; and the machines are shared.
settings.register_profile("lamc", deadline=None)
settings.load_profile("lamc")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the real data files, as a user would name it."""
    folder = Path(os.environ["LAMC_DATA"])
    assert folder.is_dir()
    return folder
