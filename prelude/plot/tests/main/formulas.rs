//! Formulas in the texts of figures.

use std::f64::consts::PI;

use gpurepl_prelude::*;

use super::{check, evenly, raises, svg, words};

#[test]
fn formulas_stand_at_the_axes_in_the_title_and_in_the_legend() {
    let x = evenly(-4.0, 4.0, 200);
    let bell = |sigma: f64| -> Vec<f64> {
        x.iter().map(|x| (-(x / sigma).powi(2) / 2.0).exp() / (sigma * (2.0 * PI).sqrt())).collect()
    };
    let figure =
        plot((&x, &bell(0.5))).label(r"$\sigma = \frac{1}{2}$").plot((&x, &bell(1.0))).label(r"$\sigma = 1$");
    let figure = figure
        .title(r"$\varphi(x) = \frac{1}{\sigma\sqrt{2\pi}}\, e^{-x^2 / 2\sigma^2}$")
        .xlabel(r"$x$ ($\mathrm{m\,s^{-1}}$)")
        .ylabel(r"density $\hat\varphi_i(x)$ at \$5")
        .xticks((&[-2, 0, 2], [r"$-2\sigma$", "0", r"$2\sigma$"]));
    check("formulas", &figure);
    let words = words(&svg(&figure));
    assert!(words.contains(&"σ".to_owned()) && words.contains(&"at $5".to_owned()), "{words:?}");
    assert!(!words.iter().any(|word| word.contains('\\')), "{words:?}");
    let text = figure.render().0["text/plain"].clone();
    assert!(text.starts_with("Figure: 2 series, 640x480, \"φ(x) = 1/(σ√(2π)) e^(−x²/2σ²)\""), "{text}");
}

#[test]
fn what_a_formula_may_have_is_drawn() {
    let lines = [
        r"$\sum_{i=0}^{\infty} x_i^2 \leq \int_0^1 f(x)\,\mathrm{d}x \neq \prod_k a_k$",
        r"$\sqrt[3]{\frac{a+b}{c}} \quad \left(\frac{\partial u}{\partial t}\right)^2 = \nabla^2 u$",
        r"$\vec{v} \cdot \overline{ab} \in \mathbb{R}^n,\ \dot{x}\ \tilde{y}\ \mathbf{B} \times \Gamma\ 25^\circ\mathrm{C}$",
        r"$\lim_{n \to \infty} \sin^2 n \approx -1 \pm 10^{-3}$ in words",
    ];
    let figure = plot(&[0, 1]).xlim(0, 1).ylim(0, 5).title("two lines\nof which $x^2$ is in the second");
    for (k, line) in lines.iter().enumerate() {
        figure.text(0.04, 4.2 - 1.1 * k as f64, line).fontsize(13);
    }
    check("formulas-all", &figure);
    for word in words(&svg(&figure)) {
        assert!(!word.contains(['$', '\\', '&']), "{word}");
    }
}

#[test]
fn a_formula_that_cannot_be_read_is_an_error_where_it_is_written() {
    raises(r"title: `$\foo$` is not a formula that can be drawn: `\foo` is not known", || {
        drop(plot(&[1, 2]).title(r"$\foo$"));
    });
    raises(
        r"label: `$x^{2$` is not a formula that can be drawn: unbalanced group found, expected it to be closed with `}`; write `\$` for a dollar sign",
        || drop(plot(&[1, 2]).label(r"$x^{2$")),
    );
    // One dollar is one.
    assert!(words(&svg(&plot(&[1, 2]).xlabel("price ($)"))).contains(&"price ($)".to_owned()));
}
