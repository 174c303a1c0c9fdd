"""The numbers that the paper prints, to set measured ones beside.

Tables of average precision, coverage error and ranking loss in: M. T. Hagos and C. Lundström,
"Least-Ambiguous Multi-Label Classifier": mean ± standard deviation over five runs. They are kept
as printed. The paper does not say how LAMC was scored after predictions were excluded.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

LAMC_NAME: Final = "LAMC"  # the paper's method: WAN behind a rule
LAMC_SCORER: Final = "WAN"
METHODS = (LAMC_NAME, "SMILE", "AN", LAMC_SCORER, "ROLE", "GLOCAL", "MLML", "DM2L")
METRICS = ("average_precision", "coverage_error", "ranking_loss")


@dataclass(frozen=True)
class Published:
    """A mean and a standard deviation as printed, to three decimals.

    Examples
    --------
    >>> from lamc.benchmark.paper import published
    >>> published("average_precision")["yeast", "SMILE"]
    Published(mean=0.75, std=0.005)
    """

    mean: float
    std: float


@cache
def published(metric: str) -> dict[tuple[str, str], Published]:
    """The paper's table of a metric, by data set and method; empty for metrics it has none of.

    Examples
    --------
    >>> from lamc.benchmark.paper import published
    >>> len(published("ranking_loss")), len(published("one_error"))
    (96, 0)
    """
    cells = {}
    for line in _TABLES.get(metric, "").strip().splitlines():
        dataset, *numbers = line.split()
        for method, number in zip(METHODS, numbers, strict=True):
            mean, std = number.split("±")
            cells[dataset, method] = Published(float(mean), float(std))
    return cells


# Columns as in METHODS.
_TABLES = {
    "average_precision": """
CAL500      .505±.014 .411±.009 .390±.004 .383±.008 .289±.007 .226±.012 .240±.020 .203±.001
scene       .906±.005 .842±.071 .700±.089 .811±.022 .719±.069 .812±.008 .804±.009 .299±.022
yeast       .769±.017 .750±.005 .750±.004 .754±.005 .760±.009 .640±.003 .465±.008 .303±.011
corel5k     .742±.013 .310±.006 .301±.010 .289±.011 .206±.014 .228±.004 .101±.011 .088±.013
rcv1subset1 .748±.031 .622±.002 .606±.008 .609±.004 .581±.004 .233±.005 .231±.008 .093±.008
Corel16k001 .460±.023 .346±.003 .340±.008 .344±.005 .279±.005 .084±.005 .118±.010 .088±.002
delicious   .472±.020 .321±.002 .299±.008 .320±.002 .204±.010 .059±.004 .121±.005 .033±.010
tmc2007     .824±.014 .820±.001 .810±.004 .810±.001 .787±.015 .647±.006 .400±.020 .177±.012
Image       .809±.004 .786±.048 .610±.080 .695±.048 .696±.045 .777±.008 .665±.017 .300±.013
iaprtc12    .721±.030 .323±.005 .322±.012 .301±.013 .250±.025 .045±.004 .133±.010 .086±.018
espgame     .707±.021 .258±.004 .251±.004 .261±.008 .220±.012 .132±.008 .121±.012 .075±.017
mirflickr   .738±.027 .640±.006 .631±.004 .611±.005 .501±.029 .501±.010 .300±.031 .144±.018
""",
    "coverage_error": """
CAL500      .201±.017 .850±.018 .891±.009 .828±.046 .942±.024 .882±.012 .708±.002 .720±.012
scene       .055±.015 .086±.020 .205±.092 .185±.021 .177±.007 .154±.005 .404±.011 .905±.009
yeast       .096±.057 .400±.023 .512±.013 .495±.008 .484±.007 .703±.004 .934±.003 .894±.019
corel5k     .002±.001 .331±.009 .289±.132 .280±.009 .601±.008 .331±.011 .400±.009 .531±.014
rcv1subset1 .005±.001 .109±.005 .138±.013 .118±.004 .228±.009 .318±.008 .459±.010 .707±.011
Corel16k001 .019±.001 .251±.008 .260±.018 .282±.007 .481±.009 .850±.010 .692±.019 .808±.018
delicious   .057±.005 .620±.015 .739±.108 .656±.014 .923±.007 .857±.019 .709±.007 .792±.001
tmc2007     .041±.004 .134±.006 .151±.012 .130±.008 .171±.005 .293±.007 .799±.002 .924±.021
Image       .143±.008 .190±.056 .303±.093 .283±.044 .278±.010 .185±.013 .802±.018 .899±.007
iaprtc12    .009±.003 .329±.013 .442±.013 .413±.092 .453±.005 .700±.009 .752±.017 .902±.022
espgame     .001±.001 .401±.019 .483±.009 .408±.006 .504±.014 .744±.005 .793±.009 .911±.015
mirflickr   .033±.011 .317±.002 .380±.008 .362±.001 .407±.002 .422±.017 .904±.020 .928±.021
""",
    "ranking_loss": """
CAL500      .373±.005 .238±.009 .276±.123 .250±.008 .390±.009 .303±.012 .422±.010 .492±.020
scene       .060±.011 .084±.050 .167±.100 .054±.006 .170±.060 .118±.009 .102±.005 .402±.040
yeast       .219±.017 .160±.003 .170±.010 .165±.002 .172±.010 .340±.010 .342±.020 .512±.012
corel5k     .043±.036 .133±.008 .105±.001 .133±.011 .250±.020 .130±.007 .375±.022 .511±.011
rcv1subset1 .020±.003 .040±.002 .040±.012 .082±.013 .082±.040 .177±.007 .166±.004 .443±.008
Corel16k001 .161±.010 .129±.003 .140±.018 .144±.008 .239±.015 .708±.011 .301±.003 .488±.018
delicious   .139±.002 .127±.010 .092±.003 .098±.008 .340±.028 .505±.018 .334±.001 .532±.009
tmc2007     .045±.007 .048±.001 .049±.001 .039±.005 .098±.013 .131±.006 .144±.004 .509±.080
Image       .143±.005 .168±.061 .340±.101 .250±.060 .301±.084 .169±.008 .170±.004 .405±.020
iaprtc12    .080±.017 .119±.001 .182±.113 .155±.055 .177±.022 .409±.008 .300±.021 .453±.009
espgame     .052±.037 .149±.011 .155±.016 .118±.011 .256±.008 .470±.003 .322±.031 .409±.019
mirflickr   .155±.021 .115±.002 .120±.005 .134±.012 .170±.010 .201±.013 .875±.008 .457±.014
""",
}
