"""Settings as text: what is typed means the same in every command."""

import pytest
from typer.testing import CliRunner

from lamc.cli import app
from lamc.exceptions import LAMCError, SettingError
from lamc.learners import WAN
from lamc.settings_text import parse_setting

TYPED = [
    ("1", 1),
    ("1e-3", 0.001),
    (".5", 0.5),
    ("-1", -1),
    ("true", True),
    ("True", True),
    ("false", False),
    ("False", False),
    (" FALSE", False),
    ("'False'", "False"),
    ("none", None),
    ("None", None),
    ("labels", "labels"),
    ("it's", "it's"),
    ("'1'", "1"),
    ("[1, 2]", (1, 2)),
    ("(1, 2)", (1, 2)),
    ("0.001,0.01", (0.001, 0.01)),
    ("[1, None]", (1, None)),
    ("['a', 'b']", ("a", "b")),
    ("{1, 2}", "{1, 2}"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "value"), TYPED)
def test_as_they_are_typed(text, value):
    key, read = parse_setting(f" a ={text}")
    assert (key, read) == ("a", value)
    assert type(read) is type(value)


@pytest.mark.parametrize(("text", "value"), TYPED)
def test_train_and_the_benchmark_read_alike(text, value, tmp_path, monkeypatch):
    seen = []

    def trained(clf, *rows, **given):
        seen.append(clf.estimator.standardise)
        raise LAMCError("This is enough.")

    def run(plan, store, **given):
        seen.append(plan.overrides["standardise"])
        raise LAMCError("This is enough.")

    monkeypatch.setattr(WAN, "check_settings", lambda self: None)
    monkeypatch.setattr("lamc.training.fit_rows", trained)
    monkeypatch.setattr("lamc.benchmark.run.run_plan", run)
    (tmp_path / "a.csv").write_text("x,tree\n1,oak\n2,elm\n")
    train = [
        "train",
        str(tmp_path / "a.csv"),
        "--label-column",
        "tree",
        "-o",
        str(tmp_path / "a.lamc"),
    ]
    bench = ["bench", "run", "--profile", "quick", "-o", str(tmp_path / "results.sqlite")]
    for command in ([*train, "--method", "wan"], bench):
        done = CliRunner().invoke(app, [*command, "--set", f"standardise={text}"])
        assert "This is enough." in done.stderr
    assert seen == [value, value]
    assert [type(each) for each in seen] == [type(value)] * 2


@pytest.mark.parametrize(
    ("text", "missing"), [("hidden", "value"), ("=3", "name"), (" =3", "name")]
)
def test_what_is_no_setting(text, missing):
    with pytest.raises(SettingError, match=f"has no {missing}; give key=value"):
        parse_setting(text)
