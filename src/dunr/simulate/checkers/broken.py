"""A promise that was not kept."""


class PromiseBroken(Exception):
    """Carries which promise, and what was seen."""

    def __init__(self, promise: str, seen: str) -> None:
        """Both in words, for the story."""
        super().__init__(f"{promise}: {seen}")
        self.promise = promise
        self.seen = seen


def promise(kept: object, words: str, seen: str) -> None:
    """Raise where a promise is not kept. `seen` is only for cheap texts; a costly one is built by the caller when needed."""
    if not kept:
        raise PromiseBroken(words, seen)
