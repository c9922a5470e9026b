//! The fake driver itself: that it sees what it is for.

use std::ffi::{CString, c_void};

use libloading::os::unix::Library;

use super::{fake, in_child};

/// The driver's functions by name. Their arguments are integers and addresses.
struct Driver(Library);

impl Driver {
    /// The driver, started, with the first device's context current.
    fn start() -> Driver {
        // SAFETY: the library is ours, and its initialisers do nothing.
        let driver = Driver(unsafe { Library::new("libcuda.so.1") }.unwrap());
        let mut context = 0_u64;
        driver.ok("cuInit", &[0]);
        driver.ok("cuDevicePrimaryCtxRetain", &[to(&mut context), 0]);
        driver.ok("cuCtxSetCurrent", &[context]);
        driver
    }

    fn call(&self, function: &str, arguments: &[u64]) -> i32 {
        type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64) -> i32;
        let name = CString::new(function).unwrap();
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        let [a, b, c, d, e, f] = all;
        // SAFETY: integers and addresses go in registers, the first six of
        // them, whatever their sizes; a function does not see more than it
        // takes. Addresses are of variables that outlive the call.
        unsafe { self.0.get::<Function>(name.as_bytes_with_nul()).unwrap()(a, b, c, d, e, f) }
    }

    #[track_caller]
    fn ok(&self, function: &str, arguments: &[u64]) {
        assert_eq!(self.call(function, arguments), 0, "{function}");
    }

    /// What a function makes, returned through its first argument.
    #[track_caller]
    fn make(&self, function: &str, arguments: &[u64]) -> u64 {
        let mut made = 0;
        self.ok(function, &[&[to(&mut made)], arguments].concat());
        made
    }
}

/// A variable that is written to.
fn to(variable: &mut u64) -> u64 {
    std::ptr::from_mut(variable) as u64
}

const INVALID_VALUE: i32 = 1;
const INVALID_HANDLE: i32 = 400;
const NON_BLOCKING: u64 = 1;

#[test]
fn what_is_given_back_twice_or_used_afterwards() {
    let Some(outcome) = fake(&[], "driver::misuse") else { return };
    let remarks = outcome.ended_well().remarks("misuse").join("\n");
    for said in ["freed before", "memory that has been freed", "beyond the end", "no stream", "no event"] {
        assert!(remarks.contains(said), "{said}: {remarks}");
    }
    assert_eq!((outcome.left("allocations"), outcome.left("bytes")), (1, 100));
    assert_eq!((outcome.left("streams"), outcome.left("events")), (0, 0));
}

#[test]
#[ignore = "a body"]
fn misuse() {
    if !in_child() {
        return;
    }
    let driver = Driver::start();
    let a = driver.make("cuMemAlloc_v2", &[16]);
    assert_eq!(driver.call("cuMemsetD8_v2", &[a, 0, 17]), INVALID_VALUE);
    driver.ok("cuMemFree_v2", &[a]);
    assert_eq!(driver.call("cuMemFree_v2", &[a]), INVALID_VALUE);
    assert_eq!(driver.call("cuMemsetD8_v2", &[a, 0, 1]), INVALID_VALUE);
    let (stream, event) = (driver.make("cuStreamCreate", &[0]), driver.make("cuEventCreate", &[0]));
    driver.ok("cuEventRecord", &[event, stream]);
    for code in [0, INVALID_HANDLE] {
        assert_eq!(driver.call("cuStreamDestroy_v2", &[stream]), code);
        assert_eq!(driver.call("cuEventDestroy_v2", &[event]), code);
    }
    assert_eq!(driver.call("cuStreamSynchronize", &[stream]), INVALID_HANDLE);
    driver.make("cuMemAlloc_v2", &[100]);
}

#[test]
fn contexts_are_a_threads_own() {
    let Some(outcome) = fake(&[], "driver::contexts") else { return };
    assert!(outcome.ended_well().remarks("misuse").concat().contains("memory of another context"));
}

#[test]
#[ignore = "a body"]
fn contexts() {
    if !in_child() {
        return;
    }
    let driver = Driver::start();
    let a = driver.make("cuMemAlloc_v2", &[16]);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(driver.call("cuMemsetD8_v2", &[a, 0, 1]), 201));
    });
    let mut other = 0;
    driver.ok("cuCtxCreate_v2", &[to(&mut other), 0, 1]);
    assert_eq!(driver.call("cuMemsetD8_v2", &[a, 0, 1]), INVALID_VALUE);
    driver.ok("cuCtxDestroy_v2", &[other]);
    // The one below is current again.
    driver.ok("cuMemsetD8_v2", &[a, 0, 1]);
    driver.ok("cuMemFree_v2", &[a]);
}

#[test]
fn a_stream_that_does_not_wait_is_a_hazard() {
    let Some(outcome) = fake(&[], "driver::hazards") else { return };
    let hazards = outcome.ended_well().remarks("hazard");
    assert_eq!(hazards.len(), 2, "{hazards:#?}");
    assert!(hazards[0].starts_with("cuMemsetD8Async") && hazards[0].contains(" 0x2 "), "{hazards:#?}");
    assert!(hazards[1].starts_with("cuMemcpyDtoHAsync_v2"), "{hazards:#?}");
}

#[test]
#[ignore = "a body"]
fn hazards() {
    if !in_child() {
        return;
    }
    let driver = Driver::start();
    let a = driver.make("cuMemAlloc_v2", &[16]);
    let [one, other] = [(); 2].map(|()| driver.make("cuStreamCreate", &[NON_BLOCKING]));
    let set = |value, stream| driver.ok("cuMemsetD8Async", &[a, value, 16, stream]);
    set(1, one);
    set(2, other); // the first: nothing waits
    driver.ok("cuCtxSynchronize", &[]);
    set(3, one);
    let event = driver.make("cuEventCreate", &[2]);
    driver.ok("cuEventRecord", &[event, one]);
    driver.ok("cuStreamWaitEvent", &[other, event, 0]);
    set(4, other);
    let mut read = [0_u8; 16];
    let read_on = |read: &mut [u8; 16], stream| {
        driver.ok("cuMemcpyDtoHAsync_v2", &[read.as_mut_ptr() as u64, a, 16, stream]);
    };
    read_on(&mut read, one); // the second: the wait goes one way
    driver.ok("cuStreamSynchronize", &[other]);
    read_on(&mut read, one);
    assert_eq!(read, [4; 16]);
    // The default stream and blocking ones wait for each other.
    let blocking = driver.make("cuStreamCreate", &[0]);
    driver.ok("cuCtxSynchronize", &[]);
    set(5, blocking);
    set(6, 0);
    set(7, blocking);
}

#[test]
fn captured_work_is_done_when_it_is_launched() {
    if let Some(outcome) = fake(&[], "driver::graphs") {
        outcome.is_clean();
        assert_eq!((outcome.left("graphs"), outcome.left("executables")), (0, 0));
    }
}

#[test]
#[ignore = "a body"]
fn graphs() {
    if !in_child() {
        return;
    }
    let driver = Driver::start();
    let a = driver.make("cuMemAlloc_v2", &[16]);
    driver.ok("cuMemsetD8_v2", &[a, 1, 16]);
    driver.ok("cuCtxSynchronize", &[]);
    let stream = driver.make("cuStreamCreate", &[NON_BLOCKING]);
    let value = || {
        let mut read = 0_u64;
        driver.ok("cuMemcpyDtoH_v2", &[to(&mut read), a, 1]);
        read
    };
    driver.ok("cuStreamBeginCapture_v2", &[stream, 1]);
    driver.ok("cuMemsetD8Async", &[a, 2, 16, stream]);
    let mut graph = 0;
    driver.ok("cuStreamEndCapture", &[stream, to(&mut graph)]);
    assert_eq!(value(), 1);
    let executable = driver.make("cuGraphInstantiateWithFlags", &[graph, 0]);
    driver.ok("cuGraphLaunch", &[executable, stream]);
    driver.ok("cuStreamSynchronize", &[stream]);
    assert_eq!(value(), 2);
    driver.ok("cuGraphExecDestroy", &[executable]);
    driver.ok("cuGraphDestroy", &[graph]);
    // What waits ends a capture.
    driver.ok("cuStreamBeginCapture_v2", &[stream, 0]);
    assert_eq!(driver.call("cuCtxSynchronize", &[]), 900);
    assert_eq!(driver.call("cuStreamEndCapture", &[stream, to(&mut graph)]), 901);
}

#[test]
fn callbacks_may_call_nothing() {
    if let Some(outcome) = fake(&[], "driver::callbacks") {
        outcome.is_clean();
    }
}

#[test]
#[ignore = "a body"]
fn callbacks() {
    unsafe extern "C" fn note(data: *mut c_void) {
        // SAFETY: the address is that of `answer` below, which outlives the call.
        let answer = unsafe { &mut *data.cast::<i32>() };
        // SAFETY: as in `Driver::start`.
        let driver = Driver(unsafe { Library::new("libcuda.so.1") }.unwrap());
        *answer = driver.call("cuCtxSynchronize", &[]);
    }
    if !in_child() {
        return;
    }
    let driver = Driver::start();
    let mut answer = 0_i32;
    let function = note as unsafe extern "C" fn(*mut c_void);
    driver.ok("cuLaunchHostFunc", &[0, function as usize as u64, std::ptr::from_mut(&mut answer) as u64]);
    assert_eq!(answer, 800);
}
