"""Label in a notebook: one thread at a time, saved after each answer."""

import csv
import io
from html import escape
from pathlib import Path

from study.base.errors import StudyError
from study.base.files import publish
from study.base.paths import shown
from study.base.words import fold, guarded, unguarded
from study.extend.grid import csv_sheet
from study.extend.lists import lists
from study.read.codebook import FACETS
from study.read.form import TITLES, idle, needed
from study.read.sheets import read_sheet


class Notebook:
    """The answers of one rater, kept in a csv sheet of the usual form.

    Parameters
    ----------
    path : path-like
        The sheet; it is made where absent, and taken up again where it is there.
    tasks : list of Task
    codebook : Codebook

    Attributes
    ----------
    at : int
        Position of the thread that is shown; at the beginning the first without issue type.
    """

    def __init__(self, path, tasks, codebook):
        self.path, self.tasks, self.codebook = Path(path), list(tasks), codebook
        if not self.tasks:
            raise StudyError(f"{shown(self.path)}: no thread to label")
        if not self.path.exists():
            publish(self.path, csv_sheet(self.tasks))
        sheet = read_sheet(self.path, expected=list(TITLES.values()))
        at = {name: sheet.column(title) for name, title in TITLES.items()}
        self.rows = [{n: unguarded(cells[i]) for n, i in at.items()} for _, cells in sheet.rows]
        if [r["item"] for r in self.rows if r["item"]] != [t.thread for t in self.tasks]:
            raise StudyError(f"{shown(self.path)}: the sheet of other threads; give another file")
        self.lists = lists(codebook)
        open_ = (i for i, row in enumerate(self.rows) if not row["issue_type"])
        self.at = next(open_, 0)

    @property
    def row(self):
        """Cells of the row that is shown, by column name."""
        return self.rows[self.at]

    def choices(self, facet):
        """Labels to choose from, given what was chosen before; none where the facet is idle."""
        row = self.row
        if facet in idle(row):
            return []
        key = {"subtopic": f"subtopic|{row['topic']}", "group": f"group|{row['stage']}",
               "symptom": f"symptom|{row['stage']}|{row['group']}"}.get(facet, facet)
        return [label for label in self.lists.get(key, []) if label]

    def answer(self, name, value):
        """Take one answer and save: nothing is lost when the kernel dies.

        Parameters
        ----------
        name : str
            A facet, ``note`` or ``decided_at``.
        value : str
            ``""`` takes the answer back.
        """
        if name not in (*FACETS, "note", "decided_at"):
            raise StudyError(f"no column {name!r} to fill in")
        self.row[name] = value
        # A choice that what stands before it no longer allows is taken back with it.
        for facet in FACETS:
            if facet in idle(self.row) or (
                    facet in ("subtopic", "group", "symptom") and facet != name
                    and self.row[facet] and self.row[facet] not in self.choices(facet)
                    and not fold(self.row[facet]).startswith("new:")):
                self.row[facet] = ""
        self.save()

    def move(self, steps):
        """Go to another row; stays inside the sheet."""
        self.at = max(0, min(len(self.rows) - 1, self.at + steps))

    def another(self):
        """Add a row for a further issue of the thread, and go there."""
        self.rows.insert(self.at + 1, dict.fromkeys(TITLES, ""))
        self.at += 1
        self.save()

    def shown_task(self):
        """The thread the row belongs to."""
        item = next(r["item"] for r in reversed(self.rows[:self.at + 1]) if r["item"])
        return next(t for t in self.tasks if t.thread == item)

    def due(self, row=None):
        """Facets that still lack an answer, of the row that is shown or of another."""
        row = self.row if row is None else row
        return [f for f in ("issue_type", *needed(row, self.codebook)) if not row[f]]

    def done(self):
        """How many rows have all their labels."""
        return sum(not self.due(row) for row in self.rows)

    def save(self):
        """Write the sheet, whole or not at all."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(TITLES.values())
        writer.writerows([guarded(row[n]) for n in TITLES] for row in self.rows)
        publish(self.path, out.getvalue())


def labeller(path, tasks, codebook):
    """The widget: text of the thread, choices, note, back, next, another issue.

    Parameters
    ----------
    path, tasks, codebook
        See :class:`Notebook`.

    Returns
    -------
    ipywidgets.VBox
        Its attribute ``book`` is the :class:`Notebook`.
    """
    import ipywidgets as widgets
    book = Notebook(path, tasks, codebook)
    text = widgets.HTML()
    wide = {"style": {"description_width": "11em"}, "layout": widgets.Layout(width="40em")}
    fields = {f: widgets.Dropdown(options=[""], description=TITLES[f], **wide) for f in FACETS
              if f != "fix_pattern"}
    fields["fix_pattern"] = widgets.SelectMultiple(options=[], description=TITLES["fix_pattern"],
                                                   rows=6, **wide)
    fields["note"] = widgets.Text(description=TITLES["note"], continuous_update=False, **wide)
    buttons = {name: widgets.Button(description=name)
               for name in ("back", "next", "another issue")}
    busy = []

    def show():
        busy.append(True)
        task, row = book.shown_task(), book.row
        text.value = _html(task, book)
        for name, field in fields.items():
            choices = book.choices(name) if name in FACETS else []
            if name == "fix_pattern":
                field.options = choices
                field.value = [v for v in row[name].split("; ") if v in choices]
            elif name == "note":
                field.value = row[name]
            else:
                own = [row[name]] if row[name] not in ("", *choices) else []
                field.options, field.value = ["", *choices, *own], row[name]
            field.disabled = name in idle(row)
        busy.pop()

    def changed(name):
        def take(change):
            if not busy:
                value = change["new"]
                book.answer(name, "; ".join(value) if isinstance(value, tuple) else value)
                show()
        return take

    def press(step):
        def go(_):
            book.another() if step is None else book.move(step)
            show()
        return go
    for name, field in fields.items():
        field.observe(changed(name), "value")
    for button, step in zip(buttons.values(), (-1, 1, None), strict=True):
        button.on_click(press(step))
    show()
    box = widgets.VBox([text, *fields.values(), widgets.HBox(list(buttons.values()))])
    box.book, box.fields, box.buttons = book, fields, buttons
    return box


def _html(task, book):
    """The thread as text only: nothing of it is taken for markup."""
    body = "".join(f"<p style='white-space:pre-wrap'>{escape(t)}</p>"
                   for t in (task.excerpt, task.resolution) if t)
    return (f"<p>{book.at + 1} of {len(book.rows)}, {book.done()} done</p>"
            f"<h3><a href='{escape(task.url, quote=True)}'>{escape(task.title)}</a></h3>{body}")
