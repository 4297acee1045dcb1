"""The demo tells the truth: every story ends as its title says, no money moves twice, and the books balance."""

import json
from datetime import datetime

from tests import nursery


def test_the_demo_plays_three_weeks_and_nobody_is_charged_twice() -> None:
    done = nursery.run("dunr", "demo", "--json", check=True)
    told = json.loads(done.stdout)

    assert (told["cases"], told["recovered"], told["paused"]) == (8, 7, 1)
    assert (told["captures"], told["double_captures"]) == (7, 0)
    assert told["ledger_balanced"]
    ends = {story["name"]: (story["state"], story["access"]) for story in told["stories"]}
    assert ends["Farid"] == ("exhausted", "paused")
    assert all(end == ("recovered", "granted") for name, end in ends.items() if name != "Farid")
    for story in told["stories"]:
        times = [datetime.fromisoformat(line["at"]) for line in story["timeline"]]
        assert times == sorted(times)
