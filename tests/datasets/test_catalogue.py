"""What users rely on in the catalogue: the paper's table, and variants told apart."""

import numpy as np
import pytest
from scipy import sparse

from lamc.datasets import Dataset, catalogue
from lamc.datasets.catalogue import Variant

# Table of the paper: instances, features, labels, cardinality, domain.
PAPER = {
    "CAL500": (502, 68, 174, 25.910, "Music"),
    "scene": (2407, 294, 6, 1.067, "Images"),
    "yeast": (2417, 103, 14, 4.246, "Biology"),
    "corel5k": (5000, 499, 374, 3.550, "Images"),
    "rcv1subset1": (6000, 944, 101, 2.867, "Text"),
    "Corel16k001": (13766, 500, 153, 2.863, "Images"),
    "delicious": (16105, 500, 983, 19.036, "Text"),
    "tmc2007": (28596, 981, 22, 2.165, "Text"),
    "Image": (2000, 294, 5, 1.208, "Images"),
    "iaprtc12": (19627, 1000, 291, 5.693, "Images"),
    "espgame": (20770, 1000, 268, 4.662, "Images"),
    "mirflickr": (25000, 1000, 38, 4.795, "Images"),
}


def made_to_fit(variant: Variant, *, cardinality: float | None = None) -> Dataset:
    """A data set of a variant's shape and cardinality, and of nothing else."""
    wanted = round(variant.rows * (cardinality or variant.cardinality))
    entries = np.arange(wanted)
    Y = sparse.csr_array(
        (np.ones(wanted, dtype=bool), (entries % variant.rows, entries // variant.rows)),
        shape=(variant.rows, variant.labels),
    )
    return Dataset(
        name="made up",
        X=np.broadcast_to(variant.feature_mean or 0.0, (variant.rows, variant.features)),
        Y=Y,
        feature_names=np.arange(variant.features).astype(str),
        label_names=np.arange(variant.labels).astype(str),
    )


def test_it_is_the_papers_table() -> None:
    assert list(catalogue) == list(PAPER)
    for name, (rows, features, labels, cardinality, domain) in PAPER.items():
        entry, paper = catalogue[name], catalogue[name].variants[0]
        assert (paper.name, entry.domain) == ("paper", domain)
        assert (paper.rows, paper.features, paper.labels) == (rows, features, labels)
        assert paper.cardinality == cardinality
        assert paper.comparable


@pytest.mark.parametrize("name", PAPER)
def test_every_variant_is_told_from_the_others(name: str) -> None:
    entry = catalogue[name]
    for variant in entry.variants:
        assert entry.variant_of(made_to_fit(variant)) is variant


@pytest.mark.parametrize("name", PAPER)
def test_a_cardinality_far_off_fits_no_variant(name: str) -> None:
    entry = catalogue[name]
    odd = made_to_fit(entry.variants[0], cardinality=entry.variants[0].cardinality * 0.9)
    assert entry.variant_of(odd) is None


@pytest.mark.parametrize("name", PAPER)
def test_another_shape_fits_no_variant(name: str) -> None:
    entry = catalogue[name]
    for other in PAPER:
        if other != name:
            assert entry.variant_of(made_to_fit(catalogue[other].variants[0])) is None


def test_every_data_set_says_where_it_comes_from() -> None:
    for entry in catalogue.values():
        assert entry.sources
        assert all(page.startswith(("https://", "http://")) for page in entry.sources)
        if entry.file is not None:
            assert entry.file.base.startswith("https://")
            stems = (entry.name.casefold(), *entry.aliases)
            assert entry.file.name in {f"{stem}.arff" for stem in stems}
            assert entry.file.sha256 is None or len(bytes.fromhex(entry.file.sha256)) == 32


def test_case_does_not_matter() -> None:
    assert catalogue["COREL5K"] is catalogue["corel5k"]
    assert "nothing like it" not in catalogue


def test_it_prints_as_a_table() -> None:
    lines = repr(catalogue).splitlines()
    assert len(lines) == 13
    assert lines[0].split() == ["name", "rows", "features", "labels", "a", "row", "domain"]
    assert lines[3].split() == ["yeast", "2417", "103", "14", "4.25", "Biology"]
