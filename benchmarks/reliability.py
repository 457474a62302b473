"""How far the probabilities of edges can be believed: of the pairs (i, j) that are given the probability p of i -> j, how many are edges?

Numbers: random linear Gaussian models of 10 and 20 nodes with an average degree of 3, weights of either sign from 0.5 to 2 (strong) or from
0.1 to 0.6 (weak), noise of standard deviation 0.7 to 1.4, n = 100, 200 and 1000, columns as they come. Categories: the networks
asia, sachs, child, insurance and alarm, n = 100, 500 and 2000. All pairs of a kind and size go into ten bins of p. The interval is that of
95 of 100 resamples of the data sets, which each bring many pairs that go together. A bin fails if it has at least 400 pairs and the share of edges is farther
than 0.1 from the mean of p.

Sets with seeds below 1000 are for choosing settings, those from 1000 on for the report.
"""

import argparse
import collections
import pathlib
import time
import warnings

import numpy as np
import report

import plackett

NODES, ROWS = (10, 20), (100, 200, 1000)
WEIGHTS = {"strong": (0.5, 2.0), "weak": (0.1, 0.6)}
DEGREE = 3
NETWORKS, NETWORK_ROWS = ("asia", "sachs", "child", "insurance", "alarm"), (100, 500, 2000)
BINS, LEAST_PAIRS, MOST_GAP = 10, 400, 0.1
LEAST_SHOWN = 50


def linear(nodes, rows, weights, seed):
    """Data of a random linear model, and its adjacency matrix."""
    rng = np.random.default_rng([seed, nodes, rows, round(10 * weights[0])])
    order = rng.permutation(nodes)
    later = np.tril(rng.random((nodes, nodes)) < DEGREE / (nodes - 1), -1)
    size = rng.uniform(*weights, (nodes, nodes)) * rng.choice([-1, 1], (nodes, nodes))
    matrix = np.zeros((nodes, nodes))
    matrix[np.ix_(order, order)] = (later * size).T
    data = rng.normal(size=(rows, nodes)) * rng.uniform(0.7, 1.4, nodes)
    for node in order:
        parents = np.flatnonzero(matrix[:, node])
        data[:, node] += data[:, parents] @ matrix[parents, node]
    return data, matrix != 0


def kinds(quick, wanted):
    """The kinds of data: a name, and what makes a set of a seed."""
    if wanted == "numbers":
        for nodes in NODES[:1] if quick else NODES:
            for rows in ROWS[:2] if quick else ROWS:
                for strength, weights in WEIGHTS.items():
                    yield f"{nodes} numbers, {strength}", rows, lambda seed, a=(nodes, rows, weights): linear(*a, seed)
    else:
        for name in NETWORKS[:2] if quick else NETWORKS:
            network = plackett.load_network(name)
            truth = np.asarray(network.graph.adjacency) != 0
            for rows in NETWORK_ROWS[:2] if quick else NETWORK_ROWS:
                yield name, rows, lambda seed, a=(network, rows, truth): (a[0].sample(a[1], seed=seed), a[2])


def curve(pairs, rng):
    """For each bin that has pairs: how many, the mean of p, the share of edges and its interval over resampled sets."""
    sets = len(pairs)
    counts, sums, hits = (np.zeros((sets, BINS)) for _ in range(3))
    for at, (probabilities, is_edge) in enumerate(pairs):
        bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
        for total, weights in ((counts, None), (sums, probabilities), (hits, is_edge)):
            total[at] = np.bincount(bins, weights, BINS)
    drawn = rng.integers(0, sets, (1000, sets))
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = hits[drawn].sum(1) / counts[drawn].sum(1)
    lines = []
    for bin in np.flatnonzero(counts.sum(0)):
        pairs, low_high = int(counts[:, bin].sum()), np.nanquantile(shares[:, bin], (0.025, 0.975))
        mean, share = sums[:, bin].sum() / pairs, hits[:, bin].sum() / pairs
        lines.append({"bin": int(bin), "pairs": pairs, "mean": mean, "share": share, "low": low_high[0], "high": low_high[1]})
    return lines


def is_failed(line):
    return line["pairs"] >= LEAST_PAIRS and abs(line["mean"] - line["share"]) > MOST_GAP


def table(lines):
    text = "| p | pairs | mean p | edges | interval |\n| --- | --- | --- | --- | --- |\n"
    for line in lines:
        mark = " **apart**" if is_failed(line) else "" if line["pairs"] >= LEAST_PAIRS else " (few pairs)"
        text += f"| {line['bin'] / BINS:.1f} to {(line['bin'] + 1) / BINS:.1f} | {line['pairs']} | {line['mean']:.3f} | "
        text += f"{line['share']:.3f}{mark} | {line['low']:.3f} to {line['high']:.3f} |\n"
    return text


def picture(curves):
    """The curves as an SVG picture: bins that are not nearly empty, with their intervals, and the diagonal."""
    size, edge, gap = 180, 34, 30
    parts = []
    for at, (title, lines) in enumerate(curves.items()):
        x0, y0 = edge + at * (size + gap), edge
        place = lambda p, share: (x0 + size * p, y0 + size * (1 - share))
        parts.append(f'<text x="{x0}" y="{y0 - 10}">{title}</text>')
        parts.append(f'<rect x="{x0}" y="{y0}" width="{size}" height="{size}" fill="none" stroke="#999"/>')
        parts.append(f'<line x1="{x0}" y1="{y0 + size}" x2="{x0 + size}" y2="{y0}" stroke="#bbb" stroke-dasharray="4"/>')
        for label in (0, 0.5, 1):
            x, y = place(label, label)
            parts.append(f'<text x="{x - 6:.0f}" y="{y0 + size + 14}">{label}</text><text x="{x0 - 22}" y="{y + 4:.0f}">{label}</text>')
        points = [line for line in lines if line["pairs"] >= LEAST_SHOWN]
        for line in points:
            (x, y), (_, low), (_, high) = (place(line["mean"], line[key]) for key in ("share", "low", "high"))
            parts.append(f'<line x1="{x:.1f}" y1="{low:.1f}" x2="{x:.1f}" y2="{high:.1f}" stroke="#1565c0"/>')
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#1565c0"/>')
    width, height = edge + len(curves) * (size + gap), size + 2 * edge
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">'
    return head + '<rect width="100%" height="100%" fill="white"/>' + "".join(parts) + "</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few small sets of each kind, in a minute")
    parser.add_argument("--sets", type=int)
    parser.add_argument("--data", default="numbers", choices=["numbers", "categories"])
    parser.add_argument("--score", default="auto")
    parser.add_argument("--ess", type=float)
    parser.add_argument("--first-seed", type=int, default=1000, help="development seeds are below 1000")
    parser.add_argument("--out", type=pathlib.Path, help="folder for reliability-numbers.md, .json and .svg, or reliability-categories")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    sets = arguments.sets or (3 if arguments.quick else 20)
    seeds = range(arguments.first_seed, arguments.first_seed + sets)
    rng = np.random.default_rng(0)
    groups, rows = collections.defaultdict(list), []
    for name, count, make in kinds(arguments.quick, arguments.data):
        pairs, r_hats, seconds = [], [], []
        for seed in seeds:
            data, truth = make(seed)
            settings = {} if arguments.ess is None or "numbers" in name else {"ess": arguments.ess}
            start = time.process_time()
            found = plackett.learn_dag(data, posterior=True, score=arguments.score, seed=seed, **settings)
            seconds.append(time.process_time() - start)
            others = ~np.eye(len(truth), dtype=bool)
            pairs.append((np.asarray(found.probabilities)[others], truth[others]))
            r_hats.append(found.convergence)
        agreed = sum(found["agrees"] for found in r_hats)
        row = {"data": name, "rows": count, "sets": sets, "agreed": agreed, "seconds": float(np.mean(seconds)), "curve": curve(pairs, rng)}
        print({key: row[key] for key in ("data", "rows", "agreed", "seconds")}, flush=True)
        rows.append(row)
        kind = name.split(", ")[1] + " numbers" if "numbers" in name else "categories"
        groups[f"{kind}, n = {count}"] += pairs
    name = f"reliability-{arguments.data}"
    curves = {title: curve(pairs, rng) for title, pairs in groups.items()}
    failed = [f"{title}, {line['bin'] / BINS:.1f}" for title, lines in curves.items() for line in lines if is_failed(line)]
    text = f"# Reliability of the probabilities of edges\n\nMade by `./scripts/benchmark reliability --data {arguments.data}`, {sets} sets of each kind and size, seeds from {arguments.first_seed} on. {__doc__}\n"
    text += f"Bins with at least {LEAST_PAIRS} pairs that are farther than {MOST_GAP} from the diagonal: {', '.join(failed) or 'none'}.\n"
    if arguments.out:
        text += f"\n![Share of edges against p]({name}.svg)\n"
    for title, lines in curves.items():
        text += f"\n## {title[0].upper()}{title[1:]}\n\n{table(lines)}"
    text += "\n## Each kind\n\nSets on which the chains agree, seconds of the processor, and the largest gap in a bin of at least 100 pairs.\n\n"
    text += "| data | n | agreed | seconds | largest gap |\n| --- | --- | --- | --- | --- |\n"
    for row in rows:
        gaps = [abs(line["mean"] - line["share"]) for line in row["curve"] if line["pairs"] >= 100]
        text += f"| {row['data']} | {row['rows']} | {row['agreed']} of {sets} | {row['seconds']:.2f} | {max(gaps, default=0):.3f} |\n"
    report.give(name, text, {"kinds": rows, "curves": curves}, arguments.out)
    if arguments.out:
        (arguments.out / f"{name}.svg").write_text(picture(curves))


if __name__ == "__main__":
    main()
