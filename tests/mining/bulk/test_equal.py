"""One synthetic world through the APIs, as a dump and as GH Archive: the same candidates."""

import gzip

import pytest
from bulkrun import bulk, cluster, files, scale, spark
from bulkworld import hours, posts_xml
from fakeapi import Corpus
from mining_field import UNTIL, Field, rows

from mining import workplace

NAMES = ("horovod", "keras", "pytorch", "tensorflow", "jax", "deepspeed")
REPOSITORIES = ("horovod/horovod", "keras-team/keras", "pytorch/pytorch",
                "tensorflow/tensorflow", "jax-ml/jax", "deepspeedai/DeepSpeed")
JUDGED = ("candidate", "why_not", "matched_keywords", "frameworks", "tags", "labels", "state",
          "accepted_answer_id", "title", "created_at", "closed_at", "number", "place", "url",
          "author_kind", "licence", "resolution_url", "score", "views", "n_answers")
OF_GITHUB = ("body", "resolution", "author", "state_reason", "n_comments", "complete")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The corpus, as a dump and hours, ingested."""
    folder = tmp_path_factory.mktemp("world")
    corpus = Corpus(dict.fromkeys(REPOSITORIES, 60), dict.fromkeys(NAMES, 90))
    corpus.repositories["horovod/horovod"].old_names = ("uber/horovod",)
    for place, q in enumerate(corpus.questions.values()):
        q.deleted = place % 53 == 0
    bulk("ingest", posts_xml(corpus, folder / "Posts.xml"), "--out", folder / "bulk" / "so")
    bulk("ingest", hours(corpus, folder / "hours"), "--out", folder / "bulk" / "gh")
    return corpus, folder


@scale
@pytest.mark.parametrize("name", NAMES)
def test_api_dump_and_archive_select_alike(world, name, tmp_path, monkeypatch):
    corpus, folder = world
    monkeypatch.setattr(workplace, "DATA", tmp_path / "data")
    field = Field(tmp_path, corpus)
    with field.fake:
        api = field.run(name=name)
    bulk("choose", name, "--bulk", folder / "bulk", "--store", tmp_path / "bulk",
         "--until", UNTIL)
    mine = {r["item"]: r for r in rows(tmp_path / "bulk" / "snapshot" / "threads.jsonl")}
    for platform in ("github", "stackoverflow"):
        wanted = {i for i, r in api.items() if r["candidate"] and r["platform"] == platform}
        assert wanted
        assert wanted == {i for i, r in mine.items()
                          if r["candidate"] and r["platform"] == platform}
    shared = [i for i in api if i in mine]
    assert {i for i in api if i.startswith("so:")} == {i for i in mine if i.startswith("so:")}
    for item in shared:
        keys = JUDGED + (OF_GITHUB if item.startswith("gh:") else ())
        assert {k: api[item][k] for k in keys} == {k: mine[item][k] for k in keys}
    listed = (tmp_path / "bulk" / "items.txt").read_text().split()
    assert set(listed) == {i for i, r in mine.items() if r["candidate"]}


@scale
def test_both_notations_of_tags_and_gz_give_the_same_parts(world, tmp_path):
    corpus, folder = world
    data = posts_xml(corpus, tmp_path / "Angle.xml", "angle").read_bytes()
    (tmp_path / "Posts.xml.gz").write_bytes(gzip.compress(data, 1))
    bulk("ingest", tmp_path / "Posts.xml.gz", "--out", tmp_path / "so")
    for kind in ("questions", "answers"):
        assert files(tmp_path / "so" / kind) == files(folder / "bulk" / "so" / kind)


@scale
def test_export_and_sample_go_on_from_it(world, tmp_path):
    _, folder = world
    store = tmp_path / "store"
    bulk("choose", "keras", "--bulk", folder / "bulk", "--store", store)
    bulk("export", "keras", "--store", store)
    bulk("sample", "keras", "--n", "10", "--store", store)
    assert (store / "export" / "threads.csv").stat().st_size > 10_000
    assert len((store / "sample.csv").read_text().splitlines()) > 10


@scale
def test_each_way_refuses_the_other_ones_folder(world, tmp_path, monkeypatch, capsys):
    corpus, folder = world
    monkeypatch.setattr(workplace, "DATA", tmp_path / "data")
    bulk("choose", "keras", "--bulk", folder / "bulk", "--store", tmp_path / "chosen")
    before = files(tmp_path / "chosen")
    field = Field(tmp_path, corpus)
    with field.fake:
        assert field("run", name="keras", store=tmp_path / "chosen") == 2
        assert "was not mined there" in capsys.readouterr().err
        field.run(name="keras")
    assert files(tmp_path / "chosen") == before
    said = bulk("choose", "keras", "--bulk", folder / "bulk", "--store", field.store, code=2)
    assert "was mined through the APIs" in said


@spark
@pytest.mark.parametrize("name", ["keras", "deepspeed"])  # a Spark run takes a quarter of a minute
def test_spark_and_a_cluster_give_the_bytes_of_duckdb(world, tmp_path, name):
    _, folder = world
    with cluster(tmp_path) as url:
        for store, engine in (("a", "duckdb"), ("b", "spark"), ("c", url)):
            bulk("choose", name, "--bulk", folder / "bulk", "--store", tmp_path / store,
                 "--engine", engine)
    first, *others = (files(tmp_path / store / "snapshot") for store in "abc")
    assert len(first["threads.jsonl"]) > 10_000
    assert others == [first, first]
