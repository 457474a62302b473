"""A network learns to sort handwritten digits from a black-box metric: how many neighbors are in the wrong order.

The network sees one image at a time and gives it a score. It is never told what an image shows, nor the right order: all it is
told is a count, for a few orders drawn from its scores. That count has no gradient; the expectation of it over orders has one.

    python examples/learning/sorting.py --out results/learning
"""

from __future__ import annotations

import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from sklearn.datasets import load_digits  # type: ignore[import-untyped]

import plackett.torch

LENGTH, ROWS, SAMPLES, RATE = 8, 64, 8, 3e-3


def wrong_neighbors(labels: torch.Tensor, orders: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    """The black box: on how many of the places of an order does a smaller digit follow a larger one?"""
    ranked = labels[row.unsqueeze(-1), orders]
    return (ranked[..., 1:] < ranked[..., :-1]).float().sum(-1)


def lists(images: torch.Tensor, labels: torch.Tensor, rows: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Lists of images drawn at random, and their digits."""
    chosen = torch.randint(len(images), (rows, LENGTH), generator=generator)
    return images[chosen], labels[chosen]


def sorted_share(network: torch.nn.Module, images: torch.Tensor, labels: torch.Tensor) -> tuple[float, float]:
    """The share of lists that sorting by the scores sorts without a fault, and of neighbors in the right order."""
    with torch.no_grad():
        order = network(images).squeeze(-1).argsort(-1, descending=True)
    ranked = torch.gather(labels, 1, order)
    right = ranked[:, 1:] >= ranked[:, :-1]
    return right.all(-1).float().mean().item(), right.float().mean().item()


def train(steps: int, seed: int = 0) -> list[tuple[int, float, float]]:
    """Trains a network, and measures it on images that it has not seen."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    digits = load_digits()
    images = torch.tensor(digits.data, dtype=torch.float32) / 16
    labels = torch.tensor(digits.target)
    shuffled = torch.randperm(len(images), generator=generator)
    known, unseen = shuffled[:1400], shuffled[1400:]
    held_out = lists(images[unseen], labels[unseen], 2000, generator)
    network = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    curve = [(0, *sorted_share(network, *held_out))]
    for step in range(1, steps + 1):
        seen, digits_seen = lists(images[known], labels[known], ROWS, generator)
        scores = network(seen).squeeze(-1)
        loss = plackett.torch.expectation(scores, lambda orders, row: wrong_neighbors(digits_seen, orders, row), n_samples=SAMPLES)
        optimizer.zero_grad()
        loss.mean().backward()
        optimizer.step()
        if step % max(1, steps // 40) == 0:
            curve.append((step, *sorted_share(network, *held_out)))
    return curve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--out", type=pathlib.Path, help="a folder for the plot")
    arguments = parser.parse_args()
    curve = train(arguments.steps)
    step, whole, neighbors = curve[-1]
    print(f"after {step} steps: {whole:.1%} of {LENGTH}-digit lists sorted without a fault, {neighbors:.1%} of neighbors in order (unseen images)")
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
        axes.plot([point[0] for point in curve], [point[1] for point in curve], label="lists sorted without a fault")
        axes.plot([point[0] for point in curve], [point[2] for point in curve], label="neighbors in the right order")
        axes.set(xlabel="steps", ylabel="share, on unseen images", ylim=(0, 1.02), title=f"Sorting {LENGTH} handwritten digits, learned from a count of faults")
        axes.legend(loc="lower right")
        figure.savefig(arguments.out / "sorting.svg")


if __name__ == "__main__":
    main()
