"""The learner in the manner of scikit-learn, and the likelihood that it compares rows by."""

import inspect
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

import plackett
from plackett._data import Reading
from plackett._likelihood import Linear, Tables, to_rows

MODEL = plackett.simulate_sem(6, degree=2, seed=3)
TRAIN, TEST = MODEL.sample(400, seed=0), MODEL.sample(300, seed=1)


class TestManners:
    @pytest.mark.filterwarnings("ignore")
    def test_scikit_learns_own_checks(self):
        results = check_estimator(plackett.OrderDAG(), on_skip=None, on_fail=None)
        failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
        assert failed == {}
        assert sum(result["status"] == "passed" for result in results) >= 30

    def test_fits(self):
        learner = plackett.OrderDAG(criterion="bic", seed=2)
        assert learner.fit(TRAIN) is learner
        np.testing.assert_array_equal(learner.adjacency_, learner.graph_.adjacency)
        np.testing.assert_array_equal(learner.adjacency_, plackett.learn_dag(TRAIN, score="bic", seed=2).adjacency)
        assert sorted(learner.order_) == list(range(6)) and learner.n_features_in_ == 6
        assert not hasattr(learner, "feature_names_in_"), "an array has no names"
        assert repr(learner) == "OrderDAG(criterion='bic', seed=2)"
        learner.fit(pd.DataFrame(TRAIN, columns=list("abcdef")))
        assert learner.feature_names_in_.tolist() == list("abcdef")
        assert not hasattr(learner.fit(TRAIN), "feature_names_in_")

    def test_is_fitted_when_it_is(self):
        learner = plackett.OrderDAG(criterion="l1", lambda_=0.4)
        with pytest.raises(Exception, match="not fitted"):
            check_is_fitted(learner)
        with pytest.raises(plackett.PlackettError, match="not fitted"):
            learner.score(TRAIN)
        check_is_fitted(learner.fit(TRAIN))

    def test_clones(self):
        learner = plackett.OrderDAG(method="pc", alpha=0.1).set_params(seed=9)
        copy = clone(learner)
        assert copy is not learner and copy.get_params() == learner.get_params()
        assert plackett.OrderDAG(**learner.get_params()).seed == 9
        with pytest.raises(plackett.PlackettError, match="no setting sed"):
            learner.set_params(sed=1)

    def test_settings_are_those_of_the_function(self):
        function = dict(inspect.signature(plackett.learn_dag).parameters)
        # A path is many graphs, and a learner has one.
        del function["data"], function["names"], function["path"]
        learner = inspect.signature(plackett.OrderDAG).parameters
        renamed = {("criterion" if name == "score" else name): p.default for name, p in function.items()}
        assert renamed == {name: p.default for name, p in learner.items()}

    def test_a_grid_is_searched_by_held_out_likelihood(self):
        # A price of nearly nothing takes every edge in, and one beyond all measure none.
        grid = {"penalty": [1e-6, 1.0, 1e9]}
        search = GridSearchCV(plackett.OrderDAG(criterion="bic"), grid, cv=3).fit(TRAIN[:60])
        assert search.best_params_ == {"penalty": 1.0}
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert search.best_estimator_.score(TEST) == search.score(TEST)

    def test_categories_are_compared_too(self):
        data = plackett.load_network("asia").sample(600, seed=0).to_pandas()
        scores = cross_val_score(plackett.OrderDAG(), data, cv=3)
        assert np.isfinite(scores).all() and (scores < 0).all()
        full, poor = plackett.OrderDAG(), plackett.OrderDAG(criterion="bic", method="pc", alpha=1e-12)
        assert full.fit(data).score(data) > poor.set_params(criterion="auto").fit(data).score(data)

    def test_a_learner_survives_pickling(self):
        learner = plackett.OrderDAG(criterion="bic").fit(TRAIN)
        assert pickle.loads(pickle.dumps(learner)).score(TEST) == learner.score(TEST)

    def test_what_cannot_be_scored_is_said(self, tmp_path):
        file = tmp_path / "data.csv"
        np.savetxt(file, TRAIN, delimiter=",", header="a,b,c,d,e,f", comments="")
        learner = plackett.OrderDAG(criterion="bic").fit(file)
        with pytest.raises(plackett.PlackettError, match="complete rows of an array or a frame"):
            learner.score(TEST)
        words = pd.DataFrame(TRAIN, columns=list("abcdef")).assign(a=np.where(TRAIN[:, 0] > 0, "high", "low"))
        with pytest.raises(plackett.PlackettError, match="complete rows of an array or a frame"):
            plackett.OrderDAG().fit(words).score(words)
        for learner, X in (
            (plackett.OrderDAG(weights=np.ones(len(TRAIN))), TRAIN),
            (plackett.OrderDAG(covariance=400), np.cov(TRAIN.T)),
            (plackett.OrderDAG(discretize="quantile"), TRAIN),
            (plackett.OrderDAG(), plackett.Statistics(TRAIN)),
            (plackett.OrderDAG(), iter([TRAIN[:100], TRAIN[100:]])),
        ):
            assert learner.fit(X).n_features_in_ == 6
            with pytest.raises(plackett.PlackettError, match="neither cut nor weighted"):
                learner.score(TEST)
        learner = plackett.OrderDAG(criterion="bic")
        learner.fit(TRAIN)
        with pytest.raises(plackett.PlackettError, match="X has 5 features, but OrderDAG is expecting 6"):
            learner.score(TEST[:, :5])
        gap = TEST.copy()
        gap[3, 1] = np.nan
        with pytest.raises(plackett.PlackettError, match='row 3, column "x2": the value is missing'):
            learner.score(gap)
        assert learner.set_params(missing="drop").score(gap) == learner.score(np.delete(TEST, 3, axis=0))


class TestLikelihood:
    def test_of_a_complete_graph_is_the_normal_density_of_the_sample_covariance(self):
        from scipy.stats import multivariate_normal

        graph = plackett.Graph(np.triu(np.ones((6, 6)), 1))
        rows = [to_rows(data, Reading(), graph.names, False) for data in (TRAIN, TEST)]
        for has_intercept in (True, False):
            mean = TRAIN.mean(axis=0) if has_intercept else np.zeros(6)
            covariance = (TRAIN - mean).T @ (TRAIN - mean) / len(TRAIN)
            expected = multivariate_normal(mean, covariance).logpdf(TEST).mean()
            found = Linear(graph, rows[0], has_intercept).mean_log_likelihood(rows[1])
            assert found == pytest.approx(expected, rel=1e-10)

    def test_of_an_empty_graph_is_that_of_the_columns(self):
        graph = plackett.Graph(np.zeros((6, 6)))
        rows = [to_rows(data, Reading(), graph.names, False) for data in (TRAIN, TEST)]
        mean, variance = TRAIN.mean(axis=0), TRAIN.var(axis=0)
        expected = (-0.5 * (np.log(2 * np.pi * variance) + (TEST - mean) ** 2 / variance)).sum(axis=1).mean()
        assert Linear(graph, rows[0], True).mean_log_likelihood(rows[1]) == pytest.approx(expected, rel=1e-12)

    def test_of_categories_is_counted(self):
        graph = plackett.Graph.from_edges([("a", "c"), ("b", "c")], names=["a", "b", "c"])
        train = {"a": list("xxyyxx"), "b": list("uvuvuu"), "c": list("pqpppq")}
        test = {"a": list("xyz"), "b": list("vuv"), "c": list("qqp")}
        columns = [to_rows(data, Reading(), graph.names, True) for data in (train, test)]

        def chance(row):
            total = 1.0
            for name, parents in (("a", ""), ("b", ""), ("c", "ab")):
                alike = [
                    at for at in range(6) if all(train[p][at] == test[p][row] for p in parents)
                ]
                hits = sum(train[name][at] == test[name][row] for at in alike)
                total *= (hits + 1) / (len(alike) + len(set(train[name])))
            return total

        expected = sum(math.log(chance(row)) for row in range(3)) / 3
        assert Tables(graph, columns[0]).mean_log_likelihood(columns[1]) == pytest.approx(expected, rel=1e-12)

    def test_of_what_the_parents_determine_is_finite(self):
        graph = plackett.Graph.from_edges([("a", "b")])
        a = np.arange(20.0)
        model = Linear(graph, {"a": a, "b": 2 * a + 1}, True)
        assert math.isfinite(model.mean_log_likelihood({"a": a, "b": 2 * a + 1}))

    def test_of_constant_columns_is_left_out(self):
        rng = np.random.default_rng(0)
        a, still = rng.normal(size=20), np.full(20, 0.1)
        whole = Linear(plackett.Graph(np.zeros((2, 2)), ["a", "b"]), {"a": a, "b": still}, True)
        alone = Linear(plackett.Graph(np.zeros((1, 1)), ["a"]), {"a": a}, True)
        assert whole.mean_log_likelihood({"a": a, "b": still}) == alone.mean_log_likelihood({"a": a})
