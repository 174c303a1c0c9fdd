"""The embedded data: small scenes of handwritten digits, made without a download."""

import numpy as np
from scipy import sparse

from lamc.datasets.dataset import Dataset
from lamc.datasets.splits import FEWEST_ROWS, Split, split
from lamc.exceptions import DatasetError
from lamc.types import FloatArray, IntArray, Seed

NAME = "digit scenes"
CELLS = 4  # a 2 × 2 grid of digits of 8 × 8 pixels


def digit_scenes(n: int = 4000, *, random_state: Seed = 0) -> Dataset:
    """Scenes of 16 × 16 pixels with one to four handwritten digits; the labels are those shown.

    A scene is a 2 × 2 grid. One to four of its cells, each number equally likely, hold a digit
    drawn from the 1797 that scikit-learn brings along; the others are blank. A digit may be shown
    twice and is still one label.

    Training scenes are made from 70 % of the digit images and all other scenes from the rest, so
    that what is measured is not how well a picture was remembered. Calibration, validation and
    test scenes share their images, drawn independently: only so are they exchangeable, on which
    thresholds set on the one and promised for the other rest. For the same reason compare methods
    on ``split.train`` here: ``split.training`` adds the calibration scenes and with them digits of
    the test scenes.

    Parameters
    ----------
    n : int, default=4000
        Number of scenes.
    random_state : int, RandomState or None, default=0
        Seed of everything drawn. The same seed gives the same scenes.

    Returns
    -------
    Dataset
        With ``X`` the 256 pixels from 0 (blank) to 1 (ink), ``pictures`` the same as
        ``(n, 16, 16)``, and ``split`` the parts in the paper's proportions.

    Examples
    --------
    >>> from lamc.datasets import digit_scenes
    >>> scenes = digit_scenes(50)
    >>> scenes.pictures.shape
    (50, 16, 16)
    >>> scenes.label_names[scenes.Y[[0]].indices]
    array(['0', '4', '8'], dtype='<U1')
    >>> scenes.split
    Split(35 train, 5 calibration, 5 validation, 5 test)
    """
    from sklearn.datasets import load_digits
    from sklearn.utils import check_random_state

    if n < FEWEST_ROWS:
        raise DatasetError(
            f"n={n} scenes are too few for train, calibration, validation and test parts.\n"
            f"Ask for at least {FEWEST_ROWS}."
        )
    images, digits = load_digits(return_X_y=True)
    rng = check_random_state(random_state)
    parts = split(np.ones((n, 1)), random_state=rng)
    drawn = _draw_images(n, parts, len(images), rng)
    places = rng.random_sample((n, CELLS)).argsort(axis=1)
    scene, cell = np.nonzero(places < rng.randint(1, CELLS + 1, size=(n, 1)))
    shown = drawn[scene, cell]

    cells = np.zeros((n, CELLS, 8, 8))
    cells[scene, cell] = images[shown].reshape(-1, 8, 8) / 16
    pictures = _assemble(cells)
    Y = np.zeros((n, 10), dtype=bool)
    Y[scene, digits[shown]] = True
    return Dataset(
        name=NAME,
        X=pictures.reshape(n, -1),
        Y=sparse.csr_array(Y),
        feature_names=np.array(
            [f"pixel_{row}_{column}" for row in range(16) for column in range(16)]
        ),
        label_names=np.array([str(digit) for digit in range(10)]),
        split=parts,
        pictures=pictures,
    )


def _draw_images(n: int, parts: Split, n_images: int, rng: np.random.RandomState) -> IntArray:
    """Draw an image for each cell of each scene, from the pool of the scene's part."""
    order = rng.permutation(n_images)
    seen, unseen = np.split(order, [7 * n_images // 10])
    drawn = rng.choice(unseen, size=(n, CELLS))
    drawn[parts.train] = rng.choice(seen, size=(len(parts.train), CELLS))
    return drawn


def _assemble(cells: FloatArray) -> FloatArray:
    """Scenes of 16 × 16 pixels from four cells of 8 × 8 each, in reading order."""
    return cells.reshape(-1, 2, 2, 8, 8).transpose(0, 1, 3, 2, 4).reshape(-1, 16, 16)
