"""The kernel under `jupyter_kernel_test`, with every optional part of it."""

import jupyter_kernel_test


class GpureplTests(jupyter_kernel_test.KernelTests):
    kernel_name = "gpurepl"
    language_name = "rust"
    file_extension = ".rs"

    code_hello_world = 'println!("hello, world");'
    code_stderr = 'eprintln!("test");'
    completion_samples = [
        {"text": "let a = zeros_", "matches": {"zeros_like"}},
        {"text": ":hel", "matches": {"help"}},
        {"text": "let a = launc", "matches": {"launch!"}},
    ]
    complete_code_samples = ["1", "let a = 1;", "fn f() -> i32 { 1 }", ":vars", "zeros?"]
    incomplete_code_samples = ["fn f() {", "let v = vec![", 'let s = "', "/* a", "if true {\n    1"]
    invalid_code_samples = ["let a = 1)", "}", "let let = 1;"]
    code_page_something = "zeros?"
    code_generate_error = "undefined_name + 1"
    code_execute_result = [
        {"code": "1 + 2", "result": "3"},
        {"code": "3 * 14", "result": "42"},
        {"code": '"a".repeat(3)', "result": '"aaa"'},
        {"code": "arange(0..3)", "mime": "text/plain"},
    ]
    code_display_data = [
        {"code": "display(&5);", "mime": "text/plain"},
        {
            "code": "struct B; impl Render for B { fn render(&self) -> MimeBundle {"
            ' MimeBundle::text("b").with("text/html", "<b>b</b>") } } display(&B);',
            "mime": "text/html",
        },
    ]
    code_history_pattern = "1 ? 2"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "zeros"
    code_clear_output = "clear_output(false);"


class WelcomeTests(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "gpurepl"
    support_iopub_welcome = True
