"""What a model is asked. It hears the template's sentence, the language and the tone, and nothing of any customer."""

SYSTEM = (
    "You are a customer-care writer. Rewrite the paragraph that you are given, in the same language and in a formal, warm "
    "register, in one to three sentences. Keep every name in braces, such as {amount}, exactly as it is and use each once. "
    "State no amount, number, date, currency, link, address or phone number, promise nothing and threaten nothing, and "
    "answer with the paragraph alone, without quotes or markup."
)
WORDS_MAX = 300  # tokens of an answer


def question(kind: str, locale: str, sentence: str, tone: str) -> str:
    """The question about one paragraph."""
    wish = f"Tone: {tone}\n" if tone else ""
    return f"Kind of message: {kind}\nLanguage: {locale}\n{wish}Paragraph: {sentence}"
