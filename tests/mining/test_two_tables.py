"""Two tables of one repository: label A or label B."""

import pytest
from fakeapi import Corpus

from mining.errors import DefinitionError
from mining.selection.definition import load

TABLES = ('name = "own"\ntitle = "Own"\nschema = 1\n'
          '[[github]]\nrepository = "horovod/horovod"\nwith_labels = ["bug"]\n'
          '[[github]]\nrepository = "horovod/horovod"\nwith_labels = ["module: ddp"]\n')


@pytest.mark.parametrize(("way", "token"), [("list", True), ("search", True), ("list", False)])
def test_a_thread_with_either_label_is_a_candidate(field, tmp_path, way, token):
    # The first table was mined and the last one judged: 288 of 1,609 candidates, "whole".
    own = tmp_path / "own.toml"
    own.write_text(TABLES, "utf-8")
    mining = field(Corpus({"horovod/horovod": 400}, {}))
    threads = mining.run("--way", way, name=str(own), token=token)
    truth = {i.number for i in mining.corpus.find("horovod/horovod").visible()
             if i.closed and {"bug", "module: ddp"} & set(i.labels)}
    assert {r["number"] for r in threads.values() if r["candidate"]} == truth
    assert mining.manifest()["whole"]
    assert [s["id"] for s in mining.manifest()["sources"]] == [
        "gh:horovod/horovod", "gh:horovod/horovod (2)"]


@pytest.mark.parametrize("table", [
    '[[github]]\nrepository = "Horovod/horovod"\nwith_labels = ["bug"]\nnote = "again"\n',
    '[[stackoverflow]]\ntag = "x"\n[[stackoverflow]]\ntag = "x"\n'])
def test_the_same_table_twice_is_refused(tmp_path, table):
    own = tmp_path / "own.toml"
    own.write_text(TABLES.replace('"horovod/h', '"Horovod/h') + table, "utf-8")
    with pytest.raises(DefinitionError, match="stands here twice"):
        load(str(own))
