"""Fitted models, effects and inference beside other libraries, on the same data in the same process, one thread each; time is the
processor's.

1. Coefficients, standard errors and residual variances beside statsmodels (OLS, and MNLogit for a category given numbers), and tables
   beside pgmpy's estimator with the same prior: the largest relative difference.
2. Coverage: of intervals of 90 %, how many have the truth, for numbers (random graphs of 8 nodes, expected degree 4, n = 100), for categories
   (asia, bronc on dysp, n = 1000), with open directions (the interval over the class, which may only cover more), and for two causes that are
   set together.
3. Effects beside DoWhy's linear regression with back-door adjustment, and how far both are from the truth; P(outcome | do(cause)) and
   P(outcome | do(two causes)) beside pgmpy's `CausalInference`.
4. Inference on alarm beside pgmpy's variable elimination: the largest difference, and the time of all marginals given evidence.

Sets with seeds below 1000 are for choosing settings, of which there are none here; those from 1000 on are reported.
"""

import itertools
import time

import numpy as np
import pandas as pd
import report

import plackett

SETS, LEVEL = 200, 0.9


def seconds(function):
    """What a call gives, and the processor's seconds that it took."""
    start = time.process_time()
    found = function()
    return found, time.process_time() - start


def total_effects(weights):
    """(I - W)^-1, whose entry (i, j) is the effect of i on j."""
    return np.linalg.inv(np.eye(len(weights)) - weights)


def coefficients(first, sets):
    """The largest relative difference to statsmodels."""
    import statsmodels.api as sm

    worst, ours, theirs = 0.0, 0.0, 0.0
    for seed in range(first, first + sets):
        model = plackett.simulate_sem(10, degree=2, noise=(0.5, 2.0), seed=seed)
        data = model.sample(500, seed=seed)
        fitted, took = seconds(lambda model=model, data=data: model.graph.fit(data))
        ours += took
        for node, name in enumerate(model.names):
            parents = np.flatnonzero(model.graph.weights[:, node])
            found, took = seconds(lambda data=data, node=node, parents=parents: sm.OLS(data[:, node], sm.add_constant(data[:, parents], has_constant="add")).fit())
            theirs += took
            rows = [row for row in fitted.coefficients if row["to"] == name]
            pairs = [([row["estimate"] for row in rows], found.params), ([row["error"] for row in rows], found.bse)]
            pairs.append(([rows[0]["variance"]], [found.scale]))
            for mine, other in pairs:
                worst = max(worst, np.max(np.abs(np.array(mine) - other) / (np.abs(other) + 1e-3)))
    return {"what": "coefficients, errors, variances: statsmodels OLS", "difference": worst, "seconds": ours, "their_seconds": theirs}


def logistic(first, sets):
    """The largest difference of a predicted probability to statsmodels' MNLogit."""
    import statsmodels.api as sm

    worst, ours, theirs = 0.0, 0.0, 0.0
    for seed in range(first, first + sets):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(800, 2))
        scores = np.column_stack([np.zeros(800), x @ [1.0, -0.5] + 0.3, x @ [-0.7, 0.9]]) + rng.gumbel(size=(800, 3))
        frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": np.array(["p", "q", "r"])[scores.argmax(axis=1)]})
        graph = plackett.Graph.from_edges([("a", "c"), ("b", "c")])
        fitted, took = seconds(lambda graph=graph, frame=frame: graph.fit(frame))
        ours += took
        design = sm.add_constant(x)
        found, took = seconds(lambda frame=frame, design=design: sm.MNLogit(pd.Categorical(frame["c"]).codes, design).fit(disp=0))
        theirs += took
        mine = fitted.predict_distribution(frame, "c")
        worst = max(worst, np.abs(np.column_stack([mine[state] for state in "pqr"]) - found.predict(design)).max())
    return {"what": "probabilities of a category given numbers: statsmodels MNLogit", "difference": worst, "seconds": ours, "their_seconds": theirs}


def tables(first, sets):
    """The largest difference of a probability to pgmpy's estimator with a BDeu prior."""
    from pgmpy.estimators import BayesianEstimator
    from pgmpy.models import DiscreteBayesianNetwork

    network = plackett.load_network("alarm")
    worst, ours, theirs = 0.0, 0.0, 0.0
    for seed in range(first, first + sets):
        frame = network.sample(2000, seed=seed).to_pandas()
        fitted, took = seconds(lambda frame=frame: network.graph.fit(frame, ess=10))
        ours += took

        def by_pgmpy(frame=frame):
            other = DiscreteBayesianNetwork(network.edges)
            states = {name: list(states) for name, states in network.states.items()}
            estimator = BayesianEstimator(other, frame.astype(str), state_names=states)
            return {name: estimator.estimate_cpd(name, prior_type="BDeu", equivalent_sample_size=10) for name in network.names}

        found, took = seconds(by_pgmpy)
        theirs += took
        for name, cpd in found.items():
            parents = [start for start, end in network.edges if end == name]
            axes = [cpd.variables.index(node) for node in [*parents, name]]
            worst = max(worst, np.abs(np.transpose(cpd.values, axes) - fitted.table(name)).max())
    return {"what": "tables of alarm: pgmpy BayesianEstimator", "difference": worst, "seconds": ours, "their_seconds": theirs}


def joint_effects(weights, causes, outcome):
    """The effect of each cause while the others are held: nothing leads to a cause any more."""
    cut = weights.copy()
    cut[:, causes] = 0
    return [total_effects(cut)[cause, outcome] for cause in causes]


def two_causes(model, seed):
    """Two nodes, and one that the first of them leads to."""
    pairs = [(a, b) for a in model.names for b in model.graph.descendants(a)]
    cause, outcome = (model.names.index(name) for name in pairs[seed * 7 % len(pairs)])
    others = [node for node in range(len(model.names)) if node not in (cause, outcome)]
    return [cause, others[seed % len(others)]], outcome


def coverage(first, sets):
    """How many intervals have the truth."""
    found = {"numbers": 0, "numbers, open directions": 0, "numbers, two causes": 0, "categories": 0, "categories, two causes": 0}
    asia = plackett.load_network("asia")
    truth = asia.query("dysp", do={"bronc": "yes"})["yes"] - asia.query("dysp", do={"bronc": "no"})["yes"]
    both = [asia.query("dysp", do={"smoke": state, "bronc": state})["yes"] for state in ("no", "yes")]
    for seed in range(first, first + sets):
        model = plackett.simulate_sem(8, degree=2, noise=(0.5, 2.0), seed=seed)
        effects = total_effects(model.graph.weights)
        pairs = [(a, b) for a in model.names for b in model.graph.descendants(a)]
        names = pairs[seed * 7 % len(pairs)]
        cause, outcome = (model.names.index(name) for name in names)
        data = model.sample(100, seed=seed)
        effect = model.graph.effect(*names, data, level=LEVEL)
        found["numbers"] += effect.low <= effects[cause, outcome] <= effect.high
        graph = plackett.Graph(model.graph.weights, model.names)
        places = {name: place for place, name in enumerate(model.names)}
        graph._open = tuple((places[a], places[b]) for a, b in graph.cpdag.undirected)
        effect = graph.effect(*names, data, level=LEVEL)
        found["numbers, open directions"] += effect.low <= effects[cause, outcome] <= effect.high
        causes, outcome = two_causes(model, seed)
        joint = model.graph.effect([model.names[cause] for cause in causes], model.names[outcome], data, level=LEVEL)
        found["numbers, two causes"] += joint.low <= sum(joint_effects(model.graph.weights, causes, outcome)) <= joint.high
        patients = asia.sample(1000, seed=seed)
        effect = asia.graph.effect("bronc", "dysp", patients, change=("no", "yes"), state="yes", level=LEVEL)
        found["categories"] += effect.low <= truth <= effect.high
        change = {"smoke": ("no", "yes"), "bronc": ("no", "yes")}
        joint = asia.graph.effect(["smoke", "bronc"], "dysp", patients, change=change, state="yes", level=LEVEL)
        found["categories, two causes"] += joint.low <= both[1] - both[0] <= joint.high
    return [{"what": what, "covering": int(count), "sets": sets} for what, count in found.items()]


def dowhy_effects(first, sets):
    """How far ours and DoWhy's estimate by linear regression are from the truth, and the largest difference to DoWhy's with its set."""
    from dowhy import CausalModel

    worst, ours, theirs, errors = 0.0, 0.0, 0.0, []
    for seed in range(first, first + sets):
        model = plackett.simulate_sem(6, degree=2, noise=(0.5, 2.0), seed=seed)
        frame = pd.DataFrame(model.sample(300, seed=seed), columns=model.names)
        pairs = [(a, b) for a in model.names for b in model.graph.descendants(a)]
        cause, outcome = pairs[seed * 7 % len(pairs)]
        effect, took = seconds(lambda g=model.graph, c=cause, o=outcome, f=frame: g.effect(c, o, f))
        ours += took

        def by_dowhy(model=model, frame=frame, cause=cause, outcome=outcome):
            other = CausalModel(frame, treatment=cause, outcome=outcome, graph=model.graph.to_gml())
            identified = other.identify_effect(proceed_when_unidentifiable=True)
            return identified, other.estimate_effect(identified, method_name="backdoor.linear_regression", effect_modifiers=[])

        (identified, estimate), took = seconds(by_dowhy)
        theirs += took
        # DoWhy has a set of its own: ours with the same set must be the same number.
        adjusted = identified.get_backdoor_variables()
        assert model.graph.is_adjustment_set(cause, outcome, adjusted), (cause, outcome, adjusted)
        design = np.column_stack([frame[[cause, *adjusted]].to_numpy(), np.ones(len(frame))])
        slope = np.linalg.lstsq(design, frame[outcome].to_numpy())[0][0]
        worst = max(worst, abs(slope - estimate.value))
        truth = total_effects(model.graph.weights)[model.names.index(cause), model.names.index(outcome)]
        errors.append((effect.effect - truth, estimate.value - truth))
    mine, other = np.sqrt(np.mean(np.square(errors), axis=0))
    what = f"effects: DoWhy linear regression with its own set (root mean square error to the truth: ours {mine:.3f}, DoWhy's {other:.3f})"
    return {"what": what, "difference": worst, "seconds": ours, "their_seconds": theirs, "rms": mine, "their_rms": other}


def pgmpy_effects(first, sets):
    """The largest difference of P(outcome | do(cause)) to pgmpy's, both on the network itself."""
    from pgmpy.inference import CausalInference

    del first, sets
    asia = plackett.load_network("asia")
    inference = CausalInference(asia.to_pgmpy())
    worst, ours, theirs = 0.0, 0.0, 0.0
    for cause in asia.names:
        for outcome in asia.graph.descendants(cause):
            for state in asia.states[cause]:
                mine, took = seconds(lambda o=outcome, c=cause, s=state: asia.query(o, do={c: s}))
                ours += took
                found, took = seconds(lambda o=outcome, c=cause, s=state: inference.query([o], do={c: s}, show_progress=False))
                theirs += took
                names = found.state_names[outcome]
                worst = max(worst, max(abs(mine[name] - value) for name, value in zip(names, found.values, strict=True)))
    return {"what": "P(outcome given do(cause)) on asia: pgmpy CausalInference", "difference": worst, "seconds": ours, "their_seconds": theirs}


def summed(network, outcome, do):
    """P(outcome | do) by the sum over all states of all nodes."""
    found = dict.fromkeys(network.states[outcome], 0.0)
    free = [name for name in network.names if name not in do]
    parents = {name: [start for start in network.names if (start, name) in network.edges] for name in free}
    for states in itertools.product(*(network.states[name] for name in free)):
        row = {**do, **dict(zip(free, states, strict=True))}
        place = {name: network.states[name].index(state) for name, state in row.items()}
        found[row[outcome]] += np.prod([network.table(name)[*(place[parent] for parent in parents[name]), place[name]] for name in free])
    return found


def pgmpy_two_causes(first, sets):
    """The largest difference of P(outcome | do(two causes)) to the sum over all states, ours and pgmpy's."""
    from pgmpy.inference import CausalInference

    del first, sets
    asia = plackett.load_network("asia")
    inference = CausalInference(asia.to_pgmpy())
    worst, other, ours, theirs = 0.0, 0.0, 0.0, 0.0
    for causes, outcome in ((("smoke", "bronc"), "dysp"), (("asia", "lung"), "xray"), (("smoke", "tub"), "either")):
        for states in itertools.product(("yes", "no"), repeat=2):
            do = dict(zip(causes, states, strict=True))
            truth = summed(asia, outcome, do)
            mine, took = seconds(lambda o=outcome, do=do: asia.query(o, do=do))
            ours += took
            found, took = seconds(lambda o=outcome, do=do: inference.query([o], do=do, show_progress=False))
            theirs += took
            worst = max(worst, max(abs(mine[state] - truth[state]) for state in truth))
            names = found.state_names[outcome]
            other = max(other, max(abs(truth[name] - value) for name, value in zip(names, found.values, strict=True)))
    what = f"P(outcome given do(two causes)) on asia: the sum over all states (pgmpy CausalInference differs from it by {other:.2g}; the times are its)"
    return {"what": what, "difference": worst, "seconds": ours, "their_seconds": theirs, "their_difference": other}


def inference(first, sets):
    """All marginals of alarm given evidence: the largest difference to pgmpy's variable elimination."""
    from pgmpy.inference import VariableElimination

    alarm = plackett.load_network("alarm")
    other = VariableElimination(alarm.to_pgmpy())
    worst, ours, theirs = 0.0, 0.0, 0.0
    for seed in range(first, first + sets):
        rng = np.random.default_rng(seed)
        row = alarm.sample(1, seed=seed).to_dict()
        given = {name: str(row[name][0]) for name in rng.choice(alarm.names, size=4, replace=False)}
        mine, took = seconds(lambda given=given: alarm.query(evidence=given))
        ours += took
        for name in alarm.names:
            if name in given:
                continue
            found, took = seconds(lambda name=name, given=given: other.query([name], evidence=given, show_progress=False))
            theirs += took
            names = found.state_names[name]
            worst = max(worst, max(abs(mine[name][state] - value) for state, value in zip(names, found.values, strict=True)))
    return {"what": "all marginals of alarm given four nodes: pgmpy VariableElimination", "difference": worst, "seconds": ours, "their_seconds": theirs}


def main():
    told = report.arguments("effects", __doc__, SETS)
    few = 1 if told.quick else 5
    first = told.first_seed
    rows = [
        coefficients(first, 4 * few),
        logistic(first, 4 * few),
        tables(first, few),
        dowhy_effects(first, 40 * few),
        pgmpy_effects(first, few),
        pgmpy_two_causes(first, few),
        inference(first, 2 * few),
    ]
    covered = coverage(first, told.sets)
    lines = ["| figure: rival | largest difference | ours, CPU s | theirs |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {row['what']} | {row['difference']:.2g} | {row['seconds']:.3f} | {row['their_seconds']:.3f} |" for row in rows]
    lines += ["", f"| intervals of {100 * LEVEL:.0f} % | have the truth | of |", "| --- | ---: | ---: |"]
    lines += [f"| {row['what']} | {row['covering']} | {row['sets']} |" for row in covered]
    report.give("effects", "\n".join(lines) + "\n", rows + covered, told.out)


if __name__ == "__main__":
    main()
