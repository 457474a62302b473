"""Who evaluates orders for :func:`plackett.minimize`: the caller's thread, a thread that may hang, or an executor."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from typing import Any, Protocol

import numpy as np

from plackett._drive import Failure, Proposal
from plackett._objective import to_values
from plackett._plackett import PlackettError

# Proposals that are given out at a time at most; there are as many as the window allows.
_MOST_AT_ONCE = 1 << 16
# How often to look whether an evaluation has begun, so that its time runs, in seconds.
_LOOK_EVERY = 0.05

_Done = Iterable[tuple[Proposal, Any]]


class Pool(Protocol):
    """Takes proposals and gives them back with what came of them: a value, or a :class:`Failure`."""

    def room(self) -> int:
        """How many more proposals it takes now."""

    def submit(self, proposals: list[Proposal]) -> None:
        """Takes proposals."""

    def done(self, seconds: float | None) -> _Done:
        """What is done; waits for something, but no longer than this."""

    def alone(self) -> Callable[[Any], Any] | None:
        """The function of an order, if the pool does no more than to call it."""

    def close(self) -> None:
        """Gives up what is not done."""


def pool_of(
    f: Callable[[Any], Any], executor: Executor | Callable[[], Executor] | None, timeout: float | None, batch: bool
) -> Pool:
    """The pool for these wishes."""
    if batch:
        return _Batches(f)
    if executor is None and timeout is None:
        return _Here(f)
    if executor is None:
        return _Elsewhere(f, _Thread, timeout)
    if not isinstance(executor, Executor) and not callable(executor):
        raise PlackettError(f"executor is {executor!r}: an executor, or a function that makes one, is needed")
    return _Elsewhere(f, executor, timeout)


class _Here:
    """The thread of the caller, one by one."""

    def __init__(self, f: Callable[[Any], Any]) -> None:
        self._f = f
        self._next: Proposal | None = None

    def room(self) -> int:
        return 1

    def submit(self, proposals: list[Proposal]) -> None:
        if proposals:
            (self._next,) = proposals

    def done(self, seconds: float | None) -> _Done:
        proposal, self._next = self._next, None
        if proposal is None:
            return []
        try:
            return [(proposal, self._f(proposal.order))]
        except Exception as error:
            return [(proposal, Failure(error))]

    def alone(self) -> Callable[[Any], Any] | None:
        return self._f

    def close(self) -> None:
        pass


class _Batches:
    """A function of many orders at once. Its errors are no order's own."""

    def __init__(self, f: Callable[[Any], Any]) -> None:
        self._f = f
        self._next: list[Proposal] = []

    def room(self) -> int:
        return _MOST_AT_ONCE

    def submit(self, proposals: list[Proposal]) -> None:
        self._next = proposals

    def done(self, seconds: float | None) -> _Done:
        proposals, self._next = self._next, []
        orders = np.stack([proposal.order for proposal in proposals])
        orders.setflags(write=False)
        return list(zip(proposals, to_values(self._f(orders), orders).tolist(), strict=True))

    def alone(self) -> Callable[[Any], Any] | None:
        return None

    def close(self) -> None:
        pass


class _Thread(Executor):
    """One thread, which an interpreter that ends does not wait for."""

    _max_workers = 1

    def __init__(self) -> None:
        self._tasks: deque[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = deque()
        self._wakes = threading.Semaphore(0)
        threading.Thread(target=self._work, daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._tasks.append((future, fn, args))
        self._wakes.release()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._wakes.release()  # and there is nothing to do

    def _work(self) -> None:
        while True:
            self._wakes.acquire()
            if not self._tasks:
                return
            future, f, arguments = self._tasks.popleft()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(f(*arguments))
                except BaseException as error:
                    future.set_exception(error)


class _Elsewhere:
    """An executor. Its processes are replaced if they die, and killed if they take too long.

    When processes die, nobody says which order it was. So those that were being evaluated are evaluated again, one by one: the
    one on which a process dies again has failed, and the others have lost nothing.
    """

    def __init__(
        self, f: Callable[[Any], Any], executor: Executor | Callable[[], Executor], timeout: float | None
    ) -> None:
        self._f = f
        self._timeout = timeout
        self._is_own = not isinstance(executor, Executor)
        self._make = executor if not isinstance(executor, Executor) else None
        self._executor: Executor = executor() if not isinstance(executor, Executor) else executor
        self._working: dict[Future[Any], Proposal] = {}
        self._since: dict[Future[Any], float] = {}
        self._suspects: deque[Proposal] = deque()
        self._is_alone = False
        self._lost = 0

    def room(self) -> int:
        if self._is_alone or self._suspects:
            return 0
        # Where time runs, nothing should wait its turn within the executor.
        most = getattr(self._executor, "_max_workers", None) if self._timeout is not None else None
        return (most or _MOST_AT_ONCE) - len(self._working)

    def submit(self, proposals: list[Proposal]) -> None:
        for at, proposal in enumerate(proposals):
            try:
                self._working[self._executor.submit(self._f, proposal.order)] = proposal
            except BrokenExecutor as error:
                self._suspects.extend(proposals[at:])
                self._replace(error)
                return

    def done(self, seconds: float | None) -> _Done:
        if not self._working and self._suspects:
            self._is_alone = True
            self.submit([self._suspects.popleft()])
        period = _LOOK_EVERY if self._timeout is not None else None
        waits = [limit for limit in (seconds, period) if limit is not None]
        ready, _ = wait(self._working, timeout=min(waits) if waits else None, return_when=FIRST_COMPLETED)
        found: list[tuple[Proposal, Any]] = []
        broken: list[Proposal] = []
        death: BrokenExecutor | None = None
        for future in sorted(ready, key=lambda future: self._working[future].id):
            proposal = self._working.pop(future)
            self._since.pop(future, None)
            try:
                found.append((proposal, future.result()))
            except BrokenExecutor as error:
                death = error
                broken.append(proposal)
            except Exception as error:
                found.append((proposal, Failure(error)))
        if death is not None:
            self._bury(broken, death, found)
        elif ready:
            self._is_alone = False
        return found + self._late()

    def _bury(self, broken: list[Proposal], death: BrokenExecutor, found: list[tuple[Proposal, Any]]) -> None:
        """Processes have died: replaces them, and finds out on which order."""
        if self._is_alone and len(broken) == 1:
            found.append((broken[0], Failure(death)))
        else:
            self._suspects.extend(sorted(broken + list(self._working.values()), key=lambda proposal: proposal.id))
            self._working.clear()
            self._since.clear()
        self._is_alone = False
        self._replace(death)

    def _replace(self, death: BrokenExecutor) -> None:
        """Another executor in place of a broken one."""
        old = self._executor
        if self._make is not None:
            fresh = self._make()
        elif type(old) is ProcessPoolExecutor:
            fresh = ProcessPoolExecutor(
                old._max_workers,  # type: ignore[attr-defined]
                mp_context=old._mp_context,
                initializer=old._initializer,
                initargs=old._initargs,
            )
        else:
            raise death
        if self._is_own:
            _shut_down(old)
        self._executor, self._is_own = fresh, True

    def _late(self) -> list[tuple[Proposal, Any]]:
        """Gives up evaluations that take too long."""
        if self._timeout is None:
            return []
        now = time.monotonic()
        for future in self._working:
            if future.running():
                self._since.setdefault(future, now)
        late = [future for future, since in self._since.items() if now - since >= self._timeout]
        found = [(self._working.pop(future), self._too_late()) for future in late]
        for future in late:
            future.cancel()  # whoever can stop what has begun may do so
            del self._since[future]
            self._is_alone = False
        if late and self._kill():
            # The others were killed with them, and begin again.
            again = sorted(self._working.values(), key=lambda proposal: proposal.id)
            self._working.clear()
            self._since.clear()
            self.submit(again)
        elif late:
            self._lost += len(late)
        if self._lost and self._working and not self._since:
            workers = getattr(self._executor, "_max_workers", None)
            if workers is not None and self._lost >= workers:
                raise PlackettError(f"all {workers} workers are busy with evaluations that have taken too long")
        return found

    def _too_late(self) -> Failure:
        return Failure(TimeoutError(f"no value within {self._timeout} seconds"), is_counted=True)

    def _kill(self) -> bool:
        """Kills the processes, or leaves the thread, that do not come back; false if that cannot be done."""
        if isinstance(self._executor, _Thread):
            self._executor = _Thread()
            return True
        processes = getattr(self._executor, "_processes", None)
        if not isinstance(self._executor, ProcessPoolExecutor) or processes is None:
            return False
        for process in list(processes.values()):
            process.kill()
        self._replace(BrokenExecutor("its processes were killed"))
        return True

    def alone(self) -> Callable[[Any], Any] | None:
        return None

    def close(self) -> None:
        for future in self._working:
            future.cancel()
        if self._is_own:
            _shut_down(self._executor)


def _shut_down(executor: Executor) -> None:
    """Without waiting. Not every executor can also cancel what it has not begun, and here that is canceled one by one."""
    executor.shutdown(wait=False)
