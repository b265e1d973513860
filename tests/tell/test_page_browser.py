"""The report in a real browser: quiet, alone, by keyboard, accessible, on a phone and on paper."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import chromium
from study.base.paths import FIGURES, ROOT

pytestmark = pytest.mark.skipif(
    chromium.program() is None,
    reason="no Chromium on PATH (Debian, Ubuntu: apt install chromium)")
PAGE = (FIGURES / "report.html").as_uri()
SIZES = {"desktop": (1280, 900), "phone": (360, 740)}


@pytest.fixture(scope="module")
def browser():
    started = chromium.Chromium()
    yield started
    started.close()


@pytest.fixture(scope="module")
def axe():
    """Text of axe-core, found the way node finds it."""
    if not shutil.which("node"):
        pytest.skip("no node, so no axe-core (npm install -g axe-core)")
    homes = [os.environ.get("NODE_PATH", ""), str(ROOT / "node_modules")]
    if shutil.which("npm"):
        homes.append(subprocess.run(["npm", "root", "-g"], capture_output=True, text=True,
                                    encoding="utf-8").stdout.strip())
    found = subprocess.run(
        ["node", "-p", "require.resolve('axe-core/axe.min.js')"], capture_output=True, text=True,
        encoding="utf-8", env={**os.environ, "NODE_PATH": os.pathsep.join(filter(None, homes))})
    if found.returncode:
        pytest.skip("axe-core is not installed (npm install -g axe-core, or set NODE_PATH)")
    return Path(found.stdout.strip()).read_text(encoding="utf-8")


def unfold(browser):
    browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_no_error_and_no_request(browser, size, scheme):
    browser.open(PAGE, *SIZES[size], scheme=scheme)
    unfold(browser)
    browser.run("document.getElementById('theme').click()")
    browser.run("new Promise((done) => setTimeout(done, 200))")
    assert browser.console == []
    assert browser.requests == [PAGE]


def test_the_policy_stops_what_somebody_smuggles_in(browser):
    browser.open(PAGE)
    browser.run("""(() => { const s = document.createElement('script');
        s.textContent = 'window.smuggled = true'; document.body.append(s); })()""")
    assert browser.run("window.smuggled") is None
    assert any("Content Security Policy" in said for said in browser.console)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_serious(browser, axe, size, scheme):
    browser.open(PAGE, *SIZES[size], scheme=scheme)
    unfold(browser)
    # A drawing is one image with one text; its thousands of strokes only cost time.
    browser.run("document.querySelectorAll('svg').forEach((s) => { s.replaceChildren(); })")
    browser.run(f"{axe};0")
    found = browser.run("""axe.run().then((r) => ({passes: r.passes.length,
        violations: r.violations.map((v) =>
            [v.impact, v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)])}))""")
    assert [v for v in found["violations"] if v[0] in ("serious", "critical")] == []
    assert found["passes"] > 20


def test_axe_would_find_something(browser, axe):
    browser.open(PAGE)
    browser.run("document.documentElement.removeAttribute('lang')")
    browser.run(f"{axe};0")
    assert browser.run(
        "axe.run({runOnly: ['html-has-lang']}).then((r) => r.violations.length)") == 1


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_the_page_never_scrolls_sideways(browser, width):
    browser.open(PAGE, width, 740)
    assert browser.run("document.documentElement.scrollWidth") == width
    unfold(browser)
    assert browser.run("document.documentElement.scrollWidth") == width


def test_folding_by_keyboard(browser):
    browser.open(PAGE)
    browser.run("document.querySelector('#tree-stages button, #tree-stages summary').focus()")
    opened = "document.querySelector('#tree-stages > details').open"
    assert browser.run(opened) is False
    browser.press("Enter")
    assert browser.run(opened) is True
    # The next stop is the first symptom within; it opens as well.
    browser.press("Tab", " ")
    assert browser.run("document.activeElement.closest('details').dataset.kind") == "symptom"
    assert browser.run("document.activeElement.closest('details').open") is True
    browser.press("Tab")
    assert browser.run("document.activeElement.getAttribute('href')").startswith("#fix-")
    browser.run("document.querySelector('#tree-stages summary').focus()")
    browser.press("Enter")
    assert browser.run(opened) is False


def test_search_by_keyboard_leads_to_the_label_and_opens_it(browser):
    browser.open(PAGE)
    browser.run("document.getElementById('search-field').focus()")
    browser.type("hang timeout")
    names = browser.run(
        "Array.from(document.querySelectorAll('#search-results a'), (a) => a.textContent)")
    assert names[0] == "hang and timeout"
    assert browser.run("document.getElementById('search-status').textContent") == (
        f"{len(names)} found")
    browser.press("Tab", "Enter")
    assert browser.until("document.activeElement.textContent.startsWith('hang and timeout')"
                         " && document.activeElement.closest('details')")
    assert browser.run("document.activeElement.closest('details').open") is True
    assert browser.run("document.activeElement.closest('.tree > details').open") is True
    assert browser.run("document.activeElement.getBoundingClientRect().top") < 700


def test_search_finds_fix_patterns_says_when_nothing_is_found_and_is_cleared(browser):
    browser.open(PAGE)
    browser.run("document.getElementById('search-field').focus()")
    browser.type("network setting")
    assert browser.run("document.querySelector('#search-results li').textContent").startswith(
        "fix network setting fix pattern")
    browser.press("Escape")
    assert browser.run("document.querySelectorAll('#search-results li').length") == 0
    browser.type("<script>zzz")
    assert browser.run("document.getElementById('search-status').textContent") == "Nothing found"
    browser.press("Escape")
    browser.type("hang")
    browser.press("Enter")
    assert browser.run("document.activeElement.textContent").startswith("hang")
    assert browser.console == []


def test_a_link_with_a_label_opens_it_on_arrival(browser):
    browser.open(f"{PAGE}#fix-fix-network-setting")
    assert browser.run("document.getElementById('fix-fix-network-setting').open") is True


def test_the_buttons_open_and_close_all(browser):
    browser.open(PAGE)
    count = "document.querySelectorAll('#tree-patterns details[open]').length"
    browser.run("document.querySelector('[data-fold=open][aria-controls=tree-patterns]').focus()")
    browser.press("Enter")
    assert browser.run(count) == browser.run(
        "document.querySelectorAll('#tree-patterns details').length") > 10
    browser.press("Tab", "Enter")
    assert browser.run(count) == 0


def test_the_theme_follows_the_system_until_the_reader_chooses(browser):
    ground = "getComputedStyle(document.body).backgroundColor"
    browser.open(PAGE, scheme="light")
    browser.run("localStorage.clear()")
    browser.open(PAGE, scheme="light")
    light = browser.run(ground)
    browser.open(PAGE, scheme="dark")
    dark = browser.run(ground)
    assert light != dark
    button = "document.getElementById('theme')"
    browser.run(f"{button}.focus()")
    browser.press("Enter")
    assert (browser.run(f"{button}.textContent"), browser.run(ground)) == ("Theme: light", light)
    browser.press("Enter")
    assert (browser.run(f"{button}.textContent"), browser.run(ground)) == ("Theme: dark", dark)
    browser.open(PAGE, scheme="light")
    assert browser.run(ground) == dark
    browser.run("localStorage.clear()")


def test_paper_shows_what_is_folded_and_folds_it_again(browser):
    browser.open(PAGE)
    folded = "document.querySelectorAll('details[data-print]:not([open])').length"
    before = browser.run(folded)
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert before > 10 and browser.run(folded) == 0
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert browser.run(folded) == before


def test_it_is_readable_without_its_script(browser):
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(PAGE)
    finally:
        browser.send("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.run("document.querySelector('[role=search]').checkVisibility()") is False
    assert browser.run("document.querySelector('main').innerText.length") > 5_000
