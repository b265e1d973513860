"""What the tables and figures say, in sentences whose every number is computed."""

from study.base.words import JOIN, proper
from study.decide.claims import printed
from study.measure import collection as collected
from study.measure import newer
from study.measure.composition import composition
from study.measure.contested import every_combination, one_at_a_time
from study.measure.contrasts import comparison, comparisons, residuals
from study.measure.fixes import coverage, frequent_fixes, system_level
from study.measure.intervals import MARGINS, wilson, within
from study.measure.kappa import (
    at_system_level,
    kappa_table,
    without_same,
)
from study.measure.label_error import headline_ranges
from study.measure.nulls import frequent_null, shared_null, symptom_auc
from study.measure.precision import margin, sample_size
from study.measure.rounds_agreement import changes_between, confused, saturating
from study.measure.slips import slips_by_round
from study.measure.symptoms import categories as count_categories
from study.measure.symptoms import leaves, shared_symptoms, taxonomy
from study.read.codebook import TITLES, UNDECIDED
from study.read.repair import RULES
from study.tabulate.rounds import MEASURED, PATH_JOIN

NO_NAME = "(none)"  # as tables print a blank label


class Sentence(str):
    """Text that Jupyter shows as Markdown."""

    def _repr_markdown_(self):
        return str(self)


def share(value):
    """A share in words, ``"52.7 %"``; a dash where there is none."""
    return printed(float(value), "share") or "–"


def interval(record, unit="share"):
    """Value and 95 % interval of a record with share (or kappa), low and high.

    Where there is no interval, the value alone; where the value is missing, ``"not
    defined"``.

    Examples
    --------
    >>> interval({"share": 0.5, "low": 0.4, "high": 0.6})
    '50.0 % (40.0–60.0 %)'
    """
    value = record["kappa"] if unit == "kappa" else record["share"]
    if value is None or value != value:
        return "not defined"
    if record["low"] is None or record["low"] != record["low"]:
        return printed(float(value), unit)
    low = printed(float(record["low"]), unit).removesuffix(" %")
    return f"{printed(float(value), unit)} ({low}–{printed(float(record['high']), unit)})"


def _of(hits, n):
    """A share with its interval, for use in brackets: ``"50.0 %, 40.0–60.0 %"``."""
    return interval(wilson([hits], [n]).iloc[0]).replace(" (", ", ").rstrip(")")


def listed(names):
    """Names in a row: ``"a, b and c"``.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def collection(study):
    """From candidates to issues."""
    total = collected.funnel(study.collection).iloc[-1]
    if not total["issues"]:
        return Sentence(f"Of {total['candidates']:,} candidate threads, none is labelled.")
    used = study.collection[study.collection["issues"] > 0]
    names = {f for cell in used["frameworks"] for f in cell.split(JOIN)}
    own = collected.funnel(study.collection, "frameworks").iloc[:-1]
    first = own.loc[own["issues"].idxmax()]
    return Sentence(
        f"Of {total['candidates']:,} candidate threads, {total['threads']:,} were labelled "
        f"({share(total['kept'])}), from {used['platform'].nunique()} platforms and on "
        f"{len(names)} frameworks. They hold {total['issues']:,} issues: {total['faults']:,} "
        f"faults ({_of(total['faults'], total['issues'])}) and {total['questions']:,} "
        f"how-to questions. {proper(first['frameworks'])} "
        f"alone accounts for {share(first['issues'] / total['issues'])} of them, so what is said "
        "of all issues is to a good part said of it.")


def kinds(study):
    """Faults and questions by platform."""
    rows = [f"{r['platform']} {interval(r)}" for _, r in
            collected.kinds(study.collection).iterrows() if r["of"]]
    if len(rows) < 2:
        return Sentence("There are no two platforms to compare.")
    return Sentence(f"The share of faults is, by platform: {listed(rows)}.")


def topics(study):
    """How-to topics."""
    table = collected.topics(study.questions)
    if table.empty:
        return Sentence("There are no how-to questions.")
    first = [f"{r['topic']} ({share(r['share'])})" for _, r in table.head(3).iterrows()]
    rare = table[table["n"] < 10]
    return Sentence(f"Most asked about are {listed(first)}. {len(rare)} of {len(table)} topics "
                    f"have fewer than ten questions each, {rare['n'].sum()} together.")


def oddities(study):
    """What in the released files does not fit together."""
    some = study.oddities[study.oddities["n"] > 0]
    return Sentence(f"{len(some)} things in the released files do not fit together; the table "
                    "names each, how many threads it concerns, and what was done. None is "
                    "mended in silence.")


def rows(study):
    """Every row of every sheet has a fate."""
    counted = study.rows[~study.rows["fate"].str.startswith("left out")]["n"].sum()
    out = study.rows["n"].sum() - counted
    return Sentence(f"The sheets hold {study.rows['n'].sum():,} rows. {counted:,} of them end in "
                    f"a count, {out} in a listed exclusion with its reason.")


def rounds(study):
    """What the raters filed."""
    table = study.rounds[study.rounds["rater"].isin(["R1", "R2"])]
    if table.empty:
        return Sentence("No sheet of a single rater was filed.")
    first, last = table[table["round"] == table["round"].min()], table[
        table["round"] == table["round"].max()]
    return Sentence(
        f"In {table['round'].nunique()} rounds the two raters filed {table['issues'].sum():,} "
        f"labelled rows; {table['unpaired'].sum()} of them have no partner, because the other "
        "rater has no label in their place of the thread. The first round has "
        f"{first['undecided'].sum()} issues with an undecided label, the last "
        f"{last['undecided'].sum()}.")


def agreement(study):
    """Kappa for the symptom over the rounds, with and without what was undecided."""
    table = kappa_table(study.agreement, MEASURED, ("repaired",))
    symptom = table[(table["facet"] == "symptom") & table["kappa"].notna()]
    if symptom.empty:
        return Sentence("There is no pair of raters whose kappa for the symptom is defined.")
    whole, strict = (kappa_table(study.agreement, ["symptom"], ["repaired"], pooled=True,
                                 strict=strict).iloc[0] for strict in (False, True))
    rounds = [f"{interval(r, 'kappa')} in round {r['round']}" for r in
              (symptom.iloc[0], symptom.iloc[-1])]
    text = (f"Kappa for the symptom is {interval(whole, 'kappa')} over the {whole['n']} pairs of "
            f"all rounds that both raters decided: {listed(dict.fromkeys(rounds))} (repaired "
            "reading, pairs of one issue type).")
    if whole["dropped"]:
        text += (f" {whole['dropped']} pairs with an undecided or missing label are not in it; as "
                 f"disagreements they take kappa to {interval(strict, 'kappa')} and observed "
                 f"agreement from {share(whole['po'])} to {share(strict['po'])}.")
    return Sentence(f"{text} {once_labelled(study)}")


def once_labelled(study):
    """How many faults no kappa speaks for."""
    once = study.faults.loc[study.faults["round"] == "pilot", "n"].sum()
    if not once:
        return Sentence("No fault comes from a pilot.")
    return Sentence(f"{once} of {study.faults['n'].sum()} faults come from the pilot, which was "
                    "labelled once: no kappa speaks for them.")


def independence(study):
    """Whether the two sheets of a round were written apart, as far as spellings tell."""
    table = kappa_table(study.agreement, MEASURED, ("repaired",))
    perfect = table[(table["po"] == 1) & (table["n"] >= 20)]
    text = (f"In {len(perfect)} of {len(table)} cases (facet by round) the two sheets agree on "
            "every one of 20 pairs or more. ")
    slips = slips_by_round(study.spellings)
    if not slips["same"].sum():
        return Sentence(text + "No odd spelling stands in both sheets of a round.")
    every = slips.iloc[-1]
    text += (f"Of rater 2's {every['odd_2']} odd cells (no name of the codebook to the letter), "
             f"{every['same']} have the same text in rater 1's sheet; with each rater's spellings "
             f"of a label dealt out at random over the issues to which both gave it, "
             f"{every['expected']:.1f} would.")
    alike = without_same(study.agreement)
    if len(alike) == 3:
        whole, slip, same = (alike.iloc[i] for i in range(3))
        text += (f" Such a cell stands in {whole['issues'] - slip['issues']} of "
                 f"{whole['issues']} issues; without them kappa for the symptom is "
                 f"{interval(slip, 'kappa')}, with them {interval(whole, 'kappa')}. "
                 f"{whole['issues'] - same['issues']} issues have the same text in every cell; of "
                 f"the others kappa is {interval(same, 'kappa')}; that leaves out honest "
                 "agreement, too, since two raters who agree may well write the same.")
    return Sentence(text)


def repairs(study):
    """What mending the sheets does to kappa."""
    table = kappa_table(study.agreement, MEASURED)
    table = table[table["kappa"].notna()].astype({"kappa": float})
    if table["reading"].nunique() < 2:
        return Sentence("There is no kappa before and after repairing the sheets.")
    wide = table.pivot_table(index=["round", "facet"], columns="reading", values="kappa")
    wide["gain"] = wide["repaired"] - wide["as filed"]
    (number, facet), most = wide["gain"].idxmax(), wide.loc[wide["gain"].idxmax()]
    same = int((wide["gain"].abs() < 0.005).sum())
    if most["gain"] < 0.005:
        return Sentence(f"Repairing the sheets raises no kappa by as much as .005 ({len(wide)} "
                        "kappas, as filed and repaired).")
    alone = kappa_table(study.agreement, [facet], tuple(RULES))
    alone = alone[(alone["round"] == number) & alone["kappa"].notna()]
    why = ""
    if len(alone) and (best := alone.loc[alone["kappa"].idxmax()])["kappa"] > most["as filed"]:
        why = (f"; the rule *{best['reading']}* alone ({RULES[best['reading']]}) takes it to "
               f"{printed(best['kappa'], 'kappa')}")
    return Sentence(
        f"Repairing the sheets matters most for the {TITLES[facet]} in round {number}: kappa rises "
        f"from {printed(most['as filed'], 'kappa')} to {printed(most['repaired'], 'kappa')}{why}. "
        f"In {same} of {len(wide)} cells repairing moves kappa by less than .005.")


def label_error(study):
    """How far label error moves the headline shares."""
    table = headline_ranges(study)
    if table.empty:
        return Sentence("No pair of labels says how often labels are wrong.")
    moved = (table[["as_adjudicated", "as_raters"]].sub(table["share"], axis=0)).abs().max(axis=1)
    wider = (table["error_high"] - table["error_low"]) / (table["high"] - table["low"])
    most = moved.idxmax()
    return Sentence(
        f"Label error moves the share of {table['share_of'][most]} most, by "
        f"{100 * moved[most]:.1f} points, and makes the intervals up to "
        f"{100 * (wider.max() - 1):.0f} % wider"
        + (": little beside the chance of the draw" if (moved < (table["high"] - table["low"]) / 4
                                                        ).all() else "")
        + ", as far as the sources err apart from each other.")


def adjudication(study):
    """Whose label won where the raters differed."""
    table = study.adjudication
    kept = table[(table["label_1"] != table["label_2"])
                 & ~table["label_1"].isin([UNDECIDED, "missing"])
                 & ~table["label_2"].isin([UNDECIDED, "missing"]) & (table["facet"] == "path")]
    total = kept["n"].sum()
    if not total:
        return Sentence("The raters never differed on the whole path.")
    one = kept.loc[kept["adjudicated"] == kept["label_1"], "n"].sum()
    two = kept.loc[kept["adjudicated"] == kept["label_2"], "n"].sum()
    return Sentence(f"The raters gave two different paths {total} times. Adjudication took the "
                    f"first rater's {one} times, the second's {two} times, and neither "
                    f"{total - one - two} times.")


def changes(study):
    """What the final table changed afterwards."""
    table = study.changes[study.changes["facet"] == "path"]
    differs = table["adjudicated"] != table["final"]
    moved = table.loc[differs, "n"].sum()
    folded = table.loc[differs & table["final"].str.endswith(f"{PATH_JOIN}others"), "n"].sum()
    return Sentence(f"Of {table['n'].sum():,} issues that can be followed from their round (or the "
                    f"pilot) into the final table, {moved} have another path there"
                    + (f": in {folded} of them the symptom was folded into *others*, the rest "
                       "were labelled otherwise or renamed." if folded else "."))


def stages(study):
    """Faults by stage."""
    table = taxonomy(study.faults, "stage", study.codebook)
    if table.empty:
        return Sentence("There are no faults.")
    largest, least = table.loc[table["n"].idxmax()], table.loc[table["specific_share"].idxmin()]
    return Sentence(
        f"Most faults show in the stage {largest['stage'] or NO_NAME} "
        f"({_of(largest['n'], table['n'].sum())}). Of all faults, "
        f"{table['specific'].sum():,} ({_of(table['specific'].sum(), table['n'].sum())}) are "
        "distributed-specific. The "
        f"share that is distributed-specific is lowest in "
        f"{least['stage'] or NO_NAME} ({interval({**least, 'share': least['specific_share']})}).")


def categories(study, published):
    """How many categories of symptoms there are."""
    table = count_categories(study.faults, study.faults_as_filed)
    path = table[table["unit"] == "path"]
    raw, folded = (path[(path["labels"] == labels) & (path["rare"] == 0)].iloc[0]
                   for labels in ("as filed", "repaired"))
    hit = path[(path["categories"] == published) & (path["labels"] == "repaired")]
    text = (f"The final table holds {raw['categories']} distinct paths as filed and "
            f"{folded['categories']} once spellings are folded. Names without the catch-all "
            f"*others* and without combinations of two names are "
            f"{len(leaves(study.faults['symptom']))}.")
    if len(hit):
        r = hit.iloc[0]
        text += (f" By path, the published {published} appear when those of {r['rare']} "
                 f"faults or fewer are left out; the picture then covers {r['faults']} of "
                 f"{folded['faults']} faults.")
    return Sentence(text)


def shared(study):
    """Symptoms on both sides."""
    found = shared_symptoms(study.faults)
    if not found["others"]:
        return Sentence("Every fault is distributed-specific, so nothing can be shared.")
    return Sentence(
        f"{found['both']} of {found['symptoms']} symptoms occur on both sides. Of the "
        f"{found['others']} faults that are not distributed-specific, {found['others_shared']} "
        f"({interval(found)}) carry a symptom that distributed-specific faults carry too.")


def fixes(study):
    """How concentrated the fix patterns are."""
    every, by = coverage(study.faults, "all"), coverage(study.faults, "symptom")
    judged = by[(by["n"] >= 5) & (by["patterns"] > 0)]
    if judged.empty:
        return Sentence("No symptom has five faults or more whose fix is labelled.")
    every = every.iloc[0]
    best, worst = (judged.loc[judged["top_1_share"].idxmax()],
                   judged.loc[judged["top_1_share"].idxmin()])
    return Sentence(
        f"There are {every['patterns']} fix patterns; the three most frequent mend "
        f"{share(every['top_3_share'])} of all faults. The most frequent pattern of its own "
        f"symptom mends {by['top_1'].sum():,} of them "
        f"({_of(by['top_1'].sum(), by['n'].sum())}). Among symptoms "
        f"of five faults or more, the "
        f"first pattern mends most of {best['symptom'] or NO_NAME} ({share(best['top_1_share'])}, "
        f"{best['first']}) and least of {worst['symptom'] or NO_NAME} "
        f"({share(worst['top_1_share'])}).")


def frequent(study):
    """Up to which threshold most symptoms have a frequent fix pattern."""
    grid = [i / 100 for i in range(101)]
    parts = []
    for top, words in ((1, "one pattern"), (2, "two together"), (3, "three together")):
        table = frequent_fixes(study.faults, grid, "path", top, at_least=5)
        if not table["of"].any():
            return Sentence("No symptom has five faults or more.")
        most = table[table["most"]]["threshold"].max()
        parts.append(f"{share(most).replace('.0 %', ' %')} where {words} must reach it")
    return Sentence("Whether *most symptoms have frequent fix patterns* depends on what frequent "
                    "means. Among symptoms of five faults or more, more than half have one up to a "
                    f"threshold of {listed(parts)}.")


def system(study):
    """System-level configuration under its readings."""
    table = system_level(study.faults, study.codebook)
    if not table["of"].any():
        return Sentence("There are no faults.")
    parts = [f"{r['reading']} {interval(r)}" for _, r in table.iterrows()]
    near = [f"within {100 * margin:.0f} points of one half lies "
            + (f"the interval of {listed(table.loc[inside, 'reading'])}" if inside.any()
               else "no interval")
            for margin in MARGINS for inside in [within(table, 1 / 2, margin)]]
    return Sentence(f"The share of faults mended by system-level configuration is, by reading: "
                    f"{listed(parts)}. About half is a margin: {listed(near)}.")


def differences(study):
    """Which comparisons differ, and how strongly."""
    table = comparisons(study)
    known = table[table["p_holm"].notna()]
    clear = known[known["p_holm"] < 0.05]
    if known.empty:
        return Sentence("No two groups can be compared.")
    together = sum(t.loc[t["issues_in_thread"] > 1, "n"].sum()
                   for t in (study.faults, study.questions))
    most = known.loc[known["v_corrected"].idxmax()]
    sparse = int((known["method"] == "Monte Carlo").sum())
    return Sentence(
        f"{len(clear)} of {len(known)} comparisons differ beyond chance (Holm, 5 %). The strongest "
        f"is {most['comparison']} (V = {printed(most['v_corrected'], 'effect')}). {sparse} tables "
        "have too many small expected counts for the chi-square distribution; their p values are "
        "Monte Carlo ones, and cannot fall below one in ten thousand. The tests take issues as "
        f"independent, but {together:,} of them share their thread with another one.")


def cells(study, name):
    """Which cell of a comparison stands out most."""
    table = residuals(comparison(study, name))
    if table["residual"].isna().all():
        return Sentence(f"Of {name} no cell can stand out: there are fewer than two rows or "
                        "columns.")
    r = table.iloc[0]
    more = "more" if r["residual"] > 0 else "fewer"
    return Sentence(f"Of {name}, the cell {r['row']} × {r['column']} stands out most: "
                    f"{r['n']} observed, {r['expected']:.1f} expected if nothing depended on "
                    f"anything ({more}; adjusted residual {r['residual']:.1f}).")


def curves(tested):
    """What chance alone would give over all readings of a claim."""
    parts = []
    for claim, own in tested.groupby("claim", sort=False):
        own = own.set_index("feature")
        z, p = own.loc["mean z", "observed"], own["p"].max()
        parts.append(
            f"*{claim}*: over its {own['readings'].iloc[0]:,} readings the value lies "
            f"{'above' if z > 0 else 'below'} that of shuffled data, with a mean z of {z:.1f}; "
            f"{share(own.loc['significant', 'observed'])} of the readings are significant in that "
            f"direction (p at most {p:.3f} for each of the three features)")
    return Sentence((". ".join(parts) + ".").replace("..", ".") if parts
                    else "There is nothing to shuffle.")


def confusion(study, facet="fix_pattern"):
    """What the raters took for each other most."""
    table = confused(study, facet)
    if table.empty:
        return Sentence(f"The raters never took one {TITLES[facet]} for another.")
    r = table.iloc[0]
    both = table[((table["label_1"] == r["label_1"]) & (table["label_2"] == r["label_2"]))
                 | ((table["label_1"] == r["label_2"]) & (table["label_2"] == r["label_1"]))]
    text = (
        f"Of {table['n'].sum()} pairs with two different labels for the {TITLES[facet]}, "
        f"{both['n'].sum()} are *{r['label_1']}* against *{r['label_2']}*, either way. Over all "
        f"pairs, adjudication took rater 1's label {table['took_1'].sum()} times, rater 2's "
        f"{table['took_2'].sum()} times, and neither {table['took_neither'].sum()} times.")
    if facet == "fix_pattern":
        sides = at_system_level(table, study.codebook)
        across = table.loc[sides["label_1"] != sides["label_2"], "n"].sum()
        text += (f" In {across} of the {table['n'].sum()} one label is at system level (middle "
                 "reading) and the other is not.")
    return Sentence(text)


def round_changes(study, facet="symptom"):
    """Whether agreement changed from round to round."""
    table = changes_between(study, facet)
    known = table[table["p"].notna()]
    clear = known[known["p"] < 0.05]
    if clear.empty:
        return Sentence(f"No change of kappa for the {TITLES[facet]} from one round to the next is "
                        "beyond chance (5 %).")
    rows = [f"from round {r['rounds']} by {r['difference']:+.2f} (p = {r['p']:.3f})"
            for _, r in clear.iterrows()]
    return Sentence(f"Kappa for the {TITLES[facet]} changes beyond chance {listed(rows)}; the "
                    f"other {len(table) - len(clear)} changes are within it.")


def saturated(study):
    """When the taxonomy of symptoms stopped growing."""
    table, at = saturating(study.faults)
    if table.empty:
        return Sentence("There are no faults whose round is known.")
    last = table.iloc[-1]
    end = (f"By Guest's rule (5 % new or less) it is saturated at round {at}."
           if at else "By Guest's rule (5 % new or less) it never saturates.")
    first = table.iloc[0]
    return Sentence(f"The first batch ({first['batch']}) shows {first['new']} of the "
                    f"{last['seen']} symptoms (by path), the last one adds {last['new']}. {end}")


def precision(study):
    """What the size of the sample allows to say."""
    issues = int(study.faults["n"].sum() + study.questions["n"].sum())
    total = int(study.collection["candidates"].sum())
    small = study.faults.groupby("symptom")["n"].sum()
    if small.empty:
        return Sentence("There are no faults.")
    one = int(small.median())
    enough = (f"For a margin of 5 % at 95 % confidence, {sample_size(total):,} of {total:,} "
              "candidates would do; " if total else "The candidates are not known; ")
    return Sentence(
        f"{enough}a share of all {issues:,} issues is known to within {share(margin(issues))}. "
        f"But half of the symptoms have {one} faults or fewer: a share *within* such a symptom is "
        f"known to within {share(margin(one))} only.")


def shared_by_chance(study):
    """The same beside chance, in both directions, and how well a symptom tells the kind."""
    found, auc = shared_null(study.faults), symptom_auc(study.faults)
    if not found:
        return Sentence("There are no two kinds of faults to compare.")
    others, specific, both = found["others"], found["specific"], found["symptoms"]
    text = (f"In the other direction, {specific['observed']} of {specific['of']} "
            f"distributed-specific faults ({share(specific['observed'] / specific['of'])}) carry "
            f"a symptom of the others. Were the kinds dealt out at random, {others['mean']:.1f} "
            f"of the {others['of']} others would share theirs (p = {others['p_fewer']:.3f} for "
            f"as few as are observed), and {both['mean']:.0f} of {both['of']} symptoms would be on "
            f"both sides, not {both['observed']}: the two kinds share fewer symptoms than chance "
            "gives.")
    if auc["auc"] == auc["auc"]:
        text += (f" The symptom (by path) does tell the kind: cross-validated AUC "
                 f"{printed(auc['auc'], 'effect')} ({printed(auc['low'], 'effect')}\u2013"
                 f"{printed(auc['high'], 'effect')}).")
    return Sentence(text)


def frequent_by_chance(study):
    """Frequent fix patterns beside those of shuffled ones."""
    found = frequent_null(study.faults)
    if not found:
        return Sentence("No symptom has five faults or more.")
    return Sentence(
        f"Of {found['of']} symptoms (by path, five faults or more) {found['observed']} have three "
        f"patterns that mend half of their faults "
        f"({_of(found['observed'], found['of'])}); with fix patterns "
        f"shuffled over the faults it would be {found['mean']:.1f} ({found['null_low']:.0f} to "
        f"{found['null_high']:.0f} in 95 % of shuffles). {found['arithmetic']} of them are so "
        "small that any three patterns reach half.")


def by_framework(study):
    """What the headline claims hang on among the frameworks."""
    table, parts = composition(study), []
    for quantity in table["quantity"].unique():
        own = table[table["quantity"] == quantity]
        rest = own[(own["kind"] == "without") & own["share"].notna()]
        whole = own.loc[own["kind"] == "all", "share"]
        if rest.empty or whole.isna().all():
            continue
        row = rest.loc[(rest["share"] - whole.iloc[0]).abs().idxmax()]
        if row["low"] <= whole.iloc[0] <= row["high"]:
            continue
        name = row["sample"].removeprefix("without ")
        there = own[(own["kind"] == "framework") & (own["sample"] == name)].iloc[0]
        parts.append(f"*{quantity}* ({interval(there)} in {proper(name)}, {interval(row)} "
                     "without it)")
    if not parts:
        return Sentence("No share leaves its interval where one framework is left out.")
    return Sentence("Shares that hang on one framework: " + listed(parts) + ". Of the other "
                    "headline shares the interval holds the value of all issues whichever "
                    "framework is left out.")


def contested(study):
    """How far the share of system-level faults hangs on the level of single patterns."""
    table = one_at_a_time(study.faults, study.codebook)
    if table.empty:
        return Sentence("There are no fix patterns.")
    names, every = every_combination(study.faults, study.codebook)
    near = ((every >= 0.4) & (every <= 0.6)).mean()
    return Sentence(
        f"Moving one fix pattern to the other side takes one half out of the interval of the "
        f"middle reading for {int((~table['holds_half']).sum())} of {len(table)} patterns, and the "
        f"interval out of the 10 points around one half for {int((~table['in_margin']).sum())} of "
        f"them. The narrow and "
        f"the broad reading differ in {len(names)} patterns; over all {len(every):,} ways to "
        f"count some of them the share runs from {share(every.min())} to {share(every.max())}, "
        f"and in {share(near)} of them it is within 10 points of one half.")


def sample(study):
    """What the issues are a sample of."""
    return Sentence(
        f"The {study.faults['n'].sum() + study.questions['n'].sum():,} issues are no random draw "
        "but all that passed a filter: threads that the keywords and tags found and the authors "
        "kept. The intervals are those of a random draw of that size. They say how far a share "
        "could move if other issues of the same kind had been filed, not how far it is from "
        "that of distributed training at large.")


def newer_agreement(_study):
    """How models and the study agree, with the people's own kappa beside it."""
    table, parts = newer.agreement_beside_people(), []
    by = table.set_index(["facet", "pair"])
    for facet in ("issue_type", "stage", "symptom", "fix_pattern"):
        one, two, people = (printed(float(by.loc[(facet, pair), "kappa"]), "kappa")
                            for pair in ("M1 and study", "M2 and study", "people"))
        parts.append(f"{facet.replace('_', ' ')} {one} and {two} ({people})")
    left_out = by.loc[("fix_pattern", "M1 and study")]
    return Sentence(
        "Model-labelled: two language models labelled threads of the study anew, from passages. "
        "Kappa of each with the study's final labels, and in brackets of the study's two raters "
        f"on such threads: {listed(parts)}. What a model leaves undecided is in no kappa; of the "
        f"fix patterns that is {int(left_out['dropped'])} of "
        f"{int(left_out['dropped'] + left_out['n'])} for M1.")


def newer_shares(study):
    """What differs in newer frameworks beyond the models' error."""
    table = newer.beside(study)
    told = table[table["verdict"].isin(["more", "less"])].drop_duplicates("share_of")
    parts = [f"*{r['share_of']}* ({interval(r)} by {r['model']}, {share(r['share_study'])} in the "
             "study)" for _, r in told.iterrows()]
    refused = table.loc[table["verdict"] == "refused", "share_of"].nunique()
    return Sentence(
        "Model-labelled: threads of newer frameworks, a convenience sample found by similarity "
        "search, so that no share is an estimate of a population. Corrected for the models' error, "
        f"{len(told)} of {table['share_of'].nunique()} shares lie apart from the study's on GitHub "
        "by both models" + (f": {listed(parts)}" if parts else "") + f". {refused} are refused, "
        "since the calibration is too small.")


def newer_new(_study):
    """What newer frameworks have that the codebook lacked, and what could not be decided."""
    decided = newer.read("adjudicated", newer.NEWER)
    kinds = decided[decided["facet"] == "issue_type"]["label"].value_counts()
    out = newer.read("exclusions", newer.NEWER)["left_out_of"].value_counts()
    new = newer.new_by_framework().sort_values("adjudicated", ascending=False, kind="stable")
    parts = [f"*{r.category}* ({r.adjudicated})" for r in new.itertuples()]
    return Sentence(
        f"Model-labelled: after a third reading, by a model too, {kinds.sum()} threads of newer "
        f"frameworks hold {kinds['fault']} faults and {kinds['how-to question']} how-to questions; "
        f"the fix pattern stays undecided for {out['fix pattern']} of the faults, since "
        "passages seldom tell of a repair. Categories that the study's codebook lacks, with their "
        "issues: "
        f"{listed(parts)}.")


def newer_differences(_study):
    """Why models and study differ, as far as a reading tells."""
    table = newer.reasons_of_differences().set_index("reason")["all"]
    parts = [f"{reason} ({n})" for reason, n in table.items()]
    return Sentence(
        f"Model-labelled: of {table.sum()} labels that both models give alike and the study "
        f"otherwise, drawn by seed, a third model read the passages again and gave as reason: "
        f"{listed(parts)}.")
