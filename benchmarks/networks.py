"""Categories: plackett, pyAgrum's tabu search and MIIC, pgmpy's hill climbing and causal-learn's PC on samples of published networks.

The networks are the BIF files of the PyPI package pgmpy. Every method has a process of its own and one thread, a time limit, and the same rows; time is the
processor's. A graph is compared with the true one by the structural Hamming distance of their classes (SHD-CPDAG), and by the shares of its
adjacencies that are true (precision) and of the true ones that it has (recall). The graph without edges stands beside the methods: its
distance is the number of true edges. The score that all are given is BIC on the same rows, in nats above that of the true graph (below zero: better than
the truth). plackett runs with its defaults; `bic` is plackett with that score. A method that has no answer within the limit is not tried on more rows of that network, nor on
larger networks of over 150 nodes. R's bnlearn is not
among the rivals: it is not on PyPI, nor among Debian's packages.

`--parts optimum` is about the search alone: 56 problems of sixteen columns that were drawn from the networks' columns, three scores, and how often the search that
larger data have finds the best of all graphs, which a dynamic program knows.

Networks for choosing settings: alarm, asia, child, insurance, mildew, sachs and water, seeds below 1000. The report has the others, seeds from
1000 on. Of these, link and diabetes were watched (seed 3) while the constants of the search over graphs were chosen: their rows are not held out.
"""

import argparse
import gzip
import importlib.util
import multiprocessing
import pathlib
import resource
import statistics
import time
import warnings

import numpy as np
import report

import plackett

DEVELOPMENT = ("asia", "sachs", "child", "insurance", "water", "mildew", "alarm")
REPORT = ("cancer", "earthquake", "survey", "barley", "hailfinder", "hepar2", "win95pts", "pathfinder", "munin1", "andes", "diabetes", "pigs", "link", "munin")
ROWS = (100, 200, 500, 1000, 5000, 20_000)
# Of more than so many nodes there is one set, only at these sizes, with more time.
LARGE, LARGE_ROWS, LARGE_TIME = 150, (500, 5000), 3


def load(name):
    """A network of pgmpy's files."""
    folder = pathlib.Path(importlib.util.find_spec("pgmpy").origin).parent / "utils" / "example_models"
    with gzip.open(folder / f"{name}.bif.gz", "rt") as file:
        return plackett.BayesNet(file.read(), name)


def frame(data):
    import pandas as pd

    return pd.DataFrame({name: data.codes[:, at].astype(str) for at, name in enumerate(data.names)})


def adjacency(names, edges):
    place = {name: at for at, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)), dtype=bool)
    for start, end in edges:
        matrix[place[start], place[end]] = True
    return matrix


def by_plackett(data, **settings):
    found = plackett.learn_dag(data, **settings)
    return np.asarray(found.adjacency) != 0


def by_agrum(data, search):
    import pyagrum

    learner = pyagrum.BNLearner(frame(data))
    search(learner)
    # The graph alone: its tables would have a cell for every combination, and refuse those without rows.
    arcs = learner.learnDAG().arcs()
    return adjacency(data.names, [(learner.nameFromId(start), learner.nameFromId(end)) for start, end in arcs])


def tabu(learner):
    learner.useLocalSearchWithTabuList(100, 15)
    learner.useScoreBIC()


def tabu_bdeu(learner):
    learner.useLocalSearchWithTabuList(100, 15)
    learner.useScoreBDeu()


def miic(learner):
    learner.useMIIC()
    learner.useNMLCorrection()


def by_pgmpy(data):
    from pgmpy.estimators import HillClimbSearch

    found = HillClimbSearch(frame(data)).estimate(scoring_method="bic-d", show_progress=False)
    return adjacency(data.names, found.edges())


def by_pc(data):
    from causallearn.search.ConstraintBased.PC import pc
    from causallearn.utils.cit import gsq

    varying = [at for at in range(data.codes.shape[1]) if len(np.unique(data.codes[:, at])) > 1]
    marks = pc(np.ascontiguousarray(data.codes[:, varying].astype(int)), 0.01, gsq, show_progress=False).G.graph
    dag = np.zeros((data.codes.shape[1],) * 2, dtype=bool)
    # A pattern of tests need not be that of a DAG: edges keep the first direction that makes no cycle.
    directed, undirected = (marks == -1) & (marks.T == 1), (marks == -1) & (marks.T == -1)
    for start, end in [*np.argwhere(directed), *np.argwhere(np.triu(undirected | (marks == 1) & (marks.T == 1)))]:
        start, end = varying[start], varying[end]
        start, end = (end, start) if reaches(dag, end, start) else (start, end)
        dag[start, end] = True
    return dag


def reaches(dag, start, end):
    seen, stack = set(), [start]
    while stack:
        node = stack.pop()
        if node == end:
            return True
        fresh = set(np.flatnonzero(dag[node])) - seen
        seen |= fresh
        stack += fresh
    return False


METHODS = {
    "plackett": by_plackett,
    "plackett, bic": lambda data: by_plackett(data, score="bic"),
    "pyAgrum tabu, bic": lambda data: by_agrum(data, tabu),
    "pyAgrum tabu, bdeu": lambda data: by_agrum(data, tabu_bdeu),
    "pyAgrum MIIC": lambda data: by_agrum(data, miic),
    "pgmpy hill climbing, bic": by_pgmpy,
    "causal-learn PC": by_pc,
}


def bic(codes, dag):
    """What a graph costs by BIC, in nats."""
    rows, total = len(codes), 0.0
    arities = codes.max(0) + 1
    for node in range(codes.shape[1]):
        parents = np.flatnonzero(dag[:, node])
        groups = np.unique(codes[:, parents], axis=0, return_inverse=True)[1].reshape(-1) if len(parents) else np.zeros(rows, dtype=int)
        counts = np.zeros((groups.max() + 1, arities[node]))
        np.add.at(counts, (groups, codes[:, node]), 1)
        shares = counts / counts.sum(1, keepdims=True)
        total -= (counts[counts > 0] * np.log(shares[counts > 0])).sum()
        total += 0.5 * np.log(rows) * (arities[node] - 1) * np.prod(arities[parents].astype(float))
    return total


def child(method, network, rows, seed, out):
    warnings.simplefilter("ignore")
    network = load(network)
    data = network.sample(rows, seed=seed)
    start = time.process_time()
    try:
        dag = METHODS[method](data)
    except Exception as error:
        out.put({"error": f"{type(error).__name__}: {error}"[:100]})
        return
    seconds = time.process_time() - start
    mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    truth = np.asarray(network.graph.adjacency) != 0
    both = truth | truth.T
    hits = int((dag & both).sum())
    out.put(
        {
            "seconds": seconds,
            "mebibytes": mebibytes,
            "edges": int(dag.sum()),
            "shd_cpdag": int(plackett.metrics.shd_cpdag(truth, dag, edge_direction="row_to_column")),
            "precision": hits / max(1, int(dag.sum())),
            "recall": hits / int(truth.sum()),
            "bic": bic(data.codes, dag) - bic(data.codes, truth),
        }
    )


def measure(method, network, rows, seed, limit):
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    process = context.Process(target=child, args=(method, network, rows, seed, out))
    process.start()
    deadline = time.monotonic() + 4 * limit
    while process.is_alive() and out.empty():
        # Of its own time, not of the clock's: the machine may be busy with other things.
        if spent(process.pid) > limit or time.monotonic() > deadline:
            process.kill()
            process.join()
            return {"error": f"no answer in {limit:g} s"}
        time.sleep(0.05)
    try:
        return out.get(timeout=5)
    except Exception:
        return {"error": f"ended with {process.exitcode}"}
    finally:
        process.join()


def spent(pid):
    """Seconds of the processor that a process has had."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    import os

    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def summary(network, edges, rows, found):
    lines = []
    for method, sets in found.items():
        line = {"network": network, "edges_true": edges, "rows": rows, "method": method, "sets": len(sets)}
        errors = [one["error"] for one in sets if "error" in one]
        if errors:
            line["error"] = errors[0]
        else:
            keys = ("seconds", "edges", "shd_cpdag", "precision", "recall", "bic")
            line |= {key: statistics.mean(one[key] for one in sets) for key in keys}
            line["mebibytes"] = max(one["mebibytes"] for one in sets)
        lines.append(line)
    return lines


def markdown(lines, limit):
    text = f"# Categories beside their rivals\n\nMade by `./scripts/benchmark networks`. {__doc__}\nTime limit: {limit:g} seconds of the processor each, {LARGE_TIME * limit:g} on networks of more than {LARGE} nodes.\n"
    text += "\n## Mean SHD-CPDAG by the number of rows\n\nOver the networks on which every method has an answer, and in brackets over all on which the method has one.\n\n"
    sizes = sorted({line["rows"] for line in lines})
    methods = list(dict.fromkeys(line["method"] for line in lines))
    answered = {
        rows: [
            network
            for network in dict.fromkeys(line["network"] for line in lines if line["rows"] == rows)
            if all("error" not in line for line in lines if (line["rows"], line["network"]) == (rows, network))
        ]
        for rows in sizes
    }
    text += "| method | " + " | ".join(f"n = {rows} ({len(answered[rows])})" for rows in sizes) + " |\n" + "| --- " * (1 + len(sizes)) + "|\n"

    def mean(values):
        values = list(values)
        return f"{statistics.mean(values):.1f}" if values else "–"

    shown = {}
    for rows in sizes:
        shown["no edges", rows] = mean(next(line["edges_true"] for line in lines if line["network"] == network) for network in answered[rows])
        for method in methods:
            own = [line for line in lines if (line["method"], line["rows"]) == (method, rows) and "error" not in line]
            common = mean(line["shd_cpdag"] for line in own if line["network"] in answered[rows])
            shown[method, rows] = f"{common} ({mean(line['shd_cpdag'] for line in own)} of {len(own)})"
    for method in [*methods, "no edges"]:
        text += f"| {method} | " + " | ".join(shown[method, rows] for rows in sizes) + " |\n"
    text += "\n## Beside each method\n\nThe mean SHD-CPDAG of plackett, and that of the method, over the networks on which both have an answer.\n\n"
    text += "| method | " + " | ".join(f"n = {rows}" for rows in sizes) + " |\n" + "| --- " * (1 + len(sizes)) + "|\n"
    distances = {(line["method"], line["rows"], line["network"]): line["shd_cpdag"] for line in lines if "error" not in line}
    for line in lines:
        distances["no edges", line["rows"], line["network"]] = line["edges_true"]
    networks = list(dict.fromkeys(line["network"] for line in lines))
    for method in [*methods[1:], "no edges"]:
        text += f"| {method} |"
        for rows in sizes:
            both = [at for at in networks if (methods[0], rows, at) in distances and (method, rows, at) in distances]
            ours, theirs = (mean(distances[one, rows, at] for at in both) for one in (methods[0], method))
            text += f" {ours}, {theirs} ({len(both)}) |"
        text += "\n"
    for network in networks:
        mine = [line for line in lines if line["network"] == network]
        text += f"\n## {network}, {mine[0]['edges_true']} edges\n\n| n | method | SHD-CPDAG | edges | precision | recall | BIC | CPU s | MiB |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        for line in mine:
            if "error" in line:
                text += f"| {line['rows']} | {line['method']} | {line['error']} |\n"
                continue
            text += f"| {line['rows']} | {line['method']} | {line['shd_cpdag']:.1f} | {line['edges']:.1f} | {line['precision']:.2f} | "
            text += f"{line['recall']:.2f} | {line['bic']:.0f} | {line['seconds']:.2f} | {line['mebibytes']:.0f} |\n"
    return text


PROBLEMS = 56
PROBLEM_COLUMNS, PROBLEM_ROWS = 16, 1000
PROBLEM_SCORES = ("bdeu", "qnml", "bic")


def problems(first_seed, count):
    """Sixteen columns of a network each time, and a score."""
    for index in range(count):
        names = [name for name in (*DEVELOPMENT, *REPORT[3:7]) if name not in ("asia", "sachs")]
        name = names[index // len(PROBLEM_SCORES) % len(names)]
        network = load(name)
        data = network.sample(PROBLEM_ROWS, seed=first_seed + index)
        columns = np.random.default_rng(first_seed + index).choice(len(network.names), PROBLEM_COLUMNS, replace=False)
        # Words, lest they be taken for numbers.
        kept = "c" + frame(data).iloc[:, sorted(columns)]
        yield name, PROBLEM_SCORES[index % len(PROBLEM_SCORES)], kept.loc[:, kept.nunique() > 1]


def optimum(first_seed, count):
    lines = []
    for network, score, data in problems(first_seed, count):
        best = plackett.learn_dag(data, score=score)
        start = time.process_time()
        found = plackett.learn_dag(data, score=score, method="insertion", candidates="plus-one")
        seconds = time.process_time() - start
        lines.append({"network": network, "score": score, "columns": data.shape[1], "best": best.score, "found": found.score, "seconds": seconds})
        print(lines[-1], flush=True)
    return lines


def optimum_markdown(lines):
    missed = [line for line in lines if line["found"] > line["best"] + 1e-6]
    text = f"\n## The optimum, {len(lines)} problems of {PROBLEM_COLUMNS} columns and {PROBLEM_ROWS} rows\n\n"
    text += f"Found in {len(lines) - len(missed)} of {len(lines)}; {statistics.mean(line['seconds'] for line in lines):.2f} CPU seconds in the mean.\n"
    for line in missed:
        text += f"\n- Missed: {line['network']}, {line['score']}, {line['found'] - line['best']:.3f} nats above the optimum.\n"
    return text


def is_covered(one, hopeless):
    """Whether a method cannot do what is at least as large as what it could not do."""
    (method, name, nodes, rows), (late, network, size, count) = one, hopeless
    is_like = name == network or LARGE < size <= nodes
    return method == late and is_like and rows >= count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two small networks, in about a minute")
    parser.add_argument("--networks", nargs="+", help="by default those of the report")
    parser.add_argument("--rows", type=int, nargs="+")
    parser.add_argument("--methods", nargs="+", choices=METHODS)
    parser.add_argument("--sets", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds of the processor for each answer")
    parser.add_argument("--first-seed", type=int, default=1000, help="development seeds are below 1000")
    parser.add_argument("--parts", nargs="+", choices=("rivals", "optimum"), default=["rivals", "optimum"])
    parser.add_argument("--out", type=pathlib.Path, help="folder for networks.md and networks.json")
    arguments = parser.parse_args()
    searched = optimum(arguments.first_seed, 3 if arguments.quick else PROBLEMS) if "optimum" in arguments.parts else []
    tail = optimum_markdown(searched) if searched else ""
    if "rivals" not in arguments.parts:
        print(tail)
        return
    names = arguments.networks or (("cancer", "survey") if arguments.quick else REPORT)
    lines, hopeless = [], []
    for name in names:
        network = load(name)
        nodes = len(network.names)
        is_large = len(network.names) > LARGE
        for rows in arguments.rows or ((200, 1000) if arguments.quick else LARGE_ROWS if is_large else ROWS):
            found = {}
            for method in arguments.methods or METHODS:
                found[method] = []
                if any(is_covered((method, name, nodes, rows), one) for one in hopeless):
                    found[method].append({"error": "not tried"})
                    continue
                for index in range(1 if is_large or arguments.quick else arguments.sets):
                    found[method].append(measure(method, name, rows, arguments.first_seed + index, arguments.limit * (LARGE_TIME if is_large else 1)))
                    # Who has no answer to one set has none to the next.
                    if "error" in found[method][-1]:
                        hopeless.append((method, name, nodes, rows))
                        break
            more = summary(name, len(network.edges), rows, found)
            for line in more:
                print({key: round(value, 2) if isinstance(value, float) else value for key, value in line.items()}, flush=True)
            lines += more
            # It takes long: what is done is not to be lost.
            report.give("networks", markdown(lines, arguments.limit) + tail, lines + searched, arguments.out) if arguments.out else None
    print(markdown(lines, arguments.limit) + tail)


if __name__ == "__main__":
    multiprocessing.freeze_support()
    main()
