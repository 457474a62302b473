"""A bar on standard error while a long call runs, if somebody sits at a terminal."""

from __future__ import annotations

import sys
import time

_WIDTH = 30
_PERIOD = 0.1


class Bar:
    """One line that is overwritten; quiet unless it is wanted or standard error is a terminal."""

    def __init__(self, wanted: bool | None) -> None:
        self.is_shown = sys.stderr.isatty() if wanted is None else wanted
        self._length = 0
        self._last = 0.0

    def show(self, text: str, done: int, total: int | None) -> None:
        """Draws the line anew, some times a second."""
        now = time.monotonic()
        if not self.is_shown or now < self._last + _PERIOD:
            return
        self._last = now
        if not total:
            self._write(f"{done} {text}")
            return
        full = int(_WIDTH * min(done / total, 1.0))
        self._write(f"[{'#' * full}{'.' * (_WIDTH - full)}] {done}/{total} {text}")

    def close(self) -> None:
        """Leaves the line empty."""
        if self._length > 0:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _write(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self._length))
        sys.stderr.flush()
        self._length = len(line)
