"""Many distributions in one call against one at a time and against enumeration; orders drawn now and valued later."""

import math
import pickle
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import plackett

RNG = np.random.default_rng(0)
batches = arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=st.floats(-200, 200))


class TestDistributions:
    @given(batches, st.integers(0, 99))
    def test_rows_are_single_distributions(self, scores, seed):
        laws, k = plackett.PlackettLuce(scores), scores.shape[1]
        orders = laws.sample((3,), seed=seed)
        assert orders.shape == (3, *scores.shape)
        log_prob, slopes = laws.log_prob(orders), laws.grad_log_prob(orders)
        for row in range(len(scores)):
            law = plackett.PlackettLuce(scores[row])
            np.testing.assert_array_equal(law.log_prob(orders[:, row]), log_prob[:, row])
            np.testing.assert_array_equal(law.grad_log_prob(orders[:, row]), slopes[:, row])
            np.testing.assert_array_equal(law.mode(), laws.mode()[row])
            np.testing.assert_allclose(law.scores, laws.scores[row])
            assert law.entropy() == laws.entropy()[row] == laws[row].entropy()
        np.testing.assert_array_equal(laws.sample((3,), seed=seed, top=k // 2), orders[..., : k // 2])

    def test_the_first_row_has_the_noise_of_a_single_distribution(self):
        scores = RNG.normal(size=(3, 6))
        np.testing.assert_array_equal(
            plackett.PlackettLuce(scores).sample(5, seed=4)[:, 0], plackett.PlackettLuce(scores[0]).sample(5, seed=4)
        )
        found = plackett.estimate(scores[0], lambda order: 1.0, n_samples=5, seed=4)
        np.testing.assert_array_equal(found.outcomes, plackett.PlackettLuce(scores[0]).sample(5, seed=4))
        u = plackett.estimate(scores[0], lambda order: 1.0, n_samples=5, seed=4, estimator="relax").outcomes
        np.testing.assert_array_equal(u, found.outcomes)

    def test_shapes_are_matched_as_numpy_does(self):
        laws = plackett.PlackettLuce(RNG.normal(size=(2, 1, 4)))
        orders = plackett.PlackettLuce(np.zeros(4)).sample((5, 1, 3), seed=1)
        assert laws.log_prob(orders).shape == (5, 2, 3)
        assert laws.log_prob([0, 1]).shape == (2, 1)
        for a, b, c in np.ndindex(5, 2, 3):
            assert laws.log_prob(orders)[a, b, c] == laws[b, 0].log_prob(orders[a, 0, c])
            np.testing.assert_array_equal(laws.grad_log_prob(orders)[a, b, c], laws[b, 0].grad_log_prob(orders[a, 0, c]))
        assert laws.sample((), seed=0).shape == (2, 1, 4)
        assert laws.sample((0, 3)).shape == (0, 3, 2, 1, 4)
        assert laws.sample(2, top=0).shape == (2, 2, 1, 0)
        assert plackett.PlackettLuce(np.empty((0, 3))).sample(2).shape == (2, 0, 3)
        assert len(laws) == 2 and pickle.loads(pickle.dumps(laws)).batch_shape == (2, 1)

    def test_single_precision_stays_single(self):
        scores = RNG.normal(size=(3, 5)).astype(np.float32)
        laws, exact = plackett.PlackettLuce(scores), plackett.PlackettLuce(scores.astype(np.float64))
        orders = laws.sample(4, seed=0)
        np.testing.assert_array_equal(orders, exact.sample(4, seed=0))
        for name in ("log_prob", "grad_log_prob"):
            found = getattr(laws, name)(orders)
            assert found.dtype == np.float32
            np.testing.assert_array_equal(found, getattr(exact, name)(orders).astype(np.float32))
        assert laws.scores.dtype == np.float32 and pickle.loads(pickle.dumps(laws)).scores.dtype == np.float32
        assert plackett.estimate(scores, lambda orders: orders[..., 0] * 1.0, n_samples=2, seed=0).gradient.dtype == np.float32

    def test_absent_items(self):
        scores = RNG.normal(size=(4, 6))
        lengths = np.array([1, 3, 5, 6])
        mask = np.arange(6) < lengths[:, None]
        by_length, by_mask = plackett.PlackettLuce(scores, lengths=lengths), plackett.PlackettLuce(scores, mask)
        by_score = plackett.PlackettLuce(np.where(mask, scores, -np.inf))
        orders = by_length.sample(50, seed=2)
        for laws in (by_mask, by_score):
            np.testing.assert_array_equal(laws.sample(50, seed=2), orders)
            np.testing.assert_array_equal(laws.log_prob(orders), by_length.log_prob(orders))
        for row, length in enumerate(lengths):
            assert (orders[:, row, :length] < length).all()
            np.testing.assert_array_equal(orders[:, row, length:], np.broadcast_to(np.arange(length, 6), (50, 6 - length)))
            few = plackett.PlackettLuce(scores[row, :length])
            np.testing.assert_allclose(by_length.log_prob(orders)[:, row], few.log_prob(orders[:, row, :length]), atol=1e-13)
            slopes = by_length.grad_log_prob(orders)[:, row]
            np.testing.assert_allclose(slopes[:, :length], few.grad_log_prob(orders[:, row, :length]), atol=1e-13)
            assert (slopes[:, length:] == 0).all()
            assert by_length.entropy()[row] == few.entropy()
        assert by_length.log_prob([5, 0, 1])[0] == -np.inf
        # A negative number ends a ranking.
        assert by_length[1].log_prob([2, -1]) == by_length[1].log_prob([2])
        with pytest.raises(plackett.PlackettError, match="item 5 at rank 0 is absent"):
            by_length.grad_log_prob([5, 0, 1])

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (([[0.0, np.nan]],), r"scores\[0, 1\] is NaN"),
            (([[0.0, 1.0], [np.inf, 0.0]],), r"scores\[1, 0\] is inf"),
            (([[0.0, 1.0], [-np.inf, -np.inf]],), "row 1 has no items"),
            ((np.zeros((2, 3)), np.ones((2, 3))), "mask has the type float64"),
            ((np.zeros((2, 3)), np.ones((2, 2), dtype=bool)), r"mask has the shape \(2, 2\)"),
            ((np.zeros((2, 3)), np.ones((2, 1), dtype=bool)), r"mask has the shape \(2, 1\)"),
            ((np.zeros((2, 3)), np.zeros((2, 3), dtype=bool)), "row 0 has no items"),
            ((np.zeros((2, 3)), None, [1, 2, 3]), r"lengths has the shape \(3,\)"),
            ((np.zeros((2, 3)), None, [0, 2]), "lengths must be from 1 to 3"),
            ((np.zeros((2, 3)), None, [1, 4]), "lengths must be from 1 to 3"),
            ((np.zeros((2, 0)),), "empty"),
        ],
    )
    def test_wrong_scores(self, arguments, message):
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.PlackettLuce(*arguments)

    def test_wrong_orders(self):
        laws = plackett.PlackettLuce(np.zeros((2, 3)))
        for orders, message in (
            (np.zeros((3, 2, 2), dtype=int), "row 0: item 0 stands at ranks 0 and 1"),
            ([[0, 1], [1, 3]], "row 1: item 3"),
            (np.tile(np.arange(3), (3, 1)), "do not fit"),
            ([0, 1, 2, 0], "at most 3"),
        ):
            with pytest.raises(plackett.PlackettError, match=message):
                laws.log_prob(orders)
        with pytest.raises(plackett.PlackettError, match="choose one by its index"):
            laws.perturb([0.5] * 3)
        with pytest.raises(plackett.PlackettError, match="single distribution"):
            laws[0][0]
        with pytest.raises(plackett.PlackettError, match="absent"):
            plackett.PlackettLuce([0.0, -np.inf]).perturb([0.5, 0.5])


class TestEstimates:
    SCORES = RNG.normal(size=(3, 5))
    TABLE = RNG.normal(size=(3, 5, 5))

    def value(self, orders, row):
        """A sum over ranks of what an item is worth there, which differs from row to row."""
        return self.TABLE[row[..., None], np.arange(orders.shape[-1]), orders].sum(axis=-1)

    def exact(self, top):
        """By listing all orders, in plain numpy and with finite differences."""
        every = np.array(list(permutations(range(5), top)))

        def mean(scores, row):
            left = np.exp(scores[None, :]) * np.ones((len(every), 1))
            p = np.ones(len(every))
            for rank in range(top):
                at = np.arange(len(every)), every[:, rank]
                p *= left[at] / left.sum(axis=1)
                left[at] = 0
            return (p * self.value(every[None], np.array([[row]]))[0]).sum()

        width, found = 1e-6, np.empty((3, 5))
        for row, item in np.ndindex(3, 5):
            step = width * np.eye(5)[item]
            found[row, item] = (mean(self.SCORES[row] + step, row) - mean(self.SCORES[row] - step, row)) / (2 * width)
        return found, np.array([mean(self.SCORES[row], row) for row in range(3)])

    @pytest.mark.parametrize("top", [1, 3, 5])
    def test_exact_batches(self, top):
        found = plackett.estimate(self.SCORES, self.value, estimator="exact", top=top)
        gradient, value = self.exact(top)
        np.testing.assert_allclose(found.gradient, gradient, atol=1e-8)
        np.testing.assert_allclose(found.value, value, atol=1e-12)

    @pytest.mark.parametrize("top", [2, 5])
    def test_reinforce_is_unbiased(self, top):
        n = 40_000
        found = plackett.estimate(self.SCORES, self.value, n_samples=n, top=top, seed=1, per_sample=True)
        assert found.outcomes.shape == (3, n, top) and found.values.shape == (3, n) and found.value.shape == (3,)
        np.testing.assert_allclose(found.gradients.mean(axis=1), found.gradient, atol=1e-10)
        errors = found.gradients.std(axis=1) / np.sqrt(n)
        assert (abs(found.gradient - self.exact(top)[0]) < 4.5 * errors).all()

    def test_the_score_of_the_beginning_has_less_variance(self):
        whole = plackett.estimate(self.SCORES, lambda o, r: self.value(o[..., :1], r), n_samples=4000, seed=1, per_sample=True)
        first = plackett.estimate(self.SCORES, self.value, n_samples=4000, top=1, seed=1, per_sample=True)
        assert first.gradients.var(axis=1).sum() < 0.8 * whole.gradients.var(axis=1).sum()

    def test_rows_are_single_estimates(self):
        drawn = plackett.draw(self.SCORES, 6, seed=3)
        values = self.value(drawn.orders, np.arange(3)[:, None])
        together = plackett.gradient(drawn, values)
        np.testing.assert_array_equal(plackett.estimate(self.SCORES, self.value, n_samples=6, seed=3).gradient, together)
        for row in range(3):
            law = plackett.PlackettLuce(self.SCORES[row])
            weights = (values[row] - values[row].mean()) / 5
            np.testing.assert_allclose(together[row], weights @ law.grad_log_prob(drawn.orders[row]), atol=1e-13)

    def test_baselines(self):
        drawn = plackett.draw(self.SCORES, 4, seed=3)
        values = RNG.normal(size=(3, 4))
        slopes = plackett.PlackettLuce(self.SCORES[:, None]).grad_log_prob(drawn.orders)
        for baseline, less in (("none", 0.0), (0.5, 0.5), ([1.0, 2.0, 3.0], np.array([[1.0], [2.0], [3.0]]))):
            expected = ((values - less)[..., None] * slopes).mean(axis=1)
            np.testing.assert_allclose(plackett.gradient(drawn, values, baseline=baseline), expected, atol=1e-13)
        one = plackett.draw(self.SCORES, 1, seed=3)
        np.testing.assert_array_equal(
            plackett.gradient(one, values[:, :1]), plackett.gradient(one, values[:, :1], baseline="none")
        )

    @pytest.mark.parametrize("estimator", ["relax", "reparametrized"])
    def test_critics_serve_all_rows(self, estimator):
        critic = plackett.critics.Network(5, hidden=4, seed=1)
        together = plackett.estimate(self.SCORES, self.value, estimator=estimator, critic=critic, n_samples=3, seed=2)
        u, v = plackett.PlackettLuce(self.SCORES[0])._law.noise(3, 2)

        def value(order):
            return self.value(order[None, None], np.array([[0]])).item()

        alone = plackett.estimate(self.SCORES[0], value, estimator=estimator, critic=critic, u=u, v=v)
        np.testing.assert_allclose(together.gradient[0], alone.gradient, atol=1e-13)
        assert together.critic_gradient.shape == alone.critic_gradient.shape

    def test_drawn_orders_travel(self):
        drawn = plackett.draw(self.SCORES, 4, top=2, seed=9)
        values = RNG.normal(size=(3, 4))
        there = pickle.loads(pickle.dumps(drawn))
        np.testing.assert_array_equal(plackett.gradient(there, values), plackett.gradient(drawn, values))
        assert not drawn.orders.flags.writeable

    def test_wrong_arguments(self):
        drawn = plackett.draw(self.SCORES, 4, seed=0)
        for values, message in (
            (np.zeros((4, 3)), r"values has the shape \(4, 3\)"),
            (np.zeros((3, 1)), r"values has the shape \(3, 1\)"),
            (np.zeros(4), r"values has the shape \(4,\)"),
            (np.full((3, 4), np.nan), "f is nan on"),
        ):
            with pytest.raises(plackett.PlackettError, match=message):
                plackett.gradient(drawn, values)
            with pytest.raises(plackett.PlackettError):
                plackett.estimate(self.SCORES, lambda orders, values=values: values, n_samples=4)
        for baseline in ("mean", [1.0, 2.0], [[1.0]], np.nan):
            with pytest.raises(plackett.PlackettError, match="baseline"):
                plackett.gradient(drawn, np.zeros((3, 4)), baseline=baseline)
        with pytest.raises(plackett.PlackettError, match="at least 2"):
            plackett.gradient(plackett.draw(self.SCORES, 1), np.zeros((3, 1)), baseline="leave_one_out")
        with pytest.raises(plackett.PlackettError, match="distributions already"):
            plackett.draw(plackett.PlackettLuce(self.SCORES), 2, lengths=[1, 2, 3])
        for settings in ({"top": 0}, {"top": 6}, {"n_samples": 0}, {"u": np.full((2, 5), 0.5)}, {"estimator": "relax", "top": 2}):
            with pytest.raises(plackett.PlackettError):
                plackett.estimate(self.SCORES, self.value, **settings)
        with pytest.raises(plackett.PlackettError, match="too many"):
            plackett.estimate(np.zeros((64, 10)), self.value, estimator="exact")


class TestFit:
    def test_an_independent_optimizer_agrees(self):
        # Gradient ascent on the definition, in plain numpy.
        rankings = plackett.PlackettLuce([1.0, 0.5, 0.0, -0.5]).sample(40, seed=1)

        def gradient(theta):
            total = np.zeros(4)
            for order in rankings:
                for rank in range(4):
                    left = order[rank:]
                    total[left] -= np.exp(theta[left]) / np.exp(theta[left]).sum()
                    total[left[0]] += 1
            return total

        theta = np.zeros(4)
        for _ in range(400):
            theta += 0.05 * gradient(theta)
        fit = plackett.PlackettLuce.fit(rankings)
        np.testing.assert_allclose(fit.scores, theta - theta.mean(), atol=1e-9)
        assert fit.log_likelihood == pytest.approx(plackett.PlackettLuce(theta).log_prob(rankings).sum())
        np.testing.assert_allclose(fit.covariance.sum(axis=0), 0, atol=1e-12)

    def test_two_items_have_a_closed_form(self):
        fit = plackett.PlackettLuce.fit([[0, 1], [1, 0]], weights=[30, 10])
        assert fit.scores[0] - fit.scores[1] == pytest.approx(math.log(3))
        assert fit.standard_errors[0] == pytest.approx(0.5 * math.sqrt(1 / 30 + 1 / 10))

    def test_ways_to_write_the_same_rankings(self):
        padded = np.array([[0, 1, 2], [1, 0, -1], [2, 0, -1], [2, 1, 0]])
        lists = [[0, 1, 2], [1, 0], [2, 0], [2, 1, 0]]
        found = [plackett.PlackettLuce.fit(rankings, unranked="absent").scores for rankings in (padded, lists)]
        np.testing.assert_array_equal(*found)
        below = plackett.PlackettLuce.fit(lists, unranked="below").scores
        tied = plackett.PlackettLuce.fit([[0, 1, 2], [1, 0, [2]], [2, 0, {1}], [2, 1, 0]]).scores
        np.testing.assert_array_equal(below, tied)
        assert not np.allclose(below, found[0])
        top = plackett.PlackettLuce.fit([[0], [1], [1], [2]], unranked="below").scores  # a categorical distribution
        np.testing.assert_allclose(np.exp(top) / np.exp(top).sum(), [0.25, 0.5, 0.25], atol=1e-12)

    @pytest.mark.parametrize(
        ("rankings", "settings", "message"),
        [
            ([[0, 1], [1, 2]], {}, "unranked='below' or 'absent'"),
            ([[0, 1], [0, 1]], {}, "no maximum: items .* are never ranked"),
            ([[0, 1], [1, 0]], {"n_items": 3, "unranked": "absent"}, r"items \[2\] are never ranked behind"),
            ([[0, 0]], {}, "item 0 stands at ranks 0 and 1"),
            ([[0, 1], [1, 1]], {}, "row 1: item 1 stands at ranks 0 and 1"),
            ([[0, -1]], {}, "does not exist"),
            ([[0, 5]], {"n_items": 3, "unranked": "absent"}, "item 5 at rank 1 does not exist"),
            ([[0.5, 1]], {}, "whole numbers"),
            ([3, 4], {}, "lists of items"),
            (np.zeros(3, dtype=int), {}, "shape"),
            (np.array([[-1, 0]]), {}, "row 0: an item stands behind"),
            ([[0, 1], [1, 0]], {"weights": [1.0]}, "weights has the shape"),
            ([[0, 1], [1, 0]], {"weights": [1.0, -1.0]}, "row 1: the weight is -1"),
            ([[0, 1], [1, 0]], {"ridge": -1.0}, "ridge is -1"),
            ([[0, 1], [1, 0]], {"unranked": "last"}, "unranked is 'last'"),
        ],
    )
    def test_wrong_rankings(self, rankings, settings, message):
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.PlackettLuce.fit(rankings, **settings)

    def test_a_ridge_bounds_what_the_rankings_do_not(self):
        fit = plackett.PlackettLuce.fit([[0, 1], [0, 1]], ridge=0.1)
        assert 0 < fit.scores[0] < 10
