"""Rankings with ties as flat arrays."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from plackett._arrays import Integers, to_items
from plackett._plackett import PlackettError


class Flat(NamedTuple):
    """The items of all rankings, the sizes of their groups of tied items, and how many groups each ranking has."""

    items: Integers
    sizes: Integers
    counts: Integers


def to_rankings(rankings: Any) -> Flat:
    """Rankings from an array of shape (n, m), where -1 ends a shorter one, or from lists of items and of lists of tied items."""
    if isinstance(rankings, np.ndarray) or hasattr(rankings, "toarray"):
        return _from_array(rankings)
    groups: list[list[int]] = []
    counts: list[int] = []
    try:
        for ranking in rankings:
            ranked = [list(place) if np.ndim(place) == 1 or isinstance(place, set | frozenset) else [place] for place in ranking]
            groups.extend(ranked)
            counts.append(len(ranked))
    except TypeError:
        raise PlackettError("rankings are lists of items, the first-ranked first; a list in place of an item is a tie") from None
    items = to_items(list(chain.from_iterable(groups)), "rankings")
    if items.ndim != 1:
        raise PlackettError("rankings are lists of items, the first-ranked first; a list in place of an item is a tie")
    if items.min(initial=0) < 0:
        raise PlackettError(f"item {items.min()} does not exist: items count from 0")
    return Flat(items, np.array([len(group) for group in groups], dtype=np.int64), np.array(counts, dtype=np.int64))


def _from_array(rankings: Any) -> Flat:
    items = to_items(rankings, "rankings")
    if items.ndim != 2:
        raise PlackettError(f"rankings has the shape {items.shape}: one of (n, m) is needed, a row for each ranking")
    ranked = items >= 0
    if (ranked[:, 1:] > ranked[:, :-1]).any():
        row = int(np.flatnonzero((ranked[:, 1:] > ranked[:, :-1]).any(axis=1))[0])
        raise PlackettError(f"row {row}: an item stands behind a negative one, which ends the ranking")
    return Flat(items[ranked], np.ones(int(ranked.sum()), dtype=np.int64), ranked.sum(axis=1))
