"""What can go wrong for somebody who uses the kata; the text is for them."""


class UserError(Exception):
    """What was asked for cannot be done."""


class HostError(Exception):
    """This machine cannot run submissions."""
