"""The Plackett-Luce distribution over orders, and the categorical distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plackett import _plackett
from plackett._arrays import (
    Floats,
    Integers,
    Numbers,
    Seed,
    to_count,
    to_floats,
    to_items,
    to_number,
    to_numbers,
    to_rows,
    to_seed,
)
from plackett._plackett import PlackettError
from plackett._rankings import to_rankings


class PlackettLuce:
    """Distributions over orders: items are drawn one after another, each with probability proportional to the
    exponential of its score among those that are left.

    Scores of shape (k,) are one distribution, and of shape (..., k) as many as the leading dimensions say. An item whose score is
    -inf, or that is masked, is absent: it comes after all others, the smaller number first, and has no gradient.
    What is computed has the type of the scores, float32 or float64, and is worked out in float64.

    All methods take batches: an array of shape (..., k) is as many orders as its leading dimensions say, which are matched with those
    of the scores as numpy matches arrays.

    Parameters
    ----------
    scores
        One number per item. Adding a constant to all changes nothing.
    mask
        True for the items that are there: an array of the shape of the scores, or of shape (k,) for all alike.
    lengths
        Only the first so many items of each distribution are there: whole numbers of the shape of the scores without the last dimension.

    Examples
    --------
    >>> import numpy as np, plackett
    >>> law = plackett.PlackettLuce([0.0, np.log(2), -1000.0])
    >>> float(np.exp(law.log_prob([1, 0, 2])).round(6))
    0.666667
    >>> law.sample(2, seed=0).shape
    (2, 3)
    >>> laws = plackett.PlackettLuce(np.zeros((64, 10), dtype=np.float32), lengths=np.arange(64) % 10 + 1)
    >>> orders = laws.sample((5,), top=3, seed=0)
    >>> orders.shape, laws.log_prob(orders).shape, laws.grad_log_prob(orders).dtype
    ((5, 64, 3), (5, 64), dtype('float32'))
    """

    def __init__(self, scores: ArrayLike, mask: ArrayLike | None = None, lengths: ArrayLike | None = None) -> None:
        array = _to_scores(scores, mask, lengths)
        self._dtype = array.dtype
        self._given = np.array(array, dtype=np.float64)
        self.batch_shape: tuple[int, ...] = array.shape[:-1]
        """The shape of the scores without the last dimension, () for a single distribution."""
        self._batch = _plackett.Batch(to_rows(self._given, array.shape[-1]))

    @classmethod
    def fit(
        cls,
        rankings: Any,
        n_items: int | None = None,
        *,
        unranked: Literal["below", "absent"] | None = None,
        weights: ArrayLike | None = None,
        ridge: float = 0.0,
    ) -> Fit:
        """The scores under which rankings are most probable, with their standard errors.

        Parameters
        ----------
        rankings
            Lists of items, the first-ranked first; a list in place of an item is a tie. Or an array of shape (n, m), where -1 ends
            a shorter ranking. Of tied items it is not known which came first: their likelihood is the sum over all orders.
        n_items
            The number of items, if not one more than the largest.
        unranked
            What is known of items that a ranking does not list: they come ``"below"`` all that are listed, as where the best m
            are named, or are ``"absent"``, as where only some took part. To be said if some ranking does not list all.
        weights
            How often each ranking was seen.
        ridge
            Takes ridge/2 times the squared scores off the log-likelihood: a normal prior of variance 1/ridge.

        Raises
        ------
        PlackettError
            Without a ridge the likelihood has a maximum only if, whichever way the items are split in two, some item of each
            part is ranked before one of the other. The error names items for which that is not so.

        Examples
        --------
        >>> import numpy as np, plackett
        >>> drawn = plackett.PlackettLuce([1.0, 0.0, -1.0]).sample(1000, seed=0)
        >>> fit = plackett.PlackettLuce.fit(drawn)
        >>> bool((abs(fit.scores - [1.0, 0.0, -1.0]) < 4 * fit.standard_errors).all())
        True
        >>> fit.law.mode().tolist()
        [0, 1, 2]
        >>> plackett.PlackettLuce.fit([[0, [1, 2]], [2, 0], [1, 0, 2]], unranked="absent").scores.round(3).tolist()
        [0.096, 0.501, -0.597]
        """
        flat = to_rankings(rankings)
        largest = int(flat.items.max(initial=-1))
        items = largest + 1 if n_items is None else to_count(n_items, "n_items", least=1)
        if unranked not in (None, "below", "absent"):
            raise PlackettError(f"unranked is {unranked!r}: it must be below or absent")
        ranks = np.bincount(np.repeat(np.arange(len(flat.counts)), flat.counts), flat.sizes, len(flat.counts))
        if (ranks < items).any() and unranked is None:
            raise PlackettError("some rankings do not list all items: say whether the others are unranked='below' or 'absent'")
        counted = np.ones(len(flat.counts)) if weights is None else to_floats(weights, "weights")
        if counted.shape != flat.counts.shape:
            raise PlackettError(f"weights has the shape {counted.shape}: one is needed for each of {len(flat.counts)} rankings")
        native = _plackett.fit(*flat, counted, items, unranked == "below", to_number(ridge, "ridge"))
        scores, covariance, log_likelihood, steps = native
        return Fit(cls(scores), scores, np.sqrt(np.diag(covariance).clip(0)), covariance, log_likelihood, steps)

    @property
    def scores(self) -> Numbers:
        """The scores, normalized so that their exponentials sum to one.

        >>> import numpy as np, plackett
        >>> float(np.exp(plackett.PlackettLuce([3.0, 3.0]).scores).sum())
        1.0
        """
        return self._typed(self._batch.scores.reshape(self._given.shape))

    @property
    def n_items(self) -> int:
        """The number of items, k.

        >>> import plackett
        >>> plackett.PlackettLuce([0.0, 0.0]).n_items
        2
        """
        return int(self._given.shape[-1])

    def __getitem__(self, index: Any) -> PlackettLuce:
        """Some of the distributions.

        >>> import plackett
        >>> plackett.PlackettLuce([[0.0, 1.0], [1.0, 0.0]])[1].mode().tolist()
        [0, 1]
        """
        if self.batch_shape == ():
            raise PlackettError("this is a single distribution, not a batch of them")
        chosen = self._given[index]
        if chosen.ndim == 0 or chosen.shape[-1] != self.n_items:
            raise PlackettError(f"{index!r} does not choose among distributions of the shape {self.batch_shape}")
        return PlackettLuce(chosen.astype(self._dtype))

    def __len__(self) -> int:
        if self.batch_shape == ():
            raise TypeError("this is a single distribution, not a batch of them")
        return self.batch_shape[0]

    def sample(self, n: int | tuple[int, ...], *, seed: Seed = None, top: int | None = None) -> Integers:
        """Draws n independent orders of each distribution, an array of shape (n, ..., k), or only their first ``top`` ranks.
        A tuple in place of n is a shape.

        The same seed gives the same orders, and more orders begin with the fewer; without one they are fresh every time.

        >>> import plackett
        >>> law = plackett.PlackettLuce([0.0] * 5)
        >>> bool((law.sample(10, seed=1)[:3, :2] == law.sample(3, seed=1, top=2)).all())
        True
        """
        shape = tuple(to_count(length, "n") for length in (n if isinstance(n, tuple) else (n,)))
        ranks = self._top(top)
        drawn = self._batch.sample(to_count(math.prod(shape), "n"), ranks, to_seed(seed), True)
        return drawn.reshape(*shape, *self.batch_shape, ranks)

    def log_prob(self, orders: ArrayLike) -> Any:
        """The log-probability of orders, an array of shape (...) from one of shape (..., k).

        Rows of fewer than k items are beginnings: the log-probability that an order starts with them. A -1 ends a shorter one.

        >>> import numpy as np, plackett
        >>> law = plackett.PlackettLuce([0.0, 0.0, 0.0])
        >>> np.exp(law.log_prob([[0, 1, 2], [2, 1, 0]])).round(6)
        array([0.166667, 0.166667])
        >>> float(np.exp(law.log_prob([2])).round(6))
        0.333333
        """
        items, rows = self._matched(orders)
        shape = items.shape[:-1]
        if items.shape[-1] == 0:
            return np.zeros(shape, dtype=self._dtype)[()]
        return self._typed(self._batch.log_prob(to_rows(items, items.shape[-1]), rows)).reshape(shape)[()]

    def grad_log_prob(self, orders: ArrayLike) -> Numbers:
        """The gradient of :meth:`log_prob` in the scores, an array of shape (..., k).

        >>> import plackett
        >>> plackett.PlackettLuce([0.0, 0.0]).grad_log_prob([1, 0])
        array([-0.5,  0.5])
        """
        items, rows = self._matched(orders)
        shape = (*items.shape[:-1], self.n_items)
        if items.shape[-1] == 0:
            return np.zeros(shape, dtype=self._dtype)
        return self._typed(self._batch.grad_log_prob(to_rows(items, items.shape[-1]), rows)).reshape(shape)

    def mode(self) -> Integers:
        """The most probable order: scores descending, ties by the smaller item.

        >>> import plackett
        >>> plackett.PlackettLuce([0.5, 2.0, -1.0]).mode().tolist()
        [1, 0, 2]
        """
        return np.argsort(-self._given, axis=-1, kind="stable").astype(np.int64, copy=False)

    def entropy(self) -> Any:
        """The entropy in nats, for at most 10,000 items.

        >>> import math, plackett
        >>> math.isclose(plackett.PlackettLuce([1.0] * 4).entropy(), math.log(24))
        True
        """
        rows = to_rows(self._given, self.n_items)
        entropies = [_plackett.Distribution.plackett_luce(row[row > -np.inf]).entropy() for row in rows]
        found = self._typed(np.array(entropies)).reshape(self.batch_shape)[()]
        return float(found) if self.batch_shape == () else found

    def perturb(self, u: ArrayLike) -> Floats:
        """Perturbed scores z from uniform noise, both of shape (..., k): sorting z descending gives an order. For a single distribution.

        >>> import numpy as np, plackett
        >>> z = plackett.PlackettLuce([0.0, 0.0]).perturb([0.2, 0.8])
        >>> np.argsort(-z).tolist()
        [1, 0]
        """
        return _perturb(self._law, u, self.n_items)

    def conditional(self, orders: ArrayLike, v: ArrayLike) -> Floats:
        """Perturbed scores given the orders, from uniform noise v of which entry i belongs to rank i (proposition 1). For a single
        distribution.

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

    @cached_property
    def _law(self) -> _plackett.Distribution:
        """The single distribution, as the estimators with critics take it."""
        if self.batch_shape != ():
            raise PlackettError(f"this is a batch of distributions of the shape {self.batch_shape}: choose one by its index")
        if np.isinf(self._given).any():
            raise PlackettError("an item is absent: perturbed scores need all of them")
        return _plackett.Distribution.plackett_luce(self._given)

    def _orders(self, orders: ArrayLike) -> Integers:
        items = to_items(orders, "orders")
        if items.ndim == 0:
            raise PlackettError("orders is a single number: an order is a list of items")
        return items

    def _matched(self, orders: ArrayLike) -> tuple[Integers, Integers | None]:
        """Orders, and the number of the distribution that each belongs to; none if that is all of them in turn."""
        items = self._orders(orders)
        if items.shape[-1] > self.n_items:
            raise PlackettError(f"orders have {items.shape[-1]} entries where at most {self.n_items} are needed")
        try:
            shape = np.broadcast_shapes(items.shape[:-1], self.batch_shape)
        except ValueError:
            raise PlackettError(
                f"orders of shape {items.shape} do not fit distributions of the shape {self.batch_shape}"
            ) from None
        matched = np.ascontiguousarray(np.broadcast_to(items, (*shape, items.shape[-1])))
        if shape[len(shape) - len(self.batch_shape) :] == self.batch_shape:
            return matched, None
        numbers = np.arange(math.prod(self.batch_shape)).reshape(self.batch_shape)
        return matched, np.ascontiguousarray(np.broadcast_to(numbers, shape)).reshape(-1)

    def _top(self, top: int | None) -> int:
        ranks = self.n_items if top is None else to_count(top, "top")
        if ranks > self.n_items:
            raise PlackettError(f"top is {ranks}: an order has {self.n_items} ranks")
        return ranks

    def _typed(self, numbers: Floats) -> Numbers:
        return numbers.astype(self._dtype, copy=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return PlackettLuce, (self._given.astype(self._dtype),)

    def __repr__(self) -> str:
        return f"PlackettLuce({_short(self.scores)})"


@dataclass(frozen=True, eq=False)
class Fit:
    """What :meth:`plackett.PlackettLuce.fit` finds.

    >>> import plackett
    >>> fit = plackett.PlackettLuce.fit([[0, 1], [0, 1], [1, 0]])
    >>> round(float(fit.scores[0] - fit.scores[1]), 6)  # the logarithm of 2
    0.693147
    """

    law: PlackettLuce
    """The distribution."""
    scores: Floats
    """Its scores, which sum to zero."""
    standard_errors: Floats
    """Their standard errors, for scores that sum to zero."""
    covariance: Floats
    """The covariance of their errors, the inverse of the observed information."""
    log_likelihood: float
    """The logarithm of the likelihood, without the ridge."""
    steps: int
    """The steps of Newton's method."""


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
        self._given = _to_list(scores).copy()
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


def _to_scores(scores: ArrayLike, mask: ArrayLike | None, lengths: ArrayLike | None) -> Numbers:
    """Scores of either type, with -inf for what is absent."""
    array = to_numbers(scores, "scores")
    if array.ndim == 0:
        raise PlackettError(f"scores has the shape {array.shape}: numbers are needed, one per item")
    if array.shape[-1] == 0:
        raise PlackettError("the list of scores is empty: at least one entry is needed")
    if mask is not None:
        array = np.where(_to_mask(mask, array.shape), array, array.dtype.type(-np.inf))
    if lengths is not None:
        counts = to_items(lengths, "lengths")
        if counts.shape != array.shape[:-1]:
            raise PlackettError(f"lengths has the shape {counts.shape}: {array.shape[:-1]} is needed, one for each distribution")
        if ((counts < 1) | (counts > array.shape[-1])).any():
            raise PlackettError(f"lengths must be from 1 to {array.shape[-1]}")
        array = np.where(np.arange(array.shape[-1]) < counts[..., np.newaxis], array, array.dtype.type(-np.inf))
    wrong = np.isnan(array) | np.isposinf(array)
    if wrong.any():
        at = tuple(int(index) for index in np.argwhere(wrong)[0])
        raise PlackettError(f"scores[{', '.join(map(str, at))}] is {_named(array[at])}: finite numbers are needed, and -inf for what is absent")
    return array


def _to_mask(mask: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    array = np.asarray(mask)
    if array.dtype != np.bool_:
        raise PlackettError(f"mask has the type {array.dtype}: it is True for the items that are there")
    if array.shape not in (shape, shape[-1:]):
        raise PlackettError(f"mask has the shape {array.shape}: {shape} is needed, that of the scores, or {shape[-1:]}")
    return array


def _to_list(scores: ArrayLike) -> Floats:
    array = to_floats(scores, "scores")
    if array.ndim != 1:
        raise PlackettError(f"scores has the shape {array.shape}: a list of numbers is needed, one per item")
    return array


def _named(value: Any) -> str:
    return "NaN" if np.isnan(value) else f"{float(value)}"


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


def _short(scores: Numbers) -> str:
    return np.array2string(scores, precision=4, threshold=10, separator=", ")
