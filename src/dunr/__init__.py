"""dunr: recovers failed subscription charges without ever charging twice.

This package knows its own version and nothing else; the front doors are in `dunr.entry`.
"""

from importlib.metadata import version

__version__ = version("dunr")
