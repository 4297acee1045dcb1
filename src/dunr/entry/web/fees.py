"""The fees that network rules have saved, over the newest cases."""

import msgspec

from dunr.entry.web.face import WebFace
from dunr.entry.web.figures import fees_avoided
from dunr.entry.web.operations import Answer, Call, Operation
from dunr.entry.web.shapes import AvoidedAnswer
from dunr.entry.web.stories import avoided_answer

CASES_MAX = 1000


class FeesAvoidedAnswer(msgspec.Struct, frozen=True):
    """A row for each rule and currency; `is_cut`: there are more cases than were looked at."""

    avoided: tuple[AvoidedAnswer, ...]
    is_cut: bool


def show(face: WebFace, _call: Call) -> Answer:
    """Sums over the cases."""
    cases = face.application.reports.cases(state=None, text=None, limit=CASES_MAX, after=None)
    return Answer(FeesAvoidedAnswer(avoided_answer(fees_avoided(cases)), len(cases) == CASES_MAX))


OPERATIONS = (Operation("GET", "/v1/fees-avoided", "What network rules kept from being sent", show, FeesAvoidedAnswer),)
