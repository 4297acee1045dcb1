"""The sentences of one language, as data.

Knows that no sentence may be printed without all of its facts, and that no language may lack a sentence.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from babel.core import Locale, UnknownLocaleError

from dunr.errors import SettingsError

SOURCE_LANGUAGE: Final = "en"
FACTS: Final = frozenset(
    {"amount", "brand", "invoice", "next_date", "pause_date", "name", "support_url", "card", "card_month"}
)

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One language. `tag` is its name in mail headers and HTML; `sentences` are keyed `table.name`."""

    tag: str
    sentences: Mapping[str, str]

    def say(self, key: str, facts: Mapping[str, str]) -> str:
        """The sentence with its facts filled in; KeyError where it is missing or a fact is."""
        return filled(self.sentences[key], facts)


@cache
def languages() -> frozenset[str]:
    """The tags of the languages that this installation has, one file each."""
    names = (entry.name for entry in files(__package__).joinpath("catalogues").iterdir())
    return frozenset(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


@cache
def load(tag: str) -> Catalogue:
    """Read one language and compare it with the source language, sentence by sentence."""
    text = files(__package__).joinpath("catalogues", f"{tag}.toml").read_text(encoding="utf-8")
    sentences = dict(_flat(tag, tomllib.loads(text)))
    source = sentences if tag == SOURCE_LANGUAGE else load(SOURCE_LANGUAGE).sentences
    problems = [*complaints(sentences, source)]
    if problems:
        raise SettingsError(f"The catalogue {tag} does not fit: {'; '.join(problems)}.")
    return Catalogue(tag, sentences)


def _flat(tag: str, tables: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for table, entries in tables.items():
        if not isinstance(entries, dict):
            raise SettingsError(f"The catalogue {tag} has a value outside a table: {table}.")
        for name, sentence in entries.items():
            yield f"{table}.{name}", str(sentence)


def complaints(sentences: Mapping[str, str], source: Mapping[str, str]) -> Iterator[str]:
    """What a language lacks, has too much, or says with other facts than the source language."""
    yield from (f"{key} is missing" for key in sorted(source.keys() - sentences.keys()))
    yield from (f"{key} is unknown" for key in sorted(sentences.keys() - source.keys()))
    for key in sorted(sentences.keys() & source.keys()):
        used, wanted = facts_in(sentences[key]), facts_in(source[key])
        if used != wanted or not used <= FACTS:
            yield f"{key} uses the facts {sorted(used)}, not {sorted(wanted & FACTS)}"


def filled(sentence: str, facts: Mapping[str, str]) -> str:
    """The sentence with its facts filled in, in one pass: a fact that looks like a placeholder is not filled in again."""
    return _PLACEHOLDER.sub(lambda found: facts[found.group(1)], sentence)


def facts_in(sentence: str) -> frozenset[str]:
    """The names of the facts that a sentence states."""
    return frozenset(_PLACEHOLDER.findall(sentence))


@dataclass(frozen=True, slots=True)
class Language:
    """What one mail is written in: the sentences, and the locale whose numbers and dates go with them."""

    catalogue: Catalogue
    locale: Locale


def choose(payer_locale: str | None, fallbacks: tuple[str, ...]) -> Language:
    """The payer's language, less and less exact (de-AT, de) or as another country writes it (pt, pt-BR), then the fallbacks, then English.

    Numbers and dates follow the payer's region only where the language is the payer's: no mail is half in another.
    """
    for wanted in (payer_locale, *fallbacks, SOURCE_LANGUAGE):
        parts = _parts_of(wanted)
        tag = _nearest(parts)
        if tag is not None:
            return Language(load(tag), _locale_of(parts) or _locale_of(tag.split("-")) or Locale("en"))
    raise AssertionError("English ships with every installation")


def _nearest(parts: list[str]) -> str | None:
    """The language that we have for these parts of a tag, if any."""
    for count in range(len(parts), 0, -1):
        tag = "-".join(parts[:count])
        if tag in languages():
            return tag
    return next((tag for tag in sorted(languages()) if parts and tag.partition("-")[0] == parts[0]), None)


def _parts_of(payer_locale: str | None) -> list[str]:
    """Of `pt_br.UTF-8`: ["pt", "BR"]; empty where it is no language tag at all."""
    tag = (payer_locale or "").partition(".")[0].partition("@")[0]
    if not _LANGUAGE_TAG.fullmatch(tag):
        return []
    language, *rest = re.split("[-_]", tag)
    return [language.lower(), *(part.upper() if len(part) <= 3 else part.title() for part in rest)]  # noqa: PLR2004 - regions have 2 or 3


def _locale_of(parts: list[str]) -> Locale | None:
    try:
        return Locale.parse("_".join(parts))
    except (UnknownLocaleError, ValueError):
        return None
