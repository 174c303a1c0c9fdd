"""How long a method waits before it relies on what its network says."""

from lamc.learners.numbers import Check, is_within


def check_warm_up(share: float) -> Check:
    """Whether a share of the epochs can be the warm-up.

    Examples
    --------
    >>> from lamc.learners.warm_up import check_warm_up
    >>> check_warm_up(5)
    ('warm_up', False, 'a share of the epochs, from 0 to below 1')
    """
    return "warm_up", is_within(share, 0, below=1), "a share of the epochs, from 0 to below 1"


def warm_up_epochs(share: float, epochs: int) -> int:
    """Epochs of the warm-up: a share of all, at least one.

    Published warm-ups are numbers of epochs of trainings on images that take ten; as a share they
    carry over to trainings of another length.

    Examples
    --------
    >>> from lamc.learners.warm_up import warm_up_epochs
    >>> warm_up_epochs(0.2, epochs=25), warm_up_epochs(0.2, epochs=2)
    (5, 1)
    """
    return max(1, round(share * epochs))
