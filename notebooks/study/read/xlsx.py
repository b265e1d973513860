"""Workbooks (.xlsx) as text cells, read straight from their XML in one pass.

openpyxl's fast mode knows neither merged ranges nor hidden rows, and gives a formula or
its stored value but not both; its full mode keeps an object for each cell. python-calamine
(0.9) takes a quarter of the time, but reports no hidden rows and columns, formulas or error
values, so the XML would have to be read beside it. The XML has all of it, so the sheet part
is streamed once. openpyxl still says what a date format is; tests/read/test_xlsx.py compares
both libraries with this reader.
"""

import posixpath
import struct
import zipfile
import zlib
from xml.parsers import expat

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900

from study.base.memory import acyclic
from study.read.cells import CHUNK, CellCollector, apart, unescaped
from study.read.sheet import SheetError, assemble

# What damaged archives and parts make zipfile, zlib, expat and the readers here raise.
BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, expat.ExpatError, EOFError, OSError,
          ValueError, LookupError, OverflowError, AttributeError, RuntimeError)
MAX_BYTES = 1 << 30  # unpacked, all parts that are read together
MAX_RATIO = 250  # unpacked to packed, for parts above 32 MiB; real sheets stay below 100


def _nothing(*_):
    """The handler of elements that nobody asked for."""


class Workbook:
    """An open workbook: its sheets in order, each read on demand.

    Parameters
    ----------
    path : Path
        An existing file that begins with a zip signature.

    Raises
    ------
    SheetError
        Damaged, not a workbook, of another format, or unreasonably large when unpacked.

    Examples
    --------
    >>> import openpyxl, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.xlsx"
    >>> book = openpyxl.Workbook(); book.active.append(["id"]); book.active.append([7])
    >>> book.save(path)
    >>> with Workbook(path) as book:
    ...     [book.sheet(name).rows for name in book.names]
    [[(2, ('7',))]]
    """

    def __init__(self, path):
        self.file = path.name
        try:
            self.zip = zipfile.ZipFile(path)
        except BROKEN:
            raise SheetError(f"{self.file}: a damaged workbook (its zip archive does not "
                             "open); save it again or fetch it again") from None
        try:
            self._open()
        except BaseException:
            self.zip.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.zip.close()

    def _open(self):
        # Names of parts are compared without regard to case, and some writers use backslashes.
        self.stored = {n.replace("\\", "/").strip("/").lower(): n for n in self.zip.namelist()}
        self._limit()
        book = next((part for part, kind in self._related("").values()
                     if kind == "officeDocument"), "xl/workbook.xml")
        if book not in self.stored or book.endswith(".bin"):
            if book.endswith(".bin") or "xl/workbook.bin" in self.stored:
                what = "a binary workbook (.xlsb)"
            elif "content.xml" in self.stored:
                what = "an OpenDocument file"
            else:
                what = "a zip archive, but no workbook"
            raise SheetError(f"{self.file}: {what}; save it as .xlsx")
        targets = self._related(book)
        self.names, self.parts, self.hidden, self.epoch = [], {}, set(), CALENDAR_WINDOWS_1900

        def start(name, a):
            if name == "workbookPr" and a.get("date1904") in ("1", "true"):
                self.epoch = CALENDAR_MAC_1904
            elif name == "sheet":
                identity = next((v for k, v in a.items() if k.split(":")[-1] == "id"), "")
                part, kind = targets.get(identity, ("", ""))
                if part in self.stored and kind == "worksheet":  # chart sheets hold no cells
                    self.names.append(a["name"])
                    self.parts[a["name"]] = part
                    if a.get("state", "visible") != "visible":
                        self.hidden.add(a["name"])

        self._parse(book, start)
        by_kind = {kind: part for part, kind in targets.values() if part in self.stored}
        strings, styles = by_kind.get("sharedStrings"), by_kind.get("styles")
        self.strings = self._shared_strings(strings) if strings else []
        self.dates = self._date_styles(styles) if styles else frozenset()

    def _related(self, part):
        """Part and kind by identity, of what a part (or, ``""``, the file) points to."""
        folder, name = posixpath.split(part)
        listed, found = posixpath.join(folder, "_rels", f"{name}.rels"), {}

        def start(tag, a):
            if tag == "Relationship" and a.get("TargetMode", "").lower() != "external":
                target = a["Target"].replace("\\", "/")
                whole = target if target.startswith("/") else posixpath.join("/", folder, target)
                found[a["Id"]] = (posixpath.normpath(whole).strip("/").lower(),
                                  a.get("Type", "").rpartition("/")[2])

        if listed in self.stored:
            self._parse(listed, start)
        return found

    def _limit(self):
        parts = [i for i in self.zip.infolist() if i.filename.lower().endswith((".xml", ".rels"))]
        bomb = [i for i in parts if i.file_size > 1 << 25
                and i.file_size > MAX_RATIO * max(i.compress_size, 1)]
        if bomb or sum(i.file_size for i in parts) > MAX_BYTES:
            size = sum(i.file_size for i in parts) >> 20
            raise SheetError(f"{self.file}: unpacks to {size} MiB, more than any sheet of "
                             "labels (a zip bomb?); not read. Save the one sheet as csv")
        if any(i.flag_bits & 1 for i in parts):
            raise SheetError(f"{self.file}: protected with a password; save it without one")

    def _parse(self, part, start=None, end=None, text=None, take=None):
        """Stream one part through expat; element names without their namespace."""
        parser = expat.ParserCreate(namespace_separator=None)
        parser.buffer_text = True
        starts, ends = start or _nothing, end or _nothing

        def root(name, a):
            # Files from Excel use no prefix, other writers some: compare local names then.
            # A wrapper costs as much as the reading itself, so only those files pay for it.
            if ":" in name:
                parser.StartElementHandler = lambda n, a: starts(n.rpartition(":")[2], a)
                parser.EndElementHandler = lambda n: ends(n.rpartition(":")[2])
            else:
                parser.StartElementHandler, parser.EndElementHandler = starts, ends
            starts(name.rpartition(":")[2], a)

        parser.StartElementHandler = root
        if text:
            parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = self._no_doctype
        try:
            with self.zip.open(self.stored[part]) as stream:
                for xml in apart(stream, take) if take else iter(lambda: stream.read(CHUNK), b""):
                    parser.Parse(xml)
                parser.Parse(b"", True)
        except BROKEN as error:
            if isinstance(error, SheetError):
                raise
            raise SheetError(f"{self.file}: a damaged workbook ({part} cannot be read: "
                             f"{error}); save it again or fetch it again") from None

    def _no_doctype(self, *_):
        raise SheetError(f"{self.file}: a workbook with a document type declaration, which "
                         "no spreadsheet program writes; not read. Save it again as .xlsx")

    def _shared_strings(self, part):
        strings, piece, open_, depth = [], [], set(), [0]

        def start(name, _):
            if name in open_ or (name == "t" and "text" in open_ and not depth[0]):
                # A text more or less would give each cell after it another one's.
                raise ValueError(f"string {len(strings) + 1} holds another one")
            if name == "si":
                piece.clear()
            elif name == "rPh":  # how to pronounce it: no part of the text
                depth[0] += 1
            elif name == "r":
                open_.discard("text")
            if name in ("si", "t"):
                open_.add(name)

        def end(name):
            open_.discard(name)
            if name == "si":
                open_.clear()
                strings.append(unescaped("".join(piece)))
            elif name == "rPh":
                depth[0] -= 1
            elif name == "t" and not depth[0]:
                open_.add("text")

        self._parse(part, start, end,
                    lambda data: piece.append(data) if "t" in open_ and not depth[0] else None)
        return strings

    def _date_styles(self, part):
        """Indices of the cell styles that show a number as a date or a time."""
        formats, styles, inside = dict(BUILTIN_FORMATS), [], [False]

        def start(name, a):
            if name == "numFmt":
                formats[int(a["numFmtId"])] = a.get("formatCode", "")
            elif name == "cellXfs":
                inside[0] = True
            elif name == "xf" and inside[0]:
                styles.append(int(a.get("numFmtId", 0)))

        def end(name):
            if name == "cellXfs":
                inside[0] = False

        self._parse(part, start, end)
        return frozenset(str(i) for i, f in enumerate(styles)
                         if is_date_format(formats.get(f, "")))

    def sheet(self, name, header_row=None):
        """Read one sheet.

        Parameters
        ----------
        name : str
            One of ``names``.
        header_row : int, optional
            See :func:`study.read.sheet.assemble`.

        Returns
        -------
        Sheet
        """
        reader = CellCollector(self, name)
        with acyclic():
            self._parse(self.parts[name], reader.start, reader.end, reader.text, reader.plain)
            return assemble(self.file, name, reader.rows, header_row, merged=reader.merged,
                            hidden_rows=frozenset(reader.hidden_rows),
                            hidden_cols=reader.hidden_cols, problems=reader.problems,
                            hidden=name in self.hidden)
