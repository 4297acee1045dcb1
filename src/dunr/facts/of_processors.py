"""The facts of each processor, read anew each time: one may learn more of itself while it runs."""

from collections.abc import Iterator, Mapping

from dunr.core.facts import ProcessorFacts
from dunr.ports import Processor


class FactsOf(Mapping[str, ProcessorFacts]):
    """What each adapter knows of its processor, as of now: some of it the processor only says in its answers."""

    def __init__(self, processors: Mapping[str, Processor]) -> None:
        self._processors = processors

    def __getitem__(self, name: str) -> ProcessorFacts:
        return self._processors[name].facts

    def __iter__(self) -> Iterator[str]:
        return iter(self._processors)

    def __len__(self) -> int:
        return len(self._processors)
