"""Published problems over permutations, from arrays or files, with searches that know their structure."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from plackett import _plackett
from plackett._arrays import Floats, Integers, to_count, to_floats, to_items, to_pairs, to_seed, to_windows
from plackett._drive import Limits, TracePoint
from plackett._plackett import PlackettError

__all__ = ["Problem", "Solution", "assignment", "flow_shop", "linear_ordering", "qap", "read", "tsp"]

ProblemMethod: TypeAlias = Literal[
    "default", "insertion", "pl-relax", "pl-reinforce", "pl", "pl-relax+insertion", "pl-surrogate"
]

# Seconds if there is no limit.
_DEFAULT_SECONDS = 10.0


@dataclass(frozen=True, eq=False)
class Solution:
    """What :meth:`Problem.solve` finds."""

    order: Integers
    """The best order."""
    value: float
    """Its value."""
    evaluations: int
    """Orders valued, whole or by what a move changes."""
    seconds: float
    """How long it took."""
    status: str
    """Why the search ended: ``"time"``, ``"evaluations"``, ``"target"``, ``"patience"`` or ``"interrupted"``."""
    gap: float | None
    """How much worse than the best value known, as a share of it; none if no value is known."""
    trace: list[TracePoint]
    """When better orders were found."""


class Problem:
    """A problem over permutations whose structure is known: make one by :func:`tsp`, :func:`qap`, :func:`flow_shop`,
    :func:`linear_ordering`, :func:`assignment` or :func:`read`."""

    def __init__(self, native: _plackett.Problem) -> None:
        self._native = native

    @property
    def kind(self) -> str:
        """Its kind: tsp, qap, pfsp, lop or assignment."""
        return self._native.kind

    @property
    def name(self) -> str:
        """Its name, by which published values are found."""
        return self._native.name

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self._native.n_items

    @property
    def is_maximizing(self) -> bool:
        """Whether large values are wanted: of linear ordering alone."""
        return self._native.is_maximizing

    @property
    def best_known(self) -> float | None:
        """The best value known, where one is published under its name or stated in its file."""
        best = self._native.best_known
        return None if best is None else best[0]

    def value(self, order: ArrayLike) -> float:
        """The value of an order.

        >>> import plackett
        >>> plackett.problems.flow_shop([[3, 2], [1, 4]]).value([1, 0])
        7.0
        """
        return self._native.value(to_items(order, "order"))

    def solve(
        self,
        *,
        time_limit: float | None = None,
        max_evaluations: int | None = None,
        target: float | None = None,
        patience: int | None = None,
        method: ProblemMethod = "default",
        before: Iterable[tuple[int, int]] = (),
        pins: Mapping[int, int] | None = None,
        ranks: Mapping[int, tuple[int, int]] | None = None,
        seed: int = 0,
    ) -> Solution:
        """A good order by a search that knows the problem. Without a limit it takes ten seconds. Ctrl-C ends it with the best order
        so far.

        Parameters
        ----------
        time_limit, max_evaluations, target, patience
            When to stop: after so many seconds, so many orders valued (whole, or by what a move changes), as soon as a value is as good as this (the best value
            known, if it is proven to be the best, unless told otherwise), or after so many orders without a better one.
        method
            How to search: ``"default"`` has moves and kicks of the problem's own.
        before, pins, ranks
            What every order keeps, as for :class:`plackett.Optimizer`.
        seed
            The seed of all random numbers.

        Examples
        --------
        >>> import plackett
        >>> points = [[0, 0], [9, 9], [0, 9], [9, 0]]
        >>> plackett.problems.tsp(points).solve(max_evaluations=1000).value
        36.0
        """
        best = self._native.best_known
        limits = Limits.of(max_evaluations, time_limit, target, patience, None)
        seconds = limits.seconds
        if seconds is None and limits.evaluations is None and limits.patience is None:
            seconds = _DEFAULT_SECONDS
        is_free = not before and not pins and not ranks
        goal = best[0] if limits.target is None and best is not None and best[1] and is_free else limits.target
        solved = self._native.solve(
            {
                "method": method,
                "time_limit": seconds,
                "max_evaluations": limits.evaluations,
                "target": goal,
                "patience": limits.patience,
                "before": to_pairs(before, "before"),
                "pins": to_pairs(() if pins is None else pins.items(), "pins"),
                "ranks": to_windows(ranks),
                "seed": to_seed(seed),
            }
        )
        gap = None
        if best is not None and best[0] != 0 and is_free:
            worse = best[0] - solved["value"] if self.is_maximizing else solved["value"] - best[0]
            gap = worse / abs(best[0])
        trace = [TracePoint(*point) for point in solved.pop("trace")]
        return Solution(gap=gap, trace=trace, **solved)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name} of {self.n_items} items>"


def tsp(cities: ArrayLike, *, name: str = "tsp") -> Problem:
    """A round trip: by a square matrix of distances, or by the coordinates of cities, an array of shape (n, 2), of which there may be
    a hundred thousand and more.

    >>> import plackett
    >>> plackett.problems.tsp([[0, 0], [3, 4]]).value([0, 1])
    10.0
    """
    array = to_matrix(cities, "cities")
    # Two rows of two numbers are distances if there is no way from a city to itself.
    if array.shape[1] == 2 and (array.shape[0] != 2 or np.any(np.diag(array) != 0)):
        return Problem(_plackett.Problem.tsp_points(str(name), np.ascontiguousarray(array)))
    return Problem(_plackett.Problem.tsp(str(name), np.ascontiguousarray(array)))


def qap(a: ArrayLike, b: ArrayLike, *, name: str = "qap") -> Problem:
    """Quadratic assignment: minimize the sum of a[r, s]·b[order[r], order[s]].

    >>> import plackett
    >>> plackett.problems.qap([[0, 3], [1, 0]], [[0, 5], [2, 0]]).solve(max_evaluations=100).value
    11.0
    """
    return Problem(_plackett.Problem.qap(str(name), to_matrix(a, "a"), to_matrix(b, "b")))


def flow_shop(times: ArrayLike, *, name: str = "flow shop") -> Problem:
    """A permutation flow shop: times[job, machine], and the time at which all is done is minimized.

    >>> import plackett
    >>> plackett.problems.flow_shop([[3, 2], [1, 4]]).solve(max_evaluations=100).order.tolist()
    [1, 0]
    """
    return Problem(_plackett.Problem.flow_shop(str(name), to_matrix(times, "times")))


def linear_ordering(matrix: ArrayLike, *, name: str = "linear ordering") -> Problem:
    """Linear ordering: maximize the sum above the diagonal once rows and columns are put into the order.

    >>> import plackett
    >>> plackett.problems.linear_ordering([[0, 1], [2, 0]]).solve(max_evaluations=100).order.tolist()
    [1, 0]
    """
    return Problem(_plackett.Problem.linear_ordering(str(name), to_matrix(matrix, "matrix")))


def assignment(costs: ArrayLike, *, name: str = "assignment") -> Problem:
    """Linear assignment: minimize the sum of costs[rank, order[rank]].

    >>> import plackett
    >>> plackett.problems.assignment([[5, 1], [2, 9]]).solve(max_evaluations=100).order.tolist()
    [1, 0]
    """
    return Problem(_plackett.Problem.assignment(str(name), to_matrix(costs, "costs")))


def read(path: str | os.PathLike[str], *, kind: str | None = None) -> Problem:
    """The problem of a file in the format of TSPLIB, QAPLIB, LOLIB or Taillard's flow shops, or of a matrix with its ``kind``.

    >>> import plackett
    >>> plackett.problems.read("no-such-file.tsp")
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...
    """
    return Problem(_plackett.Problem.read(os.fspath(path), kind))


def to_matrix(values: Any, what: str) -> Floats:
    """A matrix of finite numbers."""
    matrix = to_floats(values, what)
    if matrix.ndim != 2:
        raise PlackettError(f"{what} has the shape {matrix.shape}: a matrix is needed")
    return np.ascontiguousarray(matrix)
