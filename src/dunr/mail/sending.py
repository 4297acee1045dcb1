"""The port `Mailer` made of a renderer and a transport. Knows when a notice cannot be delivered at all, and what every mail carries besides what it says."""

from collections.abc import Sequence
from dataclasses import replace

from dunr.core.effects import Notice
from dunr.core.model import Payer
from dunr.mail.addressee import NoUsableAddress
from dunr.mail.message import RenderedMail, Transport
from dunr.mail.renderer import MailRenderer
from dunr.mail.return_paths import HEADER, ReturnPaths
from dunr.ports import Clock, Delivery


class RenderingMailer:
    """Renders a notice as of now and hands it to the transport. Keeps no state: threads may share it."""

    def __init__(
        self,
        renderer: MailRenderer,
        transport: Transport,
        clock: Clock,
        paths: ReturnPaths | None = None,
    ) -> None:
        """The clock dates the mail and starts the life of its link. Without `paths` no bounce is known again."""
        self._renderer = renderer
        self._transport = transport
        self._clock = clock
        self._paths = paths

    def send(self, notice: Notice, payer: Payer, policy_timezone: str, also: Sequence[Notice] = ()) -> Delivery:
        """Render and hand over one notice. Without a usable address it is undeliverable."""
        try:
            mail = self._renderer.render(notice, payer, policy_timezone, self._clock.now(), also)
        except NoUsableAddress:
            return Delivery.UNDELIVERABLE
        return self._transport.deliver(self._stamped(mail, notice, payer))

    def _stamped(self, mail: RenderedMail, notice: Notice, payer: Payer) -> RenderedMail:
        """With the token that a bounce of it will show."""
        if self._paths is None or payer.email is None:
            return mail
        token = self._paths.token(notice.case_id, payer.email)
        headers = {**mail.headers, HEADER: token}
        return replace(mail, headers=headers, token=token, return_path=self._paths.return_path(token))
