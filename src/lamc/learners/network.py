"""The base of all learners that train a two-layer network."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils import gen_batches

from lamc.exceptions import LabelError, TrainingError
from lamc.installed import is_users
from lamc.labels import Labels
from lamc.labels.columns import require_same_rows
from lamc.learners.base import Learner
from lamc.learners.devices import find_device, single_precision, training_mode
from lamc.learners.features import Origin, read_features, refuse_too_large
from lamc.learners.holdout import (
    hold_out,
    observed_only,
    require_known_columns,
    tell_of_negatives,
    validation_labels,
)
from lamc.learners.numbers import (
    checked_rates,
    draw_seeds,
    is_count,
    is_flag,
    is_within,
    require_seed,
)
from lamc.learners.scaling import standard_scale
from lamc.types import FloatArray, Matrix

if TYPE_CHECKING:
    from lamc.learners.kept import Trained, Training
    from lamc.learners.method import Group, Memory, Method
    from lamc.learners.rows import Rows
    from lamc.learners.selection import Criterion
    from lamc.learners.stack import Shape
    from lamc.learners.trainer import Plan

_ROWS_AT_ONCE = 1024  # rows that are scored together; bounds the memory that takes


@dataclass(kw_only=True, eq=False, repr=False)
class NetworkLearner(Learner):
    """A two-layer network trained on observed labels; what it minimises is the subclass's.

    Parameters
    ----------
    hidden : int or "labels"
        Hidden units; ``"labels"`` takes as many as there are labels, as the reference code of the
        field does.
    epochs, batch_size : int
        Passes over the rows, and rows a step.
    learning_rate : float or tuple of float
        Adam's rate, or those to choose from.
    dropout, weight_decay : float
        Share of hidden units left out in a step, and decay of the weights.
    n_models : int
        Networks with different starts, whose scores are averaged.
    standardise : bool
        Bring each feature to mean 0 and standard deviation 1; of sparse rows that are too large to
        be made dense, bring each row to the same length instead.
    validation_size : float
        Share of the rows held out to choose epoch and rate by, when ``fit`` is given no validation
        set; 0 keeps the last epoch.
    patience : int, optional
        Give a network up when it has not improved for this many epochs.
    device : str
        Where to train: ``"cpu"``, ``"cuda"``, or ``"auto"`` for the fastest there is.
    n_threads : int or None
        Threads that torch uses while training; None for as many as it is set to. Small networks
        gain little from a second one, and on a busy machine threads wait for each other.
    checkpoint : path, optional
        Folder to keep the state of training in; a training that was killed goes on from there.
    verbose : bool
        Show how far training has come.
    random_state : int, RandomState or None
        Seed of starts and orders of rows.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Names of the labels.
    weights_ : list of ndarrays
        W1, b1, W2 and b2, each with a first axis over the models.
    selection_ : list of dict
        For each model the rate and epoch that were chosen, by what criterion, and its values.

    Notes
    -----
    Models and learning rates are trained side by side, as many at once as memory is meant to take:
    20 bytes a parameter for each of them, the rows of a batch, and what the method keeps for all
    rows. See :func:`lamc.learners.trainer.group_size`.
    """

    hidden: int | Literal["labels"] = 256
    epochs: int = 25
    batch_size: int = 16
    learning_rate: float | tuple[float, ...] = (1e-4, 1e-3, 1e-2)
    dropout: float = 0.0
    weight_decay: float = 0.0
    n_models: int = 1
    standardise: bool = True
    validation_size: float = 0.1
    patience: int | None = None
    device: str = "auto"
    n_threads: int | None = 1
    checkpoint: str | Path | None = None
    verbose: bool = False
    random_state: Any = None

    def fit(self, X: Any, y: Any, X_val: Any = None, Y_val: Any = None) -> Self:
        """Learn from rows and the labels observed on them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Training rows.
        y : labels in any form of :func:`lamc.as_labels`
            Observed labels; what is not marked counts as unknown. So do labels that are marked as
            absent: no network learner uses them, and a warning says so.
        X_val, Y_val : optional
            Rows to choose epoch and learning rate by, with all their labels (as a matrix or lists)
            or one observed label each. Without them a part of ``X`` is held out, and judged by its
            observed labels.
        """
        self._forget()
        seeds = draw_seeds(self.random_state, self.n_models)
        if self.checkpoint is not None:
            require_seed(self.random_state)
        training = self._train(X, y, X_val, Y_val, seeds)
        self._keep(training.networks)
        if training.interruption is not None:
            raise training.interruption
        return self

    def fit_runs(
        self, X: Any, y: Any, X_val: Any = None, Y_val: Any = None, *, seeds: Sequence[int]
    ) -> list[Self]:
        """Fit a learner for each of several random states, all at once.

        Each is what a clone with that random state would be after ``fit``, up to rounding.
        """
        learners = [clone(self).set_params(random_state=seed) for seed in seeds]
        of_learner = [draw_seeds(seed, self.n_models) for seed in seeds]
        trainer = clone(self)
        training = trainer._train(X, y, X_val, Y_val, [seed for own in of_learner for seed in own])
        if training.interruption is not None:
            raise training.interruption
        for number, learner in enumerate(learners):
            learner.__dict__.update(trainer._facts())
            start = number * self.n_models
            learner._keep(training.networks[start : start + self.n_models])
        return learners

    def check_settings(self) -> None:
        """Raise if a setting cannot be used, before there are rows to train on."""
        self._plan(chooses=True)

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the scores of all labels, averaged over the models.

        A row has the same score alone and in any batch. Matrix products round differently for
        different numbers of rows; so logits are computed in double precision, and then rounded to
        the single precision that the networks were trained in. Scores are of double precision
        again: in single precision all logits above 17 would give a score of 1.
        """
        rows = self._check_rows(X)
        scores = np.zeros((rows.shape[0], len(self.classes_)), dtype=np.float64)
        for weights in zip(*self.weights_, strict=True):  # one at a time, for double precision
            model = tuple(each.astype(np.float64) for each in weights)
            for part in gen_batches(rows.shape[0], _ROWS_AT_ONCE):
                origin = Origin("X", np.arange(part.start, part.stop))
                some = self._prepared(rows[part], origin).astype(np.float64)
                logits = self._logits(some, model).astype(np.float32)
                scores[part] += self._activate(logits.astype(np.float64))
        return scores / len(self.weights_[0])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "weights_")

    def _method(self, group: "Group") -> "Method":
        """What the learner minimises, for networks trained together."""
        raise NotImplementedError

    def _memory(self, shape: "Shape", n_rows: int) -> "Memory":
        """What the method takes for each network, for n training rows; the trainer counts on it.

        A learner with a table of its rows, with further weights, or that looks at the scores of
        all rows after an epoch says here how much that is.
        """
        from lamc.learners.method import Memory

        return Memory()

    def _logits(self, rows: Matrix, weights: tuple[FloatArray, ...]) -> FloatArray:
        """Logits that one network gives; as the method's stack computes them."""
        W1, b1, W2, b2 = weights
        return np.maximum(rows @ W1 + b1, 0) @ W2 + b2

    def _activate(self, logits: FloatArray) -> FloatArray:
        """Scores from logits."""
        return expit(logits)

    def _criterion(self, rows: "Rows", labels: Labels) -> "Criterion[Rows]":
        """What validation rows choose epoch and rate by."""
        from lamc.learners.selection import criterion_for

        return criterion_for(rows, labels)

    def _look(self, X: Matrix, labels: Labels) -> None:
        """Find out what is needed of all rows that ``fit`` is given, before some are held out."""

    def _train(self, X: Any, y: Any, X_val: Any, Y_val: Any, seeds: Sequence[int]) -> "Training":
        from lamc.learners.checkpoint import Checkpoint, digest_of, folder_for
        from lamc.learners.observed_labels import as_observed
        from lamc.learners.progress import Progress
        from lamc.learners.rows import as_rows
        from lamc.learners.stack import Shape
        from lamc.learners.trainer import train

        if (X_val is None) != (Y_val is None):
            raise LabelError("Give both X_val and Y_val, or neither.")
        plan = self._plan(chooses=X_val is not None or self.validation_size != 0)
        X, labels = self._read(X, y)
        require_known_columns(Y_val, y)
        tell_of_negatives(labels, by=type(self).__name__)
        self._look(X, labels)
        origin, origin_val = Origin(), Origin("X_val")
        labels_val = None
        if X_val is not None:
            require_same_rows(Y_val, X_val, names=("Y_val", "X_val"))
            X_val = read_features(self, X_val, reset=False, called="X_val")
            labels_val = validation_labels(Y_val, labels.classes)
            labels_val.require_rows(X_val.shape[0], of="X_val")
        elif self.validation_size != 0:
            kept, held = hold_out(labels, self.validation_size, X)
            origin, origin_val = Origin("X", kept), Origin("X", held)
            X_val, labels_val = X[held], observed_only(labels[held])
            X, labels = X[kept], labels[kept]
        self.scale_ = standard_scale(X) if self.standardise else None
        device = find_device(self.device)
        hidden = len(labels.classes) if self.hidden == "labels" else self.hidden
        shape = Shape(X.shape[1], hidden, len(labels.classes))
        total = plan.epochs * len(seeds) * len(plan.learning_rates)
        showing = Progress(type(self).__name__, total) if self.verbose else nullcontext()
        with training_mode(self.n_threads), single_precision(device), showing as progress:
            rows = as_rows(self._prepared(X, origin), device)
            observed = as_observed(labels, device)
            criterion = None
            if labels_val is not None:
                rows_val = self._prepared(X_val, origin_val)
                criterion = self._criterion(as_rows(rows_val, device), labels_val)
            checkpoint = None
            if self.checkpoint is not None:
                digest = digest_of(self._settings(), seeds, rows, observed, criterion)
                checkpoint = Checkpoint(folder_for(self.checkpoint), group=0, digest=digest)
            return train(
                rows,
                observed,
                shape,
                seeds,
                plan,
                self._agreed_method,
                criterion,
                beside=self._memory(shape, len(rows)),
                checkpoint=checkpoint,
                progress=progress,
            )

    def _plan(self, *, chooses: bool) -> "Plan":
        """Check the settings of training."""
        from lamc.learners.trainer import Plan

        hidden = self.hidden == "labels" or is_count(self.hidden)
        rates = checked_rates(
            self,
            chooses=chooses,
            also=[
                ("hidden", hidden, "a whole number from 1, or 'labels'"),
                ("dropout", is_within(self.dropout, 0, below=1), "a share from 0 to below 1"),
                ("standardise", is_flag(self.standardise), "True or False"),
                *self._checks(),
            ],
        )
        return Plan(
            self.epochs,
            self.batch_size,
            rates,
            self.dropout,
            self.weight_decay,
            self.patience,
        )

    def _prepared(self, X: Matrix, origin: Origin) -> Matrix:
        """Rows as the networks take them: on scale, in single precision."""
        with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is refused
            scaled = X if self.scale_ is None else self.scale_.transform(X)
            rows = scaled.astype(np.float32)
        refuse_too_large(X, rows, origin)
        return rows

    def _keep(self, networks: "Sequence[Trained]") -> None:
        self.weights_ = [
            np.stack(each) for each in zip(*(net.weights for net in networks), strict=True)
        ]
        self.selection_ = [asdict(net.choice) for net in networks]

    def _settings(self) -> dict[str, Any]:
        """What is trained, apart from how it is run and the seed: parameters, a user's own code."""
        from lamc.learners.fingerprint import fingerprint

        run = {"checkpoint", "device", "n_threads", "random_state", "verbose"}
        chosen = {k: v for k, v in self.get_params(deep=False).items() if k not in run}
        code = {"code": fingerprint(type(self))} if is_users(type(self)) else {}
        return {"learner": type(self).__name__, **chosen, **code}

    def _agreed_method(self, group: "Group") -> "Method":
        """The method, if networks are chosen by the scores that :meth:`predict_proba` gives."""
        import torch

        method = self._method(group)
        logits = torch.linspace(-3, 3, group.shape.labels, device=group.device)[None, None]
        chosen_by = method.activation(logits)[0].cpu().numpy()
        if not np.allclose(chosen_by, self._activate(logits[0].cpu().numpy()), atol=1e-5):
            raise TrainingError(
                f"{type(self).__name__} gives other scores than its method chooses epochs by.\n"
                "Where a method has an activation of its own, override _activate as well: from "
                "logits to scores, in NumPy."
            )
        return method

    def _facts(self) -> dict[str, Any]:
        """What fitting found out about the rows, apart from the networks."""
        return {name: value for name, value in vars(self).items() if name.endswith("_")}
