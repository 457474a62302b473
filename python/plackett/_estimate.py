"""Estimates of the gradient of an expectation over orders or categories in their scores."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plackett._arrays import Floats, Integers, Numbers, Seed, to_count, to_floats, to_seed
from plackett._distributions import Categorical, PlackettLuce
from plackett._draw import Baseline, check_values, draw_orders, mean_value, surrogate_gradient, to_law, to_weights, weighted_gradient
from plackett._objective import to_value, to_values
from plackett._plackett import PlackettError
from plackett._surrogate import Control, Surrogate
from plackett.critics import Critic, CriticLike, Network, OwnCritic, RelaxedObjective

Estimator: TypeAlias = Literal["reinforce", "surrogate", "rebar", "relax", "reparametrized", "exact"]

_ESTIMATORS = ("reinforce", "surrogate", "rebar", "relax", "reparametrized", "exact")

_MOST_ENTRIES = 200_000_000
"""More entries than this of all orders of a batch are not listed: they would take gigabytes."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """What :func:`plackett.estimate` finds."""

    gradient: Numbers
    """The estimate of the gradient of E f(b) in the scores, a mean over the samples; of the scores' shape."""
    value: Any
    """The estimate of E f(b) that goes with it, one for each distribution."""
    outcomes: NDArray[np.int64]
    """The orders, of shape (..., n, m), or categories, of shape (n,), that f was evaluated on; none for ``exact``."""
    values: Floats
    """The values of f on them."""
    critic_gradient: Floats
    """The gradient of the squared length of the estimate in the critic's parameters: step against it to cut the variance."""
    gradients: Numbers | None = None
    """With ``per_sample``, what each sample adds, of shape (..., n, k): the gradient is their mean."""


def estimate(
    scores: ArrayLike | PlackettLuce | Categorical,
    f: Callable[..., Any] | None,
    *,
    estimator: Estimator = "reinforce",
    critic: Critic | CriticLike | None = None,
    surrogate: Surrogate | Sequence[Surrogate] | None = None,
    baseline: Baseline | ArrayLike = "auto",
    n_samples: int = 1,
    top: int | None = None,
    mask: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
    u: ArrayLike | None = None,
    v: ArrayLike | None = None,
    seed: Seed = None,
    batch: bool = False,
    per_sample: bool = False,
) -> Estimate:
    """Estimates the gradient of E f(b) in the scores of the distribution of b, or of many distributions at once.

    Parameters
    ----------
    scores
        The scores of a Plackett-Luce distribution, of shape (k,), or of many, of shape (..., k); or distributions.
    f
        The function to be minimized in expectation. Of one distribution it takes an order, an array of k items (a category, a whole
        number), and returns a number; with ``batch`` it takes all of them, an array of shape (n, k) or (n,), and returns n
        numbers. Of many distributions it is called once, with the orders of all, of shape (B, n, m), and returns values of shape
        (B, n); if it takes a second argument, that is the number of the distribution, of shape (B, 1).
        ``"reparametrized"`` does without it.
    estimator
        ``"reinforce"``; ``"surrogate"``, REINFORCE on what a surrogate leaves unexplained plus the exact gradient of what it
        explains; ``"rebar"``, whose critic is a scaled :class:`plackett.critics.RelaxedObjective`; ``"relax"``, with
        any critic; ``"exact"``, by enumeration, for at most 10 items to order; all of these are unbiased.
        ``"reparametrized"`` is the gradient of the critic itself: low variance, but biased for f.
    critic
        The control variate, one of :mod:`plackett.critics` or of your own (:class:`plackett.critics.CriticLike`). RELAX has a fresh
        :class:`plackett.critics.Network` unless another is given; to train one, keep it and
        step its parameters against ``critic_gradient``.
    surrogate
        What ``"surrogate"`` predicts f with, and goes on learning from its values: a :class:`plackett.Surrogate`, or one for each
        distribution if f differs between them. Keep it between calls: a fresh one, as without it, knows nothing, and the
        estimate is REINFORCE's.
    baseline
        What REINFORCE subtracts from f: ``"leave_one_out"``, for each sample the mean of the others; ``"none"``; or numbers, one or one
        for each distribution. ``"auto"`` leaves one out, and subtracts nothing from a single sample: better give a mean of earlier
        values there.
    n_samples
        The number of samples of each distribution, unless noise is given.
    top
        Draw only so many ranks, where f reads no more: the gradient is then that of their probability, and has less variance.
    mask, lengths
        Which items are there, as for :class:`plackett.PlackettLuce`.
    u, v
        Uniform noise of shape (n, k) for the perturbed scores and for the conditional ones, instead of random noise. For one distribution.
    seed
        A number or a numpy generator for the noise; fresh noise without one.
    per_sample
        Whether to return what each sample adds, too; for ``"reinforce"`` and ``"surrogate"``.

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

    Many distributions at once, each with a relevance of its own for every item, and a function of the first three ranks:

    >>> relevance = np.random.default_rng(0).random((64, 10))
    >>> def loss(orders, row):  # (64, 16, 3) and (64, 1)
    ...     return -(relevance[row[..., None], orders] / np.log2(np.arange(2, 5))).sum(axis=-1)
    >>> found = plackett.estimate(np.zeros((64, 10)), loss, n_samples=16, top=3, seed=0)
    >>> found.gradient.shape, found.value.shape
    ((64, 10), (64,))
    """
    law = scores if isinstance(scores, Categorical) else to_law(scores, mask, lengths)
    _check_choice("estimator", estimator, _ESTIMATORS)
    if f is None and estimator != "reparametrized":
        raise PlackettError(f"{estimator} needs f")
    if f is not None and not callable(f):
        raise PlackettError(f"f is {f!r}: a function is needed")
    if not (isinstance(baseline, str) and baseline == "auto") and estimator != "reinforce":
        raise PlackettError(f"baseline is for reinforce, not for {estimator}")
    if critic is not None and estimator in ("reinforce", "surrogate", "exact"):
        raise PlackettError(f"{estimator} has no critic")
    if surrogate is not None and estimator != "surrogate":
        raise PlackettError(f"surrogate is for the estimator surrogate, not for {estimator}")
    takes_scores = estimator in ("reinforce", "surrogate")
    if per_sample and not takes_scores:
        raise PlackettError(f"per_sample is for reinforce and surrogate, not for {estimator}")
    if isinstance(law, Categorical):
        if top is not None or mask is not None or lengths is not None or per_sample:
            raise PlackettError("top, mask, lengths and per_sample are for orders, not for categories")
        if estimator == "surrogate":
            raise PlackettError("surrogates are for orders, not for categories")
        if estimator == "exact":
            return _exact(law, f, batch)
        return _sampled(law, f, estimator, critic, baseline, _noise(law, u, v, n_samples, seed), batch)
    evaluate = _Evaluation(f, law, batch)
    if estimator == "exact":
        is_plain = law.batch_shape == () and top in (None, law.n_items) and np.isfinite(law._given).all()
        return _exact(law, f, batch) if is_plain else _exact_batch(law, evaluate, top)
    if not takes_scores:
        if top not in (None, law.n_items):
            raise PlackettError(f"top is for reinforce, surrogate and exact: {estimator} needs whole orders")
        if law.batch_shape == ():
            return _sampled(law, f, estimator, critic, baseline, _noise(law, u, v, n_samples, seed), batch)
    if law.batch_shape != () and (u is not None or v is not None):
        raise PlackettError("noise u and v is for one distribution: give a seed")
    if not takes_scores:
        return _sampled_batch(law, evaluate, estimator, critic, to_count(n_samples, "n_samples", least=1), to_seed(seed))
    control = Control(surrogate, law, law._top(top)) if estimator == "surrogate" else None
    if u is None and v is None:
        orders = draw_orders(law, to_count(n_samples, "n_samples", least=1), top, to_seed(seed))
    else:
        ranks = law._top(top)
        noise = _noise(law, u, v, n_samples, seed)[0]
        orders = np.ascontiguousarray(law._law.outcomes(law._law.perturb(noise))[:, :ranks])
        orders.setflags(write=False)
    values = evaluate(orders)
    if control is None:
        weights = to_weights(values, baseline)
        gradient, value, known = weighted_gradient(law, orders, weights), mean_value(law, values), None
    else:
        gradient, value, weights, known = surrogate_gradient(control, orders, values)
    gradients = None
    if per_sample:
        ones = PlackettLuce(law._given[..., np.newaxis, :].astype(law._dtype))
        gradients = ones.grad_log_prob(orders) * (weights * weights.shape[-1]).astype(law._dtype)[..., np.newaxis]
        if known is not None:
            gradients += known[..., np.newaxis, :]
    return Estimate(gradient, value, orders, values, np.empty(0), gradients)


class _Evaluation:
    """f on orders of shape (..., n, m), as it wants to be called."""

    def __init__(self, f: Any, law: PlackettLuce, batch: bool) -> None:
        self.f, self.law, self.batch = f, law, batch

    def __call__(self, orders: Integers) -> Floats:
        shape = self.law.batch_shape
        if shape == ():
            return _values(self.f, orders, self.batch)
        if takes_two(self.f):
            row = np.arange(math.prod(shape)).reshape(*shape, 1)
            found = self.f(orders, row)
        else:
            found = self.f(orders)
        values = to_floats(found, "what f returned")
        if values.shape != orders.shape[:-1]:
            raise PlackettError(f"f returned values of shape {values.shape} for orders of shape {orders.shape}: {orders.shape[:-1]} is needed")
        check_values(values, orders)
        return values


def takes_two(f: Any) -> bool:
    """Whether a function must be given a second argument."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in positional and parameter.default is parameter.empty for parameter in parameters) >= 2


def all_orders(items: int, ranks: int) -> Integers:
    """All beginnings of orders, in lexicographic order."""
    count = math.perm(items, ranks)
    return np.fromiter(permutations(range(items), ranks), dtype=np.dtype((np.int64, ranks)), count=count)


def _exact_batch(law: PlackettLuce, evaluate: _Evaluation, top: int | None) -> Estimate:
    """E f(b) and its gradient over all beginnings of orders, which f gets in one call."""
    if np.isinf(law._given).any():
        raise PlackettError("an item is absent: exact needs all of them")
    ranks = law._top(top)
    rows, count = math.prod(law.batch_shape), math.perm(law.n_items, ranks)
    if rows * count * ranks > _MOST_ENTRIES:
        raise PlackettError(f"{law.n_items} items are too many for listing all orders of {rows} distributions")
    orders = np.broadcast_to(all_orders(law.n_items, ranks), (*law.batch_shape, count, ranks))
    values = evaluate(orders)
    probabilities = np.exp(PlackettLuce(law._given[..., np.newaxis, :]).log_prob(orders))
    value = (probabilities * values).sum(axis=-1)
    gradient = weighted_gradient(law, np.ascontiguousarray(orders), probabilities * (values - value[..., np.newaxis]))
    found = float(value) if law.batch_shape == () else law._typed(value)
    nothing = (*law.batch_shape, 0)
    return Estimate(gradient, found, np.empty((*nothing, ranks), dtype=np.int64), np.empty(nothing), np.empty(0))


def _sampled_batch(
    law: PlackettLuce, evaluate: _Evaluation, estimator: Estimator, critic: Critic | CriticLike | None, count: int, seed: int
) -> Estimate:
    """An estimator with a critic, which all distributions share."""
    checked = _check_critic(estimator, critic, law)
    method = "reparametrized" if estimator == "reparametrized" else "relax"
    laws = [PlackettLuce(row)._law for row in law._given.reshape(-1, law.n_items)]
    noises = [native.noise(count, seed, row) for row, native in enumerate(laws)]
    drawn = [native.outcomes(native.perturb(u)) for native, (u, _) in zip(laws, noises, strict=True)]
    orders = np.stack(drawn).reshape(*law.batch_shape, count, law.n_items)
    orders.setflags(write=False)
    values = np.zeros(orders.shape[:-1]) if estimator == "reparametrized" else evaluate(orders)
    found = [
        native.gradient(method, u, v, row, checked._native, checked.parameters)
        for native, (u, v), row in zip(laws, noises, values.reshape(-1, count), strict=True)
    ]
    gradients, means, critic_gradients = zip(*found, strict=True)
    gradient = law._typed(np.stack(gradients)).reshape(law._given.shape)
    value = law._typed(np.array(means)).reshape(law.batch_shape)
    return Estimate(gradient, value, orders, values, np.mean(critic_gradients, axis=0))


def _exact(law: PlackettLuce | Categorical, f: Callable[[Any], Any] | None, batch: bool) -> Estimate:
    gradient, value, critic_gradient = law._law.exact(lambda block: _values(f, _shaped(law, block), batch))
    outcomes = _shaped(law, np.empty((0, law.n_items), dtype=np.int64))
    return Estimate(gradient, value, outcomes, np.empty(0), critic_gradient)


def _sampled(
    law: PlackettLuce | Categorical,
    f: Callable[[Any], Any] | None,
    estimator: Estimator,
    critic: Critic | CriticLike | None,
    baseline: Baseline | ArrayLike,
    noise: tuple[Floats, Floats],
    batch: bool,
) -> Estimate:
    native, (u, v) = law._law, noise
    if estimator == "reinforce":
        if not isinstance(baseline, str):
            raise PlackettError("a baseline of numbers is for orders, not for categories")
        _check_choice("baseline", baseline, ("auto", "none", "leave_one_out"))
        leaves_out = baseline == "leave_one_out" or (baseline == "auto" and len(u) >= 2)
        method = "reinforce_leave_one_out" if leaves_out else "reinforce"
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


def _check_critic(estimator: str, critic: Critic | CriticLike | None, law: PlackettLuce | Categorical) -> Critic:
    """The critic, if it suits the estimator."""
    if critic is None and estimator == "relax":
        return Network(law.n_items)
    if not isinstance(critic, Critic):
        if not isinstance(critic, CriticLike):
            raise PlackettError(f"{estimator} needs critic=, one of plackett.critics or one of your own as plackett.critics.CriticLike says")
        critic = OwnCritic(critic)
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
