//! Every function of the driver that a long script uses fails once: there is
//! an error of ours, and everything is still given back.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gpurepl_prelude::*;

use super::{Outcome, fake, has_nvrtc, in_child};

/// What gives back, and so may leave something when it is told to fail.
const GIVES_BACK: [&str; 7] = [
    "cuMemFreeAsync",
    "cuModuleUnload",
    "cuTexObjectDestroy",
    "cuSurfObjectDestroy",
    "cuArrayDestroy",
    // Textures and arrays are destroyed after a wait that works.
    "cuStreamSynchronize",
    // Nothing can be given back on a thread that cannot use the context.
    "cuCtxSetCurrent",
];

#[test]
fn whatever_fails_once_is_an_error_and_nothing_is_lost() {
    if !has_nvrtc() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let run = |fail: &str| {
        let settings = [("FAIL", fail), ("GPUREPL_CACHE_DIR", cache.path().to_str().unwrap())];
        fake(&settings, "sweep::script")
    };
    let Some(whole) = run("") else { return };
    assert!(whole.is_clean().output.contains("0 failed steps"), "{}", whole.output);
    let kept = whole.left("modules");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in whole.log.iter().filter(|line| !line.text.starts_with('#')) {
        *counts.entry(line.function().to_owned()).or_default() += 1;
    }
    assert!(counts.len() > 25, "{counts:?}");
    let mut wrong = Vec::new();
    for (function, count) in counts {
        let mut places = vec![1, count.div_ceil(2), count];
        places.dedup();
        for place in places {
            for code in [999, 2, 719] {
                let fail = format!("{function}={code}@{place}");
                let outcome = run(&fail).unwrap();
                let is_kept = code != 719 && !GIVES_BACK.contains(&function.as_str());
                wrong
                    .extend(trouble(&outcome, is_kept.then_some(kept)).map(|what| format!("{fail}: {what}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong after a script with a failure; `modules` are those that stay,
/// if all has to be given back.
fn trouble(outcome: &Outcome, modules: Option<usize>) -> Option<String> {
    if !outcome.status.success() || !outcome.errors.is_empty() {
        return Some(format!("{} {} {}", outcome.status, outcome.output, outcome.errors));
    }
    if let Some(remark) = outcome.remarks("misuse").first() {
        return Some((*remark).to_owned());
    }
    let left = ["allocations", "arrays", "objects"].map(|what| outcome.left(what));
    match modules {
        Some(kept) if left != [0; 3] || outcome.left("modules") > kept => {
            Some(format!("{left:?} allocations, arrays, objects; {} modules", outcome.left("modules")))
        }
        _ => None,
    }
}

/// Whether a step worked. What it panics with must be an error of ours, and
/// its text is more than its code.
fn worked(step: impl FnOnce() -> Result<()>) -> bool {
    let error = match catch_unwind(AssertUnwindSafe(step)) {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => error,
        Err(payload) => *payload.downcast::<Error>().expect("a panic with an error of ours"),
    };
    println!("{:?}: {error}", error.kind());
    assert!(error.to_string().contains(": ") || error.to_string().contains("out of memory"), "{error}");
    false
}

#[test]
#[ignore = "a body"]
fn script() {
    if !in_child() {
        return;
    }
    // Terse forms panic with an error, which is caught; the hook would speak.
    std::panic::set_hook(Box::new(|_| {}));
    let steps: [fn() -> Result<()>; 8] = [
        || Device::current().map(drop),
        || {
            let a = try_to_gpu(&[1.0_f32, 2.0, 3.0, 4.0])?;
            let b = (2 * &a + 1).sqrt();
            b.try_get()?;
            (&a[1..3] * 2).try_get()?;
            zeros::<i32>(100).try_get()?;
            a.copy().try_get().map(drop)
        },
        || {
            let a = ones::<f32>(100_000);
            a.sum().try_item()?;
            a.max().try_item().map(drop)
        },
        || randn::<f32>(1000).try_get().map(drop),
        || {
            let source = "__constant__ float by[2]; __global__ void scale(float *a, int n, const float *b, float *c) \
                          { if (threadIdx.x < n) a[threadIdx.x] *= by[0]; }";
            let module = SourceModule::new(source)?;
            memcpy_htod(&mut module.get_global("by")?, &[2.0_f32, 1.0])?;
            let scale = module.get_function("scale")?;
            let mut a = try_to_gpu(&[1.0_f32; 16])?;
            let (b, mut c) = ([1.0_f32; 4], [0.0_f32; 4]);
            scale.launch(1, 16, (&mut a, 16, In(&b), Out(&mut c)))?;
            device().synchronize()
        },
        || {
            let add = ElementwiseKernel::new("float *x, float *z", "z[i] = x[i] + 1", "add")?;
            let x = try_to_gpu(&[1.0_f32; 16])?;
            let mut z = empty_like(&x);
            add.call((&x, &mut z))?;
            z.try_get().map(drop)
        },
        || {
            let image = ndarray::Array2::<f32>::zeros((4, 4));
            let array = matrix_to_array(&image, Order::C)?;
            let texture = TextureObject::new(&array, TextureDescriptor::default())?;
            let source = "__global__ void read(cudaTextureObject_t t, float *a) {}";
            let read = SourceModule::new(source)?.get_function("read")?;
            let mut a = try_to_gpu(&[0.0_f32; 4])?;
            read.launch(1, 4, (&texture, &mut a))
        },
        || {
            let memory = to_device(&[1_u8; 100])?;
            let mut copy = mem_alloc(100)?;
            memcpy_dtod(&mut copy, &memory)?;
            memcpy_dtoh(&mut [0_u8; 100], &copy)?;
            mem_get_info().map(drop)
        },
    ];
    let failed = steps.into_iter().filter(|step| !worked(step)).count();
    println!("{failed} failed steps");
    // What is held for later is given back, at the second attempt if the
    // first one is the call that fails.
    let given_back = (0..2).any(|_| memory_pool().is_ok_and(|pool| pool.free_held().is_ok()));
    println!("{}", if given_back { "given back" } else { "the device is lost" });
}
