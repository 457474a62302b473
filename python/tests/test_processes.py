"""What happens around the process: forks, and many calls."""

import os
import subprocess
import sys
import textwrap

import pytest


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork, and nothing can hang there for it")


def run(script: str) -> str:
    """What a script prints. The limit is for one that would never end: on the busiest machine it is far away."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_fork
def test_a_forked_child_computes_what_its_parent_did() -> None:
    printed = run("""
        import os, sys
        import numpy as np
        import plackett

        def work():
            law = plackett.PlackettLuce(np.arange(5.0))
            batch = plackett.PlackettLuce(np.arange(4000.0).reshape(400, 10) % 7)
            network = plackett.load_network("asia")
            data = network.sample(3000, seed=1)
            return [
                law.sample(5000, seed=1).sum(axis=0).tolist(),
                float(law.log_prob(law.sample(5000, seed=2)).sum()),
                batch.sample(200, seed=3).sum(axis=(0, 1)).tolist(),
                plackett.learn_dag(data, seed=0).weights.tolist(),
                plackett.learn_dag(plackett.simulate_sem(8, degree=2, seed=1).sample(500, seed=0), seed=0).weights.tolist(),
                plackett.minimize(lambda order: float(order[0]), 6, max_evaluations=100, seed=0).value,
            ]

        first = work()
        child = os.fork()
        if child == 0:
            # And a child of the child.
            grandchild = os.fork()
            same = work() == first
            if grandchild == 0:
                os._exit(0 if same else 3)
            os._exit(0 if same and os.waitpid(grandchild, 0)[1] == 0 else 3)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), work() == first)
    """)
    assert printed.split() == ["0", "True"]


@needs_fork
def test_a_pool_of_forked_processes_works_after_a_parallel_call() -> None:
    printed = run("""
        import multiprocessing
        import plackett

        def best(seed):
            return plackett.PlackettLuce([0.0, 1.0, 2.0]).sample(3000, seed=seed)[:, 0].sum()

        here = [best(seed) for seed in range(4)]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(best, range(4)) == here)
    """)
    assert printed.split() == ["True"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a process's size is read from /proc, which Linux alone has; what leaks does so everywhere")
def test_calls_leave_nothing_behind() -> None:
    printed = run("""
        import gc
        import numpy as np
        import plackett

        law = plackett.PlackettLuce([0.0, 1.0, 2.0])
        batch = plackett.PlackettLuce(np.zeros((4, 3)))
        optimizer = plackett.Optimizer(6, seed=0)
        order = law.mode()
        matrix = np.triu(np.ones((5, 5)), 1)

        def refused():
            try:
                law.log_prob([0, 0, 1])
            except plackett.PlackettError:
                pass

        calls = [
            lambda: law.log_prob(order),
            lambda: law.sample(3, seed=1),
            lambda: law.grad_log_prob(order),
            lambda: batch.sample(2, seed=1),
            lambda: plackett.PlackettLuce([0.0, 1.0]),
            lambda: plackett.neural_sort([1.0, 2.0], 0.5),
            lambda: plackett.metrics.shd(matrix, matrix, edge_direction="row_to_column"),
            lambda: plackett.Graph(matrix),
            refused,
        ]

        def resident():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        for call in calls:
            for _ in range(2000):
                call()
        for call in calls:
            before = resident()
            for _ in range(100_000):
                call()
            # Ten bytes a call would be a megabyte; the allocator keeps some.
            print(resident() - before < 1_500_000)
    """)
    assert set(printed.split()) == {"True"}, printed
