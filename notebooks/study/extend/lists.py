"""The drop-down lists of a codebook: one a column of labels, or one for each choice before it."""

from study.read.codebook import FACETS, UNDECIDED
from study.read.form import offered


def lists(codebook):
    """Every list a drop-down may show.

    Parameters
    ----------
    codebook : Codebook

    Returns
    -------
    dict of str to list of str
        Key → labels. A column that depends on no other has its name as key; sub-topics are
        found by ``subtopic|TOPIC``, groups by ``group|STAGE``, symptoms by
        ``symptom|STAGE|GROUP``. While a choice is open (blank or undecided), all that may
        follow are offered.

    Examples
    --------
    >>> from study.read.codebook import load_codebook
    >>> lists(load_codebook())["group|training & evaluation"]
    ['program failure', 'unexpected performance', 'undecided']
    """
    made = {f: offered(codebook, f) for f in FACETS if f not in ("subtopic", "group", "symptom")}
    for topic in codebook.names("topic", final_only=True):
        made[f"subtopic|{topic}"] = _under(codebook, "subtopic", [topic])
    stages = codebook.names("stage", final_only=True)
    groups = {stage: [g.name for g in codebook.entries["group"]
                      if stage in g.parents and g.status == "final"] for stage in stages}
    for stage in stages:
        # A stage without groups offers none, so that nothing is filled in by mistake.
        made[f"group|{stage}"] = [*groups[stage], UNDECIDED] if groups[stage] else [""]
        paths = [f"{stage}/{g}" for g in groups[stage]]
        for group in groups[stage]:
            made[f"symptom|{stage}|{group}"] = _under(codebook, "symptom", [f"{stage}/{group}"])
        for open_choice in ("", UNDECIDED) if groups[stage] else ("",):
            made[f"symptom|{stage}|{open_choice}"] = _under(codebook, "symptom", [stage, *paths])
    every = [*codebook.names("symptom", final_only=True), UNDECIDED]
    for stage in ("", UNDECIDED):
        made[f"symptom|{stage}|"] = made[f"symptom|{stage}|{UNDECIDED}"] = every
        for group in codebook.entries["group"]:
            if group.status == "final":
                made[f"symptom|{stage}|{group.name}"] = _under(
                    codebook, "symptom", [f"{p}/{group.name}" for p in group.parents])
        made[f"group|{stage}"] = [*codebook.names("group", final_only=True), UNDECIDED]
        made[f"subtopic|{stage}"] = [*codebook.names("subtopic", final_only=True), UNDECIDED]
    return made


def _under(codebook, facet, parents):
    names = [e.name for e in codebook.entries[facet]
             if set(parents) & set(e.parents) and e.status == "final"]
    return [*names, UNDECIDED]
