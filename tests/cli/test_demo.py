"""``lamc demo``: from end to end, the same for the same seed, with a report to look at."""

import json

import pytest

from lamc import demo as demonstration


@pytest.fixture
def small(monkeypatch):
    whole = demonstration.run_demo
    monkeypatch.setattr(demonstration, "run_demo", lambda seed: whole(seed, n=600))


def test_it_says_what_was_promised_and_achieved(lamc, small, tmp_path):
    report = tmp_path / "demo.html"
    done = lamc("demo", "--output", report)
    assert "What is promised, and what 60 test scenes show" in done.stdout
    assert "accepts at least 90 % of the rows that have the label" in done.stdout
    assert str(report) in done.stdout
    assert report.read_text(encoding="utf-8").startswith("<!doctype html>")
    refused = lamc("demo", "--output", report, code=1)
    assert "is there already" in refused.stderr


def test_the_same_seed_gives_the_same_bytes(lamc, small, tmp_path):
    printed, written = [], []
    for _ in range(2):
        done = lamc("demo", "--seed", 3, "--json", "--force", "-o", tmp_path / "demo.html")
        printed.append(json.loads(done.stdout))
        written.append((tmp_path / "demo.html").read_bytes())
    assert printed[0] == printed[1]
    assert written[0] == written[1]
    assert [shown["rule"] for shown in printed[0]["rules"]] == [
        "recall", "three-way", "precision", "selective",
    ]  # fmt: skip


def test_it_opens_the_report_on_request(lamc, small, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("typer.launch", opened.append)
    lamc("demo", "--open", "--quiet", "-o", tmp_path / "demo.html")
    assert opened == [(tmp_path / "demo.html").as_uri()]


def test_as_a_real_process_without_a_report_folder(process, tmp_path):
    done = process("demo", "--output", tmp_path / "new" / "demo.html")
    assert done.returncode == 0, done.stderr
    assert "average precision" in done.stdout
    assert "Traceback" not in done.stderr
    assert (tmp_path / "new" / "demo.html").is_file()
