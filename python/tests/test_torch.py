"""PyTorch: gradients equal those of `estimate`, both gradients are right, and the exact estimator passes a check by differences."""

import numpy as np
import pytest
import torch

import plackett
import plackett.torch

RNG = np.random.default_rng(0)


def cost(table, orders, row):
    return table[row.unsqueeze(-1), torch.arange(orders.shape[-1]), orders].sum(-1)


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.float64, 1e-12)])
@pytest.mark.parametrize("estimator", ["reinforce", "relax", "exact"])
@pytest.mark.parametrize("top", [None, 2])
def test_gradients_are_those_of_estimate(dtype, tolerance, estimator, top):
    if estimator == "relax" and top is not None:
        pytest.skip("RELAX needs whole orders")
    theta = torch.tensor(RNG.normal(size=(4, 5)), dtype=dtype, requires_grad=True)
    table = torch.tensor(RNG.normal(size=(4, 5, 5)), dtype=dtype)
    settings = {"estimator": estimator, "n_samples": 8, "top": top, "seed": 3}
    loss = plackett.torch.expectation(theta, lambda orders, row: cost(table, orders, row), **settings)
    assert loss.shape == (4,) and loss.dtype == dtype
    outer = torch.tensor(RNG.normal(size=4), dtype=dtype)
    (outer * loss).sum().backward()
    numbers = table.double().numpy()

    def value(orders, row):
        return numbers[row[..., None], np.arange(orders.shape[-1]), orders].sum(axis=-1)

    expected = plackett.estimate(theta.detach().numpy(), value, **settings)
    scale = 1 + np.abs(expected.gradient).max()
    np.testing.assert_allclose(theta.grad.numpy(), expected.gradient * outer.numpy()[:, None], atol=tolerance * scale)
    np.testing.assert_allclose(loss.detach().numpy(), expected.value, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("top", [None, 2])
def test_the_exact_estimator_passes_gradcheck(top):
    theta = torch.tensor(RNG.normal(size=(2, 4)), requires_grad=True)
    table = torch.tensor(RNG.normal(size=(2, 4, 4)), requires_grad=True)

    def loss(theta, table):
        return plackett.torch.expectation(theta, lambda orders, row: cost(table, orders, row), estimator="exact", top=top)

    assert torch.autograd.gradcheck(loss, (theta, table), atol=1e-7)
    alone = theta[0].detach().clone().requires_grad_()
    assert torch.autograd.gradcheck(
        lambda theta: plackett.torch.expectation(theta, lambda orders: (orders[..., 0] ** 2).double(), estimator="exact"), (alone,)
    )


def test_both_gradients_are_unbiased():
    theta = torch.tensor([[0.3, -0.2, 0.6]], dtype=torch.float64, requires_grad=True)
    weight = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)

    def f(orders):
        return torch.sin(weight * orders[..., 0].double())

    exact = torch.autograd.grad(plackett.torch.expectation(theta, f, estimator="exact").sum(), (theta, weight))
    found = torch.autograd.grad(plackett.torch.expectation(theta, f, n_samples=100_000, seed=1).sum(), (theta, weight))
    for a, b in zip(exact, found, strict=True):
        torch.testing.assert_close(a, b, atol=0.012, rtol=0)


def test_a_network_receives_the_gradient():
    torch.manual_seed(0)
    network = torch.nn.Linear(3, 6)
    data = torch.randn(10, 3)
    plackett.torch.expectation(network(data), lambda orders: (orders[..., 0] == 2).float(), n_samples=4).mean().backward()
    assert network.weight.grad.abs().sum() > 0


def test_seeds_and_devices_and_memory():
    theta = torch.zeros(2, 5)
    seen = []

    def f(orders):
        seen.append(orders)
        return orders[..., 0].float()

    for _ in range(2):
        torch.manual_seed(5)
        plackett.torch.expectation(theta, f)
    assert torch.equal(*seen)
    plackett.torch.expectation(theta, f)
    assert not torch.equal(seen[0], seen[2])
    if torch.cuda.is_available():
        on_device = theta.cuda().requires_grad_()
        loss = plackett.torch.expectation(on_device, f, seed=1)
        loss.sum().backward()
        assert loss.is_cuda and on_device.grad.is_cuda


def test_masks():
    theta = torch.zeros(2, 4, requires_grad=True)
    lengths = torch.tensor([2, 4])
    plackett.torch.expectation(theta, lambda orders: orders[..., 0].float(), lengths=lengths, seed=0).sum().backward()
    assert (theta.grad[0, 2:] == 0).all() and (theta.grad[1] != 0).any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_distribution(dtype):
    scores = torch.tensor(RNG.normal(size=(3, 4)), dtype=dtype, requires_grad=True)
    law = plackett.torch.PlackettLuce(scores)
    assert law.batch_shape == (3,) and law.event_shape == (4,)
    orders = law.sample((7,), seed=1)
    assert orders.shape == (7, 3, 4) and orders.dtype == torch.int64
    log_prob = law.log_prob(orders)
    # The same by what PyTorch has.
    ranked = torch.gather(scores.expand(7, 3, 4), -1, orders)
    plain = (ranked - ranked.flip(-1).logcumsumexp(-1).flip(-1)).sum(-1)
    torch.testing.assert_close(log_prob, plain)
    outer = torch.randn(7, 3, dtype=dtype)
    torch.testing.assert_close(
        *(torch.autograd.grad((outer * value).sum(), scores, retain_graph=True)[0] for value in (log_prob, plain))
    )
    assert law.sample(top=2).shape == (3, 2)
    assert torch.equal(law.mode, scores.argsort(-1, descending=True))
    assert law.entropy().shape == (3,)
    if dtype == torch.float64:
        assert torch.autograd.gradcheck(lambda scores: plackett.torch.PlackettLuce(scores).log_prob(orders), (scores,))


def test_what_is_refused():
    with pytest.raises(plackett.PlackettError, match="float32 or float64"):
        plackett.torch.expectation(torch.zeros(2, 3, dtype=torch.float16), lambda orders: orders)
    with pytest.raises(plackett.PlackettError, match="a tensor is needed"):
        plackett.torch.expectation(torch.zeros(2, 3), lambda orders: 1.0)
    with pytest.raises(plackett.PlackettError, match="shape"):
        plackett.torch.expectation(torch.zeros(2, 3), lambda orders: orders[0, :, 0].float())
