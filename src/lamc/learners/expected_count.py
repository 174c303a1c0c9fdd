"""How many labels a row has on average, estimated without reading one that was not observed."""

from torch import Tensor


def expected_count(scores: Tensor) -> Tensor:
    """Estimate the mean number of true labels a row, from scores of what is observed.

    If the observed label is drawn uniformly from the |y| true ones, a label that is surely true is
    the observed one with probability 1/|y|; no label is more often. So 1 / max r, with r the
    probability of each label to be the observed one, tells |y|, and its mean over rows is the
    estimate. It is too high where no label of a row is sure, and too low where scores know their
    training rows by heart: scores after few epochs serve best. (After two epochs of AN at rate
    1e-3 and in brackets in truth: yeast 4.9 (4.2), scene 1.4 (1.1), mirflickr 3.6 (4.7),
    rcv1subset1 3.8 (2.9), corel5k 14 (3.5). The sum of :func:`lamc.losses.crisp_priors` is 5.0,
    1.2, 3.1, 5.5 and 137: rare labels have too few rows for a prior of their own.)

    Parameters
    ----------
    scores : Tensor of shape (..., n, K)
        Scores of training rows that estimate r up to a factor, such as those of AN and Softmax;
        they are divided by their sum in each row.

    Returns
    -------
    Tensor of shape (...,)
        At least 1 and at most K.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.expected_count import expected_count
    >>> expected_count(torch.tensor([[0.5, 0.5, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]]))
    tensor(3.)
    """
    return (scores.sum(-1) / scores.amax(-1)).mean(-1)
