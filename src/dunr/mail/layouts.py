"""The layouts of all brands, each made when it is first needed.

Knows that a merchant's broken template must not keep a mail from leaving: ours takes its place, and somebody is told once.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import structlog

from dunr.mail.brand import Brand
from dunr.mail.layout import Layout
from dunr.mail.overrides import TemplateRefused

_log = structlog.get_logger()
Told = Callable[[str, str], None]  # a short name of what it is about, and the text


class Layouts:
    """Threads may share it: two that need the same layout first make it twice, and keep one."""

    def __init__(self, told: Told | None = None) -> None:
        """`told` hears of a template that is refused; it is not asked twice for one brand."""
        self._told = told
        self._made: dict[Brand, Layout] = {}

    def of(self, brand: Brand) -> Layout:
        """The layout of a brand."""
        made = self._made.get(brand)
        return made if made is not None else self._made.setdefault(brand, self._make(brand))

    def _make(self, brand: Brand) -> Layout:
        if brand.templates is None:
            return Layout(brand)
        try:
            return Layout(brand, Path(brand.templates))
        except TemplateRefused as refused:
            _log.warning("template_refused", brand=brand.name, why=str(refused))
            if self._told is not None:
                about = sha256(str(refused).encode()).hexdigest()[:16]  # the same in each process that reads it
                self._told(about, f"A mail template of {brand.name} is refused, and ours is used instead. {refused}")
            return Layout(brand)
