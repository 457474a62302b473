"""Which columns were set from outside in which rows, brought into the one form that the reader has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plackett._plackett import PlackettError


@dataclass(frozen=True)
class Targets:
    """What tells it: a column of names, columns that are 1 where a target was set, or a list with an entry for each row."""

    column: str | None = None
    indicators: tuple[tuple[str, str], ...] | None = None
    rows: tuple[tuple[Any, ...], ...] | None = None

    def columns(self) -> tuple[str, ...]:
        """The columns of the data that tell it."""
        if self.column is not None:
            return (self.column,)
        return tuple(column for column, _ in self.indicators or ())

    def settings(self, names: Sequence[str] | None) -> dict[str, Any]:
        """The same for the native half; ``names`` are those of the columns, which numbers stand for."""
        ranges: list[tuple[int, int, list[str]]] | None = None
        if self.rows is not None:
            ranges = []
            for row, targets in enumerate(self.rows, start=1):
                texts = [_name(target, names) for target in targets]
                if ranges and ranges[-1][2] == texts:
                    ranges[-1] = (ranges[-1][0], row, texts)
                else:
                    ranges.append((row, row, texts))
            ranges = [found for found in ranges if found[2]]
        indicators = None if self.indicators is None else list(self.indicators)
        return {"target_column": self.column, "indicators": indicators, "row_targets": ranges}


def to_targets(interventions: Any) -> Targets:
    """What :func:`plackett.learn_dag` takes."""
    if interventions is None:
        return Targets()
    if isinstance(interventions, str):
        return Targets(column=interventions)
    if isinstance(interventions, Mapping):
        pairs: list[tuple[str, str]] = []
        for target, columns in interventions.items():
            listed = [columns] if isinstance(columns, str) else list(columns)
            pairs += [(str(column), str(target)) for column in listed]
        if not pairs:
            raise PlackettError("interventions is empty: the targets and the columns that tell of them are needed")
        return Targets(indicators=tuple(pairs))
    if not isinstance(interventions, Iterable):
        raise PlackettError(
            "interventions must be the name of a column, a dictionary of targets and their columns, or a list of targets, one "
            f"entry for each row, and not {interventions!r}"
        )
    return Targets(rows=tuple(_entry(entry) for entry in interventions))


def _entry(entry: Any) -> tuple[Any, ...]:
    if entry is None or isinstance(entry, float) and np.isnan(entry) or isinstance(entry, str) and not entry.strip():
        return ()
    if isinstance(entry, str | int | np.integer | float | np.floating):
        return (entry,)
    if isinstance(entry, Iterable):
        return tuple(part for inner in entry for part in _entry(inner))
    raise PlackettError(f"an entry of interventions is {entry!r}: a name, the number of a column, None or a list is needed")


def _name(target: Any, names: Sequence[str] | None) -> str:
    if isinstance(target, str):
        return target
    if isinstance(target, bool | np.bool_) or target != int(target):
        raise PlackettError(f"an entry of interventions is {target!r}: a name or the number of a column is needed")
    if names is None:
        raise PlackettError("interventions on the columns of a file or of batches are told by names, not by numbers")
    if not 0 <= target < len(names):
        raise PlackettError(f"an entry of interventions is {target!r}: the columns are numbered 0 to {len(names) - 1}")
    return names[int(target)]
