"""dunr: recovers failed subscription charges without ever charging twice.

This package knows its own version and nothing else; the front doors are in `dunr.entry`.
"""


def __getattr__(name: str) -> str:
    """`__version__`, read where somebody asks: the part that reads it takes a while to import."""
    if name != "__version__":
        raise AttributeError(name)
    from importlib.metadata import version  # noqa: PLC0415 - as above

    return version("dunr")
