"""Tables as they are written: complete, escaped, well-formed, with the numbers of the table."""

import csv
import re
from io import StringIO
from xml.etree import ElementTree

import pytest

from lamc.benchmark.result_table import table
from lamc.benchmark.selection import Choice
from lamc.benchmark.table_formats import FORMATS, as_csv, as_html, latex, markdown

from .results import accepted, joined, measured

NAN = float("nan")


@pytest.fixture
def tables():
    """A tie, a missing cell, an undefined one, few runs, other data, names that need care."""
    rows = joined(
        measured(
            {
                ("yeast", "LAMC"): [0.7, 0.8, 0.9],
                ("yeast", "my_method & <co> 50%|*"): [0.1, 0.2, 0.3],
                ("yeast", "WAN"): [0.75, 0.75, 0.751],
                ("scene", "LAMC"): [0.5, 0.6, 0.7],
                ("scene", "WAN"): [NAN, NAN, NAN],
                ("my {data}_set #1~^\\$", "WAN"): [0.5, NAN, 0.75],
            }
        ),
        measured({("Image", "WAN"): [0.5] * 3}, exact=False, variant="recomputed_features"),
    )
    return [table(rows, against_paper=True), table(rows)]


def test_markdown_has_a_row_for_every_line_and_as_many_columns(tables):
    rows = [line for line in markdown(tables[1:]).splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}
    assert rows[2].startswith("| scene |")
    assert rows[3].startswith("| yeast |")
    assert "**0.800 ± 0.100**" in rows[3]
    assert "0.750 ± 0.001 †" in rows[3]
    assert "undefined" in rows[2]
    assert "–" in rows[2]
    assert "0.625 ± 0.177 (undefined in 1 of 3 runs)" in rows[5]
    assert r"my\_method & \<co\> 50%\|\*" in rows[0]


def test_the_notes_say_what_is_left_out_and_what_is_other_data(tables):
    text = markdown(tables)
    assert "1 of 4. Left out: scene (runs missing for my\\_method" in text
    assert "; undefined for WAN), Image" in text
    assert "Other data than the paper's: Image (recomputed\\_features)" in text
    assert "– Not measured. Undefined: measured, but the metric has no value." in text
    assert "over 3 runs" in text
    assert "does not say how" in text


def test_the_paper_has_lines_of_its_own_with_the_difference(tables):
    lines = [line for line in markdown(tables[:1]).splitlines() if line.startswith("|")]
    yeast = next(i for i, line in enumerate(lines) if line.startswith("| yeast"))
    assert lines[yeast + 1].startswith("| paper | 0.769 ± 0.017 | 0.754 ± 0.005 | – |")
    assert lines[yeast + 2].startswith("| difference | +0.031 ≈ | −0.004 ≈ | – |")


def test_one_run_has_no_spread():
    text = markdown([table(measured({("yeast", "AN"): [0.5], ("yeast", "WAN"): [0.4]}))])
    assert "| yeast | **0.500** | 0.400 |" in text
    assert "One run; best in bold" in text


def test_one_method_is_not_called_the_best():
    text = markdown([table(measured({("yeast", "AN"): [0.5]}))])
    assert "| yeast | 0.500 |" in text
    assert "bold" not in text
    assert "rank" not in text.replace("rankings", "")


def test_latex_is_balanced_and_escaped(tables):
    text = latex(tables)
    for opened, closed in (("\\begin{table*}", "\\end{table*}"), ("{tabular}{", "\\end{tabular}")):
        assert text.count(opened) == text.count(closed) == 2
    bare = re.sub(r"\\[\\{}$%&#_]", "", text)  # what is escaped does not count
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert all(line.count("$") % 2 == 0 for line in bare.splitlines())
    assert not re.search(r"[%#_]", bare.removeprefix("% usepackage{booktabs}").replace("% ", "", 1))
    assert text.isascii()


def test_every_row_of_latex_has_the_columns_that_it_declares(tables):
    for part in latex(tables).split("\\begin{tabular}")[1:]:
        columns = re.match(r"\{(lr*)\}", part).group(1)
        rows = [line for line in part.splitlines() if line.endswith(" \\\\")]
        assert len(rows) > 5
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(columns)}


def test_csv_has_a_line_for_every_cell_unrounded_and_empty_where_there_is_no_number(tables):
    lines = list(csv.DictReader(StringIO(as_csv(tables))))
    assert len(lines) == 2 * 4 * 3
    cells = {(line["dataset"], line["method"]): line for line in lines[:12]}
    for (dataset, method), line in cells.items():
        cell = tables[0].cells.get((dataset, method))
        if cell is None or not cell.defined:
            assert (line["mean"], line["std"], line["runs"]) == ("", "", "0")
        else:
            assert float(line["mean"]) == cell.mean
    assert float(cells["yeast", "WAN"]["paper_mean"]) == 0.754
    assert cells["Image", "WAN"]["variant"] == "recomputed_features"
    assert float(cells["yeast", "LAMC"]["average_rank"]) == tables[0].average_ranks["LAMC"]


def test_html_is_well_formed_and_its_headings_are_marked(tables):
    text = as_html(tables)
    page = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>"))
    assert page.get("lang") == "en"
    assert page.find("head/title").text
    found = page.findall(".//table")
    assert len(found) == 2
    for each, made in zip(found, tables, strict=True):
        assert each.find("caption").text == "Average precision ↑"
        heads = each.findall("thead/tr/th")
        assert [h.text for h in heads] == ["data set", *made.methods]
        assert {h.get("scope") for h in heads} == {"col"}
        for row in [*each.findall("tbody/tr"), *each.findall("tfoot/tr")]:
            assert row[0].tag == "th"
            assert row[0].get("scope") == "row"
            assert len(row) == 1 + len(made.methods)
    (best,) = found[1].findall("tbody/tr/td/strong")
    assert best.text == "0.800 ± 0.100"


@pytest.mark.parametrize("format_", FORMATS)
def test_metrics_without_a_better_side_have_no_ranks(format_):
    made = table(
        accepted({("yeast", "AN"): [0.5], ("yeast", "X"): [0.1]}, metric="retention"),
        "retention",
        Choice(view="accepted"),
    )
    text = FORMATS[format_]([made])
    assert "average rank" not in text
    assert "bold" not in text
    assert "0.5" in text


def test_runs_that_are_missing_are_told_from_those_without_a_value():
    values = {("yeast", "AN"): [0.5, NAN], ("yeast", "X"): [NAN, NAN, NAN], ("yeast", "Y"): [NAN]}
    text = markdown([table(measured(values))])
    assert (
        "| 0.500 (2 of 3 runs; undefined in 1 of them) | undefined | undefined (1 of 3 runs) |"
        in (text)
    )
    lines = list(csv.DictReader(StringIO(as_csv([table(measured(values))]))))
    assert [(line["runs"], line["undefined"]) for line in lines] == [
        ("1", "1"),
        ("0", "3"),
        ("0", "1"),
    ]


def test_a_data_set_without_a_value_for_any_method_is_said_to_be_so():
    values = {("yeast", m): [NAN, NAN] for m in ("AN", "X")}
    assert "Left out: yeast (undefined for every method)." in markdown([table(measured(values))])


def test_what_has_a_number_in_some_run_is_not_called_undefined():
    values = {("yeast", "AN"): [NAN, 0.5], ("yeast", "ROLE"): [NAN, 0.5], ("scene", "AN"): [1, 1]}
    values[("scene", "ROLE")] = [NAN, NAN]
    text = markdown([table(measured(values))])
    assert "scene (undefined for ROLE), yeast (undefined in some run for every method)" in text


def test_what_was_not_tested_against_the_best_is_named():
    values = {("yeast", "AN"): [0.7, 0.71], ("yeast", "X"): [0.70, 0.70, 0.71]}
    text = markdown([table(measured(values))])
    assert "Not tested against the best" in text
    assert "yeast (X). These may be no worse than the best" in text
    assert "Not tested" not in markdown([table(measured({**values, ("yeast", "AN"): [0.8] * 3}))])


def test_seconds_are_shown_without_a_spread():
    values = {("yeast", "AN"): [1.5] * 5, ("yeast", "X"): [1.7] * 5}
    made = table(measured(values, metric="seconds_fit"), "seconds_fit")
    text = markdown([made])
    assert "| yeast | **1.5** | 1.7 |" in text
    assert "±" not in text
    assert "Mean over 5 runs, which were measured together" in text
    assert {line["std"] for line in csv.DictReader(StringIO(as_csv([made])))} == {""}


def test_agreement_of_one_run_with_the_paper_cannot_be_judged():
    made = table(measured({("yeast", "WAN"): [0.754], ("yeast", "AN"): [0.75]}), against_paper=True)
    text = markdown([made])
    assert "cannot be judged here: that needs two runs or more" in text
    assert "of 2 cells" not in text
    assert {line["agrees"] for line in csv.DictReader(StringIO(as_csv([made])))} == {""}


def test_a_row_of_latex_that_begins_with_a_bracket_is_no_option_of_the_row_before():
    values = {(d, m): [0.1] for d in ("A", "[a] b") for m in ("[m]", "X")}
    text = latex([table(measured(values))])
    assert not re.search(r"(\\\\|rule)\s*\[", text)
    assert "\n{[}a] b & " in text


def left_out_table():
    values = {
        ("yeast", "AN"): [0.5, 0.5],
        ("yeast", "X"): [0.1, 0.1],
        ("scene", "X"): [0.1, 0.1],
        ("CAL500", "AN"): [0.5, 0.5],
        ("CAL500", "X"): [0.1, 0.1],
        ("Image", "X"): [NAN, NAN],
    }
    shares = {
        ("yeast", "AN"): [0.25, 0.5],
        ("yeast", "X"): [0, 0],
        ("scene", "X"): [0.95, 0.95],
        ("CAL500", "AN"): [0.125, 0.125],
        ("CAL500", "X"): [0.5, 0.5],
        ("Image", "X"): [1, 1],
    }
    rows = joined(accepted(values), accepted(shares, metric="left_out"))
    return table(rows, choice=Choice(view="accepted"))


def test_tables_of_accepted_labels_say_how_many_rows_each_method_leaves_out_of_each_data_set():
    text = markdown([left_out_table()])
    assert text.split("\n\n")[2].splitlines() == [
        "| rows left out | AN | X |",
        "| --- | ---: | ---: |",
        "| CAL500 | 12.5 % | 50.0 % |",
        "| scene | – | 95.0 % |",
        "| yeast | 37.5 % | 0.0 % |",
        "| Image | – | 100.0 % |",
        "| mean, where ranked | 25.0 % | 25.0 % |",
    ]
    assert "a method which leaves out more has it easier" in text
    lines = list(csv.DictReader(StringIO(as_csv([left_out_table()]))))
    found = [line["left_out"] for line in lines]
    assert found == ["0.125", "0.5", "", "0.95", "0.375", "0.0", "", "1.0"]


def test_the_rows_left_out_are_in_latex_and_html_too():
    text = latex([left_out_table()])
    assert "rows left out & AN & X \\\\" in text
    assert "scene & -- & 95.0 \\% \\\\" in text
    page = ElementTree.fromstring(as_html([left_out_table()]).removeprefix("<!DOCTYPE html>"))
    _, shares = page.findall(".//table")
    assert shares.find("caption").text == "Average precision ↑: rows left out"
    assert [cell.text for cell in shares.findall("tbody/tr")[1]] == ["scene", "–", "95.0 %"]


def test_full_rankings_leave_no_rows_out():
    values = {("yeast", "AN"): [0.5, 0.5], ("yeast", "X"): [0.1, 0.1]}
    assert "left out" not in markdown([table(measured(values))])
