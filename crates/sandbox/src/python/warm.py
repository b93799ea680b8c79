"""A program like any other, run ahead of time."""


def f(a, b):
    return {"sum": a + b}
