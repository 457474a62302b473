"""What an objective may return: finite numbers, or one finite number."""

from __future__ import annotations

from typing import Any

import numpy as np

from plackett._arrays import Floats, Integers, to_floats
from plackett._plackett import PlackettError


def to_value(value: Any, outcome: Any) -> float:
    """The number that f returned for an outcome."""
    if isinstance(value, str | bytes) or not hasattr(type(value), "__float__") and not hasattr(type(value), "__index__"):
        raise PlackettError(f"f returned {_short(value)} on {_shown(outcome)}: a number is needed")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise PlackettError(f"f returned {_short(value)} on {_shown(outcome)}: a number is needed") from None
    if not np.isfinite(number):
        raise PlackettError(f"f is {number} on {_shown(outcome)}: only finite values can be optimized")
    return number


def to_values(values: Any, outcomes: Integers) -> Floats:
    """The numbers that f returned for a batch of outcomes."""
    numbers = to_floats(values, "the list of values that f returned")
    if numbers.shape != (len(outcomes),):
        raise PlackettError(f"f returned values of shape {numbers.shape} for {len(outcomes)} outcomes")
    if not np.isfinite(numbers).all():
        at = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise PlackettError(f"f is {numbers[at]} on {_shown(outcomes[at])}: only finite values can be optimized")
    return numbers


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _shown(outcome: Any) -> str:
    return np.array2string(np.asarray(outcome), threshold=20, separator=", ")
