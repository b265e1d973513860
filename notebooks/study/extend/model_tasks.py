"""``label tasks --for-model``: tasks that need nothing beside them, and a protocol to fill in."""

import json

from study.base.files import publish
from study.extend.folder import json_text
from study.extend.model_form import brief, schema
from study.extend.start import write_all
from study.read.form import by_models, check_models, offered

PROTOCOL = "tools/model-protocol.toml"

SYSTEM = ("You label one thread about distributed deep-learning training with the codebook "
          "below. Answer with one line of JSON that fits the schema, and nothing else.")


def hand_out(extension, raters=("M1", "M2"), with_text=True, force=False):
    """Write tasks of each round, schema, codebook and protocol; note the raters in the plan.

    Parameters
    ----------
    extension : Extension
    raters : sequence of str
        M1, M2 …
    with_text : bool
    force : bool
        Keep old files beside the new ones instead of refusing.

    Returns
    -------
    dict of pathlib.Path to pathlib.Path or None
        Every file that was written, and where an older one was kept. A protocol that is there
        is left as it is.
    """
    plan = extension.plan
    if by_models(plan["raters"]):
        raters = plan["raters"]
        # People's sheets lie there with the version they were made with; models get the newest.
        newest = {n: extension.newest_version() for n in plan["rounds"]
                  if not any(extension.sheets.glob(f"round{n}-*"))}
        if newest.items() - plan["codebook"].items():
            plan["codebook"] |= newest
            publish(extension.path("plan.json"), json_text(plan))
    elif check_models(raters) != tuple(plan.get("models", ())):
        plan["models"] = list(raters)
        publish(extension.path("plan.json"), json_text(plan))
    made = files(extension.tasks(), plan, extension.codebook, raters, with_text)
    if extension.path(PROTOCOL).exists():
        del made[PROTOCOL]
    return write_all({extension.path(name): text for name, text in made.items()}, force)


def files(tasks, plan, codebook, raters, with_text=True):
    """Files of the model raters: name within the extension → content.

    Parameters
    ----------
    tasks : list of Task
    plan : dict
    codebook : callable
        Round → its codebook.
    raters : sequence of str
    with_text : bool

    Returns
    -------
    dict of str to str
    """
    made = {}
    for number in plan["rounds"]:
        book = codebook(number)
        made[f"tools/round{number}-model-tasks.jsonl"] = tasks_text(
            [t for t in tasks if t.round == number], book, with_text)
        made[f"tools/model-codebook-{book.version}.md"] = brief(book)
        made[f"tools/model-schema-{book.version}.json"] = json_text(schema(book))
    return made | {PROTOCOL: protocol_text(plan["title"], plan["codebook"], book, raters)}


def tasks_text(tasks, codebook, with_text=True):
    """One task a line, each complete in itself.

    Parameters
    ----------
    tasks : list of Task
    codebook : Codebook
    with_text : bool
        Title, excerpt and answer of the thread stand in the task; otherwise, where the text may
        not be stored, only where it is found: address, title, and a query.

    Returns
    -------
    str
        JSON lines with the keys item, round, codebook_version, prompt, codebook, thread, schema.
        No label of anybody is in them.

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> from study.read.form import Task
    >>> line = tasks_text([Task("gh:a/b#1", "GitHub-b", "It hangs")], load_codebook(), False)
    >>> json.loads(line)["thread"]["query"]
    'a/b It hangs'
    """
    told, form = brief(codebook), schema(codebook)
    return "".join(json.dumps({
        "item": task.thread, "round": task.round, "codebook_version": codebook.version,
        "prompt": SYSTEM, "codebook": told, "thread": _thread(task, with_text), "schema": form},
        ensure_ascii=False) + "\n" for task in tasks)


def _thread(task, with_text):
    place = {"address": task.url, "title": task.title}
    if with_text:
        return place | {"text": task.excerpt, "answer": task.resolution}
    where = task.thread.removeprefix("gh:").partition("#")[0]
    name = where if task.thread.startswith("gh:") else "stackoverflow"
    return place | {"query": f"{name} {task.title}".strip()}


def versions_told(versions):
    """Which version of the codebook each round was labelled with, as the protocol says it.

    Parameters
    ----------
    versions : dict of str to str
        Round → version, as the plan has it.

    Returns
    -------
    str

    Examples
    --------
    >>> versions_told({"1": "1", "2": "2"}), versions_told({"1": "1", "2": "1"})
    ('1 in round 1, 2 in round 2', '1')
    """
    if len(set(versions.values())) == 1:
        return next(iter(versions.values()))
    return ", ".join(f"{versions[n]} in round {n}" for n in sorted(versions, key=int))


def protocol_text(title, versions, codebook, raters):
    """The protocol of model raters, to be filled in by who runs them.

    Parameters
    ----------
    title : str
        Of the extension.
    versions : dict of str to str
        Round → version of its codebook.
    codebook : Codebook
        Of the newest round.
    raters : sequence of str
        M1, M2 …

    Returns
    -------
    str
        TOML.
    """
    blocks = "".join(f"\n[{rater}]\n" + "".join(f"{key} = \"\"  # {says}\n" for key, says in _ASKED)
                     for rater in raters)
    facets = ", ".join(f"{len(offered(codebook, f))} {f}" for f in ("symptom", "fix_pattern"))
    return (f"# Protocol of the model raters of {title}, round {', '.join(versions)}: fill in "
            "every text.\n# A study that rests on model raters is read with it; `label "
            "calibrate` and `label correct`\n# refuse while a text is blank.\n\n"
            f"codebook = \"{versions_told(versions)}\"  # {facets}\n"
            "shares_are = \"\"  # of which population the threads are a sample, and how drawn\n"
            "handed_out = \"\"  # how tasks reached the raters, and what kept them from labels and "
            "from one another\n" + blocks)


_ASKED = (
    ("model", "family and version, as its maker names it"),
    ("settings", "temperature, seed, length, reasoning; or: not to be set"),
    ("date", "first and last day of labelling, written 2026-12-31"),
    ("prompt", "the task as it is, or the whole text that was used in its place"),
    ("saw", "what the rater read of a thread: all of it, an excerpt, the title; text or pictures"),
    ("batch", "one thread at a time, or several in one conversation, and in which order"),
    ("passes", "how often each thread was labelled, and which pass counts"),
    ("unparsed", "how many answers did not fit the schema, and what was done with them"),
    ("known_before", "whether the model may have met the study or its labels in training"),
)
