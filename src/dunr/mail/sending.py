"""The port `Mailer` made of a renderer and a transport. Knows when a notice cannot be delivered at all."""

from dunr.core.effects import Notice
from dunr.core.model import Payer
from dunr.mail.addressee import NoUsableAddress
from dunr.mail.message import Transport
from dunr.mail.renderer import MailRenderer
from dunr.ports import Clock, Delivery


class RenderingMailer:
    """Renders a notice as of now and hands it to the transport. Keeps no state: threads may share it."""

    def __init__(self, renderer: MailRenderer, transport: Transport, clock: Clock) -> None:
        """The clock dates the mail and starts the life of its link."""
        self._renderer = renderer
        self._transport = transport
        self._clock = clock

    def send(self, notice: Notice, payer: Payer, policy_timezone: str) -> Delivery:
        """Render and hand over one notice. Without a usable address it is undeliverable."""
        try:
            mail = self._renderer.render(notice, payer, policy_timezone, self._clock.now())
        except NoUsableAddress:
            return Delivery.UNDELIVERABLE
        return self._transport.deliver(mail)
