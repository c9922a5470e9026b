//! Scans of the user's, and what stands on them. The sizes and many of the cases are those of
//! PyOpenCL's `test_algorithm.py`.

use gpurepl_prelude::*;

const COUNTS: [usize; 9] = [1, 2, 3, 10, 127, 4095, 16384 - 11, 3 * (1 << 15) + 17, (1 << 20) + 1];

/// Numbers in no order.
fn numbers(count: usize, below: i64) -> Vec<i32> {
    let mut state = 12345_u64;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as i64 % below) as i32
    };
    (0..count).map(next).collect()
}

#[test]
fn inclusive_and_exclusive_scans_are_loops() {
    let inclusive = InclusiveScanKernel::<i32>::new("a + b", "0").unwrap();
    let exclusive = ExclusiveScanKernel::<i32>::new("a + b", "0").unwrap();
    let largest = InclusiveScanKernel::<f32>::new("a > b ? a : b", "-1e30f").unwrap();
    for count in COUNTS {
        let host = numbers(count, 1000);
        let device = to_gpu(&host);
        let mut sum = 0;
        let sums: Vec<i32> = host
            .iter()
            .map(|x| {
                sum += x;
                sum
            })
            .collect();
        assert_eq!(inclusive.call(&device).unwrap().to_vec(), sums);
        let before: Vec<i32> = sums.iter().zip(&host).map(|(sum, x)| sum - x).collect();
        assert_eq!(exclusive.call(&device).unwrap().to_vec(), before);
        let mut most = f32::MIN;
        let wanted: Vec<f32> = host
            .iter()
            .map(|x| {
                most = most.max(*x as f32);
                most
            })
            .collect();
        assert_eq!(largest.call(&device.astype(f32)).unwrap().to_vec(), wanted);
    }
    assert_eq!(inclusive.call(&zeros::<i32>(0)).unwrap().size(), 0);
    let mut out = zeros::<i32>(3);
    inclusive.call_into(&gpu![1, 2, 3], &mut out).unwrap();
    assert_eq!(out.to_vec(), [1, 3, 6]);
    // Views are read as they are, and shapes are kept.
    let square = gpu![[1, 2], [3, 4]];
    let of_turned = inclusive.call(&square.t().copy()).unwrap();
    assert_eq!((of_turned.shape(), of_turned.to_vec()), (&[2, 2][..], vec![1, 4, 6, 10]));
}

/// `(a, b)` as a line `x -> a x + b`: what is combined must keep its order.
#[test]
fn values_are_combined_in_their_order() {
    let lines = ScanKernel::<Complex64>::new(
        "const double *slope, const double *shift, double *x",
        "gpurepl::complex<double>(slope[i], shift[i])",
        "gpurepl::complex<double>(a.re * b.re, a.im * b.re + b.im)",
        "gpurepl::complex<double>(1, 0)",
        "x[i] = item.im",
        "lines",
    )
    .unwrap();
    for count in COUNTS {
        let slope: Vec<f64> = (0..count).map(|k| if k % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let shift: Vec<f64> = (0..count).map(|k| (k % 17) as f64).collect();
        let mut found = zeros::<f64>(count);
        lines.call((&to_gpu(&slope), &to_gpu(&shift), &mut found)).unwrap();
        let mut x = 0.0;
        for (k, found) in found.to_vec().into_iter().enumerate() {
            x = slope[k] * x + shift[k];
            assert_eq!(found, x, "{k} of {count}");
        }
    }
}

#[test]
fn statements_know_what_comes_before_and_at_the_end() {
    let knows = ScanKernel::<i32>::new(
        "const int *x, int *own, int *before, int *behind, long long *last",
        "x[i]",
        "a + b",
        "0",
        "own[i] = item; before[i] = prev_item; behind[i] = last_item - item; if (i + 1 == N) last[0] = i",
        "knows",
    )
    .unwrap();
    for count in COUNTS {
        let host = numbers(count, 10);
        let [mut own, mut before, mut behind] = [(); 3].map(|()| zeros::<i32>(count));
        let mut last = zeros::<i64>(1);
        knows.call((&to_gpu(&host), &mut own, &mut before, &mut behind, &mut last)).unwrap();
        let all: i32 = host.iter().sum();
        let (own, before, behind) = (own.to_vec(), before.to_vec(), behind.to_vec());
        let mut sum = 0;
        for k in 0..count {
            assert_eq!(before[k], sum, "{k} of {count}");
            sum += host[k];
            assert_eq!((own[k], behind[k]), (sum, all - sum), "{k} of {count}");
        }
        assert_eq!(last.item(), count as i64 - 1);
    }
}

#[test]
fn segments_start_anew() {
    let running = |segment: &str, statement: &str| {
        ScanKernel::<i32>::new(
            "const int *x, const bool *starts, int *y",
            "x[i]",
            "across_seg_boundary ? b : a + b",
            "0",
            statement,
            "running",
        )
        .unwrap()
        .is_segment_start(segment)
    };
    let inclusive = running("starts[i]", "y[i] = item");
    let exclusive = running("starts[i]", "y[i] = prev_item");
    let counts = COUNTS.into_iter().zip([2, 3, 5, 2, 50, 100, 3000, 100_000, 500_000]);
    // Several rounds of all blocks, with few segments in each.
    for (count, below) in counts.chain([(3_000_001, 400_000)]) {
        let host = numbers(count, 100);
        let starts: Vec<bool> = numbers(count, below).into_iter().map(|k| k == 1).collect();
        let (x, s) = (to_gpu(&host), to_gpu(&starts));
        let [mut up_to, mut before] = [(); 2].map(|()| zeros::<i32>(count));
        inclusive.call((&x, &s, &mut up_to)).unwrap();
        exclusive.call((&x, &s, &mut before)).unwrap();
        let (up_to, before) = (up_to.to_vec(), before.to_vec());
        let mut sum = 0;
        for k in 0..count {
            if starts[k] {
                sum = 0;
            }
            assert_eq!(before[k], sum, "before {k} of {count}");
            sum += host[k];
            assert_eq!(up_to[k], sum, "up to {k} of {count}");
        }
    }
}

#[test]
fn an_array_may_be_its_own_result() {
    let mut x = to_gpu(&numbers(5_000_000, 50));
    let wanted = x.astype(i64).cumsum();
    let kernel = ScanKernel::<i32>::new("int *x", "x[i]", "a + b", "0", "x[i] = item", "in_place").unwrap();
    kernel.call(&mut x).unwrap();
    assert!(array_equal(&x.astype(i64), &wanted));
}

#[test]
fn floats_have_the_same_bits_each_time() {
    let kernel = InclusiveScanKernel::<f32>::new("a + b", "0").unwrap();
    let x = rng(7).uniform(0, 1, 3_000_000).astype(f32);
    let first = kernel.call(&x).unwrap().to_vec();
    for _ in 0..3 {
        assert!(kernel.call(&x).unwrap().to_vec() == first);
    }
}

#[test]
fn small_types_are_scanned() {
    fn check<T: Elem + PartialEq>(scan: &str, make: fn(usize) -> T, combine: fn(T, T) -> T) {
        let c = T::DTYPE.c();
        let arguments = format!("const {c} *x, const bool *starts, {c} *y, {c} *before");
        let own = ScanKernel::<T>::new(
            &arguments,
            "x[i]",
            scan,
            "0",
            "y[i] = item; before[i] = prev_item",
            "small",
        );
        let (own, count) = (own.unwrap(), 100_003);
        let parts = ScanKernel::<T>::new(
            &arguments,
            "x[i]",
            &format!("across_seg_boundary ? b : ({c})({scan})"),
            "0",
            "y[i] = item; before[i] = prev_item",
            "small_parts",
        );
        let parts = parts.unwrap().is_segment_start("starts[i]");
        let host: Vec<T> = (0..count).map(make).collect();
        let starts: Vec<bool> = (0..count).map(|k| k % 777 == 5).collect();
        let (x, s) = (to_gpu(&host), to_gpu(&starts));
        for (kernel, has_parts) in [(own, false), (parts, true)] {
            let [mut y, mut before] = [(); 2].map(|()| zeros::<T>(count));
            kernel.call((&x, &s, &mut y, &mut before)).unwrap();
            let (y, before) = (y.to_vec(), before.to_vec());
            let mut value = zeros::<T>(1).item();
            for k in 0..count {
                if has_parts && starts[k] {
                    value = zeros::<T>(1).item();
                }
                assert!(before[k] == value, "{} before {k}", T::DTYPE);
                value = combine(value, host[k]);
                assert!(y[k] == value, "{} up to {k}", T::DTYPE);
            }
        }
    }
    check::<u8>("a + b", |k| k as u8, u8::wrapping_add);
    check::<i16>("a > b ? a : b", |k| (k * 7919 % 30_000) as i16, i16::max);
    check::<bool>("a != b", |k| k % 3 == 0, |a, b| a != b);
    check::<f16>("a > b ? a : b", |k| f16::from_f32((k * 7919 % 2000) as f32), f16::max);
    check::<Complex64>("a + b", |k| Complex64::new((k % 5) as f64, -1.0), |a, b| a + b);
}

#[test]
fn macros_of_a_preamble_stand_for_items() {
    let kernel = ScanKernel::<i32>::new(
        "const int *x, int *y",
        "x[i]",
        "a + b",
        "0",
        "y[i] = BEFORE * 1000 + ALL",
        "hidden",
    )
    .unwrap()
    .preamble("#define BEFORE prev_item\n#define ALL last_item\n#define TILE 16\n#define T float\n");
    let mut y = zeros::<i32>(100);
    kernel.call((&ones::<i32>(100), &mut y)).unwrap();
    assert_eq!(y.to_vec(), (0..100).map(|k| k * 1000 + 100).collect::<Vec<i32>>());
}

#[test]
fn sizes_and_preambles() {
    let kernel =
        ScanKernel::<i64>::new("long long *squares", "square(i)", "a + b", "0", "squares[i] = item", "sum")
            .unwrap()
            .preamble("__device__ long long square(long long x) { return x * x; }");
    let mut out = zeros::<i64>(6);
    kernel.call_size(4, &mut out).unwrap();
    assert_eq!(out.to_vec(), [0, 1, 5, 14, 0, 0]);
    let error = kernel.call_size(7, &mut out).unwrap_err().to_string();
    assert!(error.contains("`squares` has 6 elements, and `squares[i]` is used for 7"), "{error}");
    let error =
        ScanKernel::<i32>::new("int *x", "1", "a + b", "0", "if (i + 1 == n) x[0] = item", "long").unwrap();
    let error = error.call_size(usize::MAX, &mut zeros::<i32>(1)).unwrap_err().to_string();
    assert!(error.contains("a scan has at most"), "{error}");
    assert!(kernel.source().unwrap().contains("square(i)"));
    let text = format!("{kernel:?}");
    assert!(text.starts_with("ScanKernel(") && text.contains("a + b over square(i) of int64"), "{text}");
}

#[test]
fn mistakes_in_scans_are_named() {
    let error = |input: &str, scan: &str, output: &str| {
        let kernel =
            ScanKernel::<i32>::new("const int *x, int *y", input, scan, "0", output, "wrong").unwrap();
        kernel.call((&gpu![1, 2], &mut zeros::<i32>(2))).unwrap_err().to_string()
    };
    for (text, part) in [
        (error("x[i] + w", "a + b", "y[i] = item"), "input_expr"),
        (error("x[i]", "a +", "y[i] = item"), "scan_expr"),
        (error("x[i]", "a + b", "y[i] = unknown"), "output_statement"),
    ] {
        assert!(text.contains(part), "{text}");
    }
    let error = ScanKernel::<i32>::new("const int *x", "x[i]", "a + b", "0", " ", "wrong").unwrap_err();
    assert!(error.to_string().contains("`output_statement` is empty"), "{error}");
    let long = InclusiveScanKernel::<i32>::new("a + b", "0").unwrap();
    let error = long.call_into(&gpu![1, 2, 3], &mut zeros::<i32>(2)).unwrap_err().to_string();
    assert!(error.contains("`output_ary` has 2 elements"), "{error}");
}

#[test]
fn macros_make_scans_with_types() {
    let running = scan!(|x: &[f64], y: &mut [f64]| -> f64 {
        input: "x[i]", scan: "a * b", neutral: "1", output: "y[i] = item"
    });
    let mut y = zeros::<f64>(4);
    running(&gpu![1.0, 2.0, 3.0, 4.0], &mut y);
    assert_eq!(y.to_vec(), [1.0, 2.0, 6.0, 24.0]);
    let by_segment = scan!(|x: &[i32], every: i32, y: &mut [i32]| -> i32 {
        input: "x[i]", scan: "across_seg_boundary ? b : a + b", neutral: "0", output: "y[i] = item",
        is_segment_start: "i % every == 0"
    });
    let mut y = zeros::<i32>(5);
    by_segment(&gpu![1, 1, 1, 1, 1], 2, &mut y);
    assert_eq!(y.to_vec(), [1, 2, 1, 2, 1]);
}

#[test]
fn elements_are_chosen_by_expressions() {
    for count in COUNTS {
        let host = numbers(count, 1000);
        let device = to_gpu(&host);
        let (large, small): (Vec<i32>, Vec<i32>) = host.iter().partition(|x| **x > 300);
        assert_eq!(algorithm::copy_if(&device, "ary[i] > 300").unwrap().to_vec(), large);
        assert_eq!(algorithm::remove_if(&device, "ary[i] > 300").unwrap().to_vec(), small);
        let limited = algorithm::copy_if_with(&device, "ary[i] > limit", "int limit", 300);
        assert_eq!(limited.unwrap().to_vec(), large);
        let (yes, no) = algorithm::partition(&device, "ary[i] > 300").unwrap();
        assert_eq!((yes.to_vec(), no.to_vec()), (large, small));
        let halved: Vec<i32> = host.iter().map(|x| x / 400).collect();
        let mut wanted = halved.clone();
        wanted.dedup();
        assert_eq!(algorithm::unique(&to_gpu(&halved), "a == b").unwrap().to_vec(), wanted);
    }
    assert_eq!(algorithm::copy_if(&zeros::<f32>(0), "ary[i] > 0").unwrap().size(), 0);
    // Of views and of other types.
    let every_second = arange(0..10).slice(s![..; 2]);
    assert_eq!(algorithm::copy_if(&every_second, "ary[i] % 4 == 0").unwrap().to_vec(), [0, 4, 8]);
    let complex = gpu![Complex64::new(3.0, 4.0), Complex64::new(0.0, 1.0)];
    assert_eq!(algorithm::copy_if(&complex, "ary[i].re > 1").unwrap().to_vec(), [Complex64::new(3.0, 4.0)]);
    assert_eq!(algorithm::remove_if(&gpu![true, false, true], "ary[i]").unwrap().to_vec(), [false]);
    let commented = algorithm::remove_if(&gpu![1, 5, 2], "ary[i] > 3 // large").unwrap();
    assert_eq!(commented.to_vec(), [1, 2]);
    let error = algorithm::copy_if(&gpu![1, 2], "ary[i] >").unwrap_err().to_string();
    assert!(error.contains("input_expr"), "{error}");
}

#[test]
fn arrays_are_sorted_by_keys_of_several() {
    let (x, y) = (numbers(50_000, 100), numbers(50_000, 7919));
    let sort = algorithm::RadixSort::<i32>::new("const int *x, const int *y, int more", "x[i] - y[i] % more")
        .unwrap();
    let order = sort.order((&to_gpu(&x), &to_gpu(&y), 10)).unwrap().to_vec();
    let mut wanted: Vec<i64> = (0..50_000).collect();
    wanted.sort_by_key(|k| x[*k as usize] - y[*k as usize] % 10);
    assert_eq!(order, wanted);
    let error = sort.order((&to_gpu(&x), &gpu![1, 2], 10)).unwrap_err().to_string();
    assert!(error.contains("`x` has shape [50000] and `y` has shape [2]"), "{error}");
    for (arguments, key, words) in [("int k", "k", "no argument is an array"), ("int *x", " ", "is empty")] {
        let error = algorithm::RadixSort::<i32>::new(arguments, key).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn values_are_listed_by_their_keys() {
    let (keys, values) = (numbers(20_000, 300), numbers(20_000, 1_000_000));
    let lists = algorithm::key_value_sort(&to_gpu(&keys), &to_gpu(&values), 301).unwrap();
    assert_eq!((lists.len(), lists.count()), (301, 20_000));
    let (starts, all) = (lists.starts.to_vec(), lists.lists.to_vec());
    for key in 0..301 {
        let wanted: Vec<i32> =
            keys.iter().zip(&values).filter(|(k, _)| **k == key).map(|(_, value)| *value).collect();
        let own = &all[starts[key as usize] as usize..starts[key as usize + 1] as usize];
        assert_eq!(own, wanted, "{key}");
    }
    assert_eq!(lists.list(300).size(), 0);
    for (bad, words) in [(gpu![0, 301], "the key 301"), (gpu![0, -1], "the key -1")] {
        let error = algorithm::key_value_sort(&bad, &gpu![1, 2], 301).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn lists_are_built_of_what_elements_append() {
    let builder = algorithm::ListOfListsBuilder::<i32>::new(
        "const int *x",
        "for (int j = 0; j < x[i] % 4; ++j)\n    APPEND(x[i] * 10 + j);",
    )
    .unwrap();
    for count in COUNTS {
        let x = numbers(count, 100);
        let lists = builder.call(count, &to_gpu(&x)).unwrap();
        let wanted: Vec<i32> = x.iter().flat_map(|x| (0..x % 4).map(move |j| x * 10 + j)).collect();
        assert_eq!(lists.lists.to_vec(), wanted);
        assert_eq!(lists.starts.to_vec()[count], wanted.len() as i64);
    }
    // A list ends where its text says, also behind a comment.
    let early = algorithm::ListOfListsBuilder::<i32>::new(
        "const int *x, const int *table",
        "APPEND(table[x[i]]); if (x[i] > 1) return; if (i - 1 >= 0) APPEND(x[i - 1]); // the one before",
    )
    .unwrap();
    let lists = early.call(3, (&gpu![0, 2, 1], &gpu![7, 8, 9])).unwrap();
    assert_eq!((lists.starts.to_vec(), lists.lists.to_vec()), (vec![0, 1, 2, 4], vec![7, 9, 8, 2]));
    let error = early.call(4, (&gpu![0, 2, 1], &gpu![7, 8, 9])).unwrap_err().to_string();
    assert!(error.contains("`x` has 3 elements, and `x[i]` is used for 4"), "{error}");
    let error = algorithm::ListOfListsBuilder::<i32>::new("const int *x", " ").unwrap_err().to_string();
    assert!(error.contains("there are no statements"), "{error}");
    assert_eq!(builder.call(0, &zeros::<i32>(0)).unwrap().starts.to_vec(), [0]);
    // Without an array, from numbers alone.
    let empty =
        algorithm::ListOfListsBuilder::<f64>::new("int most", "if (i < most) APPEND(0.5 * i);").unwrap();
    assert_eq!(empty.call(5, 3).unwrap().lists.to_vec(), [0.0, 0.5, 1.0]);
}

#[test]
fn elementwise_kernels_run_over_ranges() {
    let count = ElementwiseKernel::new("float *x, const float *y", "x[i] = y[i] + n", "count").unwrap();
    let y = arange(0..6).astype(f32);
    let of = |kernel: &ElementwiseKernel, range: SliceItem<'_>| {
        let mut x = zeros::<f32>(6);
        kernel.call_range(Slices::new(&[range]), (&mut x, &y)).unwrap();
        x.to_vec()
    };
    assert_eq!(of(&count, (2..4).into()), [0.0, 0.0, 8.0, 9.0, 0.0, 0.0]);
    assert_eq!(of(&count, SliceItem::from(..).by(-2)), [0.0, 7.0, 0.0, 9.0, 0.0, 11.0]);
    assert_eq!(of(&count, (-2..).into()), [0.0, 0.0, 0.0, 0.0, 10.0, 11.0]);
    assert_eq!(of(&count, (4..100).into()), [0.0, 0.0, 0.0, 0.0, 10.0, 11.0]);
    assert_eq!(of(&count, (4..2).into()), [0.0; 6]);
    let mut x = zeros::<f32>(6);
    count.call_range(s![1..; 4], (&mut x, &y)).unwrap();
    assert_eq!(x.to_vec(), [0.0, 7.0, 0.0, 0.0, 0.0, 11.0]);
    for wrong in [s![0], s![1.., 2..]] {
        let error = count.call_range(wrong, (&mut x, &y)).unwrap_err().to_string();
        assert!(error.contains("elements are a range"), "{error}");
    }
    let prepared =
        ElementwiseKernel::new("float *x", "x[i] = k", "prepared").unwrap().loop_prep("float k = 2.5f");
    prepared.call_range(..2, &mut x).unwrap();
    assert_eq!(x.to_vec(), [2.5, 2.5, 0.0, 0.0, 0.0, 11.0]);
}
