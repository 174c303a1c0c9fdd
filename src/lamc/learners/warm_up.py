"""How long a method waits before it relies on what its network says."""

from lamc.exceptions import TrainingError
from lamc.learners.numbers import is_within


def warm_up_epochs(share: float, epochs: int) -> int:
    """Epochs of the warm-up: a share of all, at least one.

    Published warm-ups are numbers of epochs of trainings on images that take ten; as a share they
    carry over to trainings of another length.

    Examples
    --------
    >>> from lamc.learners.warm_up import warm_up_epochs
    >>> warm_up_epochs(0.2, epochs=25), warm_up_epochs(0.2, epochs=2)
    (5, 1)
    >>> warm_up_epochs(5, epochs=25)
    Traceback (most recent call last):
    lamc.exceptions.TrainingError: warm_up=5; give a share of the epochs, from 0 to below 1.
    """
    if not is_within(share, 0, below=1):
        raise TrainingError(f"warm_up={share!r}; give a share of the epochs, from 0 to below 1.")
    return max(1, round(share * epochs))
