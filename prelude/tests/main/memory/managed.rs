//! Memory that host and device share.

use gpurepl_prelude::*;

const ADD: &str = "__global__ void add(float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += b[i];
}";

#[test]
fn host_and_kernels_take_turns() {
    let mut a = managed_zeros::<f32>((10, 100)).unwrap();
    let b = managed_from(&vec![1.0_f32; 1000]).unwrap();
    let add = SourceModule::new(ADD).unwrap().get_function("add").unwrap();
    for turn in 0..10 {
        a[turn] += 100.0;
        add.launch(8, 128, (&mut a, &b, 1000)).unwrap();
    }
    assert_eq!((a[0], a[9], a[10]), (110.0, 110.0, 10.0));
    assert_eq!((a.array()[[9, 99]], a.shape(), a.nbytes()), (10.0, &[10, 100][..], 4000));
    a.array_mut().fill(0.5);
    let stream = Stream::new().unwrap();
    stream.scope(|| add.launch(8, 128, (&mut a, &b, 1000))).unwrap().unwrap();
    assert!(a.iter().all(|x| *x == 1.5));
    assert_eq!(to_gpu(&a).sum().item(), 1500.0);
}

#[test]
fn what_is_lent_to_be_read_is_not_written() {
    let (mut a, b) = (managed_zeros::<f32>(4).unwrap(), managed_zeros::<f64>(4).unwrap());
    let add = SourceModule::new(ADD).unwrap().get_function("add").unwrap();
    let read = managed_zeros::<f32>(4).unwrap();
    let error = add.launch(1, 4, (&read, &read, 4)).unwrap_err().to_string();
    assert!(error.contains("argument 1 `a`") && error.contains("`&mut`"), "{error}");
    let error = add.launch(1, 4, (&mut a, &b, 4)).unwrap_err().to_string();
    assert!(error.contains("float32") && error.contains("float64"), "{error}");
}

#[test]
fn elementwise_over_managed_memory() {
    let (x, mut z) = (managed_from(&[1.0_f32, 2.0, 3.0]).unwrap(), managed_empty::<f32>(3).unwrap());
    let square = ElementwiseKernel::new("const float *x, float *z", "z[i] = x[i]*x[i]", "square").unwrap();
    square.call((&x, &mut z)).unwrap();
    assert_eq!(*z, [1.0, 4.0, 9.0]);
}

#[test]
fn advice_and_moves() {
    let mut a = managed_from(&[1_i32; 5000]).unwrap();
    let here = MemoryLocation::Device(Context::current().unwrap());
    for advice in [
        Advice::ReadMostly,
        Advice::NotReadMostly,
        Advice::PreferredLocation(here),
        Advice::NoPreferredLocation,
        Advice::AccessedBy(MemoryLocation::Host),
        Advice::NotAccessedBy(MemoryLocation::Host),
    ] {
        a.advise(advice).unwrap();
    }
    a.prefetch(here).unwrap();
    a.prefetch(MemoryLocation::Host).unwrap();
    a.attach(AttachFlags::Global).unwrap();
    assert_eq!(a.iter().sum::<i32>(), 5000);
    let mut none = managed_empty::<i32>(0).unwrap();
    none.prefetch(here).unwrap();
    none.attach(AttachFlags::Host).unwrap();
    assert!(none.is_empty());
}
