"""Relaxed permutation matrices: differentiable stand-ins whose rows are ranks and whose columns are items."""

from __future__ import annotations

from numpy.typing import ArrayLike

from plackett import _plackett
from plackett._arrays import Floats, to_count, to_floats, to_number, to_rows
from plackett._plackett import PlackettError


def neural_sort(z: ArrayLike, tau: float = 1.0) -> Floats:
    """The unimodal row-stochastic relaxation of the matrix that sorts z descending (NeuralSort).

    From z of shape (..., k) it makes matrices of shape (..., k, k); each row sums to one, and its largest entry is the item
    of that rank at any temperature ``tau``.

    >>> import plackett
    >>> plackett.neural_sort([0.3, 2.0], tau=0.1).round(3)
    array([[0., 1.],
           [1., 0.]])
    """
    array = to_floats(z, "z")
    if array.ndim == 0 or array.shape[-1] == 0:
        raise PlackettError(f"z has the shape {array.shape}: at least one number is needed")
    items = array.shape[-1]
    return _plackett.neural_sort(to_rows(array, items), to_number(tau, "tau")).reshape(*array.shape, items)


def sinkhorn(log_alpha: ArrayLike, n_iter: int = 20) -> Floats:
    """Rows and columns of the exponential of square matrices normalized in turn, ``n_iter`` times each, in log space.

    Matrices are of shape (..., k, k). Columns of the result sum to one, rows nearly so.

    >>> import plackett
    >>> plackett.sinkhorn([[2.0, 0.0], [0.0, 2.0]]).round(3)
    array([[0.881, 0.119],
           [0.119, 0.881]])
    """
    array = to_floats(log_alpha, "log_alpha")
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] == 0:
        raise PlackettError(f"log_alpha has the shape {array.shape}: square matrices are needed")
    size = array.shape[-1] ** 2
    flat = array.reshape(*array.shape[:-2], size)
    return _plackett.sinkhorn(to_rows(flat, size), to_count(n_iter, "n_iter", least=1)).reshape(array.shape)
