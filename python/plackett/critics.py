"""Critics: differentiable functions of perturbed scores that REBAR and RELAX subtract to cut the variance.

A critic has parameters, a numpy array to read, to set, or to train with :attr:`plackett.Estimate.critic_gradient`.

>>> import plackett
>>> critic = plackett.critics.Network(4, hidden=8)
>>> critic.parameters.shape
(49,)
>>> critic.parameters *= 0.5
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from plackett import _plackett
from plackett._arrays import Floats, Seed, to_count, to_floats, to_number, to_rows, to_seed
from plackett._plackett import PlackettError

__all__ = ["Critic", "CriticLike", "Network", "OwnCritic", "RelaxedObjective", "Sum"]


class Critic(ABC):
    """A differentiable function c of perturbed scores z, with parameters. Critics are added with ``+``.

    >>> import plackett
    >>> isinstance(plackett.critics.Network(3), plackett.Critic)
    True
    """

    _native: _plackett.Critic

    @property
    def n_items(self) -> int:
        """The number of items, the length of z.

        >>> import plackett
        >>> plackett.critics.Network(3).n_items
        3
        """
        return self._native.n_items

    @property
    @abstractmethod
    def parameters(self) -> Floats:
        """The parameters, a copy; assign an array of the same length to replace them.

        >>> import numpy as np, plackett
        >>> critic = plackett.critics.Network(2, hidden=1)
        >>> critic.parameters = np.arange(5.0)
        >>> critic.parameters
        array([0., 1., 2., 3., 4.])
        """

    @parameters.setter
    @abstractmethod
    def parameters(self, parameters: ArrayLike) -> None: ...

    def value_and_gradient(self, z: ArrayLike) -> tuple[Any, Floats]:
        """The values at z of shape (..., k), of shape (...), and their gradients in z.

        >>> import plackett
        >>> critic = plackett.critics.Network(2, hidden=1)
        >>> critic.parameters = [1.0, 2.0, 0.5, 3.0, -1.0]  # 3 relu(z[0] + 2 z[1] + 0.5) - 1
        >>> value, gradient = critic.value_and_gradient([0.5, 1.0])
        >>> float(value), gradient.tolist()
        (8.0, [3.0, 6.0])
        """
        array = to_floats(z, "z")
        if array.ndim == 0 or array.shape[-1] != self.n_items:
            raise PlackettError(f"z has the shape {array.shape}: the last dimension must be {self.n_items}")
        values, gradients = self._native.values_and_gradients(self.parameters, to_rows(array, self.n_items))
        return values.reshape(array.shape[:-1])[()], gradients.reshape(array.shape)

    def __call__(self, z: ArrayLike) -> Any:
        return self.value_and_gradient(z)[0]

    def __add__(self, other: Critic) -> Sum:
        if not isinstance(other, Critic):
            return NotImplemented
        return Sum(self, other)

    def _checked(self, parameters: ArrayLike) -> Floats:
        array = to_floats(parameters, "parameters")
        if array.shape != (self._native.n_parameters,):
            needed = self._native.n_parameters
            raise PlackettError(f"parameters has the shape {array.shape}: a list of {needed} numbers is needed")
        if not np.isfinite(array).all():
            at = int(np.flatnonzero(~np.isfinite(array))[0])
            raise PlackettError(f"parameters[{at}] is {array[at]}: only finite numbers are allowed")
        return array.copy()


class _Leaf(Critic):
    """A critic with parameters of its own."""

    _parameters: Floats

    @property
    def parameters(self) -> Floats:
        return self._parameters.copy()

    @parameters.setter
    def parameters(self, parameters: ArrayLike) -> None:
        self._parameters = self._checked(parameters)


class Network(_Leaf):
    """A neural network of z with one hidden layer, w2·relu(W1' z + b1) + b2: the critic for black-box functions.

    Its parameters are W1 (a row of ``hidden`` weights per item), b1, w2 and b2, in this order.

    >>> import plackett
    >>> len(plackett.critics.Network(5, hidden=32, seed=1).parameters)
    225
    """

    def __init__(self, n_items: int, hidden: int = 32, *, seed: Seed = 0) -> None:
        self.hidden = to_count(hidden, "hidden")
        self._native = _plackett.Critic.network(to_count(n_items, "n_items", least=1), self.hidden)
        self._parameters = self._native.initial(to_seed(seed))

    def __reduce__(self) -> tuple[Any, ...]:
        return Network, (self.n_items, self.hidden), {"_parameters": self._parameters}

    def __repr__(self) -> str:
        return f"Network({self.n_items}, hidden={self.hidden})"


class RelaxedObjective(_Leaf):
    """eta f(sigma(z, tau)): the objective itself on relaxed matrices, with a temperature and a scale to learn.

    Its parameters are log tau and, if it is ``scaled``, eta; tau and eta start at one.

    Parameters
    ----------
    f
        Takes a relaxed matrix and returns the value there and the gradient, an array of the same shape. For orders the
        matrix is k by k, rows being ranks and columns items; for categories it is a vector of length k.
    n_items
        The number of items, k.
    relaxation
        ``"neural_sort"`` for orders, ``"softmax"`` for categories.
    scaled
        Whether there is an eta, as REBAR's critic has.

    Examples
    --------
    >>> import numpy as np, plackett
    >>> target = np.eye(3)
    >>> def distance(matrix):
    ...     return ((matrix - target) ** 2).sum(), 2 * (matrix - target)
    >>> critic = plackett.critics.RelaxedObjective(distance, 3)
    >>> critic.parameters = [np.log(0.01), 2.0]
    >>> bool(critic([3.0, 2.0, 1.0]) < 1e-9)  # the identity order
    True
    """

    def __init__(
        self,
        f: Callable[[Floats], tuple[float, ArrayLike]],
        n_items: int,
        *,
        relaxation: Literal["neural_sort", "softmax"] = "neural_sort",
        scaled: bool = True,
    ) -> None:
        if not callable(f):
            raise PlackettError(f"f is {f!r}: a function of a relaxed matrix is needed")
        items = to_count(n_items, "n_items", least=1)
        self.f = f
        self.relaxation = relaxation
        self.scaled = scaled
        shape = (items,) if relaxation == "softmax" else (items, items)

        def value_and_gradient(matrix: Floats) -> tuple[float, Floats]:
            found = f(matrix.reshape(shape))
            if not isinstance(found, tuple | list) or len(found) != 2:
                raise PlackettError("the relaxed f must return two things: its value and its gradient")
            gradient = to_floats(found[1], "the gradient of the relaxed f")
            if gradient.shape != shape:
                raise PlackettError(f"the gradient of the relaxed f has the shape {gradient.shape}, not {shape}")
            return to_number(found[0], "the value of the relaxed f"), gradient

        self._native = _plackett.Critic.relaxed(value_and_gradient, items, relaxation, scaled)
        self._parameters = self._native.initial(0)

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(RelaxedObjective, relaxation=self.relaxation, scaled=self.scaled)
        return make, (self.f, self.n_items), {"_parameters": self._parameters}

    def __repr__(self) -> str:
        return f"RelaxedObjective(..., {self.n_items}, relaxation={self.relaxation!r}, scaled={self.scaled})"


@runtime_checkable
class CriticLike(Protocol):
    """What a critic of your own must have: any object that has these can be the critic of :func:`plackett.estimate`.

    It may also have ``mixed_product(z, v)``, the gradient of v times the gradient of c, in the parameters: the product of v with the
    mixed second derivatives, which training the critic needs. Without it differences of ``parameter_gradient`` take its place.

    >>> import numpy as np, plackett
    >>> class Quadratic:  # c(z) = z A z, its parameters the entries of A
    ...     n_items = 3
    ...     parameters = np.zeros(9)
    ...     def value_and_gradient(self, z):
    ...         matrix = self.parameters.reshape(3, 3)
    ...         return z @ matrix @ z, (matrix + matrix.T) @ z
    ...     def parameter_gradient(self, z):
    ...         return np.outer(z, z).ravel()
    >>> critic = Quadratic()
    >>> isinstance(critic, plackett.critics.CriticLike)
    True
    >>> scores = np.zeros(3)
    >>> for step in range(200):
    ...     found = plackett.estimate(scores, lambda order: float(order[0]), estimator="relax", critic=critic, n_samples=4, seed=step)
    ...     critic.parameters = critic.parameters - 0.003 * found.critic_gradient
    >>> bool(abs(critic.parameters).max() > 0.02)  # it has learned something
    True
    """

    @property
    def n_items(self) -> int:
        """The number of items, the length of z."""

    @property
    def parameters(self) -> Any:
        """The parameters, a list of numbers. To train them, step against ``critic_gradient`` of the estimate."""

    def value_and_gradient(self, z: Floats) -> tuple[Any, Any]:
        """The value c(z) at perturbed scores of shape (k,), and its gradient in z."""

    def parameter_gradient(self, z: Floats) -> Any:
        """The gradient of c(z) in the parameters."""


class OwnCritic(Critic):
    """A critic by the protocol :class:`CriticLike`, to be added to others; :func:`plackett.estimate` takes such a critic as it is.

    >>> import numpy as np, plackett
    >>> class First:
    ...     n_items, parameters = 3, np.array([2.0])
    ...     def value_and_gradient(self, z):
    ...         return self.parameters[0] * z[0], np.array([self.parameters[0], 0.0, 0.0])
    ...     def parameter_gradient(self, z):
    ...         return z[:1]
    >>> both = plackett.critics.OwnCritic(First()) + plackett.critics.Network(3, hidden=2)
    >>> len(both.parameters)
    12
    """

    def __init__(self, critic: CriticLike) -> None:
        if not isinstance(critic, CriticLike):
            raise PlackettError(f"{critic!r} is no critic: it needs n_items, parameters, value_and_gradient and parameter_gradient")
        self.critic = critic
        items, length = to_count(critic.n_items, "n_items", least=1), len(self.parameters)
        mixed = getattr(critic, "mixed_product", None)

        def value_and_gradient(z: Floats) -> tuple[float, Floats]:
            found = critic.value_and_gradient(z)
            if not isinstance(found, tuple | list) or len(found) != 2:
                raise PlackettError("value_and_gradient must return two things: the value and its gradient")
            return to_number(found[0], "the value of the critic"), _vector(found[1], "the gradient of the critic", items)

        def slope(z: Floats) -> Floats:
            return _vector(critic.parameter_gradient(z), "the critic's gradient in its parameters", length)

        def parameter_gradient(z: Floats, a: float, v: Floats) -> Floats:
            total = a * slope(z) if a != 0 else np.zeros(length)
            size = float(np.linalg.norm(v))
            if size == 0:
                return total
            if mixed is not None:
                return total + _vector(mixed(z, v), "the critic's mixed product", length)
            # A step of the cube root of the precision balances what rounding and the third derivative cost.
            step = np.cbrt(np.finfo(np.float64).eps) * (1 + float(np.abs(z).max())) / size
            change: Floats = (slope(z + step * v) - slope(z - step * v)) / (2 * step)
            return total + change

        self._native = _plackett.Critic.own(value_and_gradient, parameter_gradient, items, length)

    @property
    def parameters(self) -> Floats:
        array = to_floats(self.critic.parameters, "parameters")
        if array.ndim != 1:
            raise PlackettError(f"parameters has the shape {array.shape}: a list of numbers is needed")
        return array.copy()

    @parameters.setter
    def parameters(self, parameters: ArrayLike) -> None:
        self.critic.parameters = self._checked(parameters)  # type: ignore[misc]

    def __reduce__(self) -> tuple[Any, ...]:
        return OwnCritic, (self.critic,)

    def __repr__(self) -> str:
        return f"OwnCritic({self.critic!r})"


def _vector(value: Any, what: str, length: int) -> Floats:
    array = to_floats(value, what)
    if array.shape != (length,):
        raise PlackettError(f"{what} has the shape {array.shape}: a list of {length} numbers is needed")
    return array


class Sum(Critic):
    """The sum of two critics, which keep their parameters: setting the sum's sets theirs.

    >>> import plackett
    >>> first, second = plackett.critics.Network(3, hidden=2), plackett.critics.Network(3, hidden=4)
    >>> len((first + second).parameters)
    32
    """

    def __init__(self, first: Critic, second: Critic) -> None:
        for critic in (first, second):
            if not isinstance(critic, Critic):
                raise PlackettError(f"{critic!r} is not a critic")
        self.first = first
        self.second = second
        self._native = _plackett.Critic.sum(first._native, second._native)

    @property
    def parameters(self) -> Floats:
        return np.concatenate([self.first.parameters, self.second.parameters])

    @parameters.setter
    def parameters(self, parameters: ArrayLike) -> None:
        array = self._checked(parameters)
        split = len(self.first.parameters)
        self.first.parameters = array[:split]
        self.second.parameters = array[split:]

    def __reduce__(self) -> tuple[Any, ...]:
        return Sum, (self.first, self.second)

    def __repr__(self) -> str:
        return f"{self.first!r} + {self.second!r}"
