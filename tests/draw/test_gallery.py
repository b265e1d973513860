"""The files of the figures: complete, the same every time, and watched."""

import re
import sys
import xml.etree.ElementTree as ET

import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter
from PIL import Image

from canvas import faults_of, texts
from study.base.errors import StudyError
from study.base.files import other_versions
from study.base.paths import FIGURES, NOTEBOOKS
from study.draw import gallery, style
from study.draw.picture import FORMATS, Picture


class Kept(Picture):
    """A picture that makes each of its files once, which saves the tests a minute."""

    def file(self, suffix):
        files = self.__dict__.setdefault("files", {})
        if suffix not in files:
            files[suffix] = super().file(suffix)
        return files[suffix]


@pytest.fixture(scope="module")
def pictures(study):
    return [Kept(**vars(p)) for p in gallery.render(study, 30)]


@pytest.fixture(scope="module")
def saved(pictures, tmp_path_factory):
    folder = tmp_path_factory.mktemp("a b") / "figures"
    gallery.save(pictures, folder)
    return folder


def test_two_runs_give_the_same_bytes(saved):
    """Those of the committed run, which had another hash seed, another folder, another day."""
    if other := other_versions(names=gallery.DRAWN_WITH):
        pytest.skip(f"other versions than requirements.lock: {other}")
    for name in (gallery.SUMS, "index.csv"):
        committed = (FIGURES / name).read_bytes().replace(b"\r\n", b"\n")
        assert (saved / name).read_bytes() == committed


def test_no_date_version_or_path_in_any_file(saved):
    for path in saved.iterdir():
        content = path.read_bytes()
        for word in (b"CreationDate", b"atplotlib v", b"Software", b"dc:date", b"/home/", b"/tmp/",
                     b"<dc:creator>"):
            assert word not in content, (path.name, word)


def test_every_text_is_filled_in(pictures):
    for p in pictures:
        for text in (p.title, p.caption, p.alt):
            assert text.strip() == text
            assert not re.search(r"[{}]|\bnan\b|None|  ", text), text
        assert p.caption.endswith(".")
        assert p.alt.endswith(".")
        assert len(p.title) < 75
        assert 80 < len(p.alt) < 2500
        assert re.search(r"\d", p.alt)
        assert p.title in "\n".join(t.get_text().replace("\n", " ")
                                    for a in p.figure.axes for t in a.texts)


def test_names_in_the_list_are_the_pictures_names(pictures):
    assert [p.name for p in pictures] == [e.name for e in gallery.FIGURES]
    for entry in gallery.FIGURES:
        module, function = entry.made_by.split(":")
        assert (NOTEBOOKS / f"{module.replace('.', '/')}.py").exists()
        assert callable(getattr(sys.modules[module], function))


def test_index_lists_exactly_the_files(saved):
    listed = pd.read_csv(saved / "index.csv")
    files = {f"{name}.{form}" for name in listed["name"] for form in FORMATS}
    assert {p.name for p in saved.iterdir()} == files | {"index.csv", gallery.SUMS}
    sums = (saved / gallery.SUMS).read_text(encoding="utf-8").splitlines()
    assert {line.split("  ")[1] for line in sums} == files
    assert list(listed) == ["name", "title", "caption", "alt", "made_by", "columns"]
    for row in listed.itertuples():
        assert ";".join(pd.read_csv(saved / f"{row.name}.csv").columns) == row.columns


def test_committed_folder_holds_what_its_index_lists():
    listed = pd.read_csv(FIGURES / "index.csv")
    files = {f"{name}.{form}" for name in listed["name"] for form in FORMATS} | {"index.csv"}
    assert {p.name for p in FIGURES.iterdir() if p.suffix[1:] in FORMATS} == files
    assert max(p.stat().st_size for p in FIGURES.iterdir()
               if p.suffix[1:] in FORMATS) < 400_000


def test_svg_tells_screen_readers_what_it_shows(pictures):
    for p in pictures[:3]:
        root = ET.fromstring(p.svg())
        space = "{http://www.w3.org/2000/svg}"
        assert root.get("role") == "img"
        assert root.find(f"{space}title").text == p.title
        assert root.find(f"{space}desc").text == p.alt


def test_jupyter_shows_the_png_with_its_alt_text(pictures):
    data, metadata = DisplayFormatter().format(pictures[0])
    assert data["text/plain"] == f"Picture({pictures[0].name!r})"
    assert data["image/png"][:4] == b"\x89PNG"
    assert metadata["image/png"] == {"alt": pictures[0].alt}


def test_saving_again_changes_nothing(pictures, saved):
    assert gallery.save(pictures, saved) == []
    assert gallery.compare(pictures, saved) == []


def test_compare_names_what_differs_is_missing_or_stray(pictures, tmp_path):
    gallery.save(pictures[:2], tmp_path)
    first, second = (p.name for p in pictures[:2])
    path = tmp_path / f"{first}.csv"
    path.write_bytes(path.read_bytes().replace(b"762", b"763"))
    (tmp_path / f"{second}.svg").unlink()
    (tmp_path / "index.csv").write_text("name\n", encoding="utf-8")
    (tmp_path / "old.png").write_bytes(b"")
    (tmp_path / f"{second}.png").write_bytes(b"broken")
    found = gallery.compare(pictures[:2], tmp_path)
    assert [line.removeprefix(f"{tmp_path.as_posix()}/") for line in found] == [
        f"{first}.csv differs", f"{second}.svg is missing", f"{second}.png differs",
        "index.csv differs", "old.png belongs to no figure"]
    changed = gallery.save(pictures[:2], tmp_path)
    assert [p.name for p in changed] == [f"{first}.csv", f"{second}.svg", f"{second}.png",
                                         "index.csv"]


def test_a_png_packed_otherwise_counts_as_the_same(pictures, tmp_path):
    gallery.save(pictures[:1], tmp_path)
    path = tmp_path / f"{pictures[0].name}.png"
    with Image.open(path) as image:
        image.load()
    image.save(path, compress_level=1)
    before = path.read_bytes()
    assert before != pictures[0].png()
    assert gallery.save(pictures[:1], tmp_path) == [tmp_path / gallery.SUMS]
    assert path.read_bytes() == before
    assert gallery.compare(pictures[:1], tmp_path) == []


@pytest.mark.parametrize("form", ["pdf", "png"])
def test_a_file_exchanged_behind_the_drawing_is_noticed(pictures, tmp_path, form):
    gallery.save(pictures[:1], tmp_path)
    path = tmp_path / f"{pictures[0].name}.{form}"
    path.write_bytes(path.read_bytes()[:-40] + b"another")
    line, = gallery.compare(pictures[:1], tmp_path)
    assert line.endswith(f"{path.name} differs")


def test_a_checkout_with_other_line_ends_counts_as_the_same(pictures, tmp_path):
    gallery.save(pictures[:1], tmp_path)
    path = tmp_path / f"{pictures[0].name}.csv"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert gallery.compare(pictures[:1], tmp_path) == []


def test_under_other_versions_only_the_data_are_compared(pictures, tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "other_versions", lambda names: dict.fromkeys(names[:1], "1"))
    gallery.save(pictures[:1], tmp_path)
    (tmp_path / f"{pictures[0].name}.svg").write_text("another", encoding="utf-8")
    assert gallery.compare(pictures[:1], tmp_path) == []
    (tmp_path / f"{pictures[0].name}.csv").write_text("another", encoding="utf-8")
    line, = gallery.compare(pictures[:1], tmp_path)
    assert line.endswith("differs (only the data are compared: matplotlib 1 is not the locked "
                         "version)")


def test_an_interrupted_save_leaves_no_half_file(pictures, tmp_path, monkeypatch):
    gallery.save(pictures[:1], tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    path = tmp_path / f"{pictures[0].name}.csv"

    def full(self, content):
        with self.open("wb") as file:
            file.write(content[:5])
        raise OSError("disk full")

    monkeypatch.setattr(type(path), "write_bytes", full)
    with pytest.raises(OSError, match="disk full"):
        gallery.write_whole(path, b"something else")
    assert {name: (tmp_path / name).read_bytes() for name in before} == before


@pytest.mark.parametrize("name", [entry.name for entry in gallery.FIGURES])
def test_figures_are_legible_of_one_type_and_one_column_or_the_page_wide(pictures, name):
    figure = next(p for p in pictures if p.name == name).figure
    found = texts(figure)
    assert faults_of(figure, found) == []
    assert {t.get_fontname() for t in found} == {"DejaVu Sans"}
    assert min(t.get_fontsize() for t in found) >= 6.5
    width, height = figure.get_size_inches()
    assert width in (style.SINGLE, style.DOUBLE)
    assert height <= 8.5


def test_an_unknown_name_is_told_what_there_is(study):
    with pytest.raises(StudyError, match="no figure 'x'; there are collection_funnel, "):
        gallery.draw("x", study)
