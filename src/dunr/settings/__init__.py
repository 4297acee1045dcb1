"""Every setting of dunr: read once from `dunr.toml` and the environment, and checked against each other."""

from dunr.settings.brake import brake_rule as brake_rule
from dunr.settings.reading import load_settings
from dunr.settings.secret_file import link_secret
from dunr.settings.values import Settings
from dunr.settings.webhook_secrets import webhook_secrets

__all__ = ["Settings", "link_secret", "load_settings", "webhook_secrets"]
