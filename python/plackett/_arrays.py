"""Arguments in one form: contiguous arrays of doubles or of 64-bit integers, without a copy where they are so already."""

from __future__ import annotations

import numbers
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plackett._plackett import PlackettError

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.floating[Any]]
Seed: TypeAlias = SupportsIndex | np.random.Generator | None

_Entry = TypeVar("_Entry", bound=np.generic)

_LARGEST_COUNT = 2**64 - 1


def to_floats(value: ArrayLike, what: str) -> Floats:
    """The numbers of an array-like value."""
    array = _of_objects(_to_array(value, what), numbers.Real, np.float64, what)
    if array.dtype.kind not in "fiub":
        raise PlackettError(f"{what} has the type {array.dtype}: numbers are needed")
    return np.asarray(array, dtype=np.float64, order="C")


def to_numbers(value: ArrayLike, what: str) -> Numbers:
    """The numbers of an array-like value as they are, float32 or float64; whatever else is made float64."""
    array = _to_array(value, what)
    return np.asarray(array, order="C") if array.dtype == np.float32 else to_floats(array, what)


def to_items(value: ArrayLike, what: str) -> Integers:
    """The items of an array-like value; an empty one may be of any type."""
    array = _of_objects(_to_array(value, what), numbers.Integral, np.int64, what)
    if array.size > 0 and array.dtype.kind not in "iu":
        raise PlackettError(f"{what} has the type {array.dtype}: items are whole numbers that count from 0")
    if array.dtype == np.uint64 and array.size > 0 and array.max() > np.iinfo(np.int64).max:
        raise PlackettError(f"{what} has the item {array.max()}, which does not exist")
    return np.asarray(array, dtype=np.int64, order="C")


def to_rows(array: NDArray[_Entry], columns: int) -> NDArray[_Entry]:
    """All leading dimensions as one; works for batches of nothing too."""
    count = 1
    for length in array.shape[:-1]:
        count *= length
    return array.reshape(count, columns)


def to_count(value: SupportsIndex, what: str, least: int = 0) -> int:
    """A whole number that is large enough."""
    try:
        count = operator.index(value)
    except TypeError:
        raise PlackettError(f"{what} is {value!r}: a whole number is needed") from None
    if count < least:
        raise PlackettError(f"{what} is {count}: at least {least} is needed")
    if count > _LARGEST_COUNT:
        raise PlackettError(f"{what} is too large")
    return count


def to_number(value: float, what: str) -> float:
    """A number that is not a text of one."""
    if isinstance(value, str | bytes):
        raise PlackettError(f"{what} is {value!r}: a number is needed")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise PlackettError(f"{what} is {value!r}: a number is needed") from None


def to_seed(seed: Seed) -> int:
    """A seed of the random streams: as it is given, drawn from a generator, or fresh."""
    if seed is None:
        return int.from_bytes(os.urandom(8), "little")
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(0, _LARGEST_COUNT, dtype=np.uint64, endpoint=True))
    return to_count(seed, "seed")


def _to_array(value: ArrayLike, what: str) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        count = int(np.ma.getmaskarray(value).sum())
        raise PlackettError(f"{what} is masked at {count} places: every value is needed, so fill them first (.filled(...))")
    if hasattr(value, "toarray"):
        raise PlackettError(f"{what} is a sparse {type(value).__name__}: pass {what}.toarray()")
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:
        raise PlackettError(f"{what} is no array: {error}") from None


def to_windows(windows: Mapping[int, Sequence[SupportsIndex]] | None) -> list[tuple[int, int, int]]:
    """Items with their first and last ranks."""
    try:
        pairs = [(item, *window) for item, window in (windows or {}).items()]
        return [(to_count(item, "ranks"), to_count(first, "ranks"), to_count(last, "ranks")) for item, first, last in pairs]
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, PlackettError):
            raise
        raise PlackettError("ranks must be a dictionary from items to pairs of a first and a last rank") from None


def _of_objects(array: NDArray[Any], kind: type, dtype: type[np.generic], what: str) -> NDArray[Any]:
    """Objects that are all numbers of a kind as these, such as pandas' nullable ones without a missing value."""
    if array.dtype.kind != "O" or not all(isinstance(entry, kind) for entry in array.flat):
        return array
    try:
        return array.astype(dtype)
    except OverflowError:
        raise PlackettError(f"{what} has a number that is too large") from None


def to_pairs(pairs: Iterable[Sequence[SupportsIndex]], what: str) -> list[tuple[int, int]]:
    """Pairs of whole numbers."""
    try:
        return [(to_count(a, what), to_count(b, what)) for a, b in pairs]
    except (TypeError, ValueError) as error:
        if isinstance(error, PlackettError):
            raise
        raise PlackettError(f"{what} must be pairs of whole numbers") from None
