"""What a model makes of cells that are missing, and of words that its training did not meet."""

from dataclasses import dataclass, field
from typing import Any

from lamc.tables.features import fills_gaps, words_met

_MOST_WORDS = 5  # that a sentence lists


@dataclass
class Gaps:
    """Cells of which a model learns nothing, counted while they go by.

    Attributes
    ----------
    numbers : int
        Missing numbers, for which the model takes the median of the training rows.
    words : dict from str to int
        Rows without a word, by column, where training had one in every row.
    new_words : dict from str to set of str
        Words that training did not meet, by column.

    Examples
    --------
    >>> from lamc.tables.gaps import Gaps
    >>> gaps = Gaps(numbers=1, words={"leaf": 2}, new_words={"soil": {"peat", "clay"}})
    >>> for sentence in gaps.sentences():
    ...     print(sentence)
    1 missing number was taken for the median of the training rows.
    2 rows have no word in the column 'leaf'. Training met no such row, so it says nothing of them.
    Training did not meet these words in the column 'soil', so they say nothing: clay, peat.
    """

    numbers: int = 0
    words: dict[str, int] = field(default_factory=dict)
    new_words: dict[str, set[str]] = field(default_factory=dict)

    def count(self, model: Any, X: Any) -> None:
        """Add those in some rows of a table, if the model is one that takes a table's columns."""
        if not (fills_gaps(model) and hasattr(X, "columns")):
            return
        met = words_met(model)
        numbers = X[[name for name in X.columns if name not in met]]
        self.numbers += int(numbers.isna().to_numpy().sum())
        for name, known in met.items():
            missing = X[name].isna()
            if missing.any() and all(word == word for word in known):  # NaN is not equal to itself
                self.words[name] = self.words.get(name, 0) + int(missing.sum())
            new = set(X[name][~missing].unique()) - known
            if new:
                self.new_words.setdefault(name, set()).update(new)

    def sentences(self) -> list[str]:
        """What a user should know of them."""
        found = []
        if self.numbers:
            counted = f"{self.numbers:,} missing number{' was' if self.numbers == 1 else 's were'}"
            found.append(f"{counted} taken for the median of the training rows.")
        for name, rows in sorted(self.words.items()):
            counted = "1 row has" if rows == 1 else f"{rows:,} rows have"
            found.append(
                f"{counted} no word in the column {name!r}. Training met no such row, so it says "
                f"nothing of {'it' if rows == 1 else 'them'}."
            )
        for name, words in sorted(self.new_words.items()):
            more = ", …" if len(words) > _MOST_WORDS else ""
            found.append(
                f"Training did not meet these words in the column {name!r}, so they say nothing: "
                f"{', '.join(sorted(words)[:_MOST_WORDS])}{more}."
            )
        return found


def gaps_in(model: Any, *rows: Any) -> list[str]:
    """What a user should know of the gaps in all these rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from types import SimpleNamespace
    >>> from sklearn.dummy import DummyClassifier
    >>> from lamc.tables.features import Inputs, with_columns
    >>> from lamc.tables.gaps import gaps_in
    >>> rows = pd.DataFrame({"height": [20, 15], "leaf": ["round", "long"]})
    >>> inputs = Inputs(("height", "leaf"), 2, words=frozenset({"leaf"}))
    >>> scorer = with_columns(DummyClassifier(), inputs).fit(rows, ["oak", "elm"])
    >>> gaps_in(SimpleNamespace(estimator_=scorer), rows.assign(leaf="flat"))
    ["Training did not meet these words in the column 'leaf', so they say nothing: flat."]
    """
    gaps = Gaps()
    for X in rows:
        gaps.count(model, X)
    return gaps.sentences()
