"""Expectations over orders for PyTorch: differentiable in the scores, and in whatever the function itself depends on.

Needs PyTorch, which is not among the package's dependencies. Tensors on the processor share their memory with the native code (scores of
float32 are widened there, B times k numbers); those on another device go there and back once a call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from torch.distributions import Distribution, constraints

import plackett
from plackett._distributions import PlackettLuce as _Law
from plackett._draw import Baseline
from plackett._estimate import Estimator, all_orders, takes_two
from plackett._plackett import PlackettError
from plackett._surrogate import Surrogate
from plackett.critics import Critic, CriticLike

__all__ = ["PlackettLuce", "expectation"]

Seed: TypeAlias = int | torch.Generator | None


def expectation(
    theta: torch.Tensor,
    f: Callable[..., torch.Tensor],
    *,
    n_samples: int = 16,
    top: int | None = None,
    mask: Any = None,
    lengths: Any = None,
    estimator: Estimator = "reinforce",
    critic: Critic | CriticLike | None = None,
    surrogate: Surrogate | Sequence[Surrogate] | None = None,
    baseline: Baseline | torch.Tensor | float = "auto",
    seed: Seed = None,
) -> torch.Tensor:
    """E f(b) for orders b of Plackett-Luce distributions with scores theta, estimated from samples: a tensor of shape (B,) from one of
    shape (B, k).

    Its gradient in theta is that of :func:`plackett.estimate`, unbiased, and goes on to whatever made theta. If f's values have a
    gradient in other parameters, those receive it, too. It can be differentiated once.

    Parameters
    ----------
    theta
        Scores of shape (B, k), float32 or float64, on any device; or of shape (k,), or of more dimensions.
    f
        Takes orders, an int64 tensor of shape (B, n, m) on the device of theta, and returns values of shape (B, n). If it takes a second
        argument, that is the number of the row, of shape (B, 1). It may be a black box: no gradient is needed.
    n_samples, top, mask, lengths, estimator, critic, surrogate, baseline
        As for :func:`plackett.estimate`.
    seed
        A number or a generator of PyTorch; without one, PyTorch's own, so that ``torch.manual_seed`` makes it repeatable.

    Examples
    --------
    >>> import torch, plackett.torch
    >>> theta = torch.zeros(8, 5, requires_grad=True)
    >>> loss = plackett.torch.expectation(theta, lambda orders: orders[..., 0].float(), n_samples=64, top=1, seed=0)
    >>> loss.shape
    torch.Size([8])
    >>> loss.sum().backward()
    >>> bool((theta.grad[:, 0] < 0).all() and (theta.grad[:, 4] > 0).all())
    True
    """
    scores = _to_numpy(theta, "theta")
    seen: list[torch.Tensor] = []

    def evaluate(orders: Any, row: Any) -> Any:
        argument = _to_tensor(orders, theta.device)
        values = f(argument, torch.from_numpy(row).to(theta.device)) if takes_two(f) else f(argument)
        if not isinstance(values, torch.Tensor):
            raise PlackettError(f"f returned {type(values).__name__}: a tensor is needed")
        seen.append(values)
        return values.detach().cpu().double().numpy()

    is_single = theta.ndim == 1
    found = plackett.estimate(
        scores,
        (lambda orders: evaluate(orders, np.zeros(1, dtype=np.int64))) if is_single else evaluate,
        estimator=estimator,
        critic=critic,
        surrogate=surrogate,
        baseline=baseline.detach().cpu().numpy() if isinstance(baseline, torch.Tensor) else baseline,
        n_samples=n_samples,
        top=top,
        mask=_maybe_numpy(mask),
        lengths=_maybe_numpy(lengths),
        seed=_to_seed(seed),
        batch=True,
    )
    gradient = torch.from_numpy(found.gradient).to(theta.device)
    value = torch.as_tensor(found.value, dtype=theta.dtype, device=theta.device)
    if not seen:
        return _Expectation.apply(theta, gradient, value)
    if estimator == "exact":
        values = torch.cat(seen, dim=-1)
        weights = torch.from_numpy(_probabilities(scores, values.shape, top)).to(values)
        mean = (weights * values).sum(-1)
    else:
        mean = seen[0].mean(-1)
    return _Expectation.apply(theta, gradient, value) + (mean - mean.detach()).to(theta.dtype)


class _Expectation(torch.autograd.Function):
    """A value whose gradient in the scores is known."""

    @staticmethod
    def forward(ctx: Any, theta: torch.Tensor, gradient: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(gradient)
        return value.clone()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, out: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return gradient * out.unsqueeze(-1), None, None


class PlackettLuce(Distribution):
    """Plackett-Luce distributions over orders as ``torch.distributions`` has them.

    Parameters
    ----------
    scores
        Scores of shape (..., k), any finite numbers; -inf for an item that is absent.
    mask, lengths
        Which items are there, as for :class:`plackett.PlackettLuce`.

    Examples
    --------
    >>> import torch, plackett.torch
    >>> scores = torch.zeros(3, 4, requires_grad=True)
    >>> law = plackett.torch.PlackettLuce(scores)
    >>> orders = law.sample((10,))
    >>> orders.shape, law.log_prob(orders).shape
    (torch.Size([10, 3, 4]), torch.Size([10, 3]))
    >>> law.log_prob(orders).sum().backward()
    >>> scores.grad.shape
    torch.Size([3, 4])
    """

    arg_constraints = {"scores": constraints.independent(constraints.real, 1)}
    support = constraints.independent(constraints.nonnegative_integer, 1)
    has_rsample = False

    def __init__(self, scores: torch.Tensor, mask: Any = None, lengths: Any = None, validate_args: bool | None = None) -> None:
        self.scores = scores
        self._law = _Law(_to_numpy(scores, "scores"), _maybe_numpy(mask), _maybe_numpy(lengths))
        super().__init__(scores.shape[:-1], scores.shape[-1:], validate_args=False)

    def sample(self, sample_shape: Any = (), *, top: int | None = None, seed: Seed = None) -> torch.Tensor:
        """Orders of shape (sample_shape, ..., k), or only their first ``top`` ranks."""
        drawn = self._law.sample(tuple(sample_shape), top=top, seed=_to_seed(seed))
        return torch.from_numpy(drawn).to(self.scores.device)

    def log_prob(self, value: torch.Tensor) -> torch.Tensor:
        """The log-probability of orders or of their beginnings, differentiable in the scores."""
        found: torch.Tensor = _LogProb.apply(self.scores, value, self._law)
        return found

    @property
    def mode(self) -> torch.Tensor:
        """The most probable orders."""
        return torch.from_numpy(self._law.mode()).to(self.scores.device)

    def entropy(self) -> torch.Tensor:
        """The entropy in nats, for at most 20 items; without a gradient."""
        return torch.as_tensor(self._law.entropy(), dtype=self.scores.dtype, device=self.scores.device)


class _LogProb(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, orders: torch.Tensor, law: _Law) -> torch.Tensor:
        ctx.law, ctx.shape = law, scores.shape
        ctx.orders = orders.detach().cpu().numpy()
        return torch.as_tensor(law.log_prob(ctx.orders), device=scores.device)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, out: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        slopes = torch.from_numpy(ctx.law.grad_log_prob(ctx.orders)).to(out.device)
        return (slopes * out.unsqueeze(-1)).sum_to_size(ctx.shape), None, None


def _to_numpy(tensor: torch.Tensor, what: str) -> Any:
    if not isinstance(tensor, torch.Tensor) or tensor.dtype not in (torch.float32, torch.float64):
        raise PlackettError(f"{what} must be a tensor of float32 or float64")
    return tensor.detach().cpu().numpy()


def _maybe_numpy(value: Any) -> Any:
    return value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value


def _to_tensor(orders: Any, device: torch.device) -> torch.Tensor:
    try:
        orders.setflags(write=True)  # PyTorch has no tensors that cannot be written to
    except ValueError:
        orders = orders.copy()
    return torch.from_numpy(orders).to(device)


def _to_seed(seed: Seed) -> int:
    if isinstance(seed, int):
        return seed
    return int(torch.randint(2**62, (), generator=seed, device=seed.device if seed is not None else None))


def _probabilities(scores: Any, shape: tuple[int, ...], top: int | None) -> Any:
    """The probabilities of all orders, as the exact estimator lists them."""
    law = _Law(np.asarray(scores, dtype=np.float64)[..., np.newaxis, :])
    return np.exp(law.log_prob(all_orders(scores.shape[-1], law._top(top)))).reshape(shape)
