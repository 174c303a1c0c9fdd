"""Load a data set of the catalogue by name, from a folder, the cache or a public address."""

import difflib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn
from xml.sax.saxutils import quoteattr

import numpy as np
from scipy import sparse

from lamc.datasets.catalogue import Entry, RemoteFile, catalogue
from lamc.datasets.dataset import Dataset
from lamc.datasets.download import address_of, cache_folder, download
from lamc.datasets.read import read
from lamc.datasets.readers.arff_text import parse_arff
from lamc.datasets.scenes import NAME as SCENES
from lamc.datasets.scenes import digit_scenes
from lamc.exceptions import DatasetError
from lamc.files import whole_file


def load(name: str, *, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Load one of the paper's twelve data sets, or the embedded digit scenes.

    The file is looked for in the folder that the environment variable ``LAMC_DATA`` names, then
    in the cache, and is downloaded where a public address is known. What it holds is checked
    against :data:`lamc.datasets.catalogue`, and ``variant`` of the result says which variant of
    the data set it is.

    Parameters
    ----------
    name : str
        As the catalogue lists it, in small or capital letters, or "digit scenes".
    folder : path, optional
        Look for the file here and nowhere else. In a folder, the files may lie side by side or
        in ``spl`` and ``mulan``: ``yeast.mat``, ``yeast.npz``, ``yeast.arff``, or the pair
        ``yeast-train.arff`` and ``yeast-test.arff``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from lamc.datasets import load
    >>> load("digit scenes")
    Dataset 'digit scenes': 4000 rows, 256 features, 10 labels, 2.3 labels a row
    >>> load("yeats")
    Traceback (most recent call last):
    ...
    lamc.exceptions.DatasetError: There is no data set 'yeats'. Did you mean 'yeast'? ...
    """
    if not isinstance(name, str):
        raise DatasetError(
            f"A data set is named by text, and {name!r} is none.\nlamc.datasets.catalogue lists "
            "the names; a file of your own is read by lamc.datasets.read."
        )
    if name.casefold().replace("_", " ") in (SCENES, "scenes"):
        return digit_scenes()
    entry = _entry(name)
    if folder is not None:
        files = _find(entry, Path(folder)) or _refuse_missing(entry, Path(folder))
    else:
        found = _find_in_data_folder(entry) or _find(entry, cache_folder())
        if entry.file is not None and found in (None, (_downloaded(entry.file),)):
            return _from_download(entry, entry.file)
        files = found or _refuse_missing(entry, cache_folder())
    return _identified(entry, _read(entry, files), files)


def _entry(name: str) -> Entry:
    for entry in catalogue.values():
        if name.casefold() in _stems(entry):
            return entry
    known = [*catalogue, SCENES]
    close = difflib.get_close_matches(name.casefold(), [name.casefold() for name in known], n=1)
    hint = "".join(f" Did you mean {name!r}?" for name in known if name.casefold() in close)
    raise DatasetError(
        f"There is no data set {name!r}.{hint}\nThe known ones are {', '.join(known)}. Read a file "
        "of your own with lamc.datasets.read(path)."
    )


def _find_in_data_folder(entry: Entry) -> tuple[Path, ...] | None:
    if not os.environ.get("LAMC_DATA"):
        return None
    folder = Path(os.environ["LAMC_DATA"])
    if not folder.is_dir():
        raise DatasetError(
            f"LAMC_DATA names {folder}, which is no folder.\n"
            "Set it to the folder with the data files, or unset it."
        )
    return _find(entry, folder)


def _downloaded(file: RemoteFile) -> Path:
    return cache_folder() / file.name


def _from_download(entry: Entry, file: RemoteFile) -> Dataset:
    """Load the file that is downloaded, which is done first if need be.

    One that was sent just now and is refused does not stay: else a web page, or a file of other
    data, would be met again each time.
    """
    path, xml = _downloaded(file), _downloaded(file).with_suffix(".xml")
    is_new = not path.exists()
    is_named = xml.exists()
    if is_new:
        download(file, cache_folder())
    try:
        _name_labels(path, entry.variants[0].labels)  # also if a load was interrupted before
        return _identified(entry, _read(entry, (path,)), (path,))
    except DatasetError as error:
        way_out = f"Remove {path} to have it fetched again."
        if is_new:
            for made in [path] if is_named else [path, xml]:
                made.unlink(missing_ok=True)
            way_out = f"{path} was fetched from {address_of(file)}, and is removed again."
        raise DatasetError(f"{error}\n{way_out}") from error


def _find(entry: Entry, folder: Path) -> tuple[Path, ...] | None:
    """Find the files of a data set, in the first of the forms that are there."""
    for place in (folder / "spl", folder, folder / "mulan", folder / entry.name):
        if not place.is_dir():
            continue
        files = {path.name.casefold(): path for path in sorted(place.iterdir())}
        for names in _forms(entry):
            if files.keys() >= set(names):
                return tuple(files[name] for name in names)
    return None


def _forms(entry: Entry) -> Iterator[tuple[str, ...]]:
    """Yield the names that the files of a data set may have, in small letters."""
    for stem in _stems(entry):
        for suffix in (".mat", ".npz", ".arff"):
            yield (f"{stem}{suffix}",)
        for suffix in (".arff", "-sparse.arff"):
            yield (f"{stem}-train{suffix}", f"{stem}-test{suffix}")


def _stems(entry: Entry) -> tuple[str, ...]:
    return entry.name.casefold(), *entry.aliases


def _name_labels(arff: Path, n_labels: int) -> None:
    """Put Mulan's XML of label names beside an ARFF file whose last attributes are the labels.

    MEKA's files say by -C which are, and are left alone.
    """
    xml = arff.with_suffix(".xml")
    if xml.exists():
        return
    relation, table = parse_arff(arff, "utf-8")
    if "-C" in relation:
        return
    names = [column.name for column in table.columns[-n_labels:]]
    lines = [f"<label name={quoteattr(name)}></label>" for name in names]
    with whole_file(xml) as part:
        head = '<labels xmlns="http://mulan.sourceforge.net/labels">'
        part.write_text("\n".join([head, *lines, "</labels>\n"]), encoding="utf-8")


def _read(entry: Entry, files: tuple[Path, ...]) -> Dataset:
    parts = [read(path) for path in files]
    if len(parts) == 1:
        return parts[0]
    first, second = parts
    for names in ("feature_names", "label_names"):
        if not np.array_equal(getattr(first, names), getattr(second, names)):
            raise DatasetError(
                f"{files[0]} and {files[1]} differ in their {names.replace('_', ' ')}, so they are "
                f"no two parts of {entry.name}.\nGet both from the same place."
            )
    stack = sparse.vstack if sparse.issparse(first.X) else np.vstack
    return replace(
        first,
        X=stack([first.X, second.X]),
        Y=sparse.csr_array(sparse.vstack([first.Y, second.Y])),
        notes=(*first.notes, f"{files[0].name} and {files[1].name} put together in this order."),
    )


def _identified(entry: Entry, data: Dataset, files: tuple[Path, ...]) -> Dataset:
    """Say which variant the data are, or refuse what fits none."""
    variant = entry.variant_of(data)
    if variant is None:
        known = "\n".join(f"  {variant!r}" for variant in entry.variants)
        raise DatasetError(
            f"{' and '.join(map(str, files))} cannot be {entry.name}: there are {data.X.shape[0]} "
            f"rows, {data.X.shape[1]} features, {data.Y.shape[1]} labels, {data.cardinality:.2f} "
            f"labels a row, but the known variants are\n{known}\n"
            "Get one of these, or read the file as data of your own: lamc.datasets.read(path)."
        )
    if variant.name == "paper":
        note = f"{entry.name} as in the paper."
    else:
        reach = "" if variant.comparable else " in order of magnitude only"
        note = (
            f"{entry.name} in the variant {variant.name!r}: results can be set beside the "
            f"paper's{reach}."
        )
    return replace(data, name=entry.name, variant=variant.name, notes=(*data.notes, note))


def _refuse_missing(entry: Entry, folder: Path) -> NoReturn:
    pages = "\n".join(f"  {page}" for page in entry.sources)
    raise DatasetError(
        f"There is no file of {entry.name} in {folder}.\nGet one from one of\n{pages}\nand put it "
        f"there as {entry.name}.mat, {entry.name}.arff with its {entry.name}.xml, or "
        f"{entry.name}.npz (lamc.datasets.write_npz). Or set LAMC_DATA to a folder that has it."
    )
