"""Frozen answers: what calls with fixed noise and seeds have answered before, they answer again, to the last bit.

To freeze anew after a change that is meant, run ``FREEZE=1 pytest tests/test_frozen.py`` and say in the commit why. The answers hold on
every system: the library brings functions such as logarithms along, and what is computed here is sums, products and roots in a fixed order.
"""

import json
import math
import os
import pathlib

import numpy as np
import pytest

import plackett
from plackett.critics import Network, RelaxedObjective

PATH = pathlib.Path(__file__).parent / "frozen.json"
K, N = 5, 4
RNG = np.random.default_rng(0)
SCORES, U, V, TARGET = RNG.normal(size=K), RNG.random((N, K)), RNG.random((N, K)), RNG.normal(size=(K, K))


def value(order):
    return sum(int(item) * (rank + 1) * math.sqrt(rank + 1) for rank, item in enumerate(order))


def relaxed(matrix):
    apart = matrix - TARGET
    return sum(float(entry) * float(entry) for entry in apart.flat), 2 * apart


def gradient(estimator, critic=None, **noise):
    found = plackett.estimate(plackett.PlackettLuce(SCORES), value, estimator=estimator, critic=critic, **noise)
    return found.gradient.tolist()


def graph(method, score, **settings):
    sem = plackett.simulate_sem(6, degree=2, seed=1)
    found = plackett.learn_dag(sem.sample(200, seed=2), method=method, score=score, seed=1, **settings)
    return [found.score, np.asarray(found.adjacency).tolist()]


def best(method):
    found = plackett.minimize(value, K, method=method, max_evaluations=200, seed=1)
    return [found.order.tolist(), found.value]


LAW = plackett.PlackettLuce(SCORES)
CALLS = {
    "sample": lambda: LAW.sample(6, seed=3).tolist(),
    "perturb": lambda: LAW.perturb(U).tolist(),
    "conditional": lambda: LAW.conditional(np.tile(np.arange(K), (N, 1)), V).tolist(),
    "log_prob": lambda: LAW.log_prob(np.arange(K)),
    "neural_sort": lambda: plackett.neural_sort(SCORES, 0.5).tolist(),
    "sinkhorn": lambda: plackett.sinkhorn(TARGET, 20).tolist(),
    "reinforce": lambda: gradient("reinforce", baseline="none", u=U),
    "rebar": lambda: gradient("rebar", RelaxedObjective(relaxed, K), u=U, v=V),
    "relax": lambda: gradient("relax", Network(K, hidden=8, seed=1), u=U, v=V),
    "exact": lambda: np.round(gradient("exact"), 12).tolist(),  # exponentials of numpy are its own
    "learn exact bic": lambda: graph("exact", "bic"),
    "learn pl-relax l1": lambda: graph("pl-relax", "l1", steps=200),
    "learn pc": lambda: graph("pc", None),
    "minimize insertion": lambda: best("insertion"),
    "minimize pl-relax": lambda: best("pl-relax"),
    "minimize pl-reinforce": lambda: best("pl-reinforce"),
}


@pytest.mark.parametrize("name", CALLS)
def test_frozen(name):
    now = json.loads(json.dumps(CALLS[name]()))
    frozen = json.loads(PATH.read_text()) if PATH.exists() else {}
    if "FREEZE" in os.environ:
        frozen[name] = now
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in frozen.items())
        PATH.write_text("{\n" + lines + "\n}\n")
    assert now == frozen[name]
