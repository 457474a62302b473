"""Order search on linear Gaussian data: plackett, FLOP, BOSS, GRaSP and DAGMA on the same sets, one thread each.

Every set has a process of its own, in which the methods run one after the other on the same array, plackett with its defaults
first; time is the processor's, and memory is the most that the process had held when plackett was done (the data among it).
Graphs are compared by one score, n/2 log residual variance + log n per edge (FLOP's with lambda 2), of a DAG of the class that a
method answers with; by the structural Hamming distance to the true class; by whether that class is found exactly; and by the
share of the true adjacencies that are found.

Sets with seeds below 1000 are for choosing settings, those from 1000 on for the report.
"""

import argparse
import concurrent.futures
import dataclasses
import pathlib
import resource
import statistics
import time
import warnings

import numpy as np
import report

import plackett

PENALTY = 2.0

# Of what a node's parents leave unexplained, no more can be told in double precision.
SMALLEST_SHARE = 1e-13


@dataclasses.dataclass(frozen=True)
class Cell:
    """Sets of one kind, and who is measured on them."""

    nodes: int
    degree: float
    weights: tuple[float, float]
    rows: int
    sets: int
    restarts: int
    rivals: tuple[str, ...] = ("flop",)

    @property
    def name(self):
        low, high = self.weights
        return f"{self.nodes} nodes, degree {self.degree:g}, weights ±U({low:g}, {high:g}), n = {self.rows}"


STRONG, WEAK = (0.5, 2.0), (0.1, 1.0)
CELLS = [
    Cell(50, 8, STRONG, 1000, 50, 20),
    Cell(50, 8, WEAK, 1000, 20, 20),
    Cell(20, 4, STRONG, 1000, 5, 20, ("flop", "boss", "grasp", "dagma")),
    Cell(100, 6, WEAK, 1000, 5, 20),
    Cell(200, 4, STRONG, 1000, 5, 5),
    Cell(200, 8, STRONG, 1000, 3, 5),
    Cell(500, 4, WEAK, 1000, 3, 0),
    Cell(2000, 4, STRONG, 1000, 1, 0),
    Cell(1000, 20, WEAK, 10_000, 1, 0),
    Cell(1000, 20, WEAK, 1000, 1, 0),
    Cell(1000, 20, STRONG, 10_000, 1, 0),
    Cell(1000, 20, STRONG, 1000, 1, 0),
]
QUICK = [
    Cell(20, 4, STRONG, 500, 2, 5, ("flop", "boss", "grasp", "dagma")),
    Cell(50, 8, STRONG, 1000, 2, 20),
]


def simulate(cell, seed):
    """Standardized data of a random linear model with noise variances U(0.5, 2), and its adjacency matrix."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(cell.nodes)
    later = np.tril(rng.random((cell.nodes, cell.nodes)) < cell.degree / (cell.nodes - 1), -1)
    size = rng.uniform(*cell.weights, (cell.nodes, cell.nodes)) * rng.choice([-1, 1], (cell.nodes, cell.nodes))
    weights = np.zeros((cell.nodes, cell.nodes))
    weights[np.ix_(order, order)] = (later * size).T
    noise = rng.normal(size=(cell.rows, cell.nodes)) * np.sqrt(rng.uniform(0.5, 2, cell.nodes))
    data = np.zeros_like(noise)
    for node in order:
        parents = np.flatnonzero(weights[:, node])
        data[:, node] = data[:, parents] @ weights[parents, node] + noise[:, node]
    return (data - data.mean(0)) / data.std(0), weights != 0


def by_plackett(data, cell):
    learned = plackett.learn_dag(data, score="bic", penalty=PENALTY)
    return np.asarray(learned.adjacency) != 0


def by_flop(data, cell):
    import flopsearch

    marks = np.asarray(flopsearch.flop(data, PENALTY, restarts=cell.restarts))
    return extension(marks == 1, marks == 2)


def by_causal_learn(search, data):
    # Their score is n log variance + lambda log n per edge: twice ours.
    found = search(data, score_func="local_score_BIC_from_cov", parameters={"lambda_value": PENALTY}, verbose=False)
    marks = found.graph
    directed = (marks == -1) & (marks.T == 1)
    return extension(directed, (marks == -1) & (marks.T == -1))


def by_boss(data, cell):
    from causallearn.search.PermutationBased.BOSS import boss

    return by_causal_learn(boss, data)


def by_grasp(data, cell):
    from causallearn.search.PermutationBased.GRaSP import grasp

    return by_causal_learn(grasp, data)


def by_dagma(data, cell):
    from dagma.linear import DagmaLinear

    return DagmaLinear(loss_type="l2").fit(data, lambda1=0.02) != 0


METHODS = {"plackett": by_plackett, "flop": by_flop, "boss": by_boss, "grasp": by_grasp, "dagma": by_dagma}


def extension(directed, undirected):
    """A DAG of the class: nodes are taken away from the back (Dor and Tarsi 1992)."""
    directed, undirected = directed.copy(), undirected.copy()
    dag = directed.copy()
    left = set(range(len(dag)))
    while left:
        for node in sorted(left):
            beside = [other for other in left if undirected[node, other]]
            joined = [other for other in left if undirected[node, other] or directed[other, node]]
            linked = directed | directed.T | undirected
            if any(directed[node, other] for other in left):
                continue
            if all(linked[a, b] for a in beside for b in joined if a != b):
                break
        else:
            raise ValueError("no DAG has this class")
        for other in beside:
            dag[other, node] = True
            undirected[node, other] = undirected[other, node] = False
        left.remove(node)
    return dag


def cost(correlations, rows, dag):
    total = 0.0
    for node in range(len(dag)):
        parents = np.flatnonzero(dag[:, node])
        rest = 1.0
        if len(parents):
            own = correlations[np.ix_(parents, parents)]
            rest -= correlations[node, parents] @ np.linalg.solve(own, correlations[parents, node])
            rest = max(rest, SMALLEST_SHARE)
        total += rows / 2 * np.log(rest) + PENALTY / 2 * np.log(rows) * len(parents)
    return total


def measure(cell, seed):
    warnings.simplefilter("ignore")
    data, truth = simulate(cell, seed)
    correlations = data.T @ data / cell.rows
    found = {}
    for name in ("plackett", *cell.rivals):
        start = time.process_time()
        try:
            dag = METHODS[name](data, cell)
        except Exception as error:
            found[name] = {"error": str(error)}
            continue
        seconds = time.process_time() - start
        found[name] = {
            "seconds": seconds,
            "mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "score": float(cost(correlations, cell.rows, dag)),
            "shd_cpdag": int(plackett.metrics.shd_cpdag(truth, dag, edge_direction="row_to_column")),
            "recall": float((truth & (dag | dag.T)).sum() / truth.sum()),
        }
    return found


def in_a_process_of_its_own(cell, seed):
    with concurrent.futures.ProcessPoolExecutor(max_workers=1) as one:
        return one.submit(measure, cell, seed).result()


def summary(cell, sets):
    rows = []
    for name in ("plackett", *cell.rivals):
        title = f"{name} ({cell.restarts})" if name == "flop" else name
        row = {"cell": cell.name, "sets": len(sets), "method": title}
        rows.append(row)
        errors = [found[name]["error"] for found in sets if "error" in found[name]]
        if errors:
            row["error"] = errors[0]
            continue
        ours = [found["plackett"] for found in sets]
        theirs = [found[name] for found in sets]
        gaps = [own["score"] - their["score"] for own, their in zip(ours, theirs)]
        row |= {
            "seconds": statistics.mean(found["seconds"] for found in theirs),
            "time_over_ours": sum(found["seconds"] for found in theirs) / sum(found["seconds"] for found in ours),
            "ours_better": sum(gap < -1e-6 for gap in gaps),
            "equal": sum(abs(gap) <= 1e-6 for gap in gaps),
            "ours_worse": sum(gap > 1e-6 for gap in gaps),
            "mean_score_above_ours": -statistics.mean(gaps),
            "shd_cpdag": statistics.mean(found["shd_cpdag"] for found in theirs),
            "exact_share": statistics.mean(found["shd_cpdag"] == 0 for found in theirs),
            "recall": statistics.mean(found["recall"] for found in theirs),
        }
        if name == "plackett":
            row["mebibytes"] = max(found["mebibytes"] for found in theirs)
    return rows


COLUMNS = [
    ("method", "method", "{}"),
    ("seconds", "CPU s", "{:.2f}"),
    ("time_over_ours", "time / ours", "{:.2f}"),
    ("ours_better", "ours better", "{}"),
    ("equal", "equal", "{}"),
    ("ours_worse", "ours worse", "{}"),
    ("mean_score_above_ours", "score above ours", "{:.3f}"),
    ("shd_cpdag", "SHD-CPDAG", "{:.2f}"),
    ("exact_share", "exact class", "{:.0%}"),
    ("recall", "adjacencies found", "{:.1%}"),
    ("mebibytes", "MiB", "{:.0f}"),
]


def markdown(rows):
    text = f"# Order search beside its rivals\n\nMade by `./scripts/benchmark orders`. {__doc__}\n"
    for cell in dict.fromkeys(row["cell"] for row in rows):
        mine = [row for row in rows if row["cell"] == cell]
        text += f"\n## {cell}, {mine[0]['sets']} sets\n\n"
        text += "| " + " | ".join(title for _, title, _ in COLUMNS) + " |\n" + "| --- " * len(COLUMNS) + "|\n"
        for row in mine:
            if "error" in row:
                text += f"| {row['method']} | no answer: {row['error']} |\n"
                continue
            cells = (shape.format(row[key]) if key in row else "" for key, _, shape in COLUMNS)
            text += "| " + " | ".join(cells) + " |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few small sets, in about a minute")
    parser.add_argument("--only", type=int, nargs="+", help="these cells alone, counted from 0")
    parser.add_argument("--first-seed", type=int, default=1000, help="development seeds are below 1000")
    parser.add_argument("--out", type=pathlib.Path, help="folder for orders.md and orders.json")
    arguments = parser.parse_args()
    cells = QUICK if arguments.quick else CELLS
    if arguments.only is not None:
        cells = [cells[number] for number in arguments.only]
    rows = []
    for cell in cells:
        sets = []
        for index in range(cell.sets):
            sets.append(in_a_process_of_its_own(cell, arguments.first_seed + index))
            print(cell.name, index, {name: found.get("error") or round(found["seconds"], 2) for name, found in sets[-1].items()}, flush=True)
        rows += summary(cell, sets)
        # The larger cells take long: what is done is not to be lost.
        report.give("orders", markdown(rows), rows, arguments.out)


if __name__ == "__main__":
    main()
