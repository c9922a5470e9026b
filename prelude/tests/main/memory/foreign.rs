//! Memory that something else has made.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gpurepl_prelude::*;

/// Stands for a library's vector; counts how many are gone.
struct Vector {
    memory: DeviceAllocation,
    gone: Arc<AtomicUsize>,
}

impl Vector {
    fn new(values: &[f32], gone: &Arc<AtomicUsize>) -> Vector {
        Vector { memory: to_device(values).unwrap(), gone: Arc::clone(gone) }
    }
}

impl Drop for Vector {
    fn drop(&mut self) {
        self.gone.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: the allocation lives as long as the vector, and nobody else uses it
// while kernels do.
unsafe impl PointerHolder for Vector {
    fn pointer(&self) -> u64 {
        self.memory.address()
    }

    fn bytes(&self) -> usize {
        self.memory.len()
    }
}

const TWICE: &str = "__global__ void twice(float *a) { a[threadIdx.x] *= 2; }";

// PyCUDA's test_pointer_holder_base.
#[test]
fn a_holder_is_an_argument() {
    let gone = Arc::default();
    let holder = Arc::new(Vector::new(&[1.0, 2.0, 3.0], &gone));
    let twice = SourceModule::new(TWICE).unwrap().get_function("twice").unwrap();
    twice.launch(1, 3, &holder).unwrap();
    twice.launch(1, 2, (&holder,)).unwrap();
    assert_eq!(from_device::<f32>(&holder.memory, 3).unwrap().as_slice().unwrap(), [4.0, 8.0, 6.0]);
    let memory = DeviceAllocation::from_holder(holder).unwrap();
    twice.launch(1, 3, &memory).unwrap();
    assert_eq!(gone.load(Ordering::Relaxed), 0);
    assert_eq!(from_device::<f32>(&memory, 3).unwrap().as_slice().unwrap(), [8.0, 16.0, 12.0]);
    drop(memory);
    assert_eq!(gone.load(Ordering::Relaxed), 1);
}

// What PyCUDA's test_pass_cai_array is about.
#[test]
fn an_array_over_foreign_memory() {
    let values: Vec<f32> = (0..1024).map(|k| k as f32).collect();
    let gone = Arc::default();
    let vector = Vector::new(&values, &gone);
    // SAFETY: the vector is kept, and its memory used through the array alone.
    let mut array = unsafe { GpuArray::<f32>::from_raw(vector.pointer(), (32, 32), vector).unwrap() };
    let sum = &array + 1.0;
    SourceModule::new("__global__ void set(float *a) { a[threadIdx.x] = -1; }")
        .unwrap()
        .get_function("set")
        .unwrap()
        .launch(1, 2, &mut array)
        .unwrap();
    assert_eq!(sum.to_vec()[..3], [1.0, 2.0, 3.0]);
    assert_eq!(array.to_vec()[..3], [-1.0, -1.0, 2.0]);
    assert_eq!(array.shape(), [32, 32]);
    drop((array, sum));
    assert_eq!(gone.load(Ordering::Relaxed), 1);
}

#[test]
fn bytes_at_an_odd_address_were_floats_after_a_view() {
    let gone = Arc::default();
    let vector = Vector::new(&[1.0, 2.0, 3.0], &gone);
    // SAFETY: as above; the bytes lie within the vector.
    let bytes = unsafe { GpuArray::<u8>::from_raw(vector.pointer() + 1, 8, vector).unwrap() };
    let text = "view: elements of float32 lie at multiples of their 4 bytes, and these of uint8 do not";
    crate::raises(ErrorKind::Value, text, || drop(bytes.view(f32)));
    assert_eq!(bytes.view(i8).size(), 8);
    assert_eq!(bytes.copy().view(f32).size(), 2);
}

#[test]
fn what_cannot_be_memory() {
    for (address, bytes) in [(0, 8), (64, usize::MAX), (u64::MAX - 3, 8)] {
        // SAFETY: refused, since no memory can be there.
        let error = unsafe { DeviceAllocation::from_raw(address, bytes, ()) }.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Value, "{error}");
    }
    // SAFETY: no bytes at all.
    assert!(unsafe { DeviceAllocation::from_raw(0, 0, ()) }.unwrap().is_empty());
    let memory = to_device(&[0_u8; 10]).unwrap();
    assert!(GpuArray::<f32>::from_allocation(&memory, 3).is_err());
    assert!(GpuArray::<f32>::from_allocation(&memory.offset(1).unwrap(), 1).is_err());
    let b = GpuArray::<f32>::from_allocation(&memory.offset(4).unwrap(), 1).unwrap();
    assert_eq!(b.to_vec(), [0.0]);
}

#[test]
fn memory_that_goes_out() {
    let (address, bytes) = to_device(&[1.5_f32, 2.5]).unwrap().into_raw().unwrap();
    assert_eq!(bytes, 8);
    // SAFETY: given up by the line above, and used by nobody else.
    let memory = unsafe { DeviceAllocation::from_raw(address, bytes, ()).unwrap() };
    assert_eq!(from_device::<f32>(&memory, 2).unwrap().as_slice().unwrap(), [1.5, 2.5]);
}
