"""Exports as labelling tools write them, by the tools' own packages; content from the example.

The answers are those of rater R1 and R2 in round 1 of ``data/extensions/example``, which is
synthetic. To make the files anew (the versions are in ``exports/requirements.txt``)::

    python -m venv tools
    tools/bin/pip install -r tests/extend/exports/requirements.txt
    tools/bin/pip install --no-deps doccano==1.8.4
    PYTHONPATH=notebooks tools/bin/python tests/extend/make_exports.py

Label Studio's files are written by the converter its server exports with, Argilla's by the
client that users export with. doccano's are shaped and written by its formatters and writers;
only the database they read is replaced. Prodigy is not free: its lines follow its documentation
(https://prodi.gy/docs/api-interfaces#choice, task format of ``choice``), and no software of
Prodigy made them.
"""

import importlib
import json
import sys
import tempfile
from pathlib import Path
from types import ModuleType, SimpleNamespace
from uuid import UUID

from study.base.files import publish
from study.extend import jsonl, labelstudio
from study.extend.canonical import answers, from_file
from study.extend.folder import extension

FOLDER = Path(__file__).resolve().parent / "exports"
RATERS = ("R1", "R2")
STAMP = "2026-02-03T12:00:00.000000Z"
USERS = {f"R{n}": str(UUID(int=n)) for n in (1, 2)}  # as Argilla's server numbers its users
SESSIONS = ("2026-02-03_10-00-00", "2026-02-04_09-30-00")  # Prodigy's, where nobody gave a name
# A control that a team added to the configuration for itself.
OWN = ('  <Rating name="sure" toName="text"/>\n</View>',
       {"from_name": "sure", "to_name": "text", "type": "rating", "value": {"rating": 4}})


def material():
    """Tasks of round 1 of the example, and each rater's answers by thread."""
    own = extension("example")
    rows = from_file(own.path("labels.csv"))
    tasks = own.tasks("1")
    return own, tasks, {r: answers([x for x in rows if (x[3], x[4]) == ("1", r)])
                        for r in RATERS}


def label_studio(own, tasks, said):
    """JSON, JSON-MIN and CSV by the SDK's converter."""
    from label_studio_sdk.converter import Converter
    content = json.loads(labelstudio.tasks_json(tasks, {1: said["R1"], 2: said["R2"]}))
    number = 0
    for task in content:
        for note in task["annotations"]:
            number += 1
            note |= {"id": number, "created_at": STAMP, "updated_at": note.get(
                "updated_at", STAMP), "lead_time": 61.5, "ground_truth": False, "draft_created_at":
                None}
            note["result"] = [{"id": f"r{number}-{n}", "origin": "manual", **r}
                              for n, r in enumerate([*note["result"], OWN[1]])]
    head, _, _ = labelstudio.config(own.codebook("1")).rpartition("</View>")
    config = head + OWN[0]
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "tasks.json"
        source.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        for form, ending in (("JSON", "json"), ("JSON_MIN", "json"), ("CSV", "csv")):
            out = Path(name) / form
            Converter(config, str(out), download_resources=False).convert(
                str(source), str(out), form, is_dir=False)
            yield (f"labelstudio-{form.lower().replace('_', '-')}.{ending}",
                   (out / f"result.{ending}").read_text(encoding="utf-8"))


def argilla(tasks, said):
    """JSON by the client's ``to_json``, all raters in one file."""
    import argilla as rg
    from argilla.records._io import JsonIO
    records = []
    for n, (task, line) in enumerate(zip(tasks, jsonl.lines(tasks, "argilla").splitlines(),
                                         strict=True)):
        given = json.loads(line)
        responses = []
        for rater, answered in said.items():
            filled = json.loads(jsonl.lines([task], "argilla", None, answered, USERS[rater]))
            responses += [rg.Response(question, a["value"], UUID(a["user_id"]), a["status"])
                          for question, every in filled["responses"].items() for a in every]
        records.append(rg.Record(id=str(UUID(int=1000 + n)), fields=given["fields"],
                                 metadata=given["metadata"], responses=responses))
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "records.json"
        JsonIO.to_json(records, path)
        yield "argilla.json", path.read_text(encoding="utf-8")


def doccano(tasks, said):
    """JSON, JSON lines and CSV by the server's formatters and writers."""
    import pandas as pd
    found = importlib.util.find_spec("backend")
    sys.path.insert(0, next(iter(found.submodule_search_locations)))
    # The models need a server and its database; the formatters need this one word of them.
    models = ModuleType("data_export.models")
    models.DATA = "data"
    sys.modules["data_export.models"] = models
    import data_export.pipeline.formatters as shape
    import data_export.pipeline.writers as write

    def texts(values):
        return [SimpleNamespace(to_string=lambda v=v: v) for v in values]

    for ending, formatter, writer in (
            ("json", shape.ListedCategoryFormatter, write.JsonWriter),
            ("jsonl", shape.ListedCategoryFormatter, write.JsonlWriter),
            ("csv", shape.JoinedCategoryFormatter, write.CsvWriter)):
        rows = []
        for line in jsonl.lines(tasks, "doccano", None, said["R1"]).split("\n"):
            if line:
                task = json.loads(line)
                rows.append({"id": task["id"], "data": task["text"], "item": task["item"],
                             "source": task["source"], "link": task["link"],
                             "decided_at": task["decided_at"],
                             "categories": texts(task["label"]),
                             "Comments": texts(task["Comments"])})
        table = pd.DataFrame(rows)
        for one in (formatter("categories"), formatter("Comments"),
                    shape.RenameFormatter(data="text", categories="label")):
            table = one.format(table)
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / f"all.{ending}"
            writer.write(path, table)
            yield f"doccano.{ending}", path.read_text(encoding="utf-8")


def prodigy(own, tasks, said):
    """Lines after Prodigy's documentation, in two sessions that nobody named."""
    made, tasks = [], tasks[:8]  # each line repeats all options
    for n, line in enumerate(jsonl.lines(tasks, "prodigy", own.codebook("1"), said["R1"],
                                         "R1").split("\n")):
        if line:
            task = json.loads(line)
            session = SESSIONS[2 * n >= len(tasks)]
            made.append(json.dumps(task | {
                "_input_hash": n + 1, "_task_hash": -n - 1, "_view_id": "choice",
                "config": {"choice_style": "multiple"}, "_timestamp": 1770120000 + 60 * n,
                "_annotator_id": session, "_session_id": session}, ensure_ascii=False) + "\n")
    yield "prodigy-as-documented.jsonl", "".join(made)


def main():
    """Write every export."""
    own, tasks, said = material()
    files = {name: text for part in (label_studio(own, tasks, said), argilla(tasks, said),
                                     doccano(tasks, said), prodigy(own, tasks, said))
             for name, text in part}
    for name, text in files.items():
        publish(FOLDER / name, text)
        print(name, len(text))


if __name__ == "__main__":
    main()
