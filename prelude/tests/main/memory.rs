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
