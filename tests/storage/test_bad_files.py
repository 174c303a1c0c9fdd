"""A file that holds no model, a damaged one, or a trap, is refused with a sentence."""

import json
import pickle
import struct
import tracemalloc
import zipfile
from collections.abc import Iterator
from functools import reduce
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load as unpack_arrays
from safetensors.numpy import save as pack_arrays

from lamc import LAMC, Calibrator
from lamc.exceptions import StorageError
from lamc.storage import load, save
from lamc.storage.archive import unzipped, zipped

rng = np.random.default_rng(0)
Y = rng.random((60, 3)) < 0.5
SCORES = np.clip(0.6 * rng.random(Y.shape) + 0.4 * Y, 0, 1)
CALIBRATOR = Calibrator("three-way", alpha=[0.1, 0.2, 0.3]).fit(
    SCORES, Y, classes=["ash", "elm", "oak"]
)
OPTIONAL = {"negatives.values", "negatives.offsets", "negatives.zeros", "reason"}


@pytest.fixture(scope="module")
def parts(tmp_path_factory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("good") / "good.lamc"
    save(CALIBRATOR, path)
    return unzipped(BytesIO(path.read_bytes()))


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "model.lamc"


def refusal(path: Path, content: bytes | dict[str, bytes], **arguments: Any) -> str:
    path.write_bytes(content if isinstance(content, bytes) else zipped(content))
    with pytest.raises(StorageError, match=rf"{path.name} cannot be loaded: .") as caught:
        load(path, **arguments)
    return str(caught.value)


def with_manifest(parts: dict[str, bytes], manifest: Any) -> dict[str, bytes]:
    text = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
    return parts | {"manifest.json": text}


def with_arrays(parts: dict[str, bytes], arrays: dict[str, np.ndarray]) -> dict[str, bytes]:
    return parts | {"arrays.safetensors": pack_arrays(arrays)}


class Trap:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.path,))


# -- no model at all ------------------------------------------------------------------------------


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(StorageError, match=r"none\.lamc cannot be loaded: No such file"):
        load(tmp_path / "none.lamc")
    with pytest.raises(StorageError, match="it is a folder"):
        load(tmp_path)


@pytest.mark.parametrize("content", [b"oak,elm\n1,0\n", b"P", b"\x89PNG\r\n", b"\x00" * 100])
def test_another_kind_of_file(path, content):
    assert "it is not a file that save() wrote" in refusal(path, content)


def test_an_empty_file(path):
    assert "it is empty" in refusal(path, b"")


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_a_pickle_is_not_unpickled(path, protocol):
    trap = path.with_name("sprung")
    pickled = pickle.dumps(Trap(trap), protocol)
    pickle.loads(pickled)
    assert trap.exists(), "the trap works"
    trap.unlink()
    assert "it is a pickle" in refusal(path, pickled)
    assert not trap.exists()


def test_another_zip(path):
    buffer = BytesIO()
    np.savez(buffer, a=np.arange(3))
    assert "it has no manifest" in refusal(path, buffer.getvalue())


# -- the zip --------------------------------------------------------------------------------------


def test_a_file_cut_anywhere(path, parts):
    whole = zipped(parts)
    for cut in range(4, len(whole), 97):
        assert "cut short or damaged" in refusal(path, whole[:cut])


def test_a_byte_changed_anywhere_is_refused_or_makes_no_difference(path, parts):
    whole = zipped(parts)
    refused = 0
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            loaded = load(path)
        except StorageError:
            refused += 1
        else:
            np.testing.assert_array_equal(loaded.decide(SCORES), CALIBRATOR.decide(SCORES))
    assert refused > 0.8 * len(range(0, len(whole), 7))


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/../../x", "estimator.skops", "notes.txt"])
def test_a_part_that_does_not_belong_is_named_and_written_nowhere(path, parts, name):
    assert repr(name) in refusal(path, parts | {name: b"x"})
    assert [file.name for file in path.parent.iterdir()] == ["model.lamc"]
    assert not (path.parent.parent / "x").exists()


@pytest.mark.parametrize("name", ["manifest.json", "arrays.safetensors"])
def test_a_part_that_is_missing(path, parts, name):
    sentence = refusal(path, {other: data for other, data in parts.items() if other != name})
    assert "it has no manifest" in sentence or name in sentence


def test_a_part_that_is_there_twice(path, parts):
    whole = zipped(parts | {"manifest.jsom": b"x"}).replace(b"manifest.jsom", b"manifest.json")
    assert "the same name" in refusal(path, whole)


def test_a_bomb_is_not_unpacked(path, parts):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b" " * 10_000_000)
        archive.writestr("arrays.safetensors", parts["arrays.safetensors"])
    assert len(buffer.getvalue()) < 50_000
    assert "'manifest.json' is compressed" in refusal(path, buffer.getvalue())


def test_a_part_that_claims_more_than_the_file_holds(path, parts):
    whole = bytearray(zipped(parts))
    entry = whole.index(b"PK\x01\x02")
    whole[entry + 20 : entry + 28] = struct.pack("<II", 2**31, 2**31)
    assert "bytes, but the file has" in refusal(path, bytes(whole))


def test_parts_that_lie_over_each_other(path, parts):
    """Many entries of the directory that point to the same bytes."""
    whole = zipped(parts)
    directory = whole.index(b"PK\x01\x02")
    end = whole.index(b"PK\x05\x06")
    entries = whole[directory:end]
    first_end = whole.index(b"PK\x01\x02", directory + 1)
    copies = entries + b"".join(
        whole[directory:first_end].replace(b"manifest", f"manifes{i}".encode()) for i in range(9)
    )
    tail = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, len(parts) + 9, len(parts) + 9, len(copies), directory, 0
    )
    forged = whole[:directory] + copies + tail
    claimed = sum(map(len, parts.values())) + 9 * len(parts["manifest.json"])
    sentence = refusal(path, forged)
    assert f"its parts claim {claimed} bytes, but the file has {len(forged)}" in sentence


# -- the manifest ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "manifest",
    [b"", b"oak", b"[1, 2]", b'{"format": "oak"}', b"\xff\xfe", b"[" * 100_000, b"9" * 5000],
)
def test_a_manifest_that_is_none(path, parts, manifest):
    assert "save() did not write it" in refusal(path, with_manifest(parts, manifest))


def test_numbers_that_json_does_not_have(path, parts):
    odd = parts["manifest.json"].replace(b'"seed": ', b'"seed": NaN, "other": ')
    assert "no manifest that can be read" in refusal(path, parts | {"manifest.json": odd})


def test_a_newer_format_says_what_to_do(path, parts):
    manifest = json.loads(parts["manifest.json"]) | {"version": 2}
    sentence = refusal(path, with_manifest(parts, manifest) | {"weights.new": b"x"})
    assert "it was written by a newer LAMC, in format 2; this one reads format 1" in sentence
    assert "Install that LAMC or a later one" in sentence


@pytest.mark.parametrize("version", [0, -1, True, "1", None, 1.0])
def test_a_version_that_never_was(path, parts, version):
    manifest = json.loads(parts["manifest.json"]) | {"version": version}
    assert f"gives {version!r} for 'version'" in refusal(path, with_manifest(parts, manifest))


def test_another_kind_of_model(path, parts):
    manifest = json.loads(parts["manifest.json"]) | {"kind": "os.system"}
    assert "it holds a 'os.system'" in refusal(path, with_manifest(parts, manifest))


def test_a_calibrator_needs_no_function(path, parts):
    assert "leave estimator= out" in refusal(path, parts, estimator=np.sin)


def entries(facts: Any, *above: str) -> Iterator[tuple[str, ...]]:
    for name, value in facts.items() if isinstance(facts, dict) else ():
        yield (*above, name)
        yield from entries(value, *above, name)


def changed(manifest: dict[str, Any], entry: tuple[str, ...], *new: Any) -> dict[str, Any]:
    """Copy a manifest without an entry, or with another value for it."""
    copy = json.loads(json.dumps(manifest))
    facts = copy
    for name in entry[:-1]:
        facts = facts[name]
    del facts[entry[-1]]
    if new:
        facts[entry[-1]] = new[0]
    return copy


def test_whatever_a_manifest_lacks_is_missed(path, parts):
    manifest = json.loads(parts["manifest.json"])
    needed = [entry for entry in entries(manifest) if entry[0] != "written_with"]
    assert len(needed) > 20
    for entry in needed:
        refusal(path, with_manifest(parts, changed(manifest, entry)))


NESTED = reduce(lambda inner, _: [inner], range(900), [])


@pytest.mark.parametrize(
    "odd",
    [
        *(None, True, -1, 1.5, 10**30, "oak", [], [[]], {}, {"array": 1}),
        {"array": [0.5, 0.1], "dtype": "float64"},
        pytest.param(NESTED, id="nested"),
    ],
)
def test_whatever_else_a_manifest_says_is_refused_or_understood(path, parts, odd):
    manifest = json.loads(parts["manifest.json"])
    for entry in entries(manifest):
        path.write_bytes(zipped(with_manifest(parts, changed(manifest, entry, odd))))
        try:
            loaded = load(path)
        except StorageError:
            continue
        loaded.decide(SCORES)


@pytest.mark.parametrize(
    ("classes", "dtype"),
    [
        (["ash", "elm", "ash"], "str"),
        (["ash", "elm"], "str"),
        (["ash", "elm", 3], "object"),
        ([[0], [1], [2]], "int64"),
        ([0, 1, 300], "uint8"),
        ([0.5, 1, 2], "int64"),
        ([0, 1, 2], "str"),
        (["ash", "elm", "oak"], "U999999999"),
        ([0, 1, 2], "datetime64"),
        ([], "str"),
    ],
)
def test_classes_that_are_none(path, parts, classes, dtype):
    manifest = json.loads(parts["manifest.json"])
    manifest["model"]["classes"] = {"array": classes, "dtype": dtype}
    refusal(path, with_manifest(parts, manifest))


@pytest.mark.parametrize("dtype", ["str", "object"])
def test_a_name_that_would_make_all_names_long_is_refused(path, parts, dtype):
    """An array gives every name the room of the longest."""
    manifest = json.loads(parts["manifest.json"])
    names = [*map(str, range(1000)), "oak" * 10_000]
    manifest["model"]["classes"] = {"array": names, "dtype": dtype}
    content = with_manifest(parts, manifest)
    assert sum(map(len, content.values())) < 60_000
    sentence = refusal(path, content)
    assert "the longest of 1001 label names has 30000 letters" in sentence
    assert "120 MB in all.\nShorten" in sentence


@pytest.mark.parametrize("odd", [[["oak" * 10_000, *"abc" * 1000]], [10**4000, *range(1000)]])
def test_lists_of_other_things_do_not_become_arrays_of_text(path, parts, odd):
    manifest = json.loads(parts["manifest.json"])
    manifest["model"]["classes"] = {"array": odd, "dtype": "str"}
    path.write_bytes(zipped(with_manifest(parts, manifest)))
    tracemalloc.start()
    try:
        with pytest.raises(StorageError, match="for 'classes'"):
            load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5 * 10**6


def test_parameters_hold_no_text_in_arrays(path, parts):
    manifest = json.loads(parts["manifest.json"])
    names = {"array": ["ash", "elm", "oak"], "dtype": "str"}
    manifest["model"]["parameters"]["alpha"] = [names] * 3
    assert "for 'alpha'" in refusal(path, with_manifest(parts, manifest))


@pytest.mark.parametrize("odd", [None, 1, "yes"])
def test_levels_by_name_are_so_or_not(path, parts, odd):
    manifest = json.loads(parts["manifest.json"])
    manifest["model"]["levels_by_name"] = odd
    assert "for 'levels_by_name'" in refusal(path, with_manifest(parts, manifest))


@pytest.mark.parametrize(
    ("levels", "message"), [([0.1, 0.2], "3 labels, but 2 levels"), (0.1, "expected is list")]
)
def test_levels_by_name_are_as_many_as_the_labels(path, parts, levels, message):
    manifest = json.loads(parts["manifest.json"])
    manifest["model"]["levels_by_name"] = True
    manifest["model"]["parameters"]["alpha"] = levels
    assert message in refusal(path, with_manifest(parts, manifest))


@pytest.fixture(scope="module")
def lamc_parts(tmp_path_factory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("good") / "good.lamc"
    LAMC(scores_of_rows, alpha=0.2).fit(SCORES, Y.argmax(axis=1), X_cal=SCORES, Y_cal=Y).save(path)
    return unzipped(BytesIO(path.read_bytes()))


def scores_of_rows(rows: np.ndarray) -> np.ndarray:
    return rows


@pytest.mark.parametrize("name", ["parameters", "classes", "calibrator"])
def test_what_the_manifest_of_a_classifier_lacks_is_missed(path, lamc_parts, name):
    manifest = changed(json.loads(lamc_parts["manifest.json"]), ("model", name))
    content = with_manifest(lamc_parts, manifest)
    assert f"does not say {name!r}" in refusal(path, content, estimator=scores_of_rows)


def test_a_classifier_and_its_calibrator_have_the_same_labels(path, lamc_parts):
    manifest = json.loads(lamc_parts["manifest.json"])
    manifest["model"]["classes"]["array"] = [0, 1]
    content = with_manifest(lamc_parts, manifest)
    assert "different labels" in refusal(path, content, estimator=scores_of_rows)


@pytest.mark.parametrize("kind", ["LAMC", "Calibrator"])
def test_a_kind_that_does_not_fit_the_parts(path, lamc_parts, kind):
    manifest = json.loads(lamc_parts["manifest.json"]) | {"kind": kind}
    refusal(path, with_manifest(lamc_parts, manifest))


# -- the arrays -----------------------------------------------------------------------------------


@pytest.fixture
def arrays(parts) -> dict[str, np.ndarray]:
    return unpack_arrays(parts["arrays.safetensors"])


@pytest.mark.parametrize("content", [b"", b"oak", b"\xff" * 64, b"\x02" + b"\x00" * 7 + b"{}oak"])
def test_arrays_that_are_none(path, parts, content):
    assert "its arrays cannot be read" in refusal(path, parts | {"arrays.safetensors": content})


def test_every_array_is_needed_but_those_that_some_calibrators_do_without(path, parts, arrays):
    for name in arrays.keys() - OPTIONAL:
        rest = {other: array for other, array in arrays.items() if other != name}
        assert name.split(".")[0] in refusal(path, with_arrays(parts, rest))


def test_a_file_that_does_not_tell_why_a_label_is_open_is_loaded_without_it(path, parts, arrays):
    rest = {name: array for name, array in arrays.items() if name != "reason"}
    rest["status"] = np.array([0, 2, 0], dtype=np.uint8)
    path.write_bytes(zipped(with_arrays(parts, rest)))
    loaded = load(path)
    assert loaded.status_.tolist() == ["calibrated", "uncalibrated", "calibrated"]
    assert loaded.reason_.tolist() == ["", "", ""]
    assert loaded.summary()["promise"][1] == "nothing can be promised: left open"


def test_rows_are_counted_once_and_a_file_that_counts_them_twice_is_loaded(path, parts):
    manifest = json.loads(parts["manifest.json"])
    facts = manifest["model"]
    assert facts["n_rows"] == 60
    assert "evidence_rows" not in facts
    facts["evidence_rows"] = 60
    path.write_bytes(zipped(with_manifest(parts, manifest)))
    assert load(path).n_rows_ == load(path).evidence_.n_rows == 60


@pytest.mark.parametrize(
    ("heaviest", "sentence"),
    [(None, "not that of the heaviest row"), ([2.0], "'heaviest'"), ([np.inf], "'heaviest'")],
)
def test_weights_need_that_of_the_heaviest_row(path, heaviest, sentence):
    rng = np.random.default_rng(0)
    scores, Y = rng.random((40, 2)), rng.random((40, 2)) < 0.5
    cal = Calibrator(alpha=0.4).fit(scores, Y, sample_weight=np.linspace(1, 3, 40))
    cal.save(path)
    np.testing.assert_array_equal(load(path).p_values(scores), cal.p_values(scores))
    parts = unzipped(BytesIO(path.read_bytes()))
    arrays = unpack_arrays(parts["arrays.safetensors"])
    assert arrays.pop("heaviest").tolist() == [3.0]
    if heaviest is not None:
        arrays["heaviest"] = np.array(heaviest)
    assert sentence in refusal(path, with_arrays(parts, arrays))


def test_arrays_of_another_shape_or_type_are_named(path, parts, arrays):
    assert arrays.keys() > OPTIONAL
    for name, array in arrays.items():
        for odd in (
            array[:-1],
            np.append(array, array[-1:]),
            array.reshape(1, -1),
            array.astype(np.complex64),
            array > 0,
            array.astype(np.int32 if array.dtype.kind == "f" else np.float64),
        ):
            sentence = refusal(path, with_arrays(parts, arrays | {name: odd}))
            assert name.split(".")[0] in sentence or "positives" in sentence


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("thresholds", np.nan),
        ("absence_thresholds", np.nan),
        ("status", 3),
        ("reason", 8),
        ("rows", -1),
        ("rows", 60),
        ("positives.values", np.nan),
        ("positives.values", 1.5),
        ("positives.values", 0.999),
        ("positives.offsets", 1),
        ("positives.offsets", -1),
        ("positives.offsets", 2**62),
        ("positives.zeros", -1),
        ("negatives.values", -0.5),
        ("negatives.offsets", 2**62),
        ("n_positives", -1),
    ],
)
def test_numbers_that_no_calibrator_has(path, parts, arrays, name, value):
    odd = arrays[name].copy()
    odd[0] = value
    sentence = refusal(path, with_arrays(parts, arrays | {name: odd}))
    assert f"its array {name!r} holds numbers that no calibrator has" in sentence
