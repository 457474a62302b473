"""Good orders of a black-box function: an optimizer that is asked and told, and a loop that drives it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from plackett import _notebook, _plackett
from plackett._arrays import Floats, Integers, to_count, to_floats, to_items, to_number, to_seed
from plackett._objective import to_value, to_values
from plackett._plackett import PlackettError
from plackett._progress import Bar

OptimizerMethod: TypeAlias = Literal["insertion", "pl-relax", "pl-reinforce", "pl", "pl-relax+insertion"]
MoveName: TypeAlias = Literal["insert", "swap", "reverse"]

_METHODS = ("insertion", "pl-relax", "pl-reinforce", "pl", "pl-relax+insertion")
_MOST_AT_ONCE = 1 << 16
_DEFAULT_EVALUATIONS = 10_000


class Proposal(NamedTuple):
    """An order that an optimizer wants to know the value of."""

    id: int
    """Its number, for the answer."""
    order: Integers
    """The order."""


class Status(NamedTuple):
    """How far an optimizer has come."""

    asked: int
    """Orders proposed."""
    told: int
    """Values told for them."""
    failed: int
    """Failures told for them."""
    pending: int
    """Proposals without an answer yet."""
    foreign: int
    """Values told for orders that were not proposed."""
    steps: int
    """Gradient steps made."""
    skipped_steps: int
    """Gradient steps left out because too few of the batch's evaluations succeeded."""
    mean: float | None
    """The mean of the last gradient batch's values."""
    is_refining: bool
    """Whether local refinement has begun."""


class Optimizer:
    """Proposes orders and is told their values, whoever works them out. What it proposes is a function of its settings, its
    seed and what it is told.

    Parameters
    ----------
    n_items
        The number of items to order.
    method
        ``"insertion"`` moves one item at a time to its best place, with kicks; ``"pl-relax"`` and ``"pl-reinforce"`` follow the
        gradient of the Plackett-Luce distribution by the estimators of these names; ``"pl"`` does so by reward-to-go, for values
        told rank by rank; ``"pl-relax+insertion"`` refines the gradient's best order.
    max_evaluations
        How long the run will be, for a method of two stages.
    samples, learning_rate, critic_learning_rate, hidden
        Settings of the gradient: orders in a batch, Adam's rates, hidden units of RELAX's critic.
    moves
        The moves of the refinement: ``"insert"``, ``"swap"``, ``"reverse"``.
    maximize
        Whether large values are wanted.
    before
        Pairs (a, b): item a stands before item b in every order. Not with RELAX.
    pins
        Fixed ranks of items, as a dictionary from item to rank. Not with RELAX.
    seed
        The seed of all random numbers.

    Examples
    --------
    >>> import plackett
    >>> optimizer = plackett.Optimizer(5)
    >>> for _ in range(200):
    ...     for proposal in optimizer.ask():
    ...         optimizer.tell(proposal, sum(abs(proposal.order - [3, 1, 4, 0, 2])))
    >>> order, value = optimizer.best
    >>> order.tolist(), value
    ([3, 1, 4, 0, 2], 0.0)
    """

    def __init__(
        self,
        n_items: int,
        *,
        method: OptimizerMethod = "insertion",
        max_evaluations: int | None = None,
        samples: int | None = None,
        learning_rate: float | None = None,
        critic_learning_rate: float | None = None,
        hidden: int | None = None,
        moves: Sequence[MoveName] = ("insert",),
        maximize: bool = False,
        before: Iterable[tuple[int, int]] = (),
        pins: Mapping[int, int] | None = None,
        seed: int = 0,
    ) -> None:
        if method not in _METHODS:
            raise PlackettError(f"method is {method!r}: it must be one of {', '.join(_METHODS)}")
        if isinstance(moves, str) or not all(isinstance(name, str) for name in moves):
            raise PlackettError(f"moves is {moves!r}: a list of names is needed")
        settings = {
            "method": method,
            "max_evaluations": None if max_evaluations is None else to_count(max_evaluations, "max_evaluations"),
            "samples": None if samples is None else to_count(samples, "samples"),
            "learning_rate": None if learning_rate is None else to_number(learning_rate, "learning_rate"),
            "critic_learning_rate": (
                None if critic_learning_rate is None else to_number(critic_learning_rate, "critic_learning_rate")
            ),
            "hidden": None if hidden is None else to_count(hidden, "hidden", least=1),
            "moves": list(moves),
            "maximize": bool(maximize),
            "before": _to_pairs(before, "before"),
            "pins": _to_pairs(() if pins is None else pins.items(), "pins"),
            "seed": to_seed(seed),
        }
        self._native = _plackett.Optimizer(to_count(n_items, "n_items", least=1), settings)

    @property
    def n_items(self) -> int:
        """The number of items.

        >>> import plackett
        >>> plackett.Optimizer(3).n_items
        3
        """
        return self._native.n_items

    @property
    def scores(self) -> Floats:
        """The scores of the Plackett-Luce distribution.

        >>> import plackett
        >>> plackett.Optimizer(3).scores
        array([0., 0., 0.])
        """
        return self._native.scores

    @property
    def best(self) -> tuple[Integers, float] | None:
        """The best order told and its value; none before the first value.

        >>> import plackett
        >>> plackett.Optimizer(3).best is None
        True
        """
        return self._native.best()

    @property
    def status(self) -> Status:
        """How far it has come.

        >>> import plackett
        >>> optimizer = plackett.Optimizer(4, method="pl-relax")
        >>> _ = optimizer.ask(3)
        >>> optimizer.status.pending
        3
        """
        return Status(**self._native.status())

    def mode(self) -> Integers:
        """The order of the largest scores first: what the gradient has settled on so far.

        >>> import plackett
        >>> plackett.Optimizer(3).mode().tolist()
        [0, 1, 2]
        """
        return self._native.mode()

    def ask(self, n: int | None = None) -> list[Proposal]:
        """Proposes n orders, or a batch: as many as can be asked without waiting for answers that would make them better.

        In refinement there may be fewer than n, as the next ones depend on answers that are still missing.

        >>> import plackett
        >>> len(plackett.Optimizer(6, method="pl-relax").ask(3))
        3
        """
        if n is None:
            return _to_proposals(self._native.ask_batch(_MOST_AT_ONCE))
        return _to_proposals(self._native.ask(to_count(n, "n")))

    def pending(self) -> list[Proposal]:
        """The proposals without an answer, for those who lost them.

        >>> import plackett
        >>> optimizer = plackett.Optimizer(4)
        >>> len(optimizer.ask()) == len(optimizer.pending())
        True
        """
        return _to_proposals(self._native.pending())

    def tell(self, proposal: Proposal | ArrayLike, value: float | ArrayLike) -> None:
        """Tells the value of a proposal, or of any other order, which then counts for ``best`` alone.

        For method ``"pl"`` the value is a list: what each rank adds once the ranks before it are fixed. A value that is not
        finite is a failure.

        >>> import plackett
        >>> optimizer = plackett.Optimizer(3)
        >>> optimizer.tell([2, 0, 1], 5.0)
        >>> optimizer.best[1]
        5.0
        """
        if not isinstance(proposal, Proposal):
            order = to_items(proposal, "order")
            if order.ndim != 1:
                raise PlackettError(f"order has the shape {order.shape}: a list of items is needed")
            self._native.tell_order(order, _to_told(value))
        elif self._native.takes_parts and np.ndim(value) == 1:
            self._native.tell_parts(proposal.id, to_floats(value, "value"))
        else:
            self._native.tell(proposal.id, _to_told(value))

    def tell_failed(self, proposal: Proposal, reason: str = "") -> None:
        """Tells that a proposal could not be evaluated: it is left out.

        >>> import plackett
        >>> optimizer = plackett.Optimizer(3)
        >>> for proposal in optimizer.ask():
        ...     optimizer.tell_failed(proposal, "out of memory")
        >>> optimizer.status.told
        0
        """
        if not isinstance(proposal, Proposal):
            raise PlackettError(f"{proposal!r} is not a proposal")
        self._native.tell_failed(proposal.id, str(reason))

    def to_json(self) -> str:
        """The whole state as a text.

        >>> import plackett
        >>> plackett.Optimizer.from_json(plackett.Optimizer(4).to_json()).n_items
        4
        """
        return self._native.to_json()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The optimizer of a text by :meth:`to_json`, which goes on exactly as the one that was saved.

        >>> import plackett
        >>> plackett.Optimizer.from_json("{}")
        Traceback (most recent call last):
            ...
        plackett.PlackettError: ...
        """
        made = cls.__new__(cls)
        made._native = _plackett.Optimizer.from_json(text)
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state to a file, which is replaced in one step.

        >>> import plackett, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "state.json")
        >>> plackett.Optimizer(4).save(path)
        >>> plackett.Optimizer.load(path).n_items
        4
        """
        self._native.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The optimizer of a file by :meth:`save`.

        >>> import plackett
        >>> plackett.Optimizer.load("no-such-file.json")
        Traceback (most recent call last):
            ...
        FileNotFoundError: ...
        """
        return cls.from_json(Path(path).read_text(encoding="utf-8"))

    def __getstate__(self) -> str:
        return self.to_json()

    def __setstate__(self, text: str) -> None:
        self._native = _plackett.Optimizer.from_json(text)

    def __repr__(self) -> str:
        best = self.best
        return f"<Optimizer of {self.n_items} items, best {'unknown' if best is None else best[1]}>"


@dataclass(frozen=True, eq=False)
class Optimum:
    """What :func:`plackett.minimize` finds."""

    order: Integers
    """The best order."""
    value: float
    """Its value."""
    evaluations: int
    """Evaluations made, failed ones included."""
    failures: int
    """Evaluations that failed."""
    seconds: float
    """How long this run took."""
    status: Literal["evaluations", "time", "target", "interrupted"]
    """Why the run ended; in each case the order is the best so far."""
    optimizer: Optimizer
    """The optimizer, to save or to go on with."""

    def _repr_html_(self) -> str:
        found = {"value": self.value, "order": " ".join(map(str, self.order.tolist())), "evaluations": self.evaluations}
        failed = {"failures": self.failures} if self.failures else {}
        return _notebook.shown([_notebook.facts({**found, **failed, "status": self.status, "seconds": f"{self.seconds:.2f}"})])


def minimize(
    f: Callable[[Any], Any],
    n_items: int | None = None,
    *,
    method: OptimizerMethod = "insertion",
    max_evaluations: int | None = None,
    time_limit: float | None = None,
    target: float | None = None,
    executor: Executor | None = None,
    batch: bool = False,
    on_error: Literal["raise", "skip"] = "raise",
    optimizer: Optimizer | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Optimum:
    """Finds an order with a small value of a black-box function.

    The same function, settings and seed give the same order, whatever evaluates it, unless there is a time limit. Ctrl-C ends
    the run with the best order so far.

    Parameters
    ----------
    f
        Takes an order, an array of items, first-ranked first, and returns a number. With ``batch`` it takes many orders, an
        array of shape (n, k), and returns n numbers. For method ``"pl"`` it returns k numbers for an order, one for each rank.
    n_items
        The number of items.
    method
        How to search, as for :class:`plackett.Optimizer`.
    max_evaluations, time_limit, target
        When to stop: after so many evaluations (10,000 by default, unless there is a time limit or a target), after so many
        seconds, or as soon as a value is as good as this.
    executor
        Evaluates orders side by side: any ``concurrent.futures.Executor``, of threads, of processes, or Dask's
        ``Client.get_executor()``. It gets a batch of orders at a time.
    on_error
        Whether an exception of f ends the run (``"raise"``) or its order is left out (``"skip"``).
    optimizer
        An optimizer to go on with, whose evaluations count too; ``n_items``, ``method`` and other settings are its own then.
    progress
        Whether to show a bar on standard error; by default if it is a terminal.
    **settings
        The other settings of :class:`plackett.Optimizer`: ``samples``, ``learning_rate``, ``critic_learning_rate``, ``hidden``,
        ``moves``, ``before``, ``pins``, ``seed``.

    Examples
    --------
    >>> import plackett
    >>> best = plackett.minimize(lambda order: sum(abs(order - [3, 1, 4, 0, 2])), 5, target=0)
    >>> best.order.tolist(), best.value, best.status
    ([3, 1, 4, 0, 2], 0.0, 'target')
    """
    if not callable(f):
        raise PlackettError(f"f is {f!r}: a function is needed")
    if on_error not in ("raise", "skip"):
        raise PlackettError(f"on_error is {on_error!r}: it must be raise or skip")
    if batch and executor is not None:
        raise PlackettError("with batch=True f gets all orders at once, and there is nothing left for executor")
    if settings.get("maximize"):
        raise PlackettError("minimize minimizes: pass a function with the other sign")
    limits = _Limits.of(max_evaluations, time_limit, target)
    if optimizer is None:
        if n_items is None:
            raise PlackettError("n_items is needed: how many items are there to order?")
        optimizer = Optimizer(n_items, method=method, max_evaluations=limits.evaluations, **settings)
    elif settings or n_items not in (None, optimizer.n_items):
        raise PlackettError("optimizer has settings of its own: leave n_items and the others out")
    if batch and optimizer._native.takes_parts:
        raise PlackettError("method pl takes values rank by rank: leave batch out")
    return _Run(f, optimizer, limits, executor, batch, on_error == "skip", Bar(progress)).run()


@dataclass(frozen=True)
class _Limits:
    evaluations: int | None
    seconds: float | None
    target: float | None

    @staticmethod
    def of(max_evaluations: int | None, time_limit: float | None, target: float | None) -> _Limits:
        if max_evaluations is None and time_limit is None and target is None:
            max_evaluations = _DEFAULT_EVALUATIONS
        if max_evaluations is not None:
            max_evaluations = to_count(max_evaluations, "max_evaluations", least=1)
        if time_limit is not None:
            time_limit = to_number(time_limit, "time_limit")
            if not time_limit > 0:
                raise PlackettError(f"time_limit is {time_limit}: a positive number of seconds is needed")
        if target is not None:
            target = to_number(target, "target")
            if np.isnan(target):
                raise PlackettError("target is not a number")
        return _Limits(max_evaluations, time_limit, target)


@dataclass
class _Run:
    """One call of :func:`minimize`."""

    f: Callable[[Any], Any]
    optimizer: Optimizer
    limits: _Limits
    executor: Executor | None
    batch: bool
    is_lenient: bool
    bar: Bar

    def run(self) -> Optimum:
        start = time.monotonic()
        status: Literal["evaluations", "time", "target", "interrupted"]
        try:
            status = self._loop(start)
        except KeyboardInterrupt:
            if self.optimizer.best is None:
                raise
            status = "interrupted"
        finally:
            self.bar.close()
        best, counts = self.optimizer.best, self.optimizer.status
        if best is None:
            raise PlackettError(f"none of {counts.failed} evaluations succeeded")
        evaluations = counts.told + counts.failed
        return Optimum(*best, evaluations, counts.failed, time.monotonic() - start, status, self.optimizer)

    def _loop(self, start: float) -> Literal["evaluations", "time", "target"]:
        waiting = self.optimizer.pending()  # of an earlier run
        while True:
            counts, best = self.optimizer.status, self.optimizer.best
            done = counts.told + counts.failed
            if self.limits.target is not None and best is not None and best[1] <= self.limits.target:
                return "target"
            if self.limits.evaluations is not None and done >= self.limits.evaluations:
                return "evaluations"
            if self.limits.seconds is not None and time.monotonic() - start >= self.limits.seconds:
                return "time"
            left = _MOST_AT_ONCE if self.limits.evaluations is None else self.limits.evaluations - done
            if not waiting:
                waiting = _to_proposals(self.optimizer._native.ask_batch(min(left, _MOST_AT_ONCE)))
            now, waiting = waiting[:left], waiting[left:]
            self._evaluate(now, start)
            if best is not None:
                self.bar.show(f"best {best[1]:g}", done, self.limits.evaluations or 0)
            # Whoever skips all errors of a function that always fails would wait for ever.
            counts = self.optimizer.status
            if counts.told == 0 and counts.failed >= 100:
                raise PlackettError(f"none of {counts.failed} evaluations succeeded: something is wrong with f")

    def _evaluate(self, proposals: list[Proposal], start: float) -> None:
        if self.batch:
            orders = np.stack([proposal.order for proposal in proposals])
            orders.setflags(write=False)
            for proposal, value in zip(proposals, to_values(self.f(orders), orders), strict=True):
                self.optimizer._native.tell(proposal.id, float(value))
        elif self.executor is not None:
            self._evaluate_elsewhere(proposals, self.executor)
        else:
            for proposal in proposals:
                self._answer(proposal, partial(self.f, proposal.order))
                if self._is_enough(start):
                    return

    def _evaluate_elsewhere(self, proposals: list[Proposal], executor: Executor) -> None:
        futures: list[Future[Any]] = []
        try:
            for proposal in proposals:
                futures.append(executor.submit(self.f, proposal.order))
            for proposal, future in zip(proposals, futures, strict=True):
                self._answer(proposal, future.result)
        except BaseException:
            for future in futures:
                future.cancel()
            raise

    def _answer(self, proposal: Proposal, evaluate: Callable[[], Any]) -> None:
        """Tells the optimizer what comes of an evaluation."""
        try:
            found = evaluate()
            if self.optimizer._native.takes_parts:
                self.optimizer._native.tell_parts(proposal.id, _to_parts(found, proposal.order))
            else:
                self.optimizer._native.tell(proposal.id, to_value(found, proposal.order))
        except Exception as error:
            if not self.is_lenient:
                raise
            self.optimizer._native.tell_failed(proposal.id, f"{type(error).__name__}: {error}")

    def _is_enough(self, start: float) -> bool:
        """Whether the rest of a batch can wait: time is up, or the target is reached."""
        if self.limits.seconds is not None and time.monotonic() - start >= self.limits.seconds:
            return True
        if self.limits.target is None:
            return False
        best = self.optimizer.best
        return best is not None and best[1] <= self.limits.target


def _to_proposals(asked: tuple[Any, Integers]) -> list[Proposal]:
    ids, orders = asked
    orders.setflags(write=False)
    return [Proposal(id, order) for id, order in zip(ids.tolist(), orders, strict=True)]


def _to_told(value: Any) -> float:
    """A value for the optimizer, which takes what is not finite for a failure."""
    return to_number(value, "value")


def _to_parts(found: Any, order: Integers) -> Floats:
    parts = to_floats(found, "the list of parts that f returned")
    if parts.shape != order.shape:
        raise PlackettError(f"f returned parts of shape {parts.shape}: {len(order)} are needed, one for each rank")
    return to_values(parts, np.broadcast_to(order, (len(order), len(order))))


def _to_pairs(pairs: Iterable[Sequence[SupportsIndex]], what: str) -> list[tuple[int, int]]:
    try:
        return [(to_count(a, what), to_count(b, what)) for a, b in pairs]
    except (TypeError, ValueError) as error:
        if isinstance(error, PlackettError):
            raise
        raise PlackettError(f"{what} must be pairs of whole numbers") from None
