"""A merchant's own templates: whole, or the parts of ours that they replace.

Knows that such a file may be wrong or unsafe, and finds that out when it is loaded: the refusal names the file and the line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import mrml
from jinja2 import TemplateSyntaxError, nodes
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment

PAGE: Final = "notice.mjml"
TEXT: Final = "notice.txt.j2"
BLOCKS: Final = ("header", "heading", "words", "action", "details", "closing", "footer")
FILE_BYTES_MAX = 200_000

_BLOCK = {
    # No block begins within another, so that no block is looked for behind the beginning of the next one.
    PAGE: re.compile(r"<!-- block (\w+) -->((?:(?!<!-- block ).)*?)<!-- end \1 -->", re.DOTALL),
    TEXT: re.compile(r"\{# block (\w+) #\}\n((?:(?!\{# block ).)*?)\{# end \1 #\}\n", re.DOTALL),
}
# What no letter needs: things that run, that fetch pages of others, or that ask for card data in a mail.
_UNSAFE = re.compile(
    r"<\s*(script|iframe|object|embed|form|input|base|mj-include)\b|\bon\w+\s*=|javascript:", re.IGNORECASE
)
_READS_FILES = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)


class TemplateRefused(Exception):
    """A template of the merchant's cannot be used; the text names the file, the line and what is wrong."""

    def __init__(self, file: str, line: int, why: str) -> None:
        """`line` counts from 1."""
        super().__init__(f"{file}:{line}: {why}")


@dataclass(frozen=True, slots=True)
class Sources:
    """The templates of one brand: the page as MJML, and the text."""

    page: str
    text: str


@cache
def shipped() -> Sources:
    """Our own, with the marks of their blocks."""
    folder = files(__package__).joinpath("templates")
    return Sources(*(folder.joinpath(name).read_text(encoding="utf-8") for name in (PAGE, TEXT)))


def read(folder: Path | None, environment: SandboxedEnvironment, known: dict[str, frozenset[str]]) -> Sources:
    """Ours, with what the folder replaces. `known` are the values that a template may name, with their fields. Raises `TemplateRefused`."""
    ours = shipped()
    if folder is None:
        return Sources(_composed(PAGE, ours.page, {}), _composed(TEXT, ours.text, {}))
    if not folder.is_dir():
        raise TemplateRefused(str(folder), 1, "there is no such folder")
    own = {path.name: path for path in sorted(folder.iterdir()) if path.suffix in (".mjml", ".j2")}
    allowed = {PAGE, TEXT, *(f"{name}.mjml" for name in BLOCKS), *(f"{name}.txt.j2" for name in BLOCKS)}
    for name, path in own.items():
        if name not in allowed:
            raise TemplateRefused(str(path), 1, f"no template has this name; they are {', '.join(sorted(allowed))}")
    texts = {name: _checked(path, environment, known) for name, path in own.items()}
    return Sources(
        _composed(PAGE, texts.get(PAGE, ours.page), _parts(texts, ".mjml")),
        _composed(TEXT, texts.get(TEXT, ours.text), _parts(texts, ".txt.j2")),
    )


def _parts(texts: dict[str, str], suffix: str) -> dict[str, str]:
    return {name: texts[f"{name}{suffix}"] for name in BLOCKS if f"{name}{suffix}" in texts}


def _composed(kind: str, source: str, parts: dict[str, str]) -> str:
    """The template with its parts in place and without the marks."""
    return _BLOCK[kind].sub(lambda found: parts.get(found[1], found[2]), source)


def _checked(path: Path, environment: SandboxedEnvironment, known: dict[str, frozenset[str]]) -> str:
    """One file of the merchant's, if it can be used. Raises `TemplateRefused`."""
    try:
        raw = path.read_bytes()
        source = raw.decode("utf-8")
    except OSError as error:
        raise TemplateRefused(str(path), 1, f"it cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise TemplateRefused(str(path), raw[: error.start].count(b"\n") + 1, "it is not UTF-8") from error
    if len(raw) > FILE_BYTES_MAX:
        raise TemplateRefused(str(path), 1, f"it has more than {FILE_BYTES_MAX:,} bytes")
    if (unsafe := _UNSAFE.search(source)) is not None:
        line = source.count("\n", 0, unsafe.start()) + 1
        raise TemplateRefused(str(path), line, f"{unsafe[0]!r} has no place in a mail")
    try:
        tree = environment.parse(source)
        environment.compile(source)
    except TemplateSyntaxError as error:
        raise TemplateRefused(str(path), error.lineno, error.message or "it is no template") from error
    for line, why in _complaints(tree, known):
        raise TemplateRefused(str(path), line, why)
    return source


def _complaints(tree: nodes.Template, known: dict[str, frozenset[str]]) -> Iterator[tuple[int, str]]:
    """What a template names that no letter has, and what it may not do."""
    strangers = find_undeclared_variables(tree) - known.keys()
    for name in tree.find_all(nodes.Name):
        if name.name in strangers:
            yield name.lineno, f"there is no value {name.name!r}; there are {', '.join(sorted(known))}"
    for attribute in tree.find_all(nodes.Getattr):
        owner = attribute.node.name if isinstance(attribute.node, nodes.Name) else None
        if attribute.attr.startswith("_"):
            yield attribute.lineno, f"{attribute.attr!r} is out of bounds"
        elif owner in known and attribute.attr not in known[owner]:
            yield (
                attribute.lineno,
                f"{owner} has no value {attribute.attr!r}; it has {', '.join(sorted(known[owner]))}",
            )
    for reading in tree.find_all(_READS_FILES):
        yield reading.lineno, "it may not read other files"
    for unescaped in tree.find_all(nodes.Filter):
        if unescaped.name == "safe":
            yield unescaped.lineno, "the filter safe would let a customer's own words become markup"


def page_of(mjml: str, file: str) -> str:
    """MJML as HTML, with its placeholders still in it. Raises `TemplateRefused`."""
    no_includes = mrml.ParserOptions(include_loader=mrml.noop_loader())
    no_fonts = mrml.RenderOptions(fonts={})  # mrml would fetch some from a third party, which tells it who reads
    try:
        html = mrml.to_html(mjml, parser_options=no_includes, render_options=no_fonts).content
    except OSError as error:
        raise TemplateRefused(file, 1, f"it is not MJML: {error}") from error
    if (unknown := re.search(r"<mj-[\w-]+", html)) is not None:
        line = mjml.count("\n", 0, max(0, mjml.find(unknown[0]))) + 1
        raise TemplateRefused(file, line, f"MJML has no element {unknown[0]}>")
    return html
