"""The two distributions against the paper's formulas and brute force, and what they refuse."""

from itertools import permutations

import numpy as np
import paper
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import plackett

scores_lists = arrays(np.float64, st.integers(1, 6), elements=st.floats(-30, 30))
wild_scores = arrays(np.float64, st.integers(1, 8), elements=st.floats(allow_nan=False, allow_infinity=False))
RNG = np.random.default_rng(0)


class TestPlackettLuce:
    @given(scores_lists)
    def test_probabilities_of_all_orders(self, scores):
        law = plackett.PlackettLuce(scores)
        orders = np.array(list(permutations(range(len(scores)))))
        found = law.log_prob(orders)
        expected = [paper.Orders.log_prob(scores, order) for order in orders]
        np.testing.assert_allclose(found, expected, atol=1e-10, rtol=1e-10)
        assert np.exp(found).sum() == pytest.approx(1)
        assert found.max() == pytest.approx(law.log_prob(law.mode()), abs=1e-12)

    @given(scores_lists, st.data())
    def test_beginnings_are_sums_over_what_follows(self, scores, data):
        law, k = plackett.PlackettLuce(scores), len(scores)
        m = data.draw(st.integers(0, k))
        orders = np.array(list(permutations(range(k))))
        first = orders[data.draw(st.integers(0, len(orders) - 1)), :m]
        total = np.exp(law.log_prob(orders))[(orders[:, :m] == first).all(axis=1)].sum()
        assert np.exp(law.log_prob(first)) == pytest.approx(total, abs=1e-12)

    @given(scores_lists, st.integers(0, 6), st.integers(0, 99))
    def test_score_is_the_gradient(self, scores, m, seed):
        order = np.random.default_rng(seed).permutation(len(scores))[:m]

        def log_prob(theta):
            rest = np.setdiff1d(np.arange(len(scores)), order)
            ranked = theta[np.concatenate([order, rest]).astype(int)]
            weights = np.exp(ranked - ranked.real.max())
            return sum(np.log(weights[i] / weights[i:].sum()) for i in range(len(order))) + 0j

        found = plackett.PlackettLuce(scores).grad_log_prob(order)
        np.testing.assert_allclose(found, paper.gradient(log_prob, scores), atol=1e-9)

    @given(wild_scores, st.integers(0, 99))
    def test_everything_is_finite_for_any_scores(self, scores, seed):
        law, rng = plackett.PlackettLuce(scores), np.random.default_rng(seed)
        orders, noise = law.sample(3, seed=seed), rng.integers(0, 2, size=(3, len(scores))).astype(float)
        assert np.isfinite(law.grad_log_prob(orders)).all()
        assert np.isfinite(law.perturb(noise)).all()
        z = law.conditional(orders, noise)
        assert np.isfinite(z).all()

    def test_perturbed_scores(self):
        scores, u = RNG.normal(size=4), RNG.uniform(size=(2, 3, 4))
        found = plackett.PlackettLuce(scores).perturb(u)
        assert found.shape == u.shape
        np.testing.assert_allclose(found[1, 2], paper.perturbed(scores, u[1, 2]), atol=1e-14)

    def test_conditional_perturbed_scores(self):
        scores, v = RNG.normal(size=4), RNG.uniform(size=(2, 3, 4))
        law = plackett.PlackettLuce(scores)
        orders = law.sample(6, seed=0).reshape(2, 3, 4)
        found = law.conditional(orders, v)
        for at in np.ndindex(2, 3):
            np.testing.assert_allclose(found[at], paper.Orders.conditional(scores, orders[at], v[at]), atol=1e-13)
        np.testing.assert_array_equal(np.argsort(-found, axis=-1), orders)
        np.testing.assert_array_equal(law.conditional(orders[0, 0], v)[1, 1], law.conditional(orders[0, 0], v[1, 1]))

    def test_samples_follow_the_distribution(self):
        law, n = plackett.PlackettLuce([0.0, 1.0, -0.5, 0.3]), 20000
        drawn = law.sample(n, seed=1)
        assert drawn.dtype == np.int64 and drawn.shape == (n, 4)
        orders = np.array(list(permutations(range(4))))
        counts = np.array([(drawn == order).all(axis=1).sum() for order in orders])
        expected = n * np.exp(law.log_prob(orders))
        assert ((counts - expected) ** 2 / expected).sum() < 60  # 23 degrees of freedom: p is below 5e-5
        tops = law.sample(n, seed=1, top=1)
        np.testing.assert_array_equal(tops, drawn[:, :1])

    def test_seeds(self):
        law = plackett.PlackettLuce(np.zeros(8))
        np.testing.assert_array_equal(law.sample(9, seed=5)[:4], law.sample(4, seed=5))
        assert not np.array_equal(law.sample(4), law.sample(4))
        assert not np.array_equal(law.sample(4, seed=1), law.sample(4, seed=2))
        generator = np.random.default_rng(0)
        assert not np.array_equal(law.sample(4, seed=generator), law.sample(4, seed=generator))
        assert law.sample(0).shape == (0, 8)
        assert law.sample(2, seed=np.uint64(2**64 - 1)).shape == (2, 8)

    def test_large_batches_are_as_the_small_ones(self):
        law = plackett.PlackettLuce(RNG.normal(size=3))
        orders, v = law.sample(5000, seed=2), RNG.uniform(size=(5000, 3))
        np.testing.assert_array_equal(orders[:1500], law.sample(1500, seed=2))
        assert len(np.unique(orders[:1024] == orders[1024:2048])) == 2, "the chunks are not the same"
        for batched, single in (
            (law.log_prob(orders), law.log_prob),
            (law.grad_log_prob(orders), law.grad_log_prob),
            (law.conditional(orders, v), lambda part: law.conditional(part, v[4000:4010])),
        ):
            np.testing.assert_array_equal(batched[4000:4010], single(orders[4000:4010]))
        np.testing.assert_array_equal(law.perturb(v)[4000:], law.perturb(v[4000:]))
        orders[[1500, 4000], 0] = 3
        with pytest.raises(plackett.PlackettError, match="row 1500: item 3"):
            law.log_prob(orders)

    def test_arrays_of_any_layout(self):
        law = plackett.PlackettLuce(RNG.normal(size=4))
        orders = law.sample(6, seed=0)
        expected = law.log_prob(orders)
        np.testing.assert_array_equal(law.log_prob(np.asfortranarray(orders)), expected)
        np.testing.assert_array_equal(law.log_prob(orders[::-1])[::-1], expected)
        np.testing.assert_array_equal(law.log_prob(orders.astype(np.int8)), expected)
        np.testing.assert_array_equal(law.log_prob(orders.astype(">u4")), expected)
        np.testing.assert_array_equal(law.log_prob(orders.tolist()), expected)
        fixed = orders.copy()
        fixed.setflags(write=False)
        np.testing.assert_array_equal(law.log_prob(fixed), expected)
        u = RNG.uniform(size=(4, 4))
        np.testing.assert_array_equal(law.perturb(u.T), law.perturb(u.T.copy()))

    def test_shapes_of_single_orders_and_empty_batches(self):
        law = plackett.PlackettLuce([0.0, 0.0])
        assert np.ndim(law.log_prob([0, 1])) == 0
        assert law.log_prob([]) == 0
        assert law.log_prob(np.empty((0, 2), dtype=int)).shape == (0,)
        assert law.grad_log_prob(np.empty((0, 2), dtype=int)).shape == (0, 2)
        assert law.perturb(np.empty((0, 2))).shape == (0, 2)
        assert law.conditional(np.empty((0, 2), dtype=int), np.empty((0, 2))).shape == (0, 2)
        assert law.log_prob(np.empty((3, 0), dtype=int)).tolist() == [0, 0, 0]
        assert repr(law) == "PlackettLuce([-0.6931, -0.6931])"


class TestCategorical:
    @given(scores_lists)
    def test_probabilities(self, scores):
        law = plackett.Categorical(scores)
        weights = np.exp(scores - scores.max())
        found = np.exp(law.log_prob(np.arange(len(scores))))
        np.testing.assert_allclose(found, weights / weights.sum(), atol=1e-14)
        assert found[law.mode()] == found.max()
        np.testing.assert_allclose(law.grad_log_prob(np.arange(len(scores))), np.eye(len(scores)) - found, atol=1e-14)

    def test_noise_and_shapes(self):
        scores, u, v = RNG.normal(size=4), RNG.uniform(size=(3, 4)), RNG.uniform(size=(3, 4))
        law = plackett.Categorical(scores)
        np.testing.assert_allclose(law.perturb(u)[1], paper.perturbed(scores, u[1]), atol=1e-14)
        categories = np.array([2, 0, 3])
        found = law.conditional(categories, v)
        for row in range(3):
            np.testing.assert_allclose(found[row], paper.Categories.conditional(scores, categories[row], v[row]), atol=1e-13)
        np.testing.assert_array_equal(found.argmax(axis=1), categories)
        assert law.log_prob([[0, 1], [2, 3]]).shape == (2, 2)
        assert law.grad_log_prob([[0, 1], [2, 3]]).shape == (2, 2, 4)
        assert law.conditional(1, v).shape == (3, 4)

    def test_samples_follow_the_distribution(self):
        law = plackett.Categorical([0.0, 1.0, -1.0])
        counts = np.bincount(law.sample(20000, seed=0))
        expected = 20000 * np.exp(law.log_prob([0, 1, 2]))
        assert ((counts - expected) ** 2 / expected).sum() < 20  # 2 degrees of freedom: p is below 5e-5
        assert law.sample(3, seed=0).shape == (3,)


@pytest.mark.parametrize("law", [plackett.PlackettLuce, plackett.Categorical])
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([], "empty"),
        ([0.0, np.nan], r"scores\[1\] is NaN"),
        ([np.inf], "finite"),
        (1.0, "shape"),
        (["a", "b"], "numbers are needed"),
        ([1j], "numbers are needed"),
        (None, "numbers are needed"),
        ([[1.0], [1.0, 2.0]], "no array"),
    ],
)
def test_wrong_scores(law, scores, message):
    with pytest.raises(plackett.PlackettError, match=message):
        law(scores)


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ([0, 0, 1], "item 0 stands at ranks 0 and 1"),
        ([[0, 1, 2], [0, 1, 1]], "row 1: item 1 stands at ranks 1 and 2"),
        ([0, 1, 3], "item 3 at rank 2 does not exist"),
        ([0, -1, 2], "item -1 at rank 1 does not exist|behind a negative one"),
        ([0, 1, 2, 3], "does not exist|3 are needed"),
        ([0.0, 1.0, 2.0], "whole numbers"),
        ([0, 1, np.nan], "whole numbers"),
        ([True, False, True], "whole numbers"),
        (["0", "1", "2"], "whole numbers"),
        (2, "a list of items"),
        (np.array([2**63, 0, 1], dtype=np.uint64), "does not exist"),
        ([[0, 1], [0]], "no array"),
    ],
)
def test_wrong_orders(orders, message):
    law = plackett.PlackettLuce([0.0, 1.0, 2.0])
    for method in (law.log_prob, law.grad_log_prob, lambda orders: law.conditional(orders, [0.5] * 3)):
        with pytest.raises(plackett.PlackettError, match=message):
            method(orders)


def test_categories_are_of_one_distribution():
    with pytest.raises(plackett.PlackettError, match="shape"):
        plackett.Categorical([[0.0, 1.0]])


def test_other_wrong_arguments():
    orders, categories = plackett.PlackettLuce([0.0, 1.0]), plackett.Categorical([0.0, 1.0])
    for law in (orders, categories):
        for noise in ([0.5], [0.5, 1.1], [0.5, -0.1], [0.5, np.nan], 0.5, ["a", "b"]):
            with pytest.raises(plackett.PlackettError):
                law.perturb(noise)
        for n in (-1, 1.5, "3", None):
            with pytest.raises(plackett.PlackettError, match="n is"):
                law.sample(n)
    with pytest.raises(plackett.PlackettError, match="row 1"):
        orders.perturb([[0.5, 0.5], [0.5, 2.0]])
    with pytest.raises(plackett.PlackettError, match="do not fit"):
        orders.conditional([[0, 1], [1, 0]], [[0.5, 0.5]] * 3)
    with pytest.raises(plackett.PlackettError, match="2 are needed"):
        orders.conditional([0], [0.5, 0.5])
    with pytest.raises(plackett.PlackettError, match="top"):
        orders.sample(1, top=3)
    for wrong in (2, -1, [0, 2], [0.5], "a"):
        with pytest.raises(plackett.PlackettError):
            categories.log_prob(wrong)
    with pytest.raises(plackett.PlackettError, match="at most 10000"):
        plackett.PlackettLuce(np.zeros(10_001)).entropy()
