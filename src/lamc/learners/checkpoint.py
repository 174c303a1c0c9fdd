"""Checkpoints: training that was killed goes on to the same weights as if it had not been.

One file a group of networks, written whole after every epoch. It holds tensors and numbers, and a
digest of what is trained on what; a file of another training is refused, not continued.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor

from lamc.exceptions import SettingError, TrainingError
from lamc.files import whole_file
from lamc.labels import Labels
from lamc.learners.method import Method
from lamc.learners.observed_labels import ObservedLabels
from lamc.learners.rows import Rows, blocks
from lamc.learners.selection import Criterion
from lamc.learners.stack import Stack
from lamc.learners.stack_adam import StackAdam

if TYPE_CHECKING:
    from lamc.learners.kept import Best


@dataclass(frozen=True)
class Checkpoint:
    """Where a group of networks is kept while it is trained."""

    folder: Path
    group: int
    digest: str

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / f"group-{self.group}.safetensors"

    def write(
        self,
        epoch: int,
        stack: Stack,
        adam: StackAdam,
        best: "Best",
        method: Method,
    ) -> None:
        """Write the state after an epoch."""
        from safetensors.torch import save_file

        tensors = _named("weight", stack.weights) | _named("best", best.weights)
        for owner, state in (("adam", adam.state()), ("method", method.state())):
            tensors |= {f"{owner}.{name}": tensor for name, tensor in state.items()}
        about = {
            "digest": self.digest,
            "networks": str(len(stack)),
            "epoch": str(epoch),
            "best": json.dumps([best.values.tolist(), best.epochs]),
            "history": json.dumps([values.tolist() for values in best.history]),
        }
        with whole_file(self.path) as part:
            save_file({name: t.contiguous().cpu() for name, t in tensors.items()}, part, about)

    def resume(self, stack: Stack, adam: StackAdam, best: "Best", method: Method) -> int:
        """Put back the state of the last epoch written, and return its number; 0 if none was."""
        if not self.path.exists():
            return 0
        tensors, about = read_file(self.path)
        if about.get("digest") != self.digest:
            raise TrainingError(
                f"The checkpoint {self.path} belongs to another training: other data, settings or "
                "seeds.\nRemove it, or name another folder."
            )
        if about["networks"] != str(len(stack)):
            raise TrainingError(
                f"The checkpoint {self.path} holds {about['networks']} networks, but now "
                f"{len(stack)} are trained together: it comes from another version of LAMC.\n"
                "Remove it to start again."
            )
        for names, kept in (("weight", stack.weights), ("best", best.weights)):
            for number, tensor in enumerate(kept):
                tensor.copy_(tensors[f"{names}.{number}"])
        values, epochs = json.loads(about["best"])
        best.values[:], best.epochs[:] = values, epochs
        best.history[:] = [np.asarray(each) for each in json.loads(about["history"])]
        adam.restore(tensors_of("adam", tensors))
        method.restore(tensors_of("method", tensors))
        return int(about["epoch"])


def folder_for(checkpoint: str | Path) -> Path:
    """The folder of checkpoints; a file in its place is refused.

    Examples
    --------
    >>> from lamc.learners.checkpoint import folder_for
    >>> folder_for("training").name
    'training'
    """
    folder = Path(checkpoint)
    if folder.exists() and not folder.is_dir():
        raise SettingError(f"checkpoint={str(folder)!r} is a file; give a folder, or a new name.")
    return folder


def read_file(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a checkpoint by name, and what is told about them."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return tensors, file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise TrainingError(
            f"The checkpoint {path} cannot be read: {error}.\nRemove it to start again."
        ) from error


def tensors_of(owner: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of one owner, by the names it gave them.

    Examples
    --------
    >>> import torch
    >>> from lamc.learners.checkpoint import tensors_of
    >>> tensors_of("adam", {"adam.step": torch.tensor(3), "best.0": torch.zeros(2)})
    {'step': tensor(3)}
    """
    own = [name for name in tensors if name.startswith(f"{owner}.")]
    return {name.removeprefix(f"{owner}."): tensors[name] for name in own}


def add_positives(digest: blake2b, labels: Labels) -> None:
    """Let a digest depend on which labels are known to be true."""
    digest.update(labels.positives.indptr.astype(np.int64).tobytes())
    digest.update(labels.positives.indices.astype(np.int64).tobytes())


def digest_of(
    settings: dict[str, Any],
    seeds: Sequence[int],
    rows: Rows,
    observed: ObservedLabels,
    criterion: Criterion[Rows] | None,
) -> str:
    """A short name for what is trained on what, and chosen by what."""
    digest = blake2b(digest_size=16)
    shapes = [tuple(each.shape) for each in observed.tensors()]
    digest.update(repr((settings, list(seeds), *shapes)).encode())
    for each in observed.tensors():
        digest.update(each.cpu().numpy().tobytes())
    _add_rows(digest, rows)
    if criterion is not None:
        digest.update(criterion.name.encode())
        _add_rows(digest, criterion.rows)
        add_positives(digest, criterion.labels)
    return digest.hexdigest()


def _add_rows(digest: blake2b, rows: Rows) -> None:
    digest.update(repr((len(rows), rows.n_features)).encode())
    for _, part in blocks(rows):
        digest.update(part.contiguous().cpu().numpy().tobytes())


def _named(name: str, tensors: tuple[Tensor, ...]) -> dict[str, Tensor]:
    return {f"{name}.{number}": tensor for number, tensor in enumerate(tensors)}
