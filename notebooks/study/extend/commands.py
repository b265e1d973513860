"""What the steps of ``label`` do and print, one function each."""

import sys
from dataclasses import replace
from pathlib import Path

from study.base.errors import StudyError
from study.base.files import publish
from study.base.numbers import p_value, plural
from study.base.paths import shown
from study.extend.folder import csv_text, extension, json_text
from study.read.form import MODEL_LABELLED, by_models
from study.read.policy import PARTIAL, STRICT
from study.read.sheet import SheetError, in_lines

MOST = 40  # findings printed; --out has them all
FINDINGS = ("severity", "file", "sheet", "row", "column", "value", "what to do", "kind")


def new(given):
    """``label new``."""
    from study.extend.start import read_left_out, start
    left_out = read_left_out(given.exclude) if given.exclude else None
    written = start(given.name, given.snapshot or given.name, given.n, given.raters, given.rounds,
                    given.seed, given.by, given.form, left_out, given.title, given.force)
    own = extension(given.name)
    plan = own.plan
    print(f"{plan['n']} of {plan['population']} threads, seed {plan['seed']}, by {plan['by']}; "
          f"margin ±{100 * plan['margin_95']:.1f} points at 95 % for a share of one half")
    for name, part in plan["strata"].items():
        print(f"  {name}: {part['n']} of {part['population']}")
    for reason, n in plan["excluded"].items():
        print(f"  left out: {n} ({reason})")
    for path, kept in written.items():
        print(f"wrote {shown(path)}" + (f"; the old one is {kept.name}" if kept else ""))


def tasks(given):
    """``label tasks --for-model``."""
    from study.extend.model_tasks import hand_out
    own = extension(given.name)
    written = hand_out(own, given.raters, not given.no_text, given.force)
    for path, kept in written.items():
        print(f"wrote {shown(path)}" + (f"; the old one is {kept.name}" if kept else ""))
    print(f"answers go to {shown(own.sheets)}, one file a round and rater: round1-M1.jsonl …; "
          f"then `label check {own.name}`")


def check(given):
    """``label check``."""
    from study.extend.handed_in import check_round
    own = extension(given.name)
    if given.out:
        _ours(Path(given.out))
    if given.annotator:
        _annotators(own, given.annotator)
    policy = PARTIAL if given.partial else STRICT
    if given.decisions:
        from study.extend.decided import decide
        checked = [decide(own, r) for r in _rounds(own, given.round)]
    else:
        checked = check_round(own, given.round, policy, given.files or None)
    found = [p for c in checked for p in c.problems]
    text = findings_text(found)
    if given.out:
        publish(given.out, text)
    _print(found, bool(given.out))
    for one in checked:
        n = len(one.rows) if hasattr(one, "rows") else len(one.labels)
        kinds = _tally(one.problems)
        print(f"round {one.round}, {getattr(one, 'rater', 'decisions')}: {plural(n, 'issue')}, "
              + ", ".join(plural(kinds.get(s, 0), s) for s in ("error", "warning", "note")))
    return 2 if any(p.severity == "error" for p in found) else 0


def _ours(path):
    """StudyError where ``--out`` names a file that is no table of findings."""
    if path.is_file():
        with path.open("rb") as stream:
            head = stream.read(200)
        if head and not head.startswith(",".join(FINDINGS).encode()):
            raise StudyError(f"{shown(path)} is there and no table of findings; give --out "
                             "another name")


def _annotators(own, pairs):
    plan = own.plan
    for pair in pairs:
        who, mark, rater = pair.partition("=")
        if not mark or rater not in plan["raters"]:
            raise StudyError(f"--annotator {pair}: write ID=RATER, such as 7=R1; the raters are "
                             f"{', '.join(plan['raters'])}")
        plan["annotators"][who] = rater
    publish(own.path("plan.json"), json_text(plan))


def _rounds(own, number):
    rounds = own.plan["rounds"]
    if number and number not in rounds:
        raise StudyError(f"--round {number}: {own.name} has rounds {', '.join(sorted(rounds))}")
    return [number] if number else sorted(rounds, key=int)


def _tally(problems):
    counts = {}
    for p in problems:
        counts[p.severity] = counts.get(p.severity, 0) + 1
    return counts


def findings_text(found):
    """All findings as csv: where, what, what to do.

    Parameters
    ----------
    found : list of Problem

    Returns
    -------
    str
    """
    return csv_text(FINDINGS, [(p.severity, p.file, p.sheet, p.row or "", p.column or "", p.value,
                                p.message, p.kind) for p in found])


def _print(found, short):
    for severity in ("error", "warning", "note"):
        own = [p for p in found if p.severity == severity]
        if not own:
            continue
        print(plural(len(own), severity)
              + (" (what was normalised)" if severity == "note" else ""))
        limit, lines = 0 if short else MOST if severity != "note" else 10, in_lines(own)
        for p, line in lines[:limit]:
            value = f" [{p.value[:40]}]" if p.value and p.value not in p.message else ""
            print(f"  {line}{value}")
        if len(lines) > limit and not short:
            print(f"  … and {len(lines) - limit} more lines; --out FILE writes all findings")


def agree(given):
    """``label agree``."""
    from study.extend.agree import agree as measure
    from study.extend.agree import summary
    from study.tell.agreement_options import options, write_beside
    from study.tell.agreement_row import pasted
    from study.tell.agreement_text import columns, render
    own = extension(given.name)
    if given.round:
        _rounds(own, given.round)
    try:
        wanted = options(given)[0]
        groups = measure(own, given.round, given.files, wanted, given.facet)
        text = pasted(given, groups)
        for line in write_beside(given, groups):
            print(line, file=sys.stderr)
    except SheetError as error:
        raise StudyError(str(error)) from None
    if by_models(own.plan["raters"]):
        print(f"{own.plan['title']}: agreement of models, not of people",
              file=sys.stderr if text else sys.stdout)
    status = 0 if any(g["n_used"] for g in groups) else 3
    if text or given.details or given.primary or wanted.weights or given.metric != "nominal":
        print(text or render(groups, []), end="")
        return status
    print("Cohen's kappa (declared), the others beside it; pairs of one issue type\n"
          "(a group or sub-topic: of one stage or topic)\n")
    rows = [("round", "raters", "facet", "n", "dropped", "po", "kappa", "95 %", "S", "AC1",
             "alpha", "note")]
    for r in summary(groups).itertuples():
        span = f"{r.low:.2f} to {r.high:.2f}" if r.low == r.low and r.low is not None else "-"
        rows.append((r.round, r.raters, r.facet, str(r.n), str(r.dropped), _two(r.po),
                     _two(r.kappa), span, _two(r.S), _two(r.AC1), _two(r.alpha), r.note))
    for line in columns(rows, ""):
        print(line.rstrip())
    print()
    where = {}
    for g in groups:
        for warning in g["warnings"]:
            where.setdefault((g["round"], "-".join(g["raters"]), warning), []).append(g["facet"])
    for (number, raters, warning), facets in where.items():
        print(f"warning: round {number}, {raters}, {', '.join(facets)}: {warning}")
    print("\n--details adds each category, who confused what, and all coefficients")
    return status


def _two(value):
    return "-" if value is None or value != value else f"{value:.2f}"


def adjudicate(given):
    """``label adjudicate``."""
    from study.extend.adjudicate import disagreements, left_open, workbook
    from study.extend.decided import decisions_file
    from study.extend.folder import write_new
    from study.extend.handed_in import read_round
    own = extension(given.name)
    for number in _rounds(own, given.round):
        checked = read_round(own, number)
        found = disagreements(checked)
        if not found:
            print(f"round {number}: the raters agree throughout; nothing to decide")
            continue
        raters = [c.rater for c in checked]
        content = workbook(found, raters, number, own.tasks(number), own.codebook(),
                           left_open(found, raters) if by_models(raters) else None,
                           own.plan["title"])
        path = decisions_file(own, number)
        kept = write_new(path, content, given.force)
        print(f"round {number}: {len(found)} labels to decide in "
              f"{len({e['item'] for e in found})} issues → {shown(path)}"
              + (f"; the old one is {kept.name}" if kept else ""))


def codebook(given):
    """``label codebook``."""
    from study.extend import versions
    from study.extend.qdc import qdc
    own = extension(given.name)
    if given.act == "qdc":
        path = own.path("codebook-unique.qdc" if given.unique else "codebook.qdc")
        publish(path, qdc(own.codebook(), given.unique))
        print(f"wrote {shown(path)}" + ("" if given.unique else "; for QualCoder add --unique"))
    elif given.act == "propose":
        made = versions.propose(own, given.force)
        for p in made:
            print(f"{p['facet']}: {p['proposed']} ({p['raters']}; {p['threads']})")
        print(f"{plural(len(made), 'proposal')} → {shown(own.path('proposals.csv'))}; fill in "
              "decision (add, use, reject), name, parents, definition, why; then `label codebook "
              f"new {own.name}`")
    else:
        version = versions.accept(own, given.force)
        print(f"codebook version {version} → {shown(own.path(f'codebook-{version}.toml'))}; "
              "earlier labels are carried over by crosswalk.csv")


def counts(given):
    """``label counts``."""
    from study.extend import counts as counting
    own = extension(given.name)
    tables, texts = counting.counts(own)
    changed = counting.write(own, tables, texts)
    n = int(tables["faults"]["n"].sum()), int(tables["questions"]["n"].sum())
    if by_models(own.plan["raters"]):
        print(own.plan["title"])
    print(f"{plural(n[0], 'fault')}, {plural(n[1], 'how-to question')}; {len(tables)} tables in "
          f"{shown(own.folder)}, {plural(len(changed), 'file')} changed. "
          f"Read them with load_study({own.name!r})")


def figures(given):
    """``label figures``."""
    from study.draw import gallery
    from study.draw.picture import marked
    from study.extend.compare import complete
    from study.tabulate.tables import load_study
    own = extension(given.name)
    whole = load_study(own.folder, own.codebook())
    study, left_out = complete(whole)
    pictures = [p for p in gallery.render(study)
                if p.name != "model_labelled_newer_frameworks"]  # of one corpus only
    if left_out:
        said = f"{left_out} issues are left out, of which some label stays undecided"
        pictures = [replace(p, caption=f"{p.caption} {said}.") for p in pictures]
        print(said)
    if by_models(own.plan["raters"]):
        pictures = [marked(p, MODEL_LABELLED) for p in pictures]
    gallery.save(pictures, own.path("figures"))
    print(f"{len(pictures)} figures → {shown(own.path('figures'))}")


def calibrate(given):
    """``label calibrate``."""
    from study.extend import calibrate as calibrating
    rated, where, folder, more = _rated(given)
    made = calibrating.calibrate(rated)
    people = calibrating.sides(rated.table)[2]
    print(f"Model-labelled: {where}, models against people on the same issues; in shares and "
          f"differences people are {people if people != calibrating.REFERENCE else rated.reference}"
          "\nWhat one of two left undecided is in no kappa (dropped) and in no bias.\n")
    shown_rows = made["agreement"].drop(columns=["reason"])
    _table("Agreement (Cohen's kappa, 95 %)", shown_rows)
    _table("Is a model's agreement with people beyond what two people differ by?", made["beyond"])
    _table("Bias of shares: model less people (95 %, threads drawn anew)", made["bias"])
    _table("Most frequent differences", made["confusion"].groupby(["facet", "model"],
                                                                 sort=False).head(3))
    if "left-out" in more:
        left_out = more["left-out"]
        _table(f"Not joined: {left_out['thread'].nunique()} threads", left_out.groupby(
            ["rater", "what"]).size().rename("threads").reset_index())
    _save(folder, {f"model-labelled-{name}.csv": table for name, table in (made | more).items()})


def correct(given):
    """``label correct``."""
    from study.extend import beside_study
    from study.extend import calibrate as calibrating
    rated, where, folder, _ = _rated(given)
    other = None
    if given.other:
        there = extension(given.other)
        calibrating.same_models(extension(given.name), there)
        counted = there.path(beside_study.PAIRS)
        other = (beside_study.Counted.read(counted) if counted.exists()
                 else calibrating.from_extension(there))
    made = calibrating.correct(rated, other)
    print(f"Model-labelled: {where}, shares corrected for the model's error (95 %)")
    if other is not None:
        print(f"The calibration is another corpus ({given.other}): that the models err here as "
              "they do there is assumed, not shown.")
        for own in map(extension, (given.name, given.other)):
            print(f"What {own.name} is a sample of: {calibrating.told_of(own)['shares_are']}")
    print()
    _table("", made)
    more = {}
    if other is not None:
        table = calibrating.with_decided(extension(given.name), rated)
        more = {"model-labelled-by-framework.csv": calibrating.by_place(rated, table, other),
                "model-labelled-new-categories.csv": calibrating.new_categories(
                    extension(given.name), table)}
    _save(folder, {"model-labelled-corrected.csv": made} | more)


def _rated(given):
    """Labels, how the output calls them, the folder for the tables, and more tables."""
    from study.extend.beside_study import from_study, pair_counts
    from study.extend.calibrate import from_extension, from_files
    folder = Path(given.out) if given.out else None
    if given.people and given.models:
        return (from_files(given.people, given.models),
                f"{Path(given.models).name} beside {Path(given.people).name}", folder, {})
    of_study = given.people == "study" and given.step == "calibrate"
    if (given.people and not of_study) or given.models or not given.name:
        raise StudyError(f"label {given.step}: give an extension, or both --people FILE and "
                         "--models FILE")
    own = extension(given.name)
    folder = folder or own.folder
    if of_study:
        rated, left_out = from_study(own)
        return (rated, f"{own.name}, threads of the study", folder,
                {"pairs": pair_counts(rated), "left-out": left_out})
    return from_extension(own), own.name, folder, {}


def _save(folder, tables):
    if folder:
        for name, table in tables.items():
            publish(folder / name, table.to_csv(index=False, float_format="%.6f",
                                                lineterminator="\n"))
            print(f"wrote {shown(folder / name)}")


def _table(title, table):
    if title:
        print(title)
    lines = [list(table.columns), *([_cell(v) for v in row] for row in
                                    table.itertuples(index=False))]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.columns))]
    for line in lines:
        print("  " + "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip())
    print()


def _cell(value):
    if value is None or value != value:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def compare(given):
    """``label compare``."""
    from study.draw.comparison import side_by_side
    from study.draw.picture import marked
    from study.extend import compare as comparing
    from study.tabulate.tables import load_study
    own = extension(given.name)
    other = load_study() if given.other == "study" else load_study(given.other)
    table = comparing.compare(load_study(own.folder, own.codebook()), other)
    publish(own.result("comparison.csv"),
            table.to_csv(index=False, float_format="%.6f", lineterminator="\n"))
    picture = side_by_side(table, own.plan["title"])
    if by_models(own.plan["raters"]):
        picture = marked(picture, MODEL_LABELLED)
        print(f"{own.plan['title']}; as labelled, not corrected for the models' error")
    for form in ("svg", "pdf", "png", "csv"):
        publish(own.path(f"figures/{picture.name}.{form}"), picture.file(form))
    for r in comparing.overall(table).itertuples():
        if r.p == r.p and r.p is not None:
            print(f"{r.comparison}: V = {r.v_corrected:.2f} (95 % {r.low:.2f} to {r.high:.2f}), "
                  f"p {p_value(r.p_holm)} (Holm; {r.method})")
    for r in comparing.news(table).itertuples():
        print(f"  {r.verdict}: {r.what} {r.category}: {100 * r.share_new:.1f} % against "
              f"{100 * r.share_study:.1f} %, difference {100 * r.low:+.1f} to "
              f"{100 * r.high:+.1f} points, p {p_value(r.p_holm)}")
    print(f"{len(table)} categories → {shown(own.result('comparison.csv'))}; figure → "
          f"{shown(Path(own.path('figures')) / picture.name)}.svg")


__all__ = ["adjudicate", "agree", "check", "codebook", "compare", "counts", "figures", "new"]
