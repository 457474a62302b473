"""Background knowledge: what a correct tier order, forbidden and required edges do for the graph, and how a wrong statement shows.

20 columns, expected degree 3: numbers (a linear Gaussian model, standardized), mixed columns (a latent Gaussian model, every second column
cut into two to four levels) and categories (a discrete network). What is known is taken from the true graph: its order cut into three or
five tiers; a fifth of the ordered pairs without an edge, forbidden; a fifth of the edges, required. Compared by SHD against the true
graph, with the number of directions that are left open in the class.

The wrong statement says that two columns are apart which the true graph joins. It is given beside all the forbidden and required edges,
which are right; `dearest` says in how many sets it is the one that costs most.

Sets with seeds below 1000 were for trying things out (nothing was chosen on them), those from 1000 on are for the report.
"""

import statistics

import numpy as np
import report
from simulators import conditional, latent

import plackett

NODES, ROWS, SETS = 20, 500, 20
KINDS = {
    "numbers": lambda nodes, rows, seed: latent(nodes, rows, seed, is_category=lambda _: False),
    "mixed": latent,
    "categories": lambda nodes, rows, seed: conditional(nodes, rows, seed, is_category=lambda _: True),
}
SETTINGS = {"numbers": {"standardize": True}, "mixed": {}, "categories": {}}
SHARE = 0.2


def names_of(nodes):
    return [f"x{node}" for node in range(nodes)]


def tiers(truth, count):
    """The true order in so many groups of equal size."""
    names = names_of(len(truth))
    order = [names.index(name) for name in plackett.Graph(truth.astype(float), names).order]
    return [[names[node] for node in part] for part in np.array_split(order, count)]


def some(rng, pairs):
    chosen = rng.permutation(len(pairs))[: max(1, round(SHARE * len(pairs)))]
    return [tuple(f"x{node}" for node in pairs[at]) for at in chosen]


def statements(truth, seed):
    """Pairs without an edge, and edges."""
    rng = np.random.default_rng([seed, 2])
    missing = np.argwhere(~truth & ~np.eye(len(truth), dtype=bool))
    return some(rng, missing), some(rng, np.argwhere(truth))


def wrong(truth, required, seed):
    """A pair that is joined and is said not to be, none of those required."""
    rng = np.random.default_rng([seed, 3])
    edges = [tuple(f"x{node}" for node in edge) for edge in np.argwhere(truth)]
    edges = [edge for edge in edges if edge not in required] or edges
    return edges[rng.integers(len(edges))]


def learn(kind, data, truth, knowledge):
    found = plackett.learn_dag(data, knowledge=knowledge, **SETTINGS[kind])
    graph = plackett.Graph(truth.astype(float), list(data.columns))
    cost = found.knowledge
    return {
        "shd": plackett.metrics.shd(graph, found),
        "open": len(found.cpdag.undirected),
        "cost": 0.0 if cost is None or cost.cost is None else cost.cost,
        "evaluations": found.evaluations,
    }, cost


def main():
    arguments = report.arguments("knowledge", __doc__, SETS, kinds=KINDS)
    sets = arguments.sets
    nodes, rows = (10, 300) if arguments.quick else (NODES, ROWS)
    lines, slips = [], []
    for kind in arguments.kinds:
        found = {}
        seen = {"first": 0, "told": 0, "cost": []}
        for seed in range(arguments.first_seed, arguments.first_seed + sets):
            data, truth = KINDS[kind](nodes, rows, seed)
            forbidden, required = statements(truth, seed)
            known = {
                "nothing": None,
                "3 tiers": {"tiers": tiers(truth, 3)},
                "5 tiers": {"tiers": tiers(truth, 5)},
                "forbidden edges": {"forbidden": forbidden},
                "required edges": {"required": required},
                "all of it": {"tiers": tiers(truth, 5), "forbidden": forbidden, "required": required},
            }
            for name, knowledge in known.items():
                found.setdefault(name, []).append(learn(kind, data, truth, knowledge)[0])
            apart = wrong(truth, required, seed)
            told, cost = learn(kind, data, truth, {"forbidden": forbidden, "required": required, "apart": [apart]})
            said = f"{apart[0]} and {apart[1]} are apart"
            decisive = [one.statement for one in cost.decisive]
            seen["told"] += said in decisive
            seen["first"] += decisive[:1] == [said]
            own = [one.cost for one in cost.decisive if one.statement == said and one.cost is not None]
            seen["cost"].append(own[0] if own else 0.0)
            found.setdefault("one wrong", []).append(told)
        for name, ones in found.items():
            line = {"kind": kind, "known": name, "sets": sets}
            line |= {key: statistics.mean(one[key] for one in ones) for key in ("shd", "open", "cost", "evaluations")}
            lines.append(line)
            print(kind, name, {key: round(value, 2) for key, value in line.items() if isinstance(value, float)}, flush=True)
        slips.append(
            {"kind": kind, "sets": sets, "told": seen["told"], "dearest": seen["first"], "median_cost": statistics.median(seen["cost"])}
        )
    text = f"# Background knowledge\n\nMade by `./scripts/benchmark knowledge`: {nodes} columns, {rows} rows, {sets} sets. {__doc__}\n"
    text += "| data | known | SHD | directions open | what it cost the score | local scores |\n" + "| --- " * 6 + "|\n"
    for line in lines:
        text += (
            f"| {line['kind']} | {line['known']} | {line['shd']:.1f} | {line['open']:.1f} | {line['cost']:.1f} | "
            f"{line['evaluations']:,.0f} |\n"
        )
    text += "\n| data | sets | the wrong statement is told as decisive | it is the dearest | what it costs on its own (median) |\n"
    text += "| --- " * 5 + "|\n"
    for slip in slips:
        text += f"| {slip['kind']} | {slip['sets']} | {slip['told']} | {slip['dearest']} | {slip['median_cost']:.1f} |\n"
    report.give("knowledge", text, {"lines": lines, "wrong": slips}, arguments.out)


if __name__ == "__main__":
    main()
