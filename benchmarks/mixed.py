"""Numbers and categories side by side: plackett's default, which takes `dg` or `cg` by the data, and each of the two, beside pgmpy's hill
climbing with `bic-cg` and causal-learn's PC, on the same sets in the same process, one thread each; time is the processor's.

Half of the columns are categories of two to four levels; expected degree 3; `benchmarks/simulators.py` says how the sets are drawn.
causal-learn has no test for mixed data: its PC takes codes as numbers (Fisher's z), or numbers cut into thirds (G²), both at level 0.01.
A method is given up after a limit of processor time on one set, at least 50 times that of the default, and is then not tried on the other
sets of that kind: its means are over those that it answered.

Sets with seeds below 1000 are for choosing settings, those from 1000 on for the report.
"""

import argparse
import itertools
import pathlib
import signal
import statistics
import time
import warnings

import numpy as np
import pandas as pd
import report
from simulators import SIMULATORS, adjacency_f1, class_distance

import plackett

LIMIT, RATIO = 120, 50
NODES, ROWS, SETS = (10, 20, 50), (500, 2000), {10: 5, 20: 3, 50: 3}
QUICK_NODES, QUICK_ROWS = (10,), (500,)


def marks_of(learned, names):
    place = {name: node for node, name in enumerate(names)}
    marks = np.zeros((len(names), len(names)), dtype=bool)
    for a, b in learned.cpdag.directed:
        marks[place[a], place[b]] = True
    for a, b in learned.cpdag.undirected:
        marks[place[a], place[b]] = marks[place[b], place[a]] = True
    return marks


def by_plackett(score):
    return lambda data: marks_of(plackett.learn_dag(data, score=score), data.columns)


def by_pgmpy(data):
    from pgmpy.causal_discovery import HillClimbSearch

    search = HillClimbSearch(scoring_method="bic-cg", return_type="dag", show_progress=False).fit(data)
    names = list(data.columns)
    weights = np.zeros((len(names), len(names)))
    for a, b in search.causal_graph_.edges():
        weights[names.index(a), names.index(b)] = 1
    return marks_of(plackett.Graph(weights, names), names)


def by_causal_learn(test, prepare):
    def learn(data):
        from causallearn.search.ConstraintBased.PC import pc

        values = np.column_stack([prepare(data[name]) for name in data.columns])
        found = pc(values, 0.01, test, show_progress=False).G.graph
        # Entry (i, j) is the mark at i: -1 a tail, 1 an arrowhead.
        directed = (found == -1) & (found.T == 1)
        return directed | ((found == -1) & (found.T == -1)) | ((found == 1) & (found.T == 1))

    return learn


def codes(column):
    return column.cat.codes.to_numpy(float) if isinstance(column.dtype, pd.CategoricalDtype) else column.to_numpy()


def thirds(column):
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy()
    return np.searchsorted(np.quantile(column, [1 / 3, 2 / 3]), column)


OURS = "plackett"
METHODS = {
    OURS: by_plackett("auto"),
    "plackett dg": by_plackett("dg"),
    "plackett cg": by_plackett("cg"),
    "pgmpy bic-cg": by_pgmpy,
    "causal-learn PC, codes": by_causal_learn("fisherz", codes),
    "causal-learn PC, thirds": by_causal_learn("gsq", thirds),
}


class TooLong(Exception):
    """A rival has used up its time."""


def stop(*_):
    raise TooLong


def measure(data, truth, method, limit):
    signal.signal(signal.SIGPROF, stop)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        marks = METHODS[method](data)
    except TooLong:
        return {"seconds": limit, "f1": None, "shd_cpdag": None}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    seconds = time.process_time() - start
    return {"seconds": seconds, "f1": adjacency_f1(truth, marks), "shd_cpdag": class_distance(truth, marks)}


def measure_kind(kind, nodes, rows, sets, methods, limit, first_seed):
    found = {method: [] for method in methods}
    for index in range(sets):
        data, truth = SIMULATORS[kind](nodes, rows, first_seed + index)
        for method in methods:
            if any(one["f1"] is None for one in found[method]):
                continue
            ours = found[OURS][-1]["seconds"] if found.get(OURS) else 0
            found[method].append(measure(data, truth, method, max(limit, RATIO * ours)))
        latest = {method: round(ones[-1]["seconds"], 2) for method, ones in found.items()}
        print(kind, nodes, rows, index, latest, flush=True)
    return found


def summary(kind, nodes, rows, found):
    own = statistics.mean(one["seconds"] for one in found[OURS])
    lines = []
    for method, ones in found.items():
        done = [one for one in ones if one["f1"] is not None]
        seconds = statistics.mean(one["seconds"] for one in ones)
        lines.append(
            {
                "data": kind,
                "nodes": nodes,
                "rows": rows,
                "sets": len(ones),
                "method": method,
                "f1": statistics.mean(one["f1"] for one in done) if done else None,
                "shd_cpdag": statistics.mean(one["shd_cpdag"] for one in done) if done else None,
                "seconds": seconds,
                "is_given_up": len(done) < len(ones),
                "time_over_default": seconds / own,
            }
        )
    return lines


def markdown(lines, limit):
    text = f"# Mixed data beside rivals\n\nMade by `./scripts/benchmark mixed`, limit {limit:.0f} s. {__doc__}\n"
    for key, group in itertools.groupby(lines, key=lambda line: (line["data"], line["nodes"], line["rows"])):
        group = list(group)
        text += f"\n## {key[0]}, {key[1]} columns, n = {key[2]}, {group[0]['sets']} sets\n\n"
        text += "| method | adjacency F1 | SHD-CPDAG | CPU s | time / default |\n| --- | --- | --- | --- | --- |\n"
        for line in group:
            more = "> " if line["is_given_up"] else ""
            f1 = "no answer" if line["f1"] is None else f"{line['f1']:.3f}"
            distance = "no answer" if line["shd_cpdag"] is None else f"{line['shd_cpdag']:.1f}"
            times = f"{more}{line['seconds']:.3f} | {more}{line['time_over_default']:.0f}"
            text += f"| {line['method']} | {f1} | {distance} | {times} |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two small sets of each kind, in about a minute")
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=METHODS)
    parser.add_argument("--nodes", type=int, nargs="*")
    parser.add_argument("--sets", type=int)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of the processor for a rival on one set")
    parser.add_argument("--first-seed", type=int, default=1000, help="development seeds are below 1000")
    parser.add_argument("--out", type=pathlib.Path, help="folder for mixed.md and mixed.json")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = []
    nodes_wanted = arguments.nodes or (QUICK_NODES if arguments.quick else NODES)
    for kind, nodes, rows in itertools.product(SIMULATORS, nodes_wanted, QUICK_ROWS if arguments.quick else ROWS):
        sets = arguments.sets or (2 if arguments.quick else SETS.get(nodes, 5))
        found = measure_kind(kind, nodes, rows, sets, arguments.methods, arguments.limit, arguments.first_seed)
        lines += summary(kind, nodes, rows, found)
    report.give("mixed", markdown(lines, arguments.limit), lines, arguments.out)


if __name__ == "__main__":
    main()
