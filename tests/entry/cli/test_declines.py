"""`dunr classify` and `dunr declines`: what a code means, what is not known, and a meaning of one's own."""

from pathlib import Path

import pytest

from dunr.adapters.stores.sql.store import SqlStore
from dunr.core.snapshot import RawDecline, UnknownCodes
from dunr.core.terms import DeclineReason, Outcome
from dunr.core.value import replace
from dunr.testing.store_rows import attempt_on, decide, new_case, put
from tests.entry.cli.terminals import Terminal


def test_a_code_is_classified_wherever_it_stands(terminal: Terminal) -> None:
    said = terminal.done("classify", "--processor", "stripe", "--code", "insufficient_funds", "--json").json
    assert said["reason"] == "insufficient_funds"
    assert said["kind"] == "soft"
    assert said["strategy"] == "funds_aware"
    assert said["steps_max"] == 4
    assert said["mails"] is True
    assert said["tells_reason"] is True
    assert "the card or account holds too little money at the moment" in said["why"][0]
    assert not (terminal.folder / "dunr-data").exists(), "a question makes no store"


@pytest.mark.parametrize(
    ("processor", "code", "field", "reason"),
    [
        ("stripe", "lock_timeout", "code", "technical"),
        ("stripe", "stolen_card", "decline_code", "lost_or_stolen"),
        ("stripe", "confirm_card_data", "advice_code", "incorrect_details"),
        ("stripe", "elevated_risk_level", "outcome_reason", "risk_check"),
        ("nacha", "R15", "network_decline_code", "payer_deceased"),
    ],
)
def test_the_field_of_a_bare_code_is_found(
    terminal: Terminal, processor: str, code: str, field: str, reason: str
) -> None:
    said = terminal.done("classify", "--processor", processor, "--code", code, "--json").json
    assert said["signals"] == {field: code}
    assert said["reason"] == reason


def test_all_signals_count_and_the_strictest_wins(terminal: Terminal) -> None:
    said = terminal.done(
        "classify", "--processor", "stripe", "--code", "card_declined", "--decline-code", "insufficient_funds",
        "--advice", "do_not_try_again", "--network", "visa", "--network-code", "51", "--json",
    ).json  # fmt: skip
    assert said["reason"] == "do_not_retry"
    assert said["signals"] == {
        "code": "card_declined",
        "decline_code": "insufficient_funds",
        "advice_code": "do_not_try_again",
        "network_decline_code": "51",
    }
    assert (said["kind"], said["strategy"], said["steps_max"], said["tells_reason"]) == ("hard", "none", 0, False)
    assert said["stops_credential"] is True


def test_nobody_is_told_of_theft_and_the_dead_are_not_written_to(terminal: Terminal) -> None:
    stolen = terminal.done("classify", "--processor", "stripe", "--code", "stolen_card", "--json").json
    assert (stolen["mails"], stolen["tells_reason"]) == (True, False)
    dead = terminal.done("classify", "--processor", "gocardless", "--code", "payer_deceased", "--json").json
    assert (dead["mails"], dead["notifies"], dead["tells_reason"]) == (False, "never", False)


def test_an_unknown_code_gets_one_cautious_step_under_a_policy_and_a_proposal(terminal: Terminal) -> None:
    said = terminal.done(
        "classify", "--processor", "stripe", "--code", "card_has_expired", "--policy", "business_days", "--json"
    ).json
    assert (said["reason"], said["strategy"], said["steps_max"]) == ("unknown", "business_days", 1)
    assert said["unknown"] == [["stripe", "decline_code", "card_has_expired"]]
    [proposal] = said["proposals"].values()
    assert proposal["reason"] == "expired_card"


def test_what_says_nothing_of_the_payer_gets_one_cautious_step(terminal: Terminal) -> None:
    said = terminal.done("classify", "--processor", "stripe", "--code", "testmode_decline", "--json").json
    assert (said["reason"], said["kind"]) == ("merchant_error", "operator")
    assert (said["strategy"], said["steps_max"], said["mails"]) == ("standard", 1, False)


def test_people_get_words(terminal: Terminal) -> None:
    said = terminal.done("classify", "--processor", "stripe", "--code", "card_has_expired").out
    assert "unknown (soft)" in said
    assert "probably means expired_card" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--processor", "stripe"), "nothing to classify"),
        (("--processor", "stripo", "--code", "x"), "'stripo' has no table of codes"),
        (("--processor", "stripe", "--network-code", "51"), "means something else to each network"),
    ],
)
def test_what_cannot_be_meant_is_wrong_use(terminal: Terminal, arguments: tuple[str, ...], says: str) -> None:
    said = terminal.run("classify", *arguments)
    assert said.code == 2
    assert says in " ".join(said.err.replace("│", " ").split())


def test_an_unknown_code_is_listed_mapped_and_counts_from_then_on(terminal: Terminal) -> None:
    terminal.done("db", "migrate")
    _meet_unknown(terminal.folder / "dunr-data" / "dunr.db")
    [row] = terminal.done("declines", "unknown", "--json").json["unknown"]
    assert (row["processor"], row["field"], row["code"], row["count"]) == ("stripe", "decline_code", "new_code", 1)
    assert row["sample"] == {"code": "card_declined", "decline_code": "new_code"}
    assert "new_code" in terminal.done("declines", "unknown").out
    mapped = terminal.done("declines", "map", "stripe", "decline_code", "new_code", "do_not_honor", "--json").json
    assert mapped["reason"] == "do_not_honor"
    assert terminal.done("declines", "unknown", "--json").json == {"unknown": []}
    [listed] = terminal.done("declines", "--json").json["mappings"]
    assert listed == mapped
    said = terminal.done("classify", "--processor", "stripe", "--code", "new_code", "--json").json
    assert said["reason"] == "do_not_honor"
    terminal.done("declines", "unmap", "stripe", "decline_code", "new_code")
    assert terminal.done("declines", "list", "--json").json == {"mappings": []}


def test_the_settings_may_give_a_code_its_meaning(terminal: Terminal) -> None:
    file = terminal.folder / "dunr.toml"
    file.write_text('[declines.stripe.decline_code]\nnew_code = "velocity_limit"\n')
    said = terminal.done("classify", "--processor", "stripe", "--code", "new_code", "--json").json
    assert said["reason"] == "velocity_limit"
    assert (said["mails"], said["notifies"]) == (True, "after_first_retry")
    [listed] = terminal.done("declines", "list", "--json").json["mappings"]
    assert listed["written_by"] == "dunr.toml"
    refused = terminal.run("declines", "map", "stripe", "decline_code", "new_code", "do_not_honor")
    assert refused.code == 2
    assert "change it there" in refused.err


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ('[declines.stripe.decline_code]\nnew = "do_not_honour"\n', "write do_not_honor"),
        ('[declines.strype.decline_code]\nnew = "do_not_honor"\n', "write stripe"),
        ("[declines.stripe]\ndecline_code = 3\n", "write for example [declines.stripe.decline_code]"),
        ('[declines.stripe.network_decline_code]\n05 = "do_not_honor"\n', "write the network first"),
    ],
)
def test_a_wrong_mapping_in_the_settings_is_refused(terminal: Terminal, written: str, says: str) -> None:
    (terminal.folder / "dunr.toml").write_text(written)
    refused = terminal.run("classify", "--processor", "stripe", "--code", "do_not_honor")
    assert refused.code == 2
    assert says in refused.err


def test_a_mapping_to_no_reason_is_wrong_use(terminal: Terminal) -> None:
    refused = terminal.run("declines", "map", "stripe", "decline_code", "new", "do_not_honour")
    assert refused.code == 2
    assert "write do_not_honor" in refused.err
    assert terminal.run("declines", "unmap", "stripe", "decline_code", "new").code == 2


def test_a_table_does_not_fit_into_the_environment(terminal: Terminal) -> None:
    terminal.set(declines="stripe")
    refused = terminal.run("classify", "--processor", "stripe", "--code", "do_not_honor")
    assert refused.code == 2
    assert "DUNR_DECLINES cannot hold a table" in refused.err


def _meet_unknown(database: Path) -> None:
    """A case whose first charge was declined with a code that nobody knows."""
    store = SqlStore(f"sqlite:///{database}")
    codes = UnknownCodes((("stripe", "decline_code", "new_code"),), RawDecline("card_declined", "new_code"))
    attempt = replace(attempt_on("card_1", 0, Outcome.DECLINED), reason=DeclineReason.UNKNOWN, unknown_codes=codes)
    put(store, decide(case=replace(new_case(), attempts=(attempt,))))
    store.close()
