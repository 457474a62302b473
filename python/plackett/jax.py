"""Expectations over orders for JAX: differentiable in the scores, and in whatever the function itself depends on; under ``jit`` and
``vmap``, too.

Needs JAX, which is not among the package's dependencies. The orders are drawn and the gradients summed by native code on the processor, by
``jax.pure_callback``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from plackett._distributions import PlackettLuce
from plackett._draw import draw_orders, weighted_gradient
from plackett._estimate import all_orders, takes_two
from plackett._plackett import PlackettError

__all__ = ["expectation"]


def expectation(
    theta: jax.Array,
    f: Callable[..., jax.Array],
    key: jax.Array | None = None,
    *,
    n_samples: int = 16,
    top: int | None = None,
    mask: jax.Array | None = None,
    estimator: Literal["reinforce", "exact"] = "reinforce",
    black_box: bool = False,
) -> jax.Array:
    """E f(b) for orders b of Plackett-Luce distributions with scores theta, estimated from samples: an array of shape (B,) from one of
    shape (B, k).

    Its gradient in theta is that of :func:`plackett.estimate` with a leave-one-out baseline, unbiased; parameters that f closes over
    receive theirs.

    Parameters
    ----------
    theta
        Scores of shape (..., k).
    f
        Takes orders, whole numbers of shape (..., n, m), and returns values of shape (..., n). If it takes a second argument, that is the
        number of the row, of shape (..., 1).
    key
        A key of ``jax.random`` for the samples; ``exact`` needs none.
    n_samples, top, mask, estimator
        As for :func:`plackett.estimate`.
    black_box
        Whether f is a function of numpy arrays that JAX cannot trace. It is then called back, and must have no effects.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, plackett.jax
    >>> def loss(theta):
    ...     first = plackett.jax.expectation(theta, lambda orders: orders[..., 0] * 1.0, jax.random.key(0), n_samples=64, top=1)
    ...     return first.sum()
    >>> gradient = jax.jit(jax.grad(loss))(jnp.zeros((8, 5)))
    >>> bool((gradient[:, 0] < 0).all() and (gradient[:, 4] > 0).all())
    True
    """
    theta = jnp.asarray(theta)
    if theta.ndim == 0 or not jnp.issubdtype(theta.dtype, jnp.floating):
        raise PlackettError(f"theta has the shape {theta.shape} and the type {theta.dtype}: numbers are needed, one per item")
    if mask is not None:
        if mask.shape not in (theta.shape, theta.shape[-1:]):
            raise PlackettError(f"mask has the shape {mask.shape}: {theta.shape} is needed, that of theta, or {theta.shape[-1:]}")
        theta = jnp.where(mask, theta, -jnp.inf)
    items, rows = theta.shape[-1], theta.shape[:-1]
    ranks = items if top is None else top
    if not 1 <= ranks <= items:
        raise PlackettError(f"top is {top}: an order has {items} ranks")
    if estimator == "exact":
        every = all_orders(items, ranks)
        orders = jnp.broadcast_to(every, (*rows, *every.shape))
    elif estimator == "reinforce":
        if key is None:
            raise PlackettError("a key is needed to draw orders")
        orders = _draw(theta, key, n_samples, ranks)
    else:
        raise PlackettError(f"estimator is {estimator!r}: it must be one of reinforce, exact")
    values = _evaluate(f, orders, rows, black_box)
    fixed = jax.lax.stop_gradient(values)
    if estimator == "exact":
        probabilities = _probabilities(jax.lax.stop_gradient(theta), orders)
        mean = (probabilities * values).sum(-1)
        weights = probabilities * (fixed - jax.lax.stop_gradient(mean)[..., None])
    else:
        count = values.shape[-1]
        mean = values.mean(-1)
        weights = (fixed - fixed.mean(-1, keepdims=True)) / (count - 1) if count > 1 else fixed
    return mean + _score(theta, orders, weights)


def _evaluate(f: Callable[..., Any], orders: jax.Array, rows: tuple[int, ...], black_box: bool) -> jax.Array:
    arguments = (orders, jnp.arange(math.prod(rows)).reshape(*rows, 1)) if takes_two(f) else (orders,)
    if not black_box:
        values = jnp.asarray(f(*arguments))
    else:
        shape = jax.ShapeDtypeStruct(orders.shape[:-1], jnp.result_type(float))

        def call(*arrays: Any) -> Any:
            return np.asarray(f(*(np.asarray(array) for array in arrays)), dtype=shape.dtype)

        values = jax.pure_callback(call, shape, *arguments, vmap_method="sequential")
    if values.shape != orders.shape[:-1]:
        raise PlackettError(f"f returned values of shape {values.shape} for orders of shape {orders.shape}")
    return values


def _draw(theta: jax.Array, key: jax.Array, count: int, ranks: int) -> jax.Array:
    shape = jax.ShapeDtypeStruct((*theta.shape[:-1], count, ranks), jnp.result_type(int))
    bits = jax.random.bits(key, (2,), jnp.uint32)
    call = partial(_draw_natively, count=count, ranks=ranks, dtype=shape.dtype)
    return jax.pure_callback(call, shape, jax.lax.stop_gradient(theta), bits, vmap_method="sequential")


def _draw_natively(theta: Any, bits: Any, *, count: int, ranks: int, dtype: Any) -> Any:
    high, low = (int(part) for part in np.asarray(bits))
    return draw_orders(PlackettLuce(np.asarray(theta)), count, ranks, high << 32 | low).astype(dtype)


def _probabilities(theta: jax.Array, orders: jax.Array) -> jax.Array:
    def call(theta: Any, orders: Any) -> Any:
        law = PlackettLuce(np.asarray(theta, dtype=np.float64)[..., np.newaxis, :])
        return np.exp(law.log_prob(np.asarray(orders))).astype(theta.dtype)

    shape = jax.ShapeDtypeStruct(orders.shape[:-1], theta.dtype)
    return jax.pure_callback(call, shape, theta, orders, vmap_method="sequential")


@jax.custom_vjp
def _score(theta: jax.Array, orders: jax.Array, weights: jax.Array) -> jax.Array:
    """Zero, with the weighted sum of the gradients of log p as its gradient in theta."""
    return jnp.zeros(theta.shape[:-1], theta.dtype)


def _score_forward(theta: jax.Array, orders: jax.Array, weights: jax.Array) -> tuple[jax.Array, tuple[jax.Array, ...]]:
    return jnp.zeros(theta.shape[:-1], theta.dtype), (theta, orders, weights)


def _score_backward(kept: tuple[jax.Array, ...], out: jax.Array) -> tuple[jax.Array, None, None]:
    theta, orders, weights = kept

    def call(theta: Any, orders: Any, weights: Any) -> Any:
        ranked = np.ascontiguousarray(orders, dtype=np.int64)
        return weighted_gradient(PlackettLuce(np.asarray(theta)), ranked, np.asarray(weights, dtype=np.float64))

    shape = jax.ShapeDtypeStruct(theta.shape, theta.dtype)
    gradient = jax.pure_callback(call, shape, theta, orders, weights, vmap_method="sequential")
    return gradient * out[..., None], None, None  # the other two are held constant


_score.defvjp(_score_forward, _score_backward)
