"""Picture of model-labelled shares of newer frameworks beside the study's."""

from study.draw.picture import Picture, nothing
from study.draw.rowchart import RowChart, interval
from study.draw.style import BLUE, DOUBLE, GREEN, ORANGE, listing, look, percent

NAME = "model_labelled_newer_frameworks"
TITLE = "Newer frameworks, model-labelled, beside the study"


def newer_frameworks(table):
    """Corrected shares by two model raters, and the study's share.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``measure.newer.beside`` returns it; refused shares are left out.

    Returns
    -------
    Picture
    """
    data = table[table["verdict"] != "refused"].reset_index(drop=True)
    if data.empty:
        return nothing(NAME, TITLE, "corrected shares", data)
    names, models = (list(dict.fromkeys(data[c])) for c in ("share_of", "model"))
    with look(NAME):
        chart = RowChart(names, TITLE, DOUBLE, header=1, axis=2, label_share=0.36,
                         gaps=range(1, len(names)))
        axes = chart.share_panel(chart.left, chart.right - 0.25, "shares", upper=1.0,
                                 header="model-labelled and corrected (filled: "
                                 "M1 blue, M2 green), study on GitHub (hollow)",
                                 axis_title="share, with 95 % interval")
        for name, y in zip(names, chart.y, strict=True):
            own = data[data["share_of"] == name]
            first = own.iloc[0]
            interval(axes, first.share_study, first.low_study, first.high_study, y + 0.05, ORANGE,
                     hollow=True)
            for row, up, color in zip(own.itertuples(), (0, -0.05), (BLUE, GREEN), strict=False):
                interval(axes, row.share, row.low, row.high, y + up, color)
        figure = chart.figure
    differing = data[data["verdict"].isin(["more", "less"])].drop_duplicates("share_of")
    caption = ("Model-labelled, a convenience sample: threads of newer frameworks labelled by two "
               f"language models ({listing(models)}), shares corrected by prediction-powered "
               "inference with 95 % intervals that hold the models' error as it is on threads of "
               "the study. Hollow: the study's issues on GitHub, labelled by people, with Wilson's "
               "intervals. These shares are no estimates of a population.")
    alt = ("Dot plot of model-labelled shares. Apart from the study's by both models: "
           + (listing(f"{r.share_of} ({r.verdict}; {percent(r.share)} against "
                      f"{percent(r.share_study)})" for r in differing.itertuples())
              if len(differing) else "none") + ".")
    return Picture(NAME, TITLE, figure, data, caption, alt)
