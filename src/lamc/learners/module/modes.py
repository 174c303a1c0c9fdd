"""The modes of a module and its parts: a part that was put into evaluation mode stays in it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from torch import nn


def set_to_train(module: nn.Module) -> None:
    """Put a module into training mode, but for the parts that were put into evaluation mode.

    A module of which every part is in evaluation mode, as pretrained ones come, says nothing of its
    parts: all of it trains.

    Examples
    --------
    >>> from torch import nn
    >>> from lamc.learners.module.modes import set_to_train
    >>> module = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 2))
    >>> module[0].training = False
    >>> set_to_train(module)
    >>> module.training, module[0].training, module[1].training
    (True, False, True)
    >>> set_to_train(module.eval())
    >>> module.training, module[0].training, module[1].training
    (True, True, True)
    """
    _, *parts = module.modules()
    resting = [part for part in parts if not part.training]
    if not module.training and len(resting) == len(parts):
        resting = []
    module.train()
    for part in resting:
        part.training = False


@contextmanager
def evaluating(modules: Sequence[nn.Module]) -> Iterator[None]:
    """Put modules into evaluation mode, and afterwards each part into the mode that it had.

    Examples
    --------
    >>> from torch import nn
    >>> from lamc.learners.module.modes import evaluating
    >>> module = nn.Dropout(0.5)
    >>> with evaluating([module]):
    ...     print(module.training)
    False
    >>> module.training
    True
    """
    modes = [(module, module.training) for module in modules]
    modes_of_parts = [(part, part.training) for module in modules for part in module.modules()]
    for module in modules:
        module.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.train(mode)  # a module may do more than set flags
        for part, mode in modes_of_parts:
            part.training = mode
