"""Which measurements stand in a table, and which are refused."""

import pytest

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.selection import Choice, choose

from .results import accepted, joined, measured

METRIC = "average_precision"


def chosen(rows, **choice):
    return choose(rows, METRIC, Choice(**choice))


def test_a_profile_must_be_named_where_there_are_two():
    rows = joined(
        measured({("yeast", "AN"): [0.1]}, profile="paper"),
        measured({("yeast", "AN"): [0.2]}, profile="quick"),
    )
    with pytest.raises(BenchmarkError, match=r"more than one profile: paper and quick.*--profile"):
        chosen(rows)
    assert chosen(rows, profile="quick").rows["value"].tolist() == [0.2]


def test_what_is_not_there_is_refused_with_what_is():
    rows = measured({("yeast", "AN"): [0.1]})
    with pytest.raises(BenchmarkError, match=r"no view 'accepted' here. They hold full"):
        chosen(rows, view="accepted")
    with pytest.raises(BenchmarkError, match=r"no metric 'recall' here. They hold average_prec"):
        choose(rows, "recall", Choice())
    with pytest.raises(BenchmarkError, match=r"no dataset 'scene'"):
        chosen(rows, datasets=("scene",))
    with pytest.raises(BenchmarkError, match=r"no method 'WAN'"):
        chosen(rows, methods=("AN", "WAN"))


def test_empty_results_say_how_to_make_some():
    with pytest.raises(BenchmarkError, match=r"no measurements yet.*lamc bench run"):
        chosen(measured({("yeast", "AN"): [0.1]}).iloc[:0])


def test_the_rule_of_the_paper_is_taken_unasked():
    key = ("yeast", "LAMC")
    rows = joined(
        accepted({key: [0.1]}),
        accepted({key: [0.2]}, positives=50),
        accepted({key: [0.3]}, positives=None),
        accepted({key: [0.4]}, calibration="single positives"),
        accepted({key: [0.5]}, rule="recall", alpha=0.1, positives=None),
    )
    assert chosen(rows, view="accepted").rows["value"].tolist() == [0.1]
    assert chosen(rows, view="accepted", positives=50).rows["value"].tolist() == [0.2]
    assert chosen(rows, view="accepted", positives="all").rows["value"].tolist() == [0.3]
    single = chosen(rows, view="accepted", calibration="single positives")
    assert single.rows["value"].tolist() == [0.4]
    recall = chosen(rows, view="accepted", rule="recall")
    assert recall.rows["value"].tolist() == [0.5]
    assert "rule recall, alpha 0.1, calibration all labels, positives all" in recall.described


def test_a_level_must_be_named_where_there_are_two_that_the_paper_has_not():
    key = ("yeast", "LAMC")
    rows = joined(
        accepted({key: [0.1]}, rule="recall", alpha=0.1),
        accepted({key: [0.2]}, rule="recall", alpha=0.2),
    )
    with pytest.raises(BenchmarkError, match=r"more than one alpha: 0.1 and 0.2.*--alpha 0.1"):
        chosen(rows, view="accepted")
    assert chosen(rows, view="accepted", alpha=0.2).rows["value"].tolist() == [0.2]


def test_full_tables_take_rivals_with_all_training_rows_and_lamc_without_calibration_rows():
    rows = joined(
        measured({("yeast", "LAMC"): [0.1], ("yeast", "WAN"): [0.1], ("yeast", "AN"): [0.2]}),
        measured({("yeast", "WAN"): [0.3], ("yeast", "AN"): [0.4]}, part="training"),
        measured({("digit scenes", "AN"): [0.5], ("digit scenes", "LAMC"): [0.6]}),
    )
    found = chosen(rows)
    values = found.rows.set_index(["dataset", "method"])["value"].to_dict()
    assert values == {
        ("yeast", "LAMC"): 0.1,
        ("yeast", "WAN"): 0.3,
        ("yeast", "AN"): 0.4,
        ("digit scenes", "AN"): 0.5,
        ("digit scenes", "LAMC"): 0.6,
    }
    assert "on digit scenes no method was fitted on calibration rows" in found.remarks[0]


def test_methods_that_were_fitted_on_other_rows_only_are_named():
    rows = joined(
        measured({("yeast", "LAMC"): [0.1], ("yeast", "AN"): [0.2], ("yeast", "ROLE"): [0.3]}),
        measured({("yeast", "AN"): [0.4], ("scene", "AN"): [0.5]}, part="training"),
        measured({("scene", "ROLE"): [0.5], ("scene", "mine"): [0.6]}),
    )
    found = chosen(rows)
    assert found.methods == ("LAMC", "AN")
    assert found.remarks[1] == (
        "Left out, since fitted on other rows than these: ROLE on yeast, scene; mine on scene."
    )
    assert "ROLE on yeast; " not in chosen(rows, datasets=("scene",)).remarks[1]
    assert len(chosen(rows, methods=("LAMC", "AN")).remarks) == 1


def test_the_rows_that_methods_were_fitted_on_can_be_named():
    rows = joined(
        measured({("yeast", "LAMC"): [0.1], ("yeast", "AN"): [0.2], ("yeast", "mine"): [0.3]}),
        measured({("yeast", "AN"): [0.4]}, part="training"),
    )
    found = chosen(rows, part="train")
    assert found.methods == ("LAMC", "AN", "mine")
    assert found.rows["value"].tolist() == [0.1, 0.2, 0.3]
    assert found.remarks == ("No method was fitted on calibration rows.",)
    assert chosen(rows, part="training").rows["value"].tolist() == [0.4]
    with pytest.raises(BenchmarkError, match=r"no method 'LAMC' here. They hold AN"):
        chosen(rows, part="training", methods=("LAMC",))
    with pytest.raises(BenchmarkError, match=r"no part 'test' here. They hold train and training"):
        chosen(rows, part="test")


def test_methods_that_share_their_training_rows_need_no_others():
    """What else is in the results does not matter to a table of methods that were named."""
    rows = joined(
        measured({("yeast", "LAMC"): [0.1], ("yeast", "mine"): [0.2]}),
        measured({("yeast", "AN"): [0.4]}, part="training"),
    )
    found = chosen(rows, methods=("LAMC", "mine"))
    assert found.methods == ("LAMC", "mine")
    assert found.remarks == ("No method was fitted on calibration rows.",)


def test_accepted_tables_take_nobody_who_was_fitted_on_calibration_rows():
    rows = joined(
        accepted({("yeast", "AN"): [0.1]}),
        accepted({("yeast", "AN"): [0.9]}, part="training"),
    )
    assert chosen(rows, view="accepted").rows["value"].tolist() == [0.1]


def test_wan_is_not_shown_again_where_it_is_lamc():
    same = {("yeast", "LAMC"): [0.1, 0.2], ("yeast", "WAN"): [0.1, 0.2], ("yeast", "AN"): [0, 1]}
    found = chosen(accepted(same), view="accepted")
    assert found.methods == ("LAMC", "AN")
    assert "shown once" in found.remarks[-1]
    other = accepted(same)
    other.loc[other["method"] == "WAN", "unit"] = "with other settings, and by chance as good"
    assert chosen(other, view="accepted").methods == ("LAMC", "AN", "WAN")
    alone = chosen(accepted(same), view="accepted", methods=("WAN", "AN"))
    assert alone.methods == ("WAN", "AN")


def test_what_wan_learnt_from_calibration_rows_is_not_lamcs():
    """On the scenes they are one; on yeast LAMC has not been run yet, or has failed."""
    rows = joined(
        measured({("digit scenes", "LAMC"): [0.1], ("digit scenes", "WAN"): [0.1]}),
        measured({("yeast", "WAN"): [0.9]}, part="training"),
    )
    found = chosen(rows)
    values = found.rows.set_index(["dataset", "method"])["value"].to_dict()
    assert values["yeast", "WAN"] == 0.9
    assert ("yeast", "LAMC") not in values


def test_wan_is_not_shown_again_where_lamc_was_run_on_more():
    rows = accepted(
        {
            ("yeast", "LAMC"): [0.1, 0.2],
            ("yeast", "WAN"): [0.1, 0.2],
            ("scene", "LAMC"): [0.3, 0.4],
            ("Image", "WAN"): [0.5, 0.6],
            ("yeast", "AN"): [0.1, 0.2],
        }
    )
    found = chosen(rows, view="accepted")
    assert found.methods == ("LAMC", "AN")
    ours = found.rows[found.rows["method"] == "LAMC"]
    assert ours.groupby("dataset")["value"].mean().round(6).to_dict() == {
        "yeast": 0.15,
        "scene": 0.35,
        "Image": 0.55,
    }
    assert "shown once" in found.remarks[-1]


def test_what_is_named_twice_counts_once():
    rows = measured({("yeast", "AN"): [0.1], ("scene", "AN"): [0.2]})
    found = chosen(rows, datasets=("yeast", "scene", "yeast"), methods=("AN", "AN"))
    assert (found.datasets, found.methods) == (("yeast", "scene"), ("AN",))


def test_the_advice_can_be_pasted():
    rows = joined(
        measured({("yeast", "AN"): [0.1]}, profile="256 units"),
        measured({("yeast", "AN"): [0.2]}, profile="quick, 1 run, epochs=1"),
    )
    with pytest.raises(BenchmarkError, match=r"--profile '256 units'") as refused:
        chosen(rows)
    assert "'256 units' and 'quick, 1 run, epochs=1'" in str(refused.value)


def test_two_values_of_one_run_are_refused_with_the_settings_that_differ():
    rows = joined(measured({("yeast", "AN"): [0.1]}), measured({("yeast", "AN"): [0.2]}))
    rows["settings"] = [
        '{"draw": "given", "seeds": [0], "parameters": {"hidden": "labels"}}',
        '{"draw": "given", "seeds": [0], "parameters": {"hidden": 256}}',
    ]
    with pytest.raises(
        BenchmarkError, match=r"2 values of AN on yeast, run 0.*parameters.hidden \(labels or 256\)"
    ):
        chosen(rows)


def test_one_row_of_two_files_is_refused():
    rows = joined(
        measured({("yeast", "AN"): [0.1]}, checksum="abc"),
        measured({("yeast", "WAN"): [0.2]}, checksum="def"),
    )
    with pytest.raises(BenchmarkError, match=r"yeast was measured on 2 different.*abc and def"):
        chosen(rows)


def test_order_is_the_papers_then_as_it_comes():
    names = ("mine", "WAN", "SMILE", "other", "LAMC")
    datasets = ("zoo", "yeast", "CAL500")
    rows = measured({(d, m): [0.2 if m == "WAN" else 0.1] for d in datasets for m in names})
    found = chosen(rows)
    assert found.datasets == ("CAL500", "yeast", "zoo")
    assert found.methods == ("LAMC", "SMILE", "WAN", "mine", "other")
    named = chosen(rows, datasets=("zoo", "CAL500"), methods=("other", "mine"))
    assert (named.datasets, named.methods) == (("zoo", "CAL500"), ("other", "mine"))


def test_runs_drawn_anew_are_told_from_runs_on_the_same_rows():
    rows = {("yeast", "AN"): [0.1, 0.2]}
    assert chosen(measured(rows)).test_to_train is None
    assert chosen(measured(rows, draw="anew")).test_to_train == 1 / 7
    assert chosen(measured(rows, draw="anew", part="training")).test_to_train == 1 / 8


def test_units_of_different_versions_are_told():
    rows = measured({("yeast", "AN"): [0.5], ("yeast", "ME"): [0.7]})
    before = choose(rows, "average_precision", Choice()).remarks
    rows["versions"] = ['{"lamc": "0.1", "torch": "2.6"}', '{"lamc": "0.1", "torch": "2.13"}']
    after = choose(rows, "average_precision", Choice()).remarks
    assert after == (*before, "Units were run with different versions of torch (2.13, 2.6).")
