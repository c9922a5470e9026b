//! The cases of PyCUDA's tests of its driver, as facts: what each checks holds
//! here as well. Those of textures and surfaces stand in `textures`, those of
//! memory in `memory`.

use gpurepl_prelude::*;

use crate::is_on_host;

const MULTIPLY: &str = "__global__ void multiply_them(float *dest, const float *a, const float *b) {
    const int i = threadIdx.x;
    dest[i] = a[i] * b[i];
}";

fn norm(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
}

fn products(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn multiply_them() -> Function {
    SourceModule::new(MULTIPLY).unwrap().get_function("multiply_them").unwrap()
}

#[test]
fn simple_kernel() {
    let (a, b) = (randn::<f32>(400).to_vec(), randn::<f32>(400).to_vec());
    let mut dest = vec![0.0f32; 400];
    multiply_them().launch(1, (400, 1, 1), (Out(&mut dest), In(&a), In(&b))).unwrap();
    assert_eq!(norm(&dest, &products(&a, &b)), 0.0);
}

#[test]
fn simple_kernel_with_device_memory_and_an_offset() {
    let (a, b) = (randn::<f32>(400).to_vec(), randn::<f32>(400).to_vec());
    let (a_gpu, b_gpu) = (to_device(&a).unwrap(), to_device(&b).unwrap());
    let mut dest = vec![0.0f32; 400];
    let multiply_them = multiply_them();
    multiply_them.launch(1, (400, 1, 1), (Out(&mut dest), &a_gpu, &b_gpu)).unwrap();
    assert_eq!(norm(&dest, &products(&a, &b)), 0.0);
    // From the second element on, with 399 threads.
    let a_gpu = to_gpu(&a);
    let mut dest = vec![0.0f32; 399];
    multiply_them.launch(1, (399, 1, 1), (Out(&mut dest), &a_gpu.slice(1..), &b_gpu)).unwrap();
    assert_eq!(norm(&dest, &products(&a[1..], &b)), 0.0);
}

#[test]
fn vector_types() {
    let source = "__global__ void set_them(float3 *dest, float3 x) {
        const int i = threadIdx.x;
        dest[i] = x;
    }";
    let set_them = SourceModule::new(source).unwrap().get_function("set_them").unwrap();
    let mut dest = zeros::<f32>((400, 3));
    set_them.launch(1, (400, 1, 1), (&mut dest, [1.0f32, 2.0, 3.0])).unwrap();
    assert_eq!(dest.to_vec(), [1.0, 2.0, 3.0].repeat(400));
}

#[test]
fn gpuarray() {
    let a = arange(0.0f32..200_000.0);
    let b = &a + 17.0;
    let difference = &a - 3.0 * &b + (-&a);
    let expected: Vec<f32> =
        a.to_vec().iter().zip(b.to_vec()).map(|(a, b): (&f32, f32)| a - 3.0 * b + (-a)).collect();
    assert_eq!(norm(&difference.to_vec(), &expected), 0.0);
    let product = &a * &b;
    assert_eq!(norm(&product.to_vec(), &products(&a.to_vec(), &b.to_vec())), 0.0);
}

/// What `__cuda_array_interface__` tells: shape, element type, address.
#[test]
fn gpuarray_says_what_other_libraries_ask() {
    let a = zeros::<f32>((10, 3));
    assert_eq!((a.shape(), a.size()), (&[10, 3][..], 30));
    let memory = a.gpudata();
    assert_ne!(memory.address(), 0);
    assert_eq!(memory.len(), 120);
    assert_eq!(a.slice(2..).gpudata().address(), memory.address() + 24);
}

#[test]
fn large_shared_memory() {
    let source = "
        __shared__ int foo[4096];
        __global__ void large_smem_kernel() { foo[threadIdx.x] = 1; }";
    let kernel = SourceModule::new(source).unwrap().get_function("large_smem_kernel").unwrap();
    kernel.launch(1, (128, 1, 1), ()).unwrap();
    synchronize().unwrap();
    // And what only a launch can ask for: above 48 KiB.
    let source = "__global__ void all_of_it(int *sum, int n) {
        extern __shared__ int shared[];
        for (int i = threadIdx.x; i < n; i += blockDim.x) shared[i] = i;
        __syncthreads();
        if (threadIdx.x == 0) { int s = 0; for (int i = 0; i < n; i++) s += shared[i] & 3; *sum = s; }
    }";
    let kernel = SourceModule::new(source).unwrap().get_function("all_of_it").unwrap();
    let allowed = device().attribute(DeviceAttribute::MaxSharedMemoryPerBlockOptin).unwrap() as usize;
    let allowed = allowed.min(96 << 10);
    let n = allowed / 4;
    let mut sum = zeros::<i32>(1);
    kernel.launch_shared(1, 128, allowed, (&mut sum, n as i32)).unwrap();
    assert_eq!(sum.to_vec()[0], (0..n as i32).map(|i| i & 3).sum::<i32>());
    let error = kernel.launch_shared(1, 128, 1 << 20, (&mut sum, 4)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Launch);
    assert!(error.to_string().contains("1048576"), "{error}");
}

#[test]
fn several_contexts() {
    let device = Device::new(0).unwrap();
    let first = device.make_context().unwrap();
    let first_array = arange(0.0f32..10.0);
    Context::pop().unwrap();
    let second = device.make_context().unwrap();
    let second_array = arange(0.0f32..20.0);
    Context::pop().unwrap();
    // Freed while neither is current, in the order in which they were made.
    drop((first_array, second_array));
    first.detach();
    second.detach();
}

#[test]
fn an_additional_primary_context() {
    let context = device().retain_primary_context().unwrap();
    context.push().unwrap();
    let in_primary = ones::<f32>(100);
    let other = Device::new(0).unwrap().make_context().unwrap();
    let in_other = ones::<f32>(100);
    Context::pop().unwrap();
    Context::pop().unwrap();
    drop(in_primary);
    assert_eq!(in_other.sum().item(), 100.0);
    other.detach();
    drop(in_other);
    context.detach();
}

#[test]
fn prepared_invocation() {
    let a = randn::<f32>((4, 4));
    let before = a.to_vec();
    let source = "__global__ void doublify(float *a) {
        int idx = threadIdx.x + threadIdx.y*blockDim.x;
        a[idx] *= 2;
    }";
    let doublify = SourceModule::new(source).unwrap().get_function("doublify").unwrap().prepare("P").unwrap();
    doublify.prepared_call((1, 1), (4, 4, 1), a.gpudata()).unwrap();
    let doubled: Vec<f32> = before.iter().map(|x| 2.0 * x).collect();
    assert_eq!(a.to_vec(), doubled);
    doublify.prepared_call_shared((1, 1), (4, 4, 1), 20, a.gpudata()).unwrap();
    // From the second element on, with 15 threads.
    let flat = a.reshape(16);
    doublify.prepared_call((1, 1), (15, 1, 1), &flat.slice(1..)).unwrap();
    let now = a.to_vec();
    assert_eq!(now[0], 4.0 * before[0]);
    assert!(now[1..].iter().zip(&before[1..]).all(|(now, before)| *now == 8.0 * before));
}

#[test]
fn prepared_with_a_vector() {
    let source = "__global__ void cuda_function(float3 input, float *output) {
        output[0] = input.x; output[1] = input.y; output[2] = input.z;
    }";
    let function = SourceModule::new(source).unwrap().get_function("cuda_function").unwrap();
    let mut output = zeros::<f32>(3);
    for prepared in [function.prepare("").unwrap(), function.prepare("SP").unwrap()] {
        output.fill(0);
        prepared.prepared_call((1, 1), (1, 1, 1), ([1.0f32, 2.0, 3.0], &mut output)).unwrap();
        assert_eq!(output.to_vec(), [1.0, 2.0, 3.0]);
        let wrong = prepared.prepared_call(1, 1, ([1.0f32, 2.0], &mut output)).unwrap_err();
        assert!(wrong.to_string().contains("`float3`, which takes `[f32; 3]`"), "{wrong}");
    }
}

#[test]
fn constant_memory() {
    let source = "
        __constant__ float const_array[32];
        __global__ void copy_constant_into_global(float *global_result_array) {
            global_result_array[threadIdx.x] = const_array[threadIdx.x];
        }";
    let module = SourceModule::new(source).unwrap();
    let copy = module.get_function("copy_constant_into_global").unwrap();
    let mut constants = module.get_global("const_array").unwrap();
    assert_eq!(constants.len(), 4 * 32);
    let host = randn::<f32>(32).to_vec();
    memcpy_htod(&mut constants, &host).unwrap();
    let mut result = zeros::<f32>(32);
    copy.launch((1, 1), (32, 1, 1), &mut result).unwrap();
    assert_eq!(result.to_vec(), host);
}

/// Kernels that launch kernels, by way of the toolkit's device library.
#[test]
fn recursive_launch() {
    let source = "
        __global__ void math(int *a, int *b, int *c) { a[0] = b[0] + c[0]; }
        __global__ void call_math(int *a, int *b, int *c) { math<<<1, 1>>>(a, b, c); }";
    let mut module = DynamicModule::new();
    let built = module
        .add_source(source)
        .and_then(|module| module.add_stdlib("cudadevrt"))
        .and_then(|module| module.link());
    match built {
        Ok(module) => {
            let call_math = module.get_function("call_math").unwrap();
            let (mut a, b, c) = (zeros::<i32>(1), full::<i32>(1, 1), full::<i32>(1, 2));
            call_math.launch(1, 1, (&mut a, &b, &c)).unwrap();
            assert_eq!(a.to_vec(), [3]);
        }
        // No toolkit, or no GPU: said, with the way to get it.
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Missing | ErrorKind::Unsupported), "{error}");
            assert!(error.to_string().contains("help:"), "{error}");
        }
    }
}

#[test]
fn modules_are_linked_from_two_sources() {
    let caller = "
        extern __device__ void test_device_kernel(int *value, int by);
        __global__ void test_kernel(int *value) { test_device_kernel(value, 5); }";
    let called = "__device__ void test_device_kernel(int *value, int by) { *value += by; }";
    let mut module = DynamicModule::new();
    let built = module
        .add_source(caller)
        .and_then(|module| module.add_source(called))
        .and_then(|module| module.link());
    match built {
        Ok(module) => {
            let mut value = full::<i32>(1, 37);
            module.get_function("test_kernel").unwrap().launch(1, 1, &mut value).unwrap();
            assert_eq!(value.to_vec(), [42]);
        }
        Err(error) => assert!(is_on_host() && error.kind() == ErrorKind::Unsupported, "{error}"),
    }
}
