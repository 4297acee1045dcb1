"""The port `Mailer` made of a renderer and a transport. Knows when a notice cannot be delivered at all, and what every mail carries besides what it says."""

from collections.abc import Sequence
from dataclasses import replace

from dunr.core.effects import Notice
from dunr.core.model import Payer
from dunr.core.wanted import may_be_stopped
from dunr.mail.addressee import NoUsableAddress
from dunr.mail.links import ReminderLinks
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
        reminder_links: ReminderLinks | None = None,
    ) -> None:
        """The clock dates the mail and starts the life of its link. Without `paths` no bounce is known again; without `reminder_links` no reminder offers to stop."""
        self._renderer = renderer
        self._transport = transport
        self._clock = clock
        self._paths = paths
        self._reminder_links = reminder_links

    def send(self, notice: Notice, payer: Payer, policy_timezone: str, also: Sequence[Notice] = ()) -> Delivery:
        """Render and hand over one notice. Without a usable address it is undeliverable."""
        try:
            mail = self._renderer.render(notice, payer, policy_timezone, self._clock.now(), also)
        except NoUsableAddress:
            return Delivery.UNDELIVERABLE
        return self._transport.deliver(self._stamped(self._stoppable(mail, notice), notice, payer))

    def _stamped(self, mail: RenderedMail, notice: Notice, payer: Payer) -> RenderedMail:
        """With the token that a bounce of it will show."""
        if self._paths is None or payer.email is None:
            return mail
        token = self._paths.token(notice.case_id, payer.email)
        headers = {**mail.headers, HEADER: token}
        return replace(mail, headers=headers, token=token, return_path=self._paths.return_path(token))

    def _stoppable(self, mail: RenderedMail, notice: Notice) -> RenderedMail:
        """With the one click by which reminders of this invoice stop (RFC 8058), where it is one."""
        if self._reminder_links is None or not may_be_stopped(notice):
            return mail
        link = self._reminder_links.make(notice.case_id, notice.round, self._clock.now())
        headers = {"List-Unsubscribe": f"<{link}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
        return replace(mail, headers={**mail.headers, **headers})
