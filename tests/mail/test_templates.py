"""A merchant's own templates: any part or the whole; one that is broken, unsafe or lacks what a customer needs is refused, and ours is used."""

from pathlib import Path

import pytest

from dunr.mail.layout import Layout
from dunr.mail.layouts import Layouts
from dunr.mail.overrides import TemplateRefused
from dunr.mail.renderer import MailRenderer
from tests.mail.notices import LINKS, NOW, PAYER, brand, exponent, notice

FOOTER = "<mj-section><mj-column><mj-text>{{ letter.footer }} Registered in Leeds.</mj-text></mj-column></mj-section>"
WHOLE = """<mjml lang="{{ letter.lang }}"><mj-body><mj-section><mj-column>
<mj-text>{{ letter.opening }}</mj-text>
<mj-raw>{% if letter.button %}</mj-raw><mj-button href="{{ letter.link }}">{{ letter.button }}</mj-button><mj-raw>{% endif %}</mj-raw>
</mj-column></mj-section></mj-body></mjml>"""


def rendered(folder: Path, told: list[str] | None = None) -> tuple[str, str]:
    layouts = Layouts(lambda _about, text: told.append(text) if told is not None else None)
    renderer = MailRenderer(brand(templates=str(folder)), LINKS, exponent, layouts=layouts)
    mails = [renderer.render(notice(), PAYER, "UTC", NOW) for _ in range(3)]
    assert mails[0] == mails[2]
    return mails[0].html, mails[0].text


def test_a_part_replaces_ours_and_the_rest_stays(tmp_path: Path) -> None:
    (tmp_path / "footer.mjml").write_text(FOOTER)
    (tmp_path / "footer.txt.j2").write_text("Registered in Leeds.\n")
    html, text = rendered(tmp_path)
    assert "It is not advertising. Registered in Leeds." in html
    assert text.endswith("Registered in Leeds.\n")
    assert "Ada Lovelace" in html
    assert "block footer" not in html + text


def test_a_whole_template_replaces_ours(tmp_path: Path) -> None:
    (tmp_path / "notice.mjml").write_text(WHOLE)
    html, text = rendered(tmp_path)
    assert "Ada Lovelace" not in html
    assert "/pay/" in html
    assert "Ada Lovelace" in text


REFUSED = [
    ("footer.mjml", "<mj-section>\n{{ letter.footer", "footer.mjml:2: unexpected end of template"),
    ("footer.mjml", "\n\n{% for a in b", "footer.mjml:3: "),
    ("footer.mjml", "a\n{{ customer.card }}", "footer.mjml:2: there is no value 'customer'; there are brand, letter"),
    ("footer.mjml", "a\nb\n{{ letter.foter }}", "footer.mjml:3: letter has no value 'foter'"),
    ("footer.mjml", "{{ letter.__class__.__mro__ }}", "footer.mjml:1: '__"),
    ("footer.mjml", "{{ letter.footer | safe }}", "footer.mjml:1: the filter safe"),
    ("footer.mjml", "a\n{{ letter.footer | shout }}", "footer.mjml:2: No filter named 'shout'"),
    ("footer.mjml", "{% include '/etc/passwd' %}", "footer.mjml:1: it may not read other files"),
    ("footer.mjml", "\n<mj-include path='/etc/passwd' />", "footer.mjml:2: '<mj-include' has no place in a mail"),
    ("footer.mjml", "<mj-text>\n<script>alert(1)</script></mj-text>", "footer.mjml:2: '<script' has no place"),
    ("footer.mjml", "<mj-text><a onclick='x()'>a</a></mj-text>", "footer.mjml:1: 'onclick=' has no place"),
    ("notice.mjml", "<mjml><mj-body><mj-section></mj-body></mjml>", "notice.mjml:1: it is not MJML: "),
    ("notice.mjml", "\n<mjml><mj-body>\n<mj-fancy></mj-fancy></mj-body></mjml>", "notice.mjml:3: MJML has no element"),
    ("notice.mjml", WHOLE.replace("{{ letter.link }}", "https://x.example"), "the letter ends without the link"),
    ("notice.mjml", WHOLE.replace("{{ letter.opening }}", "Pay!"), "the letter ends without the amount"),
    ("notice.txt.j2", "{{ letter.opening }}", "notice.txt.j2:1: the letter ends without the link"),
    ("notice.txt.j2", "{{ letter.link }}{{ 1 / 0 }}", "notice.txt.j2:1: a sample cannot be rendered: division by zero"),
    ("foter.mjml", "a", "foter.mjml:1: no template has this name; they are action.mjml"),
]


@pytest.mark.parametrize(("name", "source", "said"), REFUSED)
def test_a_template_that_cannot_be_used_is_refused_with_its_line_and_ours_is_used(
    tmp_path: Path, name: str, source: str, said: str
) -> None:
    (tmp_path / name).write_text(source)
    with pytest.raises(TemplateRefused) as caught:
        Layout(brand(), tmp_path)
    assert said in str(caught.value)
    told: list[str] = []
    html, text = rendered(tmp_path, told)
    assert "Ada Lovelace" in html
    assert "/pay/" in html
    assert "/pay/" in text
    (alert,) = told
    assert "A mail template of Nordwind is refused, and ours is used instead." in alert


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "footer.mjml").write_bytes(b"a\n\xff\xfe")
    with pytest.raises(TemplateRefused, match=r"footer.mjml:2: it is not UTF-8"):
        Layout(brand(), tmp_path)
    with pytest.raises(TemplateRefused, match="there is no such folder"):
        Layout(brand(), tmp_path / "nowhere")
