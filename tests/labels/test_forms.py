"""Every form of labels that users have is read as they mean it, or refused with the way out."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from lamc import as_labels
from lamc.exceptions import LabelError
from lamc.labels import Knowledge, Labels
from lamc.labels.forms import are_columns, are_in_order

MATRIX = np.array([[1, 0, 1], [0, 1, 0], [0, 1, 1]])


def dense(labels: Labels) -> np.ndarray:
    return labels.positives.toarray().astype(int)


def assert_same(found: Labels, wanted: Labels) -> None:
    assert found.classes.tolist() == wanted.classes.tolist()
    assert found.knowledge is wanted.knowledge
    np.testing.assert_array_equal(dense(found), dense(wanted))


# -- one positive a row --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        ["oak", "elm", "oak"],
        ("oak", "elm", "oak"),
        np.array(["oak", "elm", "oak"]),
        np.array(["oak", "elm", "oak"], dtype=object),
        pd.Series(["oak", "elm", "oak"]),
        pd.Series(["oak", "elm", "oak"], dtype=object),
        pd.Series(["oak", "elm", "oak"], dtype="category"),
        pd.Categorical(["oak", "elm", "oak"]),
    ],
    ids=lambda y: type(y).__name__,
)
def test_vectors_of_names_are_single_positives(y):
    labels = as_labels(y)
    assert labels.knowledge is Knowledge.SINGLE
    assert labels.classes.tolist() == ["elm", "oak"]
    assert labels.index().tolist() == [1, 0, 1]
    assert labels.names() == [["oak"], ["elm"], ["oak"]]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, np.float32, object, "Int64"])
def test_vectors_of_integers_are_single_positives(dtype):
    values = pd.array([7, 3, 7], dtype=dtype) if dtype == "Int64" else np.array([7, 3, 7], dtype)
    labels = as_labels(values)
    assert labels.classes.tolist() == [3, 7]
    assert labels.index().tolist() == [1, 0, 1]


def test_a_categorical_series_knows_labels_it_does_not_hold():
    y = pd.Series(pd.Categorical(["oak", "elm"], categories=["oak", "ash", "elm"]))
    labels = as_labels(y)
    assert labels.classes.tolist() == ["oak", "ash", "elm"]
    assert labels.counts.tolist() == [1, 0, 1]


def test_classes_fix_the_order_and_may_hold_labels_never_seen():
    labels = as_labels(["oak", "elm"], classes=["oak", "ash", "elm"])
    assert labels.index().tolist() == [0, 2]
    assert labels.shape == (2, 3)


def test_integers_are_positions_among_named_classes():
    assert as_labels([2, 0], classes=["oak", "ash", "elm"]).names() == [["elm"], ["oak"]]


def test_integers_are_names_among_integer_classes():
    assert as_labels([2, 0], classes=[0, 2, 1]).index().tolist() == [1, 0]


# -- all labels ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "Y",
    [
        MATRIX,
        MATRIX.astype(bool),
        MATRIX.astype(np.float32),
        MATRIX.astype(np.float16),
        MATRIX.tolist(),
        sparse.csr_matrix(MATRIX),
        sparse.csc_array(MATRIX.astype(float)),
        sparse.coo_array(MATRIX),
        pd.DataFrame(MATRIX),
        pd.DataFrame(MATRIX.astype(bool)),
        pd.DataFrame(MATRIX).astype("Int64"),
        pd.DataFrame(MATRIX).astype("boolean"),
        [[0, 2], [1], [1, 2]],
        [{0, 2}, {1}, {1, 2}],
        [(0, 2), (1,), (1, 2)],
        pd.Series([[0, 2], [1], [1, 2]]),
        np.array([{0, 2}, {1}, {1, 2}], dtype=object),
    ],
    ids=lambda Y: type(Y).__name__,
)
def test_matrices_and_lists_are_all_labels(Y):
    labels = as_labels(Y)
    assert labels.knowledge is Knowledge.ALL
    assert labels.classes.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(dense(labels), MATRIX)


def test_a_frame_names_the_labels_and_is_matched_by_name():
    Y = pd.DataFrame(MATRIX, columns=["oak", "ash", "elm"])
    assert as_labels(Y).classes.tolist() == ["oak", "ash", "elm"]
    turned = as_labels(Y, classes=["elm", "oak", "ash"])
    np.testing.assert_array_equal(dense(turned), MATRIX[:, [2, 0, 1]])


def test_rows_may_be_without_labels():
    labels = as_labels([["oak", "elm"], []])
    assert labels.names() == [["elm", "oak"], []]
    assert as_labels([[], []], classes=["oak"]).counts.tolist() == [0]


def test_a_label_named_twice_in_a_row_counts_once():
    assert as_labels([["oak", "oak", "elm"], ["elm"]]).counts.tolist() == [2, 1]


def test_explicit_zeros_of_a_sparse_matrix_are_not_labels():
    Y = sparse.csr_array(([1, 0, 1], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    assert as_labels(Y, knowledge="all").positives.nnz == 2


@given(hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=8)))
def test_all_forms_of_a_matrix_agree(Y):
    expected = as_labels(Y, knowledge="all")
    names = [f"label {k}" for k in range(Y.shape[1])]
    rows = [{names[k] for k in np.flatnonzero(row)} for row in Y]
    for form in (
        Y.astype(int),
        sparse.csc_array(Y),
        pd.DataFrame(Y, columns=names),
        np.where(Y, 1, 0).astype(np.float32),
        rows,
        [sorted(row) for row in rows],
        expected,
    ):
        classes = None if form is expected else names
        read = as_labels(form, classes=classes, knowledge="all")
        np.testing.assert_array_equal(dense(read), Y)
        assert read.positives.has_canonical_format


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30))
@pytest.mark.filterwarnings("ignore:y holds −1:lamc.exceptions.LAMCWarning")
def test_a_vector_and_its_one_hot_matrix_agree(y):
    vector = as_labels(y)
    matrix = as_labels(dense(vector), knowledge="single", classes=vector.classes)
    np.testing.assert_array_equal(vector.index(), matrix.index())
    np.testing.assert_array_equal(np.asarray(vector), y)


# -- what is open must be said -------------------------------------------------------------------


def test_one_label_in_every_row_could_be_two_things():
    one_hot = np.eye(3)
    for Y in (one_hot, sparse.csr_array(one_hot), [{"a"}, {"b"}]):
        with pytest.raises(LabelError, match="all its labels or the one that was observed"):
            as_labels(Y)
    assert as_labels(one_hot, knowledge="all").knowledge is Knowledge.ALL
    assert as_labels(one_hot, knowledge="single").knowledge is Knowledge.SINGLE


def test_lists_of_zeros_and_ones_could_be_two_things():
    with pytest.raises(LabelError, match=r"rows of a 0/1 matrix, or lists of labels named 0 and 1"):
        as_labels([[0, 1], [1, 0]])
    matrix = as_labels(np.array([[0, 1], [1, 0]]), knowledge="all")
    lists = as_labels([{0, 1}, {1, 0}])
    assert (matrix.positives.nnz, lists.positives.nnz) == (2, 4)


def test_true_and_false_could_be_two_things():
    with pytest.raises(LabelError, match="two labels of these names, or the column of one label"):
        as_labels([True, False])


def test_minus_one_needs_a_meaning():
    message = r"−1 \(first at row 1, column 0\).*\nPass as_labels\(Y, meaning=\{.*\}\) or as_labels"
    with pytest.raises(LabelError, match=message):
        as_labels(np.array([[1, 0], [-1, 1]]))
    with pytest.raises(LabelError, match=r"nan at row 0.*\n.* pass as_labels\(Y, meaning="):
        as_labels(np.array([[np.nan, 1]]))
    with pytest.raises(LabelError, match="does not tell 0 from −1"):
        as_labels(np.array([[1, 0], [-1, 1]]), meaning={0: "negative"})


def test_both_meanings_of_minus_one():
    Y = np.array([[1, 0, -1], [0, 1, -1]])
    observed = as_labels(Y, meaning={0: "unknown", -1: "negative"})
    assert observed.knowledge is Knowledge.SOME
    np.testing.assert_array_equal(observed.negatives.toarray(), Y == -1)
    absent = as_labels(Y, meaning={0: "negative", -1: "unknown"})
    assert absent.knowledge is Knowledge.SOME
    np.testing.assert_array_equal(absent.negatives.toarray(), Y == 0)
    np.testing.assert_array_equal(dense(observed), dense(absent))


def test_a_meaning_that_leaves_nothing_open_is_everything():
    signs = np.array([[1, -1], [-1, 1], [1, 1]])
    assert as_labels(signs, meaning={0: "unknown", -1: "negative"}).knowledge is Knowledge.ALL
    assert as_labels(MATRIX, meaning={0: "negative", -1: "unknown"}).knowledge is Knowledge.ALL


def test_a_vector_never_tells_all_labels():
    with pytest.raises(LabelError, match="only one positive is known"):
        as_labels(["oak", "elm"], knowledge="all")
    with pytest.raises(LabelError, match="only one positive is known"):
        as_labels(as_labels(["oak", "elm"]), knowledge="all")


# -- what cannot be read -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "y is None"),
        ([], "y is empty"),
        (np.empty((0, 3)), "y is empty"),
        (np.empty((3, 0)), "no columns"),
        (np.ones((2, 2, 2)), "3 dimensions"),
        (np.array(5), "0 dimensions"),
        (["oak", None], "no label in row 1"),
        (["oak", ""], "no label in row 1"),
        ([1.0, 2.0, np.nan], "no label in row 2"),
        (pd.Series(["oak", pd.NA], dtype="string"), "no label in row 1"),
        ([1.5, 2.0], r"continuous. y holds 1.5 in row 0"),
        ([1.0, np.inf], "y holds inf in row 1"),
        (np.array([1, "oak"], dtype=object), "int and str"),
        ([["oak"], ["elm", None]], "no label in row 1"),
        ([[], []], "No row of y holds a label"),
        (np.array([[0, 2], [1, 0]]), "2 at row 0, column 1"),
        (np.array([[0, 1], [0.3, 0]]), r"0.3 at row 1, column 0 .*\n.*Scores"),
        (np.array([[0, 1], [np.nan, 0]]), "nan at row 1, column 0"),
        (sparse.csr_array(np.array([[0, 1], [3, 0]])), "3 at row 1, column 0"),
        (np.array([["oak", "elm"]]), "matrix of <U3 values"),
        (pd.DataFrame({"oak": [1, 0], "elm": ["yes", "no"]}), "Column 'elm'"),
        (pd.DataFrame({"oak": [1, 0], "elm": [1, None]}), r"nan at row 1, column 1 \(label 'elm'"),
        (pd.DataFrame(MATRIX, columns=["a", "b", "a"]), "'a' is named twice"),
    ],
)
def test_bad_input_is_refused_with_its_place(y, message):
    with pytest.raises(LabelError, match=message):
        as_labels(y)


@pytest.mark.parametrize(
    ("y", "classes", "message"),
    [
        (["oak", "elk"], ["ash", "elm", "oak"], r"Row 1 of y holds 'elk'.*\n.*mean 'elm'"),
        ([["oak"], ["oak", "fir"]], ["oak", "elm"], "Row 1 of y holds 'fir'"),
        ([0, 3], ["ash", "elm", "oak"], "Row 1 of y holds 3"),
        (["oak"], [1, 2], "Row 0 of y holds 'oak'"),
        ([1, 4], [1, 2], "Row 1 of y holds 4"),
        (MATRIX, ["oak", "elm"], "3 columns, but there are 2 labels"),
        (["oak"], ["oak", "oak"], "'oak' is named twice"),
        (["oak"], [], "at least one label"),
        (["oak"], ["oak", None], "no label in entry 1"),
        (pd.DataFrame(MATRIX, columns=list("abc")), list("abcd"), "no column for 'd'"),
    ],
)
def test_labels_outside_the_classes_are_refused(y, classes, message):
    with pytest.raises(LabelError, match=message):
        as_labels(y, classes=classes)


@pytest.mark.parametrize(
    "y",
    [
        ["oak", "elm\0"],
        [["oak"], ["oak", "elm\0"]],
        pd.Series(["oak", "elm\0"]),
        pd.Series(["oak", "elm\0"], dtype="category"),
        pd.DataFrame({"oak": [1, 1], "elm\0": [0, 1]}),
    ],
    ids=["vector", "lists", "series", "categories", "frame"],
)
def test_a_name_that_numpy_would_cut_short_is_refused(y):
    with pytest.raises(LabelError, match=r"'elm\\x00' in (row|entry) 1; .*\n.*rstrip"):
        as_labels(y, knowledge="some")
    with pytest.raises(LabelError, match=r"'elm\\x00' in entry 1"):
        as_labels(np.array([[1, 0], [1, 1]]), classes=["oak", "elm\0"])


def test_a_list_of_names_is_not_made_text_of_what_is_none():
    with pytest.raises(LabelError, match=r"no label in row 1 \(the value is nan\)"):
        as_labels(["oak", float("nan")])
    with pytest.raises(LabelError, match="values of type int and str"):
        as_labels(["oak", 1])
    assert as_labels([np.str_("oak"), "elm"]).names() == [["oak"], ["elm"]]


@pytest.mark.parametrize("y", [[b"oak", b"elm"], np.array([b"oak", b"elm"], dtype=object)])
def test_bytes_are_no_lists_of_numbers(y):
    with pytest.raises(LabelError, match="values of type bytes"):
        as_labels(y)


def test_large_numbers_stay_apart():
    large = 2**53
    assert as_labels([[large, large + 1], [large + 1]]).names() == [[large, large + 1], [large + 1]]
    with pytest.raises(LabelError, match="too large for a number of 64 bits"):
        as_labels([[2**70, 1], [1]])


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint16, np.float32])
def test_numbers_of_any_width_name_labels(dtype):
    rows = [np.array([3, 1], dtype=dtype), np.array([1], dtype=dtype)]
    assert as_labels(rows).names() == [[1, 3], [1]]


@pytest.mark.parametrize(
    ("y", "row"), [([["oak"], None, ["elm"]], 1), (["oak", ["elm", "ash"]], 0)]
)
def test_a_row_that_is_no_list_among_lists_is_named(y, row):
    with pytest.raises(LabelError, match=f"Row {row} of y holds .*, and others hold lists"):
        as_labels(y)


def test_labels_can_be_said_to_tell_less():
    known = as_labels([["oak"], ["elm", "oak"]])
    assert as_labels(known).knowledge is Knowledge.ALL
    some = as_labels(known, classes=["ash", "elm", "oak"], knowledge="some")
    assert some.knowledge is Knowledge.SOME
    assert some.names() == [["oak"], ["elm", "oak"]]
    with pytest.raises(LabelError, match="more than one positive"):
        as_labels(known, knowledge="single")


@pytest.mark.parametrize(
    ("y", "columns", "in_order"),
    [
        (np.eye(2), True, True),
        (sparse.csr_array(np.eye(2)), True, True),
        ([[1, 1], [0, 1]], True, True),
        (["oak", "elm"], False, False),
        ([["oak"], ["elm"]], False, False),
        (pd.DataFrame({"oak": [1], "elm": [1]}), False, True),
        (pd.Series(["oak", "elm"], dtype="category"), False, True),
        (as_labels(["oak", "elm"]), False, True),
    ],
)
def test_what_is_known_of_the_order_of_labels(y, columns, in_order):
    assert are_columns(y) is columns
    assert are_in_order(y) is in_order


@pytest.mark.parametrize("kind", ["datetime64[ns]", "datetime64[D]", "timedelta64[s]"])
def test_dates_are_no_labels(kind):
    with pytest.raises(LabelError, match=r"holds dates or times.*\nPass them as text"):
        as_labels(np.array([1, 2, 2], dtype=kind))


def test_lists_within_lists_of_labels_are_refused():
    with pytest.raises(LabelError, match=r"Row 0 of y is \[\[1, 0\]\], which holds lists itself"):
        as_labels([[[1, 0]], [[0, 1]]])


def test_what_is_known_is_not_said_twice():
    Y = np.array([[1, 0, -1], [1, 1, 0]])
    known = {0: "negative", -1: "unknown"}
    for stated in ("single", "all"):
        with pytest.raises(LabelError, match=rf"knowledge={stated} says otherwise"):
            as_labels(Y, meaning=known, knowledge=stated)
    assert as_labels(Y, meaning=known, knowledge="some").knowledge is Knowledge.SOME
    full = as_labels(abs(Y), meaning=known, knowledge="some")
    assert full.knowledge is Knowledge.SOME


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        ([{"oak": 1, "elm": 0}, {"oak": 0, "elm": 1}], "Row 0 of y is a dict"),
        (np.hstack([sparse.eye_array(3)] * 2), r"sparse matrix of shape \(3, 3\).*\n.*hstack"),
        ([["oak"], iter(["elm"])], "Row 1 of y is a list_iterator"),
    ],
)
def test_rows_that_are_no_collections_of_labels_are_refused(y, kind):
    """The keys of a dict are there whether their values are 0 or 1."""
    with pytest.raises(LabelError, match=kind):
        as_labels(y, knowledge="all")


def test_masked_values_are_not_read_like_the_others():
    Y = np.ma.array([[1, 0], [1, 1]], mask=[[0, 0], [1, 0]])
    with pytest.raises(LabelError, match=r"1 values of a masked array(?s:.*)filled\(-1\)"):
        as_labels(Y)
    filled = as_labels(Y.astype(int).filled(-1), meaning={0: "negative", -1: "unknown"})
    assert filled.knowledge is Knowledge.SOME
    assert filled.positives.toarray().tolist() == [[True, False], [False, True]]
    assert as_labels(np.ma.array([1, 2])).names() == [[1], [2]]
    with pytest.raises(LabelError, match="masked array"):
        as_labels(np.ma.array([1, 2, 3], mask=[0, 1, 0]))


@pytest.mark.parametrize("form", [list, np.array, sparse.csr_array, pd.DataFrame])
def test_a_gap_among_single_positives_does_not_make_them_all_labels(form):
    rows = [["oak"], ["elm"], [], ["oak"]]
    marks = np.array([[0, 1], [1, 0], [0, 0], [0, 1]])
    given = rows if form is list else form(marks)
    with pytest.raises(LabelError, match=r"No row of Y .*, and 3 of 4 have one, which could be"):
        as_labels(given)
    assert as_labels(given, knowledge="all").knowledge is Knowledge.ALL
    few = [["oak"], [], [], ["elm"]] if form is list else form(marks * [[1], [0], [1], [1]])
    assert as_labels(few).knowledge is Knowledge.ALL  # most have none: no one would observe so


def test_tensors_of_any_kind_and_tables_of_other_libraries_are_read():
    marks = [[1, 0], [1, 1], [0, 1]]
    assert_same(as_labels(torch.tensor(marks, dtype=torch.bfloat16)), as_labels(np.array(marks)))
    table = pa.table({"oak": [1, 1, 0], "elm": [0, 1, 1]})
    assert_same(as_labels(table), as_labels(table.to_pandas()))
    assert_same(as_labels(table, classes=["elm", "oak"]), as_labels(table.select(["elm", "oak"])))


@pytest.mark.parametrize(
    ("y", "told", "message"),
    [
        (np.eye(2), {"knowledge": "full"}, "knowledge='full' is none of 'single', 'some', 'all'"),
        (sparse.coo_array(np.array([0, 1, 1])), {}, "sparse array of 1 dimension;"),
    ],
)
def test_odd_calls_are_told_in_plain_words(y, told, message):
    with pytest.raises(LabelError, match=message):
        as_labels(y, **told)
