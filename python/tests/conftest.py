"""Hypothesis tries the same examples every time, and has no clock: machines may be busy. Ctrl-C is heard, also where the tests run in the
background of a shell, which has its jobs ignore it."""

import signal

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("steady")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
