//! Drivers that are missing, broken or old.

use gpurepl_prelude::*;

use super::{fake, give_back, has_nvrtc, in_child};

/// Runs the body that asks for the device, and returns what it was told.
fn told(settings: &[(&str, &str)]) -> Option<String> {
    let outcome = fake(settings, "versions::asks")?;
    outcome.is_clean();
    Some(outcome.output)
}

#[test]
#[ignore = "a body"]
fn asks() {
    if !in_child() {
        return;
    }
    match Device::current() {
        Ok(device) => println!("device {} {:?}", device.id(), device.kind()),
        Err(error) => println!("error {:?} {error}", error.kind()),
    }
    // The answer stays the same.
    let first = Device::current().map(|device| device.id()).map_err(|error| error.to_string());
    let second = try_to_gpu(&[1]).map(|_| device().id()).map_err(|error| error.to_string());
    assert_eq!(first, second);
}

#[test]
fn a_driver_that_does_not_start_says_why() {
    for (code, words) in [
        (100, "no CUDA-capable device is detected"),
        (803, "system has unsupported display driver / cuda driver combination"),
        (999, "unknown error"),
        (802, "system not yet initialized"),
        (34, "CUDA driver is a stub library"),
    ] {
        let fail = format!("cuInit={code}@1+");
        let Some(said) = told(&[("FAIL", &fail)]) else { return };
        assert!(said.contains("error Missing starting the CUDA driver: "), "{said}");
        assert!(said.contains(words) && said.contains("= help: "), "{said}");
    }
    let Some(said) = told(&[("DEVICES", "0")]) else { return };
    assert!(said.contains("error Missing ") && said.contains("no CUDA-capable device"), "{said}");
}

#[test]
fn without_a_wish_the_host_takes_over() {
    let Some(said) = told(&[("FAIL", "cuInit=999@1+"), ("GPUREPL_DEVICE", "")]) else { return };
    assert!(said.contains("device host Host"), "{said}");
}

#[test]
fn a_device_that_cannot_be_opened_gives_way_to_the_next() {
    let Some(said) = told(&[("FAIL", "cuDevicePrimaryCtxRetain=2@1")]) else { return };
    assert!(said.contains("device cuda:1"), "{said}");
    let Some(said) = told(&[("FAIL", "cuDevicePrimaryCtxRetain=216@1+")]) else { return };
    assert!(said.contains("error Device opening cuda:0: "), "{said}");
}

#[test]
fn devices_are_chosen_by_number() {
    let Some(said) = told(&[("GPUREPL_DEVICE", "cuda:1")]) else { return };
    assert!(said.contains("device cuda:1"), "{said}");
    let Some(said) = told(&[("GPUREPL_DEVICE", "cuda:2")]) else { return };
    assert!(said.contains("there is no cuda:2: this machine has 2 CUDA devices"), "{said}");
}

#[test]
fn an_error_while_opening_is_an_error() {
    for fail in [
        "cuDeviceGetCount=999@1+",
        "cuDeviceGet=101@1+",
        "cuDeviceGetAttribute=1@1+",
        "cuDeviceGetName=1@1+",
        "cuDeviceTotalMem_v2=1@1+",
        "cuDriverGetVersion=1@1+",
        "cuCtxSetCurrent=201@1+",
    ] {
        let Some(said) = told(&[("FAIL", fail)]) else { return };
        assert!(said.contains("error "), "{fail}: {said}");
    }
}

#[test]
fn a_pool_that_does_not_work_is_done_without() {
    for fail in [
        "cuDeviceGetDefaultMemPool=801@1+",
        "cuMemPoolSetAttribute=801@1+",
        "cuMemAllocAsync=801@1+",
        "cuMemFreeAsync=801@1+",
    ] {
        let Some(outcome) = fake(&[("FAIL", fail)], "versions::copies") else { return };
        assert_eq!(outcome.is_clean().calls("cuMemAlloc_v2").len(), 1, "{}", outcome.shown());
    }
}

#[test]
#[ignore = "a body"]
fn copies() {
    if in_child() {
        assert_eq!(to_gpu(&[1, 2, 3]).to_vec(), [1, 2, 3]);
    }
}

#[test]
fn a_driver_without_pools_and_argument_sizes() {
    if !has_nvrtc() {
        return;
    }
    let settings = [("OLD", ""), ("PARAMS", "twice=8,4")];
    let Some(outcome) = fake(&settings, "versions::launches") else { return };
    outcome.is_clean();
    assert!(outcome.calls("cuMemAllocAsync").is_empty() && outcome.calls("cuFuncGetParamInfo").is_empty());
    assert_eq!(outcome.calls("cuMemAlloc_v2").len(), outcome.calls("cuMemFree_v2").len());
}

#[test]
#[ignore = "a body"]
fn launches() {
    if !in_child() {
        return;
    }
    let source = "__global__ void twice(float *a, int n) { a[threadIdx.x] *= 2; }";
    let twice = SourceModule::new(source).unwrap().get_function("twice").unwrap();
    let mut a = to_gpu(&[1.0_f32, 2.0]);
    twice.launch(1, 2, (&mut a, 2)).unwrap();
    assert_eq!(a.to_vec(), [2.0, 4.0]);
    // Without a check by size a structure is not passed at all.
    let error = twice.launch(1, 2, (&mut a, 2, 3)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
    drop(a);
    give_back();
}

#[test]
fn a_driver_with_errors_that_nobody_knows() {
    let Some(outcome) = fake(&[("FAIL", "cuMemcpyHtoDAsync_v2=4711@1")], "versions::strange") else { return };
    outcome.is_clean();
    assert!(outcome.output.contains("copying to the device: error 4711"), "{}", outcome.output);
}

#[test]
#[ignore = "a body"]
fn strange() {
    if in_child() {
        println!("{}", try_to_gpu(&[1]).map(drop).unwrap_err());
    }
}

#[test]
fn a_driver_too_old_for_the_code() {
    if !has_nvrtc() {
        return;
    }
    for code in [209, 222] {
        let fail = format!("cuModuleLoadData={code}@1+");
        let Some(outcome) = fake(&[("FAIL", &fail)], "versions::does_not_load") else { return };
        outcome.is_clean();
        assert!(outcome.output.contains("loading a kernel: "), "{}", outcome.output);
    }
}

#[test]
#[ignore = "a body"]
fn does_not_load() {
    if !in_child() {
        return;
    }
    let error = SourceModule::new("__global__ void f() {}").map(drop).unwrap_err();
    println!("{:?} {error}", error.kind());
    assert_ne!(error.kind(), ErrorKind::DeviceLost);
    // The device itself works.
    assert_eq!(to_gpu(&[1, 2, 3]).to_vec(), [1, 2, 3]);
}

#[test]
fn other_arguments_than_the_source_has() {
    if !has_nvrtc() {
        return;
    }
    // A header may define a kernel's type otherwise than the text is read.
    let Some(outcome) = fake(&[("PARAMS", "twice=8,8")], "versions::sizes_differ") else { return };
    assert!(outcome.is_clean().calls("cuLaunchKernel").is_empty());
}

#[test]
#[ignore = "a body"]
fn sizes_differ() {
    if !in_child() {
        return;
    }
    let source = "__global__ void twice(float *a, int n) { a[threadIdx.x] *= 2; }";
    let module = SourceModule::new(source).unwrap();
    let mut a = to_gpu(&[1.0_f32, 2.0]);
    let result = module.get_function("twice").and_then(|twice| twice.launch(1, 2, (&mut a, 2)));
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument, "{error}");
}
