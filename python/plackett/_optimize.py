"""Good orders of a black-box function: an optimizer that is asked and told, and a loop that drives it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from plackett import _plackett
from plackett._arrays import Floats, Integers, to_count, to_floats, to_items, to_number, to_pairs, to_seed, to_windows
from plackett._drive import Drive, Evaluation, Limits, Optimum, Proposal, Shape, to_positive, to_proposals
from plackett._plackett import Journal, PlackettError
from plackett._pools import pool_of
from plackett._progress import Bar

OptimizerMethod: TypeAlias = Literal[
    "default", "insertion", "pl-relax", "pl-reinforce", "pl", "pl-relax+insertion", "pl-surrogate"
]
MoveName: TypeAlias = Literal["insert", "swap", "reverse"]

_METHODS = ("default", "insertion", "pl-relax", "pl-reinforce", "pl", "pl-relax+insertion", "pl-surrogate")
_MOST_AT_ONCE = 1 << 16
_DEFAULT_EVALUATIONS = 10_000
# Large enough that a slow answer does not stop the others, small enough that proposals know of most answers.
_WINDOW_SIDE_BY_SIDE = 8


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
        ``"default"`` walks by random insertions, exchanges and reversals, each the most promising of a few by a model of what
        moves change, sometimes uphill, and asks about no order twice. ``"insertion"`` moves one item at a time to its best place,
        with kicks; ``"pl-relax"``, ``"pl-reinforce"`` and ``"pl-surrogate"`` follow the gradient of the Plackett-Luce distribution by
        the estimators of these names; ``"pl"`` does so by reward-to-go, for values told rank by rank; ``"pl-relax+insertion"``
        refines the gradient's best order.
    max_evaluations
        How long the run will be, if that is known: the default method plans for it.
    start
        An order, or several, to ask about first.
    top
        If the value depends on the first ranks only, their number: a choice of so many items. (The orders are whole all the same.)
    noise
        Whether the value of an order is another one each time: then the best few are asked again and again, and ``best`` is the best
        by its mean. ``"detect"`` asks one order twice to find out. For the default method.
    window
        What the default method asks n-th depends on the answers up to the (n - window)-th, so that so many can be worked on at a
        time. The result depends on this, and not on how many are.
    samples, learning_rate, critic_learning_rate, hidden
        Settings of the gradient: orders in a batch, Adam's rates, hidden units of RELAX's critic.
    moves
        The moves of ``"insertion"`` and ``"pl-relax+insertion"``: ``"insert"`` unless told otherwise, ``"swap"``, ``"reverse"``.
    maximize
        Whether large values are wanted.
    before
        Pairs (a, b): item a stands before item b in every order.
    pins
        Fixed ranks of items, as a dictionary from item to rank.
    ranks
        Windows of ranks, as a dictionary from item to its first and last rank, both included.
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
        method: OptimizerMethod = "default",
        max_evaluations: int | None = None,
        start: ArrayLike | None = None,
        top: int | None = None,
        noise: bool | Literal["detect"] = False,
        window: int = 1,
        samples: int | None = None,
        learning_rate: float | None = None,
        critic_learning_rate: float | None = None,
        hidden: int | None = None,
        moves: Sequence[MoveName] | None = None,
        maximize: bool = False,
        before: Iterable[tuple[int, int]] = (),
        pins: Mapping[int, int] | None = None,
        ranks: Mapping[int, tuple[int, int]] | None = None,
        seed: int = 0,
    ) -> None:
        if method not in _METHODS:
            raise PlackettError(f"method is {method!r}: it must be one of {', '.join(_METHODS)}")
        if moves is not None and (isinstance(moves, str) or not all(isinstance(name, str) for name in moves)):
            raise PlackettError(f"moves is {moves!r}: a list of names is needed")
        if moves is not None and "insertion" not in method:
            raise PlackettError(f"moves are chosen for method insertion, and method is {method}: leave them out")
        if noise not in (True, False, "detect"):
            raise PlackettError(f'noise is {noise!r}: it must be True, False or "detect"')
        settings = {
            "method": method,
            "max_evaluations": None if max_evaluations is None else to_count(max_evaluations, "max_evaluations"),
            "samples": None if samples is None else to_count(samples, "samples"),
            "learning_rate": None if learning_rate is None else to_number(learning_rate, "learning_rate"),
            "critic_learning_rate": (
                None if critic_learning_rate is None else to_number(critic_learning_rate, "critic_learning_rate")
            ),
            "hidden": None if hidden is None else to_count(hidden, "hidden", least=1),
            "window": to_count(window, "window", least=1),
            "starts": _to_starts(start),
            "top": None if top is None else to_count(top, "top", least=1),
            "noise": None if noise == "detect" else bool(noise),
            "moves": ["insert"] if moves is None else list(moves),
            "maximize": bool(maximize),
            "before": to_pairs(before, "before"),
            "pins": to_pairs(() if pins is None else pins.items(), "pins"),
            "ranks": to_windows(ranks),
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
    def error(self) -> float | None:
        """The standard error of the best order's value, if values are noisy.

        >>> import plackett
        >>> plackett.Optimizer(3).error is None
        True
        """
        return self._native.error

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

        There may be fewer than n, as the next ones depend on answers that are still missing (see ``window``), and none once all
        orders have been asked.

        >>> import plackett
        >>> len(plackett.Optimizer(6, method="pl-relax").ask(3))
        3
        """
        if n is None:
            return to_proposals(self._native.ask_batch(_MOST_AT_ONCE))
        return to_proposals(self._native.ask(to_count(n, "n")))

    def pending(self) -> list[Proposal]:
        """The proposals without an answer, for those who lost them.

        >>> import plackett
        >>> optimizer = plackett.Optimizer(4)
        >>> len(optimizer.ask()) == len(optimizer.pending())
        True
        """
        return to_proposals(self._native.pending())

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


def minimize(
    f: Callable[[Any], Any],
    n_items: int | Sequence[int] | None = None,
    *,
    method: OptimizerMethod = "default",
    max_evaluations: int | None = None,
    time_limit: float | None = None,
    target: float | None = None,
    patience: int | None = None,
    start: Any = None,
    top: int | None = None,
    noise: bool | Literal["detect"] = False,
    timeout: float | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
    window: int | None = None,
    batch: bool = False,
    callback: Callable[[Evaluation], Any] | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    autosave: str | os.PathLike[str] | None = None,
    journal: str | os.PathLike[str] | None = None,
    optimizer: Optimizer | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Optimum:
    """Finds an order with a small value of a black-box function.

    The same function, settings and seed give the same order, whatever evaluates it, unless there is a time limit or a timeout.
    Ctrl-C ends the run with the best order so far.

    Parameters
    ----------
    f
        Takes an order, an array of items, first-ranked first, and returns a number. With ``batch`` it takes many orders, an
        array of shape (n, k), and returns n numbers. For method ``"pl"`` it returns k numbers for an order, one for each rank.
    n_items
        The number of items. A list of numbers is for several orders at once, of so many items each: f then takes a tuple of arrays.
    method
        How to search, as for :class:`plackett.Optimizer`.
    max_evaluations, time_limit, target, patience
        When to stop: after so many evaluations (10,000 by default, unless another limit is given), after so many
        seconds, as soon as a value is as good as this, or after so many evaluations without a better one.
    start
        A known order, or several, to begin with.
    top
        Choose and order so many of the items: f takes an array of this length.
    noise
        Whether f returns another number each time that it is asked (``"detect"`` asks one order twice to find out). The best orders
        are then asked again and again, and the value returned is a mean with its standard error.
    timeout
        An evaluation that takes longer than so many seconds has failed. Processes of a ``ProcessPoolExecutor`` are killed and
        replaced then; threads cannot be, and remain busy. Without an executor f is called in a thread of its own.
    executor
        Evaluates orders side by side: any ``concurrent.futures.Executor``, of threads, of processes, or Dask's
        ``Client.get_executor()``; or a function that makes one, and is called again if its processes die. The order on which a
        process died has failed.
    window
        What is asked n-th depends on the answers up to the (n - window)-th, whoever is quick: 1 unless there is an executor or
        ``batch``, else 8. The result depends on this, and not on the number of workers.
    callback
        Called after every evaluation with an :class:`plackett.Evaluation`; the run ends if it returns something true.
    on_error
        Whether an exception of f ends the run (``"raise"``) or its order is left out (``"skip"``).
    autosave
        A file that the run is saved to, every few seconds and at the end, and gone on from if it is there.
    journal
        A file through which several processes, on one machine or on many, share one run: each evaluates orders of its own, tells the
        others, goes on from what they find, and counts its own evaluations. Such a run cannot be repeated to the bit.
    optimizer
        An optimizer to go on with, whose evaluations count too; ``n_items``, ``method`` and other settings are its own then.
    progress
        Whether to show a bar on standard error; by default if it is a terminal.
    **settings
        The other settings of :class:`plackett.Optimizer`: ``samples``, ``learning_rate``, ``critic_learning_rate``, ``hidden``,
        ``moves``, ``before``, ``pins``, ``ranks``, ``seed``.

    Examples
    --------
    >>> import plackett
    >>> best = plackett.minimize(lambda order: sum(abs(order - [3, 1, 4, 0, 2])), 5, target=0)
    >>> best.order.tolist(), best.value, best.status
    ([3, 1, 4, 0, 2], 0.0, 'target')

    Two orders at once, of three items and of two:

    >>> best = plackett.minimize(lambda orders: orders[0][0] + orders[1][1], [3, 2])
    >>> best.value, best.evaluations, best.status
    (0.0, 12, 'finished')
    """
    if not callable(f):
        raise PlackettError(f"f is {f!r}: a function is needed")
    if on_error not in ("raise", "skip"):
        raise PlackettError(f"on_error is {on_error!r}: it must be raise or skip")
    if batch and (executor is not None or timeout is not None):
        raise PlackettError("with batch=True f gets all orders at once, and there is nothing left for executor or timeout")
    if callback is not None and not callable(callback):
        raise PlackettError(f"callback is {callback!r}: a function is needed")
    if settings.get("maximize"):
        raise PlackettError("minimize minimizes: pass a function with the other sign")
    if journal is not None and (autosave is not None or optimizer is not None or noise or method == "pl"):
        raise PlackettError("a run that is shared by a journal has no autosave, optimizer, noise or method pl: leave them out")
    limits = Limits.of(max_evaluations, time_limit, target, patience, _DEFAULT_EVALUATIONS)
    shape = Shape.of(n_items, top)
    shared = None
    own = {"start": start, "top": top, "window": window, "noise": noise or None}
    if optimizer is None:
        if shape is None:
            raise PlackettError("n_items is needed: how many items are there to order?")
        if window is None:
            window = 1 if executor is None and not batch else _WINDOW_SIDE_BY_SIDE
        if journal is not None:
            name = getattr(f, "__qualname__", type(f).__name__)
            shared = Journal(os.fspath(journal), shape.items, f"{name} of {n_items}, top {top}")
            settings["seed"] = shared.seed(to_seed(settings.get("seed", 0)))
        if shape.blocks is not None:
            settings["before"] = [*settings.get("before", ()), *shape.before()]
        optimizer = Optimizer(
            shape.items,
            method=method,
            max_evaluations=limits.evaluations,
            start=shape.join(start),
            top=top,
            noise=noise,
            window=window,
            **settings,
        )
        if autosave is not None and os.path.exists(autosave):
            optimizer = _resumed(optimizer, autosave)
    elif settings or any(value is not None for value in own.values()):
        raise PlackettError("optimizer has settings of its own: leave the others out")
    else:
        if shape is not None and shape.items != optimizer.n_items:
            raise PlackettError("optimizer has settings of its own: leave n_items out")
        shape = shape if shape is not None and shape.blocks is not None else Shape(optimizer.n_items, None, optimizer._native.top)
    if batch and optimizer._native.takes_parts:
        raise PlackettError("method pl takes values rank by rank: leave batch out")
    if batch and shape.blocks is not None:
        raise PlackettError("several orders at once are evaluated one by one: leave batch out")
    if timeout is not None:
        timeout = to_positive(timeout, "timeout")
    run = Drive(
        optimizer=optimizer,
        limits=limits,
        shape=shape,
        pool=pool_of(shape.called(f), executor, timeout, batch),
        is_lenient=on_error == "skip",
        callback=callback,
        autosave=autosave,
        journal=shared,
        bar=Bar(progress),
    )
    return run.run()


def _resumed(fresh: Optimizer, path: str | os.PathLike[str]) -> Optimizer:
    """The optimizer of a file, if it is of the same run."""
    saved = Optimizer.load(path)
    of = [json.loads(optimizer.to_json())["state"]["settings"] for optimizer in (fresh, saved)]
    for settings in of:
        settings["evaluations"] = settings["gradient_evaluations"] = None  # a longer run is the same run
    if saved.n_items != fresh.n_items or of[0] != of[1]:
        raise PlackettError(f"{os.fspath(path)} is of a run with other items or settings")
    return saved


def _to_starts(start: Any) -> list[list[int]]:
    if start is None:
        return []
    orders = to_items(start, "start")
    if orders.ndim not in (1, 2):
        raise PlackettError(f"start has the shape {orders.shape}: an order or a list of orders is needed")
    return [order.tolist() for order in np.atleast_2d(orders)]


def _to_told(value: Any) -> float:
    """A value for the optimizer, which takes what is not finite for a failure."""
    return to_number(value, "value")
