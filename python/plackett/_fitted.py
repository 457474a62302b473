"""Models fitted to data: a graph with coefficients and probabilities."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plackett import _plackett
from plackett._arrays import Floats, Seed, to_count, to_seed
from plackett._data import Reading, to_data
from plackett._graph import Graph
from plackett._models import BayesNet
from plackett._plackett import PlackettError


class FittedModel:
    """A graph with a distribution for each node, fitted to data. Made by :meth:`plackett.Graph.fit`, or :meth:`read` from a file.

    Numbers are linear in the numbers among their parents, with coefficients of their own in every combination of the categories among
    them; categories have tables given categories, and are logistic where numbers are among their parents.

    >>> import plackett
    >>> model = plackett.simulate_sem(4, degree=2, seed=1)
    >>> fitted = model.graph.fit(model.sample(500, seed=0))
    >>> fitted.coefficients[0]["from"], fitted.coefficients[0]["to"]
    ('intercept', 'x1')
    """

    def __init__(self, native: _plackett.FittedModel) -> None:
        self._native = native
        self._document = json.loads(native.to_json())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> FittedModel:
        """A model from the JSON file that :meth:`save` or ``plackett fit`` wrote.

        >>> import plackett, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> model = plackett.simulate_sem(3, seed=1)
        >>> model.graph.fit(model.sample(100, seed=0)).save(folder / "model.json")
        >>> plackett.FittedModel.read(folder / "model.json")
        <FittedModel of 3 nodes and 3 edges>
        """
        return cls(_plackett.FittedModel.from_json(Path(path).read_text(encoding="utf-8"), str(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model: as JSON, which is read back to the last bit, or as BIF if the name ends in ``.bif``.

        >>> import plackett, pathlib, tempfile
        >>> asia = plackett.load_network("asia")
        >>> path = pathlib.Path(tempfile.mkdtemp(), "asia.bif")
        >>> asia.graph.fit(asia.sample(200, seed=0)).save(path)
        >>> plackett.BayesNet(path.read_text()).names == asia.names
        True
        """
        path = Path(path)
        path.write_text(self.to_bif() if path.suffix == ".bif" else self.to_json(), encoding="utf-8")

    def to_json(self) -> str:
        """The model as a JSON document, with its version.

        >>> import plackett, json
        >>> model = plackett.simulate_sem(2, seed=1)
        >>> json.loads(model.graph.fit(model.sample(50, seed=0)).to_json())["version"]
        1
        """
        return self._native.to_json()

    def to_network(self) -> BayesNet:
        """The same as a network, if all columns are categories: to ask for probabilities given evidence, and for BIF.

        >>> import plackett
        >>> asia = plackett.load_network("asia")
        >>> asia.graph.fit(asia.sample(1000, seed=0)).to_network()
        <BayesNet of 8 nodes and 8 edges>
        """
        network = self._native.to_network()
        if network is None:
            raise PlackettError("only models of categories are networks, and there are numbers")
        return BayesNet(network.to_bif(), "the model")

    def to_bif(self) -> str:
        """The same as a text in the Bayesian interchange format, if all columns are categories.

        >>> import plackett
        >>> asia = plackett.load_network("asia")
        >>> asia.graph.fit(asia.sample(200, seed=0)).to_bif().startswith("network")
        True
        """
        return self.to_network().to_bif()

    def to_dowhy_gcm(self) -> Any:
        """The same as an ``InvertibleStructuralCausalModel`` of DoWhy's ``gcm`` with these coefficients and residual variances, ready to draw
        from, if all columns are numbers.

        >>> import plackett
        >>> model = plackett.simulate_sem(4, degree=2, seed=1)
        >>> causal = model.graph.fit(model.sample(500, seed=0)).to_dowhy_gcm()  # doctest: +SKIP
        >>> from dowhy import gcm  # doctest: +SKIP
        >>> gcm.interventional_samples(causal, {"x1": lambda x: 2}, num_samples_to_draw=3)  # doctest: +SKIP
        """
        if self.states:
            raise PlackettError(
                "mechanisms of numbers are handed to DoWhy's gcm, and there are categories: graph.to_dowhy_gcm(data) has DoWhy fit them"
            )
        from dowhy import gcm
        from dowhy.gcm.causal_models import PARENTS_DURING_FIT
        from scipy.stats import norm
        from sklearn.linear_model import LinearRegression  # type: ignore[import-untyped]

        model = gcm.InvertibleStructuralCausalModel(self.graph.to_networkx())
        for name in self.names:
            rows = {row["from"]: row for row in self.coefficients if row["to"] == name}
            center, deviation = rows["intercept"]["estimate"], float(np.sqrt(rows["intercept"]["variance"]))
            # DoWhy lists parents by name.
            parents = sorted(set(rows) - {"intercept"})
            model.graph.nodes[name][PARENTS_DURING_FIT] = parents
            if not parents:
                model.set_causal_mechanism(name, gcm.ScipyDistribution(norm, loc=center, scale=deviation))
                continue
            slopes = LinearRegression()
            slopes.coef_ = np.array([[rows[parent]["estimate"] for parent in parents]])
            slopes.intercept_ = np.array([center])
            slopes.n_features_in_ = len(parents)
            noise = gcm.ScipyDistribution(norm, loc=0.0, scale=deviation)
            model.set_causal_mechanism(name, gcm.AdditiveNoiseModel(gcm.ml.SklearnRegressionModel(slopes), noise))
        return model

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns.

        >>> import plackett
        >>> model = plackett.simulate_sem(2, seed=1)
        >>> model.graph.fit(model.sample(50, seed=0)).names
        ('x1', 'x2')
        """
        return tuple(node["name"] for node in self._document["nodes"])

    @cached_property
    def graph(self) -> Graph:
        """The graph, edges between numbers with their coefficients as weights.

        >>> import plackett
        >>> model = plackett.simulate_sem(3, seed=1)
        >>> len(model.graph.fit(model.sample(50, seed=0)).graph.edges)
        3
        """
        nodes = self._document["nodes"]
        edges = [(parent["name"], node["name"], parent["weight"]) for node in nodes for parent in node["parents"]]
        return Graph.from_edges(edges, names=self.names)

    @cached_property
    def states(self) -> dict[str, tuple[str, ...]]:
        """The states of each column that holds categories.

        >>> import plackett
        >>> cancer = plackett.load_network("cancer")
        >>> cancer.graph.fit(cancer.sample(100, seed=0)).states["Pollution"]
        ('low', 'high')
        """
        return {node["name"]: tuple(node["states"]) for node in self._document["nodes"] if "states" in node}

    def _node(self, name: str) -> dict[str, Any]:
        for node in self._document["nodes"]:
            if node["name"] == name:
                return dict(node)
        raise PlackettError(f'there is no node "{name}"')

    @property
    def coefficients(self) -> list[dict[str, Any]]:
        """The coefficients of all linear regressions, as dictionaries of which data frames are made: ``to`` the column, ``from`` its
        parent or ``"intercept"``, ``given`` the states of the categories among its parents, ``estimate``, ``error`` (the standard error,
        ``None`` for what others tell already), the ``variance`` of what is left, and the ``rows``.

        >>> import plackett
        >>> model = plackett.simulate_sem(2, seed=1)
        >>> sorted(model.graph.fit(model.sample(50, seed=0)).coefficients[0])
        ['error', 'estimate', 'from', 'given', 'rows', 'to', 'variance']
        """
        found: list[dict[str, Any]] = []
        for node in self._document["nodes"]:
            parents = [parent["name"] for parent in node["parents"]]
            numbers = [name for name in parents if name not in self.states]
            categories = [name for name in parents if name in self.states]
            shape = [len(self.states[name]) for name in categories]
            for place, regression in enumerate(node.get("linear", ())):
                at = np.unravel_index(place, shape) if shape else ()
                given = {name: self.states[name][code] for name, code in zip(categories, at, strict=True)}
                terms = [
                    ("intercept", regression["intercept"], regression["intercept_error"]),
                    *zip(numbers, regression["coefficients"], regression["errors"], strict=True),
                ]
                found += [
                    {
                        "to": node["name"],
                        "from": name,
                        "given": given,
                        "estimate": estimate,
                        "error": error,
                        "variance": regression["variance"],
                        "rows": regression["rows"],
                    }
                    for name, estimate, error in terms
                ]
        return found

    def table(self, name: str) -> Floats:
        """The probabilities of a category's states: one axis for each parent, in the order of ``names``, and the last for the column.

        >>> import plackett
        >>> asia = plackett.load_network("asia")
        >>> asia.graph.fit(asia.sample(1000, seed=0)).table("tub").shape
        (2, 2)
        """
        node = self._node(name)
        if "table" not in node:
            raise PlackettError(f'"{name}" has no table: it holds numbers, or depends on some')
        shape = [len(self.states[parent["name"]]) for parent in node["parents"]]
        return np.array(node["table"]).reshape([*shape, len(node["states"])])

    def log_likelihood(self, data: Any, **reading: Any) -> float:
        """The logarithm of the density of data that have these columns; ``reading`` is as for :meth:`plackett.Graph.fit`.

        >>> import plackett
        >>> model = plackett.simulate_sem(3, seed=1)
        >>> fitted = model.graph.fit(model.sample(500, seed=0))
        >>> fitted.log_likelihood(model.sample(100, seed=1)) < 0
        True
        """
        return self._native.log_likelihood(read_sample(data, None, **reading))

    def sample(self, n: int, *, seed: Seed = None, do: Mapping[str, Any] | None = None) -> dict[str, NDArray[Any]]:
        """Draws n rows, as columns. ``do`` sets columns from outside, by name. The same seed gives the same rows, and more rows begin with
        the fewer.

        >>> import plackett
        >>> model = plackett.simulate_sem(3, seed=1)
        >>> fitted = model.graph.fit(model.sample(500, seed=0))
        >>> fitted.sample(2, seed=0, do={"x1": 3})["x1"]
        array([3., 3.])
        """
        drawn = self._native.draw(to_count(n, "n"), to_seed(seed), to_pairs(do))
        return {
            name: values if labels is None else np.array(labels)[values]
            for name, (labels, values) in zip(self.names, drawn, strict=True)
        }

    def predict(self, data: Any, column: str, **reading: Any) -> NDArray[Any]:
        """What the model expects of a column in each row, given the others: the mean of numbers, the most probable state of categories.
        Of the other columns, those of the Markov blanket are needed.

        >>> import plackett
        >>> asia = plackett.load_network("asia")
        >>> fitted = asia.graph.fit(asia.sample(5000, seed=0))
        >>> rows = asia.sample(3, seed=1).to_dict()
        >>> fitted.predict(rows, "smoke").shape
        (3,)
        """
        states, found = self._native.predict(read_sample(data, None, **reading), column)
        if states is None:
            return found[0]
        chosen: NDArray[Any] = np.array(states)[found[0].reshape(-1, len(states)).argmax(axis=1)]
        return chosen

    def predict_distribution(self, data: Any, column: str, **reading: Any) -> dict[str, Floats]:
        """The same with all there is to say: ``mean`` and ``deviation`` of numbers, or the probability of each state.

        >>> import plackett
        >>> asia = plackett.load_network("asia")
        >>> fitted = asia.graph.fit(asia.sample(5000, seed=0))
        >>> sorted(fitted.predict_distribution(asia.sample(3, seed=1).to_dict(), "smoke"))
        ['no', 'yes']
        """
        states, found = self._native.predict(read_sample(data, None, **reading), column)
        if states is None:
            return {"mean": found[0], "deviation": found[1]}
        return dict(zip(states, found[0].reshape(-1, len(states)).T, strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_json, (self.to_json(),)

    def __repr__(self) -> str:
        return f"<FittedModel of {len(self.names)} nodes and {len(self.graph.edges)} edges>"


def _of_json(text: str) -> FittedModel:
    return FittedModel(_plackett.FittedModel.from_json(text, "the model"))


def to_pairs(pairs: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Columns and what they are, as texts."""

    def text(value: Any) -> str:
        if isinstance(value, bool | np.bool_):
            return str(bool(value))
        return repr(float(value)) if isinstance(value, float | np.floating) and not float(value).is_integer() else _whole(value)

    return [(str(name), text(value)) for name, value in (pairs or {}).items()]


def _whole(value: Any) -> str:
    return str(int(value)) if isinstance(value, int | float | np.integer | np.floating) else str(value)


def read_sample(data: Any, columns: tuple[str, ...] | None, **reading: Any) -> _plackett.Data:
    """Data that a model is fitted to or asked about."""
    if isinstance(data, _plackett.Data):
        return data
    known = ("kind", "kinds", "na", "missing", "delimiter", "decimal_comma", "header", "names", "weights", "interventions", "covariance")
    for name in reading:
        if name not in known:
            raise PlackettError(f"there is no setting {name!r} of reading: known are {', '.join(known)}")
    shaped = {name: value for name, value in reading.items() if name not in ("names", "weights", "interventions", "covariance")}
    wanted = None if reading.get("interventions") is not None else columns
    return to_data(
        data,
        Reading(columns=wanted, is_sample=True, **shaped),
        _names_of(data, columns, reading.get("names")),
        "center",
        reading.get("weights"),
        reading.get("covariance"),
        reading.get("interventions"),
    )


def _names_of(data: Any, columns: tuple[str, ...] | None, names: Any) -> Any:
    """An array without names has those of the graph, if there are as many."""
    if names is None and isinstance(data, np.ndarray) and columns is not None and data.ndim == 2:
        return columns if data.shape[1] == len(columns) else None
    return names
