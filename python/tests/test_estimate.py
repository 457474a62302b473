"""Gradient estimates against the paper's formulas, the exact gradient and each other; and what goes wrong."""

import numpy as np
import paper
import pytest
from failing import Mine, broken

import plackett
from plackett.critics import Network, RelaxedObjective

LAWS = [(paper.Orders, plackett.PlackettLuce), (paper.Categories, plackett.Categorical)]
K, N, HIDDEN = 5, 7, 6


def problem(law, seed):
    """Scores, noise, an objective on outcomes, and a smooth one on relaxed matrices with its gradient."""
    rng = np.random.default_rng(seed)
    scores, u, v = rng.normal(size=K), rng.uniform(size=(N, K)), rng.uniform(size=(N, K))
    shape = (K, K) if law is paper.Orders else (K,)
    target, weight = rng.normal(size=shape), rng.normal(size=K)

    def value(outcome):
        return float(weight[outcome] @ np.arange(1, K + 1)) if law is paper.Orders else weight[outcome]

    def relaxed(matrix):
        return ((matrix - target) ** 2).sum() + (matrix**3).sum()

    def relaxed_and_gradient(matrix):
        return relaxed(matrix), 2 * (matrix - target) + 3 * matrix**2

    return scores, u, v, value, relaxed, relaxed_and_gradient


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("law", "distribution"), LAWS)
class TestFormulas:
    def test_reinforce(self, law, distribution, seed):
        scores, u, _, value, _, _ = problem(law, seed)
        expected = np.mean([paper.reinforce(law, scores, value, row) for row in u], axis=0)
        found = plackett.estimate(distribution(scores), value, estimator="reinforce", baseline="none", u=u)
        np.testing.assert_allclose(found.gradient, expected, atol=1e-10, rtol=0)
        assert found.value == pytest.approx(found.values.mean())

    def test_rebar(self, law, distribution, seed):
        scores, u, v, value, relaxed, with_gradient = problem(law, seed)
        log_tau, eta = 0.3 - 0.2 * seed, 0.7
        critic = RelaxedObjective(with_gradient, K, relaxation=law.relaxation)
        critic.parameters = [log_tau, eta]

        def reference(z):
            return eta * relaxed(law.relaxed(z, np.exp(log_tau)))

        expected = np.mean([paper.relax(law, scores, value, reference, *row) for row in zip(u, v)], axis=0)
        found = plackett.estimate(distribution(scores), value, estimator="rebar", critic=critic, u=u, v=v)
        np.testing.assert_allclose(found.gradient, expected, atol=1e-10, rtol=0)

    def test_relax(self, law, distribution, seed):
        scores, u, v, value, relaxed, with_gradient = problem(law, seed)
        soft = RelaxedObjective(with_gradient, K, relaxation=law.relaxation, scaled=False)
        rho = Network(K, hidden=HIDDEN, seed=seed)
        critic = soft + rho
        critic.parameters = np.concatenate([[-0.4], rho.parameters])

        def reference(z, parameters=critic.parameters):
            tau, phi = np.exp(parameters[0]), parameters[1:]
            return relaxed(law.relaxed(z, tau)) + paper.network(phi, HIDDEN, z)

        rows = list(zip(u, v))
        expected = np.mean([paper.relax(law, scores, value, reference, *row) for row in rows], axis=0)
        found = plackett.estimate(distribution(scores), value, estimator="relax", critic=critic, u=u, v=v)
        np.testing.assert_allclose(found.gradient, expected, atol=1e-10, rtol=0)

        def squared_length(parameters):
            estimates = [
                paper.relax(law, scores, value, lambda z: reference(z, parameters), *row) for row in rows
            ]
            return np.mean([g @ g for g in estimates])

        for at in (0, 1, 4, -2, -1):
            step = 1e-5 * np.eye(len(critic.parameters))[at]
            ahead, behind = squared_length(critic.parameters + step), squared_length(critic.parameters - step)
            assert found.critic_gradient[at] == pytest.approx((ahead - behind) / 2e-5, rel=1e-5, abs=1e-6)

    def test_reparametrized(self, law, distribution, seed):
        scores, u, _, _, relaxed, with_gradient = problem(law, seed)
        critic = RelaxedObjective(with_gradient, K, relaxation=law.relaxation, scaled=False)
        critic.parameters = [0.2]

        def at(theta, row):
            return relaxed(law.relaxed(paper.perturbed(theta, row), np.exp(0.2)))

        expected = np.mean([paper.gradient(lambda theta: at(theta, row), scores) for row in u], axis=0)
        found = plackett.estimate(distribution(scores), None, estimator="reparametrized", critic=critic, u=u)
        np.testing.assert_allclose(found.gradient, expected, atol=1e-10, rtol=0)
        assert found.value == pytest.approx(np.mean([at(scores, row) for row in u]))

    def test_exact_is_what_the_others_estimate(self, law, distribution, seed):
        scores, _, _, value, _, with_gradient = problem(law, seed)
        latent = distribution(scores)
        exact = plackett.estimate(latent, value, estimator="exact")

        def all_values(outcomes):
            return [value(outcome) for outcome in outcomes]

        np.testing.assert_array_equal(
            plackett.estimate(latent, all_values, estimator="exact", batch=True).gradient, exact.gradient
        )
        critics = {
            "relax": Network(K, seed=seed),
            "rebar": RelaxedObjective(with_gradient, K, relaxation=law.relaxation),
        }
        for estimator, n in (("reinforce", 20000), ("relax", 20000), ("rebar", 2000)):
            noise = np.random.default_rng(seed).uniform(size=(2, n, K))
            parts = [
                plackett.estimate(
                    latent, all_values, estimator=estimator, critic=critics.get(estimator), batch=True, u=u, v=v
                ).gradient
                for u, v in zip(np.split(noise[0], 20), np.split(noise[1], 20))
            ]
            error = np.std(parts, axis=0, ddof=1) / np.sqrt(len(parts))
            assert (abs(np.mean(parts, axis=0) - exact.gradient) < 5 * error + 1e-12).all(), estimator


def test_exact_by_hand():
    found = plackett.estimate([0.0, np.log(3)], lambda order: float(order[0]), estimator="exact")
    assert found.value == pytest.approx(0.75)
    np.testing.assert_allclose(found.gradient, [-0.1875, 0.1875], atol=1e-15)


def test_leave_one_out_cancels_constants():
    found = plackett.estimate(np.zeros(4), lambda order: 3.0, baseline="leave_one_out", n_samples=4, seed=0)
    np.testing.assert_allclose(found.gradient, 0, atol=1e-15)


def test_the_same_seed_gives_the_same_estimate():
    def first(order):
        return float(order[0])

    a, b = (plackett.estimate(np.zeros(6), first, n_samples=5, seed=3) for _ in range(2))
    np.testing.assert_array_equal(a.gradient, b.gradient)
    np.testing.assert_array_equal(a.outcomes, b.outcomes)
    assert not np.array_equal(a.outcomes, plackett.estimate(np.zeros(6), first, n_samples=5).outcomes)
    generator = np.random.default_rng(0)
    c, d = (plackett.estimate(np.zeros(6), first, n_samples=5, seed=generator) for _ in range(2))
    assert not np.array_equal(c.outcomes, d.outcomes)


def test_a_training_loop_finds_the_order():
    wanted = np.array([2, 0, 3, 1])
    scores, critic = np.zeros(4), Network(4, hidden=16)
    for step in range(300):
        found = plackett.estimate(
            scores,
            lambda orders: (orders != wanted).sum(axis=1),
            estimator="relax",
            critic=critic,
            n_samples=16,
            seed=step,
            batch=True,
        )
        scores = scores - 0.2 * found.gradient
        critic.parameters -= 0.001 * found.critic_gradient
    assert plackett.PlackettLuce(scores).mode().tolist() == wanted.tolist()


class TestCritics:
    def test_parameters_are_numpy_arrays_in_and_out(self):
        critic = Network(3, hidden=2)
        taken = critic.parameters
        taken[:] = 0
        assert critic.parameters.any(), "a copy was handed out"
        critic.parameters = taken
        assert not critic.parameters.any()
        both = critic + Network(3, hidden=1)
        both.parameters = np.arange(len(both.parameters), dtype=float)
        np.testing.assert_array_equal(critic.parameters, np.arange(11.0))
        for wrong in ([1.0], np.zeros((11, 1)), np.full(11, np.nan), ["a"] * 11):
            with pytest.raises(plackett.PlackettError, match="parameters"):
                critic.parameters = wrong

    def test_values_and_gradients_of_batches(self):
        critic = Network(3, hidden=4, seed=5)
        z = np.random.default_rng(0).normal(size=(2, 4, 3))
        values, gradients = critic.value_and_gradient(z)
        assert values.shape == (2, 4) and gradients.shape == z.shape
        for at in np.ndindex(2, 4):
            reference = paper.network(critic.parameters, 4, z[at])
            assert values[at] == pytest.approx(reference, abs=1e-14)
            expected = paper.gradient(lambda x: paper.network(critic.parameters, 4, x), z[at])
            np.testing.assert_allclose(gradients[at], expected, atol=1e-14)

    def test_exceptions_of_the_relaxed_function_come_through(self):
        def broken(matrix):
            raise KeyError("no such matrix")

        critic = RelaxedObjective(broken, 3)
        with pytest.raises(KeyError, match="no such matrix"):
            critic([1.0, 2.0, 3.0])
        for estimator in ("rebar", "relax", "reparametrized"):
            with pytest.raises(KeyError, match="no such matrix"):
                plackett.estimate([0.0] * 3, lambda order: 1.0, estimator=estimator, critic=critic)

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            (1.0, "two things"),
            ((1.0, np.zeros(3)), "shape"),
            (("1", np.zeros((3, 3))), "a number is needed"),
            ((1.0, [["a"] * 3] * 3), "numbers are needed"),
            ((np.nan, np.zeros((3, 3))), "not finite"),
        ],
    )
    def test_wrong_answers_of_the_relaxed_function(self, answer, message):
        critic = RelaxedObjective(lambda matrix: answer, 3)
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.estimate([0.0] * 3, lambda order: 1.0, estimator="rebar", critic=critic)

    def test_critics_that_do_not_fit(self):
        with pytest.raises(plackett.PlackettError, match="n_items"):
            Network(0)
        with pytest.raises(plackett.PlackettError, match="not a critic"):
            plackett.critics.Sum(Network(3), 4)
        with pytest.raises(plackett.PlackettError, match="entries"):
            Network(3) + Network(4)
        with pytest.raises(TypeError):
            Network(3) + 4
        with pytest.raises(plackett.PlackettError, match="no relaxation named"):
            RelaxedObjective(lambda matrix: (0.0, matrix), 3, relaxation="magic")


class TestBadInput:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"estimator": "magic"}, "it must be one of"),
            ({"estimator": "rebar"}, "needs critic"),
            ({"estimator": "rebar", "critic": Network(3)}, "scaled RelaxedObjective"),
            ({"estimator": "relax", "critic": Network(4)}, "for 4 items"),
            ({"estimator": "reinforce", "critic": Network(3)}, "has no critic"),
            ({"estimator": "exact", "baseline": "leave_one_out"}, "baseline is for reinforce"),
            ({"baseline": "leave_one_out"}, "at least 2"),
            ({"n_samples": 0}, "n_samples"),
            ({"n_samples": 1.5}, "whole number"),
            ({"u": [[0.1, 0.2]]}, "rows of 3"),
            ({"u": [[0.1, 0.2, 1.5]]}, "between 0 and 1"),
            ({"u": [[0.1, 0.2, np.nan]]}, "between 0 and 1"),
            ({"u": np.empty((0, 3))}, "rows of 3"),
            ({"u": [[0.5] * 3], "v": [[0.5] * 3] * 2}, "as many"),
            ({"seed": -1}, "seed"),
            ({"seed": 2**64}, "seed"),
            ({"seed": "tomorrow"}, "seed"),
        ],
    )
    def test_settings(self, settings, message):
        with pytest.raises(plackett.PlackettError, match=message):
            plackett.estimate([0.0] * 3, lambda order: 1.0, **settings)

    def test_too_many_orders_to_list(self):
        with pytest.raises(plackett.PlackettError, match="at most 10"):
            plackett.estimate([0.0] * 11, lambda order: 1.0, estimator="exact")

    @pytest.mark.parametrize("estimator", ["reinforce", "exact"])
    @pytest.mark.parametrize("answer", ["1.0", None, [1.0, 2.0], 1j, {}, b"1", np.array([1.0, 2.0])])
    def test_answers_that_are_no_numbers(self, answer, estimator):
        with pytest.raises(plackett.PlackettError, match="a number is needed"):
            plackett.estimate([0.0] * 3, lambda order: answer, estimator=estimator)

    @pytest.mark.parametrize("answer", [np.nan, np.inf, -np.inf])
    def test_answers_that_are_not_finite(self, answer):
        with pytest.raises(plackett.PlackettError, match=r"on \[\d, \d, \d\]"):
            plackett.estimate([0.0] * 3, lambda order: answer)
        with pytest.raises(plackett.PlackettError, match=r"on \[\d, \d, \d\]"):
            plackett.estimate([0.0] * 3, lambda orders: [answer] * len(orders), batch=True)

    @pytest.mark.parametrize("answer", [[1.0], np.zeros((2, 1)), "ab", None, 1.0])
    def test_batches_of_the_wrong_size(self, answer):
        with pytest.raises(plackett.PlackettError):
            plackett.estimate([0.0] * 3, lambda orders: answer, batch=True, n_samples=2)

    @pytest.mark.parametrize("estimator", ["reinforce", "exact"])
    def test_exceptions_come_through_as_they_are(self, estimator):
        for batch in (False, True):
            with pytest.raises(Mine, match="by design"):
                plackett.estimate([0.0] * 3, broken, estimator=estimator, batch=batch)

    def test_numbers_of_other_kinds_are_numbers(self):
        for answer in (1, True, np.float32(1), np.int8(1), np.array(1.0), np.array([1.0]).sum()):
            assert plackett.estimate([0.0] * 3, lambda order, answer=answer: answer).value == 1.0

    def test_orders_cannot_be_changed_by_the_function(self):
        def vandal(order):
            order[:] = 0

        with pytest.raises(ValueError, match="read-only"):
            plackett.estimate([0.0] * 3, vandal)


def test_relax_has_a_network_unless_told_otherwise():
    scores, f = np.zeros(4), lambda order: float(order[0])
    default = plackett.estimate(scores, f, estimator="relax", n_samples=3, seed=1)
    given = plackett.estimate(scores, f, estimator="relax", critic=plackett.critics.Network(4), n_samples=3, seed=1)
    assert np.array_equal(default.gradient, given.gradient)
    assert default.critic_gradient.size == given.critic_gradient.size > 0


class TestSurrogate:
    """REINFORCE on what a surrogate leaves unexplained, plus the exact gradient of what it explains."""

    weights = np.random.default_rng(5).normal(size=(4, 4, 4))

    def f(self, orders):
        """A function of the first three items that is no sum over ranks or pairs."""
        return self.weights[orders[..., 0], orders[..., 1], orders[..., 2]]

    def surrogate(self, **settings):
        """One that has learned something, of another function."""
        surrogate = plackett.Surrogate(4, **settings)
        orders = plackett.PlackettLuce(np.zeros(4)).sample(60, seed=9)
        surrogate.observe(orders[..., : settings.get("top", 4)], self.f(orders) + 2 * orders[..., 1])
        assert surrogate.families
        return surrogate

    @pytest.mark.parametrize("settings", [{}, {"families": ["positions"]}, {"top": 3}])
    def test_unbiased_while_it_learns(self, settings):
        scores = np.random.default_rng(1).normal(size=(2, 4))
        exact = plackett.estimate(scores, self.f, estimator="exact", top=3).gradient
        surrogate, top, found = self.surrogate(window=200, **settings), settings.get("top"), []
        for seed in range(1500):
            found.append(
                plackett.estimate(scores, self.f, estimator="surrogate", surrogate=surrogate, n_samples=4, top=top, seed=seed).gradient
            )
        error = np.std(found, axis=0) / np.sqrt(len(found))
        assert (np.abs(np.mean(found, axis=0) - exact) < 4.5 * error).all()
        assert surrogate.n_evaluations == 60 + 1500 * 8

    def test_known_sums_are_exact_once_they_are_learned(self):
        cost = np.random.default_rng(2).normal(size=(6, 6))
        surrogate, scores = plackett.Surrogate(6), np.random.default_rng(3).normal(size=(5, 6))

        def total(orders):
            return cost[np.arange(6), orders].sum(axis=-1)

        for seed in range(20):
            found = plackett.estimate(scores, total, estimator="surrogate", surrogate=surrogate, n_samples=8, seed=seed)
        exact = plackett.estimate(scores, total, estimator="exact")
        np.testing.assert_allclose(found.gradient, exact.gradient, atol=1e-5)
        np.testing.assert_allclose(found.value, exact.value, atol=1e-5)

    def test_formula(self):
        scores = np.random.default_rng(4).normal(size=(3, 4))
        surrogate = self.surrogate()
        law = plackett.PlackettLuce(scores)
        drawn = plackett.draw(scores, 5, seed=7)
        left = self.f(drawn.orders) - surrogate.predict(drawn.orders)
        value, slope = surrogate.expectation(law)
        expected = plackett.gradient(drawn, left) + slope
        same = plackett.Surrogate.from_json(surrogate.to_json())
        np.testing.assert_allclose(plackett.gradient(drawn, self.f(drawn.orders), surrogate=same), expected, atol=1e-12)
        found = plackett.estimate(scores, self.f, estimator="surrogate", surrogate=surrogate, n_samples=5, seed=7, per_sample=True)
        np.testing.assert_allclose(found.gradient, expected, atol=1e-12)
        np.testing.assert_allclose(found.gradients.mean(axis=-2), expected, atol=1e-12)
        np.testing.assert_allclose(found.value, value + left.mean(axis=-1), atol=1e-12)
        assert surrogate.to_json() == same.to_json()  # both have learned the same

    def test_expectation_is_that_over_all_orders(self):
        surrogate = self.surrogate()
        law = plackett.PlackettLuce(np.random.default_rng(6).normal(size=4))
        exact = plackett.estimate(law, surrogate.predict, estimator="exact", batch=True)
        value, slope = surrogate.expectation(law)
        np.testing.assert_allclose(value, exact.value, atol=1e-12)
        np.testing.assert_allclose(slope, exact.gradient, atol=1e-12)

    def test_one_for_each_distribution(self):
        scores = np.random.default_rng(4).normal(size=(3, 4))

        def f(orders, row):
            return row * self.f(orders)

        each = [plackett.Surrogate(4) for _ in range(3)]
        for seed in range(10):
            plackett.estimate(scores, f, estimator="surrogate", surrogate=each, n_samples=8, seed=seed)
        found = plackett.estimate(scores, f, estimator="surrogate", surrogate=each, n_samples=8, seed=99)
        assert [one.n_evaluations for one in each] == [88] * 3
        assert found.gradient.shape == (3, 4) and found.value.shape == (3,)
        np.testing.assert_allclose(found.gradient[0], 0, atol=1e-12)

    def test_one_sample_has_a_moving_mean_as_its_baseline(self):
        surrogate = plackett.Surrogate(3)
        for seed in range(5):
            found = plackett.estimate(np.zeros(3), lambda order: 7.0, estimator="surrogate", surrogate=surrogate, seed=seed)
        np.testing.assert_allclose(found.gradient, 0, atol=1e-12)

    def test_single_precision(self):
        scores = np.zeros((2, 4), dtype=np.float32)
        found = plackett.estimate(scores, self.f, estimator="surrogate", surrogate=self.surrogate(), n_samples=4, per_sample=True, seed=0)
        assert found.gradient.dtype == found.value.dtype == found.gradients.dtype == np.float32

    def test_a_fresh_one_is_leave_one_out(self):
        both = [plackett.estimate(np.zeros((2, 4)), self.f, estimator=name, n_samples=4, seed=0) for name in ("surrogate", "reinforce")]
        np.testing.assert_allclose(both[0].gradient, both[1].gradient, atol=1e-12)

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ({"surrogate": plackett.Surrogate(5)}, "for 5 items"),
            ({"surrogate": plackett.Surrogate(4), "top": 2}, "reads 4 ranks"),
            ({"surrogate": plackett.Surrogate(4, top=2)}, "reads 2 ranks"),
            ({"surrogate": [plackett.Surrogate(4)]}, "one for each of 2"),
            ({"surrogate": ["a", "b"]}, "plackett.Surrogate is needed"),
            ({"mask": [True, True, True, False]}, "absent"),
            ({"baseline": "none"}, "baseline is for reinforce"),
            ({"critic": Network(4)}, "no critic"),
            ({"estimator": "reinforce", "surrogate": plackett.Surrogate(4)}, "is for the estimator surrogate"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, arguments, expected):
        with pytest.raises(plackett.PlackettError, match=expected):
            plackett.estimate(np.zeros((2, 4)), self.f, **{"estimator": "surrogate", "n_samples": 2, **arguments})

    def test_settings_are_checked(self):
        for wrong, expected in [
            ({"families": ["pairs"]}, "pairs"),
            ({"families": "positions"}, "list of names"),
            ({"window": 2}, "at least 16"),
            ({"window": 2**62}, "memory"),
            ({"top": 5}, "top"),
            ({"top": 2, "families": ["neighbors"]}, "positions"),
        ]:
            with pytest.raises(plackett.PlackettError, match=expected):
                plackett.Surrogate(4, **wrong)
        with pytest.raises(plackett.PlackettError, match="too many"):
            plackett.Surrogate(10**12)
        surrogate = plackett.Surrogate(3)
        with pytest.raises(plackett.PlackettError, match="row 1"):
            surrogate.observe([[0, 1, 2], [0, 0, 1]], [1.0, 2.0])
        with pytest.raises(plackett.PlackettError, match="shape"):
            surrogate.observe([[0, 1, 2]], [1.0, 2.0])
        with pytest.raises(plackett.PlackettError, match="finite"):
            surrogate.observe([0, 1, 2], np.nan)
