"""What is known of a graph before the data are looked at."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from plackett import _plackett
from plackett._plackett import PlackettError

Pairs: TypeAlias = Iterable[Sequence[str]]
Tier: TypeAlias = Sequence[str] | Mapping[str, Any]


class Knowledge:
    """What is known of a graph, by the names of its columns. The graph learned keeps it, by whatever method.

    A pair is (cause, effect), and a ``*`` in a name stands for any characters, so that one statement may speak of many columns.

    Parameters
    ----------
    required, forbidden
        Edges that must be there, and edges that must not.
    tiers
        Groups of columns, the earliest first: nothing causes what is in an earlier one, and columns in no tier are free. A group
        is a list of names, or ``{"columns": [...], "within": False}`` if there are no edges within it.
    exogenous, terminal
        Columns without causes, and columns without effects, among the others.
    adjacent, apart
        Pairs that must be joined by an edge, in whichever direction, and pairs that must not.

    Examples
    --------
    >>> import plackett
    >>> known = plackett.Knowledge(required=[("x1", "x2")], tiers=[["x1", "x3"], ["x2", "x4"]], terminal=["x4"])
    >>> data = plackett.simulate_sem(4, seed=1).sample(500, seed=0)
    >>> found = plackett.learn_dag(data, knowledge=known)
    >>> ("x1", "x2") in [edge[:2] for edge in found.edges]
    True
    >>> found.knowledge.cost is not None
    True
    """

    def __init__(
        self,
        *,
        required: Pairs = (),
        forbidden: Pairs = (),
        tiers: Iterable[Tier] = (),
        exogenous: Iterable[str] = (),
        terminal: Iterable[str] = (),
        adjacent: Pairs = (),
        apart: Pairs = (),
    ) -> None:
        self.required = _pairs(required, "required")
        self.forbidden = _pairs(forbidden, "forbidden")
        self.tiers = [_tier(tier) for tier in _listed(tiers, "tiers")]
        self.exogenous = _names(exogenous, "exogenous")
        self.terminal = _names(terminal, "terminal")
        self.adjacent = _pairs(adjacent, "adjacent")
        self.apart = _pairs(apart, "apart")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Knowledge:
        """Knowledge from a file: JSON with the parameters of this class, or one of Tetrad's ``/knowledge`` files.

        >>> import pathlib, plackett, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "known.txt"
        ...     _ = path.write_text("/knowledge\\naddtemporal\\n1 a b\\n2 c\\nrequiredirect\\na c\\n")
        ...     plackett.Knowledge.read(path)
        Knowledge(required=[('a', 'c')], tiers=[['a', 'b'], ['c']])
        """
        return cls(**json.loads(_plackett.read_knowledge(os.fspath(path))))

    def to_json(self) -> str:
        """The statements as JSON, as ``plackett learn --knowledge`` reads them.

        >>> import plackett
        >>> plackett.Knowledge(exogenous=["age"]).to_json()
        '{"exogenous": ["age"]}'
        """
        return json.dumps(self._given())

    def _given(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Knowledge({', '.join(f'{name}={value!r}' for name, value in self._given().items())})"


@dataclass(frozen=True)
class Decisive:
    """A statement that made a difference."""

    statement: str
    """What it says."""
    cost: float | None
    """How much worse the score is with it than with all the others alone, if that was looked at."""
    edges: tuple[tuple[str, str], ...]
    """Edges that the graph without knowledge has and it forbids, and edges that that graph lacks and it requires."""


@dataclass(frozen=True)
class KnowledgeCost:
    """What knowledge cost a graph: the score with it and without it, and which statements decided. Scores are lower the better.

    >>> import plackett
    >>> data = plackett.simulate_sem(4, seed=1).sample(500, seed=0)
    >>> found = plackett.learn_dag(data, knowledge={"required": [("x1", "x4")]}, score="bic")
    >>> found.knowledge.statements
    ('x1 -> x4 is required',)
    """

    statements: tuple[str, ...]
    """What was said."""
    free_score: float | None
    """The score without any knowledge; ``None`` for ``pc``, which has none, or if there was no time."""
    cost: float | None
    """How much worse the score is with the knowledge."""
    decisive: tuple[Decisive, ...]
    """The statements that the graph without knowledge breaks, or that cost something on their own, the dearest first."""
    complete: bool
    """Whether there was time to weigh all of them."""


def to_cost(native: _plackett.LearnedGraph, names: Sequence[str]) -> KnowledgeCost | None:
    """What the native half says of the knowledge."""
    if native.knowledge is None:
        return None
    statements, free_score, cost, decisive, complete = native.knowledge
    found = (
        Decisive(statements[at], cost, tuple((names[a], names[b]) for a, b in edges)) for at, edges, cost in decisive
    )
    return KnowledgeCost(tuple(statements), free_score, cost, tuple(found), complete)


def to_json(knowledge: Knowledge | Mapping[str, Any] | str | os.PathLike[str] | None) -> str | None:
    """Knowledge in any form as JSON."""
    if knowledge is None:
        return None
    if isinstance(knowledge, Mapping):
        unknown = sorted(str(name) for name in set(knowledge) - set(vars(Knowledge())))
        if unknown:
            raise PlackettError(f"knowledge says nothing by {', '.join(unknown)}: see plackett.Knowledge")
        knowledge = Knowledge(**knowledge)
    if isinstance(knowledge, (str, os.PathLike)):
        knowledge = Knowledge.read(knowledge)
    if not isinstance(knowledge, Knowledge):
        raise PlackettError(f"knowledge is {type(knowledge).__name__}: a plackett.Knowledge is needed, or the path of a file")
    return knowledge.to_json() if knowledge._given() else None


def _listed(values: Any, what: str) -> list[Any]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise PlackettError(f"{what} is {values!r}: a list is needed")
    return list(values)


def _names(values: Any, what: str) -> list[str]:
    names = _listed(values, what)
    for name in names:
        if not isinstance(name, str):
            raise PlackettError(f"{what} has {name!r}: names of columns are needed")
    return names


def _pairs(values: Any, what: str) -> list[tuple[str, str]]:
    pairs = []
    for pair in _listed(values, what):
        names = _names(pair, what)
        if len(names) != 2:
            raise PlackettError(f"{what} has {pair!r}: pairs of names are needed, the cause and the effect")
        pairs.append((names[0], names[1]))
    return pairs


def _tier(tier: Any) -> list[str] | dict[str, Any]:
    if not isinstance(tier, Mapping):
        return _names(tier, "tiers")
    if set(tier) - {"columns", "within"} or "columns" not in tier:
        raise PlackettError(f"tiers has {dict(tier)!r}: a tier has columns, and within")
    columns = _names(tier["columns"], "tiers")
    return columns if tier.get("within", True) else {"columns": columns, "within": False}
