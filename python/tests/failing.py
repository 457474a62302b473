"""An objective that always fails, with an exception that nobody else raises."""


class Mine(Exception):
    pass


def broken(order):
    raise Mine("by design")
