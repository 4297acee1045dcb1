"""What a reader sees of an HTML mail: its tags, its links and its words. Knows no rule about them."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Page:
    tags: list[str] = field(default_factory=list)
    hrefs: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    lang: str | None = None
    words: str = ""


def read(html: str) -> Page:
    page = Page()

    class Reader(HTMLParser):
        hidden = False

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            page.tags.append(tag)
            page.attributes += [name for name, _ in attrs]
            page.hrefs += [value for name, value in attrs if name == "href" and value is not None]
            self.hidden = tag == "style" or (self.hidden and tag != "body")
            if tag == "html":
                page.lang = dict(attrs).get("lang")

        def handle_endtag(self, tag: str) -> None:
            if tag == "style":
                self.hidden = False

        def handle_data(self, data: str) -> None:
            if not self.hidden:
                page.words += data + " "

    reader = Reader(convert_charrefs=True)
    reader.feed(html)
    reader.close()
    page.words = re.sub(r"[ \r\n\t]+", " ", page.words)  # a no-break space is a word's own
    return page
