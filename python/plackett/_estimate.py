"""Estimates of the gradient of an expectation over orders or categories in their scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plackett._arrays import Floats, Integers, Seed, to_count, to_floats, to_seed
from plackett._distributions import Categorical, PlackettLuce
from plackett._objective import to_value, to_values
from plackett._plackett import PlackettError
from plackett.critics import Critic, Network, RelaxedObjective

Estimator: TypeAlias = Literal["reinforce", "rebar", "relax", "reparametrized", "exact"]
Baseline: TypeAlias = Literal["none", "leave_one_out"]

_ESTIMATORS = ("reinforce", "rebar", "relax", "reparametrized", "exact")
_BASELINES = ("none", "leave_one_out")


@dataclass(frozen=True, eq=False)
class Estimate:
    """What :func:`plackett.estimate` finds."""

    gradient: Floats
    """The estimate of the gradient of E f(b) in the scores, a mean over the samples."""
    value: float
    """The estimate of E f(b) that goes with it."""
    outcomes: NDArray[np.int64]
    """The orders, of shape (n, k), or categories, of shape (n,), that f was evaluated on; none for ``exact``."""
    values: Floats
    """The values of f on them."""
    critic_gradient: Floats
    """The gradient of the squared length of the estimate in the critic's parameters: step against it to cut the variance."""


def estimate(
    scores: ArrayLike | PlackettLuce | Categorical,
    f: Callable[[Any], Any] | None,
    *,
    estimator: Estimator = "reinforce",
    critic: Critic | None = None,
    baseline: Baseline = "none",
    n_samples: int = 1,
    u: ArrayLike | None = None,
    v: ArrayLike | None = None,
    seed: Seed = None,
    batch: bool = False,
) -> Estimate:
    """Estimates the gradient of E f(b) in the scores of the distribution of b.

    Parameters
    ----------
    scores
        The scores of a Plackett-Luce distribution, or a distribution.
    f
        The function to be minimized in expectation. It takes an order, an array of k items (a category, a whole number),
        and returns a number; with ``batch`` it takes all of them, an array of shape (n, k) or (n,), and returns n numbers.
        ``"reparametrized"`` does without it.
    estimator
        ``"reinforce"``; ``"rebar"``, whose critic is a scaled :class:`plackett.critics.RelaxedObjective`; ``"relax"``, with
        any critic; ``"exact"``, by enumeration, for at most 10 items to order; all of these are unbiased.
        ``"reparametrized"`` is the gradient of the critic itself: low variance, but biased for f.
    critic
        The control variate. RELAX has a fresh :class:`plackett.critics.Network` unless another is given; to train one, keep it and
        step its parameters against ``critic_gradient``.
    baseline
        What REINFORCE subtracts from f: nothing, or for each sample the mean of the others.
    n_samples
        The number of samples, unless noise is given.
    u, v
        Uniform noise of shape (n, k) for the perturbed scores and for the conditional ones, instead of random noise.
    seed
        A number or a numpy generator for the noise; fresh noise without one.

    Examples
    --------
    >>> import numpy as np, plackett
    >>> def displacement(order):
    ...     return abs(order - np.arange(len(order))).sum()
    >>> scores, critic = np.zeros(4), plackett.critics.Network(4)
    >>> found = plackett.estimate(scores, displacement, estimator="relax", critic=critic, n_samples=8, seed=0)
    >>> found.gradient.shape, found.values.shape
    ((4,), (8,))
    >>> exact = plackett.estimate(scores, displacement, estimator="exact")
    >>> exact.value
    5.0
    """
    law = scores if isinstance(scores, PlackettLuce | Categorical) else PlackettLuce(scores)
    _check_choice("estimator", estimator, _ESTIMATORS)
    _check_choice("baseline", baseline, _BASELINES)
    if f is None and estimator != "reparametrized":
        raise PlackettError(f"{estimator} needs f")
    if f is not None and not callable(f):
        raise PlackettError(f"f is {f!r}: a function is needed")
    if baseline != "none" and estimator != "reinforce":
        raise PlackettError(f"baseline is for reinforce, not for {estimator}")
    if critic is not None and estimator in ("reinforce", "exact"):
        raise PlackettError(f"{estimator} has no critic")
    if estimator == "exact":
        return _exact(law, f, batch)
    noise = _noise(law, u, v, n_samples, seed)
    return _sampled(law, f, estimator, critic, baseline, noise, batch)


def _exact(law: PlackettLuce | Categorical, f: Callable[[Any], Any] | None, batch: bool) -> Estimate:
    gradient, value, critic_gradient = law._law.exact(lambda block: _values(f, _shaped(law, block), batch))
    outcomes = _shaped(law, np.empty((0, law.n_items), dtype=np.int64))
    return Estimate(gradient, value, outcomes, np.empty(0), critic_gradient)


def _sampled(
    law: PlackettLuce | Categorical,
    f: Callable[[Any], Any] | None,
    estimator: Estimator,
    critic: Critic | None,
    baseline: Baseline,
    noise: tuple[Floats, Floats],
    batch: bool,
) -> Estimate:
    native, (u, v) = law._law, noise
    if estimator == "reinforce":
        method = "reinforce_leave_one_out" if baseline == "leave_one_out" else "reinforce"
        control: tuple[Any, ...] = ()
    else:
        method = "reparametrized" if estimator == "reparametrized" else "relax"
        checked = _check_critic(estimator, critic, law)
        control = (checked._native, checked.parameters)
    outcomes = _shaped(law, native.outcomes(native.perturb(u)))
    outcomes.setflags(write=False)
    values = np.zeros(len(u)) if estimator == "reparametrized" else _values(f, outcomes, batch)
    gradient, value, critic_gradient = native.gradient(method, u, v, values, *control)
    return Estimate(gradient, value, outcomes, values, critic_gradient)


def _check_choice(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise PlackettError(f"{what} is {value!r}: it must be one of {', '.join(known)}")


def _check_critic(estimator: str, critic: Critic | None, law: PlackettLuce | Categorical) -> Critic:
    """The critic, if it suits the estimator."""
    if critic is None and estimator == "relax":
        return Network(law.n_items)
    if not isinstance(critic, Critic):
        raise PlackettError(f"{estimator} needs critic=, one of plackett.critics")
    if critic.n_items != law.n_items:
        raise PlackettError(f"the critic is for {critic.n_items} items, and there are {law.n_items}")
    if estimator == "rebar" and not (isinstance(critic, RelaxedObjective) and critic.scaled):
        raise PlackettError("rebar's critic is a scaled RelaxedObjective; with any other it is called relax")
    return critic


def _shaped(law: PlackettLuce | Categorical, outcomes: Integers) -> Integers:
    """Outcomes as f takes them: a category is a number, not a list of one."""
    return outcomes[:, 0] if isinstance(law, Categorical) else outcomes


def _noise(
    law: PlackettLuce | Categorical, u: ArrayLike | None, v: ArrayLike | None, n_samples: int, seed: Seed
) -> tuple[Floats, Floats]:
    given = {name: to_floats(noise, name) for name, noise in (("u", u), ("v", v)) if noise is not None}
    for name, noise in given.items():
        if noise.ndim == 1:
            given[name] = noise = noise.reshape(1, -1)
        if noise.ndim != 2 or noise.shape[1] != law.n_items or len(noise) == 0:
            raise PlackettError(f"{name} has the shape {noise.shape}: rows of {law.n_items} numbers are needed")
    counts = {len(noise) for noise in given.values()}
    if len(counts) > 1:
        raise PlackettError(f"u has {len(given['u'])} rows and v has {len(given['v'])}: they must have as many")
    count = counts.pop() if counts else to_count(n_samples, "n_samples", least=1)
    if len(given) == 2:
        return given["u"], given["v"]
    random_u, random_v = law._law.noise(count, to_seed(seed))
    return given.get("u", random_u), given.get("v", random_v)


def _values(f: Any, outcomes: Integers, batch: bool) -> Floats:
    if batch:
        return to_values(f(outcomes), outcomes)
    return np.array([to_value(f(outcome), outcome) for outcome in outcomes], dtype=np.float64)
