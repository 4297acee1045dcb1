"""Mail over SMTP: one mail at a time, over connections that are kept between them."""

from dunr.adapters.mailers.smtp.mailer import Security, SmtpMailer, SmtpSettings

__all__ = ["Security", "SmtpMailer", "SmtpSettings"]
