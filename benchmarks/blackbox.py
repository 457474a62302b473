"""`plackett.minimize` as it is, beside what else people would call, on four kinds of problems that it sees as black boxes.

Quadratic assignment (entries uniform in 0..98, symmetric, as Taillard's `a`), round trips (cities uniform in a square), linear ordering
(entries uniform in 1..99) and flow shops (ten machines, times uniform in 1..99, as Taillard's), of k = 10, 20, 50 and 100 items, with 200 to
20,000 evaluations. The gap is that of the best order found, in per cent of the best value known: the best of all runs here and of a search
that knows the problem (`plackett.problems`, one second). All rivals minimize the same function of the same instances, one instance for each seed.

`random` draws orders. `annealing` is twenty lines: a random insertion, exchange or reversal, a temperature that falls from one fifth of the
mean of the first twenty differences. `(1+1)` takes whatever is not worse, and a bandit chooses among the three moves. nevergrad's `NGOpt` and
Optuna's default sampler have no permutations: they search k numbers, whose ranks are the order. pymoo's genetic algorithm has order
crossover and inversion. These three take milliseconds per evaluation, so they have fewer seeds (two, one and one of each part) and smaller budgets; the
table says `-` where they were not tried. `insertion` is what `minimize` did before, on two seeds of each part.

The second table is with noise: the deviation of a value is three tenths of that between random orders, and what counts is the true value of the order
returned. `minimize(noise=True)` returns the order with the best mean, the gradient (`pl-reinforce`) its mode, the others the luckiest order.

With few evaluations there is a third table, with Bayesian optimization over permutations: no package of it installs, so it is a stand-in written here, a Gaussian
process with the Mallows kernel exp(-l * discordant pairs) whose l has the largest likelihood of four, expected improvement, climbed by insertions and exchanges from the
best orders so far and from random ones (after Deshwal, Belakaria, Doppa and Kim, 2022). Two seeds.

The last part is what the search itself costs for an evaluation at k = 50: `ask` and `tell` of the library, called from Python, and all of `minimize` with its loop in
Python.

Seeds below 1000 are for choosing settings, those from 1000 on for the report. In the committed tables all but pymoo, nevergrad, Optuna and the Bayesian stand-in
were measured with a release build of this version, in two parts of five seeds, on a busy machine. Those four were measured with an earlier version, on which they do not
depend, and are taken from its table (`--slow`): without standard errors, and with gaps to the best values that were known then.
"""

import json
import math
import pathlib
import statistics
import time

import numpy as np
import report

import plackett

SIZES = [10, 20, 50, 100]
BUDGETS = [200, 1_000, 5_000, 20_000]
KINDS = ["qap", "tsp", "lop", "pfsp"]
NOISE = 0.3


def problem(kind, k, seed):
    """A function to be minimized, and the problem behind it."""
    rng = np.random.default_rng([KINDS.index(kind), k, seed])
    if kind == "qap":
        a, b = (np.triu(rng.integers(0, 99, (k, k)), 1).astype(float) for _ in range(2))
        known = plackett.problems.qap(a + a.T, b + b.T)
    elif kind == "tsp":
        known = plackett.problems.tsp(rng.uniform(0, 1000, (k, 2)))
    elif kind == "lop":
        known = plackett.problems.linear_ordering(rng.integers(1, 100, (k, k)))
    else:
        known = plackett.problems.flow_shop(rng.integers(1, 100, (k, 10)))
    sign = -1.0 if known.is_maximizing else 1.0
    value = known._native.value  # without the checks that an order needs which somebody typed
    return (lambda order: sign * value(order)), known


class Counted:
    """A function that keeps the best order and its value, as whoever has no noise would."""

    def __init__(self, f):
        self.f, self.best, self.order = f, math.inf, None

    def __call__(self, order):
        order = np.ascontiguousarray(order, dtype=np.int64)
        value = self.f(order)
        if value < self.best:
            self.best, self.order = value, order.copy()
        return value


def moved(order, kind, rng):
    a, b = rng.integers(len(order)), rng.integers(len(order) - 1)
    b += b >= a
    order = order.copy()
    if kind == 0:
        item = order[a]
        if a < b:
            order[a:b] = order[a + 1 : b + 1]
        else:
            order[b + 1 : a + 1] = order[b:a]
        order[b] = item
    elif kind == 1:
        order[a], order[b] = order[b], order[a]
    else:
        a, b = min(a, b), max(a, b)
        order[a : b + 1] = order[a : b + 1][::-1].copy()
    return order


def random(f, k, budget, seed):
    rng = np.random.default_rng(seed)
    for _ in range(budget):
        f(rng.permutation(k))


def annealing(f, k, budget, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(k)
    value, first = f(order), []
    for step in range(1, budget):
        candidate = moved(order, rng.integers(3), rng)
        change = f(candidate) - value
        if len(first) < 20:
            first.append(abs(change))
            temperature = 0.0
        else:
            temperature = 0.2 * sum(first) / 20 * (1 - step / budget) ** 2
        if change <= 0 or (temperature > 0 and rng.random() < math.exp(-change / temperature)):
            order, value = candidate, value + change


def one_plus_one(f, k, budget, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(k)
    value, successes = f(order), np.full(3, 0.1)
    for _ in range(1, budget):
        kind = rng.choice(3, p=successes / successes.sum())
        candidate = moved(order, kind, rng)
        new = f(candidate)
        successes[kind] = max(0.98 * successes[kind] + 0.02 * (new < value), 0.01)
        if new <= value:
            order, value = candidate, new


def bayesian(f, k, budget, seed):
    rng = np.random.default_rng(seed)
    above = np.triu_indices(k, 1)
    pairs = len(above[0])

    def features(orders):
        """A sign for every pair, so that discordant pairs are (pairs - product) / 2."""
        ranks = np.argsort(orders, axis=1)
        return np.sign(ranks[:, above[1]] - ranks[:, above[0]]).astype(np.float32)

    def likelihood(kernel, y):
        lower = np.linalg.cholesky(kernel)
        weights = np.linalg.solve(lower, y)
        return -0.5 * weights @ weights - np.log(np.diag(lower)).sum()

    orders = [rng.permutation(k) for _ in range(10)]
    values = [f(order) for order in orders]
    rate = 4.0 / pairs
    while len(values) < budget:
        known, y = features(np.array(orders)), np.array(values)
        y = (y - y.mean()) / (y.std() + 1e-12)
        apart = (pairs - known @ known.T) / 2
        noise = 1e-4 * np.eye(len(y))
        if len(y) % 20 == 10:
            rate = max((scale / pairs for scale in (1.0, 2.0, 4.0, 8.0)), key=lambda rate: likelihood(np.exp(-rate * apart) + noise, y))
        inverse = np.linalg.inv(np.exp(-rate * apart) + noise)
        weights = inverse @ y

        def improvement(candidates):
            near = np.exp(-rate * (pairs - features(candidates) @ known.T) / 2)
            mean = near @ weights
            deviation = np.sqrt(np.maximum(1 - np.einsum("ij,jk,ik->i", near, inverse, near, optimize=True), 1e-9))
            z = (y.min() - mean) / deviation
            density = np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
            return deviation * (z * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3))) + density)

        best = (-1.0, None)
        starts = [orders[at] for at in np.argsort(y)[:3]] + [rng.permutation(k)]
        for start in starts:
            here, value = start, -1.0
            for _ in range(5):
                candidates = np.array([moved(here, rng.integers(3), rng) for _ in range(20)])
                gains = improvement(candidates)
                if gains.max() <= value:
                    break
                here, value = candidates[gains.argmax()], gains.max()
            if value > best[0]:
                best = (value, here)
        orders.append(best[1])
        values.append(f(best[1]))


def nevergrad(f, k, budget, seed):
    import nevergrad as ng

    space = ng.p.Array(shape=(k,))
    space.random_state.seed(seed)
    ng.optimizers.NGOpt(parametrization=space, budget=budget).minimize(lambda keys: f(np.argsort(keys)))


def pymoo(f, k, budget, seed):
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.core.problem import ElementwiseProblem
    from pymoo.operators.crossover.ox import OrderCrossover
    from pymoo.operators.mutation.inversion import InversionMutation
    from pymoo.operators.sampling.rnd import PermutationRandomSampling
    from pymoo.optimize import minimize

    class Wrapped(ElementwiseProblem):
        def __init__(self):
            super().__init__(n_var=k, n_obj=1, xl=0, xu=k - 1, vtype=int)

        def _evaluate(self, order, out, *args, **kwargs):
            out["F"] = f(order)

    algorithm = GA(
        pop_size=20, sampling=PermutationRandomSampling(), crossover=OrderCrossover(), mutation=InversionMutation()
    )
    minimize(Wrapped(), algorithm, ("n_eval", budget), seed=seed, verbose=False)


def optuna(f, k, budget, seed):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(lambda trial: f(np.argsort([trial.suggest_float(str(i), 0, 1) for i in range(k)])), n_trials=budget)


def ours(f, k, budget, seed):
    return plackett.minimize(f, k, max_evaluations=budget, seed=seed, progress=False).order


def ours_before(f, k, budget, seed):
    return plackett.minimize(f, k, method="insertion", max_evaluations=budget, seed=seed, progress=False).order


def ours_with_noise(f, k, budget, seed):
    return plackett.minimize(f, k, noise=True, max_evaluations=budget, seed=seed, progress=False).order


def gradient(f, k, budget, seed):
    run = plackett.minimize(f, k, method="pl-reinforce", max_evaluations=budget, seed=seed, progress=False)
    return run.optimizer.mode()


# With the seeds and the largest budget that each is tried on, and the largest k.
RIVALS = {
    "plackett": (ours, 10, 20_000, 100),
    "random": (random, 10, 20_000, 100),
    "annealing": (annealing, 10, 20_000, 100),
    "(1+1)": (one_plus_one, 10, 20_000, 100),
    "insertion": (ours_before, 2, 20_000, 100),
    "pymoo": (pymoo, 2, 5_000, 100),
    "nevergrad": (nevergrad, 1, 1_000, 100),
    "optuna": (optuna, 1, 200, 50),
}
NOISY = {
    "plackett": (ours_with_noise, 10),
    "gradient": (gradient, 10),
    "annealing": (annealing, 10),
    "(1+1)": (one_plus_one, 10),
    "random": (random, 10),
    "pymoo": (pymoo, 2),
    "nevergrad": (nevergrad, 1),
}
# What takes milliseconds for an evaluation.
SLOW = ["pymoo", "nevergrad", "optuna", "Bayesian"]
NOISY_SIZES, NOISY_BUDGETS, NOISY_LIMIT = [20, 50], [1_000, 5_000], {"nevergrad": 1_000}


# Where evaluations are few.
FEW = {
    "plackett": (ours, 10, 500, 50),
    "annealing": (annealing, 10, 500, 50),
    "(1+1)": (one_plus_one, 10, 500, 50),
    "Bayesian": (bayesian, 2, 500, 50),
}
FEW_SIZES, FEW_BUDGETS, FEW_SEEDS = [10, 20, 50], [100, 200], 2


def run(name, call, kind, k, budget, seed, noise):
    """The true value of what a rival returns, and the processor seconds that it took beside the evaluations."""
    f, _ = problem(kind, k, seed)
    deviation = 0.0
    if noise:
        rng = np.random.default_rng([seed, 7])
        deviation = noise * statistics.pstdev(f(rng.permutation(k)) for _ in range(200))
    rng = np.random.default_rng([seed, 9])
    counted = Counted(lambda order: f(order) + (deviation * rng.standard_normal() if noise else 0.0))
    start = time.process_time()
    returned = call(counted, k, budget, seed)
    seconds = time.process_time() - start
    return f(np.ascontiguousarray(counted.order if returned is None else returned)), seconds


def reference(kind, k, seed, seconds):
    f, known = problem(kind, k, seed)
    return f(known.solve(time_limit=seconds).order)


def measure(rivals, sizes, budgets, arguments, noise):
    rows = []
    for k in sizes:
        for kind in KINDS:
            for seed in range(arguments.first_seed, arguments.first_seed + arguments.sets):
                best = reference(kind, k, seed, 0.2 if arguments.quick else 1.0)
                found = []
                for name, (call, seeds, most, largest) in rivals.items():
                    for budget in budgets:
                        if seed < arguments.first_seed + seeds and budget <= most and k <= largest:
                            value, seconds = run(name, call, kind, k, budget, seed, noise)
                            found.append({"rival": name, "budget": budget, "value": value, "seconds": seconds})
                if not noise:
                    best = min([best, *(row["value"] for row in found)])
                for row in found:
                    row.update(k=k, kind=kind, seed=seed, best=best, noise=noise)
                    row["gap"] = 100 * (row["value"] - best) / abs(best)
                rows += found
            print(f"k = {k}, {kind}", flush=True)
    return rows


def table(rows, rivals, sizes, budgets):
    """Mean gaps over the four kinds, with the standard error over seeds; a cell of its own for every (k, budget)."""
    text = "| k | evaluations | " + " | ".join(rivals) + " |\n| --- | --- |" + " --- |" * len(rivals) + "\n"
    for k in sizes:
        for budget in budgets:
            cells = []
            for name in rivals:
                of = [row for row in rows if (row["rival"], row["k"], row["budget"]) == (name, k, budget)]
                if not of:
                    cells.append("-")
                    continue
                seeds = sorted({row["seed"] for row in of})
                means = [statistics.mean(row["gap"] for row in of if row["seed"] == seed) for seed in seeds]
                error = f" ± {statistics.stdev(means) / len(means) ** 0.5:.2f}" if len(means) > 1 else ""
                cells.append(f"{statistics.mean(means):.2f}{error}")
            text += f"| {k} | {budget:,} | " + " | ".join(cells) + " |\n"
    return text


def cells(rows):
    """The mean gap and seconds of every rival on every kind of problem, size and budget."""
    groups = {}
    for row in rows:
        groups.setdefault((row["noise"], row["k"], row["budget"], row["kind"], row["rival"]), []).append(row)
    return [
        {
            **dict(zip(("noise", "k", "evaluations", "kind", "rival"), key, strict=True)),
            "seeds": sum(row.get("seeds", 1) for row in of),
            "gap": round(statistics.mean(row["gap"] for row in of), 4),
            "seconds": round(statistics.mean(row["seconds"] for row in of), 4),
        }
        for key, of in groups.items()
    ]


def kept(path, names):
    """The cells of an earlier table for rivals that are not measured anew: without seeds, and with the best values known then."""
    found = [cell for cell in json.loads(path.read_text()) if cell["rival"] in names]
    return [{**cell, "budget": cell["evaluations"], "seed": None} for cell in found]


def by_kind(rows, rivals, k):
    text = "| evaluations | problem | " + " | ".join(rivals) + " |\n| --- | --- |" + " --- |" * len(rivals) + "\n"
    for budget in BUDGETS:
        for kind in KINDS:
            cells = []
            for name in rivals:
                of = [r["gap"] for r in rows if (r["rival"], r["k"], r["budget"], r["kind"]) == (name, k, budget, kind)]
                cells.append(f"{statistics.mean(of):.2f}" if of else "-")
            text += f"| {budget:,} | {kind} | " + " | ".join(cells) + " |\n"
    return text


def losses(found):
    """Every problem, size and budget, with noise or without, at which somebody has a smaller mean gap."""
    groups = {}
    for cell in found:
        groups.setdefault((cell["noise"], cell["k"], cell["evaluations"], cell["kind"]), {})[cell["rival"]] = cell["gap"]
    said = []
    for (noise, k, evaluations, kind), gaps in sorted(groups.items()):
        better = {name: gap for name, gap in gaps.items() if gap < gaps.get("plackett", -math.inf)}
        if better:
            names = ", ".join(f"{name} {gap:.2f}" for name, gap in sorted(better.items(), key=lambda entry: entry[1]))
            where = f"{kind} of {k} at {evaluations:,}{' with noise' if noise else ''}"
            said.append(f"- {where}: {names} against {gaps['plackett']:.2f}")
    return "\n".join(said) + "\n"


def overhead(k=50, evaluations=20_000):
    """Microseconds of the processor for an evaluation, without what f takes."""
    costs = np.random.default_rng(1000).normal(size=(k, k))
    ranks = np.arange(k)

    def f(order):
        return float(costs[ranks, order].sum())

    def seconds(call):
        start = time.process_time()
        call()
        return time.process_time() - start

    def ask_and_tell():
        native = plackett.Optimizer(k, max_evaluations=evaluations, seed=1000)._native
        for _ in range(evaluations):
            ids, orders = native.ask(1)
            native.tell(int(ids[0]), f(orders[0]))

    alone = seconds(lambda: [f(ranks) for _ in range(evaluations)])
    asked = seconds(ask_and_tell)
    whole = seconds(lambda: plackett.minimize(f, k, max_evaluations=evaluations, seed=1000, progress=False))
    return [1e6 * (time - alone) / evaluations for time in (asked, whole)]


COLORS = ["#0b5fa5", "#999999", "#d1495b", "#edae49", "#66a182", "#8d6a9f", "#2e4057", "#c08552"]


def picture(rows, rivals, sizes):
    """Mean gap over evaluations, both on logarithmic axes, a panel for every k."""
    width, height, left, top = 250, 230, 52, 40
    total = left + len(sizes) * (width + 40) + 120
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {height + top + 60}" font-family="sans-serif" font-size="12">',
        f'<rect width="{total}" height="{height + top + 60}" fill="white"/>',
    ]
    for panel, k in enumerate(sizes):
        x0 = left + panel * (width + 40)
        across = lambda budget: x0 + width * math.log(budget / 200) / math.log(100)
        gaps = {}
        for name in rivals:
            for budget in BUDGETS:
                of = [r["gap"] for r in rows if (r["rival"], r["k"], r["budget"]) == (name, k, budget)]
                if of:
                    gaps[name, budget] = max(statistics.mean(of), 0.01)
        if not gaps:
            continue
        low, high = math.log10(min(gaps.values())), math.log10(max(gaps.values()))
        low, high = math.floor(low), math.ceil(high)
        down = lambda gap: top + height * (high - math.log10(gap)) / max(high - low, 1)
        parts.append(f'<text x="{x0 + width / 2}" y="{top - 14}" text-anchor="middle">k = {k}</text>')
        for power in range(low, high + 1):
            y = down(10**power)
            parts.append(f'<line x1="{x0}" x2="{x0 + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
            parts.append(f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
        for budget in BUDGETS:
            parts.append(
                f'<text x="{across(budget):.1f}" y="{top + height + 18}" text-anchor="middle">{budget:,}</text>'
            )
        for color, name in zip(COLORS, rivals, strict=False):
            points = [(across(b), down(gaps[name, b])) for b in BUDGETS if (name, b) in gaps]
            if not points:
                continue
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            stroke = 3 if name == "plackett" else 1.5
            parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{stroke}"/>')
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in points]
    for at, (color, name) in enumerate(zip(COLORS, rivals, strict=False)):
        y = top + 10 + 20 * at
        parts.append(f'<line x1="{total - 118}" x2="{total - 98}" y1="{y}" y2="{y}" stroke="{color}" stroke-width="3"/>')
        parts.append(f'<text x="{total - 92}" y="{y + 4}">{name}</text>')
    parts.append(f'<text x="{left}" y="{top + height + 44}">evaluations; mean gap in per cent, both logarithmic</text></svg>')
    return "\n".join(parts)


def main():
    parts = {"nargs": "*", "type": pathlib.Path, "default": [], "help": "rows of parts measured elsewhere, to be put into the tables"}
    raw = {"type": pathlib.Path, "help": "a file for all runs, which --rows reads"}
    cells_of = {"type": pathlib.Path, "help": "blackbox.json of an earlier table, for the rivals that take long and do not depend on this build"}
    arguments = report.arguments("blackbox", __doc__, 10, more=[("--rows", parts), ("--raw", raw), ("--slow", cells_of)])
    sizes = [10, 20] if arguments.quick else SIZES
    budgets = [200, 1_000] if arguments.quick else BUDGETS
    earlier = [row for path in arguments.rows for row in json.loads(path.read_text())]
    if earlier:
        arguments.sets = 0
    if arguments.slow:
        earlier += kept(arguments.slow, SLOW)
    quick = lambda rivals: {name: settings for name, settings in rivals.items() if not arguments.slow or name not in SLOW}
    # Of several parts those seeds that the slow ones have too.
    earlier_few = [row for row in earlier if "table" in row and (row["seed"] or 0) < arguments.first_seed + FEW_SEEDS]
    earlier = [row for row in earlier if "table" not in row]
    rows = measure(quick(RIVALS), sizes, budgets, arguments, 0.0) + [row for row in earlier if not row["noise"]]
    noisy = {name: (call, seeds, NOISY_LIMIT.get(name, 5_000), 100) for name, (call, seeds) in NOISY.items()}
    noisy_sizes, noisy_budgets = ([20], [1_000]) if arguments.quick else (NOISY_SIZES, NOISY_BUDGETS)
    with_noise = measure(quick(noisy), noisy_sizes, noisy_budgets, arguments, NOISE) + [row for row in earlier if row["noise"]]
    text = f"# Black boxes\n\n{__doc__}\n\n"
    text += "## Mean gap over the four problems, per cent, ± standard error over seeds\n\n"
    text += table(rows, list(RIVALS), sizes, budgets)
    text += "\n![gap by evaluations](blackbox.svg)\n"
    for k in (50,) if 50 in sizes else ():
        text += f"\n## By problem, k = {k}\n\n" + by_kind(rows, list(RIVALS), k)
    text += "\n## With noise: the true value of what is returned\n\n" + table(with_noise, list(NOISY), noisy_sizes, noisy_budgets)
    text += "\n## Where somebody else has a smaller mean gap, by problem\n\n" + losses(cells(rows + with_noise))
    few_sizes, few_budgets = ([10], [100]) if arguments.quick else (FEW_SIZES, FEW_BUDGETS)
    arguments.sets = min(arguments.sets, FEW_SEEDS)
    few = [{**row, "table": "few evaluations"} for row in measure(quick(FEW), few_sizes, few_budgets, arguments, 0.0)] + earlier_few
    text += "\n## Few evaluations\n\n" + table(few, list(FEW), few_sizes, few_budgets)
    text += "\n## Microseconds for an evaluation, k = 50\n\n" + "| ask and tell | minimize |\n| --- | --- |\n"
    text += "| " + " | ".join(f"{time:.1f}" for time in overhead()) + " |\n"
    few_cells = [{**cell, "table": "few evaluations"} for cell in cells(few)]
    report.give("blackbox", text, cells(rows + with_noise) + few_cells, arguments.out)
    if arguments.raw:
        arguments.raw.write_text(json.dumps([row for row in rows + with_noise + few if row["seed"] is not None]))
    if arguments.out:
        (arguments.out / "blackbox.svg").write_text(picture(rows, list(RIVALS), sizes))


if __name__ == "__main__":
    main()
