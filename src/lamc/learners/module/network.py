"""Network: any torch module that gives logits, as a classifier on single positives."""

import copy
from contextlib import nullcontext
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import torch
from scipy import sparse
from sklearn.utils.validation import check_is_fitted
from torch import nn

from lamc.exceptions import LabelError, ScorerError
from lamc.labels import Knowledge, Labels, as_labels
from lamc.labels.columns import unwrapped
from lamc.labels.forms import unless_told
from lamc.learners.base import Learner
from lamc.learners.checkpoint import folder_for
from lamc.learners.devices import find_device, own_draws, seed_draws, training_mode
from lamc.learners.features import read_features
from lamc.learners.fingerprint import fingerprint
from lamc.learners.holdout import require_known_columns, tell_of_negatives
from lamc.learners.module.call import logits_of, scores_of
from lamc.learners.module.checkpoint import digest_of
from lamc.learners.module.examples import Examples, labels_beside
from lamc.learners.module.inputs import (
    Batch,
    InMemory,
    Inputs,
    as_inputs,
    first_rows,
    is_table,
    refuse_own_draws,
    require_order,
)
from lamc.learners.module.loss import Loss, activation_for, short_name
from lamc.learners.module.making import make_module, put_weights, weights_as_arrays
from lamc.learners.module.modes import evaluating, set_to_train
from lamc.learners.module.training import (
    Course,
    Judge,
    ModuleTraining,
    train_modules,
)
from lamc.learners.module.validation import align_labels, hold_out, judge_by
from lamc.learners.numbers import checked_rates, draw_seeds, require_seed
from lamc.learners.progress import Progress
from lamc.learners.trainer import Plan
from lamc.types import AnyArray, FloatArray


@dataclass(eq=False, repr=False)
class Network(Learner):
    """Any torch module that gives one logit for each label, trained on observed labels.

    An image backbone, a transformer with a head, a model of your own: what goes in is up to the
    module, what it minimises is a loss of :mod:`lamc.losses` or one of yours.

    Parameters
    ----------
    module : torch.nn.Module or callable
        A module, whose copies are trained from the weights that it has, such as pretrained ones;
        it stays as it is. Or a function or class that makes one, called for each seed, so that
        each has a start of its own, and copied, so that a backbone that it uses every time stays as
        it is; if it has a required parameter ``n_labels``, it is told the
        number of labels. The module gives a tensor (rows, labels), or an object with such a field
        ``logits``. Inputs in a tuple are passed by position, in a dict by name. Parts in evaluation
        mode stay in it while the others train, so that a frozen normalisation keeps its running
        statistics; if all parts are in it, as those of pretrained modules often are, all train.
    loss : str or callable
        The name of a function in :mod:`lamc.losses`, or a function of logits (B, K) and observed
        labels that gives one number. Observed labels are their index (B,) where every row has
        one, else a bool matrix (B, K). Parameters named ``epoch`` and ``epochs`` are told; fix
        others by :func:`functools.partial`. If it is a module, copies of it are used, and its
        parameters are trained too.
    activation : "auto", "sigmoid" or "softmax"
        How logits become scores; ``"auto"`` takes softmax for softmax cross-entropy.
    optimiser : "adam", "adamw", "sgd" or callable
        By what; ``"sgd"`` has a momentum of 0.9. A callable is given the parameters that require a
        gradient, ``lr`` and ``weight_decay``.
    epochs, batch_size : int
        Passes over the rows, and rows a step; a DataLoader has batches of its own. A last batch of
        one row joins the one before.
    learning_rate : float or tuple of float
        Rate, or those to choose from; each takes a training of its own.
    weight_decay : float
        Decay of the weights.
    n_models : int
        Modules, whose scores are averaged. Copies of one module differ in the order of rows and in
        what they draw; give a function for different starts.
    validation_size : float
        Share of the rows held out to choose epoch and rate by, when ``fit`` is given no validation
        set; 0 keeps the last epoch.
    patience : int, optional
        Give a module up when it has not improved for this many epochs.
    device : str
        Where to train and to score: ``"cpu"``, ``"cuda"``, or ``"auto"`` for the fastest there is.
    n_threads : int or None
        Threads that torch uses while training; None for as many as it is set to.
    checkpoint : path, optional
        Folder to keep the state of training in; a training that was killed goes on from there to
        the same weights. Rows in memory are compared with those that it was begun on; of a Dataset
        only its length is.
    verbose : bool
        Show how far training has come.
    random_state : int, RandomState or None
        Seed of starts, of orders of rows, and of what modules and DataLoaders draw from torch's
        own random numbers, which are left as they were. The same seed gives the same bytes on one
        machine; a DataLoader with a ``generator`` of its own, or with workers that it keeps, goes
        its own way, and so do fits in several threads at once, for torch has one stream of random
        numbers: use processes.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Names of the labels, in the order of the module's outputs.
    modules_ : list of torch.nn.Module
        The trained modules, in evaluation mode.
    selection_ : list of dict
        For each module the rate and epoch that were chosen, by what criterion, and its values.

    Notes
    -----
    Rows are put to the module as they are: nothing is standardised. Floats come in the type of the
    module's first parameter; whole numbers and bools stay, for they may stand for words.

    A model that holds a Network is saved with its weights, but without the module, whose code a
    file cannot hold. After loading give it the module again: ``model.estimator_.attach(module)``.

    Examples
    --------
    >>> from torch import nn
    >>> from lamc.datasets import digit_scenes, observe
    >>> from lamc.learners import Network
    >>> data = digit_scenes(300)
    >>> images = data.pictures[:, None].astype("float32")
    >>> images.shape
    (300, 1, 16, 16)
    >>> def convolutions(n_labels):
    ...     return nn.Sequential(
    ...         nn.Conv2d(1, 4, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(n_labels))
    >>> learner = Network(convolutions, loss="wan", epochs=2, random_state=0)
    >>> learner.fit(images, observe(data.Y, random_state=0)).predict_proba(images).shape
    (300, 10)
    """

    module: Any
    _: KW_ONLY
    loss: Any = "wan"
    activation: Literal["auto", "sigmoid", "softmax"] = "auto"
    optimiser: Any = "adam"
    epochs: int = 10
    batch_size: int = 32
    learning_rate: float | tuple[float, ...] = 1e-3
    weight_decay: float = 0.0
    n_models: int = 1
    validation_size: float = 0.1
    patience: int | None = None
    device: str = "auto"
    n_threads: int | None = None
    checkpoint: str | Path | None = None
    verbose: bool = False
    random_state: Any = None

    def fit(self, X: Any, y: Any = None, X_val: Any = None, Y_val: Any = None) -> Self:
        """Learn from rows and the labels observed on them.

        Parameters
        ----------
        X : array-like, sparse matrix, tensor, tuple or dict of these, Dataset or DataLoader
            Training rows. Arrays may have any number of axes; a tuple or dict holds several
            inputs. A Dataset gives x, or a pair of x and something else. A DataLoader gives
            batches of the same, and shuffles them itself.
        y : labels in any form of :func:`lamc.as_labels`, optional
            Observed labels, in the order of X; what is not marked counts as unknown, and so do,
            with a warning, labels that are marked as absent. A DataLoader that shuffles has to
            give pairs (x, i) with i the number of a row. Without y, a Dataset or DataLoader gives
            pairs (x, label), a label being the number of an output, or a row of 0 and 1.
        X_val, Y_val : optional
            Rows to choose epoch and learning rate by, with all their labels (as a matrix or lists)
            or one observed label each; without ``Y_val``, pairs (x, label). Without both a part of
            ``X`` is held out, and judged by its observed labels.
        """
        self._forget()
        if self.checkpoint is not None:
            require_seed(self.random_state)
        seeds = draw_seeds(self.random_state, self.n_models)
        plan = self._plan(chooses=X_val is not None or self.validation_size != 0)
        device = find_device(self.device)
        inputs = self._inputs(X, reset=True)
        labels = self._labels(y, inputs)
        if labels is not None:
            require_known_columns(unwrapped(Y_val), unwrapped(y))
        with training_mode(self.n_threads), own_draws(device):
            training = self._train(inputs, labels, X_val, Y_val, seeds, plan, device)
        self.modules_ = [each.module for each in training.modules]
        self.selection_ = [asdict(each.choice) for each in training.modules]
        if training.interruption is not None:
            raise training.interruption
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the scores of all labels, averaged over the modules.

        Of what a Dataset or DataLoader gives beside x nothing is read.
        """
        check_is_fitted(self)
        if not hasattr(self, "modules_"):
            raise ScorerError(
                "This Network comes from a file, which holds its weights but not its module.\n"
                "Give it the module again: attach(module)."
            )
        inputs = self._inputs(X, reset=False)
        require_order(inputs)
        device = find_device(self.device)
        examples = Examples(inputs, None, None, len(self.classes_))
        modules = [module.to(device) for module in self.modules_]
        draws = not isinstance(inputs, InMemory)  # a DataLoader does, even if it does not shuffle
        with own_draws(device) if draws else nullcontext():
            scores = scores_of(modules, examples, self.activation_, device, self.batch_size)
        return scores.numpy()

    def attach(self, module: Any) -> Self:
        """Put the weights that a file held into the module that they were trained for.

        Parameters
        ----------
        module : torch.nn.Module or callable
            As the parameter ``module``.

        Examples
        --------
        >>> import numpy as np
        >>> from torch import nn
        >>> from lamc.learners import Network
        >>> X, y = np.eye(6, dtype="float32"), [0, 1, 0, 1, 0, 1]
        >>> learner = Network(nn.Linear(6, 2), epochs=1, random_state=0).fit(X, y)
        >>> without = learner.without_code()
        >>> without.module is None
        True
        >>> again = without.attach(nn.Linear(6, 2))
        >>> bool((again.predict_proba(X) == learner.predict_proba(X)).all())
        True
        """
        check_is_fitted(self)
        if not hasattr(self, "weights_"):
            raise ScorerError(
                "This Network has its module: only one from a file needs it attached."
            )
        self.modules_ = [
            put_weights(make_module(module, len(self.classes_)), each).eval()
            for each in self.weights_
        ]
        del self.weights_
        self.module = module
        return self

    def without_code(self) -> Self:
        """Return a copy that a file can hold: weights as arrays, and nothing that would be run.

        It has neither a module nor functions of your own, and needs :meth:`attach` to score.
        """
        bare = copy.copy(self)
        bare.module = None
        bare.loss = short_name(self.loss)
        bare.optimiser = short_name(self.optimiser)
        bare.device = str(self.device)
        if hasattr(self, "modules_"):
            del bare.modules_
            bare.weights_ = [weights_as_arrays(module) for module in self.modules_]
        return bare

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "modules_") or hasattr(self, "weights_")

    def _train(
        self,
        inputs: Inputs,
        labels: Labels | None,
        X_val: Any,
        Y_val: Any,
        seeds: list[int],
        plan: Plan,
        device: str,
    ) -> ModuleTraining:
        loss = Loss(self.loss, plan.epochs)
        self.activation_ = activation_for(self.activation, loss)
        sample = first_rows(inputs)
        n_named = None if labels is None else labels.shape[1]

        def fresh(seed: int) -> nn.Module:
            seed_draws(seed, device)
            module = make_module(self.module, n_named).to(device)
            set_to_train(module)
            outputs_of(module)  # gives lazy layers their shapes
            return module

        def outputs_of(module: nn.Module) -> int:
            with torch.no_grad(), evaluating([module]):
                return logits_of(module, sample.x, device).shape[1]

        n_labels = outputs_of(fresh(seeds[0]))
        labels = None if labels is None else align_labels(labels, n_labels)
        self._tell_labels(labels, n_labels, sample)
        every = None if inputs.count is None else np.arange(inputs.count)
        trained, judge = self._parts(Examples(inputs, every, labels, n_labels), X_val, Y_val)
        course = Course(fresh, plan, loss, self.optimiser, self.activation_, trained, judge, device)
        folder, digest = None, ""
        if self.checkpoint is not None:
            refuse_own_draws(inputs)
            parts = [(trained, labels)]
            parts += [] if judge is None else [(judge.examples, judge.labels)]
            folder = folder_for(self.checkpoint)
            digest = digest_of(self._settings(), seeds, fresh(seeds[0]), parts)
        total = plan.epochs * len(seeds) * len(plan.learning_rates)
        showing = Progress(type(self).__name__, total) if self.verbose else nullcontext()
        with showing as progress:
            return train_modules(course, seeds, folder=folder, digest=digest, progress=progress)

    def check_settings(self) -> None:
        """Raise if a setting cannot be used, before there are rows to train on."""
        self._plan(chooses=True)

    def _plan(self, *, chooses: bool) -> Plan:
        """Check the settings of training."""
        rates = checked_rates(self, chooses=chooses)
        return Plan(
            self.epochs,
            self.batch_size,
            rates,
            weight_decay=self.weight_decay,
            patience=self.patience,
        )

    def _inputs(self, X: Any, *, reset: bool, called: str = "X") -> Inputs:
        """Rows in any form; a matrix is checked as scikit-learn does."""
        if not is_table(X):
            return as_inputs(X)
        of_features = hasattr(X, "columns") or sparse.issparse(X)
        return as_inputs(read_features(self, X, reset=reset, called=called, exact=not of_features))

    def _labels(self, y: Any, inputs: Inputs) -> Labels | None:
        """Observed labels, checked; None if they stand beside the rows."""
        if y is None and isinstance(inputs, InMemory):
            raise LabelError(
                "Network requires y to be passed, but the target y is None: give the observed "
                "labels, or a Dataset or DataLoader that gives pairs (x, label)."
            )
        if y is None:
            return None
        observed = unwrapped(y)
        labels = as_labels(observed, knowledge=unless_told(observed))
        if inputs.count is not None:
            labels.require_rows(inputs.count, of="X")
        self._check_labels(labels)
        tell_of_negatives(labels, by="Network")
        return labels

    def _tell_labels(self, labels: Labels | None, n_labels: int, sample: Batch) -> None:
        """Set what a fitted learner tells about its labels."""
        if n_labels < 2:
            raise LabelError(
                "Network needs at least two labels, but the module gives one logit a row: one "
                "class only."
            )
        if labels is None:
            self.classes_: AnyArray = np.arange(n_labels)
            self.one_class_a_row_ = labels_beside(sample, n_labels).ndim == 1
        else:
            self.classes_ = labels.classes
            self.one_class_a_row_ = labels.knowledge is Knowledge.SINGLE

    def _parts(self, given: Examples, X_val: Any, Y_val: Any) -> tuple[Examples, Judge | None]:
        """Rows to train on, and rows to choose by."""
        if X_val is not None:
            validation = self._inputs(X_val, reset=False, called="X_val")
            return given, judge_by(validation, unwrapped(Y_val), self.classes_, self.batch_size)
        if Y_val is not None:
            raise LabelError("Give both X_val and Y_val, or neither.")
        return hold_out(given, self.validation_size, self.batch_size)

    def _settings(self) -> dict[str, Any]:
        """The parameters that say what is trained, apart from how it is run and the seed."""
        run = {"checkpoint", "device", "module", "n_threads", "random_state", "verbose"}
        chosen = {k: v for k, v in self.get_params(deep=False).items() if k not in run}
        told = {"loss": fingerprint(self.loss), "optimiser": fingerprint(self.optimiser)}
        made = {} if isinstance(self.module, nn.Module) else {"module": fingerprint(self.module)}
        return chosen | told | made
