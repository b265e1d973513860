"""Workbooks as bytes that depend on their content alone."""

import io
import re
import zipfile

# The earliest time a zip archive can state, in place of the clock.
STAMP = (1980, 1, 1, 0, 0, 0)
_TIMES = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(</dcterms:\2>)")
_SOFTWARE = re.compile(rb"<Application>.*?</Application>|<AppVersion>.*?</AppVersion>"
                       rb"|<dc:creator>.*?</dc:creator>", re.S)


def packed(book):
    """Bytes of an openpyxl workbook without times and names of software or people.

    Parameters
    ----------
    book : openpyxl.Workbook

    Returns
    -------
    bytes

    Examples
    --------
    >>> from openpyxl import Workbook
    >>> packed(Workbook()) == packed(Workbook())
    True
    """
    made = io.BytesIO()
    book.save(made)
    return repacked(made.getvalue())


def repacked(content):
    """The same archive with fixed times.

    Parameters
    ----------
    content : bytes

    Returns
    -------
    bytes
    """
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, \
            zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename.startswith("docProps/"):
                data = _SOFTWARE.sub(b"", _TIMES.sub(rb"\g<1>1980-01-01T00:00:00Z\g<3>", data))
            entry = zipfile.ZipInfo(info.filename, STAMP)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            entry.create_system = 0  # else it says which operating system made it
            new.writestr(entry, data)
    return out.getvalue()
