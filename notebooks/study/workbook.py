"""Workbooks (.xlsx) as text cells, read straight from their XML in one pass.

openpyxl's fast mode knows neither merged ranges nor hidden rows, and gives a formula or
its stored value but not both; its full mode keeps an object for each cell. The XML has
all of it, so the sheet part is streamed once. openpyxl still says what a date format is.
"""

import posixpath
import re
import zipfile
import zlib
from xml.parsers import expat

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

from study.sheetmodel import Problem, SheetError, assemble, shown

MAX_BYTES = 1 << 30  # unpacked, all parts that are read together
MAX_RATIO = 250  # unpacked to packed, for parts above 32 MiB; real sheets stay below 100
ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]+)$")


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
        except (zipfile.BadZipFile, OSError, ValueError):
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
        parts = set(self.zip.namelist())
        if "xl/workbook.xml" not in parts:
            if "xl/workbook.bin" in parts:
                what = "a binary workbook (.xlsb)"
            elif "content.xml" in parts:
                what = "an OpenDocument file"
            else:
                what = "a zip archive, but no workbook"
            raise SheetError(f"{self.file}: {what}; save it as .xlsx")
        self._limit()
        targets = {}
        self._parse("xl/_rels/workbook.xml.rels",
                    lambda name, a: name == "Relationship"
                    and targets.__setitem__(a["Id"], a["Target"]))
        self.names, self.parts, self.hidden, self.epoch = [], {}, set(), CALENDAR_WINDOWS_1900

        def start(name, a):
            if name == "workbookPr" and a.get("date1904") in ("1", "true"):
                self.epoch = CALENDAR_MAC_1904
            elif name == "sheet":
                identity = next((v for k, v in a.items() if k.split(":")[-1] == "id"), "")
                target = targets.get(identity, "")
                part = posixpath.normpath(
                    target[1:] if target.startswith("/") else "xl/" + target)
                if part in parts and "/worksheets/" in part:  # chart sheets hold no cells
                    self.names.append(a["name"])
                    self.parts[a["name"]] = part
                    if a.get("state", "visible") != "visible":
                        self.hidden.add(a["name"])

        self._parse("xl/workbook.xml", start)
        self.strings = self._shared_strings() if "xl/sharedStrings.xml" in parts else []
        self.dates = self._date_styles() if "xl/styles.xml" in parts else frozenset()

    def _limit(self):
        parts = [i for i in self.zip.infolist() if i.filename.endswith((".xml", ".rels"))]
        bomb = [i for i in parts if i.file_size > 1 << 25
                and i.file_size > MAX_RATIO * max(i.compress_size, 1)]
        if bomb or sum(i.file_size for i in parts) > MAX_BYTES:
            size = sum(i.file_size for i in parts) >> 20
            raise SheetError(f"{self.file}: unpacks to {size} MiB, more than any sheet of "
                             "labels (a zip bomb?); not read. Save the one sheet as csv")
        if any(i.flag_bits & 1 for i in parts):
            raise SheetError(f"{self.file}: protected with a password; save it without one")

    def _parse(self, part, start=None, end=None, text=None):
        """Stream one part through expat; element names without their namespace."""
        parser = expat.ParserCreate(namespace_separator=None)
        parser.buffer_text = True
        # Files from Excel use no prefix, other writers some: compare local names only.
        if start:
            parser.StartElementHandler = lambda n, a: start(n.rpartition(":")[2], a)
        if end:
            parser.EndElementHandler = lambda n: end(n.rpartition(":")[2])
        if text:
            parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = self._no_doctype
        try:
            with self.zip.open(part) as stream:
                parser.ParseFile(stream)
        except (expat.ExpatError, zipfile.BadZipFile, zlib.error, EOFError, LookupError,
                ValueError, AttributeError, NotImplementedError, RuntimeError,
                OSError) as error:
            if isinstance(error, SheetError):
                raise
            raise SheetError(f"{self.file}: a damaged workbook ({part} cannot be read: "
                             f"{error}); save it again or fetch it again") from None

    def _no_doctype(self, *_):
        raise SheetError(f"{self.file}: a workbook with a document type declaration, which "
                         "no spreadsheet program writes; not read. Save it again as .xlsx")

    def _shared_strings(self):
        strings, piece, on, depth = [], [], [False], [0]

        def start(name, _):
            if name == "si":
                piece.clear()
            elif name == "rPh":  # how to pronounce it: no part of the text
                depth[0] += 1
            on[0] = name == "t" and not depth[0]

        def end(name):
            on[0] = False
            if name == "si":
                strings.append(unescaped("".join(piece)))
            elif name == "rPh":
                depth[0] -= 1

        self._parse("xl/sharedStrings.xml", start, end,
                    lambda data: piece.append(data) if on[0] else None)
        return strings

    def _date_styles(self):
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

        self._parse("xl/styles.xml", start, end)
        return frozenset(str(i) for i, f in enumerate(styles)
                         if is_date_format(formats.get(f, "")))

    def sheet(self, name, header_row=None):
        """Read one sheet.

        Parameters
        ----------
        name : str
            One of ``names``.
        header_row : int, optional
            See :func:`study.sheetmodel.assemble`.

        Returns
        -------
        Sheet
        """
        reader = _Cells(self, name)
        self._parse(self.parts[name], reader.start, reader.end, reader.text)
        return assemble(self.file, name, reader.rows, header_row, merged=reader.merged,
                        hidden_rows=frozenset(reader.hidden_rows),
                        hidden_cols=reader.hidden_cols, problems=reader.problems,
                        hidden=name in self.hidden)


class _Cells:
    """Receives the elements of one sheet part and collects its cells."""

    def __init__(self, book, name):
        self.book, self.name = book, name
        self.rows, self.merged, self.hidden_rows, self.hidden_cols = [], [], set(), set()
        self.problems, self.row, self.col = [], 0, 0
        self.on, self.buffer = False, []
        self.formula = self.value = None
        self.columns = {}

    def start(self, tag, a):
        if tag == "c":
            self._locate(a.get("r"))
            self.type, self.style = a.get("t"), a.get("s")
            self.formula = self.value = None
            self.buffer = []
        elif tag in ("v", "f", "t"):
            self.buffer, self.on = [], True
        elif tag == "row":
            self.row, self.col, self.cells = int(a.get("r", self.row + 1)), 0, []
            if a.get("hidden") in ("1", "true"):
                self.hidden_rows.add(self.row)
        elif tag == "rPh":
            self.kept = self.value
        elif tag == "col" and a.get("hidden") in ("1", "true"):
            last = min(int(a["max"]), 16384)
            self.hidden_cols.update(range(int(a["min"]), last + 1))
        elif tag == "mergeCell":
            first, _, last = a["ref"].partition(":")
            (r1, c1), (r2, c2) = self._split(first), self._split(last or first)
            self.merged.append((r1, r2, c1, c2))

    def text(self, data):
        if self.on:
            self.buffer.append(data)

    def end(self, tag):
        if tag == "v":
            self.value, self.on = "".join(self.buffer), False
        elif tag == "c":
            self._cell()
        elif tag == "t":  # runs of an inline string
            self.value, self.on = (self.value or "") + "".join(self.buffer), False
        elif tag == "f":
            self.formula, self.on = "".join(self.buffer), False
        elif tag == "rPh":
            self.value = self.kept
        elif tag == "row" and self.cells:
            self.rows.append((self.row, self.cells))

    def _split(self, reference):
        found = REFERENCE.match(reference.replace("$", ""))
        if not found:
            raise ValueError(f"cell reference {reference!r}")
        letters = found[1]
        if letters not in self.columns:
            number = 0
            for letter in letters:
                number = number * 26 + ord(letter) - 64
            self.columns[letters] = number
        return int(found[2]), self.columns[letters]

    def _locate(self, reference):
        self.col = self._split(reference)[1] if reference else self.col + 1

    def _cell(self):
        value, kind = self.value, self.type
        if value is None:
            text = ""
        elif kind == "s":
            text = self.book.strings[int(value)] if value.strip() else ""
        elif kind is None or kind == "n":
            text = self._number(value)
        elif kind == "b":
            text = "TRUE" if value == "1" else "FALSE"
        elif kind == "d":
            text = value
            self._note("date", value, "a date", "warning")
        else:
            text = unescaped(value)
            if kind == "e":
                self._note("error-value", text, f"the error value {text}", "error")
        if self.formula is not None:
            shown_formula = "=" + self.formula
            if value is None or (value == "" and kind != "str"):
                self._note("formula-without-value", shown_formula,
                           f"a formula without a stored value ({shown(shown_formula, 40)}); "
                           "open the file in a spreadsheet program and save it, or put the "
                           "value in its place", "error")
            else:
                self._note("formula", shown_formula,
                           f"a formula ({shown(shown_formula, 40)}); its stored value "
                           f"{shown(text)} is read", "warning")
        if text:
            cells = self.cells
            while len(cells) < self.col - 1:
                cells.append("")
            cells.append(text)

    def _number(self, raw):
        if self.style in self.book.dates:
            try:
                moment = from_excel(float(raw), self.book.epoch)
            except (ValueError, OverflowError, TypeError):
                return raw
            text = moment.isoformat(" ") if hasattr(moment, "isoformat") else str(moment)
            text = text.removesuffix(" 00:00:00")
            self._note("date", text, f"a date ({text}); spreadsheet programs make dates of "
                       "entries such as 3-2", "warning")
            return text
        if raw.isdigit() and len(raw) < 16:
            return raw
        try:
            number = float(raw)
        except ValueError:
            return raw
        if number.is_integer() and abs(number) < 1e15:
            return str(int(number))
        if abs(number) >= 1e15:
            self._note("digits", raw, f"the number {raw}: spreadsheet programs keep 15 "
                       "digits, so its last ones may be lost; store it as text", "warning")
            return raw
        return repr(number)

    def _note(self, kind, value, message, severity):
        self.problems.append(Problem(self.book.file, self.name, self.row, self.col, value,
                                     message, severity, kind))


def unescaped(text):
    """Text with the workbook format's ``_xHHHH_`` escapes resolved.

    Examples
    --------
    >>> unescaped("a_x0009_b")
    'a\\tb'
    """
    return ESCAPE.sub(lambda m: chr(int(m[1], 16)), text) if "_x" in text else text
