"""What a merchant may get wrong in a policy file: one clear error each, with the line and what to write instead."""

from pathlib import Path

import pytest

from dunr.facts.complaints import Level, PolicyRefused, Remark
from dunr.facts.policies import policies_from_toml, policies_in

TWO_SEGMENTS = (
    "default = 'gentle'\n[[segments]]\nname = 'euro'\npolicy = 'by_reason'\ncurrencies = ['eur', 'gbp']\n"
    "[[segments]]\nname = 'german'\npolicy = 'gentle'\ncurrencies = ['EUR']\ncountries = ['DE']"
)
A_DAY = "{after = 1, unit = 'days'}"

# what the file says, the line of the complaint, what is wrong, what to write
BAD_FILES = [
    # --- it cannot be read
    ("\nsteps = ", 2, "not TOML", "one setting a line, such as steps = ["),
    ("at_hour = 9\n\nat_hour = 10", 3, "written twice", "keep one of the two"),
    ("[reasons]\nunknown = {steps_max = 1}\n[reasons]", 3, "written twice", "keep one of the two"),
    ("[reasons", 1, "not TOML", "one setting a line"),
    (f"steps = {'[' * 5000}{']' * 5000}", 1, "not TOML (brackets within brackets", "one setting a line"),
    # --- a name that means something to whatever shows it
    ("\nname = ''", 2, "name cannot be ''", "begins with a letter or a digit"),
    ('name = "\\u001b[31mred"', 1, "name cannot be '\\x1b[31mred'", "characters that can be seen"),
    ('name = "a\\nb"', 1, "name cannot be 'a\\nb'", "characters that can be seen"),
    ('name = "\\u202eevil"', 1, "name cannot be", "begins with a letter or a digit"),
    ("name = '=1+1'", 1, "name cannot be '=1+1'", "begins with a letter or a digit"),
    ("name = '../../etc/passwd'", 1, "name cannot be '../../etc/passwd'", "none of them # / "),
    ("name = 'a#b'", 1, "name cannot be 'a#b'", "none of them # / "),
    (f"name = '{'a' * 101}'", 1, "name cannot be 'aaa", "at most 100 characters"),
    # --- a key that nobody knows would leave the default in force, silently
    ("\ntimezon = 'UTC'", 2, "there is no setting timezon", "write timezone"),
    ("qqqq = 1", 1, "there is no setting qqqq", "write one of name, timezone"),
    (
        "steps = [\n  {after = 1, unit = 'days'},\n  {afer = 1, unit = 'days'}]",
        3,
        "steps[1].afer",
        "write steps[1].after",
    ),
    ("floor = [{after = 1, units = 'days'}]", 1, "floor[0].units", "write floor[0].unit"),
    ("[reasons]\nstolen = {steps_max = 0}", 2, "reasons.stolen", "write reasons.lost_or_stolen"),
    ("reasons.unknown = {step_max = 1}", 1, "reasons.unknown.step_max", "write reasons.unknown.steps_max"),
    ("reasons.unknown = {steps_max = 0, steps = [{x = 1}]}", 1, "reasons.unknown.steps[0].x", "one of after, unit"),
    ("[window]\nfrom_hours = 9", 2, "window.from_hours", "write window.from_hour"),
    # --- a value of the wrong kind
    ("at_hour = '9'", 1, "at_hour must be a whole number, not text in quotes", "for example, at_hour = 9"),
    ("at_hour = 9.5", 1, "at_hour must be a whole number, not a number with a fraction", "for example, at_hour = 9"),
    ("receipts = 1", 1, "receipts must be true or false, not a whole number", "receipts = false"),
    ("steps = 4", 1, "steps must be a list, not a whole number", "steps = [{after = 1"),
    ("calendar = 7", 1, "calendar must be text in quotes, not a whole number", 'calendar = "DE-BY"'),
    ("steps = [\n{after = 1}]", 2, "steps[0] lacks unit", "steps = [{after = 1"),
    ("reasons = 1", 1, "reasons must be a table", "reasons.insufficient_funds = {steps_max = 2}"),
    ("\nreasons.unknown = {}", 2, "reasons.unknown lacks steps_max", "reasons.insufficient_funds = {steps_max = 2}"),
    ("window = 9", 1, "window must be a table", "window = {from_hour = 9"),
    ("timezone = 2020-01-01", 1, "timezone must be text in quotes, not a date", 'timezone = "Europe/London"'),
    # --- a name that means nothing
    ("strategy = 'fibonaci'", 1, "strategy cannot be 'fibonaci'", 'write "fibonacci"'),
    ("reasons.unknown = {steps_max = 1, strategy = 'slow'}", 1, "reasons.unknown.strategy cannot be 'slow'", "one of"),
    ("steps = [{after = 1, unit = 'week'}]", 1, "steps[0].unit cannot be 'week'", "write one of business_days, days"),
    ("final_action = 'refund'", 1, "final_action cannot be 'refund'", "one of pause"),
    ("based_on = 'by_reasons'", 1, "names no policy that ships", 'write "by_reason"'),
    ("timezone = 'Europe/Londn'", 1, "Europe/Londn", 'write timezone = "Europe/London"'),
    ("timezone = '../etc'", 1, "../etc", "write timezone ="),
    ("\ncalendar = 'UK'", 2, "no holiday calendar 'UK'", "write GB-ENG"),
    # --- a number out of range
    ("at_hour = 25", 1, "at_hour = 25 is out of range", "at_hour = 9"),
    ("at_minute = 60", 1, "at_minute = 60 is out of range", "at_minute = 0"),
    ("mail_until_hour = 25", 1, "mail_until_hour = 25 is out of range", "from 1 to 24"),
    ("mail_from_hour = 20", 1, "must be before mail_until_hour = 20", "write mail_from_hour = 8"),
    ('acquirer_allows = ["visa-99"]', 1, 'names "visa-99"', "visa-20-in-30-days"),
    ("card_attempts_24h_max = 0", 1, "card_attempts_24h_max = 0 is out of range", "card_attempts_24h_max = 10"),
    ("deadline_days = 0", 1, "deadline_days = 0 is out of range", "deadline_days = 21"),
    # --- a ladder that cannot be climbed
    ("steps = []", 1, "steps is empty and there is no deadline", "deadline_days = 21"),
    ("strategy = 'none'", 1, "steps is empty and there is no deadline", "write a step"),
    (f"steps = [{A_DAY},\n{{after = -3, unit = 'days'}}]", 2, "steps[1] has after = -3", "write after = 1 or more"),
    ("steps = [{after = 0, unit = 'minutes'}]", 1, "steps[0] has after = 0", "write after = 1 or more"),
    ("steps = [{after = 400, unit = 'days'}]", 1, "reaches further than 366 days", "write shorter gaps"),
    (
        f"attempts_max = 100\ncard_attempts_30d_max = 100\nsteps = [{', '.join([A_DAY] * 41)}]",
        3,
        "41 steps",
        "at most 40",
    ),
    ("attempts_max = 3", 1, "attempts_max = 3, but `steps` has 4 rungs", "write attempts_max = 4 or more"),
    # --- what a reason allows
    ("reasons.insufficient_funds = {steps_max = 5}", 1, "= 5, but the ladder has 4", "a number from 0 to 4"),
    (
        "[reasons.do_not_honor]\nsteps_max = 2\nsteps = [{after = 1, unit = 'days'}]",
        2,
        "= 2, but the ladder has 1",
        "from 0 to 1",
    ),
    ("reasons.do_not_honor = {steps_max = -1}", 1, "steps_max = -1", "a number from 0 to 4"),
    (
        "reasons.lost_or_stolen = {steps_max = 1}",
        1,
        "is dead until it changes",
        "write reasons.lost_or_stolen.steps_max = 0",
    ),
    (
        "reasons.expired_card = {steps_max = 1}",
        1,
        "promise an attempt that cannot happen",
        'strategy = "require_updater"',
    ),
    ("reasons.authentication_required = {steps_max = 1}", 1, "only the customer can confirm", "steps_max = 0"),
    ("reasons.unknown = {steps_max = 2}", 1, "one cautious step", "write reasons.unknown.steps_max = 1"),
    (
        "reasons.do_not_honor = {steps_max = 1, strategy = 'none'}",
        1,
        'its strategy "none" has no steps',
        "another strategy",
    ),
    # --- a window that never opens
    ("window = {from_hour = 18, until_hour = 9}", 1, "from 18 to 9 never opens", "the earlier hour as from_hour"),
    ("window = {from_hour = 9, until_hour = 9}", 1, "from 9 to 9 never opens", "the earlier hour as from_hour"),
    ("\n[window]\nfrom_hour = 25", 2, "not both hours of a day", "from 0 to 23"),
    ("[window]\navoid_month_edge_days = 16", 1, "the window never opens", "write a smaller avoid_month_edge_days"),
    (
        "[window]\navoid_month_edge_days = 9",
        1,
        "stays shut for 18 days in a row",
        "write a smaller avoid_month_edge_days",
    ),
    ("[window]\navoid_month_edge_days = -1", 2, "out of range", "a number from 0 to 7"),
    # --- what contradicts the rest
    ("deadline_days = 14", 1, "could pause access before the last attempt", "write deadline_days = 15 or more"),
    ("final_action = 'mark_unpaid'", 1, "mark_unpaid", 'write final_action = "pause"'),
    (
        "strategy = 'fibonacci'\nattempts_max = 14\ncard_attempts_24h_max = 10\ncard_attempts_30d_max = 15",
        3,
        "makes 15 attempts",
        "= 15",
    ),
    # --- several policies
    ("default = 'gentel'", 1, "there is no policy 'gentel'", 'write "gentle"'),
    ("[policies.mine]\nat_hour = 8", 1, "the file says no default", 'write default = "by_reason"'),
    ("default = 1", 1, "default must be text", 'default = "by_reason"'),
    ("default = 'mine'\n[policies.mine]\nat_hours = 8", 3, "policies.mine.at_hours", "write policies.mine.at_hour"),
    ("default = 'gentle'\nat_hour = 8", 2, "this file holds several", "move it into a table such as [policies.mine]"),
    ("default = 'gentle'\n[policies.gentle]", 2, "gentle ships with dunr", "another name"),
    ("default = 'gentle'\n[policies.'a b']", 2, "'a b' is no name", "letters, digits"),
    (
        "default = 'mine'\n[policies.mine]\nname = 'yours'",
        3,
        "the name of [policies.mine] is mine",
        "take the line out",
    ),
    (
        "default = 'gentle'\n[[segments]]\nname = 'a'\npolicy = 'nowhere'\ntags = ['a']",
        2,
        "no policy 'nowhere'",
        "[policies.nowhere]",
    ),
    (
        TWO_SEGMENTS,
        6,
        "'german' is never reached, since 'euro' above takes all of its cases",
        "write it above that one",
    ),
    (
        "default = 'gentle'\n[[segments]]\nname = 'a'\npolicy = 'gentle'\ncurrencies = []",
        5,
        "a list with something in it",
        "leave it out",
    ),
    (
        "default = 'gentle'\n[[segments]]\nname = 'a'\npolicy = 'gentle'\ncurrencies = ['euro']",
        5,
        "cannot hold 'euro'",
        'currencies = ["eur"]',
    ),
    (
        "default = 'gentle'\n[[segments]]\nname = 'a'\npolicy = 'gentle'\namount_min_minor = 100",
        5,
        "without a currency",
        "write currencies",
    ),
    (
        "default = 'gentle'\n[[segments]]\nname = 'a'\npolicy = 'gentle'\ncurrencies = ['eur']\namount_min_minor = 9\namount_max_minor = 8",
        6,
        "takes no amount",
        "the smaller one",
    ),
    (
        "default = 'gentle'\n[[segments]]\nname = 'a'\npolicy = 'gentle'\namount_min_minor = true",
        5,
        "whole number of minor units",
        "= 10000",
    ),
    (
        "default = 'gentle'\n[[segments]]\nname = 'a'\npolicy = 'gentle'\ncountry = ['DE']",
        5,
        "segments[0].country",
        "segments[0].countries",
    ),
    ("default = 'gentle'\n[[segments]]\npolicy = 'gentle'", 2, "segments[0] needs a name", "write [[segments]]"),
    (
        "default = 'gentle'\n[[segments]]\nname = 'a'\npolicy = 'gentle'\ntags = ['x']\n[[segments]]\nname = 'a'\npolicy = 'gentle'\ntags = ['y']",
        7,
        "two segments are called 'a'",
        "another name",
    ),
    ("default = 'gentle'\nsegments = 1", 2, "segments must be a list of tables", "write [[segments]]"),
    ("default = 'gentle'\nsegments = [1]", 2, "segments[0] must be a table", "write [[segments]]"),
    ("default = 'gentle'\npolicies = 1", 2, "policies must be tables", "write [policies.mine]"),
    ("default = 'gentle'\npolicies.mine = 1", 2, "policies.mine must be a table", "write [policies.mine]"),
]


def refused(text: str) -> tuple[Remark, ...]:
    with pytest.raises(PolicyRefused) as caught:
        policies_from_toml(text, "mine.toml", "mine")
    errors = tuple(remark for remark in caught.value.remarks if remark.level is Level.ERROR)
    assert str(caught.value).splitlines() == [str(one) for one in errors]
    return errors


@pytest.mark.parametrize(("text", "line", "wrong", "instead"), BAD_FILES)
def test_a_bad_file_gets_one_clear_error_with_its_line(text: str, line: int, wrong: str, instead: str) -> None:
    (error,) = refused(text)
    assert wrong in error.text
    assert instead in error.text
    assert any(word in error.text for word in ("write", "keep", "take", "move"))
    assert str(error).startswith(f"mine.toml:{line}: "), str(error)


def test_all_that_is_wrong_is_told_at_once_in_the_order_of_the_file() -> None:
    errors = refused("receipt = true\nat_hour = 30\ntimezone = 'Mars'\nsteps = 4")
    assert [error.line for error in errors] == [1, 4]  # what cannot be read comes before what contradicts itself
    errors = refused("\nat_hour = 30\ntimezone = 'Mars'\nfinal_action = 'mark_unpaid'")
    assert [error.line for error in errors] == [2, 3, 4]


def test_a_list_of_segments_has_an_end() -> None:
    many = "".join(f"[[segments]]\nname = 's{n}'\npolicy = 'gentle'\ntags = ['t{n}']\n" for n in range(101))
    assert "at most 100" in refused(f"default = 'gentle'\n{many}")[0].text


@pytest.mark.parametrize("text", ["", "# name = 'mine'\n\n"])
def test_a_file_that_was_cut_off_does_not_put_the_unconfigured_policy_in_force(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(
        PolicyRefused, match=r'^mine.toml:1: there is no setting in it: write at least based_on = "business_days"$'
    ):
        policies_in(file)
