//! Raw memory on the device.

use gpurepl_prelude::*;

#[test]
fn bytes_go_there_and_back() {
    let host: Vec<f64> = (0..1000).map(f64::from).collect();
    let mut memory = mem_alloc(8000).unwrap();
    memcpy_htod(&mut memory, &host).unwrap();
    let mut copy = mem_alloc(8000).unwrap();
    memcpy_dtod(&mut copy, &memory).unwrap();
    memory.free();
    let mut back = vec![0.0_f64; 1000];
    memcpy_dtoh(&mut back, &copy).unwrap();
    assert_eq!(back, host);
    let mut part = [0.0_f64; 3];
    memcpy_dtoh(&mut part, &copy).unwrap();
    assert_eq!(part, [0.0, 1.0, 2.0]);
}

#[test]
fn more_than_there_is_room_for() {
    let mut memory = mem_alloc(8).unwrap();
    let error = memcpy_htod(&mut memory, &[1_u8; 9]).unwrap_err();
    assert!(error.to_string().contains('9') && error.to_string().contains('8'), "{error}");
    let error = memcpy_dtoh(&mut [0_u8; 9], &memory).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value, "{error}");
    assert_eq!(mem_alloc(1 << 50).unwrap_err().kind(), ErrorKind::OutOfMemory);
}

#[test]
fn an_arrays_own_memory() {
    let mut a = arange(0..4);
    let data = a.gpudata();
    assert_eq!(data.len(), 16);
    let mut read = [0_i32; 4];
    memcpy_dtoh(&mut read, &data).unwrap();
    assert_eq!(read, [0, 1, 2, 3]);
    a += 10;
    memcpy_dtoh(&mut read, &data).unwrap();
    assert_eq!(read, [10, 11, 12, 13]);
    // The memory outlives the array.
    drop(a);
    memcpy_dtoh(&mut read, &data).unwrap();
    assert_eq!(read, [10, 11, 12, 13]);
}

#[test]
fn memory_is_given_back() {
    let (free, total) = mem_get_info().unwrap();
    assert!(free > 0 && free <= total);
    // Many times more than there would be room for, were it kept.
    let bytes = (free / 8).min(1 << 26);
    for _ in 0..64 {
        let memory = mem_alloc(bytes).unwrap();
        let array = zeros::<u8>(bytes / 4);
        drop((memory, array));
    }
}

// PyCUDA's test_memory.
#[test]
fn from_the_device_to_a_new_array() {
    let z: Vec<f32> = (0..400).map(|k| (k as f32).sin()).collect();
    let z = ndarray::Array2::from_shape_vec((20, 20), z).unwrap();
    let memory = to_device(&z).unwrap();
    assert_eq!(from_device_like(&memory, &z).unwrap(), z.clone().into_dyn());
    assert_eq!(from_device::<f32>(&memory, (20, 20)).unwrap(), z.into_dyn());
    let error = from_device::<f64>(&memory, (20, 20)).unwrap_err().to_string();
    assert!(error.contains("3.1 KiB") && error.contains("1.6 KiB"), "{error}");
    assert_eq!(from_device::<f32>(&memory, 0).unwrap().len(), 0);
    assert_eq!(mem_alloc_like(&[0.0_f64; 5]).unwrap().len(), 40);
}

// The second half of PyCUDA's test_simple_kernel_2.
#[test]
fn a_pointer_and_an_offset() {
    let source = "__global__ void multiply_them(float *dest, float *a, float *b) {
        const int i = threadIdx.x;
        dest[i] = a[i] * b[i];
    }";
    let module = SourceModule::new(source).unwrap();
    let multiply = module.get_function("multiply_them").unwrap();
    let numbers = |from: i32| (from..from + 400).map(|k| k as f32).collect::<Vec<f32>>();
    let (a, b) = (numbers(3), numbers(-20));
    let (a_gpu, b_gpu) = (to_device(&a).unwrap(), to_device(&b).unwrap());
    let dest = to_device(&[0.0_f32; 400]).unwrap();
    let from = |memory: &DeviceAllocation| memory.offset(4).unwrap();
    multiply.launch(1, 399, (from(&dest), from(&a_gpu), from(&b_gpu))).unwrap();
    let got = from_device::<f32>(&dest, 400).unwrap();
    assert_eq!(got[0], 0.0);
    assert!((1..400).all(|k| got[k] == a[k] * b[k]));
}

#[test]
fn parts_of_memory() {
    let memory = to_device(&[1_u8, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    assert_eq!(memory.ptr(), memory.address());
    let part = memory.slice(2..6).unwrap();
    assert_eq!((part.len(), part.address()), (4, memory.address() + 2));
    let deeper = part.offset(1).unwrap();
    assert_eq!(from_device::<u8>(&deeper, 3).unwrap().as_slice().unwrap(), [4, 5, 6]);
    for (from, to) in [(5, 9), (9, 9), (7, 3)] {
        assert_eq!(memory.slice(from..to).unwrap_err().kind(), ErrorKind::Value);
    }
    assert!(memory.offset(8).unwrap().is_empty());
    assert!(memory.offset(9).is_err());
    // Within one allocation, and over each other.
    let mut to = memory.offset(1).unwrap();
    memcpy_dtod(&mut to, &memory.slice(0..5).unwrap()).unwrap();
    assert_eq!(from_device::<u8>(&memory, 8).unwrap().as_slice().unwrap(), [1, 1, 2, 3, 4, 5, 7, 8]);
}
