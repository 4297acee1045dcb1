"""How a finished mail leaves. A mailer knows one transport and nothing of what a mail says."""
