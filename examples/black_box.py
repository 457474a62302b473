"""A black-box function of a permutation: find a good order, or follow its gradient.

Run it with `python examples/black_box.py`, or cell by cell in an editor that knows `# %%`.
"""

# %% The function: how long ten jobs take on five machines, each job on one machine after another, in the same order on all.
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import plackett

rng = np.random.default_rng(0)
durations = rng.integers(1, 20, size=(10, 5))


def makespan(order: np.ndarray) -> float:
    """When the last machine is done with the last job."""
    done = np.zeros(5)
    for job in order:
        for machine, duration in enumerate(durations[job]):
            start = max(done[machine], done[machine - 1] if machine > 0 else 0.0)
            done[machine] = start + duration
    return float(done[-1])


# %% A good order. Nothing but values is needed; Ctrl-C gives the best so far.
best = plackett.minimize(makespan, n_items=10, max_evaluations=3000)
print(f"best order {best.order.tolist()}: {best.value:g} after {best.evaluations} evaluations")

# %% The same by the paper's method, evaluated by four threads. Any executor will do: processes, or Dask's on a cluster.
with ThreadPoolExecutor(4) as executor:
    relaxed = plackett.minimize(makespan, 10, method="pl-relax+insertion", executor=executor, max_evaluations=3000)
print(f"by RELAX and insertion: {relaxed.value:g}")

# %% Or ask and tell: somebody else evaluates, and the run can be saved and resumed.
optimizer = plackett.Optimizer(10, method="pl-reinforce", before=[(0, 1)])  # job 0 must come before job 1
for _ in range(20):
    for proposal in optimizer.ask():
        optimizer.tell(proposal, makespan(proposal.order))
optimizer = plackett.Optimizer.from_json(optimizer.to_json())
assert optimizer.best is not None
print(f"with job 0 before job 1: {optimizer.best[1]:g} so far, {optimizer.status.steps} steps made")

# %% Gradients for a loop of your own. RELAX subtracts a critic, here a small network that learns to predict the function.
scores, critic = np.zeros(10), plackett.critics.Network(10)
center = float(np.mean([makespan(order) for order in plackett.PlackettLuce(scores).sample(100, seed=1)]))


def objective(order: np.ndarray) -> float:
    return (makespan(order) - center) / 10


for step in range(300):
    found = plackett.estimate(scores, objective, estimator="relax", critic=critic, n_samples=8, seed=step)
    scores -= 0.1 * found.gradient
    critic.parameters -= 0.001 * found.critic_gradient
law = plackett.PlackettLuce(scores)
print(f"the mode of the distribution takes {makespan(law.mode()):g}, a random order about {center:g}")

# %% The distribution itself: the chance that an order begins with the mode's first two jobs.
top = law.mode()[:2]
print(f"P(first two are {top.tolist()}) = {np.exp(law.log_prob(top)):.3f}")
share = (law.sample(10_000, seed=0, top=2) == top).all(axis=1).mean()
print(f"and among 10,000 samples: {share:.3f}")

assert best.value <= center and makespan(law.mode()) < center
