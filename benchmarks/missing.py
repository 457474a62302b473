"""Missing values: `em` beside leaving rows out and beside complete data, on the same sets.

Of each set 5, 20 or 40 % of the values are taken away, completely at random (MCAR) or depending on what is observed (MAR, see
`with_gaps` in `benchmarks/simulators.py`). 20 columns, expected degree 3, n = 1000: numbers (a linear Gaussian model), mixed columns (a
latent Gaussian model, every second column cut into two to four levels) and categories (a discrete network). Compared by SHD-CPDAG;
where leaving rows out leaves fewer than two, or a column that no longer varies, the answer is the graph without edges.

Sets with seeds below 1000 are for choosing settings, those from 1000 on for the report.
"""

import statistics
import time

import report
from mixed import marks_of
from simulators import adjacency_f1, class_distance, conditional, latent, with_gaps

import plackett

NODES, ROWS, SETS = 20, 1000, 10
KINDS = {
    "numbers": lambda nodes, rows, seed: latent(nodes, rows, seed, is_category=lambda _: False),
    "mixed": latent,
    "categories": lambda nodes, rows, seed: conditional(nodes, rows, seed, is_category=lambda _: True),
}
SHARES, MECHANISMS = (0.05, 0.2, 0.4), ("mcar", "mar")
SETTINGS = {"numbers": {"standardize": True}, "mixed": {}, "categories": {}}


def learn(data, truth, **settings):
    start = time.process_time()
    try:
        learned = plackett.learn_dag(data, **settings)
        marks, rows = marks_of(learned, data.columns), learned.input["rows"]
        missing = learned.missing or {}
    except plackett.PlackettError:
        marks, rows, missing = truth & False, 0, {}
    return {
        "shd_cpdag": class_distance(truth, marks),
        "f1": adjacency_f1(truth, marks),
        "rows": missing.get("effective_rows", rows),
        "seconds": time.process_time() - start,
    }


def main():
    arguments = report.arguments("missing", __doc__, SETS, kinds=KINDS)
    sets = arguments.sets
    nodes, rows = (10, 500) if arguments.quick else (NODES, ROWS)
    lines = []
    for kind in arguments.kinds:
        settings = SETTINGS[kind]
        for mechanism in MECHANISMS:
            for share in SHARES:
                found = {"complete": [], "drop": [], "em": []}
                for seed in range(arguments.first_seed, arguments.first_seed + sets):
                    data, truth = KINDS[kind](nodes, rows, seed)
                    holes = with_gaps(data, share, mechanism, seed)
                    found["complete"].append(learn(data, truth, **settings))
                    for remedy in ("drop", "em"):
                        found[remedy].append(learn(holes, truth, missing=remedy, **settings))
                line = {"kind": kind, "mechanism": mechanism, "share": share, "sets": sets}
                for remedy, ones in found.items():
                    for key in ("shd_cpdag", "f1", "rows", "seconds"):
                        line[f"{remedy}_{key}"] = statistics.mean(one[key] for one in ones)
                lines.append(line)
                print(kind, mechanism, share, {key: round(value, 2) for key, value in line.items() if "shd" in key}, flush=True)
    text = f"# Missing values\n\nMade by `./scripts/benchmark missing`: {nodes} columns, {rows} rows, {sets} sets. {__doc__}\n"
    text += "| data | missing | SHD-CPDAG complete | drop | em | rows that drop keeps | effective rows of em | CPU s of em |\n"
    text += "| --- " * 8 + "|\n"
    for line in lines:
        text += (
            f"| {line['kind']} | {line['share']:.0%} {line['mechanism'].upper()} | {line['complete_shd_cpdag']:.1f} | "
            f"{line['drop_shd_cpdag']:.1f} | {line['em_shd_cpdag']:.1f} | {line['drop_rows']:.0f} | {line['em_rows']:.0f} | "
            f"{line['em_seconds']:.2f} |\n"
        )
    report.give("missing", text, lines, arguments.out)


if __name__ == "__main__":
    main()
