"""ARFF files: which attributes are labels, by name, by Mulan's XML or by MEKA's header."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from lamc.datasets.dataset import Dataset
from lamc.datasets.readers.arff_text import parse_arff
from lamc.datasets.readers.checked import checked_dataset
from lamc.datasets.readers.columns import Table, feature_matrix, find_columns, label_matrix
from lamc.datasets.readers.files import stem
from lamc.datasets.readers.mulan_xml import read_label_names
from lamc.exceptions import DatasetError
from lamc.wording import some

_MEKA = re.compile(r"(?:^|[\s:])-C\s+(-?\d+)\b")
_PART = re.compile(r"[-_.](train|test|sparse|dense)\d*$", re.IGNORECASE)


def read_arff(
    path: Path,
    *,
    labels: str | os.PathLike[str] | Sequence[str] | None = None,
    id_column: str | Sequence[str] | None = None,
    encoding: str | None = None,
) -> Dataset:
    """Read an ARFF file; see :func:`lamc.datasets.read`."""
    relation, table = parse_arff(path, encoding or "utf-8")
    if labels is None:
        chosen = _labels_by_the_file(table, relation)
    elif isinstance(labels, (str, os.PathLike)):
        chosen = _labels_by_xml(table, Path(labels))
    else:
        chosen = find_columns(path, table.names, labels, "labels=")
    ids = [id_column] if isinstance(id_column, str) else id_column or ()
    taken = {*chosen, *find_columns(path, table.names, ids, "id_column=")}
    X, feature_names, notes = feature_matrix(
        table.select([j for j in range(len(table.columns)) if j not in taken])
    )
    return checked_dataset(
        path,
        X=X,
        Y=label_matrix(table.select(chosen)),
        feature_names=feature_names,
        label_names=[table.names[j] for j in chosen],
        notes=notes,
    )


def _labels_by_the_file(table: Table, relation: str) -> list[int]:
    """Find the labels by the XML file beside an ARFF file or by its own header."""
    claims: dict[str, list[int]] = {}
    candidates = _xml_candidates(table.source)
    xml = next((candidate for candidate in candidates if candidate.is_file()), None)
    if xml is not None:
        claims[xml.name] = _labels_by_xml(table, xml)
    if header := _MEKA.search(relation):
        claims[header[0].strip(" :")] = _labels_by_header(table, int(header[1]))
    if not claims:
        raise DatasetError(
            f"Nothing says which attributes of {table.source} are labels: beside it there is no "
            f"{' or '.join(candidate.name for candidate in candidates)}, and its @relation has no "
            "-C.\nGive the XML file, labels='yeast.xml', or the names, labels=[…]. Its "
            f"attributes are {some(table.names)}."
        )
    found = list(claims.values())
    if found[0] != found[-1]:
        raise DatasetError(
            f"{' and '.join(claims)} disagree on the labels of {table.source}: one names "
            f"{some([table.names[j] for j in found[0]])}, the other "
            f"{some([table.names[j] for j in found[-1]])}.\nSay which holds: labels={str(xml)!r}, "
            "or a list of names."
        )
    return found[0]


def _labels_by_xml(table: Table, xml: Path) -> list[int]:
    """Find the attributes that the XML names, in the order of the ARFF file.

    The order of the XML means nothing to Mulan, and differs from the ARFF file's in yeast; the
    order of the attributes is what other copies of the data have kept.
    """
    if not xml.exists() and str(xml) in table.names:
        raise DatasetError(f"A label is named in a list: write labels=[{str(xml)!r}].")
    return sorted(find_columns(table.source, table.names, read_label_names(xml), xml.name))


def _labels_by_header(table: Table, count: int) -> list[int]:
    """MEKA's ``-C n``: the first n attributes are labels, or the last n if it is negative."""
    total = len(table.columns)
    if not 0 < abs(count) < total:
        raise DatasetError(
            f"{table.source}: its @relation says -C {count}, but it has {total} attributes; at "
            "least one is a label and one a feature.\nName the labels: labels=[…]."
        )
    return list(range(count) if count > 0 else range(total + count, total))


def _xml_candidates(path: Path) -> list[Path]:
    """``a-train-sparse.arff`` has its labels in ``a-train-sparse.xml``, or else in ``a.xml``."""
    stems = [stem(path)]
    while (shorter := _PART.sub("", stems[-1])) != stems[-1]:
        stems.append(shorter)
    return [path.with_name(f"{name}.xml") for name in stems]
