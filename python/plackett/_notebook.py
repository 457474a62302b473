"""What notebooks show of graphs and of what was found: pictures as SVG, short tables as HTML, and figures for matplotlib."""

from __future__ import annotations

import html
import importlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from plackett import _plackett
from plackett._arrays import Floats
from plackett._plackett import PlackettError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Rows of a table in a notebook; the objects have them all.
_MOST_ROWS = 20
# The colors of the program's pictures: what raises, and what lowers.
_RAISES, _LOWERS = "#0072b2", "#d55e00"
_CELL = "padding:2px 10px;text-align:left;"
# The width of a character and of what is around a name, in the units of the layout.
_CHARACTER, _PADDING, _HEIGHT = 7.2, 20.0, 24.0
# The end of a line that is straight, with the head on it; points of a curve between two layers.
_HEAD, _STRETCH = 40.0, 12


def graph_svg(
    names: Sequence[str], weights: Floats, title: str, open_pairs: Iterable[tuple[int, int]] = ()
) -> str:
    """The picture of a graph; the edges of open pairs are dashed."""
    return _plackett.graph_svg(list(names), weights, list(open_pairs), title)


def shown(pieces: Iterable[str]) -> str:
    """Pieces of HTML below one another, in a box that scrolls where they are too wide."""
    return f'<div style="overflow-x:auto;max-width:100%">{"".join(pieces)}</div>'


def facts(pairs: Mapping[str, Any]) -> str:
    """A table of names and values."""
    rows = (
        f'<tr><th style="{_CELL}">{html.escape(str(name))}</th><td style="{_CELL}">{html.escape(str(value))}</td></tr>'
        for name, value in pairs.items()
    )
    return f"<table>{''.join(rows)}</table>"


def table(rows: Sequence[Mapping[str, Any]], all_in: str) -> str:
    """The first rows of a table of dictionaries, without the columns that are empty, and where the others are."""
    if not rows:
        return ""
    heads = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    head = "".join(f'<th style="{_CELL}">{html.escape(name)}</th>' for name in heads)
    lines = (
        "".join(f'<td style="{_CELL}">{html.escape(_text(row[name]))}</td>' for name in heads) for row in rows[:_MOST_ROWS]
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    rest = len(rows) - _MOST_ROWS
    more = f"<p>and {rest} more: <code>{html.escape(all_in)}</code> has them all</p>" if rest > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def plot_graph(
    names: Sequence[str], weights: Floats, open_pairs: Iterable[tuple[int, int]], ax: Axes | None
) -> Axes:
    """Draws a graph with matplotlib, in the layout that reports have."""
    try:
        axes_module: Any = importlib.import_module("matplotlib.patches")
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise PlackettError("plot needs matplotlib: pip install matplotlib") from error
    widths = [max(34.0, _CHARACTER * min(len(name), 24) + _PADDING) for name in names]
    places, lines = _plackett.graph_layout(weights, widths)
    if ax is None:
        right = max((x for x, _ in places), default=100.0)
        low = max((y for _, y in places), default=100.0)
        size = (min(max(right / 80, 4.0), 16.0), min(max(low / 80, 3.0), 14.0))
        _, ax = pyplot.subplots(figsize=size)
    is_open = {frozenset(pair) for pair in open_pairs}
    edges = [(int(a), int(b)) for a, b in zip(*np.nonzero(weights), strict=True)]
    largest = float(np.abs(weights).max(initial=0.0)) or 1.0
    by_ends = dict(zip(_edges_by_layout(weights), lines, strict=True))
    for start, end in edges:
        line = _smooth(by_ends[start, end])
        weight = float(weights[start, end])
        style = {
            "color": _RAISES if weight >= 0 else _LOWERS,
            "linewidth": 0.8 + 1.8 * (abs(weight) / largest) ** 0.5,
            "linestyle": "--" if frozenset((start, end)) in is_open else "-",
            "zorder": 1,
        }
        tip = line[-1]
        last = max(at for at, (x, y) in enumerate(line) if at == 0 or np.hypot(x - tip[0], y - tip[1]) > _HEAD)
        before = line[last]
        if last > 0:
            ax.plot([x for x, _ in line[: last + 1]], [y for _, y in line[: last + 1]], **style)
        ax.add_patch(
            axes_module.FancyArrowPatch(
                before,
                tip,
                arrowstyle="-|>",
                mutation_scale=11,
                shrinkA=0 if last > 0 else 9,
                shrinkB=11,
                **style,
            )
        )
    for name, (x, y), width in zip(names, places, widths, strict=True):
        box = axes_module.FancyBboxPatch(
            (x - width / 2, y - _HEIGHT / 2),
            width,
            _HEIGHT,
            boxstyle=f"round,pad=0,rounding_size={_HEIGHT / 2}",
            mutation_aspect=1,
            facecolor="#f4f6f8",
            edgecolor="#555f6b",
            zorder=2,
        )
        ax.add_patch(box)
        label = name if len(name) <= 24 else name[:23] + "…"
        ax.text(x, y, label.replace("$", r"\$"), ha="center", va="center", fontsize=7.5, zorder=3)
    ax.autoscale_view()
    ax.margins(0.05)
    ax.set_aspect("equal")
    if not ax.yaxis_inverted():
        ax.invert_yaxis()
    ax.set_axis_off()
    return ax


def _smooth(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """A smooth line through the joints of an edge, x as a cubic function of y between two layers, without overshooting."""
    if len(points) < 3:
        return points
    slopes = [(b[0] - a[0]) / ((b[1] - a[1]) or 1.0) for a, b in pairwise(points)]
    inner = [0.0 if a * b <= 0 else (a + b) / 2 for a, b in pairwise(slopes)]
    tangents = [slopes[0], *inner, slopes[-1]]
    line = [points[0]]
    for at, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        rise = y1 - y0
        for t in np.linspace(0, 1, _STRETCH + 1)[1:].tolist():
            ends = x0 * (2 * t**3 - 3 * t**2 + 1) + x1 * (3 * t**2 - 2 * t**3)
            bends = tangents[at] * (t**3 - 2 * t**2 + t) + tangents[at + 1] * (t**3 - t**2)
            line.append((ends + rise * bends, y0 + t * rise))
    return line


def _edges_by_layout(weights: Floats) -> list[tuple[int, int]]:
    """The edges in the order of the native half: by effect, then by cause."""
    return [(int(a), int(b)) for b, a in zip(*np.nonzero(weights.T), strict=True)]


def edges_frame(rows: list[dict[str, Any]], library: str) -> Any:
    """A frame of a library with a row for each edge."""
    if library not in ("pandas", "polars"):
        raise PlackettError(f"library is {library!r}: it must be pandas or polars")
    try:
        module = importlib.import_module(library)
    except ImportError as error:
        raise PlackettError(f"edges_frame needs {library}: pip install {library}") from error
    names = list(rows[0]) if rows else ["from", "to", "weight"]
    return module.DataFrame({name: [row[name] for row in rows] for name in names})
