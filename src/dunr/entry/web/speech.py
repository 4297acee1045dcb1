"""In which language a customer's page speaks, and its sentences.

The customer's choice on the page wins, then what the processor knows of them, then what the browser asks for, then English. Each page has its own: nothing is shared.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from babel.core import Locale, UnknownLocaleError

TAGS: Final = ("en", "de", "fr", "es", "pt-BR", "ja")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")
ACCEPTED_MAX = 20


@cache
def sentences(tag: str) -> Mapping[str, str]:
    """The sentences of one language."""
    text = files(__package__).joinpath("sentences", f"{tag}.toml").read_text(encoding="utf-8")
    return {key: str(value) for key, value in tomllib.loads(text).items()}


@dataclass(frozen=True, slots=True)
class Speech:
    """What one page is written in: the sentences, and the locale whose numbers and dates go with them."""

    tag: str
    locale: Locale

    def __call__(self, key: str, **facts: str) -> str:
        """A sentence with its facts filled in; KeyError where it or one of them is missing."""
        return _PLACEHOLDER.sub(lambda found: facts[found.group(1)], sentences(self.tag)[key])

    @property
    def choices(self) -> tuple[tuple[str, str], ...]:
        """Every language by its tag and its own name."""
        return tuple((tag, sentences(tag)["name"]) for tag in TAGS)


def speech(chosen: str | None, payer_locale: str | None, accepted: str | None) -> Speech:
    """The first language that we have of what was chosen, what is known of the customer, and what the browser accepts."""
    for wanted in (chosen, payer_locale, *_accepted(accepted)):
        plain = (wanted or "").partition(".")[0].partition("@")[0]
        if _LANGUAGE_TAG.fullmatch(plain):
            tag = _tag_for(plain.replace("_", "-").lower())
            if tag is not None:
                return Speech(tag, _locale(plain) or _locale(tag) or Locale("en"))
    return Speech("en", Locale("en"))


def _tag_for(wanted: str) -> str | None:
    """Our tag for it: the very one, else one of the same language."""
    same = (tag for tag in TAGS if tag.lower() == wanted)
    near = (tag for tag in TAGS if tag.lower().split("-")[0] == wanted.split("-", maxsplit=1)[0])
    return next(same, None) or next(near, None)


def _accepted(header: str | None) -> Iterator[str]:
    """The languages of an Accept-Language header, the most wanted first."""
    ranked = []
    for part in (header or "").split(",")[:ACCEPTED_MAX]:
        tag, _, weight = part.partition(";")
        quality = re.fullmatch(r"\s*q=([01](?:\.\d{1,3})?)\s*", weight)
        ranked.append((-float(quality[1]) if quality else -1.0, tag.strip()))
    for weighed, tag in sorted(ranked, key=lambda one: one[0]):
        if weighed:
            yield tag


def _locale(tag: str) -> Locale | None:
    try:
        return Locale.parse(tag.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return None
