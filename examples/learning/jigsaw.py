"""A latent permutation: a network puts the shuffled pieces of handwritten digits back into their places.

An image is cut into pieces and shuffled. The network gives every piece a score, looking at it and at the others; an order of the pieces is
drawn from the scores and laid out, and the loss is how far the picture is from the true one. The permutation is never shown, only
the picture that a good one would make.

    python examples/learning/jigsaw.py --out results/learning
"""

from __future__ import annotations

import argparse
import pathlib
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from sklearn.datasets import load_digits  # type: ignore[import-untyped]

import plackett.torch

GRID, SIDE, ROWS, SAMPLES, RATE = (4, 2), 8, 64, 8, 2e-3
PIECES = GRID[0] * GRID[1]


def cut(images: torch.Tensor) -> torch.Tensor:
    """Pieces of shape (n, pieces, pixels), in the order of their places."""
    height, width = SIDE // GRID[0], SIDE // GRID[1]
    tiles = images.reshape(-1, GRID[0], height, GRID[1], width).transpose(2, 3)
    return tiles.reshape(-1, PIECES, height * width)


def laid(pieces: torch.Tensor) -> torch.Tensor:
    """The picture of pieces in their places: what :func:`cut` takes apart."""
    height, width = SIDE // GRID[0], SIDE // GRID[1]
    tiles = pieces.reshape(-1, GRID[0], GRID[1], height, width).transpose(2, 3)
    return tiles.reshape(-1, SIDE, SIDE)


class Scores(torch.nn.Module):
    """A score for every piece: what it looks like, beside what all look like."""

    def __init__(self, width: int = 128) -> None:
        super().__init__()
        pixels = SIDE * SIDE // PIECES
        self.piece = torch.nn.Sequential(torch.nn.Linear(pixels, width), torch.nn.ReLU(), torch.nn.Linear(width, width), torch.nn.ReLU())
        self.score = torch.nn.Sequential(torch.nn.Linear(3 * width, width), torch.nn.ReLU(), torch.nn.Linear(width, 1))

    def forward(self, pieces: torch.Tensor) -> torch.Tensor:
        seen = self.piece(pieces)
        all_seen = torch.cat([seen.mean(1), seen.amax(1)], -1).unsqueeze(1).expand(-1, PIECES, -1)
        scores: torch.Tensor = self.score(torch.cat([seen, all_seen], -1)).squeeze(-1)
        return scores


def shuffled(images: torch.Tensor, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Pieces in a random order, and where each belongs."""
    pieces = cut(images)
    places = torch.rand(pieces.shape[:2], generator=generator).argsort(-1)
    return torch.gather(pieces, 1, places.unsqueeze(-1).expand_as(pieces)), places


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--out", type=pathlib.Path, help="a folder for the plot")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    images = torch.tensor(load_digits().images, dtype=torch.float32) / 16
    images = images[torch.randperm(len(images), generator=generator)]
    known, unseen = images[:1500], images[1500:]
    test_pieces, test_places = shuffled(unseen, generator)
    network = Scores()
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)

    def measured() -> tuple[float, float]:
        with torch.no_grad():
            order = network(test_pieces).argsort(-1, descending=True)
        right = torch.gather(test_places, 1, order) == torch.arange(PIECES)
        placed = torch.gather(test_pieces, 1, order.unsqueeze(-1).expand_as(test_pieces))
        return right.float().mean().item(), ((laid(placed) - unseen) ** 2).mean().item()

    curve = [(0, *measured())]
    for step in range(1, arguments.steps + 1):
        batch = known[torch.randint(len(known), (ROWS,), generator=generator)]
        pieces, _ = shuffled(batch, generator)
        true = cut(batch).unsqueeze(1)

        def distance(orders: torch.Tensor, row: torch.Tensor, pieces: torch.Tensor = pieces, true: torch.Tensor = true) -> torch.Tensor:
            return ((pieces[row.unsqueeze(-1), orders] - true) ** 2).sum((-1, -2))

        loss = plackett.torch.expectation(network(pieces), lambda orders, row: distance(orders, row), n_samples=SAMPLES).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % max(1, arguments.steps // 40) == 0:
            curve.append((step, *measured()))
    print(
        f"after {curve[-1][0]} steps: {curve[-1][1]:.1%} of {PIECES} pieces in their places on unseen digits (by chance {1 / PIECES:.1%}), "
        f"squared error {curve[-1][2]:.4f} (shuffled {curve[0][2]:.4f})"
    )
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        with torch.no_grad():
            order = network(test_pieces).argsort(-1, descending=True)
        placed = laid(torch.gather(test_pieces, 1, order.unsqueeze(-1).expand_as(test_pieces)))
        figure = plt.figure(figsize=(9, 3.6), layout="constrained")
        halves: Any = figure.subfigures(1, 2, width_ratios=(1, 1.3))
        left, right = halves
        axes = left.subplots()
        axes.plot([point[0] for point in curve], [point[1] for point in curve])
        axes.axhline(1 / PIECES, color="gray", linestyle=":", label="by chance")
        axes.set(xlabel="steps", ylabel="pieces in their places, unseen digits", ylim=(0, 1))
        axes.legend()
        panels = right.subplots(3, 8)
        for name, pictures, row in zip(("shuffled", "put together", "true"), (laid(test_pieces), placed, unseen), panels, strict=True):
            for picture, panel in zip(pictures, row, strict=False):
                panel.imshow(picture, cmap="gray_r")
                panel.set(xticks=[], yticks=[])
            row[0].set_ylabel(name)
        figure.savefig(arguments.out / "jigsaw.svg")


if __name__ == "__main__":
    main()
