"""Open a source by its ending, and cut it into blocks of whole lines."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from mining.errors import MiningError

TOOLS = ("7zz", "7z", "7za", "bsdtar")
UTF16 = (b"\xff\xfe", b"\xfe\xff")
END = b"</posts>"
TAIL = 200


class Source:
    """A dump that is read from its start.

    Parameters
    ----------
    path : str
        ``Posts.xml``, or one packed as .7z, .gz or .zst; ``-`` is standard input.

    Attributes
    ----------
    total : int or None
        Bytes that :meth:`position` counts up to, where they can be known.
    seekable : bool
        A plain file: workers read their own pieces of it.
    """

    def __init__(self, path):
        self.name = str(path)
        self.total, self.process, self.raw = None, None, None
        self.seekable = False
        if self.name == "-":
            self.stream = sys.stdin.buffer
            return
        if not Path(path).is_file():
            raise MiningError(f"{path}: no such file; name a Posts.xml, .7z, .gz or .zst, or -")
        ending = Path(path).suffix.lower()
        if ending == ".7z":
            self._unpack(path)
            return
        self.raw = self.stream = Path(path).open("rb")  # noqa: SIM115
        self.total = Path(path).stat().st_size
        self.seekable = ending not in (".gz", ".zst")
        if not self.seekable:
            import pyarrow as pa
            kind = {".gz": "gzip", ".zst": "zstd"}[ending]
            self.stream = pa.CompressedInputStream(pa.PythonFile(self.raw, "r"), kind)

    def _unpack(self, path):
        tool = next(filter(None, map(shutil.which, TOOLS)), None)
        if not tool:
            raise MiningError(f"{path}: nothing here unpacks .7z; install 7zip (Debian, Ubuntu: "
                              "apt install 7zip; macOS: brew install sevenzip), or unpack it "
                              "yourself and give Posts.xml")
        tar = "bsdtar" in tool
        listing = subprocess.run([tool, *(("-tvf",) if tar else ("l", "-slt")), str(path)],
                                 capture_output=True, text=True, errors="replace")
        if listing.returncode:
            self._damaged(tool, listing.stdout + listing.stderr)
        pattern = (r"^\S+\s+\S+\s+\S+\s+\S+\s+(\d+).*?(\S*Posts\.xml)$" if tar else
                   r"^Path = (.*Posts\.xml)\r?\nSize = (\d+)")
        found = re.search(pattern, listing.stdout, re.M)
        if not found:
            raise MiningError(f"{path}: holds no Posts.xml; of a Stack Exchange dump give the "
                              "archive with the posts")
        member, size = (found[2], found[1]) if tar else (found[1], found[2])
        self.total = int(size)
        way = ("-xOf", str(path), member) if tar else ("x", "-so", "-bd", "-bb0", str(path), member)
        self.process = subprocess.Popen([tool, *way], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.stream = self.process.stdout

    def _damaged(self, tool, said):
        lines = [x.strip() for x in said.splitlines() if "rror" in x] or ["no reason given"]
        raise MiningError(f"{self.name}: damaged or cut short ({Path(tool).name}: {lines[0]}); "
                          "fetch it again; whole parts are kept")

    def position(self, unpacked):
        """How far of ``total``: packed bytes where only those are known."""
        return unpacked if self.process or self.raw is None else self.raw.tell()

    def read(self, n):
        """Up to ``n`` bytes; fewer only at the end."""
        pieces, size = [], 0
        try:
            while size < n and (piece := self.stream.read(n - size)):
                pieces.append(piece)
                size += len(piece)
        except OSError as error:
            raise MiningError(f"{self.name}: damaged or cut short ({error}); fetch it again; "
                              "whole parts are kept") from None
        return b"".join(pieces)

    def finish(self):
        """At the end of the stream: did the unpacking end well?"""
        if self.process:
            said = self.process.stderr.read().decode("utf-8", "replace")
            if self.process.wait():
                self._damaged(self.process.args[0], said)

    def close(self):
        if self.process:
            self.process.stdout.close()
            self.process.stderr.close()
            self.process.wait()
        elif self.raw:
            self.raw.close()


def blocks(source, size):
    """Cut a source into blocks of whole lines, the same however it is packed.

    Parameters
    ----------
    source : Source
    size : int
        Bytes a block has at least, but for the last.

    Yields
    ------
    (int, int, bytes or None)
        Where a block begins, how long it is, and what it holds: None where the source can
        be read at any place.

    Raises
    ------
    MiningError
        The source is empty, of another kind, or ends without ``</posts>``. The block with
        the broken end is not yielded.
    """
    yield from (_seek if source.seekable else _flow)(source, size)


def _seek(source, size):
    file, total = source.stream, source.total
    _head(source, file.read(TAIL * 2))
    file.seek(max(0, total - TAIL))
    whole = END in file.read()
    start = 0
    while start < total:
        end = min(start + size, total)
        file.seek(end)
        while end < total:  # on to the end of the line
            piece = file.read(65536)
            cut = piece.find(b"\n") + 1
            end += cut or len(piece)
            if cut:
                break
        if end >= total and not whole:
            _short(source, total)
        yield start, end - start, None
        start = end


def _flow(source, size):
    start, rest = 0, source.read(size)
    if not rest:
        source.finish()
    _head(source, rest[:TAIL * 2])
    while True:
        line, more = b"", True
        while more and b"\n" not in line:
            piece = source.read(65536)
            more = bool(piece)
            line = piece if not line else line + piece
        cut = line.find(b"\n") + 1
        block, rest = (rest + line[:cut], line[cut:]) if cut else (rest + line, b"")
        if not more and not cut:
            source.finish()
            if END not in block[-TAIL:]:
                _short(source, start + len(block))
            yield start, len(block), block
            return
        ended = END in block[-TAIL:] and not rest
        yield start, len(block), block
        start += len(block)
        rest += source.read(size - len(rest))
        if not rest:
            source.finish()
            if not ended:
                _short(source, start)
            return


def _head(source, head):
    what = None
    if not head:
        what = "is empty"
    elif head.startswith(UTF16):
        what = "is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8"
    elif b"<posts" not in head:
        found = re.search(rb"<([a-z]+)>", head)
        what = (f"holds <{found[1].decode()}>, not <posts>" if found else
                "does not begin as a dump's Posts.xml does") + "; give Posts.xml"
    if what:
        raise MiningError(f"{source.name}: {what}")


def _short(source, end):
    raise MiningError(f"{source.name}: ends at byte {end:,} without </posts>: cut short; fetch "
                      "it again and use the same command; whole parts are kept")
