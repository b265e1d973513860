"""Cells of one workbook sheet, collected while its XML streams by."""

import re
from xml.sax.saxutils import unescape

from openpyxl.utils.datetime import from_excel

from study.read.sheet import Problem, column_letter, shown

ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]+)$")
ROW = re.compile(r'\s*<row r="([0-9]+)"(?: (?!hidden)[^<>= ]+="[^"<>]*")*>')
CELL = re.compile(
    r'<c r="([A-Z]{1,3})[0-9]+"(?: s="([0-9]+)")?(?: t="([A-Za-z]+)")?>(?:<is><t(?: xml:space='
    r'"preserve")?>([^<>\x00-\x08\x0b-\x1f]*)</t></is>|<v>([^<>\x00-\x08\x0b-\x1f]*)</v>)</c>')
ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
UNKNOWN_ENTITY = re.compile("&(?!(?:amp|lt|gt|quot|apos);)")
CHUNK, LONGEST = 1 << 18, 1 << 22  # bytes that are read at once, and of one row


class CellCollector:
    """Receives the elements of one sheet part and collects rows, ranges and findings.

    Parameters
    ----------
    book : study.read.xlsx.Workbook
        Gives shared strings, date styles and the date system.
    name : str
        Sheet name, for the findings.

    Attributes
    ----------
    rows : list of (int, list of str)
    merged, hidden_rows, hidden_cols, problems
        As in :class:`study.read.sheet.Sheet`.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> collector = CellCollector(SimpleNamespace(strings=["bug"], dates=()), "a")
    >>> for tag, given in (("row", {"r": "1"}), ("c", {"r": "B1", "t": "s"}), ("v", {})):
    ...     collector.start(tag, given)
    >>> collector.text("0")
    >>> for tag in ("v", "c", "row"):
    ...     collector.end(tag)
    >>> collector.rows
    [(1, ['', 'bug'])]
    """

    def __init__(self, book, name):
        self.book, self.name = book, name
        self.rows, self.merged, self.hidden_rows, self.hidden_cols = [], [], set(), set()
        self.problems, self.row, self.col = [], 0, 0
        self.on, self.buffer = False, []
        self.formula = self.value = None
        self.joined = False
        self.columns, self.words = {}, {}

    def start(self, tag, a):
        # In the order of how often they come: a large sheet has millions of the first.
        if tag == "c":
            reference = a.get("r")
            if reference:
                # The row number was read with the row; a known column needs no second look.
                self.col = (self.columns.get(reference.rstrip("0123456789"))
                            or self._split(reference)[1])
            else:
                self.col += 1
            self.type, self.style = a.get("t"), a.get("s")
            self.formula = self.value = None
        elif tag == "t" or tag == "v" or tag == "f":
            self.buffer, self.on = [], True
        elif tag == "is":
            # It stands for itself, whatever was cached before it.
            self.value, self.joined = None, True
        elif tag == "r":
            self.joined = True
        elif tag == "row":
            self.row, self.col, self.cells = int(a.get("r", self.row + 1)), 0, []
            if a.get("hidden") in ("1", "true"):
                self.hidden_rows.add(self.row)
        elif tag == "rPh":
            self.kept, self.joined = self.value, True
        elif tag == "col" and a.get("hidden") in ("1", "true"):
            last = min(int(a["max"]), 16384)
            self.hidden_cols.update(range(int(a["min"]), last + 1))
        elif tag == "mergeCell":
            first, _, last = a["ref"].partition(":")
            (r1, c1), (r2, c2) = self._split(first), self._split(last or first)
            self.merged.append((r1, r2, c1, c2))

    def plain(self, xml):
        """Read a row of blank cells, plain values and unformatted text, as nearly all are.

        An element costs the parser a call each way; here the row is one search.

        Parameters
        ----------
        xml : bytes
            What stands between the end of the row before and that of this one.

        Returns
        -------
        bool
            Whether nothing else stood there; otherwise it is left to the parser.
        """
        try:
            text = xml.decode()
        except UnicodeDecodeError:
            return False
        row = ROW.match(text)
        if not row:
            return False
        found, blank = CELL.findall(text, row.end()), text.count("/>")
        inline = text.count("<is>")
        # Each "<" must be one of a row, a cell found or a blank cell: nothing is passed over.
        if text.count("<c ") != len(found) + blank or (
                text.count("<") != 1 + blank + 4 * len(found) + 2 * inline) or (
                "&" in text and UNKNOWN_ENTITY.search(text)):
            return False
        self.row, self.formula = int(row[1]), None
        self.cells = cells = []
        columns, words = self.columns, self.words
        for letters, style, kind, inline, value in found:
            col = columns.get(letters) or self._split(letters + "1")[1]
            if inline and kind == "inlineStr":
                if "&" in inline or "_x" in inline:
                    inline = unescaped(unescape(inline, ENTITIES))
                # Labels recur by the thousand: one copy of each saves much of the memory.
                if len(inline) < 32:
                    inline = words.setdefault(inline, inline)
                gap = col - len(cells) - 1
                if gap < 0:
                    self.col = col
                    self._put(inline)  # which says what is wrong
                if gap:
                    cells += [""] * gap
                cells.append(inline)
            else:
                self.col, self.style, self.type = col, style, kind
                self.value = unescape(inline or value, ENTITIES)
                self._cell()
        self.end("row")
        return True

    def text(self, data):
        if self.on:
            self.buffer.append(data)

    def end(self, tag):
        if tag == "c":
            # Most cells of a sheet to be filled in are blank.
            if self.value is not None or self.formula is not None:
                self._cell()
        elif tag == "t":  # runs of an inline string, or its one text
            if self.value is not None and not self.joined:
                raise ValueError(f"two texts in column {column_letter(self.col)} of row {self.row}")
            self.value = (self.value or "") + "".join(self.buffer)
            self.on = self.joined = False
        elif tag == "v":  # beside an inline string only a copy of it
            if self.type != "inlineStr" or self.value is None:
                self.value = "".join(self.buffer)
            self.on = False
        elif tag == "is":
            pass
        elif tag == "f":
            self.formula, self.on = "".join(self.buffer), False
        elif tag == "rPh":
            self.value = self.kept
        elif tag == "row" and self.cells:
            if self.rows and self.rows[-1][0] >= self.row:
                raise ValueError(f"row {self.row} stands twice, or not in its order")
            self.rows.append((self.row, self.cells))

    def _split(self, reference):
        found = REFERENCE.match(reference.replace("$", "").upper())
        if not found:
            raise ValueError(f"cell reference {reference!r}")
        letters = found[1]
        if letters not in self.columns:
            number = 0
            for letter in letters:
                number = number * 26 + ord(letter) - 64
            self.columns[letters] = number
        return int(found[2]), self.columns[letters]

    def _cell(self):
        value, kind = self.value, self.type
        if kind == "inlineStr" and value is not None:
            text = unescaped(value)
        elif value is None:
            text = ""
        elif kind == "s":
            text = self.book.strings[int(value)] if value.strip() else ""
        elif not kind or kind == "n":
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
            self._put(text)

    def _put(self, text):
        cells, gap = self.cells, self.col - len(self.cells) - 1
        if gap < 0:
            raise ValueError(f"column {column_letter(self.col)} of row {self.row} stands twice, "
                             "or not in its order")
        if gap:
            cells += [""] * gap
        cells.append(text)

    def _number(self, raw):
        if self.style in self.book.dates:
            try:
                moment = from_excel(float(raw), self.book.epoch)
            except (ValueError, OverflowError, TypeError):
                return raw
            text = str(moment)  # a date, or a clock time
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


def apart(stream, take):
    """Bytes of a sheet's XML, without the rows that were taken out of it.

    Parameters
    ----------
    stream : binary file
    take : callable
        :meth:`CellCollector.plain`.

    Yields
    ------
    bytes

    Examples
    --------
    >>> import io
    >>> xml = b"<a><row>1</row><row>2</row></a>"
    >>> list(apart(io.BytesIO(xml), lambda row: b"2" in row))
    [b'<a><row>1</row>', b'</a>']
    """
    rest = b""
    while chunk := stream.read(CHUNK):
        *rows, rest = (rest + chunk).split(b"</row>")
        for i, row in enumerate(rows):
            if not take(row):
                yield row + b"</row>"
                if b"<!" in row or row.find(b"<?", 5) >= 0:  # a comment may hold any row
                    rest = b"</row>".join([*rows[i + 1:], rest])
                    break
        else:
            if b"</sheetData" not in rest and len(rest) < LONGEST:
                continue
        break
    yield rest
    while chunk := stream.read(CHUNK):
        yield chunk


def unescaped(text):
    """Text with the workbook format's ``_xHHHH_`` escapes resolved.

    Examples
    --------
    >>> unescaped("a_x0009_b")
    'a\\tb'
    """
    return ESCAPE.sub(lambda m: chr(int(m[1], 16)), text) if "_x" in text else text
