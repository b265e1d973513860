"""No token and no key in any file, log, message or printed address."""

import contextlib
import logging
import sqlite3
import zlib
from urllib.parse import quote

import pytest
from fakeapi import Corpus
from fakeapi.faults import Fault, drop, plain
from mining_field import KEY, TOKEN

from mining.errors import MiningError
from mining.transport.wire import Credentials, Request, Wire

SPELLINGS = {s.encode() for secret in (TOKEN, KEY) for s in (
    secret, quote(secret), quote(secret, safe=""))}


def leaks(folder):
    """Files below ``folder`` with a secret in any spelling; stored answers are unpacked."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            raw = path.read_bytes()
            if path.name == "corpus.sqlite":
                with contextlib.closing(sqlite3.connect(path)) as db:
                    raw += b"".join(zlib.decompress(r) for (r,) in db.execute(
                        "SELECT record FROM answer"))
            found += [path.name for s in SPELLINGS if s in raw]
    return found


def echo(server, now):  # noqa: ARG001
    """An API that repeats the secrets in body and headers."""
    return 403, {"X-GitHub-Request-Id": TOKEN, "Link": f'<http://x/?key={quote(KEY)}>; rel="x"'}, {
        "message": f"Bad token {TOKEN} or key {KEY}"}


@pytest.mark.parametrize("fault", [
    None, Fault("graphql", echo, first=2), Fault("core", echo), Fault("", drop, times=4),
    Fault("/questions", plain(400, {"error_id": 1, "error_name": "bad_key",
                                    "error_message": f"{KEY} matches no application"})),
    Fault("/filters/create", drop, times=99)],
    ids=["no fault", "echo graphql", "echo core", "drop any", "bad key", "drop filters"])
@pytest.mark.parametrize("way", ["list", "search"])
def test_no_secret_anywhere(field, capsys, caplog, fault, way):
    caplog.set_level(logging.DEBUG)
    mining = field(Corpus({"horovod/horovod": 120}, {"horovod": 120}), [fault] if fault else [])
    if fault:
        fault.seen = fault.done = 0
    code = mining("run", "--until", "2022-12-31", "--way", way)
    assert code in ((0,) if fault is None else (0, 2, 3, 4))
    mining("export", "--all")
    mining("status")
    printed = capsys.readouterr()
    text = (printed.out + printed.err + caplog.text).encode()
    assert leaks(mining.folder) == []
    assert [s for s in SPELLINGS if s in text] == []
    assert mining.fake.sent() > 1
    assert "urllib3" in caplog.text  # the debug log was on, and clean


def test_an_exception_does_not_show_the_address():
    credentials = Credentials(stackexchange_key=KEY, stackexchange_url="http://127.0.0.1:9")
    answer = Wire(credentials).send(Request("stackexchange", "/questions"))
    assert answer.problem == "connection"
    assert KEY not in repr(answer)
    assert quote(KEY, safe="") not in repr(answer)


def test_credentials_have_no_repr():
    assert TOKEN not in repr(Credentials(github_token=TOKEN))


def test_the_token_does_not_follow_a_redirect_to_another_host(field, capsys):
    away = plain(301, {"message": "Moved"}, {"Location": "http://127.0.0.2:1/repositories/1"})
    mining = field(Corpus({"horovod/horovod": 5}, {}), [Fault("core", away)])
    assert mining("run", "--way", "search", "--platform", "github") == 2
    assert "points to another host (127.0.0.2:1)" in capsys.readouterr().err


def test_a_netrc_password_is_not_sent(field, monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login a password b\n", "utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    mining = field(Corpus({}, {"horovod": 20}))
    mining.run("--platform", "stackoverflow")
    # The referee calls an Authorization header to Stack Exchange a breach.
    assert mining.fake.referee.breaches == []


@pytest.mark.parametrize("token", ["abc", "two words here", "with\x07bell-in-it"])
def test_what_cannot_be_a_token_is_refused(token):
    with pytest.raises(MiningError, match="GITHUB_TOKEN is set, but to nothing") as error:
        Credentials.from_environment({"GITHUB_TOKEN": token})
    assert token not in str(error.value)
