"""Data to learn from: files, arrays and frames, brought into columns for the one reader that the program has too.

Data that are not in memory as a whole arrive in batches, and :class:`Statistics` keeps of them what learning needs.

What a column is told by its type is honored: pandas and polars categories and booleans are categories. Numbers and texts are
what they look like: see :func:`plackett.learn_dag`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plackett import _plackett
from plackett._arrays import to_count
from plackett._interventions import Targets, to_targets
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

_Labels: TypeAlias = Literal["texts", "categories", "ordered"]
_Column: TypeAlias = "tuple[str, NDArray[np.float64]] | tuple[str, list[str], NDArray[np.uint32], _Labels]"


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
    memory: int = 1024
    weights: str | None = None
    targets: Targets = Targets()
    is_resampled: bool = False
    is_sample: bool = False

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
            "weights": self.weights,
            **Targets(self.targets.column, self.targets.indicators, None if self.targets.rows is None else ()).settings(None),
            "covariance": None,
            "memory": self.memory,
            "centering": centering,
            "is_resampled": self.is_resampled,
            "is_sample": self.is_sample,
        }

    def is_wanted(self, name: str) -> bool:
        """Whether a column of this name is to be read."""
        is_aside = name == self.weights or name in self.targets.columns()
        is_asked_for = self.columns is None or name in map(str, self.columns)
        return is_aside or is_asked_for and name not in map(str, self.drop or ())


def to_data(
    data: Any,
    reading: Reading,
    names: Sequence[str] | None,
    centering: str,
    weights: Any = None,
    covariance: Any = None,
    interventions: Any = None,
) -> _plackett.Data:
    """Data of any form that is understood; ``centering`` is for numbers."""
    weight_column, reading = _weights(weights, reading)
    reading = replace(reading, targets=to_targets(interventions))
    rows = _covariance_rows(covariance)
    settings = {**reading.settings(centering), "covariance": rows}
    if isinstance(data, Statistics):
        if names is not None:
            raise PlackettError("names are for arrays and frames: statistics have their own")
        return _plackett.Data.of_statistics(data._native, settings)
    if isinstance(data, str | os.PathLike):
        _refuse_for_files(names, weight_column)
        settings |= reading.targets.settings(None)
        return _plackett.Data.read(os.fspath(data), settings)
    if covariance:
        return _of_covariance(data, reading, names, rows or 0, settings)
    return _gathered(data, reading, names, weight_column, settings).data()


def _gathered(
    data: Any, reading: Reading, names: Sequence[str] | None, weight_column: _Column | None, settings: dict[str, Any]
) -> _plackett.Batches:
    """All batches of the data, of which there is one if they are in memory."""
    batches = _batches(data)
    if weight_column is not None and batches is not None:
        raise PlackettError("weights are the name of a column where data come in batches")
    gathered = None
    for part in [data] if batches is None else batches:
        columns = to_columns(part, reading, names)
        if weight_column is not None:
            columns.append(weight_column)
        if gathered is None:
            if isinstance(part, DiscreteData):
                settings = {**settings, "kind": "discrete"}
            if reading.targets.rows is not None:
                settings = {**settings, **reading.targets.settings(_own_names(columns, reading, batches is None))}
            gathered = _plackett.Batches(settings)
        gathered.push(columns)
    if gathered is None:
        raise PlackettError("the data are empty: there is no batch")
    return gathered


def _own_names(columns: list[_Column], reading: Reading, is_whole: bool) -> list[str] | None:
    """The names of the data's columns, which an array of targets may number."""
    if not is_whole:
        return None
    rows = len(columns[0][1] if len(columns[0]) == 2 else columns[0][2])
    told = len(reading.targets.rows or ())
    if told != rows:
        raise PlackettError(f"interventions has {told} entries for {rows} rows")
    return [column[0] for column in columns if column[0] != _WEIGHTS]


def to_columns(data: Any, reading: Reading, names: Sequence[str] | None) -> list[_Column]:
    """The columns of data in memory; of those that are not wanted, the names and nothing else."""
    if isinstance(data, DiscreteData):
        if reading.kind == "continuous":
            raise PlackettError('the data are categories; kind="continuous" does not fit')
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


def is_in_memory(data: Any) -> bool:
    """Whether data are an array or a frame that can be looked at more than once."""
    is_apart = isinstance(data, str | os.PathLike | Statistics | Iterator) or hasattr(data, "collect_batches")
    return not (is_apart or _is_dask(data) or hasattr(data, "__arrow_c_stream__") and _is_stream(data))


def _batches(data: Any) -> Iterable[Any] | None:
    """The parts of data that are not in memory as a whole, one after another; ``None`` for data that are."""
    parts: Iterable[Any] | None = None
    if isinstance(data, Iterator):
        parts = data
    elif hasattr(data, "collect_batches"):
        parts = data.collect_batches()
    elif _is_dask(data):
        parts = (data.get_partition(place).compute() for place in range(data.npartitions))
    elif hasattr(data, "__arrow_c_stream__") and _is_stream(data):
        parts = _pyarrow().RecordBatchReader.from_stream(data)
    return parts


def _is_stream(data: Any) -> bool:
    """Whether Arrow data are no frame in memory: a reader, or a relation that has not been asked for yet."""
    return not hasattr(data, "__len__") or type(data).__module__.partition(".")[0] in ("duckdb", "_duckdb")


def _is_dask(data: Any) -> bool:
    return type(data).__module__.startswith("dask") and hasattr(data, "npartitions")


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise PlackettError("streams of Arrow data are read by pyarrow: pip install pyarrow") from None
    return pyarrow


_WEIGHTS = "weights of the rows"


def _weights(weights: Any, reading: Reading) -> tuple[_Column | None, Reading]:
    """A column of weights, if they are not one of the data, and the reading that knows its name."""
    if weights is None or isinstance(weights, str):
        return None, replace(reading, weights=weights)
    return _of_array(weights)(_WEIGHTS), replace(reading, weights=_WEIGHTS)


def _covariance_rows(covariance: Any) -> int | None:
    """Zero if the data say of how many rows the matrix is."""
    if covariance is None or covariance is False:
        return None
    return 0 if covariance is True else to_count(covariance, "covariance", least=2)


def _refuse_for_files(names: Sequence[str] | None, weight_column: _Column | None) -> None:
    if names is not None:
        raise PlackettError("names are for arrays and frames: a file has its own, or none with header=False")
    if weight_column is not None:
        raise PlackettError("weights are the name of a column where data are in a file")


def _of_covariance(
    data: Any, reading: Reading, names: Sequence[str] | None, rows: int, settings: dict[str, Any]
) -> _plackett.Data:
    if rows == 0:
        raise PlackettError("covariance=True is for files that say of how many rows they are: covariance=N says it here")
    columns = to_columns(data, Reading(), names)
    if any(len(column) != 2 for column in columns):
        raise PlackettError("a covariance matrix holds numbers")
    matrix = np.ascontiguousarray(np.column_stack([column[1] for column in columns])).reshape(-1)
    return _plackett.Data.of_covariance([column[0] for column in columns], matrix, rows, settings)


def _as_told(column: _Column, reading: Reading) -> _Column:
    """Truth values as 0 and 1, if they are said to be numbers."""
    kind = dict(reading.kinds or {}).get(column[0], "numbers" if "continuous" in (reading.kind, reading.lean) else "categories")
    if len(column) == 2 or column[1] != _TRUTH or column[3] == "texts" or kind != "numbers":
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
    return lambda label: (label, list(data.states[name]), data.codes[:, place].astype(np.uint32), "categories")


def _of_array(array: Any) -> _Maker:
    return lambda name: _to_column(name, _as_array(array, f'column "{name}"'))


def _as_array(value: Any, what: str) -> NDArray[Any]:
    """The array of a value, with its mask if it has one."""
    try:
        return value if isinstance(value, np.ma.MaskedArray) else np.asarray(value)
    except (TypeError, ValueError) as error:
        raise PlackettError(f"{what} is no array: {error}") from None


def _of_matrix(data: Any) -> tuple[list[str], list[_Maker]]:
    array = _as_array(data, "data")
    if array.ndim != 2:
        raise PlackettError(f"data has the shape {array.shape}: rows and columns are needed")
    labels = [f"x{column + 1}" for column in range(array.shape[1])]
    return labels, [_of_array(array[:, place]) for place in range(array.shape[1])]


def _of_frame(data: Any) -> tuple[list[str], list[_Maker]]:
    import narwhals as nw

    try:
        if type(data).__name__ == "RecordBatch" or hasattr(data, "__arrow_c_array__"):
            data = _pyarrow().Table.from_batches([_pyarrow().record_batch(data)])
        frame = nw.from_native(data)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        labels = [str(name) for name in frame.columns]
    except TypeError:
        if hasattr(data, "toarray"):
            raise PlackettError(f"data is a sparse {type(data).__name__}: pass data.toarray()") from None
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
        return _labeled(name, list(_TRUTH), np.asarray(filled.to_numpy(), dtype=np.bool_), missing, "categories")
    if dtype in (nw.Categorical, nw.Enum):
        native = series.to_native()
        if hasattr(native, "cat") and hasattr(native.cat, "codes"):
            labels = [_text(level) for level in native.cat.categories.tolist()]
            what: _Labels = "ordered" if native.cat.ordered else "categories"
            return _labeled(name, labels, np.asarray(native.cat.codes), missing, what)
        texts = np.where(missing, "", np.asarray(series.cast(nw.String).to_numpy(), dtype=object)).astype(str)
        labels = list(dtype.categories) if dtype == nw.Enum else np.unique(texts[~missing]).tolist()
        order = np.argsort(labels)
        places = np.searchsorted(np.array(labels)[order], texts) if labels else np.zeros(len(texts), dtype=int)
        codes = order[np.minimum(places, len(labels) - 1)] if labels else places
        return _labeled(name, labels, codes, missing, "ordered" if dtype == nw.Enum else "categories")
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
        return _labeled(name, list(_TRUTH), values, masked, "categories")
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
        return _labeled(name, list(_TRUTH), np.where(missing, False, values).astype(bool), missing, "categories")
    if all(isinstance(value, int | float | np.integer | np.floating | np.bool_) for value in there):
        return name, np.where(missing, np.nan, values).astype(np.float64)
    if not all(isinstance(value, str | int | float | np.integer | np.floating | np.bool_) for value in there):
        raise PlackettError(f'column "{name}" holds things that are neither numbers nor words')
    return _texts(name, np.where(missing, "", values).astype(str), missing)


def _texts(name: str, values: NDArray[np.str_], missing: NDArray[np.bool_]) -> _Column:
    texts, codes = np.unique(np.char.strip(values), return_inverse=True)
    return _labeled(name, texts.tolist(), codes.reshape(-1), missing, "texts")


def _labeled(name: str, labels: list[str], codes: NDArray[Any], missing: NDArray[np.bool_], what: _Labels) -> _Column:
    return name, labels, np.where(missing, _MISSING, codes).astype(np.uint32), what


def _text(level: Any) -> str:
    return str(int(level)) if isinstance(level, float) and level.is_integer() else str(level)


class Statistics:
    """What learning needs of data and nothing else: the moments of numbers, the distinct rows of categories with their counts, or
    of both side by side the joint moments of the numbers and of an indicator for each category, which serve the score ``dg``.
    Statistics of parts merge to those of the whole, wherever the parts are: counts exactly, moments up to rounding.

    ``data`` is whatever :func:`plackett.learn_dag` takes, an iterator of batches (frames, or anything with the Arrow PyCapsule
    interface), an Arrow stream such as a DuckDB relation, a polars ``LazyFrame``, or a Dask frame, whose partitions are summed
    up where they are. The settings are those of :func:`plackett.learn_dag`; the first batch settles what the columns are, unless
    ``kind`` or ``kinds`` says it.

    >>> import plackett
    >>> data = plackett.simulate_sem(6, degree=2, seed=1).sample(1000, seed=0)
    >>> statistics = plackett.Statistics(data[:300])
    >>> statistics.update(data[300:]).rows
    1000
    >>> plackett.learn_dag(statistics).cpdag == plackett.learn_dag(data).cpdag
    True
    """

    def __init__(
        self,
        data: Any = None,
        *,
        kind: Kind = "auto",
        kinds: Mapping[str, ColumnKind] | None = None,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
        na: Sequence[str] | None = None,
        missing: Missing = "error",
        weights: str | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self._reading = Reading(kind, kinds, columns, drop, na, missing, memory=_MEMORY, weights=weights)
        self._names = None if names is None else [str(name) for name in names]
        self._parts: _plackett.Statistics | None = None
        if _is_dask(data):
            self._take(_of_dask(data, self._reading, self._names))
        elif isinstance(data, list) and data and not isinstance(data[0], list | tuple | int | float):
            self.update(iter(data))
        elif data is not None:
            self.update(data)

    def update(self, data: Any) -> Self:
        """Takes in more data, of the same columns.

        >>> import numpy as np, plackett
        >>> statistics = plackett.Statistics()
        >>> for _ in range(3):
        ...     statistics = statistics.update(np.random.default_rng(0).normal(size=(100, 2)))
        >>> statistics.rows
        300
        """
        reading = self._reading if self._parts is None else _settled(self._reading, self._parts)
        if isinstance(data, Statistics):
            self._take(data._native)
        elif isinstance(data, str | os.PathLike):
            self._take(_plackett.Statistics.read(os.fspath(data), reading.settings("center")))
        else:
            self._take(_gathered(data, reading, self._names, None, reading.settings("center")).statistics())
        return self

    def merge(self, *others: Statistics | bytes) -> Self:
        """Takes in the statistics of other parts, as they are or as bytes.

        >>> import numpy as np, plackett
        >>> parts = [plackett.Statistics(np.random.default_rng(part).normal(size=(100, 2))) for part in range(3)]
        >>> plackett.Statistics().merge(*parts).rows
        300
        """
        for other in others:
            self._take(other._native if isinstance(other, Statistics) else _plackett.Statistics.from_bytes(bytes(other)))
        return self

    def _take(self, part: _plackett.Statistics) -> None:
        if self._parts is None:
            self._parts = part.copy()
        else:
            self._parts.merge(part)

    @property
    def _native(self) -> _plackett.Statistics:
        if self._parts is None:
            raise PlackettError("the statistics are empty: update() takes data")
        return self._parts

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns.

        >>> import plackett
        >>> plackett.Statistics({"a": ["x", "y", "x"], "b": ["u", "v", "u"]}).names
        ('a', 'b')
        """
        return tuple(self._native.names)

    @property
    def rows(self) -> int:
        """The number of rows, without those that were left out because values are missing.

        >>> import plackett
        >>> plackett.Statistics({"a": ["x", "y", "x"], "b": ["u", "v", "u"]}).rows
        3
        """
        return 0 if self._parts is None else self._parts.rows

    @property
    def kind(self) -> Literal["continuous", "discrete", "mixed"]:
        """What the columns are.

        >>> import plackett
        >>> plackett.Statistics({"a": ["x", "y", "x"], "b": ["u", "v", "u"]}).kind
        'discrete'
        >>> plackett.Statistics({"a": ["x", "y", "x"], "b": [1.5, 2.5, 1.7]}).kind
        'mixed'
        """
        return self._native.kind

    @property
    def distinct_rows(self) -> int | None:
        """The distinct rows of categories, or where numbers stand beside them their combinations while these are few; else ``None``.

        >>> import plackett
        >>> plackett.Statistics({"a": ["x", "y", "x"], "b": ["u", "v", "u"]}).distinct_rows
        2
        """
        return self._native.distinct_rows

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores that these statistics serve.

        >>> import plackett
        >>> plackett.Statistics({"a": ["x", "y", "x"], "b": ["u", "v", "u"]}).scores
        ('qnml', 'bdeu', 'bic', 'k2', 'fnml')
        """
        return tuple(self._native.scores)

    def to_bytes(self) -> bytes:
        """The statistics as :meth:`save` writes them, to be sent elsewhere.

        >>> import numpy as np, plackett
        >>> part = plackett.Statistics(np.random.default_rng(0).normal(size=(100, 2))).to_bytes()
        >>> plackett.Statistics().merge(part, part).rows
        200
        """
        return self._native.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file that ``plackett learn`` and :func:`plackett.learn_dag` read too. It is either whole or not there.

        >>> import os, tempfile, plackett
        >>> path = os.path.join(tempfile.mkdtemp(), "data.statistics")
        >>> plackett.Statistics({"a": ["x", "y", "x"], "b": ["u", "v", "u"]}).save(path)
        >>> plackett.Statistics.load(path)
        <Statistics: 3 rows, 2 columns, discrete>
        """
        self._native.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a file that :meth:`save` or ``plackett statistics`` wrote.

        >>> import plackett
        >>> plackett.Statistics.load("nowhere")
        Traceback (most recent call last):
        plackett.PlackettError: nowhere: No such file or directory (os error 2)
        """
        return cls(path)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._reading, self._names, None if self._parts is None else self.to_bytes())

    def __repr__(self) -> str:
        if self._parts is None:
            return "<Statistics: empty>"
        return f"<Statistics: {self.rows} rows, {len(self.names)} columns, {self.kind}>"


# Rows that wait to be summed up, in MiB.
_MEMORY = 64
# Partitions whose statistics one task of Dask merges.
_FAN_IN = 8


def _restored(reading: Reading, names: list[str] | None, parts: bytes | None) -> Statistics:
    statistics = Statistics()
    statistics._reading, statistics._names = reading, names
    return statistics if parts is None else statistics.merge(parts)


def _settled(reading: Reading, parts: _plackett.Statistics) -> Reading:
    """The same with columns taken for what they are in these parts."""
    return replace(reading, kinds=parts.kinds) if parts.kind == "mixed" else replace(reading, kind=parts.kind)


def _of_dask(data: Any, reading: Reading, names: list[str] | None) -> _plackett.Statistics:
    """The statistics of the partitions, made where they are, merged in a tree."""
    dask: Any = importlib.import_module("dask")
    partitions = data.to_delayed()
    if reading.kind == "auto" and not reading.kinds:
        # All partitions must be taken for the same: the first that is not empty settles it.
        first = next((part for part in map(dask.compute, partitions) if len(part[0])), None)
        if first is None:
            raise PlackettError("the data are empty: every partition is")
        reading = _settled(reading, _part(first[0], reading, names)._native)
    parts = [dask.delayed(_part)(partition, reading, names) for partition in partitions]
    while len(parts) > 1:
        parts = [dask.delayed(_merged)(parts[at : at + _FAN_IN]) for at in range(0, len(parts), _FAN_IN)]
    (whole,) = dask.compute(*parts)
    native: _plackett.Statistics = whole._native
    return native


def _part(data: Any, reading: Reading, names: list[str] | None) -> Statistics:
    statistics = _restored(reading, names, None)
    return statistics.update(data) if len(data) else statistics


def _merged(parts: Iterable[Statistics]) -> Statistics:
    whole = Statistics()
    return whole.merge(*(part for part in parts if part._parts is not None))
