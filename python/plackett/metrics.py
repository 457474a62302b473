"""How far an estimated graph is from the true one.

Matrices do not say which way their edges point, and half of the field's programs have them one way and half the other. So
``edge_direction`` must be given with a matrix: ``"row_to_column"`` if entry (row i, column j) means i -> j, as everywhere in
this package, or ``"column_to_row"``. Graphs of this package (and networkx's) know their direction, and their nodes are
matched by name.

>>> import plackett
>>> true, estimate = [[0, 1], [0, 0]], [[0, 0], [1, 0]]
>>> plackett.metrics.shd(true, estimate, edge_direction="row_to_column")
1
>>> plackett.metrics.shd_cpdag(true, estimate, edge_direction="row_to_column")
0
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from plackett import _plackett
from plackett._arrays import Floats, to_floats
from plackett._graph import Graph
from plackett._plackett import PlackettError

__all__ = ["Comparison", "compare", "shd", "shd_cpdag", "sid"]

EdgeDirection: TypeAlias = Literal["row_to_column", "column_to_row"]


class Comparison(NamedTuple):
    """All metrics at once."""

    shd: int
    """Edges to add, remove or turn round."""
    shd_cpdag: int
    """The same between the equivalence classes."""
    sid: int
    """Pairs of nodes with a wrong effect of one on the other."""
    missing: int
    """Edges of the true graph whose nodes are not joined in the estimate."""
    extra: int
    """Edges of the estimate whose nodes are not joined in the true graph."""
    reversed: int
    """Edges that point the wrong way."""


def shd(true: Any, est: Any, *, edge_direction: EdgeDirection | None = None) -> int:
    """The structural Hamming distance: edges to add, remove or turn round.

    >>> import plackett
    >>> true = plackett.Graph.from_edges([("a", "b"), ("b", "c")])
    >>> plackett.metrics.shd(true, plackett.Graph.from_edges([("c", "b"), ("a", "b")]))
    1
    """
    return _plackett.shd(*_matrices(true, est, edge_direction))


def shd_cpdag(true: Any, est: Any, *, edge_direction: EdgeDirection | None = None) -> int:
    """The structural Hamming distance between the equivalence classes.

    >>> import plackett
    >>> true = plackett.Graph.from_edges([("a", "b"), ("b", "c")])
    >>> plackett.metrics.shd_cpdag(true, plackett.Graph.from_edges([("c", "b"), ("b", "a")]))
    0
    """
    return _plackett.shd_cpdag(*_matrices(true, est, edge_direction))


def sid(true: Any, est: Any, *, edge_direction: EdgeDirection | None = None) -> int:
    """The structural intervention distance: pairs (i, j) for which the estimate gives a wrong effect of i on j.

    >>> import plackett
    >>> true = plackett.Graph.from_edges([("a", "b")])
    >>> plackett.metrics.sid(true, plackett.Graph.from_edges([("b", "a")]))
    2
    """
    return _plackett.sid(*_matrices(true, est, edge_direction))


def compare(true: Any, est: Any, *, edge_direction: EdgeDirection | None = None) -> Comparison:
    """All metrics at once.

    >>> import plackett
    >>> true = plackett.Graph.from_edges([("a", "b"), ("b", "c")])
    >>> plackett.metrics.compare(true, plackett.Graph.from_edges([("b", "a")], names="abc"))
    Comparison(shd=2, shd_cpdag=1, sid=5, missing=1, extra=0, reversed=1)
    """
    return Comparison(*_plackett.compare(*_matrices(true, est, edge_direction)))


def _matrices(true: Any, est: Any, edge_direction: str | None) -> tuple[Floats, Floats]:
    """Both graphs as matrices with the same nodes in the same order, rows being causes."""
    truth, estimate = _to_graph(true, edge_direction, "true"), _to_graph(est, edge_direction, "est")
    if not (isinstance(truth, Graph) and isinstance(estimate, Graph)):
        pair = tuple(graph.weights if isinstance(graph, Graph) else graph for graph in (truth, estimate))
        return pair[0], pair[1]
    missing = [name for name in truth.names if name not in estimate.names]
    extra = [name for name in estimate.names if name not in truth.names]
    if missing or extra:
        parts = [f"only {which} has {', '.join(names)}" for which, names in (("true", missing), ("est", extra)) if names]
        raise PlackettError(f"the graphs have different nodes: {'; '.join(parts)}")
    places = [estimate.names.index(name) for name in truth.names]
    return truth.weights, np.ascontiguousarray(estimate.weights[np.ix_(places, places)])


def _to_graph(value: Any, edge_direction: str | None, what: str) -> Graph | Floats:
    if isinstance(value, Graph):
        return value
    if isinstance(getattr(value, "graph", None), Graph):
        graph: Graph = value.graph
        return graph
    if hasattr(value, "is_directed") and hasattr(value, "edges"):
        if not value.is_directed():
            raise PlackettError(f"{what} is an undirected graph")
        return Graph.from_edges(list(value.edges()), names=[str(node) for node in value.nodes()])
    if edge_direction is None:
        raise TypeError(
            f'{what} is a matrix: say what it means by edge_direction="row_to_column" (entry (row i, column j) is the edge '
            'i -> j) or edge_direction="column_to_row"'
        )
    if edge_direction not in ("row_to_column", "column_to_row"):
        raise PlackettError(f'edge_direction is {edge_direction!r}: it must be "row_to_column" or "column_to_row"')
    matrix = to_floats(value, what)
    if matrix.ndim != 2:
        raise PlackettError(f"{what} has the shape {matrix.shape}: an adjacency matrix is square")
    return matrix if edge_direction == "row_to_column" else np.ascontiguousarray(matrix.T)
