"""dj-stripe as a peer of the intake benchmark: its own webhook view, which checks the signature and stores the event; processing is handed to a callback, as its
documentation advises for a queue, and the callback does nothing.

Runs in an environment of its own. Django has what the view needs and no more middleware than gives answers a length; connections stay open; SQLite has dunr's
settings. `python dj_stripe.py` makes the tables and the endpoint; `application` is for a WSGI server.
"""

import os
import sys

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.urls import include, path

ENDPOINT_UUID = "7c7f0f0e-6f0c-4a8e-9d59-3f1f4f6a2b10"

settings.configure(
    SECRET_KEY="benchmark",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "djstripe"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    USE_TZ=True,
    MIGRATION_MODULES={"djstripe": None, "auth": None, "contenttypes": None},  # the same tables, in seconds
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ["BENCH_DATABASE"],
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
            },
        }
    },
    STRIPE_LIVE_MODE=False,
    STRIPE_TEST_SECRET_KEY="sk_test_benchmark",
    DJSTRIPE_FOREIGN_KEY_TO_FIELD="id",
    DJSTRIPE_WEBHOOK_EVENT_CALLBACK=lambda event, **_: None,  # noqa: ARG005 - the name is dj-stripe's
)
django.setup()

urlpatterns = [path("stripe/", include("djstripe.urls", namespace="djstripe"))]


def prepare() -> None:
    """Make the tables, and the endpoint whose secret signs."""
    from djstripe.models import WebhookEndpoint  # noqa: PLC0415 - Django must be set up first

    call_command("migrate", run_syncdb=True, verbosity=0)
    WebhookEndpoint.objects.create(
        id="we_bench",
        livemode=False,
        enabled_events=["*"],
        secret=os.environ["BENCH_SECRET"],
        status="enabled",
        url="https://example.com/stripe/webhook",
        djstripe_uuid=ENDPOINT_UUID,
    )


if __name__ == "__main__":
    prepare()
    sys.exit()

application = get_wsgi_application()
