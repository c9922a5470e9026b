"""The kernel in JupyterLab, by mouse and keyboard in a browser without a window."""

import re

import pytest
from playwright.sync_api import expect

from lab import NOTEBOOK, Lab, contrast, ended, errors, is_drawn, opened, outputs


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with opened(Lab, tmp_path_factory.mktemp) as lab:
        yield lab


@pytest.fixture(scope="module")
def new(lab):
    """A new notebook, to which cells are added."""
    lab.new()
    return lab


@pytest.fixture(autouse=True)
def last_look(lab, request):
    """How the page looks at the end of each test, the only way to see why one has failed."""
    yield
    lab.shoot(f"end-of-{request.node.name}")


def test_run_all_shows_cards_and_plots(lab):
    lab.open(NOTEBOOK.name)
    lab.menu("Run", "Run All Cells")
    for cell in lab.cells.all():
        ended(cell)
    expect(errors(lab.page)).to_have_count(0)

    # A pair of numbers is text.
    expect(lab.page.locator(".gpurepl-card")).to_have_count(2)
    cards = lab.page.locator(".gpurepl-card:has(.gr-shape)")
    expect(cards).to_have_count(2)
    for card, shape in [(cards.nth(0), "[2000, 2000]"), (cards.nth(1), "[1000000]")]:
        expect(card.locator(".gr-head b")).to_have_text("float32")
        expect(card.locator(".gr-shape")).to_have_text(shape)
        expect(card.locator("table").first).to_be_visible()
        svg = card.locator("figure svg")
        assert svg.bounding_box()["width"] == float(svg.get_attribute("width"))

    plots = lab.cells.filter(has_text=re.compile(r"plot\(|hist\("))
    expect(plots).to_have_count(2)
    for plot in plots.all():
        pictures = plot.locator(".jp-OutputArea-output :is(img, svg)")
        expect(pictures).to_have_count(1)
        pictures.scroll_into_view_if_needed()
        expect(pictures).to_be_visible()
        assert is_drawn(pictures)

    for theme in ("Light", "Dark"):
        lab.theme(theme)
        for card in cards.all():
            texts = card.locator("td, th, .gr-dim, .gr-shape, b, figcaption span").filter(has_text=re.compile(r"\S"))
            worst = min(contrast(text) for text in texts.all())
            # WCAG 2 wants 4.5 of texts, which JupyterLab's own dim colour is just below.
            assert worst >= 4.4, f"{theme}: {worst}"
        for number, cell in enumerate(lab.cells.all()):
            lab.shoot(f"arrays-{number + 1}-{theme.lower()}", cell)
    lab.theme("Light")


def test_completion_shows_and_inserts_names(new):
    new.run("let temperature_of_room = 21.5;\nfn temperature_doubled(t: f64) -> f64 { 2.0 * t }")
    cell = new.type("temperature_")
    new.page.keyboard.press("Tab")
    menu = new.page.locator(".jp-Completer")
    items = menu.locator(".jp-Completer-item")
    expect(menu).to_be_visible()
    expect(items.filter(has_text="temperature_of_room")).to_have_count(1)
    expect(items.filter(has_text="temperature_doubled")).to_have_count(1)
    new.shoot("completion")
    items.filter(has_text="temperature_doubled").click()
    expect(menu).to_be_hidden()
    expect(cell.locator(".cm-content")).to_have_text(re.compile("^temperature_doubled"))

    new.type("temperature_of")
    new.page.keyboard.press("Tab")
    expect(items).to_have_count(1)
    new.page.keyboard.press("Enter")
    expect(cell.locator(".cm-content")).to_have_text("temperature_of_room")
    expect(outputs(new.run("temperature_of_room"))).to_have_text("21.5")


def test_shift_tab_shows_documentation(new):
    new.type("linspace")
    new.page.keyboard.press("Shift+Tab")
    tip = new.page.locator(".jp-Tooltip")
    expect(tip).to_contain_text("linspace")
    new.shoot("documentation")
    new.page.keyboard.press("Escape")
    expect(tip).to_have_count(0)


def test_the_interrupt_button_keeps_variables(new):
    new.run("let kept = 7; let mut turns = 0_u64;")
    cell = new.begin("println!(\"begun\");\nloop { turns += 1; check_interrupt(); }")
    expect(outputs(cell)).to_contain_text("begun")
    expect(cell.locator(".jp-InputArea-prompt")).to_have_text("[*]:")
    new.page.locator('[data-command="notebook:interrupt-kernel"], [title^="Interrupt"]').first.click()
    ended(cell)
    expect(outputs(cell).last).to_contain_text("Interrupted")
    new.shoot("interrupted", cell)
    after = new.run("assert!(turns > 0);\nkept")
    expect(outputs(after)).to_have_text("7")


def test_an_error_has_colours_and_the_line(new):
    cell = new.run('let count: usize = 3;\nlet label: &str = count + 1;')
    error = errors(cell)
    expect(error).to_be_visible()
    expect(error).to_contain_text("E0308")
    expect(error).to_contain_text("let label: &str = count + 1;")
    coloured = error.locator("[class*=ansi-], span[style]")
    expect(coloured.first).to_be_visible()
    shown = {e.evaluate("e => getComputedStyle(e).color") for e in coloured.all()}
    assert len(shown) > 1, f"colours: {shown}"
    assert "\x1b" not in error.inner_text() and "[0m" not in error.inner_text()
    for theme in ("Dark", "Light"):
        new.theme(theme)
        # WCAG's least for what is bold or large.
        assert min(contrast(part) for part in coloured.all()) > 3
        new.shoot(f"error-{theme.lower()}", cell)

    panic = new.run('let values = vec![1, 2, 3];\nlet place = values.len() + 4;\nvalues[place]')
    told = errors(panic)
    expect(told).to_contain_text("index out of bounds")
    expect(told).to_contain_text("values[place]")
    new.shoot("panic", panic)


def test_a_progress_bar_shows_and_ends(new, gate):
    # The bar stands still until it has been seen.
    steps = f"if k == 20 {{ {gate.wait} }} std::thread::sleep(std::time::Duration::from_millis(30));"
    cell = new.begin(f'for k in progress(0..40).message("summing") {{ {steps} }}\nprintln!("over");')
    output = outputs(cell).first
    expect(output).to_contain_text("summing")
    # It is one output that changes.
    expect(output).to_contain_text(re.compile(r"\b[1-3]?\d/40"))
    new.shoot("progress", cell)
    gate.open()
    ended(cell)
    expect(output).to_contain_text("40/40")
    expect(outputs(cell)).to_have_count(2)
    expect(outputs(cell).last).to_have_text("over")


def test_a_slider_changes_a_figure(new):
    cell = new.run('interact(|k: i32| plot(&[0, k, 2 * k]).title(&format!("times {k}")), ("k", 0..=10))')
    slider = cell.locator(".widget-slider")
    expect(slider).to_be_visible()
    expect(cell.locator(".widget-label").first).to_have_text("k")
    picture = cell.locator(".widget-output :is(img, svg)")
    expect(picture).to_be_visible()
    before = picture.get_attribute("src")
    handle = cell.locator(".noUi-handle")
    for _ in range(3):
        handle.press("ArrowRight")
    expect(cell.locator(".widget-readout")).to_have_text("8")
    expect(picture).not_to_have_attribute("src", before)
    expect(errors(cell)).to_have_count(0)
    new.shoot("interact", cell)


def test_an_animation_plays_and_stops(new):
    cell = new.run("animate(0..30, |k| plot(&[0, k]).ylim(0, 30))")
    place, slider = cell.locator("output"), cell.locator("input[type=range]")
    button = cell.locator("button[title='play or pause']")
    picture = cell.locator("img")
    # It plays by itself.
    expect(place).not_to_have_text("1 / 30")
    button.click()
    expect(button).to_have_attribute("aria-label", "play")
    slider.fill("7")
    expect(place).to_have_text("8 / 30")
    assert is_drawn(picture)
    before = picture.get_attribute("src")
    slider.fill("20")
    expect(place).to_have_text("21 / 30")
    expect(picture).not_to_have_attribute("src", before)
    expect(errors(cell)).to_have_count(0)
    new.shoot("animation", cell)


def ends(figure):
    """The ends of the horizontal axis of a figure that can be moved."""
    window = figure.evaluate("e => JSON.parse(e.querySelector('svg').dataset.axes).windows[0].x")
    return window["from"], window["to"]


def drag(page, figure, start, end):
    """Drags from one place to another, in parts of the picture's width and height."""
    box = figure.locator("svg").bounding_box()
    at = lambda part: (box["x"] + part[0] * box["width"], box["y"] + part[1] * box["height"])
    page.mouse.move(*at(start))
    page.mouse.down()
    page.mouse.move(*at(((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)))
    page.mouse.move(*at(end))
    page.mouse.up()


def test_a_figure_is_enlarged_by_the_mouse(new):
    cell = new.run("let wide = linspace(0.0, 100.0, 100_000);\nplot((&wide, &wide.sin())).ylim(-1, 1).interactive()")
    figure = cell.locator(".gpurepl-figure")
    expect(figure).to_be_visible()
    figure.scroll_into_view_if_needed()
    first = ends(figure)
    # The kernel draws what is asked for: the axes of the picture that is there change.
    drag(new.page, figure, (0.3, 0.5), (0.4, 0.5))
    expect(figure.locator("svg")).to_have_attribute("data-token", re.compile("^own-[0-9]+$"))
    low, high = ends(figure)
    assert first[0] < low < high < first[1] and high - low < (first[1] - first[0]) / 5
    expect(figure.locator("output")).to_contain_text("x ")
    new.shoot("enlarged", cell)
    figure.locator("button").click()
    assert ends(figure) == first
    expect(figure.locator("button")).to_be_hidden()
    expect(errors(cell)).to_have_count(0)


def test_a_page_with_a_figure_needs_no_kernel(new):
    path = new.root / "figure.html"
    cell = new.run(f'plot(&[1, 10, 100]).marker("^").log_y().grid().title("A page").save("{path}")?;')
    expect(errors(cell)).to_have_count(0)
    page = new.page.context.new_page()
    page.goto(f"file://{path}")
    figure = page.locator(".gpurepl-figure")
    ticks = figure.locator("g[data-part=ticks]")
    expect(ticks).to_be_visible()
    marks = figure.locator("[data-at]")
    expect(marks).to_have_count(3)
    size = marks.first.bounding_box()["width"]
    before = marks.first.bounding_box()["x"]
    drag(page, figure, (0.15, 0.2), (0.5, 0.85))
    # Ticks are the script's own then; marks have moved and kept their size.
    expect(ticks).to_be_hidden()
    assert marks.first.get_attribute("transform").startswith("translate(")
    assert abs(marks.first.bounding_box()["width"] - size) < 1
    assert marks.first.bounding_box()["x"] != before
    expect(figure.locator("svg > g > text", has_text="0.2").first).to_be_visible()
    page.screenshot(path=new.pictures / "page-enlarged.png")
    figure.locator("svg").dblclick()
    expect(ticks).to_be_visible()
    assert marks.first.bounding_box()["x"] == before
    page.close()


def test_a_figure_follows_the_theme(new):
    cell = new.run("plot(&[1, 2]).theme(Theme::Auto)")
    light, dark = cell.locator(".gpurepl-light"), cell.locator(".gpurepl-dark")
    expect(light).to_be_visible()
    expect(dark).to_be_hidden()
    # What JupyterLab's own menu changes.
    new.page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    expect(dark).to_be_visible()
    expect(light).to_be_hidden()
    assert is_drawn(dark)
    new.page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    expect(light).to_be_visible()


def test_a_question_opens_a_box(new):
    cell = new.begin('let name = input("name? ");\nname.len()')
    box = cell.locator(".jp-Stdin-input")
    expect(cell.locator(".jp-Stdin-prompt")).to_have_text(re.compile(r"^name\?\s*$"))
    box.fill("Ferris")
    box.press("Enter")
    ended(cell)
    expect(outputs(cell).last).to_have_text("6")


def test_a_restart_empties_variables(new):
    shown = new.run("let forgotten = arange(0..3);\nforgotten.size()")
    expect(outputs(shown)).to_have_text("3")
    new.restart()
    cell = new.run("forgotten")
    expect(cell.locator(".jp-InputArea-prompt")).to_have_text("[1]:")
    error = errors(cell)
    expect(error).to_contain_text("cannot find value")
    expect(outputs(new.run("1 + 1"))).to_have_text("2")
