"""Graphs with named nodes: entry (row i, column j) of a matrix and an edge (i, j) both mean i -> j."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plackett import _notebook, _plackett
from plackett._arrays import Floats, to_floats, to_number
from plackett._effects import Adjustment, Effect, JointEffect, question, to_effect
from plackett._plackett import PlackettError

if TYPE_CHECKING:
    import os

    import networkx as nx
    import pandas as pd
    import polars as pl
    from matplotlib.axes import Axes

    from plackett._fitted import FittedModel


@dataclass(frozen=True)
class Cpdag:
    """The equivalence class of a graph: what data without interventions can say of directions."""

    directed: tuple[tuple[str, str], ...]
    """Edges whose direction is the same in all graphs of the class, as (from, to)."""
    undirected: tuple[tuple[str, str], ...]
    """Edges that point either way in some of them."""


class Graph:
    """A directed acyclic graph with named nodes and weighted edges.

    Parameters
    ----------
    weights
        The matrix of weights, with an entry other than zero at (row i, column j) where i -> j.
    names
        The names of the nodes, x1, x2, ... by default.

    Examples
    --------
    >>> import plackett
    >>> graph = plackett.Graph([[0, 1.5], [0, 0]], names=["rain", "wet"])
    >>> graph.edges
    [('rain', 'wet', 1.5)]
    """

    def __init__(self, weights: ArrayLike, names: Sequence[str] | None = None) -> None:
        array = to_floats(weights, "the adjacency matrix")
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            raise PlackettError(f"the adjacency matrix has the shape {array.shape}: it must be square")
        self._weights = array.copy()
        self._weights.setflags(write=False)
        self._names = tuple(f"x{node + 1}" for node in range(len(array))) if names is None else tuple(map(str, names))
        _check_names(self._names, len(array))
        self._order = tuple(_plackett.topological_order(self._weights))
        self._open: tuple[tuple[int, int], ...] = ()

    @classmethod
    def from_edges(
        cls, edges: Iterable[Sequence[Any]], names: Sequence[str] | None = None
    ) -> Graph:
        """A graph of edges (from, to) or (from, to, weight), by the names of the nodes.

        >>> import plackett
        >>> plackett.Graph.from_edges([("b", "a"), ("b", "c")]).names
        ('b', 'a', 'c')
        """
        listed = [tuple(edge) for edge in edges]
        for edge in listed:
            if len(edge) not in (2, 3):
                raise PlackettError(f"{edge!r} is no edge: (from, to) or (from, to, weight) is needed")
        used = dict.fromkeys(str(node) for edge in listed for node in edge[:2])
        known = list(used) if names is None else [str(name) for name in names]
        index = {name: node for node, name in enumerate(known)}
        weights = np.zeros((len(known), len(known)))
        for edge in listed:
            start, end = str(edge[0]), str(edge[1])
            for name in (start, end):
                if name not in index:
                    raise PlackettError(f'an edge uses the name "{name}", which is not in names')
            weights[index[start], index[end]] = edge[2] if len(edge) == 3 else 1.0
        return Graph(weights, known)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the nodes.

        >>> import plackett
        >>> plackett.Graph([[0, 0], [1, 0]]).names
        ('x1', 'x2')
        """
        return self._names

    @property
    def weights(self) -> Floats:
        """The matrix of weights, (row i, column j) for i -> j.

        >>> import plackett
        >>> plackett.Graph([[0, 0.5], [0, 0]]).weights
        array([[0. , 0.5],
               [0. , 0. ]])
        """
        return self._weights

    @property
    def adjacency(self) -> NDArray[np.int8]:
        """The same with ones for the weights.

        >>> import plackett
        >>> plackett.Graph([[0, 0.5], [0, 0]]).adjacency.tolist()
        [[0, 1], [0, 0]]
        """
        return np.asarray(self._weights != 0, dtype=np.int8)

    @property
    def edges(self) -> list[tuple[str, str, float]]:
        """The edges as (from, to, weight).

        >>> import plackett
        >>> plackett.Graph([[0, 0], [2.0, 0]], names="ab").edges
        [('b', 'a', 2.0)]
        """
        pairs = zip(*np.nonzero(self._weights), strict=True)
        return [(self._names[i], self._names[j], float(self._weights[i, j])) for i, j in pairs]

    @property
    def order(self) -> list[str]:
        """The names in an order in which every cause stands before its effects.

        >>> import plackett
        >>> plackett.Graph([[0, 0], [2.0, 0]], names="ab").order
        ['b', 'a']
        """
        return [self._names[node] for node in self._order]

    @cached_property
    def cpdag(self) -> Cpdag:
        """The equivalence class of the graph.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "b")]).cpdag.undirected
        (('a', 'b'),)
        """
        return named_cpdag(self._names, _plackett.cpdag(self._weights))

    def interventional_cpdag(self, targets: Iterable[Iterable[str]]) -> Cpdag:
        """The class that experiments tell which set these nodes from outside, each a list of names: an edge is directed where all
        graphs that such data cannot tell from this one direct it so (Hauser and Bühlmann 2012).

        >>> import plackett
        >>> chain = plackett.Graph.from_edges([("a", "b"), ("b", "c")])
        >>> chain.interventional_cpdag([["a"]]).directed
        (('a', 'b'), ('b', 'c'))
        >>> chain.interventional_cpdag([["c"]]).undirected
        (('a', 'b'),)
        """
        places = {name: node for node, name in enumerate(self._names)}
        known = [[str(name) for name in ([part] if isinstance(part, str) else part)] for part in targets]
        for name in (name for part in known for name in part):
            if name not in places:
                raise PlackettError(f'there is no node "{name}" to set')
        regimes = [[places[name] for name in part] for part in known]
        return named_cpdag(self._names, _plackett.interventional_cpdag(self._weights, regimes))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Graph:
        """The graph of a file: an adjacency matrix in CSV, the JSON of ``plackett learn``, DOT, GraphML, GML, the texts of Tetrad,
        causal-learn and DAGitty, bnlearn's model string, or BIF. Which it is, its beginning tells.

        >>> import plackett, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "graph.dot"
        >>> _ = path.write_text("digraph { rain -> wet; sprinkler -> wet }")
        >>> plackett.Graph.read(path).order
        ['rain', 'sprinkler', 'wet']
        """
        return cls._of_parts(*_plackett.read_graph(path))

    @classmethod
    def from_text(cls, text: str) -> Graph:
        """The same of a text.

        >>> import plackett
        >>> plackett.Graph.from_text("[rain][sprinkler][wet|rain:sprinkler]").edges
        [('rain', 'wet', 1.0), ('sprinkler', 'wet', 1.0)]
        """
        return cls._of_parts(*_plackett.parse_graph(text, "the text"))

    @classmethod
    def _of_parts(cls, names: Sequence[str], weights: Floats, pairs: Sequence[tuple[int, int]]) -> Graph:
        graph = Graph(weights, names)
        graph._open = tuple(pairs)
        return graph

    @property
    def open_edges(self) -> list[tuple[str, str]]:
        """The edges whose direction is open, as (from, to): they might as well point the other way.

        >>> import plackett
        >>> plackett.Graph.from_text("pdag { a -- b; b -> c }").open_edges
        [('a', 'b')]
        """
        return [(start, end) for start, end, _ in self.edges if self._is_open(start, end)]

    def _is_open(self, start: str, end: str) -> bool:
        return frozenset((self._names.index(start), self._names.index(end))) in self._open_pairs

    @property
    def _open_pairs(self) -> set[frozenset[int]]:
        return {frozenset(pair) for pair in self._open}

    def _place(self, name: str) -> int:
        try:
            return self._names.index(str(name))
        except ValueError:
            raise PlackettError(f'there is no node "{name}"') from None

    def _related(self, name: str, what: str) -> list[str]:
        return [self._names[node] for node in _plackett.related(self._weights, self._place(name), what)]

    def ancestors(self, name: str) -> list[str]:
        """The nodes from which a directed path leads to this one.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "b"), ("b", "c")]).ancestors("c")
        ['a', 'b']
        """
        return self._related(name, "ancestors")

    def descendants(self, name: str) -> list[str]:
        """The nodes to which a directed path leads from this one.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "b"), ("b", "c")]).descendants("a")
        ['b', 'c']
        """
        return self._related(name, "descendants")

    def markov_blanket(self, name: str) -> list[str]:
        """The parents, the children, and the children's other parents: given these, no other node tells anything of this one.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "c"), ("b", "c"), ("c", "d")]).markov_blanket("a")
        ['c', 'b']
        """
        return self._related(name, "markov_blanket")

    def is_d_separated(self, a: str, b: str, given: Iterable[str] = ()) -> bool:
        """Whether every path between two nodes is blocked by others, so that they are independent given these.

        >>> import plackett
        >>> graph = plackett.Graph.from_edges([("a", "c"), ("b", "c")])
        >>> graph.is_d_separated("a", "b"), graph.is_d_separated("a", "b", ["c"])
        (True, False)
        """
        known = [given] if isinstance(given, str) else list(given)
        return _plackett.is_d_separated(self._weights, self._place(a), self._place(b), [self._place(name) for name in known])

    def adjustment_set(self, cause: str, outcome: str, kind: Adjustment = "optimal") -> list[str]:
        """What to hold fixed so that the association of two columns is the effect of one on the other: the set of the smallest
        asymptotic variance (``"optimal"``), the parents of the cause (``"parents"``), or a part of the first of which nothing can be left
        out (``"minimal"``). Directions are taken as the graph has them.

        >>> import plackett
        >>> graph = plackett.Graph.from_edges([("z", "x"), ("z", "y"), ("x", "y"), ("w", "y")])
        >>> graph.adjustment_set("x", "y"), graph.adjustment_set("x", "y", "minimal")
        (['z', 'w'], ['z'])
        """
        found = _plackett.adjustment_set(self._weights, self._place(cause), self._place(outcome), kind)
        return [self._names[node] for node in found]

    def is_adjustment_set(self, cause: str, outcome: str, names: Iterable[str]) -> bool:
        """Whether these are such a set.

        >>> import plackett
        >>> graph = plackett.Graph.from_edges([("z", "x"), ("z", "y"), ("x", "y")])
        >>> graph.is_adjustment_set("x", "y", []), graph.is_adjustment_set("x", "y", ["z"])
        (False, True)
        """
        known = [names] if isinstance(names, str) else list(names)
        places = [self._place(name) for name in known]
        return _plackett.is_adjustment_set(self._weights, self._place(cause), self._place(outcome), places)

    def fit(self, data: Any, *, ess: float = 1.0, **reading: Any) -> FittedModel:
        """Fits a model to data: coefficients with standard errors, intercepts and residual variances of numbers, probabilities of
        categories; a node is fitted to the rows in which neither its value nor one of its parents' is missing, and in which it was not
        set from outside.

        Parameters
        ----------
        data
            What :func:`plackett.learn_dag` takes. Columns are matched by name; those that are no nodes are let be.
        ess
            The equivalent sample size of the prior on probabilities, which spreads so many rows evenly over the cells of a table.
        reading
            ``kind``, ``kinds``, ``na``, ``missing``, ``delimiter``, ``decimal_comma``, ``header``, ``names``, ``weights``,
            ``interventions`` and ``covariance``, as for :func:`plackett.learn_dag`.

        Examples
        --------
        >>> import plackett
        >>> model = plackett.simulate_sem(4, degree=2, seed=1)
        >>> model.graph.fit(model.sample(500, seed=0))
        <FittedModel of 4 nodes and 6 edges>
        """
        from plackett._fitted import FittedModel, read_sample

        sample = read_sample(data, self._names, **reading)
        return FittedModel(_plackett.FittedModel.fit(list(self._names), self._weights, sample, to_number(ess, "ess")))

    @overload
    def effect(
        self,
        cause: str,
        outcome: str,
        data: Any,
        *,
        change: tuple[str, str] | None = None,
        state: str | None = None,
        adjustment: Adjustment | None = None,
        level: float = 0.95,
        **reading: Any,
    ) -> Effect: ...
    @overload
    def effect(
        self,
        cause: list[str] | tuple[str, ...],
        outcome: str,
        data: Any,
        *,
        change: Mapping[str, tuple[str, str]] | None = None,
        state: str | None = None,
        level: float = 0.95,
        **reading: Any,
    ) -> JointEffect: ...
    def effect(
        self,
        cause: str | list[str] | tuple[str, ...],
        outcome: str,
        data: Any,
        *,
        change: tuple[str, str] | Mapping[str, tuple[str, str]] | None = None,
        state: str | None = None,
        adjustment: Adjustment | None = None,
        level: float = 0.95,
        **reading: Any,
    ) -> Effect | JointEffect:
        """How much an outcome changes when a cause is set from outside: for numbers the change of the mean for each unit of the cause, for
        categories the change of the probability of a state when the cause goes from one state to another. Where directions are open, all
        values that graphs of the class give are in ``values``, and ``effect`` is ``None`` if there are several.

        Parameters
        ----------
        cause, outcome
            The names of the columns. Several causes, as a list, are set together: the answer is then a :class:`plackett.JointEffect`, with the
            effect of changing all of them and, in ``values[0].parts``, of each while the others are held.
        data
            What :func:`plackett.learn_dag` takes.
        change, state
            The states that a category is changed from and to, by default the first and the last (with several causes a dict of such pairs); and
            the state of the outcome whose probability is looked at, by default the last.
        adjustment
            What is adjusted for, ``"optimal"`` by default: see :meth:`adjustment_set`. Several causes have none.
        level
            The level of intervals.
        reading
            As for :meth:`fit`.

        Examples
        --------
        >>> import plackett
        >>> asia = plackett.load_network("asia")
        >>> found = asia.graph.effect("smoke", "dysp", asia.sample(5000, seed=0), change=("no", "yes"), state="yes")
        >>> found.meaning
        'change of the probability of dysp = yes when smoke goes from no to yes'
        >>> together = asia.graph.effect(["smoke", "bronc"], "dysp", asia.sample(5000, seed=0), state="yes")
        >>> sorted(together.values[0].parts)
        ['bronc', 'smoke']
        """
        from plackett._fitted import read_sample

        sample = read_sample(data, self._names, **reading)
        asked = question(cause, outcome, change, state, adjustment, level)
        return to_effect(_plackett.effect(list(self._names), self._weights, list(self._open), sample, asked))

    def to_networkx(self) -> nx.DiGraph[str]:
        """The graph for networkx, with the edges' attributes ``weight`` and ``open``: whether the direction is open, so that the edge
        might as well point the other way. It is also what DoWhy's ``gcm`` and its ``CausalModel`` take.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "b", 2.0)]).to_networkx()["a"]["b"]
        {'weight': 2.0, 'open': False}
        """
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self._names)
        pairs = self._open_pairs
        for i, j in zip(*np.nonzero(self._weights), strict=True):
            weight = float(self._weights[i, j])
            graph.add_edge(self._names[i], self._names[j], weight=weight, open=frozenset((int(i), int(j))) in pairs)
        return graph

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph[Any]) -> Graph:
        """The graph of networkx, with the attributes ``weight`` and ``open`` of its edges where they are there.

        >>> import networkx, plackett
        >>> plackett.Graph.from_networkx(networkx.DiGraph([("a", "b")])).edges
        [('a', 'b', 1.0)]
        """
        if not graph.is_directed():
            raise PlackettError("the graph is undirected: a DiGraph is needed, with open=True for edges whose direction is open")
        names = [str(node) for node in graph.nodes]
        edges = [(str(a), str(b), float(facts.get("weight") or 1.0)) for a, b, facts in graph.edges(data=True)]
        found = cls.from_edges(edges, names)
        places = {name: place for place, name in enumerate(names)}
        found._open = tuple((places[str(a)], places[str(b)]) for a, b, is_open in graph.edges(data="open") if is_open)
        return found

    def _written(self, what: str) -> str:
        return _plackett.write_graph(list(self._names), self._weights, list(self._open), what)

    def to_dot(self) -> str:
        """The graph in the DOT language, for Graphviz. Edges whose direction the data leave open are dashed and have no arrowheads.

        >>> import plackett
        >>> print(plackett.Graph.from_edges([("a", "b")]).to_dot())
        digraph {
          "a";
          "b";
          "a" -> "b";
        }
        <BLANKLINE>
        """
        return self._written("dot")

    def to_graphml(self) -> str:
        """The graph in GraphML, with ``weight`` and ``open`` of each edge, for networkx, igraph, yEd or Gephi.

        >>> import plackett
        >>> "graphml" in plackett.Graph.from_edges([("a", "b")]).to_graphml()
        True
        """
        return self._written("graphml")

    def to_gml(self) -> str:
        """The graph in GML, as networkx and DoWhy's ``CausalModel`` read it.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "b")]).to_gml().splitlines()[2]
        '  node [ id 0 label "a" ]'
        """
        return self._written("gml")

    def to_dagitty(self) -> str:
        """The graph as a text of DAGitty: a ``dag``, or a ``pdag`` with undirected edges where directions are open.

        >>> import plackett
        >>> print(plackett.Graph.from_edges([("a", "b")]).to_dagitty().replace(chr(10), " "))
        dag { "a" "b" "a" -> "b" }
        """
        return self._written("dagitty")

    def to_tetrad(self) -> str:
        """The graph as Tetrad and causal-learn save it, with ``---`` where directions are open.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "b")]).to_tetrad().splitlines()[-1]
        '1. a --> b'
        """
        return self._written("tetrad")

    def to_bnlearn(self) -> str:
        """The graph as a model string of bnlearn, for ``model2network``; it has no place for open directions.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "b"), ("c", "b")]).to_bnlearn()
        '[a][b|a:c][c]'
        """
        return self._written("bnlearn")

    def to_json(self) -> str:
        """The graph as a JSON document such as ``plackett learn`` prints: ``order``, ``edges``, and ``cpdag`` with the open directions.

        >>> import json, plackett
        >>> json.loads(plackett.Graph.from_edges([("a", "b", 2.0)]).to_json())["edges"]
        [{'from': 'a', 'to': 'b', 'weight': 2.0}]
        """
        return self._written("json")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the graph to a file whose ending tells the format: ``.csv`` (an adjacency matrix), ``.json``, ``.dot`` or ``.gv``,
        ``.graphml``, ``.gml``, ``.dagitty``, ``.tetrad`` or ``.txt``, ``.bnlearn``. :meth:`read` reads each of them.

        >>> import plackett, pathlib, tempfile
        >>> graph = plackett.Graph.from_text("pdag { a -- b; b -> c; d -> c }")
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "graph.graphml"
        >>> graph.save(path)
        >>> plackett.Graph.read(path).open_edges
        [('a', 'b')]
        """
        Path(path).write_text(self._written(_plackett.graph_format(path)), encoding="utf-8")

    def to_dowhy_gcm(self, data: Any = None) -> Any:
        """The graph as a ``StructuralCausalModel`` of DoWhy's ``gcm``. With a pandas data frame, mechanisms are assigned and fitted to it
        by DoWhy; :meth:`plackett.FittedModel.to_dowhy_gcm` hands over those fitted here instead.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "b")]).to_dowhy_gcm().graph.number_of_edges()  # doctest: +SKIP
        1
        """
        from dowhy import gcm

        model = gcm.StructuralCausalModel(self.to_networkx())
        if data is not None:
            gcm.auto.assign_causal_mechanisms(model, data)
            gcm.fit(model, data)
        return model

    def to_causal_learn(self) -> Any:
        """The graph as a ``GeneralGraph`` of causal-learn, with undirected edges where directions are open.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "b")]).to_causal_learn().get_num_edges()  # doctest: +SKIP
        1
        """
        from causallearn.graph.Edge import Edge
        from causallearn.graph.Endpoint import Endpoint
        from causallearn.graph.GeneralGraph import GeneralGraph
        from causallearn.graph.GraphNode import GraphNode

        nodes = {name: GraphNode(name) for name in self._names}
        graph = GeneralGraph(list(nodes.values()))
        for start, end, _ in self.edges:
            head = Endpoint.TAIL if self._is_open(start, end) else Endpoint.ARROW
            graph.add_edge(Edge(nodes[start], nodes[end], Endpoint.TAIL, head))
        return graph

    @classmethod
    def from_causal_learn(cls, graph: Any) -> Graph:
        """The graph of a ``GeneralGraph`` of causal-learn whose edges are directed or undirected; circles and two heads are refused.

        >>> import plackett
        >>> graph = plackett.Graph.from_edges([("a", "b")])
        >>> plackett.Graph.from_causal_learn(graph.to_causal_learn()).edges == graph.edges  # doctest: +SKIP
        True
        """
        names = [node.get_name() for node in graph.get_nodes()]
        marks = np.asarray(graph.graph)
        lines = ["Graph Nodes:", ";".join(f"n{place}" for place in range(len(names))), "", "Graph Edges:"]
        for a in range(len(names)):
            for b in range(a):
                ends = (int(marks[a, b]), int(marks[b, a]))
                # An entry (i, j) is the mark at i of the edge between i and j: -1 a tail, 1 a head.
                signs = {(-1, 1): f"n{a} --> n{b}", (1, -1): f"n{b} --> n{a}", (-1, -1): f"n{a} --- n{b}"}
                if ends in signs:
                    lines.append(f"{len(lines)}. {signs[ends]}")
                elif ends != (0, 0):
                    raise PlackettError(f'the edge between "{names[a]}" and "{names[b]}" is neither directed nor undirected')
        found = cls.from_text("\n".join(lines))
        return cls._of_parts(names, found.weights, found._open)

    @overload
    def edges_frame(self, library: Literal["pandas"] = "pandas") -> pd.DataFrame: ...
    @overload
    def edges_frame(self, library: Literal["polars"]) -> pl.DataFrame: ...
    def edges_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """A frame of pandas or polars with a row for each edge and all that there is to say of it.

        >>> import plackett
        >>> graph = plackett.Graph.from_edges([("a", "b", 2.0)])
        >>> graph.edges_frame()["weight"].tolist()
        [2.0]
        >>> graph.edges_frame("polars").columns
        ['from', 'to', 'weight']
        """
        return _notebook.edges_frame(self._edge_rows(), library)

    def _edge_rows(self) -> list[dict[str, Any]]:
        return [{"from": start, "to": end, "weight": weight} for start, end, weight in self.edges]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the graph with matplotlib, on these axes or on new ones: causes above effects, arrows as thick as their weights are
        large, dashed where the data leave the direction open.

        >>> import plackett
        >>> ax = plackett.Graph.from_edges([("a", "b", 2.0)]).plot()
        >>> sorted(text.get_text() for text in ax.texts)
        ['a', 'b']
        """
        return _notebook.plot_graph(self._names, self._weights, self._open, ax)

    def _repr_svg_(self) -> str:
        return _notebook.graph_svg(self._names, self._weights, repr(self)[1:-1], self._open)

    def _repr_html_(self) -> str:
        return _notebook.shown([self._repr_svg_()])

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} nodes and {np.count_nonzero(self._weights)} edges>"


def named_cpdag(
    names: Sequence[str], pairs: tuple[list[tuple[int, int]], list[tuple[int, int]]]
) -> Cpdag:
    """A class whose nodes are numbers, by names."""
    directed, undirected = (tuple((names[a], names[b]) for a, b in edges) for edges in pairs)
    return Cpdag(directed, undirected)


def _check_names(names: tuple[str, ...], nodes: int) -> None:
    if len(names) != nodes:
        raise PlackettError(f"{len(names)} names for {nodes} nodes")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise PlackettError(f'two nodes are named "{name}"')
        seen.add(name)
