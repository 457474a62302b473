"""Critics of the caller's own: the same estimates as the built-in ones, and the gradient that trains them."""

import pickle

import numpy as np
import pytest

import plackett

RNG = np.random.default_rng(0)
K, N = 4, 3
SCORES, U, V = RNG.normal(size=K), RNG.random((N, K)), RNG.random((N, K))


class Quadratic:
    """c(z) = z A z + b z, and then the sine of it, so that nothing vanishes."""

    n_items = K

    def __init__(self):
        self.parameters = np.linspace(-0.3, 0.4, K * K + K)

    def parts(self, z):
        matrix, slope = self.parameters[: K * K].reshape(K, K), self.parameters[K * K :]
        return z @ matrix @ z + slope @ z, (matrix + matrix.T) @ z + slope

    def value_and_gradient(self, z):
        value, gradient = self.parts(z)
        return np.sin(value), np.cos(value) * gradient

    def parameter_gradient(self, z):
        return np.cos(self.parts(z)[0]) * np.concatenate([np.outer(z, z).ravel(), z])


class WithProduct(Quadratic):
    def mixed_product(self, z, v):
        value, gradient = self.parts(z)
        inner = np.concatenate([(np.outer(v, z) + np.outer(z, v)).ravel(), v])
        return np.cos(value) * inner - np.sin(value) * (v @ gradient) * np.concatenate([np.outer(z, z).ravel(), z])


def value(order):
    return float(order @ np.arange(1, K + 1) ** 1.5)


def estimate(critic, **settings):
    return plackett.estimate(SCORES, value, estimator="relax", critic=critic, u=U, v=V, **settings)


@pytest.mark.parametrize(("critic", "tolerance"), [(Quadratic, 1e-7), (WithProduct, 1e-7)])
def test_the_gradient_that_trains_it(critic, tolerance):
    critic = critic()
    found = [plackett.estimate(SCORES, value, estimator="relax", critic=critic, u=u, v=v) for u, v in zip(U, V, strict=True)]
    width, start = 1e-6, critic.parameters.copy()
    for at in range(len(start)):
        lengths = []
        for sign in (1, -1):
            critic.parameters = start + sign * width * np.eye(len(start))[at]
            lengths.append([(plackett.estimate(SCORES, value, estimator="relax", critic=critic, u=u, v=v).gradient ** 2).sum() for u, v in zip(U, V, strict=True)])
        slopes = (np.array(lengths[0]) - lengths[1]) / (2 * width)
        scale = 1 + abs(slopes).max()
        np.testing.assert_allclose([one.critic_gradient[at] for one in found], slopes, atol=1e-5 * scale)
    critic.parameters = start
    both = estimate(critic), estimate(Quadratic())
    np.testing.assert_allclose(both[0].critic_gradient, both[1].critic_gradient, rtol=tolerance, atol=tolerance * 100)


def test_it_is_unbiased_and_can_be_added():
    own = plackett.critics.OwnCritic(Quadratic())
    exact = plackett.estimate(SCORES, value, estimator="exact").gradient
    critic = own + plackett.critics.Network(K, hidden=2)
    found = np.array([plackett.estimate(SCORES, value, estimator="relax", critic=critic, seed=seed).gradient for seed in range(3000)])
    assert (abs(found.mean(axis=0) - exact) < 4.5 * found.std(axis=0) / np.sqrt(len(found))).all()
    critic.parameters = critic.parameters + 1
    np.testing.assert_allclose(own.critic.parameters[0], 0.7)
    copy = pickle.loads(pickle.dumps(own))
    np.testing.assert_array_equal(copy.parameters, own.parameters)
    np.testing.assert_allclose(copy.value_and_gradient(SCORES)[0], own.critic.value_and_gradient(SCORES)[0])


def test_batches_share_it():
    scores = RNG.normal(size=(2, K))
    found = plackett.estimate(scores, lambda orders: orders[..., 0] * 1.0, estimator="relax", critic=Quadratic(), n_samples=2, seed=0)
    assert found.gradient.shape == (2, K) and found.critic_gradient.shape == (K * K + K,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value_and_gradient": lambda z: 1.0}, "two things"),
        ({"value_and_gradient": lambda z: (1.0, z[:2])}, r"gradient of the critic has the shape \(2,\)"),
        ({"value_and_gradient": lambda z: (np.nan, z)}, "critic"),
        ({"parameter_gradient": lambda z: z}, "gradient in its parameters has the shape"),
        ({"parameter_gradient": lambda z: 1 / 0}, "division"),
        ({"parameters": np.zeros((2, 2))}, "parameters has the shape"),
        ({"n_items": 3}, "the critic is for 3 items|shape"),
    ],
)
def test_what_is_wrong_with_it_is_said(change, message):
    critic = Quadratic()
    for name, thing in change.items():
        setattr(critic, name, thing)
    with pytest.raises((plackett.PlackettError, ZeroDivisionError), match=message):
        estimate(critic)


def test_what_is_no_critic():
    with pytest.raises(plackett.PlackettError, match="CriticLike"):
        estimate(object())
    with pytest.raises(plackett.PlackettError, match="no critic"):
        plackett.critics.OwnCritic(object())
