//! Kernels that are made of templates, and what their mistakes look like in a session.

use gpurepl_tests::Conversation;

/// Example 54 of the walkthroughs, as it stands on the slide but for braces.
const TWICE: &str = r#"let text = "
    __global__ void twice({{ type_name }} *tgt)
    {
      int idx = threadIdx.x + {{ thread_block_size }} * {{ block_size }} * blockIdx.x;

      {% for i in range(block_size) %}
        {% set offset = i*thread_block_size %}
        tgt[idx + {{ offset }}] *= 2;
      {% endfor %}
    }";"#;

#[test]
fn the_walkthroughs_template_doubles_what_its_threads_reach() {
    let mut cells = Conversation::start();
    cells.ok(TWICE);
    cells.ok("let (block_size, thread_block_size) = (4, 64); let n = 3 * block_size * thread_block_size;");
    cells.ok("let module = SourceModule::template(text, context! { type_name => f32::DTYPE, block_size, thread_block_size })?;");
    cells.ok("let mut a = rand::<f32>(n); let b = a.copy();");
    cells.ok("module.get_function(\"twice\")?.launch(3, thread_block_size, &mut a)?;");
    cells.shows("array_equal(&a, &(&b * 2.0))", "true");
    cells.shows("module.source().matches(\"*= 2;\").count()", "4");
    cells.shows("module.source().contains(\"tgt[idx + 192] *= 2;\")", "true");
    cells.shows("Template::new(text).variables()?", "[\"block_size\", \"thread_block_size\", \"type_name\"]");
    // Another type and another size are another kernel.
    cells.ok("let values = context! { type_name => \"int\", block_size => 1, thread_block_size => 8 };");
    cells.ok("let mut whole = arange(0..8); SourceModule::template(text, &values)?.get_function(\"twice\")?.launch(1, 8, &mut whole)?;");
    cells.shows("whole.sum().item()", "56");
}

#[test]
fn what_a_template_makes_goes_where_texts_go() {
    let mut cells = Conversation::start();
    cells.ok("let sum = Template::new(\"{% for k in range(n) %}{{ '+' if k }} x[i] * {{ weights[k] }}{% endfor %}\");");
    cells.ok("let text = sum.render(context! { n => 3, weights => [0.5, 0.25, 2.0] })?;");
    cells.ok("let kernel = ElementwiseKernel::new(\"const float *x, float *y\", &format!(\"y[i] = {text}\"), \"weighted\")?;");
    cells.ok("let x = gpu![f32; 1, 2]; let mut y = zeros_like(&x); kernel.call((&x, &mut y))?;");
    cells.shows("y.to_vec()", "[2.75, 5.5]");
    cells.shows("sum.render(context! { n => 0 })?", "\"\"");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.cu.j2");
    std::fs::write(&path, "__global__ void set(int *x) { *x = {{ value }}; }").unwrap();
    cells.ok(&format!("let file = Template::from_file({path:?})?; let mut one = zeros::<i32>(1);"));
    cells.ok("file.builder(context! { value => 42 })?.option(\"-DUNUSED=1\").compile()?.get_function(\"set\")?.launch(1, 1, &mut one)?;");
    cells.shows("one.item()", "42");
    std::fs::write(&path, "__global__ void set(int *x) {\n *x = {{ value }};\n}").unwrap();
    cells.ok(&format!("let wrong = Template::from_file({path:?})?;"));
    cells.fails_with(
        "wrong.builder(context! { value => \"nowhere\" })?.compile()?;",
        "--> kernel.cu.j2 line 2",
    );
    cells.fails_with("Template::from_file(\"/nowhere.j2\")?;", "read the template /nowhere.j2");
}

#[test]
fn mistakes_in_a_template_are_shown_at_their_place() {
    let mut cells = Conversation::start();
    cells.ok(TWICE);
    cells.fails_with(
        "SourceModule::template(text, context! { type_name => \"float\", blocksize => 4, thread_block_size => 64 })?;",
        "`block_size` is not defined",
    );
    let said = cells.rendered();
    assert!(said.contains("did you mean `blocksize`?"), "{said}");
    assert!(said.contains("range(block_size)") || said.contains("{{ block_size }}"), "{said}");
    for (text, words) in [
        ("{% for i in range(3) %}x", "syntax error: unexpected end of input"),
        ("{{ 1 + }}", "syntax error: unexpected end of variable block"),
        ("{{ n | nothing }}", "unknown filter: filter nothing is unknown"),
        ("{{ n.m.k }}", "`n.m` is not defined"),
        (
            "{% for a in range(99999) %}{% for b in range(99999) %}{% set c = b %}{% endfor %}{% endfor %}",
            "takes too long",
        ),
    ] {
        cells.fails_with(&format!("Template::new({text:?}).render(context! {{ n => 1 }})?"), words);
    }
}

#[test]
fn mistakes_that_the_compiler_finds_are_shown_in_the_template() {
    let mut cells = Conversation::start();
    let source = "SourceModule::template(\"__global__ void f(int *x) {\n  {% for k in range(3) %}\n  x[{{ k }}] = missing;\n  {% endfor %}\n}\", context! {})?;";
    cells.fails_with(source, "missing");
    let said = cells.rendered();
    assert!(said.contains("x[{{ k }}] = missing;") && said.contains("template line 3"), "{said}");
    assert!(said.contains("line 3 of the generated text: `x[0] = missing;`"), "{said}");
    // What an expression has written is the expression's.
    cells.fails_with("SourceModule::template(\"__global__ void f(int *x) {\n x[0] = {{ what }};\n}\", context! { what => \"nowhere\" })?;", "nowhere");
    let said = cells.rendered();
    assert!(said.contains("template line 2") && said.contains("`x[0] = nowhere;`"), "{said}");
    // In a file nobody has as a cell, the error's own text says it.
    cells.fails_with("let text = std::hint::black_box(format!(\"__global__ void f(int *x) {{ *x = {}; }}\", \"y\")); SourceModule::template(text, context! {})?;", "template line 1");
}
