"""Orders drawn now and valued later: the two halves of REINFORCE."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plackett._arrays import Floats, Integers, Numbers, Seed, to_count, to_floats, to_seed
from plackett._distributions import PlackettLuce
from plackett._plackett import PlackettError
from plackett._surrogate import Control, Surrogate

Baseline: TypeAlias = Literal["auto", "none", "leave_one_out"]

_BASELINES = ("auto", "none", "leave_one_out")


@dataclass(frozen=True, eq=False)
class Drawn:
    """Orders drawn by :func:`plackett.draw`, to be valued anywhere and handed to :func:`plackett.gradient`. It can be pickled.

    >>> import pickle, numpy as np, plackett
    >>> drawn = plackett.draw(np.zeros((3, 5)), 4, top=2, seed=0)
    >>> pickle.loads(pickle.dumps(drawn)).orders.shape
    (3, 4, 2)
    """

    law: PlackettLuce
    """The distributions."""
    orders: Integers
    """The orders, or their beginnings, of shape (..., K, m): K of each distribution."""
    seed: int
    """The seed that they were drawn with."""


def draw(
    scores: ArrayLike | PlackettLuce,
    n_samples: int,
    *,
    top: int | None = None,
    mask: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
    seed: Seed = None,
) -> Drawn:
    """Draws orders whose values somebody else will find: another process, a simulator, automatic differentiation.

    Parameters
    ----------
    scores
        Scores of shape (..., k), or distributions.
    n_samples
        The number K of orders to draw of each distribution.
    top
        Draw only so many ranks, where the function reads no more: the gradient is then that of their probability, and has
        less variance.
    mask, lengths
        As for :class:`plackett.PlackettLuce`.
    seed
        A number or a numpy generator; fresh orders without one.

    Examples
    --------
    >>> import numpy as np, plackett
    >>> drawn = plackett.draw(np.zeros((64, 10)), 16, top=3, seed=0)
    >>> drawn.orders.shape
    (64, 16, 3)
    >>> values = drawn.orders[..., 0].astype(float)  # the number of the first item
    >>> gradient = plackett.gradient(drawn, values)
    >>> gradient.shape, bool(gradient.mean(axis=0)[0] < 0 < gradient.mean(axis=0)[9])
    ((64, 10), True)
    """
    law = to_law(scores, mask, lengths)
    count, number = to_count(n_samples, "n_samples", least=1), to_seed(seed)
    return Drawn(law, draw_orders(law, count, top, number), number)


def gradient(
    drawn: Drawn,
    values: ArrayLike,
    *,
    baseline: Baseline | ArrayLike = "auto",
    surrogate: Surrogate | Sequence[Surrogate] | None = None,
) -> Numbers:
    """The gradient of E f(b) in the scores, of shape (..., k), from the values of f on the orders drawn: REINFORCE.

    Parameters
    ----------
    drawn
        What :func:`plackett.draw` drew.
    values
        The values of f on its orders, of shape (..., K).
    baseline
        What is subtracted from them. ``"leave_one_out"``: from each the mean of the others of its distribution; ``"none"``;
        a number, or one for each distribution, which must not depend on these values (say, a mean of those before).
        ``"auto"`` leaves one out, and subtracts nothing where there is one sample only: then better give a number.
    surrogate
        A :class:`plackett.Surrogate` of f, or one for each distribution: REINFORCE is then made of what it leaves unexplained, the exact
        gradient of what it explains is added, and it learns from the values.

    Examples
    --------
    >>> import numpy as np, plackett
    >>> drawn = plackett.draw(np.zeros(3), 2, seed=0)
    >>> plackett.gradient(drawn, [5.0, 5.0])
    array([0., 0., 0.])
    """
    if not isinstance(drawn, Drawn):
        raise PlackettError("drawn is what plackett.draw returns")
    found = to_floats(values, "values")
    shape = drawn.orders.shape[:-1]
    if found.shape != shape:
        raise PlackettError(f"values has the shape {found.shape}: {shape} is needed, one for each order")
    check_values(found, drawn.orders)
    if surrogate is None:
        return weighted_gradient(drawn.law, drawn.orders, to_weights(found, baseline))
    if not (isinstance(baseline, str) and baseline == "auto"):
        raise PlackettError("a surrogate is its own baseline: give one of them")
    return surrogate_gradient(Control(surrogate, drawn.law, drawn.orders.shape[-1]), drawn.orders, found)[0]


def to_law(scores: ArrayLike | PlackettLuce, mask: ArrayLike | None, lengths: ArrayLike | None) -> PlackettLuce:
    """Distributions from scores, unless they are that already."""
    if not isinstance(scores, PlackettLuce):
        return PlackettLuce(scores, mask, lengths)
    if mask is not None or lengths is not None:
        raise PlackettError("mask and lengths are for scores: these are distributions already")
    return scores


def draw_orders(law: PlackettLuce, count: int, top: int | None, seed: int) -> Integers:
    """Orders of shape (..., K, m) that nobody may change."""
    ranks = law._top(top)
    if ranks == 0:
        raise PlackettError("top is 0: at least 1 is needed")
    orders = law._batch.sample(count, ranks, seed, False).reshape(*law.batch_shape, count, ranks)
    orders.setflags(write=False)
    return orders


def to_weights(values: Floats, baseline: Baseline | ArrayLike) -> Floats:
    """What each order's gradient of log p is multiplied by, from values of shape (..., K)."""
    count = values.shape[-1]
    if isinstance(baseline, str):
        if baseline not in _BASELINES:
            raise PlackettError(f"baseline is {baseline!r}: it must be one of {', '.join(_BASELINES)}, or numbers")
        if baseline == "leave_one_out" and count < 2:
            raise PlackettError("leave_one_out needs at least 2 samples")
        if baseline != "none" and count >= 2:
            left_out: Floats = (values - values.mean(axis=-1, keepdims=True)) / (count - 1)
            return left_out
        plain: Floats = values / count
        return plain
    given = to_floats(baseline, "baseline")
    if given.shape not in ((), values.shape[:-1]):
        raise PlackettError(f"baseline has the shape {given.shape}: a number is needed, or one for each distribution")
    if not np.isfinite(given).all():
        raise PlackettError("baseline is not finite")
    less: Floats = (values - given[..., np.newaxis]) / count
    return less


def weighted_gradient(law: PlackettLuce, orders: Integers, weights: Floats) -> Numbers:
    """The weighted sum of the gradients of log p over the orders of each distribution."""
    length = orders.shape[-1]
    rows = orders.reshape(math.prod(weights.shape), length)
    return law._typed(law._batch.sum_grad_log_prob(rows, np.ascontiguousarray(weights).reshape(-1))).reshape(law._given.shape)


def surrogate_gradient(control: Control, orders: Integers, values: Floats) -> tuple[Numbers, Any, Floats, Numbers]:
    """The gradient with a surrogate, which learns from the values; E f(b); the weights of the orders; and the gradient of E h(b)."""
    law = control.law
    left = control.left(orders, values)
    expected, slopes = control.expectation()
    weights, known = to_weights(left, "auto"), law._typed(slopes)
    found = weighted_gradient(law, orders, weights) + known
    control.learn(orders, values)
    return found, mean_value(law, left, expected), weights, known


def mean_value(law: PlackettLuce, values: Floats, known: Any = 0.0) -> Any:
    """What is known of E f(b), and the mean of the values beyond that, for each distribution."""
    means = known + (values / values.shape[-1]).sum(axis=-1)  # the sum itself may overflow
    return float(means) if law.batch_shape == () else law._typed(means)


def check_values(values: Floats, orders: NDArray[Any]) -> None:
    """Refuses values that are not finite, with the first order that has one."""
    if not np.isfinite(values).all():
        at = tuple(int(index) for index in np.argwhere(~np.isfinite(values))[0])
        order = np.array2string(orders[at], threshold=20, separator=", ")
        raise PlackettError(f"f is {values[at]} on {order}: only finite values can be optimized")
