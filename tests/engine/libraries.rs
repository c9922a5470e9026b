//! Libraries over the arrays, in cells.

use std::time::Duration;

use gpurepl_session::Outcome;
use gpurepl_tests::{Conversation, is_on_host};

#[test]
fn arrays_go_to_files_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut cells = Conversation::start();
    cells.ok(&format!("let folder = std::path::PathBuf::from({:?});", folder.path().display().to_string()));
    cells.ok("let a = arange(0..6).reshape((2, 3)); let b = gpu![0.5, 1.5];");
    cells.ok("io::save(folder.join(\"a.npy\"), &(&a * 2))?; io::savez(folder.join(\"ab.npz\"), [(\"a\", &a), (\"b\", &b)])?;");
    cells.shows("io::load::<i32>(folder.join(\"a.npy\"))?.sum().item()", "30");
    cells.ok("let file = io::load_npz(folder.join(\"ab.npz\"))?;");
    // The open file is a variable like any other.
    cells.shows("file.get::<f64>(\"b\")?.to_vec()", "[0.5, 1.5]");
    cells.fails_with("io::load::<f32>(folder.join(\"a.npy\"))?;", "a.npy holds int32, not float32");
    cells.fails_with("io::load::<f32>(\"none.npy\")?;", "load none.npy: No such file");
}

#[test]
fn the_standard_librarys_io_wins_where_it_is_imported() {
    let mut cells = Conversation::start();
    cells.ok("use std::io;");
    cells.ok("io::copy(&mut &b\"text\"[..], &mut io::sink())?;");
    cells.ok("let written: io::Result<()> = Ok(());");
}

#[test]
fn what_libraries_stand_on_is_there_for_cells() {
    let mut cells = Conversation::start();
    cells.ok("let any = extend::AnyArray::of(&gpu![1, 2, 3]);");
    cells.shows("any", "AnyArray(int32, [3])");
    cells.shows("any.extent()?.strides", "[1]");
}

#[test]
fn transforms_and_equations_are_there_for_cells() {
    let mut cells = Conversation::start();
    cells.shows("fft::fft(&gpu![1.0f32, 0.0, 0.0, 0.0])?.real().to_vec()", "[1.0, 1.0, 1.0, 1.0]");
    cells.shows("fft::rfftfreq(4, 0.25).to_vec()", "[0.0, 1.0, 2.0]");
    cells.ok("let x = linalg::solve(&gpu![[2.0, 0.0], [0.0, 4.0]], &gpu![2.0, 2.0])?;");
    cells.shows("x.to_vec()", "[1.0, 0.5]");
    cells.fails_with("linalg::inv(&zeros::<f64>((2, 2)))?;", "inv: Singular matrix");
    // The type of a variable is named by what cells see.
    cells.ok("let lu = linalg::lu_factor(&gpu![[2.0, 0.0], [0.0, 4.0]])?;");
    cells.shows("lu.det().item()", "8.0");
}

#[test]
fn sparse_systems_are_there_for_cells() {
    let mut cells = Conversation::start();
    cells.ok("let a = sparse::diags([4, 4], &[(-1, -1.0), (0, 2.0), (1, -1.0)])?.to_csr();");
    cells.shows("a.matmul(&gpu![1.0, 2.0, 3.0, 4.0]).to_vec()", "[0.0, 0.0, 0.0, 5.0]");
    cells.ok("let solution = sparse::cg(&a, &ones::<f64>(4))?;");
    cells.shows("(solution.outcome, solution.iterations)", "(Converged, 2)");
    cells.fails_with("a.matmul(&gpu![1.0]);", "shapes [4, 4] and [1] do not fit");
}

/// One call of the plugin for all of it would be heard after seconds.
#[test]
fn a_large_product_is_interrupted_while_the_plugin_computes() {
    let mut cells = Conversation::start();
    cells.ok("linalg::det(&eye::<f64>(2))?;");
    cells.ok("let a = ones::<f32>((9000, 9000));");
    // A GPU is done with one before anybody can interrupt it.
    let work = if is_on_host() { "a.matmul(&a).gpudata();" } else { "loop { a.matmul(&a).gpudata(); }" };
    let text = format!("println!(\"begins\"); {work} println!(\"ends\");");
    let (outcome, _) = cells.interrupted(&text, &[Duration::from_millis(50)]);
    assert!(matches!(outcome, Outcome::Interrupted), "{outcome:?}");
    // Printing listens to no interrupt: it would come after a product that is not left.
    assert_eq!(cells.stdout(), b"begins\n");
    cells.shows("a.size()", "81000000");
}
