"""Mixed and incomplete data with a known graph, for the benchmarks `mixed` and `missing`.

Graphs are random DAGs with an expected degree of 3. Of the columns every second is a category of two to four levels, the others are
numbers; in a column of a frame that is its type.

`conditional` draws from a conditional Gaussian network: a number has its own intercept (U(-2, 2)), slopes (±U(0.5, 1.5)) and noise
(standard deviation U(0.5, 1.5)) in every combination of its parents' categories; a category has a distribution of its own
(softmax of normal numbers of standard deviation 1.5) in every combination of its parents' categories and halves of numbers.

`latent` draws from a linear Gaussian network with standardized nodes and weights ±U(0.5, 1.5) before that, and cuts every second
column at random quantiles afterwards.
"""

import numpy as np
import pandas as pd

DEGREE = 3


def random_dag(rng, nodes):
    """An adjacency matrix and an order that it follows."""
    order = rng.permutation(nodes)
    later = np.tril(rng.random((nodes, nodes)) < DEGREE / (nodes - 1), -1).T
    adjacency = np.zeros((nodes, nodes), dtype=bool)
    adjacency[np.ix_(order, order)] = later
    return adjacency, order


def frame(columns, levels):
    """Categories as such, with words for labels; numbers as they are."""
    data = {}
    for node, (column, level) in enumerate(zip(columns, levels)):
        codes = None if level is None else pd.Categorical.from_codes(column.astype(int), [f"level {at}" for at in range(level)])
        data[f"x{node}"] = column if codes is None else codes
    return pd.DataFrame(data)


def combinations(parts, rows):
    """The number of each row's combination of some codes, and how many there may be."""
    cell, cells = np.zeros(rows, dtype=int), 1
    for codes, count in parts:
        cell, cells = cell * count + codes, cells * count
    return cell, cells


def conditional(nodes, rows, seed, is_category=lambda node: node % 2 == 0):
    rng = np.random.default_rng(seed)
    adjacency, order = random_dag(rng, nodes)
    levels = [int(rng.integers(2, 5)) if is_category(node) else None for node in range(nodes)]
    columns = [np.zeros(0)] * nodes
    for node in order:
        parents = np.flatnonzero(adjacency[:, node])
        categories = [(columns[parent], levels[parent]) for parent in parents if levels[parent]]
        numbers = [columns[parent] for parent in parents if not levels[parent]]
        if levels[node]:
            halves = [((column > np.median(column)).astype(int), 2) for column in numbers]
            cell, cells = combinations(categories + halves, rows)
            logits = 1.5 * rng.normal(size=(cells, levels[node]))
            chances = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
            columns[node] = (rng.random(rows)[:, None] > chances.cumsum(1)[cell, :-1]).sum(1)
        else:
            cell, cells = combinations(categories, rows)
            value = rng.uniform(-2, 2, cells)[cell] + rng.uniform(0.5, 1.5, cells)[cell] * rng.normal(size=rows)
            for column in numbers:
                slopes = rng.uniform(0.5, 1.5, cells) * rng.choice([-1, 1], cells)
                value = value + slopes[cell] * (column - column.mean()) / column.std()
            columns[node] = value
    return frame(columns, levels), adjacency


def latent(nodes, rows, seed, is_category=lambda node: node % 2 == 0):
    rng = np.random.default_rng(seed)
    adjacency, order = random_dag(rng, nodes)
    values = np.zeros((rows, nodes))
    for node in order:
        parents = np.flatnonzero(adjacency[:, node])
        weights = rng.uniform(0.5, 1.5, len(parents)) * rng.choice([-1, 1], len(parents))
        value = values[:, parents] @ weights + rng.normal(size=rows)
        values[:, node] = (value - value.mean()) / value.std()
    levels = [int(rng.integers(2, 5)) if is_category(node) else None for node in range(nodes)]
    columns = []
    for node, level in enumerate(levels):
        if level is None:
            columns.append(values[:, node])
            continue
        shares = rng.dirichlet(np.full(level, 5.0)).cumsum()[:-1]
        columns.append(np.searchsorted(np.quantile(values[:, node], shares), values[:, node]))
    return frame(columns, levels), adjacency


SIMULATORS = {"conditional Gaussian": conditional, "latent Gaussian": latent}


def with_gaps(data, share, mechanism, seed):
    """The same data with about this share of the values of all columns missing.

    Completely at random (`mcar`); or at random (`mar`): every fourth column stays complete, and in the others a value is missing
    four times as often in rows in which the complete column before it is above its median, or in its upper levels, as in others.
    """
    rng = np.random.default_rng([seed, 1])
    holes = data.copy()
    rows, columns = data.shape
    for at, name in enumerate(data.columns):
        chance = np.full(rows, share)
        if mechanism == "mar":
            if at % 4 == 0:
                continue
            column = data.iloc[:, at - at % 4]
            ranks = (column.cat.codes if isinstance(column.dtype, pd.CategoricalDtype) else column).to_numpy()
            high = ranks > np.median(ranks) if (ranks > np.median(ranks)).any() else ranks >= np.median(ranks)
            chance = np.where(high, 4.0, 1.0)
            chance = np.minimum(chance * share * 4 / 3 / chance.mean(), 0.95)
        holes.loc[rng.random(rows) < chance, name] = None
    return holes


def adjacency_f1(truth, found):
    """2·(edges of both) / (edges of one and of the other), whatever their directions."""
    truth, found = truth | truth.T, found | found.T
    return 2 * (truth & found).sum() / max(truth.sum() + found.sum(), 1)


def class_distance(truth, marks):
    """In how many pairs of nodes a graph of marks (i -> j directed if entry (i, j) alone is set) differs from the class of a DAG."""
    import plackett

    nodes = len(truth)
    place = {f"x{node}": node for node in range(nodes)}
    own = np.zeros((nodes, nodes), dtype=bool)
    cpdag = plackett.Graph(truth.astype(float), list(place)).cpdag
    for a, b in cpdag.directed:
        own[place[a], place[b]] = True
    for a, b in cpdag.undirected:
        own[place[a], place[b]] = own[place[b], place[a]] = True
    differs = (own != marks) | (own.T != marks.T)
    return int(np.triu(differs).sum())
