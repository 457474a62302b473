"""Learning graphs from arrays and frames, and what is refused."""

import _thread
import gzip
import pathlib
import tempfile
import threading
import time

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plackett
from plackett._data import Reading, to_data
from plackett._progress import Bar

MODEL = plackett.simulate_sem(8, degree=2, seed=1)
NUMBERS = MODEL.sample(1000, seed=0)
NETWORK = plackett.load_network("asia")
CATEGORIES = NETWORK.sample(5000, seed=0)


def read(data, names=None, **settings):
    return to_data(data, Reading(**settings), names, "center")


def outcome(data, **settings):
    """What a source of data gives, whatever its form: its fingerprint, or a complaint."""
    try:
        found = read(data, **settings)
    except plackett.PlackettError as error:
        # The places are those of a file or of an array.
        return str(error).rsplit(": ", 1)[-1]
    return found.fingerprint, found.columns, found.choice


class TestGraphs:
    def test_equal_variances_give_every_direction(self):
        found = plackett.learn_dag(NUMBERS)
        assert plackett.metrics.shd(MODEL, found) == 0
        assert (found.score_name, found.kind, found.status) == ("ev-l0", "continuous", "finished")
        assert "as good by the bic" in found.score_choice and "not whole" in found.kind_choice
        np.testing.assert_allclose(found.weights, MODEL.graph.weights, atol=0.15)
        assert found.adjacency.tolist() == MODEL.graph.adjacency.tolist()
        assert sorted(found.order) == sorted(MODEL.names)
        ranks = {name: rank for rank, name in enumerate(found.order)}
        assert all(ranks[start] < ranks[end] for start, end, _ in found.edges)
        assert found.cpdag == MODEL.graph.cpdag
        assert nx.is_directed_acyclic_graph(found.to_networkx())
        assert found.to_dot().startswith("digraph")
        assert repr(found).startswith("<LearnedGraph of 8 nodes")
        assert found.seconds > 0 and found.evaluations > 0 and found.warnings == ()

    def test_exact_search_agrees(self):
        found = plackett.learn_dag(NUMBERS, score="bic", penalty=1.0)
        exact = plackett.learn_dag(NUMBERS, score="bic", penalty=1.0, method="exact")
        assert found.score == pytest.approx(exact.score)
        assert plackett.metrics.shd_cpdag(found, exact) == 0

    def test_categories(self):
        found = plackett.learn_dag(CATEGORIES)
        assert plackett.metrics.shd_cpdag(NETWORK, found) <= 3
        assert (found.score_name, found.kind, found.is_equivalent) == ("bdeu", "discrete", True)

    def test_posterior_probabilities(self):
        found = plackett.learn_dag(CATEGORIES, posterior=True)
        assert found.probabilities.shape == (8, 8)
        assert ((found.probabilities >= 0) & (found.probabilities <= 1)).all()
        plain = plackett.learn_dag(CATEGORIES)
        assert plain.probabilities is None and plain.convergence is None

    def test_posterior_of_numbers(self):
        few = NUMBERS[:, :4]
        found = plackett.learn_dag(few, posterior=True)
        assert found.score_name == "bge" and found.probabilities.shape == (4, 4)
        assert found.convergence["agrees"] and found.convergence["chains"] == 4 and found.warnings == ()
        assert found.convergence["r_hat"] < 1.05 and found.convergence["standard_error"] < 0.02
        joined = found.probabilities + found.probabilities.T
        likely = sum(joined[found.names.index(a), found.names.index(b)] > 0.5 for a, b, _ in found.edges)
        assert likely >= len(found.edges) - 1
        with pytest.warns(plackett.PlackettWarning, match="the chains disagree"):
            hasty = plackett.learn_dag(NUMBERS, posterior=True, steps=2)
        assert any("the chains disagree" in warning for warning in hasty.warnings)

    def test_tests_of_independence(self):
        a, b, noise = np.random.default_rng(0).normal(size=(3, 1000))
        found = plackett.learn_dag({"a": a, "b": b, "effect": a + b + noise}, method="pc", alpha=0.001)
        assert found.method == "pc"
        assert set(found.cpdag.directed) == {("a", "effect"), ("b", "effect")} and found.cpdag.undirected == ()

    @pytest.mark.parametrize("method", ["pl-relax", "pl", "pl-reinforce", "pl-relax+insertion", "order-mcmc", "random"])
    def test_other_methods(self, method):
        settings = {} if method == "random" else {"steps": 200}
        found = plackett.learn_dag(NUMBERS[:, :5], method=method, **settings)
        assert len(found) == 5 and found.method == method

    def test_the_same_seed_gives_the_same_graph(self):
        a, b = (plackett.learn_dag(NUMBERS, method="pl", steps=50, seed=4) for _ in range(2))
        np.testing.assert_array_equal(a.weights, b.weights)
        assert a.order == b.order


class TestForms:
    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_frames_keep_their_names(self, frame):
        names = [f"variable {column}" for column in range(8)]
        columns = {name: NUMBERS[:, column] for column, name in enumerate(names)}
        expected = plackett.learn_dag(NUMBERS)
        for data in (frame(columns), columns):
            found = plackett.learn_dag(data)
            assert found.names == tuple(names)
            np.testing.assert_array_equal(found.weights, expected.weights)
        assert plackett.learn_dag(frame(columns), names="abcdefgh").names == tuple("abcdefgh")

    def test_frames_of_words_are_categories(self):
        texts = CATEGORIES.to_dict()
        expected = plackett.learn_dag(CATEGORIES)
        frames = [
            pd.DataFrame(texts),
            pl.DataFrame({name: list(column) for name, column in texts.items()}),
            pl.DataFrame({name: list(column) for name, column in texts.items()}).with_columns(pl.all().cast(pl.Categorical)),
            CATEGORIES.to_pandas(),
            texts,
        ]
        for frame in frames:
            found = plackett.learn_dag(frame)
            assert found.kind == "discrete"
            assert found.score == pytest.approx(expected.score)
            assert plackett.metrics.shd(expected, found) == 0
        found = plackett.learn_dag(CATEGORIES.codes, names=CATEGORIES.names)
        assert found.kind == "discrete" and plackett.metrics.shd(expected, found) == 0

    def test_lists_and_layouts(self):
        expected = plackett.learn_dag(NUMBERS)
        for data in (NUMBERS.tolist(), np.asfortranarray(NUMBERS), np.repeat(NUMBERS, 2, axis=0)[::2]):
            np.testing.assert_array_equal(plackett.learn_dag(data).weights, expected.weights)
        single = plackett.learn_dag(NUMBERS.astype(np.float32))
        np.testing.assert_allclose(single.weights, expected.weights, atol=1e-3)

    def test_kinds_that_are_told(self):
        counts = np.random.default_rng(0).integers(0, 4, size=(200, 3))
        assert plackett.learn_dag(counts).kind == "discrete"
        assert plackett.learn_dag(counts, kind="continuous").kind == "continuous"
        assert plackett.learn_dag(counts, penalty=1.0).kind == "continuous"
        assert plackett.learn_dag(counts.astype(float) * 0.5, kind="discrete").kind == "discrete"
        flags = pd.DataFrame({"a": counts[:, 0] > 1, "b": counts[:, 1] > 1})
        assert plackett.learn_dag(flags).kind == "discrete"
        flags["c"] = np.random.default_rng(1).normal(size=200)
        assert plackett.learn_dag(flags).kind == "mixed"
        assert plackett.learn_dag(flags, kinds={"a": "numbers", "b": "numbers"}).kind == "continuous"

    @given(
        st.lists(
            st.tuples(*[st.one_of(st.integers(-2, 30), st.sampled_from([0.5, 1.0, 2.0, 1e9]))] * 2), min_size=2, max_size=60
        )
    )
    def test_arrays_and_files_are_read_alike(self, rows):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "data.csv"
            path.write_text("x1,x2\n" + "".join(f"{a!r},{b!r}\n" for a, b in rows))
            assert outcome(path) == outcome(np.array(rows, dtype=float))

    @given(st.lists(st.tuples(st.sampled_from(["x", "y", "NA"]), st.integers(0, 25)), min_size=2, max_size=60))
    def test_words_beside_numbers(self, rows):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "data.csv"
            path.write_text("word,number\n" + "".join(f"{a},{b}\n" for a, b in rows))
            data = {"word": np.array([a for a, _ in rows]), "number": np.array([b for _, b in rows])}
            assert outcome(path, missing="drop") == outcome(data, missing="drop")

    def test_types_are_honored(self):
        codes = pd.DataFrame({"a": [1, 2, 30] * 20, "b": [0, 1, 1, 0] * 15})
        assert [kind for kind, *_ in read(codes.assign(c=np.arange(60) / 7)).columns] == ["numbers"] * 3
        frames = [codes.astype("category"), pl.DataFrame({name: codes[name].astype(str).tolist() for name in codes}).with_columns(pl.all().cast(pl.Categorical))]
        for frame in frames:
            assert [kind for kind, *_ in read(frame).columns] == ["categories"] * 2
        mixed = codes.astype({"a": "category"}).assign(c=np.arange(60) / 7)
        assert [kind for kind, *_ in read(mixed).columns] == ["categories", "categories", "numbers"]  # two codes beside categories
        assert len(read(mixed, drop=["a"]).names) == 2
        assert read(mixed, kinds={"a": "numbers"}).columns[0] == ("numbers", 0, False)
        enum = pl.DataFrame({"a": pl.Series(["x", "y"] * 9, dtype=pl.Enum(["y", "x", "z"])), "b": ["u", "v", "w"] * 6})
        assert [kind for kind, *_ in read(enum).columns] == ["categories"] * 2

    def test_mixed_data_are_learned(self):
        rng = np.random.default_rng(0)
        dose = rng.normal(size=400)
        cured = dose + 0.7 * rng.normal(size=400) > 0
        fever = np.where(cured, 0.0, 2.0) + 0.5 * rng.normal(size=400)
        frame = pd.DataFrame({"dose": dose, "cured": np.where(cured, "yes", "no"), "fever": fever})
        for score in ("auto", "dg", "cg"):
            found = plackett.learn_dag(frame, score=score)
            assert found.kind == "mixed" and found.is_equivalent and found.missing is None
            assert found.score_name == ("dg" if score == "auto" else score)
            pairs = {frozenset((a, b)) for a, b, _ in found.edges}
            assert pairs == {frozenset(("dose", "cured")), frozenset(("cured", "fever"))}
            assert all(strength > 5 for _, _, strength in found.edges)
        cut = plackett.learn_dag(frame, discretize="quantile", bins=4)
        assert cut.kind == "discrete" and cut.score_name in ("bdeu", "qnml")
        holes = frame.mask(rng.random(frame.shape) < 0.2)
        with pytest.warns(plackett.PlackettWarning, match="moments of all rows are estimated by EM, which assumes that"):
            found = plackett.learn_dag(holes, missing="em")
        assert {frozenset((a, b)) for a, b, _ in found.edges} == pairs
        assert found.missing["method"] == "em" and found.missing["converged"] and found.missing["rows"] == 400
        assert found.missing["complete_rows"] == len(holes.dropna()) and found.missing["values"] == holes.isna().sum().sum()
        there = holes.notna().to_numpy()
        both = np.mean([(there[:, a] & there[:, b]).sum() for a, b in ((0, 1), (0, 2), (1, 2))])
        assert found.missing["effective_rows"] == pytest.approx(both)
        with pytest.raises(plackett.PlackettError, match="cg does not fit: it needs complete rows"):
            plackett.learn_dag(holes, missing="em", score="cg")

    def test_scores_of_mixed_data_are_their_formulas(self):
        rng = np.random.default_rng(1)
        rows = 200
        group, x = rng.integers(0, 3, rows), rng.normal(size=rows)
        y = x * (group == 1) + 2.0 * (group == 2) + rng.normal(size=rows)
        frame = {"x": x, "y": y, "group": np.array(["a", "b", "c"])[group]}
        found = {score: plackett.learn_dag(frame, score=score, penalty=1.0) for score in ("dg", "cg")}

        # dg: correlations with one row more in which nothing goes with anything; the most frequent level has no column.
        levels = [level for level in range(3) if level != np.bincount(group).argmax()]
        blocks = {"x": [x], "y": [y], "group": [(group == level).astype(float) for level in levels]}

        def joint_dg(names):
            columns = np.array([column for name in names for column in blocks[name]])
            if len(columns) == 0:
                return 0.0
            own = np.atleast_2d(np.corrcoef(columns)) * rows / (rows + 1)
            np.fill_diagonal(own, 1.0)
            return 0.5 * ((rows + 1) * np.linalg.slogdet(own)[1] + rows * np.log(columns.var(1)).sum())

        def joint_cg(names):
            numbers = [frame[name] for name in names if name != "group"]
            total, parameters = 0.0, 2.0 if "group" in names else 0.0
            for cell in range(3) if "group" in names else [None]:
                rows_in = slice(None) if cell is None else group == cell
                count = rows if cell is None else rows_in.sum()
                total -= count * np.log(count / rows)
                if numbers:
                    within = np.array([column[rows_in] for column in numbers])
                    spread = np.diag([column.var() for column in numbers])
                    own = (count * np.atleast_2d(np.cov(within, bias=True)) + spread) / (count + 1)
                    total += 0.5 * ((count + 1) * np.linalg.slogdet(own)[1] - np.linalg.slogdet(spread)[1])
                    parameters += len(numbers) * (len(numbers) + 3) / 2
            return total + 0.5 * np.log(rows) * parameters

        for score, joint in (("dg", joint_dg), ("cg", joint_cg)):
            graph = found[score]
            expected = 0.0
            for node in graph.names:
                parents = [a for a, b, _ in graph.edges if b == node]
                expected += joint([*parents, node]) - joint(parents)
                if score == "dg":
                    width = sum(len(blocks[parent]) for parent in parents)
                    expected += 0.5 * np.log(rows) * len(blocks[node]) * width
            assert graph.score == pytest.approx(expected, rel=1e-9), score
            assert graph.edges

    def test_missing_values(self):
        frame = pd.DataFrame({"a": [0.5, None, 2.5, 4.0], "b": [1.0, 2.0, 4.0, -9.5]})
        with pytest.raises(plackett.PlackettError, match='row 1, column "a": the value is missing.*missing="drop" keeps 3 rows'):
            read(frame)
        found = read(frame, missing="drop")
        assert found.rows == 3 and found.columns == [("numbers", 1, False), ("numbers", 0, False)]
        masked = np.ma.masked_invalid(frame.to_numpy())
        for same in (pl.DataFrame({"a": [0.5, None, 2.5, 4.0], "b": [1.0, 2.0, 4.0, -9.5]}), frame.convert_dtypes(), masked, frame.astype(object)):
            assert read(same, missing="drop", names=["a", "b"]).fingerprint == found.fingerprint
        assert read(frame.fillna(-999), missing="drop", na=["-999"]).fingerprint == found.fingerprint

    def test_files(self, tmp_path):
        path = tmp_path / "data.txt.gz"
        path.write_bytes(gzip.compress(b"a\tb\n0,5\t1\n2,5\t4\n4,0\t-9,5\n"))
        found = plackett.learn_dag(path, delimiter="tab")
        assert found.input["notes"] == ["gzip", "tabs", "decimal commas"]
        same = read({"a": [0.5, 2.5, 4.0], "b": [1.0, 4.0, -9.5]})
        assert found.input["fingerprint"] == same.fingerprint
        assert found.input["columns"][0] == {"name": "a", "kind": "numbers", "missing": 0, "is_ordered": False}
        assert plackett.learn_dag(str(path), columns=["b", "a"]).names == ("b", "a")


class TestEnding:
    def test_time_limit(self):
        found = plackett.learn_dag(NUMBERS, method="pl-relax", score="l1", steps=10**9, time_limit=0.3)
        assert found.status == "time"

    def test_interruption_returns_the_best_so_far(self, monkeypatch):
        monkeypatch.setattr(Bar, "show", lambda *_: _thread.interrupt_main())
        found = plackett.learn_dag(NUMBERS, method="pl-relax", score="l1", steps=10**9, progress=True)
        assert found.status == "interrupted" and len(found) == 8

    def test_other_threads_run_meanwhile(self):
        """The search ends because another thread, which must get its turns, ends it."""

        def interrupt():
            for _ in range(10):
                time.sleep(0.01)
            _thread.interrupt_main()

        other = threading.Thread(target=interrupt)
        try:
            other.start()
            found = plackett.learn_dag(NUMBERS, method="pl-relax", score="l1", steps=10**9)
            assert found.status == "interrupted"
        except KeyboardInterrupt:  # the other thread was done before the search had begun
            pass
        other.join()

    def test_a_bar_on_demand(self, capsys, monkeypatch):
        show = Bar.show

        def show_once(bar, *progress):
            show(bar, *progress)
            _thread.interrupt_main()

        monkeypatch.setattr(Bar, "show", show_once)
        plackett.learn_dag(NUMBERS, method="pl-relax", score="l1", steps=10**9, progress=True)
        shown = capsys.readouterr().err
        assert any(stage in shown for stage in ("pl-relax, l1", "gradient descent")), shown
        plackett.learn_dag(NUMBERS, method="pl-relax", score="l1", steps=100)
        assert capsys.readouterr().err == ""


class TestBadInput:
    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (np.empty((0, 3)), "empty"),
            (np.empty((3, 0)), "empty"),
            ({}, "empty"),
            (np.zeros(5), "rows and columns"),
            (np.zeros((5, 2, 2)), "rows and columns"),
            ([[1.0, 2.0], [3.0]], "no array"),
            (np.zeros((1, 3)), "only one row"),
            (np.zeros((5, 1)), "only column"),
            ([[0.5, 1.0], [np.nan, 2.0], [1.5, 2.0]], 'row 1, column "x1": the value is missing'),
            ([[0.5, 1.0], [1.0, np.inf], [1.5, 2.0]], 'row 1, column "x2": inf is not a finite number'),
            ([[1e200, 1.0], [-1e200, 3.0], [0.1, 0.5]], "too large"),
            (np.array([[1j, 2j], [3j, 1j]]), "complex"),
            ({"a": [1.5, 2.5], "b": [1.5]}, "one length"),
            ({"a": [None, "y"], "b": ["x", "y"]}, 'row 0, column "a": the value is missing'),
            ({"a": [object(), "y"], "b": ["x", "y"]}, "neither numbers nor words"),
            (pd.DataFrame({"a": [1.5, None, 2.0], "b": [1.0, 2.0, 4.0]}), 'row 1, column "a": the value is missing'),
            (pl.DataFrame({"a": [1.5, None, 2.0], "b": [1.0, 2.0, 4.0]}), 'row 1, column "a": the value is missing'),
            (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"] * 2), "b": [1.0, 2.0]}), "Datetime"),
            (pd.DataFrame([[1.5, 2.5], [2.5, 1.0]], columns=["a", "a"]), "unique column names|two columns have this name"),
            (3, "an array, a data frame"),
            ("no-such-file.csv", "no-such-file.csv: "),
            (None, "an array, a data frame"),
        ],
    )
    def test_data(self, data, message):
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.learn_dag(data)

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"method": "magic"}, "known are auto, insertion"),
            ({"method": 3}, "a name is needed"),
            ({"score": "magic"}, "there is no score magic"),
            ({"score": "qnml"}, "there is no score qnml of numbers"),
            ({"kind": "mixed"}, "kind is"),
            ({"kinds": {"x1": "words"}}, "it must be one of numbers, categories"),
            ({"kinds": {"z": "numbers"}}, 'there is no column "z"'),
            ({"drop": ["z"]}, 'there is no column "z"'),
            ({"drop": "x1"}, "a list is needed"),
            ({"missing": "guess"}, "it must be one of error, drop, em, category"),
            ({"discretize": "halves"}, "it must be one of quantile, equal-width"),
            ({"bins": 3}, "bins are for discretize"),
            ({"discretize": "quantile", "bins": 300}, "it must be from 2 to 256"),
            ({"score": "dg"}, "there is no score dg of numbers"),
            ({"delimiter": "and"}, "none of comma, tab"),
            ({"names": ["a"]}, "1 names for 8 columns"),
            ({"names": ["a"] * 8}, "two columns have this name"),
            ({"lambda_": 0.5, "score": "bic"}, "lambda_ belongs to"),
            ({"lambda_": "x"}, "lambda_"),
            ({"ess": 1.0}, "ess is for columns of categories"),
            ({"posterior": True, "score": "l1"}, "posterior needs a score"),
            ({"candidates": "some"}, "candidates"),
            ({"alpha": 0.0, "method": "pc"}, "alpha"),
            ({"restarts": 0}, "restarts"),
            ({"steps": 1.5}, "steps"),
            ({"memory": 0}, "memory"),
            ({"time_limit": -1.0}, "time_limit"),
            ({"time_limit": np.nan}, "time_limit"),
            ({"seed": -1}, "seed"),
            ({"standardize": True, "kind": "discrete"}, "columns of numbers"),
            ({"standardize": True, "center": False}, "center"),
        ],
    )
    def test_settings(self, settings, message):
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.learn_dag(NUMBERS, **settings)

    def test_categories(self):
        with pytest.raises(plackett.PlackettError, match="penalty"):
            plackett.learn_dag(CATEGORIES, penalty=-1.0)
        with pytest.warns(plackett.PlackettWarning, match="300 different values, as names do"):
            plackett.learn_dag({"a": [f"w{row}" for row in range(300)], "b": ["x", "y"] * 150})
        with pytest.raises(plackett.PlackettError, match="only one row"):
            plackett.learn_dag(NETWORK.sample(1))

    def test_too_many_columns_for_dynamic_programming(self):
        data = np.random.default_rng(0).normal(size=(100, 40))
        with pytest.raises(plackett.PlackettError, match="bytes"):
            plackett.learn_dag(data, method="exact")

    def test_few_rows_are_worth_a_warning(self):
        with pytest.warns(plackett.PlackettWarning) as told:
            found = plackett.learn_dag(NUMBERS[:6])
        assert "too few to tell causes from chance" in found.warnings[0]
        # With fewer rows than columns, some are functions of others.
        assert all("is an exact linear function of" in text for text in found.warnings[1:])
        assert [str(one.message) for one in told] == list(found.warnings)


def test_weights_below_a_threshold_are_left_out():
    data = plackett.simulate_sem(10, seed=0).sample(1000, seed=0)
    whole, thinned = (plackett.learn_dag(data, score="l1", threshold=threshold) for threshold in (None, 0.3))
    assert not whole.dropped and thinned.dropped and thinned.score == whole.score
    assert all(abs(weight) < 0.3 for _, _, weight in thinned.dropped)
    weights = thinned.weights[thinned.weights != 0]
    assert (abs(weights) >= 0.3).all() and len(weights) + len(thinned.dropped) == (whole.adjacency != 0).sum()
    with pytest.raises(plackett.PlackettError, match="threshold"):
        plackett.learn_dag(plackett.load_network("asia").sample(200, seed=0), threshold=0.3)
