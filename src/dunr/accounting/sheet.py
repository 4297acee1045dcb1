"""The monthly report on paper: an HTML page that stands alone, and a CSV file. Charts are plain SVG bars, so that the page needs neither script nor network."""

from collections.abc import Iterator, Sequence
from html import escape

from dunr.accounting.month import Money, Month, Rung
from dunr.facts.currencies import exponent, units
from dunr.prose_costs import dollars

BAR_WIDTH = 160

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color-scheme: light dark; }
table { border-collapse: collapse; width: 100%; margin: 0 0 2rem; }
th, td { text-align: right; padding: .35rem .6rem; border-bottom: 1px solid #8886; }
th:first-child, td:first-child { text-align: left; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
rect.all { fill: #8884; } rect.won { fill: #2a7d4f; }
"""


def html_page(month: Month) -> str:
    """The report as one page."""
    title = f"Recovery in {month.begins_on:%B %Y}"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n'
        f"{_money_table(month.money)}{_funnel_table(month.funnel)}{_refresh_line(month)}{_prose_lines(month)}</body>\n</html>\n"
    )


def csv_rows(month: Month) -> Iterator[tuple[str, ...]]:
    """The same figures as rows: what it is, of what, how much."""
    yield ("figure", "processor", "currency", "reason", "attempt", "value")
    for one in month.money:
        for name, value in _money_cells(one):
            yield (name, one.processor, one.currency.upper(), "", "", value)
    for rung in month.funnel:
        reason = rung.reason or "unknown"
        yield ("tried", "", "", reason, str(rung.attempt_number), str(rung.tried_count))
        yield ("succeeded", "", "", reason, str(rung.attempt_number), str(rung.succeeded_count))
    yield ("tried_after_refresh", "", "", "", "", str(month.refreshed_count))
    yield ("succeeded_after_refresh", "", "", "", "", str(month.refreshed_succeeded_count))
    for row in month.prose:
        yield ("prose_paragraphs", "", "", row.model, "", str(row.paragraphs_count))
        yield ("prose_tokens_in", "", "", row.model, "", str(row.input_tokens))
        yield ("prose_tokens_out", "", "", row.model, "", str(row.output_tokens))
        if row.cost_usd_micros is not None:
            yield ("prose_cost", "", "USD", row.model, "", dollars(row.cost_usd_micros))


def _money_cells(one: Money) -> tuple[tuple[str, str], ...]:
    return (
        ("failed_invoices", str(one.opened_count)),
        ("failed", _amount(one, one.opened_minor)),
        ("payments", str(one.came_in_count)),
        ("came_in", _amount(one, one.came_in_minor)),
        ("given_up", _amount(one, one.given_up_minor)),
        ("taken_back", _amount(one, one.took_back_minor)),
        ("overpaid", _amount(one, one.overpaid_minor)),
    )


def _amount(one: Money, amount_minor: int) -> str:
    digits = exponent(one.processor, one.currency)
    return f"{units(one.processor, amount_minor, one.currency):.{digits}f}"


def _money_table(money: tuple[Money, ...]) -> str:
    heads = ("Currency", "Failed invoices", "Failed", "Payments", "Came in", "Given up", "Taken back", "Overpaid")
    rows = ((f"{one.currency.upper()} at {one.processor}", *(value for _, value in _money_cells(one))) for one in money)
    return _table("Money", heads, [tuple(escape(cell) for cell in row) for row in rows])


def _funnel_table(funnel: tuple[Rung, ...]) -> str:
    heads = ("Declined because", "Attempt", "Tried", "Succeeded", "Rate")
    rows = [
        (
            escape(rung.reason or "unknown"),
            str(rung.attempt_number),
            str(rung.tried_count),
            str(rung.succeeded_count),
            _bar(rung),
        )
        for rung in funnel
    ]
    return _table("Attempts by reason and number", heads, rows)


def _bar(rung: Rung) -> str:
    """A bar for the eye, and the rate in words for everybody."""
    rate = rung.succeeded_count / rung.tried_count
    won = round(BAR_WIDTH * rate)
    return (
        f'<svg width="{BAR_WIDTH}" height="12" role="img" aria-label="{rate:.0%}"><rect class="all" width="{BAR_WIDTH}" height="12"/>'
        f'<rect class="won" width="{won}" height="12"/></svg> {rate:.0%}'
    )


def _refresh_line(month: Month) -> str:
    if not month.refreshed_count:
        return ""
    return f"<p>Of {month.refreshed_count} attempts after a refreshed card, {month.refreshed_succeeded_count} succeeded.</p>\n"


def _prose_lines(month: Month) -> str:
    """What the copywriter took, where there is one."""
    return "".join(
        f"<p>Prose by {escape(row.model)}: {row.paragraphs_count:,} paragraphs, {row.input_tokens:,} tokens in, {row.output_tokens:,} out"
        f"{'' if row.cost_usd_micros is None else f', {dollars(row.cost_usd_micros)} USD'}.</p>\n"
        for row in month.prose
    )


def _table(caption: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table of cells that are HTML already."""
    if not rows:
        return f"<p>{caption}: nothing in this month.</p>\n"
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table>\n<caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
