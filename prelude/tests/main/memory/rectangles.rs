//! Copies of rectangles and boxes.

use gpurepl_prelude::*;
use ndarray::{Array2, Array3, s};

fn matrix(height: usize, width: usize) -> Array2<f32> {
    Array2::from_shape_fn((height, width), |(i, j)| (100 * i + j) as f32)
}

#[test]
fn a_rectangle_to_pitched_memory_and_back() {
    let a = matrix(7, 10);
    let (memory, pitch) = mem_alloc_pitch(40, 7, 4).unwrap();
    for unaligned in [false, true] {
        let mut copy = Memcpy2D::new();
        copy.set_src_host(&a);
        copy.set_dst_device(&memory);
        (copy.width_in_bytes, copy.height, copy.dst_pitch) = (40, 7, pitch);
        copy.unaligned = unaligned;
        copy.execute().unwrap();
        let mut back = Array2::<f32>::from_elem((5, 6), -1.0);
        let mut copy = Memcpy2D::new();
        copy.set_src_device(&memory);
        (copy.src_x_in_bytes, copy.src_y, copy.src_pitch) = (8, 3, pitch);
        copy.set_dst_host(&mut back);
        (copy.dst_x_in_bytes, copy.dst_y, copy.dst_pitch) = (4, 1, 24);
        (copy.width_in_bytes, copy.height) = (16, 4);
        copy.unaligned = unaligned;
        copy.execute().unwrap();
        drop(copy);
        let mut expected = Array2::from_elem((5, 6), -1.0);
        expected.slice_mut(s![1..5, 1..5]).assign(&a.slice(s![3..7, 2..6]));
        assert_eq!(back, expected);
    }
}

#[test]
fn on_the_device_and_on_a_stream() {
    let stream = Stream::new().unwrap();
    let a = pagelocked_from(&matrix(4, 8)).unwrap();
    let mut back = pagelocked_zeros::<f32>((8, 4)).unwrap();
    let (one, two) = (mem_alloc(128).unwrap(), mem_alloc(128).unwrap());
    let mut copy = Memcpy2D::new();
    copy.set_src_pagelocked(&a);
    copy.set_dst_device(&one);
    (copy.width_in_bytes, copy.height) = (32, 4);
    copy.execute_async(&stream).unwrap();
    // The left half above the right one.
    for half in 0..2 {
        let mut copy = Memcpy2D::new();
        copy.set_src_device(&one);
        copy.set_dst_device(&two);
        (copy.src_x_in_bytes, copy.src_pitch, copy.dst_y) = (16 * half, 32, 4 * half);
        (copy.width_in_bytes, copy.height) = (16, 4);
        copy.execute_async(&stream).unwrap();
    }
    let mut copy = Memcpy2D::new();
    copy.set_src_device(&two);
    copy.set_dst_pagelocked(&mut back);
    (copy.width_in_bytes, copy.height) = (16, 8);
    copy.execute_async(&stream).unwrap();
    drop(copy);
    assert_eq!(back.array()[[1, 2]], 102.0);
    assert_eq!(back.array()[[7, 3]], 307.0);
    let mut plain = [0.0_f32; 4];
    let mut copy = Memcpy2D::new();
    copy.set_src_device(&one);
    copy.set_dst_host(&mut plain);
    let error = copy.execute_async(&stream).unwrap_err().to_string();
    assert!(error.contains("page-locked"), "{error}");
}

#[test]
fn every_end_is_checked() {
    let memory = mem_alloc(100).unwrap();
    let data = [0_u8; 64];
    let message = |change: &dyn Fn(&mut Memcpy2D<'_>)| {
        let mut copy = Memcpy2D::new();
        copy.set_src_host(&data);
        copy.set_dst_device(&memory);
        (copy.width_in_bytes, copy.height, copy.dst_pitch) = (16, 4, 20);
        change(&mut copy);
        copy.execute().err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(message(&|_| {}), "");
    assert_eq!(message(&|copy| copy.height = 0), "");
    assert_eq!(
        message(&|copy| copy.height = 5),
        "Memcpy2D: src: the copy ends at byte 80, and the memory at byte 64; copy a smaller box"
    );
    assert_eq!(
        message(&|copy| copy.dst_pitch = 30),
        "Memcpy2D: dst: the copy ends at byte 106, and the memory at byte 100; copy a smaller box"
    );
    assert_eq!(
        message(&|copy| copy.dst_x_in_bytes = 5),
        "Memcpy2D: dst: 16 bytes from byte 5 on end at 21, but a row has 20 (`dst_pitch`)"
    );
    for huge in [
        message(&|copy| copy.src_y = usize::MAX),
        message(&|copy| copy.src_pitch = usize::MAX),
        message(&|copy| copy.width_in_bytes = usize::MAX),
        message(&|copy| copy.dst_y = usize::MAX / 20),
    ] {
        assert!(huge.starts_with("Memcpy2D: "), "{huge}");
    }
    let error = Memcpy3D::new().execute().unwrap_err().to_string();
    assert!(error.contains("set_src_host"), "{error}");
}

#[test]
fn a_box_of_memory() {
    let a = Array3::<i16>::from_shape_fn((4, 5, 6), |(i, j, k)| (100 * i + 10 * j + k) as i16);
    let memory = mem_alloc(240).unwrap();
    let mut copy = Memcpy3D::new();
    copy.set_src_host(&a);
    copy.set_dst_device(&memory);
    (copy.width_in_bytes, copy.height, copy.depth) = (12, 5, 4);
    copy.execute().unwrap();
    let mut inner = Array3::<i16>::zeros((2, 3, 4));
    let mut copy = Memcpy3D::new();
    copy.set_src_device(&memory);
    (copy.src_x_in_bytes, copy.src_y, copy.src_z) = (4, 1, 2);
    (copy.src_pitch, copy.src_height) = (12, 5);
    copy.set_dst_host(&mut inner);
    (copy.width_in_bytes, copy.height, copy.depth) = (8, 3, 2);
    copy.execute().unwrap();
    let mut deeper = Memcpy3D::new();
    deeper.set_src_device(&memory);
    deeper.set_dst_device(&memory);
    (deeper.src_pitch, deeper.src_height, deeper.dst_pitch, deeper.dst_height) = (12, 2, 12, 5);
    (deeper.width_in_bytes, deeper.height, deeper.depth) = (12, 3, 2);
    let error = deeper.execute().unwrap_err().to_string();
    assert_eq!(error, "Memcpy3D: src: 3 rows from row 0 on end at 3, but a slice has 2 (`src_height`)");
    drop(copy);
    assert_eq!(inner, a.slice(s![2..4, 1..4, 2..6]));
}

#[test]
fn arrays_for_textures() {
    let descriptor = ArrayDescriptor {
        width: 6,
        height: 5,
        depth: 0,
        format: ArrayFormat::Float,
        num_channels: 1,
        flags: ArrayFlags::NONE,
    };
    let array = CudaArray::new(&descriptor).unwrap();
    let a = matrix(5, 6);
    let mut copy = Memcpy2D::new();
    copy.set_src_host(&a);
    copy.set_dst_array(&array);
    (copy.width_in_bytes, copy.height) = (24, 5);
    copy.execute().unwrap();
    let memory = mem_alloc(24).unwrap();
    let stream = Stream::new().unwrap();
    let mut copy = Memcpy2D::new();
    copy.set_src_array(&array);
    (copy.src_x_in_bytes, copy.src_y) = (12, 2);
    copy.set_dst_device(&memory);
    (copy.width_in_bytes, copy.height) = (8, 3);
    copy.execute_async(&stream).unwrap();
    assert_eq!(from_device::<f32>(&memory, (3, 2)).unwrap(), a.slice(s![2..5, 3..5]).to_owned().into_dyn());
    let message = |x: usize, y: usize, width: usize, height: usize| {
        let mut copy = Memcpy2D::new();
        copy.set_src_array(&array);
        copy.set_dst_device(&memory);
        (copy.src_x_in_bytes, copy.src_y, copy.width_in_bytes, copy.height) = (x, y, width, height);
        copy.execute().unwrap_err().to_string()
    };
    assert_eq!(
        message(20, 0, 8, 1),
        "Memcpy2D: src: 8 bytes from 20 on exceed the array, which has 24 bytes; copy fewer"
    );
    assert_eq!(
        message(0, 5, 4, 1),
        "Memcpy2D: src: 1 rows from 5 on exceed the array, which has 5 rows; copy fewer"
    );
    assert!(message(2, 0, 4, 1).contains("not a whole number of elements of 4 bytes"));
}

#[test]
fn arrays_of_three_axes() {
    let a = Array3::<f32>::from_shape_fn((3, 4, 5), |(i, j, k)| (100 * i + 10 * j + k) as f32);
    let array = np_to_array(&a, Order::C, ArrayFlags::NONE).unwrap();
    let mut part = pagelocked_zeros::<f32>((2, 2, 3)).unwrap();
    let mut copy = Memcpy3D::new();
    copy.set_src_array(&array);
    (copy.src_x_in_bytes, copy.src_y, copy.src_z) = (8, 1, 1);
    copy.set_dst_pagelocked(&mut part);
    (copy.width_in_bytes, copy.height, copy.depth) = (12, 2, 2);
    copy.execute().unwrap();
    drop(copy);
    assert_eq!(part.array(), a.slice(s![1..3, 1..3, 2..5]).into_dyn());
}
