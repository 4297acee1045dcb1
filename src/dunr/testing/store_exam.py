"""The exam that every store sits.

A store is what this exam says. To put your own to the test, subclass the exam where pytest finds it and say how to
make a fresh store:

    class TestMyStore(StoreExam):
        def make(self) -> Store:
            return MyStore(...)

Each question makes its own store, tells a short story, and looks only through the port. `again` gives the same data
through another handle, for stores that outlive a process; `refuses_two_running` says whether the store has the second
net under the lease. A store that also serves people sits `ReportsExam` as well. Nothing here needs more than pytest's
own collection.
"""

from dunr.testing.store_questions.agenda import AgendaQuestions
from dunr.testing.store_questions.committing import CommittingQuestions
from dunr.testing.store_questions.documents import DocumentQuestions
from dunr.testing.store_questions.inserting import InsertingQuestions
from dunr.testing.store_questions.loading import LoadingQuestions
from dunr.testing.store_questions.racing import RacingQuestions
from dunr.testing.store_questions.receiving import ReceivingQuestions
from dunr.testing.store_questions.reporting import ReportingQuestions
from dunr.testing.store_questions.settling import SettlingQuestions


class StoreExam(
    ReceivingQuestions,
    SettlingQuestions,
    LoadingQuestions,
    CommittingQuestions,
    InsertingQuestions,
    AgendaQuestions,
    DocumentQuestions,
    RacingQuestions,
):
    """What the engine relies on."""


class ReportsExam(ReportingQuestions):
    """What people rely on."""
