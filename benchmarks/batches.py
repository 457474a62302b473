"""Gradients of many expectations at once, beside the same estimator in plain PyTorch and in plain numpy, in the same run; and scores from
rankings beside choix.

The estimator is REINFORCE with a leave-one-out baseline: B rows of scores, K orders of each, a function that looks up what the first item
is worth, and the gradient in all scores. Each is checked against the others before it is timed. A time is the median of
several calls, the processor's, one thread each, divided by the B times K samples. `expectation` is `plackett.torch.expectation` with its backward
pass, which draws and differentiates natively and calls the function with tensors.

Seeds are below 1000: there is nothing here to choose settings for.
"""

import argparse
import pathlib
import statistics
import time

import choix
import numpy as np
import report
import torch

import plackett
import plackett.torch

SAMPLES = 16
SIZES = [(64, 8), (256, 8), (1024, 8), (64, 32), (256, 32), (1024, 32), (64, 100), (256, 100), (1024, 100), (64, 128), (64, 512), (256, 512)]
QUICK_SIZES = [(64, 8), (64, 32), (64, 100)]
SINGLE = (8, 32, 128, 512)
TOP = 10


def seconds(call, least=0.4, most=40):
    """The median of calls, as many as fit into the time."""
    call()
    times = []
    while len(times) < 3 or (sum(times) < least and len(times) < most):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return statistics.median(times)


def plain_torch_gradient(theta, table, orders, top):
    """The gradient by automatic differentiation, for orders that are drawn already."""
    ranked = torch.gather(theta[:, None].expand(-1, orders.shape[1], -1), -1, orders)
    log_prob = (ranked - ranked.flip(-1).logcumsumexp(-1).flip(-1))[..., :top].sum(-1)
    values = torch.gather(table, 1, orders[..., 0])
    weights = (values - values.mean(-1, keepdim=True)) / (values.shape[-1] - 1)
    (gradient,) = torch.autograd.grad((weights * log_prob).sum(), theta)
    return gradient


def plain_torch(theta, table, count, top):
    """As one writes it: Gumbel noise, a sort, and the log-probability differentiated."""
    with torch.no_grad():
        noise = -torch.empty(theta.shape[0], count, theta.shape[1], dtype=theta.dtype).exponential_().log()
        orders = (theta[:, None] + noise).argsort(-1, descending=True)
    return plain_torch_gradient(theta, table, orders, top)


def plain_numpy_gradient(theta, table, orders, top):
    weights = np.exp(theta - theta.max(-1, keepdims=True))[:, None]
    ranked = np.take_along_axis(np.broadcast_to(weights, orders.shape), orders, -1)
    sums = np.cumsum(ranked[..., ::-1], -1)[..., ::-1]
    chosen = np.arange(orders.shape[-1]) < top
    slopes = chosen - ranked * np.cumsum(chosen / sums, -1)
    values = np.take_along_axis(table, orders[..., 0], 1)
    advantages = (values - values.mean(-1, keepdims=True)) / (values.shape[-1] - 1)
    gradient = np.empty_like(slopes)
    np.put_along_axis(gradient, orders, slopes * advantages[..., None], -1)
    return gradient.sum(1)


def plain_numpy(theta, table, count, top, rng):
    noise = -np.log(rng.standard_exponential((theta.shape[0], count, theta.shape[1]), dtype=theta.dtype))
    return plain_numpy_gradient(theta, table, np.argsort(-(theta[:, None] + noise), -1), top)


def compare(rows, items, top, dtype, rng):
    theta = rng.normal(size=(rows, items)).astype(dtype)
    table = rng.normal(size=(rows, items)).astype(dtype)
    tensor, values = torch.tensor(theta, requires_grad=True), torch.tensor(table)
    ranks = items if top is None else top

    def value(orders):
        return np.take_along_axis(table, orders[..., 0], 1)

    def ours():
        return plackett.estimate(theta, value, n_samples=SAMPLES, top=top, seed=1).gradient

    def expectation():
        loss = plackett.torch.expectation(tensor, lambda orders: torch.gather(values, 1, orders[..., 0]), n_samples=SAMPLES, top=top, seed=1)
        return torch.autograd.grad(loss.sum(), tensor)[0]

    # The same orders give the same gradients.
    orders = np.ascontiguousarray(plackett.draw(theta, SAMPLES, seed=1).orders)
    tolerance = 1e-4 if dtype == np.float32 else 1e-10
    for found in (plain_torch_gradient(tensor, values, torch.tensor(orders), ranks).numpy(), plain_numpy_gradient(theta, table, orders, ranks), expectation().numpy()):
        np.testing.assert_allclose(found, ours(), atol=tolerance)
    scale = 1e6 / (rows * SAMPLES)
    return {
        "rows": rows,
        "items": items,
        "top": top,
        "type": np.dtype(dtype).name,
        "estimate": seconds(ours) * scale,
        "expectation": seconds(expectation) * scale,
        "torch": seconds(lambda: plain_torch(tensor, values, SAMPLES, ranks)) * scale,
        "numpy": seconds(lambda: plain_numpy(theta, table, SAMPLES, ranks, rng)) * scale,
    }


def pieces(items, rng, n):
    """Samples and log-probabilities of one distribution."""
    theta = rng.normal(size=items)
    law = plackett.PlackettLuce(theta)
    orders = law.sample(n, seed=0)
    tensor = torch.tensor(theta)

    def plain_log_prob():
        ranked = theta[orders]
        ranked = ranked - ranked.max(axis=1, keepdims=True)
        return (ranked - np.log(np.cumsum(np.exp(ranked)[:, ::-1], axis=1)[:, ::-1])).sum(axis=1)

    def torch_log_prob(given=torch.tensor(orders)):
        ranked = tensor[given]
        return (ranked - ranked.flip(-1).logcumsumexp(-1).flip(-1)).sum(-1)

    np.testing.assert_allclose(law.log_prob(orders), plain_log_prob())
    scale = 1e6 / n
    return {
        "items": items,
        "sample": seconds(lambda: law.sample(n, seed=1)) * scale,
        "sample_numpy": seconds(lambda: np.argsort(np.log(rng.standard_exponential((n, items))) - theta, axis=1)) * scale,
        "sample_torch": seconds(lambda: (tensor - torch.empty(n, items, dtype=tensor.dtype).exponential_().log()).argsort(-1)) * scale,
        "log_prob": seconds(lambda: law.log_prob(orders)) * scale,
        "log_prob_numpy": seconds(plain_log_prob) * scale,
        "log_prob_torch": seconds(torch_log_prob) * scale,
    }


def fits(rng, quick):
    for items, count, length in ((10, 200, 10), (50, 2000, 5)) if quick else ((10, 200, 10), (50, 2000, 5), (100, 5000, 10), (300, 5000, 20)):
        theta = rng.normal(size=items)
        rankings = []
        for _ in range(count):
            chosen = rng.choice(items, length, replace=False)
            rankings.append(chosen[np.argsort(rng.standard_exponential(length) / np.exp(theta[chosen]))].tolist())
        fit = plackett.PlackettLuce.fit(rankings, items, unranked="absent")
        start = time.process_time()
        theirs = choix.ilsr_rankings(items, rankings, alpha=0.0, tol=1e-10)
        choix_time = time.process_time() - start
        yield {
            "items": items,
            "rankings": count,
            "length": length,
            "seconds": seconds(lambda: plackett.PlackettLuce.fit(rankings, items, unranked="absent")),
            "choix_seconds": choix_time,
            "difference": float(abs(fit.scores - (theirs - theirs.mean())).max()),
            "log_likelihood": fit.log_likelihood,
            "choix_log_likelihood": float(sum(plackett.PlackettLuce(theirs[r]).log_prob(np.arange(len(r))) for r in rankings)),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few sizes")
    parser.add_argument("--out", type=pathlib.Path, help="a folder for the table and its numbers")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    sizes = QUICK_SIZES if arguments.quick else SIZES
    cells = [compare(rows, items, None, np.float32, rng) for rows, items in sizes]
    cells += [compare(rows, items, TOP, np.float32, rng) for rows, items in sizes if items >= 100]
    cells += [compare(64, 8, None, np.float64, rng)]
    singles = [pieces(items, rng, 2_000_000 // (8 * items) + 1) for items in (SINGLE[:2] if arguments.quick else SINGLE)]
    fitted = list(fits(rng, arguments.quick))
    lines = [
        "# Batches",
        "",
        f"Microseconds a sample, {SAMPLES} samples a row, one thread, seconds of the processor (`scripts/benchmark batches`). In brackets how often ours is faster.",
        "",
        "| items | ranks | rows | type | `plackett.estimate` | plain numpy | `plackett.torch.expectation` | plain PyTorch |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for cell in cells:
        lines.append(
            f"| {cell['items']} | {cell['top'] or 'all'} | {cell['rows']} | {cell['type']} | {cell['estimate']:.2f} "
            f"| {cell['numpy']:.2f} ({cell['numpy'] / cell['estimate']:.1f}×) | {cell['expectation']:.2f} "
            f"| {cell['torch']:.2f} ({cell['torch'] / cell['expectation']:.1f}×) |"
        )
    lines += [
        "",
        "One distribution, microseconds an order:",
        "",
        "| items | sample | numpy | PyTorch | log_prob | numpy | PyTorch |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in singles:
        cells_of = [f"{one[name]:.2f}" + ("" if "_" not in name.removeprefix("log_prob") else f" ({one[name] / one[base]:.1f}×)") for name, base in (("sample", "sample"), ("sample_numpy", "sample"), ("sample_torch", "sample"), ("log_prob", "log_prob"), ("log_prob_numpy", "log_prob"), ("log_prob_torch", "log_prob"))]
        lines.append(f"| {one['items']} | " + " | ".join(cells_of) + " |")
    lines += [
        "",
        "Scores from rankings of a few items each, drawn from known scores, beside choix 0.4.1 (`ilsr_rankings`, tolerance 1e-10):",
        "",
        "| items | rankings | of | ours, s | choix, s | largest difference of a score |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one in fitted:
        lines.append(
            f"| {one['items']} | {one['rankings']} | {one['length']} | {one['seconds']:.3f} | {one['choix_seconds']:.2f} | {one['difference']:.0e} |"
        )
    report.give("batches", "\n".join(lines) + "\n", {"batches": cells, "single": singles, "fit": fitted}, arguments.out)


if __name__ == "__main__":
    main()
