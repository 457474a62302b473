"""Data to learn from: arrays and frames, taken for numbers or for categories by the rules that the program has for files.

A column holds categories if it holds words, or at most 20 different whole numbers; data are discrete if every column does,
unless some column of numbers hardly has one twice. Anything else that is numeric is continuous.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plackett import _plackett
from plackett._arrays import Floats
from plackett._models import DiscreteData
from plackett._plackett import PlackettError

Kind: TypeAlias = Literal["auto", "continuous", "discrete"]

_KINDS = ("auto", "continuous", "discrete")
_MOST_WHOLE_NUMBERS = 20
_MOST_CATEGORIES = 256
_LARGEST_WHOLE_NUMBER = 2.0**53
# Most measurements show what they are in their first rows, and need not be sorted.
_FIRST_LOOK = 1000


@dataclass(frozen=True)
class Observations:
    """Data in the form that the native half takes, and how they came to it."""

    names: tuple[str, ...]
    native: _plackett.Data
    kind: Literal["continuous", "discrete"]
    kind_choice: str | None
    """Why they were taken for numbers or for categories, if it was not said."""


@dataclass(frozen=True)
class _Column:
    """A column of numbers, or of texts."""

    name: str
    values: NDArray[Any]

    @property
    def is_numeric(self) -> bool:
        return self.values.dtype.kind in "fiub"

    def few_whole_numbers(self) -> int | None:
        """How many different whole numbers it has, if it has nothing else and they are few."""
        for values in (self.values[:_FIRST_LOOK], self.values):
            different = np.unique(values)
            is_whole = (different == np.floor(different)) & (abs(different) <= _LARGEST_WHOLE_NUMBER)
            if not is_whole.all() or len(different) > _MOST_WHOLE_NUMBERS:
                return None
        return len(different)

    def is_whole(self) -> bool:
        return bool((self.values == np.floor(self.values)).all())


def to_observations(data: Any, *, kind: Kind, names: Sequence[str] | None, centering: str) -> Observations:
    """Data of any form that is understood; ``centering`` is for numbers."""
    if kind not in _KINDS:
        raise PlackettError(f"kind is {kind!r}: it must be one of {', '.join(_KINDS)}")
    if isinstance(data, DiscreteData):
        return _of_states(data, kind, names)
    columns = _to_columns(data, names)
    _check_shape(columns)
    is_discrete, reason = (kind == "discrete", None) if kind != "auto" else _detect(columns)
    labels = tuple(column.name for column in columns)
    if is_discrete:
        levels, codes = zip(*(_to_codes(column) for column in columns), strict=True)
        native = _plackett.Data.categories(list(labels), list(levels), np.stack(codes))
        return Observations(labels, native, "discrete", reason)
    for column in columns:
        if not column.is_numeric:
            raise PlackettError(f'column "{column.name}" holds words, and numbers are needed')
    if isinstance(data, np.ndarray) and data.dtype == np.float64 and data.flags.c_contiguous:
        values: Floats = data
    else:
        values = np.empty((len(columns[0].values), len(columns)))
        for place, column in enumerate(columns):
            values[:, place] = column.values
    return Observations(labels, _plackett.Data.numbers(list(labels), values, centering), "continuous", reason)


def _detect(columns: list[_Column]) -> tuple[bool, str]:
    counts = [column.few_whole_numbers() if column.is_numeric else None for column in columns]
    words = [column for column in columns if not column.is_numeric]
    measured = [column for column, count in zip(columns, counts, strict=True) if column.is_numeric and count is None]
    if words and measured:
        text = ", ".join(f'"{column.name}"' for column in words)
        numbers = ", ".join(f'"{column.name}"' for column in measured)
        raise PlackettError(
            f"data must hold categories only or numbers only: {text} hold words, {numbers} hold measurements; "
            'leave some out, or put the numbers into groups and say kind="discrete"'
        )
    if measured:
        first = measured[0]
        what = f"more than {_MOST_WHOLE_NUMBERS} different numbers" if first.is_whole() else "numbers that are not whole"
        return False, f'column "{first.name}" holds {what}'
    for column, count in zip(columns, counts, strict=True):
        if not words and count is not None and 2 * count > len(column.values):
            return False, f'column "{column.name}" hardly has a number twice'
    most = max((count for count in counts if count is not None), default=None)
    parts = ["words"] if words else []
    if most is not None:
        parts.append(f"at most {most} different whole number{'' if most == 1 else 's'}")
    return True, f"every column holds {' or '.join(parts)}"


def _of_states(data: DiscreteData, kind: Kind, names: Sequence[str] | None) -> Observations:
    if kind == "continuous":
        raise PlackettError('the data are categories; kind="continuous" does not fit')
    labels = data.names if names is None else tuple(map(str, names))
    if len(labels) != len(data.names):
        raise PlackettError(f"{len(labels)} names for {len(data.names)} columns")
    _check_names(labels)
    if len(labels) < 2 or len(data) < 2:
        raise PlackettError(f"{len(data)} rows and {len(labels)} columns: at least two of each are needed")
    levels = [list(data.states[name]) for name in data.names]
    native = _plackett.Data.categories(list(labels), levels, np.ascontiguousarray(data.codes.T))
    return Observations(labels, native, "discrete", None)


def _check_shape(columns: list[_Column]) -> None:
    if not columns or len(columns[0].values) == 0:
        raise PlackettError("the data are empty: at least two rows and two columns are needed")
    if len(columns) == 1:
        raise PlackettError(f'"{columns[0].name}" is the only column; a graph needs at least two')
    if len(columns[0].values) == 1:
        raise PlackettError("there is only one row; nothing can be learned from it")
    for column in columns:
        if column.is_numeric and not np.isfinite(column.values).all():
            row = int(np.flatnonzero(~np.isfinite(column.values))[0])
            value = column.values[row]
            what = "missing" if np.isnan(value) else f"{value}"
            raise PlackettError(f'row {row}, column "{column.name}": the value is {what}; only finite numbers are allowed')


def _check_names(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise PlackettError(f'two columns are named "{name}"')
        seen.add(name)


def _to_columns(data: Any, names: Sequence[str] | None) -> list[_Column]:
    if isinstance(data, Mapping):
        labels, arrays = [str(name) for name in data], [np.asarray(column) for column in data.values()]
    elif isinstance(data, np.ndarray | list | tuple):
        labels, arrays = _of_array(data)
    else:
        labels, arrays = _of_frame(data)
    if names is not None:
        if len(names) != len(arrays):
            raise PlackettError(f"{len(names)} names for {len(arrays)} columns")
        labels = [str(name) for name in names]
    _check_names(labels)
    columns = [_Column(name, _plain(name, array)) for name, array in zip(labels, arrays, strict=True)]
    for column in columns:
        if column.values.ndim != 1 or len(column.values) != len(columns[0].values):
            raise PlackettError(f'column "{column.name}" has the shape {column.values.shape}: all must be lists of one length')
    return columns


def _of_array(data: Any) -> tuple[list[str], list[NDArray[Any]]]:
    try:
        array = np.asarray(data)
    except (TypeError, ValueError) as error:
        raise PlackettError(f"data is no array: {error}") from None
    if array.ndim != 2:
        raise PlackettError(f"data has the shape {array.shape}: rows and columns are needed")
    return [f"x{column + 1}" for column in range(array.shape[1])], list(array.T)


def _of_frame(data: Any) -> tuple[list[str], list[NDArray[Any]]]:
    import narwhals as nw

    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise PlackettError(
            f"data is of the type {type(data).__name__}: an array, a data frame, or a dictionary of columns is needed"
        ) from None
    except nw.exceptions.NarwhalsError as error:
        raise PlackettError(" ".join(str(error).split())) from None
    arrays = []
    for name in frame.columns:
        series = frame[name]
        missing = series.is_null().to_numpy()
        if missing.any():
            raise PlackettError(f'row {int(np.flatnonzero(missing)[0])}, column "{name}": the value is missing')
        dtype = series.dtype
        if dtype.is_numeric():
            arrays.append(np.asarray(series.to_numpy(), dtype=np.float64))
        elif dtype == nw.Boolean:
            arrays.append(np.asarray(series.to_numpy(), dtype=np.bool_))
        elif dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object):
            arrays.append(np.asarray(series.to_numpy(), dtype=object))
        else:
            raise PlackettError(f'column "{name}" has the type {dtype}: numbers, words or categories are needed')
    return [str(name) for name in frame.columns], arrays


def _plain(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Numbers as numbers, everything else as texts."""
    if array.dtype.kind == "O":
        for row, value in enumerate(array):
            if value is None or isinstance(value, float) and np.isnan(value):
                raise PlackettError(f'row {row}, column "{name}": the value is missing')
        if all(isinstance(value, int | float | np.integer | np.floating | np.bool_) for value in array):
            return array.astype(np.float64)
        if not all(isinstance(value, str | int | float | np.integer | np.floating | np.bool_) for value in array):
            raise PlackettError(f'column "{name}" holds things that are neither numbers nor words')
        return array.astype(str)
    if array.dtype.kind not in "fiubU":
        raise PlackettError(f'column "{name}" has the type {array.dtype}: numbers, words or categories are needed')
    return array


def _to_codes(column: _Column) -> tuple[list[str], NDArray[np.uint8]]:
    levels, codes = np.unique(column.values, return_inverse=True)
    if len(levels) > _MOST_CATEGORIES:
        raise PlackettError(
            f'column "{column.name}" has {len(levels)} different values, and a column may have {_MOST_CATEGORIES} categories at '
            "most; leave the column out or put its values into groups"
        )
    return [_text(level) for level in levels.tolist()], codes.reshape(-1).astype(np.uint8)


def _text(level: Any) -> str:
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)
