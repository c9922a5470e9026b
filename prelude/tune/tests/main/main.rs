//! Tuners in this process, on the device that `GPUREPL_DEVICE` names. What a process of its own adds is
//! tested with sessions, in `tests/`.

use gpurepl_prelude::kernel::FailureKind;
use gpurepl_prelude::*;

/// A name that no other test, and no earlier run, has stored a choice under.
fn fresh(text: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    format!("{text}\n// {} {now} {:?}", std::process::id(), std::thread::current().id())
}

const SCALE: &str = "__global__ void scale(float *y, const float *x, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
    for (int k = 0; k < EACH; k++) if (first + k < n) y[first + k] = 2 * x[first + k];
}";

fn scale(text: &str, n: usize) -> Tuner {
    tune("scale", text)
        .parameter("BLOCK", [64, 128])
        .parameter("EACH", [1, 2, 4])
        .block(|v| v["BLOCK"])
        .grid(move |v| n.div_ceil(v["BLOCK"] * v["EACH"]))
        .seconds(1e6)
}

#[test]
fn the_best_variant_is_launched_and_found_again_without_a_search() {
    let (n, text) = (3000, fresh(SCALE));
    let x = rand::<f32>(n);
    let mut y = full(n, 7.0f32);
    let tuned = scale(&text, n).run((&mut y, &x, n)).unwrap();
    assert!(y.eq(7.0).all().item(), "variants get copies");
    assert_eq!((tuned.attempts().len(), tuned.failures().len(), tuned.is_stored()), (6, 0, false));
    let least = tuned
        .attempts()
        .iter()
        .map(|attempt| attempt.result.as_ref().unwrap().seconds)
        .fold(f64::MAX, f64::min);
    assert_eq!(tuned.time(), least);
    assert!(tuned.first_time().unwrap() >= least);
    tuned.launch((&mut y, &x, n)).unwrap();
    assert!(array_equal(&y, &(&x * 2.0)));

    let again = scale(&text, n).run((&mut y, &x, n)).unwrap();
    assert!(again.is_stored() && again.best() == tuned.best(), "{again}");
    // Of the same size class.
    let (mut longer, x4) = (zeros::<f32>(n + 500), rand::<f32>(n + 500));
    assert!(scale(&text, n + 500).run((&mut longer, &x4, n + 500)).unwrap().is_stored());
    // Of another one, with another space, another text, or because it is asked to.
    let (mut long, x16) = (zeros::<f32>(4 * n), rand::<f32>(4 * n));
    assert!(!scale(&text, 4 * n).run((&mut long, &x16, 4 * n)).unwrap().is_stored());
    assert!(!scale(&text, n).parameter("OTHER", [1]).run((&mut y, &x, n)).unwrap().is_stored());
    assert!(!scale(&fresh(SCALE), n).run((&mut y, &x, n)).unwrap().is_stored());
    assert!(!scale(&text, n).again().run((&mut y, &x, n)).unwrap().is_stored());
}

#[test]
fn variants_that_fail_are_left_out_and_told() {
    let text = fresh(
        "#if HOW == 1
        #error not this one
        #endif
        __global__ void fill(int *y, int n) {
            for (int k = threadIdx.x; k < n; k += blockDim.x) y[k] = HOW == 2 ? -1 : k;
        }",
    );
    let mut y = zeros::<i32>(500);
    let tuned = tune("fill", text.as_str())
        .parameter("HOW", [0, 1, 2, 3])
        .block(|v| if v["HOW"] == 3 { 1_000_000 } else { 100 })
        .strategy(TuningStrategy::All)
        .seconds(1e6)
        .run((&mut y, 500))
        .unwrap();
    assert_eq!(
        tuned.failures(),
        [(FailureKind::DoesNotCompile, 1), (FailureKind::CannotLaunch, 1), (FailureKind::IsWrong, 1)]
    );
    assert_eq!(tuned.best()["HOW"], 0);
    let said = tuned.to_string();
    for words in ["not this one", "`y`: 500 elements differ, the first one at 0: -1 for 0", "1000000 threads"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    // What is expected has the last word, also about the first variant.
    let text = fresh("__global__ void fill(int *y, int n) { for (int k = 0; k < n; k++) y[k] = k + HOW; }");
    let tuner = || tune("fill", text.as_str()).parameter("HOW", [1, 0]).expect("y", &arange(0..500));
    let tuned = tuner().run((&mut y, 500)).unwrap();
    assert_eq!((tuned.best()["HOW"], tuned.first_time()), (0, None));
}

#[test]
fn a_search_in_which_nothing_works_says_why() {
    let mut y = zeros::<f32>(8);
    let error = tune("f", "__global__ void f(float *y) { y[0] = missing; }")
        .parameter("N", [1, 2])
        .run(&mut y)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("tune: `f`: none of 2 variants works: 2 do not compile"), "{error}");
    assert!(error.contains("the first one, with N = 1") && error.contains("missing"), "{error}");
    let said = |tuner: Tuner| tuner.run(&mut zeros::<f32>(8)).unwrap_err().to_string();
    let f = || tune("f", "__global__ void f(float *y) { y[0] = 1; }");
    for (tuner, words) in [
        (f().parameter("N", [0; 0]), "the parameter `N` has no values"),
        (f().parameter("N", [1]).parameter("N", [2]), "two parameters `N`"),
        (f().parameter("2N", [1]), "`2N` cannot be a parameter's name"),
        (f().parameter("N", [1, 2]).restrict(|_| false), "the restrictions allow none of 2 combinations"),
        (f().parameter("N", [1, 2]).limit(0), "no variant may be tried"),
        (f().parameter("N", [1, 2]).seconds(f64::NAN), "no variant may be tried"),
        (
            f().parameter("A", 0..2000).parameter("B", 0..1000).strategy(TuningStrategy::All),
            "all of 2000000 combinations cannot be tried",
        ),
        ((0..7).fold(f(), |f, k| f.parameter(&format!("P{k}"), 0..1000)), "more than 2^64 combinations"),
    ] {
        let said = said(tuner);
        assert!(said.contains(words), "{words}: {said}");
    }
    let mut host = vec![0.0f32; 8];
    let error = f().run(InOut(&mut host)).unwrap_err().to_string();
    assert!(error.contains("argument 1 is neither a number nor an array"), "{error}");
}

#[test]
fn limits_end_a_search_and_a_large_space_is_searched() {
    let text = fresh("__global__ void f(float *y) { y[0] = A + B; }");
    let mut y = zeros::<f32>(8);
    let tuner =
        || tune("f", text.as_str()).parameter("A", 0..1000).parameter("B", 0..1000).tolerance(1e9).again();
    let tuned = tuner().limit(3).run(&mut y).unwrap();
    assert_eq!(tuned.attempts().len(), 3);
    assert!(tuned.to_string().contains("3 variants of 1000000 tried"), "{tuned}");
    // The first one is tried in any case.
    assert_eq!(tuner().seconds(0.0).run(&mut y).unwrap().attempts().len(), 1);
    assert_eq!(
        tuner().seconds(0.0).strategy(TuningStrategy::Evolve).run(&mut y).unwrap().attempts().len(),
        1
    );
}

#[test]
fn instances_of_templates_and_shared_memory_are_variants() {
    let text = fresh(
        "template <int N> __global__ void sum(float *y, const float *x, int n) {
            extern __shared__ float part[];
            float own = 0;
            for (int k = threadIdx.x; k < n; k += N) own += x[k];
            part[threadIdx.x] = own;
            __syncthreads();
            for (int half = N / 2; half > 0; half /= 2) {
                if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
                __syncthreads();
            }
            if (threadIdx.x == 0) *y = part[0];
        }",
    );
    let x = rand::<f32>(5000);
    let mut y = zeros::<f32>(1);
    let tuned = tune("sum", text.as_str())
        .parameter("BLOCK", [32, 64, 128])
        .kernel(|v| format!("sum<{}>", v["BLOCK"]))
        .block(|v| v["BLOCK"])
        .shared_memory(|v| 4 * v["BLOCK"])
        .run((&mut y, &x, 5000))
        .unwrap();
    assert!(tuned.failures().is_empty(), "{tuned}");
    tuned.launch((&mut y, &x, 5000)).unwrap();
    assert!((y.to_vec()[0] - x.sum().item()).abs() < 0.1);
    assert_eq!(tuned.block().lengths(), [tuned.best()["BLOCK"] as i64, 1, 1]);
}

#[test]
fn calls_are_tuned_and_what_is_wrong_is_left_out() {
    let x = rand::<f32>(2000);
    let mut runs = 0;
    let tuning = tune_calls("ways", |v| {
        runs += 1;
        match v.text("way").as_str() {
            "sum" => v.check(&x.sum()),
            "mean" => v.check(&(x.mean() * 2000.0)),
            "wrong" => v.check(&x.max()),
            _ => Err(x.try_reshape(7).unwrap_err()),
        }
    })
    .parameter("way", ["sum", "mean", "wrong", "error"])
    .run()
    .unwrap();
    assert_eq!(tuning.failures(), [(FailureKind::Fails, 1), (FailureKind::IsWrong, 1)]);
    assert!(["sum", "mean"].contains(&tuning.best().text("way").as_str()), "{tuning}");
    assert!(tuning.to_string().contains("result 1: 1 element differs"), "{tuning}");
    assert!(runs > 8);
    // A choice is kept under a key alone.
    let key = fresh("key");
    let search = |key: Option<&str>| {
        let tuner = tune_calls("kept", |v| v.check(&(&x + 1.0))).parameter("way", [1, 2]);
        key.map_or_else(
            || tune_calls("kept", |v| v.check(&(&x + 1.0))).parameter("way", [1, 2]).run(),
            |key| tuner.key(key).run(),
        )
        .unwrap()
    };
    assert!(!search(Some(&key)).is_stored() && search(Some(&key)).is_stored());
    assert!(!search(None).is_stored() && !search(None).is_stored());
}

#[test]
fn values_are_shown_as_a_table_and_a_plot() {
    let text = fresh(SCALE);
    let x = rand::<f32>(1000);
    let mut y = zeros::<f32>(1000);
    let tuned = scale(&text, 1000).bytes(8000).run((&mut y, &x, 1000)).unwrap();
    let shown = tuned.to_string();
    for words in [
        "scale: BLOCK = ",
        "GB/s",
        "times as fast as the first variant",
        "6 variants of 6 tried in ",
        "BLOCK  EACH",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert_eq!(tuned.table().to_string().lines().count(), 7);
    let svg = tuned.plot().to_svg().unwrap();
    assert!(svg.contains("BLOCK") && svg.contains("EACH"), "a picture for each parameter");
}

#[test]
fn a_variant_that_is_wrong_is_nothing_to_compare_with() {
    // The first one is wrong in what is expected; its other array must not count.
    let text = fresh(
        "__global__ void f(int *first, int *second, const int *x) {
            first[threadIdx.x] = HOW == 0 ? -1 : x[threadIdx.x];
            second[threadIdx.x] = HOW == 0 ? -1 : 2 * x[threadIdx.x];
        }",
    );
    let x = arange(0..64);
    let (mut first, mut second) = (zeros::<i32>(64), zeros::<i32>(64));
    let tuned = tune("f", text.as_str())
        .parameter("HOW", 0..3)
        .block(|_| 64)
        .expect("first", &x)
        .run((&mut first, &mut second, &x))
        .unwrap();
    assert_eq!(tuned.failures(), [(FailureKind::IsWrong, 1)], "{tuned}");
    assert!(tuned.best()["HOW"] > 0);
}

#[test]
fn a_choice_of_another_length_is_used_only_if_it_is_right_there() {
    // Right for lengths that tiles divide.
    let text = fresh(
        "__global__ void copy(float *y, const float *x, int n) {
            int tiles = n / TILE;
            if (EXACT) tiles = (n + TILE - 1) / TILE;
            for (int t = 0; t < tiles; t++)
                for (int k = t * TILE; k < (t + 1) * TILE && k < n; k++) y[k] = x[k];
            if (EXACT) for (int wait = 0; wait < 200000; wait++) ((volatile float *)y)[0] = x[0];
        }",
    );
    let copy = |n: usize| {
        let (x, mut y) = (rand::<f32>(n), zeros::<f32>(n));
        tune("copy", text.as_str())
            .parameter("EXACT", [1, 0])
            .parameter("TILE", [16])
            .run((&mut y, &x, n))
            .unwrap()
    };
    assert_eq!(copy(512).best()["EXACT"], 0);
    assert!(copy(512).is_stored());
    // 500 is of the same size class, and its last tile is not whole.
    let tuned = copy(500);
    assert_eq!((tuned.best()["EXACT"], tuned.is_stored()), (1, false), "{tuned}");
}

#[test]
fn an_error_that_an_operator_raises_is_the_variants() {
    let x = rand::<f32>(100);
    let tuning = tune_calls("raised", |v| v.check(&(&x + &zeros::<f32>(v["n"]))))
        .parameter("n", [100, 3])
        .run()
        .unwrap();
    assert_eq!(tuning.failures(), [(FailureKind::Fails, 1)]);
    assert!(tuning.to_string().contains("shapes [100] and [3] do not broadcast"), "{tuning}");
}

#[test]
fn the_first_variant_is_the_first_that_is_allowed() {
    let mut y = zeros::<i32>(1);
    let text = fresh("__global__ void f(int *y) { *y = N > 0; }");
    let tuned = tune("f", text.as_str()).parameter("N", 0..4).restrict(|v| v["N"] > 0).run(&mut y).unwrap();
    assert_eq!(tuned.attempts()[0].configuration["N"], 1);
    assert!(tuned.first_time().is_some() && tuned.to_string().contains("3 variants of 3 tried"), "{tuned}");
}
