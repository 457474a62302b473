"""What must not change the graph: units, the order of columns and of rows, batches, threads, rows written twice; and a column that has nothing to
do with the others."""

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plackett

SEM = plackett.simulate_sem(6, degree=2, seed=3)
NUMBERS = pd.DataFrame(SEM.sample(400, seed=1), columns=list("abcdef"))
# Effects that bend, and noise that is not normal: the scores of such data tell every direction.
_NOISE = np.random.default_rng(11).uniform(-1.0, 1.0, (400, 4))
BENT = pd.DataFrame(
    {
        "a": _NOISE[:, 0],
        "b": _NOISE[:, 0] ** 2 + 0.3 * _NOISE[:, 1],
        "c": _NOISE[:, 0] + 0.5 * _NOISE[:, 2],
    }
).assign(d=lambda frame: np.sin(2 * frame["c"]) + frame["b"] + 0.3 * _NOISE[:, 3])
NETWORK = plackett.load_network("asia")
DRAWN = NETWORK.sample(1500, seed=2)
CATEGORIES = pd.DataFrame({name: np.array(DRAWN.states[name])[DRAWN.codes[:, at]] for at, name in enumerate(DRAWN.names)})
MIXED = pd.concat([NUMBERS.iloc[:, :4], CATEGORIES.iloc[:400, 2:5]], axis=1)

# Scores of numbers that promise not to mind units, and the tests of PC. `ev-l0` and `l1` compare variances between columns, so they do.
OF_UNITS: list[tuple[pd.DataFrame, dict[str, Any]]] = [
    (NUMBERS, {"score": "bic"}),
    (NUMBERS, {"score": "bge"}),
    (NUMBERS, {"method": "pc"}),
    (BENT, {"score": "non-gaussian"}),
    (BENT, {"score": "additive"}),
]
ALL: list[tuple[pd.DataFrame, dict[str, Any]]] = [
    *OF_UNITS,
    (NUMBERS, {"score": "ev-l0"}),
    (CATEGORIES, {"score": "bdeu"}),
    (CATEGORIES, {"score": "qnml"}),
    (CATEGORIES, {"score": "bic", "kind": "discrete"}),
    (CATEGORIES, {"method": "pc"}),
    (MIXED, {"score": "cg"}),
    (MIXED, {"score": "dg"}),
]

# Without those that need the rows, which batches do not keep; and without numbers beside categories, which take no weights.
SUMMED_UP = [case for case in ALL if case[0] is not BENT]
WEIGHTED = [case for case in ALL if case[0] is not MIXED]


def known(data: Any, **setting: Any) -> Any:
    """All that is known of the graph: its class, edges with their ends in the order of the alphabet where they point either way."""
    found = plackett.learn_dag(data, seed=0, **setting)
    is_whole = setting.get("score") in ("ev-l0", "non-gaussian", "additive")
    directed = [(start, end) for start, end, *_ in found.edges] if is_whole else found.cpdag.directed
    either = () if is_whole else found.cpdag.undirected
    return sorted((edge[0], edge[1]) for edge in directed), sorted(tuple(sorted(edge)) for edge in either)


def named(cases: list[Any]) -> Any:
    return [str(case[1]) for case in cases]


@pytest.mark.parametrize(("data", "setting"), OF_UNITS, ids=named(OF_UNITS))
@given(units=st.lists(st.tuples(st.floats(-4, 4), st.floats(-50, 50), st.booleans()), min_size=6, max_size=6))
@settings(max_examples=8)
def test_units_do_not_matter(data: pd.DataFrame, setting: dict[str, Any], units: list[tuple[float, float, bool]]) -> None:
    changed = data.copy()
    for name, (exponent, shift, is_turned) in zip(changed, units, strict=False):
        scale = 10.0**exponent * (-1 if is_turned else 1)
        changed[name] = scale * (changed[name] + shift)
    assert known(changed, **setting) == known(data, **setting)


@pytest.mark.parametrize(("data", "setting"), ALL, ids=named(ALL))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=5)
def test_the_order_of_columns_and_of_rows_does_not_matter(data: pd.DataFrame, setting: dict[str, Any], seed: int) -> None:
    random = np.random.default_rng(seed)
    wanted = known(data, **setting)
    assert known(data[random.permutation(data.columns)], **setting) == wanted
    assert known(data.iloc[random.permutation(len(data))].reset_index(drop=True), **setting) == wanted


@pytest.mark.parametrize(("data", "setting"), SUMMED_UP, ids=named(SUMMED_UP))
def test_the_sizes_of_batches_do_not_matter(data: pd.DataFrame, setting: dict[str, Any]) -> None:
    wanted = known(data, **setting)
    for size in (7, 211):
        parts = (data.iloc[start : start + size] for start in range(0, len(data), size))
        kinds = {name: "numbers" if data[name].dtype.kind == "f" else "categories" for name in data}
        assert known(parts, kinds=kinds, **{key: value for key, value in setting.items() if key != "kind"}) == wanted, size


@pytest.mark.parametrize(("data", "setting"), WEIGHTED, ids=named(WEIGHTED))
def test_a_row_of_weight_two_is_two_rows_and_equal_weights_are_none(data: pd.DataFrame, setting: dict[str, Any]) -> None:
    twice = pd.concat([data, data], ignore_index=True)
    wanted = known(twice, **setting)
    assert known(data, weights=np.full(len(data), 2), **setting) == wanted
    if data is not CATEGORIES:
        assert known(twice, weights=np.full(len(twice), 0.5), **setting) == wanted


@pytest.mark.parametrize(("data", "setting"), OF_UNITS, ids=named(OF_UNITS))
def test_a_column_apart_stays_apart(data: pd.DataFrame, setting: dict[str, Any]) -> None:
    apart = data.assign(z=np.random.default_rng(7).normal(size=len(data)))
    fixed = {} if "method" in setting or setting["score"] == "bge" else {"penalty": 2.0}
    assert known(apart, **setting, **fixed) == known(data, **setting, **fixed)


SCRIPT = """
import json, plackett
numbers = plackett.simulate_sem(20, degree=3, seed=3).sample(300, seed=1)
categories = plackett.load_network("alarm").sample(500, seed=1)
def told(found):
    return [found.order, found.weights.tolist(), found.score]
print(json.dumps([
    told(plackett.learn_dag(numbers, seed=1)),
    told(plackett.learn_dag(numbers, seed=1, score="additive")),
    told(plackett.learn_dag(categories, seed=1)),
    told(plackett.learn_dag(categories, seed=1, method="pc")),
    plackett.PlackettLuce([0.0, 1.0, 2.0]).sample(5000, seed=1).tolist(),
    plackett.minimize(lambda order: float((order * range(12)).sum()), 12, max_evaluations=500, seed=1).order.tolist(),
]))
"""


def test_the_number_of_threads_does_not_matter() -> None:
    printed = set()
    for threads in (1, 2, 7):
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False, timeout=1800
        )
        assert done.returncode == 0, done.stderr
        printed.add(done.stdout)
    assert len(printed) == 1
    assert len(json.loads(printed.pop())) == 6
