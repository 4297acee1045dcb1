"""Cases over the API: the list, with search, and the story of one."""

import msgspec

from dunr.core.terms import CaseState
from dunr.entry.web.face import WebFace
from dunr.entry.web.operations import Answer, Call, Operation
from dunr.entry.web.shapes import CaseAnswer, StoryAnswer
from dunr.entry.web.stories import case_answer, story
from dunr.errors import BadRequest


class CasesAnswer(msgspec.Struct, frozen=True):
    """One page of cases, newest first; `next` is what `after` must be for the page after it."""

    cases: tuple[CaseAnswer, ...]
    next: str | None


def list_cases(face: WebFace, call: Call) -> Answer:
    """One page. A state that does not exist is a mistake, not an empty page."""
    state = call.query.get("state") or None
    if state is not None and state not in tuple(CaseState):
        raise BadRequest(f"state must be one of {', '.join(CaseState)}.")
    after = call.query.get("after")
    found = face.application.reports.cases(
        state=state,
        text=call.query.get("q") or None,
        limit=call.limit,
        after=face.row_id(after) if after else None,
    )
    following = found[-1].id if len(found) == call.limit else None
    return Answer(CasesAnswer(tuple(case_answer(case) for case in found), following))


def one_case(face: WebFace, call: Call) -> Answer:
    """The story of one."""
    application = face.application
    return Answer(story(application.store, application.reports, face.case(call.path["id"])))


OPERATIONS = (
    Operation(
        "GET",
        "/v1/cases",
        "Cases, newest first",
        list_cases,
        CasesAnswer,
        query={
            "state": "Only cases in this state.",
            "q": "Only cases with this text in one of their ids.",
            "limit": "How many at most.",
            "after": "The `next` of the page before.",
        },
    ),
    Operation("GET", "/v1/cases/{id}", "One case with its story", one_case, StoryAnswer, refusals=(404,)),
)
