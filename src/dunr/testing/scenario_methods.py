"""What happens to payment methods between two attempts in a scenario: a refresh is answered, backups and cards of other subscriptions come on file."""

import re

from dunr.core.effects import RefreshMethod
from dunr.core.events import MethodRefreshed, RefreshMissed
from dunr.core.gate import ref_of
from dunr.core.value import replace
from dunr.testing.scenario_acts import Acts, on
from dunr.testing.scenario_news import says
from dunr.testing.scenario_processor import card
from dunr.testing.scenario_world import World

METHODS: Acts = []


def _asked(world: World) -> RefreshMethod:
    """The request for fresher details that nobody has answered yet."""
    asked = [one for one in world.told if isinstance(one, RefreshMethod)]
    assert asked, f"nobody asked for fresher details; told: {world.told}"
    world.told = [one for one in world.told if one is not asked[0]]
    return asked[0]


@on(r"updater finds (?P<card>\w+) expiring (?P<expires>\d{4}-\d\d)(?P<told>, told by webhook)?", METHODS)
def updater_hits(world: World, invoice_id: str, found: re.Match[str]) -> None:
    """The same method stands for a newer card; its webhook may be faster than the answer."""
    method_id = _asked(world).processor_method_id
    old = next(one for one in world.methods if one.processor_method_id == method_id)
    new = replace(old, fingerprint=found["card"], expires_on=found["expires"])
    world.methods = [new if one is old else one for one in world.methods]
    if found["told"]:
        world.read_all()
    world.decide(invoice_id, MethodRefreshed(method_id, ref_of(new)), None)


@on(r"updater finds (?P<what>nothing new|a fresh cryptogram)", METHODS)
def updater_reads(world: World, invoice_id: str, found: re.Match[str]) -> None:
    """The method as it was; of a network token, with a fresh cryptogram."""
    method_id = _asked(world).processor_method_id
    method = next(one for one in world.methods if one.processor_method_id == method_id)
    cryptogram = found["what"] == "a fresh cryptogram"
    world.decide(invoice_id, MethodRefreshed(method_id, ref_of(method), cryptogram), None)


@on(r"updater misses", METHODS)
def updater_misses(world: World, invoice_id: str, _found: re.Match[str]) -> None:
    world.decide(invoice_id, RefreshMissed(_asked(world).processor_method_id, "the account is closed"), None)


@on(r"updater never answers", METHODS)
def updater_is_silent(world: World, _invoice_id: str, _found: re.Match[str]) -> None:
    _asked(world)


@on(r"card (?P<card>\w+) is a network token", METHODS)
def is_token(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    world.methods = [
        replace(one, is_network_token=True) if one.card_key == found["card"] else one for one in world.methods
    ]


@on(r"backup (?P<card>\w+)(?P<unasked>, not agreed to)?", METHODS)
def backup(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    """Another method on file, which the customer agreed to have charged when the default one fails."""
    world.methods = [*world.methods, replace(card(found["card"]), is_backup=not found["unasked"])]


@says(r"new card (?P<card>\w+) came with (?P<subscription>\w+)", METHODS, wide=True)
def resubscribed(world: World, _invoice_id: str, found: re.Match[str]) -> None:
    """The customer starts another subscription with a new card, which becomes the default."""
    new = replace(card(found["card"]), came_with_subscription_id=found["subscription"])
    world.methods = [new, *(one for one in world.methods if one.card_key != new.card_key)]
