"""The kernel in Jupyter Notebook, by mouse and keyboard in a browser without a window."""

import re

import pytest
from playwright.sync_api import expect

from lab import NOTEBOOK, Notebook, ended, errors, is_drawn, opened, outputs


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    with opened(Notebook, tmp_path_factory.mktemp) as notebook:
        yield notebook


@pytest.fixture(scope="module")
def new(notebook):
    """A new notebook, to which cells are added."""
    notebook.new()
    return notebook


@pytest.fixture(autouse=True)
def last_look(notebook, request):
    """How the page looks at the end of each test, the only way to see why one has failed."""
    yield
    notebook.shoot(f"end-of-notebook-{request.node.name}")


def test_run_all_shows_cards_and_plots(notebook):
    notebook.open(NOTEBOOK.name)
    notebook.menu("Run", "Run All Cells")
    for cell in notebook.cells.all():
        ended(cell)
    expect(errors(notebook.page)).to_have_count(0)
    cards = notebook.page.locator(".gpurepl-card:has(.gr-shape)")
    expect(cards.locator(".gr-shape")).to_have_text(["[2000, 2000]", "[1000000]"])
    for card in cards.all():
        expect(card.locator("table").first).to_be_visible()
    pictures = notebook.cells.filter(has_text=re.compile(r"plot\(|hist\(")).locator(
        ".jp-OutputArea-output :is(img, svg)"
    )
    expect(pictures).to_have_count(2)
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        expect(picture).to_be_visible()
        assert is_drawn(picture)


def test_completion_and_documentation(new):
    new.run("let temperature_of_room = 21.5;\nlet temperature_of_air = 4;")
    cell = new.type("temperature_")
    new.page.keyboard.press("Tab")
    menu = new.page.locator(".jp-Completer-item")
    expect(menu).to_have_count(2)
    menu.filter(has_text="temperature_of_room").click()
    expect(cell.locator(".cm-content")).to_have_text("temperature_of_room")

    new.type("linspace")
    new.page.keyboard.press("Shift+Tab")
    tip = new.page.locator(".jp-Tooltip")
    expect(tip).to_contain_text("linspace")
    new.shoot("notebook-documentation")
    new.page.keyboard.press("Escape")
    expect(tip).to_have_count(0)


def test_an_error_shows_the_line(new):
    error = errors(new.run("let count: usize = 3;\nlet label: &str = count + 1;"))
    expect(error).to_contain_text("E0308")
    expect(error).to_contain_text("let label: &str = count + 1;")
    expect(error.locator("[class*=ansi-], span[style]").first).to_be_visible()


def test_a_slider_changes_a_result(new):
    cell = new.run('interact(|k: f64| k * 2.0, ("k", 0.0..1.0))')
    result, readout = cell.locator(".widget-output .jp-OutputArea-output"), cell.locator(".widget-readout")
    expect(result).to_have_text("1.0")
    # Jupyter Notebook keeps the arrows to itself.
    cell.locator(".noUi-handle").press("End")
    expect(readout).to_have_text("1.00")
    expect(result).to_have_text("2.0")
    expect(errors(cell)).to_have_count(0)
    new.shoot("notebook-interact", cell)


def test_an_animation_plays_and_stops(new):
    cell = new.run("animate(0..5, |k| plot(&[k, 1, 2]))")
    place, slider = cell.locator("output"), cell.locator("input[type=range]")
    expect(place).not_to_have_text("1 / 5")
    cell.locator("button[title='play or pause']").click()
    slider.fill("1")
    expect(place).to_have_text("2 / 5")
    picture = cell.locator("img")
    assert is_drawn(picture)
    before = picture.get_attribute("src")
    slider.fill("3")
    expect(place).to_have_text("4 / 5")
    expect(picture).not_to_have_attribute("src", before)
    new.shoot("notebook-animation", cell)


def test_a_question_opens_a_box(new):
    cell = new.begin('let name = input("name? ");\nname.len()')
    box = cell.locator(".jp-Stdin-input")
    box.fill("Ferris")
    box.press("Enter")
    ended(cell)
    expect(outputs(cell).last).to_have_text("6")


def test_the_interrupt_button_keeps_variables(new):
    new.run("let kept = 7;")
    cell = new.begin('println!("begun");\nloop { check_interrupt(); }')
    expect(outputs(cell)).to_contain_text("begun")
    new.page.locator('[data-command="notebook:interrupt-kernel"], [title^="Interrupt"]').first.click()
    ended(cell)
    expect(outputs(cell).last).to_contain_text("Interrupted")
    expect(outputs(new.run("kept"))).to_have_text("7")


def test_a_restart_empties_variables(new):
    new.run("let forgotten = 3;")
    new.restart()
    cell = new.run("forgotten")
    expect(cell.locator(".jp-InputArea-prompt")).to_have_text("[1]:")
    expect(errors(cell)).to_contain_text("cannot find value")
    expect(outputs(new.run("1 + 1"))).to_have_text("2")
