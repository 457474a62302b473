"""Optimization over permutations with low-variance gradients, and causal graphs from data.

An *order* lists items, first-ranked first: ``order[rank] = item``. *Scores* are the log-scores of the Plackett-Luce
distribution, one per item, any finite numbers. A graph's *adjacency* matrix has a non-zero entry (row i, column j) where
i causes j.

>>> import plackett
>>> law = plackett.PlackettLuce([0.0, 1.0, 2.0])
>>> law.mode().tolist()
[2, 1, 0]
"""

from plackett import critics, metrics, problems
from plackett._data import Statistics
from plackett._distributions import Categorical, Fit, PlackettLuce
from plackett._draw import Drawn, draw, gradient
from plackett._drive import Evaluation, Optimum, Proposal, TracePoint
from plackett._effects import Effect, EffectPart, EffectValue, JointEffect, JointValue
from plackett._estimate import Estimate, estimate
from plackett._fitted import FittedModel
from plackett._graph import Cpdag, Graph
from plackett._knowledge import Knowledge, KnowledgeCost
from plackett._learn import LearnedGraph, PlackettWarning, learn_dag
from plackett._learner import OrderDAG
from plackett._models import BayesNet, DiscreteData, Sem, load_network, simulate_sem
from plackett._optimize import Optimizer, Status, minimize
from plackett._plackett import PlackettError, __version__
from plackett._relaxations import neural_sort, sinkhorn
from plackett._support import Support
from plackett._surrogate import Surrogate
from plackett.critics import Critic

__all__ = [
    "BayesNet",
    "Categorical",
    "Cpdag",
    "Critic",
    "DiscreteData",
    "Drawn",
    "Effect",
    "EffectPart",
    "EffectValue",
    "Estimate",
    "Evaluation",
    "Fit",
    "FittedModel",
    "Graph",
    "JointEffect",
    "JointValue",
    "Knowledge",
    "KnowledgeCost",
    "LearnedGraph",
    "Optimizer",
    "Optimum",
    "OrderDAG",
    "PlackettError",
    "PlackettLuce",
    "PlackettWarning",
    "Proposal",
    "Sem",
    "Statistics",
    "Status",
    "Support",
    "Surrogate",
    "TracePoint",
    "critics",
    "draw",
    "estimate",
    "gradient",
    "learn_dag",
    "load_network",
    "metrics",
    "minimize",
    "neural_sort",
    "problems",
    "simulate_sem",
    "sinkhorn",
]
