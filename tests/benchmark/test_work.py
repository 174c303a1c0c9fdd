"""A unit of work: who sees which rows, and what comes out."""

import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from lamc.benchmark.errors import BenchmarkError
from lamc.benchmark.fit import fit_and_score
from lamc.benchmark.protocol import task_of
from lamc.benchmark.sources import Source, checksum, facts_of
from lamc.benchmark.unit import Unit
from lamc.benchmark.views import PAPER_VIEW
from lamc.benchmark.work import work
from lamc.datasets import Split, digit_scenes, observe, split, write_npz
from lamc.labels import Knowledge
from lamc.learners import MLML, WAN
from lamc.learners.checkpoint import Checkpoint
from lamc.metrics import average_precision

from .small import numbered_rows, small_data

RECORDER = """
import numpy as np
from sklearn.naive_bayes import GaussianNB

fitted, scored = [], []


class Recorder(GaussianNB):
    def fit(self, X, y):
        fitted.append((X[:, 0].astype(int), np.asarray(y)))
        return super().fit(X, y)

    def predict_proba(self, X):
        scored.append(X[:, 0].astype(int))
        return super().predict_proba(X)
"""


@pytest.fixture
def recorder(tmp_path, monkeypatch):
    (tmp_path / "recording.py").write_text(RECORDER)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "recording", raising=False)
    import recording

    return recording


def unit_of(data, folder, **changes):
    write_npz(data, folder / f"{data.name}.npz")
    source = Source(str(folder / f"{data.name}.npz"))
    given = {"method": "MLML", "part": "train", "seeds": (0, 1), "draw": "given"} | changes
    return Unit(source, facts_of(source), **given)


class TestRowsSeen:
    @pytest.mark.parametrize("draw", ["given", "anew"])
    @pytest.mark.parametrize("part", ["training", "train"])
    def test_no_scorer_meets_a_label_it_must_not_know(self, tmp_path, recorder, draw, part):
        data = numbered_rows()
        unit = unit_of(data, tmp_path, method="recording:Recorder", part=part, draw=draw)
        work(unit)
        Y = data.Y.toarray()
        draws = [0, 0] if draw == "given" else [0, 1]  # of the two runs
        assert len(recorder.fitted) == len(draws)
        for seed, (rows, labels) in zip(draws, recorder.fitted, strict=True):
            parts = split(data.Y, random_state=seed)
            expected = parts.training if part == "training" else parts.train
            assert sorted(rows) == sorted(expected)
            assert not set(rows) & set(parts.validation)
            assert not set(rows) & set(parts.test)
            index = np.searchsorted(data.label_names, labels)
            assert labels.ndim == 1  # one label a row, and a true one
            assert Y[rows, index].all()
        if draw == "given":
            seen = set(np.concatenate(recorder.scored))
            held_out = {*parts.validation, *parts.test}
            assert seen == (held_out | set(parts.calibration) if part == "train" else held_out)

    def test_thresholds_come_from_rows_that_were_not_learnt_from(self):
        data = numbered_rows()
        task = task_of(data, "given", 0, "train")
        learnt, kept = (set(rows.X[:, 0].astype(int)) for rows in (task.learn, task.calibration))
        assert learnt.isdisjoint(kept)
        assert min(len(learnt), len(kept)) > 0
        learnt_from = task_of(data, "given", 0, "training")
        assert learnt_from.calibration is None
        with pytest.raises(BenchmarkError, match="no threshold can be set on them"):
            PAPER_VIEW.calibrators(learnt_from, np.zeros((10, 6)))

    def test_a_unit_that_learnt_from_calibration_rows_has_no_accepted_view(self, tmp_path):
        unit = unit_of(small_data("small"), tmp_path, part="training")
        result = work(unit)
        assert {row.view for row in result.measurements} == {"full"}
        assert {point.curve for point in result.points} == {"risk-coverage"}

    def test_missing_numbers_become_medians_of_the_rows_learnt_from(self, tmp_path):
        data = numbered_rows()
        X = np.hstack([data.X, data.X[:, :1]])
        X[::3, -1] = np.nan
        task = task_of(replace(data, X=X), "given", 0, "train")
        learnt = task.learn.X[:, 0]
        median = np.median(learnt[learnt % 3 > 0])
        for rows in (task.learn, task.validation, task.calibration, task.test):
            number, filled = rows.X[:, 0], rows.X[:, -1]
            np.testing.assert_array_equal(filled, np.where(number % 3 > 0, number, median))

    @pytest.mark.parametrize("draw", ["given", "anew"])
    def test_validation_rows_can_show_one_label_only(self, draw):
        data = numbered_rows()
        full = task_of(data, draw, 1, "train")
        task = task_of(data, draw, 1, "train", "single positives")
        shown, known = task.validation.labels, full.validation.labels
        np.testing.assert_array_equal(task.validation.X, full.validation.X)
        assert shown.knowledge is Knowledge.SINGLE
        assert shown.positives.nnz == len(shown) < known.positives.nnz
        assert shown.positives.multiply(known.positives).nnz == len(shown)  # and a true one
        assert (task.test.labels.positives != full.test.labels.positives).nnz == 0

    @pytest.mark.parametrize("method", ["WAN", "MLML", "Blend"])
    def test_no_method_is_chosen_by_labels_that_validation_rows_do_not_show(self, method):
        task = task_of(small_data("small", n=120), "given", 0, "train", "single positives")
        settings = {"WAN": {"hidden": 8, "epochs": 2}, "Blend": {"effort": "fast"}}.get(method, {})
        (scored,) = fit_and_score(method, "small", settings, task, [3])
        assert "validation_average_precision" not in scored.chosen
        named = {"WAN": "validation_observed_log_likelihood"}
        expected = named.get(method, "validation_observed_average_precision")
        assert np.isfinite(scored.chosen[expected])


class TestDraws:
    def test_given_ones_are_the_files_whatever_the_seed(self):
        data = numbered_rows()
        parts = Split.from_parts(range(80), range(80, 100), range(100, 120), random_state=3)
        observed = observe(data.Y, random_state=5).positives
        data = replace(data, split=parts, observed=observed)
        for seed in (0, 9):
            task = task_of(data, "given", seed, "train")
            rows = task.learn.X[:, 0].astype(int)
            assert rows.tolist() == parts.train.tolist()
            assert (task.learn.labels.positives != observed[rows]).nnz == 0
            assert (task.observed.positives != observed[parts.calibration]).nnz == 0

    def test_a_row_shows_the_same_label_in_both_parts(self):
        data = numbered_rows()
        for draw in ("given", "anew"):
            with_all = task_of(data, draw, 1, "training")
            without = task_of(data, draw, 1, "train")
            n = len(without.learn.labels)
            both = np.concatenate([without.learn.labels.index(), without.observed.index()])
            assert with_all.learn.labels.index()[:n].tolist() == both[:n].tolist()
            assert with_all.learn.labels.index().tolist() == both.tolist()

    def test_anew_each_seed_has_its_own(self):
        data = numbered_rows()
        rows = [task_of(data, "anew", seed, "train").learn.X[:, 0].tolist() for seed in (0, 1, 0)]
        assert rows[0] == rows[2] != rows[1]

    def test_digit_scenes_are_made_anew_so_that_their_parts_share_no_picture(self):
        task = task_of(digit_scenes(60), "anew", 4, "train", scenes=True)
        made = digit_scenes(60, random_state=4)
        np.testing.assert_array_equal(task.learn.X, made.X[made.split.train])

    def test_a_file_of_that_name_holds_data_like_any_other(self, tmp_path, recorder):
        assert facts_of(Source("digit scenes")).scenes
        data = replace(numbered_rows(), name="digit scenes")
        unit = unit_of(data, tmp_path, method="recording:Recorder", draw="anew", seeds=(1,))
        assert not unit.facts.scenes
        work(unit)
        ((rows, _),) = recorder.fitted
        assert sorted(rows) == sorted(split(data.Y, random_state=1).train)

    @pytest.mark.parametrize("draw", ["given", "anew"])
    def test_copies_of_a_users_row_are_in_one_part(self, recorder, tmp_path, draw):
        data = numbered_rows()
        twice = replace(data, X=np.repeat(data.X[:60], 2, axis=0), Y=data.Y[np.arange(120) // 2])
        unit = unit_of(twice, tmp_path, method="recording:Recorder", draw=draw, seeds=(1,))
        assert unit.facts.copies
        work(unit)
        ((learnt, _),) = recorder.fitted
        others = np.concatenate(recorder.scored)
        assert not set(learnt) & set(others)
        assert len(learnt) == 84

    def test_rows_that_many_things_have_alike_are_no_copies(self, tmp_path):
        data = numbered_rows()
        X, Y = data.X.copy(), np.asarray(data.Y.toarray())
        X[:40], Y[:40] = 0, np.eye(Y.shape[1], dtype=Y.dtype)[np.arange(40) % 3]
        assert not unit_of(replace(data, X=X, Y=sparse.csr_array(Y)), tmp_path).facts.copies

    def test_a_file_of_labels_that_was_changed_is_read_again(self, tmp_path):
        (tmp_path / "a.arff").write_text(
            "@relation a\n@attribute x numeric\n@attribute k1 {0,1}\n@attribute k2 {0,1}\n@data\n"
            "1,1,0\n2,0,1\n"
        )
        source = Source(str(tmp_path / "a.arff"))
        for names in (["k1", "k2"], ["k2"]):
            marks = "".join(f'<label name="{name}"/>' for name in names)
            text = f'<labels xmlns="http://mulan.sourceforge.net/labels">{marks}</labels>'
            (tmp_path / "a.xml").write_text(text)
            assert facts_of(source).labels == len(names)

    def test_a_file_that_was_changed_is_read_again(self, tmp_path):
        unit = unit_of(numbered_rows(), tmp_path)
        write_npz(numbered_rows(seed=1), tmp_path / "numbered.npz")
        assert facts_of(unit.source).checksum != unit.facts.checksum


class TestFit:
    def test_neural_runs_are_those_of_single_fits(self):
        task = task_of(small_data("small", n=120), "given", 0, "train")
        settings = {"hidden": 8, "epochs": 2, "learning_rate": (1e-3, 1e-2)}
        runs = fit_and_score("WAN", "small", settings, task, [3, 5])
        for seed, scored in zip([3, 5], runs, strict=True):
            learner = WAN(**settings, random_state=seed).fit(
                task.learn.X, task.learn.labels, task.validation.X, task.validation.labels
            )
            np.testing.assert_allclose(scored.test, learner.predict_proba(task.test.X), atol=1e-5)
            assert scored.chosen["epoch"] == learner.selection_[0]["epoch"]
            value = average_precision(
                task.validation.labels, learner.predict_proba(task.validation.X)
            )
            assert scored.chosen["validation_average_precision"] == pytest.approx(value, abs=1e-6)

    def test_a_grid_is_searched_on_the_validation_rows(self):
        task = task_of(small_data("small", n=200), "given", 0, "train")
        values = {}
        for rows in (0.1, 1.0, 10.0):
            for labels in (0.0, 0.1, 1.0):
                learner = MLML(n_neighbors=5, row_smoothness=rows, label_smoothness=labels)
                learner.fit(task.learn.X, task.learn.labels)
                scores = learner.predict_proba(task.validation.X)
                values[rows, labels] = average_precision(task.validation.labels, scores)
        (scored,) = fit_and_score("MLML", "small", {"n_neighbors": 5}, task, [0])
        point = scored.chosen["row_smoothness"], scored.chosen["label_smoothness"]
        assert values[point] == max(values.values())
        assert scored.chosen["validation_average_precision"] == max(values.values())

    def test_a_method_without_randomness_is_fitted_once(self, monkeypatch):
        task, fitted, fit = task_of(numbered_rows(), "given", 0, "train"), [], MLML.fit

        def counted(learner, *given):
            fitted.append(learner)
            return fit(learner, *given)

        monkeypatch.setattr(MLML, "fit", counted)
        settings = {"n_neighbors": 5, "row_smoothness": 1.0, "label_smoothness": 0.1}
        runs = fit_and_score("MLML", "small", settings, task, [0, 1, 2])
        assert len(fitted) == 1
        assert len(runs) == 3

    def test_a_users_own_is_fitted_for_each_seed_for_it_may_draw_unasked(
        self, tmp_path, monkeypatch
    ):
        monkeypatch.syspath_prepend(str(tmp_path))
        (tmp_path / "drawing_unasked.py").write_text(
            "import numpy as np\n"
            "from sklearn.naive_bayes import GaussianNB\n"
            "class Drawing(GaussianNB):\n"
            "    def fit(self, X, y):\n"
            "        return super().fit(X + np.random.normal(size=X.shape), y)\n"
        )
        task = task_of(numbered_rows(), "given", 0, "train")
        np.random.seed(7)  # noqa: NPY002  the estimator draws from it
        runs = fit_and_score("drawing_unasked:Drawing", "small", {}, task, [0, 1, 2])
        assert len({run.test.tobytes() for run in runs}) == 3

    def test_a_learner_with_a_fit_of_its_own_is_fitted_by_it(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(str(tmp_path))
        (tmp_path / "own_fit.py").write_text(
            "from lamc.learners import AN\n"
            "SEEN = []\n"
            "class Twice(AN):\n"
            "    def fit(self, X, y, X_val=None, Y_val=None):\n"
            "        SEEN.append(self.random_state)\n"
            "        return super().fit(2 * X, y, 2 * X_val, Y_val)\n"
        )
        task = task_of(small_data("small", n=120), "given", 0, "train")
        settings = {"hidden": 8, "epochs": 1, "learning_rate": (1e-3, 1e-2)}
        runs = fit_and_score("own_fit:Twice", "small", settings, task, [3, 5])
        import own_fit

        assert own_fit.SEEN == [3, 5]
        plain = fit_and_score("AN", "small", settings, task, [3, 5])
        assert all((a.test != b.test).any() for a, b in zip(runs, plain, strict=True))

    def test_what_an_estimator_is_made_of_has_the_seed_too(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(str(tmp_path))
        (tmp_path / "wrapping.py").write_text(
            "from sklearn.ensemble import RandomForestClassifier\n"
            "from sklearn.multioutput import MultiOutputClassifier\n"
            "class Forest(MultiOutputClassifier):\n"
            "    def __init__(self, estimator=RandomForestClassifier(3), n_jobs=None):\n"
            "        super().__init__(estimator, n_jobs=n_jobs)\n"
        )
        task = task_of(numbered_rows(), "given", 0, "train")
        runs = fit_and_score("wrapping:Forest", "small", {}, task, [0, 1, 0])
        assert (runs[0].test == runs[2].test).all()
        assert (runs[0].test != runs[1].test).any()

    def test_numpys_global_state_is_left_alone(self):
        task = task_of(numbered_rows(), "given", 0, "train")
        before = np.random.get_state()[1].tolist()  # noqa: NPY002
        fit_and_score("sklearn.naive_bayes:GaussianNB", "small", {}, task, [0, 1])
        assert np.random.get_state()[1].tolist() == before  # noqa: NPY002

    def test_a_random_one_is_fitted_for_each_seed(self):
        task = task_of(numbered_rows(), "given", 0, "train")
        method = "sklearn.ensemble:RandomForestClassifier"
        runs = fit_and_score(method, "small", {"n_estimators": 3}, task, [0, 1, 0])
        assert (runs[0].test == runs[2].test).all()
        assert (runs[0].test != runs[1].test).any()

    def test_a_scikit_learn_classifier_learns_the_observed_label(self):
        task = task_of(numbered_rows(), "given", 0, "train")
        (scored,) = fit_and_score("sklearn.naive_bayes:GaussianNB", "small", {}, task, [0])
        model = GaussianNB().fit(task.learn.X, task.learn.labels.index())
        np.testing.assert_allclose(scored.test, model.predict_proba(task.test.X))

    def test_validation_rows_are_given_by_name_to_what_takes_them(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(str(tmp_path))
        (tmp_path / "choosing.py").write_text(
            "from sklearn.naive_bayes import GaussianNB\n"
            "SEEN = []\n"
            "class Choosing(GaussianNB):\n"
            "    def fit(self, X, y, *, X_val=None, y_val=None):\n"
            "        SEEN.append((X_val, y_val))\n"
            "        return super().fit(X, y)\n"
        )
        task = task_of(numbered_rows(), "given", 0, "train")
        fit_and_score("choosing:Choosing", "small", {}, task, [0])
        import choosing

        ((X_val, y_val),) = choosing.SEEN
        np.testing.assert_array_equal(X_val, task.validation.X)
        np.testing.assert_array_equal(y_val, task.validation.labels.positives.toarray())


class TestResult:
    def test_the_same_unit_gives_the_same_rows(self, tmp_path):
        unit = unit_of(small_data("small"), tmp_path, seeds=(0,))
        first, again = work(unit), work(unit)
        steady = [row for row in first.measurements if not row.metric.startswith(("sec", "peak"))]
        assert set(map(str, steady)) <= set(map(str, again.measurements))
        assert first.points == again.points

    @pytest.mark.parametrize("draw", ["given", "anew"])
    def test_networks_that_were_under_way_are_gone_on_with(self, tmp_path, monkeypatch, draw):
        settings = {"hidden": 4, "epochs": 5, "learning_rate": (1e-3, 1e-2)}
        unit = unit_of(small_data("small"), tmp_path, method="ROLE", draw=draw, settings=settings)
        undisturbed, folder, write, written = work(unit), tmp_path / "kept", Checkpoint.write, []

        def fail_third(checkpoint, *state):
            write(checkpoint, *state)
            written.append(checkpoint.path)
            if len(written) == 3:
                raise RuntimeError("the plug is pulled")

        monkeypatch.setattr(Checkpoint, "write", fail_third)
        with pytest.raises(RuntimeError, match="plug"):
            work(unit, folder)
        again = work(unit, folder)
        groups = 1 if draw == "given" else 2
        assert len(written) == 5 * groups  # epochs, none of them twice
        assert len(set(written)) == groups
        assert set(map(str, again.measurements)) == {
            str(row)
            for row in undisturbed.measurements
            if not row.metric.startswith(("sec", "peak"))
        } | {str(row) for row in again.measurements if row.metric.startswith("peak")}
        assert again.points == undisturbed.points

    def test_no_measurement_comes_twice(self, tmp_path):
        settings = {"hidden": 4, "epochs": 1, "learning_rate": 1e-2}
        unit = unit_of(small_data("small"), tmp_path, method="WAN", seeds=(0, 1), settings=settings)
        rows = work(unit).measurements
        assert len({row[:-1] for row in rows}) == len(rows)
        sizes = {
            row.positives for row in rows if row.view == "accepted" and row.rule == "selective"
        }
        assert sizes == {1, 2, 5, 10, 20, 50, None}
        assert sum(row.view.startswith("reading: ") for row in rows) > 0

    def test_what_was_accepted_and_what_it_took_is_stored(self, tmp_path):
        data = small_data("small")
        rows = work(unit_of(data, tmp_path)).measurements
        task, paper = task_of(data, "given", 0, "train"), ("selective", 0.5, "all labels", 10)
        (scored,) = fit_and_score("MLML", "", {}, task, [0])
        true = task.test.labels.positives.toarray()
        share = np.mean(  # of all true pairs of a row and a label alike
            [
                calibrator.accept(scored.test)[true].mean()
                for calibrator in PAPER_VIEW.calibrators(task, scored.calibration)
            ]
        )
        for run in (0, 1):
            of_run = [row for row in rows if row.run == run]
            full = {row.metric: row.value for row in of_run if row.view == "full"}
            accepted = {
                row.metric: row.value
                for row in of_run
                if (row.rule, row.alpha, row.calibration, row.positives) == paper
            }
            assert accepted["true_retention"] == pytest.approx(share)
            assert accepted["recall"] == pytest.approx(share)
            assert 0 < full["seconds_fit"] <= full["seconds_total"]
            assert sys.platform != "linux" or full["peak_megabytes"] > 10

    def test_source_code_that_was_changed_after_the_plan_is_refused(self, tmp_path, recorder):
        unit = unit_of(numbered_rows(), tmp_path, method="recording:Recorder")
        planned = unit.key
        sent = pickle.dumps(unit)
        (tmp_path / "recording.py").write_text(RECORDER + "# changed\n")
        with pytest.raises(BenchmarkError, match="source code of recording:Recorder here"):
            work(pickle.loads(sent))
        anew = replace(unit)  # planned in this process, which has imported what was there before
        assert anew.key != planned
        with pytest.raises(BenchmarkError, match="not what the plan was made with"):
            work(anew)
        assert recorder.fitted == []

    def test_other_data_under_the_same_name_are_refused(self, tmp_path):
        unit = unit_of(small_data("small"), tmp_path)
        write_npz(small_data("small", seed=8), tmp_path / "small.npz")
        with pytest.raises(BenchmarkError, match="Give all machines the same file"):
            work(replace(unit, source=Source(f"{tmp_path}/../{tmp_path.name}/small.npz")))

    def test_a_checksum_is_of_contents_not_of_how_they_are_stored(self):
        from scipy import sparse

        data = numbered_rows()
        Y = sparse.csr_array(data.Y.tocoo())
        Y.indices[:2] = Y.indices[:2][::-1] if Y.indptr[1] >= 2 else Y.indices[:2]
        Y.has_sorted_indices = False
        assert checksum(replace(data, Y=Y)) == checksum(data)
        X = data.X.copy()
        X[3, 2] += 1e-12
        assert checksum(replace(data, X=X)) != checksum(data)
        assert checksum(replace(data, split=split(data.Y))) != checksum(data)
