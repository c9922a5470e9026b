//! What goes wrong in a kernel on the host device: an error that says where,
//! and a device that goes on. On a GPU each of these loses the device for its
//! process, so they run on the host alone; see `tests/trouble.rs` for a GPU.

use gpurepl_prelude::*;

use crate::is_on_host;

/// Launches a kernel that does something wrong, and what is said about it.
#[track_caller]
fn fault<'a>(
    source: &str,
    grid: impl kernel::IntoDim3,
    block: impl kernel::IntoDim3,
    arguments: impl kernel::KernelArgs<'a>,
) -> KernelFault {
    let name = source.split("void ").nth(1).and_then(|rest| rest.split('(').next()).unwrap();
    let kernel = SourceModule::new(source).unwrap().get_function(name).unwrap();
    let error = kernel.launch(grid, block, arguments).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Fault, "{error}");
    let fault = error.kernel_fault().unwrap().clone();
    assert_eq!(fault.kernel, name);
    assert!(!fault.help.is_empty());
    the_device_goes_on();
    fault
}

/// The next launch in the same process works, with and without barriers.
#[track_caller]
fn the_device_goes_on() {
    let source = "__global__ void turn(int *a) { __shared__ int s[64]; s[threadIdx.x] = a[threadIdx.x]; \
                  __syncthreads(); a[threadIdx.x] = s[63 - threadIdx.x]; }\n\
                  __global__ void add(int *a) { a[threadIdx.x] += 1; }";
    let module = SourceModule::new(source).unwrap();
    let mut a = arange(0..64);
    module.get_function("turn").unwrap().launch(1, 64, &mut a).unwrap();
    module.get_function("add").unwrap().launch(1, 64, &mut a).unwrap();
    assert_eq!(a.to_vec(), (1..65).rev().collect::<Vec<i32>>());
}

macro_rules! on_host {
    () => {
        if !is_on_host() {
            return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
        }
    };
}

#[test]
fn a_write_after_the_end_names_its_thread_and_line() {
    on_host!();
    let source = "__global__ void scale(float *a, float by)\n{\n  int i = blockIdx.x*blockDim.x + threadIdx.x;\n  a[i] *= by;\n}";
    let mut a = ones::<f32>(1000);
    let fault = fault(source, 8, 128, (&mut a, 2.0));
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
    assert_eq!(
        (fault.block, fault.thread, fault.line),
        (Some([7, 0, 0]), Some([104, 0, 0]), Some(4)),
        "{fault}"
    );
    assert_eq!(fault.source_line.as_deref(), Some("  a[i] *= by;"));
    assert!(fault.is_replayed);
    assert!(fault.message.contains("0 bytes after the end of `a`, an array of 4000 bytes"), "{fault}");
    // What had been computed before is there.
    assert_eq!(a.slice(s![..896]).sum().item(), 1792.0);
}

/// An array was told by its size alone.
#[test]
fn an_array_is_named_unless_two_arguments_lie_in_it() {
    on_host!();
    let source =
        "__global__ void add(float *x, const float *y)\n{\n  x[threadIdx.x] += y[threadIdx.x + 512];\n}";
    let (mut x, y) = (ones::<f32>(2048), ones::<f32>(1024));
    let named = fault(source, 1, 1024, (&mut x, &y));
    assert!(named.message.contains("after the end of `y`, an array of 4096 bytes"), "{named}");
    let (first, second) = (x.slice(s![..1024]), x.slice(s![1024..]));
    let both = fault(source, 1, 1024, (&first, &second));
    assert!(both.message.contains("after the end of an array of 8192 bytes"), "{both}");
    let kernel = ElementwiseKernel::new("const float *x, float *y", "y[i] = x[i + 1024]", "far").unwrap();
    let error = kernel.call((&y, &mut zeros::<f32>(1024))).and_then(|()| synchronize()).unwrap_err();
    assert!(error.to_string().contains("after the end of `x`, an array of 4096 bytes"), "{error}");
}

#[test]
fn a_read_far_outside() {
    on_host!();
    let source = "__global__ void far_away(float *a) {\n  a[0] = a[123456789ll * 1000];\n}";
    let fault = fault(source, 1, 1, &mut ones::<f32>(10));
    assert_eq!(
        (fault.kind, fault.line, fault.thread),
        (FaultKind::OutOfBounds, Some(2), Some([0; 3])),
        "{fault}"
    );
}

#[test]
fn null_and_wild_pointers() {
    on_host!();
    let null =
        fault("__global__ void null(int n) {\n  int *p = (int *)(long long)n;\n  *p = 1;\n}", 1, 32, 0);
    assert_eq!((null.kind, null.line), (FaultKind::NullPointer, Some(3)), "{null}");
    let source = "__global__ void wild(unsigned long long n) {\n  *(int *)n = 1;\n}";
    for address in [0xdead_beef_dead_beef_u64, 0x1234_5678_9abc] {
        let wild = fault(source, 1, 1, address);
        assert_eq!(
            (wild.kind, wild.line, wild.block),
            (FaultKind::OutOfBounds, Some(2), Some([0; 3])),
            "{wild}"
        );
    }
}

#[test]
fn shared_memory_has_an_end() {
    on_host!();
    let source = "__global__ void shared(int *a, int n)\n{\n  __shared__ int s[32];\n  s[threadIdx.x + n] = a[0];\n  __syncthreads();\n  a[0] = s[0];\n}";
    let found = fault(source, 1, 33, (&mut zeros::<i32>(32), 0));
    assert_eq!((found.line, found.thread), (Some(4), Some([32, 0, 0])), "{found}");
    assert!(matches!(found.kind, FaultKind::SharedMemory | FaultKind::OutOfBounds));
    let source = "__global__ void dynamic(int *a, int n)\n{\n  extern __shared__ int s[];\n  s[n] = 1;\n  __syncthreads();\n  a[0] = s[0];\n}";
    let kernel = SourceModule::new(source).unwrap().get_function("dynamic").unwrap();
    let mut a = zeros::<i32>(1);
    kernel.launch_shared(1, 1, 64, (&mut a, 15)).unwrap();
    let error = kernel.launch_shared(1, 1, 64, (&mut a, 16)).unwrap_err();
    let fault = error.kernel_fault().unwrap();
    assert_eq!((fault.kind, fault.line), (FaultKind::SharedMemory, Some(4)), "{fault}");
}

#[test]
fn dynamic_shared_memory_that_is_not_a_multiple_of_16_had_no_end() {
    on_host!();
    let source = "__global__ void few(int *a, int n)\n{\n  extern __shared__ int s[];\n  s[n] = 1;\n  __syncthreads();\n  a[0] = s[0];\n}";
    let kernel = SourceModule::new(source).unwrap().get_function("few").unwrap();
    let mut a = zeros::<i32>(1);
    kernel.launch_shared(1, 1, 20, (&mut a, 4)).unwrap();
    let error = kernel.launch_shared(3, 1, 20, (&mut a, 5)).unwrap_err();
    let fault = error.kernel_fault().unwrap();
    assert_eq!(
        (fault.kind, fault.line, fault.is_replayed),
        (FaultKind::SharedMemory, Some(4), true),
        "{fault}"
    );
    // What a kernel declares ends as exactly.
    let source = "__global__ void own(int *a, int *at, int n)\n{\n  __shared__ int s[5];\n  int *p = s + n;\n  *p = 1;\n  __syncthreads();\n  a[0] = s[0];\n}";
    let kernel = SourceModule::new(source).unwrap().get_function("own").unwrap();
    kernel.launch(1, 1, (&mut a, &mut zeros::<i32>(1), 4)).unwrap();
    let error = kernel.launch(1, 1, (&mut a, &mut zeros::<i32>(1), 5)).unwrap_err();
    assert_eq!(error.kernel_fault().unwrap().line, Some(5), "{error}");
}

#[test]
fn a_fault_that_depends_on_a_variable_of_the_module() {
    on_host!();
    let source =
        "__device__ long long far_away;\n__global__ void f(int *a)\n{\n  a[far_away * threadIdx.x] = 1;\n}";
    let module = SourceModule::new(source).unwrap();
    memcpy_htod(&mut module.get_global("far_away").unwrap(), &[1_i64 << 30]).unwrap();
    let error = module.get_function("f").unwrap().launch(1, 2, &mut zeros::<i32>(4)).unwrap_err();
    let fault = error.kernel_fault().unwrap();
    assert_eq!((fault.line, fault.thread, fault.is_replayed), (Some(4), Some([1, 0, 0]), true), "{fault}");
}

#[test]
fn integer_division_by_zero() {
    on_host!();
    let source = "__global__ void divide(int *a, int by) {\n  a[threadIdx.x] =\n    a[threadIdx.x] / (by - (int)threadIdx.x);\n}";
    let fault = fault(source, 1, 8, (&mut arange(0..8), 5));
    assert_eq!((fault.kind, fault.thread), (FaultKind::Arithmetic, Some([5, 0, 0])), "{fault}");
    assert!(matches!(fault.line, Some(2 | 3)), "{fault}");
}

#[test]
fn assertions_and_traps() {
    on_host!();
    let source = "#include <assert.h>\n__device__ void check(int x) {\n  assert(x < 3);\n}\n__global__ void k(int *a) { check(a[threadIdx.x]); }";
    let kernel = SourceModule::new(source).unwrap().get_function("k").unwrap();
    let error = kernel.launch(2, 8, &mut arange(0..8)).unwrap_err();
    let found = error.kernel_fault().unwrap();
    assert_eq!(
        (found.kind, found.line, found.thread),
        (FaultKind::Assertion, Some(3), Some([3, 0, 0])),
        "{found}"
    );
    assert_eq!((found.block, found.message.as_str()), (Some([0; 3]), "assertion `x < 3` failed"));
    let found = fault(
        "__global__ void t(int n) {\n  if (threadIdx.y == 2) __trap();\n  __syncthreads();\n}",
        1,
        (4, 4),
        1,
    );
    assert_eq!(
        (found.kind, found.line, found.thread),
        (FaultKind::Trap, Some(2), Some([0, 2, 0])),
        "{found}"
    );
}

#[test]
fn a_recursion_without_an_end() {
    on_host!();
    let source = "__device__ int f(int n, volatile int *a) {\n  return n == -1 ? 0 : f(n + 1, a) + a[n & 7];\n}\n\
                  __global__ void deep(int *a) {\n  a[threadIdx.x] = f(1, a);\n}";
    let kernel = SourceModule::new(source).unwrap().get_function("deep").unwrap();
    let error = kernel.launch(1, 8, &mut zeros::<i32>(8)).unwrap_err();
    let fault = error.kernel_fault().unwrap();
    assert_eq!((fault.kind, fault.block), (FaultKind::StackOverflow, Some([0; 3])), "{fault}");
    assert!(matches!(fault.line, Some(1 | 2)) && fault.thread == Some([0; 3]), "{fault}");
    the_device_goes_on();
}

#[test]
fn threads_that_wait_for_ever() {
    on_host!();
    let source = "__global__ void split(int *a)\n{\n  if (threadIdx.x < 16)\n    __syncwarp();\n  else\n    __syncthreads();\n  a[0] = 1;\n}";
    let found = fault(source, 1, 32, &mut zeros::<i32>(1));
    assert_eq!(found.kind, FaultKind::Deadlock);
    assert!(found.message.contains("16 threads wait at __syncwarp, line 4"), "{found}");
    assert!(found.message.contains("16 threads wait at __syncthreads, line 6"), "{found}");
    let source = "__global__ void mask(int *a)\n{\n  a[threadIdx.x] = __shfl_sync(0xff, 1, 0);\n}";
    let found = fault(source, 1, 32, &mut zeros::<i32>(32));
    assert_eq!(
        (found.kind, found.line, found.thread),
        (FaultKind::Synchronization, Some(3), Some([8, 0, 0])),
        "{found}"
    );
}

#[test]
fn loops_without_an_end_are_stopped() {
    on_host!();
    // The limit is the process's: other tests must not have it.
    if std::env::var_os("GPUREPL_TEST_ALONE").is_none() {
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        alone.args(["--exact", "faults::loops_without_an_end_are_stopped"]).env("GPUREPL_TEST_ALONE", "1");
        let output = alone.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    device().set_kernel_timeout(Some(std::time::Duration::from_millis(100)));
    for (name, source) in [
        ("empty", "__global__ void empty(int *a) {\n  for (;;);\n}"),
        ("busy", "__global__ void busy(int *a) {\n  volatile int n = 1;\n  while (n) a[0] += n;\n}"),
        ("barrier", "__global__ void barrier(int *a) {\n  for (;;) __syncthreads();\n}"),
        ("maths", "__global__ void maths(float *a) {\n  for (;;) a[0] = sinf(a[0]);\n}"),
        (
            "spin",
            "__global__ void spin(int *a) {\n  while (atomicCAS(a, 5, 5) != 5) { }\n  __syncthreads();\n}",
        ),
    ] {
        let kernel = SourceModule::new(source).unwrap().get_function(name).unwrap();
        let start = std::time::Instant::now();
        let mut a = zeros::<i32>(4);
        let error = if name == "maths" {
            kernel.launch(4, 32, &mut zeros::<f32>(4)).unwrap_err()
        } else {
            kernel.launch(4, 32, &mut a).unwrap_err()
        };
        let fault = error.kernel_fault().unwrap();
        assert_eq!(fault.kind, FaultKind::TimeLimit, "{fault}");
        assert!(start.elapsed().as_secs() < 120, "{name}: {:?}", start.elapsed());
    }
    device().set_kernel_timeout(None);
    the_device_goes_on();
}

#[test]
fn a_checked_module_finds_what_a_fast_one_misses() {
    on_host!();
    // The array's memory starts within a page: what is before it is nobody's,
    // and nothing guards it.
    let source = "__global__ void before(float *a)\n{\n  if (threadIdx.x == 3)\n    a[-2] = 1;\n  a[threadIdx.x] += 1;\n}";
    let module = SourceModule::builder(source).check(true).compile().unwrap();
    let before = module.get_function("before").unwrap();
    let error = before.launch(1, 8, &mut zeros::<f32>(8)).unwrap_err();
    let fault = error.kernel_fault().unwrap();
    assert_eq!(
        (fault.kind, fault.line, fault.thread),
        (FaultKind::OutOfBounds, Some(4), Some([3, 0, 0])),
        "{fault}"
    );
    assert!(!fault.is_replayed && fault.message.contains("write of 4 bytes"), "{fault}");
    // Without the mistake it computes what it should, with shared memory,
    // variables of the module and local arrays.
    let source = "__constant__ int factors[4];\n__device__ int calls;\n__global__ void k(int *a, int n)\n{\n  __shared__ int s[64], t[64];\n  \
                  int local[8];\n  for (int j = 0; j < 8; j++) local[j] = j;\n  s[threadIdx.x] = a[threadIdx.x];\n  __syncthreads();\n  \
                  t[threadIdx.x] = s[63 - threadIdx.x];\n  atomicAdd(&calls, 1);\n  a[threadIdx.x] = t[threadIdx.x] * factors[n] + local[n];\n}";
    let module = SourceModule::builder(source).check(true).compile().unwrap();
    memcpy_htod(&mut module.get_global("factors").unwrap(), &[1, 2, 3, 4]).unwrap();
    let mut a = arange(0..64);
    let k = module.get_function("k").unwrap();
    k.launch(1, 64, (&mut a, 2)).unwrap();
    assert_eq!(a.to_vec(), (0..64).rev().map(|x| 3 * x + 2).collect::<Vec<i32>>());
    let error = k.launch(1, 64, (&mut a, 9)).unwrap_err();
    let fault = error.kernel_fault().unwrap();
    assert_eq!((fault.kind, fault.line), (FaultKind::OutOfBounds, Some(12)), "{fault}");
    the_device_goes_on();
}

#[test]
fn an_elementwise_kernel_has_bounds_too() {
    on_host!();
    let shift = ElementwiseKernel::new("float *z, const float *x", "z[i] = x[i + 1000]", "shift").unwrap();
    let x = ones::<f32>(1000);
    let mut z = zeros::<f32>(1000);
    let error = shift.call((&mut z, &x)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Fault, "{error}");
    assert_eq!(error.kernel_fault().unwrap().kind, FaultKind::OutOfBounds);
    the_device_goes_on();
}

#[test]
fn faults_of_many_threads_at_once() {
    on_host!();
    let source = "__global__ void all_wrong(float *a, long long n) { a[n * (blockIdx.x + 1)] = 1; }";
    let kernel = SourceModule::new(source).unwrap().get_function("all_wrong").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let mut a = zeros::<f32>(8);
                    let error = kernel.launch(1000, 64, (&mut a, 1_i64 << 33)).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Fault);
                }
            });
        }
    });
    the_device_goes_on();
}
