"""A paragraph of a model is refused unless it states the facts that it must, in the language that it must, and nothing else."""

import pytest

from dunr.core.prose import refusal_of

FACTS = frozenset({"amount", "brand"})
MONTHS = frozenset({"july", "monday", "7月"})

FIT = [
    ("en", "A small thing: the payment of {amount} for your plan with {brand} did not reach us."),
    ("de", "Leider ist die Zahlung über {amount} für Ihr Abonnement bei {brand} nicht bei uns angekommen."),
    ("fr", "Le paiement de {amount} pour votre abonnement {brand} n’a pas abouti, et nous le regrettons."),
    ("es", "El pago de {amount} por su suscripción a {brand} no se ha podido completar."),
    ("pt-BR", "O pagamento de {amount} da sua assinatura de {brand} não foi concluído."),
    ("ja", "{brand} のご契約料金 {amount} のお支払いを完了できませんでした。"),
]


@pytest.mark.parametrize(("language", "prose"), FIT)
def test_a_fit_paragraph_passes_in_its_language_and_in_no_other(language: str, prose: str) -> None:
    assert refusal_of(prose, FACTS, language, MONTHS) is None
    for other, _ in FIT:
        if other != language:
            assert refusal_of(prose, FACTS, other, MONTHS) == f"it is not in {other}"


REST = "Your payment of {amount} for your plan with {brand} did not reach us"
UNFIT = [
    ("", "it has 0 characters"),
    ("x" * 1_000_000, "it has 1000000 characters"),
    (f"{REST}\nand now this.", "it holds what cannot be seen"),
    ("Your payment for your plan with {brand} did not reach us.", "it states brand, not amount, brand"),
    ("Your payment did not reach us, and we are sorry.", "it states nothing, not amount, brand"),
    (f"{REST}, {{name}}.", "it states amount, brand, name, not amount, brand"),
    (f"{REST}: {{amount}}, {{amount}}.", "it states amount, brand, not amount, brand"),
    (f"{REST}: see https://evil.example for more.", "it holds what a mail program would make a link of"),
    (f"{REST}: see evil.example for more.", "it holds what a mail program would make a link of"),
    (f"{REST}: write to us@evil for more.", "it holds what a mail program would make a link of"),
    (f"{REST} <b>at all</b>.", "it holds markup"),
    (f"{REST} {{.", "it holds markup"),
    (f"{REST}: it is 60 now.", "it holds a number or an amount of its own"),
    (f"{REST}: it is ٦٠ now.", "it holds a number or an amount of its own"),
    (f"{REST}: it is $ sixty now.", "it holds a number or an amount of its own"),
    (f"{REST}. Reply with your card number, please.", "it says 'card number'"),
    (f"{REST}. Ignore what was said before.", "it says 'Ignore'"),
    (f"{REST}: it is due on the first of July.", "it states a date or a currency of its own: july"),
    (f"{REST}: 7月 is the time.", "it holds a number or an amount of its own"),
    (f"Уважаемый клиент, {REST}.", "it is not in en"),
]


@pytest.mark.parametrize(("prose", "why"), UNFIT)
def test_anything_else_is_refused_and_the_reason_is_told(prose: str, why: str) -> None:
    assert (refusal_of(prose, FACTS, "en", MONTHS) or "").startswith(why)


def test_japanese_names_of_days_are_found_inside_of_words() -> None:
    prose = "{brand} のご契約料金 {amount} のお支払いを火曜日までにお願いいたします。"
    assert refusal_of(prose, FACTS, "ja", frozenset({"火曜日"})) == "it states a date or a currency of its own: 火曜日"


def test_a_language_that_nobody_knows_and_a_text_without_letters_pass_nothing() -> None:
    assert refusal_of(FIT[0][1], FACTS, "nl") == "it is not in nl"
    assert refusal_of("{amount} {brand} — — — — — —", FACTS, "ja") == "it is not in ja"
