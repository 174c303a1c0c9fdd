"""From findings to the text of the page."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import lamc
from lamc.report import words
from lamc.report.findings import Findings
from lamc.report.numbers import count, fixed
from lamc.report.payload import pack
from lamc.report.script_data import LABELS_A_PAGE, arrays, facts, labels_shown
from lamc.report.shown import example_groups, label_row, overall
from lamc.rules import Calibrator
from lamc.types import IntArray

_SCRIPTS = ("format", "numbers", "chart", "labels", "examples", "page")


def render(
    findings: Findings,
    calibrator: Calibrator,
    *,
    title: str,
    model: str | None,
    cautions: Sequence[str],
    row_names: Sequence[str] | None,
    row_numbers: IntArray,
) -> str:
    """Return the page as HTML.

    All that comes from a user is escaped, by the template or, inside data, as JSON that cannot end
    its element. Should that fail, the page's own policy lets no script run but this one.
    """
    style, script = _source("page.css"), _script()
    shown = labels_shown(findings.counts.true)
    index, numbers = pack(arrays(findings, shown))
    grid, (rule, level) = findings.grid, findings.grid.own
    setting = rule * len(grid.levels) + level
    environment = Environment(
        loader=PackageLoader("lamc.report", "template"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template("page.html").render(
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        data=facts(findings, shown) | {"arrays": index},
        numbers=numbers,
        title=title,
        version=lamc.__version__,
        n_rows=findings.counts.n_rows,
        n_labels=grid.shape[-1],
        labels_a_row=fixed(findings.measures.true / findings.counts.n_rows, 1),
        model=model,
        rule=grid.rules[rule],
        alpha=grid.level_text(level),
        levels=grid.levels,
        own=grid.own,
        rules=grid.rules,
        unavailable=words.unavailable(grid, calibrator),
        promise=words.promise_at(grid, rule, level),
        cautions=[*words.luck(calibrator), *cautions],
        calibrated_on=words.calibrated_on(calibrator, findings.names),
        assumption=words.assumed(calibrator),
        measured=words.measured(findings.measures, setting, findings.counts.n_rows),
        kept=words.kept_at(findings, rule, level),
        left_open=words.left_open(calibrator),
        now=overall(findings, setting),
        rows=[label_row(findings, setting, label) for label in shown[:LABELS_A_PAGE].tolist()],
        n_shown=len(shown),
        groups=example_groups(findings, setting, row_names, row_numbers),
        rows_are_numbered=row_names is None,
        leaves_open=findings.examples.leaves_open,
        features_from=findings.features_from,
        count=count,
        signed=_signed,
    )


def _policy(style: str, script: str) -> str:
    """Nothing from outside, and no style or script but the page's own."""
    own_style, own_script = (
        "'sha256-" + b64encode(sha256(text.encode()).digest()).decode("ascii") + "'"
        for text in (style, script)
    )
    return (
        f"default-src 'none'; style-src {own_style}; script-src {own_script}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _script() -> str:
    parts = "\n".join(_source(f"{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}\n}})();\n'


def _source(name: str) -> str:
    return (files("lamc.report") / "template" / name).read_text(encoding="utf-8")


def _signed(deviation: float) -> str:
    """A deviation in words that go with an arrow."""
    return f"{fixed(abs(deviation), 1)} SD {'above' if deviation > 0 else 'below'} the mean"
