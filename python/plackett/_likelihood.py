"""How probable rows are under a graph whose model was fitted to other rows: what cross-validation compares.

Numbers: each column is a linear function of its parents plus Gaussian noise, fitted by least squares. Categories: each column has a
table of probabilities for every combination of its parents' categories, from counts to which one is added, so that what was not
seen while fitting is improbable and not impossible.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plackett._arrays import Floats
from plackett._data import Reading, to_columns
from plackett._graph import Graph
from plackett._plackett import PlackettError

Columns: TypeAlias = dict[str, NDArray[Any]]

# A column that its parents determine has no noise, and its density no bound: its variance is taken to be at least this share
# of the column's own, which is about what rounding leaves of it.
_LEAST_VARIANCE = 1e-14
# A column whose standard deviation is below this share of its mean is constant: the rest is rounding.
_CONSTANT = 1e-14


class Linear:
    """A linear Gaussian model of numbers."""

    def __init__(self, graph: Graph, columns: Columns, has_intercept: bool) -> None:
        self._nodes = []
        for name in graph.names:
            parents = _parents(graph, name)
            design, values = _design(columns, parents, name, has_intercept), columns[name]
            coefficients = np.linalg.lstsq(design, values, rcond=None)[0]
            variance = float(np.mean((values - design @ coefficients) ** 2))
            own = float(np.var(values)) if has_intercept else float(np.mean(values**2))
            # What never varied has no density, whatever the graph.
            if own <= (_CONSTANT * float(np.mean(values))) ** 2:
                continue
            self._nodes.append((name, parents, coefficients, max(variance, _LEAST_VARIANCE * own)))
        self._has_intercept = has_intercept

    def mean_log_likelihood(self, columns: Columns) -> float:
        """The mean over rows of log p(row)."""
        total = 0.0
        for name, parents, coefficients, variance in self._nodes:
            residuals = columns[name] - _design(columns, parents, name, self._has_intercept) @ coefficients
            total -= 0.5 * (np.log(2 * np.pi * variance) + float(np.mean(residuals**2)) / variance)
        return float(total)


class Tables:
    """A model of categories: a table of probabilities for every column."""

    def __init__(self, graph: Graph, columns: Columns) -> None:
        self._nodes = []
        for name in graph.names:
            parents = _parents(graph, name)
            families = _count(columns, [*parents, name])
            configurations: Counter[tuple[str, ...]] = Counter()
            for family, count in families.items():
                configurations[family[:-1]] += count
            self._nodes.append((name, parents, families, configurations, len(np.unique(columns[name]))))

    def mean_log_likelihood(self, columns: Columns) -> float:
        """The mean over rows of log p(row)."""
        total, rows = 0.0, 0
        for name, parents, families, configurations, categories in self._nodes:
            rows = len(columns[name])
            for family, count in _count(columns, [*parents, name]).items():
                probability = (families[family] + 1) / (configurations[family[:-1]] + categories)
                total += count * np.log(probability)
        return float(total / rows)


def to_rows(data: Any, reading: Reading, names: tuple[str, ...], is_discrete: bool) -> Columns:
    """The columns of these names, as numbers or as texts, without the rows in which values are missing."""
    found = {column[0]: column for column in to_columns(data, reading, None)}
    lacking = [name for name in names if name not in found]
    if lacking:
        raise PlackettError(f'there is no column "{lacking[0]}"')
    marks = {"", *(reading.na or ())}
    columns: Columns = {}
    incomplete: list[NDArray[np.bool_]] = []
    for name in names:
        column = found[name]
        if len(column) == 2:
            values, is_missing = column[1].astype(str) if is_discrete else column[1], np.isnan(column[1])
        else:
            codes = np.minimum(column[2], len(column[1]))
            is_missing = np.array([label in marks for label in column[1]] + [True])[codes]
            values = np.array([*column[1], ""])[codes]
            if not is_discrete:
                values = _to_numbers(name, np.where(is_missing, "nan", values))
        if is_missing.any() and reading.missing != "drop":
            raise PlackettError(f'row {int(np.argmax(is_missing))}, column "{name}": the value is missing')
        columns[name] = values
        incomplete.append(is_missing)
    complete = ~np.logical_or.reduce(incomplete)
    if not complete.any():
        raise PlackettError("the data are empty: there is no row without missing values")
    return {name: values[complete] for name, values in columns.items()}


def _to_numbers(name: str, texts: NDArray[np.str_]) -> Floats:
    try:
        return texts.astype(np.float64)
    except ValueError as error:
        raise PlackettError(f'column "{name}": {error}') from None


def _parents(graph: Graph, name: str) -> list[str]:
    return [start for start, end, _ in graph.edges if end == name]


def _design(columns: Columns, parents: list[str], name: str, has_intercept: bool) -> Floats:
    ones = [np.ones(len(columns[name]))] if has_intercept else []
    return np.column_stack([*ones, *(columns[parent] for parent in parents), np.empty((len(columns[name]), 0))])


def _count(columns: Columns, names: list[str]) -> Counter[tuple[str, ...]]:
    families, counts = np.unique(np.column_stack([columns[name] for name in names]), axis=0, return_counts=True)
    return Counter({tuple(family): int(count) for family, count in zip(families.tolist(), counts, strict=True)})
