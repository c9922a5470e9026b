//! Modules: how they are compiled, loaded and linked, what is known about
//! their kernels, and launches that ask for more than usual.

use gpurepl_prelude::*;

use crate::is_on_host;

/// Machine code is a GPU's: the host says so, and what to do.
fn is_refused_on_host<T>(result: Result<T>) {
    let error = result.err().expect("the host has no machine code of a GPU");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(
        error.to_string().contains("= help:") && error.to_string().contains("GPUREPL_DEVICE=cuda"),
        "{error}"
    );
}

const SCALE: &str = "__constant__ float factor = 2.0f;
    extern \"C\" __global__ void scale(float *a, int n, float by)
    { int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) a[i] *= by*factor; }
    namespace deep { __global__ void add(float *a, double x) { a[threadIdx.x] += x; } }";

#[test]
fn a_folder_of_headers_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("factor.h");
    let source = "#include \"factor.h\"\n__global__ void k(float *a) { a[threadIdx.x] = FACTOR*WEIGHT; }";
    let run = || {
        let builder = SourceModule::builder(source).include_dir(folder.path()).option("-DWEIGHT=10");
        let mut a = zeros::<f32>(4);
        builder.lineinfo().compile().unwrap().get_function("k").unwrap().launch(1, 4, &mut a).unwrap();
        a.to_vec()
    };
    // A file that changes is read again, and one that changes back is known.
    for (factor, answer) in [("2", 20.0), ("3", 30.0), ("2", 20.0)] {
        std::fs::write(&header, format!("#define FACTOR {factor}\n")).unwrap();
        assert_eq!(run(), [answer; 4]);
    }
}

#[test]
fn a_missing_header_says_who_has_it() {
    let error = SourceModule::new("#include <no_such_header.h>\n__global__ void k() {}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Compile);
    assert!(error.to_string().contains("include_dir(\"folder\")"), "{error}");
    assert!(error.compile_error().unwrap().help.is_some());
}

#[test]
fn a_kernel_for_a_debugger_computes_the_same() {
    let source = "__device__ float twice(float x) { return 2*x; }
        __global__ void k(float *a) { __shared__ float s[8]; s[threadIdx.x] = twice(a[threadIdx.x]);
        __syncthreads(); a[threadIdx.x] = s[7 - threadIdx.x]; }";
    let module = SourceModule::builder(source).device_debug().compile().unwrap();
    let mut a = arange::<f32>(0.0..8.0);
    module.get_function("k").unwrap().launch(1, 8, &mut a).unwrap();
    assert_eq!(a.to_vec(), [14.0, 12.0, 10.0, 8.0, 6.0, 4.0, 2.0, 0.0]);
}

#[test]
fn machine_code_and_ptx_are_loaded() {
    for target in ["cubin", "ptx"] {
        let bytes = compile(SCALE, target);
        if is_on_host() {
            is_refused_on_host(bytes);
            is_refused_on_host(module_from_buffer(b"\x7fELF"));
            continue;
        }
        let bytes = bytes.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(target);
        std::fs::write(&path, &bytes).unwrap();
        for module in [module_from_buffer(&bytes).unwrap(), module_from_file(&path).unwrap()] {
            let scale = module.get_function("scale").unwrap();
            let mut a = ones::<f32>(100);
            scale.launch(4, 32, (&mut a, 100_i32, 5.0_f32)).unwrap();
            assert_eq!(a.to_vec(), [10.0; 100]);
            let mut data = vec![1.0_f32; 10];
            scale.launch(1, 32, (InOut(&mut data), 10_i32, 3.0_f32)).unwrap();
            assert_eq!(data, [6.0; 10]);
            let mut factor = module.get_global("factor").unwrap();
            memcpy_htod(&mut factor, &[1.0_f32]).unwrap();
            scale.launch(4, 32, (&mut a, 100_i32, 0.5_f32)).unwrap();
            assert_eq!(a.to_vec(), [5.0; 100]);
            module.get_function("deep::add").unwrap().launch(1, 100, (&mut a, 1.0_f64)).unwrap();
            assert_eq!(a.to_vec(), [6.0; 100]);
            // Number and sizes are checked.
            let few = scale.launch(1, 32, (&mut a, 100_i32)).unwrap_err();
            assert_eq!(few.to_string(), "scale: 2 arguments given, but it takes 3");
            let wide = scale.launch(1, 32, (&mut a, 100_i64, 1.0_f32)).unwrap_err();
            assert!(wide.to_string().contains("argument 2 has 4 bytes"), "{wide}");
            let address = scale.launch(1, 32, (&mut a, &ones::<f32>(1), 1.0_f32)).unwrap_err();
            assert!(address.to_string().contains("an address has 8"), "{address}");
            let unknown = module.get_function("shrink").unwrap_err();
            assert!(
                unknown.to_string().contains("; it has ") && unknown.to_string().contains("scale"),
                "{unknown}"
            );
        }
    }
}

#[test]
fn what_is_no_machine_code_is_refused() {
    if is_on_host() {
        return is_refused_on_host(module_from_buffer(SCALE.as_bytes()));
    }
    let error = module_from_buffer(SCALE.as_bytes()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    assert!(error.to_string().contains("SourceModule::new"), "{error}");
    // The driver's compiler says what is wrong with PTX.
    let error = module_from_buffer(b".version 7.0\n.target sm_80\n.address_size 64\nnonsense\n").unwrap_err();
    assert_eq!(error.code().map(|code| code.name), Some("CUDA_ERROR_INVALID_PTX"));
    assert!(error.to_string().contains("line 4"), "{error}");
    assert_eq!(module_from_file("/no/such.cubin").unwrap_err().kind(), ErrorKind::Io);
    assert!(ones::<f32>(4).sum().item() == 4.0, "the device works on");
}

#[test]
fn an_unknown_target_is_named() {
    let error = compile(SCALE, "spirv").unwrap_err();
    assert_eq!(error.to_string(), "compile: a kernel is compiled to \"cubin\" or \"ptx\", not to \"spirv\"");
}

#[test]
fn sources_are_linked() {
    let mut module = DynamicModule::new();
    let library = module.add_source("__device__ int twice(int x) { return 2*x; }");
    if is_on_host() {
        is_refused_on_host(library.map(|_| ()));
        return is_refused_on_host(DynamicModule::new().add_stdlib("cudadevrt").map(|_| ()));
    }
    let caller =
        "__device__ int twice(int x); __global__ void k(int *a) { a[threadIdx.x] = twice(a[threadIdx.x]); }";
    library.unwrap().add_source(caller).unwrap();
    let linked = module.link().unwrap();
    let mut a = arange::<i32>(0..4);
    linked.get_function("k").unwrap().launch(1, 4, &mut a).unwrap();
    assert_eq!(a.to_vec(), [0, 2, 4, 6]);
    // What is missing is named by the linker.
    let mut alone = DynamicModule::new();
    let error = alone.add_source(caller).unwrap().link().unwrap_err();
    assert!(error.to_string().contains("twice"), "{error}");
    assert!(error.code().is_some());
    assert!(DynamicModule::new().link().unwrap_err().to_string().contains("add_source"));
    let missing = DynamicModule::new().add_stdlib("nonsense").map(|_| ()).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Missing);
    assert!(missing.to_string().contains("libnonsense.a"), "{missing}");
}

#[test]
fn what_is_known_about_a_kernel() {
    let source = "__global__ void k(float *a) { __shared__ float s[64]; s[threadIdx.x] = a[threadIdx.x];
        __syncthreads(); a[threadIdx.x] = s[63 - threadIdx.x]; }";
    let k = SourceModule::new(source).unwrap().get_function("k").unwrap();
    assert_eq!(k.shared_size_bytes().unwrap(), 256);
    assert_eq!(k.max_threads_per_block(), 1024);
    assert_eq!(k.local_size_bytes().unwrap(), 0);
    assert_eq!(k.const_size_bytes().unwrap(), 0);
    k.set_cache_config(CacheConfig::PreferShared).unwrap();
    k.set_preferred_shared_memory_carveout(Some(50)).unwrap();
    k.set_preferred_shared_memory_carveout(None).unwrap();
    assert!(k.set_preferred_shared_memory_carveout(Some(101)).is_err());
    if is_on_host() {
        assert_eq!((k.num_regs().unwrap(), k.binary_version().unwrap(), k.ptx_version().unwrap()), (0, 0, 0));
    } else {
        let (major, minor) = device().compute_capability().unwrap();
        assert!((1..=255).contains(&k.num_regs().unwrap()));
        assert_eq!(k.binary_version().unwrap(), (10 * major + minor) as usize);
        assert!(k.ptx_version().unwrap() > 0);
    }
    let mut a = arange::<f32>(0.0..64.0);
    k.launch(1, 64, &mut a).unwrap();
    assert_eq!(a.to_vec()[0], 63.0);
}

#[test]
fn how_much_of_a_kernel_runs_at_once() {
    let k = SourceModule::new("__global__ void k(float *a) { a[blockIdx.x*blockDim.x + threadIdx.x] = 1; }");
    let k = k.unwrap().get_function("k").unwrap();
    let blocks = k.max_active_blocks_per_multiprocessor(256, 0).unwrap();
    assert!(blocks >= 1);
    assert!(k.max_active_blocks_per_multiprocessor(256, 40 << 10).unwrap() <= blocks);
    assert_eq!(k.max_active_blocks_per_multiprocessor(4096, 0).unwrap(), 0);
    assert_eq!(k.max_active_blocks_per_multiprocessor(32, 1 << 30).unwrap(), 0);
    assert!(k.max_active_blocks_per_multiprocessor(0, 0).is_err());
    let (grid, block) = k.suggested_block_size(0).unwrap();
    assert!(grid >= 1 && (32..=k.max_threads_per_block()).contains(&block));
    let mut a = zeros::<f32>(grid * block);
    k.launch(grid, block, &mut a).unwrap();
    assert_eq!(a.sum().item(), (grid * block) as f32);
}

const DYNAMIC: &str = "extern __shared__ float s[];
    __global__ void turn(float *a, int n) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = a[i];
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = s[n - 1 - i]; }
    __global__ void both(float *a, int n) { __shared__ float own[1024]; own[threadIdx.x] = n; s[threadIdx.x] = 1;
        __syncthreads(); a[threadIdx.x] = own[0] + s[0]; }";

#[test]
fn more_shared_memory_than_is_given_unasked() {
    let module = SourceModule::new(DYNAMIC).unwrap();
    let turn = module.get_function("turn").unwrap();
    for bytes in [16 << 10, 48 << 10, 64 << 10, 96 << 10, 32 << 10] {
        let n = bytes / 4;
        let mut a = arange::<f32>(0.0..n as f32);
        turn.launch_shared(1, 256, bytes, (&mut a, n as i32)).unwrap();
        assert_eq!((a.to_vec()[0], a.to_vec()[n - 1]), ((n - 1) as f32, 0.0));
    }
    let mut a = zeros::<f32>(4);
    let error = turn.launch_shared(1, 4, 1 << 20, (&mut a, 4)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Launch);
    let text = error.to_string();
    assert!(text.contains("1048576 bytes of dynamic shared memory and 0 of"), "{text}");
    if is_on_host() {
        assert!(text.contains("a block can have 232448 together"), "{text}");
    }
    turn.set_max_dynamic_shared_size_bytes(64 << 10).unwrap();
    assert!(turn.max_dynamic_shared_size_bytes().unwrap() >= 64 << 10);
    assert!(turn.set_max_dynamic_shared_size_bytes(1 << 20).is_err());
}

#[test]
fn what_a_kernel_declares_counts() {
    let both = SourceModule::new(DYNAMIC).unwrap().get_function("both").unwrap();
    assert_eq!(both.shared_size_bytes().unwrap(), 4096);
    let mut a = zeros::<f32>(8);
    both.launch_shared(1, 8, 48 << 10, (&mut a, 4)).unwrap();
    assert_eq!(a.to_vec(), [5.0; 8]);
    if is_on_host() {
        // 227 KiB with the kernel's own 4.
        both.launch_shared(1, 8, 223 << 10, (&mut a, 5)).unwrap();
        let error = both.launch_shared(1, 8, 224 << 10, (&mut a, 5)).unwrap_err();
        assert!(error.to_string().contains("and 4096 of `__shared__` variables"), "{error}");
    }
}

#[test]
fn a_grid_that_waits_for_all_its_blocks() {
    let source = "#include <cooperative_groups.h>
        __global__ void k(int *a, int *b) {
            cooperative_groups::grid_group grid = cooperative_groups::this_grid();
            int i = grid.thread_rank(), n = grid.size();
            for (int round = 0; round < 10; round++) {
                a[i] = i + round;
                grid.sync();
                b[i] = a[n - 1 - i];
                grid.sync(); } }";
    let k = SourceModule::new(source).unwrap().get_function("k").unwrap();
    // Twice: the barrier starts anew.
    for _ in 0..2 {
        let (mut a, mut b) = (zeros::<i32>(64 * 128), zeros::<i32>(64 * 128));
        k.launch_cooperative(64, 128, (&mut a, &mut b)).unwrap();
        let n = 64 * 128;
        assert_eq!(b.to_vec(), (0..n).map(|i| n - 1 - i + 9).collect::<Vec<i32>>());
    }
    let (mut a, mut b) = (zeros::<i32>(1), zeros::<i32>(1));
    let error = k.launch_cooperative(1_000_000, 128, (&mut a, &mut b)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Launch);
    let allowed = if is_on_host() { "here 512 can" } else { "multiprocessors" };
    assert!(error.to_string().contains("1000000 blocks") && error.to_string().contains(allowed), "{error}");
}

#[test]
fn a_cooperative_launch_of_a_kernel_that_waits_for_nobody() {
    let k =
        SourceModule::new("__global__ void k(int *a, int x) { a[blockIdx.x*blockDim.x + threadIdx.x] = x; }");
    let k = k.unwrap().get_function("k").unwrap();
    let mut a = zeros::<i32>(64);
    k.launch_cooperative(2, 32, (&mut a, 7)).unwrap();
    assert_eq!(a.to_vec(), [7; 64]);
    let few = k.launch_cooperative(2, 32, &mut a).unwrap_err();
    assert_eq!(few.kind(), ErrorKind::Argument);
}

#[test]
fn an_error_of_the_compiler_or_the_driver_has_a_number() {
    let error = SourceModule::with_options("__global__ void k() {}", &["--no-such-option"]).unwrap_err();
    if is_on_host() {
        assert!(error.code().is_none());
    } else {
        let code = error.code().unwrap();
        assert_eq!((code.name, code.number, code.is_sticky), ("NVRTC_ERROR_INVALID_OPTION", 5, false));
    }
}
