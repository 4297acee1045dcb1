"""What every value of the core is: immutable, equal by content, cheap to make and to copy.

A decision makes some forty values and copies its case about eight times, so what a value costs is what a decision costs. `msgspec` writes in C what
`dataclasses` writes in Python: a value of twenty fields is made ten times as quickly and copied fifty times as quickly, and stores read and write it as it is.
Nothing here holds a cycle, so the rubbish collector need not look at these values at all.
"""

from typing import TYPE_CHECKING, ClassVar, dataclass_transform

import msgspec

__all__ = ["Value", "replace"]

if TYPE_CHECKING:
    # The checker sees frozen dataclasses, so that it checks each name and type of a change, too.
    from dataclasses import replace

    @dataclass_transform(frozen_default=True)
    class Value:
        """The base of rows, events, answers, effects and facts."""

        def __init_subclass__(cls, *, eq: bool = True, cache_hash: bool = False, tag: bool = False) -> None:
            """`eq=False`: equal only to itself, and so a key by itself. `cache_hash`: often a key, so the hash is kept. `tag`: written with its name."""

        __struct_fields__: ClassVar[tuple[str, ...]]
        __struct_defaults__: ClassVar[tuple[object, ...]]  # of the last fields, in their order

else:
    replace = msgspec.structs.replace

    class Value(msgspec.Struct, frozen=True, gc=False):
        """The base of rows, events, answers, effects and facts."""
