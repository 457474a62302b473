"""A bar while a long call runs, if somebody looks: a line on standard error in a terminal, a line of the output in a notebook."""

from __future__ import annotations

import html
import sys
import time
from typing import Any

_WIDTH = 30
_PERIOD = 0.1


class Bar:
    """One line that is overwritten; quiet unless it is wanted, standard error is a terminal, or a notebook is there to show it."""

    def __init__(self, wanted: bool | None) -> None:
        notebook = _notebook_display() if wanted is not False else None
        self.is_shown = (sys.stderr.isatty() or notebook is not None) if wanted is None else wanted
        self._display: Any = notebook
        self._handle: Any = None
        self._length = 0
        self._last = 0.0

    def show(self, text: str, done: int, total: int | None) -> None:
        """Draws the line anew, some times a second."""
        now = time.monotonic()
        if not self.is_shown or now < self._last + _PERIOD:
            return
        self._last = now
        if self._display is not None:
            self._show_in_notebook(text, done, total)
            return
        if not total:
            self._write(f"{done} {text}")
            return
        full = int(_WIDTH * min(done / total, 1.0))
        self._write(f"[{'#' * full}{'.' * (_WIDTH - full)}] {done}/{total} {text}")

    def close(self) -> None:
        """Leaves the line empty."""
        if self._handle is not None:
            self._handle.update(_Line("", ""))
        if self._length > 0:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _write(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self._length))
        sys.stderr.flush()
        self._length = len(line)

    def _show_in_notebook(self, text: str, done: int, total: int | None) -> None:
        of = f"{done}/{total}" if total else str(done)
        bar = f'<progress value="{min(done, total)}" max="{total}"></progress> ' if total else ""
        line = _Line(f"{bar}{of} {html.escape(text)}", f"{of} {text}")
        if self._handle is None:
            self._handle = self._display(line, display_id=True)
        else:
            self._handle.update(line)


class _Line:
    """A line of a notebook, for those that show HTML and those that do not."""

    def __init__(self, markup: str, text: str) -> None:
        self._markup = markup
        self._text = text

    def _repr_html_(self) -> str:
        return self._markup

    def __repr__(self) -> str:
        return self._text


def _notebook_display() -> Any:
    """What shows things in the notebook that this runs in; nothing elsewhere. IPython is asked only where it is there already."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    # A terminal has a shell too, and no kernel.
    if shell is None or getattr(shell, "kernel", None) is None:
        return None
    from IPython.display import display

    return display
