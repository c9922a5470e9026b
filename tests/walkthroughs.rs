//! The notebooks and scripts of `notebooks/`, and the examples, run as scripts: their checks are assertions of their own,
//! which fail them.

use std::path::{Path, PathBuf};

use gpurepl_tests::{Finished, checkout, gpurepl};

fn notebook(name: &str) -> PathBuf {
    checkout().join("notebooks").join(name)
}

fn run(path: &Path) -> Finished {
    Finished::of(&mut gpurepl(&[path.to_str().unwrap()]))
}

/// What a program prints that ends well, and may have notes.
#[track_caller]
fn told(finished: Finished) -> String {
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    assert!(!finished.stderr.contains("error"), "{}", finished.stderr);
    finished.stdout
}

/// Runs a copy of a notebook in which the kernel computes something else.
#[track_caller]
fn fails_when_wrong(name: &str, right: &str, wrong: &str) {
    let text = std::fs::read_to_string(notebook(name)).unwrap();
    assert!(text.contains(right), "{name} has no `{right}`");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(Path::new(name).file_name().unwrap());
    std::fs::write(&path, text.replace(right, wrong)).unwrap();
    let finished = run(&path);
    assert_eq!(finished.status, Some(1), "{name} with `{wrong}`: {}", finished.stdout);
    assert!(finished.stderr.contains("assert"), "{}", finished.stderr);
}

#[test]
fn first_steps() {
    let shown = run(&notebook("01_first_steps.ipynb")).expect_success();
    // The seed gives the same numbers on every device.
    assert!(shown.contains("array([[-0.5700831 ,  1.3062268 , -1.2896442 ,  0.2180483 ],"), "{shown}");
    assert!(shown.contains("(Float32, [4, 4], 4)"), "{shown}");
    fails_when_wrong("01_first_steps.ipynb", "a[idx] *= 2;", "a[idx] *= 3;");
    fails_when_wrong("01_first_steps.ipynb", "a*x[i] + b*y[i]", "a*x[i] - b*y[i]");
    fails_when_wrong("01_first_steps.ipynb", "x[i]*y[i]", "x[i]");
}

#[test]
fn source_modules() {
    let shown = run(&notebook("02_source_modules.ipynb")).expect_success();
    assert!(shown.contains("242. 244. 246. 248. 250.\n 252. 254.]"), "{shown}");
    assert_eq!(shown.matches("hello from thread").count(), 4, "{shown}");
    assert!(shown.contains("block.x is 5000 threads"), "{shown}");
    fails_when_wrong("02_source_modules.ipynb", "b[i] = 2 * a[i]", "b[i] = a[i]");
    fails_when_wrong("02_source_modules.ipynb", "(x / side + y / side) % 2", "(x / side) % 3");
}

#[test]
fn four_ways() {
    let shown = run(&notebook("03_four_ways.ipynb")).expect_success();
    assert_eq!(shown.matches("Success").count(), 4, "{shown}");
    assert!(shown.contains("InOut") && shown.contains(" ms"), "{shown}");
    fails_when_wrong("03_four_ways.ipynb", "array[i] *= factor;", "array[i] *= factor + 1;");
    fails_when_wrong("03_four_ways.ipynb", "array[i] * factor;", "array[i] / factor;");
}

#[test]
fn from_pycuda_and_numpy() {
    let shown = told(run(&notebook("00_from_pycuda_and_numpy.ipynb")));
    assert!(shown.contains("(Int32, Int64, Float64, Float32, Bool)"), "{shown}");
    assert!(shown.contains("argument 2 `x` is `float *`, which takes an array, not a number"), "{shown}");
    fails_when_wrong("00_from_pycuda_and_numpy.ipynb", "set!(a[.., 1] += 10);", "set!(a[1] += 10);");
    fails_when_wrong("00_from_pycuda_and_numpy.ipynb", "InOut(&mut a))?;", "In(&a))?;");
}

#[test]
fn elementwise_kernels() {
    let shown = run(&notebook("06_elementwise_kernels.ipynb")).expect_success();
    assert!(shown.contains("A damped oscillation") && shown.contains("shape=(2000, 2000)"), "{shown}");
    assert!(shown.contains("takes an array of float32, not of float64"), "{shown}");
    fails_when_wrong("06_elementwise_kernels.ipynb", "cosf(frequency * t[i])", "sinf(frequency * t[i])");
    fails_when_wrong("06_elementwise_kernels.ipynb", "weight.z*rgb[i].z", "weight.z*rgb[i].y");
    fails_when_wrong("06_elementwise_kernels.ipynb", "alive == 2 && now[i]", "alive == 2");
}

#[test]
fn textures_and_memory() {
    let shown = run(&notebook("09_textures_and_memory.ipynb")).expect_success();
    assert!(shown.contains("1936 bytes of shared memory for a block"), "{shown}");
    assert!(shown.contains("array([10., 70., 20., 90., 10.], dtype=float32)"), "{shown}");
    let name = "09_textures_and_memory.ipynb";
    fails_when_wrong(
        name,
        "tile[threadIdx.y + i][threadIdx.x + j]",
        "tile[threadIdx.x + i][threadIdx.y + j]",
    );
    fails_when_wrong(name, "tex1Dfetch(line, i + 1)", "tex1Dfetch(line, i)");
    fails_when_wrong(name, "(p[2][0] + 2 * p[2][1] + p[2][2])", "(p[2][0] + p[2][1] + p[2][2])");
}

#[test]
fn places() {
    let shown = run(&notebook("11_places.ipynb")).expect_success();
    assert!(shown.contains("cannot mix objects of two contexts"), "{shown}");
    assert!(shown.contains("0.8826335265925896 and 0.9097659397233953"), "{shown}");
    fails_when_wrong("11_places.ipynb", "    a * xi + yi", "    a * xi - yi");
    fails_when_wrong("11_places.ipynb", "(&t * &t).mean()", "(&t + &t).mean()");
}

#[test]
fn streams_and_graphs() {
    let shown = run(&notebook("12_streams_and_graphs.ipynb")).expect_success();
    assert!(shown.contains("0, then 0.875, then 0.984375"), "{shown}");
    assert!(shown.contains("shifted: index out of bounds: the len is 8 but the index is 8"), "{shown}");
    fails_when_wrong("12_streams_and_graphs.ipynb", "v = 0.5 * (v + a / v);", "v = 0.5 * (v + a * v);");
    fails_when_wrong("12_streams_and_graphs.ipynb", "factor.fill(10);", "factor.fill(11);");
}

#[test]
fn when_things_go_wrong() {
    let shown = run(&notebook("13_when_things_go_wrong.ipynb")).expect_success();
    for part in [
        "the len is 1000 but the index is 1000",
        "race: this thread",
        "the threads wait for each other for ever",
        "attempt to add with overflow",
        "stopped after 300ms",
        "out of memory on",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    fails_when_wrong("13_when_things_go_wrong.ipynb", "y[i] += by * x[i];", "y[i] += by + x[i];");
    fails_when_wrong(
        "13_when_things_go_wrong.ipynb",
        "atomicAdd(&count[x[i]], 1)",
        "atomicExch(&count[x[i]], 1)",
    );
    fails_when_wrong("13_when_things_go_wrong.ipynb", "(t - with_memory) - y", "(t - with_memory) + y");
}

/// The examples, and what makes the assertion of each fail.
const EXAMPLES: [(&str, &str, &str); 16] = [
    (
        "thread_ids",
        "thread[y * columns + x] = threadIdx.y * blockDim.x + threadIdx.x;",
        "thread[y * columns + x] = threadIdx.x * blockDim.x + threadIdx.y;",
    ),
    ("dump_properties", "atomicAdd(threads, 1);", "threads[0] = 1;"),
    ("matrix_transpose", "tile[threadIdx.x][threadIdx.y + k];", "tile[threadIdx.y + k][threadIdx.x];"),
    (
        "matrix_multiply_tiled",
        "left[threadIdx.y][i] * right[i][threadIdx.x]",
        "left[threadIdx.y][i] * right[threadIdx.x][i]",
    ),
    ("convolution", "min(max(at + k, 0), last) * step", "min(max(at, 0), last) * step"),
    ("sobel", "(across * across + down * down).sqrt()", "across.abs() + down.abs()"),
    ("rotate", "cosf(angle) * dy - sinf(angle) * dx", "cosf(angle) * dy + sinf(angle) * dx"),
    ("bilinear", "(x + 0.5f) / times, (y + 0.5f) / times", "(x + 0.0f) / times, (y + 0.5f) / times"),
    ("histogram", "atomicAdd(&mine[values[i]], 1);", "mine[values[i]] = 1;"),
    ("mandelbrot", "double next = x * x - y * y + re[i];", "double next = x * x - y * y - re[i];"),
    ("simple_raytracer", "nearest - square.sqrt()", "nearest + square.sqrt()"),
    ("game_of_life", "(neighbours == 2 && alive == 1)", "neighbours == 2"),
    ("heat_2d", "rate * (around - 4 * now[at])", "rate * (around - 3 * now[at])"),
    ("n_body", "tile[k].w / (square * sqrtf(square))", "tile[k].w / square"),
    ("pi_monte_carlo", "if (x * x + y * y <= 1) mine++;", "if (x + y <= 1) mine++;"),
    ("measure_gpu_array_speed", "mixed.assign(5 * &a + 6 * &b);", "mixed.assign(5 * &a + 5 * &b);"),
];

#[test]
fn examples_are_right_and_notice_what_is_wrong() {
    let folder = checkout().join("examples");
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .flatten()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    let mut known: Vec<String> = EXAMPLES.iter().map(|(name, ..)| (*name).to_owned()).collect();
    files.sort();
    known.sort();
    assert_eq!(files, known);
    let listed = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let other = tempfile::tempdir().unwrap();
    for (name, right, wrong) in EXAMPLES {
        assert!(listed.contains(name), "examples/README.md does not list {name}");
        let path = folder.join(format!("{name}.rs"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//! ") && text.contains(right), "{name} has no `{right}`");
        run(&path).expect_success();
        let path = other.path().join(format!("{name}.rs"));
        std::fs::write(&path, text.replace(right, wrong)).unwrap();
        let finished = run(&path);
        assert_eq!(finished.status, Some(1), "{name} with `{wrong}`: {}", finished.stdout);
        assert!(finished.stderr.contains("assert"), "{}", finished.stderr);
    }
}

#[test]
fn fft_and_filters() {
    let shown = run(&notebook("15_fft_and_filters.ipynb")).expect_success();
    assert!(shown.contains("[50.0, 120.0]"), "{shown}");
    assert!(shown.contains("root mean square error: 1.008 before, 0.064 after"), "{shown}");
    fails_when_wrong("15_fft_and_filters.ipynb", "&spectrum * &mask", "&spectrum * (1.0 - &mask)");
    fails_when_wrong(
        "15_fft_and_filters.ipynb",
        "ifft2(&fft::ifftshift(&(&waves * &is_slow))?)",
        "ifft2(&(&waves * &is_slow))",
    );
    fails_when_wrong("15_fft_and_filters.ipynb", "47.5 * time.square()", "-2.0 * time.square()");
}

#[test]
fn a_wave() {
    let shown = run(&notebook("17_a_wave.ipynb")).expect_success();
    assert!(shown.contains("__global__ void stage(double *to, double *rest"), "{shown}");
    assert!(shown.contains("3  4   0.0001   3.2e-6      1e-7    3.1e-9   5.01"), "{shown}");
    assert!(shown.contains("left at t = 2: [0.687"), "{shown}");
    // The wave that comes in, the steps in time, the neighbours of triangles.
    fails_when_wrong("17_a_wave.ipynb", "+ turn*({{ sum(tangents[s],", "- turn*({{ sum(tangents[s],");
    fails_when_wrong("17_a_wave.ipynb", "5161836677717.0", "5161936677717.0");
    fails_when_wrong("17_a_wave.ipynb", "(nodes[back] * count + other)", "(nodes[m] * count + other)");
}

#[test]
fn four_gpus() {
    let shown = told(run(&notebook("19_four_gpus.ipynb")));
    assert!(shown.contains("[2] this is said here alone"), "{shown}");
    assert!(shown.contains("[1] rank 1 has rows 4096..8192 and needs 256 elements of others"), "{shown}");
    assert!(shown.contains("all_reduce: rank 0 has shape [4], rank 2 has [5]"), "{shown}");
    // The kernel, the neighbours beyond the plate, and random numbers by their places.
    fails_when_wrong("19_four_gpus.ipynb", "0.5f * x[i] + 1;", "0.5f * x[i] + 2;");
    fails_when_wrong("19_four_gpus.ipynb", "Edge::Constant(0.0), heat", "Edge::Periodic, heat");
    fails_when_wrong(
        "19_four_gpus.ipynb",
        "let points = rand::<f64>((400_000, 2));",
        "let points = randn::<f64>((400_000, 2));",
    );
}

#[test]
fn linear_systems() {
    let shown = run(&notebook("16_linear_systems.ipynb")).expect_success();
    assert!(shown.contains("Singular matrix: pivot 1 of its LU factorisation is exactly zero"), "{shown}");
    assert!(shown.contains("40000 rows, 199200 elements"), "{shown}");
    assert!(shown.contains("cg: MaxIterations after 600 steps"), "{shown}");
    assert!(shown.contains("Modes of a drum, and their eigenvalues"), "{shown}");
    // The matrix, the kernel in its place, the shape of the drum.
    fails_when_wrong(
        "16_linear_systems.ipynb",
        "sparse::kron(&one, &line)? + sparse::kron(&line, &one)?",
        "sparse::kron(&one, &line)? - sparse::kron(&line, &one)?",
    );
    fails_when_wrong("16_linear_systems.ipynb", "sum = 4*x[at];", "sum = 5*x[at];");
    fails_when_wrong("16_linear_systems.ipynb", "gt(m as i64 / 2) | i", "gt(m as i64 / 2) & i");
}

#[test]
fn your_cpp_on_my_array() {
    let shown = run(&notebook("18_your_cpp_on_my_array.ipynb")).expect_success();
    assert!(shown.contains("std::int64_t: 1443698245"), "{shown}");
    for words in [
        "did you mean `example::sum`?",
        "undefined symbol: _ZN7example3sumIiE",
        "sum is for float and double",
        "elements do not lie one behind the other",
        "std::invalid_argument: the width is 20",
        "100! has 158 digits",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // What writes through an array's pointer, the class, the compensation.
    fails_when_wrong("18_your_cpp_on_my_array.ipynb", "x[i] *= by;", "x[i] += by;");
    fails_when_wrong("18_your_cpp_on_my_array.ipynb", "sorted.size() / 2", "sorted.size() / 3");
    fails_when_wrong("18_your_cpp_on_my_array.ipynb", "x[i] - excess;", "x[i] + excess;");
}

#[test]
fn kernels_in_rust() {
    let shown = run(&notebook("05_kernels_in_rust.ipynb")).expect_success();
    assert!(shown.contains("shifted: index out of bounds: the len is 1000 but the index is 1000"), "{shown}");
    assert!(shown.contains("thread [249, 0, 0] of block [3, 0, 0]"), "{shown}");
    fails_when_wrong("05_kernels_in_rust.ipynb", "y[i] += a * x[i];", "y[i] -= a * x[i];");
    fails_when_wrong(
        "05_kernels_in_rust.ipynb",
        "sum += left[y][k] * right[k][x];",
        "sum += left[y][k] * right[x][k];",
    );
}

#[test]
fn code_is_data() {
    // Progress is told on standard error.
    let finished = run(&notebook("10_code_is_data.ipynb"));
    assert_eq!(finished.status, Some(0), "{}{}", finished.stdout, finished.stderr);
    let shown = finished.stdout;
    for words in [
        "tgt[idx + 192] *= 2;",
        "did you mean `blocksize`?",
        "9 terms and 5",
        "24 variants of 24 tried in ",
        "true",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    fails_when_wrong("10_code_is_data.ipynb", "*= 2;", "*= 3;");
    fails_when_wrong("10_code_is_data.ipynb", "{{ weight }}f *", "2 * {{ weight }}f *");
}

#[test]
fn reductions_and_scans() {
    let shown = run(&notebook("07_reductions_and_scans.ipynb")).expect_success();
    assert!(shown.contains("A filter with memory, computed at once"), "{shown}");
    assert!(shown.contains("atomics"), "{shown}");
    fails_when_wrong("07_reductions_and_scans.ipynb", "t >= step ? turns[now][t - step] : 0", "0");
    fails_when_wrong("07_reductions_and_scans.ipynb", "across_seg_boundary ? b : a + b", "a + b");
}

#[test]
fn figures() {
    let shown = run(&notebook("20_figures.ipynb")).expect_success();
    for part in [
        "Figure: 2 series, 640x480, \"Waves\"",
        "Subplots: 2 x 2, 960x720, \"Four axes\"",
        "[B] Figure: 1 series",
        "Animation: 12 frames, 1.5 s, 480x320",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    fails_when_wrong("20_figures.ipynb", "assert_eq!(axes.len(), 4);", "assert_eq!(axes.len(), 5);");
    fails_when_wrong("20_figures.ipynb", "around.sin() * down.sin()", "around.sin() * down.cos()");
    fails_when_wrong(
        "20_figures.ipynb",
        "figure.theme(Theme::Dark).save(&file)?;",
        "std::fs::write(&file, [0; 9])?;",
    );
}

#[test]
fn arrays_like_numpy() {
    let shown = run(&notebook("04_arrays_like_numpy.ipynb")).expect_success();
    assert!(shown.contains("three clusters") && shown.contains("100 000 heights"), "{shown}");
    // The centres that the points were made around.
    assert!(shown.contains("[ 4.01661652,  1.00115033]"), "{shown}");
    fails_when_wrong("04_arrays_like_numpy.ipynb", "set!(c[&c.gt(6)] = 0);", "set!(c[&c.gt(7)] = 0);");
    fails_when_wrong("04_arrays_like_numpy.ipynb", "own.mean_axis(0)", "own.max_axis(0)");
}

#[test]
fn numpys_quickstart() {
    run(&notebook("numpy/quickstart.rs")).expect_success();
    fails_when_wrong("numpy/quickstart.rs", "a *= 3;", "a *= 4;");
}

#[test]
fn numpys_basics_for_beginners() {
    run(&notebook("numpy/beginners.rs")).expect_success();
    fails_when_wrong("numpy/beginners.rs", "set!(a[0] = 10);", "set!(a[0] = 11);");
}

#[test]
fn exercises_of_numpy() {
    run(&notebook("numpy/exercises.rs")).expect_success();
    fails_when_wrong("numpy/exercises.rs", "z *= -1;", "z *= 1;");
}

#[test]
fn the_readme() {
    let text = std::fs::read_to_string(checkout().join("README.md")).unwrap();
    let code = text.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("readme.rs");
    std::fs::write(&path, code).unwrap();
    let shown = run(&path).expect_success();
    assert!(shown.contains("array([["), "{shown}");
    let error: f64 = shown.lines().last().unwrap().parse().unwrap();
    assert!(error < 1e-5, "{shown}");
}

#[test]
fn random_numbers() {
    let shown = run(&notebook("08_random_numbers.ipynb")).expect_success();
    assert!(
        shown.contains("array([0.49503976, 0.17173535, 0.31122178, 0.22529483], dtype=float32)"),
        "{shown}"
    );
    assert!(shown.contains("774 of 1000 points lie inside"), "{shown}");
    let name = "08_random_numbers.ipynb";
    fails_when_wrong(name, "let inside = squares.le(1);", "let inside = squares.le(1.5);");
    fails_when_wrong(name, "curand_init(seed, i, 0, &state);", "curand_init(seed, 0, 0, &state);");
    fails_when_wrong(name, "radius * angle.sin())", "radius * angle.cos())");
}

#[test]
fn complex_numbers() {
    let shown = run(&notebook("14_complex_numbers.ipynb")).expect_success();
    assert!(shown.contains("around the double zero 2, around a pole -1, around all 2"), "{shown}");
    assert!(shown.contains("51 places in single precision"), "{shown}");
    let name = "14_complex_numbers.ipynb";
    fails_when_wrong(name, "(z.square() - 1) * (z -", "(z.square() - 1) / (z -");
    fails_when_wrong(name, "return n as f32 + 1.0 -", "return n as f32 + 2.0 -");
}
