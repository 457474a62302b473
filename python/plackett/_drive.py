"""The loop of :func:`plackett.minimize`: asks, has orders evaluated, tells, until it is time to stop."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from plackett import _notebook
from plackett._arrays import Floats, Integers, to_count, to_floats, to_items, to_number
from plackett._objective import to_value, to_values
from plackett._plackett import PlackettError
from plackett._progress import Bar

if TYPE_CHECKING:
    from plackett._optimize import Optimizer
    from plackett._plackett import Journal
    from plackett._pools import Pool

# How often a run is saved, in seconds.
_SAVED_EVERY = 3.0
# If none of the first so many evaluations succeeds, something is wrong with f.
_HOPELESS = 100


class Proposal(NamedTuple):
    """An order that an optimizer wants to know the value of."""

    id: int
    """Its number, for the answer."""
    order: Integers
    """The order."""


def to_proposals(asked: tuple[Any, Integers]) -> list[Proposal]:
    """What the native half has asked."""
    ids, orders = asked
    orders.setflags(write=False)
    return [Proposal(id, order) for id, order in zip(ids.tolist(), orders, strict=True)]


class TracePoint(NamedTuple):
    """A moment at which a better order was found."""

    evaluations: int
    """Evaluations made until then."""
    seconds: float
    """Seconds until then."""
    value: float
    """The value of that order."""


class Evaluation(NamedTuple):
    """What a callback is told after an evaluation."""

    order: Any
    """The order, as f has it."""
    value: float | None
    """Its value; none if the evaluation failed."""
    evaluations: int
    """Evaluations made so far."""
    best: float | None
    """The best value so far."""


Ending: TypeAlias = Literal[
    "evaluations", "time", "target", "patience", "finished", "callback", "interrupted"
]


@dataclass(frozen=True, eq=False)
class Optimum:
    """What :func:`plackett.minimize` finds."""

    order: Any
    """The best order: an array of items, with ``top`` the first of them; a tuple of arrays for several orders."""
    value: float
    """Its value; of noisy values the mean of those that the order was not chosen by."""
    error: float | None
    """The standard error of the value, if it is noisy."""
    evaluations: int
    """Evaluations made, failed ones included."""
    failures: int
    """Evaluations that failed."""
    seconds: float
    """How long this run took."""
    status: Ending
    """Why the run ended; in each case the order is the best so far. ``"finished"``: all orders have been asked."""
    trace: list[TracePoint]
    """When better orders were found."""
    optimizer: Optimizer
    """The optimizer, to save or to go on with."""

    def _repr_html_(self) -> str:
        orders = self.order if isinstance(self.order, tuple) else (self.order,)
        found = {"value": self.value, "order": "; ".join(" ".join(map(str, order.tolist())) for order in orders)}
        more = {"standard error": self.error} if self.error is not None else {}
        failed = {"failures": self.failures} if self.failures else {}
        ended = {"evaluations": self.evaluations, "status": self.status, "seconds": f"{self.seconds:.2f}"}
        return _notebook.shown([_notebook.facts({**found, **more, **failed, **ended})])


@dataclass(frozen=True)
class Limits:
    """When a run ends."""

    evaluations: int | None
    seconds: float | None
    target: float | None
    patience: int | None

    @staticmethod
    def of(
        max_evaluations: int | None,
        time_limit: float | None,
        target: float | None,
        patience: int | None,
        default_evaluations: int | None,
    ) -> Limits:
        """The limits that were given, or so many evaluations if none was."""
        if max_evaluations is None and time_limit is None and target is None and patience is None:
            max_evaluations = default_evaluations
        if max_evaluations is not None:
            max_evaluations = to_count(max_evaluations, "max_evaluations", least=1)
        if patience is not None:
            patience = to_count(patience, "patience", least=1)
        if time_limit is not None:
            time_limit = to_positive(time_limit, "time_limit")
        if target is not None:
            target = to_number(target, "target")
            if np.isnan(target):
                raise PlackettError("target is not a number")
        return Limits(max_evaluations, time_limit, target, patience)


def to_positive(seconds: float, what: str) -> float:
    """A positive number of seconds."""
    seconds = to_number(seconds, what)
    if not seconds > 0:
        raise PlackettError(f"{what} is {seconds}: a positive number of seconds is needed")
    return seconds


@dataclass(frozen=True)
class Shape:
    """What f takes: an order, the first items of one, or several orders, which the optimizer has as one, block after block."""

    items: int
    blocks: tuple[int, ...] | None
    top: int | None

    @staticmethod
    def of(n_items: int | Sequence[int] | None, top: int | None) -> Shape | None:
        """The shape of so many items; none if their number is not known."""
        if n_items is None:
            return None
        if not isinstance(n_items, Sequence | np.ndarray):
            return Shape(to_count(n_items, "n_items", least=1), None, top)
        if top is not None:
            raise PlackettError("top is for one order, and n_items is a list: leave one of them out")
        blocks = tuple(to_count(n, "n_items", least=1) for n in n_items)
        if not blocks:
            raise PlackettError("n_items is empty: how many items are there to order?")
        return Shape(sum(blocks), blocks, None)

    def _ranges(self) -> list[range]:
        assert self.blocks is not None
        ends = np.cumsum(self.blocks).tolist()
        return [range(end - size, end) for end, size in zip(ends, self.blocks, strict=True)]

    def before(self) -> Iterator[tuple[int, int]]:
        """All items of a block stand before those of the next."""
        ranges = self._ranges()
        return ((a, b) for left, right in zip(ranges, ranges[1:], strict=False) for a in left for b in right)

    def join(self, start: Any) -> Any:
        """A start, or several, as the optimizer has it."""
        if start is None or self.blocks is None:
            return start
        is_one = len(start) == len(self.blocks) and np.ndim(start[0]) == 1
        starts = [start] if is_one else start
        if any(not isinstance(one, Sequence | np.ndarray) or len(one) != len(self.blocks) for one in starts):
            raise PlackettError(f"start needs {len(self.blocks)} orders, as many as n_items has numbers")
        firsts = [block.start for block in self._ranges()]
        return [
            np.concatenate([to_items(order, "start") + first for order, first in zip(one, firsts, strict=True)]) for one in starts
        ]

    def cut(self, order: Integers) -> Any:
        """What f takes of an order."""
        if self.blocks is None:
            return order if self.top is None else order[: self.top]
        parts = tuple(order[block.start : block.stop] - block.start for block in self._ranges())
        for part in parts:
            part.setflags(write=False)
        return parts

    def called(self, f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """f as a function of whole orders."""
        if self.blocks is None and self.top is None:
            return f
        return _Cut(f, self)


@dataclass(frozen=True)
class _Cut:
    """A function of what f takes of an order, which processes can be sent."""

    f: Callable[[Any], Any]
    shape: Shape

    def __call__(self, order: Any) -> Any:
        is_batch = order.ndim == 2
        return self.f(order[:, : self.shape.top] if is_batch else self.shape.cut(order))


@dataclass
class Drive:
    """One call of :func:`plackett.minimize`. Answers are taken as they come and told in the order of the proposals."""

    optimizer: Optimizer
    limits: Limits
    shape: Shape
    pool: Pool
    is_lenient: bool
    callback: Callable[[Evaluation], Any] | None
    autosave: str | os.PathLike[str] | None
    bar: Bar
    journal: Journal | None = None
    trace: list[TracePoint] = field(default_factory=list)
    _given: deque[Proposal] = field(default_factory=deque)
    _early: dict[int, Any] = field(default_factory=dict)
    _known: set[int] = field(default_factory=set)
    _is_stopped: bool = False

    def run(self) -> Optimum:
        """The best order that the limits allow to find."""
        self._start = self._saved = time.monotonic()
        self._told = self.optimizer.status.told + self.optimizer.status.failed
        self._found = self._told
        status: Ending
        f = self.pool.alone()
        is_alone = f is not None and self.journal is None and not self.optimizer._native.takes_parts
        try:
            status = self._loop_alone(f) if f is not None and is_alone else self._loop()
            if status == "time":
                self._tell_early()
        except KeyboardInterrupt:
            self._tell_early()
            if self.optimizer.best is None:
                raise
            status = "interrupted"
        finally:
            self.pool.close()
            self.bar.close()
            if self.autosave is not None:
                self.optimizer.save(self.autosave)
        best, counts = self.optimizer.best, self.optimizer.status
        if best is None:
            raise PlackettError(f"none of {counts.failed} evaluations succeeded")
        order, value = best
        return Optimum(
            order=self.shape.cut(order),
            value=value,
            error=self.optimizer.error,
            evaluations=counts.told + counts.failed,
            failures=counts.failed,
            seconds=self._seconds(),
            status=status,
            trace=self.trace,
            optimizer=self.optimizer,
        )

    def _seconds(self) -> float:
        return time.monotonic() - self._start

    def _loop(self) -> Ending:
        waiting = deque(self.optimizer.pending())  # of an earlier run
        native = self.optimizer._native
        while True:
            if self.journal is not None:
                self._learn(self.journal)
            ending = self._ending()
            if ending is not None:
                return ending
            room = self.pool.room()
            if self.limits.evaluations is not None:
                room = min(room, self.limits.evaluations - self._told - len(self._given))
            asked = [waiting.popleft() for _ in range(min(room, len(waiting)))]
            if len(asked) < room:
                asked += to_proposals(native.ask_batch(room - len(asked)))
            self._given.extend(asked)
            if self.journal is not None:
                asked = self._unknown(asked, self.journal)
            self.pool.submit(asked)
            if self._known:
                self._tell()
                if not self._given:
                    continue
            if not self._given:
                return "finished"
            left = None if self.limits.seconds is None else max(self.limits.seconds - self._seconds(), 0.0)
            for proposal, outcome in self.pool.done(left):
                self._early[proposal.id] = outcome
                if self._tell():
                    break
            self._save_sometimes()

    def _loop_alone(self, f: Callable[[Any], Any]) -> Ending:
        """The same for a function that is called here, order by order, without what others would need: some microseconds less."""
        waiting = deque(self.optimizer.pending())  # of an earlier run
        native, limits = self.optimizer._native, self.limits
        ask, tell, isfinite = native.next, native.tell, math.isfinite
        is_watched = self.callback is not None or self.autosave is not None or limits.seconds is not None or self.bar.is_shown
        last = self.trace[-1].value if self.trace else None
        to_look_at = self._told  # when to look whether it is over, if nothing better is found before
        while True:
            if is_watched or self._told >= to_look_at:
                ending = self._ending()
                if ending is not None:
                    return ending
                counts = (limits.evaluations, None if limits.patience is None else self._found + limits.patience)
                to_look_at = min((count for count in counts if count is not None), default=sys.maxsize)
            asked = waiting.popleft() if waiting else ask()
            if asked is None:
                return "finished"
            id, order = asked
            try:
                value = f(order)
                if not isinstance(value, float) or not isfinite(value):
                    value = to_value(value, order)
            except Exception as error:
                self._answer(Proposal(id, order), Failure(error))
                continue
            best = tell(id, value)
            if is_watched:
                self._note(order, value, best)
                self._save_sometimes()
                continue
            self._told += 1
            if best != last:
                last = best
                self._trace(best)
                to_look_at = self._told

    def _save_sometimes(self) -> None:
        if self.autosave is not None and time.monotonic() - self._saved >= _SAVED_EVERY:
            self.optimizer.save(self.autosave)
            self._saved = time.monotonic()

    def _learn(self, journal: Journal) -> None:
        """Takes what other processes have found."""
        for order, value in journal.news():
            # What others may do that this run may not is of no use to it.
            with contextlib.suppress(PlackettError):
                self.optimizer._native.learn(order, value)

    def _unknown(self, asked: list[Proposal], journal: Journal) -> list[Proposal]:
        """The proposals that nobody has evaluated; the others are answered."""
        unknown = []
        for proposal in asked:
            value = journal.value_of(proposal.order.tolist())
            if value is None:
                unknown.append(proposal)
            else:
                self._early[proposal.id] = value
                self._known.add(proposal.id)
        return unknown

    def _ending(self) -> Ending | None:
        if self._is_stopped:
            return "callback"
        best = self.optimizer.best if self.limits.target is not None else None
        if best is not None and best[1] <= self.limits.target:  # type: ignore[operator]
            return "target"
        if self.limits.evaluations is not None and self._told >= self.limits.evaluations:
            return "evaluations"
        if self.limits.patience is not None and self._told - self._found >= self.limits.patience:
            return "patience"
        if self.limits.seconds is not None and self._seconds() >= self.limits.seconds:
            return "time"
        return None

    def _tell(self) -> bool:
        """Tells all that is known in the order of the proposals; true if the run is over before all of it is told."""
        while self._given and self._given[0].id in self._early:
            proposal = self._given.popleft()
            self._answer(proposal, self._early.pop(proposal.id))
            if self._given and self._ending() is not None:
                return True
        return False

    def _tell_early(self) -> None:
        """Tells what came before what it should have waited for."""
        for proposal in self._given:
            if proposal.id in self._early:
                self._answer(proposal, self._early.pop(proposal.id))

    def _answer(self, proposal: Proposal, outcome: Any) -> None:
        value, why = None, ""
        native = self.optimizer._native
        try:
            if isinstance(outcome, Failure):
                raise outcome.error
            if native.takes_parts:
                parts = _to_parts(outcome, proposal.order)
                native.tell_parts(proposal.id, parts)
                value = float(parts.sum())
            else:
                value = to_value(outcome, proposal.order)
                native.tell(proposal.id, value)
        except Exception as error:
            if not self.is_lenient and not (isinstance(outcome, Failure) and outcome.is_counted):
                raise
            why = f"{type(error).__name__}: {error}"
            native.tell_failed(proposal.id, why)
        if proposal.id in self._known:
            self._known.remove(proposal.id)
        elif self.journal is not None:
            self.journal.append(proposal.order.tolist(), value, why)
        self._note(proposal.order, value, native.best_value())

    def _trace(self, best: float | None) -> None:
        """Writes down that something better has been found, if it has."""
        if best is not None and (not self.trace or best != self.trace[-1].value):
            self.trace.append(TracePoint(self._told, self._seconds(), best))
            self._found = self._told

    def _note(self, order: Integers, value: float | None, best: float | None) -> None:
        """Takes note of one more evaluation, and tells those who look on."""
        self._told += 1
        self._trace(best)
        if best is not None:
            self.bar.show(f"best {best:g}", self._told, self.limits.evaluations or 0)
        elif self._told >= _HOPELESS:
            # Whoever skips all errors of a function that always fails would wait for ever.
            counts = self.optimizer.status
            if counts.told == 0 and counts.failed >= _HOPELESS:
                raise PlackettError(f"none of {counts.failed} evaluations succeeded: something is wrong with f")
        if self.callback is not None:
            self._is_stopped |= bool(self.callback(Evaluation(self.shape.cut(order), value, self._told, best)))


@dataclass(frozen=True)
class Failure:
    """An evaluation that has no value."""

    error: BaseException
    is_counted: bool = False
    """Whether it counts as failed whatever ``on_error`` says: the user has asked for a timeout."""


def _to_parts(found: Any, order: Integers) -> Floats:
    parts = to_floats(found, "the list of parts that f returned")
    if parts.shape != order.shape:
        raise PlackettError(f"f returned parts of shape {parts.shape}: {len(order)} are needed, one for each rank")
    return to_values(parts, np.broadcast_to(order, (len(order), len(order))))
