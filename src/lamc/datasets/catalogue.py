"""The twelve data sets of the paper: what they hold, their variants, and where to get them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lamc.datasets.dataset import Dataset

# The paper's own cardinalities are up to 2.3 % away from those of the public files.
CARDINALITY_TOLERANCE = 0.03

_MULAN = "https://mulan.sourceforge.net/datasets-mlc.html"
_KDIS = "https://www.uco.es/kdis/mllresources/"
_COMETA = "https://cometa.ujaen.es/datasets/"
_SMILE = "https://github.com/palm-ml/smile"
_LEAR = "http://lear.inrialpes.fr/people/guillaumin/data.php"
_LIACS = "http://press.liacs.nl/mirflickr/"
_MIRROR_REPOSITORY = "https://github.com/mrapp-ke/Boomer-Datasets/raw"
_MULAN_REPOSITORY = "https://github.com/tsoumakas/mulan/raw"


@dataclass(frozen=True)
class Variant:
    """One form in which a data set is in use.

    Attributes
    ----------
    name : str
        ``"paper"`` for the paper's, else a few words on what is different.
    rows, features, labels : int
        Its shape.
    cardinality : float
        Mean number of labels a row.
    comparable : bool
        Whether results on it can be set beside the paper's; if not, they agree in order of
        magnitude at best.
    feature_mean : float or None
        Mean of all feature values, where the shape alone does not tell one variant from another.

    Examples
    --------
    >>> from lamc.datasets import catalogue
    >>> catalogue["tmc2007"].variants[1]
    500 selected features: 28596 rows, 500 features, 22 labels, 2.16 labels a row
    """

    name: str
    rows: int
    features: int
    labels: int
    cardinality: float
    comparable: bool = True
    feature_mean: float | None = None

    def fits(self, data: Dataset) -> bool:
        """Whether a data set has this shape and cardinality."""
        shape = (*data.X.shape, data.Y.shape[1])
        near = abs(data.cardinality / self.cardinality - 1) <= CARDINALITY_TOLERANCE
        if shape != (self.rows, self.features, self.labels) or not near:
            return False
        return self.feature_mean is None or abs(data.X.mean() - self.feature_mean) < 1e-9

    def __repr__(self) -> str:
        return (
            f"{self.name}: {self.rows} rows, {self.features} features, {self.labels} labels, "
            f"{self.cardinality:.2f} labels a row"
        )


@dataclass(frozen=True)
class RemoteFile:
    """A file at a public address: an ARFF file whose last attributes are the labels.

    Attributes
    ----------
    base : str
        Address of the folder that holds it. ``LAMC_MIRROR`` takes its place.
    name : str
        Name of the file in that folder.
    sha256 : str or None
        Checksum, where it is known.
    """

    base: str
    name: str
    sha256: str | None = None


@dataclass(frozen=True)
class Entry:
    """What is known of one data set.

    Attributes
    ----------
    name : str
        As the paper spells it.
    domain : str
        What it is about.
    variants : tuple of Variant
        The paper's first, then the others in use.
    sources : tuple of str
        Pages that describe it or hand it out.
    openml : int or None
        Its number at OpenML.
    file : RemoteFile or None
        The file that :func:`lamc.datasets.load` downloads.
    aliases : tuple of str
        Other names that its files go by.

    Examples
    --------
    >>> from lamc.datasets import catalogue
    >>> catalogue["yeast"]
    yeast (Biology)
      paper: 2417 rows, 103 features, 14 labels, 4.25 labels a row
      OpenML 40597, https://mulan.sourceforge.net/datasets-mlc.html, ...
    """

    name: str
    domain: str
    variants: tuple[Variant, ...]
    sources: tuple[str, ...]
    openml: int | None = None
    file: RemoteFile | None = None
    aliases: tuple[str, ...] = ()

    def variant_of(self, data: Dataset) -> Variant | None:
        """Return the variant that a data set is, the more particular first; None if it is none."""
        particular_first = sorted(self.variants, key=lambda v: v.feature_mean is None)
        return next((variant for variant in particular_first if variant.fits(data)), None)

    def __repr__(self) -> str:
        numbered = () if self.openml is None else (f"OpenML {self.openml}",)
        lines = [f"{self.name} ({self.domain})", *(f"  {variant!r}" for variant in self.variants)]
        return "\n".join([*lines, f"  {', '.join((*numbered, *self.sources))}"])


class Catalogue(Mapping[str, Entry]):
    """The data sets by name, whatever the case of its letters.

    Examples
    --------
    >>> from lamc.datasets import catalogue
    >>> len(catalogue), "cal500" in catalogue
    (12, True)
    >>> catalogue["CAL500"].domain
    'Music'
    """

    def __init__(self, *entries: Entry) -> None:
        self._entries = {entry.name.casefold(): entry for entry in entries}

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name.casefold()]

    def __iter__(self) -> Iterator[str]:
        return (entry.name for entry in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        head = f"{'name':<12} {'rows':>6} {'features':>8} {'labels':>6} {'a row':>6}  domain"
        lines = [
            f"{entry.name:<12} {paper.rows:>6} {paper.features:>8} {paper.labels:>6} "
            f"{paper.cardinality:>6.2f}  {entry.domain}"
            for entry in self.values()
            for paper in entry.variants[:1]
        ]
        return "\n".join([head, *lines])


catalogue = Catalogue(
    Entry(
        "CAL500",
        "Music",
        (Variant("paper", 502, 68, 174, 25.910),),
        (_MULAN, _KDIS, _COMETA),
        file=RemoteFile(
            f"{_MIRROR_REPOSITORY}/fb12e0c02e62e7d4a94c5f1f26ba5a66c2f3d674",
            "cal500.arff",
            "cfe6097ba5fd6e8584e54911ab9783dcab34e898446b7c9370c71d477eae56d3",
        ),
    ),
    Entry(
        "scene",
        "Images",
        (Variant("paper", 2407, 294, 6, 1.067),),
        (_MULAN, _KDIS, _COMETA),
        openml=40595,
        file=RemoteFile(
            f"{_MIRROR_REPOSITORY}/e9738dbfd6631fb2e3a1c51807b598c04eb38133",
            "scene.arff",
            "5905548975b69b639ab31a295f7bf1ab7379a3f016450012722d28f660f4b143",
        ),
    ),
    Entry(
        "yeast",
        "Biology",
        (Variant("paper", 2417, 103, 14, 4.246),),
        (_MULAN, _KDIS, _COMETA),
        openml=40597,
        file=RemoteFile(
            f"{_MIRROR_REPOSITORY}/73db96cbcc8cc8891830fc86827617e4a8e7f033",
            "yeast.arff",
            "55c07a3b6ff885ae338fb6987a1d57f55572b29809922c2822c4885c61230dd7",
        ),
    ),
    Entry(
        "corel5k",
        "Images",
        (Variant("paper", 5000, 499, 374, 3.550),),
        (_MULAN, _KDIS, _COMETA),
        file=RemoteFile(
            f"{_MIRROR_REPOSITORY}/2b624ec1e489d536358c019abe1a6d9acfefee62",
            "corel5k.arff",
            "1c1a6055ca5dda024c8e88a00c68710b9f0acd54a0c1df7f2406ee2ea56565dd",
        ),
    ),
    Entry(
        "rcv1subset1",
        "Text",
        (
            Variant("paper", 6000, 944, 101, 2.867),
            Variant("all 47236 terms", 6000, 47236, 101, 2.880, comparable=False),
        ),
        (_SMILE, _MULAN, _KDIS),
        file=RemoteFile(
            f"{_MIRROR_REPOSITORY}/c1a720e8ea472d388b8564f3c994aaf6ad3226ab",
            "reuters-rcv1-1.arff",
            "29988fee1ad13c947ceacbdc674705481d5b957364dbfde48f04a0b45629041e",
        ),
        aliases=("reuters-rcv1-1",),
    ),
    Entry(
        "Corel16k001",
        "Images",
        (Variant("paper", 13766, 500, 153, 2.863),),
        (_MULAN, _KDIS, _COMETA),
        file=RemoteFile(
            f"{_MIRROR_REPOSITORY}/c7a07e7c99551c83e1ad43be60292838c6f4150b",
            "corel16k-1.arff",
            "e0f220c151d824d257ea13219dc03ca070f6e963a6251591c1454096392f9e68",
        ),
        aliases=("corel16k-1",),
    ),
    Entry(
        "delicious",
        "Text",
        (
            Variant("paper", 16105, 500, 983, 19.036),
            Variant("without 14 rows that have no label", 16091, 500, 983, 19.037),
        ),
        (_MULAN, _KDIS, _COMETA),
        file=RemoteFile(
            f"{_MIRROR_REPOSITORY}/db86cef9af5ef1d01f5554e689e790a3e1a0637b",
            "delicious.arff",
            "b944de0bca910050c11d97eed57d17b073110ea3646a587f3d15d127cf581aab",
        ),
    ),
    Entry(
        "tmc2007",
        "Text",
        (
            Variant("paper", 28596, 981, 22, 2.165),
            Variant("500 selected features", 28596, 500, 22, 2.158, comparable=False),
        ),
        (_SMILE, _MULAN, _KDIS),
        file=RemoteFile(
            f"{_MULAN_REPOSITORY}/1531119649de9c7ffec8e3009c649e5985d76c21"
            "/data/multi-label/tmc2007",
            "tmc2007-500.arff",
        ),
        aliases=("tmc2007-500",),
    ),
    Entry(
        "Image",
        "Images",
        (
            Variant("paper", 2000, 294, 5, 1.208),
            Variant(
                "LUV block features recomputed",
                2000,
                294,
                5,
                1.236,
                comparable=False,
                feature_mean=0.23244879610491417,
            ),
        ),
        (_SMILE, _KDIS),
        file=RemoteFile(
            f"{_MIRROR_REPOSITORY}/5326449d8afdfe1dd2f2590ab7e9d53d0164e7bc",
            "image.arff",
            "cb96890b9785746efda51036688e49f2c1e32503a0d98fa163bf7c03ae764c3d",
        ),
    ),
    Entry(
        "iaprtc12",
        "Images",
        (
            Variant("paper", 19627, 1000, 291, 5.693),
            Variant("100 DenseHue features", 19627, 100, 291, 5.719, comparable=False),
        ),
        (_SMILE, _LEAR),
    ),
    Entry(
        "espgame",
        "Images",
        (
            Variant("paper", 20770, 1000, 268, 4.662),
            Variant("100 DenseHue features", 20768, 100, 268, 4.686, comparable=False),
        ),
        (_SMILE, _LEAR),
    ),
    Entry(
        "mirflickr",
        "Images",
        (
            Variant("paper", 25000, 1000, 38, 4.795),
            Variant("user tags as features", 20015, 1386, 38, 4.735, comparable=False),
        ),
        (_SMILE, _LEAR, _LIACS),
    ),
)
