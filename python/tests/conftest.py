"""Hypothesis tries the same examples every time, and has no clock: machines may be busy."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("steady")
