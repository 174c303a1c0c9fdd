"""EPR: observed labels, and the number of labels that rows have on average."""

from dataclasses import dataclass
from functools import partial

from lamc import losses
from lamc.learners.counting import CountingLearner
from lamc.learners.method import Group, LossMethod, Method


@dataclass(kw_only=True, eq=False, repr=False)
class EPR(CountingLearner):
    """Expected positive regularisation: observed labels score high, rows add up as expected.

    The mean over all B K entries of −ln f for observed labels and 0 for others, plus
    ((Σ f) / B − k)² / K², where the sum is over a batch and k is the mean number of labels a row.

    Parameters
    ----------
    expected_count : float, optional
        k. Without it, k is estimated from the observed labels by a network of its own
        (:func:`lamc.learners.expected_count.estimate_count`); no label that was not observed is
        read. Where you know the number, give it.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Attributes
    ----------
    expected_count_ : float
        The k that was used.

    Notes
    -----
    The paper takes k from the full labels of the training set, which a method that learns from
    single positives does not have. The weight of the second term is 1 as in its code.

    References
    ----------
    E. Cole et al., "Multi-label learning from single positive labels", CVPR 2021.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import EPR
    >>> data = digit_scenes(300)
    >>> learner = EPR(expected_count=2.5, epochs=3, learning_rate=1e-3, random_state=0)
    >>> learner.fit(data.X, observe(data.Y, random_state=0)).predict_proba(data.X).shape
    (300, 10)
    """

    def _method(self, group: Group) -> Method:
        return LossMethod(partial(losses.epr, expected=self.expected_count_))
