"""The figures show what their data say, legibly, whatever the study."""

import dataclasses
import itertools
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from canvas import corners, faults_of, overlap, texts
from study.decide.multiverse import multiverse, read_in_several_ways
from study.draw import gallery, style
from study.draw.agreement import kappa_by_round, kappa_repaired
from study.draw.categories import symptom_categories
from study.draw.collection import collection_funnel, how_to_topics
from study.draw.contested import contested_patterns
from study.draw.disagreement import confusions, disagreements
from study.draw.fixes import fix_coverage, symptom_by_fix
from study.draw.frameworks import frameworks_side_by_side
from study.draw.levels import frequent_thresholds, system_level_shares
from study.draw.readings import readings_chart
from study.draw.symptoms import specific_shares
from study.draw.taxonomy import taxonomy_icicle
from study.measure.fixes import matrix
from study.measure.kappa import both_ways, kappa_table
from study.read.codebook import load_codebook

NAMES = [entry.name for entry in gallery.FIGURES]


def panel(picture, label):
    return next(a for a in picture.figure.axes if a.get_label() == label)


def points(axes):
    """Horizontal places of the marks in axes, in drawing order."""
    return [float(line.get_xdata()[0]) for line in axes.lines
            if line.get_marker() not in ("None", "", None)]


def spans(axes):
    """The intervals drawn in axes, in drawing order."""
    return [tuple(map(float, line.get_xdata())) for line in axes.lines
            if line.get_marker() in ("None", "", None) and line.get_linestyle() == "-"
            and len(line.get_xdata()) == 2 and line.get_ydata()[0] == line.get_ydata()[1]]


# --- legible -------------------------------------------------------------------------------

def test_the_measure_of_overlaps_sees_what_it_should():
    figure, paper = style.page(3, 1)
    paper.text(0.1, 0.5, "one word")
    paper.text(0.3, 0.5, "another")
    paper.text(2.9, 0.5, "outside")
    assert faults_of(figure) == ["'outside' leaves the canvas", "'one word' runs into 'another'"]
    flat, turned = [(0, 0), (4, 0), (4, 1), (0, 1)], [(3, 3), (6, 6), (5, 7), (2, 4)]
    assert not overlap(flat, turned)
    assert overlap(flat, [(3, 0), (6, 3), (5, 4), (2, 1)])
    assert len(corners(texts(figure)[0])) == 4


def test_shares_are_told_apart_by_lightness_and_counts_too():
    def lightness(colour):
        red, green, blue = to_rgb(colour)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    for scale in (style.SHARE, style.COUNT):
        steps = [lightness(scale(i / 20)) for i in range(21)]
        assert all(a > b for a, b in pairwise(steps))
    assert style.on("#175A94") == "white"
    assert style.on(style.SHARE(1.0)) == style.INK


# --- true ----------------------------------------------------------------------------------

def test_funnel_bars_are_the_counts(study):
    picture = collection_funnel(study.collection)
    rows = picture.data[picture.data["frameworks"] != "all"]
    for step in ("candidates", "threads", "issues", "faults", "questions"):
        assert [bar.get_width() for bar in panel(picture, step).patches] == rows[step].tolist()
    shown = [t.get_text() for t in texts(picture.figure)]
    for value in picture.data.iloc[-1][["candidates", "issues", "questions"]]:
        assert f"{value:,}" in shown


def test_one_scale_for_all_bars_of_the_funnel(study):
    picture = collection_funnel(study.collection)
    per_issue = set()
    for step in ("candidates", "threads", "issues", "faults", "questions"):
        axes = panel(picture, step)
        per_issue.add(round(axes.get_position().width * 7 / axes.get_xlim()[1], 6))
    assert len(per_issue) == 1


def test_funnel_names_the_platform_whose_candidates_go_by_tag(study):
    picture = collection_funnel(study.collection)
    assert "On Stack Overflow, candidates are counted by tag" in picture.caption
    one = study.collection[study.collection["platform"] == "GitHub"]
    assert "by tag" not in collection_funnel(one).caption


def test_topic_bars_and_their_parts(study):
    picture = how_to_topics(study.questions)
    bars = panel(picture, "topics").patches
    assert [b.get_width() for b in bars] == pytest.approx(picture.data["share"].tolist())
    heads = picture.data[picture.data["subtopic"] == ""]
    assert spans(panel(picture, "topics")) == list(zip(heads["low"], heads["high"], strict=True))
    assert heads["n"].sum() == study.questions["n"].sum()
    for topic, own in picture.data.groupby("topic"):
        parts = own[own["subtopic"] != ""]
        assert parts.empty or parts["n"].sum() == own["n"].iloc[0], topic
    assert {b.get_x() for b in bars} == {0}


def test_forest_plot_shows_share_and_interval(study):
    picture = specific_shares(study.faults)
    axes = panel(picture, "forest")
    assert points(axes) == picture.data["share"].tolist()
    assert spans(axes) == list(zip(picture.data["low"], picture.data["high"], strict=True))
    row = picture.data.set_index("symptom").loc["tensor mismatch"]
    assert (row["specific"], row["n"]) == (9, 25)
    assert (row["low"], row["high"]) == pytest.approx((0.20247, 0.55482), abs=1e-5)  # R binom


def test_icicle_boxes_are_as_high_as_their_faults_are_many(study):
    picture = taxonomy_icicle(study.faults, study.codebook)
    boxes = [p for a in picture.figure.axes for p in a.patches if p.get_gid()]
    shown = "\n".join(t.get_text() for t in texts(picture.figure))
    per_fault = {}
    for level in ("stage", "group", "symptom"):
        own = picture.data[picture.data["level"] == level]
        for box in (b for b in boxes if b.get_gid().startswith(level)):
            row = own.loc[int(box.get_gid().split("-")[1])]
            if level != "symptom" or f"≤ {row['n']}" not in shown:
                per_fault.setdefault(round(box.get_height() / row["n"], 9), []).append(row)
                assert box.get_facecolor()[:3] == style.SHARE(row["specific_share"])[:3]
    assert len(per_fault) == 1
    leaves = [b for b in boxes if b.get_gid().startswith("symptom")]
    assert sum(b.get_height() for b in leaves) / next(iter(per_fault)) == pytest.approx(637)
    assert picture.data.groupby("level")["n"].sum().tolist() == [637, 637, 637]


def test_icicle_stands_in_the_order_of_the_codebook(study):
    data = taxonomy_icicle(study.faults, study.codebook).data
    assert data.loc[data["level"] == "stage", "stage"].tolist() == load_codebook().names("stage")


def test_heat_map_cells_are_the_counts(study):
    picture = symptom_by_fix(study.faults)
    cells = matrix(study.faults)
    shown = [int(t.get_text().replace(",", "")) for t in panel(picture, "heat map").texts]
    table = picture.data.pivot_table(index="symptom", columns="fix_pattern", values="n",
                                     aggfunc="sum")
    assert sum(shown) == 2 * cells.to_numpy().sum() == 2 * picture.data["n"].sum()
    assert table.loc["checkpoint unfunctioning", "save single-device model/weights only"] == 17
    assert len(table.columns) <= 18


def test_heat_map_never_shows_more_patterns_than_asked_for(study):
    for most in (1, 5, 500):
        found = symptom_by_fix(study.faults, most).data["fix_pattern"].unique()
        assert len(set(found) - {"(rarer patterns)"}) <= most


def test_coverage_bars_end_at_the_shares(study):
    picture = fix_coverage(study.faults)
    bars = panel(picture, "coverage").patches
    for i, row in enumerate(picture.data.itertuples()):
        ends = [b.get_x() + b.get_width() for b in bars[3 * i:3 * i + 3]]
        assert ends == pytest.approx([row.top_1_share, row.top_2_share, row.top_3_share])
    few = [t.get_text() for t in texts(picture.figure)].count("†")
    assert few == (picture.data["n"] <= 6).sum() == 10
    assert picture.data["n"].iloc[:-1].is_monotonic_decreasing
    assert picture.data["n"].iloc[-1] == picture.data["n"].iloc[:-1].sum()


def test_threshold_curves(study):
    picture = frequent_thresholds(study.faults)
    axes = panel(picture, "thresholds")
    curves = [line for line in axes.lines if line.get_gid()]
    for top, line in enumerate(curves, 1):
        own = picture.data[picture.data["top"] == top]
        assert list(line.get_ydata()) == own["share"].tolist()
        assert own["share"].is_monotonic_decreasing
        assert own["share"].iloc[0] == 1
        assert (own["of"] == 29).all()  # symptoms by path of five faults or more, as the claim
    assert points(axes) == [0.28, 0.46, 0.60]
    stated = picture.data.set_index(["top", "threshold"]).loc[(3, 0.5)]
    assert stated["n"] == 25


def test_what_is_too_rare_to_judge_shares_a_row(study):
    shares = specific_shares(study.faults).data
    assert shares["n"].sum() == 637
    assert shares["symptom"].iloc[-1] == "(7 rarer symptoms)"
    assert (shares["n"] >= 5).all()
    assert shares["share"].iloc[:-1].is_monotonic_decreasing
    topics = how_to_topics(study.questions).data
    parts = topics[topics["subtopic"] != ""]
    whole = topics[(topics["subtopic"] == "") & topics["topic"].isin(parts["topic"])]
    assert parts.groupby("topic")["n"].sum().to_dict() == whole.set_index("topic")["n"].to_dict()
    assert parts.loc[parts["topic"] == "function support", ["subtopic", "n"]].to_numpy().tolist(
        ) == [["(none)", 20], ["(4 rarer ones)", 5]]


def test_readings_marks_stand_at_the_values_of_switched_options(study):
    claim = read_in_several_ways()["system-level"]
    every = multiverse(study, [claim])
    picture = readings_chart(every, claim)
    data, axes = picture.data, panel(picture, "readings")
    marks = [line for line in axes.lines if line.get_gid()]
    assert [line.get_xdata()[0] for line in marks] == data["alone"].tolist()
    assert [line.get_gid() == "holds" for line in marks] == data["agrees"].tolist()
    alone = data.set_index("option")["alone"].round(3).to_dict()
    assert (alone["narrow"], alone["middle"], alone["broad"]) == (0.32, 0.527, 0.642)
    for r in data.itertuples():
        own = every.loc[every[r.decision] == r.option, "value"]
        assert (r.readings, r.smallest, r.largest) == (len(own), own.min(), own.max())
        assert r.median == own.median()
    assert "turns the answer at system level narrow (32.0 %)" in picture.alt


def test_system_level_marks(study):
    picture = system_level_shares(study.faults, study.codebook)
    axes = panel(picture, "shares")
    assert points(axes) == picture.data["share"].tolist()
    assert spans(axes) == list(zip(picture.data["low"], picture.data["high"], strict=True))
    whole = picture.data[picture.data["stage"] == "all faults"]
    parts = picture.data[picture.data["stage"] != "all faults"]
    assert whole["n"].tolist() == parts.groupby("reading", sort=False)["n"].sum().tolist()


def test_frameworks_marks_and_their_counts(study):
    picture = frameworks_side_by_side(study.faults, study.questions, study.codebook)
    for name in ("horovod", "tensorflow", "pytorch", "keras"):
        own = picture.data[picture.data["framework"] == name]
        axes = panel(picture, name)
        assert points(axes) == own["share"].tolist()
        assert [t.get_text() for t in axes.texts] == [f"{n:,}" for n in own["n"]]
    whole = picture.data[picture.data["framework"] == "all"].groupby("kind")["n"].sum()
    assert whole.to_dict() == {"fault": 637, "question": 494}


def test_category_marks_stand_at_their_numbers(study):
    picture = symptom_categories(study.faults, study.faults_as_filed, 30)
    marks = panel(picture, "categories").texts
    assert {int(t.get_position()[0]) for t in marks} == set(picture.data["categories"])
    met = [t.get_text() for t in marks if t.get_color() == "white"]
    assert met == ["0", "2"]
    assert all(t.get_position()[0] == 30 for t in marks if t.get_color() == "white")
    assert "labels repaired, names in their stage and group, at 2." in picture.alt


def test_categories_without_a_published_number_have_no_line(study):
    picture = symptom_categories(study.faults, study.faults_as_filed)
    assert "published" not in " ".join([picture.alt, picture.caption, *picture.data.columns,
                                        *(t.get_text() for t in texts(picture.figure))])


def test_kappa_marks(study):
    table = both_ways(study.agreement)
    picture = kappa_by_round(table)
    at = {tuple(line.get_gid().split("|")): float(line.get_ydata()[0])
          for axes in picture.figure.axes for line in axes.lines if line.get_gid()}
    assert at == {(r.facet, r.round, r.pairs): r.kappa
                  for r in table.dropna(subset=["kappa"]).itertuples()}
    assert table["low"].isna().any() == ("without a line has no interval" in picture.caption)


def test_dumbbells_join_filed_and_repaired(study):
    picture = kappa_repaired(kappa_table(study.agreement))
    assert len(picture.data) == 45
    moved = picture.data[(picture.data["change"].abs() >= 0.005)]
    assert sorted(spans(panel(picture, "kappa"))) == sorted(
        zip(moved["as_filed"], moved["repaired"], strict=True))
    assert f"other {45 - len(moved)} of 45" in picture.caption


def test_disagreements_are_a_list_of_two_labels_a_row(study, lines):
    picture = disagreements(study.agreement)
    told = {t.get_gid(): int(t.get_text()) for t in panel(picture, "pairs").texts}
    assert told["fix communication configuration / fix network setting"] == 17
    differ = [r for r in lines("agreement") if (r["facet"], r["reading"], r["scope"]) == (
        "fix_pattern", "repaired", "agreed") and r["label_1"] != r["label_2"]
        and not {"undecided", "missing"} & {r["label_1"], r["label_2"]}]
    assert sum(told.values()) == sum(int(r["n"]) for r in differ) == 28
    assert not any("…" in label or ";" in label for label in told)


def test_a_long_list_of_disagreements_is_folded():
    letters = [chr(97 + i) for i in range(15)]
    group = {"round": "2", "facet": "stage", "raters": ["Ann", "Ben"], "categories": [],
             "confusions": [{"category_1": c, "category_2": c.upper(), "n_12": i, "n_21": 1}
                            for i, c in enumerate(letters)]}
    told = {t.get_gid(): int(t.get_text()) for t in panel(confusions(group), "pairs").texts}
    assert len(told) == 12
    assert told["o / O"] == 15
    assert told["(4 other pairs of labels)"] == 1 + 2 + 3 + 4


# --- whatever the study --------------------------------------------------------------------

def _long(name):
    return f"{name} of an unusually long name that nobody would read aloud_in_one_breath" * 2


def _many(faults, n):
    return pd.concat([faults.head(4).assign(symptom=f"symptom {i}", n=1 + i % 5)
                      for i in range(n)], ignore_index=True)


ODD = {
    "one stage": lambda s: {"faults": s.faults[s.faults["stage"] == "communication setup"]},
    "one fault": lambda s: {"faults": s.faults.head(1).assign(n=1)},
    "no question": lambda s: {"questions": s.questions.head(0)},
    "no fault": lambda s: {"faults": s.faults.head(0), "faults_as_filed": s.faults.head(0)},
    "nothing": lambda s: {f.name: getattr(s, f.name).head(0) for f in dataclasses.fields(s)
                          if f.name != "codebook"},
    "long names": lambda s: {
        "faults": s.faults.assign(**{c: s.faults[c].map(_long) for c in
                                     ("stage", "group", "symptom", "frameworks")}),
        "questions": s.questions.assign(topic=s.questions["topic"].map(_long),
                                        frameworks=s.questions["frameworks"].map(_long)),
        "collection": s.collection.assign(platform=s.collection["platform"].map(_long),
                                          frameworks=s.collection["frameworks"].map(_long))},
    "signs": lambda s: {"faults": s.faults.assign(
        symptom=s.faults["symptom"] + r" $x_1 & <b> \ %")},
    "blank labels": lambda s: {"faults": s.faults.assign(stage="", group="", symptom="",
                                                         fix_patterns="")},
    "some blank fixes": lambda s: {"faults": s.faults.assign(fix_patterns=s.faults[
        "fix_patterns"].where(s.faults["symptom"] != "hang", ""))},
    "many symptoms": lambda s: {"faults": _many(s.faults, 90)},
    "a tiny stage": lambda s: {"faults": pd.concat(
        [s.faults, s.faults.head(1).assign(stage="another stage", n=1)])},
    "many frameworks": lambda s: {"faults": s.faults.assign(
        frameworks=[f"framework {i % 12}" for i in range(len(s.faults))])},
    "one framework": lambda s: {
        "faults": s.faults[s.faults["frameworks"] == "horovod"],
        "questions": s.questions[s.questions["frameworks"] == "horovod"],
        "collection": s.collection[s.collection["frameworks"] == "horovod"]},
    "one round": lambda s: {"agreement": s.agreement[s.agreement["round"] == "1"]},
    "total agreement on one label": lambda s: {"agreement": s.agreement[
        s.agreement["label_1"].eq("1") & s.agreement["label_2"].eq("1")]},
    "disagreement only": lambda s: {"agreement": s.agreement[
        s.agreement["label_1"] != s.agreement["label_2"]]},
}


# What each figure is drawn from: the others are the same in an odd study.
DRAWN_FROM = {name: {"faults"} for name in NAMES} | {
    "collection_funnel": {"collection"}, "how_to_topics": {"questions"},
    "kappa_by_round": {"agreement"}, "kappa_repaired": {"agreement"},
    "headline_by_framework": {"faults", "questions", "collection"},
    "frameworks": {"faults", "questions"}, "symptom_categories": {"faults", "faults_as_filed"},
    "disagreement_fix_pattern": {"agreement"},
    "readings_agreement": {"agreement"}}
# Every reading of a claim takes a second: they are drawn for a few odd studies only.
WITH_READINGS = {"one fault", "no fault", "nothing", "blank labels", "one round"}


@pytest.mark.parametrize("kind", ODD)
def test_odd_studies_are_drawn_legibly(study, kind):
    changed = ODD[kind](study)
    odd = dataclasses.replace(study, **changed)
    for name in NAMES:
        if DRAWN_FROM[name].isdisjoint(changed) or (
                name.startswith("readings_") and kind not in WITH_READINGS):
            continue
        picture = gallery.draw(name, odd)
        assert faults_of(picture.figure) == [], name
        for text in (picture.alt, picture.caption):
            assert text
            assert "nan" not in text.lower().replace("(", " ").replace("%", " ").split()


def test_signs_in_names_come_through(study):
    picture = specific_shares(study.faults.assign(symptom="a & <b> $x_1$"))
    assert "a & <b> $x_1$" in [t.get_text() for t in texts(picture.figure)]
    svg = ET.fromstring(picture.svg())
    assert picture.alt in [e.text for e in svg if e.tag.endswith("desc")]


def test_a_study_without_questions_says_so(study):
    picture = how_to_topics(study.questions.head(0))
    assert picture.alt == ("There are no how-to questions in these data, so there is nothing to "
                           "draw.")


def test_settings_of_the_user_change_nothing(study):
    before = specific_shares(study.faults).svg()
    with matplotlib.rc_context({"font.size": 20, "font.family": "serif", "axes.grid": True,
                                "lines.linewidth": 9, "svg.hashsalt": "x"}):
        assert specific_shares(study.faults).svg() == before
        assert matplotlib.rcParams["font.size"] == 20


# --- text ----------------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "width", "lines", "wrapped"), [
    ("", 1, 2, ""),
    ("hang", 1, 2, "hang"),
    ("unexpected intermediate result", 0.9, 2, "unexpected\nintermediate…"),
    ("unexpected intermediate result", 1.2, 2, "unexpected\nintermediate result"),
    ("supercalifragilistic", 0.5, 1, "superca…"),
])
def test_wrap(text, width, lines, wrapped):
    assert style.wrap(text, width, lines=lines) == wrapped


@pytest.mark.parametrize("text", ["a b c d e f g h", "x" * 200, "long words everywhere always",
                                  "one " + "y" * 90 + " two"])
@pytest.mark.parametrize("width", [0.3, 0.7, 2.0])
@pytest.mark.parametrize("lines", [1, 2, 3])
def test_wrapped_lines_fit(text, width, lines):
    wrapped = style.wrap(text, width, lines=lines).split("\n")
    assert len(wrapped) <= lines
    assert all(style.text_width(line) <= width for line in wrapped)
    assert "".join(wrapped).rstrip("…").replace(" ", "") in text.replace(" ", "")


@pytest.mark.parametrize(("places", "result"), [
    ([], []), ([5.0], [5.0]), ([0.0, 0.0], [0.0, 1.0]), ([9.9, 10.0], [9.0, 10.0]),
    ([1.0, 1.1, 8.0], [0.55, 1.55, 8.0]),
])
def test_spread(places, result):
    assert style.spread(places, 1.0, 0.0, 10.0) == pytest.approx(result)


@pytest.mark.parametrize(("share", "text"), [(0, "0%"), (0.004, "<1%"), (0.005, "0%"), (0.5, "50%"),
                                             (0.997, ">99%"), (1, "100%")])
def test_percent(share, text):
    assert style.percent(share) == text


def test_the_letters_are_those_that_come_with_matplotlib():
    from matplotlib import font_manager, get_data_path
    for weight in ("normal", "bold"):
        found = font_manager.findfont(font_manager.FontProperties(family=style.FONT, weight=weight))
        assert Path(found).resolve().is_relative_to(Path(get_data_path()).resolve())


def test_contested_patterns_are_counted_apart_and_together(study):
    data = contested_patterns(study.faults, study.codebook).data
    sets = study.faults["fix_patterns"].str.split(";").map(set)
    middle = study.codebook.system_level("middle")
    moved = data[data["part"] == "one pattern"]
    for row in moved.itertuples():
        counted = middle - {row.fix_pattern} if row.counted == "yes" else middle | {row.fix_pattern}
        assert row.n == study.faults["n"][[bool(s & counted) for s in sets]].sum()
    assert ((moved["low"] > 0.5) | (moved["high"] < 0.5) | (moved["low"] < 0.4)
            | (moved["high"] > 0.6)).all()
    bars = data[data["part"] == "combinations"]
    open_ = (study.codebook.system_level("broad") - study.codebook.system_level("narrow")) & set(
        study.faults["fix_patterns"].str.split(";").explode())
    assert bars["n"].sum() == bars["of"].iloc[0] == 2 ** len(open_)
    shares = [study.faults["n"][[bool(s & (study.codebook.system_level("narrow") | set(some)))
                                 for s in sets]].sum() / 637
              for k in (0, 1) for some in itertools.combinations(sorted(open_), k)]
    for share in shares:  # the ways that are few enough to count here have a bar each
        assert ((bars["low"] - 1e-9 <= share) & (share < bars["high"] + 1e-9)).any()


def test_bars_of_combinations_are_as_high_as_there_are_combinations(study):
    picture = contested_patterns(study.faults, study.codebook)
    axes = next(a for a in picture.figure.axes if a.get_label() == "combinations")
    heights = np.array([-b.get_height() for b in axes.patches if b.get_width() < 0.0099])
    bars = picture.data[picture.data["part"] == "combinations"]["n"].to_numpy()
    assert heights / heights.max() == pytest.approx(bars / bars.max())
