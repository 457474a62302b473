"""Models to draw data from, with a graph that is known: linear ones and discrete networks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from plackett import _notebook, _plackett
from plackett._arrays import Floats, Seed, to_count, to_number, to_seed
from plackett._graph import Graph
from plackett._plackett import PlackettError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def simulate_sem(
    n_nodes: int = 10,
    *,
    graph: Literal["er", "sf"] = "er",
    degree: int = 1,
    noise: tuple[float, float] | None = None,
    seed: int = 0,
) -> Sem:
    """Draws a linear Gaussian model with a random graph, as in the paper's tables.

    Parameters
    ----------
    n_nodes
        The number of variables, named x1, x2, ...
    graph
        ``"er"`` for Erdős–Rényi graphs, ``"sf"`` for scale-free ones.
    degree
        Expected edges per node (er), or edges of each new node (sf).
    noise
        The range of the standard deviations of the noise; all are 1 by default.

    Examples
    --------
    >>> import plackett
    >>> model = plackett.simulate_sem(5, degree=2, seed=1)
    >>> model.sample(100, seed=0).shape
    (100, 5)
    """
    if graph not in ("er", "sf"):
        raise PlackettError(f"graph is {graph!r}: it must be er or sf")
    bounds = None
    if noise is not None:
        if not isinstance(noise, tuple | list) or len(noise) != 2:
            raise PlackettError(f"noise is {noise!r}: a range (low, high) of standard deviations is needed")
        bounds = (to_number(noise[0], "noise[0]"), to_number(noise[1], "noise[1]"))
    nodes, degree = to_count(n_nodes, "n_nodes", least=1), to_count(degree, "degree")
    return Sem(graph, degree, nodes, bounds, to_seed(seed))


class Sem:
    """A linear Gaussian structural equation model: each variable is a weighted sum of its parents, plus noise.

    Made by :func:`plackett.simulate_sem`.

    >>> import plackett
    >>> plackett.simulate_sem(3, seed=2).names
    ('x1', 'x2', 'x3')
    """

    def __init__(
        self, graph: str, degree: int, n_nodes: int, noise: tuple[float, float] | None, seed: int
    ) -> None:
        self._settings = (graph, degree, n_nodes, noise, seed)
        self._native = _plackett.LinearModel.simulate(*self._settings)

    @cached_property
    def graph(self) -> Graph:
        """The graph with its weights.

        >>> import plackett
        >>> len(plackett.simulate_sem(20, graph="sf").graph.edges)
        19
        """
        return Graph(self._native.weights, self._native.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables.

        >>> import plackett
        >>> plackett.simulate_sem(2).names
        ('x1', 'x2')
        """
        return self.graph.names

    @property
    def noise_deviations(self) -> Floats:
        """The standard deviation of each variable's noise.

        >>> import plackett
        >>> plackett.simulate_sem(2).noise_deviations
        array([1., 1.])
        """
        return self._native.noise_deviations

    def covariance(self) -> Floats:
        """The covariance matrix of the variables.

        >>> import plackett
        >>> plackett.simulate_sem(1).covariance()
        array([[1.]])
        """
        return self._native.covariance()

    def sample(self, n: int, *, seed: Seed = None) -> Floats:
        """Draws n rows. The same seed gives the same ones, and more rows begin with the fewer.

        >>> import plackett
        >>> model = plackett.simulate_sem(4)
        >>> bool((model.sample(9, seed=1)[:3] == model.sample(3, seed=1)).all())
        True
        """
        return self._native.sample(to_count(n, "n"), to_seed(seed))

    def sample_experiments(
        self, n: int, targets: int | Sequence[int | str | Sequence[int | str]], rows: int, *, seed: Seed = None
    ) -> tuple[Floats, list[list[str]]]:
        """Draws n rows as :meth:`sample` does, and after them ``rows`` rows for each experiment: its targets do not follow their
        parents but are set to independent draws from N(2, 1). ``targets`` lists the experiments, each a variable (its name or
        number) or several; or it is a number of variables to be set one at a time, which are chosen at random.

        Gives the rows, and for each the names of what was set in it: the ``interventions`` of :func:`plackett.learn_dag`.

        >>> import plackett
        >>> model = plackett.simulate_sem(6, seed=1)
        >>> data, told = model.sample_experiments(500, ["x2", ["x1", "x3"]], 100, seed=0)
        >>> data.shape, told[0], told[500], told[-1]
        ((700, 6), [], ['x2'], ['x1', 'x3'])
        >>> graph = plackett.learn_dag(data, interventions=told, score="bic")
        >>> graph.input["interventions"]["targets"]
        {'x1': 100, 'x2': 100, 'x3': 100}
        """
        if isinstance(targets, int):
            experiments = [[node] for node in self._native.random_targets(to_count(targets, "targets", least=0))]
        else:
            experiments = [
                [self._place(target) for target in ([part] if isinstance(part, str | int) else part)] for part in targets
            ]
        stream = to_seed(seed)
        data, told = self._native.sample_experiments(to_count(n, "n"), experiments, to_count(rows, "rows"), stream)
        return data, [[self.names[target] for target in row] for row in told]

    def _place(self, target: int | str) -> int:
        if isinstance(target, str) and target in self.names:
            return self.names.index(target)
        if isinstance(target, int) and 0 <= target < len(self.names):
            return target
        raise PlackettError(f"there is no variable {target!r} to set: they are {', '.join(self.names)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Sem, self._settings

    def _repr_svg_(self) -> str:
        return _notebook.graph_svg(self.graph.names, self.graph.weights, repr(self)[1:-1])

    def _repr_html_(self) -> str:
        return _notebook.shown([self._repr_svg_()])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the graph with matplotlib; see :meth:`plackett.Graph.plot`.

        >>> import plackett
        >>> len(plackett.simulate_sem(3).plot().texts)
        3
        """
        return self.graph.plot(ax)

    def __repr__(self) -> str:
        return f"<Sem of {len(self.graph)} nodes and {len(self.graph.edges)} edges>"


@dataclass(frozen=True, eq=False)
class DiscreteData:
    """Rows of categories as small codes, with the names that the codes stand for.

    >>> import plackett
    >>> data = plackett.load_network("asia").sample(3, seed=0)
    >>> data.codes.shape, data.states["smoke"]
    ((3, 8), ('yes', 'no'))
    """

    codes: NDArray[np.uint8]
    """The data, of shape (rows, columns): ``states[name][code]`` is the category."""
    names: tuple[str, ...]
    """The names of the columns."""
    states: Mapping[str, tuple[str, ...]]
    """The categories of each column."""

    def to_dict(self) -> dict[str, NDArray[np.str_]]:
        """The columns as arrays of texts.

        >>> import plackett
        >>> len(plackett.load_network("asia").sample(3, seed=0).to_dict()["smoke"])
        3
        """
        return {
            name: np.array(self.states[name])[self.codes[:, column]] for column, name in enumerate(self.names)
        }

    def to_pandas(self) -> pd.DataFrame:
        """The data as a pandas frame of categorical columns.

        >>> import plackett
        >>> plackett.load_network("cancer").sample(5, seed=0).to_pandas().shape
        (5, 5)
        """
        import pandas as pd

        columns = {
            name: pd.Categorical.from_codes(self.codes[:, column], categories=list(self.states[name]))
            for column, name in enumerate(self.names)
        }
        return pd.DataFrame(columns)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"<DiscreteData of {len(self)} rows and {len(self.names)} columns>"


class BayesNet:
    """A discrete Bayesian network: a graph whose nodes have states, and tables of their probabilities.

    Parameters
    ----------
    bif
        A text in the Bayesian interchange format; :func:`plackett.load_network` reads files and knows some networks by name.
    file
        What errors call it.

    Examples
    --------
    >>> import plackett
    >>> plackett.BayesNet(plackett.load_network("asia").to_bif()).n_parameters
    18
    """

    def __init__(self, bif: str, file: str = "the text") -> None:
        self._native = _plackett.Network.from_bif(bif, file)

    @cached_property
    def graph(self) -> Graph:
        """The graph.

        >>> import plackett
        >>> plackett.load_network("alarm").graph
        <Graph of 37 nodes and 46 edges>
        """
        return Graph(self._native.weights, self._native.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the nodes.

        >>> import plackett
        >>> plackett.load_network("survey").names
        ('A', 'S', 'E', 'O', 'R', 'T')
        """
        return self.graph.names

    @cached_property
    def states(self) -> dict[str, tuple[str, ...]]:
        """The states of each node.

        >>> import plackett
        >>> plackett.load_network("survey").states["T"]
        ('car', 'train', 'other')
        """
        return {name: tuple(states) for name, states in zip(self.names, self._native.states, strict=True)}

    @property
    def edges(self) -> list[tuple[str, str]]:
        """The edges as (from, to).

        >>> import plackett
        >>> plackett.load_network("cancer").edges[0]
        ('Pollution', 'Cancer')
        """
        return [(start, end) for start, end, _ in self.graph.edges]

    @property
    def n_parameters(self) -> int:
        """The number of probabilities that can be chosen freely.

        >>> import plackett
        >>> plackett.load_network("alarm").n_parameters
        509
        """
        return self._native.free_parameters

    def table(self, name: str) -> Floats:
        """The probabilities of a node's states: one axis for each parent, in the order of ``names``, and the last for the node.

        >>> import plackett
        >>> plackett.load_network("asia").table("tub")
        array([[0.05, 0.95],
               [0.01, 0.99]])
        """
        if name not in self.names:
            raise PlackettError(f'there is no node "{name}"')
        node = self.names.index(name)
        parents = [self.names[parent] for parent in np.flatnonzero(self.graph.weights[:, node])]
        return self._native.table(node).reshape([len(self.states[name]) for name in [*parents, name]])

    def sample(self, n: int, *, seed: Seed = None) -> DiscreteData:
        """Draws n rows. The same seed gives the same ones, and more rows begin with the fewer.

        >>> import plackett
        >>> plackett.load_network("asia").sample(100, seed=0)
        <DiscreteData of 100 rows and 8 columns>
        """
        codes = self._native.sample(to_count(n, "n"), to_seed(seed)).T
        return DiscreteData(codes, self.names, self.states)

    def log_likelihood(self, data: DiscreteData) -> float:
        """The log-probability of data that were drawn from this network, or one with the same states.

        >>> import plackett
        >>> network = plackett.load_network("asia")
        >>> network.log_likelihood(network.sample(100, seed=0)) < 0
        True
        """
        if not isinstance(data, DiscreteData) or data.names != self.names or dict(data.states) != self.states:
            raise PlackettError("data must have the columns and states of the network, as its samples have")
        return self._native.log_likelihood(np.ascontiguousarray(data.codes.T))

    def query(
        self,
        name: str | None = None,
        *,
        evidence: Mapping[str, str] | None = None,
        do: Mapping[str, str] | None = None,
        memory: int = 1024,
    ) -> dict[str, Any]:
        """The exact probabilities of a node's states given what is observed (``evidence``) and what is set from outside (``do``), by
        variable elimination in at most ``memory`` MiB; without a name, those of every node.

        >>> import plackett
        >>> asia = plackett.load_network("asia")
        >>> round(asia.query("smoke", evidence={"bronc": "yes"})["yes"], 4)
        0.6667
        >>> asia.query("smoke", do={"bronc": "yes"})["yes"]
        0.5
        """
        pairs = [[(str(key), str(value)) for key, value in (given or {}).items()] for given in (evidence, do)]
        found = self._native.marginals(None if name is None else str(name), pairs[0], pairs[1], to_count(memory, "memory"))
        if name is not None:
            return dict(zip(self.states[name], found[0], strict=True))
        return {
            node: dict(zip(self.states[node], shares, strict=True)) for node, shares in zip(self.names, found, strict=True)
        }

    def log_probability(self, evidence: Mapping[str, str], *, do: Mapping[str, str] | None = None) -> float:
        """The logarithm of the probability of evidence, given what is set.

        >>> import math, plackett
        >>> round(math.exp(plackett.load_network("asia").log_probability({"smoke": "yes"})), 12)
        0.5
        """
        pairs = [[(str(key), str(value)) for key, value in (given or {}).items()] for given in (evidence, do)]
        return self._native.log_probability(*pairs)

    def to_pgmpy(self) -> Any:
        """The network as a ``DiscreteBayesianNetwork`` of pgmpy, with its tables.

        >>> import plackett
        >>> plackett.load_network("asia").to_pgmpy().check_model()  # doctest: +SKIP
        True
        """
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork

        network = DiscreteBayesianNetwork(self.edges)
        network.add_nodes_from(self.names)
        for name in self.names:
            parents = [start for start, end in self.edges if end == name]
            network.add_cpds(
                TabularCPD(
                    name,
                    len(self.states[name]),
                    self.table(name).reshape(-1, len(self.states[name])).T,
                    evidence=parents or None,
                    evidence_card=[len(self.states[parent]) for parent in parents] or None,
                    state_names={node: list(self.states[node]) for node in [name, *parents]},
                )
            )
        return network

    @classmethod
    def from_pgmpy(cls, network: Any) -> BayesNet:
        """The network of a ``DiscreteBayesianNetwork`` of pgmpy that has all its tables.

        >>> import plackett
        >>> asia = plackett.load_network("asia")
        >>> plackett.BayesNet.from_pgmpy(asia.to_pgmpy()).names == asia.names  # doctest: +SKIP
        True
        """
        names = [str(node) for node in network.nodes()]
        places = {name: place for place, name in enumerate(names)}
        states: list[list[str]] = []
        tables: list[list[float]] = []
        for node in network.nodes():
            cpd = network.get_cpds(node)
            if cpd is None:
                raise PlackettError(f'"{node}" has no table')
            states.append([str(state) for state in cpd.state_names[node]])
            order = [places[str(variable)] for variable in cpd.variables]
            # The node's own axis goes last, those of its parents as they stand among the nodes.
            axes = [*sorted(range(1, len(order)), key=lambda axis: order[axis]), 0]
            tables.append(np.transpose(np.asarray(cpd.values, dtype=float), axes).reshape(-1).tolist())
        edges = [(places[str(start)], places[str(end)]) for start, end in network.edges()]
        return cls(_plackett.Network.from_tables(names, states, edges, tables).to_bif(), "the network")

    def to_bif(self) -> str:
        """The network as a text in the Bayesian interchange format.

        >>> import plackett
        >>> plackett.load_network("asia").to_bif().startswith("network")
        True
        """
        return self._native.to_bif()

    def __reduce__(self) -> tuple[Any, ...]:
        return BayesNet, (self.to_bif(),)

    def _repr_svg_(self) -> str:
        return _notebook.graph_svg(self.graph.names, self.graph.weights, repr(self)[1:-1])

    def _repr_html_(self) -> str:
        return _notebook.shown([self._repr_svg_()])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws the graph with matplotlib; see :meth:`plackett.Graph.plot`.

        >>> import plackett
        >>> len(plackett.load_network("asia").plot().texts)
        8
        """
        return self.graph.plot(ax)

    def __repr__(self) -> str:
        return f"<BayesNet of {len(self.graph)} nodes and {len(self.graph.edges)} edges>"


def load_network(name: str | os.PathLike[str]) -> BayesNet:
    """A network that the package brings along (alarm, asia, cancer, child, earthquake, insurance, sachs or survey), or that of
    a BIF file.

    >>> import plackett
    >>> plackett.load_network("sachs")
    <BayesNet of 11 nodes and 17 edges>
    """
    if isinstance(name, str) and name in _plackett.Network.known():
        return BayesNet(_plackett.Network.embedded(name).to_bif(), name)
    path = Path(name)
    if path.suffix != ".bif":
        known = ", ".join(_plackett.Network.known())
        raise PlackettError(f'there is no network named "{name}"; known are {known}, and files that end in .bif')
    return BayesNet(path.read_text(encoding="utf-8"), str(path))
