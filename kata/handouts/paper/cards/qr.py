"""The QR code of an address, as a drawing."""

import io

BORDER = 2  # modules around it: cards are white, so that less than the usual four will do


def qr_code(address: str) -> str:
    """An SVG in black and white."""
    import segno  # an optional extra

    out = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        out, kind="svg", border=BORDER, xmldecl=False, svgns=True, nl=False
    )
    return out.getvalue().decode()
