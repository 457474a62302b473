"""How far a learned graph can be trusted: graphs learned from rows that are drawn anew."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from plackett import _plackett
from plackett._graph import Cpdag, Graph, named_cpdag
from plackett._plackett import PlackettError
from plackett._progress import Bar

if TYPE_CHECKING:
    import pandas as pd

# So many parts of a bootstrap are done one after another, or handed to an executor: what is done is saved between them, and data are
# sent to other processes as often.
_PARTS = 16
# Seconds between two looks at an executor that is at work.
_LOOK_EVERY = 0.1


class Support(Sequence[dict[str, Any]]):
    """In which share of graphs, learned from rows drawn anew, two columns are joined, and which way: a sequence of dictionaries with
    ``from``, ``to``, ``adjacent`` (joined in any way), ``forward`` (from -> to), ``backward`` and ``undirected``, the most frequent
    pairs first. Pairs that are not there were never joined. Made by :func:`plackett.learn_dag` with ``bootstrap``.

    >>> import plackett
    >>> data = plackett.simulate_sem(4, seed=1).sample(300, seed=0)
    >>> support = plackett.learn_dag(data, bootstrap=20).support
    >>> support.replicates, support[0]["adjacent"]
    (20, 1.0)
    """

    def __init__(self, native: _plackett.Support, graph: Graph, wanted: int, seconds: float) -> None:
        self._native = native
        self._names = graph.names
        self._edges = {(start, end) for start, end, _ in graph.edges}
        self.replicates: int = native.replicates
        """How many graphs were learned."""
        self.wanted: int = wanted
        """How many were asked for; fewer are there if the run was ended before."""
        self.seconds: float = seconds
        """How long that took."""
        self._pairs = sorted(map(self._turned, native.pairs), key=lambda pair: -float(pair["adjacent"]))

    def _turned(self, pair: tuple[int, int, float, float, float, float]) -> dict[str, Any]:
        """From cause to effect where the graph joins the two, otherwise the way that is more frequent."""
        a, b, adjacent, forward, backward, undirected = pair
        start, end = self._names[a], self._names[b]
        is_edge, is_turned_edge = (start, end) in self._edges, (end, start) in self._edges
        if is_turned_edge or not is_edge and backward > forward:
            start, end, forward, backward = end, start, backward, forward
        return {
            "from": start,
            "to": end,
            "adjacent": adjacent,
            "forward": forward,
            "backward": backward,
            "undirected": undirected,
        }

    def of(self, start: str, end: str) -> dict[str, Any]:
        """What there is to say of two columns, the first being ``from``.

        >>> import plackett
        >>> data = plackett.simulate_sem(4, seed=1).sample(300, seed=0)
        >>> support = plackett.learn_dag(data, bootstrap=5).support
        >>> pair = support.of("x1", "x2")
        >>> pair["forward"] == support.of("x2", "x1")["backward"]
        True
        """
        for name in (start, end):
            if name not in self._names:
                raise PlackettError(f"there is no column {name!r}")
        for pair in self._pairs:
            if (pair["from"], pair["to"]) == (start, end):
                return dict(pair)
            if (pair["to"], pair["from"]) == (start, end):
                turned = {"from": start, "to": end, "forward": pair["backward"], "backward": pair["forward"]}
                return {**pair, **turned}
        return {"from": start, "to": end, "adjacent": 0.0, "forward": 0.0, "backward": 0.0, "undirected": 0.0}

    def consensus(self, threshold: float = 0.5) -> Cpdag:
        """What most graphs agree on: two columns are joined if they are so in more than this share of them, with a direction if more
        than half of those that join them have it. Directions that would close a cycle are left out, the least frequent first.

        >>> import plackett
        >>> data = plackett.simulate_sem(4, seed=1).sample(300, seed=0)
        >>> len(plackett.learn_dag(data, bootstrap=5).support.consensus(0.99).directed) >= 0
        True
        """
        return named_cpdag(self._names, self._native.consensus(float(threshold)))

    def to_pandas(self) -> pd.DataFrame:
        """A frame with a row for each pair.

        >>> import plackett
        >>> data = plackett.simulate_sem(4, seed=1).sample(300, seed=0)
        >>> plackett.learn_dag(data, bootstrap=5).support.to_pandas().columns[2]
        'adjacent'
        """
        import pandas as pd

        return pd.DataFrame(self._pairs, columns=["from", "to", "adjacent", "forward", "backward", "undirected"])

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[dict[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | Sequence[dict[str, Any]]:
        return self._pairs[place]

    def __len__(self) -> int:
        return len(self._pairs)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._pairs)

    def __repr__(self) -> str:
        return f"<Support of {len(self)} pairs by {self.replicates} replicates>"


class Replicates:
    """What an executor is handed: learns the graphs of some replicates, in whatever thread, process or machine. Data in memory are shared
    by threads, and read anew from what the caller gave elsewhere."""

    def __init__(
        self,
        data: _plackett.Data,
        read: Callable[..., _plackett.Data],
        source: tuple[Any, ...],
        settings: dict[str, Any],
        start: list[int] | None,
        deadline: float | None,
    ) -> None:
        self._data: _plackett.Data | None = data
        self._read = read
        self._source = source
        self._settings = settings
        self._start = start
        self._deadline = deadline
        self.is_ended = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_data": None}

    def __call__(self, numbers: list[int]) -> str:
        """The support by the replicates of these numbers, as text."""
        return self.native(numbers, self._go_on).to_json("")

    def native(self, numbers: list[int], progress: Callable[[str, int, int | None], None] | None) -> _plackett.Support:
        if self._data is None:
            self._data = self._read(*self._source)
        left = None if self._deadline is None else self._deadline - time.time()
        if self.is_ended or left is not None and left <= 0:
            return _plackett.Support(len(self._data.names))
        return _plackett.bootstrap(self._data, {**self._settings, "time_limit": left}, self._start, numbers, progress)

    def _go_on(self, stage: str, done: int, total: int | None) -> None:
        if self.is_ended:
            raise KeyboardInterrupt


def bootstrap(
    replicates: Replicates,
    nodes: int,
    wanted: int,
    executor: Executor | None,
    state: Path | None,
    subject: dict[str, Any],
    bar: Bar,
) -> _plackett.Support:
    """Makes the replicates that are wanted, as many as there is time for until Ctrl-C; those in the file are there already."""
    text = json.dumps(subject, sort_keys=True, default=str)
    found = _plackett.Support(nodes)
    if state is not None and state.exists():
        found = _plackett.Support.from_json(state.read_text(), text)
    missing = found.missing(wanted)
    size = -(-len(missing) // _PARTS)
    parts = [missing[at : at + size] for at in range(0, len(missing), size)] if missing else []

    def take(part: _plackett.Support) -> None:
        found.merge(part)
        if state is not None:
            write_whole(state, found.to_json(text))
        bar.show("bootstrap", found.replicates, wanted)

    if executor is not None:
        _elsewhere(replicates, parts, executor, take)
        return found
    for part in parts:
        before = found.replicates
        made = replicates.native(part, lambda _, done, __: bar.show("bootstrap", before + done, wanted))
        take(made)
        if made.replicates < len(part):
            break
    return found


def _elsewhere(
    replicates: Replicates, parts: list[list[int]], executor: Executor, take: Callable[[_plackett.Support], None]
) -> None:
    futures: set[Future[str]] = {executor.submit(replicates, part) for part in parts}
    try:
        while futures:
            # A short wait, so that Ctrl-C is heard with any executor.
            done, futures = wait(futures, timeout=_LOOK_EVERY, return_when=FIRST_COMPLETED)
            for future in done:
                take(_plackett.Support.from_json(future.result(), ""))
    except KeyboardInterrupt:
        replicates.is_ended = True  # seen by threads; other processes finish what they are at, for nobody
    finally:
        for future in futures:
            future.cancel()


def write_whole(path: Path, text: str) -> None:
    """Writes a file under a temporary name beside it, and renames it into place."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".plackett-", delete=False) as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
