"""Only objects of known types are rebuilt, and what they hold is looked at."""

import json
import os
import sys
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lamc import LAMC
from lamc.exceptions import LAMCWarning, StorageError
from lamc.storage import load
from lamc.storage.archive import unzipped, zipped
from lamc.storage.estimators import is_known

rng = np.random.default_rng(0)
y = rng.integers(0, 3, 200)
X = rng.normal(size=(200, 4)) + y[:, None]
Y = np.eye(3, dtype=int)[y] | np.eye(3, dtype=int)[rng.integers(0, 3, 200)]


class Mine(ClassifierMixin, BaseEstimator):
    """A classifier that no one else knows."""

    def fit(self, X: Any, y: Any) -> "Mine":
        self.classes_ = np.unique(y)
        self.centres_ = np.stack([np.mean(X[y == k], axis=0) for k in self.classes_])
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.exp(-((X[:, None] - self.centres_) ** 2).sum(axis=2))


class Network(Mine):
    """A learner that holds what cannot be written, and says what can."""

    def fit(self, X: Any, y: Any) -> "Network":
        super().fit(X, y)
        self.module_ = lambda rows: Mine.predict_proba(self, rows)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.module_(X)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "module_"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if hasattr(self, "centres_"):
            self.module_ = lambda rows: Mine.predict_proba(self, rows)


MINE = f"{Mine.__module__}.Mine"


def saved(folder: Path, estimator: Any, rows: Any = X) -> tuple[LAMC, Path]:
    model = LAMC(estimator, alpha=0.2, random_state=0)
    model.fit(rows[:100], y[:100], X_cal=rows[100:], Y_cal=Y[100:])
    model.save(folder / "m.lamc")
    return model, folder / "m.lamc"


def dump_of(path: Path) -> dict[str, bytes]:
    return unzipped(BytesIO(unzipped(BytesIO(path.read_bytes()))["estimator.skops"]))


def refusal(path: Path, dump: dict[str, bytes] | bytes, **arguments: Any) -> str:
    parts = unzipped(BytesIO(path.read_bytes()))
    data = dump if isinstance(dump, bytes) else zipped(dump)
    path.write_bytes(zipped(parts | {"estimator.skops": data}))
    with pytest.raises(StorageError, match=r"m\.lamc cannot be loaded: .") as caught:
        load(path, **arguments)
    return str(caught.value)


# -- types ----------------------------------------------------------------------------------------


def test_a_type_that_is_not_known_is_named_and_can_be_trusted(tmp_path):
    model, path = saved(tmp_path, make_pipeline(FunctionTransformer(np.log1p), Mine()), np.abs(X))
    with pytest.raises(StorageError) as caught:
        load(path)
    assert f"it holds {MINE}, which LAMC does not know to be harmless" in str(caught.value)
    assert f"load(path, trusted=['{MINE}'])" in str(caught.value)
    for trusted in ([MINE], MINE, {MINE, "other.Type"}):
        loaded = load(path, trusted=trusted)
        np.testing.assert_array_equal(loaded.decide(np.abs(X)), model.decide(np.abs(X)))
    with pytest.raises(StorageError, match="Mine"):
        load(path, trusted=["sklearn"])


def test_a_learner_that_cannot_be_imported_here_is_not_called_untrusted(monkeypatch):
    """An installation may be broken; to trust the type would not mend it."""

    def broken(module):
        raise ImportError("libtorch_cpu.so: cannot open shared object file")

    monkeypatch.setattr("lamc.storage.estimators.import_module", broken)
    with pytest.raises(StorageError, match=r"WAN, which cannot be imported here \(libtorch_cpu"):
        is_known("lamc.learners.an.WAN")
    monkeypatch.undo()
    assert is_known("lamc.learners.an.WAN")
    assert not is_known("lamc.learners.no_such.WAN")


@pytest.mark.parametrize(
    "loader", ["ConstructorFromReduceNode", "TypeNode", "FunctionNode", "ObjectNode", "LossNode"]
)
def test_a_command_is_not_run(tmp_path, loader):
    _, path = saved(tmp_path, LogisticRegression())
    trap = tmp_path / "sprung"
    dump = dump_of(path)
    schema = json.loads(dump["schema.json"])
    text = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    arguments = {
        "__class__": "tuple",
        "__module__": "builtins",
        "__loader__": "TupleNode",
        "content": [text | {"content": json.dumps(f"touch {trap}")}],
    }
    schema["content"]["fitted"]["content"]["content"]["coef_"] = {
        "__class__": "system",
        "__module__": "os",
        "__loader__": loader,
        "__reduce__": {"args": arguments},
        "content": arguments,
    }
    sentence = refusal(path, dump | {"schema.json": json.dumps(schema).encode()})
    assert "it holds os.system, which LAMC does not know" in sentence
    assert not trap.exists()


def test_trees_of_neighbours_need_trust(tmp_path):
    _, path = saved(tmp_path, KNeighborsClassifier(algorithm="kd_tree"))
    with pytest.raises(StorageError, match=r"sklearn\.neighbors\._kd_tree\.KDTree") as caught:
        load(path)
    named = str(caught.value).split("trusted=")[1].rstrip(").").strip("[]").replace("'", "")
    assert load(path, trusted=named.split(", ")).predict(X).shape == (200, 3)


def test_a_learner_of_this_package_is_known_by_its_class(tmp_path, monkeypatch):
    module = ModuleType("lamc.learners.network_of_a_test")
    module.Network, module.system = Network, os.system
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(Network, "__module__", module.__name__)
    for estimator in (Network(), make_pipeline(StandardScaler(), Network())):
        model, path = saved(tmp_path, estimator)
        assert load(path).predict_p(X).tobytes() == model.predict_p(X).tobytes()
    assert is_known(f"{module.__name__}.Network")
    assert not is_known(f"{module.__name__}.system")
    assert not is_known(f"{module.__name__}.Other")
    assert not is_known("lamc.learners.nowhere_to_be_found.Network")
    assert not is_known("lamc.storage.models.save")


# -- what known types hold ------------------------------------------------------------------------


def changed_arrays(dump: dict[str, bytes], field: str, value: Any) -> dict[str, bytes]:
    """Set a field of the first node in every tree of a dump."""
    changed = {}
    for name, data in dump.items():
        array = np.load(BytesIO(data)) if name.endswith(".npy") else np.empty(0)
        if field in (array.dtype.names or ()):
            array[field][0] = value
            buffer = BytesIO()
            np.save(buffer, array)
            changed[name] = buffer.getvalue()
    assert changed
    return dump | changed


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(), RandomForestClassifier(3)])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("left_child", 10**9),
        ("right_child", 10**9),
        ("left_child", -7),
        ("right_child", -1),
        ("left_child", 0),
        ("feature", 4),
        ("feature", -3),
    ],
)
def test_a_tree_that_points_outside_is_refused(tmp_path, estimator, field, value):
    _, path = saved(tmp_path, estimator)
    sentence = refusal(path, changed_arrays(dump_of(path), field, value))
    assert "whose indices point outside it" in sentence


@pytest.mark.parametrize(
    ("field", "value"),
    [("left", 10**9), ("right", 0), ("feature_idx", 4), ("feature_idx", -1), ("is_categorical", 1)],
)
def test_a_boosted_tree_that_points_outside_is_refused(tmp_path, field, value):
    _, path = saved(tmp_path, HistGradientBoostingClassifier(max_iter=2))
    sentence = refusal(path, changed_arrays(dump_of(path), field, value))
    assert "whose indices point outside it" in sentence


@pytest.mark.parametrize(
    "estimator", [DecisionTreeClassifier(), HistGradientBoostingClassifier(max_iter=2)]
)
def test_a_tree_of_more_features_than_its_owner_checks_is_refused(tmp_path, estimator):
    _, path = saved(tmp_path, estimator)
    schema = json.loads((dump := dump_of(path))["schema.json"])
    fitted = schema["content"]["fitted"]["content"]["content"]
    assert fitted["n_features_in_"]["content"] == "4"
    fitted["n_features_in_"] |= {"content": "1", "__id__": 10**6}
    sentence = refusal(path, dump | {"schema.json": json.dumps(schema).encode()})
    assert "whose indices point outside it" in sentence


@pytest.fixture
def neighbours(tmp_path) -> Path:
    """A model that holds a sparse matrix."""
    return saved(tmp_path, KNeighborsClassifier(), sparse.csr_array(np.abs(X)))[1]


def with_matrix(dump: dict[str, bytes], matrix: bytes) -> dict[str, bytes]:
    (name,) = (name for name in dump if name.endswith(".npz"))
    return dump | {name: matrix}


def packed(**arrays: Any) -> bytes:
    buffer = BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def test_a_sparse_matrix_is_kept(neighbours):
    rows = sparse.csr_array(np.abs(X))
    assert load(neighbours).predict(rows).shape == (200, 3)


def test_a_sparse_matrix_that_points_outside_is_refused(neighbours):
    dump = dump_of(neighbours)
    (matrix,) = (data for name, data in dump.items() if name.endswith(".npz"))
    arrays = dict(np.load(BytesIO(matrix)))
    far = packed(**arrays | {"indices": arrays["indices"] + 10**6})
    assert "point outside" in refusal(neighbours, with_matrix(dump, far))
    entry = {"row": [0], "col": [0], "data": [1.0], "shape": [9, 9], "format": b"coo"}
    assert "point outside" in refusal(neighbours, with_matrix(dump, packed(**entry)))


def test_a_bomb_in_a_sparse_matrix_is_not_unpacked(neighbours):
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        archive.writestr("data.npy", b"\x00" * 10_000_000)
    dump = with_matrix(dump_of(neighbours), buffer.getvalue())
    assert "'data.npy' is compressed" in refusal(neighbours, dump)


def compressed(**arrays: Any) -> bytes:
    """A zip that numpy and scipy read, though it starts as an empty one does."""
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)
    return b"PK\x05\x06" + buffer.getvalue()


def test_a_bomb_in_a_sparse_matrix_cannot_hide_behind_another_start(neighbours):
    dump = dump_of(neighbours)
    (matrix,) = (data for name, data in dump.items() if name.endswith(".npz"))
    arrays = dict(np.load(BytesIO(matrix)))
    hidden = compressed(**arrays)
    assert sparse.load_npz(BytesIO(hidden)).shape == tuple(arrays["shape"]), "the trap works"
    sentence = refusal(neighbours, with_matrix(dump, hidden))
    assert "it is not a file that save() wrote" in sentence


def test_a_bomb_in_place_of_an_array_is_not_unpacked(logistic):
    dump = dump_of(logistic)
    name = next(name for name in dump if name.endswith(".npy"))
    bomb = compressed(data=np.zeros(10**6))
    assert len(np.load(BytesIO(bomb))["data"]) == 10**6, "the trap works"
    sentence = refusal(logistic, dump | {name: bomb})
    assert "it is not a file that save() wrote" in sentence


# -- the dump -------------------------------------------------------------------------------------


@pytest.fixture
def logistic(tmp_path) -> Path:
    return saved(tmp_path, LogisticRegression())[1]


def test_a_dump_that_is_none(logistic):
    dump = dump_of(logistic)
    assert "empty" in refusal(logistic, b"")
    assert "not a file that save() wrote" in refusal(logistic, b"oak")
    assert "cannot be read" in refusal(logistic, {"a": b"x"})
    assert "cannot be read" in refusal(logistic, dump | {"schema.json": b"{"})
    assert "cannot be read" in refusal(logistic, dump | {"schema.json": b"[" * 10**5})
    assert "cannot be read" in refusal(logistic, {"schema.json": dump["schema.json"]})
    nothing = dict.fromkeys(dump, b"") | {"schema.json": dump["schema.json"]}
    assert "cannot be rebuilt" in refusal(logistic, nothing)


def test_a_dump_of_something_else(logistic):
    dump = dump_of(logistic)
    schema = json.loads(dump["schema.json"])
    other = json.dumps(schema | {"content": {}}).encode()
    assert "not complete" in refusal(logistic, dump | {"schema.json": other})
    text = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    bare = json.dumps({"protocol": schema["protocol"], "content": '"oak"', **text}).encode()
    assert "cannot be rebuilt" in refusal(logistic, dump | {"schema.json": bare})


def test_a_part_of_the_dump_is_read_once(logistic):
    """Else a thousand objects could each hold a copy of the same large array."""
    dump = dump_of(logistic)
    schema = json.loads(dump["schema.json"])
    fitted = schema["content"]["fitted"]["content"]["content"]
    for number in (10**6, None):
        fitted["intercept_"] = fitted["coef_"] | {"__id__": number}
        forged = dump | {"schema.json": json.dumps(schema).encode()}
        assert "share a part" in refusal(logistic, forged)


def test_other_versions_are_named_where_an_estimator_cannot_be_rebuilt(logistic):
    parts = unzipped(BytesIO(logistic.read_bytes()))
    manifest = json.loads(parts["manifest.json"])
    manifest["written_with"]["scikit-learn"] = "9.9"
    dump = dump_of(logistic)
    nothing = dict.fromkeys(dump, b"") | {"schema.json": dump["schema.json"]}
    logistic.write_bytes(zipped(parts | {"manifest.json": json.dumps(manifest).encode()}))
    assert "'scikit-learn': '9.9'" in refusal(logistic, nothing)


def test_a_model_of_another_scikit_learn_is_loaded_with_one_warning_that_names_both(logistic):
    parts, dump = unzipped(BytesIO(logistic.read_bytes())), dump_of(logistic)
    installed = json.dumps(f'"{sklearn.__version__}"').encode()
    assert installed in dump["schema.json"]
    dump["schema.json"] = dump["schema.json"].replace(installed, json.dumps('"0.9.1"').encode())
    logistic.write_bytes(zipped(parts | {"estimator.skops": zipped(dump)}))
    told = f"saved with scikit-learn 0.9.1, and {sklearn.__version__} is installed"
    with pytest.warns(LAMCWarning, match=told) as said:
        assert load(logistic).predict(X).shape == (200, 3)
    assert len(said) == 1
