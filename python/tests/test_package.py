"""The package as a whole: what importing it costs, what it ships, and that every public thing explains itself."""

import inspect
import pickle
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import plackett

def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_imports_nothing_heavy():
    loaded = run("import sys, plackett; print(*sys.modules)").split()
    heavy = {"narwhals", "pandas", "polars", "networkx", "sklearn", "scipy", "distributed", "tqdm", "asyncio"}
    assert not heavy & set(loaded)


def test_errors_are_value_errors_of_the_package():
    assert issubclass(plackett.PlackettError, ValueError)
    assert plackett.PlackettError.__module__ == "plackett"


def test_versions_agree():
    assert plackett.__version__ == metadata.version("plackett")


def test_types_are_shipped():
    folder = Path(plackett.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_plackett.pyi").exists()


def test_everything_public_has_documentation_with_an_example():
    silent = []
    modules = [plackett, plackett.critics, plackett.metrics]
    things = {id(thing): (name, thing) for module in modules for name in module.__all__ for thing in [getattr(module, name)]}
    for name, thing in things.values():
        if inspect.ismodule(thing) or inspect.isclass(thing) and issubclass(thing, Exception | tuple):
            assert thing.__doc__, name
            continue
        is_result = name in ("Cpdag", "CriticLike", "Estimate", "Optimum")
        if not is_result and ">>>" not in (thing.__doc__ or ""):
            silent.append(name)
        for member, value in vars(thing).items() if inspect.isclass(thing) and not is_result else ():
            if member.startswith("_") or not isinstance(value, property | classmethod) and not inspect.isfunction(value):
                continue
            inherited = any(">>>" in (getattr(getattr(base, member, None), "__doc__", "") or "") for base in thing.__mro__)
            if not inherited:
                silent.append(f"{name}.{member}")
    assert silent == []


def halves(matrix):
    return matrix.sum() / 2, matrix * 0 + 0.5


@pytest.mark.parametrize(
    ("thing", "state"),
    [
        (plackett.PlackettLuce([0.3, 1.7, -2.0]), lambda thing: thing.scores),
        (plackett.Categorical([0.3, 1.7, -2.0]), lambda thing: thing.scores),
        (plackett.critics.Network(3, seed=4), lambda thing: thing.parameters),
        (plackett.critics.RelaxedObjective(halves, 3, scaled=False), lambda thing: thing([1.0, 2.0, 3.0])),
        (plackett.critics.Network(3, seed=1) + plackett.critics.Network(3, seed=2), lambda thing: thing.parameters),
        (plackett.simulate_sem(5, noise=(0.5, 1.5), seed=3), lambda thing: thing.sample(3, seed=0)),
        (plackett.load_network("child"), lambda thing: thing.sample(3, seed=0).codes),
        (plackett.learn_dag(plackett.simulate_sem(4).sample(100, seed=0)), lambda thing: thing.weights),
        (plackett.minimize(lambda order: order[0], 4, max_evaluations=9), lambda thing: thing.optimizer.to_json()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_things_can_be_sent_to_other_processes(thing, state):
    copy = pickle.loads(pickle.dumps(thing))
    assert type(copy) is type(thing)
    np.testing.assert_array_equal(state(copy), state(thing))


HUGE = 10**15


@pytest.mark.parametrize(
    "call",
    [
        lambda n: plackett.PlackettLuce([0.0] * 3).sample(n),
        lambda n: plackett.Categorical([0.0] * 3).sample(n),
        lambda n: plackett.estimate([0.0] * 3, lambda order: 0.0, n_samples=n),
        lambda n: plackett.critics.Network(n),
        lambda n: plackett.critics.Network(3, hidden=n),
        lambda n: plackett.critics.RelaxedObjective(halves, n),
        lambda n: plackett.sinkhorn([[0.0, 1.0], [1.0, 0.0]], n),
        lambda n: plackett.simulate_sem(n),
        lambda n: plackett.simulate_sem(3).sample(n),
        lambda n: plackett.load_network("asia").sample(n),
        lambda n: plackett.learn_dag(np.random.default_rng(0).normal(size=(30, 3)), bootstrap=n),
        lambda n: plackett.Optimizer(n),
        lambda n: plackett.Optimizer(3, method="pl-relax", hidden=n),
        lambda n: plackett.Optimizer(3, method="pl-relax", samples=n),
        lambda n: plackett.Optimizer(3, method="pl-relax").ask(n),
    ],
)
@pytest.mark.parametrize("n", [HUGE, 2**63, 2**64 - 1, 2**64, 10**30])
def test_sizes_beyond_all_memory_are_refused(call, n):
    with pytest.raises((MemoryError, plackett.PlackettError)):
        call(n)
