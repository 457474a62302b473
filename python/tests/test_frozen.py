"""Frozen answers: what calls with fixed noise and seeds have answered before, they answer again, to the last bit.

To freeze anew after a change that is meant, run ``FREEZE=1 pytest tests/test_frozen.py`` and say in the commit why. The last
bit of a logarithm belongs to the maths library of the platform, so the answers hold where they were made.
"""

import json
import os
import pathlib
import platform
import sys

import numpy as np
import pytest

import plackett
from plackett.critics import Network, RelaxedObjective

PATH = pathlib.Path(__file__).parent / "frozen.json"
IS_HOME = sys.platform == "linux" and platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"
pytestmark = pytest.mark.skipif(not IS_HOME, reason="frozen digits are those of glibc on x86-64: other maths libraries round otherwise, and the tests of the formulas cover those")

K, N = 5, 4
RNG = np.random.default_rng(0)
SCORES, U, V, TARGET = RNG.normal(size=K), RNG.random((N, K)), RNG.random((N, K)), RNG.normal(size=(K, K))


def value(order):
    return float(order @ np.arange(1, K + 1) ** 1.5)


def relaxed(matrix):
    return ((matrix - TARGET) ** 2).sum(), 2 * (matrix - TARGET)


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
    "exact": lambda: gradient("exact"),
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
