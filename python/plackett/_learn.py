"""Causal graphs from data, by a search over orders of the variables."""

from __future__ import annotations

import html
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from plackett import _notebook, _plackett
from plackett._arrays import Floats, to_count, to_number, to_seed
from plackett._data import ColumnKind, Discretize, Kind, Missing, Reading, is_in_memory, to_data
from plackett._effects import Adjustment, Effect, JointEffect, question, to_effect
from plackett._graph import Cpdag, Graph, named_cpdag
from plackett._knowledge import Knowledge, KnowledgeCost, to_cost, to_json
from plackett._plackett import PlackettError
from plackett._progress import Bar
from plackett._support import Replicates, Support, bootstrap as _bootstrap, write_whole

if TYPE_CHECKING:
    import networkx as nx

    from plackett._fitted import FittedModel

Method: TypeAlias = Literal[
    "auto", "insertion", "pl-relax", "pl-reinforce", "pl", "pl-surrogate", "pl-relax+insertion", "order-mcmc", "random", "exact", "pc"
]
Score: TypeAlias = Literal["auto", "ev-l0", "bic", "l1", "bge", "non-gaussian", "additive", "qnml", "bdeu", "k2", "fnml", "dg", "cg", "nal"]
Candidates: TypeAlias = Literal["plus-one", "pc", "all"]
Orient: TypeAlias = Literal["fnml"]


class PlackettWarning(UserWarning):
    """Something to know before trusting a graph."""


class LearnedGraph(Graph):
    """A graph learned from data, with what there is to say about it. Made by :func:`plackett.learn_dag`.

    The weights of edges are those of the linear model for numbers; where there are categories, what the score would lose without
    the edge.

    >>> import plackett
    >>> data = plackett.simulate_sem(4, seed=1).sample(500, seed=0)
    >>> plackett.learn_dag(data).status
    'finished'
    """

    def __init__(self, native: _plackett.LearnedGraph, data: _plackett.Data) -> None:
        super().__init__(native.weights, data.names)
        self._native: _plackett.LearnedGraph | None = native
        self._data: _plackett.Data | None = data
        self._order = tuple(native.order.tolist())
        self._cpdag = named_cpdag(self._names, native.cpdag)
        self._open = tuple(native.cpdag[1]) if native.is_equivalent else ()
        self._figures = native.edges
        self.directions_rest_on: str | None = native.directions_rest_on
        """What the directions rest on that the class leaves open, where the score prefers one to the other."""
        self.diagnostics: list[dict[str, Any]] = [
            {"name": name, "value": value, "verdict": verdict, "advice": advice}
            for name, value, verdict, advice in native.diagnostics
        ]
        """How far the graph can be trusted, as far as the data tell: a ``name``, a ``value``, a ``verdict`` and ``advice``
        each. Verdicts are ``"fine"``, ``"caution"``, ``"unused"`` (other scores assume it), ``"unknown"`` (it takes rows, or time,
        that are not there) and ``"assumed"`` (no data could tell)."""
        self.path_setting, self.path, self.path_edges = _path(native, self._names)
        self.method: str = native.method
        """How the graph was searched for."""
        self.score: float | None = native.score
        """The graph's score, lower being better; ``None`` for ``pc``, which has none."""
        self.score_name: str | None = native.score_name
        """The name of the score; ``None`` for ``pc``."""
        self.score_choice: str | None = native.score_choice
        """Why this score, if the data decided."""
        self.dropped: list[tuple[str, str, float]] = [
            (self._names[cause], self._names[effect], weight) for cause, effect, weight in native.dropped
        ]
        """Edges that ``threshold`` left out, with their weights."""
        self.price: float | None = native.price
        """What a parent cost in ``bic`` on numbers."""
        self.is_equivalent: bool = native.is_equivalent
        """Whether graphs of one equivalence class are equally good, so that only ``cpdag`` can be trusted."""
        kinds = {kind for kind, _, _ in data.columns}
        self.kind: Literal["continuous", "discrete", "mixed"] = (
            "mixed" if len(kinds) > 1 else "discrete" if kinds == {"categories"} else "continuous"
        )
        """What the data were taken for."""
        self.kind_choice: str | None = data.choice
        """Why, if it was not said."""
        self.input: dict[str, Any] = {
            "rows": data.rows,
            "fingerprint": data.fingerprint,
            "notes": list(data.notes),
            "columns": [
                {"name": name, "kind": kind, "missing": missing, "is_ordered": is_ordered}
                for name, (kind, missing, is_ordered) in zip(data.names, data.columns, strict=True)
            ],
        }
        if data.interventions is not None:
            observed, targets = data.interventions
            self.input["interventions"] = {"observed_rows": observed, "targets": dict(targets)}
        """What was read: ``rows``, ``columns`` with their kinds, missing values and whether they are categories with an order,
        ``notes`` on how a file is written, and a ``fingerprint`` that is the same for the same data from whatever source; where columns were set from outside,
        ``interventions`` with the rows that were merely observed and those in which each target was set."""
        self.missing: dict[str, Any] | None = _missing(data, native)
        """What was done about missing values, if there were any: ``method``, how many ``values`` were missing, the ``rows`` and
        ``complete_rows``, what that ``assumes``; with EM also ``effective_rows``, ``iterations``, ``change`` and ``converged``."""
        self.probabilities: Floats | None = native.probabilities
        """The posterior probability of i -> j at (row i, column j), if asked for."""
        self.convergence: dict[str, Any] | None = _convergence(self._names, native)
        """How the Markov chains went that ``probabilities`` come from: ``chains``, ``steps`` of each, ``samples``, ``r_hat`` of
        the score (near 1 if the chains agree), ``effective_size``, the largest ``standard_error`` of a probability, the
        ``worst_edge`` with its ``r_hat``, and whether the chains ``agrees``."""
        self.support: Support | None = None
        """In which share of graphs learned from rows drawn anew two columns are joined, and which way, if asked for."""
        self.evaluations: int = native.evaluations
        """Local scores looked at, or tests made."""
        self.status: Literal["finished", "interrupted", "time"] = native.status
        """How it ended; in each case the graph is the best so far, at worst the one without edges."""
        self.seconds: float = native.seconds
        """How long it took."""
        self.knowledge: KnowledgeCost | None = to_cost(native, self._names)
        """What knowledge cost, if there was any: the score without it and which statements decided."""
        self.warnings: tuple[str, ...] = tuple(native.warnings(data))
        """What to know before trusting the graph."""
        self._summary = native.summary(data, self.warnings, None)
        self._is_warm = True

    def report(self, path: str | os.PathLike[str], *, truth: Any = None) -> None:
        """Writes a report on the graph, to explore in any browser: one HTML file that needs nothing else, with the graph, its edges, the
        diagnostics, the knowledge, and the command that learns it again. It is that of the program's ``--report``, byte for byte.

        Parameters
        ----------
        path
            The file. It is written whole or not at all.
        truth
            The true graph, where it is known, to compare with: a :class:`plackett.Graph`, or a model or network that has one.

        Examples
        --------
        >>> import pathlib, plackett, tempfile
        >>> model = plackett.simulate_sem(4, seed=1)
        >>> found = plackett.learn_dag(model.sample(500, seed=0))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "report.html")
        ...     found.report(path, truth=model)
        ...     "Markov blanket" in path.read_text(encoding="utf-8")
        True
        """
        if self._native is None or self._data is None:
            raise PlackettError("this graph came from another process, without the data that a report tells of: write it where it was learned")
        native, data = self._native, self._data
        support = None if self.support is None else (self.support._native, self.support.wanted, self._is_warm)
        known = None
        if truth is not None:
            graph = truth if isinstance(truth, Graph) else getattr(truth, "graph", None)
            if not isinstance(graph, Graph):
                raise PlackettError(f"truth is {truth!r}: a graph, or a model that has one, is needed")
            known = (list(graph.names), graph.weights)
        write_whole(Path(path), native.report(data, support, known))

    def _edge_rows(self) -> list[dict[str, Any]]:
        if self.support is None:
            return self.edge_table
        shares = ("adjacent", "forward", "backward", "undirected")
        pairs = {(pair["from"], pair["to"]): pair for pair in self.support}
        none = dict.fromkeys(shares, 0.0)
        return [
            {**edge, **{name: pairs.get((edge["from"], edge["to"]), none)[name] for name in shares}} for edge in self.edge_table
        ]

    def _repr_svg_(self) -> str:
        if self._native is None or self._data is None:
            return super()._repr_svg_()
        native, data = self._native, self._data
        return native.svg(data, None if self.support is None else self.support._native)

    def _repr_html_(self) -> str:
        heads = self._summary.split("\n\n", 1)[0]
        note = f'<pre style="white-space:pre-wrap">{html.escape(heads)}</pre>'
        return _notebook.shown([note, self._repr_svg_(), _notebook.table(self._edge_rows(), "edges_frame()")])

    def summary(self) -> str:
        """What was learned from what, in words, as the program says it: the edges, the strongest first, with their strength, their
        support where there was a bootstrap, and whether the direction is compelled, open or known; the diagnostics; and what to know
        before trusting the graph.

        >>> import plackett
        >>> data = plackett.simulate_sem(4, seed=1).sample(500, seed=0)
        >>> print(plackett.learn_dag(data).summary().splitlines()[0])
        Learned from the data: 500 rows, 4 columns (centered)
        """
        return self._summary

    @property
    def cpdag(self) -> Cpdag:
        """What the data say of directions: the equivalence class of the graph, the interventional one where columns were set from
        outside, or PC-stable's pattern. With knowledge it is the maximally oriented graph under the knowledge: an edge is directed
        if all equivalent graphs that keep it direct it so.

        >>> import plackett
        >>> data = plackett.simulate_sem(4, seed=1).sample(500, seed=0)
        >>> isinstance(plackett.learn_dag(data).cpdag.directed, tuple)
        True
        """
        return self._cpdag

    @property
    def edge_table(self) -> list[dict[str, Any]]:
        """What there is to say of each edge, the strongest first: ``from``, ``to``, ``weight``; ``standardized``, the coefficient if
        every column had a standard deviation of one; ``strength``, what the score would lose without the edge; ``p_value``, the
        largest of the tests that kept it (``pc`` only); and ``direction``: ``"compelled"`` if all graphs of the class have it,
        ``"open"`` if not, or what it rests on if the score prefers one to the other. ``None`` where there is no such figure. A list
        of dictionaries is what data frames are made of.

        >>> import plackett
        >>> data = plackett.simulate_sem(4, seed=1).sample(500, seed=0)
        >>> sorted(plackett.learn_dag(data).edge_table[0])
        ['direction', 'from', 'p_value', 'standardized', 'strength', 'to', 'weight']
        """
        return [
            {
                "from": self._names[start],
                "to": self._names[end],
                "weight": float(self._weights[start, end]),
                "standardized": standardized,
                "strength": strength,
                "p_value": p_value,
                "direction": direction,
            }
            for start, end, standardized, strength, p_value, direction in self._figures
        ]

    def _supported(self, support: Support, native: _plackett.LearnedGraph, data: _plackett.Data) -> None:
        self.support = support
        if support.replicates < support.wanted:
            done = f"the run ended after {support.replicates} of {support.wanted} resamples: the support is by these"
            self.warnings = (*self.warnings, done)
        self._summary = native.summary(data, self.warnings, (support._native, support.seconds))

    def to_networkx(self) -> nx.DiGraph[str]:
        """The graph for networkx, with the edges' attributes ``weight``, ``open`` (whether the data leave the direction open, so that the
        edge might as well point the other way), those of :attr:`edge_table` that there are, and, after a bootstrap, ``support``: the
        share of graphs with this edge in this direction.

        >>> import plackett
        >>> model = plackett.simulate_sem(6, seed=0)
        >>> graph = plackett.learn_dag(model.sample(500, seed=0), score="bic").to_networkx()
        >>> sorted({is_open for _, _, is_open in graph.edges(data="open")})
        [False, True]
        """
        graph = super().to_networkx()
        for edge in self.edge_table:
            known = {name: value for name, value in edge.items() if value is not None and name not in ("from", "to")}
            graph.edges[edge["from"], edge["to"]].update(known)
        for pair in self.support or ():
            if graph.has_edge(pair["from"], pair["to"]):
                graph.edges[pair["from"], pair["to"]]["support"] = pair["forward"]
        return graph

    def _learned_data(self, data: Any) -> _plackett.Data | None:
        """The data that it was learned from, if no others are given."""
        if data is None and self._data is None:
            raise PlackettError("the data that this graph was learned from are no longer with it: give them")
        return self._data if data is None else None

    def fit(self, data: Any = None, *, ess: float = 1.0, **reading: Any) -> FittedModel:
        """Fits a model to data, by default those that the graph was learned from: see :meth:`plackett.Graph.fit`.

        >>> import plackett
        >>> data = plackett.simulate_sem(4, seed=1).sample(500, seed=0)
        >>> plackett.learn_dag(data).fit().names
        ('x1', 'x2', 'x3', 'x4')
        """
        own = self._learned_data(data)
        if own is not None:
            return super().fit(own, ess=ess)
        return super().fit(data, ess=ess, **self._as_read(reading))

    @overload
    def effect(
        self,
        cause: str,
        outcome: str,
        data: Any = None,
        *,
        change: tuple[str, str] | None = None,
        state: str | None = None,
        adjustment: Adjustment | None = None,
        level: float = 0.95,
        bootstrap: int | None = None,
        time_limit: float | None = None,
        progress: bool | None = None,
        **reading: Any,
    ) -> Effect: ...
    @overload
    def effect(
        self,
        cause: list[str] | tuple[str, ...],
        outcome: str,
        data: Any = None,
        *,
        change: Mapping[str, tuple[str, str]] | None = None,
        state: str | None = None,
        level: float = 0.95,
        bootstrap: int | None = None,
        time_limit: float | None = None,
        progress: bool | None = None,
        **reading: Any,
    ) -> JointEffect: ...
    def effect(
        self,
        cause: str | list[str] | tuple[str, ...],
        outcome: str,
        data: Any = None,
        *,
        change: tuple[str, str] | Mapping[str, tuple[str, str]] | None = None,
        state: str | None = None,
        adjustment: Adjustment | None = None,
        level: float = 0.95,
        bootstrap: int | None = None,
        time_limit: float | None = None,
        progress: bool | None = None,
        **reading: Any,
    ) -> Effect | JointEffect:
        """How much an outcome changes when a cause, or several as a list, are set from outside, by default from the data that the graph was learned from: see
        :meth:`plackett.Graph.effect`. Where the data leave directions open, all values over the class are in ``values``.

        With ``bootstrap``, as many times the rows are drawn anew, a graph is learned from them as this one was, and the effect is asked for
        there: ``low`` and ``high`` then include that the graph may be another. ``time_limit`` and Ctrl-C end that with the
        resamples so far.

        >>> import plackett
        >>> data = plackett.simulate_sem(4, degree=2, seed=1).sample(500, seed=0)
        >>> found = plackett.learn_dag(data, score="bic").effect("x1", "x2", bootstrap=20)
        >>> found.resampling["replicates"]
        20
        """
        own = self._learned_data(data)
        if own is None or self._native is None:
            if bootstrap is not None:
                raise PlackettError("bootstrap draws the rows anew that the graph was learned from: it takes no other data")
            told = {"change": change, "state": state, "adjustment": adjustment, "level": level, **self._as_read(reading)}
            return super().effect(cause, outcome, data, **told)
        wanted = _optional_count(bootstrap, "bootstrap")
        asked = question(cause, outcome, change, state, adjustment, level)
        bar = Bar(progress)
        try:
            show = bar.show if bar.is_shown and wanted is not None else None
            return to_effect(
                _plackett.learned_effect(self._native, own, asked, wanted or 0, _to_seconds(time_limit), show)
            )
        finally:
            bar.close()

    def _as_read(self, reading: dict[str, Any]) -> dict[str, Any]:
        """Other data are taken for what those were that the graph was learned from."""
        kinds = {column["name"]: column["kind"] for column in self.input["columns"]}
        return reading if "kind" in reading or "kinds" in reading else {**reading, "kinds": kinds}

    def __getstate__(self) -> dict[str, Any]:
        # The data stay where they are.
        return {**self.__dict__, "_native": None, "_data": None}


def _path(
    native: _plackett.LearnedGraph, names: Sequence[str]
) -> tuple[str | None, list[dict[str, Any]] | None, list[dict[str, Any]] | None]:
    """The setting that varies, the graphs at its values, and where each edge is there."""
    if native.path is None:
        return None, None, None
    setting, points, edges = native.path
    keys = ("from", "to", "lowest", "highest", "count", "turned", "is_learned")
    return (
        setting,
        [
            {"price": price, "score": score, "edges": [(names[a], names[b]) for a, b in pairs]}
            for price, score, pairs in points
        ],
        [dict(zip(keys, (names[edge[0]], names[edge[1]], *edge[2:]), strict=True)) for edge in edges],
    )


def _missing(data: _plackett.Data, native: _plackett.LearnedGraph) -> dict[str, Any] | None:
    if data.missing is None:
        return None
    found: dict[str, Any] = dict(
        zip(("method", "values", "rows", "complete_rows", "assumes"), data.missing, strict=True)
    )
    if native.estimation is not None:
        keys = ("effective_rows", "iterations", "change", "converged")
        found |= dict(zip(keys, native.estimation, strict=True))
    return found


def _convergence(names: Sequence[str], native: _plackett.LearnedGraph) -> dict[str, Any] | None:
    if native.convergence is None:
        return None
    (chains, steps, samples), (r_hat, effective_size, standard_error), edge, agrees = native.convergence
    worst = None if edge is None else {"from": names[edge[0]], "to": names[edge[1]], "r_hat": edge[2]}
    return {
        "chains": chains,
        "steps": steps,
        "samples": samples,
        "r_hat": r_hat,
        "effective_size": effective_size,
        "standard_error": standard_error,
        "worst_edge": worst,
        "agrees": agrees,
    }


def learn_dag(
    data: Any,
    *,
    method: Method = "auto",
    score: Score = "auto",
    kind: Kind = "auto",
    kinds: Mapping[str, ColumnKind] | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    na: Sequence[str] | None = None,
    missing: Missing = "error",
    delimiter: str | None = None,
    decimal_comma: bool | None = None,
    header: bool | None = None,
    discretize: Discretize | None = None,
    bins: int | None = None,
    weights: Any = None,
    interventions: Any = None,
    covariance: bool | int = False,
    names: Sequence[str] | None = None,
    knowledge: Knowledge | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    standardize: bool = False,
    center: bool = True,
    lambda_: float | None = None,
    sigma2: float | None = None,
    penalty: float | None = None,
    threshold: float | None = None,
    ess: float | None = None,
    candidates: Candidates | None = None,
    max_parents: int | None = None,
    orient: Orient | None = None,
    alpha: float | None = None,
    max_conditioning: int | None = None,
    posterior: bool = False,
    path: bool = False,
    bootstrap: int | None = None,
    executor: Executor | None = None,
    state: str | os.PathLike[str] | None = None,
    warm: bool = True,
    restarts: int | None = None,
    steps: int | None = None,
    memory: int = 1024,
    time_limit: float | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> LearnedGraph:
    """Learns a causal graph from data.

    The same data, settings and seed give the same graph, unless there is a time limit. Ctrl-C ends the search with the best
    graph so far.

    Parameters
    ----------
    data
        A numpy array of rows and columns, masked or not, a pandas or polars frame (or any other that narwhals knows), a
        dictionary of columns, :class:`plackett.DiscreteData`, or the path of a file, which may be packed by gzip or zstd. Data
        that do not fit in memory come in batches: a polars ``LazyFrame``, a Dask frame, a DuckDB relation or another Arrow
        stream, an iterator of frames; or summed up, as :class:`plackett.Statistics` or a file of them.
    method
        How to search: ``"auto"`` is ``"exact"`` for up to 16 columns of numbers or of categories and ``"insertion"`` otherwise;
        ``"insertion"`` moves one variable at a time to its best place; ``"pl-relax"`` is the paper's method;
        ``"exact"`` is dynamic programming, to about 23 variables; ``"pc"`` tests independences instead; and ``"pl"``,
        ``"pl-reinforce"``, ``"pl-surrogate"``, ``"pl-relax+insertion"``, ``"order-mcmc"``, ``"random"``.
    score
        What makes a graph good. Numbers: ``"ev-l0"`` (noise variances are equal: every direction can be told), ``"bic"``,
        ``"l1"`` (the paper's), ``"non-gaussian"`` and ``"additive"`` (noise of any shape, bent effects; from rows) or ``"bge"`` (a marginal likelihood). Categories: ``"qnml"``, ``"bic"``, ``"bdeu"``, ``"k2"`` or ``"fnml"``. Both side by side: ``"dg"``
        (categories enter a Gaussian as indicators) or ``"cg"`` (numbers have moments of their own in every combination of
        categories). Categories with missing values: ``"nal"``. By default the data decide.
    kind
        ``"continuous"``, ``"discrete"``, or to be told from the data: categories are words, or few different whole numbers.
    kinds
        What single columns are, ``"numbers"`` or ``"categories"``, by their names. Types that say so (categories, enumerations
        and truth values) are honored without it.
    columns, drop
        The columns to read, in this order, and those to leave out.
    na, missing
        What stands for a missing value, beside an empty field; and what to do where values are missing: ``"error"`` says how
        many are missing where and what each remedy keeps; ``"drop"`` leaves those rows out; ``"em"`` uses all rows, by the moments
        that the EM algorithm finds or, for categories alone, by drawing what is missing from the graph learned before until it stays the same;
        ``"category"`` takes a missing value as a category of its own.
    delimiter, decimal_comma, header
        How a file is written; told from its beginning if not given.
    discretize, bins
        Whether to cut columns of numbers into categories: ``"quantile"`` puts about equally many rows into each, ``"equal-width"``
        makes them equally wide; and how many, by default 3.
    weights
        How much each row counts: the name of a column, or an array. Whole weights are numbers of rows; others are relative to one
        another, and n is then (Σ w)² / Σ w². Categories take whole ones only; numbers beside categories, and values that are
        missing and not left out, none.
    interventions
        Which columns were set from outside, in experiments: an entry for each row, which is a column's name or number, a list of
        them, or ``None`` where nothing was set; or the name of a column that holds this; or a dictionary from targets to the
        columns that are 1 where they were set. What tells it is no node of the graph. A column's score rests on the rows in
        which it was not set, and ``cpdag`` is the interventional class.
    covariance
        Whether the data are a covariance matrix, which a file is by its looks: ``True`` for a file that says of how many rows,
        their number otherwise.
    names
        The names of the columns, if the data have none or others are wanted.
    knowledge
        What is known of the graph, which it then keeps: a :class:`plackett.Knowledge`, a dictionary of its parameters, or the path of
        a file. What it cost is in ``.knowledge`` of the answer.
    standardize, center
        What is done to columns of numbers first.
    lambda_, sigma2, penalty
        Settings of the scores of numbers: the price of a unit of weight (``l1``), the noise variance (``ev-l0``), the price of
        a parent (``ev-l0`` and ``bic``, 1 being that of the BIC proper; by default ``bic`` has one that fits the density found).
        For categories ``penalty`` is a factor of the price that a prior on graphs has for parents, 1 by default and 0 for none.
    threshold
        Edges of numbers whose weight is smaller than this in size are left out of the graph once it is learned; ``dropped`` has them.
        The score is that of the graph with them.
    ess, candidates, max_parents, orient
        Settings for categories: the equivalent sample size of ``bdeu``; which parents are tried, ``"plus-one"``, ``"pc"`` or
        ``"all"``, and how many there may be; what chooses the directions that the score leaves open, ``"fnml"`` or nothing, so that
        they are those of the order, and shown as open.
    posterior
        Whether to find the posterior probability of every edge, by Markov chains; ``score="auto"`` is then ``"bge"`` for numbers.
    path
        Whether to learn with other prices of an edge too (levels of the tests, or sizes of the prior), nine in all around the one
        that the graph has, and to say which edges stay: ``path`` then has the graphs (``price``, ``score``, ``edges``),
        ``path_edges`` where each edge is there (``from``, ``to``, ``lowest``, ``highest``, ``count``, ``turned``,
        ``is_learned``), and ``path_setting`` what was varied.
    bootstrap, executor, state, warm
        How many times to draw the rows anew and to learn from them: ``support`` then says how often two columns are joined and which
        way. An executor, say a ``ProcessPoolExecutor`` or Dask's ``Client.get_executor()``, can do that elsewhere, with the same
        numbers. What is done is saved in the file ``state``, and gone on with if that is there. Searches start from the order of the
        whole graph unless ``warm`` is false, which is slower.
    alpha, max_conditioning
        The level of PC-stable's tests, and the most columns that they condition on.
    restarts, steps, memory, time_limit, seed
        Random orders to start from; steps of the gradient methods and Markov chains; most memory in MiB, for caches and for rows
        (of more numbers, only the moments are kept); seconds after which the best so far is good enough; and the seed of all
        random numbers.
    progress
        Whether to show a bar on standard error; by default if it is a terminal.

    Examples
    --------
    >>> import plackett
    >>> model = plackett.simulate_sem(6, degree=2, seed=1)
    >>> found = plackett.learn_dag(model.sample(1000, seed=0))
    >>> plackett.metrics.shd(model, found)
    0
    >>> found.score_name
    'ev-l0'
    """
    is_for_numbers = standardize or not center or lambda_ is not None or sigma2 is not None
    if is_for_numbers and kind == "auto":
        kind = "continuous"
    if (standardize or not center) and kind == "discrete":
        raise PlackettError("standardize and center are for columns of numbers, and these are categories")
    if standardize and not center:
        raise PlackettError("standardize takes the means off too: center=False does not fit")
    settings = {
        "method": method,
        "score": None if score == "auto" else score,
        "lambda_": _optional_number(lambda_, "lambda_"),
        "sigma2": _optional_number(sigma2, "sigma2"),
        "penalty": _optional_number(penalty, "penalty"),
        "threshold": _optional_number(threshold, "threshold"),
        "ess": _optional_number(ess, "ess"),
        "candidates": candidates,
        "max_parents": _optional_count(max_parents, "max_parents"),
        "orient": orient,
        "alpha": _optional_number(alpha, "alpha"),
        "max_conditioning": _optional_count(max_conditioning, "max_conditioning", least=0),
        "posterior": bool(posterior),
        "path": bool(path),
        "restarts": _optional_count(restarts, "restarts"),
        "steps": _optional_count(steps, "steps"),
        "memory": to_count(memory, "memory", least=1),
        "time_limit": _to_seconds(time_limit),
        "seed": to_seed(seed),
        "knowledge": to_json(knowledge),
    }
    for what in ("method", "score", "candidates"):
        if settings[what] is not None and not isinstance(settings[what], str):
            raise PlackettError(f"{what} is {settings[what]!r}: a name is needed")
    centering = "standardize" if standardize else "center" if center else "none"
    bins = _optional_count(bins, "bins", least=2)
    if bins is not None and discretize is None:
        raise PlackettError("bins are for discretize, which is not given")
    reading = Reading(
        kind,
        kinds,
        columns,
        drop,
        na,
        missing,
        delimiter,
        decimal_comma,
        header,
        discretize,
        bins,
        None if penalty is None else "continuous",
        to_count(memory, "memory", least=1),
        is_resampled=bootstrap is not None,
    )
    wanted = _optional_count(bootstrap, "bootstrap")
    for what, is_given in (("executor", executor is not None), ("state", state is not None), ("warm", not warm)):
        if wanted is None and is_given:
            raise PlackettError(f"{what} is for bootstrap, which is not given")
    if wanted is not None and posterior:
        raise PlackettError("bootstrap would need the posterior of every resample: ask for one of the two at a time")
    if executor is not None and not (is_in_memory(data) or isinstance(data, str | os.PathLike)):
        raise PlackettError("with an executor the data are read again elsewhere: give an array, a frame or the path of a file")
    source = (data, reading, names, centering, weights, covariance, interventions)
    start = time.monotonic()
    native_data = to_data(*source)
    if (standardize or not center) and any(kind == "categories" for kind, _, _ in native_data.columns):
        raise PlackettError("standardize and center are for columns of numbers, and there are categories")
    bar = Bar(progress)
    try:
        native = _plackett.learn(native_data, settings, bar.show if bar.is_shown else None)
        found = LearnedGraph(native, native_data)
        if wanted is not None:
            begun = time.monotonic()
            left = None if time_limit is None else start + time_limit - begun
            deadline = None if left is None else time.time() + left
            order = list(found._order) if warm else None
            work = Replicates(native_data, to_data, source, settings, order, deadline)
            # What was ended before its time is not the graph to begin with.
            work.is_ended = found.status != "finished"
            shaped = {name: value for name, value in settings.items() if name != "time_limit"}
            subject = {**shaped, "centering": centering, "warm": warm, "fingerprint": native_data.fingerprint}
            file = None if state is None else Path(state)
            native_support = _bootstrap(work, len(found), wanted, executor, file, subject, bar)
            found._is_warm = warm
            found._supported(Support(native_support, found, wanted, time.monotonic() - begun), native, native_data)
    finally:
        bar.close()
    for text in found.warnings:
        warnings.warn(text, PlackettWarning, stacklevel=2)
    return found


def _optional_number(value: float | None, what: str) -> float | None:
    return None if value is None else to_number(value, what)


def _optional_count(value: int | None, what: str, least: int = 1) -> int | None:
    return None if value is None else to_count(value, what, least)


def _to_seconds(value: float | None) -> float | None:
    if value is None:
        return None
    seconds = to_number(value, "time_limit")
    if not 0 < seconds < np.inf:
        raise PlackettError(f"time_limit is {seconds}: a positive number of seconds is needed")
    return seconds
