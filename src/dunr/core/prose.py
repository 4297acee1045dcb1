"""What a copywriter's paragraph must pass before a customer reads it.

Knows that prose may not add facts: it is written around the names of facts in braces, which are filled in afterwards, so that it holds no amount, no date and
no link of its own. It replaces one paragraph; dates, button and link stay in sentences of ours.
"""

import re

from dunr.core.value import Value

PROSE_LENGTH_MIN = 20
PROSE_LENGTH_MAX = 600
REPEATS_MAX = 2  # of one fact

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_LIKE_A_LINK = re.compile(r"//|@|\bwww\b|\w\.\w|\bdot (?:com|net|org)\b", re.IGNORECASE)
_MARKUP = re.compile(r"[<>{}\[\]`|\\#*_=]")
_WORD = re.compile(r"[^\W\d_]+")
_LATIN_END = 0x250
_KANA = re.compile(r"[\u3041-\u30ff]")
_JAPANESE = re.compile(r"[\u3005-\u30ff\u4e00-\u9fff]")
_MONEY_SIGNS = frozenset("$€£¥￥₹₩₽₺₫฿₴₦₱¢₿%")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Small words that hardly occur in the other languages here.
_SMALL_WORDS = {
    "en": _words("the your you we to of for and was is not this with our could it have has been please"),
    "de": _words("der die das ihre ihr sie wir zu und ist nicht diese mit unser konnte konnten haben für bei bitte"),
    "fr": _words("le la les votre vous nous pour et est pas ce avec notre avons de du une un n’a été merci"),
    "es": _words("el la los su usted hemos por y es no este con nuestro de del una un se ha podido para que"),
    "pt": _words("o a os seu sua você não por e é este com nosso de do da uma um foi que para pagamento"),
}
# What no notice of ours asks a customer for, and what a model says when it follows somebody else's instructions.
_NEVER = re.compile(
    r"\b(?:cvv|cvc|pin|password|passwort|kennwort|contraseña|senha|mot de passe|card number|kartennummer|número d[ae]l? (?:tarjeta|cartão)|"
    r"numéro de (?:la )?carte|iban|wire|transfer|überweis\w*|virement|transferencia|transferência|bitcoin|gift cards?|call|phone|"
    r"ignore|instructions?|prompt|assistant|language model|refund\w*|free|discount|legal|lawyer|court|police|collection agency)\b"
    r"|パスワード|暗証番号|カード番号|振込|返金|無料|割引|弁護士|裁判",
    re.IGNORECASE,
)


class Prose(Value):
    """What a copywriter answered, unchecked, and what it took. An answer without a text took as much."""

    text: str | None
    model: str
    input_tokens: int
    output_tokens: int


def refusal_of(prose: str, facts: frozenset[str], language: str, forbidden: frozenset[str] = frozenset()) -> str | None:
    """Why a paragraph may not be sent, or None where it may.

    `facts` are the names that it must state, each in braces; `language` is `en`, `pt-BR` …; `forbidden` are words in lower case that would state a fact of its
    own in that language: names of months, of days and of currencies.
    """
    if not PROSE_LENGTH_MIN <= len(prose) <= PROSE_LENGTH_MAX:
        return f"it has {len(prose)} characters"
    if not prose.isprintable():
        return "it holds what cannot be seen, or more than one paragraph"
    told = _PLACEHOLDER.findall(prose)
    if set(told) != facts or max(map(told.count, facts), default=0) > REPEATS_MAX:
        return f"it states {', '.join(sorted(set(told))) or 'nothing'}, not {', '.join(sorted(facts))}"
    rest = _PLACEHOLDER.sub(" ", prose)
    if _LIKE_A_LINK.search(rest):
        return "it holds what a mail program would make a link of"
    if _MARKUP.search(rest):
        return "it holds markup"
    if any(character.isnumeric() and not _JAPANESE.match(character) for character in rest) or _MONEY_SIGNS & set(rest):
        return "it holds a number or an amount of its own"
    if (said := _NEVER.search(rest)) is not None:
        return f"it says {said[0]!r}"
    words = [word.lower() for word in _WORD.findall(rest)]
    named = forbidden.intersection(words) | {word for word in forbidden if _JAPANESE.match(word) and word in rest}
    if named:
        return f"it states a date or a currency of its own: {min(named)}"
    return None if _is_in(language.partition("-")[0], rest, words) else f"it is not in {language}"


def _is_in(language: str, rest: str, words: list[str]) -> bool:
    """Whether a text is written in a language, as its letters and its small words tell."""
    letters = [character for character in rest if character.isalpha()]
    japanese = sum(1 for character in letters if _JAPANESE.match(character))
    if language == "ja":
        return bool(letters) and _KANA.search(rest) is not None and japanese * 10 >= len(letters) * 9
    if not all(ord(character) < _LATIN_END for character in letters) or language not in _SMALL_WORDS:
        return False
    counts = {name: sum(word in small for word in words) for name, small in _SMALL_WORDS.items()}
    return counts[language] * 8 >= len(words) and counts[language] == max(counts.values())
