"""Who may see the notices that no mail server took, and who may have one tried again. That it then leaves is in tests/engine/test_notifying.py."""

from pathlib import Path

from dunr.tokens import Scope, create
from tests.entry.web.desk import application_for, desk
from tests.entry.web.served import START


def test_reading_lists_them_and_acting_tries_one_again(tmp_path: Path) -> None:
    application = application_for(tmp_path, api_tokens_required=True)
    held = {scope: create(application.store, f"for-{scope}", scope, START) for scope in (Scope.READ, Scope.ACT)}
    with desk(application) as client:
        for scope, token in held.items():
            bearer = {"authorization": f"Bearer {token}"}
            assert client.get("/v1/notices/dead", headers=bearer).json() == {"notices": []}
            tried = client.post("/v1/notices/redrive", headers=bearer, json={"key": "notice/nobody"})
            assert tried.status_code == (403 if scope is Scope.READ else 404)
        assert client.get("/v1/notices/dead").status_code == 401
        wrong = client.post("/v1/notices/redrive", headers={"authorization": f"Bearer {held[Scope.ACT]}"}, json={})
        assert wrong.status_code == 400
