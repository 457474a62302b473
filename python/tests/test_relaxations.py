"""Relaxed permutation matrices against their formulas."""

import numpy as np
import paper
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import plackett


@given(arrays(np.float64, st.integers(1, 7), elements=st.floats(-5, 5)), st.floats(0.05, 20))
def test_neural_sort(z, tau):
    found = plackett.neural_sort(z, tau)
    np.testing.assert_allclose(found, paper.Orders.relaxed(z, tau), atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1)


@given(arrays(np.float64, st.integers(1, 5).map(lambda k: (k, k)), elements=st.floats(-5, 5)), st.integers(1, 30))
def test_sinkhorn(log_alpha, n_iter):
    expected = np.exp(log_alpha)
    for _ in range(n_iter):
        expected /= expected.sum(axis=1, keepdims=True)
        expected /= expected.sum(axis=0, keepdims=True)
    np.testing.assert_allclose(plackett.sinkhorn(log_alpha, n_iter), expected, atol=1e-10)


def test_batches():
    rng = np.random.default_rng(0)
    z, x = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 4, 4))
    np.testing.assert_array_equal(plackett.neural_sort(z)[1, 2], plackett.neural_sort(z[1, 2]))
    np.testing.assert_array_equal(plackett.sinkhorn(x)[1, 2], plackett.sinkhorn(x[1, 2]))
    np.testing.assert_array_equal(plackett.sinkhorn(x[0].T[:, :, 0]), plackett.sinkhorn(x[0].T[:, :, 0].copy()))
    assert plackett.neural_sort(np.empty((0, 4))).shape == (0, 4, 4)
    assert plackett.sinkhorn(np.empty((0, 4, 4))).shape == (0, 4, 4)


@pytest.mark.parametrize("z", [[], 1.0, [np.nan], [np.inf, 0.0], ["a"], np.empty((3, 0))])
def test_wrong_numbers_to_sort(z):
    with pytest.raises(plackett.PlackettError):
        plackett.neural_sort(z)


@pytest.mark.parametrize("tau", [0.0, -1.0, np.nan, np.inf, "1", None])
def test_wrong_temperatures(tau):
    with pytest.raises(plackett.PlackettError):
        plackett.neural_sort([1.0, 2.0], tau)


@pytest.mark.parametrize("x", [[[1.0, 2.0]], [1.0], [], [[np.nan]], np.empty((2, 0, 0)), [["a"]]])
def test_wrong_matrices(x):
    with pytest.raises(plackett.PlackettError):
        plackett.sinkhorn(x)


@pytest.mark.parametrize("n_iter", [0, -1, 1.5, None])
def test_wrong_numbers_of_iterations(n_iter):
    with pytest.raises(plackett.PlackettError, match="n_iter"):
        plackett.sinkhorn([[1.0]], n_iter)
