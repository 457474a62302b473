"""Support by the bootstrap: of the edges that are given a support, how many are true; what warm starts change; and how long it takes.

Calibration: random DAGs of 10 nodes with an expected degree of 3 and linear Gaussian data, every node of variance 1. The part of a
node's variance that its parents make up is drawn from U(0.05, 0.2) (weak effects) or from U(0.4, 0.8) (strong ones). `learn_dag`
decides on everything by itself. A pair of columns is given its share of resamples that join them, and is true if the true graph joins
them; an ordered pair is given its share that has this direction, and is true if the class of the true graph compels it.

Warm starts: the same resamples with the searches started from the order of the whole graph, and from anywhere; beside them the
difference of two cold bootstraps of other seeds, which is what chance does. Two sets of each kind, 40 resamples.

That the shares are those of a loop over `learn` on copies of the rows, to the last one with cold starts, is a test of the library
(`crates/plackett-dag/tests/bootstrap.rs`).

Sets with seeds below 1000 are for choosing settings, those from 1000 on for the report. What was chosen on the former is when `learn_dag` leaves
the score `ev-l0` because effects are weak; with it, of the directions above 0.9 on weak sets, 0.20 (n = 200) and 0.51 (n = 1000) were true.
"""

import os
import pathlib
import time

import numpy as np
import report
from simulators import conditional, random_dag

import plackett

NODES, SETS, REPLICATES = 10, 40, 100
WARM_SETS, WARM_REPLICATES = 2, 40
EFFECTS = {"weak": (0.05, 0.2), "strong": (0.4, 0.8)}
ROWS = (200, 1000)
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


def simulate(nodes, rows, explained, seed):
    """Rows, and the true graph."""
    rng = np.random.default_rng(seed)
    adjacency, order = random_dag(rng, nodes)
    data, weights = np.zeros((rows, nodes)), np.zeros((nodes, nodes))
    covariance = np.eye(nodes)
    for place, node in enumerate(order):
        parents, before = np.flatnonzero(adjacency[:, node]), order[:place]
        slopes = rng.uniform(0.5, 1.5, len(parents)) * rng.choice([-1, 1], len(parents))
        share = rng.uniform(*explained) if len(parents) else 0.0
        if len(parents):
            slopes *= np.sqrt(share / (slopes @ covariance[np.ix_(parents, parents)] @ slopes))
        weights[parents, node] = slopes
        data[:, node] = data[:, parents] @ slopes + np.sqrt(1 - share) * rng.normal(size=rows)
        if place:
            covariance[before, node] = covariance[node, before] = covariance[np.ix_(before, parents)] @ slopes
    return data, plackett.Graph(weights, [f"x{node}" for node in range(nodes)])


def shares(support, nodes):
    """The shares of resamples that join two nodes, and that have a direction, as matrices."""
    adjacent, forward = np.zeros((nodes, nodes)), np.zeros((nodes, nodes))
    for pair in support:
        a, b = int(pair["from"][1:]), int(pair["to"][1:])
        adjacent[a, b] = adjacent[b, a] = pair["adjacent"]
        forward[a, b], forward[b, a] = pair["forward"], pair["backward"]
    return adjacent, forward


def calibrate(effects, rows, sets, first_seed, replicates):
    """For each bin how many pairs and ordered pairs there are, their mean support, and how many of them are true."""
    tallies = {"adjacent": np.zeros((len(BINS), 3)), "forward": np.zeros((len(BINS), 3))}
    seconds = 0.0
    for seed in range(first_seed, first_seed + sets):
        data, truth = simulate(NODES, rows, EFFECTS[effects], seed)
        start = time.process_time()
        found = plackett.learn_dag(data, names=truth.names, bootstrap=replicates, seed=seed)
        seconds += time.process_time() - start
        adjacent, forward = shares(found.support, NODES)
        joined, compelled = np.zeros((NODES, NODES)), np.zeros((NODES, NODES))
        for a, b, _ in truth.edges:
            joined[int(a[1:]), int(b[1:])] = joined[int(b[1:]), int(a[1:])] = 1
        for a, b in truth.cpdag.directed:
            compelled[int(a[1:]), int(b[1:])] = 1
        upper, off = np.triu_indices(NODES, 1), ~np.eye(NODES, dtype=bool)
        for what, given, true in (("adjacent", adjacent[upper], joined[upper]), ("forward", forward[off], compelled[off])):
            # The first bin is of those that no resample has.
            place = np.searchsorted(BINS, given - 1e-9, side="left")
            for at, share, is_true in zip(place, given, true):
                tallies[what][at] += (1, share, is_true)
    return tallies, seconds / sets


def warm_and_cold(sets, first_seed, replicates):
    """How far supports are apart, and what they take, on three kinds of data."""
    kinds = {
        "numbers, 30 columns, 500 rows": lambda seed: simulate(30, 500, EFFECTS["strong"], seed)[0],
        "categories, 15 columns, 500 rows": lambda seed: conditional(15, 500, seed, is_category=lambda _: True)[0],
        "mixed, 15 columns, 500 rows": lambda seed: conditional(15, 500, seed)[0],
    }
    lines = []
    for kind, make in kinds.items():
        line = {"kind": kind, "warm": [], "chance": [], "error": [], "warm_seconds": [], "cold_seconds": []}
        for seed in range(first_seed, first_seed + sets):
            data = make(seed)
            nodes = data.shape[1]
            names = {} if hasattr(data, "columns") else {"names": [f"x{node}" for node in range(nodes)]}
            found = {}
            for name, warm, draw in (("warm", True, seed), ("cold", False, seed), ("other", False, seed + 100_000)):
                start = time.process_time()
                learned = plackett.learn_dag(data, bootstrap=replicates, warm=warm, seed=draw, **names)
                seconds = time.process_time() - start
                if name != "other":
                    line[f"{name}_seconds"].append(seconds)
                found[name] = np.stack(shares(learned.support, nodes))
            ever = (found["cold"] > 0) & (found["cold"] < 1)
            line["warm"].append(np.abs(found["warm"] - found["cold"])[ever].mean())
            line["chance"].append(np.abs(found["other"] - found["cold"])[ever].mean())
            line["error"].append(np.sqrt(found["cold"] * (1 - found["cold"]) / replicates)[ever].mean())
        lines.append({key: value if key == "kind" else float(np.mean(value)) for key, value in line.items()})
        print(lines[-1], flush=True)
    return lines


def timed(path, replicates):
    start, begun = time.monotonic(), time.process_time()
    found = plackett.learn_dag(path, bootstrap=replicates)
    return {
        "file": path.name,
        "rows": found.input["rows"],
        "columns": len(found),
        "seconds": time.monotonic() - start,
        "cpu": time.process_time() - begun,
        "bootstrap": found.support.seconds,
    }


def main():
    times = {"nargs": "*", "type": pathlib.Path, "default": [], "help": "files to time 200 resamples of"}
    arguments = report.arguments("support", __doc__, SETS, more=[("--time", times)])
    sets = arguments.sets
    replicates = 20 if arguments.quick else REPLICATES
    rows = []
    text = f"# Support by the bootstrap\n\nMade by `./scripts/benchmark support`: {sets} sets of each kind, {replicates} resamples. {__doc__}\n"
    labels = ["0"] + [f"{low:g} to {high:g}" for low, high in zip(BINS, BINS[1:])]
    for what, title in (("adjacent", "Pairs by the share of resamples that join them"), ("forward", "Directions by their share")):
        text += f"\n## {title}\n\nEach cell: true share (number of pairs).\n\n| effects, n | " + " | ".join(labels) + " |\n"
        text += "| --- " * (len(labels) + 1) + "|\n"
        for effects in EFFECTS:
            for n in ROWS:
                known = next((row for row in rows if row.get("effects") == effects and row.get("n") == n), None)
                if known is None:
                    tallies, seconds = calibrate(effects, n, sets, arguments.first_seed, replicates)
                    known = {"effects": effects, "n": n, "cpu_seconds": seconds}
                    known |= {key: tally.tolist() for key, tally in tallies.items()}
                    rows.append(known)
                    print(effects, n, f"{seconds:.2f} s", flush=True)
                cells = [f"{true / count:.2f} ({int(count)})" if count else "" for count, _, true in known[what]]
                text += f"| {effects}, {n} | " + " | ".join(cells) + " |\n"
    text += "\n## Warm starts\n\nMean absolute differences of shares that are neither 0 nor 1, and seconds of the processor.\n\n"
    text += "| data | warm and cold | two cold ones of other seeds | standard error of a share | warm, s | cold, s |\n"
    text += "| --- " * 6 + "|\n"
    for line in warm_and_cold(min(sets, WARM_SETS), arguments.first_seed, min(replicates, WARM_REPLICATES)):
        rows.append(line)
        text += (
            f"| {line['kind']} | {line['warm']:.4f} | {line['chance']:.4f} | {line['error']:.4f} | "
            f"{line['warm_seconds']:.2f} | {line['cold_seconds']:.2f} |\n"
        )
    if arguments.time:
        threads = os.environ.get("RAYON_NUM_THREADS", "all")
        text += f"\n## Times\n\n200 resamples, {threads} thread(s).\n\n"
        text += "| file | rows | columns | all, s | of that the bootstrap | processor, s |\n" + "| --- " * 6 + "|\n"
        for path in arguments.time:
            line = timed(path, 200)
            rows.append(line)
            text += (
                f"| {line['file']} | {line['rows']} | {line['columns']} | {line['seconds']:.2f} | {line['bootstrap']:.2f} | "
                f"{line['cpu']:.2f} |\n"
            )
    report.give("support", text, rows, arguments.out)


if __name__ == "__main__":
    main()
