"""Data to learn from: files, arrays and frames, brought into columns for the one reader that the program has too.

What a column is told by its type is honored: pandas and polars categories and booleans are categories. Numbers and texts are
what they look like: see :func:`plackett.learn_dag`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plackett import _plackett
from plackett._models import DiscreteData
from plackett._plackett import PlackettError

Kind: TypeAlias = Literal["auto", "continuous", "discrete"]
ColumnKind: TypeAlias = Literal["numbers", "categories"]
Missing: TypeAlias = Literal["error", "drop", "em", "category"]
Discretize: TypeAlias = Literal["quantile", "equal-width"]

_KINDS = ("auto", "continuous", "discrete")
_COLUMN_KINDS = ("numbers", "categories")
_TRUTH = ["False", "True"]
_MISSING = np.uint32(_plackett.Data.MISSING)

_Column: TypeAlias = "tuple[str, NDArray[np.float64]] | tuple[str, list[str], NDArray[np.uint32], bool]"


@dataclass(frozen=True)
class Reading:
    """How to read data, as :func:`plackett.learn_dag` takes it."""

    kind: Kind = "auto"
    kinds: Mapping[str, ColumnKind] | None = None
    columns: Sequence[str] | None = None
    drop: Sequence[str] | None = None
    na: Sequence[str] | None = None
    missing: Missing = "error"
    delimiter: str | None = None
    decimal_comma: bool | None = None
    header: bool | None = None
    discretize: Discretize | None = None
    bins: int | None = None
    lean: Kind | None = None

    def settings(self, centering: str) -> dict[str, Any]:
        """The same for the native half."""
        if self.kind not in _KINDS:
            raise PlackettError(f"kind is {self.kind!r}: it must be one of {', '.join(_KINDS)}")
        kinds = dict(self.kinds or {})
        for name, kind in kinds.items():
            if kind not in _COLUMN_KINDS:
                raise PlackettError(f"kinds[{name!r}] is {kind!r}: it must be one of {', '.join(_COLUMN_KINDS)}")
        for what in ("delimiter", "missing", "discretize"):
            value = getattr(self, what)
            if value is not None and not isinstance(value, str):
                raise PlackettError(f"{what} is {value!r}: a word is needed")
        return {
            "delimiter": self.delimiter,
            "decimal_comma": self.decimal_comma,
            "header": self.header,
            "columns": _names(self.columns, "columns"),
            "drop": _names(self.drop, "drop") or [],
            "kind": None if self.kind == "auto" else self.kind,
            "categorical": [str(name) for name, kind in kinds.items() if kind == "categories"],
            "numeric": [str(name) for name, kind in kinds.items() if kind == "numbers"],
            "na": _names(self.na, "na"),
            "missing": self.missing,
            "lean": self.lean,
            "discretize": self.discretize,
            "bins": self.bins,
            "centering": centering,
        }

    def is_wanted(self, name: str) -> bool:
        """Whether a column of this name is to be read."""
        return (self.columns is None or name in map(str, self.columns)) and name not in map(str, self.drop or ())


def to_data(data: Any, reading: Reading, names: Sequence[str] | None, centering: str) -> _plackett.Data:
    """Data of any form that is understood; ``centering`` is for numbers."""
    settings = reading.settings(centering)
    if isinstance(data, str | os.PathLike):
        if names is not None:
            raise PlackettError("names are for arrays and frames: a file has its own, or none with header=False")
        return _plackett.Data.read(os.fspath(data), settings)
    if isinstance(data, DiscreteData):
        if reading.kind == "continuous":
            raise PlackettError('the data are categories; kind="continuous" does not fit')
        settings["kind"] = "discrete"
    return _plackett.Data.from_columns(to_columns(data, reading, names), settings)


def to_columns(data: Any, reading: Reading, names: Sequence[str] | None) -> list[_Column]:
    """The columns of an array or a frame; of those that are not wanted, the names and nothing else."""
    if isinstance(data, DiscreteData):
        labels, makers = list(data.names), [_of_states(data, name, place) for place, name in enumerate(data.names)]
    elif isinstance(data, Mapping):
        labels, makers = [str(name) for name in data], [_of_array(column) for column in data.values()]
    elif isinstance(data, np.ndarray | list | tuple):
        labels, makers = _of_matrix(data)
    else:
        labels, makers = _of_frame(data)
    if names is not None:
        if len(names) != len(labels):
            raise PlackettError(f"{len(names)} names for {len(labels)} columns")
        labels = [str(name) for name in names]
    columns: list[_Column] = []
    for name, make in zip(labels, makers, strict=True):
        # What is not wanted need not be understood.
        columns.append(_as_told(make(name), reading) if reading.is_wanted(name) else (name, np.zeros(0)))
    rows = max((len(column[-1] if len(column) == 2 else column[2]) for column in columns), default=0)
    if rows == 0:
        raise PlackettError("the data are empty: at least two rows and two columns are needed")
    columns = [column if reading.is_wanted(column[0]) else (column[0], np.zeros(rows)) for column in columns]
    for column in columns:
        found = len(column[1]) if len(column) == 2 else len(column[2])
        if found != rows:
            raise PlackettError(f'column "{column[0]}" has {found} rows, others {rows}: all must be of one length')
    return columns


def _as_told(column: _Column, reading: Reading) -> _Column:
    """Truth values as 0 and 1, if they are said to be numbers."""
    kind = dict(reading.kinds or {}).get(column[0], "numbers" if "continuous" in (reading.kind, reading.lean) else "categories")
    if len(column) == 2 or column[1] != _TRUTH or not column[3] or kind != "numbers":
        return column
    codes = column[2]
    return column[0], np.where(codes == _MISSING, np.nan, codes.astype(np.float64))


def _names(names: Sequence[str] | None, what: str) -> list[str] | None:
    if names is None:
        return None
    if isinstance(names, str):
        raise PlackettError(f"{what} is {names!r}: a list is needed")
    return [str(name) for name in names]


_Maker: TypeAlias = Callable[[str], _Column]


def _of_states(data: DiscreteData, name: str, place: int) -> _Maker:
    return lambda label: (label, list(data.states[name]), data.codes[:, place].astype(np.uint32), True)


def _of_array(array: Any) -> _Maker:
    return lambda name: _to_column(name, np.ma.asarray(array) if isinstance(array, np.ma.MaskedArray) else np.asarray(array))


def _of_matrix(data: Any) -> tuple[list[str], list[_Maker]]:
    try:
        array = data if isinstance(data, np.ma.MaskedArray) else np.asarray(data)
    except (TypeError, ValueError) as error:
        raise PlackettError(f"data is no array: {error}") from None
    if array.ndim != 2:
        raise PlackettError(f"data has the shape {array.shape}: rows and columns are needed")
    labels = [f"x{column + 1}" for column in range(array.shape[1])]
    return labels, [_of_array(array[:, place]) for place in range(array.shape[1])]


def _of_frame(data: Any) -> tuple[list[str], list[_Maker]]:
    import narwhals as nw

    try:
        frame = nw.from_native(data)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        labels = [str(name) for name in frame.columns]
    except TypeError:
        raise PlackettError(
            f"data is of the type {type(data).__name__}: an array, a data frame, a dictionary of columns, or the path of a "
            "file is needed"
        ) from None
    except nw.exceptions.NarwhalsError as error:
        raise PlackettError(" ".join(str(error).split())) from None
    return labels, [_of_series(frame[name]) for name in frame.columns]


def _of_series(series: Any) -> _Maker:
    return lambda name: _series_column(name, series)


def _series_column(name: str, series: Any) -> _Column:
    import narwhals as nw

    missing = series.is_null().to_numpy()
    dtype = series.dtype
    if dtype.is_numeric():
        filled = series.fill_null(0) if missing.any() else series
        values = np.array(filled.to_numpy(), dtype=np.float64)
        values[missing] = np.nan
        return name, values
    if dtype == nw.Boolean:
        filled = series.fill_null(False) if missing.any() else series
        return _labeled(name, list(_TRUTH), np.asarray(filled.to_numpy(), dtype=np.bool_), missing, True)
    if dtype in (nw.Categorical, nw.Enum):
        native = series.to_native()
        if hasattr(native, "cat") and hasattr(native.cat, "codes"):
            labels = [_text(level) for level in native.cat.categories.tolist()]
            return _labeled(name, labels, np.asarray(native.cat.codes), missing, True)
        texts = np.where(missing, "", np.asarray(series.cast(nw.String).to_numpy(), dtype=object)).astype(str)
        labels = list(dtype.categories) if dtype == nw.Enum else np.unique(texts[~missing]).tolist()
        order = np.argsort(labels)
        places = np.searchsorted(np.array(labels)[order], texts) if labels else np.zeros(len(texts), dtype=int)
        codes = order[np.minimum(places, len(labels) - 1)] if labels else places
        return _labeled(name, labels, codes, missing, True)
    if dtype in (nw.String, nw.Object):
        values = np.asarray(series.to_numpy(), dtype=object).copy()
        values[missing] = None
        return _to_column(name, values)
    raise PlackettError(
        f'column "{name}" has the type {dtype}: numbers, words or categories are needed (drop=["{name}"] leaves it out)'
    )


def _to_column(name: str, array: NDArray[Any]) -> _Column:
    """A column of numbers, of truth values, or of texts."""
    if array.ndim != 1:
        raise PlackettError(f'column "{name}" has the shape {array.shape}: all must be lists of one length')
    masked = np.ma.getmaskarray(array)
    values = np.ma.getdata(array)
    if values.dtype.kind == "b":
        return _labeled(name, list(_TRUTH), values, masked, True)
    if values.dtype.kind in "fiu":
        numbers = np.array(values, dtype=np.float64)
        numbers[masked] = np.nan
        return name, numbers
    if values.dtype.kind == "U":
        return _texts(name, values, masked)
    if values.dtype.kind != "O":
        raise PlackettError(f'column "{name}" has the type {values.dtype}: numbers, words or categories are needed')
    missing = masked | np.array([value is None or value != value for value in values], dtype=bool)
    there = values[~missing]
    if len(there) and all(isinstance(value, bool | np.bool_) for value in there):
        return _labeled(name, list(_TRUTH), np.where(missing, False, values).astype(bool), missing, True)
    if all(isinstance(value, int | float | np.integer | np.floating | np.bool_) for value in there):
        return name, np.where(missing, np.nan, values).astype(np.float64)
    if not all(isinstance(value, str | int | float | np.integer | np.floating | np.bool_) for value in there):
        raise PlackettError(f'column "{name}" holds things that are neither numbers nor words')
    return _texts(name, np.where(missing, "", values).astype(str), missing)


def _texts(name: str, values: NDArray[np.str_], missing: NDArray[np.bool_]) -> _Column:
    texts, codes = np.unique(np.char.strip(values), return_inverse=True)
    return _labeled(name, texts.tolist(), codes.reshape(-1), missing, False)


def _labeled(name: str, labels: list[str], codes: NDArray[Any], missing: NDArray[np.bool_], is_typed: bool) -> _Column:
    return name, labels, np.where(missing, _MISSING, codes).astype(np.uint32), is_typed


def _text(level: Any) -> str:
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)
