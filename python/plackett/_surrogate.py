"""Surrogates: predictions of a function of orders that have an exact expectation, learned from its evaluations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from plackett import _plackett
from plackett._arrays import Floats, Integers, to_count, to_floats, to_items, to_rows
from plackett._distributions import PlackettLuce
from plackett._plackett import PlackettError

Family: TypeAlias = Literal["positions", "precedences", "neighbors", "ends"]


class Surrogate:
    """A prediction h(b) of a function f of orders: a sum over which item stands at which rank, which comes before which and which right
    after which, whose expectation and gradient are known exactly.

    Given to :func:`plackett.estimate`, it leaves to chance only what it does not explain of f, and learns from the values of f after each
    call; so the estimates are unbiased whatever it has learned. Keep it between calls. It remembers the last evaluations, fits itself to
    them anew each time that half as many have come in, and takes the families that predict best what the fit was not shown; if none
    predicts better than a constant it is a constant. It can be pickled.

    Parameters
    ----------
    n_items
        The number of items, k.
    families
        What it may read of an order: ``"positions"``, ``"precedences"``, ``"neighbors"`` and ``"ends"`` (the first and the last item
        together, which close a tour). All by default, beyond 100 items the first two.
    window
        How many evaluations it remembers.
    top
        If f reads the first m items alone, their number: then it reads nothing but their positions either.

    Examples
    --------
    >>> import numpy as np, plackett
    >>> distance = np.random.default_rng(0).random((6, 6))
    >>> def path(orders):  # the length of open tours, of shape (B, n)
    ...     return distance[orders[..., :-1], orders[..., 1:]].sum(axis=-1)
    >>> surrogate = plackett.Surrogate(6)
    >>> scores = np.zeros((4, 6))
    >>> for seed in range(8):
    ...     found = plackett.estimate(scores, path, estimator="surrogate", surrogate=surrogate, n_samples=16, seed=seed)
    >>> "neighbors" in surrogate.families, surrogate.explained > 0.99
    (True, True)
    """

    def __init__(
        self, n_items: int, *, families: Iterable[Family] | None = None, window: int = 2000, top: int | None = None
    ) -> None:
        if isinstance(families, str):
            raise PlackettError(f"families is {families!r}: a list of names is needed")
        self._native = _plackett.Surrogate(
            to_count(n_items, "n_items", least=1),
            None if families is None else [str(family) for family in families],
            to_count(window, "window"),
            None if top is None else to_count(top, "top", least=1),
        )

    @property
    def n_items(self) -> int:
        """The number of items.

        >>> import plackett
        >>> plackett.Surrogate(3).n_items
        3
        """
        return self._native.items

    @property
    def top(self) -> int | None:
        """How many ranks it reads, if not all.

        >>> import plackett
        >>> plackett.Surrogate(30, top=5).top
        5
        """
        return self._native.top

    @property
    def families(self) -> tuple[str, ...]:
        """What it reads of an order at present; nothing before it has learned.

        >>> import plackett
        >>> plackett.Surrogate(3).families
        ()
        """
        return tuple(self._native.families)

    @property
    def n_evaluations(self) -> int:
        """How many evaluations it was told of.

        >>> import plackett
        >>> surrogate = plackett.Surrogate(3)
        >>> surrogate.observe([[0, 1, 2], [2, 1, 0]], [1.0, 2.0])
        >>> surrogate.n_evaluations
        2
        """
        return self._native.evaluations

    @property
    def explained(self) -> float:
        """The share of the variance of f that it predicted when it was fitted last, on evaluations that the fit was not shown.

        >>> import plackett
        >>> plackett.Surrogate(3).explained
        0.0
        """
        return self._native.explained

    def observe(self, orders: ArrayLike, values: ArrayLike) -> None:
        """Takes note of values of f on orders, of shapes (..., k) and (...), found elsewhere: before the first step, say.

        >>> import numpy as np, plackett
        >>> surrogate = plackett.Surrogate(4)
        >>> orders = plackett.PlackettLuce(np.zeros(4)).sample(100, seed=0)
        >>> surrogate.observe(orders, (orders[:, 0] == 2) * 1.0)
        >>> surrogate.predict([[2, 0, 1, 3], [0, 2, 1, 3]]).round(6) + 0.0
        array([1., 0.])
        """
        checked, found = to_items(orders, "orders"), to_floats(values, "values")
        if checked.shape[:-1] != found.shape:
            raise PlackettError(f"values has the shape {found.shape}: {checked.shape[:-1]} is needed, one for each order")
        self._native.observe(to_rows(checked, checked.shape[-1]), found.reshape(-1))

    def predict(self, orders: ArrayLike) -> Floats:
        """What it predicts for orders of shape (..., k).

        >>> import plackett
        >>> surrogate = plackett.Surrogate(3)
        >>> surrogate.observe([0, 1, 2], 4.0)
        >>> surrogate.predict([[2, 1, 0], [0, 1, 2]])  # a mean, so far
        array([4., 4.])
        """
        checked = to_items(orders, "orders")
        if checked.ndim == 0:
            raise PlackettError("orders is a number: orders are lists of items")
        return self._native.predict(to_rows(checked, checked.shape[-1])).reshape(checked.shape[:-1])

    def expectation(self, scores: ArrayLike | PlackettLuce) -> tuple[Floats, Floats]:
        """E h(b) under distributions with scores of shape (..., k), and its gradient in them; exactly.

        >>> import numpy as np, plackett
        >>> value, gradient = plackett.Surrogate(3).expectation(np.zeros((5, 3)))
        >>> value.shape, gradient.shape
        ((5,), (5, 3))
        """
        law = scores if isinstance(scores, PlackettLuce) else PlackettLuce(scores)
        if np.isinf(law._given).any():
            raise PlackettError("an item is absent: a surrogate needs all of them")
        value, gradient = self._native.expectations(law._batch)
        return value.reshape(law.batch_shape), gradient.reshape(law._given.shape)

    def freeze(self) -> None:
        """Stops learning: from here on it follows the mean of what it leaves unexplained alone.

        >>> import plackett
        >>> plackett.Surrogate(3).freeze()
        """
        self._native.freeze()

    def to_json(self) -> str:
        """The whole state as a text.

        >>> import plackett
        >>> plackett.Surrogate(3).to_json().startswith("{")
        True
        """
        return self._native.to_json()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The surrogate of a text by :meth:`to_json`, which goes on exactly as the one that was saved.

        >>> import plackett
        >>> plackett.Surrogate.from_json(plackett.Surrogate(4).to_json()).n_items
        4
        """
        made = cls.__new__(cls)
        made._native = _plackett.Surrogate.from_json(text)
        return made

    def __getstate__(self) -> str:
        return self.to_json()

    def __setstate__(self, text: str) -> None:
        self._native = _plackett.Surrogate.from_json(text)

    def __repr__(self) -> str:
        reads = ", ".join(self.families) or "nothing"
        return f"<Surrogate of {self.n_items} items that reads {reads}, {100 * self.explained:.1f} % explained>"


class Control:
    """One surrogate that all distributions share, or one for each of them."""

    def __init__(self, surrogate: Surrogate | Sequence[Surrogate] | None, law: PlackettLuce, ranks: int) -> None:
        if surrogate is None:
            surrogate = Surrogate(law.n_items, top=None if ranks == law.n_items else ranks)
        self.law = law
        self.is_shared = isinstance(surrogate, Surrogate)
        self.each: list[Any] = [surrogate] if isinstance(surrogate, Surrogate) else list(surrogate)
        rows = law._batch.scores.shape[0]
        if not self.is_shared and len(self.each) != rows:
            raise PlackettError(f"surrogate has {len(self.each)} surrogates: one is needed, or one for each of {rows} distributions")
        for one in self.each:
            if not isinstance(one, Surrogate):
                raise PlackettError(f"surrogate is {one!r}: a plackett.Surrogate is needed")
            if one.n_items != law.n_items:
                raise PlackettError(f"the surrogate is for {one.n_items} items, and there are {law.n_items}")
            if (one.top or one.n_items) != ranks:
                raise PlackettError(
                    f"the surrogate reads {one.top or one.n_items} ranks, and the orders have {ranks}: give both the same top"
                )
        if np.isinf(law._given).any():
            raise PlackettError("an item is absent: a surrogate needs all of them")

    def left(self, orders: Integers, values: Floats) -> Floats:
        """What the surrogate does not explain of the values."""
        if self.is_shared:
            predicted = self.each[0].predict(orders)
        else:
            rows = orders.reshape(len(self.each), *orders.shape[-2:])
            predicted = np.stack([one.predict(row) for one, row in zip(self.each, rows, strict=True)]).reshape(values.shape)
        left: Floats = values - predicted
        return left

    def expectation(self) -> tuple[Floats, Floats]:
        """E h(b) of each distribution, and its gradient."""
        if self.is_shared:
            found: tuple[Floats, Floats] = self.each[0].expectation(self.law)
            return found
        rows = to_rows(self.law._given, self.law.n_items)
        values, gradients = zip(*(one.expectation(row) for one, row in zip(self.each, rows, strict=True)), strict=True)
        return np.stack(values).reshape(self.law.batch_shape), np.stack(gradients).reshape(self.law._given.shape)

    def learn(self, orders: Integers, values: Floats) -> None:
        """Takes note of the values. Only once the gradient is made: the surrogate must not depend on the samples that it is held against."""
        if self.is_shared:
            self.each[0].observe(orders, values)
            return
        rows = orders.reshape(len(self.each), *orders.shape[-2:])
        for one, row, row_values in zip(self.each, rows, values.reshape(len(self.each), -1), strict=True):
            one.observe(row, row_values)
