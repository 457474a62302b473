"""The program ``plackett``: ``python -m plackett``, and the command that the package installs."""

import signal
import sys

from plackett._plackett import _main


def main() -> int:
    """Runs the program with the arguments of this process and returns its exit code."""
    # Python's own handler only takes a note of Ctrl-C for when native code returns. Ctrl-C is to end the program at once, until
    # the program itself catches it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _main(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
