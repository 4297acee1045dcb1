"""The copywriter that leaves every word to the template. Knows nothing, and so cannot be wrong."""

from collections.abc import Mapping


class TemplateCopywriter:
    """Always the template's own words."""

    def prose(self, kind: str, locale: str, facts: Mapping[str, str]) -> None:  # noqa: ARG002 - the port's arguments
        """No paragraph of its own."""
        return
