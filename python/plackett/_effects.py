"""Effects of one column on another, and what they rest on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from plackett._arrays import to_number
from plackett._plackett import PlackettError

Adjustment: TypeAlias = Literal["optimal", "parents", "minimal"]

_ADJUSTMENTS = ("optimal", "parents", "minimal")


@dataclass(frozen=True)
class EffectValue:
    """A value that an effect has in some graphs of a class. See :class:`Effect`.

    >>> import plackett
    >>> model = plackett.simulate_sem(5, degree=2, seed=1)
    >>> found = model.graph.effect("x1", "x4", model.sample(500, seed=0))
    >>> found.values[0].effect == found.effect
    True
    """

    effect: float
    """The effect."""
    standard_error: float
    """Its standard error."""
    low: float
    """The lower end of its interval."""
    high: float
    """The upper end."""
    adjustment: tuple[str, ...]
    """What was adjusted for."""
    is_absent: bool
    """Whether it is zero because the cause does not lead to the outcome in these graphs."""
    rows: float
    """The rows that it rests on."""
    unsupported: float
    """The share of rows whose stratum never has one of the two states of the cause."""
    levels: dict[str, dict[str | None, tuple[float, float, float]]]
    """For each state of a category that is the cause what is expected once it is set so: the probability of each state of the outcome,
    or its mean (under ``None``), each as (value, low, high)."""


@dataclass(frozen=True)
class Effect:
    """How much an outcome changes when a cause is set from outside. Made by :meth:`plackett.Graph.effect`.

    >>> import plackett
    >>> model = plackett.simulate_sem(5, degree=2, seed=1)
    >>> found = model.graph.effect("x1", "x4", model.sample(500, seed=0))
    >>> found.low <= found.effect <= found.high
    True
    """

    cause: str
    """The column that is set."""
    outcome: str
    """The column that is looked at."""
    meaning: str
    """What the effect is, in words."""
    effect: float | None
    """The effect, or ``None`` if the graphs of the class have several: see ``values``."""
    low: float
    """The lower end of the interval: of several values, the lowest of theirs."""
    high: float
    """The upper end."""
    level: float
    """The level of intervals."""
    adjustment: tuple[str, ...] | None
    """What was adjusted for, if it is the same in all graphs of the class."""
    values: tuple[EffectValue, ...]
    """The distinct values that graphs of the class give, ascending."""
    change: tuple[str, str] | None
    """The states that the cause goes from and to, if it is a category."""
    state: str | None
    """The state of the outcome whose probability is looked at, if it is a category."""
    resampling: dict[str, Any] | None
    """What resamples say, if they were asked: ``replicates``, ``low`` and ``high``, and the shares of them in which there is no effect
    (``absent``) and in which the class gives several values (``open``). ``low`` and ``high`` of the effect are then theirs."""

    def __str__(self) -> str:
        found = f"{len(self.values)} values" if self.effect is None else f"{self.effect:.4g}"
        return f"{self.meaning}: {found}, {100 * self.level:.3g} % interval {self.low:.4g} to {self.high:.4g}"


def question(
    cause: str,
    outcome: str,
    change: tuple[str, str] | None,
    state: str | None,
    adjustment: Adjustment,
    level: float,
) -> dict[str, Any]:
    """What is asked, for the native half."""
    if adjustment not in _ADJUSTMENTS:
        raise PlackettError(f"adjustment is {adjustment!r}: it must be one of {', '.join(_ADJUSTMENTS)}")
    if change is not None and (isinstance(change, str) or len(change) != 2):
        raise PlackettError(f"change is {change!r}: two states (from, to) are needed")
    return {
        "cause": str(cause),
        "outcome": str(outcome),
        "change": None if change is None else (str(change[0]), str(change[1])),
        "state": None if state is None else str(state),
        "adjustment": adjustment,
        "level": to_number(level, "level"),
    }


def to_effect(text: str) -> Effect:
    """The answer of the native half."""
    found = json.loads(text)
    change = found.get("change")
    adjustment = found["adjustment"]
    return Effect(
        cause=found["cause"],
        outcome=found["outcome"],
        meaning=found["meaning"],
        effect=found["effect"],
        low=found["low"],
        high=found["high"],
        level=found["level"],
        adjustment=None if adjustment is None else tuple(adjustment),
        values=tuple(map(_to_value, found["values"])),
        change=None if change is None else (change[0], change[1]),
        state=found.get("state"),
        resampling=found.get("resampling"),
    )


def _to_value(value: dict[str, Any]) -> EffectValue:
    levels = {
        level["cause"]: {
            expected.get("state"): (expected["value"], expected["low"], expected["high"]) for expected in level["expected"]
        }
        for level in value.get("levels", ())
    }
    plain = {name: value[name] for name in ("effect", "standard_error", "low", "high", "is_absent", "rows")}
    return EffectValue(
        **plain, adjustment=tuple(value["adjustment"]), unsupported=value.get("unsupported", 0.0), levels=levels
    )
