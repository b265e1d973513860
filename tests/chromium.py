"""A small driver for a headless Chromium: the DevTools protocol over a pipe, nothing else."""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WAIT = 60  # seconds for any one answer


def program():
    """Path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None) if os.name == "posix" else None


class Chromium:
    """One browser with one page.

    Attributes
    ----------
    console : list of str
        Errors and warnings of the page, and uncaught exceptions.
    requests : list of str
        Addresses the page asked for, the page itself included.
    """

    def __init__(self):
        self.console, self.requests, self._number, self._held = [], [], 0, b""
        self._loaded = False
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # Chromium reads commands on descriptor 3 and answers on 4.
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        ends = [_high(fd) for fd in (theirs_in, theirs_out)]

        def place():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
             "--disable-background-networking", "--disable-component-update",
             f"--user-data-dir={self._home.name}", "about:blank"],
            pass_fds=(3, 4), preexec_fn=place, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (theirs_in, theirs_out, *ends):
            with contextlib.suppress(OSError):
                os.close(fd)
        self._session = None
        target = next(t for t in self.send("Target.getTargets")["targetInfos"]
                      if t["type"] == "page")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target,
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self):
        """End the browser that was started here."""
        with contextlib.suppress(OSError, RuntimeError):
            self._session = None
            self.send("Browser.close")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._home.cleanup()

    def send(self, method, **parameters):
        """Send one command and return its result; events on the way are noted."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def _write(self, data):
        while data:
            data = data[os.write(self._out, data):]

    def _read(self):
        end = time.monotonic() + WAIT
        while b"\0" not in self._held:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._in], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            chunk = os.read(self._in, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser has gone")
            self._held += chunk
        text, self._held = self._held.split(b"\0", 1)
        message = json.loads(text)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method, said):
        if method == "Runtime.exceptionThrown":
            self.console.append(said["exceptionDetails"].get("exception", {}).get(
                "description", said["exceptionDetails"]["text"]))
        elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning"):
            self.console.append(" ".join(str(a.get("value")) for a in said["args"]))
        elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
            self.console.append(said["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(said["request"]["url"])
        elif method == "Page.loadEventFired":
            self._loaded = True

    def open(self, address, width=1280, height=900, scheme="light"):
        """Load a page in a window of that size, under a light or dark system."""
        self.console.clear()
        self.requests.clear()
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        # From an empty page: another anchor of the same page would load nothing.
        for where in ("about:blank", address):
            self._loaded = False
            self.send("Page.navigate", url=where)
            while not self._loaded:
                self._read()
        self.requests = [r for r in self.requests if r != "about:blank"]

    def run(self, script):
        """Value of a JavaScript expression; a promise is awaited."""
        result = self.send("Runtime.evaluate", expression=script, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description"))
        return result["result"].get("value")

    def until(self, script, milliseconds=10_000):
        """Wait for what a page does after a key, such as following a link; whether it came."""
        return self.run(f"""new Promise((tell) => {{
            const begin = Date.now();
            (function look() {{
                if ({script}) tell(true);
                else if (Date.now() - begin > {milliseconds}) tell(false);
                else setTimeout(look, 10);
            }})();
        }})""")

    def press(self, *keys, shift=False):
        """Press keys such as Tab, Enter, Escape, Space."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        for key in keys:
            text = {"Enter": "\r", " ": " "}.get(key, "")
            what = {"key": key, "code": "Space" if key == " " else key,
                    "windowsVirtualKeyCode": codes[key], "modifiers": 8 if shift else 0}
            self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown",
                      text=text, **what)
            self.send("Input.dispatchKeyEvent", type="keyUp", **what)

    def type(self, text):
        """Type text into what has the focus."""
        self.send("Input.insertText", text=text)

    def screenshot(self, path, whole=False):
        """Store the page as PNG."""
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(data["data"]))


def _high(fd):
    """The same pipe under a number well above 3 and 4, the descriptors Chromium takes."""
    import fcntl
    return fcntl.fcntl(fd, fcntl.F_DUPFD, 20)
