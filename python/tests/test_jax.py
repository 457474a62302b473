"""JAX: gradients equal those of `estimate`, under jit and vmap, too."""

import numpy as np
import pytest

import plackett

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import plackett.jax  # noqa: E402

jax.config.update("jax_enable_x64", True)
RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(4, 5, 5))


def seed_of(key):
    high, low = (int(part) for part in jax.random.bits(key, (2,), jnp.uint32))
    return high << 32 | low


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-12)])
@pytest.mark.parametrize("estimator", ["reinforce", "exact"])
@pytest.mark.parametrize("top", [None, 2])
@pytest.mark.parametrize("black_box", [False, True])
def test_gradients_are_those_of_estimate(dtype, tolerance, estimator, top, black_box):
    theta, key = jnp.asarray(RNG.normal(size=(4, 5)), dtype=dtype), jax.random.key(1)
    library = np if black_box else jnp

    def value(orders, row):
        return library.asarray(TABLE)[row[..., None], library.arange(orders.shape[-1]), orders].sum(axis=-1)

    def loss(theta):
        found = plackett.jax.expectation(
            theta, value, key, n_samples=8, top=top, estimator=estimator, black_box=black_box
        )
        return found.sum(), found

    gradient, found = jax.grad(loss, has_aux=True)(theta)
    together, _ = jax.jit(jax.grad(loss, has_aux=True))(theta)
    settings = {} if estimator == "exact" else {"n_samples": 8, "seed": seed_of(key)}

    def plain(orders, row):
        return TABLE[row[..., None], np.arange(orders.shape[-1]), orders].sum(axis=-1)

    expected = plackett.estimate(np.asarray(theta), plain, estimator=estimator, top=top, **settings)
    scale = 1 + np.abs(expected.gradient).max()
    for gradient in (gradient, together):
        np.testing.assert_allclose(gradient, expected.gradient, atol=tolerance * scale)
    np.testing.assert_allclose(found, expected.value, rtol=tolerance, atol=tolerance * 10)


def test_parameters_of_the_function_receive_their_gradient():
    theta = jnp.asarray(RNG.normal(size=(2, 4)))

    def loss(theta, weight):
        return plackett.jax.expectation(theta, lambda orders: jnp.sin(weight * orders[..., 0]), estimator="exact").sum()

    gradients = jax.grad(loss, argnums=(0, 1))(theta, 1.5)
    width = 1e-6
    assert float(gradients[1]) == pytest.approx(float(loss(theta, 1.5 + width) - loss(theta, 1.5 - width)) / (2 * width), abs=1e-8)
    for row, item in np.ndindex(2, 4):
        step = jnp.zeros((2, 4)).at[row, item].set(width)
        slope = (loss(theta + step, 1.5) - loss(theta - step, 1.5)) / (2 * width)
        assert float(gradients[0][row, item]) == pytest.approx(float(slope), abs=1e-8)


def test_vmap_is_a_loop():
    thetas, keys = jnp.asarray(RNG.normal(size=(3, 2, 4))), jax.random.split(jax.random.key(0), 3)

    def gradient(theta, key):
        return jax.grad(lambda theta: plackett.jax.expectation(theta, lambda orders: orders[..., 0] * 1.0, key).sum())(theta)

    together = jax.jit(jax.vmap(gradient))(thetas, keys)
    alone = jnp.stack([gradient(theta, key) for theta, key in zip(thetas, keys, strict=True)])
    np.testing.assert_allclose(together, alone, atol=1e-14)
    assert not np.allclose(together[0], together[1])


def test_masks():
    theta, mask = jnp.zeros((2, 4)), jnp.array([[True, True, False, False], [True] * 4])

    def loss(theta):
        return plackett.jax.expectation(theta, lambda orders: orders[..., 0] * 1.0, jax.random.key(0), mask=mask).sum()

    gradient = jax.grad(loss)(theta)
    assert (gradient[0, 2:] == 0).all() and jnp.isfinite(gradient).all() and (gradient[1] != 0).any()


def test_what_is_refused():
    for settings in ({}, {"key": jax.random.key(0), "top": 5}, {"key": jax.random.key(0), "estimator": "relax"}):
        with pytest.raises(plackett.PlackettError):
            plackett.jax.expectation(jnp.zeros((2, 4)), lambda orders: orders[..., 0], **settings)
    with pytest.raises(plackett.PlackettError, match="shape"):
        plackett.jax.expectation(jnp.zeros((2, 4)), lambda orders: orders[0], jax.random.key(0))
