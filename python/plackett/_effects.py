"""Effects of one column on another, or of several together, and what they rest on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
        return _shown(self)


@dataclass(frozen=True)
class EffectPart:
    """What one of several causes does while the others are held. See :class:`JointEffect`.

    >>> import plackett
    >>> model = plackett.simulate_sem(5, degree=2, seed=1)
    >>> found = model.graph.effect(["x1", "x3"], "x4", model.sample(500, seed=0))
    >>> all(part.low < part.effect < part.high for part in found.values[0].parts.values() if part.standard_error > 0)
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


@dataclass(frozen=True)
class JointValue:
    """A value that the effect of several causes has in some graphs of a class. See :class:`JointEffect`.

    >>> import plackett
    >>> model = plackett.simulate_sem(5, degree=2, seed=1)
    >>> found = model.graph.effect(["x1", "x3"], "x4", model.sample(500, seed=0))
    >>> found.values[0].low <= found.values[0].effect <= found.values[0].high
    True
    """

    effect: float
    """The effect of changing all causes together."""
    standard_error: float
    """Its standard error."""
    low: float
    """The lower end of its interval."""
    high: float
    """The upper end."""
    parts: dict[str, EffectPart]
    """For each cause what it does alone while the others are held: numbers wherever they are, categories at the states that they would be
    changed from."""
    parents: dict[str, tuple[str, ...]]
    """The parents that each cause has in these graphs."""
    is_absent: bool
    """Whether it is zero because no cause leads to the outcome in these graphs."""
    rows: float
    """The rows that the outcome's own regression or table rests on."""
    unsupported: float
    """The largest share of cases, once the causes are set, in which a column's parents are as they are in no row."""
    levels: dict[tuple[str, ...], dict[str, tuple[float, float, float]]]
    """For each combination of states of causes that are categories, if all columns concerned are, the probability of each state of the
    outcome as (value, low, high)."""


@dataclass(frozen=True)
class JointEffect:
    """How much an outcome changes when several causes are set from outside together. Made by :meth:`plackett.Graph.effect`.

    >>> import plackett
    >>> model = plackett.simulate_sem(5, degree=2, seed=1)
    >>> found = model.graph.effect(["x1", "x3"], "x4", model.sample(500, seed=0))
    >>> abs(found.effect - sum(part.effect for part in found.values[0].parts.values())) < 1e-9
    True
    """

    causes: tuple[str, ...]
    """The columns that are set."""
    outcome: str
    """The column that is looked at."""
    meaning: str
    """What the effect is, in words."""
    effect: float | None
    """The effect of changing all causes together, or ``None`` if the graphs of the class have several: see ``values``."""
    low: float
    """The lower end of the interval: of several values, the lowest of theirs."""
    high: float
    """The upper end."""
    level: float
    """The level of intervals."""
    values: tuple[JointValue, ...]
    """The distinct values that graphs of the class give, ascending."""
    changes: dict[str, tuple[str, str]]
    """The states that causes go from and to which are categories."""
    state: str | None
    """The state of the outcome whose probability is looked at, if it is a category."""
    resampling: dict[str, Any] | None
    """What resamples say, if they were asked: as of :class:`Effect`."""

    def __str__(self) -> str:
        return _shown(self)


def _shown(found: Effect | JointEffect) -> str:
    value = f"{len(found.values)} values" if found.effect is None else f"{found.effect:.4g}"
    return f"{found.meaning}: {value}, {100 * found.level:.3g} % interval {found.low:.4g} to {found.high:.4g}"


def question(
    cause: str | Sequence[str],
    outcome: str,
    change: tuple[str, str] | Mapping[str, tuple[str, str]] | None,
    state: str | None,
    adjustment: Adjustment | None,
    level: float,
) -> dict[str, Any]:
    """What is asked, for the native half."""
    if adjustment is not None and adjustment not in _ADJUSTMENTS:
        raise PlackettError(f"adjustment is {adjustment!r}: it must be one of {', '.join(_ADJUSTMENTS)}")
    is_joint = not isinstance(cause, str)
    causes = [str(name) for name in cause] if is_joint else [str(cause)]
    if is_joint and adjustment is not None:
        raise PlackettError("adjustment is for one cause: for several, one set need not do, and all between them and the outcome is fitted")
    if is_joint and change is not None and not isinstance(change, Mapping):
        raise PlackettError(f"change is {change!r}: with several causes a dict is needed, with two states (from, to) for each cause")
    listed = change if isinstance(change, Mapping) else {} if change is None else {causes[0]: change}
    for states in listed.values():
        if isinstance(states, str) or len(states) != 2:
            raise PlackettError(f"change is {states!r}: two states (from, to) are needed")
    return {
        "causes": causes,
        "is_joint": is_joint,
        "outcome": str(outcome),
        "changes": [(str(name), str(start), str(end)) for name, (start, end) in listed.items()],
        "state": None if state is None else str(state),
        "adjustment": adjustment or _ADJUSTMENTS[0],
        "level": to_number(level, "level"),
    }


def to_effect(text: str) -> Effect | JointEffect:
    """The answer of the native half."""
    found = json.loads(text)
    if "causes" in found:
        return _to_joint(found)
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


def _to_joint(found: dict[str, Any]) -> JointEffect:
    causes = tuple(found["causes"])
    changes = zip(causes, found["changes"], strict=True)
    return JointEffect(
        causes=causes,
        values=tuple(_to_joint_value(causes, value) for value in found["values"]),
        changes={cause: (change[0], change[1]) for cause, change in changes if change is not None},
        state=found.get("state"),
        resampling=found.get("resampling"),
        **{name: found[name] for name in ("outcome", "meaning", "effect", "low", "high", "level")},
    )


def _to_joint_value(causes: tuple[str, ...], value: dict[str, Any]) -> JointValue:
    levels = {
        tuple(level["causes"]): {
            expected["state"]: (expected["value"], expected["low"], expected["high"]) for expected in level["expected"]
        }
        for level in value.get("levels", ())
    }
    plain = {name: value[name] for name in ("effect", "standard_error", "low", "high", "is_absent", "rows")}
    return JointValue(
        **plain,
        parts={cause: EffectPart(**part) for cause, part in zip(causes, value["parts"], strict=True)},
        parents={cause: tuple(parents) for cause, parents in zip(causes, value["parents"], strict=True)},
        unsupported=value.get("unsupported", 0.0),
        levels=levels,
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
