"""Noise of any shape and effects of any bend: our scores beside DirectLiNGAM and RESIT of the package `lingam` and NOTEARS-MLP of the
package `gcastle`, on the same sets.

Random graphs with an expected degree of 4. Linear models have weights ±U(0.5, 2) and noise of deviation U(0.5, 2) that is normal (the
control), uniform, Laplace, Student's t with three degrees of freedom, exponential or Gumbel. The other mechanisms have normal noise of deviation
U(0.6, 0.9), and effects of standardized parents that are drawn from a Gaussian process with a unit length scale, are quadratic
(±U(0.5, 1) for the line and for the square), or come from a network of one hidden layer of 100 sigmoids on all parents together, which
is not a sum over parents, scaled to a deviation of 1.5. n = 1000.

`auto` is `learn_dag` as it is; the named scores are asked for. RESIT regresses by random forests of 100 trees, at level 0.01, and is tried on the
bent mechanisms up to 10 columns, where one set takes it minutes; so is NOTEARS-MLP (one hidden layer of 10, both prices 0.01, weights below
0.3 left out, as its authors have it, on standardized columns). CAM is a package of R, which PyPI does not have. A method is given up after a limit of processor time on a set, and is then not
tried on the other sets of that kind. Compared by SHD against the true graph, a reversed edge counting one.

With `--pairs FOLDER`, cause-effect pairs (files `pairN.txt` of two columns, and `directions.csv` with pair, direction and weight): the
weighted share of right directions among those that are told, which is what `auto` and the named scores decide, and of all pairs if the
others are decided by a coin; with the interval of 95 of 100 resamples of the pairs.

Sets with seeds below 1000 are for choosing settings, those from 1000 on for the report.
"""

import csv
import pathlib
import signal
import statistics
import time

import numpy as np
import report

import plackett

DEGREE, ROWS = 4, 1000
NOISES = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "uniform": lambda rng, size: rng.uniform(-(3**0.5), 3**0.5, size),
    "Laplace": lambda rng, size: rng.laplace(size=size) / 2**0.5,
    "t3": lambda rng, size: rng.standard_t(3, size) / 3**0.5,
    "exponential": lambda rng, size: rng.exponential(size=size) - 1,
    "Gumbel": lambda rng, size: (rng.gumbel(size=size) - 0.5772156649) / (np.pi / 6**0.5),
}
BENT = ["Gaussian process", "quadratic", "network"]
SLOW, SLOW_COLUMNS = {"RESIT", "NOTEARS-MLP"}, 10
SCORES = ["auto", "bic", "non-gaussian", "additive"]


class Late(Exception):
    """The limit of processor time is passed."""


def random_graph(rng, nodes):
    order = rng.permutation(nodes)
    later = np.tril(rng.random((nodes, nodes)) < DEGREE / (nodes - 1), -1).T
    adjacency = np.zeros((nodes, nodes), dtype=bool)
    adjacency[np.ix_(order, order)] = later
    return adjacency, order


def unit(column):
    return (column - column.mean()) / column.std()


def effect(rng, mechanism, parents):
    """What the parents, columns of an array, do to a node."""
    parents = (parents - parents.mean(0)) / parents.std(0)
    if mechanism == "Gaussian process":
        # Random Fourier features.
        rates, phases = rng.standard_normal((parents.shape[1], 100)), rng.uniform(0, 2 * np.pi, (parents.shape[1], 100))
        sizes = rng.standard_normal((parents.shape[1], 100)) * (2 / 100) ** 0.5
        return np.einsum("njk,jk->n", np.cos(parents[:, :, None] * rates + phases), sizes)
    signs = lambda *shape: rng.choice([-1, 1], shape)
    if mechanism == "quadratic":
        width = parents.shape[1]
        lines, squares = rng.uniform(0.5, 1, width) * signs(width), rng.uniform(0.5, 1, width) * signs(width)
        return parents @ lines + (parents**2 - 1) @ squares
    inner = rng.uniform(0.5, 2, (parents.shape[1], 100)) * signs(parents.shape[1], 100)
    value = 1 / (1 + np.exp(-parents @ inner)) @ (rng.uniform(0.5, 2, 100) * signs(100))
    return 1.5 * unit(value)


def draw(kind, nodes, seed):
    rng = np.random.default_rng(seed)
    adjacency, order = random_graph(rng, nodes)
    values = np.zeros((ROWS, nodes))
    for node in order:
        parents = np.flatnonzero(adjacency[:, node])
        if kind in NOISES:
            weights = rng.uniform(0.5, 2, len(parents)) * rng.choice([-1, 1], len(parents))
            values[:, node] = values[:, parents] @ weights + rng.uniform(0.5, 2) * NOISES[kind](rng, ROWS)
        else:
            values[:, node] = rng.uniform(0.6, 0.9) * rng.standard_normal(ROWS)
            if len(parents):
                values[:, node] += effect(rng, kind, values[:, parents])
    return values, adjacency


def ours(score):
    def learn(values):
        found = plackett.learn_dag(values, score=score)
        return found.adjacency != 0, found.score_name

    return learn


def direct_lingam(values):
    import lingam

    return lingam.DirectLiNGAM().fit(values).adjacency_matrix_.T != 0, None


def resit(values):
    import lingam
    from sklearn.ensemble import RandomForestRegressor

    found = lingam.RESIT(RandomForestRegressor(100, max_depth=4, random_state=0), alpha=0.01).fit(values)
    return found.adjacency_matrix_.T != 0, None


def notears_mlp(values):
    import logging

    logging.disable(logging.INFO)
    import torch
    from castle.algorithms import NotearsNonlinear

    torch.set_num_threads(1)
    torch.manual_seed(0)
    method = NotearsNonlinear(lambda1=0.01, lambda2=0.01, hidden_layers=(10, 1), model_type="mlp")
    method.learn((values - values.mean(0)) / values.std(0))
    return np.asarray(method.causal_matrix) != 0, None


METHODS = {f"plackett {score}": ours(score) for score in SCORES} | {"DirectLiNGAM": direct_lingam, "RESIT": resit, "NOTEARS-MLP": notears_mlp}


def distance(truth, found):
    apart = (truth != found) | (truth != found).T
    return int(np.triu(apart).sum())


def late(*_):
    raise Late


def measured(method, values, limit):
    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, limit)
    start = time.process_time()
    try:
        found, chosen = method(values)
    except Late:
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return found, chosen, time.process_time() - start


def compare(arguments):
    rows = []
    for nodes in arguments.nodes:
        for kind in arguments.kinds:
            found = {name: [] for name in METHODS}
            given_up = set(SLOW) if kind in NOISES or nodes > SLOW_COLUMNS else set()
            for seed in range(arguments.first_seed, arguments.first_seed + arguments.sets):
                values, truth = draw(kind, nodes, seed)
                for name, method in METHODS.items():
                    if name in given_up:
                        continue
                    answer = measured(method, values, arguments.limit)
                    if answer is None:
                        given_up.add(name)
                        continue
                    graph, chosen, seconds = answer
                    found[name].append({"shd": distance(truth, graph), "seconds": seconds, "chosen": chosen})
            for name, answers in found.items():
                if not answers:
                    continue
                row = {"nodes": nodes, "kind": kind, "method": name, "sets": len(answers)}
                row["shd"] = statistics.mean(answer["shd"] for answer in answers)
                row["error"] = float(np.std([answer["shd"] for answer in answers]) / len(answers) ** 0.5)
                row["seconds"] = statistics.mean(answer["seconds"] for answer in answers)
                row["chosen"] = sorted({answer["chosen"] for answer in answers if answer["chosen"]})
                rows.append(row)
                print(f"{nodes} {kind} {name}: {row['shd']:.2f} ± {row['error']:.2f}, {row['seconds']:.2f} s", flush=True)
    return rows


def pairs(folder):
    """For each score, the weights of the pairs, and whether it has each right; None where it leaves the direction open."""
    with (folder / "directions.csv").open() as file:
        listed = list(csv.DictReader(file))
    rows = []
    for score in ("auto", "non-gaussian", "additive"):
        outcomes = []
        for pair in listed:
            values = np.loadtxt(folder / f"pair{pair['pair']}.txt", skiprows=1)
            found = plackett.learn_dag(values, score=score, kind="continuous")
            told = [(edge["from"], edge["to"]) for edge in found.edge_table if edge["direction"] != "open"]
            cause, effect = (0, 1) if pair["direction"] == "C1->C2" else (1, 0)
            right = told == [(found.names[cause], found.names[effect])] if told else None
            outcomes.append((float(pair["weight"]), right))
        rows.append({"score": score, "outcomes": outcomes})
    return rows


def shares(outcomes):
    """The weight of what is told, the share of it that is right, and the share of all if a coin decides the rest."""
    total = sum(weight for weight, _ in outcomes)
    told = sum(weight for weight, right in outcomes if right is not None)
    right = sum(weight for weight, is_right in outcomes if is_right)
    return told / total, right / told if told else float("nan"), (right + 0.5 * (total - told)) / total


def interval(outcomes):
    """Of the last of the shares, by resamples of the pairs."""
    rng = np.random.default_rng(0)
    drawn = [shares([outcomes[at] for at in rng.integers(len(outcomes), size=len(outcomes))])[2] for _ in range(2000)]
    return np.quantile(drawn, [0.025, 0.975])


def main():
    more = [
        ("--nodes", {"nargs": "*", "type": int, "help": "[default: 10 20 50, or 6 with --quick]"}),
        ("--limit", {"type": float, "default": 300, "help": "seconds of the processor for one method on one set"}),
        ("--pairs", {"type": pathlib.Path, "help": "folder of cause-effect pairs"}),
    ]
    arguments = report.arguments("mechanisms", __doc__, 10, kinds=[*NOISES, *BENT], more=more)
    arguments.nodes = arguments.nodes or ([6] if arguments.quick else [10, 20, 50])
    rows = compare(arguments)
    text = f"# Noise of any shape, effects of any bend\n\nMade by `./scripts/benchmark mechanisms`: {arguments.sets} sets of each kind, at most {arguments.limit:g} s for a method on one of them. {__doc__}\n"
    for nodes in arguments.nodes:
        text += f"\n## {nodes} columns\n\n| data | " + " | ".join(METHODS) + " | auto took |\n" + "| --- " * (len(METHODS) + 2) + "|\n"
        for kind in arguments.kinds:
            cells = {row["method"]: row for row in rows if (row["nodes"], row["kind"]) == (nodes, kind)}
            shown = [
                f"{cells[name]['shd']:.1f} ± {cells[name]['error']:.1f} ({cells[name]['seconds']:.2f} s)" if name in cells else ""
                for name in METHODS
            ]
            taken = ", ".join(cells["plackett auto"]["chosen"]) if "plackett auto" in cells else ""
            text += f"| {kind} | " + " | ".join(shown) + f" | {taken} |\n"
    if arguments.pairs:
        told = pairs(arguments.pairs)
        text += f"\n## {len(told[0]['outcomes'])} cause-effect pairs\n\nShares of the pairs' weights.\n\n"
        text += "| score | told | right of those told | right if a coin decides the others | interval |\n" + "| --- " * 5 + "|\n"
        for row in told:
            share, right, all_right = shares(row["outcomes"])
            low, high = interval(row["outcomes"])
            text += f"| {row['score']} | {share:.2f} | {right:.2f} | {all_right:.2f} | {low:.2f} to {high:.2f} |\n"
        rows = {"sets": rows, "pairs": told}
    report.give("mechanisms", text, rows, arguments.out)


if __name__ == "__main__":
    main()
