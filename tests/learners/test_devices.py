"""Where torch computes is what was asked for, and threads are put back whatever happens."""

import pytest
import torch

from lamc.exceptions import SettingError
from lamc.learners.devices import find_device, torch_threads


@pytest.mark.parametrize(("there", "expected"), [(True, "cuda"), (False, "cpu")])
def test_auto_is_the_fastest_there_is(there, expected, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert find_device("auto") == expected


def test_a_device_that_is_not_there_is_refused_with_a_way_out():
    with pytest.raises(SettingError, match=r"(?s)device='abacus' cannot be used.*'cpu', or 'auto'"):
        find_device("abacus")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_threads_are_put_back_after_an_error(error):
    before = torch.get_num_threads()

    def interrupted():
        with torch_threads(before + 1):
            assert torch.get_num_threads() == before + 1
            raise error

    with pytest.raises(error):
        interrupted()
    assert torch.get_num_threads() == before


def test_none_leaves_the_threads_as_they_are():
    before = torch.get_num_threads()
    with torch_threads(None):
        assert torch.get_num_threads() == before
