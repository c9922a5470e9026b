//! What cells print: any bytes, any partial line, at once.

use gpurepl_tests::{Conversation, Streamed};

#[test]
fn lines_and_halves_of_lines_arrive_as_they_are() {
    let mut cells = Conversation::start();
    cells.prints("println!(\"one\"); print!(\"half\");", "one\nhalf");
    cells.prints("print!(\" more\\n\")", " more\n");
    cells.ok("eprint!(\"to stderr\");");
    assert_eq!(cells.stderr(), "to stderr");
}

#[test]
fn bytes_that_are_no_text_pass_through() {
    let mut cells = Conversation::start();
    cells.ok("use std::io::Write; let mut out = std::io::stdout(); out.write_all(&[0xff, 0x00, b'a', 0xfe])?; out.flush()?;");
    assert_eq!(cells.stdout(), [0xff, 0x00, b'a', 0xfe]);
    cells.shows("1", "1");
}

#[test]
fn nothing_printed_is_taken_for_a_message() {
    let mut cells = Conversation::start();
    cells.prints(
        "println!(\"EVCXR_BEGIN_CONTENT text/html\\n<b>\\nEVCXR_END_CONTENT\"); println!(\"{{\\\"Done\\\":{{}}}}\");",
        "EVCXR_BEGIN_CONTENT text/html\n<b>\nEVCXR_END_CONTENT\n{\"Done\":{}}\n",
    );
}

#[test]
fn much_output_is_complete_and_in_order() {
    let mut cells = Conversation::start();
    cells.ok("for k in 0..20_000 { println!(\"line {k}\"); }");
    let text = String::from_utf8(cells.stdout().to_vec()).unwrap();
    assert!(text.lines().enumerate().all(|(k, line)| line == format!("line {k}")));
    assert_eq!(text.lines().count(), 20_000);
}

#[test]
fn output_comes_before_the_value() {
    let mut cells = Conversation::start();
    cells.ok("print!(\"printed\"); 5");
    assert_eq!(cells.stdout(), b"printed");
    assert_eq!(cells.results(), ["5"]);
}

#[test]
fn c_output_is_flushed_with_the_cell() {
    let mut cells = Conversation::start();
    cells.ok("unsafe extern \"C\" { fn puts(text: *const std::ffi::c_char) -> i32; }");
    cells.prints("unsafe { puts(c\"from C\".as_ptr()) };", "from C\n");
}

#[test]
fn a_thread_prints_after_its_cell() {
    let mut cells = Conversation::start();
    cells.ok("let t = std::thread::spawn(|| { std::thread::sleep(std::time::Duration::from_millis(100)); println!(\"late\"); });");
    cells.ok("t.join().unwrap();");
    // If it comes while the second cell runs, it is marked.
    let of_first = cells.streamed().into_iter().filter_map(|said| match said {
        Streamed::OfCell(1, text) => Some(text),
        _ => None,
    });
    let of_first: String = of_first.collect();
    assert_eq!(cells.drained() + &of_first, "late\n");
}

#[test]
fn standard_input_is_empty_rather_than_a_hang() {
    let mut cells = Conversation::start();
    cells.shows("let mut line = String::new(); std::io::stdin().read_line(&mut line)?", "0");
}

#[test]
fn the_current_folder_and_environment_are_the_users() {
    let mut cells = Conversation::with_environment(&[("GPUREPL_TEST_WORD", "here")]);
    cells.shows("std::env::var(\"GPUREPL_TEST_WORD\")?", "\"here\"");
    let folder = std::env::current_dir().unwrap();
    cells.shows("std::env::current_dir()?", &format!("{folder:?}"));
}

#[test]
fn what_a_kernel_prints_belongs_to_its_cell() {
    let mut cells = Conversation::start();
    cells.ok("let source = \"__global__ void hello(int n) { printf(\\\"thread %d of %d\\\\n\\\", threadIdx.x, n); }\";");
    cells.ok("let hello = SourceModule::new(source)?.get_function(\"hello\")?;");
    cells.prints("hello.launch(1, 2, 2)?;", "thread 0 of 2\nthread 1 of 2\n");
    cells.prints("1;", "");
}
