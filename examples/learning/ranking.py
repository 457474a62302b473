"""A network learns to rank documents by NDCG@10 itself, beside the same estimator in plain PyTorch.

The set is generated: queries with 100 documents of 20 features, and grades 0 to 4 that depend on the features in a way that no linear
score has. Both train the same network with the same number of samples and a leave-one-out baseline. Plain PyTorch draws whole orders and
differentiates their log-probability; ours draws the ten ranks that the metric reads and takes the gradient of theirs.

    python examples/learning/ranking.py --out results/learning
"""

from __future__ import annotations

import argparse
import pathlib
import time
from collections.abc import Callable

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch

import plackett.torch

DOCUMENTS, FEATURES, TOP, QUERIES, ROWS, SAMPLES, RATE = 100, 20, 10, 600, 32, 8, 3e-3
DISCOUNT = 1 / torch.log2(torch.arange(2, TOP + 2))

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def queries(count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Features, and gains of graded documents: few are good."""
    features = torch.randn(count, DOCUMENTS, FEATURES, generator=generator)
    hidden = torch.sin(2 * features[..., 0]) + features[..., 1] * features[..., 2] + 0.5 * features[..., 3].abs() - 0.3 * features[..., 4]
    noisy = hidden + 0.3 * torch.randn(count, DOCUMENTS, generator=generator)
    levels = torch.quantile(noisy, torch.tensor([0.6, 0.8, 0.9, 0.97]), dim=-1)
    grades = (noisy.unsqueeze(0) > levels.unsqueeze(-1)).sum(0)
    return features, 2.0**grades - 1


def ndcg(gains: torch.Tensor, orders: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    """The metric, of orders of which the first ten ranks count."""
    ideal = (gains.sort(-1, descending=True).values[:, :TOP] * DISCOUNT).sum(-1, keepdim=True)
    return (gains[row.unsqueeze(-1), orders[..., :TOP]] * DISCOUNT).sum(-1) / ideal


def ours(scores: torch.Tensor, gains: torch.Tensor) -> torch.Tensor:
    return plackett.torch.expectation(scores, lambda orders, row: -ndcg(gains, orders, row), n_samples=SAMPLES, top=TOP).mean()


def plain(scores: torch.Tensor, gains: torch.Tensor) -> torch.Tensor:
    """Leave-one-out REINFORCE as one writes it without a library."""
    with torch.no_grad():
        noise = -torch.empty(len(scores), SAMPLES, DOCUMENTS).exponential_().log()
        orders = (scores.unsqueeze(1) + noise).argsort(-1, descending=True)
        values = -ndcg(gains, orders, torch.arange(len(scores)).unsqueeze(-1))
        weights = (values - values.mean(-1, keepdim=True)) / (SAMPLES - 1)
    ranked = torch.gather(scores.unsqueeze(1).expand(-1, SAMPLES, -1), -1, orders)
    log_prob = (ranked - ranked.flip(-1).logcumsumexp(-1).flip(-1)).sum(-1)
    return (weights * log_prob).sum(-1).mean()


def train(loss: Loss, steps: int, seed: int) -> list[tuple[int, float, float]]:
    """Steps, seconds of training, and NDCG@10 on queries that were not trained on."""
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    features, gains = queries(QUERIES, generator)
    test_features, test_gains = queries(200, generator)
    rows = torch.arange(200).unsqueeze(-1)
    network = torch.nn.Sequential(torch.nn.Linear(FEATURES, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)

    def measured() -> float:
        with torch.no_grad():
            orders = network(test_features).squeeze(-1).argsort(-1, descending=True)
        return float(ndcg(test_gains, orders.unsqueeze(1), rows).mean())

    curve, spent = [(0, 0.0, measured())], 0.0
    for step in range(1, steps + 1):
        chosen = torch.randint(QUERIES, (ROWS,), generator=generator)
        start = time.perf_counter()
        value = loss(network(features[chosen]).squeeze(-1), gains[chosen])
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        spent += time.perf_counter() - start
        if step % max(1, steps // 30) == 0:
            curve.append((step, spent, measured()))
    return curve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path, help="a folder for the plot")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    curves = {
        name: [train(loss, arguments.steps, seed) for seed in range(arguments.seeds)]
        for name, loss in (("plackett, ten ranks", ours), ("plain PyTorch, whole orders", plain))
    }
    for name, runs in curves.items():
        final = [run[-1][2] for run in runs]
        middle = [run[len(run) // 4][2] for run in runs]
        print(f"{name}: NDCG@10 {sum(final) / len(final):.3f} (after a quarter {sum(middle) / len(middle):.3f}), {sum(run[-1][1] for run in runs) / len(runs):.1f} s a run")
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
        for color, (name, runs) in zip(("tab:blue", "tab:orange"), curves.items(), strict=True):
            for number, run in enumerate(runs):
                for panel, axis in zip(panels, (0, 1), strict=True):
                    panel.plot([point[axis] for point in run], [point[2] for point in run], color=color, alpha=0.8, label=name if number == 0 else None)
        panels[0].set(xlabel="steps", ylabel="NDCG@10, on unseen queries")
        panels[1].set(xlabel="seconds of training")
        panels[1].legend(loc="lower right")
        figure.suptitle(f"Learning to rank {DOCUMENTS} documents by the metric itself, {arguments.seeds} seeds")
        figure.savefig(arguments.out / "ranking.svg")


if __name__ == "__main__":
    main()
