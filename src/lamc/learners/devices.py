"""Where torch computes, and on how many threads."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lamc.exceptions import SettingError
from lamc.learners.process_wide import Shared

_TORCH_THREADS = Shared()
_DRAWS = threading.RLock()  # held by who seeds torch's one generator, which all threads draw from


def find_device(name: str) -> str:
    """The device of this name; the fastest there is for "auto".

    Examples
    --------
    >>> from lamc.learners.devices import find_device
    >>> find_device("cpu")
    'cpu'
    """
    import torch

    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        there = torch.zeros(1, device=name)
        there.cpu()  # "meta" has a name, but no memory
        return str(there.device)
    except (RuntimeError, AssertionError) as error:  # torch raises either, by the kind of device
        raise SettingError(
            f"device={name!r} cannot be used here: {error}\nGive 'cpu', or 'auto'."
        ) from error


@contextmanager
def training_mode(n_threads: int | None) -> Iterator[None]:
    """Let torch use so many threads and take gradients, whatever the caller has switched off.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.devices import training_mode
    >>> with torch.inference_mode(), training_mode(1):
    ...     torch.is_grad_enabled(), torch.is_inference_mode_enabled()
    (True, False)
    """
    import torch

    with torch_threads(n_threads), torch.inference_mode(False), torch.enable_grad():
        yield


@contextmanager
def single_precision(device: str) -> Iterator[None]:
    """Compute in the type of the tensors, also where the caller has asked for automatic casts.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.devices import single_precision
    >>> with torch.autocast("cpu"), single_precision("cpu"):
    ...     (torch.ones(1, 1) @ torch.ones(1, 1)).dtype
    torch.float32
    """
    import torch

    with torch.autocast(torch.device(device).type, enabled=False):
        yield


@contextmanager
def torch_threads(n: int | None) -> Iterator[None]:
    """Let torch use so many threads, and put back what was set.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.devices import torch_threads
    >>> with torch_threads(1):
    ...     torch.get_num_threads()
    1
    """
    import torch

    with _TORCH_THREADS.kept(torch.get_num_threads, torch.set_num_threads) as before:
        if n is not None:
            torch.set_num_threads(n)
        try:
            yield
        finally:
            torch.set_num_threads(before)  # each thread has a number of its own, too


@contextmanager
def own_draws(device: str) -> Iterator[None]:
    """Leave torch's random numbers, here and on the device, as they were.

    Other threads wait: they have the same generator, and would draw from another's seed.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.devices import own_draws, seed_draws
    >>> before = torch.get_rng_state()
    >>> with own_draws("cpu"):
    ...     seed_draws(0, "cpu")
    >>> torch.equal(torch.get_rng_state(), before)
    True
    """
    import torch

    own = torch.device(device)
    devices = [] if own.type == "cpu" else [own]
    with _DRAWS, torch.random.fork_rng(devices, device_type=own.type):
        yield


def seed_draws(seed: int, device: str) -> None:
    """Seed torch's random numbers, here and on the device, and leave other devices alone."""
    import torch

    torch.default_generator.manual_seed(seed)
    own = torch.device(device)
    if own.type != "cpu":
        state = torch.Generator(own).manual_seed(seed).get_state()
        torch.get_device_module(own).set_rng_state(state, own)
