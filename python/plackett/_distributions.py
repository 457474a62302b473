"""The Plackett-Luce distribution over orders, and the categorical distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from plackett import _plackett
from plackett._arrays import (
    Floats,
    Integers,
    Seed,
    to_count,
    to_floats,
    to_items,
    to_rows,
    to_seed,
)
from plackett._plackett import PlackettError


class PlackettLuce:
    """A distribution over orders: items are drawn one after another, each with probability proportional to the
    exponential of its score among those that are left.

    All methods take batches: an array of shape (..., k) is as many orders or noise vectors as its leading dimensions say.

    Parameters
    ----------
    scores
        One finite number per item. Adding a constant to all changes nothing.

    Examples
    --------
    >>> import numpy as np, plackett
    >>> law = plackett.PlackettLuce([0.0, np.log(2), -1000.0])
    >>> float(np.exp(law.log_prob([1, 0, 2])).round(6))
    0.666667
    >>> law.sample(2, seed=0).shape
    (2, 3)
    """

    def __init__(self, scores: ArrayLike) -> None:
        self._given = _to_scores(scores).copy()
        self._law = _plackett.Distribution.plackett_luce(self._given)

    @property
    def scores(self) -> Floats:
        """The scores, normalized so that their exponentials sum to one.

        >>> import numpy as np, plackett
        >>> float(np.exp(plackett.PlackettLuce([3.0, 3.0]).scores).sum())
        1.0
        """
        return self._law.scores

    @property
    def n_items(self) -> int:
        """The number of items, k.

        >>> import plackett
        >>> plackett.PlackettLuce([0.0, 0.0]).n_items
        2
        """
        return len(self._law.scores)

    def sample(self, n: int, *, seed: Seed = None, top: int | None = None) -> Integers:
        """Draws n independent orders, an array of shape (n, k), or only their first ``top`` ranks.

        The same seed gives the same orders, and more orders begin with the fewer; without one they are fresh every time.

        >>> import plackett
        >>> law = plackett.PlackettLuce([0.0] * 5)
        >>> bool((law.sample(10, seed=1)[:3, :2] == law.sample(3, seed=1, top=2)).all())
        True
        """
        top = self.n_items if top is None else to_count(top, "top")
        return self._law.sample(to_count(n, "n"), top, to_seed(seed))

    def log_prob(self, orders: ArrayLike) -> Any:
        """The log-probability of orders, an array of shape (...) from one of shape (..., k).

        Rows of fewer than k items are beginnings: the log-probability that an order starts with them.

        >>> import numpy as np, plackett
        >>> law = plackett.PlackettLuce([0.0, 0.0, 0.0])
        >>> np.exp(law.log_prob([[0, 1, 2], [2, 1, 0]])).round(6)
        array([0.166667, 0.166667])
        >>> float(np.exp(law.log_prob([2])).round(6))
        0.333333
        """
        items = self._orders(orders)
        return self._law.log_prob(to_rows(items, items.shape[-1])).reshape(items.shape[:-1])[()]

    def grad_log_prob(self, orders: ArrayLike) -> Floats:
        """The gradient of :meth:`log_prob` in the scores, an array of shape (..., k).

        >>> import plackett
        >>> plackett.PlackettLuce([0.0, 0.0]).grad_log_prob([1, 0])
        array([-0.5,  0.5])
        """
        items = self._orders(orders)
        gradients = self._law.grad_log_prob(to_rows(items, items.shape[-1]))
        return gradients.reshape(*items.shape[:-1], self.n_items)

    def mode(self) -> Integers:
        """The most probable order: scores descending, ties by the smaller item.

        >>> import plackett
        >>> plackett.PlackettLuce([0.5, 2.0, -1.0]).mode().tolist()
        [1, 0, 2]
        """
        return self._law.mode()

    def entropy(self) -> float:
        """The entropy in nats, for at most 10,000 items.

        >>> import math, plackett
        >>> math.isclose(plackett.PlackettLuce([1.0] * 4).entropy(), math.log(24))
        True
        """
        return self._law.entropy()

    def perturb(self, u: ArrayLike) -> Floats:
        """Perturbed scores z from uniform noise, both of shape (..., k): sorting z descending gives an order.

        >>> import numpy as np, plackett
        >>> z = plackett.PlackettLuce([0.0, 0.0]).perturb([0.2, 0.8])
        >>> np.argsort(-z).tolist()
        [1, 0]
        """
        return _perturb(self._law, u, self.n_items)

    def conditional(self, orders: ArrayLike, v: ArrayLike) -> Floats:
        """Perturbed scores given the orders, from uniform noise v of which entry i belongs to rank i (proposition 1).

        Orders and noise of shape (..., k) are matched like numpy's arrays: one order may have many noise vectors.

        >>> import numpy as np, plackett
        >>> z = plackett.PlackettLuce([5.0, 0.0, -5.0]).conditional([2, 0, 1], [[0.5, 0.9, 0.1], [0.1, 0.2, 0.3]])
        >>> np.argsort(-z).tolist()
        [[2, 0, 1], [2, 0, 1]]
        """
        items, noise = self._orders(orders), _to_vectors(v, "v", self.n_items)
        if items.shape[-1] != self.n_items:
            raise PlackettError(f"orders have {items.shape[-1]} entries where {self.n_items} are needed")
        return _conditional(self._law, items, noise)

    def _orders(self, orders: ArrayLike) -> Integers:
        items = to_items(orders, "orders")
        if items.ndim == 0:
            raise PlackettError("orders is a single number: an order is a list of items")
        return items

    def __reduce__(self) -> tuple[Any, ...]:
        return PlackettLuce, (self._given,)

    def __repr__(self) -> str:
        return f"PlackettLuce({_short(self.scores)})"


class Categorical:
    """A distribution over categories 0 to k - 1, each with probability proportional to the exponential of its score.

    All methods take batches: an array of categories of any shape, and noise of shape (..., k).

    Parameters
    ----------
    scores
        One finite number per category. Adding a constant to all changes nothing.

    Examples
    --------
    >>> import numpy as np, plackett
    >>> law = plackett.Categorical([0.0, np.log(3)])
    >>> np.exp(law.log_prob([0, 1])).round(6)
    array([0.25, 0.75])
    """

    def __init__(self, scores: ArrayLike) -> None:
        self._given = _to_scores(scores).copy()
        self._law = _plackett.Distribution.categorical(self._given)

    @property
    def scores(self) -> Floats:
        """The scores, normalized so that their exponentials sum to one.

        >>> import plackett
        >>> plackett.Categorical([7.0]).scores
        array([0.])
        """
        return self._law.scores

    @property
    def n_items(self) -> int:
        """The number of categories, k.

        >>> import plackett
        >>> plackett.Categorical([0.0, 0.0]).n_items
        2
        """
        return len(self._law.scores)

    def sample(self, n: int, *, seed: Seed = None) -> Integers:
        """Draws n independent categories. The same seed gives the same ones; without one they are fresh every time.

        >>> import plackett
        >>> plackett.Categorical([0.0, 50.0]).sample(3, seed=0).tolist()
        [1, 1, 1]
        """
        return self._law.sample(to_count(n, "n"), 1, to_seed(seed))[:, 0]

    def log_prob(self, categories: ArrayLike) -> Any:
        """The log-probability of each category.

        >>> import numpy as np, plackett
        >>> float(np.exp(plackett.Categorical([0.0, 0.0]).log_prob(1)))
        0.5
        """
        items = to_items(categories, "categories")
        return self._law.log_prob(items.reshape(-1, 1)).reshape(items.shape)[()]

    def grad_log_prob(self, categories: ArrayLike) -> Floats:
        """The gradient of :meth:`log_prob` in the scores, an array of shape (..., k).

        >>> import plackett
        >>> plackett.Categorical([0.0, 0.0]).grad_log_prob(1)
        array([-0.5,  0.5])
        """
        items = to_items(categories, "categories")
        return self._law.grad_log_prob(items.reshape(-1, 1)).reshape(*items.shape, self.n_items)

    def mode(self) -> int:
        """The most probable category, the smallest among equals.

        >>> import plackett
        >>> plackett.Categorical([0.5, 2.0, -1.0]).mode()
        1
        """
        return int(self._law.mode()[0])

    def entropy(self) -> float:
        """The entropy in nats.

        >>> import math, plackett
        >>> math.isclose(plackett.Categorical([0.0] * 4).entropy(), math.log(4))
        True
        """
        return self._law.entropy()

    def perturb(self, u: ArrayLike) -> Floats:
        """Perturbed scores z from uniform noise, both of shape (..., k): the largest z is the category.

        >>> import plackett
        >>> int(plackett.Categorical([0.0, 0.0]).perturb([0.2, 0.8]).argmax())
        1
        """
        return _perturb(self._law, u, self.n_items)

    def conditional(self, categories: ArrayLike, v: ArrayLike) -> Floats:
        """Perturbed scores given the categories, from uniform noise v of which entry i belongs to category i (equation 10).

        >>> import plackett
        >>> z = plackett.Categorical([0.0, 5.0, -2.0]).conditional(2, [0.9, 0.9, 0.1])
        >>> int(z.argmax())
        2
        """
        items = to_items(categories, "categories")
        return _conditional(self._law, items[..., np.newaxis], _to_vectors(v, "v", self.n_items))

    def __reduce__(self) -> tuple[Any, ...]:
        return Categorical, (self._given,)

    def __repr__(self) -> str:
        return f"Categorical({_short(self.scores)})"


def _to_scores(scores: ArrayLike) -> Floats:
    array = to_floats(scores, "scores")
    if array.ndim != 1:
        raise PlackettError(f"scores has the shape {array.shape}: a list of numbers is needed, one per item")
    return array


def _to_vectors(value: ArrayLike, what: str, items: int) -> Floats:
    array = to_floats(value, what)
    if array.ndim == 0 or array.shape[-1] != items:
        raise PlackettError(f"{what} has the shape {array.shape}: the last dimension must be {items}, one entry per item")
    return array


def _perturb(law: _plackett.Distribution, u: ArrayLike, items: int) -> Floats:
    noise = _to_vectors(u, "u", items)
    return law.perturb(to_rows(noise, items)).reshape(noise.shape)


def _conditional(law: _plackett.Distribution, outcomes: Integers, noise: Floats) -> Floats:
    try:
        shape = np.broadcast_shapes(outcomes.shape[:-1], noise.shape[:-1])
    except ValueError:
        raise PlackettError(f"outcomes of shape {outcomes.shape} do not fit noise of shape {noise.shape}") from None
    length, items = outcomes.shape[-1], noise.shape[-1]
    outcomes = np.ascontiguousarray(np.broadcast_to(outcomes, (*shape, length)))
    noise = np.ascontiguousarray(np.broadcast_to(noise, (*shape, items)))
    return law.conditional(to_rows(outcomes, length), to_rows(noise, items)).reshape(*shape, items)


def _short(scores: Floats) -> str:
    return np.array2string(scores, precision=4, threshold=10, separator=", ")
