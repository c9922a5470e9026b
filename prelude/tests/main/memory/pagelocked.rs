//! Page-locked memory.

use gpurepl_prelude::*;

// PyCUDA's test_streamed_kernel.
#[test]
fn a_kernel_on_a_stream_between_copies() {
    let source = "__global__ void multiply_them(float *dest, float *a, float *b) {
        const int i = threadIdx.x * blockDim.y + threadIdx.y;
        dest[i] = a[i] * b[i];
    }";
    let multiply = SourceModule::new(source).unwrap().get_function("multiply_them").unwrap();
    let random = || pagelocked_from(&randn::<f32>((32, 8)).get()).unwrap();
    let (a, b) = (random(), random());
    let stream = Stream::new().unwrap();
    let (mut a_gpu, mut b_gpu) = (mem_alloc_like(&a).unwrap(), mem_alloc_like(&b).unwrap());
    memcpy_htod_async(&mut a_gpu, &a, &stream).unwrap();
    memcpy_htod_async(&mut b_gpu, &b, &stream).unwrap();
    stream.synchronize().unwrap();
    let mut dest = pagelocked_empty::<f32>((32, 8)).unwrap();
    stream.scope(|| multiply.launch(1, (32, 8), (Out(&mut dest), &a_gpu, &b_gpu))).unwrap().unwrap();
    assert_eq!(dest.array(), (&a.array() * &b.array()).view());
}

#[test]
fn it_is_a_slice_and_an_array() {
    let mut a = pagelocked_zeros::<i32>((2, 3)).unwrap();
    a[4] = 5;
    a.array_mut()[[0, 1]] = 7;
    assert_eq!(*a, [0, 7, 0, 0, 5, 0]);
    assert_eq!((a.shape(), a.nbytes(), a.iter().max()), (&[2, 3][..], 24, Some(&7)));
    assert_eq!(format!("{a:?}"), format!("{:?}", a.array()));
    assert_eq!(pagelocked_from(&a).unwrap().shape(), [2, 3]);
    assert_eq!(a.into_vec().unwrap(), [0, 7, 0, 0, 5, 0]);
    assert!(pagelocked_empty::<f32>((1_usize << 40, 1_usize << 40)).is_err());
    assert!(pagelocked_empty::<f32>(-1).is_err());
}

#[test]
fn all_copies_take_it() {
    for size in [3_usize, 100_000, 1_000_003] {
        let values: Vec<f32> = (0..size).map(|k| k as f32).collect();
        let a = pagelocked_from(&values).unwrap();
        let array = to_gpu(&a);
        assert_eq!(array.shape(), [size]);
        let mut back = pagelocked_empty::<f32>(size).unwrap();
        memcpy_dtoh(&mut back, &array.gpudata()).unwrap();
        assert_eq!(*back, *values);
        memcpy_htod(&mut (&array * 0.0).gpudata(), &back).unwrap();
        // A part of it, as a plain slice.
        memcpy_dtoh(&mut back[1..], &array.gpudata()).unwrap();
        assert_eq!(back[1..], values[..size - 1]);
        let twice = ElementwiseKernel::new("const float *x, float *z", "z[i] = 2*x[i]", "twice").unwrap();
        twice.call((In(&a), Out(&mut back))).unwrap();
        assert!(back.iter().zip(&values).all(|(z, x)| *z == 2.0 * x));
        let more = ElementwiseKernel::new("float *x", "x[i] += 1", "more").unwrap();
        more.call((InOut(&mut back),)).unwrap();
        assert!(back.iter().zip(&values).all(|(z, x)| *z == 2.0 * x + 1.0));
    }
}

#[test]
fn flags() {
    let flags = PageLockedFlags { portable: true, mapped: true, write_combined: true };
    let mut a = PageLocked::<u32>::with_flags(100, flags).unwrap();
    a.fill(1);
    assert_eq!((to_gpu(&a).sum().item(), a.flags()), (100, flags));
    let mut plain = pagelocked_zeros::<u32>(4).unwrap();
    let error = plain.device_pointer().unwrap_err().to_string();
    assert!(error.contains("mapped: true"), "{error}");
}

#[test]
fn kernels_use_mapped_memory() {
    let mapped = PageLockedFlags { mapped: true, ..PageLockedFlags::default() };
    let mut a = PageLocked::<f32>::with_flags((4, 8), mapped).unwrap();
    a.fill(3.0);
    let source = "__global__ void twice(float *a) { a[threadIdx.x] *= 2; }";
    let twice = SourceModule::new(source).unwrap().get_function("twice").unwrap();
    let stream = Stream::new().unwrap();
    for _ in 0..3 {
        let pointer = a.device_pointer().unwrap();
        assert_ne!(pointer.address(), 0);
        stream.scope(|| twice.launch(1, 16, &pointer)).unwrap().unwrap();
        stream.scope(|| twice.launch(1, 16, (pointer,))).unwrap().unwrap();
        a[0] += 1.0;
    }
    assert_eq!((a[0], a[1], a[16]), (213.0, 192.0, 3.0));
    // Dropping it waits for the kernel.
    stream.scope(|| twice.launch(1, 16, a.device_pointer().unwrap())).unwrap().unwrap();
    drop(a);
}

// PyCUDA's test_register_host_memory.
#[test]
fn memory_that_is_registered() {
    let values: Vec<f64> = (0..20_000).map(f64::from).collect();
    let at = values.as_ptr();
    let mut a = register_host_memory(values).unwrap();
    let stream = Stream::new().unwrap();
    let mut memory = mem_alloc(a.nbytes()).unwrap();
    memcpy_htod_async(&mut memory, &a, &stream).unwrap();
    a[0] = 1.0;
    memcpy_dtoh_async(&mut a, &memory, &stream).unwrap();
    let values = a.into_vec().unwrap();
    assert_eq!((values.as_ptr(), values[0], values[19_999]), (at, 0.0, 19_999.0));
    let mut a = register_host_memory(values).unwrap();
    let source = "__global__ void twice(double *a) { a[threadIdx.x] *= 2; }";
    let twice = SourceModule::new(source).unwrap().get_function("twice").unwrap();
    twice.launch(1, 64, a.device_pointer().unwrap()).unwrap();
    assert_eq!((a[63], a[64]), (126.0, 64.0));
    // A pointer that is leaked keeps the memory; what comes out is a copy.
    std::mem::forget(a.device_pointer().unwrap());
    assert_eq!(a.into_vec().unwrap()[63], 126.0);
    assert!(pagelocked_zeros::<f64>(0).unwrap().is_empty());
    assert!(register_host_memory(Vec::<f32>::new()).unwrap().into_vec().unwrap().is_empty());
}

#[test]
fn arrays_that_are_aligned() {
    for alignment in [1, 16, 512, 4096, 1 << 20] {
        let mut a = aligned_empty::<f32>((3, 5), alignment).unwrap();
        assert_eq!((a.as_ptr() as usize % alignment, a.shape()), (0, &[3, 5][..]));
        a.array_mut()[[2, 4]] = 1.0;
        assert_eq!((a[14], a.array().sum()), (1.0, 1.0));
    }
    assert!(aligned_empty::<f32>(3, 100).is_err());
    assert!(aligned_empty::<f32>(1_usize << 60, 4096).is_err());
}

#[test]
fn pieces_are_kept_for_the_next() {
    let pool = pagelocked_pool().unwrap();
    let a = pagelocked_zeros::<u8>(3 << 20).unwrap();
    let at = a.as_ptr();
    assert!(pool.active_bytes() >= 3 << 20);
    drop(a);
    assert!(pool.held_blocks() > 0 && pool.held_bytes() >= 3 << 20, "{pool}");
    if !crate::is_on_host() {
        assert_eq!(pagelocked_empty::<u8>(3 << 20).unwrap().as_ptr(), at);
    }
    assert!(pool.set_limit(Some(1)).is_err());
    assert!(format!("{pool}").starts_with("PageLockedMemoryPool("));
}
