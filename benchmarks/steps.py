"""Training steps of the paper's toy problem beside the same steps in plain PyTorch, one sample a step, one thread each, in the same run.

A step draws noise, evaluates the objective, makes the gradient by REINFORCE, PL-REBAR or PL-RELAX (the relaxed objective by NeuralSort, for RELAX with a network of
32 hidden units beside it), and moves the scores and the critic's parameters by Adam; the critic's along the gradient of the squared
estimate, for which PyTorch differentiates twice. PyTorch's version is written from the paper's formulas in double precision, one order at a time, as its authors'
is; before it is timed, its mean gradient is compared with the exact one. Ours are the medians of
`cargo bench -p plackett --bench steps`, by the clock; PyTorch's are means by the processor.
"""

import argparse
import itertools
import math
import pathlib
import re
import subprocess
import time

import numpy as np
import report
import torch

import plackett

ITEMS = (8, 32, 128, 512)
OFFSET, RATE, HIDDEN = 0.05, 0.01, 32
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


class Toy:
    """One of the estimators on the toy problem, in plain PyTorch."""

    def __init__(self, items, estimator, seed=0):
        self.items, self.estimator = items, estimator
        self.noise = torch.Generator().manual_seed(seed)
        self.scores = torch.zeros(items, dtype=torch.float64, requires_grad=True)
        off = 1 / items - OFFSET / (items - 1)
        self.target = torch.full((items, items), off, dtype=torch.float64) + (1 / items + OFFSET - off) * torch.eye(items, dtype=torch.float64)
        self.log_temperature = torch.zeros((), dtype=torch.float64, requires_grad=True)
        self.scale = torch.ones((), dtype=torch.float64, requires_grad=True)
        self.network = torch.nn.Sequential(torch.nn.Linear(items, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1)).double()
        self.parameters = [] if estimator == "reinforce" else [self.log_temperature, self.scale]
        if estimator == "relax":
            self.parameters += list(self.network.parameters())
        self.adam = torch.optim.Adam([self.scores], lr=RATE)
        self.critic_adam = torch.optim.Adam(self.parameters, lr=RATE) if self.parameters else None

    def uniform(self):
        return torch.rand(self.items, dtype=torch.float64, generator=self.noise)

    def objective(self, matrix):
        return ((matrix - self.target) ** 2).sum()

    def relaxed(self, perturbed):
        """NeuralSort."""
        ranks = self.items - 1 - 2 * torch.arange(self.items, dtype=torch.float64)
        distances = (perturbed[:, None] - perturbed[None]).abs().sum(1)
        return torch.softmax((ranks[:, None] * perturbed - distances) / self.log_temperature.exp(), -1)

    def critic(self, perturbed):
        value = self.scale * self.objective(self.relaxed(perturbed))
        return value + self.network(perturbed).squeeze() if self.estimator == "relax" else value

    def gradient(self):
        """The estimate, as a function of the critic's parameters."""
        scores = torch.log_softmax(self.scores, 0)
        perturbed = scores - (-self.uniform().log()).log()
        order = perturbed.argsort(descending=True)
        ranked = scores[order]
        sums = ranked.flip(0).logcumsumexp(0).flip(0)
        (slopes,) = torch.autograd.grad((ranked - sums).sum(), self.scores, retain_graph=True)
        value = self.objective(torch.eye(self.items, dtype=torch.float64)[order]).item()
        if self.estimator == "reinforce":
            return value * slopes
        again = -torch.cumsum(-self.uniform().log() * (-sums).exp(), 0).log()
        conditional = torch.zeros_like(again).scatter(0, order, again)
        first, second = self.critic(perturbed), self.critic(conditional)
        differences = torch.autograd.grad(first - second, self.scores, create_graph=True)[0]
        return (value - second) * slopes + differences

    def step(self):
        gradient = self.gradient()
        if self.critic_adam:
            slopes = torch.autograd.grad((gradient**2).sum(), self.parameters)
            for parameter, slope in zip(self.parameters, slopes):
                parameter.grad = slope
            self.critic_adam.step()
        self.scores.grad = gradient.detach()
        self.adam.step()


def check(estimator):
    """The mean of many estimates is the exact gradient."""
    toy = Toy(4, estimator, seed=1)
    with torch.no_grad():
        toy.scores += torch.tensor([0.3, -0.2, 0.5, 0.0])
    exact = np.zeros(4)
    scores = toy.scores.detach().numpy()
    for order in itertools.permutations(range(4)):
        law = plackett.PlackettLuce(scores)
        value = toy.objective(torch.eye(4, dtype=torch.float64)[list(order)]).item()
        exact += math.exp(law.log_prob(np.array(order))) * value * law.grad_log_prob(np.array(order))
    draws = np.array([toy.gradient().detach().numpy() for _ in range(4000)])
    error = draws.std(0) / len(draws) ** 0.5
    assert (np.abs(draws.mean(0) - exact) < 5 * error).all(), (estimator, draws.mean(0), exact, error)


def by_torch(items, estimator, least):
    toy = Toy(items, estimator)
    toy.step()
    steps, begin = 0, time.process_time()
    while time.process_time() - begin < least or steps < 3:
        toy.step()
        steps += 1
    return (time.process_time() - begin) / steps


def by_plackett(least):
    """Seconds a step by estimator and items: the medians of `cargo bench`."""
    command = ["cargo", "bench", "--locked", "-p", "plackett", "--bench", "steps", "--", "--warm-up-time", "0.5", "--measurement-time", str(least)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=pathlib.Path(__file__).parent.parent)
    found = re.findall(r"^(\w+)/(\d+)\s+time:\s+\[\S+ \S+ (\S+) (\S+) ", done.stdout, re.MULTILINE)
    return {(name, int(items)): float(time) * UNITS[unit] for name, items, time, unit in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="8 and 32 items, in seconds")
    parser.add_argument("--out", type=pathlib.Path, help="folder for steps.md and steps.json")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    least = 0.5 if arguments.quick else 2.0
    ours = by_plackett(least)
    rows = []
    for estimator in ("reinforce", "rebar", "relax"):
        check(estimator)
        for items in ITEMS[:2] if arguments.quick else ITEMS:
            row = {"estimator": estimator, "items": items, "plackett": ours[estimator, items], "torch": by_torch(items, estimator, least)}
            rows.append(row)
            print(row, flush=True)
    text = f"# Training steps\n\nMade by `./scripts/benchmark steps`. {__doc__}\n| estimator | items | ours, µs | plain PyTorch, µs | ratio |\n" + "| --- " * 5 + "|\n"
    for row in rows:
        text += f"| {row['estimator']} | {row['items']} | {1e6 * row['plackett']:.3g} | {1e6 * row['torch']:.3g} | {row['torch'] / row['plackett']:,.0f}× |\n"
    report.give("steps", text, rows, arguments.out)


if __name__ == "__main__":
    main()
