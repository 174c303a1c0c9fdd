"""The base of network learners that need to know how many labels a row has on average."""

from dataclasses import dataclass

from lamc.exceptions import SettingError
from lamc.labels import Labels
from lamc.learners.expected_count import estimate_count
from lamc.learners.network import NetworkLearner
from lamc.learners.numbers import Check, is_within
from lamc.types import Matrix


@dataclass(kw_only=True, eq=False, repr=False)
class CountingLearner(NetworkLearner):
    """A network learner that is told the mean number of labels a row, or estimates it.

    Parameters
    ----------
    expected_count : float, optional
        The mean number of true labels a row. Without it, it is estimated once for all networks by
        :func:`lamc.learners.expected_count.estimate_count`, before they are trained.
    hidden, epochs, batch_size, learning_rate, …
        See :class:`lamc.learners.network.NetworkLearner`.

    Attributes
    ----------
    expected_count_ : float
        The number that was used.
    """

    expected_count: float | None = None

    def _checks(self) -> list[Check]:
        fits = self.expected_count is None or is_within(self.expected_count, above=0)
        return [("expected_count", fits, _expected("the number of labels"))]

    def _look(self, X: Matrix, labels: Labels) -> None:
        self.expected_count_ = self._count(X, labels)

    def _count(self, X: Matrix, labels: Labels) -> float:
        k, n_labels = self.expected_count, len(labels.classes)
        if k is None:
            return estimate_count(
                X,
                labels,
                standardise=self.standardise,
                device=self.device,
                n_threads=self.n_threads,
            )
        if not is_within(k, above=0, high=n_labels):
            most = f"{n_labels}, the number of labels"
            raise SettingError(f"expected_count={k!r}; give {_expected(most)}.")
        return k


def _expected(most: str) -> str:
    return f"a number above 0 and at most {most}, or None to estimate it"
