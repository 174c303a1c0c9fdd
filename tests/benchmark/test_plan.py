"""Plans: what is run, under which name, and when two units are the same."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace

import pytest

from lamc.benchmark import methods
from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.plan import Plan, profile
from lamc.benchmark.plan_file import read_plan
from lamc.benchmark.sources import Facts, Source, facts_of
from lamc.benchmark.unit import Unit
from lamc.exceptions import SettingError
from lamc.settings_text import parse_setting

from .small import write_files

FACTS = Facts("yeast", "paper", True, "abc", 100, 10, 5, scenes=False)
NETWORK = {
    "hidden": "labels",
    "standardise": False,
    "epochs": 25,
    "batch_size": 16,
    "learning_rate": (1e-4, 1e-3, 1e-2),
}
METHODS = {"LAMC", "SMILE", "AN", "WAN", "ROLE", "GLOCAL", "MLML", "DM2L"}
EXACT = {"CAL500", "scene", "yeast", "corel5k", "rcv1subset1", "Corel16k001", "delicious"}
UNIT = Unit(Source("yeast"), FACTS, "AN", "train", (0, 1), "given", {"epochs": 3})


def test_work_is_about_in_proportion_to_the_time_it_takes():
    taken = {(28_596, 500, 22): 77, (16_105, 500, 983): 1242, (2417, 103, 14): 8}  # AN, seconds
    rates = []
    for (rows, features, labels), seconds in taken.items():
        facts = replace(FACTS, rows=rows, features=features, labels=labels)
        rates.append(replace(UNIT, facts=facts).cost / seconds)
    assert max(rates) < 2 * min(rates)


def test_wider_networks_are_more_work():
    widths = [replace(UNIT, settings={"hidden": hidden}).cost for hidden in ("labels", 256)]
    assert widths[1] - widths[0] == 100 * (10 + 5) * (256 - 5)


@pytest.fixture
def files(tmp_path):
    write_files(tmp_path)
    return tmp_path


def plan_of(files, *methods, **changes):
    sources = tuple(Source(str(files / f"{name}.npz")) for name in ("first", "second"))
    return Plan("mine", sources, methods or ("LAMC", "WAN", "MLML"), **changes)


class TestKey:
    @pytest.mark.parametrize(
        "changed",
        [
            {"settings": {"epochs": 4}},
            {"settings": {"epochs": 3, "hidden": 7}},
            {"seeds": (0, 1, 2)},
            {"seeds": (1, 2)},
            {"part": "training"},
            {"draw": "anew"},
            {"validation": "single positives"},
            {"method": "WAN"},
            {"facts": replace(FACTS, checksum="abd")},
            {"facts": replace(FACTS, name="scene")},
        ],
        ids=str,
    )
    def test_whatever_changes_the_numbers_changes_it(self, changed):
        assert replace(UNIT, **changed).key != UNIT.key

    @pytest.mark.parametrize(
        "changed",
        [
            {"source": Source("copies/yeast.arff")},
            {"settings": {"epochs": 3, "hidden": 256}},  # the learner's own default
            {"settings": {"epochs": 3, "verbose": True, "n_threads": None}},
        ],
        ids=str,
    )
    def test_where_the_data_lie_and_how_a_fit_is_run_does_not(self, changed):
        assert replace(UNIT, **changed).key == UNIT.key

    def test_it_is_the_same_in_another_process(self):
        unit = replace(UNIT, method="MLML", settings={})
        code = (
            "from lamc.benchmark.unit import Unit; from lamc.benchmark.sources import *;"
            f"facts = {unit.facts!r};"
            "print(Unit(Source('yeast'), facts, 'MLML', 'train', (0, 1), 'given', {}).key)"
        )
        told = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": "7"},
            check=True,
        )
        assert told.stdout.strip() == unit.key

    def test_a_grid_is_part_of_it(self, monkeypatch):
        unit = replace(UNIT, method="MLML", settings={})
        before = unit.key
        monkeypatch.setitem(methods.GRIDS, "MLML", methods.GRIDS["MLML"][:4])
        assert replace(unit).key != before

    def test_source_code_of_a_users_estimator_is_part_of_it(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(str(tmp_path))
        file = tmp_path / "own_code.py"
        file.write_text("from sklearn.naive_bayes import GaussianNB\nclass Own(GaussianNB): ...\n")
        unit = replace(UNIT, method="own_code:Own", settings={})
        before = unit.key
        file.write_text(file.read_text() + "# changed\n")
        assert replace(unit).key != before

    def test_so_is_that_of_modules_it_imports(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(str(tmp_path))
        (tmp_path / "own_helper.py").write_text("from sklearn.naive_bayes import GaussianNB as NB")
        (tmp_path / "own_parent.py").write_text("from own_helper import NB\nclass Own(NB): ...\n")
        (tmp_path / "own_door.py").write_text("from own_parent import Own\n")
        unit = replace(UNIT, method="own_door:Own", settings={})
        before = unit.key
        (tmp_path / "beside.py").write_text("x = 1\n")
        assert replace(unit).key == before
        (tmp_path / "own_helper.py").write_text("from sklearn.naive_bayes import BernoulliNB as NB")
        assert replace(unit).key != before

    def test_functions_and_estimators_among_parameters_are_known_by_name(self, files, monkeypatch):
        monkeypatch.syspath_prepend(str(files))
        (files / "kernels.py").write_text(
            "from sklearn.base import BaseEstimator\n"
            "from sklearn.linear_model import Ridge\n"
            "from sklearn.naive_bayes import GaussianNB\n"
            "def kernel(x): ...\n"
            "class Own(GaussianNB):\n"
            "    def __init__(self, by=kernel, inner=Ridge(alpha=3.0), of=Ridge):\n"
            "        super().__init__()\n"
            "        self.by, self.inner, self.of = by, inner, of\n"
            "class Odd(Own):\n"
            "    def __init__(self, by=object()):\n"
            "        super().__init__(by)\n"
        )
        unit = replace(UNIT, method="kernels:Own", settings={})
        parameters = json.loads(unit.text)["parameters"]
        assert parameters["by"] == "kernels:kernel"
        assert parameters["inner"]["alpha"] == 3.0
        assert parameters["of"].endswith(":Ridge")
        with pytest.raises(BenchmarkError, match="could not be known again"):
            replace(unit, method="kernels:Odd").key  # noqa: B018

    def test_it_speaks_of_no_path_and_no_machine(self, files):
        for _, unit in plan_of(files).units():
            assert str(files) not in unit.text
            assert socket.gethostname() not in unit.text


class TestUnits:
    def test_lamc_and_wan_without_calibration_rows_are_one_unit(self, files):
        keys = {}
        for method, unit in plan_of(files).units():
            keys.setdefault((unit.facts.name, unit.part), {})[method] = unit.key
        assert keys["first", "train"]["LAMC"] == keys["first", "train"]["WAN"]
        assert set(keys["first", "training"]) == {"WAN", "MLML"}

    def test_they_come_data_set_by_data_set_with_training_first(self, files):
        order = [(unit.facts.name, unit.part) for _, unit in plan_of(files).units()]
        assert list(dict.fromkeys(order)) == [
            ("first", "training"),
            ("first", "train"),
            ("second", "training"),
            ("second", "train"),
        ]

    def test_two_plans_share_the_units_they_have_in_common(self, files):
        one, other = plan_of(files, "MLML", "AN"), plan_of(files, "MLML", parts=("train",))
        other = replace(other, name="another")
        shared = {unit.key for _, unit in one.units()} & {unit.key for _, unit in other.units()}
        assert len(shared) == 2

    def test_digit_scenes_are_never_fitted_on_their_calibration_rows(self):
        plan = profile("paper").only(datasets=["digit scenes"], methods=["WAN", "MLML"])
        assert {unit.part for _, unit in plan.units()} == {"train"}

    def test_smile_takes_what_its_paper_has_for_a_data_set(self):
        known = replace(UNIT, method="SMILE", settings={})
        assert known.description["parameters"]["rate"] == 0.1
        unknown = replace(known, facts=replace(FACTS, name="trees"))
        assert unknown.description["parameters"]["rate"] is None
        mine = replace(known, facts=replace(FACTS, variant="", exact=False))  # my own yeast.csv
        assert mine.description["parameters"]["rate"] is None

    def test_the_papers_network_is_for_networks_of_this_package(self, files, monkeypatch):
        monkeypatch.syspath_prepend(str(files))
        (files / "deep.py").write_text(
            "from sklearn.naive_bayes import GaussianNB\n"
            "class Deep(GaussianNB):\n"
            "    def __init__(self, epochs=500, hidden=7):\n"
            "        super().__init__()\n"
            "        self.epochs, self.hidden = epochs, hidden\n"
        )
        plan = plan_of(files, "AN", "deep:Deep")
        settings = {method: unit.settings for method, unit in plan.units()}
        assert settings["AN"]["hidden"] == "labels"
        assert settings["deep:Deep"] == {}
        with pytest.raises(SettingError, match="epochs='two'; give a whole number"):
            plan.only(overrides={"epochs": "two"}).units()
        told = plan.only(overrides={"epochs": 3})
        assert {unit.settings["epochs"] for _, unit in told.units()} == {3}

    def test_a_network_of_a_users_own_keeps_the_defaults_that_it_has(self, files, monkeypatch):
        monkeypatch.syspath_prepend(str(files))
        (files / "deeper.py").write_text(
            "from dataclasses import dataclass\n"
            "from lamc.learners import AN\n"
            "@dataclass(kw_only=True, eq=False, repr=False)\n"
            "class Deeper(AN):\n"
            "    hidden: int = 512\n"
            "    standardise: bool = True\n"  # which it would be without, too: it is meant
        )
        ((_, unit),) = replace(plan_of(files, "deeper:Deeper"), parts=("train",)).units()[:1]
        assert unit.settings.keys().isdisjoint({"hidden", "standardise"})
        assert unit.description["parameters"]["hidden"] == 512
        assert unit.description["parameters"]["standardise"] is True
        assert unit.settings["epochs"] == plan_of(files, "AN").defaults["epochs"]

    def test_copies_among_a_users_rows_are_part_of_it(self, files):
        facts = replace(FACTS, copies=True)
        unit = Unit(Source("a.csv"), facts, "MLML", "train", (0,), "given")
        assert unit.description["copies"] == "together"
        own_parts = replace(unit, facts=replace(facts, has_parts=True))
        assert "copies" not in own_parts.description
        assert replace(own_parts, draw="anew").description["copies"] == "together"


class TestProfiles:
    """What comes with LAMC is what the paper says, and the keys of stored results rest on it."""

    def test_paper(self):
        plan = profile("paper")
        others = {"Image", "tmc2007", "espgame", "iaprtc12", "mirflickr"}
        assert sorted(source.place for source in plan.sources) == sorted(EXACT | others)
        assert sorted(plan.methods) == sorted(METHODS)
        assert (plan.n_runs, plan.draw, plan.parts) == (5, "given", ("training", "train"))
        assert (plan.validation, plan.defaults, plan.overrides) == ("all labels", NETWORK, {})

    def test_resampled(self):
        plan = profile("resampled")
        assert sorted(source.place for source in plan.sources) == sorted(EXACT)
        assert sorted(plan.methods) == sorted(METHODS)
        assert (plan.n_runs, plan.draw, plan.parts) == (5, "anew", ("train",))
        assert (plan.validation, plan.defaults, plan.overrides) == ("all labels", NETWORK, {})

    def test_quick(self):
        plan = profile("quick")
        assert [source.place for source in plan.sources] == [
            "digit scenes",
            "CAL500",
            "scene",
            "yeast",
            "Image",
        ]
        assert sorted(plan.methods) == sorted(METHODS)
        assert (plan.n_runs, plan.draw, plan.parts) == (2, "given", ("train",))
        assert plan.defaults == {**NETWORK, "epochs": 10}

    def test_their_networks_are_told_all_of_it(self):
        ((_, unit),) = profile("paper").only(datasets=["digit scenes"], methods=["AN"]).units()
        told = unit.description["parameters"]
        assert {name: told[name] for name in NETWORK} == NETWORK


class TestSettings:
    @pytest.mark.parametrize(
        "changed",
        [
            {"n_runs": 4},
            {"draw": "anew"},
            {"parts": ("train",)},
            {"validation": "single positives"},
            {"defaults": {}},
            {"overrides": {"epochs": 3}},
        ],
        ids=str,
    )
    def test_of_a_plan_are_all_that_its_numbers_have_in_common(self, changed):
        plan = profile("paper")
        assert replace(plan, **changed).settings != plan.settings
        assert replace(plan, parts=("train", "training")).settings == plan.settings
        assert plan.only(datasets=["scene"], methods=["AN"]).settings == plan.settings

    def test_of_one_method_come_before_common_ones_before_the_plans_own(self, files):
        plan = plan_of(files, "AN", "WAN", "MLML").only(
            overrides={"epochs": 7, "WAN.epochs": 9, "MLML.n_neighbors": 4}
        )
        epochs = {m: u.settings.get("epochs") for m, u in plan.units()}
        assert epochs == {"AN": 7, "WAN": 9, "MLML": None}
        assert {u.settings["n_neighbors"] for m, u in plan.units() if m == "MLML"} == {4}
        assert {u.settings["hidden"] for m, u in plan.units() if m != "MLML"} == {"labels"}

    def test_changed_settings_and_runs_show_in_the_name(self):
        plan = profile("paper")
        assert plan.only(datasets=["scene"], methods=["AN"]).name == "paper"
        assert plan.only(n_runs=5).name == "paper"
        assert (
            plan.only(n_runs=2, overrides={"WAN.hidden": 8}).name == "paper, 2 runs, WAN.hidden=8"
        )
        assert plan.only(validation="all labels").name == "paper"
        shown = plan.only(validation="single positives")
        assert shown.name == "paper, single positives of validation rows"


class TestRefused:
    @pytest.mark.parametrize(
        ("overrides", "words"),
        [
            ({"LAMC.hidden": 3}, "Set WAN.hidden instead"),
            ({"ROLE.hidden": 3}, "ROLE is not among the methods"),
            ({"depth": 3}, "None of the methods LAMC, WAN, MLML has a parameter 'depth'"),
            ({"MLML.n_neighbours": 3}, "Did you mean 'n_neighbors'"),
            (
                {"random_state": 7},
                "seeds 0, 1, … up to their number − 1, here 4.\nChoose .* --runs",
            ),
            ({"WAN.random_state": 7}, "WAN.random_state is set, but the runs have the seeds"),
        ],
        ids=str,
    )
    def test_settings_that_would_change_nothing(self, files, overrides, words):
        with pytest.raises(BenchmarkError, match=words):
            plan_of(files).only(overrides=overrides).units()

    def test_a_part_of_a_plan_may_leave_out_what_settings_are_for(self, files):
        """So a plan can be split over machines, and its parts put together again."""
        plan = plan_of(files, "WAN", "MLML", overrides={"WAN.epochs": 2, "hidden": 8})
        part = plan.only(methods=["MLML"])
        assert {method for method, _ in part.units()} == {"MLML"}
        assert part.settings == plan.settings
        with pytest.raises(BenchmarkError, match=r"WAN\.hidden is set, but WAN is not among"):
            plan.only(methods=["MLML"], overrides={"WAN.hidden": 4})

    def test_one_label_a_row_is_not_taken_for_all(self, files):
        table = files / "tags.csv"
        table.write_text("a,tag\n" + "".join(f"{n},{'xyz'[n % 3]}\n" for n in range(60)))
        with pytest.raises(BenchmarkError, match=r"(?s)does not say\..*--separator"):
            Plan("mine", (Source(str(table), label_column="tag"),), ("MLML",)).units()
        told = Source(str(table), label_column="tag", separator=";")
        assert len(Plan("mine", (told,), ("MLML",), parts=("train",)).units()) == 1

    @pytest.mark.parametrize(
        ("method", "words"),
        [
            ("SMLE", "Did you mean 'SMILE'"),
            ("no.such:Class", "cannot be imported"),
            ("sklearn.naive_bayes:Nothing", "cannot be imported"),
            ("json:dumps", "is no scikit-learn classifier"),
        ],
    )
    def test_methods_that_are_not_there(self, files, method, words):
        with pytest.raises(BenchmarkError, match=words):
            plan_of(files, method).units()

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("import math\ndef x(:\n", r"SyntaxError in .*wrong\.py, line 2: invalid syntax"),
            ("x = 1\n\n1 / 0\n", r"ZeroDivisionError in .*wrong\.py, line 3: division by zero"),
            ("import sys\nsys.exit(3)\n", r"SystemExit in .*wrong\.py, line 2: 3"),
        ],
    )
    def test_a_users_module_that_is_wrong_is_told_with_file_and_line(
        self, files, monkeypatch, text, words
    ):
        monkeypatch.syspath_prepend(str(files))
        (files / "wrong.py").write_text(text)
        with pytest.raises(BenchmarkError, match=words):
            plan_of(files, "wrong:Own").units()

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"n_runs": 0}, "0 runs"),
            ({"draw": "maybe"}, "'given' or 'anew'"),
            ({"validation": "some"}, "'all labels' or 'single positives'"),
            ({"parts": ("half",)}, "'training', 'train'"),
            ({"methods": ()}, "names no method"),
        ],
        ids=str,
    )
    def test_plans_that_cannot_be(self, changes, words):
        with pytest.raises(BenchmarkError, match=words):
            replace(profile("paper"), **changes)

    def test_lamc_without_rows_to_calibrate_on(self, files):
        plan = replace(plan_of(files, "LAMC", "AN"), parts=("training",))
        with pytest.raises(BenchmarkError, match="Add the part 'train', or leave LAMC out"):
            plan.units()

    def test_two_data_sets_of_one_name(self, files):
        source = Source(str(files / "first.npz"))
        with pytest.raises(BenchmarkError, match="Two data sets are called 'first'"):
            Plan("mine", (source, source), ("MLML",)).units()

    def test_an_unknown_profile(self):
        with pytest.raises(BenchmarkError, match="paper, resampled and quick"):
            profile("papers")


class TestPlanFile:
    def test_it_says_the_same_as_options_do(self, files):
        file = files / "plan.toml"
        file.write_text(
            'name = "mine"\nprofile = "resampled"\nruns = 2\nmethods = ["LAMC", "AN"]\n'
            'datasets = ["scene", {file = "first.npz"}]\nvalidation = "single positives"\n'
            "[set]\nepochs = 3\nAN.learning_rate = [0.001, 0.01]\n"
        )
        by_options = profile("resampled").only(
            datasets=["scene", Source(str(files / "first.npz"))],
            methods=["LAMC", "AN"],
            n_runs=2,
            validation="single positives",
            overrides=dict(
                parse_setting(text) for text in ("epochs=3", "AN.learning_rate=[1e-3, 1e-2]")
            ),
        )
        assert read_plan(file) == replace(by_options, name="mine")

    def test_it_says_how_a_table_is_read(self, files):
        """As ``lamc.datasets.read`` is told; a number of the row is no feature."""
        rows = [(n % 7 + 0.5, n % 2, (n + 1) % 2) for n in range(60)]
        plain = "Größe,is_oak,is_elm\n" + "".join(f"{x},{a},{b}\n" for x, a, b in rows)
        (files / "plain.csv").write_text(plain, encoding="utf-8")
        odd = "site;Größe;is_oak;is_elm\n" + "".join(
            f"{n};{x};{a};{b}\n".replace(".", ",") for n, (x, a, b) in enumerate(rows)
        )
        (files / "odd.csv").write_text(odd, encoding="latin-1")
        (files / "plan.toml").write_text(
            'datasets = [{file = "odd.csv", labels = ["is_*"], id_column = ["site"], '
            'delimiter = ";", decimal = ",", encoding = "latin-1"}]'
        )
        (told,) = read_plan(files / "plan.toml").sources
        assert told.id_column == ("site",)
        as_plain = facts_of(Source(str(files / "plain.csv"), ("is_oak", "is_elm")))
        assert facts_of(told) == replace(as_plain, name="odd")

    def test_paths_start_in_its_folder_however_they_are_given(self, files):
        file = files / "plan.toml"
        elsewhere = str(files.parent / "third.npz")
        file.write_text(f'datasets = ["first.npz", {{file = "first.npz"}}, "{elsewhere}", "scene"]')
        places = [source.place for source in read_plan(file).sources]
        assert places == [str(files / "first.npz")] * 2 + [elsewhere, "scene"]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("epoch = 3", "epoch, which means nothing"),
            ("name = ", "is no TOML file"),
            ("datasets = [3]", "a data set is a name"),
            ('datasets = [{path = "a.csv"}]', "a data set is a name"),
            ("datasets = [{file = 3}]", "a data set is a name"),
            ('datasets = [{file = "a.csv", id_column = "site"}]', "a data set is a name"),
            ('datasets = "scene"', "give a list"),
            ('methods = "LAMC"', "give a list of names"),
            ("methods = [1]", "give a list of names"),
            ("runs = true", "runs = True; give a whole number"),
            ("set = 3", "give a table"),
            ("name = 3", "give a text"),
        ],
    )
    def test_what_cannot_be_read_is_refused(self, tmp_path, text, words):
        (tmp_path / "plan.toml").write_text(text)
        with pytest.raises(BenchmarkError, match=words):
            read_plan(tmp_path / "plan.toml")

    def test_one_that_is_not_there(self, tmp_path):
        with pytest.raises(BenchmarkError, match="no plan file"):
            read_plan(tmp_path / "plan.toml")
