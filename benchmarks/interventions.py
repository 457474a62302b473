"""Experiments: rows in which single nodes were set, beside GIES and beside ourselves without knowing what was set.

Linear Gaussian models over Erdős–Rényi graphs of two edges a node, weights ±U(0.5, 2), noise deviations U(0.5, 2); 1,000 rows that
are observed and 100 more for each of a third of the nodes, set one at a time to draws from N(2, 1). `plackett` is `learn_dag` with
`score="bic"` and the targets; `pooled` the same rows without the targets; `observed` the first 1,000 rows alone; `gies` the package of
this name with its Gaussian BIC. SHD compares graphs (for GIES a graph of the class that it finds), SHD of the class the interventional
classes. Every run has a process of its own and the same limit of seconds of the processor; memory is the largest that the process
took, data included. What did not answer in time for fewer nodes is not tried on more.

With `--sachs FOLDER`, the protein data of Sachs et al. (2005) with their nine conditions, which are not part of this project: arrows
of the 20 of the graph beside them that are right, reversed, extra and missing.

Sets with seeds below 1000 are for choosing settings, those from 1000 on for the report. No setting was chosen on these data.
"""

import argparse
import contextlib
import json
import multiprocessing
import pathlib
import queue
import resource
import statistics
import time
import warnings

import numpy as np
import report

import plackett

SIZES = {20: 5, 50: 5, 200: 3, 1000: 1}
OBSERVED, ROWS_EACH = 1000, 100
METHODS = ("plackett", "pooled", "observed", "gies")


def simulated(nodes, seed):
    model = plackett.simulate_sem(nodes, degree=2, noise=(0.5, 2.0), seed=seed)
    data, told = model.sample_experiments(OBSERVED, round(nodes / 3), ROWS_EACH, seed=0)
    return model.graph, data, told


def marks(nodes, names, cpdag):
    """A matrix with a one at (i, j) for i -> j and for i - j."""
    place = {name: node for node, name in enumerate(names)}
    found = np.zeros((nodes, nodes), dtype=bool)
    for a, b in cpdag.directed:
        found[place[a], place[b]] = True
    for a, b in cpdag.undirected:
        found[place[a], place[b]] = found[place[b], place[a]] = True
    return found


def distance(truth, estimate):
    """Pairs that are joined differently."""
    differs = (truth != estimate) | (truth != estimate).T
    return int(np.triu(differs, 1).sum())


def by_gies(data, told, names):
    """The I-essential graph of GIES, and a graph of it."""
    import gies

    keys = ["+".join(targets) for targets in told]
    regimes = list(dict.fromkeys(keys))
    parts = [data[[key == regime for key in keys]] for regime in regimes]
    family = [[list(names).index(name) for name in regime.split("+")] if regime else [] for regime in regimes]
    start = time.process_time()
    essential, _ = gies.fit_bic(parts, family)
    seconds = time.process_time() - start
    return essential != 0, gies.utils.pdag_to_dag(essential) != 0, seconds


def by_us(method, data, told, names):
    settings = {"score": "bic", "names": list(names)}
    if method == "plackett":
        settings["interventions"] = told
    if method == "observed":
        data = data[[not targets for targets in told]]
    start = time.process_time()
    learned = plackett.learn_dag(data, **settings)
    seconds = time.process_time() - start
    return learned, seconds


def run(limit, method, nodes, seed, answer):
    """One method on one set, in a process of its own, which ends after so many seconds of the processor."""
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    warnings.simplefilter("ignore")
    truth, data, told = simulated(nodes, seed)
    family = [list(targets) for targets in dict.fromkeys(map(tuple, told))]
    true_class = marks(nodes, truth.names, truth.interventional_cpdag(family))
    if method == "gies":
        estimate, graph, seconds = by_gies(data, told, truth.names)
    else:
        learned, seconds = by_us(method, data, told, truth.names)
        graph = learned.adjacency != 0
        # Whoever does not know the targets tells the class of mere observation.
        estimate = marks(nodes, truth.names, learned.cpdag)
    answer.put(
        {
            "shd": distance(truth.adjacency != 0, graph),
            "shd_class": distance(true_class, estimate),
            "seconds": seconds,
            "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    )


def within(*task):
    """What a process answers, or nothing if it ended before."""
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=run, args=(*task, answer))
    process.start()
    found = None
    while found is None and process.is_alive():
        with contextlib.suppress(queue.Empty):
            found = answer.get(timeout=0.5)
    process.terminate()
    process.join()
    return found


SACHS_TARGETS = {
    "akt": ["aktinhib", "ly"],
    "pkc": ["g0076", "pma"],
    "pip2": ["psitect"],
    "mek": ["u0126"],
    "pka": ["b2camp"],
}
SACHS_CONDITIONS = ["cd3_cd28", "icam2", *(column for columns in SACHS_TARGETS.values() for column in columns)]


def interventional_bic(data, told, names, graph):
    """Half the BIC of a graph, up to a constant, each node on the rows in which it was not set, by least squares with an intercept: lower is better."""
    total = 0.0
    for node, name in enumerate(names):
        kept = data[[name not in targets for targets in told]]
        terms = np.column_stack([np.ones(len(kept)), kept[:, np.flatnonzero(graph[:, node])]])
        left = kept[:, node] - terms @ np.linalg.lstsq(terms, kept[:, node], rcond=None)[0]
        total += len(kept) / 2 * np.log(left @ left / len(kept)) + np.log(len(kept)) / 2 * graph[:, node].sum()
    return float(total)


def sachs(folder):
    """The arrows of the protein network, by score and by what is known of the targets."""
    import pandas as pd

    frame = pd.read_csv(folder / "sachs.2005.continuous.discrete.experimental.mixed.maximum.2.txt", sep="\t")
    text = (folder / "sachs.2005.ground.truth.graph.txt").read_text()
    arrows = [line.split(". ")[1].split(" --> ") for line in text.splitlines() if " --> " in line]
    names = [name for name in frame.columns if name not in SACHS_CONDITIONS]
    truth = plackett.Graph.from_edges(arrows, names=names)
    told = [
        [target for target, columns in SACHS_TARGETS.items() if any(row[column] == 1 for column in columns)]
        for row in frame[SACHS_CONDITIONS].to_dict("records")
    ]
    numbers = frame[names]
    standardized = ((numbers - numbers.mean()) / numbers.std()).to_numpy()
    lines = []

    def line(method, graph, seconds):
        true, found = truth.adjacency != 0, graph
        right = int((true & found).sum())
        reverse = int((true & found.T & ~found).sum())
        missing = int((true & ~found & ~found.T).sum())
        extra = int(np.triu((found | found.T) & ~(true | true.T), 1).sum())
        bic = interventional_bic(standardized, told, names, found)
        figures = {"right": right, "reversed": reverse, "extra": extra, "missing": missing, "bic": bic, "seconds": seconds}
        lines.append({"method": method, **figures})

    for label, settings in {
        "bic of numbers": {"score": "bic"},
        "bic of numbers, price of the BIC proper": {"score": "bic", "penalty": 1.0},
        "qnml of three quantiles": {"discretize": "quantile", "score": "qnml"},
        "bdeu of three quantiles": {"discretize": "quantile", "score": "bdeu"},
    }.items():
        for known, interventions in {"targets known": told, "pooled": None}.items():
            start = time.process_time()
            learned = plackett.learn_dag(numbers, interventions=interventions, **settings)
            line(f"plackett, {label}, {known}", learned.adjacency != 0, time.process_time() - start)
    _, graph, seconds = by_gies(numbers.to_numpy(), told, names)
    line("gies, targets known", graph, seconds)
    line("the graph of the literature", truth.adjacency != 0, 0.0)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20 nodes, two sets")
    parser.add_argument("--sizes", type=int, nargs="*")
    parser.add_argument("--first-seed", type=int, default=1000, help="development seeds are below 1000")
    parser.add_argument("--methods", nargs="*", default=METHODS, choices=METHODS)
    parser.add_argument("--limit", type=int, default=120, help="seconds of the processor for a run")
    parser.add_argument("--sachs", type=pathlib.Path, help="a folder with the data of Sachs et al. in Tetrad's form")
    parser.add_argument("--out", type=pathlib.Path, help="folder for interventions.md and interventions.json")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    sizes = {20: 2} if arguments.quick else {size: SIZES[size] for size in arguments.sizes or SIZES}
    rows, late = [], set()
    for nodes, sets in sizes.items():
        for method in arguments.methods:
            found = []
            for seed in range(arguments.first_seed, arguments.first_seed + sets):
                # What did not answer in time will not for more nodes.
                one = None if method in late else within(arguments.limit, method, nodes, seed)
                if one is None:
                    late.add(method)
                    break
                found.append(one)
            line = {"nodes": nodes, "method": method, "sets": len(found), "of": sets}
            if len(found) == sets:
                line |= {key: statistics.mean(one[key] for one in found) for key in found[0]}
            rows.append(line)
            print(json.dumps(line), flush=True)
    text = f"# Interventions\n\nMade by `./scripts/benchmark interventions`, limit {arguments.limit} s a run. {__doc__}\n"
    text += "| nodes | targets | sets | method | SHD | SHD of the class | CPU s | memory, MiB |\n" + "| --- " * 8 + "|\n"
    for line in rows:
        figures = (
            f"{line['shd']:.1f} | {line['shd_class']:.1f} | {line['seconds']:.2f} | {line['memory_mib']:.0f}"
            if "shd" in line
            else "no answer in time | | |"
        )
        text += f"| {line['nodes']} | {round(line['nodes'] / 3)} | {line['of']} | {line['method']} | {figures} |\n"
    proteins = []
    if arguments.sachs:
        proteins = sachs(arguments.sachs)
        text += "\n## Sachs et al. (2005)\n\n7,466 cells, 11 proteins, nine conditions; targets: "
        text += "; ".join(f"{' and '.join(columns)} set {target}" for target, columns in SACHS_TARGETS.items())
        text += ". cd3_cd28 and icam2 set nothing that was measured. The figures are of arrows of one graph each. The BIC is that of the numbers with the targets known (half of it, up to a constant; lower is better).\n\n"
        text += "| method | right | reversed | extra | missing | BIC | CPU s |\n" + "| --- " * 7 + "|\n"
        for line in proteins:
            figures = " | ".join(str(line[key]) for key in ("right", "reversed", "extra", "missing"))
            text += f"| {line['method']} | {figures} | {line['bic']:.1f} | {line['seconds']:.2f} |\n"
    report.give("interventions", text, {"simulated": rows, "sachs": proteins}, arguments.out)


if __name__ == "__main__":
    main()
