"""The study behind the page on the default estimator still runs, every variant of it."""

import csv
import sys
from importlib import import_module
from pathlib import Path

import pytest

from lamc.datasets import digit_scenes
from lamc.learners import Blend

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="not part of a source distribution")
def test_every_variant_is_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    study = import_module("study_default")
    monkeypatch.setattr(study, "load", lambda name: digit_scenes(250, random_state=0))
    monkeypatch.setattr(study, "Blend", lambda **given: Blend(effort="fast", **given))
    study.NETWORK.update(n_models=1, epochs=2)
    study.run(tmp_path / "study.csv", ["digit scenes"], only=[])
    with (tmp_path / "study.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    names = [name for name, *_ in study.variants(n_labels=10)]
    assert [row[2] for row in rows] == [*names, "no validation rows"]
    assert all(0.3 < float(row[3]) <= 1 for row in rows)
