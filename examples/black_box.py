"""A black-box function of a permutation: find a good order, with nothing but values. `black_box.rs` is the same in Rust.

Run it with `python examples/black_box.py`, or cell by cell in an editor that knows `# %%`.
"""

# %% The function: how long ten jobs take on five machines, each job on one machine after another, in the same order on all.
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import plackett

JOBS, MACHINES = 10, 5


def duration(job: int, machine: int) -> int:
    """How long a job takes on a machine; any numbers will do."""
    return 1 + (7 * job + 11 * machine * machine + 3 * job * machine) % 19


def makespan(order: np.ndarray) -> float:
    """When the last machine is done with the last job."""
    done = [0] * MACHINES
    for job in order:
        for machine in range(MACHINES):
            start = max(done[machine], done[machine - 1] if machine > 0 else 0)
            done[machine] = start + duration(int(job), machine)
    return float(done[-1])


first = makespan(np.arange(JOBS))
print(f"in the order in which they are listed: {first:g}")

# %% A good order, evaluated by several threads. Any executor will do: processes, or Dask's on a cluster.
with ThreadPoolExecutor(4) as executor:
    best = plackett.minimize(makespan, JOBS, max_evaluations=3000, executor=executor)
print(f"best order {best.order.tolist()}: {best.value:g} after {best.evaluations} evaluations")

# %% Ask and tell: somebody else evaluates. Job 0 must come before job 1, and the run can be saved and resumed.
optimizer = plackett.Optimizer(JOBS, method="pl-reinforce", before=[(0, 1)])
for _ in range(20):
    for proposal in optimizer.ask():
        optimizer.tell(proposal, makespan(proposal.order))
saved = optimizer.to_json()
resumed = plackett.Optimizer.from_json(saved)
assert resumed.best is not None
order, value = resumed.best
print(f"with job 0 before job 1: {value:g} after {resumed.status.told} evaluations")

# %% A value that was wanted all along can be a reason to stop.
quick = plackett.minimize(makespan, JOBS, target=first - 1)
print(f"a target: {first - 1:g}")
print(f"better than the list after {quick.evaluations} evaluations")

assert best.value < first and order.tolist().index(0) < order.tolist().index(1) and quick.value < first
