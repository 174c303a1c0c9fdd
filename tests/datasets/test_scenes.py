"""What users rely on in the embedded scenes: pictures, labels and parts that fit together."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from lamc.datasets import Dataset, digit_scenes
from lamc.exceptions import DatasetError


@pytest.fixture(scope="module")
def scenes() -> Dataset:
    return digit_scenes(1500, random_state=3)


@pytest.fixture(scope="module")
def digit_of() -> dict[bytes, int]:
    """Which digit an 8 × 8 image shows, by its pixels; no two images are alike."""
    images, digits = load_digits(return_X_y=True)
    return {(image / 16).tobytes(): int(digit) for image, digit in zip(images, digits, strict=True)}


def cells(picture: np.ndarray) -> list[np.ndarray]:
    return [picture[top : top + 8, left : left + 8] for top in (0, 8) for left in (0, 8)]


def shown(picture: np.ndarray) -> list[bytes]:
    return [np.ascontiguousarray(cell).tobytes() for cell in cells(picture) if cell.any()]


def test_the_labels_are_the_digits_in_the_picture(
    scenes: Dataset, digit_of: dict[bytes, int]
) -> None:
    for picture, labels in zip(scenes.pictures, scenes.Y.toarray(), strict=True):
        assert {digit_of[image] for image in shown(picture)} == set(np.flatnonzero(labels))
        assert 1 <= len(shown(picture)) <= 4


def test_no_digit_of_a_training_scene_is_in_another_part(scenes: Dataset) -> None:
    parts = scenes.split
    others = np.concatenate([parts.calibration, parts.validation, parts.test])
    trained = {image for row in parts.train for image in shown(scenes.pictures[row])}
    unseen = {image for row in others for image in shown(scenes.pictures[row])}
    assert trained
    assert unseen
    assert trained.isdisjoint(unseen)


@pytest.mark.parametrize("seed", range(5))
def test_the_pools_are_apart_for_every_seed(seed: int) -> None:
    test_no_digit_of_a_training_scene_is_in_another_part(digit_scenes(200, random_state=seed))


def test_every_number_of_digits_and_every_cell_is_equally_likely(scenes: Dataset) -> None:
    """Counts lie within 5 sd of the binomial."""
    n = len(scenes.pictures)
    numbers = np.bincount([len(shown(picture)) for picture in scenes.pictures], minlength=5)[1:]
    assert np.abs(numbers - n / 4).max() < 5 * np.sqrt(n * 1 / 4 * 3 / 4)
    used = np.array([[cell.any() for cell in cells(picture)] for picture in scenes.pictures])
    share = 2.5 / 4
    assert np.abs(used.sum(axis=0) - n * share).max() < 5 * np.sqrt(n * share * (1 - share))


def test_the_shape_is_as_documented(scenes: Dataset) -> None:
    assert scenes.name == "digit scenes"
    assert scenes.X.shape == (1500, 256)
    assert scenes.pictures.shape == (1500, 16, 16)
    np.testing.assert_array_equal(scenes.pictures.reshape(1500, 256), scenes.X)
    assert scenes.X.min() == 0
    assert scenes.X.max() == 1
    assert scenes.label_names.tolist() == list("0123456789")
    assert scenes.feature_names[[0, 1, 16, 255]].tolist() == [
        "pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_15_15"
    ]  # fmt: skip
    assert repr(scenes.split) == "Split(1050 train, 150 calibration, 150 validation, 150 test)"


def test_the_same_seed_gives_the_same_scenes() -> None:
    first, second, other = (digit_scenes(60, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.split.test, second.split.test)
    assert not np.array_equal(first.X, other.X)


def test_too_few_scenes_are_refused() -> None:
    with pytest.raises(DatasetError, match=r"n=5 scenes are too few.*\n.*at least 6"):
        digit_scenes(5)
