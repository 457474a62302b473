"""Graphs with named nodes: entry (row i, column j) of a matrix and an edge (i, j) both mean i -> j."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plackett import _notebook, _plackett
from plackett._arrays import Floats, to_floats
from plackett._plackett import PlackettError

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import polars as pl
    from matplotlib.axes import Axes


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

    def to_networkx(self) -> nx.DiGraph[str]:
        """The graph for networkx, with the weights as the edges' attribute ``weight``.

        >>> import plackett
        >>> plackett.Graph.from_edges([("a", "b", 2.0)]).to_networkx()["a"]["b"]["weight"]
        2.0
        """
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self._names)
        graph.add_weighted_edges_from(self.edges)
        return graph

    def to_dot(self) -> str:
        """The graph in the DOT language, for Graphviz. Edges whose direction the data leave open have no arrowheads.

        >>> import plackett
        >>> print(plackett.Graph.from_edges([("a", "b")]).to_dot())
        digraph {
          "a";
          "b";
          "a" -> "b";
        }
        <BLANKLINE>
        """
        return _plackett.to_dot(list(self._names), self._weights, list(self._open))

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
