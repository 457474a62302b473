"""Gradients of an expectation over permutations: estimators beside the exact one, and a training loop. `gradients.rs` is the
same in Rust.

Run it with `python examples/gradients.py`, or cell by cell in an editor that knows `# %%`.
"""

# %% What is to become small on average: how far each item is from where it is wanted.
from typing import Any

import numpy as np

import plackett

ITEMS, REPETITIONS = 5, 2000
wanted = np.array([3, 1, 4, 0, 2])


def displacement(order: np.ndarray) -> float:
    return float(abs(order - wanted).sum())


# %% For so few items the gradient can be had exactly, by enumeration. All orders are equally likely at first.
scores = np.zeros(ITEMS)
exact = plackett.estimate(scores, displacement, estimator="exact")
print(f"E f = {exact.value:.2f}, gradient {exact.gradient.round(3).tolist()}")


# %% Estimates from two samples each: right on average, and how far off one by one.
def measure(name: str, **settings: Any) -> float:
    """Prints and returns the total variance of an estimator."""
    found = [
        plackett.estimate(scores, displacement, n_samples=2, seed=seed, **settings).gradient
        for seed in range(REPETITIONS)
    ]
    error, variance = abs(np.mean(found, axis=0) - exact.gradient).max(), np.var(found, axis=0).sum()
    print(f"{name}: the mean of {REPETITIONS} is off by {error:.2f}, the variance is {variance:.1f}")
    return float(variance)


plain = measure("REINFORCE", estimator="reinforce", baseline="none")
baseline = measure("REINFORCE, leave-one-out", estimator="reinforce", baseline="leave_one_out")

# %% RELAX subtracts a critic, here a small network that learns to predict the function. It is trained along with the scores.
critic = plackett.critics.Network(ITEMS)
for step in range(1000):
    estimate = plackett.estimate(scores, displacement, estimator="relax", critic=critic, n_samples=4, seed=step)
    critic.parameters -= 0.01 * estimate.critic_gradient
relax = measure("RELAX, its critic trained for 1,000 steps", estimator="relax", critic=critic)

# %% A training loop of your own: any optimizer can take the gradient.
for step in range(500):
    estimate = plackett.estimate(scores, displacement, estimator="relax", critic=critic, n_samples=4, seed=step)
    scores -= 0.1 * estimate.gradient
    critic.parameters -= 0.01 * estimate.critic_gradient
mode = plackett.PlackettLuce(scores).mode()
print(f"the most probable order is {mode.tolist()}, its value {displacement(mode):g}")

assert baseline < plain and relax < plain and displacement(mode) == 0
