"""What can stop a whole run."""


class HostError(Exception):
    """No process for submissions can be started here."""
