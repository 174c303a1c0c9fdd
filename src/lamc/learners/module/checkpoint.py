"""Checkpoints of a module: training that was killed goes on to the same weights.

One file for each module in training, written whole after every epoch, of tensors and numbers, with
a digest of what is trained on what. A file of another training is refused, not continued.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

from lamc.exceptions import TrainingError
from lamc.files import whole_file
from lamc.installed import is_users
from lamc.labels import Labels
from lamc.learners.checkpoint import add_positives, read_file, tensors_of
from lamc.learners.fingerprint import bytes_of, fingerprint
from lamc.learners.module.examples import Examples
from lamc.learners.module.inputs import FromDataset, InMemory, Stream
from lamc.learners.module.loss import Loss
from lamc.learners.module.making import put_weights, weights_of

ROWS_AT_ONCE = 4096  # rows that are read together; bounds the memory that takes


@dataclass
class Best:
    """The best that was seen of a module: its weights, and its value after every epoch."""

    state: dict[str, Tensor] = field(default_factory=dict)
    value: float = -np.inf
    epoch: int = 0
    history: list[float] = field(default_factory=list)

    def note(self, value: float, module: nn.Module) -> None:
        """Keep the weights if the module has improved."""
        self.history.append(value)
        if value > self.value:
            self.state = weights_of(module)
            self.value, self.epoch = value, len(self.history)

    def given_up(self, patience: int | None) -> bool:
        """Whether it has not improved for so many epochs."""
        return patience is not None and len(self.history) - self.epoch >= patience


@dataclass(frozen=True)
class ModuleCheckpoint:
    """Where a module is kept while it is trained."""

    path: Path
    digest: str

    def write(
        self, module: nn.Module, loss: Loss, optimiser: torch.optim.Optimizer, best: Best
    ) -> None:
        """Write the state after an epoch."""
        from safetensors.torch import save_file

        tensors, numbers = _parted(optimiser)
        tensors |= {f"module.{name}": each for name, each in weights_of(module).items()}
        if loss.module is not None:
            tensors |= {f"loss.{name}": each for name, each in weights_of(loss.module).items()}
        tensors |= {f"best.{name}": each for name, each in best.state.items()}
        about = {
            "digest": self.digest,
            "best": json.dumps([best.value, best.epoch]),
            "history": json.dumps(best.history),
            "optimiser": json.dumps(numbers),
        }
        with whole_file(self.path) as part:
            save_file({name: each.contiguous() for name, each in tensors.items()}, part, about)

    def resume(self, module: nn.Module, loss: Loss, optimiser: torch.optim.Optimizer) -> Best:
        """Put back the state of the last epoch written; what was best until then."""
        if not self.path.exists():
            return Best()
        tensors, about = read_file(self.path)
        if about.get("digest") != self.digest:
            raise TrainingError(
                f"The checkpoint {self.path} belongs to another training: other data, settings, "
                "code, seeds or first weights.\nRemove it, or name another folder. A module starts "
                "with the same weights again if torch.manual_seed comes before it, or if Network "
                "is given a function that makes it."
            )
        put_weights(module, tensors_of("module", tensors))
        if loss.module is not None:
            put_weights(loss.module, tensors_of("loss", tensors))
        value, epoch = json.loads(about["best"])
        state: dict[int, dict[str, Any]] = {}
        for name, tensor in tensors_of("optimiser", tensors).items():
            number, _, part = name.partition(".")
            state.setdefault(int(number), {})[part] = tensor
        for number, part, kept in json.loads(about["optimiser"]):
            state.setdefault(number, {})[part] = kept
        optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
        return Best(tensors_of("best", tensors), value, epoch, json.loads(about["history"]))


def digest_of(
    settings: Mapping[str, Any],
    seeds: Sequence[int],
    start: nn.Module,
    parts: Sequence[tuple[Examples, Labels | None]],
) -> str:
    """A short name for what is trained, from what start, on what, and chosen by what.

    Rows in memory are read. Of a Dataset or DataLoader, whose rows may be drawn anew each time,
    only the kind and length count.
    """
    digest = blake2b(digest_size=16)
    digest.update(repr((sorted(settings.items()), list(seeds), start)).encode())
    for name, part in start.named_modules():
        digest.update(b"" if part.training else f"{name} stays in evaluation mode".encode())
        digest.update(fingerprint(type(part)).encode() if is_users(type(part)) else b"")
    for name, tensor in weights_of(start).items():
        digest.update(repr((name, tuple(tensor.shape), tensor.dtype)).encode())
        digest.update(_bytes(tensor))
    for examples, labels in parts:
        _add_rows(digest, examples)
        _add_labels(digest, labels)
    return digest.hexdigest()


def settings_of(optimiser: torch.optim.Optimizer) -> list[dict[str, Any]]:
    """The settings of an optimiser for each group of parameters, such as its rate.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.module.checkpoint import settings_of
    >>> settings_of(torch.optim.SGD([torch.zeros(1)], lr=0.1))[0]["lr"]
    0.1
    """
    groups = optimiser.state_dict()["param_groups"]
    return [{name: each for name, each in group.items() if name != "params"} for group in groups]


def refuse_schedule(at_start: list[dict[str, Any]], now: list[dict[str, Any]]) -> None:
    """Raise if an optimiser has changed its settings: what does so is kept by no checkpoint."""
    changed = [
        f"{name} from {before} to {group[name]}"
        for first, group in zip(at_start, now, strict=True)
        for name, before in first.items()
        if group[name] != before
    ]
    if changed:
        raise TrainingError(
            f"The optimiser changes {changed[0]} as it goes. What tells it to is not in a "
            "checkpoint, so training could not go on as it was.\nTrain without checkpoint=, or "
            "without the schedule."
        )


def _add_rows(digest: blake2b, examples: Examples) -> None:
    inputs, rows = examples.inputs, examples.rows
    digest.update(b"" if rows is None else rows.astype(np.int64).tobytes())
    if isinstance(inputs, FromDataset):
        digest.update(repr((type(inputs.dataset).__name__, inputs.count)).encode())
    elif isinstance(inputs, Stream):
        digest.update(type(inputs.source).__name__.encode())
    elif isinstance(inputs, InMemory):
        parts = inputs.parts
        named = parts.items() if isinstance(parts, dict) else enumerate(_listed(parts))
        for name, part in named:
            digest.update(repr((name, part.shape, part.dtype)).encode())
            for start in range(0, part.shape[0], ROWS_AT_ONCE):
                digest.update(_bytes(part[start : start + ROWS_AT_ONCE]))


def _add_labels(digest: blake2b, labels: Labels | None) -> None:
    if labels is not None:
        digest.update(repr((labels.shape, labels.knowledge)).encode())
        add_positives(digest, labels)


def _bytes(array: Any) -> bytes:
    if sparse.issparse(array):
        return array.indptr.tobytes() + array.indices.tobytes() + array.data.tobytes()
    return bytes_of(array)


def _parted(
    optimiser: torch.optim.Optimizer,
) -> tuple[dict[str, Tensor], list[tuple[int, str, float | None]]]:
    """What an optimiser keeps for each parameter: tensors, and plain numbers."""
    tensors: dict[str, Tensor] = {}
    numbers: list[tuple[int, str, float | None]] = []
    for number, kept in optimiser.state_dict()["state"].items():
        for name, value in kept.items():
            if isinstance(value, Tensor):
                tensors[f"optimiser.{number}.{name}"] = value.detach().cpu().clone()
            elif value is None or isinstance(value, int | float):
                numbers.append((number, name, value))
            else:
                raise TrainingError(
                    f"{type(optimiser).__name__} keeps {name!r} of type {type(value).__name__}, "
                    "which a checkpoint cannot hold.\nTrain without checkpoint=, or with Adam."
                )
    return tensors, numbers


def _listed(parts: Any) -> tuple[Any, ...]:
    return parts if isinstance(parts, tuple) else (parts,)
