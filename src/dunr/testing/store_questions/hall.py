"""The examination hall: what a question may ask of the one who sits the exam."""

from abc import ABC, abstractmethod
from typing import Protocol

from dunr.ports import Reports, Store


class ReportingStore(Store, Reports, Protocol):
    """A store that also answers people."""


class Hall(ABC):
    """The hooks of an exam. `make` must be overridden; the others where the store can do more, or less."""

    refuses_two_running = False  # whether the store has the second net: one running attempt per card key

    @abstractmethod
    def make(self) -> Store:
        """A fresh, empty store."""

    def again(self, store: Store) -> Store:
        """The same data through another handle, as another process would open it. Without one, the same handle."""
        return store
