"""What the tables and figures say, in sentences whose every number is computed."""

from study.decide.claims import printed
from study.measure import collection as collected
from study.measure.contrasts import comparison, comparisons, residuals
from study.measure.fixes import coverage, frequent_fixes, system_level
from study.measure.kappa import kappa_table
from study.measure.precision import margin, sample_size
from study.measure.rounds_agreement import changes_between, confused, saturating
from study.measure.symptoms import categories as count_categories
from study.measure.symptoms import shared_symptoms, taxonomy
from study.read.codebook import TITLES, UNDECIDED
from study.read.repair import RULES
from study.tabulate.rounds import MEASURED

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
    own = collected.funnel(study.collection, "frameworks").iloc[:-1]
    first = own.loc[own["issues"].idxmax()]
    return Sentence(
        f"Of {total['candidates']:,} candidate threads, {total['threads']:,} were labelled "
        f"({share(total['kept'])}). They hold {total['issues']:,} issues: {total['faults']:,} "
        f"faults and {total['questions']:,} how-to questions. {first['frameworks'].capitalize()} "
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
        "rater saw fewer issues in the thread. The first round has "
        f"{first['undecided'].sum()} issues with an undecided label, the last "
        f"{last['undecided'].sum()}.")


def agreement(study):
    """Kappa for the symptom over the rounds, and where it is suspiciously perfect."""
    table = kappa_table(study.agreement, MEASURED, ("repaired",))
    symptom = table[(table["facet"] == "symptom") & table["kappa"].notna()]
    if symptom.empty:
        return Sentence("There is no pair of raters whose kappa for the symptom is defined.")
    first, last = symptom.iloc[0], symptom.iloc[-1]
    perfect = table[(table["po"] == 1) & (table["n"] >= 20)]
    most = perfect["round"].value_counts()
    text = (f"Kappa for the symptom is {interval(first, 'kappa')} in round {first['round']} and "
            f"{printed(float(last['kappa']), 'kappa')} in round {last['round']} (repaired reading, "
            "pairs of one issue type).")
    if len(most):
        text += (f" In {len(perfect)} of {len(table)} cells the two sheets agree on every one of "
                 f"20 pairs or more, {most.iloc[0]} of them in round {most.index[0]}. Two "
                 "people who work apart rarely do; those sheets may have been talked over before "
                 "they were saved, and their kappa should be read with that in mind.")
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
    moved = table.loc[table["adjudicated"] != table["final"], "n"].sum()
    return Sentence(f"Of {table['n'].sum():,} issues that can be followed from their round (or the "
                    f"pilot) into the final table, {moved} have another path there: labels were "
                    "still changed after adjudication.")


def stages(study):
    """Faults by stage."""
    table = taxonomy(study.faults, "stage", study.codebook)
    if table.empty:
        return Sentence("There are no faults.")
    largest, least = table.loc[table["n"].idxmax()], table.loc[table["specific_share"].idxmin()]
    return Sentence(
        f"Most faults show in the stage {largest['stage'] or NO_NAME} "
        f"({share(largest['share'])}). The share that is distributed-specific is lowest in "
        f"{least['stage'] or NO_NAME} ({interval({**least, 'share': least['specific_share']})}).")


def categories(study, published):
    """How many categories of symptoms there are."""
    table = count_categories(study.faults, study.faults_as_filed)
    raw = table[(table["labels"] == "as filed") & (table["unit"] == "path") & (table["rare"] == 0)]
    folded = table[(table["labels"] == "repaired") & (table["unit"] == "path")
                   & (table["rare"] == 0)]
    hit = table[table["categories"] == published]
    first = hit[hit["labels"] == "repaired"].sort_values("rare").head(1)
    text = (f"The final table holds {raw['categories'].iloc[0]} distinct paths as filed and "
            f"{folded['categories'].iloc[0]} once spellings are folded.")
    if len(first):
        r = first.iloc[0]
        text += (f" The published {published} appear when paths of {r['rare']} faults or fewer are "
                 f"left out; the picture then covers {r['faults']} of {folded['faults'].iloc[0]} "
                 f"faults. {len(table) - len(hit)} of {len(table)} ways of counting give another "
                 "number.")
    return Sentence(text)


def shared(study):
    """Symptoms on both sides."""
    found = shared_symptoms(study.faults)
    if not found["others"]:
        return Sentence("Every fault is distributed-specific, so nothing can be shared.")
    return Sentence(
        f"{found['both']} of {found['symptoms']} symptoms occur on both sides. Of the "
        f"{found['others']} faults that are not distributed-specific, {found['others_shared']} "
        f"({interval(found)}) carry a symptom that distributed-specific faults carry too: the "
        "symptom alone does not tell which kind it is.")


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
        f"{share(every['top_3_share'])} of all faults. Among symptoms of five faults or more, the "
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
    return Sentence(f"The share of faults mended by system-level configuration is, by reading: "
                    f"{listed(parts)}.")


def differences(study):
    """Which comparisons differ, and how strongly."""
    table = comparisons(study)
    known = table[table["p_holm"].notna()]
    clear = known[known["p_holm"] < 0.05]
    if known.empty:
        return Sentence("No two groups can be compared.")
    most = known.loc[known["v_corrected"].idxmax()]
    sparse = int((known["method"] == "Monte Carlo").sum())
    return Sentence(
        f"{len(clear)} of {len(known)} comparisons differ beyond chance (Holm, 5 %). The strongest "
        f"is {most['comparison']} (V = {printed(most['v_corrected'], 'effect')}). {sparse} tables "
        "have too many small expected counts for the chi-square distribution; their p values are "
        "Monte Carlo ones, and cannot fall below one in ten thousand.")


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


def robustness(summary):
    """What the multiverse says of the claims."""
    parts = [f"*{r['claim']}* holds in {share(r['share'])} of {r['universes']:,} readings and "
             f"hangs most on *{r['hangs_on']}*" for _, r in summary.iterrows()]
    return Sentence("; ".join(parts) + ".")



def confusion(study, facet="fix_pattern"):
    """What the raters took for each other most."""
    table = confused(study, facet)
    if table.empty:
        return Sentence(f"The raters never took one {TITLES[facet]} for another.")
    r = table.iloc[0]
    both = table[((table["label_1"] == r["label_1"]) & (table["label_2"] == r["label_2"]))
                 | ((table["label_1"] == r["label_2"]) & (table["label_2"] == r["label_1"]))]
    return Sentence(
        f"Of {table['n'].sum()} pairs with two different labels for the {TITLES[facet]}, "
        f"{both['n'].sum()} are *{r['label_1']}* against *{r['label_2']}*: the two names are hard "
        f"to tell apart. Over all pairs, adjudication took the first rater's label "
        f"{table['first'].sum()} times, the second's {table['second'].sum()} times, and neither "
        f"{table['neither'].sum()} times.")


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
